//! The native libraries of the archive: for which machines, how they are built, and what each must be.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use object::macho::{BuildVersionCommand, MH_TWOLEVEL};
use object::read::elf::{ElfFile64, FileHeader as _};
use object::{Architecture, BinaryFormat, Endianness, File, FileFlags, Object as _, ObjectKind};

use crate::foreign::{self, Missing};
use crate::{repo, supply};

const PACKAGE: &str = "ideindex-plugin-jni";
/// How it is compiled for shipping.
const PROFILE: &str = "plugin";
/// The folder with the pins of what cross-builds.
const TOOLS: &str = "ide-plugin/native";
/// Parts of SQLite that the history does not use.
const WITHOUT: &str = "-USQLITE_ENABLE_COLUMN_METADATA -USQLITE_ENABLE_DBSTAT_VTAB -USQLITE_ENABLE_FTS3 \
    -USQLITE_ENABLE_FTS3_PARENTHESIS -USQLITE_ENABLE_LOAD_EXTENSION -USQLITE_ENABLE_RTREE -USQLITE_ENABLE_STAT4 \
    -USQLITE_SOUNDEX -DSQLITE_OMIT_JSON -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_OMIT_SHARED_CACHE";
/// The oldest C library of Linux that a shipped library runs with.
const GLIBC: (u32, u32) = (2, 17);
/// The oldest macOS: major and minor.
const MACOS: (u32, u32) = (11, 0);

/// A machine that the archive has a library for.
pub(crate) struct Target {
    /// The folder below `native/`, as `NativeLibrary.target()` names it.
    folder: &'static str,
    file: &'static str,
    triple: &'static str,
    format: BinaryFormat,
    architecture: Architecture,
}

const fn target(
    folder: &'static str,
    triple: &'static str,
    format: BinaryFormat,
    architecture: Architecture,
) -> Target {
    let file = match format {
        BinaryFormat::Pe => "ide_plugin_jni.dll",
        BinaryFormat::MachO => "libide_plugin_jni.dylib",
        _ => "libide_plugin_jni.so",
    };
    Target { folder, file, triple, format, architecture }
}

pub(crate) const TARGETS: [Target; 5] = [
    target("linux-x86_64", "x86_64-unknown-linux-gnu", BinaryFormat::Elf, Architecture::X86_64),
    target("linux-arm64", "aarch64-unknown-linux-gnu", BinaryFormat::Elf, Architecture::Aarch64),
    target("macos-x86_64", "x86_64-apple-darwin", BinaryFormat::MachO, Architecture::X86_64),
    target("macos-arm64", "aarch64-apple-darwin", BinaryFormat::MachO, Architecture::Aarch64),
    target("windows-x86_64", "x86_64-pc-windows-gnu", BinaryFormat::Pe, Architecture::X86_64),
];

impl Target {
    /// Folder and file.
    pub(crate) fn path(&self) -> String {
        format!("{}/{}", self.folder, self.file)
    }
}

pub(crate) struct Library {
    pub(crate) target: &'static Target,
    pub(crate) bytes: Vec<u8>,
}

/// The machine that a library was built for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Made {
    /// For this machine, as developers and the checks have it.
    ForDebugging,
    ForShipping,
}

/// The library of this machine, built for debugging; none where the archive has none for it.
pub(crate) fn of_this_machine() -> Result<Vec<Library>> {
    let processor = if cfg!(target_arch = "aarch64") { "arm64" } else { std::env::consts::ARCH };
    let folder = format!("{}-{processor}", std::env::consts::OS);
    let Some(target) = TARGETS.iter().find(|target| target.folder == folder) else { return Ok(Vec::new()) };
    repo::build_part(&["--package", PACKAGE])?;
    let bytes = fs::read(repo::target_dir()?.join("debug").join(target.file))?;
    Ok(vec![Library { target, bytes }])
}

/// All of them, as they are shipped.
pub(crate) fn of_all_machines() -> Result<Vec<Library>> {
    let tools = match foreign::python_folder(TOOLS)? {
        Ok(folder) => folder.join("venv").join(if cfg!(windows) { "Scripts" } else { "bin" }),
        Err(Missing(why)) => bail!("the tools of cross-builds cannot be had: {why}"),
    };
    let next = AtomicUsize::new(0);
    let build = &|number: usize| {
        let targets = std::iter::from_fn(|| TARGETS.get(next.fetch_add(1, Ordering::Relaxed)));
        targets.map(|target| cross(&tools, target, number)).collect::<Result<Vec<Library>>>()
    };
    let built = std::thread::scope(|scope| {
        let builders: Vec<_> = (0..BUILDERS).map(|number| scope.spawn(move || build(number))).collect();
        let ended =
            builders.into_iter().map(|builder| builder.join().map_err(|_| anyhow!("a build panicked"))?);
        ended.collect::<Result<Vec<Vec<Library>>>>()
    })?;
    let mut built: Vec<Library> = built.into_iter().flatten().collect();
    built.sort_by_key(|library| TARGETS.iter().position(|target| target.triple == library.target.triple));
    Ok(built)
}

