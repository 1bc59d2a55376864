//! The compilers and linters that are known.

use std::path::{Path, PathBuf};

use ide_model::Language;

use crate::messages::{biome, cargo, eslint, log, phpstan, ruff, syntax};
use crate::site::{Missing, Site, Step};
use crate::systems::{
    BuildStep, NODE, Order, SYSTEMS, TSC, VENV, cargo_program, go_program, listed, logged, missing,
    mypy_step, pyright_step, read_log,
};

/// More files than this are not named on a command line: their directory is.
const MAX_NAMED: usize = 400;

/// One compiler or linter.
pub(super) struct Checker {
    pub(super) name: &'static str,
    pub(super) languages: &'static [Language],
    pub(super) wanted: DefaultRun,
    /// Files that mark the directory where it runs: the nearest one above a file. Without any it runs in the root.
    markers: &'static [&'static str],
    /// Whether it runs code of the project although it is a program of the machine: build scripts, plugins, configuration.
    pub(super) runs_code: bool,
    /// Whether files without a message have no verdict when it fails, because it stops at the first that do not compile.
    pub(super) stops_early: bool,
    /// How it exits when it has done what it does.
    pub(super) codes: &'static [i32],
    /// The folders of a project and the program, where that says whether it is installed.
    program: (&'static [&'static str], &'static str),
    /// `None` for every file.
    pub(super) plan: Planner,
}

type Planner = fn(&Site, &Path, Option<&[PathBuf]>) -> Result<BuildStep, Missing>;

/// When a checker is run that nobody named.
#[derive(Clone, Copy)]
pub(super) enum DefaultRun {
    Always,
    /// In projects that are set up for it.
    If(fn(&Site, &Path) -> bool),
    /// Likewise, or when it is installed and the project is set up for no other one of the language.
    IfOr(fn(&Site, &Path) -> bool),
    ByName,
}

impl Checker {
    /// The directory where it runs for a file; `None` when it has no business there.
    pub(super) fn dir(&self, site: &Site, file: &Path) -> Option<PathBuf> {
        let folder = file.parent()?;
        if self.markers.is_empty() {
            return Some(site.root.clone());
        }
        site.nearest(folder, self.markers).map(Path::to_owned)
    }

    pub(super) fn is_installed(&self, site: &Site, dir: &Path) -> bool {
        site.program(dir, self.program.0, self.program.1).is_some()
    }
}

const JVM: &[Language] = &[Language::Java, Language::Kotlin];
const WEB: &[Language] = &[Language::JavaScript, Language::TypeScript];
const PYTHON: &[&str] = &[
    "pyproject.toml",
    "mypy.ini",
    ".mypy.ini",
    "setup.cfg",
    "setup.py",
    "pyrightconfig.json",
    "requirements.txt",
];

