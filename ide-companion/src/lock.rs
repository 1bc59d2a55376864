//! Lock files: where clients find a server, with the token that lets them in.
#![expect(clippy::disallowed_methods, reason = "lock files lie in the user's home, outside of every project")]

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::Secret;

/// The content of a lock file.
#[derive(Clone, Debug)]
pub struct Lock {
    pub port: u16,
    /// The process whose terminals the clients run in; a client takes the file away when it is dead.
    pub pid: u32,
    pub workspace_folders: Vec<String>,
    pub ide_name: String,
    pub secret: Secret,
}

impl Lock {
    /// The six fields that clients know. The port stands in the name of the file only.
    fn real(&self) -> Value {
        json!({
            "pid": self.pid,
            "workspaceFolders": self.workspace_folders,
            "ideName": self.ide_name,
            "transport": "ws",
            "runningInWindows": cfg!(windows),
            "authToken": self.secret.reveal(),
        })
    }

    /// The same for clients of the described dialect.
    fn described(&self) -> Value {
        let mut lock = self.real();
        lock["port"] = self.port.into();
        if let Some(root) = self.workspace_folders.first() {
            lock["projectPath"] = root.as_str().into();
        }
        lock
    }
}

/// The folders in which lock files are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockPlaces {
    /// For `<port>.lock`.
    real: Vec<PathBuf>,
    /// For `<port>.json`.
    described: Vec<PathBuf>,
    /// The file that remembers which lock files are ours.
    state: Option<PathBuf>,
}

impl LockPlaces {
    /// The folders of a user: `~/.claude/ide`, the one below `CLAUDE_CONFIG_DIR` where that is another, and
    /// `~/.claude-code`. In `state` we remember across crashes what we wrote.
    pub fn new(home: &Path, claude_config_dir: Option<&Path>, state: Option<&Path>) -> Self {
        let mut real = vec![home.join(".claude/ide")];
        let moved = claude_config_dir.filter(|dir| dir.is_absolute()).map(|dir| dir.join("ide"));
        real.extend(moved.filter(|dir| *dir != real[0]));
        Self {
            real,
            described: vec![home.join(".claude-code")],
            state: state.map(|dir| dir.join("companion")),
        }
    }

    fn files(&self, port: u16) -> impl Iterator<Item = (PathBuf, bool)> {
        let real = self.real.iter().map(move |dir| (dir.join(format!("{port}.lock")), true));
        let described = self.described.iter().map(move |dir| (dir.join(format!("{port}.json")), false));
        real.chain(described)
    }
}

/// The lock files of one server. They go when it is dropped.
#[derive(Debug)]
pub struct LockFiles {
    places: LockPlaces,
    lock: Lock,
}

impl LockFiles {
    /// Writes the files of a server that listens already. Files that we left behind when we were killed are removed first;
    /// `is_alive` tells whether a process is.
    ///
    /// # Errors
    /// When none of the real lock files could be written.
    pub fn publish(places: LockPlaces, lock: Lock, is_alive: impl Fn(u32) -> bool) -> io::Result<Self> {
        clean_up(&places, is_alive);
        let files = Self { places, lock };
        files.remember();
        files.write(|_| true)?;
        Ok(files)
    }

    /// Writes those files again that somebody has taken away, such as a client that does not see our process.
    pub fn restore(&self) {
        // a folder that cannot be written to now could not be written to before
        drop(self.write(|path| !path.exists()));
    }

    /// Other folders are open.
    pub fn set_workspaces(&mut self, folders: Vec<String>) {
        if self.lock.workspace_folders != folders {
            self.lock.workspace_folders = folders;
            drop(self.write(|_| true));
        }
    }

    fn write(&self, wanted: impl Fn(&Path) -> bool) -> io::Result<()> {
        let mut written = false;
        let mut failed = None;
        for (path, is_real) in self.places.files(self.lock.port) {
            if !wanted(&path) {
                written |= is_real;
                continue;
            }
            let content = if is_real { self.lock.real() } else { self.lock.described() };
            match write_private(&path, content.to_string().as_bytes()) {
                Ok(()) => written |= is_real,
                Err(error) => failed = Some(error),
            }
        }
        if written {
            Ok(())
        } else {
            Err(failed.unwrap_or_else(|| io::Error::other("there is no folder for lock files")))
        }
    }

    fn memory(&self) -> Option<PathBuf> {
        Some(self.places.state.as_ref()?.join(format!("{}.json", self.lock.port)))
    }

    fn remember(&self) {
        if let Some(path) = self.memory() {
            let token = fingerprint(self.lock.secret.reveal());
            let content = json!({"pid": self.lock.pid, "port": self.lock.port, "token": token});
            // without it a file may outlive a crash, and clients remove it then
            drop(write_private(&path, content.to_string().as_bytes()));
        }
    }
}

impl Drop for LockFiles {
    fn drop(&mut self) {
        let token = fingerprint(self.lock.secret.reveal());
        self.places.files(self.lock.port).for_each(|(path, _)| remove_if_ours(&path, &token));
        if let Some(path) = self.memory() {
            drop(fs::remove_file(path));
        }
    }
}

