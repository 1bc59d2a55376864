//! Compiled Java libraries on disk: the JDK's `lib/ct.sym`, which holds the public shape of its classes, and jars.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ide_index::{ClassEntry, ClassLibrary, ClassOrigin, ClassSource, Facade, kotlin_facades};
use zip::ZipArchive;

use crate::open::open_regular;

/// An archive that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveProblem {
    pub path: PathBuf,
    pub message: String,
}

/// No class of a class file is larger; a damaged archive must not ask for more memory.
const MAX_CLASS_BYTES: u64 = 16 << 20;

/// The classes of a JDK installation and of jars, and what of them could not be read. The contents of class files
/// are read when they are needed.
pub fn class_library(jdk: Option<&Path>, jars: &[PathBuf]) -> (ClassLibrary, Vec<ArchiveProblem>) {
    let mut archives = Archives::default();
    let mut entries = Vec::new();
    let mut problems = Vec::new();
    let shapes = jdk.map(|home| (home.join("lib/ct.sym"), true));
    for (path, is_ct_sym) in shapes.into_iter().chain(jars.iter().map(|jar| (jar.clone(), false))) {
        match archives.add(&path, is_ct_sym) {
            Ok(found) => entries.extend(found),
            Err(error) => problems.push(ArchiveProblem { path, message: error.to_string() }),
        }
    }
    (ClassLibrary::new(entries, Box::new(archives)), problems)
}

/// The JDK to take library classes from: `JAVA_HOME`, else the newest of the one whose `java` is on the path and those
/// installed in the usual places: a project may be built for a newer release than the `java` on the path runs, and an older
/// one has all that it needs there. Only installations with a `lib/ct.sym` count.
pub fn find_jdk(java_home: Option<&Path>, path: Option<&OsStr>, home: Option<&Path>) -> Option<PathBuf> {
    let is_jdk = |dir: &PathBuf| dir.join("lib/ct.sym").is_file();
    let on_path = path.into_iter().flat_map(std::env::split_paths).filter_map(|dir| {
        let java = dir.join("javac").canonicalize().or_else(|_| dir.join("java").canonicalize()).ok()?;
        Some(java.parent()?.parent()?.to_path_buf())
    });
    java_home.map(Path::to_path_buf).filter(is_jdk).or_else(|| {
        // Of those that are equally new, the last is taken.
        let all = installed(home).into_iter().chain(on_path).filter(is_jdk);
        all.max_by_key(|dir| version(dir))
    })
}

