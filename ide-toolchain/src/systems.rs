//! The build systems: what marks them and how they build. One more is a row in [`SYSTEMS`].

use std::path::{Path, PathBuf};

use crate::messages::{Messages, Unreadable, cargo, go_build, log, mypy, pyright, syntax};
use crate::site::{Missing, Site, Step};

/// One build system.
pub(crate) struct System {
    pub(crate) name: &'static str,
    /// Files that mark a directory.
    pub(crate) markers: &'static [&'static str],
    /// Whether it builds only where nothing else does: what stands in its files can be anything.
    is_last_resort: bool,
    pub(crate) steps: fn(&Order<'_>) -> Result<Vec<BuildStep>, Missing>,
}

/// A directory that is to be built.
pub(crate) struct Order<'a> {
    pub(crate) site: &'a Site,
    /// A directory that has one of the markers.
    pub(crate) dir: &'a Path,
    pub(crate) rebuild: bool,
}

/// A program to run, and how its output is read.
pub(crate) struct BuildStep {
    pub(crate) step: Step,
    /// Written to its standard input.
    pub(crate) input: String,
    pub(crate) read: Reader,
    /// A folder that the program writes to, thrown away with the step.
    pub(crate) scratch: Option<tempfile::TempDir>,
}

/// Reads standard output and standard error.
pub(crate) type Reader = fn(&str, &str) -> Result<Messages, Unreadable>;

pub(crate) fn read_log(out: &str, err: &str) -> Result<Messages, Unreadable> {
    let mut found = log(out);
    found.extend(log(err));
    Ok(found)
}

fn read_cargo(out: &str, err: &str) -> Result<Messages, Unreadable> {
    let mut found = cargo(out);
    // Mistakes in a manifest are told in words.
    if found.kept.is_empty() {
        found.extend(log(err));
    }
    Ok(found)
}

fn read_go(out: &str, err: &str) -> Result<Messages, Unreadable> {
    let mut found = go_build(out);
    found.extend(log(err));
    Ok(found)
}

pub(crate) fn logged(step: Step) -> BuildStep {
    BuildStep { step, input: String::new(), read: read_log, scratch: None }
}

