//! An editor that coding agents find by its lock file: `cargo run -p ideindex-companion --example lock_file`.

use std::error::Error;

use ide_companion::{Lock, LockFiles, LockPlaces, Secret};

fn main() -> Result<(), Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    let lock = Lock {
        port: 4711,
        pid: std::process::id(),
        workspace_folders: vec!["/home/me/app".to_owned()],
        ide_name: "my editor".to_owned(),
        // Fresh random bytes in a real host.
        secret: Secret::new([7; 32]),
    };
    let files = LockFiles::publish(LockPlaces::new(home.path(), None, None), lock, |_| true)?;
    let path = home.path().join(".claude/ide/4711.lock");
    assert!(path.exists());

    // The files go with the server.
    drop(files);
    assert!(!path.exists());
    Ok(())
}
