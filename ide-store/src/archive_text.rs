//! The text of entries of archives: sources that lie beside jars or in a JDK, and the declarations of compiled classes.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use ide_index::{ClassSource as _, class_text, source_name};
use zip::ZipArchive;

use crate::classes::Archives;
use crate::decode::decode;
use crate::dependencies::{Places, subdirectories};
use crate::jars::jars;
use crate::open::open_regular;
use crate::text_search::MAX_TEXT_BYTES;

/// The text of an entry of an archive that the snapshot knows as a library.
pub(crate) fn library_text(path: &str) -> Option<Result<ArchiveText, String>> {
    let (archive, entry) = path.strip_prefix("jar://")?.split_once("!/")?;
    let archive = Path::new(archive);
    Some(read(archive, entry, archive.file_name().is_some_and(|name| name == "ct.sym")))
}

/// A text out of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveText {
    /// `jar://ARCHIVE!/ENTRY` of the entry that was read: of a compiled class its source, where that is at hand.
    pub path: String,
    /// The text.
    pub text: String,
}

/// The text of `jar://ARCHIVE!/ENTRY`, where the archive is one of the jars of a project or belongs to a JDK. `None` for any
/// other archive, whether it is there or not.
#[must_use]
pub fn archive_text(
    project: &Path,
    places: &Places,
    jdk: Option<&Path>,
    path: &str,
) -> Option<Result<ArchiveText, String>> {
    let (archive, entry) = path.strip_prefix("jar://")?.split_once("!/")?;
    let archive = Path::new(archive);
    let of_jdk = |name: &str| jdk.is_some_and(|home| home.join("lib").join(name) == archive);
    let is_known = of_jdk("ct.sym") || of_jdk("src.zip") || is_of_project(project, places, archive);
    is_known.then(|| read(archive, entry, of_jdk("ct.sym")))
}

fn is_of_project(project: &Path, places: &Places, archive: &Path) -> bool {
    let found = jars(project, places).files;
    found.iter().any(|jar| jar == archive || sources_of(jar).as_deref() == Some(archive))
}

/// The jar with the sources of another: beside it, or as Gradle keeps it in a directory of its own.
fn sources_of(jar: &Path) -> Option<PathBuf> {
    let name = format!("{}-sources.jar", jar.file_stem()?.to_str()?);
    let beside = jar.with_file_name(&name);
    if beside.is_file() {
        return Some(beside);
    }
    let hashed = subdirectories(jar.parent()?.parent()?).into_iter().map(|dir| dir.join(&name));
    hashed.into_iter().find(|path| path.is_file())
}

fn read(archive: &Path, entry: &str, is_ct_sym: bool) -> Result<ArchiveText, String> {
    let Some(class) = entry.strip_suffix(".class") else {
        return plain(archive, |name| name == entry)
            .map(|found| found.ok_or_else(|| format!("`{entry}` is not in it")))?;
    };
    let sources =
        if is_ct_sym { archive.parent().map(|lib| lib.join("src.zip")) } else { sources_of(archive) };
    let name_at = class.rfind('/').map_or(0, |slash| slash + 1);
    let top = class[name_at..].find('$').map_or(class, |at| &class[..name_at + at]);
    let sources = sources.filter(|path| path.is_file());
    for file in [".java", ".kt"].map(|ending| format!("{top}{ending}")) {
        if let Some(found) = sources.as_deref().map_or(Ok(None), |sources| source(sources, &file))? {
            return Ok(found);
        }
    }
    let mut archives = Archives::default();
    let classes = archives.add(archive, is_ct_sym).map_err(|error| error.to_string())?;
    let path = format!("jar://{}!/{top}.class", archive.display());
    let class =
        classes.iter().find(|class| class.path == path).ok_or_else(|| format!("`{entry}` is not in it"))?;
    let bytes = archives.bytes(&class.parts)?;
    let written_in = bytes.first().and_then(|top| source_name(top));
    if let Some((name, sources)) = written_in.zip(sources)
        && let Some(found) = source(&sources, &format!("{}{name}", &top[..name_at]))?
    {
        return Ok(found);
    }
    let parts: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
    let text = class_text(&parts).map_err(|error| error.to_string())?;
    Ok(ArchiveText { path, text })
}

