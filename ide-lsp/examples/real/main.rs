//! Real servers on small real projects: every question, and its answer held against the index.
//!
//! `cargo xtask language-servers` installs the servers and runs this with their names, and with their directories in
//! `LANGUAGE_SERVERS` as a search path. A wrong answer is a panic.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test, and figures for its reader")]
#![expect(clippy::disallowed_methods, reason = "a test writes projects and waits for processes")]

mod cases;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ide_lsp::{KnownServer, LanguageServer, Launcher, Options, RunningProgram, ServerSpec, Streams};
use ide_model::*;
use ide_store::ProjectBackend;
use ide_toolchain::{Process, Program};

use cases::{CASES, Case};

/// Starts programs and remembers the process of the last one.
#[derive(Default)]
struct Toolchain(Mutex<u32>);

struct Running(Process);

impl Launcher for Toolchain {
    fn start(&self, spec: &ServerSpec, folder: &Path) -> io::Result<(Box<dyn RunningProgram>, Streams)> {
        let mut program = Program::new(&spec.program, folder).args(&spec.args);
        program.env.extend(spec.env.iter().map(|(name, value)| (name.into(), Some(value.into()))));
        let mut process = Process::start(&program)?;
        *self.0.lock().unwrap() = process.id();
        let (stdin, stdout, stderr) =
            (process.stdin.take().unwrap(), process.stdout.take().unwrap(), process.stderr.take().unwrap());
        Ok((Box::new(Running(process)), (Box::new(stdin), Box::new(stdout), Box::new(stderr))))
    }
}

impl RunningProgram for Running {
    fn has_ended(&mut self) -> bool {
        self.0.has_ended().unwrap()
    }
    fn memory(&self) -> Option<u64> {
        self.0.memory()
    }
    fn end(&mut self) {
        drop(self.0.end());
    }
}

struct World {
    _dir: tempfile::TempDir,
    root: PathBuf,
    server: LanguageServer,
    launcher: Arc<Toolchain>,
    backend: ProjectBackend,
    stop: Stop,
}

/// A place as file and offset.
type At = (String, u32);

impl World {
    fn new(case: &Case) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("project");
        for (path, text) in case.files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let from = std::env::var_os("LANGUAGE_SERVERS").expect("`cargo xtask language-servers` runs this");
        let path = std::env::var_os("PATH").unwrap();
        let search_path: Vec<PathBuf> =
            std::env::split_paths(&from).chain(std::env::split_paths(&path)).collect();
        let mut spec =
            KnownServer::of(case.server).unwrap().spec(&search_path, &dir.path().join("cache")).unwrap();
        let joined: OsString = std::env::join_paths(&search_path).unwrap();
        spec.env.entry("PATH".to_owned()).or_insert(joined.into_string().unwrap());
        let launcher = Arc::new(Toolchain::default());
        let options = Options {
            root: root.clone(),
            patience: Duration::from_secs(100),
            start: Duration::from_secs(100),
            idle: Duration::from_secs(600),
            memory: 8 << 30,
            allowed: Arc::new(|| true),
            launcher: launcher.clone(),
            client_version: "1".to_owned(),
        };
        let server = LanguageServer::new(spec, options);
        let backend = ProjectBackend::open(&root, ide_store::Options::default()).unwrap();
        Self { _dir: dir, root, server, launcher, backend, stop: Stop::new() }
    }

    fn cx(&self) -> Cx<'_> {
        Cx::new(&self.stop)
    }

    fn snapshot(&self) -> Arc<dyn Snapshot> {
        self.backend.snapshot(self.cx()).unwrap()
    }

    /// `file:needle`, or `file:needle@n` for the nth, counted from 0.
    fn at(&self, place: &str) -> (FilePath, u32) {
        let (file, needle) = place.split_once(':').unwrap();
        let (needle, nth) = needle.rsplit_once('@').map_or((needle, 0), |(n, nth)| (n, nth.parse().unwrap()));
        let text = std::fs::read_to_string(self.root.join(file)).unwrap();
        let (at, _) = text.match_indices(needle).nth(nth).unwrap_or_else(|| panic!("{place}"));
        (FilePath::new(file), at as u32)
    }

    fn symbol(&self, snapshot: &dyn Snapshot, place: &str) -> Symbol {
        let (file, offset) = self.at(place);
        snapshot.resolve(self.cx(), &Target::Position { file, offset }).unwrap().value.remove(0).0
    }

    fn places(&self, relation: Relation, place: &str) -> Result<BTreeSet<At>, QueryError> {
        let (file, offset) = self.at(place);
        let found = self.server.places(self.cx(), &*self.snapshot(), relation, &file, offset)?;
        Ok(found.into_iter().map(|place| (place.file.to_string(), place.range.start)).collect())
    }
}

