//! The plugin's archive: what an IDE installs. The same files give the same bytes.

pub(crate) mod libraries;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Cursor, Read as _, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use zip::write::SimpleFileOptions;
use zip::{DateTime, ZipArchive, ZipWriter};

use crate::repo;
use libraries::{Library, Made};

/// The folder that the archive unpacks to.
pub(crate) const FOLDER: &str = "ide-index-mcp";
/// The jar in that folder.
const JAR: &str = "lib/ide-index-mcp.jar";
/// The jar stays below this.
const MAX_JAR: usize = 1_000_000;
/// A library that is shipped stays below this.
const MAX_LIBRARY: usize = 30_000_000;
/// The declarations of standard libraries, in the repository.
pub(crate) const DECLARATIONS: &str = "ide-index/libraries";
/// The files of the dashboard, in the repository.
const DASHBOARD: &str = "ide-server/src/dashboard/assets";
/// The list by which the plugin knows its libraries, in the jar.
const CHECKSUMS: &str = "META-INF/native.sha256";
/// Levels of compression.
const BEST: i64 = 9;
const FASTEST: i64 = 1;
const MANIFEST: (&str, &[u8]) = ("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\r\n\r\n");

/// Files by their path.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Every file below some folders by its path in them; those of a later folder win.
pub(crate) fn files(folders: &[&Path]) -> Result<Files> {
    let mut all = Files::new();
    for folder in folders {
        for file in repo::walk(folder, |_| false)? {
            let path = file.to_string_lossy().replace('\\', "/");
            all.insert(path, fs::read(folder.join(file))?);
        }
    }
    Ok(all)
}

/// The archive of a plugin whose jar has these files, and the list of the libraries.
pub(crate) fn pack(mut jar: Files, libraries: &[Library], made: Made) -> Result<Vec<u8>> {
    let line = |library: &Library| format!("{}  {}\n", sha256(&library.bytes), library.target.path());
    jar.insert(CHECKSUMS.to_owned(), libraries.iter().map(line).collect::<String>().into_bytes());
    jar.insert(MANIFEST.0.to_owned(), MANIFEST.1.to_owned());
    let mut whole = Files::new();
    whole.insert(format!("{FOLDER}/{JAR}"), zipped(&jar, BEST)?);
    for library in libraries {
        whole.insert(format!("{FOLDER}/native/{}", library.target.path()), library.bytes.clone());
    }
    whole.extend(declarations()?);
    // An archive that nobody downloads need not be small.
    zipped(&whole, if made == Made::ForShipping { BEST } else { FASTEST })
}

/// The declarations of standard libraries and the viewer of the dashboard with their licences, as the archive has them.
fn declarations() -> Result<Files> {
    let mut files = files(&[&repo::root().join(DECLARATIONS)])?;
    for name in ["viewer.min.js.gz", "viewer.LICENSE.txt"] {
        files.insert(name.to_owned(), fs::read(repo::root().join(DASHBOARD).join(name))?);
    }
    Ok(files.into_iter().map(|(name, bytes)| (format!("{FOLDER}/libraries/{name}"), bytes)).collect())
}

/// Unpacks an archive into a folder.
pub(crate) fn unpack(archive: &[u8], folder: &Path) -> Result<()> {
    ZipArchive::new(Cursor::new(archive))?.extract(folder).context("the archive cannot be unpacked")
}

/// In the order of their paths, with the time that a zip file begins with.
fn zipped(files: &Files, level: i64) -> Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options =
        SimpleFileOptions::default().last_modified_time(DateTime::DEFAULT).compression_level(Some(level));
    for (path, bytes) in files {
        zip.start_file(&**path, options)?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// The entries of a zip file in their order; each has the time of [`zipped`].
fn entries(zip: &[u8]) -> Result<Vec<(String, Vec<u8>)>> {
    let mut zip = ZipArchive::new(Cursor::new(zip))?;
    let mut all = Vec::new();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index)?;
        let path = entry.name()?.into_owned();
        ensure!(entry.last_modified() == Some(DateTime::DEFAULT), "{path} has a time of its own");
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        all.push((path, bytes));
    }
    Ok(all)
}

/// Holds an archive against the sources of the plugin and the libraries that it is meant to have: it has exactly their files,
/// in order, each as it must be.
pub(crate) fn check(archive: &[u8], plugin: &Path, meant: &[Library], made: Made) -> Result<()> {
    let whole = entries(archive)?;
    let natives = meant.iter().map(|library| format!("{FOLDER}/native/{}", library.target.path()));
    let declarations = declarations()?;
    let mut expected: Vec<String> = std::iter::once(format!("{FOLDER}/{JAR}")).chain(natives).collect();
    expected.extend(declarations.keys().cloned());
    expected.sort();
    let paths: Vec<&String> = whole.iter().map(|(path, _)| path).collect();
    ensure!(paths == expected.iter().collect::<Vec<_>>(), "the archive has {paths:?}, not {expected:?}");
    let whole: Files = whole.into_iter().collect();
    for (path, bytes) in &declarations {
        ensure!(whole.get(path) == Some(bytes), "{path} is not the file of the repository");
    }
    let jar = &whole[&format!("{FOLDER}/{JAR}")];
    ensure!(jar.len() < MAX_JAR, "the jar has {} bytes", jar.len());
    let jar = entries(jar)?;
    ensure!(jar.is_sorted_by(|(a, _), (b, _)| a < b), "the entries of the jar are not in order");
    let jar: Files = jar.into_iter().collect();
    jar_is_complete(&jar, plugin)?;
    let listed = std::str::from_utf8(&jar[CHECKSUMS])?;
    ensure!(listed.lines().count() == meant.len(), "{CHECKSUMS} lists other libraries: {listed}");
    let natives = libraries::declared(plugin)?;
    for library in meant {
        let path = library.target.path();
        let bytes = &whole[&format!("{FOLDER}/native/{path}")];
        let line = format!("{}  {path}", sha256(bytes));
        ensure!(listed.lines().any(|listed| listed == line), "{CHECKSUMS} has no line `{line}`");
        libraries::check(library.target, bytes, &natives, made).with_context(|| path.clone())?;
        let is_small = made == Made::ForDebugging || bytes.len() < MAX_LIBRARY;
        ensure!(is_small, "{path} has {} bytes", bytes.len());
    }
    Ok(())
}