/// Libraries that are built at the same time: most of a build is one thread that optimises the whole program.
const BUILDERS: usize = 2;

/// Builds in a directory of the builder's own, since cargo lets nobody else into one meanwhile.
fn cross(tools: &Path, target: &'static Target, builder: usize) -> Result<Library> {
    if let Err(Missing(why)) = supply::standard_library(target.triple) {
        bail!("{}: {why}", target.folder);
    }
    println!("building {}", target.path());
    let begun = Instant::now();
    let oldest =
        if target.format == BinaryFormat::Elf { format!(".{}.{}", GLIBC.0, GLIBC.1) } else { String::new() };
    let mut paths = vec![tools.to_owned()];
    paths.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
    let mut cargo = repo::cargo();
    cargo.args(["zigbuild", "--locked", "--quiet", "--profile", PROFILE, "--package", PACKAGE]);
    cargo.arg("--target").arg(format!("{}{oldest}", target.triple)).env("PATH", std::env::join_paths(paths)?);
    cargo.env("MACOSX_DEPLOYMENT_TARGET", format!("{}.{}", MACOS.0, MACOS.1)).env("CARGO_INCREMENTAL", "0");
    cargo.env("CARGO_ENCODED_RUSTFLAGS", rustc_flags(target)?.join("\x1f"));
    cargo.env("LIBSQLITE3_FLAGS", WITHOUT);
    if target.format == BinaryFormat::Elf {
        // Nothing unwinds through C: callbacks from C into Rust abort.
        let flags = format!("CFLAGS_{}", target.triple.replace('-', "_"));
        cargo.env(flags, "-fno-asynchronous-unwind-tables -fno-unwind-tables");
    }
    // it keeps wrappers of the compiler there
    cargo.env("CARGO_ZIGBUILD_CACHE_DIR", repo::cache(TOOLS)?.join(format!("wrappers-{builder}")));
    let out = repo::target_dir()?.join(format!("plugin-{builder}"));
    cargo.arg("--target-dir").arg(&out);
    repo::run(&mut cargo)?;
    let built = out.join(target.triple).join(PROFILE).join(target.file);
    let bytes = fs::read(&built).with_context(|| format!("cannot read {}", built.display()))?;
    println!("{}: {} bytes, {:.0} s", target.path(), bytes.len(), begun.elapsed().as_secs_f64());
    Ok(Library { target, bytes })
}

/// The library names no directory of the machine that built it.
fn rustc_flags(target: &Target) -> Result<Vec<String>> {
    let home = std::env::var("CARGO_HOME").or_else(|_| std::env::var("HOME").map(|home| home + "/.cargo"))?;
    let mut flags = vec![format!("--remap-path-prefix={}=ide-index-mcp", repo::root().display())];
    // Each registry has a folder of its own there; the last flag that fits counts.
    let sources = format!("{home}/registry/src");
    let folders = fs::read_dir(&sources).into_iter().flatten().flatten().map(|folder| folder.path());
    for folder in std::iter::once(PathBuf::from(sources)).chain(folders) {
        flags.push(format!("--remap-path-prefix={}=crates", folder.display()));
    }
    if target.format == BinaryFormat::MachO {
        // Its own name, which is the path that it is linked to where nobody says another.
        flags.push(format!("-Clink-arg=-Wl,-install_name,@rpath/{}", target.file));
    }
    Ok(flags)
}

/// The symbols of the native methods that the JVM side declares.
pub(super) fn declared(plugin: &Path) -> Result<BTreeSet<String>> {
    let source = plugin.join("src/main/java/dev/ideindex/plugin/spi/Native.java");
    let source = fs::read_to_string(&source).with_context(|| format!("cannot read {}", source.display()))?;
    let names = source.lines().filter(|line| line.contains("static native ")).filter_map(|line| {
        let name = line.split('(').next()?.split_whitespace().last()?;
        Some(format!("Java_dev_ideindex_plugin_spi_Native_{name}"))
    });
    Ok(names.collect())
}

