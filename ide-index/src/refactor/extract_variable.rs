//! A value gets a name: a variable before the statement that it is part of.

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_model::{Conflict, ConflictKind, EditPlan, FilePath, QueryError, Refactored, SymbolKind, TextRange};

use super::copies::copied_place;
use super::draft::{Draft, Piece};
use super::evaluation::changed_by;
use super::flow::Flow;
use super::inference::{is_open_call, is_untyped_number, said_by_place, takes_type_from_place};
use super::narrowing::relying_place;
use super::no_value::why_no_value;
use super::scene::Scene;
use super::temporaries::borrows_temporary;
use super::tree::{DOCUMENTATION, NodeId, SPELLED_OUT, Syntax, Wrap, has};
use super::types::TypeWriter;
use super::verify::Verification;
use super::{RefactorContext, conflict, write_up};
use crate::facts::{DefFlags, Role};
use crate::lang::names;
use crate::query::file_id;
use crate::resolve::{FileView, Resolver};
use crate::world::FileId;

/// Plans that the value at a place gets a name; see [`ide_model::Refactoring::ExtractVariable`].
///
/// # Errors
/// [`QueryError::Unsupported`] for languages without a table.
pub(super) fn extract_variable(
    ctx: &RefactorContext<'_>,
    path: &FilePath,
    range: TextRange,
    name: &str,
    replace_all: bool,
) -> Result<Refactored, QueryError> {
    let file = file_id(&**ctx.pool.world(), path)?;
    let scene = Scene::open(ctx, file)?;
    let (view, syntax) = (&*scene.view, &scene.syntax);
    let name = name.strip_prefix(syntax.shape.sigil).unwrap_or(name);
    let title = format!("extract variable {name}");
    let mut out = Refactored { plan: EditPlan::new(title.clone()), ..Refactored::default() };
    let job = Job { ctx, scene: &scene, file, view, syntax, name };
    let found =
        job.spelling().and_then(|()| job.chosen(range)).and_then(|value| job.plan(value, replace_all));
    let plan = match found {
        Ok(plan) => plan,
        Err(conflict) => {
            out.conflicts.push(*conflict);
            return Ok(out);
        }
    };
    out.warnings = plan.warnings;
    let (effect, landmarks) = plan.draft.finish(ctx, &mut out.conflicts)?;
    let (edits, rewrites) = write_up(ctx, title, &effect, &mut out.conflicts)?;
    out.plan = edits;
    if !rewrites.is_empty() {
        let check = Verification::new(ctx, (ctx.scratch)(&rewrites)?, &effect);
        out.conflicts.extend(check.run(&BTreeSet::from([Arc::from(name)]), &BTreeSet::new(), &[])?);
        out.landmarks = landmarks;
    }
    out.conflicts.dedup();
    Ok(out)
}

/// Refusals are large beside what is returned otherwise.
pub(super) type Refused = Box<Conflict>;

struct Job<'a> {
    ctx: &'a RefactorContext<'a>,
    scene: &'a Scene<'a>,
    file: FileId,
    view: &'a FileView,
    syntax: &'a Syntax,
    name: &'a str,
}

struct Plan {
    draft: Draft,
    warnings: Vec<String>,
}

/// The place of the declaration.
enum Anchor {
    /// Before this statement.
    Statement(NodeId),
    /// Into a block that is made around this node.
    Wrap(NodeId, &'static Wrap),
}

impl Anchor {
    fn node(&self) -> NodeId {
        match self {
            Self::Statement(node) | Self::Wrap(node, _) => *node,
        }
    }
}

impl Job<'_> {
    fn refuse<T>(&self, kind: ConflictKind, message: impl Into<String>, at: TextRange) -> Result<T, Refused> {
        Err(Box::new(conflict(kind, message, Some(self.ctx.at(self.file, at)))))
    }

