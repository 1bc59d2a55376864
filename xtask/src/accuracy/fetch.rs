//! Brings the projects with the ordinary clients of the package registries.
//!
//! Nothing is executed from what arrives, except that pip asks a source distribution for its metadata.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use xxhash_rust::xxh3::Xxh3;

use super::truth::{Project, Via};
use crate::debian::apt;
use crate::repo;

/// Parts of packages that are not the project: the packager's, and the registry's marks.
const FOREIGN: [&str; 6] =
    [".pc", "debian", ".git", ".cargo-checksum.json", ".cargo_vcs_info.json", "Cargo.lock"];
/// The Debian release whose versions `projects.json` names.
const DEBIAN: &str = "bookworm";

/// The directory of the project's tree.
pub(super) fn tree(work: &Path, project: &Project) -> PathBuf {
    work.join("src").join(&project.id)
}

/// The program that this registry needs and the machine does not have.
fn missing_client(via: Via) -> Option<&'static str> {
    let needed: &[&'static str] = match via {
        Via::Pip => &["python3", "pip3"],
        Via::Npm => &["npm"],
        Via::Cargo => &["cargo"],
        Via::Maven => &["mvn"],
        Via::Debsrc => &["apt-get", "dpkg-source"],
        Via::Debgo => &["apt-get", "dpkg-deb"],
        Via::Debzip => &["apt-get", "dpkg-deb", "python3"],
        Via::Wheel => &["python3", "pip3"],
        Via::Go => &["go"],
    };
    needed.iter().copied().find(|program| !repo::has_program(program))
}

/// Makes the tree unless it is there.
pub(super) fn fetch(project: &Project, work: &Path) -> Result<()> {
    let tree = tree(work, project);
    if tree.is_dir() {
        return Ok(());
    }
    if let Some(program) = missing_client(project.via) {
        bail!("{program} is not installed");
    }
    let download = work.join("dl").join(&project.id);
    remove(&download)?;
    fs::create_dir_all(&download)?;
    let unpacked = unpacked(project, &download, work)?;
    let staged = download.join("staged");
    stage(project, &unpacked, &staged)?;
    fs::create_dir_all(tree.parent().expect("the tree lies in src"))?;
    fs::rename(&staged, &tree)?;
    remove(&download)
}

/// Is the tree there, and the one that the questions were made for?
pub(super) fn verify(project: &Project, work: &Path) -> Result<()> {
    let tree = tree(work, project);
    ensure!(tree.is_dir(), "{}: no tree at {}", project.id, tree.display());
    let (files, digest) = digest(&tree)?;
    ensure!(
        files == project.files && digest == project.digest,
        "{} is not the tree that the questions were made for: {files} files, digest {digest}, wanted {} and {}",
        tree.display(),
        project.files,
        project.digest
    );
    Ok(())
}

/// Number of files, and a hash over their sorted paths and contents. Build outputs and what [`FOREIGN`] names do not count.
fn digest(tree: &Path) -> Result<(usize, String)> {
    let tree = tree.canonicalize()?;
    let mut files = repo::walk(&tree, |folder| folder == "target" || folder == ".mypy_cache")?;
    files.retain(|f| f.file_name() != Some(OsStr::new("Cargo.lock")));
    let mut hash = Xxh3::new();
    for file in &files {
        let content = fs::read(tree.join(file))?;
        hash.update(file.as_os_str().as_encoded_bytes());
        hash.update(&(content.len() as u64).to_le_bytes());
        hash.update(&content);
    }
    Ok((files.len(), format!("{:032x}", hash.digest128())))
}

/// Downloads and unpacks; returns the package's own folder.
fn unpacked(project: &Project, download: &Path, work: &Path) -> Result<PathBuf> {
    let Project { name, version, .. } = project;
    let into = download.join("x");
    fs::create_dir_all(&into)?;
    let in_download = |program: &str| {
        let mut command = Command::new(program);
        command.current_dir(download);
        command
    };
    match project.via {
        Via::Pip => {
            let pinned = format!("{name}=={version}");
            repo::output(in_download("python3").args([
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--no-binary",
                ":all:",
                &pinned,
            ]))?;
            untar(&one_with(download, ".tar.gz")?, &into)?;
        }
        Via::Npm => {
            repo::output(in_download("npm").args(["pack", "--silent", &format!("{name}@{version}")]))?;
            untar(&one_with(download, ".tgz")?, &into)?;
        }
        Via::Cargo => {
            fs::create_dir(download.join("src"))?;
            fs::write(download.join("src/lib.rs"), "")?;
            let manifest = format!(
                "[package]\nname = \"c\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\n{name} = \"={version}\"\n"
            );
            fs::write(download.join("Cargo.toml"), manifest)?;
            repo::output(in_download("cargo").args(["vendor", "--quiet", "--versioned-dirs", "v"]))?;
            let folder = format!("{name}-{version}");
            match &project.with {
                None => fs::rename(download.join("v").join(&folder), into.join(&folder))?,
                Some(prefix) => {
                    let all = into.join(&project.id);
                    fs::create_dir(&all)?;
                    for vendored in fs::read_dir(download.join("v"))? {
                        let vendored = vendored?;
                        if vendored.file_name().to_string_lossy().starts_with(&**prefix) {
                            fs::rename(vendored.path(), all.join(vendored.file_name()))?;
                        }
                    }
                }
            }
        }
        Via::Maven => {
            let (group, artifact) = name.split_once(':').context("a Maven name is group:artifact")?;
            fs::write(download.join("pom.xml"), pom(group, artifact, version))?;
            let goal = [
                "--quiet",
                "--batch-mode",
                "dependency:unpack-dependencies",
                "-Dclassifier=sources",
                "-DexcludeTransitive=true",
            ];
            let output = format!("-DoutputDirectory={}", into.join(artifact).display());
            repo::output(in_download("mvn").args(goal).arg(output))?;
        }
        Via::Debsrc => {
            repo::output(
                apt(&work.join("apt"), DEBIAN)?
                    .args(["source", "--quiet", &format!("{name}={version}")])
                    .current_dir(&into),
            )?;
        }
        Via::Debgo => {
            let import = project.import.as_deref().context("a Go package needs its import path")?;
            undeb(project, download, work)?;
            fs::rename(download.join("deb/usr/share/gocode/src").join(import), into.join(&project.id))?;
        }
        Via::Debzip => {
            let archive = project.archive.as_deref().context("where does the archive lie?")?;
            undeb(project, download, work)?;
            unzip(&download.join("deb").join(archive), &into.join(&project.id))?;
        }
        Via::Wheel => {
            repo::output(in_download("python3").args([
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--only-binary",
                ":all:",
                "--ignore-requires-python",
                &format!("{name}=={version}"),
            ]))?;
            unzip(&one_with(download, ".whl")?, &into.join(&project.id))?;
        }
        Via::Go => go_module(&format!("{name}@{version}"), download, &into.join(&project.id))?,
    }
    let folders: Vec<PathBuf> = fs::read_dir(&into)?.map(|e| Ok(e?.path())).collect::<Result<Vec<_>>>()?;
    folders.into_iter().find(|f| f.is_dir()).with_context(|| format!("{name} {version} holds no folder"))
}

