//! A real index of a small project, and a provider that says what a test has it say.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Instant;

use ide_model::*;
use ide_store::{Options, ProjectBackend};

use super::*;

const PATIENCE: Duration = Duration::from_millis(300);

/// Answers with places that are named by file and text; the nth of a text by `text@n`, counted from 0.
#[derive(Default)]
struct Said {
    places: Vec<(Relation, Vec<Location>)>,
    calls: Vec<ProviderCall>,
    rename: Vec<(FilePath, Vec<TextEdit>)>,
    is_complete: bool,
    problems: Vec<ProviderDiagnostic>,
    formatted: Option<String>,
}

struct Scripted {
    said: Said,
    standing: Mutex<Standing>,
    /// Whether questions are left without an answer.
    hangs: Mutex<bool>,
    goes_on: Condvar,
    asked: AtomicUsize,
    told: Mutex<Vec<FilePath>>,
}

impl Scripted {
    fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hang(&self, hangs: bool) {
        *Self::lock(&self.hangs) = hangs;
        self.goes_on.notify_all();
    }

    fn asked<T>(&self, answer: T) -> Result<T, QueryError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        drop(self.goes_on.wait_while(Self::lock(&self.hangs), |hangs| *hangs));
        match &*Self::lock(&self.standing) {
            Standing::Starting => Err(QueryError::NotReady { what: "it".to_owned() }),
            Standing::Failed { because } => Err(QueryError::Failed { message: because.clone() }),
            _ => Ok(answer),
        }
    }
}

fn unsupported<T>() -> Result<T, QueryError> {
    Err(QueryError::Unsupported { query: "this", language: None, supported: Vec::new() })
}

impl Provider for Scripted {
    fn engine(&self) -> Engine {
        Engine::LanguageServer
    }
    fn name(&self) -> &str {
        "scripted"
    }
    fn standing(&self, language: Language, _: bool) -> Standing {
        if language == Language::Python { Self::lock(&self.standing).clone() } else { Standing::Absent }
    }
    fn states(&self) -> Vec<ProviderState> {
        Vec::new()
    }
    fn is_complete(&self, _: Language, _: Relation) -> bool {
        self.said.is_complete
    }
    fn places(
        &self,
        _: Cx<'_>,
        _: &dyn Snapshot,
        relation: Relation,
        _: &FilePath,
        _: u32,
    ) -> Result<Vec<Location>, QueryError> {
        match self.said.places.iter().find(|(about, _)| *about == relation) {
            Some((_, places)) => self.asked(places.clone()),
            None => unsupported(),
        }
    }
    fn calls(
        &self,
        _: Cx<'_>,
        _: &dyn Snapshot,
        _: &FilePath,
        _: u32,
        _: bool,
    ) -> Result<Vec<ProviderCall>, QueryError> {
        self.asked(self.said.calls.clone())
    }
    fn search(
        &self,
        _: Cx<'_>,
        _: &dyn Snapshot,
        _: Option<Language>,
        _: &str,
        _: usize,
    ) -> Result<Vec<ProviderSymbol>, QueryError> {
        unsupported()
    }
    fn describe(
        &self,
        _: Cx<'_>,
        _: &dyn Snapshot,
        _: &FilePath,
        _: u32,
    ) -> Result<Option<String>, QueryError> {
        unsupported()
    }
    fn diagnostics(
        &self,
        _: Cx<'_>,
        _: &dyn Snapshot,
        file: &FilePath,
    ) -> Result<Vec<ProviderDiagnostic>, QueryError> {
        match file.as_str() {
            "c.py" => Err(QueryError::NoFile { path: file.to_string() }),
            _ => self.asked(self.said.problems.clone()),
        }
    }
    fn fixes(
        &self,
        _: Cx<'_>,
        _: &dyn Snapshot,
        _: &FilePath,
        _: TextRange,
    ) -> Result<Vec<ProviderFix>, QueryError> {
        unsupported()
    }
    fn complete(
        &self,
        _: Cx<'_>,
        _: &dyn Snapshot,
        _: &FilePath,
        _: u32,
        _: usize,
    ) -> Result<Vec<ProviderCompletion>, QueryError> {
        unsupported()
    }
    fn rename(
        &self,
        _: Cx<'_>,
        _: &dyn Snapshot,
        _: &FilePath,
        _: u32,
        _: &str,
    ) -> Result<Vec<(FilePath, Vec<TextEdit>)>, QueryError> {
        self.asked(self.said.rename.clone())
    }
    fn format(&self, _: Cx<'_>, _: &dyn Snapshot, order: &FormatOrder) -> Result<String, QueryError> {
        let written = self.said.formatted.clone().map(|text| format!("{text} of {}", order.text));
        self.asked(written)?.ok_or(()).or_else(|()| unsupported())
    }

