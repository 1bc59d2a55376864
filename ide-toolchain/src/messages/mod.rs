//! Output of compilers, linters and build systems, read into messages with places.

mod json;
mod log;

use ide_model::{MAX_KEPT, Severity};

pub(crate) use json::{biome, cargo, eslint, go_build, mypy, phpstan, pyright, ruff, syntax};
pub(crate) use log::log;

/// A message as a program wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Raw {
    pub(crate) severity: Severity,
    pub(crate) message: String,
    /// As written: relative to where the program ran, or absolute.
    pub(crate) file: Option<String>,
    pub(crate) start: Option<At>,
    pub(crate) end: Option<At>,
    pub(crate) code: Option<String>,
    pub(crate) source: &'static str,
}

/// A place as a program counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum At {
    Line(u32),
    /// Line and column from 1; columns in a unit.
    Column(u32, u32, Unit),
    /// Bytes from the beginning of the file.
    Byte(u32),
}

/// How a program counts columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unit {
    Utf16,
    Chars,
    Bytes,
    /// UTF-16, with tabs up to the next multiple of eight (`javac` to other programs).
    Tabs,
}

impl Raw {
    pub(crate) fn new(source: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        Self { severity, message: message.into(), file: None, start: None, end: None, code: None, source }
    }

    pub(crate) fn at(mut self, file: impl Into<String>, start: Option<At>) -> Self {
        self.file = Some(file.into());
        self.start = start;
        self
    }

    pub(crate) fn until(mut self, end: Option<At>) -> Self {
        self.end = end;
        self
    }

    pub(crate) fn code(mut self, code: Option<&str>) -> Self {
        self.code = code.map(str::trim).filter(|code| !code.is_empty()).map(str::to_owned);
        self
    }
}

/// Messages of one run, each once.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    pub(crate) kept: Vec<Raw>,
    /// Messages that were not kept.
    pub(crate) left_out: usize,
}

impl Messages {
    pub(crate) fn push(&mut self, raw: Raw) {
        // Build systems repeat at their end what they said before, most of it near.
        if self.kept.iter().rev().take(500).any(|known| same(known, &raw)) {
            return;
        }
        if self.kept.len() < MAX_KEPT {
            self.kept.push(raw);
        } else {
            self.left_out += 1;
        }
    }

    pub(crate) fn extend(&mut self, more: Messages) {
        more.kept.into_iter().for_each(|raw| self.push(raw));
        self.left_out += more.left_out;
    }
}

/// Whether two messages say the same of one place. Details that one program adds below its message are no difference.
fn same(a: &Raw, b: &Raw) -> bool {
    let head = |raw: &Raw| raw.message.lines().next().unwrap_or("").to_owned();
    (&a.file, a.start, a.severity) == (&b.file, b.start, b.severity) && head(a) == head(b)
}

/// Output that is not what a program writes when it has looked at everything.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unreadable(pub(crate) String);

pub(crate) type Read = Result<Messages, Unreadable>;
