//! Programs that Debian packages, unpacked into `.cache`: nothing of the machine changes, and no root is needed.
//!
//! Programs of a newer Debian than the machine's run with the libraries that they were built for.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result, anyhow, bail};

use crate::foreign::Missing;
use crate::repo;

const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// The release that has a rust-analyzer, Helix and PHPUnit 11.
const RELEASE: &str = "trixie";
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";
/// The modules of PHP that PHPUnit asks for.
const MODULES: [&str; 7] = ["ctype", "dom", "mbstring", "phar", "tokenizer", "xml", "xmlwriter"];

/// The reasons why programs cannot be had: they are asked for once.
static MISSING: Mutex<BTreeMap<&str, String>> = Mutex::new(BTreeMap::new());

/// Programs with the packages that they need beside those that every machine has.
const PROGRAMS: [(&str, &str); 4] = [
    (
        "php",
        "php8.4-cli php8.4-common php8.4-mbstring php8.4-xml libargon2-1 libbsd0 libc6 libedit2 libffi8 libgcc-s1 libicu76 \
         liblzma5 libmd0 libonig5 libpcre2-8-0 libsodium23 libssl3t64 libstdc++6 libtinfo6 libxml2 libzstd1 zlib1g",
    ),
    (
        "rust-analyzer",
        "rust-analyzer libstd-rust-1.85 libllvm19 libc6 libgcc-s1 libstdc++6 libbsd0 libedit2 libffi8 liblzma5 libmd0 \
         libtinfo6 libxml2 libz3-4 libzstd1 zlib1g",
    ),
    ("hx", "hx libc6 libgcc-s1"),
    (
        "phpunit",
        "phpunit php-codecoverage php-deepcopy php-file-iterator php-invoker php-parser php-phar-io-manifest \
         php-phar-io-version php-staabm-side-effects-detector php-text-template php-timer php-tokenizer \
         phpunit-cli-parser phpunit-code-unit phpunit-code-unit-reverse-lookup phpunit-comparator phpunit-complexity \
         phpunit-diff phpunit-environment phpunit-exporter phpunit-global-state phpunit-lines-of-code \
         phpunit-object-enumerator phpunit-object-reflector phpunit-recursion-context phpunit-type phpunit-version",
    ),
];

/// The directory of a program, alone in it, of the newer Debian.
pub(crate) fn program(name: &str) -> Result<Result<PathBuf, Missing>> {
    let row = PROGRAMS.iter().find(|(program, _)| *program == name).context("it has a row")?;
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) || !repo::has_program("apt-get") {
        return Ok(Err(Missing(format!("{name}: no Debian on x86-64"))));
    }
    let home = repo::cache("proof/debian")?.canonicalize()?;
    let (place, bin) = (home.join(name), home.join(name).join("bin"));
    let stamp = place.join(".installed");
    if fs::read_to_string(&stamp).is_ok_and(|packages| packages == row.1) {
        return Ok(Ok(bin));
    }
    let missing = || MISSING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(why) = missing().get(row.0) {
        return Ok(Err(Missing(why.clone())));
    }
    match unpack(&home, &place, row.1).and_then(|()| wrap(&place, row.0)) {
        Ok(()) => {
            fs::write(stamp, row.1)?;
            Ok(Ok(bin))
        }
        Err(error) => {
            let why = format!("{name} cannot be had from Debian: {error:#}");
            missing().insert(row.0, why.clone());
            Ok(Err(Missing(why)))
        }
    }
}

/// PHPUnit, and PHP where this machine has none: the directories for the search path.
pub(crate) fn phpunit() -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for name in ["php", "phpunit"] {
        if (name != "php" || !repo::has_program("php"))
            && let Ok(folder) = program(name)?
        {
            found.push(folder);
        }
    }
    Ok(found)
}

fn unpack(home: &Path, place: &Path, packages: &str) -> Result<()> {
    println!("unpacking into {}: {packages}", place.display());
    if place.exists() {
        fs::remove_dir_all(place)?;
    }
    let archives = place.join("archives");
    fs::create_dir_all(&archives)?;
    let mut apt = apt(&home.join("apt"), RELEASE)?;
    repo::output(apt.args(["download", "--quiet"]).args(packages.split_whitespace()).current_dir(&archives))?;
    for archive in fs::read_dir(&archives)? {
        repo::output(Command::new("dpkg-deb").arg("-x").arg(archive?.path()).arg(place.join("root")))?;
    }
    Ok(fs::remove_dir_all(archives)?)
}

