//! The committed questions and their answers: `proof/accuracy/projects.json` and `proof/accuracy/truth/*.jsonl`.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use crate::repo;

/// A pinned project and the package client that brings it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Project {
    pub(super) id: String,
    pub(super) lang: String,
    pub(super) via: Via,
    /// The package's name in its registry.
    pub(super) name: String,
    pub(super) version: String,
    /// Only these paths belong to the project; empty means all.
    #[serde(default)]
    pub(super) keep: Vec<String>,
    /// These paths do not.
    #[serde(default)]
    pub(super) drop: Vec<String>,
    /// A name for people.
    #[serde(default)]
    pub(super) title: Option<String>,
    /// For a crate: dependencies whose names begin so belong to the project too.
    #[serde(default)]
    pub(super) with: Option<String>,
    /// The path of the archive in the package.
    #[serde(default)]
    pub(super) archive: Option<String>,
    /// The Go import path.
    pub(super) import: Option<String>,
    /// Written where the package ships none, as the oracle needed it.
    pub(super) tsconfig: Option<serde_json::Value>,
    pub(super) files: usize,
    /// The digest of the paths and bytes of all files, as the fetching code computes it.
    pub(super) digest: String,
}

/// The ordinary client of a registry.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub(super) enum Via {
    Pip,
    Npm,
    Cargo,
    /// The source jar of `group:artifact` on Maven Central.
    Maven,
    /// A Debian source package.
    Debsrc,
    /// A Debian binary package that holds Go sources.
    Debgo,
    /// A Debian binary package that holds sources in an archive.
    Debzip,
    /// A wheel, where there is no source distribution.
    Wheel,
    /// A Go module.
    Go,
}

/// File relative to the project, line and column, both 1-based.
#[derive(Deserialize, Serialize, Clone, PartialEq, Eq, Debug)]
pub(super) struct Place(pub(super) String, pub(super) u32, pub(super) u32);

/// Lines by file.
pub(super) type Lines = BTreeMap<String, BTreeSet<u32>>;

#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
pub(super) enum Question {
    Definition(Definition),
    References(References),
}

/// Where is the thing at `at` declared?
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Definition {
    pub(super) at: Place,
    pub(super) name: String,
    /// The kind of symbol; for a `module` the right file suffices.
    pub(super) kind: String,
    pub(super) class: Class,
    /// Any of these is right; empty for external symbols, where every place outside the project is.
    pub(super) want: Vec<Place>,
    /// The oracle's name for an external symbol.
    pub(super) symbol: Option<String>,
}

#[derive(Deserialize, Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub(super) enum Class {
    /// Declared in the project, visible beyond one body.
    Project,
    /// A local variable or parameter.
    Local,
    /// Declared in a library.
    External,
}

/// A question for the uses of the declaration at `at`, with the answer of the oracle.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct References {
    pub(super) at: Place,
    pub(super) name: String,
    pub(super) kind: String,
    /// Lines that must be reported.
    pub(super) uses: Lines,
    /// Lines that may be.
    pub(super) neutral: Lines,
}

pub(super) fn projects() -> Result<Vec<Project>> {
    let file = repo::root().join("proof/accuracy/projects.json");
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("in {}", file.display()))
}

pub(super) fn questions(project: &str) -> Result<Vec<Question>> {
    let file = repo::root().join(format!("proof/accuracy/truth/{project}.jsonl"));
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let row = |(n, line)| serde_json::from_str(line).with_context(|| format!("{}:{}", file.display(), n + 1));
    text.lines().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_project_has_questions_of_both_sorts_and_every_file_a_project() {
        let projects = projects().unwrap();
        for project in &projects {
            let questions = questions(&project.id).unwrap();
            let definitions = questions.iter().filter(|q| matches!(q, Question::Definition(_))).count();
            assert!(
                definitions > 200 && questions.len() - definitions > 50,
                "{}: {definitions} of {}",
                project.id,
                questions.len()
            );
            for question in questions {
                if let Question::Definition(d) = question {
                    assert_eq!(d.class == Class::External, d.want.is_empty(), "{} {:?}", project.id, d.at);
                    assert_eq!(d.class == Class::External, d.symbol.is_some(), "{} {:?}", project.id, d.at);
                }
            }
        }
        assert_eq!(
            std::fs::read_dir(repo::root().join("proof/accuracy/truth")).unwrap().count(),
            projects.len()
        );
    }
}