    fn imports(&self, _: Cx<'_>, _: &dyn Snapshot, _: &FilePath, _: &str) -> Result<String, QueryError> {
        unsupported()
    }
    fn changed(&self, files: &[FilePath]) {
        Self::lock(&self.told).extend_from_slice(files);
    }
}

const FILES: [(&str, &str); 3] = [
    ("a.py", "def send(x):\n    return x\n\n\ndef other(x):\n    return x\n"),
    ("b.py", "from a import send\n\n\ndef caller(thing):\n    send(1)\n    thing.send(2)\n"),
    ("c.py", "import a\n\na.send(3)\nsend = 1\n"),
];

struct World {
    dir: tempfile::TempDir,
    provider: Arc<Scripted>,
    backend: Arc<dyn Backend>,
}

impl World {
    fn new(said: impl Fn(&dyn Fn(&str, &str, usize) -> Location) -> Said) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in FILES {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        let said = said(&|file, name, nth| {
            let text = FILES.iter().find(|(known, _)| *known == file).unwrap().1;
            let (at, _) = text.match_indices(name).nth(nth).unwrap();
            let range = TextRange::new(at as u32, (at + name.len()) as u32);
            Location { file: FilePath::new(file), range }
        });
        let provider = Arc::new(Scripted {
            said,
            standing: Mutex::new(Standing::Ready),
            hangs: Mutex::new(false),
            goes_on: Condvar::new(),
            asked: AtomicUsize::new(0),
            told: Mutex::default(),
        });
        let index = Arc::new(ProjectBackend::open(dir.path(), Options::default()).unwrap());
        let root: PathBuf = dir.path().canonicalize().unwrap();
        let backend = Layered::over(index, root, vec![provider.clone()], PATIENCE);
        Self { dir, provider, backend }
    }

    fn snapshot(&self) -> Arc<dyn Snapshot> {
        self.backend.snapshot(Cx::new(&Stop::new())).unwrap()
    }

    fn symbol(&self, snapshot: &dyn Snapshot) -> Symbol {
        let target = Target::Named { language: Language::Python, symbol: "a.send".into() };
        snapshot.resolve(Cx::new(&Stop::new()), &target).unwrap().value.remove(0).0
    }

    /// The uses of `a.send`, each with whether it is certain, and the remarks.
    fn uses(&self) -> (Vec<(String, u32, bool)>, Vec<String>) {
        let snapshot = self.snapshot();
        let symbol = self.symbol(&*snapshot);
        let found = snapshot.references(Cx::new(&Stop::new()), &symbol, &|_| true, usize::MAX).unwrap();
        let row = |r: &Reference| (r.file.to_string(), r.range.start, r.confidence.is_certain());
        (found.value.references.iter().map(row).collect(), snapshot.remarks())
    }
}

#[test]
fn uses_of_both_are_exact_and_the_rest_is_told_apart() {
    let world = World::new(|place| Said {
        places: vec![(
            Relation::References,
            vec![place("b.py", "send", 0), place("b.py", "send", 1), place("b.py", "send", 2)],
        )],
        ..Said::default()
    });
    let (uses, remarks) = world.uses();
    let of = |file: &str| {
        uses.iter().filter(|(known, ..)| known == file).map(|(.., sure)| *sure).collect::<Vec<_>>()
    };
    assert_eq!(of("b.py"), [true; 3], "the third is known by the provider only: {uses:?}");
    assert_eq!(of("c.py"), [false], "the index alone is certain of it: {uses:?}");
    assert_eq!(remarks[0], "by scripted and the index");
    assert!(remarks[1].starts_with("known to the index only and marked as possible: 1 use"), "{remarks:?}");
}