/// A hash by which we know a token again without keeping it.
fn fingerprint(token: &str) -> String {
    hmac_sha256::Hash::hash(token.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Removes files that we wrote in processes that are dead. Files of others are left alone.
fn clean_up(places: &LockPlaces, is_alive: impl Fn(u32) -> bool) {
    let Some(entries) = places.state.as_ref().and_then(|dir| fs::read_dir(dir).ok()) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let Some(memory) = read_json(&path) else { continue };
        let number = |name: &str| memory[name].as_u64();
        let pid = number("pid").and_then(|pid| u32::try_from(pid).ok());
        let port = number("port").and_then(|port| u16::try_from(port).ok());
        let (Some(pid), Some(port), Some(token)) = (pid, port, memory["token"].as_str()) else { continue };
        if is_alive(pid) {
            continue;
        }
        places.files(port).for_each(|(file, _)| remove_if_ours(&file, token));
        drop(fs::remove_file(path));
    }
}

fn read_json(path: &Path) -> Option<Value> {
    let is_small = fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() < 64 << 10);
    is_small.then(|| serde_json::from_slice(&fs::read(path).ok()?).ok()).flatten()
}

fn remove_if_ours(path: &Path, token: &str) {
    let is_ours = read_json(path)
        .is_some_and(|lock| lock["authToken"].as_str().is_some_and(|known| fingerprint(known) == token));
    if is_ours {
        drop(fs::remove_file(path));
    }
}

/// Writes a file so that nobody ever sees a part of it, for its owner only.
///
/// # Errors
/// When its folder cannot be made or written to.
pub fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("a file without a folder"))?;
    make_private(folder)?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("lock");
    let staged = folder.join(format!(".{name}.{}", std::process::id()));
    drop(fs::remove_file(&staged));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&staged)?;
    let written = file.write_all(content).and_then(|()| fs::rename(&staged, path));
    if written.is_err() {
        drop(fs::remove_file(&staged));
    }
    written
}

/// Makes a folder that only its owner can look into. One that is there keeps its mode: it is not ours.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(port: u16) -> Lock {
        Lock {
            port,
            pid: 42,
            workspace_folders: vec!["/p".to_owned()],
            ide_name: "ide-index".to_owned(),
            secret: Secret::new([9; 32]),
        }
    }

    #[test]
    fn files_stand_in_every_place_and_go_again() {
        let home = tempfile::tempdir().unwrap();
        let moved = tempfile::tempdir().unwrap();
        let places = LockPlaces::new(home.path(), Some(moved.path()), Some(&home.path().join("state")));
        let files = LockFiles::publish(places, lock(4711), |_| true).unwrap();
        let real = home.path().join(".claude/ide/4711.lock");
        let other = moved.path().join("ide/4711.lock");
        let described = home.path().join(".claude-code/4711.json");
        let text = fs::read_to_string(&real).unwrap();
        assert_eq!(text, fs::read_to_string(&other).unwrap());
        let keys = |text: &str| {
            let value: Value = serde_json::from_str(text).unwrap();
            value.as_object().unwrap().keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(
            keys(&text),
            ["pid", "workspaceFolders", "ideName", "transport", "runningInWindows", "authToken"]
        );
        assert!(keys(&fs::read_to_string(&described).unwrap()).contains(&"projectPath".to_owned()));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&real), mode(real.parent().unwrap())), (0o600, 0o700));
        }
        fs::remove_file(&real).unwrap();
        files.restore();
        assert!(real.exists(), "it comes back");
        fs::write(&other, "{\"authToken\":\"of somebody else\"}").unwrap();
        drop(files);
        assert!(!real.exists() && !described.exists());
        assert!(other.exists(), "files of others stay");
    }

    #[test]
    fn what_a_crash_left_is_removed_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let places = LockPlaces::new(home.path(), None, Some(&home.path().join("state")));
        let ide = home.path().join(".claude/ide");
        std::mem::forget(LockFiles::publish(places.clone(), lock(1), |_| true).unwrap());
        fs::write(ide.join("2.lock"), "{\"pid\":42,\"authToken\":\"x\"}").unwrap();
        let _new = LockFiles::publish(places.clone(), lock(3), |_| true).unwrap();
        assert!(ide.join("1.lock").exists(), "its process lives");
        let _newer = LockFiles::publish(places, lock(4), |_| false).unwrap();
        assert!(!ide.join("1.lock").exists());
        assert!(ide.join("2.lock").exists(), "it was never ours");
    }

    #[test]
    fn a_reader_never_sees_a_part() {
        let home = tempfile::tempdir().unwrap();
        let places = LockPlaces::new(home.path(), None, None);
        let mut files = LockFiles::publish(places, lock(5), |_| true).unwrap();
        let path = home.path().join(".claude/ide/5.lock");
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                for _ in 0..2000 {
                    let text = fs::read_to_string(&path).unwrap();
                    assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text:?}");
                }
            });
            let mut n = 0;
            while !reader.is_finished() {
                n += 1;
                files.set_workspaces(vec![format!("/{}", "p".repeat(n % 300))]);
            }
        });
    }
}
