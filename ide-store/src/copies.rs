//! Copies of library texts that lie in archives or in the program, for editors, which open files only.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

use ide_index::LIBRARY_SCHEME;
use ide_model::FilePath;
use xxhash_rust::xxh3::xxh3_64;

use crate::open::open_regular;

/// A directory of copies.
#[derive(Clone, Debug)]
pub struct Copies(PathBuf);

impl Copies {
    /// The copies below a directory, which is made with the first copy.
    pub fn new(directory: PathBuf) -> Self {
        Self(directory)
    }

    /// A file, not to be written, with the text of a library's file: always the same for the same one.
    ///
    /// # Errors
    /// When the path names no entry of an archive, and when the disk does not take it.
    pub fn of(&self, file: &FilePath, text: &str) -> io::Result<PathBuf> {
        let place = self.place(file).ok_or(io::ErrorKind::InvalidInput)?;
        if is_there(&place, text) {
            return Ok(place);
        }
        let directory = place.parent().ok_or(io::ErrorKind::InvalidInput)?;
        fs::create_dir_all(directory)?;
        // Several servers may copy the same entry.
        let staged = directory.join(format!(".{}-{:x}", std::process::id(), xxh3_64(text.as_bytes())));
        let mut out = File::create(&staged)?;
        out.write_all(text.as_bytes())?;
        let mut permissions = out.metadata()?.permissions();
        permissions.set_readonly(true);
        out.set_permissions(permissions)?;
        fs::rename(&staged, &place)?;
        Ok(place)
    }

    /// The path of a library's file whose copy this is; the path itself for a copy out of a jar, whose sources are no part of
    /// a snapshot. `None` for other files.
    pub fn original(&self, copy: &Path) -> Option<FilePath> {
        let inside = copy.strip_prefix(&self.0).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
        let (kind, rest) = inside.split_once('/')?;
        match kind {
            BUNDLED => {
                let (library, path) = rest.split_once('/')?;
                Some(FilePath::new(format!("{LIBRARY_SCHEME}{library}!/{path}")))
            }
            _ => Some(FilePath::new(copy.to_str()?)),
        }
    }

    fn place(&self, file: &FilePath) -> Option<PathBuf> {
        let (archive, entry) = file.as_str().split_once("!/")?;
        let is_plain = |path: &str| Path::new(path).components().all(|c| matches!(c, Component::Normal(_)));
        if !is_plain(entry) {
            return None;
        }
        if let Some(library) = archive.strip_prefix(LIBRARY_SCHEME) {
            return is_plain(library).then(|| self.0.join(BUNDLED).join(library).join(entry));
        }
        let archive = archive.strip_prefix("jar://")?;
        let name = Path::new(archive).file_stem()?.to_str()?;
        let tag = format!("{name}-{:08x}", xxh3_64(archive.as_bytes()) as u32);
        // The declarations of a class are written out in Java.
        let entry =
            entry.strip_suffix(".class").map_or_else(|| entry.to_owned(), |class| format!("{class}.java"));
        Some(self.0.join("jars").join(tag).join(entry))
    }
}

/// The directory of copies of what the program brings.
const BUNDLED: &str = "bundled";

fn is_there(place: &Path, text: &str) -> bool {
    let Ok((mut file, _)) = open_regular(place) else { return false };
    let mut there = String::new();
    file.read_to_string(&mut there).is_ok() && there == text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_found_again_and_stay_inside() {
        let dir = tempfile::tempdir().expect("a place");
        let copies = Copies::new(dir.path().to_owned());
        let file = FilePath::new("lib://python!/typeshed/stdlib/os/path.pyi");
        let copy = copies.of(&file, "x = 1\n").expect("the disk takes it");
        assert!(is_there(&copy, "x = 1\n"));
        assert!(copy.metadata().expect("it is there").permissions().readonly());
        assert_eq!(copies.of(&file, "x = 1\n").expect("it is there"), copy);
        assert_eq!(copies.of(&file, "x = 2\n").expect("it is newer"), copy);
        assert_eq!(copies.original(&copy), Some(file));
        assert_eq!(copies.original(Path::new("/etc/passwd")), None);
        let class = copies.of(&FilePath::new("jar:///m/a-1.jar!/p/A.class"), "class A {}").expect("a class");
        assert!(class.ends_with("p/A.java"), "{}", class.display());
        let other = copies.of(&FilePath::new("jar:///n/a-1.jar!/p/A.class"), "class A {}").expect("another");
        assert_ne!(class, other);
        for outside in ["jar:///a.jar!/../../x", "jar:///a.jar!//etc/x", "lib://..!/x", "src/a.py"] {
            assert!(copies.of(&FilePath::new(outside), "").is_err(), "{outside}");
        }
    }
}