fn of_symbols<'s>(symbols: impl IntoIterator<Item = &'s Symbol>) -> BTreeSet<At> {
    symbols.into_iter().map(|symbol| (symbol.file.to_string(), symbol.name_range.start)).collect()
}

fn all(_: &FileMeta) -> bool {
    true
}

/// Asks a server everything.
fn check(server: &str) {
    let case = CASES.iter().find(|case| case.server == server).unwrap();
    let world = World::new(case);
    let begun = Instant::now();
    let (snapshot, cx) = (world.snapshot(), world.cx());
    let index = &*snapshot;
    let (file, offset) = world.at(case.usage);
    let declared = world.symbol(index, case.usage);

    let definition = world.places(Relation::Definition, case.usage).unwrap();
    assert_eq!(definition, of_symbols([&declared]), "definition");
    println!("{server}: first answer after {:.1} s", begun.elapsed().as_secs_f64());

    let uses = world.places(Relation::References, case.usage).unwrap();
    let known = index.references(cx, &declared, &all, usize::MAX).unwrap().value.references;
    let known: BTreeSet<At> = known.into_iter().map(|r| (r.file.to_string(), r.range.start)).collect();
    assert_eq!(uses, known, "references");

    let supported = |asked: Result<BTreeSet<At>, QueryError>, what: &str| match asked {
        Err(QueryError::Unsupported { .. }) if case.lacks.contains(&what) => None,
        found => Some(found.unwrap_or_else(|error| panic!("{what}: {error:?}"))),
    };
    let base = world.symbol(index, case.base);
    if let Some(found) = supported(world.places(Relation::Implementations, case.base), "implementations") {
        // Some name the type at its `impl` block, and some the type that was asked about too.
        let at = |(file, offset): &At| {
            let target = Target::Position { file: FilePath::new(file.as_str()), offset: *offset };
            index.resolve(cx, &target).unwrap().value.remove(0).0
        };
        let found: Vec<Symbol> = found.iter().map(at).filter(|symbol| symbol.key != base.key).collect();
        let found = of_symbols(&found);
        let known = index.implementations(cx, &base, &all).unwrap().value;
        assert_eq!(found, of_symbols(known.iter().map(|(symbol, _)| symbol)), "implementations");
    }
    if let Some(found) = supported(world.places(Relation::Subtypes, case.base), "subtypes") {
        let known = index.subtypes(cx, &base, &all).unwrap().value;
        assert_eq!(found, of_symbols(known.iter().filter_map(|link| link.symbol.as_ref())), "subtypes");
    }
    if let Some(found) = supported(world.places(Relation::Supertypes, case.derived), "supertypes") {
        assert!(found.is_superset(&of_symbols([&base])), "supertypes: {found:?}");
    }

    let calls = |incoming: bool| {
        let found = world.server.calls(cx, index, &file, offset, incoming)?;
        Ok(found
            .into_iter()
            .flat_map(|call| call.sites.into_iter().map(|site| site.start).collect::<Vec<_>>())
            .map(|at| (String::new(), at))
            .collect())
    };
    if let Some(found) = supported(calls(true), "calls") {
        let known = index.callers(cx, &declared, &all).unwrap().value;
        let known: BTreeSet<At> =
            known.iter().flat_map(|edge| edge.sites.iter().map(|site| (String::new(), site.start))).collect();
        assert_eq!(found.len(), known.len(), "callers: {found:?} {known:?}");
        assert!(calls(false).is_ok());
    }

    let search = world.server.search(cx, index, None, &base.name, 100);
    let found = supported(
        search.map(|found| {
            found.into_iter().map(|hit| (hit.location.file.to_string(), hit.location.range.start)).collect()
        }),
        "search",
    );
    if let Some(found) = found {
        assert!(found.is_superset(&of_symbols([&base])), "search: {found:?}");
    }

    let described = world.server.describe(cx, index, &file, offset).unwrap().unwrap();
    assert!(described.contains(&*declared.name), "{described}");

    rename(case, &world, &declared, index);

    let (place, wanted) = case.completion;
    let (file, offset) = world.at(place);
    let offset = offset + place.split_once(':').unwrap().1.split('@').next().unwrap().len() as u32;
    let names = world.server.complete(cx, index, &file, offset, 1000).unwrap();
    assert!(names.iter().any(|item| item.label.contains(wanted)), "completion: {names:?}");

    problems(case, &world);
    let snapshot = world.snapshot();
    let text = snapshot.text(&file).unwrap().text;
    let order = FormatOrder { file: file.clone(), text, lines: None, rearrange: false };
    match world.server.format(cx, &*snapshot, &order) {
        Ok(text) => assert!(text.contains(wanted)),
        Err(QueryError::Unsupported { .. }) if case.lacks.contains(&"format") => {}
        Err(error) => panic!("format: {error:?}"),
    }
    println!("{server}: all answers after {:.1} s", begun.elapsed().as_secs_f64());
    let state = world.server.states().remove(0);
    assert_eq!(state.standing, Standing::Ready);
    ends(case, world);
}