/// The program in a directory of its own. A binary is started by its own loader; a script of PHP is one wherever it lies.
fn wrap(place: &Path, name: &str) -> Result<()> {
    let (root, bin) = (place.join("root"), place.join("bin"));
    let installed = if name == "php" { "php8.4" } else { name };
    let (program, shown) = (root.join("usr/bin").join(installed), bin.join(name));
    fs::create_dir_all(bin)?;
    if fs::read(&program)?.starts_with(b"\x7fELF") {
        let (libraries, runtime) = (root.join(LIBRARIES), root.join("usr/lib/hx/runtime"));
        let loader = libraries.join("ld-linux-x86-64.so.2");
        let modules = if name == "php" { php_modules(&root)? } else { String::new() };
        let text = format!(
            "#!/bin/sh\nHELIX_RUNTIME='{}' exec '{}' --library-path '{}' '{}' {modules}\"$@\"\n",
            runtime.display(),
            loader.display(),
            libraries.display(),
            program.display()
        );
        fs::write(&shown, text)?;
    } else {
        move_php(&root)?;
        fs::write(&shown, format!("#!/bin/sh\nexec php '{}' \"$@\"\n", program.display()))?;
    }
    fs::set_permissions(&shown, fs::Permissions::from_mode(0o755))?;
    let mut run = Command::new(&shown);
    if name == "phpunit" && !repo::has_program("php") {
        let php = self::program("php")?.map_err(|Missing(why)| anyhow!("{why}"))?;
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(php).chain(std::env::split_paths(&path));
        run.env("PATH", std::env::join_paths(path)?);
    }
    repo::output(run.arg("--version")).map(drop)
}

/// The options by which PHP finds its modules, without the settings of the machine.
fn php_modules(root: &Path) -> Result<String> {
    let versions = fs::read_dir(root.join("usr/lib/php"))?.filter_map(Result::ok).map(|entry| entry.path());
    let mut of_modules = versions.filter(|folder| folder.join("dom.so").is_file());
    let folder = of_modules.next().context("the packages of PHP have no modules")?;
    let modules: String = MODULES.iter().map(|module| format!("-d extension={module} ")).collect();
    Ok(format!("-n -d 'extension_dir={}' {modules}", folder.display()))
}

/// Debian's sources of PHP name each other by where they are installed.
fn move_php(root: &Path) -> Result<()> {
    const INSTALLED: &str = "'/usr/share/php/";
    let sources = root.join("usr/share/php");
    let moved = format!("'{}/", sources.display());
    for file in repo::walk(&sources, |_| false)? {
        let file = sources.join(file);
        // Data that is no text names nothing.
        if let Ok(text) = fs::read_to_string(&file)
            && text.contains(INSTALLED)
        {
            fs::write(&file, text.replace(INSTALLED, &moved))?;
        }
    }
    Ok(())
}

/// apt-get on lists of its own for a release, so that neither root nor the machine's settings are touched.
pub(crate) fn apt(home: &Path, release: &str) -> Result<Command> {
    let lists = home.join("lists");
    fs::create_dir_all(lists.join("partial"))?;
    fs::create_dir_all(home.join("cache/archives/partial"))?;
    let sources = home.join("sources.list");
    let command = || {
        let mut apt = Command::new("apt-get");
        let settings = [
            ("Dir::Etc::sourcelist", &*sources),
            ("Dir::Etc::sourceparts", Path::new("/dev/null")),
            ("Dir::State::lists", &*lists),
            ("Dir::Cache", &*home.join("cache")),
        ];
        for (key, value) in settings {
            apt.arg("-o").arg(format!("{key}={}", value.display()));
        }
        apt
    };
    if !sources.exists() {
        let mirror = mirror()?;
        let text = ["deb", "deb-src"]
            .map(|kind| format!("{kind} [signed-by={KEYRING}] {mirror} {release} main\n"))
            .concat();
        fs::write(&sources, text)?;
        if let Err(error) = repo::output(command().arg("update")) {
            fs::remove_file(&sources)?;
            return Err(error);
        }
    }
    Ok(command())
}

/// The mirror from which this machine's own apt gets Debian.
fn mirror() -> Result<String> {
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    if let Ok(folder) = fs::read_dir("/etc/apt/sources.list.d") {
        files.extend(folder.filter_map(|e| e.ok().map(|e| e.path())));
    }
    files.sort();
    for file in files.iter().filter(|f| f.is_file()) {
        let text = fs::read_to_string(file)?;
        let is_source = |line: &&str| line.starts_with("URIs:") || line.starts_with("deb ");
        let mirror = text
            .lines()
            .filter(is_source)
            .flat_map(str::split_whitespace)
            .find(|w| w.trim_end_matches('/').ends_with("/debian"));
        if let Some(mirror) = mirror {
            return Ok(mirror.trim_end_matches('/').to_owned());
        }
    }
    bail!("apt's configuration names no Debian mirror")
}
