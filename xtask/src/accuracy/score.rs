//! Judges answers and adds the judgements up.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use serde::Serialize;
use serde_json::json;

use super::answers::{Answer, Found};
use super::truth::{Class, Definition, Lines, References};

/// One question with its answer and the judgement.
pub(super) struct Item {
    took: Duration,
    error: Option<String>,
    refusal: Option<String>,
    judged: Judged,
}

enum Judged {
    Definition {
        asked: Definition,
        got: Vec<Found>,
        verdict: Verdict,
    },
    References {
        asked: References,
        all: Counts,
        exact: Counts,
        extra: Vec<Found>,
        missed: Vec<(String, u32)>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// The first answer is a right one.
    Right,
    Wrong,
    /// The server said that it does not know.
    None,
    /// No answer: a protocol error or a timeout.
    Error,
}

/// Lines reported rightly, reported falsely, and missed.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Counts {
    pub(super) found: usize,
    #[serde(rename = "false")]
    pub(super) wrong: usize,
    pub(super) missed: usize,
}

/// Sums over many items.
#[derive(Default)]
pub(super) struct Scores {
    pub(super) project: Verdicts,
    pub(super) local: Verdicts,
    pub(super) external: Verdicts,
    pub(super) references: usize,
    pub(super) reference_errors: usize,
    /// Over everything reported.
    pub(super) all: Counts,
    /// Over what the server did not mark as merely possible.
    pub(super) exact: Counts,
    definition_times: Vec<Duration>,
    reference_times: Vec<Duration>,
}

#[derive(Default, Clone, Copy)]
pub(super) struct Verdicts {
    pub(super) right: usize,
    pub(super) wrong: usize,
    pub(super) none: usize,
    pub(super) error: usize,
}

impl Item {
    pub(super) fn definition(asked: Definition, answer: Result<Answer>, took: Duration) -> Self {
        let (answer, error) = split(answer);
        let verdict = if error.is_some() { Verdict::Error } else { judge(&asked, &answer.found) };
        Self {
            took,
            error,
            refusal: answer.refusal,
            judged: Judged::Definition { asked, got: answer.found, verdict },
        }
    }

    pub(super) fn references(asked: References, answer: Result<Answer>, took: Duration) -> Self {
        let (answer, error) = split(answer);
        let all = count(&asked, answer.found.iter());
        let exact = count(&asked, answer.found.iter().filter(|f| !f.possible));
        let got = lines(answer.found.iter());
        let wanted = asked.uses.iter().flat_map(|(f, ls)| ls.iter().map(move |l| (&**f, *l)));
        let missed = wanted
            .filter(|at| !got.contains(at) && *at != (&*asked.at.0, asked.at.1))
            .map(|(f, l)| (f.to_owned(), l))
            .collect();
        let mut extra = answer.found;
        extra.retain(|f| !has(&asked.uses, &f.file, f.line) && !neutral(&asked, &f.file, f.line));
        Self {
            took,
            error,
            refusal: answer.refusal,
            judged: Judged::References { asked, all, exact, extra, missed },
        }
    }

    /// The row of `items.jsonl`.
    pub(super) fn line(&self, project: &str) -> String {
        let ms = self.took.as_secs_f64() * 1000.0;
        let mut row = match &self.judged {
            Judged::Definition { asked, got, verdict } => json!({
                "project": project, "ask": "definition", "at": asked.at, "name": asked.name, "kind": asked.kind, "class": asked.class,
                "verdict": verdict, "want": asked.want, "symbol": asked.symbol, "got": got,
            }),
            Judged::References { asked, all, exact, extra, missed } => json!({
                "project": project, "ask": "references", "at": asked.at, "name": asked.name, "kind": asked.kind,
                "all": all, "exact": exact, "extra": extra, "missed": missed,
            }),
        };
        row["ms"] = json!((ms * 10.0).round() / 10.0);
        row["refusal"] = json!(self.refusal);
        row["error"] = json!(self.error);
        row.to_string()
    }
}

fn split(answer: Result<Answer>) -> (Answer, Option<String>) {
    match answer {
        Ok(answer) => (answer, None),
        Err(error) => (Answer { found: Vec::new(), refusal: None }, Some(format!("{error:#}"))),
    }
}

