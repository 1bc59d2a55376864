//! Compilers and linters as checks: which ones a project is set up for, and what each proves.
//!
//! One more is a row in [`CHECKERS`].

mod table;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use ide_model::{
    CheckOrder, CheckReport, CheckState, ContentHash, FilePath, JobOutcome, Language, MAX_KEPT, ToolMessage,
};

use self::table::{CHECKERS, Checker, DefaultRun};
use crate::build::{now, run_step};
use crate::jobs::{Work, millis};
use crate::messages::Unreadable;
use crate::site::{Missing, Places, Site};
use crate::systems::BuildStep;
use crate::text::tail;

/// Means of a check besides the project.
pub struct CheckMeans<'a> {
    /// Whether code of the project may be run, and how the user allows it.
    pub is_trusted: bool,
    pub how_to_trust: &'a str,
    /// The hash of a file's bytes; `None` when it cannot be read.
    pub hash: &'a dyn Fn(&Path) -> Option<ContentHash>,
}

/// The names of the compilers and linters.
pub fn checker_names() -> Vec<&'static str> {
    CHECKERS.iter().map(|checker| checker.name).collect()
}

/// Runs the compilers and linters that fit files of a project.
pub fn check(work: &Work, site: &Site, order: &CheckOrder, means: &CheckMeans<'_>) -> JobOutcome {
    let files: Vec<&FilePath> = match &order.files {
        Some(files) => files.iter().collect(),
        None => site.files.iter().collect(),
    };
    let mut reports = Vec::new();
    for (checker, dir, files) in passes(site, &files, &order.tools) {
        if work.cx().check().is_err() {
            break;
        }
        let pass = Pass { work, site, checker, dir: &dir, means };
        // A program finds the files of a whole directory itself.
        let asked = order.files.is_some().then_some(&files[..]);
        reports.push(pass.report(&files, asked));
    }
    JobOutcome::Check(Arc::new(reports))
}

type Grouped<'a> = Vec<(&'static Checker, PathBuf, Vec<&'a FilePath>)>;

/// Which checkers run where, and over which files.
fn passes<'a>(site: &Site, files: &[&'a FilePath], named: &[String]) -> Grouped<'a> {
    let mut found: Grouped<'a> = Vec::new();
    let mut settled: HashSet<(Language, PathBuf)> = HashSet::new();
    for is_second_choice in [false, true] {
        for checker in CHECKERS {
            let is_named = named.iter().any(|name| name == checker.name);
            if !named.is_empty() && !is_named {
                continue;
            }
            let mut dirs: BTreeMap<PathBuf, Vec<&'a FilePath>> = BTreeMap::new();
            for &file in files {
                let Some(language) =
                    Language::of_path(file.as_str()).filter(|l| checker.languages.contains(l))
                else {
                    continue;
                };
                let path = site.path(file);
                let Some(dir) = checker.dir(site, &path) else { continue };
                let fits = match checker.wanted {
                    _ if is_named => !is_second_choice,
                    DefaultRun::Always => !is_second_choice,
                    DefaultRun::If(wants) => !is_second_choice && wants(site, &dir),
                    DefaultRun::IfOr(wants) => {
                        let is_settled = settled.contains(&(language, dir.clone()));
                        if is_second_choice {
                            !is_settled && checker.is_installed(site, &dir)
                        } else {
                            wants(site, &dir)
                        }
                    }
                    DefaultRun::ByName => false,
                };
                if fits {
                    dirs.entry(dir).or_default().push(file);
                }
            }
            for (dir, files) in dirs {
                if matches!(checker.wanted, DefaultRun::IfOr(_)) {
                    settled.extend(checker.languages.iter().map(|language| (*language, dir.clone())));
                }
                found.push((checker, dir, files));
            }
        }
    }
    found
}

struct Pass<'a> {
    work: &'a Work,
    site: &'a Site,
    checker: &'static Checker,
    dir: &'a Path,
    means: &'a CheckMeans<'a>,
}

