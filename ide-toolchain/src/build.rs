//! Building a project.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ide_model::{BuildOrder, BuildReport, JobOutcome, Severity, ToolMessage};

use crate::jobs::{Work, millis};
use crate::messages::{Messages, Raw};
use crate::run::{Execution, Limits, OutputSink, Overflow, RunError, run_heard};
use crate::site::{Missing, Places, Site, Step};
use crate::systems::{BuildStep, Order, SYSTEMS, systems_of};
use crate::text::{plain, shortened, tail};

/// Longest run of anything for which nobody set a limit.
const LONGEST: Duration = Duration::from_hours(4);
/// Bytes that are kept of each output of a program.
const MAX_OUTPUT: usize = 16 << 20;
/// Characters that are kept of what a whole job wrote.
pub(crate) const MAX_TEXT: usize = 100_000;
/// Characters of the end of an output that stand for a message where there is none.
const SAID: usize = 2_000;

/// One program of a job that ran.
pub(crate) struct FinishedProgram {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) is_success: bool,
    /// How it exited, unless a signal ended it.
    pub(crate) code: Option<i32>,
    /// Why it was ended before its time.
    pub(crate) aborted: Option<String>,
}

/// Runs a program for a job, whose state says what it writes.
pub(crate) fn run_step(
    work: &Work,
    site: &Site,
    step: &Step,
    input: &str,
) -> Result<FinishedProgram, Missing> {
    let shown = step.shown(site);
    work.say(&shown);
    let limits = Limits { time: work.time_left(LONGEST), output: MAX_OUTPUT, overflow: Overflow::Shorten };
    let speaker = work.speaker();
    let hear: OutputSink = Arc::new(move |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let line = text.lines().rev().find(|line| !line.trim().is_empty());
        if let Some(line) = line.filter(|line| !line.starts_with('{')) {
            let line: String = plain(line).trim().chars().take(160).collect();
            speaker(&line);
        }
    });
    let Execution { end, out, err, .. } =
        run_heard(work.cx(), &step.program, input.as_bytes(), limits, Some(&hear)).map_err(|error| {
            Missing { message: format!("{shown} {error}"), hint: "see that it can be run by hand".to_owned() }
        })?;
    let (out, err) = (out.text(), err.text());
    let stopped = |why: String| (false, None, Some(why));
    let (is_success, code, aborted) = match end {
        Ok(status) => (status.success(), status.code(), None),
        Err(RunError::Stopped(_)) => stopped("it was cancelled".to_owned()),
        Err(error) => stopped(format!("it {error}")),
    };
    Ok(FinishedProgram { out, err, is_success, code, aborted })
}

/// Milliseconds since the epoch.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, millis)
}

/// The directories and systems of an order.
///
/// # Errors
/// When there is none; the words say what was looked for.
pub fn build_systems(site: &Site, order: &BuildOrder) -> Result<Vec<(&'static str, PathBuf)>, String> {
    let dir = order.module.as_deref().map_or(&*site.root, Path::new);
    let found = systems_of(site, dir, order.system.as_deref());
    if !found.is_empty() {
        return Ok(found.into_iter().map(|(system, dir)| (system.name, dir)).collect());
    }
    let looked: Vec<String> = SYSTEMS
        .iter()
        .filter(|system| order.system.as_deref().is_none_or(|wanted| wanted == system.name))
        .map(|system| format!("{} ({})", system.name, system.markers.join(", ")))
        .collect();
    let shown = site.shown(dir);
    let place = if shown.as_str().is_empty() { "the project" } else { shown.as_str() };
    let looked = if looked.is_empty() { "no such system is known".to_owned() } else { looked.join("; ") };
    Err(format!("no build system was found in {place}; looked for {looked}"))
}

/// The names of the build systems.
pub fn system_names() -> Vec<&'static str> {
    SYSTEMS.iter().map(|system| system.name).collect()
}

