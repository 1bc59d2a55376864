//! Holds an engine to the claims of a fixture.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::{Claim, Fixture, Role, Spot};

/// A question that is asked from a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Question {
    /// The names of the declarations meant there. Asked from every use and every declaration.
    Definition,
    /// The uses of what is meant there, without the declaration. Asked from every use and every declaration.
    References,
    /// The names of implementations. Asked from declarations whose label has an `impl` claim.
    Implementations,
    /// The names of directly overridden declarations. Asked from declarations whose label has a `super` claim.
    Supers,
    /// The declarations outside the project that are meant there, asked from `lib` claims. The qualified name is
    /// given as the path of an empty spot.
    Library,
}

/// One item of an answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    pub spot: Spot,
    /// The role of the use according to the engine, if it gives one: held against `write` and `call` claims.
    pub role: Option<Role>,
}

/// A question that was not answered as claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub question: Question,
    pub from: Spot,
    /// For people: what is missing, what should not be there.
    pub report: String,
}

/// Asks from every claimed position and demands equality both ways.
///
/// # Panics
/// With a report of everything that differs, and on a fixture without claims, which would assert nothing.
#[track_caller]
pub fn check(fixture: &Fixture, ask: impl FnMut(Question, &Spot) -> Result<Vec<Found>, String>) {
    let failures = failures(fixture, ask);
    if !failures.is_empty() {
        let reports: Vec<&str> = failures.iter().map(|failure| failure.report.as_str()).collect();
        panic!("{} of the fixture's claims do not hold\n{}", failures.len(), reports.join("\n"));
    }
}

/// Like [`check`], with the failures as a value: for lists of known gaps.
///
/// # Panics
/// On a fixture without claims.
#[track_caller]
pub fn failures(
    fixture: &Fixture,
    mut ask: impl FnMut(Question, &Spot) -> Result<Vec<Found>, String>,
) -> Vec<Failure> {
    assert!(!fixture.claims().is_empty(), "the fixture asserts nothing: it has no claims");
    let mut found = Vec::new();
    for (question, from, labels) in questions(fixture) {
        if question == Question::Library {
            let report = library_difference(&labels, ask(question, from));
            found.extend(report.map(|report| Failure {
                question,
                from: from.clone(),
                report: format!("{question:?} from {}\n{report}", fixture.show(from)),
            }));
            continue;
        }
        let expected = Expected::of(fixture, question, &labels);
        let report = match ask(question, from) {
            Ok(answer) => expected.differences(fixture, &answer),
            Err(message) => Some(format!("  failed: {message}\n")),
        };
        if let Some(report) = report {
            let labels: Vec<&str> = labels.into_iter().collect();
            let head = format!("{question:?} of {} from {}", labels.join(", "), fixture.show(from));
            found.push(Failure { question, from: from.clone(), report: format!("{head}\n{report}") });
        }
    }
    found
}

fn library_difference(labels: &BTreeSet<&str>, answer: Result<Vec<Found>, String>) -> Option<String> {
    let names = answer.map(|found| found.into_iter().map(|f| f.spot.path).collect::<BTreeSet<_>>());
    match names {
        Ok(names) if names.iter().map(String::as_str).eq(labels.iter().copied()) => None,
        Ok(names) => Some(format!("  expected {labels:?}, got {names:?}\n")),
        Err(message) => Some(format!("  failed: {message}\n")),
    }
}

/// The questions of a fixture: each with its position, and the labels it is about; a range may carry several.
fn questions(fixture: &Fixture) -> Vec<(Question, &Spot, BTreeSet<&str>)> {
    let mut all: BTreeMap<(Question, &Spot), BTreeSet<&str>> = BTreeMap::new();
    let has = |role: Role, label: &str| fixture.claims().iter().any(|c| c.role == role && c.label == label);
    for claim in fixture.claims() {
        let is_def = claim.role == Role::Def;
        let mut add = |question| {
            all.entry((question, &claim.spot)).or_default().insert(claim.label.as_str());
        };
        if is_def || claim.role.is_use() {
            add(Question::Definition);
            add(Question::References);
        }
        if claim.role == Role::Made {
            add(Question::Definition);
        }
        if claim.role == Role::Lib {
            add(Question::Library);
        }
        if is_def && has(Role::Impl, &claim.label) {
            add(Question::Implementations);
        }
        if is_def && has(Role::Super, &claim.label) {
            add(Question::Supers);
        }
    }
    all.into_iter().map(|((question, spot), labels)| (question, spot, labels)).collect()
}

struct Expected<'a> {
    claims: BTreeMap<&'a Spot, &'a Claim>,
}

