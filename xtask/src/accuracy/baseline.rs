//! `proof/accuracy/baseline.csv`: the committed figures, and the document made from them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};

use super::score::{Counts, Scores};
use super::truth::Project;
use crate::repo;

/// The direction in which a figure may change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// The number of questions.
    Fixed,
    Up,
    Down,
    /// Follows from others.
    Free,
}

/// One column after project and language.
struct Column {
    name: &'static str,
    direction: Direction,
    of: fn(&Scores) -> f64,
}

const fn column(name: &'static str, direction: Direction, of: fn(&Scores) -> f64) -> Column {
    Column { name, direction, of }
}

const COLUMNS: [Column; 17] = [
    column("definitions", Direction::Fixed, |s| s.project.n() as f64),
    column("right", Direction::Up, |s| s.project.right as f64),
    column("wrong", Direction::Down, |s| s.project.wrong as f64),
    column("none", Direction::Free, |s| s.project.none as f64),
    column("locals", Direction::Fixed, |s| s.local.n() as f64),
    column("local_right", Direction::Up, |s| s.local.right as f64),
    column("externals", Direction::Fixed, |s| s.external.n() as f64),
    column("external_wrong", Direction::Down, |s| s.external.wrong as f64),
    column("references", Direction::Fixed, |s| s.references as f64),
    column("uses_found", Direction::Free, |s| s.all.found as f64),
    column("uses_false", Direction::Free, |s| s.all.wrong as f64),
    column("uses_missed", Direction::Free, |s| s.all.missed as f64),
    column("precision", Direction::Up, |s| s.all.precision()),
    column("recall", Direction::Up, |s| s.all.recall()),
    column("f1", Direction::Up, |s| s.all.f1()),
    column("exact_precision", Direction::Up, |s| s.exact.precision()),
    column("exact_recall", Direction::Up, |s| s.exact.recall()),
];

/// Figures by project. They are kept as written, so that what is read is what was compared.
pub(super) struct Baseline {
    rows: BTreeMap<String, Row>,
}

struct Row {
    language: String,
    figures: Vec<f64>,
}

impl Baseline {
    pub(super) fn read() -> Result<Self> {
        let file = file();
        let text =
            std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        Self::parse(&text).with_context(|| format!("in {}", file.display()))
    }

    pub(super) fn write(&self) -> Result<()> {
        std::fs::write(file(), self.text()).context("cannot write the baseline")
    }

    fn parse(text: &str) -> Result<Self> {
        let mut lines = text.lines();
        ensure!(lines.next() == Some(&*head()), "the head line is not `{}`", head());
        let mut rows = BTreeMap::new();
        for line in lines {
            let mut cells = line.split(',');
            let (Some(project), Some(language)) = (cells.next(), cells.next()) else {
                anyhow::bail!("no project and language in `{line}`")
            };
            let figures = cells
                .map(str::parse)
                .collect::<Result<Vec<f64>, _>>()
                .with_context(|| format!("in `{line}`"))?;
            ensure!(
                figures.len() == COLUMNS.len(),
                "{} figures in `{line}`, wanted {}",
                figures.len(),
                COLUMNS.len()
            );
            rows.insert(project.to_owned(), Row { language: language.to_owned(), figures });
        }
        Ok(Self { rows })
    }

    fn text(&self) -> String {
        let mut text = head();
        for (project, row) in &self.rows {
            write!(text, "\n{project},{}", row.language).expect("writing to a string");
            row.figures.iter().for_each(|f| write!(text, ",{f}").expect("writing to a string"));
        }
        text.push('\n');
        text
    }

    /// The figures that are worse than before, in words. `raise` takes over what is better, `accept`
    /// everything.
    pub(super) fn compare<'a>(
        &mut self,
        measured: impl Iterator<Item = (&'a Project, &'a Scores)>,
        raise: bool,
        accept: bool,
    ) -> Vec<String> {
        let mut worse = Vec::new();
        for (project, scores) in measured {
            let errors =
                scores.project.error + scores.local.error + scores.external.error + scores.reference_errors;
            if errors > 0 {
                worse.push(format!(
                    "{}: {errors} questions ended in a protocol error or a timeout",
                    project.id
                ));
            }
            let figures: Vec<f64> = COLUMNS.iter().map(|c| rounded((c.of)(scores))).collect();
            let Some(row) = self.rows.get_mut(&project.id) else {
                if raise || accept {
                    self.rows.insert(project.id.clone(), Row { language: project.lang.clone(), figures });
                } else {
                    worse.push(format!("{}: not in the baseline; --update adds it", project.id));
                }
                continue;
            };
            for ((column, old), new) in COLUMNS.iter().zip(&mut row.figures).zip(figures) {
                let is_worse = match column.direction {
                    Direction::Fixed => new != *old,
                    Direction::Up => new < *old,
                    Direction::Down => new > *old,
                    Direction::Free => false,
                };
                if is_worse && !accept {
                    worse.push(format!("{} {}: {new}, was {old}", project.id, column.name));
                } else if raise || accept {
                    *old = new;
                }
            }
        }
        worse
    }

    /// The figures by language, for people.
    pub(super) fn document(&self) -> String {
        let mut text = String::from(DOCUMENT_HEAD);
        let mut languages: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for row in self.rows.values() {
            let sums = languages.entry(&row.language).or_insert_with(|| vec![0.0; COLUMNS.len()]);
            sums.iter_mut().zip(&row.figures).for_each(|(sum, figure)| *sum += figure);
        }
        for (language, sums) in &languages {
            document_row(&mut text, language, sums);
        }
        text += DOCUMENT_PROJECTS;
        for (project, row) in &self.rows {
            document_row(&mut text, project, &row.figures);
        }
        text
    }
}