/// The source of a package's directory and name. Modules of a JDK, and source sets of Kotlin, have a directory above those of packages.
fn source(sources: &Path, file: &str) -> Result<Option<ArchiveText>, String> {
    plain(sources, |name| {
        name.strip_suffix(file).is_some_and(|before| before.is_empty() || before.split('/').count() == 2)
    })
}

/// The first entry whose name passes, as text.
fn plain(archive: &Path, is_it: impl Fn(&str) -> bool) -> Result<Option<ArchiveText>, String> {
    let (file, _) = open_regular(archive).map_err(|error| error.to_string())?;
    let mut zip: ZipArchive<BufReader<File>> =
        ZipArchive::new(BufReader::new(file)).map_err(|error| error.to_string())?;
    let found = (0..zip.len()).find_map(|at| {
        let name = zip.name_for_index(at)?.ok()?.into_owned();
        is_it(&name).then_some((at, name))
    });
    let Some((at, name)) = found else { return Ok(None) };
    let entry = zip.by_index(at).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    entry.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        return Err(format!("`{name}` is larger than {} MiB", MAX_TEXT_BYTES >> 20));
    }
    let text = decode(&bytes).ok_or_else(|| format!("`{name}` is not a text file"))?.into_owned();
    Ok(Some(ArchiveText { path: format!("jar://{}!/{name}", archive.display()), text }))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::write::SimpleFileOptions;

    use super::*;

    fn put(path: &Path, entries: &[(&str, &[u8])]) {
        std::fs::create_dir_all(path.parent().expect("a file has a directory")).expect("the disk takes it");
        let mut zip = zip::ZipWriter::new(File::create(path).expect("the disk takes it"));
        for (name, bytes) in entries {
            zip.start_file(*name, SimpleFileOptions::default()).expect("a plain name");
            zip.write_all(bytes).expect("the disk takes it");
        }
        zip.finish().expect("the disk takes it");
    }

    #[test]
    fn sources_lie_beside_jars_and_other_archives_are_not_there() {
        let dir = tempfile::tempdir().expect("a place");
        let root = dir.path().canonicalize().expect("it was made");
        let (project, other) = (root.join("p"), root.join("other.jar"));
        let jar = project.join("lib/a-1.jar");
        put(
            &jar,
            &[("x/A.class", b"no class"), ("x/note.txt", "ä".as_bytes()), ("x/b.bin", &[0, 1, 2, 255])],
        );
        put(&other, &[("x/note.txt", b"secret")]);
        let read = |archive: &Path, entry: &str| {
            archive_text(&project, &Places::default(), None, &format!("jar://{}!/{entry}", archive.display()))
        };
        assert_eq!(read(&jar, "x/note.txt").expect("it is a library").expect("a text").text, "ä");
        assert!(
            read(&jar, "x/A.class")
                .expect("it is a library")
                .is_err_and(|why| why.contains("not a class file"))
        );
        assert!(read(&jar, "x/b.bin").expect("it is a library").is_err());
        assert!(
            read(&jar, "x/none.txt").expect("it is a library").is_err_and(|why| why.contains("not in it"))
        );
        assert_eq!(read(&other, "x/note.txt"), None);
        put(&project.join("lib/a-1-sources.jar"), &[("x/A.java", b"package x;\nclass A {}\n")]);
        let found = read(&jar, "x/A$B.class").expect("it is a library").expect("a text");
        assert_eq!(found.text, "package x;\nclass A {}\n");
        assert!(found.path.ends_with("a-1-sources.jar!/x/A.java"), "{}", found.path);
        assert_eq!(
            read(&project.join("lib/a-1-sources.jar"), "x/A.java").expect("it is one").expect("a text"),
            found
        );
    }
}
