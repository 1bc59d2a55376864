//! A constant of a module or a type goes away: its value stands where it was used, in every file.

use std::collections::{BTreeMap, BTreeSet};

use ide_model::{ConflictKind, QueryError, Refactored, SymbolKind, TextRange};
use rustc_hash::FxHashSet;

use super::doubt::could_mean;
use super::draft::{Draft, Piece};
use super::family::family;
use super::imports::{ImportChange, edits};
use super::in_macros::named_in_macros;
use super::inline_function::carry::Carried;
use super::inline_function::import_of;
use super::rename::{occurrences, only_file};
use super::scene::{Outcome, Refused, Scene, finish, is_remark};
use super::shapes::Shapes;
use super::tree::{NodeId, PROLONGED, QUOTES, SPELLED_OUT, Syntax, has};
use super::types::initial_value;
use super::{RefactorContext, conflict};
use crate::facts::{DefFlags, ImportId, ImportKind, RefFlags, RefId, Role};
use crate::query::references::sought_of;
use crate::resolve::{FileView, Target};
use crate::world::{FileId, GlobalDef};

/// Plans that a constant goes away; see [`ide_model::Refactoring::Inline`].
///
/// # Errors
/// [`QueryError::Unsupported`] for languages without a table.
pub(super) fn inline_constant(ctx: &RefactorContext<'_>, def: GlobalDef) -> Result<Refactored, QueryError> {
    let name = ctx.pool.with(|rx| rx.shared_name(def));
    let planned = plan(ctx, def)?;
    finish(ctx, format!("inline {name}"), planned, &[&*name])
}

/// The constant that goes away.
struct Constant<'a> {
    home: &'a Scene<'a>,
    def: GlobalDef,
    declarator: NodeId,
    /// All that declares it.
    whole: NodeId,
    value: NodeId,
    /// Text put before and behind the value, so that it has the type of the constant.
    around: (String, String),
    /// Text put behind each number in the value.
    suffix: String,
}

