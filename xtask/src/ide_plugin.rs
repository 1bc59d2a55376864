//! `cargo xtask ide-plugin`: the JVM side of the plugin, compiled against its stubs and held against real classes of the
//! platform, then run: on a headless platform 183, where one is there, and on the cores that Maven Central has.
//!
//! The platform is the folder that `IDE_PLATFORM_183` names, else `.cache/platform183`. It is test equipment that nobody may
//! redistribute with this project; where it is missing, the steps that need it say so.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use crate::archive::libraries::{self, Library, Made};
use crate::archive::{self, Files};
use crate::ci::{self, Counts};
use crate::repo;

/// The newest class files that every supported IDE runs.
const RELEASE: &str = "17";

/// Jars with recent classes of the platform: the name in `stubs.toml`, the artifact, its version.
const CORES: [(&str, &str, &str); 2] = [
    ("dokka", "org.jetbrains.dokka:analysis-kotlin-symbols", "2.2.0"),
    ("ksp", "com.google.devtools.ksp:symbol-processing-aa", "2.3.12"),
];

/// Version of the signer in `src/test/structure/pom.xml`.
const SIGNER: &str = "0.1.43";

/// The places where things lie while they are checked.
struct Work {
    root: PathBuf,
    /// `ide-plugin` of the repository.
    source: PathBuf,
}

/// A platform 183 that was unpacked.
struct Platform {
    folder: PathBuf,
    class_path: OsString,
}

/// Everything about the JVM side that this machine can check.
pub(crate) fn run() -> Result<Counts> {
    if !repo::has_program("javac") {
        return Ok(Counts::skipped("the plugin's JVM side", "there is no javac"));
    }
    let work = Work::compiled()?;
    let libraries = libraries::of_this_machine()?;
    let platform = Platform::find()?;
    let cores = work.cores();
    let mut counts = Counts::default();
    counts.add(work.conformance(platform.as_ref(), &cores)?);
    counts.add(work.on_core(&cores)?);
    counts.add(work.as_archive(&libraries)?);
    match platform {
        None => {
            counts.add(Counts::skipped(
                "the plugin on a platform",
                "neither IDE_PLATFORM_183 nor .cache/platform183 is there",
            ));
        }
        Some(platform) => counts.add(work.on_platform(&platform, &libraries)?),
    }
    Ok(counts)
}

/// Compiles the plugin; the files of its jar.
pub(crate) fn jar() -> Result<Files> {
    ensure!(repo::has_program("javac"), "there is no javac");
    Work::compiled()?.jar()
}

impl Platform {
    fn find() -> Result<Option<Self>> {
        let folder = std::env::var_os("IDE_PLATFORM_183")
            .map_or_else(|| repo::root().join(".cache/platform183"), PathBuf::from);
        if !folder.join("run.sh").is_file() {
            return Ok(None);
        }
        let mut parts: Vec<PathBuf> = ["overlay/out", "java", "ktA", "ktB", "ktC", "res"]
            .iter()
            .map(|part| folder.join(part))
            .collect();
        let listed =
            fs::read_to_string(folder.join("classpath")).context("the platform lists its class path")?;
        parts.extend(listed.lines().filter(|line| !line.is_empty()).map(|line| folder.join(line)));
        let class_path = std::env::join_paths(parts)?;
        Ok(Some(Self { folder, class_path }))
    }
}

