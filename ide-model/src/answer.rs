//! Answers that say what they are worth, and errors that say what to do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::{Language, Symbol};

/// The engine that answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    Embedded,
    LanguageServer,
    Ide,
}

impl Engine {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::LanguageServer => "language-server",
            Self::Ide => "ide",
        }
    }
}

/// How a single result is known. Ordered from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// Language rules from declared types, one candidate.
    Exact,
    /// Through inferred or expected types.
    Inferred,
    /// As the former, in code for a feature that is off as the project comes.
    Conditional,
    /// Several candidates remain, all are returned.
    Ambiguous,
    /// By name, arity and role only.
    NameOnly,
    /// By text.
    Text,
}

impl Confidence {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Inferred => "inferred",
            Self::Conditional => "conditional",
            Self::Ambiguous => "ambiguous",
            Self::NameOnly => "name_only",
            Self::Text => "text",
        }
    }

    /// True for results that are stated as facts, false for those that are only possible.
    pub fn is_certain(self) -> bool {
        self <= Self::Inferred
    }
}

/// Whether an answer is everything there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completeness {
    Exact,
    /// There may be more; the reason is for people (`12 same-name uses could not be resolved`).
    AtLeast {
        because: String,
    },
}

/// The value of a successful query with its provenance.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    pub value: T,
    pub by: Engine,
    pub completeness: Completeness,
    /// Generation of the snapshot that answered.
    pub generation: u64,
}

impl<T> Answer<T> {
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Answer<U> {
        Answer {
            value: f(self.value),
            by: self.by,
            completeness: self.completeness,
            generation: self.generation,
        }
    }
}

/// A list that may have been cut: the flag cannot be lost on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capped<T> {
    pub items: Vec<T>,
    /// True when more items exist than are held.
    pub cut: bool,
}

impl<T> Capped<T> {
    pub fn whole(items: Vec<T>) -> Self {
        Self { items, cut: false }
    }

    /// Keeps the first `cap` items.
    pub fn cut_at(mut items: Vec<T>, cap: usize) -> Self {
        let cut = items.len() > cap;
        items.truncate(cap);
        Self { items, cut }
    }
}

/// Why a query gave no answer. None of these is ever shown as an empty list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryError {
    /// Nothing is called that; `similar` names near misses.
    NotFound { what: String, similar: Vec<String> },
    /// Several declarations match a target that must be one.
    Ambiguous { what: String, candidates: Vec<Symbol> },
    /// The name is not written in the grammar of its language; `examples` are valid ones.
    Grammar { what: String, examples: Vec<String> },
    /// No declaration or reference at the position.
    NothingHere { what: String },
    /// The name belongs to a library that the snapshot does not hold; a project symbol of the same name is never
    /// offered in its place.
    OutsideIndex { qualified_name: String },
    /// A member without text that the compiler makes; `from` are the declarations that it is made from.
    Made { qualified_name: String, from: Vec<Symbol> },
    /// A pattern of a search cannot be read (an invalid regular expression).
    BadPattern { message: String },
    /// The engine cannot answer this query for the language; `supported` lists those it can.
    Unsupported { query: &'static str, language: Option<Language>, supported: Vec<Language> },
    /// The file is unknown, gone or outside; refused and missing are not told apart.
    NoFile { path: String },
    /// The project has the file, but the index does not read it; `because` completes "it …".
    NotRead { path: String, because: String },
    /// The index is still being built.
    NotReady { what: String },
    /// The call ran into its time limit.
    DeadlineExceeded,
    /// The caller gave up.
    Cancelled,
    /// A file was written to while the call ran, and what was found so far may be of neither state.
    Changed { path: String },
    /// The engine failed; the text is for people, details are in the log.
    Failed { message: String },
}

/// Why a call should stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    Cancelled,
    Late,
}

/// The flag by which the owner of the clock stops a call. A clone is the same flag.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicU8>);

impl Stop {
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the call to end; the first reason stays.
    pub fn stop(&self, reason: StopReason) {
        let raw = match reason {
            StopReason::Cancelled => 1,
            StopReason::Late => 2,
        };
        // A second reason loses: the call is ending already.
        let _ = self.0.compare_exchange(0, raw, Ordering::Relaxed, Ordering::Relaxed);
    }

    pub fn reason(&self) -> Option<StopReason> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(StopReason::Cancelled),
            _ => Some(StopReason::Late),
        }
    }
}

/// The context of a query, beside its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Cx<'a> {
    pub stop: &'a Stop,
}

impl<'a> Cx<'a> {
    pub fn new(stop: &'a Stop) -> Self {
        Self { stop }
    }

    /// To be called in every loop over files.
    ///
    /// # Errors
    /// [`QueryError::Cancelled`] or [`QueryError::DeadlineExceeded`] once the call was stopped.
    pub fn check(self) -> Result<(), QueryError> {
        match self.stop.reason() {
            None => Ok(()),
            Some(StopReason::Cancelled) => Err(QueryError::Cancelled),
            Some(StopReason::Late) => Err(QueryError::DeadlineExceeded),
        }
    }
}