/// The resources as they are, at least a class for every source and no class without one, and what [`pack`] adds.
fn jar_is_complete(jar: &Files, plugin: &Path) -> Result<()> {
    let resources = files(&[&plugin.join("src/main/resources")])?;
    let stems = |path: &str| path.strip_suffix(".java").map(str::to_owned);
    let sources = repo::walk(&plugin.join("src/main/java"), |_| false)?;
    let sources: BTreeSet<String> = sources
        .iter()
        .filter_map(|path| stems(&path.to_string_lossy().replace('\\', "/")))
        .filter(|path| !path.ends_with("package-info"))
        .collect();
    let mut compiled = BTreeSet::new();
    for path in jar.keys() {
        if let Some(class) = path.strip_suffix(".class") {
            let outermost = class.split('$').next().unwrap_or(class);
            ensure!(sources.contains(outermost), "{path} in the jar has no source");
            compiled.insert(outermost.to_owned());
        } else if path != CHECKSUMS && path != MANIFEST.0 {
            ensure!(resources.contains_key(path), "{path} in the jar is not one of the resources");
        }
    }
    for (path, bytes) in &resources {
        ensure!(jar.get(path) == Some(bytes), "{path} is not in the jar as it is in the sources");
    }
    let missing: Vec<_> = sources.difference(&compiled).collect();
    ensure!(missing.is_empty(), "the jar has no classes of {missing:?}");
    Ok(())
}

/// The contents of an archive, for people: the size of each entry, unpacked and packed.
pub(crate) fn sizes(archive: &[u8]) -> Result<String> {
    let mut zip = ZipArchive::new(Cursor::new(archive))?;
    let mut lines = Vec::new();
    for index in 0..zip.len() {
        let entry = zip.by_index_raw(index)?;
        lines.push(format!("{:>12} {:>12}  {}", entry.size(), entry.compressed_size(), entry.name()?));
    }
    lines.push(format!("{:>12} {:>12}  in all", "", archive.len()));
    Ok(lines.join("\n"))
}

fn sha256(bytes: &[u8]) -> String {
    hmac_sha256::Hash::hash(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plugin of one class and one resource, and its archive without libraries.
    fn small(extra: &[(&str, &[u8])]) -> (tempfile::TempDir, Vec<u8>) {
        let plugin = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("src/main/java/a/B.java", "class B {}"),
            ("src/main/java/dev/ideindex/plugin/spi/Native.java", "static native String version();"),
            ("src/main/resources/META-INF/plugin.xml", "<idea-plugin/>"),
        ] {
            let file = plugin.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let mut jar = files(&[&plugin.path().join("src/main/resources")]).unwrap();
        for class in ["a/B.class", "a/B$1.class", "dev/ideindex/plugin/spi/Native.class"] {
            jar.insert(class.to_owned(), vec![0xCA, 0xFE]);
        }
        jar.extend(extra.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())));
        let archive = pack(jar, &[], Made::ForShipping).unwrap();
        (plugin, archive)
    }

    fn refused(plugin: &Path, archive: &[u8], libraries: &[Library]) -> String {
        format!("{:#}", check(archive, plugin, libraries, Made::ForDebugging).unwrap_err())
    }

    #[test]
    fn the_same_files_give_the_same_bytes() {
        let ((plugin, one), (_, other)) = (small(&[]), small(&[]));
        assert_eq!(one, other);
        check(&one, plugin.path(), &[], Made::ForDebugging).unwrap();
    }

    #[test]
    fn what_does_not_belong_into_the_jar_is_named() {
        let (plugin, archive) = small(&[("a/C.class", b"")]);
        assert!(refused(plugin.path(), &archive, &[]).contains("a/C.class in the jar has no source"));
        let (plugin, archive) = small(&[("notes.txt", b"")]);
        assert!(refused(plugin.path(), &archive, &[]).contains("notes.txt"));
        let (plugin, archive) = small(&[("META-INF/plugin.xml", b"<other/>")]);
        assert!(refused(plugin.path(), &archive, &[]).contains("plugin.xml is not in the jar as it is"));
    }

    #[test]
    fn a_library_that_is_missing_too_many_or_another_file_is_refused() {
        let (plugin, without) = small(&[]);
        let library = |bytes: &[u8]| Library { target: &libraries::TARGETS[0], bytes: bytes.to_vec() };
        assert!(refused(plugin.path(), &without, &[library(b"")]).contains("the archive has"));
        let jar = entries(&files_of(&without)).unwrap().into_iter().collect();
        let with = pack(jar, &[library(b"no library")], Made::ForShipping).unwrap();
        assert!(refused(plugin.path(), &with, &[]).contains("the archive has"));
        assert!(refused(plugin.path(), &with, &[library(b"")]).contains("linux-x86_64"));
    }

    fn files_of(archive: &[u8]) -> Vec<u8> {
        entries(archive).unwrap().into_iter().find(|(path, _)| path.ends_with(JAR)).unwrap().1
    }
}
