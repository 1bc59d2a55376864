//! One file as changes inside of code see it: its facts, its tree, and ways to refuse and to finish.

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_model::{Conflict, ConflictKind, EditPlan, QueryError, Refactored, TextRange};

use super::draft::Draft;
use super::tree::{NodeId, Syntax, has};
use super::types::TypeWriter;
use super::verify::Verification;
use super::{RefactorContext, conflict, write_up};
use crate::facts::{Expr, ExprId, TypeExpr};
use crate::guard;
use crate::resolve::FileView;
use crate::world::{FileId, GlobalDef};

/// Why nothing is planned. Large beside what is returned otherwise.
pub(super) type Refused = Box<Conflict>;

/// The outcome of planning: a value, a refusal, or a failure.
pub(super) type Outcome<T> = Result<Result<T, Refused>, QueryError>;

pub(super) struct Scene<'a> {
    pub(super) ctx: &'a RefactorContext<'a>,
    pub(super) file: FileId,
    pub(super) view: Arc<FileView>,
    pub(super) syntax: Arc<Syntax>,
}

impl<'a> Scene<'a> {
    /// Reads a file.
    ///
    /// # Errors
    /// The errors of [`Syntax::read`].
    pub(super) fn open(ctx: &'a RefactorContext<'a>, file: FileId) -> Result<Self, QueryError> {
        let view = ctx.pool.with(|rx| rx.shared_file(file));
        let text = (ctx.text)(file)?;
        let syntax = ctx.syntax(&view, text.text.clone())?;
        Ok(Self { ctx, file, view, syntax })
    }

    pub(super) fn refusal(&self, kind: ConflictKind, message: impl Into<String>, at: TextRange) -> Refused {
        Box::new(conflict(kind, message, Some(self.ctx.at(self.file, at))))
    }

    pub(super) fn form<T>(&self, message: impl Into<String>, at: TextRange) -> Result<T, Refused> {
        Err(self.refusal(ConflictKind::Form, message, at))
    }

    /// The type of a value as this file could write it.
    pub(super) fn type_of(&self, value: NodeId) -> Option<String> {
        self.ctx.pool.with(|rx| {
            TypeWriter { ctx: self.ctx, rx, file: &self.view, syntax: &self.syntax }.of_value(value)
        })
    }

    /// The type of a local variable as this file could write it.
    pub(super) fn type_of_variable(&self, name: TextRange) -> Option<String> {
        self.ctx.pool.with(|rx| {
            TypeWriter { ctx: self.ctx, rx, file: &self.view, syntax: &self.syntax }.of_variable(name)
        })
    }

    /// The types of all that a call gives; see [`TypeWriter::results_of`].
    pub(super) fn results_of(&self, call: NodeId) -> Option<Vec<Option<String>>> {
        self.ctx.pool.with(|rx| {
            TypeWriter { ctx: self.ctx, rx, file: &self.view, syntax: &self.syntax }.results_of(call)
        })
    }

    /// Whether a value is something new each time, or does something when it is made.
    pub(super) fn is_once(&self, value: NodeId) -> bool {
        self.syntax.has_effects(value)
            || self.syntax.below(value).into_iter().any(|id| has(MADE, self.syntax.kind(id)))
    }

    /// The lines of a range with their end, when nothing else stands on them; else the range.
    pub(super) fn lines(&self, range: TextRange) -> TextRange {
        let text = &self.syntax.text;
        let start = self.syntax.line_start(range.start);
        let rest = &text[range.end as usize..];
        let line = rest.split_inclusive('\n').next().unwrap_or("");
        let is_alone = text[start as usize..range.start as usize].trim().is_empty() && line.trim().is_empty();
        if is_alone { TextRange::new(start, range.end + line.len() as u32) } else { range }
    }