impl<'a> Expected<'a> {
    fn of(fixture: &'a Fixture, question: Question, labels: &BTreeSet<&str>) -> Self {
        let is_answer = |role: Role| match question {
            Question::Definition => role == Role::Def,
            Question::References => role.is_use(),
            Question::Implementations => role == Role::Impl,
            Question::Supers => role == Role::Super,
            Question::Library => role == Role::Lib,
        };
        let claims = fixture.claims().iter();
        let claims = claims.filter(|c| is_answer(c.role) && labels.contains(c.label.as_str()));
        Self { claims: claims.map(|claim| (&claim.spot, claim)).collect() }
    }

    /// The differences between an answer and its claims, a line each.
    fn differences(&self, fixture: &Fixture, answer: &[Found]) -> Option<String> {
        let mut report = String::new();
        let mut line = |what: &str, spot: &Spot| {
            writeln!(report, "  {what}: {}", fixture.show(spot)).expect("a string takes all");
        };
        let mut seen = BTreeSet::new();
        for found in answer {
            if !seen.insert(&found.spot) {
                line("twice", &found.spot);
            }
            match (self.claims.get(&found.spot), found.role) {
                (None, _) => line("not claimed", &found.spot),
                (Some(claim), Some(role))
                    if matches!(claim.role, Role::Write | Role::Call) && role != claim.role =>
                {
                    line(&format!("claimed as {:?}, answered as {role:?}", claim.role), &found.spot);
                }
                _ => {}
            }
        }
        for spot in self.claims.keys().filter(|spot| !seen.contains(*spot)) {
            line("missing", spot);
        }
        (!report.is_empty()).then_some(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "
        //- a.ts
        interface Shape { area(): number }
        //                ^^^^ def Shape.area, super Circle.area
        class Circle implements Shape { area() { return 1 } }
        //                              ^^^^ def Circle.area, impl Shape.area
        shape.area(); other.area();
        //    ^^^^ call Shape.area
        //                  ^^^^ not Shape.area
    ";

    /// Answers as the claims say, changed by `bend`.
    fn answers(bend: impl Fn(Question, &Spot, &mut Vec<Found>)) -> Vec<Failure> {
        let fixture = Fixture::parse(SOURCE);
        let truth: BTreeMap<_, _> = questions(&fixture)
            .into_iter()
            .map(|(question, spot, labels)| {
                let expected = Expected::of(&fixture, question, &labels);
                let found =
                    expected.claims.values().map(|c| Found { spot: c.spot.clone(), role: Some(c.role) });
                ((question, spot.clone()), found.collect::<Vec<_>>())
            })
            .collect();
        failures(&fixture, |question, spot| {
            let mut found = truth[&(question, spot.clone())].clone();
            bend(question, spot, &mut found);
            Ok(found)
        })
    }

    #[test]
    fn the_truth_passes_and_covers_every_question() {
        assert_eq!(answers(|_, _, _| {}), []);
        let fixture = Fixture::parse(SOURCE);
        let asked: BTreeSet<Question> = questions(&fixture).into_iter().map(|(q, _, _)| q).collect();
        assert_eq!(asked.len(), 4);
    }

    #[test]
    fn missing_extra_repeated_and_misnamed_answers_fail() {
        let only = |wanted| move |question| question == wanted;
        let is_references = only(Question::References);
        let missing = answers(|question, _, found| {
            if is_references(question) {
                found.clear();
            }
        });
        assert_eq!(missing.len(), 2, "{missing:?}");
        assert!(missing[0].report.contains("missing: a.ts:3:7 `area`"), "{}", missing[0].report);

        let fixture = Fixture::parse(SOURCE);
        let look_alike = fixture.spots(Role::Not, "Shape.area")[0].clone();
        let extra = answers(|question, _, found| {
            if is_references(question) {
                found.push(Found { spot: look_alike.clone(), role: None });
            }
        });
        assert_eq!(extra.len(), 3);
        assert!(extra[0].report.contains("not claimed: a.ts:3:21 `area`"), "{}", extra[0].report);

        let twice = answers(|_, _, found| {
            let copy = found.clone();
            found.extend(copy);
        });
        assert!(twice.iter().all(|failure| failure.report.contains("twice")));

        let as_write = answers(|question, _, found| {
            if is_references(question) {
                found.iter_mut().for_each(|found| found.role = Some(Role::Write));
            }
        });
        assert!(as_write[0].report.contains("claimed as Call, answered as Write"));
    }

    #[test]
    #[should_panic(expected = "asserts nothing")]
    fn a_fixture_without_claims_is_refused() {
        check(&Fixture::parse("//- a\nx\n"), |_, _| Ok(Vec::new()));
    }

    #[test]
    #[should_panic(expected = "engine is down")]
    fn an_engine_error_is_a_failure() {
        check(&Fixture::parse(SOURCE), |_, _| Err("engine is down".to_owned()));
    }
}