/// A Maven project whose only dependency is the wanted one.
fn pom(group: &str, artifact: &str, version: &str) -> String {
    let coordinates = |group, artifact, version| {
        format!("<groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>")
    };
    let wanted = coordinates(group, artifact, version);
    let own = coordinates("local", "fetch", "1");
    format!(
        "<project><modelVersion>4.0.0</modelVersion>{own}<dependencies><dependency>{wanted}</dependency></dependencies></project>"
    )
}

/// Copies what belongs to the project; symbolic links do not.
fn stage(project: &Project, from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    let all = [String::new()];
    let keep: &[String] = if project.keep.is_empty() { &all } else { &project.keep };
    for part in keep {
        let source = if part.is_empty() { from.to_owned() } else { from.join(part) };
        if source.is_file() {
            copy(&source, &to.join(part))?;
            continue;
        }
        ensure!(source.is_dir(), "{} has no {part}", project.id);
        for file in repo::walk(&source, |_| false)? {
            copy(&source.join(&file), &to.join(part).join(&file))?;
        }
    }
    for unwanted in project.drop.iter().map(String::as_str).chain(FOREIGN) {
        remove(&to.join(unwanted))?;
    }
    if let Some(tsconfig) = &project.tsconfig {
        let mut out = serde_json::Serializer::with_formatter(
            Vec::new(),
            serde_json::ser::PrettyFormatter::with_indent(b" "),
        );
        serde::Serialize::serialize(tsconfig, &mut out)?;
        fs::write(to.join("tsconfig.json"), out.into_inner())?;
    }
    if let (Some(import), false) = (&project.import, to.join("go.mod").exists()) {
        fs::write(to.join("go.mod"), format!("module {import}\n\ngo 1.19\n"))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to.parent().expect("a file has a folder"))?;
    // Without the mode: what a module cache holds may not be written to.
    let bytes = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    fs::write(to, bytes).with_context(|| format!("cannot write {}", to.display()))
}

fn remove(path: &Path) -> Result<()> {
    if path.is_dir() {
        fs::remove_dir_all(path)?;
    } else if path.exists() {
        fs::remove_file(path)?;
    }
    Ok(())
}

fn one_with(folder: &Path, ending: &str) -> Result<PathBuf> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(ending) {
            return Ok(path);
        }
    }
    bail!("the client brought no {ending}")
}

fn untar(archive: &Path, into: &Path) -> Result<()> {
    repo::output(
        Command::new("tar")
            .arg("--extract")
            .arg("--gzip")
            .arg("--file")
            .arg(archive)
            .arg("--directory")
            .arg(into),
    )?;
    Ok(())
}

/// Downloads a Debian binary package and unpacks it into `deb`.
fn undeb(project: &Project, download: &Path, work: &Path) -> Result<()> {
    let pinned = format!("{}={}", project.name, project.version);
    repo::output(apt(&work.join("apt"), DEBIAN)?.args(["download", &pinned]).current_dir(download))?;
    let package = one_with(download, ".deb")?;
    repo::output(Command::new("dpkg-deb").arg("--extract").arg(package).arg("deb").current_dir(download))?;
    Ok(())
}

/// Downloads a Go module into a module cache of its own, and takes it from there.
fn go_module(module: &str, download: &Path, to: &Path) -> Result<()> {
    let mut go = Command::new("go");
    go.args(["mod", "download", "-json", module]).current_dir(download);
    go.env("GOFLAGS", "-modcacherw").env("GOMODCACHE", download.join("modules"));
    let told: serde_json::Value = serde_json::from_str(&repo::output(&mut go)?)?;
    Ok(fs::rename(told["Dir"].as_str().context("go says not where the module lies")?, to)?)
}

fn unzip(archive: &Path, into: &Path) -> Result<()> {
    repo::output(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(archive).arg(into))?;
    Ok(())
}