const DOCUMENT_HEAD: &str = "# Accuracy

Generated by `cargo xtask docs` from `proof/accuracy/baseline.csv`; what the questions are and who answers them rightly is in
[proof/accuracy/README.md](../proof/accuracy/README.md). A run that falls below any of these figures fails.

- *definitions*: of the symbols that the project declares, how many were led to the right file and line, how many to a wrong one.
- *locals*: the same for local variables and parameters.
- *library symbols*: how many were given a place inside the project, which is always wrong.
- *references*: precision, recall and F1 over (file, line), everything that was reported.

| language | definitions right | wrong | locals right | library symbols wrong | references P | R | F1 |
|---|---:|---:|---:|---:|---:|---:|---:|
";

const DOCUMENT_PROJECTS: &str = "
| project | definitions right | wrong | locals right | library symbols wrong | references P | R | F1 |
|---|---:|---:|---:|---:|---:|---:|---:|
";

fn document_row(text: &mut String, name: &str, figures: &[f64]) {
    let at = |name| figures[COLUMNS.iter().position(|c| c.name == name).expect("a name of COLUMNS")];
    let share = |part, whole| {
        if at(whole) > 0.0 { format!("{:.1} %", 100.0 * at(part) / at(whole)) } else { "–".to_owned() }
    };
    let counts = Counts {
        found: at("uses_found") as usize,
        wrong: at("uses_false") as usize,
        missed: at("uses_missed") as usize,
    };
    let cells = [
        name.to_owned(),
        share("right", "definitions"),
        share("wrong", "definitions"),
        share("local_right", "locals"),
        share("external_wrong", "externals"),
        format!("{:.3}", counts.precision()),
        format!("{:.3}", counts.recall()),
        format!("{:.3}", counts.f1()),
    ];
    writeln!(text, "| {} |", cells.join(" | ")).expect("writing to a string");
}

fn head() -> String {
    let names: Vec<&str> =
        ["project", "language"].into_iter().chain(COLUMNS.iter().map(|c| c.name)).collect();
    names.join(",")
}

fn rounded(figure: f64) -> f64 {
    (figure * 10_000.0).round() / 10_000.0
}

fn file() -> PathBuf {
    repo::root().join("proof/accuracy/baseline.csv")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accuracy::truth;

    fn baseline(right: u32, wrong: u32) -> Baseline {
        let text = format!("{}\nflask,python,100,{right},{wrong},0,0,0,0,0,0,0,0,0,1,1,1,1,1\n", head());
        Baseline::parse(&text).unwrap()
    }

    fn measured(right: usize, wrong: usize) -> Scores {
        let mut scores = Scores::default();
        (scores.project.right, scores.project.wrong, scores.project.none) =
            (right, wrong, 100 - right - wrong);
        scores
    }

    fn compare(old: (u32, u32), new: (usize, usize), raise: bool, accept: bool) -> (usize, String) {
        let flask = truth::projects().unwrap().into_iter().find(|p| p.id == "flask").unwrap();
        let mut baseline = baseline(old.0, old.1);
        let worse = baseline.compare(std::iter::once((&flask, &measured(new.0, new.1))), raise, accept);
        let row = baseline.text().lines().nth(1).unwrap().to_owned();
        (worse.len(), row.split(',').skip(3).take(2).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn any_worse_figure_fails_and_only_better_ones_are_taken_over() {
        assert_eq!(compare((90, 2), (90, 2), false, false), (0, "90 2".to_owned()));
        assert_eq!(compare((90, 2), (95, 1), false, false), (0, "90 2".to_owned()));
        assert_eq!(compare((90, 2), (89, 2), false, false), (1, "90 2".to_owned()));
        assert_eq!(compare((90, 2), (95, 3), true, false), (1, "95 2".to_owned()));
        assert_eq!(compare((90, 2), (80, 3), false, true), (0, "80 3".to_owned()));
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        let text = Baseline::read().unwrap().text();
        assert_eq!(text, Baseline::parse(&text).unwrap().text());
        assert!(Baseline::parse("project,language\n").is_err());
    }
}
