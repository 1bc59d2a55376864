//! Whole small projects in one string, with claims about them that any engine can be held to.
//!
//! ```text
//! //- src/greeter.py
//! def greet(name): pass
//! #   ^^^^^ def greet
//! //- src/main.py
//! from greeter import greet
//! #                   ^^^^^ ref greet
//! greet("x")
//! # <- call greet
//! def other(): gr<caret>eet("y")
//! #            ^^^^^ call greet
//! ```
//!
//! * `//- path` starts a file. Only blank lines may stand before the first one. Indentation that all lines of the
//!   string share is removed.
//! * `<caret>`, at most one in a project, marks a position and is removed. Carets of claims below count columns of
//!   the line without it.
//! * A comment line `^^^ role label` claims the characters above its carets; `<- role label` claims the identifier
//!   above the comment leader itself. Several claims on one range are separated by commas or stand on lines of
//!   their own. Claim lines are not part of the text.
//! * `lib NAME` claims a use of a library's declaration, by its qualified name; `^^^ lib builtins.str.upper`.
//! * `wrong: ` before a role marks a claim as a known wrong answer that is held until it is mended.
//!
//! [`check`] asks an engine from every claimed position and demands equality both ways: what is claimed must be
//! answered and what is answered must be claimed.

mod check;
mod parse;

pub use check::{Failure, Found, Question, check, failures};

use std::ops::Range;
use std::path::{Path, PathBuf};

/// The environment variable under which [`scaled`] gives its second number.
pub const THOROUGH: &str = "IDE_INDEX_THOROUGH_TESTS";

/// The size of a costly test, or the number of its rounds: `usual` for a plain `cargo test`, `thorough` where
/// [`THOROUGH`] is set, as `cargo xtask ci` sets it.
pub fn scaled<T>(usual: T, thorough: T) -> T {
    if std::env::var_os(THOROUGH).is_some() { thorough } else { usual }
}

/// The fixtures of every language in the order of their paths: `root/LANGUAGE/fixtures/*.txt`.
///
/// # Panics
/// When a folder cannot be read.
pub fn files(root: &Path) -> Vec<PathBuf> {
    let entries =
        |dir: &Path| std::fs::read_dir(dir).map(|all| all.map(|entry| entry.expect("it can be read").path()));
    let languages = entries(root).expect("the folder of languages can be read");
    let fixtures = languages.filter_map(|language| entries(&language.join("fixtures")).ok());
    let mut found: Vec<PathBuf> =
        fixtures.flatten().filter(|path| path.extension().is_some_and(|end| end == "txt")).collect();
    found.sort();
    found
}

/// A project with claims.
#[derive(Clone, Debug)]
pub struct Fixture {
    files: Vec<File>,
    claims: Vec<Claim>,
    caret: Option<Spot>,
}

/// One file of a project, without claims and caret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub path: String,
    pub text: String,
}

/// A range of bytes in a file of a fixture.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot {
    pub path: String,
    pub start: u32,
    pub end: u32,
}

/// A fact about a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub spot: Spot,
    pub role: Role,
    pub label: String,
    /// True for an answer that is known to be wrong.
    pub is_wrong: bool,
}

/// The relation of a range to the declaration that its label names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The name in a declaration.
    Def,
    /// A use of any kind.
    Ref,
    /// A use that changes the value.
    Write,
    /// A use that calls.
    Call,
    /// The name of a declaration that implements or overrides the labelled one.
    Impl,
    /// The name of a declaration that the labelled one implements or overrides directly.
    Super,
    /// A look-alike that must never be taken for the labelled declaration or a use of it.
    Not,
    /// A use of something in a library; the label is its qualified name.
    Lib,
    /// A use of a member that the compiler makes from the labelled declaration: its definition is that one, and it is
    /// none of its uses.
    Made,
}

impl Role {
    const ALL: [(Self, &str); 9] = [
        (Self::Def, "def"),
        (Self::Ref, "ref"),
        (Self::Write, "write"),
        (Self::Call, "call"),
        (Self::Impl, "impl"),
        (Self::Super, "super"),
        (Self::Not, "not"),
        (Self::Lib, "lib"),
        (Self::Made, "made"),
    ];

    /// True for the roles of uses.
    pub fn is_use(self) -> bool {
        matches!(self, Self::Ref | Self::Write | Self::Call)
    }
}

impl Fixture {
    /// Reads a fixture.
    ///
    /// # Panics
    /// On text before the first file, a file that stands twice, a second caret, carets that point at nothing, an
    /// unknown role, a missing label.
    #[track_caller]
    pub fn parse(source: &str) -> Self {
        match parse::parse(source) {
            Ok(fixture) => fixture,
            Err(message) => panic!("fixture: {message}"),
        }
    }

    /// The files in the order of the string.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// The position of `<caret>`, as an empty range.
    ///
    /// # Panics
    /// When the fixture has none.
    #[track_caller]
    pub fn caret(&self) -> &Spot {
        self.caret.as_ref().expect("the fixture has a <caret>")
    }

    /// The text of a file.
    ///
    /// # Panics
    /// When there is no such file.
    #[track_caller]
    pub fn text(&self, path: &str) -> &str {
        let file = self.files.iter().find(|file| file.path == path);
        &file.unwrap_or_else(|| panic!("the fixture has no file {path}")).text
    }

    /// The claims with this role and label.
    pub fn spots(&self, role: Role, label: &str) -> Vec<&Spot> {
        self.claims
            .iter()
            .filter(|claim| claim.role == role && claim.label == label)
            .map(|c| &c.spot)
            .collect()
    }

    /// `path:line:column text` of a range, for people.
    pub fn show(&self, spot: &Spot) -> String {
        let Some(file) = self.files.iter().find(|file| file.path == spot.path) else {
            return format!("{} (not in the fixture) {}..{}", spot.path, spot.start, spot.end);
        };
        let bytes: Range<usize> = spot.start as usize..spot.end as usize;
        let Some(text) = file.text.get(bytes) else {
            return format!("{} {}..{} (not on characters of the text)", spot.path, spot.start, spot.end);
        };
        let before = &file.text[..spot.start as usize];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or(before).encode_utf16().count() + 1;
        format!("{}:{line}:{column} `{text}`", spot.path)
    }
}
