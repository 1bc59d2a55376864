//! The repository on disk: where it is, which files it tracks, where caches go, and how its commands run.

use std::cell::Cell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result, bail, ensure};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest.parent().expect("xtask lies in a folder of the repository").to_owned()
}

/// A folder below the repository's ignored `.cache`, created when missing.
pub(crate) fn cache(name: &str) -> Result<PathBuf> {
    let dir = root().join(".cache").join(name);
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    Ok(dir)
}

/// Files that git tracks or would track (new and not ignored), relative to the root, sorted. Without git's data, as in
/// an unpacked archive: every file outside the ignored folders.
pub(crate) fn files() -> Result<Vec<String>> {
    let mut files: Vec<String> = if root().join(".git").exists() {
        // the owner of the clone may be another user than the one who runs this
        let listing =
            ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let listed = output(Command::new("git").args(listing).current_dir(root()))?;
        listed.split('\0').filter(|f| !f.is_empty()).map(str::to_owned).collect()
    } else {
        let ignored =
            |name: &OsStr| ["target", ".cache", "node_modules", "__pycache__"].iter().any(|i| name == *i);
        walk(&root(), ignored)?.into_iter().map(|f| f.to_string_lossy().into_owned()).collect()
    };
    files.retain(|f| root().join(f).is_file());
    files.sort();
    files.dedup();
    Ok(files)
}

/// Runs to the end with the terminal's output; a non-zero exit is an error that names the command.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status =
        command.stdin(Stdio::null()).status().with_context(|| format!("cannot start {}", shown(command)))?;
    ensure!(status.success(), "{} failed: {status}", shown(command));
    Ok(())
}

/// Runs to the end and returns standard output; a non-zero exit is an error with the tail of what was printed.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let out =
        command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {}", shown(command)))?;
    let stdout = String::from_utf8_lossy(&out.stdout).into_owned();
    if !out.status.success() {
        let all = format!("{stdout}{}", String::from_utf8_lossy(&out.stderr));
        let tail = all.char_indices().rev().nth(1500).map_or(&*all, |(at, _)| &all[at..]);
        bail!("{} failed: {}\n{tail}", shown(command), out.status);
    }
    Ok(stdout)
}

/// Is a program of this name on the path?
pub(crate) fn has_program(name: &str) -> bool {
    let Some(path) = std::env::var_os("PATH") else { return false };
    std::env::split_paths(&path).any(|dir| dir.join(name).is_file())
}

/// The server binary that `IDE_INDEX_MCP` names; without it, one that is built as developers have it or as it is shipped.
pub(crate) fn server_binary(shipped: bool) -> Result<PathBuf> {
    if let Some(given) = std::env::var_os("IDE_INDEX_MCP") {
        return Ok(PathBuf::from(given));
    }
    if shipped {
        run(cargo().args(["build", "--quiet", "--package", "ide-index-mcp", "--profile", "dist"]))?;
    } else {
        build()?;
    }
    Ok(target_dir()?.join(if shipped { "dist" } else { "debug" }).join("ide-index-mcp"))
}

/// The whole workspace, with what the examples need beyond the features that are on by default.
pub(crate) const WHOLE: [&str; 3] = ["--workspace", "--features", "ideindex-mcp-auth/loopback"];

/// Builds the server for debugging. Where everything is built once, it is the whole workspace with its tests and examples: cargo
/// joins the features that the chosen packages ask of their dependencies, so another choice would compile the dependencies again.
pub(crate) fn build() -> Result<()> {
    static IS_BUILT: AtomicBool = AtomicBool::new(false);
    if !BUILDS_ONCE.load(Ordering::Relaxed) {
        return run(cargo().args(["build", "--quiet", "--package", "ide-index-mcp"]));
    }
    if !IS_BUILT.load(Ordering::Relaxed) {
        run(cargo().args(["build", "--quiet"]).args(WHOLE).arg("--all-targets"))?;
        IS_BUILT.store(true, Ordering::Relaxed);
    }
    Ok(())
}

/// The folder below `.cache` that is the home of [`isolated`] commands. Steps that run beside others have their own, since
/// each empties it.
fn home() -> Result<PathBuf> {
    cache(if YIELDS.get() { "home-beside" } else { "home" })
}

/// A command with a home of its own in `.cache`: no settings and no caches of whoever runs this.
pub(crate) fn isolated(program: &Path) -> Result<Command> {
    let mut command = Command::new(program);
    command.env("HOME", home()?);
    for place in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
        command.env_remove(place);
    }
    Ok(command)
}

/// Empties the home of [`isolated`] commands, so that nothing of an earlier build answers.
pub(crate) fn empty_home() -> Result<()> {
    std::fs::remove_dir_all(home()?).context("cannot empty the home of isolated commands")
}

/// Whether what is built is built once, so that nothing is kept for a next build of other sources.
static BUILDS_ONCE: AtomicBool = AtomicBool::new(false);

/// From now on [`cargo`] keeps nothing for incremental builds: half of the disk space.
pub(crate) fn build_once() {
    BUILDS_ONCE.store(true, Ordering::Relaxed);
}

thread_local! {
    static YIELDS: Cell<bool> = const { Cell::new(false) };
}

/// Lowers the priority of this thread and of the processes that it will start, and gives its [`isolated`] commands a home of their
/// own. Only Linux has priorities of threads; elsewhere the whole process yields.
pub(crate) fn yield_to_others() {
    YIELDS.set(true);
    #[cfg(unix)]
    if let Err(error) = rustix::process::nice(10) {
        println!("this runs with the priority of others: {error}");
    }
}

/// The cargo that started us, in the root of the repository.
pub(crate) fn cargo() -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root());
    if BUILDS_ONCE.load(Ordering::Relaxed) {
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// The directory for cargo's output.
pub(crate) fn target_dir() -> Result<PathBuf> {
    let metadata: serde_json::Value = serde_json::from_str(&output(cargo().args([
        "metadata",
        "--format-version=1",
        "--no-deps",
        "--offline",
    ]))?)?;
    let dir = metadata["target_directory"].as_str().context("cargo metadata names no target directory")?;
    Ok(PathBuf::from(dir))
}

/// Every regular file below `dir`, relative to it, sorted; folders for which `skip` holds are not entered.
pub(crate) fn walk(dir: &Path, skip: impl Fn(&OsStr) -> bool) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in
            std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?
        {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() && !skip(&entry.file_name()) {
                open.push(entry.path());
            } else if kind.is_file() {
                found.push(
                    entry.path().strip_prefix(dir).expect("read_dir stays below its folder").to_owned(),
                );
            }
        }
    }
    found.sort();
    Ok(found)
}

fn shown(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|a| a.to_string_lossy().into_owned()));
    format!("`{}`", words.join(" "))
}

/// An example of one of our packages, built for debugging.
pub(crate) fn example(package: &str, features: &str, name: &str) -> Result<PathBuf> {
    build_part(&["--package", package, "--features", features, "--example", name])?;
    Ok(target_dir()?.join("debug/examples").join(name))
}

/// Builds a part of the workspace for debugging, or all of it where everything is built once.
pub(crate) fn build_part(chosen: &[&str]) -> Result<()> {
    if BUILDS_ONCE.load(Ordering::Relaxed) {
        return build();
    }
    run(cargo().args(["build", "--quiet"]).args(chosen))
}