/// A library is for the machine that its folder names, and exports the native methods and, on Linux, nothing else. One
/// that is shipped runs on the oldest system.
pub(super) fn check(target: &Target, bytes: &[u8], natives: &BTreeSet<String>, made: Made) -> Result<()> {
    let file = File::parse(bytes).context("this is no library")?;
    let (format, architecture) = (file.format(), file.architecture());
    ensure!(format == target.format, "the format is {format:?}, not {:?}", target.format);
    ensure!(architecture == target.architecture, "it is for {architecture:?}, not {:?}", target.architecture);
    ensure!(file.kind() == ObjectKind::Dynamic, "it is no shared library, but {:?}", file.kind());
    let exported: BTreeSet<String> = file
        .exports()?
        .iter()
        .map(|export| String::from_utf8_lossy(export.name()).into_owned())
        // of Mach-O every symbol of C begins so
        .map(|name| name.strip_prefix('_').map_or(name.clone(), str::to_owned))
        .collect();
    let missing: Vec<_> = natives.difference(&exported).collect();
    ensure!(missing.is_empty(), "it exports no {missing:?}");
    let others: Vec<_> = exported.difference(natives).collect();
    // zig keeps to no list of exports for macOS and Windows. There a library takes its own names from itself, whoever else has them.
    let is_apart = match file.flags() {
        FileFlags::MachO { flags } => flags & MH_TWOLEVEL != 0,
        _ => format == BinaryFormat::Pe,
    };
    let some = &others[..others.len().min(5)];
    ensure!(others.is_empty() || is_apart, "it exports {} other names, such as {some:?}", others.len());
    if made == Made::ForDebugging {
        return Ok(());
    }
    match &file {
        File::Elf64(elf) => {
            let needed = newest_glibc(elf)?;
            ensure!(needed <= GLIBC, "it needs glibc {needed:?}, newer than {GLIBC:?}");
        }
        File::MachO64(macho) => {
            let built: Option<&BuildVersionCommand<_>> = macho.build_version()?;
            let oldest = built.context("it names no version of macOS")?.minos.get(macho.endian());
            let oldest = (oldest >> 16, oldest >> 8 & 0xFF);
            ensure!(oldest <= MACOS, "it needs macOS {oldest:?}, newer than {MACOS:?}");
        }
        _ => {}
    }
    Ok(())
}

/// The highest version of glibc that a symbol asks for.
fn newest_glibc(file: &ElfFile64<'_, Endianness>) -> Result<(u32, u32)> {
    let (endian, data) = (file.endian(), file.data());
    let sections = file.elf_header().sections(endian, data)?;
    let Some((mut needs, names)) = sections.gnu_verneed(endian, data)? else { return Ok((0, 0)) };
    let names = sections.strings(endian, data, names)?;
    let mut newest = (0, 0);
    while let Some((_, mut versions)) = needs.next()? {
        while let Some(version) = versions.next()? {
            let name = String::from_utf8_lossy(version.name(endian, names)?);
            let Some(number) = name.strip_prefix("GLIBC_") else { continue };
            let mut parts = number.split('.').map_while(|part| part.parse().ok());
            newest = newest.max((parts.next().unwrap_or(0), parts.next().unwrap_or(0)));
        }
    }
    Ok(newest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_methods_of_the_java_side_are_those_of_the_native_side() {
        let declared = declared(&repo::root().join("ide-plugin")).unwrap();
        let ffi = fs::read_to_string(repo::root().join("ide-plugin-jni/src/ffi.rs")).unwrap();
        let defined: BTreeSet<String> = ffi
            .lines()
            .filter_map(|line| line.strip_prefix("extern \"system\" fn ")?.split(['<', '(']).next())
            .map(str::to_owned)
            .collect();
        assert_eq!(declared, defined);
        assert_eq!(declared.len(), 5, "{declared:?}");
    }

    #[test]
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    fn a_program_in_the_place_of_a_library_is_refused() {
        let own = fs::read(std::env::current_exe().unwrap()).unwrap();
        let meant = BTreeSet::from(["Java_it".to_owned()]);
        let refused = |target, made| format!("{:#}", check(target, &own, &meant, made).unwrap_err());
        assert!(refused(&TARGETS[1], Made::ForShipping).contains("it is for X86_64"));
        assert!(refused(&TARGETS[2], Made::ForShipping).contains("the format is Elf"));
        let reason = refused(&TARGETS[0], Made::ForDebugging);
        assert!(reason.contains("exports") || reason.contains("no shared library"), "{reason}");
        let File::Elf64(elf) = File::parse(&*own).unwrap() else { panic!("this program is of Linux") };
        assert!(newest_glibc(&elf).unwrap() > (2, 0));
    }
}