#[test]
fn a_complete_answer_is_all_there_is() {
    let world = World::new(|place| Said {
        places: vec![(Relation::References, vec![place("b.py", "send", 1)])],
        is_complete: true,
        ..Said::default()
    });
    let (uses, _) = world.uses();
    assert_eq!(uses.iter().map(|(file, ..)| &**file).collect::<Vec<_>>(), ["b.py"], "{uses:?}");
}

fn definition(world: &World, file: &str, offset: u32) -> (Vec<(String, u32)>, Engine, Vec<String>) {
    let snapshot = world.snapshot();
    let target = Target::Position { file: FilePath::new(file), offset };
    let answer = snapshot.resolve(Cx::new(&Stop::new()), &target).unwrap();
    let row = |(symbol, _): &(Symbol, Confidence)| (symbol.file.to_string(), symbol.name_range.start);
    (answer.value.iter().map(row).collect(), answer.by, snapshot.remarks())
}

#[test]
fn a_definition_says_whose_it_is() {
    let world = World::new(|place| Said {
        places: vec![(Relation::Definition, vec![place("a.py", "send", 0)])],
        ..Said::default()
    });
    let called = FILES[1].1.find("send(1)").unwrap() as u32;
    let (found, by, remarks) = definition(&world, "b.py", called);
    assert_eq!((found, by), (vec![("a.py".to_owned(), 4)], Engine::LanguageServer));
    assert_eq!(remarks, ["by scripted and the index"]);

    let world = World::new(|place| Said {
        places: vec![(Relation::Definition, vec![place("a.py", "other", 0)])],
        ..Said::default()
    });
    let (found, _, remarks) = definition(&world, "b.py", called);
    assert_eq!(
        found,
        [("a.py".to_owned(), FILES[0].1.find("other").unwrap() as u32), ("a.py".to_owned(), 4)]
    );
    assert!(remarks[1].contains("that of scripted, a.py:5; the index takes a.py:1"), "{remarks:?}");
}

#[test]
fn a_file_outside_is_read_only_when_a_provider_named_it() {
    let outside = tempfile::NamedTempFile::with_suffix(".py").unwrap();
    std::fs::write(outside.path(), "def far(): pass\n").unwrap();
    let file = FilePath::new(outside.path().to_str().unwrap());
    let place = Location { file: file.clone(), range: TextRange::new(4, 7) };
    let world =
        World::new(|_| Said { places: vec![(Relation::Definition, vec![place.clone()])], ..Said::default() });
    assert!(world.snapshot().text(&file).is_err());
    let method = FILES[1].1.find("send(2)").unwrap() as u32;
    let snapshot = world.snapshot();
    let target = Target::Position { file: FilePath::new("b.py"), offset: method };
    let answer = snapshot.resolve(Cx::new(&Stop::new()), &target).unwrap();
    let symbol = &answer.value[0].0;
    assert_eq!((&*symbol.name, &symbol.file, symbol.is_library), ("far", &file, true));
    let again = world.snapshot().resolve(Cx::new(&Stop::new()), &Target::Key(symbol.key.clone())).unwrap();
    assert_eq!(&again.value[0].0, symbol);
    assert_eq!(&*world.snapshot().text(&file).unwrap().text, "def far(): pass\n");
}

#[test]
fn a_provider_that_hangs_costs_one_wait_and_is_asked_again() {
    let world = World::new(|place| Said {
        places: vec![(Relation::References, vec![place("b.py", "send", 1)])],
        ..Said::default()
    });
    let all = {
        world.provider.hang(true);
        let begun = Instant::now();
        let (uses, remarks) = world.uses();
        assert!(begun.elapsed() >= PATIENCE);
        assert!(
            remarks[0].contains("the index alone answers, scripted did not: no answer within"),
            "{remarks:?}"
        );
        uses
    };
    let begun = Instant::now();
    let (uses, remarks) = world.uses();
    assert!(begun.elapsed() < PATIENCE, "the wait is not paid twice");
    assert_eq!((uses, remarks.len()), (all, 1));
    let asked = world.provider.asked.load(Ordering::SeqCst);
    assert_eq!(asked, 1, "nobody who hangs is asked more and more");
    world.provider.hang(false);
    // The answer that came late ends the outage; it is on its way now.
    let end = Instant::now() + Duration::from_secs(20);
    while world.uses().1[0] != "by scripted and the index" {
        assert!(Instant::now() < end, "it answers again");
        std::thread::yield_now();
    }
}