fn judge(asked: &Definition, found: &[Found]) -> Verdict {
    let Some(first) = found.first() else { return Verdict::None };
    let right = match asked.class {
        Class::External => {
            Path::new(&first.file).is_absolute() || first.file.contains("://") || first.file.contains("!/")
        }
        Class::Project | Class::Local if asked.kind == "module" => {
            asked.want.iter().any(|w| w.0 == first.file)
        }
        Class::Project | Class::Local => asked.want.iter().any(|w| w.0 == first.file && w.1 == first.line),
    };
    if right { Verdict::Right } else { Verdict::Wrong }
}

/// By file and line. Neutral places and the declaration itself do not count.
fn count<'a>(asked: &References, found: impl Iterator<Item = &'a Found>) -> Counts {
    let got = lines(found);
    let right = got.iter().filter(|(f, l)| has(&asked.uses, f, *l)).count();
    let wrong = got.iter().filter(|(f, l)| !has(&asked.uses, f, *l) && !neutral(asked, f, *l)).count();
    let wanted = asked.uses.iter().flat_map(|(f, ls)| ls.iter().map(move |l| (&**f, *l)));
    let missed = wanted.filter(|at| !got.contains(at) && *at != (&*asked.at.0, asked.at.1)).count();
    Counts { found: right, wrong, missed }
}

fn lines<'a>(found: impl Iterator<Item = &'a Found>) -> BTreeSet<(&'a str, u32)> {
    found.map(|f| (&*f.file, f.line)).collect()
}

fn has(lines: &Lines, file: &str, line: u32) -> bool {
    lines.get(file).is_some_and(|ls| ls.contains(&line))
}

fn neutral(asked: &References, file: &str, line: u32) -> bool {
    has(&asked.neutral, file, line) || (file == asked.at.0 && line == asked.at.1)
}

impl Scores {
    pub(super) fn of<'a>(items: impl IntoIterator<Item = &'a Item>) -> Self {
        let mut scores = Self::default();
        for item in items {
            match &item.judged {
                Judged::Definition { asked, verdict, .. } => {
                    let class = match asked.class {
                        Class::Project => &mut scores.project,
                        Class::Local => &mut scores.local,
                        Class::External => &mut scores.external,
                    };
                    class.add(*verdict);
                    scores.definition_times.push(item.took);
                }
                Judged::References { all, exact, .. } => {
                    scores.references += 1;
                    scores.reference_errors += usize::from(item.error.is_some());
                    scores.all.add(*all);
                    scores.exact.add(*exact);
                    scores.reference_times.push(item.took);
                }
            }
        }
        scores.definition_times.sort();
        scores.reference_times.sort();
        scores
    }
}

impl fmt::Display for Scores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Verdicts { right, wrong, none, error } = self.project;
        write!(f, "definitions {right}/{} wrong {wrong} none {none} error {error}", self.project.n())?;
        write!(
            f,
            " | local {}/{} | external wrong {}/{}",
            self.local.right,
            self.local.n(),
            self.external.wrong,
            self.external.n()
        )?;
        write!(
            f,
            " | references P {:.3} R {:.3} F1 {:.3}",
            self.all.precision(),
            self.all.recall(),
            self.all.f1()
        )?;
        write!(
            f,
            " (exact P {:.3} R {:.3}, errors {})",
            self.exact.precision(),
            self.exact.recall(),
            self.reference_errors
        )?;
        let ms = |times: &[Duration], p| percentile(times, p).as_secs_f64() * 1000.0;
        let (d, r) = (&self.definition_times, &self.reference_times);
        write!(f, " | ms p50/p95 {:.1}/{:.1}, {:.1}/{:.1}", ms(d, 50), ms(d, 95), ms(r, 50), ms(r, 95))
    }
}

fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let last = sorted.len().saturating_sub(1);
    sorted.get((sorted.len() * percent / 100).min(last)).copied().unwrap_or_default()
}

impl Verdicts {
    pub(super) fn n(&self) -> usize {
        self.right + self.wrong + self.none + self.error
    }

    fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Right => self.right += 1,
            Verdict::Wrong => self.wrong += 1,
            Verdict::None => self.none += 1,
            Verdict::Error => self.error += 1,
        }
    }
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.found += other.found;
        self.wrong += other.wrong;
        self.missed += other.missed;
    }

    pub(super) fn precision(self) -> f64 {
        ratio(self.found, self.wrong)
    }

    pub(super) fn recall(self) -> f64 {
        ratio(self.found, self.missed)
    }

    pub(super) fn f1(self) -> f64 {
        let (p, r) = (self.precision(), self.recall());
        if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 }
    }
}

/// The share of the good among both; nothing at all is flawless.
fn ratio(good: usize, bad: usize) -> f64 {
    if good + bad == 0 { 1.0 } else { good as f64 / (good + bad) as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accuracy::truth::Place;

    fn found(file: &str, line: u32) -> Found {
        Found { file: file.to_owned(), line, possible: false }
    }

    fn asked(class: Class, kind: &str, want: &[(&str, u32)]) -> Definition {
        let want = want.iter().map(|(f, l)| Place((*f).to_owned(), *l, 1)).collect();
        Definition {
            at: Place("a.py".to_owned(), 1, 1),
            name: "x".to_owned(),
            kind: kind.to_owned(),
            class,
            want,
            symbol: None,
        }
    }

    #[test]
    fn the_first_answer_decides() {
        let q = asked(Class::Project, "function", &[("a.py", 3), ("b.py", 4)]);
        assert_eq!(judge(&q, &[]), Verdict::None);
        assert_eq!(judge(&q, &[found("b.py", 4), found("z.py", 1)]), Verdict::Right);
        assert_eq!(judge(&q, &[found("z.py", 1), found("b.py", 4)]), Verdict::Wrong);
        assert_eq!(judge(&q, &[found("a.py", 4)]), Verdict::Wrong);
        assert_eq!(
            judge(&asked(Class::Project, "module", &[("a.py", 1)]), &[found("a.py", 9)]),
            Verdict::Right
        );
    }

    #[test]
    fn a_library_symbol_must_not_be_answered_inside_the_project() {
        let q = asked(Class::External, "function", &[]);
        assert_eq!(judge(&q, &[found("a.py", 1)]), Verdict::Wrong);
        assert_eq!(judge(&q, &[found("/usr/lib/a.py", 1)]), Verdict::Right);
        assert_eq!(judge(&q, &[found("x.jar!/A.class", 1)]), Verdict::Right);
        assert_eq!(judge(&q, &[found("lib:/python!/typeshed/stdlib/os/path.pyi", 1)]), Verdict::Right);
        assert_eq!(judge(&q, &[]), Verdict::None);
    }

    #[test]
    fn references_are_sets_of_lines_and_neutral_ones_do_not_count() {
        let lines = |l: &[u32]| Lines::from([("a.py".to_owned(), l.iter().copied().collect())]);
        // line 1 is the declaration: reporting it or not changes nothing, even where the oracle lists it as a use
        let asked = References {
            at: Place("a.py".to_owned(), 1, 1),
            name: "x".to_owned(),
            kind: "function".to_owned(),
            uses: lines(&[2, 3, 4]),
            neutral: lines(&[7]),
        };
        let mut got: Vec<Found> = [1, 2, 2, 3, 7, 8].into_iter().map(|l| found("a.py", l)).collect();
        assert_eq!(count(&asked, got.iter()), Counts { found: 2, wrong: 1, missed: 1 });
        got[5].possible = true;
        let item = Item::references(asked, Ok(Answer { found: got, refusal: None }), Duration::ZERO);
        let Judged::References { all, exact, extra, missed, .. } = item.judged else {
            panic!("not references")
        };
        assert_eq!((all.wrong, exact.wrong, extra.len()), (1, 0, 1));
        assert_eq!(missed, [("a.py".to_owned(), 4)]);
    }

    #[test]
    fn ratios_and_percentiles() {
        let counts = Counts { found: 3, wrong: 1, missed: 3 };
        assert_eq!((counts.precision(), counts.recall(), counts.f1()), (0.75, 0.5, 0.6));
        assert_eq!(Counts::default().f1(), 1.0);
        let times: Vec<Duration> = (1..=10).map(Duration::from_millis).collect();
        assert_eq!(
            (percentile(&times, 50), percentile(&times, 95)),
            (Duration::from_millis(6), Duration::from_millis(10))
        );
    }
}