fn plan(ctx: &RefactorContext<'_>, def: GlobalDef) -> Outcome<(Draft, Vec<String>)> {
    let home = Scene::open(ctx, def.file)?;
    let at = home.view.def(def.def).name_range;
    let constant = match Constant::read(&home, def) {
        Ok(constant) => constant,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let relatives = ctx.pool.with(|rx| family(rx, ctx.cx, &[def], true))?;
    if relatives.defs.len() > 1 || !relatives.libraries.is_empty() {
        return Ok(home.form("another declaration has the same name on purpose", at));
    }
    if !Shapes::default().texts(ctx, &relatives, home.view.def_name(def.def))?.is_empty() {
        return Ok(home.form("a string with its name may refer to it", at));
    }
    let sought = ctx.pool.with(|rx| sought_of(rx, ctx.cx, &[def]))?;
    let only_in = ctx.pool.with(|rx| only_file(rx, &[def]));
    let mut uses = Uses::default();
    let mut seen: FxHashSet<(FileId, TextRange)> = FxHashSet::default();
    for use_ in occurrences(ctx, &sought, only_in)? {
        ctx.cx.check()?;
        let view = ctx.pool.with(|rx| rx.shared_file(use_.file));
        let r = *view.reference(use_.reference);
        let at = ctx.at(use_.file, r.range);
        if use_.file == def.file && r.range == home.view.def(def.def).name_range {
            continue;
        }
        if !use_.is_certain {
            if ctx.pool.with(|rx| could_mean(rx, &[def], only_in, &use_)) {
                let message = "this may be a use of it; its meaning is not known";
                return Ok(Err(Box::new(conflict(ConflictKind::Form, message, Some(at)))));
            }
            continue;
        }
        if r.flags.has(RefFlags::IN_DOC) {
            uses.warnings.push(format!("a comment of {} mentions it", ctx.path(use_.file)));
            continue;
        }
        if !seen.insert((use_.file, r.range)) {
            continue;
        }
        if let Some(import) = import_of(&view, use_.reference) {
            uses.changes.entry(use_.file).or_default().drop.insert(import);
            continue;
        }
        let scene = Scene::open(ctx, use_.file)?;
        if let Err(refusal) = constant.put(&scene, use_.reference, &mut uses) {
            return Ok(Err(refusal));
        }
    }
    if let Some((file, range)) = named_in_macros(ctx, &[def], only_in)?.first() {
        let scene = Scene::open(ctx, *file)?;
        return Ok(scene.form("it is used in a macro, or may be", *range));
    }
    if uses.places.is_empty() {
        return Ok(home.form("nothing uses it; ide_refactor_safe_delete removes it", at));
    }
    uses.drop_qualifiers(ctx);
    uses.changes.retain(|_, change| !change.drop.is_empty() || !change.add.is_empty());
    let mut draft = uses.draft;
    for (file, change) in &uses.changes {
        draft.imports(*file, edits(ctx, *file, change)?);
    }
    constant.cut(&mut draft);
    Ok(Ok((draft, uses.warnings)))
}

/// The places in which the value stands afterwards.
#[derive(Default)]
struct Uses {
    draft: Draft,
    warnings: Vec<String>,
    changes: BTreeMap<FileId, ImportChange>,
    places: BTreeMap<FileId, Vec<TextRange>>,
    /// Imports by which the constant was reached.
    ways: BTreeSet<(FileId, ImportId)>,
}

impl Uses {
    /// Imports that only said where the constant is.
    fn drop_qualifiers(&mut self, ctx: &RefactorContext<'_>) {
        for (file, import) in &self.ways {
            let view = ctx.pool.with(|rx| rx.shared_file(*file));
            let Some(bound) = view.import(*import).def else { continue };
            let own = view.def(bound).name_range;
            let is_left = |r: &RefId| {
                let r = view.reference(*r);
                r.receiver.is_none()
                    && r.range != own
                    && !matches!(r.role, Role::Import | Role::Package | Role::Key | Role::Label)
                    && !self.places[file].iter().any(|place| place.encloses(r.range))
            };
            if !view.refs_named(view.def(bound).name).iter().any(is_left) {
                self.changes.entry(*file).or_default().drop.insert(*import);
            }
        }
    }
}

impl<'a> Constant<'a> {
    fn read(home: &'a Scene<'a>, def: GlobalDef) -> Result<Self, Refused> {
        let (syntax, view) = (&home.syntax, &home.view);
        let d = view.def(def.def);
        let at = d.name_range;
        let kinds = [SymbolKind::Constant, SymbolKind::Variable, SymbolKind::Property, SymbolKind::Field];
        let is_shared = home.ctx.pool.with(|rx| {
            let owner = rx.member_owner(def);
            owner.is_none_or(|owner| {
                let is_object = rx.def(owner).kind == SymbolKind::Object;
                let is_static = d.flags.has(DefFlags::STATIC) || d.kind == SymbolKind::Constant || is_object;
                is_static && !syntax.shape.by_indent && super::scene::trait_around(home, def).is_none()
            })
        });
        if !kinds.contains(&d.kind) || !is_shared {
            return home.form("only local variables, constants, functions and methods can be inlined", at);
        }
        if !d.decorators.is_empty() && !view.list(d.decorators).all(|e| is_remark(home, e)) {
            return home.form("its annotation or decorator would be lost", at);
        }
        if view.named_in_scope(d.scope, view.def_name(def.def)).len() > 1 {
            return home.form("it is declared, or written, more than once", at);
        }
        let name = syntax.around(at);
        let is_declarator =
            |id: &NodeId| syntax.is_in(*id, syntax.shape.declarators) || has(DECLARATORS, syntax.kind(*id));
        let found = syntax.ancestors(name).take(4).find(is_declarator);
        let found = found.and_then(|id| Some((id, value_of(syntax, id, name)?)));
        let Some((declarator, value)) = found.filter(|_| syntax.text_of(name) == view.def_name(def.def))
        else {
            return home.form("it has no value of its own", at);
        };
        if d.flags.has(DefFlags::MUT) {
            return home.form("it can be changed where it is used", at);
        }
        let said = view.def_name(def.def);
        if syntax.shape.by_indent && said.starts_with("__") && said.ends_with("__") {
            return home.form("others may read a name of this form", at);
        }
        if syntax.shape.sigil == "$" && d.kind == SymbolKind::Variable {
            return home.form("a variable of a script can be changed by what it calls and includes", at);
        }
        let mut whole = declarator;
        while let Some(up) = syntax.parent(whole).filter(|up| has(HOLDERS, syntax.kind(*up))) {
            whole = up;
        }
        let mut found =
            Self { home, def, declarator, whole, value, around: Default::default(), suffix: String::new() };
        found.fixed(value)?;
        found.alone()?;
        found.typed()?;
        Ok(found)
    }

    /// Its declaration can go without changing another one.
    fn alone(&mut self) -> Result<(), Refused> {
        let (home, syntax) = (self.home, &self.home.syntax);
        let kind = syntax.kind(self.declarator);
        let is_other = |id: &NodeId| *id != self.declarator && syntax.kind(*id) == kind;
        let others: Vec<NodeId> = syntax.below(self.whole).into_iter().filter(is_other).collect();
        if others.is_empty() {
            return Ok(());
        }
        let follows = others.iter().find(|id| syntax.range(**id).start > syntax.range(self.declarator).end);
        if has(LINES, kind) && follows.is_some_and(|next| syntax.field(*next, "value").is_none()) {
            return home.form("the next line repeats its value", syntax.range(self.declarator));
        }
        if !has(LINES, kind) {
            let message = "the statement declares more, or does something else too";
            return home.form(message, syntax.range(self.whole));
        }
        self.whole = self.declarator;
        Ok(())
    }

    /// Refuses a value that is not the same whenever it is made, or is something of its own.
    fn fixed(&self, value: NodeId) -> Result<(), Refused> {
        let (home, syntax, shape) = (self.home, &self.home.syntax, self.home.syntax.shape);
        let mut todo = vec![value];
        while let Some(id) = todo.pop() {
            let (range, kind) = (syntax.range(id), syntax.kind(id));
            let has_names = || home.view.by_place().refs.within(range).next().is_some();
            let is_text = syntax.is_in(id, shape.literals) || syntax.is_in(id, shape.strings);
            if is_text && kind != "regex" && !has_names() && !syntax.text_of(id).contains("${") {
                continue;
            }
            if kind == "iota" {
                return home.form("its value is its place among others", range);
            }
            let is_type = kind.ends_with("_type") || has("type_identifier type_annotation", kind);
            if is_type {
                continue;
            }
            let is_form = [shape.binary, shape.unary].iter().any(|kinds| syntax.is_in(id, kinds))
                || kind.contains("parenthesized")
                || has(FORMS, kind);
            if is_form && !syntax.is_in(id, shape.assignments) && !has("update_expression", kind) {
                todo.extend(syntax.named(id));
                continue;
            }
            let is_path = syntax.named(id).next().is_none() || has(PATHS, kind);
            if is_path && self.is_fixed_name(range) {
                continue;
            }
            let message = "its value is made once, and may be another one each time that it is made";
            return home.form(message, range);
        }
        Ok(())
    }

    /// Whether a path leads to a name that always stands for one value.
    fn is_fixed_name(&self, path: TextRange) -> bool {
        let view = &self.home.view;
        let mut last: Option<RefId> = None;
        for r in view.by_place().refs.within(path) {
            if matches!(view.reference(r).role, Role::Write | Role::ReadWrite | Role::Call) {
                return false;
            }
            if last.is_none_or(|last| view.reference(last).range.end < view.reference(r).range.end) {
                last = Some(r);
            }
        }
        let Some(last) = last.filter(|last| view.reference(*last).range.end == path.end) else {
            return false;
        };
        self.home.ctx.pool.with(|rx| {
            let found = rx.through_imports(rx.resolve(view.global_ref(last)).resolution);
            let is_fixed = |target: &Target| {
                let Target::Def(def) = target else { return false };
                let d = rx.def(*def);
                let flags = [DefFlags::FINAL, DefFlags::READONLY, DefFlags::CONST];
                *def != self.def
                    && !d.flags.has(DefFlags::MUT)
                    && (matches!(d.kind, SymbolKind::Constant | SymbolKind::EnumCase)
                        || flags.iter().any(|flag| d.flags.has(*flag))
                            && (d.flags.has(DefFlags::STATIC) || rx.member_owner(*def).is_none()))
            };
            found.confidence.is_certain() && !found.targets.is_empty() && found.targets.iter().all(is_fixed)
        })
    }

    /// Finds out what gives the value by itself the type that the constant has.
    fn typed(&mut self) -> Result<(), Refused> {
        let (home, syntax, shape) = (self.home, &self.home.syntax, self.home.syntax.shape);
        let at = syntax.range(self.value);
        let refuse = || home.form("its declared type says more than its value does by itself", at);
        let declaration = syntax.parent(self.declarator).filter(|up| has(HOLDERS, syntax.kind(*up)));
        let said = [Some(self.declarator), declaration].into_iter().flatten().find_map(|id| {
            let of_kotlin = || {
                let inner = syntax.named(id).flat_map(|child| [Some(child), syntax.named(child).last()]);
                inner.flatten().find(|id| has("user_type nullable_type function_type", syntax.kind(*id)))
            };
            let plain = || shape.value_field.is_empty().then(of_kotlin).flatten();
            let before = || syntax.named(id).find(|id| syntax.kind(*id) == "primitive_type");
            syntax.field(id, "type").or_else(plain).or_else(before)
        });
        let said = said.map(|id| syntax.text_of(id).trim_start_matches(':').trim().to_owned());
        let value = home.type_of(self.value);
        let is_whole = |id: &NodeId| syntax.is_in(*id, shape.literals);
        let is_literal = is_whole(&self.value);
        let text = syntax.text_of(self.value);
        let begins_number =
            text.trim_start_matches(['(', '-', '+']).starts_with(|c: char| c.is_ascii_digit());
        let is_conversion = shape.declare.contains(":=");
        let Some(said) = said else {
            let is_variable = has("var_spec", syntax.kind(self.declarator));
            if !is_conversion || !is_variable {
                return Ok(());
            }
            return match value {
                Some(ty) if ty.chars().all(char::is_alphanumeric) => {
                    self.around = (format!("{ty}("), ")".to_owned());
                    Ok(())
                }
                _ => refuse(),
            };
        };
        if shape.by_indent || value.as_deref() == Some(&*said) && shape.this != "self" {
            return Ok(());
        }
        if is_conversion {
            self.around = (format!("{said}("), ")".to_owned());
            return if said.chars().all(char::is_alphanumeric) { Ok(()) } else { refuse() };
        }
        if shape.this == "self" {
            let has_numbers = has(NUMBERS, &said);
            let is_named = syntax.named(self.value).next().is_none() && !is_literal
                || has(PATHS, syntax.kind(self.value));
            if has_numbers && !is_named {
                self.suffix = said;
                return Ok(());
            }
            let is_own = is_literal
                && !begins_number
                && has("bool char &str", said.trim_start_matches("&'static ").trim());
            let is_text =
                is_literal && text.starts_with(['"', 'r']) && said.starts_with('&') && said.ends_with("str");
            return if is_named || is_own || is_text { Ok(()) } else { refuse() };
        }
        if shape.declare.contains("{type}") {
            // The literals of a language with primitive types are of one of them.
            if said == "String" && is_literal {
                return Ok(());
            }
            if !has(shape.steady, &said) || said == "String" {
                return refuse();
            }
            let (open, close) = if is_literal { ("", "") } else { ("(", ")") };
            self.around = (format!("(({said}) {open}"), format!("{close})"));
            return Ok(());
        }
        let is_same = match &*said {
            "string" | "boolean" | "bool" => is_literal,
            "number" | "int" => is_literal && begins_number,
            _ => false,
        };
        if is_same { Ok(()) } else { refuse() }
    }

    /// Puts the value in the place of a use.
    fn put(&self, scene: &Scene<'_>, reference: RefId, uses: &mut Uses) -> Result<(), Refused> {
        let syntax = &scene.syntax;
        let node = self.place(scene, reference)?;
        let range = syntax.range(node);
        let pieces = self.value_at(scene, node)?;
        if let Some(way) = way(&scene.view, range, reference) {
            uses.ways.insert((scene.file, way));
        }
        uses.places.entry(scene.file).or_default().push(range);
        uses.draft.replace(scene.file, range, pieces);
        let code = Carried { home: self.home, parts: vec![self.home.syntax.range(self.value)] };
        code.imports(scene, uses.changes.entry(scene.file).or_default());
        Ok(())
    }

    /// The node of a use, with the path before it.
    fn place(&self, scene: &Scene<'_>, reference: RefId) -> Result<NodeId, Refused> {
        let (syntax, r) = (&scene.syntax, scene.view.reference(reference));
        let at = r.range;
        let is_import = scene.view.import_by_member(reference);
        let mut node = syntax.around(at);
        if syntax.ancestors(node).take(3).any(|id| has("export_specifier", syntax.kind(id))) {
            return scene.form("it is exported again here, and others would miss it", at);
        }
        if r.role == Role::Import
            || is_import.is_some_and(|id| scene.view.import(id).kind == ImportKind::Member)
        {
            return scene.form("it is imported here, and the import would be left over", at);
        }
        if matches!(r.role, Role::Write | Role::ReadWrite) {
            return scene.form("it is written here", at);
        }
        let is_whole = syntax.range(node) == at && syntax.text_of(node) == scene.view.ref_name(reference);
        if r.flags.has(RefFlags::IN_STRING) || !is_whole {
            return scene.form("it is used inside of a text, where no value can stand", at);
        }
        if syntax.kind(node) == SHORT_PROPERTY {
            return Ok(node);
        }
        while let Some(up) = syntax.parent(node) {
            let is_path = has(PATHS, syntax.kind(up));
            let is_end = syntax.range(up).end == at.end && syntax.range(up).start < syntax.range(node).start;
            let is_name = syntax.range(up) == syntax.range(node);
            if !is_path || !is_name && !is_end {
                break;
            }
            node = up;
        }
        let path = syntax.text_of(node);
        let is_plain = |c: char| c.is_alphanumeric() || "_$.:\\".contains(c) || c.is_whitespace();
        if !path.chars().all(is_plain) || path.starts_with("static") {
            return scene.form("the code before it does something, or is not known", syntax.range(node));
        }
        let around: Vec<NodeId> =
            syntax.ancestors(node).skip(1).take_while(|id| !syntax.is_statement(*id)).collect();
        let kinds: Vec<&str> = around.iter().map(|id| syntax.kind(*id)).collect();
        if kinds.iter().any(|kind| has(NAMES_ONLY, kind)) {
            return scene.form("this use gives something its name, or asks for its type", at);
        }
        if kinds.contains(&"interpolation")
            && !syntax.text[..syntax.range(node).start as usize].trim_end().ends_with('{')
        {
            return scene.form("it is used in a place that takes a name only", at);
        }
        let is_literal = self.home.syntax.is_in(self.value, self.home.syntax.shape.literals);
        if !is_literal && kinds.iter().any(|kind| kind.ends_with("_pattern") || *kind == "case_clause") {
            return scene.form("a pattern takes a name or a literal only", at);
        }
        if syntax.is_place(node) {
            return scene.form("it is used as a place, not as a value", at);
        }
        Ok(node)
    }

    fn value_at(&self, scene: &Scene<'_>, node: NodeId) -> Result<Vec<Piece>, Refused> {
        let (syntax, home) = (&scene.syntax, &self.home.syntax);
        let text = home.text_of(self.value);
        if syntax.is_in_quotes(node) && text.contains(QUOTES) {
            return scene.form("its value cannot stand inside of a text", syntax.range(node));
        }
        if syntax.is_spelled_out(node) {
            return scene.form(SPELLED_OUT, syntax.range(node));
        }
        if syntax.prolongs_chain(node, home, self.value) {
            return scene.form(PROLONGED, syntax.range(node));
        }
        let mut pieces = Vec::new();
        if syntax.kind(node) == SHORT_PROPERTY {
            pieces.push(Piece::new(format!("{}: ", syntax.text_of(node))));
        }
        let is_bare = self.around.0.is_empty();
        let needs =
            is_bare && syntax.kind(node) != SHORT_PROPERTY && syntax.needs_brackets(node, home, self.value);
        let (open, close) = if needs { ("(", ")") } else { (&*self.around.0, &*self.around.1) };
        pieces.push(Piece::new(syntax.separator(node, if open.is_empty() { text } else { open })));
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let start = if open.is_empty() { text } else { open };
        if syntax.text[..syntax.range(node).start as usize].ends_with(is_word) && start.starts_with(is_word) {
            pieces.push(Piece::new(" "));
        }
        pieces.push(Piece::new(open));
        let range = home.range(self.value);
        let mut at = range.start;
        if !self.suffix.is_empty() {
            let is_number = |id: &NodeId| has("integer_literal float_literal", home.kind(*id));
            for number in home.below(self.value).into_iter().filter(is_number) {
                let end = home.range(number).end;
                let is_said =
                    home.text_of(number).contains(|c: char| c.is_ascii_alphabetic() && c != 'x' && c != 'e')
                        && !home.text_of(number).starts_with("0x");
                pieces.push(Piece::Old(self.home.file, TextRange::new(at, end)));
                if !is_said {
                    pieces.push(Piece::new(&*self.suffix));
                }
                at = end;
            }
        }
        pieces.push(Piece::Old(self.home.file, TextRange::new(at, range.end)));
        pieces.push(Piece::new(close));
        pieces.retain(|piece| match piece {
            Piece::New(text) => !text.is_empty(),
            Piece::Old(_, range) => !range.is_empty(),
            Piece::Name(_) | Piece::Word(_) => true,
        });
        Ok(pieces)
    }

    /// Takes the declaration away.
    fn cut(&self, draft: &mut Draft) {
        let (home, syntax) = (self.home, &self.home.syntax);
        let d = home.view.def(self.def.def);
        let whole = syntax.range(self.whole);
        let head = if self.whole == self.declarator { whole.start } else { whole.start.min(d.range.start) };
        let start = d.doc.filter(|doc| doc.end <= head).map_or(head, |doc| doc.start);
        let rest = &syntax.text[whole.end as usize..];
        let end = if rest.starts_with(';') { whole.end + 1 } else { whole.end };
        draft.replace(self.def.file, home.paragraph(TextRange::new(start, end)), Vec::new());
    }
}

/// The import that the first name of a path stands for.
fn way(view: &FileView, path: TextRange, last: RefId) -> Option<ImportId> {
    let first = view.by_place().refs.within(path).min_by_key(|r| view.reference(*r).range.start)?;
    let name = view.ref_name(first);
    let binds = |id: &ImportId| view.import(*id).def.is_some_and(|def| view.def_name(def) == name);
    (first != last).then(|| (0..view.imports.len() as u32).map(ImportId).find(binds)).flatten()
}

/// The value of a declaration.
fn value_of(syntax: &Syntax, declarator: NodeId, name: NodeId) -> Option<NodeId> {
    let behind = || {
        let mark = syntax.children(declarator).iter().find(|id| syntax.kind(**id) == "=")?;
        let end = syntax.range(*mark).end;
        syntax.named(declarator).find(|id| syntax.range(*id).start >= end)
    };
    initial_value(syntax, declarator, name)
        .or_else(|| has("const_element", syntax.kind(declarator)).then(behind).flatten())
}

/// Kinds that declare one constant, beside those of local variables.
const DECLARATORS: &str = "const_spec const_item const_element public_field_definition field_definition";

/// Kinds of which each stands on a line of its own in a list.
const LINES: &str = "const_spec var_spec";

/// Kinds that declarations consist of.
const HOLDERS: &str = "const_declaration var_declaration var_spec_list lexical_declaration variable_declaration \
    field_declaration expression_statement export_statement";

/// Kinds of values that are made of their parts and nothing else.
const FORMS: &str = "ternary_expression conditional_expression type_cast_expression cast_expression as_expression \
    satisfies_expression tuple expression_list comparison_operator boolean_operator not_operator";

/// Kinds that are a name with what stands before it.
const PATHS: &str = "field_access member_expression attribute selector_expression scoped_identifier \
    navigation_expression class_constant_access_expression qualified_name field_expression identifier name \
    simple_identifier";

/// Kinds in which a name stands for itself.
const NAMES_ONLY: &str = "export_specifier type_query shorthand_field_initializer nested_type_identifier \
    encapsed_string anonymous_function_use_clause namespace_use_clause";

/// Types of numbers that literals may have as their end.
const NUMBERS: &str = "u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64";

/// `{ name }` in an object.
const SHORT_PROPERTY: &str = "shorthand_property_identifier";