pub(super) static CHECKERS: &[Checker] = &[
    Checker {
        name: "maven",
        languages: JVM,
        wanted: DefaultRun::Always,
        markers: &["pom.xml"],
        runs_code: true,
        stops_early: true,
        codes: &[0, 1],
        program: (&[""], "mvn"),
        plan: |site, dir, _| by_system("maven", site, dir),
    },
    Checker {
        name: "gradle",
        languages: JVM,
        wanted: DefaultRun::If(|_, dir| !dir.join("pom.xml").is_file()),
        markers: &["build.gradle.kts", "build.gradle"],
        runs_code: true,
        stops_early: true,
        codes: &[0, 1],
        program: (&[""], "gradle"),
        plan: |site, dir, _| by_system("gradle", site, dir),
    },
    Checker {
        name: "javac",
        languages: &[Language::Java],
        wanted: DefaultRun::If(is_without_build),
        markers: &[],
        runs_code: false,
        stops_early: true,
        codes: &[0, 1],
        program: (&[], "javac"),
        plan: javac,
    },
    Checker {
        name: "kotlinc",
        languages: &[Language::Kotlin],
        wanted: DefaultRun::If(is_without_build),
        markers: &[],
        runs_code: false,
        stops_early: true,
        codes: &[0, 1],
        program: (&[], "kotlinc"),
        plan: kotlinc,
    },
    Checker {
        name: "tsc",
        languages: &[Language::TypeScript],
        wanted: DefaultRun::Always,
        markers: &["tsconfig.json"],
        runs_code: false,
        stops_early: false,
        codes: &[0, 1, 2],
        program: (NODE, "tsc"),
        plan: |site, dir, _| {
            let tsc = program(site, dir, NODE, "tsc", "npm install --save-dev typescript")?;
            Ok(logged(Step::new(&tsc, dir, TSC.iter().chain(&["."]))))
        },
    },
    Checker {
        name: "eslint",
        languages: WEB,
        wanted: DefaultRun::If(wants_eslint),
        markers: &["package.json"],
        runs_code: true,
        stops_early: false,
        codes: &[0, 1],
        program: (NODE, "eslint"),
        plan: |site, dir, files| {
            let program = program(site, dir, NODE, "eslint", "npm install --save-dev eslint")?;
            Ok(read_by(&program, dir, &["-f", "json", "--no-color"], files, |out, _| eslint(out)))
        },
    },
    Checker {
        name: "biome",
        languages: WEB,
        wanted: DefaultRun::If(|site, dir| site.nearest(dir, &["biome.json", "biome.jsonc"]).is_some()),
        markers: &["biome.json", "biome.jsonc", "package.json"],
        runs_code: false,
        stops_early: false,
        codes: &[0, 1],
        program: (NODE, "biome"),
        plan: |site, dir, files| {
            let program = program(site, dir, NODE, "biome", "npm install --save-dev @biomejs/biome")?;
            let args = ["lint", "--reporter=json", "--max-diagnostics=2000", "--colors=off"];
            Ok(read_by(&program, dir, &args, files, |out, _| biome(out)))
        },
    },
    Checker {
        name: "pyright",
        languages: &[Language::Python],
        wanted: DefaultRun::IfOr(|site, dir| {
            dir.join("pyrightconfig.json").is_file() || says(site, dir, "pyproject.toml", "[tool.pyright")
        }),
        markers: PYTHON,
        runs_code: true,
        stops_early: false,
        codes: &[0, 1],
        program: (VENV, "pyright"),
        plan: |site, dir, files| {
            let program = program(site, dir, VENV, "pyright", "pip install pyright")?;
            Ok(pyright_step(&program, dir, &named(files)))
        },
    },
    Checker {
        name: "mypy",
        languages: &[Language::Python],
        wanted: DefaultRun::IfOr(|site, dir| {
            dir.join("mypy.ini").is_file()
                || dir.join(".mypy.ini").is_file()
                || says(site, dir, "pyproject.toml", "[tool.mypy")
                || says(site, dir, "setup.cfg", "[mypy")
        }),
        markers: PYTHON,
        runs_code: true,
        stops_early: false,
        codes: &[0, 1],
        program: (VENV, "mypy"),
        plan: |site, dir, files| {
            let program = program(site, dir, VENV, "mypy", "pip install mypy")?;
            let names = named(files);
            Ok(mypy_step(&program, dir, if names.is_empty() { &["."] } else { &names }))
        },
    },
    Checker {
        name: "ruff",
        languages: &[Language::Python],
        wanted: DefaultRun::If(|site, dir| {
            site.nearest(dir, &["ruff.toml", ".ruff.toml"]).is_some()
                || says(site, dir, "pyproject.toml", "[tool.ruff")
        }),
        markers: PYTHON,
        runs_code: false,
        stops_early: false,
        codes: &[0, 1],
        program: (VENV, "ruff"),
        plan: |site, dir, files| {
            let program = program(site, dir, VENV, "ruff", "pip install ruff")?;
            Ok(read_by(
                &program,
                dir,
                &["check", "--output-format=json", "--no-fix", "--no-cache"],
                files,
                |out, _| ruff(out),
            ))
        },
    },
    Checker {
        name: "go",
        languages: &[Language::Go],
        wanted: DefaultRun::Always,
        markers: &["go.mod"],
        runs_code: true,
        stops_early: true,
        codes: &[0, 1],
        program: (&[], "go"),
        plan: |site, dir, files| {
            let go = go_program(site)?;
            let packages = files.map_or_else(|| vec!["./...".to_owned()], |files| packages(dir, files));
            let args = std::iter::once("vet".to_owned()).chain(packages);
            Ok(logged(Step::new(&go, dir, args)))
        },
    },
    Checker {
        name: "php",
        languages: &[Language::Php],
        wanted: DefaultRun::Always,
        markers: &[],
        runs_code: false,
        stops_early: false,
        codes: &[0, 1, 255],
        program: (&[], "php"),
        plan: php,
    },
    Checker {
        name: "phpstan",
        languages: &[Language::Php],
        wanted: DefaultRun::If(|site, dir| site.nearest(dir, PHPSTAN).is_some()),
        markers: &["phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon", "composer.json"],
        runs_code: true,
        stops_early: false,
        codes: &[0, 1],
        program: (&["vendor/bin"], "phpstan"),
        plan: |site, dir, files| {
            let program =
                program(site, dir, &["vendor/bin"], "phpstan", "composer require --dev phpstan/phpstan")?;
            let args = ["analyse", "--error-format=json", "--no-progress", "--no-interaction"];
            let step = Step::new(&program, dir, args.iter().copied().chain(named(files)));
            Ok(BuildStep { step, input: String::new(), read: |out, _| phpstan(out), scratch: None })
        },
    },
    Checker {
        name: "cargo",
        languages: &[Language::Rust],
        wanted: DefaultRun::Always,
        markers: &["Cargo.toml"],
        runs_code: true,
        stops_early: true,
        codes: &[0, 101],
        program: (&[], "cargo"),
        plan: |site, dir, _| rust(site, dir, "check"),
    },
    Checker {
        name: "clippy",
        languages: &[Language::Rust],
        wanted: DefaultRun::ByName,
        markers: &["Cargo.toml"],
        runs_code: true,
        stops_early: true,
        codes: &[0, 101],
        program: (&[], "cargo"),
        plan: |site, dir, _| rust(site, dir, "clippy"),
    },
];