#[test]
fn a_provider_that_starts_or_broke_is_said() {
    let world = World::new(|place| Said {
        places: vec![(Relation::References, vec![place("b.py", "send", 1)])],
        ..Said::default()
    });
    let set = |standing: Standing| *Scripted::lock(&world.provider.standing) = standing;
    set(Standing::Starting);
    assert!(world.uses().1[0].ends_with("it is starting"));
    let asked = world.provider.asked.load(Ordering::SeqCst);
    assert!(world.uses().1[0].ends_with("it is starting"));
    assert_eq!(world.provider.asked.load(Ordering::SeqCst), asked, "it says itself when it is ready");
    set(Standing::Ready);
    assert_eq!(world.uses().1[0], "by scripted and the index");
    set(Standing::Failed { because: "it crashed; install it again".to_owned() });
    assert!(world.uses().1[0].ends_with("it crashed; install it again"));
    set(Standing::Absent);
    assert_eq!(world.uses().1, [""; 0]);
}

fn renamed(world: &World) -> (Refactored, Vec<String>) {
    let snapshot = world.snapshot();
    let symbol = world.symbol(&*snapshot);
    let (with_family, related) = (true, Related::default());
    let what = Refactoring::Rename { symbol: &symbol, new_name: "post", with_family, related };
    let plan = snapshot.refactor(Cx::new(&Stop::new()), &what).unwrap().value;
    (plan, snapshot.remarks())
}

fn to_post(place: &Location) -> (FilePath, TextEdit) {
    (place.file.clone(), TextEdit::new(place.range, "post"))
}

fn grouped(edits: &[(FilePath, TextEdit)]) -> Vec<(FilePath, Vec<TextEdit>)> {
    let mut files: Vec<(FilePath, Vec<TextEdit>)> = Vec::new();
    for (file, edit) in edits {
        match files.iter_mut().find(|(known, _)| known == file) {
            Some((_, edits)) => edits.push(edit.clone()),
            None => files.push((file.clone(), vec![edit.clone()])),
        }
    }
    files
}

#[test]
fn the_edits_of_a_rename_are_proven_completed_or_refused() {
    let all = |place: &dyn Fn(&str, &str, usize) -> Location| {
        [
            place("a.py", "send", 0),
            place("b.py", "send", 0),
            place("b.py", "send", 1),
            place("c.py", "send", 0),
        ]
        .map(|place| to_post(&place))
        .to_vec()
    };
    let world = World::new(|place| Said { rename: grouped(&all(place)), ..Said::default() });
    let (plan, remarks) = renamed(&world);
    assert_eq!(remarks, ["scripted plans the same edits"]);
    let count = plan.plan.change_count();
    assert_eq!(count, 4);

    let world = World::new(|place| {
        let mut edits = all(place);
        edits.push(to_post(&place("b.py", "send", 2)));
        Said { rename: grouped(&edits), ..Said::default() }
    });
    let (more, remarks) = renamed(&world);
    assert_eq!(remarks, ["scripted knows 1 more use, changed too"]);
    assert_eq!(more.plan.change_count(), count + 1);
    assert!(more.conflicts.is_empty(), "{:?}", more.conflicts);

    let world = World::new(|place| {
        let mut edits = all(place);
        edits[2].1.text = "mail".into();
        Said { rename: grouped(&edits), ..Said::default() }
    });
    let (refused, _) = renamed(&world);
    let said = refused.conflicts.iter().find(|conflict| conflict.kind == ConflictKind::Meaning).unwrap();
    assert!(said.message.contains("`mail`") && said.message.contains("`post`"), "{}", said.message);

    let world = World::new(|place| Said {
        rename: grouped(&all(place)[..3]),
        places: vec![(Relation::Definition, vec![place("c.py", "send", 1)])],
        ..Said::default()
    });
    let (refused, _) = renamed(&world);
    let says = |conflict: &Conflict| conflict.message.contains("by scripted it means c.py:4");
    assert!(refused.conflicts.iter().any(says), "{:?}", refused.conflicts);
}

