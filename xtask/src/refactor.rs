//! `cargo xtask refactor`: random changes of real projects, judged by compilers, then taken back byte for byte. A change is
//! a rename, the imports of a file tidied, a file moved to another directory, or one inside of code: a value or a part of
//! a function taken out or put in, another signature, a declaration deleted.
//!
//! Places are random, and names are new ones that occur nowhere. After some changes the compiler or type checker of
//! the language looks at the tree; a change after which it finds more errors than before is unsound. Refusals are put
//! to the test too: a doubt is overruled by force, and if the compiler then finds nothing the refusal was wrong; and
//! a reason must be one that a careful programmer would give ([`reasons`]). Everything is undone, and the tree must
//! be what it was.

mod changes;
mod code;
mod judge;
mod places;
mod reasons;
mod subjects;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use self::places::Random;
use self::subjects::{SUBJECTS, Subject};
use crate::{mcp, repo};

pub(crate) use self::table::document;

/// How to run.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Languages; none means all.
    langs: Vec<String>,
    /// Changes; none means all.
    #[arg(long = "change", value_enum)]
    changes: Vec<Change>,
    /// Changes to try in each project.
    #[arg(long, default_value_t = 100)]
    count: usize,
    /// Changes between two looks of the compiler.
    #[arg(long, default_value_t = 10)]
    batch: usize,
    /// Start of the random sequence; printed with the figures.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the figures into accuracy/refactor.csv.
    #[arg(long)]
    update: bool,
    /// A server that is built already; without it one is built.
    #[arg(long, value_name = "PATH")]
    server: Option<PathBuf>,
}

/// The kind of change to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Change {
    Rename,
    /// At a place a little off a name: the name under it is renamed, or nothing.
    RenameBeside,
    Imports,
    Move,
    MoveSymbol,
    ExtractVariable,
    ExtractMethod,
    Inline,
    #[value(name = "change-signature")]
    Signature,
    SafeDelete,
}

impl Change {
    const ALL: [Self; 10] = [
        Self::Rename,
        Self::RenameBeside,
        Self::Imports,
        Self::Move,
        Self::MoveSymbol,
        Self::ExtractVariable,
        Self::ExtractMethod,
        Self::Inline,
        Self::Signature,
        Self::SafeDelete,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Rename => "rename",
            Self::RenameBeside => "rename-beside",
            Self::Imports => "imports",
            Self::Move => "move",
            Self::MoveSymbol => "move-symbol",
            Self::ExtractVariable => "extract-variable",
            Self::ExtractMethod => "extract-method",
            Self::Inline => "inline",
            Self::Signature => "change-signature",
            Self::SafeDelete => "safe-delete",
        }
    }
}

/// Places that are looked at for one that is tried, at most: most words are no declarations, most brackets no values.
const LOOKS: usize = 300;

/// The outcomes of the changes that were tried.
#[derive(Default)]
struct Tally {
    asked: usize,
    sound: usize,
    unsound: usize,
    refused: usize,
    refused_wrongly: usize,
    reasons: BTreeMap<String, usize>,
    bad: Vec<String>,
}

/// A change that was carried out and not judged yet.
struct Done {
    what: String,
    was_forced: bool,
    /// The changes, as a diff to be shown.
    diff: String,
}

/// Runs and prints; an error when a change was unsound or an undo left a difference.
pub(crate) fn run(options: &Options) -> Result<()> {
    let work = repo::cache("refactor")?;
    let tools = subjects::judges(&work)?;
    let mut rows = Vec::new();
    let mut bad = Vec::new();
    for subject in SUBJECTS {
        if !options.langs.is_empty() && !options.langs.iter().any(|lang| lang == subject.lang) {
            continue;
        }
        for change in Change::ALL {
            if !options.changes.is_empty() && !options.changes.contains(&change) {
                continue;
            }
            let tally = measure(subject, change, options, &work, &tools)
                .with_context(|| format!("{} of {}", change.name(), subject.project))?;
            let row = tally.row(subject, change, options.seed);
            println!("{}\n{row}\n  reasons of refusals:", table::HEAD);
            tally.reasons.iter().for_each(|(reason, count)| println!("    {count} {reason}"));
            bad.extend(tally.bad.iter().map(|what| format!("{}: {what}", subject.project)));
            rows.push(row);
        }
    }
    if options.update {
        table::update(&rows)?;
    }
    ensure!(bad.is_empty(), "unsound:\n  {}", bad.join("\n  "));
    Ok(())
}

impl Tally {
    fn row(&self, subject: &Subject, change: Change, seed: u64) -> String {
        let Self { asked, sound, unsound, refused, refused_wrongly, .. } = self;
        let Subject { lang, project, .. } = subject;
        let change = change.name();
        format!("{lang},{project},{change},{seed},{asked},{sound},{unsound},{refused},{refused_wrongly}")
    }