const PHPSTAN: &[&str] = &["phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"];

fn says(site: &Site, dir: &Path, name: &str, word: &str) -> bool {
    site.text(&dir.join(name)).is_some_and(|text| text.contains(word))
}

fn program(site: &Site, dir: &Path, places: &[&str], name: &str, install: &str) -> Result<PathBuf, Missing> {
    site.program(dir, places, name).ok_or_else(|| missing(name, &format!("install it: {install}")))
}

/// The files as arguments, none when they are too many.
fn named(files: Option<&[PathBuf]>) -> Vec<&str> {
    let files = files.filter(|files| files.len() <= MAX_NAMED).unwrap_or_default();
    files.iter().filter_map(|file| file.to_str()).collect()
}

fn read_by(
    program: &Path,
    dir: &Path,
    args: &[&str],
    files: Option<&[PathBuf]>,
    read: crate::systems::Reader,
) -> BuildStep {
    let names = named(files);
    let files: &[&str] = if names.is_empty() { &["."] } else { &names };
    let step = Step::new(program, dir, args.iter().chain(files).copied());
    BuildStep { step, input: String::new(), read, scratch: None }
}

/// The last step of a build system: the one that compiles.
fn by_system(name: &str, site: &Site, dir: &Path) -> Result<BuildStep, Missing> {
    let system = SYSTEMS.iter().find(|system| system.name == name).expect("it is in the table");
    let mut steps = (system.steps)(&Order { site, dir, rebuild: false })?;
    steps.pop().ok_or_else(|| missing(name, "see that it builds by hand"))
}

fn is_without_build(site: &Site, dir: &Path) -> bool {
    const BUILT: &[&str] = &[
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "settings.gradle.kts",
        "BUILD.bazel",
        "BUILD",
    ];
    site.nearest(dir, BUILT).is_none()
        && !site.modules.iter().any(|module| BUILT.iter().any(|name| module.join(name).is_file()))
}

