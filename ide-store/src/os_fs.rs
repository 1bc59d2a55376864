//! The operating system behind the resolver's [`Fs`].

use std::fs;
use std::io;
use std::path::PathBuf;

use ide_project_resolver::{AbsPath, Case, DirEntry, Fs, Kind, Metadata};

use crate::open::read_real;

/// The real disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsFs;

impl Fs for OsFs {
    fn metadata(&self, path: &str) -> io::Result<Metadata> {
        Ok(facts(&fs::metadata(path)?))
    }

    fn symlink_metadata(&self, path: &str) -> io::Result<Metadata> {
        Ok(facts(&fs::symlink_metadata(path)?))
    }

    fn canonicalize(&self, path: &str) -> io::Result<AbsPath> {
        to_text(fs::canonicalize(path)?)
    }

    fn read_dir(&self, path: &str) -> io::Result<Vec<DirEntry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let kind = kind(entry.file_type()?);
            if let Ok(name) = entry.file_name().into_string() {
                entries.push(DirEntry { name, kind });
            }
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn read_text(&self, path: &str, limit: u64) -> io::Result<String> {
        String::from_utf8(read_real(path.as_ref(), limit)?)
            .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
    }

    fn case(&self, dir: &str) -> Case {
        probe_case(dir).unwrap_or(if cfg!(any(windows, target_os = "macos")) {
            Case::Insensitive
        } else {
            Case::Sensitive
        })
    }

    fn windows(&self) -> bool {
        cfg!(windows)
    }
}

/// Looks the directory up under the same name in the other case; `None` when its name has no letters.
fn probe_case(dir: &str) -> Option<Case> {
    let (above, name) = dir.trim_end_matches('/').rsplit_once('/')?;
    let swapped: String = name
        .chars()
        .map(|c| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
        .collect();
    if swapped == name {
        return probe_case(above);
    }
    match (fs::canonicalize(dir), fs::canonicalize(format!("{above}/{swapped}"))) {
        (Ok(a), Ok(b)) if a == b => Some(Case::Insensitive),
        _ => Some(Case::Sensitive),
    }
}

fn facts(metadata: &fs::Metadata) -> Metadata {
    Metadata { kind: kind(metadata.file_type()), read_only: metadata.permissions().readonly() }
}

fn kind(file_type: fs::FileType) -> Kind {
    if file_type.is_file() {
        Kind::File
    } else if file_type.is_dir() {
        Kind::Dir
    } else if file_type.is_symlink() {
        Kind::Symlink
    } else {
        Kind::Other
    }
}

/// A real path in the spelling of this program: no verbatim prefix, `/` as separator.
fn to_text(path: PathBuf) -> io::Result<AbsPath> {
    let not_text = || io::Error::new(io::ErrorKind::InvalidData, "the path is not UTF-8");
    let text = path.into_os_string().into_string().map_err(|_| not_text())?;
    let text = if cfg!(windows) { windows_text(&text) } else { text };
    AbsPath::new(&text).ok_or_else(not_text)
}

fn windows_text(verbatim: &str) -> String {
    let plain = match verbatim.strip_prefix(r"\\?\UNC\") {
        Some(share) => format!("//{share}"),
        None => verbatim.strip_prefix(r"\\?\").unwrap_or(verbatim).to_owned(),
    };
    plain.replace('\\', "/")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "fixtures are written to a real disk")]

    use super::*;

    #[test]
    fn windows_spellings() {
        assert_eq!(windows_text(r"\\?\C:\a\b"), "C:/a/b");
        assert_eq!(windows_text(r"\\?\UNC\host\share\a"), "//host/share/a");
    }

    #[test]
    #[cfg(unix)]
    fn the_disk_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let root = OsFs.canonicalize(dir.path().to_str().unwrap()).unwrap();
        let path = |name: &str| format!("{root}/{name}");
        fs::create_dir(path("Sub")).unwrap();
        fs::write(path("Sub/a.txt"), "text").unwrap();
        fs::write(path("bytes"), [0xff, 0xfe]).unwrap();
        std::os::unix::fs::symlink("Sub", path("link")).unwrap();

        assert_eq!(OsFs.canonicalize(&path("link/../Sub/a.txt")).unwrap().as_str(), path("Sub/a.txt"));
        assert_eq!(OsFs.metadata(&path("link")).unwrap().kind, Kind::Dir);
        assert_eq!(OsFs.symlink_metadata(&path("link")).unwrap().kind, Kind::Symlink);
        let names: Vec<(String, Kind)> =
            OsFs.read_dir(root.as_str()).unwrap().into_iter().map(|e| (e.name, e.kind)).collect();
        assert_eq!(
            names,
            [("Sub".into(), Kind::Dir), ("bytes".into(), Kind::File), ("link".into(), Kind::Symlink)]
        );
        assert_eq!(OsFs.read_text(&path("Sub/a.txt"), 4).unwrap(), "text");
        let error = |name: &str| OsFs.read_text(&path(name), 3).unwrap_err().kind();
        assert_eq!(error("Sub/a.txt"), io::ErrorKind::FileTooLarge);
        assert_eq!(error("bytes"), io::ErrorKind::InvalidData);
        assert_eq!(error("Sub"), io::ErrorKind::InvalidInput);
        assert_eq!(error("none"), io::ErrorKind::NotFound);
        let same = fs::metadata(path("sub")).is_ok();
        assert_eq!(OsFs.case(&path("Sub")) == Case::Insensitive, same);
    }
}