pub(crate) static SYSTEMS: &[System] = &[
    System { name: "maven", markers: &["pom.xml"], is_last_resort: false, steps: maven },
    System {
        name: "gradle",
        markers: &["settings.gradle.kts", "settings.gradle", "build.gradle.kts", "build.gradle"],
        is_last_resort: false,
        steps: gradle,
    },
    System {
        name: "bazel",
        markers: &["MODULE.bazel", "WORKSPACE.bazel", "WORKSPACE"],
        is_last_resort: false,
        steps: bazel,
    },
    System { name: "cargo", markers: &["Cargo.toml"], is_last_resort: false, steps: cargo_build },
    System { name: "go", markers: &["go.mod", "go.work"], is_last_resort: false, steps: go },
    System { name: "node", markers: &["package.json", "tsconfig.json"], is_last_resort: false, steps: node },
    System {
        name: "python",
        markers: &["pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "requirements.txt"],
        is_last_resort: false,
        steps: python,
    },
    System { name: "composer", markers: &["composer.json"], is_last_resort: false, steps: composer },
    System {
        name: "make",
        markers: &["Makefile", "makefile", "GNUmakefile"],
        is_last_resort: true,
        steps: make,
    },
];

/// The systems that build a directory and what is below, each with the directory where it is started: those of the
/// directory and of modules below that belong to no system above them.
pub(crate) fn systems_of(site: &Site, dir: &Path, wanted: Option<&str>) -> Vec<(&'static System, PathBuf)> {
    let mut dirs: Vec<&Path> =
        site.modules.iter().map(PathBuf::as_path).filter(|m| m.starts_with(dir)).collect();
    dirs.push(dir);
    dirs.sort_unstable();
    dirs.dedup();
    let marked = |system: &System, dir: &Path| system.markers.iter().any(|name| dir.join(name).is_file());
    let mut found: Vec<(&'static System, PathBuf)> = Vec::new();
    for system in SYSTEMS.iter().filter(|system| wanted.is_none_or(|wanted| wanted == system.name)) {
        for dir in &dirs {
            let is_above =
                |(known, above): &(&System, PathBuf)| known.name == system.name && dir.starts_with(above);
            if marked(system, dir) && !found.iter().any(is_above) {
                found.push((system, dir.to_path_buf()));
            }
        }
    }
    // A module is built from the directory above that has its build files.
    if found.is_empty()
        && let Some(above) = site.around(dir).skip(1).find(|dir| SYSTEMS.iter().any(|s| marked(s, dir)))
    {
        return systems_of(site, above, wanted).into_iter().filter(|(_, at)| at == above).collect();
    }
    if wanted.is_none() && found.iter().any(|(system, _)| !system.is_last_resort) {
        found.retain(|(system, _)| !system.is_last_resort);
    }
    found
}

pub(crate) fn missing(name: &str, hint: &str) -> Missing {
    Missing { message: format!("{name} is not installed"), hint: hint.to_owned() }
}

/// The program of Maven and the directory of the reactor that a module belongs to.
pub(crate) fn maven_at(site: &Site, dir: &Path) -> Result<(PathBuf, PathBuf), Missing> {
    let program = site.own_program(dir, &[""], "mvnw").or_else(|| site.machine_program("mvn"));
    let program =
        program.ok_or_else(|| missing("Maven", "install Maven, or add its wrapper `mvnw` to the project"))?;
    Ok((program, maven_reactor(site, dir)))
}

/// The directory of the outermost build whose modules a directory is one of; itself when it is a build of its own.
pub(crate) fn maven_reactor(site: &Site, dir: &Path) -> PathBuf {
    let mut reactor = dir;
    for above in site.around(dir).skip(1) {
        let pom = site.text(&above.join("pom.xml")).unwrap_or_default();
        let modules = pom.split("<module>").skip(1).filter_map(|rest| rest.split("</module>").next());
        let mut modules = modules.map(|module| above.join(module.trim()));
        // A module may be named by the file instead of its folder.
        if modules.any(|module| module == reactor || module.parent() == Some(reactor) && module.is_file()) {
            reactor = above;
        }
    }
    reactor.to_owned()
}

/// The options of Maven that name a module of a reactor.
pub(crate) fn maven_module(dir: &Path, reactor: &Path) -> Vec<String> {
    match dir.strip_prefix(reactor) {
        Ok(inside) if !inside.as_os_str().is_empty() => {
            vec!["-pl".to_owned(), inside.to_string_lossy().replace('\\', "/"), "-am".to_owned()]
        }
        _ => Vec::new(),
    }
}

/// Without questions, progress of downloads and colours.
pub(crate) const MAVEN: [&str; 3] = ["-B", "-ntp", "-Dstyle.color=never"];

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn maven(order: &Order<'_>) -> Result<Vec<BuildStep>, Missing> {
    let (program, reactor) = maven_at(order.site, order.dir)?;
    let mut args = words(&MAVEN);
    args.extend(maven_module(order.dir, &reactor));
    if order.rebuild {
        args.push("clean".to_owned());
    }
    args.push("test-compile".to_owned());
    Ok(vec![logged(Step::new(&program, &reactor, args))])
}

/// The program of Gradle and the directory of the build that a module belongs to.
pub(crate) fn gradle_at(site: &Site, dir: &Path) -> Result<(PathBuf, PathBuf), Missing> {
    let program = site.own_program(dir, &[""], "gradlew").or_else(|| site.machine_program("gradle"));
    let hint = "install Gradle, or add its wrapper `gradlew` to the project";
    let program = program.ok_or_else(|| missing("Gradle", hint))?;
    Ok((program, dir.to_owned()))
}

/// No process stays behind, so a daemon would only be started to be killed.
pub(crate) const GRADLE: [&str; 3] = ["--console=plain", "--no-daemon", "--continue"];

fn gradle(order: &Order<'_>) -> Result<Vec<BuildStep>, Missing> {
    let (program, dir) = gradle_at(order.site, order.dir)?;
    let mut args = words(&GRADLE);
    if order.rebuild {
        args.push("clean".to_owned());
    }
    let is_android = ["build.gradle", "build.gradle.kts"].iter().any(|name| {
        order
            .site
            .text(&dir.join(name))
            .is_some_and(|text| text.contains("com.android") || text.contains("libs.plugins.android"))
    });
    args.extend(if is_android { words(&["assemble"]) } else { words(&["classes", "testClasses"]) });
    Ok(vec![logged(Step::new(&program, &dir, args))])
}

fn bazel(order: &Order<'_>) -> Result<Vec<BuildStep>, Missing> {
    let program = ["bazelisk", "bazel"].iter().find_map(|name| order.site.machine_program(name));
    let program = program.ok_or_else(|| missing("Bazel", "install bazelisk or bazel"))?;
    let step = |args: &[&str]| logged(Step::new(&program, order.dir, words(args)));
    let mut steps = Vec::new();
    if order.rebuild {
        steps.push(step(&["clean"]));
    }
    steps.push(step(&["build", "--color=no", "--curses=no", "--noshow_progress", "--keep_going", "//..."]));
    Ok(steps)
}

pub(crate) fn cargo_program(site: &Site) -> Result<PathBuf, Missing> {
    site.machine_program("cargo").ok_or_else(|| missing("cargo", "install Rust with rustup"))
}

fn cargo_build(order: &Order<'_>) -> Result<Vec<BuildStep>, Missing> {
    let program = cargo_program(order.site)?;
    let step = |args: &[&str]| Step::new(&program, order.dir, words(args));
    let mut steps = Vec::new();
    if order.rebuild {
        steps.push(logged(step(&["clean"])));
    }
    let build = step(&["build", "--all-targets", "--message-format=json"]);
    steps.push(BuildStep { step: build, input: String::new(), read: read_cargo, scratch: None });
    Ok(steps)
}

pub(crate) fn go_program(site: &Site) -> Result<PathBuf, Missing> {
    site.machine_program("go").ok_or_else(|| missing("go", "install Go"))
}

fn go(order: &Order<'_>) -> Result<Vec<BuildStep>, Missing> {
    let program = go_program(order.site)?;
    let patterns = go_patterns(order.site, order.dir);
    let step = |args: &[&str]| {
        let args = args.iter().map(|arg| (*arg).to_owned()).chain(patterns.iter().cloned());
        BuildStep {
            step: Step::new(&program, order.dir, args),
            input: String::new(),
            read: read_go,
            scratch: None,
        }
    };
    // `go vet` compiles tests too.
    Ok(vec![if order.rebuild { step(&["build", "-a"]) } else { step(&["build"]) }, step(&["vet"])])
}

/// The packages below a directory: of a workspace those of its modules.
fn go_patterns(site: &Site, dir: &Path) -> Vec<String> {
    if dir.join("go.mod").is_file() {
        return vec!["./...".to_owned()];
    }
    let modules = site.modules.iter().filter(|module| module.join("go.mod").is_file());
    let inside = modules.filter_map(|module| module.strip_prefix(dir).ok());
    inside.map(|module| format!("./{}/...", module.to_string_lossy().replace('\\', "/"))).collect()
}

/// Folders of a project that have programs of Node.
pub(crate) const NODE: &[&str] = &["node_modules/.bin"];

/// A program of a package of Node, and the arguments before its own. Yarn runs those of a project without `node_modules`.
pub(crate) fn node_program(site: &Site, dir: &Path, name: &str) -> Option<(PathBuf, Vec<String>)> {
    let zipped = |dir: &Path| site.nearest(dir, &[".pnp.cjs"]).is_some();
    match site.own_program(dir, NODE, name) {
        Some(program) => Some((program, Vec::new())),
        None if zipped(dir) => {
            Some((site.machine_program("yarn")?, words(&["run", "--binaries-only", name])))
        }
        None => Some((site.machine_program(name)?, Vec::new())),
    }
}

/// The package manager that a directory is kept with: by the nearest lock file or `"packageManager": "yarn@4.9.1"`.
pub(crate) fn package_manager(site: &Site, dir: &Path) -> &'static str {
    const LOCKS: [(&str, &str); 6] = [
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("bun.lock", "bun"),
        ("bun.lockb", "bun"),
        ("package-lock.json", "npm"),
        ("npm-shrinkwrap.json", "npm"),
    ];
    let nearest = |dir: &Path| {
        let package = node_manifest(site, dir);
        let named = package["packageManager"].as_str().and_then(|named| named.split('@').next());
        let is_named = |manager: &&str| named == Some(manager);
        let locked = || LOCKS.iter().find(|(lock, _)| dir.join(lock).is_file()).map(|(_, manager)| *manager);
        LOCKS.iter().map(|(_, manager)| *manager).find(is_named).or_else(locked)
    };
    site.around(dir).find_map(nearest).unwrap_or("npm")
}

fn node(order: &Order<'_>) -> Result<Vec<BuildStep>, Missing> {
    let (site, dir) = (order.site, order.dir);
    let steps = node_package(site, dir)?;
    if !steps.is_empty() || node_manifest(site, dir)["scripts"]["build"].is_string() {
        return Ok(steps);
    }
    // A root that has nothing to build itself has its packages built, those first that others need.
    let mut packages: Vec<(&Path, serde_json::Value)> = site
        .modules
        .iter()
        .filter(|module| module.starts_with(dir) && *module != dir)
        .map(|module| (module.as_path(), node_manifest(site, module)))
        .collect();
    packages.sort_by_key(|(module, _)| *module);
    let mut steps = Vec::new();
    while !packages.is_empty() {
        let names: Vec<String> =
            packages.iter().filter_map(|(_, package)| Some(package["name"].as_str()?.to_owned())).collect();
        let needs = |package: &serde_json::Value| {
            let kinds = ["dependencies", "devDependencies", "peerDependencies"];
            names.iter().any(|name| kinds.iter().any(|kind| !package[*kind][name.as_str()].is_null()))
        };
        // Packages that need each other are built in the order of their names.
        let next = packages.iter().position(|(_, package)| !needs(package)).unwrap_or(0);
        let (module, _) = packages.remove(next);
        steps.extend(node_package(site, module)?);
    }
    Ok(steps)
}

fn node_manifest(site: &Site, dir: &Path) -> serde_json::Value {
    let package = site.text(&dir.join("package.json")).unwrap_or_default();
    serde_json::from_str(&package).unwrap_or_default()
}

/// The steps of one package.
fn node_package(site: &Site, dir: &Path) -> Result<Vec<BuildStep>, Missing> {
    let package = node_manifest(site, dir);
    let build = package["scripts"]["build"].as_str();
    let mut steps = Vec::new();
    let checks_types = build.is_some_and(|script| script.contains("tsc") || script.contains("ng build"));
    if dir.join("tsconfig.json").is_file() && !checks_types {
        match node_program(site, dir, "tsc") {
            Some((tsc, first)) => {
                let args = first.into_iter().chain(words(&TSC)).chain([".".to_owned()]);
                steps.push(logged(Step::new(&tsc, dir, args)));
            }
            None if build.is_none() => {
                return Err(missing("TypeScript", "npm install --save-dev typescript"));
            }
            None => {}
        }
    }
    if build.is_some() {
        let manager = package_manager(site, dir);
        let program = site.machine_program(manager);
        let program = program.ok_or_else(|| missing(manager, "install it: the project has its lock file"))?;
        steps.push(logged(Step::new(&program, dir, ["run", "build"])));
    }
    Ok(steps)
}

pub(crate) const TSC: [&str; 4] = ["--noEmit", "--pretty", "false", "-p"];

/// The interpreter of a Python project and the arguments before its own.
pub(crate) fn interpreter(site: &Site, dir: &Path) -> Result<(PathBuf, Vec<String>), Missing> {
    const PLACES: &[&str] = &[".venv/bin", "venv/bin", ".venv/Scripts", "venv/Scripts"];
    let own = ["python", "python.exe"].iter().find_map(|name| site.own_program(dir, PLACES, name));
    if let Some(own) = own {
        return Ok((own, Vec::new()));
    }
    const LAUNCHERS: [(&str, &str); 3] =
        [("uv.lock", "uv"), ("poetry.lock", "poetry"), ("Pipfile", "pipenv")];
    for (lock, launcher) in LAUNCHERS {
        if site.nearest(dir, &[lock]).is_some()
            && let Some(program) = site.machine_program(launcher)
        {
            return Ok((program, words(&["run", "python"])));
        }
    }
    let machine = ["python3", "python"].iter().find_map(|name| site.machine_program(name));
    machine.map(|program| (program, Vec::new())).ok_or_else(|| missing("Python", "install Python"))
}

/// A run of Python in a project.
pub(crate) fn python_step(site: &Site, dir: &Path, args: &[&str]) -> Result<Step, Missing> {
    let (program, mut all) = interpreter(site, dir)?;
    all.extend(words(args));
    Ok(Step::new(&program, dir, all).env("PYTHONDONTWRITEBYTECODE", "1").env("PYTHONUTF8", "1"))
}

/// Folders of a project that have programs of Python.
pub(crate) const VENV: &[&str] = &[".venv/bin", "venv/bin"];

/// Files below a directory with one of some endings, a line each.
pub(crate) fn listed(site: &Site, dir: &Path, endings: &[&str]) -> String {
    let files = site.files.iter().filter(|file| endings.iter().any(|ending| file.as_str().ends_with(ending)));
    let below = files.map(|file| site.path(file)).filter(|path| path.starts_with(dir));
    below.map(|path| format!("{}\n", path.display())).collect()
}

fn python(order: &Order<'_>) -> Result<Vec<BuildStep>, Missing> {
    let (site, dir) = (order.site, order.dir);
    let read = |out: &str, _: &str| syntax("python", out);
    let script = python_step(site, dir, &["-c", include_str!("scripts/syntax.py")])?;
    let mut steps =
        vec![BuildStep { step: script, input: listed(site, dir, &[".py", ".pyi"]), read, scratch: None }];
    let says = |name: &str, word: &str| site.text(&dir.join(name)).is_some_and(|text| text.contains(word));
    let wants_mypy = dir.join("mypy.ini").is_file()
        || dir.join(".mypy.ini").is_file()
        || says("pyproject.toml", "[tool.mypy")
        || says("setup.cfg", "[mypy");
    if let Some(mypy) = site.program(dir, VENV, "mypy").filter(|_| wants_mypy) {
        steps.push(mypy_step(&mypy, dir, &["."]));
    }
    let wants_pyright = dir.join("pyrightconfig.json").is_file() || says("pyproject.toml", "[tool.pyright");
    if let Some(pyright) = site.program(dir, VENV, "pyright").filter(|_| wants_pyright) {
        steps.push(pyright_step(&pyright, dir, &[]));
    }
    Ok(steps)
}

pub(crate) fn mypy_step(program: &Path, dir: &Path, files: &[&str]) -> BuildStep {
    let options =
        ["--show-column-numbers", "--show-error-end", "--no-error-summary", "--no-pretty", "-O", "json"];
    let step = Step::new(program, dir, options.iter().chain(files).copied());
    BuildStep {
        step,
        input: String::new(),
        read: |out, err| if out.trim().is_empty() { mypy(err) } else { mypy(out) },
        scratch: None,
    }
}

pub(crate) fn pyright_step(program: &Path, dir: &Path, files: &[&str]) -> BuildStep {
    let step = Step::new(program, dir, ["--outputjson"].iter().chain(files).copied());
    BuildStep { step, input: String::new(), read: |out, _| pyright(out), scratch: None }
}

fn composer(order: &Order<'_>) -> Result<Vec<BuildStep>, Missing> {
    let (site, dir) = (order.site, order.dir);
    let php = site.machine_program("php").ok_or_else(|| missing("PHP", "install php-cli"))?;
    let read = |out: &str, _: &str| syntax("php", out);
    let input = listed(site, dir, &[".php"]);
    let mut steps = vec![BuildStep {
        step: Step::new(&php, dir, ["-r", include_str!("scripts/syntax.php")]),
        input,
        read,
        scratch: None,
    }];
    let composer = site.text(&dir.join("composer.json")).unwrap_or_default();
    let composer: serde_json::Value = serde_json::from_str(&composer).unwrap_or_default();
    if composer["scripts"]["build"].is_string() || composer["scripts"]["build"].is_array() {
        let program = site.machine_program("composer");
        let program = program.ok_or_else(|| missing("Composer", "install composer"))?;
        steps.push(logged(Step::new(
            &program,
            dir,
            ["run-script", "--no-interaction", "--no-ansi", "build"],
        )));
    }
    Ok(steps)
}

fn make(order: &Order<'_>) -> Result<Vec<BuildStep>, Missing> {
    let program = order.site.machine_program("make").ok_or_else(|| missing("make", "install make"))?;
    let args: &[&str] = if order.rebuild { &["-B"] } else { &[] };
    Ok(vec![logged(Step::new(&program, order.dir, args))])
}