#[test]
fn callers_are_joined_and_changes_are_told() {
    let world = World::new(|place| Said {
        calls: vec![
            ProviderCall {
                name: "caller".into(),
                declaration: place("b.py", "caller", 0),
                sites: vec![place("b.py", "send", 1).range, place("b.py", "send", 2).range],
            },
            ProviderCall {
                name: "other".into(),
                declaration: place("a.py", "other", 0),
                sites: vec![place("a.py", "return", 1).range],
            },
        ],
        ..Said::default()
    });
    let snapshot = world.snapshot();
    let symbol = world.symbol(&*snapshot);
    let edges = snapshot.callers(Cx::new(&Stop::new()), &symbol, &|_| true).unwrap().value;
    let caller = edges.iter().find(|edge| &*edge.name == "caller").unwrap();
    assert_eq!(caller.sites.len(), 2);
    assert!(edges.iter().any(|edge| &*edge.name == "other" && edge.confidence == Confidence::Exact));

    let told = || std::mem::take(&mut *Scripted::lock(&world.provider.told));
    assert_eq!(told(), []);
    std::fs::write(world.dir.path().join("b.py"), "from a import send\nsend()\n").unwrap();
    std::fs::write(world.dir.path().join("new.py"), "").unwrap();
    std::fs::remove_file(world.dir.path().join("c.py")).unwrap();
    let snapshot = world.snapshot();
    let callers = snapshot.callers(Cx::new(&Stop::new()), &world.symbol(&*snapshot), &|_| true);
    assert!(callers.is_ok());
    assert_eq!(told(), ["b.py", "c.py", "new.py"].map(FilePath::new));
}

fn problem(start: u32, message: &str) -> ProviderDiagnostic {
    let (code, source) = (None, Some("checker".to_owned()));
    let range = TextRange::new(start, start + 1);
    ProviderDiagnostic { range, severity: Severity::Error, code, message: message.to_owned(), source }
}

#[test]
fn problems_of_providers_are_ordered_and_silence_is_told() {
    let problems = vec![problem(9, "late"), problem(4, "early"), problem(9, "late")];
    let world = World::new(|_| Said { problems: problems.clone(), ..Said::default() });
    let asked = |file: &str| {
        let (snapshot, stop) = (world.snapshot(), Stop::new());
        snapshot.providers().unwrap().all_diagnostics(Cx::new(&stop), &FilePath::new(file)).unwrap()
    };
    let by = |said| Provided { by: Engine::LanguageServer, name: "scripted".to_owned(), said };
    assert_eq!(asked("a.py"), [by(Ok(vec![problem(4, "early"), problem(9, "late")]))]);
    assert_eq!(asked("c.py"), [by(Err("it does not have this file".to_owned()))]);
    assert_eq!(asked("a.txt"), [], "nobody reads it");
    let set = |standing: Standing| *Scripted::lock(&world.provider.standing) = standing;
    set(Standing::Failed { because: "it crashed".to_owned() });
    assert_eq!(asked("a.py"), [by(Err("it crashed".to_owned()))]);
    set(Standing::Absent);
    assert_eq!(asked("a.py"), []);
    set(Standing::Ready);
    world.provider.hang(true);
    let waited = asked("a.py");
    assert!(matches!(&waited[0].said, Err(because) if because.starts_with("no answer within")), "{waited:?}");
    world.provider.hang(false);
}

#[test]
fn a_text_is_formatted_by_its_own_kind_of_provider() {
    let order = FormatOrder { file: FilePath::new("a.py"), text: "x".into(), lines: None, rearrange: false };
    let stop = Stop::new();
    let formatted = |world: &World, engine| {
        world.snapshot().providers().unwrap().formatted(Cx::new(&stop), engine, &order).unwrap()
    };
    let world = World::new(|_| Said { formatted: Some("better".to_owned()), ..Said::default() });
    assert_eq!(formatted(&world, Engine::Ide), []);
    assert_eq!(formatted(&world, Engine::LanguageServer)[0].said.as_deref(), Ok("better of x"));
    let world = World::new(|_| Said::default());
    assert_eq!(formatted(&world, Engine::LanguageServer), [], "who cannot is left out");
}