    fn count_reason(&mut self, reason: &str) {
        *self.reasons.entry(reason.to_owned()).or_default() += 1;
    }
}

/// One project under test.
struct Run<'r> {
    subject: &'r Subject,
    root: PathBuf,
    tools: &'r Path,
    client: mcp::Client,
    random: Random,
    /// The project as it was, relative to the root.
    files: Vec<PathBuf>,
    names: Vec<changes::Word>,
    declared: Vec<code::Declared>,
    /// Files that changes of this batch wrote, in which places are not what they were.
    dirty: BTreeSet<String>,
    /// The names that were tried to be inlined: some names stand in many places.
    inlined: BTreeSet<String>,
}

fn measure(subject: &Subject, change: Change, options: &Options, work: &Path, tools: &Path) -> Result<Tally> {
    let source = crate::accuracy::tree(subject.project)?;
    let root = work.join(subject.project);
    if root.exists() {
        fs::remove_dir_all(&root)?;
    }
    subjects::copy(&source, &root)?;
    let mut run = Run {
        subject,
        client: server(options.server.as_deref(), work, &root)?,
        root,
        tools,
        random: Random::new(options.seed),
        files: Vec::new(),
        names: Vec::new(),
        declared: Vec::new(),
        dirty: BTreeSet::new(),
        inlined: BTreeSet::new(),
    };
    // Files that the judge leaves behind, such as a lock file, are no difference.
    let base = run.errors()?;
    let before = run.digest()?;
    run.read(change)?;
    let mut tally = Tally::default();
    let mut batch: Vec<Done> = Vec::new();
    let (mut looks, mut judged) = (0, 0);
    while tally.asked < options.count && looks < options.count * LOOKS {
        looks += 1;
        batch.extend(run.attempt(change, looks, &mut tally)?);
        let is_last = tally.asked == options.count || looks == options.count * LOOKS;
        let is_stuck = !batch.is_empty() && looks - judged > LOOKS;
        // One error can hide another, so what was forced is looked at by itself.
        let is_forced = batch.last().is_some_and(|done| done.was_forced);
        if batch.len() == options.batch || is_last || is_stuck || is_forced {
            run.judge(&base, std::mem::take(&mut batch), &mut tally)?;
            ensure!(run.digest()? == before, "the undo history left a difference");
            judged = looks;
        }
    }
    ensure!(tally.asked > 0, "no place was found where the change could be tried");
    Ok(tally)
}

/// The server on a project, in a home of its own.
fn server(built: Option<&Path>, work: &Path, root: &Path) -> Result<mcp::Client> {
    const TOOLS: &str = "enabled_tools = [\"ide_undo\", \"ide_optimize_imports\", \"ide_file_structure\", \
        \"ide_change_signature\", \"ide_refactor_inline\", \"ide_refactor_extract_method\", \
        \"ide_refactor_extract_variable\", \"ide_refactor_move\"]\n";
    let config = work.join("config.toml");
    fs::write(&config, TOOLS)?;
    repo::empty_home()?;
    let binary = built.map_or_else(|| repo::server_binary(false), |path| Ok(path.to_owned()))?;
    let mut command = repo::isolated(&binary)?;
    command.args(["stdio", "--config"]).arg(&config).arg("--project").arg(root);
    command.stderr(fs::File::create(work.join("server.log"))?);
    mcp::Client::start(&mut command, Duration::from_secs(300))
}

impl Run<'_> {
    /// Reads the places that the project offers for a change.
    fn read(&mut self, change: Change) -> Result<()> {
        self.files = self.sources()?;
        match change {
            Change::Rename | Change::RenameBeside | Change::Inline => self.names = self.words()?,
            Change::Imports | Change::Move => {}
            _ => self.declared = self.declarations()?,
        }
        Ok(())
    }

    /// Tries a change at one random place; nothing when there is nothing to try.
    fn attempt(&mut self, change: Change, number: usize, tally: &mut Tally) -> Result<Option<Done>> {
        match change {
            Change::Rename => self.rename(tally),
            Change::RenameBeside => self.rename_beside(tally),
            Change::Imports | Change::Move => self.change_file(change, tally),
            Change::ExtractVariable => self.extract_variable(number, tally),
            Change::ExtractMethod => self.extract_method(number, tally),
            Change::Inline => self.inline(tally),
            Change::Signature => self.change_signature(number, tally),
            Change::SafeDelete => self.safe_delete(tally),
            Change::MoveSymbol => self.move_symbol(tally),
        }
    }
}