/// The edits of a rename are those of the index.
fn rename(case: &Case, world: &World, declared: &Symbol, index: &dyn Snapshot) {
    if case.lacks.contains(&"rename") {
        return;
    }
    let (file, offset) = (&declared.file, declared.name_range.start);
    let edits = world.server.rename(world.cx(), index, file, offset, "renamed").unwrap();
    // One edit may hold several uses.
    let after = |file: &FilePath, edits: &[TextEdit]| {
        (file.to_string(), edited(&index.text(file).unwrap().text, edits).unwrap())
    };
    let theirs: BTreeSet<(String, String)> = edits.iter().map(|(file, edits)| after(file, edits)).collect();
    let (with_family, related) = (true, Related::default());
    let what = Refactoring::Rename { symbol: declared, new_name: "renamed", with_family, related };
    let plan = index.refactor(world.cx(), &what).unwrap().value.plan;
    let ours: BTreeSet<(String, String)> =
        plan.changes.iter().map(|change| after(change.file(), change.edits())).collect();
    assert_eq!(theirs, ours, "rename");
}

/// A problem that is written into a file is found in it, and is gone with it.
fn problems(case: &Case, world: &World) {
    let (file, before) =
        (FilePath::new(case.broken.0), std::fs::read_to_string(world.root.join(case.broken.0)).unwrap());
    let errors = || {
        let found = world.server.diagnostics(world.cx(), &*world.snapshot(), &file).unwrap();
        found.into_iter().filter(|problem| problem.severity == Severity::Error).collect::<Vec<_>>()
    };
    assert_eq!(errors(), [], "before");
    std::fs::write(world.root.join(case.broken.0), format!("{before}{}", case.broken.1)).unwrap();
    let found = errors();
    assert!(found.iter().any(|problem| problem.range.start >= before.len() as u32), "{found:?}");
    let fixes = world.server.fixes(world.cx(), &*world.snapshot(), &file, found[0].range);
    assert!(fixes.is_ok() || case.lacks.contains(&"fixes"), "{fixes:?}");
    std::fs::write(world.root.join(case.broken.0), &before).unwrap();
    assert_eq!(errors(), [], "after");
}

/// A killed server is an answer at once, and is started again; a dropped one is gone within a second.
fn ends(case: &Case, world: World) {
    let pid = || *world.launcher.0.lock().unwrap();
    let first = pid();
    // Its whole group: some are started by a program that only waits for them.
    assert!(
        std::process::Command::new("kill")
            .args(["-KILL", "--", &format!("-{first}")])
            .status()
            .unwrap()
            .success()
    );
    let begun = Instant::now();
    // It may be asked before its end is seen.
    let killed = world.places(Relation::Definition, case.usage);
    assert!(killed.is_err(), "{killed:?}");
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    let until = Instant::now() + Duration::from_secs(60);
    while world.places(Relation::Definition, case.usage).is_err() {
        assert!(Instant::now() < until, "it is started again");
        std::thread::yield_now();
    }
    let second = pid();
    assert_ne!(first, second);
    let World { server, _dir, .. } = world;
    drop(server);
    let until = Instant::now() + Duration::from_secs(1);
    while Path::new(&format!("/proc/{second}")).exists() {
        assert!(Instant::now() < until, "it outlives us");
        std::thread::yield_now();
    }
}

fn main() {
    let mut servers: Vec<String> = std::env::args().skip(1).collect();
    if servers.is_empty() {
        servers.extend(CASES.iter().map(|case| case.server.to_owned()));
    }
    servers.iter().for_each(|server| check(server));
}