/// Builds a project. Runs code of the project.
pub fn build(work: &Work, site: &Site, order: &BuildOrder) -> JobOutcome {
    let begun = std::time::Instant::now();
    let dir = order.module.as_deref().map_or(&*site.root, Path::new);
    let mut report = BuildReport { success: true, ..BuildReport::default() };
    let mut has_ran = false;
    let mut missing = None;
    for (system, dir) in systems_of(site, dir, order.system.as_deref()) {
        let steps = (system.steps)(&Order { site, dir: &dir, rebuild: order.rebuild });
        let steps = match steps {
            Ok(steps) => steps,
            Err(error) => {
                report.success = false;
                report.messages.push(general("build", format!("{}: {}", error.message, error.hint)));
                missing.get_or_insert(error);
                continue;
            }
        };
        for step in steps {
            match one(work, site, &step, &mut report) {
                Ok(is_success) => {
                    has_ran = true;
                    report.success &= is_success;
                    if !is_success {
                        break;
                    }
                }
                Err(error) => {
                    report.success = false;
                    missing.get_or_insert(error);
                    break;
                }
            }
        }
        if report.aborted.is_some() {
            break;
        }
    }
    match missing {
        Some(Missing { message, hint }) if !has_ran => {
            return JobOutcome::Failed { error: "tool_missing", message, hint: Some(hint) };
        }
        None if !has_ran => {
            return JobOutcome::Failed {
                error: "nothing_to_build",
                message: "the project has no step that builds it: no script `build`, no `tsconfig.json`"
                    .to_owned(),
                hint: Some("ide_run_tests runs its tests".to_owned()),
            };
        }
        _ => {}
    }
    finish(&mut report, millis(begun.elapsed()));
    JobOutcome::Build(Arc::new(report))
}

fn one(work: &Work, site: &Site, step: &BuildStep, report: &mut BuildReport) -> Result<bool, Missing> {
    report.commands.push(step.step.shown(site));
    let done = run_step(work, site, &step.step, &step.input)?;
    let places = Places::new(site, &step.step.program.folder);
    let read = (step.read)(&done.out, &done.err);
    let is_read = read.is_ok();
    let found = read.unwrap_or_else(|unreadable| {
        let mut found = Messages::default();
        found.push(Raw::new("build", Severity::Error, unreadable.0));
        found
    });
    report.left_out += found.left_out;
    let messages = places.messages(found);
    let has_error = messages.iter().any(|message| message.severity == Severity::Error);
    report.messages.extend(messages);
    let both = [plain(&done.out), plain(&done.err)];
    let is_json = both[0].starts_with('{') || both[0].starts_with('[');
    let said = site.relative(&if is_json { both[1].clone() } else { both.join("\n") });
    report.output.push_str(&format!("$ {}\n{}\n", step.step.shown(site), said.trim_end()));
    report.aborted = done.aborted;
    if !done.is_success && !has_error && report.aborted.is_none() {
        // A failure without a message that could be read shows the end of what was written.
        let end = tail(&said, SAID);
        let end = if end.trim().is_empty() { "it failed and wrote nothing" } else { end };
        report.messages.push(general("build", format!("{} failed:\n{end}", step.step.shown(site))));
    }
    // Programs that only check say by their messages whether all is well.
    Ok(done.is_success && is_read && report.aborted.is_none())
}

pub(crate) fn general(source: &'static str, message: String) -> ToolMessage {
    ToolMessage {
        severity: Severity::Error,
        message,
        file: None,
        line: None,
        column: None,
        end_line: None,
        end_column: None,
        code: None,
        source,
    }
}

/// Counts, orders and shortens.
fn finish(report: &mut BuildReport, duration_ms: u64) {
    report.messages.sort_by(|a, b| {
        (a.severity, a.file.is_none(), &a.file, a.line, a.column).cmp(&(
            b.severity,
            b.file.is_none(),
            &b.file,
            b.line,
            b.column,
        ))
    });
    // Several systems may find the same at one place.
    report.messages.dedup();
    let over = report.messages.len().saturating_sub(ide_model::MAX_KEPT);
    report.messages.truncate(ide_model::MAX_KEPT);
    report.left_out += over;
    let count = |wanted| report.messages.iter().filter(|message| message.severity == wanted).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    // A build that failed for a reason that could not be read has not "no warnings".
    let is_known = report.success || report.messages.iter().any(|message| message.file.is_some());
    report.errors = (is_known && report.aborted.is_none()).then_some(errors);
    report.warnings = (is_known && report.aborted.is_none()).then_some(warnings);
    report.output = shortened(&report.output, MAX_TEXT);
    report.duration_ms = duration_ms;
    report.ended_at = now();
}
