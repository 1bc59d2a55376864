//! The languages: one directory each, and the tables that say which front end reads which language.

use ide_model::Language;

use crate::FrontEnd;
use crate::resolve::Policy;

mod java;
mod plain;
mod python;

/// The front end that reads a language, `None` when the index has none.
pub fn front_end(language: Language) -> Option<&'static dyn FrontEnd> {
    FRONT_ENDS.iter().find(|(l, _)| *l == language).map(|(_, front)| *front)
}

/// Languages with a front end of their own. The rest is read by grammar tables where those are built in.
const FRONT_ENDS: &[(Language, &dyn FrontEnd)] =
    &[(Language::Java, &java::Java), (Language::Python, &python::PythonFrontEnd)];

/// The resolver's rules for a language. Languages without rules of their own resolve scopes and same-file names only.
pub fn policy(language: Language) -> &'static dyn Policy {
    POLICIES.iter().find(|(l, _)| *l == language).map_or(&plain::Plain, |(_, policy)| *policy)
}

const POLICIES: &[(Language, &dyn Policy)] = &[];