fn wants_eslint(site: &Site, dir: &Path) -> bool {
    const CONFIGS: &[&str] = &[
        "eslint.config.js",
        "eslint.config.mjs",
        "eslint.config.cjs",
        "eslint.config.ts",
        ".eslintrc.js",
        ".eslintrc.cjs",
        ".eslintrc.json",
        ".eslintrc.yml",
        ".eslintrc.yaml",
        ".eslintrc",
    ];
    site.nearest(dir, CONFIGS).is_some() || says(site, dir, "package.json", "\"eslintConfig\"")
}

/// A folder that is thrown away afterwards.
fn scratch() -> Result<tempfile::TempDir, Missing> {
    tempfile::tempdir().map_err(|error| Missing {
        message: format!("there is no room for what is compiled: {error}"),
        hint: "see that the folder for temporary files can be written to".to_owned(),
    })
}

/// The files of a compiler that needs all of them at once, by a file of arguments.
fn compiled(
    program: &Path,
    site: &Site,
    dir: &Path,
    ending: &str,
    options: &[&str],
) -> Result<BuildStep, Missing> {
    let scratch = scratch()?;
    let files = listed(site, dir, &[ending]);
    let list = scratch.path().join("files");
    let quoted: String = files.lines().map(|file| format!("\"{}\"\n", file.replace('\\', "\\\\"))).collect();
    std::fs::write(&list, quoted).map_err(|error| Missing {
        message: error.to_string(),
        hint: "see that there is room on the disk".to_owned(),
    })?;
    let classes = scratch.path().join("classes");
    let mut args: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
    args.extend(["-d".to_owned(), classes.display().to_string(), format!("@{}", list.display())]);
    drop(std::fs::create_dir(&classes));
    let mut step = logged(Step::new(program, dir, args));
    step.scratch = Some(scratch);
    Ok(step)
}

fn javac(site: &Site, dir: &Path, _: Option<&[PathBuf]>) -> Result<BuildStep, Missing> {
    let javac = program(site, dir, &[], "javac", "a JDK has it")?;
    // Without processors: those of a class path would be run.
    compiled(
        &javac,
        site,
        dir,
        ".java",
        &["-proc:none", "-Xlint:all", "-Xmaxerrs", "2000", "-encoding", "UTF-8", "-cp", "lib/*"],
    )
}

fn kotlinc(site: &Site, dir: &Path, _: Option<&[PathBuf]>) -> Result<BuildStep, Missing> {
    let kotlinc = program(site, dir, &[], "kotlinc", "the releases of Kotlin have it")?;
    compiled(&kotlinc, site, dir, ".kt", &[])
}

/// The packages of files, relative to their module.
fn packages(dir: &Path, files: &[PathBuf]) -> Vec<String> {
    let folders = files.iter().filter_map(|file| file.parent()?.strip_prefix(dir).ok());
    let mut packages: Vec<String> =
        folders.map(|folder| format!("./{}", folder.to_string_lossy().replace('\\', "/"))).collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

fn php(site: &Site, dir: &Path, files: Option<&[PathBuf]>) -> Result<BuildStep, Missing> {
    let php = program(site, dir, &[], "php", "php-cli has it")?;
    if let Some([file]) = files {
        let step = Step::new(&php, dir, ["-l".as_ref(), file.as_os_str()]);
        return Ok(BuildStep { step, input: String::new(), read: read_log, scratch: None });
    }
    let input = match files {
        Some(files) => files.iter().map(|file| format!("{}\n", file.display())).collect(),
        None => listed(site, dir, &[".php"]),
    };
    let step = Step::new(&php, dir, ["-r", include_str!("../scripts/syntax.php")]);
    Ok(BuildStep { step, input, read: |out, _| syntax("php", out), scratch: None })
}

fn rust(site: &Site, dir: &Path, command: &str) -> Result<BuildStep, Missing> {
    let args = [command, "--all-targets", "--keep-going", "--message-format=json"];
    let step = Step::new(&cargo_program(site)?, dir, args);
    let read = |out: &str, err: &str| {
        let mut found = cargo(out);
        if found.kept.is_empty() {
            found.extend(log(err));
        }
        Ok(found)
    };
    Ok(BuildStep { step, input: String::new(), read, scratch: None })
}