    /// [`Self::lines`] of a declaration with the blank lines behind it, or those before it where nothing follows.
    pub(super) fn paragraph(&self, range: TextRange) -> TextRange {
        let lines = self.lines(range);
        if lines == range {
            return range;
        }
        let text = &self.syntax.text;
        let is_blank = |line: &&str| line.ends_with('\n') && line.trim().is_empty();
        let above = || text[..lines.start as usize].split_inclusive('\n').rev().take_while(is_blank);
        let below = text[lines.end as usize..].split_inclusive('\n').take_while(is_blank);
        let end = lines.end + below.map(str::len).sum::<usize>() as u32;
        let rest = text[end as usize..].trim_start_matches([' ', '\t']);
        let ends_block = self.syntax.shape.by_indent
            && self.syntax.indent_at(end).len() < self.syntax.indent_at(lines.start).len();
        if rest.is_empty() || rest.starts_with('}') || ends_block {
            return TextRange::new(lines.start - above().map(str::len).sum::<usize>() as u32, lines.end);
        }
        let before = text[..lines.start as usize].trim_end_matches([' ', '\t', '\r', '\n']);
        let opens = lines.start == 0 || above().next().is_some() || before.ends_with(['{', ':']);
        TextRange::new(lines.start, if opens { end } else { lines.end })
    }
}

/// Kinds that make something with an identity of its own.
pub(super) const MADE: &str = "array object list dictionary set list_comprehension set_comprehension dictionary_comprehension \
    generator_expression composite_literal array_creation_expression array_initializer object_literal lambda \
    lambda_expression lambda_literal anonymous_function arrow_function function_expression func_literal \
    closure_expression generator_function class jsx_element jsx_self_closing_element regex struct_expression \
    array_expression collection_literal method_reference callable_reference async_block";

/// The last name of the trait that a member belongs to, and whether it is the trait itself that declares it.
pub(super) fn trait_around(scene: &Scene<'_>, def: GlobalDef) -> Option<(String, bool)> {
    let syntax = &scene.syntax;
    let function = syntax.parent(syntax.around(scene.view.def(def.def).name_range))?;
    let holder = syntax.parent(syntax.parent(function)?)?;
    let name = match syntax.kind(holder) {
        "trait_item" => syntax.field(holder, "name")?,
        "impl_item" => syntax.field(holder, "trait")?,
        _ => return None,
    };
    let text = syntax.text_of(name).split('<').next()?.rsplit("::").next()?.trim();
    Some((text.to_owned(), syntax.kind(holder) == "trait_item"))
}

/// Whether what stands above a function says nothing that the body would miss elsewhere.
pub(super) fn is_remark(home: &Scene<'_>, decorator: ExprId) -> bool {
    match home.view.expr(decorator) {
        Expr::Ref(r) => has(REMARKS, home.view.ref_name(r)),
        Expr::Call { callee, .. } => guard::deeper(|| is_remark(home, callee)).unwrap_or(false),
        Expr::New { ty, .. } => match home.view.ty(ty) {
            TypeExpr::Named { name, .. } => has(REMARKS, home.view.ref_name(name)),
            _ => false,
        },
        _ => false,
    }
}

/// Annotations of a function for compilers and readers.
const REMARKS: &str = "Override SuppressWarnings staticmethod Nullable NonNull NotNull Deprecated Suppress override final \
    inline cold must_use doc allow expect warn deny deprecated ReturnTypeWillChange SafeVarargs Contract";

/// Writes a draft up and holds it against the scratch world.
pub(super) fn finish(
    ctx: &RefactorContext<'_>,
    title: String,
    draft: Result<(Draft, Vec<String>), Refused>,
    names: &[&str],
) -> Result<Refactored, QueryError> {
    let mut out = Refactored { plan: EditPlan::new(title.clone()), ..Refactored::default() };
    let (draft, warnings) = match draft {
        Ok(found) => found,
        Err(conflict) => {
            out.conflicts.push(*conflict);
            return Ok(out);
        }
    };
    out.warnings = warnings;
    let (effect, landmarks) = draft.finish(ctx, &mut out.conflicts)?;
    let (plan, rewrites) = write_up(ctx, title, &effect, &mut out.conflicts)?;
    out.plan = plan;
    if !rewrites.is_empty() {
        let check = Verification::new(ctx, (ctx.scratch)(&rewrites)?, &effect);
        let names: BTreeSet<Arc<str>> = names.iter().map(|name| Arc::from(*name)).collect();
        out.conflicts.extend(check.run(&names, &BTreeSet::new(), &[])?);
        out.landmarks = landmarks;
    }
    out.conflicts.dedup();
    Ok(out)
}
