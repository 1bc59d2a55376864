//! Tells the files of a call that lie inside its project: `cargo run -p ideindex-project-resolver --example contain`.

use std::error::Error;

use ide_project_resolver::{Access, Exclusions, Libraries, MemoryFs, Project};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let disk = MemoryFs::default()
        .file("/home/me/app/Cargo.toml", "[package]\nname = \"app\"\n")
        .file("/home/me/app/src/main.rs", "fn main() {}\n")
        .file("/etc/passwd", "root\n")
        .link("/home/me/app/outside", "/etc/passwd");
    let project = Project::open(&disk, "/home/me/app", &[], Exclusions::default())?;
    let libraries = Libraries::default();
    let find = |path: &str| project.resolve_file(&disk, &libraries, path, None, Access::Read);

    assert_eq!(find("src/main.rs")?.path.as_str(), "/home/me/app/src/main.rs");
    // Links and `..` are resolved first. Refused and missing paths give the same answer.
    for path in ["outside", "../../etc/passwd", "src/missing.rs"] {
        assert_eq!(find(path).map_err(|error| error.slug()).err(), Some("file_not_found"));
    }
    Ok(())
}