    fn types<T: Send>(&self, ask: impl FnOnce(&TypeWriter<'_>) -> T + Send) -> T {
        self.ctx.pool.with(|rx| ask(&TypeWriter { ctx: self.ctx, rx, file: self.view, syntax: self.syntax }))
    }

    fn spelling(&self) -> Result<(), Refused> {
        match names::naming_problem(self.view.language(), self.name, SymbolKind::Variable, false) {
            Some(problem) => {
                let message = format!("the name `{}` {problem}", self.name);
                Err(Box::new(conflict(ConflictKind::InvalidName, message, None)))
            }
            None => Ok(()),
        }
    }

    /// The value that a place or a selection means.
    fn chosen(&self, range: TextRange) -> Result<NodeId, Refused> {
        let syntax = self.syntax;
        let node = if range.is_empty() {
            let inner = syntax.around(range);
            syntax.ancestors(inner).find(|id| syntax.is_expression(*id) && !self.is_callee(*id))
        } else {
            let range = trimmed(&syntax.text, range);
            let inner = syntax.around(range);
            let fits = |id: &NodeId| syntax.range(*id) == range && syntax.is_expression(*id);
            syntax.ancestors(inner).take_while(|id| syntax.range(*id) == range).find(fits)
        };
        match node.map(|node| inside_of_head(syntax, node)) {
            Some(node) => self.is_value(node).map(|()| node),
            None => self.refuse(
                ConflictKind::Form,
                "there is no whole expression here that could have a name",
                range,
            ),
        }
    }

    fn is_callee(&self, id: NodeId) -> bool {
        let syntax = self.syntax;
        let Some(parent) = syntax.parent(id) else { return false };
        syntax.is_in(parent, syntax.shape.calls)
            && (["function", "constructor"].contains(&syntax.node(id).field)
                || syntax.node(id).field.is_empty() && syntax.named(parent).next() == Some(id))
    }

    /// Refuses what is no value, or another one by itself.
    fn is_value(&self, id: NodeId) -> Result<(), Refused> {
        let (syntax, range) = (self.syntax, self.syntax.range(id));
        let form = |message: &str| self.refuse(ConflictKind::Form, message.to_owned(), range);
        if self.is_callee(id) {
            return form("the callee would lose its receiver; select the whole call");
        }
        if syntax.is_place(id) {
            return form("this is written to or names a place; a copy of its value is not enough");
        }
        if syntax.is_in(id, syntax.shape.assignments) {
            return form("an assignment is not a value");
        }
        if self.ctx.pool.with(|rx| copied_place(rx, self.view, syntax, id)) {
            return form(
                "this place is written to, or a reference to it is taken, here; a copy of its value is not enough",
            );
        }
        let kind = syntax.kind(id);
        let text = syntax.text_of(id);
        let owned = syntax.shape.this == "self" && !syntax.shape.escapes.is_empty();
        if owned && has("field_expression index_expression", kind) && !self.is_arithmetic(id) {
            return form("naming it would move the value out of its place; choose a reference to it");
        }
        // Macros that format take references by themselves.
        if owned && syntax.stands_in(id, "macro_arguments") && text.trim_start_matches('(').starts_with('*') {
            return form("naming it would move the value out of its place; choose a reference to it");
        }
        if owned && self.types(|types| borrows_temporary(types, id)) {
            return form(
                "it borrows a value that lives no longer than this statement; name that value first",
            );
        }
        if syntax.is_spelled_out(id) {
            return form(SPELLED_OUT);
        }
        if syntax.is_documentation(id) {
            return form(DOCUMENTATION);
        }
        if let Some(why) = self.ctx.pool.with(|rx| why_no_value(rx, self.view, syntax, id)) {
            return form(why);
        }
        if syntax.is_in(id, syntax.shape.adaptable) {
            return form("its type comes from the place where it stands");
        }
        if kind == "object_creation_expression" && text.contains("<>") {
            return form("its type arguments come from the place where it stands");
        }
        Ok(())
    }

    /// Whether only the value counts where something stands: numbers are copied.
    fn is_arithmetic(&self, id: NodeId) -> bool {
        self.syntax.parent(id).is_some_and(|parent| self.syntax.is_in(parent, self.syntax.shape.binary))
    }

    /// The place where the variable can be declared so that the value is still computed once, at the same
    /// time.
    fn anchor(&self, value: NodeId) -> Result<Anchor, Refused> {
        let (syntax, shape) = (self.syntax, self.syntax.shape);
        let range = syntax.range(value);
        let mut at = value;
        loop {
            let Some(parent) = syntax.parent(at) else {
                return self.refuse(ConflictKind::Form, "it is not part of a statement in a function", range);
            };
            let barrier = shape.barriers.iter().find(|(places, _)| syntax.stands_in(at, places));
            if let Some((_, why)) = barrier.filter(|_| !self.is_first_source(value, at, parent)) {
                return self.refuse(
                    ConflictKind::Form,
                    format!("a variable cannot be put before it: {why}"),
                    syntax.range(at),
                );
            }
            if self.is_behind_chain(at, parent) {
                let why = "it is evaluated only if the receiver of `?.` is not null";
                return self.refuse(
                    ConflictKind::Form,
                    format!("a variable cannot be put before it: {why}"),
                    syntax.range(at),
                );
            }
            if syntax
                .field(parent, "initializer")
                .is_some_and(|first| first != at && syntax.range(first).end <= syntax.range(at).start)
            {
                let why = "the statement before it in the same head runs first";
                return self.refuse(
                    ConflictKind::Form,
                    format!("a variable cannot be put before it: {why}"),
                    syntax.range(at),
                );
            }
            if syntax.is_statement(at) {
                return Ok(Anchor::Statement(at));
            }
            let wrap = shape.wraps.iter().find(|wrap| syntax.stands_in(at, wrap.place));
            if let Some(wrap) = wrap.filter(|_| !syntax.is_in(at, shape.blocks)) {
                return self.can_wrap(at, parent, wrap).map(|()| Anchor::Wrap(at, wrap));
            }
            if syntax.is_in(parent, shape.types) || syntax.is_in(parent, shape.functions) {
                return self.refuse(ConflictKind::Form, "it is not part of a statement in a function", range);
            }
            at = parent;
        }
    }

    /// Whether a value lies in what the first `for` of a comprehension goes through: that is evaluated once.
    fn is_first_source(&self, value: NodeId, clause: NodeId, comprehension: NodeId) -> bool {
        let syntax = self.syntax;
        let is_clause = |id: &NodeId| syntax.kind(*id) == "for_in_clause";
        let source = syntax.field(clause, "right").filter(|_| is_clause(&clause));
        syntax.named(comprehension).find(is_clause) == Some(clause)
            && source.is_some_and(|source| syntax.range(source).encloses(syntax.range(value)))
    }

    /// Whether a node is an argument of a call that happens only if its object is there.
    fn is_behind_chain(&self, at: NodeId, parent: NodeId) -> bool {
        let syntax = self.syntax;
        let first = syntax.children(parent).first().copied();
        if !syntax.is_in(parent, syntax.shape.calls)
            && !has("subscript_expression index_expression", syntax.kind(parent))
        {
            return false;
        }
        let before = TextRange::new(syntax.range(parent).start, syntax.range(at).start);
        first != Some(at) && ["?.", "?->"].iter().any(|mark| syntax.slice(before).contains(mark))
    }

    fn can_wrap(&self, at: NodeId, parent: NodeId, wrap: &Wrap) -> Result<(), Refused> {
        let syntax = self.syntax;
        let is_lambda = syntax.kind(parent) == "lambda_expression";
        let runs_only = has("method_invocation object_creation_expression", syntax.kind(at));
        if is_lambda && runs_only {
            let why = "whether the lambda gives a value is not known, so its body cannot be made a block";
            return self.refuse(ConflictKind::Form, why, syntax.range(at));
        }
        if !wrap.instead_of.is_empty() {
            let function = syntax.parent(parent);
            let has_type = function.is_some_and(|f| {
                syntax.named(f).any(|child| has("user_type nullable_type function_type", syntax.kind(child)))
            });
            if !has_type {
                let why = "the function declares no result type, which a body of statements needs";
                return self.refuse(ConflictKind::Form, why, syntax.range(at));
            }
        }
        Ok(())
    }

    fn plan(&self, value: NodeId, replace_all: bool) -> Result<Plan, Refused> {
        let (syntax, shape) = (self.syntax, self.syntax.shape);
        let mut warnings = Vec::new();
        let mut anchor = self.anchor(value)?;
        let mut values = vec![value];
        if replace_all {
            values = self.equals(value, &anchor, &mut warnings)?;
            // A number of Rust has the type that its place asks for.
            if values.len() > 1 && is_untyped_number(syntax, value) {
                let message = "each of these numbers takes its type from its place";
                return self.refuse(ConflictKind::Form, message, syntax.range(value));
            }
            anchor = self.anchor(values[0])?;
        }
        let first = values[0];
        if values.len() > 1 && syntax.has_effects(value) {
            warnings.push(format!("{} evaluations become one", values.len()));
        }
        self.is_new_name(anchor.node())?;
        self.adds_no_member(anchor.node())?;
        self.order(first, &anchor)?;
        if syntax.is_in(value, shape.calls) || syntax.is_in(value, "await_expression await") {
            self.gives_a_value(value)?;
        }
        self.tells_nothing(first, &values)?;
        let declare = self.declaration(value, &mut warnings)?;
        let mut draft = Draft::default();
        let whole = self.whole_statement(first, &anchor);
        let declared = self.pieces(&declare, syntax.range(first));
        let indent = syntax.indent_at(syntax.range(anchor.node()).start).to_owned();
        match anchor {
            Anchor::Statement(statement) if whole => {
                let range = syntax.range(statement);
                let is_terminated = shape.end.is_empty() || syntax.text_of(statement).ends_with(shape.end);
                let mut declared = declared;
                if !is_terminated && let Some(Piece::New(last)) = declared.last_mut() {
                    *last = last.trim_end_matches(shape.end).to_owned();
                }
                draft.replace(self.file, range, declared);
            }
            Anchor::Statement(statement) => {
                let start = syntax.range(statement).start;
                let mut pieces = declared;
                pieces.push(Piece::new(self.separator(statement, &indent)?));
                draft.insert(self.file, start, pieces);
                self.replace(&mut draft, &values);
            }
            Anchor::Wrap(node, wrap) => self.wrap(&mut draft, &values, (node, wrap), declared),
        }
        Ok(Plan { draft, warnings })
    }

    /// A test that is no test any more must not be what makes sure of something.
    fn tells_nothing(&self, first: NodeId, values: &[NodeId]) -> Result<(), Refused> {
        let place = self.types(|types| relying_place(types, first, values));
        match place {
            Some(place) => {
                let message = format!(
                    "`{}` relies on this test, and would not see it behind a name",
                    self.syntax.slice(place)
                );
                self.refuse(ConflictKind::Form, message, place)
            }
            None => Ok(()),
        }
    }

    /// Between the declaration and the statement.
    fn separator(&self, statement: NodeId, indent: &str) -> Result<String, Refused> {
        let (syntax, shape) = (self.syntax, self.syntax.shape);
        let start = syntax.range(statement).start;
        let before = syntax.slice(TextRange::new(syntax.line_start(start), start));
        if before.trim().is_empty() {
            return Ok(format!("\n{indent}"));
        }
        if shape.by_indent && syntax.text_of(statement).contains(":\n") {
            return self.refuse(
                ConflictKind::Form,
                "the statement shares its line with others",
                syntax.range(statement),
            );
        }
        Ok(if shape.end.is_empty() { "; ".to_owned() } else { " ".to_owned() })
    }

    fn replace(&self, draft: &mut Draft, values: &[NodeId]) {
        for value in values {
            draft.replace(self.file, self.syntax.range(*value), vec![Piece::new(self.use_at(*value))]);
        }
    }

    /// The variable in the place of a value.
    fn use_at(&self, value: NodeId) -> String {
        let syntax = self.syntax;
        let name = format!("{}{}", syntax.shape.sigil, self.name);
        if syntax.is_markup(value) {
            return format!("{{{name}}}");
        }
        let before = syntax.text[..syntax.range(value).start as usize].chars().next_back();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        // `return(a + b)` and `in(a)` need no blank before the bracket.
        if before.is_some_and(is_word) { format!(" {name}") } else { name }
    }

    /// A block around a node that begins with the declaration.
    fn wrap(
        &self,
        draft: &mut Draft,
        values: &[NodeId],
        (node, wrap): (NodeId, &Wrap),
        mut declared: Vec<Piece>,
    ) {
        let syntax = self.syntax;
        let range = syntax.range(node);
        let line = syntax.parent(node).map_or(range.start, |parent| syntax.range(parent).start);
        let outer = syntax.indent_at(line).to_owned();
        let inner = format!("{outer}{}", syntax.indent_unit());
        let mut pieces = vec![Piece::new(format!("{{\n{inner}"))];
        pieces.append(&mut declared);
        let is_whole = values.len() == 1
            && syntax.kind(node) == syntax.shape.expression_statement
            && syntax.parent(values[0]) == Some(node);
        if is_whole {
            pieces.push(Piece::new(format!("\n{outer}}}")));
            draft.replace(self.file, range, pieces);
            return;
        }
        pieces.push(Piece::new(format!("\n{inner}{}", wrap.lead)));
        let mut at = range.start;
        for value in values {
            let place = syntax.range(*value);
            pieces.push(Piece::Old(self.file, TextRange::new(at, place.start)));
            pieces.push(Piece::new(self.use_at(*value)));
            at = place.end;
        }
        pieces.push(Piece::Old(self.file, TextRange::new(at, range.end)));
        pieces.push(Piece::new(format!("{}\n{outer}}}", wrap.tail)));
        let mut from = range.start;
        if !wrap.instead_of.is_empty() {
            let before = syntax.text[..from as usize].trim_end();
            from = before.strip_suffix(wrap.instead_of).unwrap_or(before).len() as u32;
        }
        draft.replace(self.file, TextRange::new(from, range.end), pieces);
    }

    fn pieces(&self, declare: &str, value: TextRange) -> Vec<Piece> {
        let (before, rest) = declare.split_once("{name}").unwrap_or((declare, ""));
        let (between, after) = rest.split_once("{value}").unwrap_or((rest, ""));
        let mut pieces = vec![
            Piece::new(before),
            Piece::Name(self.name.to_owned()),
            Piece::new(between),
            Piece::Old(self.file, value),
            Piece::new(after),
        ];
        pieces.retain(|piece| !matches!(piece, Piece::New(text) if text.is_empty()));
        pieces
    }

    /// The template of the declaration with its type.
    fn declaration(&self, value: NodeId, warnings: &mut Vec<String>) -> Result<String, Refused> {
        let (syntax, shape) = (self.syntax, self.syntax.shape);
        let is_literal = syntax.below(value).into_iter().all(|id| {
            let node = syntax.node(id);
            !node.is_named
                || syntax.is_in(id, shape.literals)
                || syntax.ancestors(id).any(|up| syntax.is_in(up, shape.strings))
                || has("unary_expression parenthesized_expression binary_expression", node.kind)
        });
        if !shape.declare_typed.is_empty() && self.types(|types| takes_type_from_place(types, value)) {
            return match self.types(|types| said_by_place(types, value)) {
                Some(ty) => Ok(shape.declare_typed.replace("{type}", &ty)),
                None => {
                    let message = "its type comes from the place where it stands";
                    self.refuse(ConflictKind::Form, message, syntax.range(value))
                }
            };
        }
        if self.types(|types| is_open_call(types, value)) {
            let message = "its type arguments come from the place where it stands; write them first";
            return self.refuse(ConflictKind::Form, message, syntax.range(value));
        }
        let declare = if is_literal { shape.declare_literal } else { shape.declare };
        if !declare.contains("{type}") {
            return Ok(declare.to_owned());
        }
        let ty = self.types(|types| types.of_value(value));
        let ty = match ty {
            Some(ty) => ty,
            None if self.is_generic_call(value) => {
                let why = "its type depends on the place where it stands, and is not known";
                return self.refuse(ConflictKind::Form, why, syntax.range(value));
            }
            None => {
                warnings.push("the type is not known; `var` needs Java 10 or later".to_owned());
                "var".to_owned()
            }
        };
        Ok(declare.replace("{type}", &ty))
    }

    /// Whether a call may take its type arguments from what is expected of it.
    fn is_generic_call(&self, value: NodeId) -> bool {
        let syntax = self.syntax;
        if !has("method_invocation", syntax.kind(value)) {
            return syntax.kind(value) == "ternary_expression" || syntax.kind(value) == "switch_expression";
        }
        if syntax.field(value, "type_arguments").is_some() {
            return false;
        }
        let Some(name) = syntax.field(value, "name").map(|id| syntax.range(id)) else { return true };
        self.ctx.pool.with(|rx| {
            let call = self.view.by_place().refs.at(name).next();
            let Some(call) = call else { return true };
            let resolved = rx.resolve(self.view.global_ref(call));
            let mut defs = resolved.resolution.defs().peekable();
            defs.peek().is_none() || defs.any(|def| !rx.type_params(def).is_empty())
        })
    }

    /// Whether an expression is what a lambda or a branch gives, in a language in which any expression is a statement.
    fn is_result(&self, at: NodeId) -> bool {
        let syntax = self.syntax;
        let Some(parent) = syntax.parent(at) else { return false };
        let is_branch =
            has("if_expression when_entry when_expression try_expression catch_block", syntax.kind(parent));
        if !syntax.is_in(parent, syntax.shape.blocks) {
            return if is_branch { self.is_result(parent) } else { syntax.kind(at) != "block" };
        }
        let is_last = syntax.named(parent).rfind(|id| !syntax.kind(*id).ends_with("comment")) == Some(at);
        is_last && (syntax.kind(parent) == "lambda_literal" || self.is_result(parent))
    }

    /// Whether the statement is nothing but the value.
    fn whole_statement(&self, value: NodeId, anchor: &Anchor) -> bool {
        let syntax = self.syntax;
        let Anchor::Statement(statement) = anchor else { return false };
        *statement == value && syntax.shape.expression_statement.is_empty() && !self.is_result(value)
            || syntax.kind(*statement) == syntax.shape.expression_statement
                && syntax.parent(value) == Some(*statement)
    }

    /// Calls that give nothing cannot have a name.
    fn gives_a_value(&self, value: NodeId) -> Result<(), Refused> {
        let syntax = self.syntax;
        let parent = syntax.parent(value);
        let is_statement = syntax.is_statement(value)
            || parent.is_some_and(|parent| syntax.kind(parent) == syntax.shape.expression_statement);
        let shares = parent.is_some_and(|parent| {
            has("expression_list argument_list return_statement", syntax.kind(parent))
                && syntax.named(parent).count() == 1
        });
        let is_go = syntax.shape.declare.contains(":=");
        if !(is_statement || is_go && shares) {
            return Ok(());
        }
        let typed = is_go || syntax.shape.declare.contains("{type}");
        if !typed || has("object_creation_expression new_expression", syntax.kind(value)) {
            return Ok(());
        }
        let (known, results) = self.types(|types| (types.of_value(value).is_some(), types.results_of(value)));
        let message = match results.map(|results| results.len()) {
            Some(0) => "this call gives no value",
            Some(1) => return Ok(()),
            Some(_) => "this call gives several values",
            None if known => return Ok(()),
            None if is_statement => "it is not known whether this call gives a value",
            None => "it is not known whether this call gives one value or several",
        };
        self.refuse(ConflictKind::Form, message, syntax.range(value))
    }

    /// The name must be new in the whole function.
    fn is_new_name(&self, at: NodeId) -> Result<(), Refused> {
        let (syntax, view) = (self.syntax, self.view);
        let scope = syntax.member_of(at).map_or_else(|| syntax.range(syntax.root()), |id| syntax.range(id));
        let other = view.def_ids().find(|def| {
            let d = view.def(*def);
            view.def_name(*def) == self.name
                && scope.encloses(d.name_range)
                && (d.flags.has(DefFlags::LOCAL) || syntax.member_of(at).is_none())
        });
        match other {
            Some(other) => {
                let message = format!("`{}` is declared in this function already", self.name);
                self.refuse(ConflictKind::Collision, message, view.def(other).name_range)
            }
            None => Ok(()),
        }
    }

    /// Where the body of a class runs like any block, a new name in it is another member: of a class that its bases or
    /// decorators make something of, a field or a case.
    fn adds_no_member(&self, at: NodeId) -> Result<(), Refused> {
        let syntax = self.syntax;
        let is_border =
            |id: &NodeId| syntax.kind(*id) == "class_definition" || syntax.is_in(*id, syntax.shape.functions);
        let around = syntax.ancestors(at).skip(1).find(is_border).filter(|_| syntax.shape.by_indent);
        let Some(class) = around.filter(|id| syntax.kind(*id) == "class_definition") else { return Ok(()) };
        let is_decorated = syntax.parent(class).is_some_and(|id| syntax.kind(id) == "decorated_definition");
        if !is_decorated && syntax.field(class, "superclasses").is_none() {
            return Ok(());
        }
        let why = "a name in the body of this class is one more member of it, which its bases or decorators may take up";
        self.refuse(ConflictKind::Form, why, syntax.range(at))
    }

    /// Code of the statement before the value now runs after it.
    fn order(&self, value: NodeId, anchor: &Anchor) -> Result<(), Refused> {
        let (syntax, shape) = (self.syntax, self.syntax.shape);
        let range = syntax.range(value);
        let before_it = TextRange::new(syntax.range(anchor.node()).start, range.start);
        if let Some(early) = self.ctx.pool.with(|rx| self.declared_in(rx, before_it, range)) {
            let why = "it uses what the same statement declares before it";
            return self.refuse(
                ConflictKind::Form,
                format!("a variable cannot be put before it: {why}"),
                early,
            );
        }
        let before =
            syntax.run_by(anchor.node()).into_iter().filter(|id| syntax.range(*id).end <= range.start);
        let mut effects: Vec<NodeId> = before.filter(|id| syntax.is_in(*id, shape.effects)).collect();
        if syntax.is_constant(value) || effects.is_empty() {
            return Ok(());
        }
        effects.retain(|id| !syntax.is_in(*id, "class_body"));
        if let Some(write) = effects.iter().find(|id| syntax.is_in(**id, shape.assignments)) {
            let why = "something is written before it in the same statement";
            return self.refuse(
                ConflictKind::Form,
                format!("a variable cannot be put before it: {why}"),
                syntax.range(*write),
            );
        }
        match changed_by(self.scene, value, &effects) {
            Some(why) => self.refuse(
                ConflictKind::Form,
                format!("a variable cannot be put before it: {why}"),
                syntax.range(value),
            ),
            None => Ok(()),
        }
    }

    /// The name of something that is declared in one range and used in another.
    fn declared_in(&self, rx: &Resolver, declared: TextRange, used: TextRange) -> Option<TextRange> {
        let view = self.view;
        let uses = view.by_place().refs.within(used);
        uses.map(|r| rx.resolve(view.global_ref(r))).find_map(|resolved| {
            let own = resolved.resolution.defs().filter(|def| def.file == self.file);
            let mut names = own.map(|def| view.def(def.def).name_range);
            names.find(|name| declared.encloses(*name))
        })
    }

    /// Values that read the same as the chosen one, stand in the block of its statement or deeper, and cannot have changed
    /// between; in order.
    fn equals(
        &self,
        value: NodeId,
        anchor: &Anchor,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<NodeId>, Refused> {
        let syntax = self.syntax;
        let words = syntax.words(value);
        let home = syntax.member_of(value).unwrap_or(syntax.root());
        let mut all: Vec<NodeId> = syntax.below(home);
        all.retain(|id| {
            syntax.is_expression(*id)
                && syntax.kind(*id) == syntax.kind(value)
                && (*id == value || self.is_value(*id).is_ok())
                && syntax.words(*id) == words
        });
        let found = all.len();
        let block = match anchor {
            Anchor::Statement(statement) => syntax.parent(*statement).unwrap_or(syntax.root()),
            Anchor::Wrap(node, _) => *node,
        };
        all.retain(|id| syntax.range(block).encloses(syntax.range(*id)));
        // One that is made only sometimes cannot stand for those behind it.
        let is_first = |id: NodeId| {
            id == value
                || match (self.anchor(id), anchor) {
                    (Ok(Anchor::Statement(other)), Anchor::Statement(_)) => {
                        syntax.parent(other) == Some(block)
                    }
                    (Ok(Anchor::Wrap(other, _)), Anchor::Wrap(node, _)) => other == *node,
                    _ => false,
                }
        };
        while !is_first(all[0]) {
            all.remove(0);
        }
        if all.len() < found {
            warnings.push(format!("{} equal expressions elsewhere in the function stay", found - all.len()));
        }
        let (first, last) = (all[0], all[all.len() - 1]);
        if first != last {
            let mut region = TextRange::new(syntax.range(first).start, syntax.range(last).end);
            for at in &all {
                let around = syntax.ancestors(*at).take_while(|id| *id != block);
                for round in around.filter(|id| syntax.is_in(*id, syntax.shape.loops)) {
                    region = TextRange::new(region.start, region.end.max(syntax.range(round).end));
                }
            }
            self.unwritten(value, region)?;
        }
        Ok(all)
    }

    /// Nothing that a value reads may be written in a region.
    fn unwritten(&self, value: NodeId, region: TextRange) -> Result<(), Refused> {
        let (view, syntax) = (self.view, self.syntax);
        let range = syntax.range(value);
        let read: BTreeSet<&str> = view
            .ref_ids()
            .filter(|r| range.encloses(view.reference(*r).range))
            .map(|r| view.ref_name(r))
            .collect();
        let flow = self.ctx.pool.with(|rx| Flow::of(rx, view));
        let written = view.ref_ids().filter(|r| {
            matches!(view.reference(*r).role, Role::Write | Role::ReadWrite) || flow.addressed.contains(r)
        });
        let declared =
            flow.mentions.iter().filter(|m| m.writes && read.contains(&*flow.variables[m.variable].name));
        let places = written
            .filter(|r| read.contains(view.ref_name(*r)))
            .map(|r| view.reference(r).range)
            .chain(declared.map(|m| m.range));
        match places.into_iter().find(|place| region.encloses(*place)) {
            Some(place) => {
                let name = syntax.slice(place).to_owned();
                self.refuse(
                    ConflictKind::Form,
                    format!("`{name}` is written between the equal expressions"),
                    place,
                )
            }
            None => Ok(()),
        }
    }
}

/// The expression in parentheses that a statement such as `if (…)` asks for, or that keep it from the word before.
pub(super) fn inside_of_head(syntax: &Syntax, id: NodeId) -> NodeId {
    const HEADS: &str =
        "switch_statement switch_expression match_expression with_statement synchronized_statement";
    let is_head = syntax.parent(id).is_some_and(|parent| {
        syntax.field(parent, "condition") == Some(id) || has(HEADS, syntax.kind(parent))
    });
    let before = &syntax.text[..syntax.range(id).start as usize];
    let is_behind_word = || before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    match syntax.named(id).next() {
        Some(inner) if syntax.kind(id) == "parenthesized_expression" && (is_head || is_behind_word()) => {
            inner
        }
        _ => id,
    }
}

/// A range without the blanks at its ends.
pub(super) fn trimmed(text: &str, range: TextRange) -> TextRange {
    let inner = text.get(range.start as usize..range.end as usize).unwrap_or("");
    let start = range.start + (inner.len() - inner.trim_start().len()) as u32;
    TextRange::new(start, start + inner.trim().len() as u32)
}