impl Pass<'_> {
    fn report(&self, files: &[&FilePath], asked: Option<&[&FilePath]>) -> CheckReport {
        let begun = Instant::now();
        let mut report = CheckReport {
            tool: self.checker.name,
            languages: self.checker.languages,
            state: CheckState::Finished,
            messages: Vec::new(),
            left_out: 0,
            covered: Vec::new(),
            duration_ms: 0,
            ended_at: 0,
        };
        let before: Vec<(FilePath, ContentHash)> = files
            .iter()
            .filter_map(|file| Some(((*file).clone(), (self.means.hash)(&self.site.path(file))?)))
            .collect();
        match self.run(asked, &mut report) {
            Ok(is_whole) => report.covered = self.covered(before, &report.messages, is_whole),
            Err(state) => report.state = state,
        }
        if let Some(asked) = asked {
            report.messages.retain(|said| said.file.as_ref().is_none_or(|file| asked.contains(&file)));
        }
        report.messages.sort_by(|a, b| {
            (&a.file, a.line, a.column, a.severity).cmp(&(&b.file, b.line, b.column, b.severity))
        });
        report.left_out += report.messages.len().saturating_sub(MAX_KEPT);
        report.messages.truncate(MAX_KEPT);
        report.duration_ms = millis(begun.elapsed());
        report.ended_at = now();
        report
    }

    /// Runs it; whether it has looked at everything.
    fn run(&self, asked: Option<&[&FilePath]>, report: &mut CheckReport) -> Result<bool, CheckState> {
        let not_run = |Missing { message, hint }| CheckState::NotRun { error: "tool_missing", message, hint };
        let paths: Option<Vec<PathBuf>> =
            asked.map(|files| files.iter().map(|file| self.site.path(file)).collect());
        let step = (self.checker.plan)(self.site, self.dir, paths.as_deref()).map_err(not_run)?;
        self.allowed(&step)?;
        let done = run_step(self.work, self.site, &step.step, &step.input).map_err(not_run)?;
        if let Some(why) = done.aborted {
            return Err(CheckState::Stopped { message: why });
        }
        let said = |why: &str| {
            let said = if done.err.trim().is_empty() { &done.out } else { &done.err };
            CheckState::Failed { message: format!("{why}\n{}", tail(said, 2_000)).trim().to_owned() }
        };
        let found = (step.read)(&done.out, &done.err).map_err(|Unreadable(why)| said(&why))?;
        report.left_out = found.left_out;
        report.messages = Places::new(self.site, &step.step.program.folder).messages(found);
        let is_usual = done.code.is_some_and(|code| self.checker.codes.contains(&code));
        let has_place = report.messages.iter().any(|message| message.file.is_some());
        if !is_usual || !done.is_success && !has_place {
            return Err(said(&format!("{} ended in an unusual way", self.checker.name)));
        }
        Ok(done.is_success || !self.checker.stops_early)
    }

    /// The files that the pass has a verdict on, and that are still what they were.
    fn covered(
        &self,
        before: Vec<(FilePath, ContentHash)>,
        messages: &[ToolMessage],
        is_whole: bool,
    ) -> Vec<(FilePath, ContentHash)> {
        let named: HashSet<&FilePath> = messages.iter().filter_map(|message| message.file.as_ref()).collect();
        let is_same = |(file, hash): &(FilePath, ContentHash)| {
            (self.means.hash)(&self.site.path(file)).as_ref() == Some(hash)
        };
        before.into_iter().filter(|(file, _)| is_whole || named.contains(file)).filter(is_same).collect()
    }

    /// Whether it may be run.
    fn allowed(&self, step: &BuildStep) -> Result<(), CheckState> {
        let program = &step.step.program.file;
        if self.means.is_trusted || !self.checker.runs_code && !self.site.is_own(program) {
            return Ok(());
        }
        let name = self.checker.name;
        let why = if self.site.is_own(program) {
            format!("{name} is a program of the project")
        } else {
            format!("{name} runs code that the project names")
        };
        Err(CheckState::NotRun {
            error: "not_trusted",
            message: format!("{name} was not run: {why}, and the project is not trusted"),
            hint: self.means.how_to_trust.to_owned(),
        })
    }
}
