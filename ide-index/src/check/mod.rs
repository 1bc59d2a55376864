//! Checks of code that compiles nothing: what a file says wrong for certain.
//!
//! Each check goes over the facts of one file with the resolver, has a stable code, and knows no language. Each language
//! says by its `Judge` what is certain there; where something could be there that the index does not see, a check is silent.

mod abstracts;
mod access;
mod calls;
mod duplicates;
mod fixes;
mod imports;
mod judge;
mod made;
mod members;
mod names;
mod overrides;
mod slips;
mod statements;
mod variables;
mod writes;

use ide_model::{Cx, Diagnostic, QueryError, Severity, SourceKind, TextRange};

use crate::facts::{Quality, RefFlags, RefId};
use crate::lang;
use crate::resolve::{FileView, Resolver};

pub use fixes::fixes;
pub(crate) use judge::{Arity, Judge, Silent, declared_arity};
pub(crate) use members::is_certain_value;
pub(crate) use names::is_read;
pub(crate) use slips::{is_misspelt, is_miswritten, is_slip_in_scope, is_slip_of};

/// One check: its code, how bad its findings are, and its look at a file.
struct Row {
    code: &'static str,
    severity: Severity,
    look: fn(&Check<'_>, &mut Vec<Finding>) -> Result<(), QueryError>,
}

/// A finding: its place and its message.
struct Finding {
    range: TextRange,
    message: String,
    /// The code, where it is not that of the check.
    code: Option<&'static str>,
}

impl Finding {
    fn new(range: TextRange, message: String) -> Self {
        Self { range, message, code: None }
    }
}

/// A statement that a compiler refuses: the code, the place and the message.
pub(crate) struct Refused {
    pub(crate) code: &'static str,
    pub(crate) range: TextRange,
    pub(crate) message: String,
}

const UNRESOLVED_IMPORT: &str = "unresolved-import";
const UNUSED_IMPORT: &str = "unused-import";

/// Every check, in the order in which they run.
const CHECKS: [Row; 20] = [
    Row { code: UNRESOLVED_IMPORT, severity: Severity::Error, look: imports::unresolved },
    Row { code: UNUSED_IMPORT, severity: Severity::Warning, look: imports::unused },
    Row { code: "unresolved-name", severity: Severity::Error, look: names::unresolved },
    Row { code: "unresolved-member", severity: Severity::Error, look: members::unresolved },
    Row { code: "argument-count", severity: Severity::Error, look: calls::argument_count },
    Row { code: "duplicate-declaration", severity: Severity::Error, look: duplicates::duplicates },
    Row { code: "missing-implementation", severity: Severity::Error, look: abstracts::missing },
    Row { code: "constant-assignment", severity: Severity::Error, look: writes::fixed },
    Row { code: "missing-value", severity: Severity::Error, look: writes::unset },
    Row { code: "unused-variable", severity: Severity::Error, look: variables::unused },
    Row { code: "captured-variable", severity: Severity::Error, look: variables::captured },
    Row { code: "overrides-nothing", severity: Severity::Error, look: overrides::nothing },
    Row { code: "missing-override", severity: Severity::Error, look: overrides::unsaid },
    Row { code: "abstract-instantiation", severity: Severity::Error, look: made::abstract_types },
    Row { code: "literal-fields", severity: Severity::Error, look: made::fields },
    Row { code: "argument-name", severity: Severity::Error, look: calls::argument_names },
    Row { code: statements::CODE, severity: Severity::Error, look: statements::refused },
    Row { code: "inaccessible-member", severity: Severity::Error, look: access::unreachable },
    Row { code: "nullable-receiver", severity: Severity::Error, look: access::behind_nothing },
    Row { code: "type-argument-count", severity: Severity::Error, look: access::type_arguments },
];

/// The code of errors of syntax.
pub(crate) const SYNTAX: &str = "syntax";

/// The codes of all checks.
pub fn codes() -> impl Iterator<Item = &'static str> {
    let own = CHECKS.iter().map(|row| row.code).filter(|code| *code != statements::CODE);
    [SYNTAX].into_iter().chain(own).chain(lang::STATEMENT_CODES)
}

