//! `cargo xtask plugin`: the archive that is shipped, and the native half in real JVMs, where `proof/plugin` loads it as an IDE
//! does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};

use crate::archive::libraries::Made;
use crate::archive::{self, libraries};
use crate::ci::Counts;
use crate::{foreign, ide_plugin, repo, soak};

/// The directory where Linux distributions keep JDKs.
const JDKS: &str = "/usr/lib/jvm";
/// All checks in one JVM.
const DEADLINE: Duration = Duration::from_secs(300);

#[derive(clap::Args)]
pub(crate) struct Options {
    /// With the library of this machine only, built for debugging.
    #[arg(long)]
    host: bool,
    /// Build no archive: load the library into the JVMs of this machine.
    #[arg(long, conflicts_with = "host")]
    check: bool,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    if options.check {
        return in_jvms()?.verdict();
    }
    let jar = ide_plugin::jar()?;
    let (libraries, made) = if options.host {
        (libraries::of_this_machine()?, Made::ForDebugging)
    } else {
        (libraries::of_all_machines()?, Made::ForShipping)
    };
    let packed = archive::pack(jar, &libraries, made)?;
    archive::check(&packed, &repo::root().join("ide-plugin"), &libraries, made)?;
    let to = repo::target_dir()?.join("plugin/ide-index-mcp.zip");
    fs::create_dir_all(to.parent().expect("it lies in a folder"))?;
    fs::write(&to, &packed)?;
    println!("{}\n{}", archive::sizes(&packed)?, to.display());
    Ok(())
}

/// Runs the checks in every JDK of release 17 and later that is found.
pub(crate) fn in_jvms() -> Result<Counts> {
    let jdks = jdks();
    let Some(compiler) = jdks.first() else {
        return Ok(Counts::skipped("plugin", &format!("no JDK 17 or later in {JDKS}")));
    };
    repo::build_part(&["--package", "ideindex-plugin-jni"])?;
    let library = repo::root().join("target/debug/libide_plugin_jni.so");
    if !library.is_file() {
        return Ok(Counts::skipped("plugin", "the library of this system is not one of Linux"));
    }
    let work = repo::cache("plugin")?;
    let (boot, plug) = (work.join("boot"), work.join("plug"));
    compile(compiler, &boot, None, &["proof/plugin/boot"])?;
    compile(
        compiler,
        &plug,
        Some(&boot),
        &["ide-plugin/src/main/java/dev/ideindex/plugin/spi", "proof/plugin/spi"],
    )?;
    let mut counts = Counts::default();
    let (project, state) = (work.join("project"), work.join("state"));
    foreign::copy_folder(&repo::root().join("proof/e2e/project"), &project)?;
    let drive = |jdk: &Path, flags: &[&str], checks: &[&str]| {
        let mut java = Command::new(jdk.join("bin/java"));
        java.arg("-Xcheck:jni").args(flags);
        java.arg(format!("-Dlibraries={}", repo::root().join(archive::DECLARATIONS).display()));
        java.arg("-cp").arg(&boot).arg("boot.Drive").arg(&library);
        java.arg(format!("{}/", plug.display())).args([&project, &state]).args(checks);
        java.env("HOME", state.join("home")).env("TMPDIR", &state);
        // Arenas of threads that ended hide whether memory is left behind.
        java.env("MALLOC_ARENA_MAX", "1");
        java
    };
    for jdk in &jdks {
        drop(fs::remove_dir_all(&state));
        fs::create_dir_all(state.join("home"))?;
        let mut java = drive(jdk, &["-Xmx512m"], &["functions", "restarts", "unloading"]);
        let log = work.join("java.log");
        let printed = foreign::output_within(&mut java, DEADLINE, &log)?;
        println!("{}:\n{}", jdk.display(), printed.trim_end());
        ensure!(!printed.contains("WARNING in native method"), "-Xcheck:jni complains");
        counts.passed += printed.lines().filter(|line| line.starts_with("ok ")).count();
        for failure in printed.lines().filter_map(|line| line.strip_prefix("FAILED ")) {
            counts.add(Counts::failed("plugin", failure));
        }
    }
    ensure!(counts.passed > 0, "no check ran");
    // The oldest and the newest.
    let mut ends = vec![&**compiler];
    ends.extend(jdks.last().filter(|last| *last != compiler).map(|last| &**last));
    counts.add(soak::run(&ends, &project, |jdk| {
        drive(jdk, &["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch"], &["steered"])
    })?);
    Ok(counts)
}

fn compile(jdk: &Path, to: &Path, with: Option<&Path>, folders: &[&str]) -> Result<()> {
    fs::create_dir_all(to)?;
    let mut javac = Command::new(jdk.join("bin/javac"));
    javac.args(["--release", "17", "-d"]).arg(to);
    if let Some(with) = with {
        javac.arg("-cp").arg(with);
    }
    for folder in folders {
        let folder = repo::root().join(folder);
        let files = repo::walk(&folder, |_| false)?;
        javac.args(
            files.iter().filter(|f| f.extension().is_some_and(|e| e == "java")).map(|f| folder.join(f)),
        );
    }
    repo::run(&mut javac)
}

/// JDKs of release 17 and later, the oldest first, each release once.
fn jdks() -> Vec<PathBuf> {
    let folders = fs::read_dir(JDKS).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<(u32, PathBuf)> = folders
        .filter(|jdk| jdk.join("bin/javac").is_file())
        .filter_map(|jdk| {
            let release = fs::read_to_string(jdk.join("release")).ok()?;
            let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
            Some((version.split(['.', '"']).next()?.parse().ok()?, jdk))
        })
        .filter(|(release, _)| *release >= 17)
        .collect();
    found.sort();
    found.dedup_by_key(|(release, _)| *release);
    found.into_iter().map(|(_, jdk)| jdk).collect()
}