fn installed(home: Option<&Path>) -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = [
        "/usr/lib/jvm",
        "/usr/java",
        "/opt/java",
        "/Library/Java/JavaVirtualMachines",
        "C:\\Program Files\\Java",
    ]
    .map(PathBuf::from)
    .to_vec();
    if let Some(home) = home {
        roots.extend(
            [".sdkman/candidates/java", ".jdks", "Library/Java/JavaVirtualMachines"].map(|p| home.join(p)),
        );
    }
    let mut found = Vec::new();
    for root in roots {
        // A place that does not exist is the ordinary case.
        let Ok(entries) = std::fs::read_dir(root) else { continue };
        for entry in entries.flatten() {
            found.push(entry.path().join("Contents/Home"));
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

/// The bytes of a `release` file that are read.
const RELEASE_SIZE: u64 = 64 << 10;

/// The release of Java that an installation says it is (`JAVA_VERSION="17.0.9"` in `release`), else the first number in its
/// name that may be one.
fn version(dir: &Path) -> u32 {
    let numbers = |text: &str| -> Vec<u32> {
        text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
    };
    let mut told = String::new();
    if let Ok((file, _)) = open_regular(&dir.join("release")) {
        file.take(RELEASE_SIZE).read_to_string(&mut told).ok();
    }
    let told = told.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=")).map(numbers);
    // `1.8` is release 8.
    let told = told.and_then(|parts| parts.into_iter().find(|part| *part != 1));
    told.or_else(|| numbers(&dir.to_string_lossy()).into_iter().find(|n| (7..1000).contains(n))).unwrap_or(0)
}

#[derive(Default)]
pub(crate) struct Archives {
    archives: Vec<Mutex<ZipArchive<BufReader<File>>>>,
    /// Archive and index in it, by key.
    parts: Vec<(usize, usize)>,
}

impl Archives {
    pub(crate) fn add(
        &mut self,
        path: &Path,
        is_ct_sym: bool,
    ) -> Result<Vec<ClassEntry>, zip::result::ZipError> {
        let (file, _) = open_regular(path)?;
        let mut archive = ZipArchive::new(BufReader::new(file))?;
        let classes = if is_ct_sym { newest_shapes(&archive) } else { class_files(&archive) };
        let facades = if is_ct_sym { Vec::new() } else { facades(&mut archive) };
        let number = self.archives.len();
        let mut key = |index: usize| {
            self.parts.push((number, index));
            self.parts.len() as u32 - 1
        };
        let origin = if is_ct_sym { ClassOrigin::Java } else { ClassOrigin::Either };
        let mut entries: BTreeMap<&str, ClassEntry> = BTreeMap::new();
        for (class, index) in &classes {
            let top = top_level(class, &classes);
            let (package, name) = top.rsplit_once('/').unwrap_or(("", top));
            // Ordered by name, so the top-level class comes before its nested ones.
            let entry = entries.entry(top).or_insert_with(|| ClassEntry {
                origin: origin.clone(),
                package: package.replace('/', "."),
                name: name.to_owned(),
                path: format!("jar://{}!/{top}.class", path.display()),
                parts: Vec::new(),
            });
            entry.parts.push(key(*index));
        }
        for facade in facades {
            if let Some(entry) = entries.get_mut(facade.class.as_str()) {
                let parts = facade.parts.iter().filter_map(|part| classes.get(part));
                let parts = parts.map(|index| key(*index)).collect();
                entry.origin = ClassOrigin::Facade { package: facade.package, parts };
            }
        }
        let entries = entries.into_values().collect();
        self.archives.push(Mutex::new(archive));
        Ok(entries)
    }
}

/// The file facades of a jar's Kotlin modules, as `META-INF/*.kotlin_module` lists them. A list that cannot be read
/// is none.
fn facades(archive: &mut ZipArchive<BufReader<File>>) -> Vec<Facade> {
    let is_list = |name: &str| name.starts_with("META-INF/") && name.ends_with(".kotlin_module");
    let lists: Vec<usize> =
        names(archive).filter(|(_, name)| is_list(name)).map(|(index, _)| index).collect();
    let read = |index| -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        archive.by_index(index).ok()?.take(MAX_CLASS_BYTES).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    };
    lists.into_iter().filter_map(read).flat_map(|bytes| kotlin_facades(&bytes)).collect()
}

/// The class around all others: the shortest part before a `$` that is a class itself.
fn top_level<'c>(class: &'c str, classes: &BTreeMap<String, usize>) -> &'c str {
    let from = class.rfind('/').map_or(0, |slash| slash + 1);
    class[from..]
        .match_indices('$')
        .map(|(at, _)| &class[..from + at])
        .find(|outer| classes.contains_key(*outer))
        .unwrap_or(class)
}

/// Classes of the newest release that a `ct.sym` describes. The first directory of a path names, one character
/// each, the releases in which the shape holds.
fn newest_shapes(archive: &ZipArchive<BufReader<File>>) -> BTreeMap<String, usize> {
    let releases = |name: &str| name.split_once('/').map_or("", |(first, _)| first).to_owned();
    let newest = names(archive)
        .filter(|(_, name)| name.ends_with(".sig"))
        .filter_map(|(_, name)| releases(&name).chars().max())
        .max();
    let mut classes = BTreeMap::new();
    for (index, name) in names(archive) {
        let Some(path) =
            name.strip_suffix(".sig").filter(|_| newest.is_some_and(|n| releases(&name).contains(n)))
        else {
            continue;
        };
        // releases/module/package/Class
        if let Some((_, class)) = path.split_once('/').and_then(|(_, rest)| rest.split_once('/'))
            && class.contains('/')
        {
            classes.insert(class.to_owned(), index);
        }
    }
    classes
}