/// A file under a check.
struct Check<'a> {
    rx: &'a Resolver,
    cx: Cx<'a>,
    file: &'a FileView,
    text: &'a str,
    judge: &'static dyn Judge,
    /// Parts that are not compiled.
    left_out: std::sync::Arc<[TextRange]>,
}

/// Everything that the checks find in a file, in no order. Files that are not wholly understood have no findings.
pub(crate) fn findings(
    rx: &Resolver,
    cx: Cx<'_>,
    file: &FileView,
    text: &str,
) -> Result<Vec<Diagnostic>, QueryError> {
    let entry = rx.world().file(file.id);
    let is_whole = file.quality == Quality::Full && file.errors.is_empty();
    let is_own = entry.source != SourceKind::Library && !entry.is_generated;
    if !is_whole || !is_own || !lang::has_policy(file.language()) {
        return Ok(Vec::new());
    }
    if rx.policy(file).is_conditional(rx, file.id) {
        return Ok(Vec::new());
    }
    let check = check_of(rx, cx, file, text);
    if !check.judge.is_built(file) {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for row in &CHECKS {
        cx.check()?;
        let mut found = Vec::new();
        (row.look)(&check, &mut found)?;
        found.retain(|found| check.is_compiled(found.range) && !check.is_set_aside(found.range));
        let is_refused = row.code == UNUSED_IMPORT && check.judge.refuses_unused();
        let severity = if is_refused { Severity::Error } else { row.severity };
        all.extend(found.into_iter().map(|found| Diagnostic {
            range: found.range,
            severity,
            code: found.code.unwrap_or(row.code),
            message: found.message,
        }));
    }
    // An import that leads nowhere is not reported as unused, too.
    let wrong: std::collections::HashSet<TextRange> =
        all.iter().filter(|one| one.code == UNRESOLVED_IMPORT).map(|one| one.range).collect();
    all.retain(|one| one.code != UNUSED_IMPORT || !wrong.contains(&one.range));
    Ok(all)
}

fn check_of<'a>(rx: &'a Resolver, cx: Cx<'a>, file: &'a FileView, text: &'a str) -> Check<'a> {
    let (judge, left_out) = (lang::judge(file.language()), rx.policy(file).left_out(rx, file));
    Check { rx, cx, file, text, judge, left_out }
}

impl Check<'_> {
    fn is_compiled(&self, range: TextRange) -> bool {
        !self.left_out.iter().any(|part| part.encloses(range))
    }

    /// Whether its author says that a line is to be left alone, on it or on the one before.
    fn is_set_aside(&self, range: TextRange) -> bool {
        const SAID: [&str; 11] = [
            "noqa",
            "type: ignore",
            "ty: ignore",
            "pyrefly: ignore",
            "pyright: ignore",
            "@ts-ignore",
            "@ts-expect-error",
            "eslint-disable",
            "nolint",
            "noinspection",
            "@phpstan-ignore",
        ];
        let (before, behind) = self.text.split_at_checked(range.start as usize).unwrap_or((self.text, ""));
        let mut above = before.rsplit('\n');
        let line = [above.next(), behind.split('\n').next(), above.next()];
        line.into_iter().flatten().any(|part| SAID.iter().any(|word| part.contains(word)))
    }

    /// Whether a reference is a name in plain code: not in a comment, a text or a macro, nor made by a rule.
    fn is_plain(&self, reference: RefId) -> bool {
        const ELSEWHERE: [RefFlags; 6] = [
            RefFlags::IN_DOC,
            RefFlags::IN_STRING,
            RefFlags::IN_MACRO,
            RefFlags::DYNAMIC,
            RefFlags::IMPLICIT,
            RefFlags::DELETE,
        ];
        let flags = self.file.reference(reference).flags;
        !ELSEWHERE.iter().any(|flag| flags.has(*flag))
    }
}