impl Work {
    /// The stubs, then the plugin against nothing else; a warning is an error.
    fn compiled() -> Result<Self> {
        let work = Self { root: repo::cache("ide-plugin")?, source: repo::root().join("ide-plugin") };
        work.javac("stubs", &[work.source.join("stubs/java")], &[], &[])?;
        let strict = ["-Xlint:all,-serial,-options,-processing", "-Werror"];
        work.javac("classes", &[work.source.join("src/main/java")], &[work.at("stubs").into()], &strict)?;
        Ok(work)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn jar(&self) -> Result<Files> {
        archive::files(&[&self.at("classes"), &self.source.join("src/main/resources")])
    }

    /// Compiles every source below some folders into a folder that held nothing else.
    fn javac(&self, into: &str, sources: &[PathBuf], class_path: &[OsString], flags: &[&str]) -> Result<()> {
        let out = self.at(into);
        empty(&out)?;
        let mut files = Vec::new();
        for folder in sources {
            files.extend(repo::walk(folder, |_| false)?.into_iter().map(|file| folder.join(file)));
        }
        files.retain(|file| file.extension().is_some_and(|extension| extension == "java"));
        let mut javac = Command::new("javac");
        javac.args(["--release", RELEASE, "-proc:none", "-nowarn"]).args(flags).arg("-d").arg(&out);
        javac.arg("-cp").arg(joined(class_path)).args(files);
        repo::output(&mut javac).map(drop)
    }

    /// The jars of [`CORES`], fetched once; those that cannot be had are left out.
    fn cores(&self) -> Vec<(&'static str, PathBuf)> {
        CORES
            .iter()
            .filter_map(|(name, artifact, version)| {
                let jar = self
                    .maven(artifact, version)
                    .inspect_err(|error| println!("{artifact}: {error:#}"))
                    .ok()?;
                Some((*name, jar))
            })
            .collect()
    }

    /// A jar of Maven Central, by its ordinary client.
    fn maven(&self, artifact: &str, version: &str) -> Result<PathBuf> {
        let folder = self.at("jars");
        let name = artifact.split_once(':').context("an artifact is group:name")?.1;
        let jar = folder.join(format!("{name}-{version}.jar"));
        if !jar.is_file() {
            let mut maven = Command::new("mvn");
            maven.args(["-q", "-B", "dependency:copy"]).arg(format!("-Dartifact={artifact}:{version}"));
            maven.arg(format!("-DoutputDirectory={}", folder.display())).current_dir(&self.root);
            repo::output(&mut maven)?;
        }
        Ok(jar)
    }

    /// The plugin links to what `stubs.toml` lists, and the stubs are as the real classes are.
    fn conformance(&self, platform: Option<&Platform>, cores: &[(&str, PathBuf)]) -> Result<Counts> {
        self.javac(
            "conformance",
            &[self.source.join("src/test/java/dev/ideindex/plugin/conformance")],
            &[self.at("classes").into()],
            &[],
        )?;
        let mut java = Command::new("java");
        java.arg("-cp").arg(joined(&[self.at("conformance").into(), self.at("classes").into()]));
        java.arg("dev.ideindex.plugin.conformance.Conformance").arg(self.at("classes")).arg(self.at("stubs"));
        java.arg(self.source.join("stubs/stubs.toml"));
        if let Some(platform) = platform {
            java.arg(named("183", &platform.class_path));
        }
        for (name, jar) in cores {
            java.arg(named(name, jar.as_os_str()));
        }
        counted("conformance of the stubs", &mut java)
    }

    /// The operations that need no index, on the recent core that brings a session for Java and Kotlin.
    fn on_core(&self, cores: &[(&str, PathBuf)]) -> Result<Counts> {
        let Some((_, core)) = cores.iter().find(|(name, _)| *name == "dokka") else {
            return Ok(Counts::skipped("the plugin on a recent core", "its jar could not be fetched"));
        };
        let Some(jdk) = jdk_home() else {
            return Ok(Counts::skipped("the plugin on a recent core", "java does not tell its home"));
        };
        let tests = self.source.join("src/test/java/dev/ideindex/plugin");
        let class_path = [self.at("classes").into(), core.into()];
        self.javac("core", &[tests.join("psi"), tests.join("asking")], &class_path, &[])?;
        let project = self.at("core-project");
        copy(&self.source.join("src/test/project"), &project)?;
        let mut java = Command::new("java");
        java.arg("-cp").arg(joined(&[self.at("core").into(), self.at("classes").into(), core.into()]));
        java.arg("dev.ideindex.plugin.psi.CoreCheck").arg(project).arg(jdk);
        counted("the plugin on a recent core", &mut java)
    }

    /// The archive by its list of contents, and by JetBrains' own library and signer.
    fn as_archive(&self, libraries: &[Library]) -> Result<Counts> {
        let packed = archive::pack(self.jar()?, libraries, Made::ForDebugging)?;
        archive::check(&packed, &self.source, libraries, Made::ForDebugging)?;
        let mut counts = Counts { passed: 1, ..Counts::default() };
        let zip = self.at("ide-index-mcp.zip");
        fs::write(&zip, packed)?;
        counts.add(self.by_jetbrains(&zip)?);
        Ok(counts)
    }

    fn by_jetbrains(&self, zip: &Path) -> Result<Counts> {
        let jars = self.at("structure");
        let mut maven = Command::new("mvn");
        maven.args(["-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime", "-f"]);
        maven
            .arg(self.source.join("src/test/structure/pom.xml"))
            .arg(format!("-DoutputDirectory={}", jars.display()));
        if let Err(error) = repo::output(&mut maven) {
            return Ok(Counts::skipped("the plugin's archive", &format!("{error:#}")));
        }
        let tests = self.source.join("src/test/java/dev/ideindex/plugin");
        let class_path = [self.at("classes").into(), jars.join("*").into()];
        self.javac("archive", &[tests.join("archive"), tests.join("asking")], &class_path, &[])?;
        let state = self.at("archive-work");
        empty(&state)?;
        let mut java = Command::new("java");
        // JetBrains' library unpacks the archive into the folder for temporary files and leaves it there.
        java.arg(named("-Djava.io.tmpdir", state.as_os_str()));
        java.arg("-cp").arg(joined(&[
            self.at("archive").into(),
            self.at("classes").into(),
            jars.join("*").into(),
        ]));
        java.arg("dev.ideindex.plugin.archive.ArchiveCheck").arg(zip).arg(&state);
        java.arg(jars.join(format!("marketplace-zip-signer-{SIGNER}-cli.jar")));
        let counts = counted("the plugin's archive", &mut java);
        fs::remove_dir_all(&state)?;
        counts
    }

    /// The archive, unpacked into the plugins folder of the platform, loaded by its own class loader and driven.
    fn on_platform(&self, platform: &Platform, libraries: &[Library]) -> Result<Counts> {
        let tests = self.source.join("src/test/java/dev/ideindex/plugin");
        let real = [self.at("classes").into(), platform.class_path.clone()];
        self.javac(
            "tests",
            &[tests.join("platform"), tests.join("asking"), tests.join("check")],
            &real,
            &[],
        )?;
        let boot = [tests.join("boot"), self.source.join("src/test/overlay183")];
        self.javac("boot", &boot, std::slice::from_ref(&platform.class_path), &[])?;
        self.lay_out(&[])?;
        let mut counts = self.boot(platform, "dev.ideindex.plugin.check.HostCheck", &[])?;
        counts.add(self.on_a_screen(platform)?);
        match libraries.first() {
            None => counts
                .add(Counts::skipped("the plugin over MCP", "the archive has no library for this machine")),
            Some(library) => {
                self.lay_out(libraries)?;
                counts.add(self.boot(platform, "dev.ideindex.plugin.check.McpCheck", &[])?);
                counts.add(self.tampered(platform, library)?);
            }
        }
        Ok(counts)
    }

    /// A library of which one byte was changed after the archive was unpacked is not loaded, and the plugin says so.
    fn tampered(&self, platform: &Platform, library: &Library) -> Result<Counts> {
        let native = self.at("plugins").join(archive::FOLDER).join("native").join(library.target.path());
        let mut bytes = library.bytes.clone();
        *bytes.last_mut().context("a library has bytes")? ^= 1;
        fs::write(native, bytes)?;
        self.boot(platform, "dev.ideindex.plugin.check.Tampered", &[])
    }

    /// The tool window's panel under a virtual screen; the picture stays in the cache.
    fn on_a_screen(&self, platform: &Platform) -> Result<Counts> {
        if !repo::has_program("xvfb-run") {
            return Ok(Counts::skipped("the plugin's panel", "there is no xvfb-run"));
        }
        let picture = self.at("panel.png");
        self.boot(platform, "dev.ideindex.plugin.check.Picture", &[picture.into()])
    }

    /// The archive as it unpacks, beside its tests. The descriptor admits the old platform.
    fn lay_out(&self, libraries: &[Library]) -> Result<()> {
        let mut jar = self.jar()?;
        let descriptor = jar.get_mut("META-INF/plugin.xml").context("the plugin has a descriptor")?;
        let old = std::str::from_utf8(descriptor)?
            .replace("since-build=\"243\"", "since-build=\"183\"")
            .replace("dev.ideindex.plugin.ide.Startup\"", "dev.ideindex.plugin.check.Startup183\"");
        *descriptor = old.into_bytes();
        let plugins = self.at("plugins");
        empty(&plugins)?;
        archive::unpack(&archive::pack(jar, libraries, Made::ForDebugging)?, &plugins)?;
        let tests = plugins.join(archive::FOLDER).join("lib/tests.jar");
        repo::run(
            Command::new("jar")
                .arg("--create")
                .arg("--file")
                .arg(tests)
                .arg("-C")
                .arg(self.at("tests"))
                .arg("."),
        )
    }

    /// Starts the platform with a fresh copy of the test project and runs a check in it.
    fn boot(&self, platform: &Platform, check: &str, arguments: &[OsString]) -> Result<Counts> {
        let (project, state) = (self.at("project"), self.at("state"));
        empty(&state)?;
        copy(&self.source.join("src/test/project"), &project)?;
        let drawn = check.ends_with("Picture");
        let mut java = Command::new(if drawn { "xvfb-run" } else { "java" });
        if drawn {
            java.args(["--auto-servernum", "--server-args=-screen 0 1280x800x24", "java"]);
        }
        java.args(opened()).args(["-Xmx3g", "-Xss4m", "-Djna.nosys=true"]);
        java.arg(format!("-Djava.awt.headless={}", !drawn));
        java.args(["-Didea.platform.prefix=Idea", "-Didea.is.unit.test=true", "-Dpoc.real.loaders=true"]);
        java.args(XML.map(|(what, class)| format!("-Djavax.xml.parsers.{what}={class}")));
        java.arg(format!("-Djava.util.concurrent.ForkJoinPool.common.threadFactory={FORK_JOIN}"));
        java.arg(named("-Didea.home.path", platform.folder.join("home").as_os_str()));
        java.arg(named("-Didea.config.path", state.join("config").as_os_str()));
        java.arg(named("-Didea.system.path", state.join("system").as_os_str()));
        java.arg(named("-Didea.plugins.path", self.at("plugins").as_os_str()));
        java.arg("-cp").arg(joined(&[self.at("boot").into(), platform.class_path.clone()]));
        java.arg("dev.ideindex.plugin.boot.Boot")
            .arg(project)
            .arg(platform.folder.join("lib/jdk-base.jar"))
            .arg(check)
            .args(arguments);
        counted(check, &mut java)
    }
}

const XML: [(&str, &str); 2] = [
    ("DocumentBuilderFactory", "com.sun.org.apache.xerces.internal.jaxp.DocumentBuilderFactoryImpl"),
    ("SAXParserFactory", "com.sun.org.apache.xerces.internal.jaxp.SAXParserFactoryImpl"),
];

const FORK_JOIN: &str = "com.intellij.concurrency.IdeaForkJoinWorkerThreadFactory";

/// Packages of the JDK that the platform of 2018 reaches into.
fn opened() -> impl Iterator<Item = String> {
    const BASE: [&str; 10] = [
        "lang",
        "util",
        "io",
        "net",
        "lang.reflect",
        "util.stream",
        "util.concurrent",
        "nio",
        "../sun.nio.ch",
        "../jdk.internal.misc",
    ];
    const DESKTOP: [&str; 16] = [
        "java.awt",
        "sun.awt",
        "java.awt.event",
        "javax.swing",
        "javax.swing.text",
        "javax.swing.text.html",
        "javax.swing.plaf.basic",
        "sun.swing",
        "sun.font",
        "sun.java2d",
        "java.awt.dnd.peer",
        "java.awt.peer",
        "sun.awt.image",
        "com.sun.java.swing.plaf.gtk",
        "sun.awt.X11",
        "javax.swing.plaf",
    ];
    let base = BASE.iter().map(|name| match name.strip_prefix("../") {
        Some(whole) => format!("java.base/{whole}"),
        None => format!("java.base/java.{name}"),
    });
    let desktop = DESKTOP.iter().map(|name| format!("java.desktop/{name}"));
    base.chain(desktop).flat_map(|package| {
        [format!("--add-opens={package}=ALL-UNNAMED"), format!("--add-exports={package}=ALL-UNNAMED")]
    })
}

/// The folder is there and holds nothing.
fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

/// A folder with the files of another one and no others.
fn copy(from: &Path, to: &Path) -> Result<()> {
    empty(to)?;
    overlay(from, to)
}

/// A folder with the files of another one laid over its own.
fn overlay(from: &Path, to: &Path) -> Result<()> {
    for file in repo::walk(from, |_| false)? {
        let target = to.join(&file);
        fs::create_dir_all(target.parent().context("a file lies in a folder")?)?;
        fs::copy(from.join(&file), target)?;
    }
    Ok(())
}

/// The folder of the JDK whose `java` is on the path.
fn jdk_home() -> Option<PathBuf> {
    let shown = Command::new("java").args(["-XshowSettings:properties", "-version"]).output().ok()?;
    let text = String::from_utf8_lossy(&shown.stderr).into_owned();
    let home = text.lines().find_map(|line| line.trim().strip_prefix("java.home = "))?;
    Some(PathBuf::from(home))
}

fn joined(parts: &[OsString]) -> OsString {
    parts.join(std::ffi::OsStr::new(if cfg!(windows) { ";" } else { ":" }))
}

fn named(name: &str, value: &std::ffi::OsStr) -> OsString {
    let mut both = OsString::from(name);
    both.push("=");
    both.push(value);
    both
}

/// Runs a program whose last counting line is `N passed, N failed, N skipped`, and shows what failed.
fn counted(what: &str, command: &mut Command) -> Result<Counts> {
    let out = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {what}"))?;
    let text = String::from_utf8_lossy(&out.stdout);
    let mut counts = None;
    let mut shown = false;
    for line in text.lines() {
        shown = line.starts_with("FAILED") || shown && line.starts_with("       ");
        if shown {
            println!("{line}");
            ci::remember(line);
        }
        counts = sums(line).or(counts);
    }
    let counts = counts.with_context(|| {
        let all = format!("{text}{}", String::from_utf8_lossy(&out.stderr));
        let tail = all.char_indices().rev().nth(3000).map_or(&*all, |(at, _)| &all[at..]).to_owned();
        format!("{what} did not come to its end: {}\n{tail}", out.status)
    })?;
    println!("{what}: {} passed, {} failed", counts.passed, counts.failed);
    Ok(counts)
}

fn sums(line: &str) -> Option<Counts> {
    let mut figures = line.split(", ").map(|part| part.split_once(' '));
    let mut next = |word: &str| {
        let (figure, unit) = figures.next()??;
        (unit == word).then(|| figure.parse().ok())?
    };
    Some(Counts { passed: next("passed")?, failed: next("failed")?, skipped: next("skipped")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_sums_is_read_and_no_other() {
        assert_eq!(
            sums("48 passed, 1 failed, 0 skipped"),
            Some(Counts { passed: 48, failed: 1, skipped: 0 })
        );
        assert_eq!(sums("ok     callers (3 ms)"), None);
        assert_eq!(sums("48 failed, 1 passed, 0 skipped"), None);
    }

    #[test]
    fn every_package_of_the_java_base_has_its_whole_name() {
        let all: Vec<String> = opened().collect();
        assert!(all.contains(&"--add-opens=java.base/java.lang=ALL-UNNAMED".to_owned()), "{all:?}");
        assert!(all.contains(&"--add-exports=java.base/sun.nio.ch=ALL-UNNAMED".to_owned()), "{all:?}");
    }
}