fn class_files(archive: &ZipArchive<BufReader<File>>) -> BTreeMap<String, usize> {
    names(archive)
        .filter(|(_, name)| !name.starts_with("META-INF/") && !name.ends_with("module-info.class"))
        .filter_map(|(index, name)| Some((name.strip_suffix(".class")?.to_owned(), index)))
        .collect()
}

fn names(archive: &ZipArchive<BufReader<File>>) -> impl Iterator<Item = (usize, String)> + '_ {
    // A name that is no text is no class.
    (0..archive.len()).filter_map(|index| Some((index, archive.name_for_index(index)?.ok()?.into_owned())))
}

impl ClassSource for Archives {
    fn bytes(&self, parts: &[u32]) -> Result<Vec<Vec<u8>>, String> {
        let one = |part: &u32| -> Result<Vec<u8>, String> {
            let (archive, index) = self.parts.get(*part as usize).ok_or("no such class file")?;
            let mut archive = self.archives[*archive].lock().unwrap_or_else(PoisonError::into_inner);
            let mut file = archive.by_index(*index).map_err(|error| error.to_string())?;
            let mut bytes = Vec::new();
            let limited = Read::by_ref(&mut file).take(MAX_CLASS_BYTES);
            { limited }.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
            Ok(bytes)
        };
        parts.iter().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_classes_belong_to_their_outermost_one() {
        let classes: BTreeMap<String, usize> =
            ["a/B", "a/B$C", "a/B$C$D", "a/$E", "a/F$G"].iter().map(|c| ((*c).to_owned(), 0)).collect();
        let top = |class| top_level(class, &classes);
        assert_eq!(top("a/B$C$D"), "a/B");
        assert_eq!(top("a/$E"), "a/$E");
        assert_eq!(top("a/F$G"), "a/F$G", "a dollar sign may be part of a name");
    }

    #[test]
    fn what_a_jar_lists_as_kotlin_files_is_told_apart_from_classes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.jar");
        // The package `p` with the part `B__CKt` of the facade `B`.
        let package = b"\x0a\x01p\x12\x06B__CKt\x1a\x01\x01\x22\x01B";
        let version = [3, 1, 9, 0, 0].map(u32::to_be_bytes).concat();
        let module = [&version[..], &[0x0a, package.len() as u8], package].concat();
        let file = File::create(&path).unwrap();
        let mut jar = zip::ZipWriter::new(file);
        let none: &[u8] = &[];
        for (name, bytes) in [
            ("p/A.class", none),
            ("p/B.class", none),
            ("p/B__CKt.class", none),
            ("META-INF/m.kotlin_module", &module[..]),
        ] {
            jar.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            std::io::Write::write_all(&mut jar, bytes).unwrap();
        }
        jar.finish().unwrap();
        let entries = Archives::default().add(&path, false).unwrap();
        let origins: Vec<(&str, &ClassOrigin)> =
            entries.iter().map(|entry| (entry.name.as_str(), &entry.origin)).collect();
        let facade = ClassOrigin::Facade { package: "p".to_owned(), parts: vec![3] };
        let either = &ClassOrigin::Either;
        assert_eq!(origins, [("A", either), ("B", &facade), ("B__CKt", either)]);
    }

    #[test]
    fn newer_installations_are_preferred() {
        let older = version(Path::new("/usr/lib/jvm/java-17-openjdk-amd64"));
        assert!(version(Path::new("/usr/lib/jvm/temurin-25-jdk-amd64")) > older);
        let dir = tempfile::tempdir().unwrap();
        let say = |text: &str| {
            let mut file = File::create(dir.path().join("release")).unwrap();
            std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        };
        say("IMPLEMENTOR=\"x 99\"\nJAVA_VERSION=\"21.0.1\"\n");
        assert_eq!(version(dir.path()), 21);
        say("JAVA_VERSION=\"1.8.0_392\"\n");
        assert_eq!(version(dir.path()), 8);
    }
}
