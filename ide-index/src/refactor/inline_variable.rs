//! A local variable goes away: its value stands where it was used.

use ide_model::{QueryError, Refactored, SymbolKind, TextRange};

use super::RefactorContext;
use super::borrows::borrowed_around;
use super::draft::{Draft, Piece};
use super::flow::{Flow, Mention};
use super::inference::asks_for_type;
use super::inline_function::site::runs_first;
use super::narrowing::{is_promised, lost_test};
use super::pure::{is_inert, is_pure};
use super::scene::{Outcome, Refused, Scene, finish};
use super::tree::{NodeId, PROLONGED, QUOTES, ROUND, SPELLED_OUT, has};
use super::types::{TypeWriter, initial_value};
use crate::facts::{DefFlags, RefFlags, RefId, Role};
use crate::world::GlobalDef;

/// Plans that a local variable goes away; see [`ide_model::Refactoring::Inline`].
///
/// # Errors
/// [`QueryError::Unsupported`] for languages without a table.
pub(super) fn inline_variable(ctx: &RefactorContext<'_>, def: GlobalDef) -> Result<Refactored, QueryError> {
    let name = ctx.pool.with(|rx| rx.shared_name(def));
    let planned = plan(ctx, def)?;
    finish(ctx, format!("inline {name}"), planned, &[])
}

fn plan(ctx: &RefactorContext<'_>, def: GlobalDef) -> Outcome<(Draft, Vec<String>)> {
    let scene = Scene::open(ctx, def.file)?;
    let flow = ctx.pool.with(|rx| Flow::of(rx, &scene.view));
    let job = Job { scene: &scene, flow: &flow, def };
    Ok(job.plan())
}

struct Job<'a> {
    scene: &'a Scene<'a>,
    flow: &'a Flow,
    def: GlobalDef,
}

/// The declaration that goes away.
struct Declared {
    statement: NodeId,
    declarator: NodeId,
    value: NodeId,
}

impl Job<'_> {
    fn plan(&self) -> Result<(Draft, Vec<String>), Refused> {
        let (scene, syntax) = (self.scene, &self.scene.syntax);
        let name = scene.view.def(self.def.def).name_range;
        let Some(variable) = self.flow.variable_of(self.def.def) else {
            return scene.form("only local variables, functions and methods can be inlined", name);
        };
        let mentions: Vec<&Mention> = self.flow.of_variable(variable).collect();
        if let Some(second) = mentions.iter().filter(|m| m.writes).nth(1) {
            return scene.form("it is written more than once", second.range);
        }
        let declared = self.declared(name)?;
        let mut uses: Vec<&Mention> = mentions.into_iter().filter(|m| !m.declares && m.reads).collect();
        // A shorthand property, which takes its name from the variable, reads it twice.
        uses.dedup_by_key(|at| at.range);
        if uses.is_empty() {
            return scene.form("nothing uses it; ide_refactor_safe_delete removes it", name);
        }
        let mut warnings = Vec::new();
        self.can_move(&declared, &uses, &mut warnings)?;
        let mut draft = Draft::default();
        for at in &uses {
            let node = self.use_node(at.range)?;
            let pieces = self.value_at(node, &declared)?;
            draft.replace(scene.file, syntax.range(node), pieces);
        }
        self.documented(variable, &mut draft, &mut warnings);
        let statement = syntax.range(declared.statement);
        let rest = &syntax.text[statement.end as usize..];
        let end = if rest.starts_with(';') { statement.end + 1 } else { statement.end };
        draft.replace(scene.file, scene.lines(TextRange::new(statement.start, end)), Vec::new());
        Ok((draft, warnings))
    }

    /// Comments that say the type of the variable, and nothing else, go with it.
    fn documented(&self, variable: usize, draft: &mut Draft, warnings: &mut Vec<String>) {
        let (scene, syntax, view) = (self.scene, &self.scene.syntax, &self.scene.view);
        let names_it = |r: &RefId| {
            view.reference(*r).flags.has(RefFlags::IN_DOC)
                && view.ref_name(*r) == &*self.flow.variables[variable].name
                && scene.ctx.pool.with(|rx| {
                    let resolved = rx.resolve(view.global_ref(*r));
                    let mut defs = resolved.resolution.defs();
                    defs.any(|def| def.file == scene.file && self.flow.variable_of(def.def) == Some(variable))
                })
        };
        let named: Vec<TextRange> =
            view.ref_ids().filter(names_it).map(|r| view.reference(r).range).collect();
        for comment in syntax.below(syntax.root()).into_iter().filter(|id| syntax.node(*id).is_extra) {
            let range = syntax.range(comment);
            if !named.iter().any(|name| range.encloses(*name)) {
                continue;
            }
            let text = syntax.text_of(comment);
            if text.contains("@var") && !text.contains('\n') {
                draft.replace(scene.file, scene.lines(range), Vec::new());
            } else {
                draft.loses_links = true;
                warnings.push("a comment mentions it".to_owned());
            }
        }
    }

    fn declared(&self, name: TextRange) -> Result<Declared, Refused> {
        let (scene, syntax) = (self.scene, &self.scene.syntax);
        let shape = syntax.shape;
        let d = scene.view.def(self.def.def);
        let node = syntax.around(name);
        let declarator = syntax.ancestors(node).take(4).find(|id| syntax.is_in(*id, shape.declarators));
        let found = declarator.and_then(|id| Some((id, initial_value(syntax, id, node)?)));
        let Some((declarator, value)) = found.filter(|_| d.kind != SymbolKind::Parameter) else {
            return scene.form("it has no initial value of its own", name);
        };
        if d.flags.has(DefFlags::MUT)
            || syntax.children(declarator).iter().any(|id| syntax.kind(*id) == "mutable_specifier")
        {
            return scene.form("it can be changed where it is used", name);
        }
        let statement = syntax.ancestors(declarator).find(|id| syntax.is_statement(*id));
        let Some(statement) = statement else { return scene.form("it is not declared by a statement", name) };
        let between = syntax.ancestors(declarator).skip(1).take_while(|id| *id != statement);
        let is_plain =
            declarator == statement || between.chain([statement]).all(|id| has(STATEMENTS, syntax.kind(id)));
        let others = syntax.below(statement).into_iter().filter(|id| {
            syntax.is_in(*id, shape.declarators)
                && !syntax.range(value).encloses(syntax.range(*id))
                && *id != declarator
        });
        if !is_plain || others.count() > 0 {
            return scene
                .form("the statement declares more, or does something else too", syntax.range(statement));
        }
        Ok(Declared { statement, declarator, value })
    }

    /// Whether the value is the same where the variable is used.
    fn can_move(
        &self,
        declared: &Declared,
        uses: &[&Mention],
        warnings: &mut Vec<String>,
    ) -> Result<(), Refused> {
        let (scene, syntax) = (self.scene, &self.scene.syntax);
        let value = declared.value;
        let block = syntax.parent(declared.statement).unwrap_or(syntax.root());
        let home = syntax.function_of(declared.statement);
        let mut end = uses.iter().map(|at| at.range.end).max().unwrap_or(0);
        let (mut again, mut later) = (false, false);
        for at in uses {
            for around in syntax.ancestors(syntax.around(at.range)).take_while(|id| *id != block) {
                if syntax.is_in(around, syntax.shape.loops) {
                    again = true;
                    end = end.max(syntax.range(around).end);
                }
                if syntax.is_in(around, syntax.shape.functions) && Some(around) != home {
                    later = true;
                    end = end.max(home.map_or(syntax.range(syntax.root()), |home| syntax.range(home)).end);
                }
            }
        }
        if scene.is_once(value) && !is_pure(scene, value) {
            if uses.len() > 1 || again || later {
                return scene.form(
                    "its value is computed once, and would be computed more often or later",
                    syntax.range(value),
                );
            }
            let repeats = |id| {
                let mut barriers = syntax.shape.barriers.iter();
                barriers.any(|(places, why)| *why == ROUND && syntax.stands_in(id, places))
            };
            let mut path = syntax.ancestors(syntax.around(uses[0].range)).take_while(|id| *id != block);
            if !is_inert(scene, value) || path.any(repeats) {
                self.is_next(declared, uses[0].range)?;
            }
        }
        let learns = |at: &&&Mention| {
            let node = syntax.around(at.range);
            syntax.stands_in(node, syntax.shape.casts) || is_promised(syntax, node)
        };
        if uses.len() > 1
            && !self.is_constant(value)
            && let Some(test) = uses.iter().find(learns)
        {
            return scene.form(NARROWED, test.range);
        }
        self.keeps_tests(value, uses)?;
        let places: Vec<TextRange> = uses.iter().map(|at| at.range).collect();
        if let Some(asks) = asks_for_type(syntax, value, &places, block) {
            return scene.form("the type of the number is known by the variable only", asks);
        }
        let region = TextRange::new(syntax.range(declared.statement).end, end);
        self.unwritten(value, region, later)?;
        let reads_members = syntax.below(value).into_iter().any(|id| has(MEMBERS, syntax.kind(id)));
        let between = TextRange::new(region.start, uses.iter().map(|at| at.range.start).max().unwrap_or(0));
        let runs =
            |id: &NodeId| syntax.is_in(*id, syntax.shape.effects) && between.encloses(syntax.range(*id));
        if reads_members && let Some(call) = syntax.below(block).into_iter().find(runs) {
            let text = syntax.text_of(call).lines().next().unwrap_or("");
            warnings
                .push(format!("`{text}` runs before the value is read now; see that it does not change it"));
        }
        Ok(())
    }

    /// A test of the variable that tells the compiler more about it must tell it about the value too.
    fn keeps_tests(&self, value: NodeId, uses: &[&Mention]) -> Result<(), Refused> {
        let scene = self.scene;
        let uses: Vec<TextRange> = uses.iter().map(|at| at.range).collect();
        let is_constant = self.is_constant(value);
        let lost = scene.ctx.pool.with(|rx| {
            let types = TypeWriter { ctx: scene.ctx, rx, file: &scene.view, syntax: &scene.syntax };
            lost_test(&types, value, is_constant, &uses)
        });
        match lost {
            Some(test) => scene.form(NARROWED, test),
            None => Ok(()),
        }
    }

    /// Whether a value is a variable that nobody writes to.
    fn is_constant(&self, value: NodeId) -> bool {
        let range = self.scene.syntax.range(value);
        let mention = self.flow.mentions.iter().find(|m| m.range == range);
        mention.is_some_and(|m| !self.flow.of_variable(m.variable).any(|m| m.writes && !m.declares))
    }

    /// A value that does something must be used by the next thing that happens.
    fn is_next(&self, declared: &Declared, at: TextRange) -> Result<(), Refused> {
        let (scene, syntax) = (self.scene, &self.scene.syntax);
        let block = syntax.parent(declared.statement);
        let path: Vec<NodeId> =
            syntax.ancestors(syntax.around(at)).take_while(|id| Some(*id) != block).collect();
        let sometimes = path.iter().any(|id| {
            syntax.shape.barriers.iter().any(|(places, _)| syntax.stands_in(*id, places))
                || syntax.is_in(*id, syntax.shape.blocks)
                || syntax.shape.wraps.iter().any(|wrap| syntax.stands_in(*id, wrap.place))
        });
        let between = TextRange::new(syntax.range(declared.statement).end, at.start);
        let runs = |id: NodeId| syntax.is_in(id, syntax.shape.effects) && between.encloses(syntax.range(id));
        let does = block.is_some_and(|block| syntax.run_by(block).into_iter().any(runs));
        let statement = syntax.ancestors(syntax.around(at)).find(|id| syntax.parent(*id) == block);
        let is_first = statement.is_some_and(|id| {
            id == syntax.around(at) || syntax.shape.block_value || runs_first(scene, syntax.around(at), id)
        });
        if sometimes || does || !is_first {
            let why = "its value has side effects, and they would happen at another time";
            return scene.form(why, syntax.range(declared.value));
        }
        Ok(())
    }

    /// Nothing that the value reads may be written before its last use.
    fn unwritten(&self, value: NodeId, region: TextRange, later: bool) -> Result<(), Refused> {
        let (scene, view) = (self.scene, &self.scene.view);
        let range = scene.syntax.range(value);
        let read: Vec<usize> = self.flow.within(range).map(|m| m.variable).collect();
        let written = self.flow.mentions.iter().filter(|m| m.writes && read.contains(&m.variable));
        let several = |variable: usize| self.flow.of_variable(variable).filter(|m| m.writes).count() > 1;
        if later && let Some(changing) = read.iter().find(|variable| several(**variable)) {
            let name = &self.flow.variables[*changing].name;
            return scene.form(format!("`{name}` changes, and the value would be read later"), range);
        }
        let names: Vec<&str> = view
            .ref_ids()
            .filter(|r| range.encloses(view.reference(*r).range))
            .map(|r| view.ref_name(r))
            .collect();
        let members = view.ref_ids().filter(|r| {
            (matches!(view.reference(*r).role, Role::Write | Role::ReadWrite)
                || self.flow.addressed.contains(r))
                && names.contains(&view.ref_name(*r))
        });
        let places = written.map(|m| m.range).chain(members.map(|r| view.reference(r).range));
        match places.into_iter().find(|place| region.encloses(*place)) {
            Some(place) => {
                let name = scene.syntax.slice(place).to_owned();
                scene.form(format!("`{name}` is written before the value is used"), place)
            }
            None => Ok(()),
        }
    }

    /// The node of a use that a value can stand for.
    fn use_node(&self, range: TextRange) -> Result<NodeId, Refused> {
        let (scene, syntax) = (self.scene, &self.scene.syntax);
        let mut node = syntax.around(range);
        let wanted = scene.view.def_name(self.def.def);
        if syntax.range(node) != range || syntax.text_of(node) != wanted {
            return scene.form("it is used inside of a text, where no value can stand", range);
        }
        if has("variable_name", syntax.parent(node).map_or("", |parent| syntax.kind(parent))) {
            node = syntax.parent(node).unwrap_or(node);
        }
        if syntax.kind(node) == SHORT_PROPERTY {
            return Ok(node);
        }
        let parent = syntax.parent(node).map_or("", |parent| syntax.kind(parent));
        if has(SHORTHAND, syntax.kind(node)) || has(SHORTHAND, parent) {
            return scene.form("this use gives something its name", range);
        }
        if has("encapsed_string heredoc_body anonymous_function_use_clause interpolation", parent)
            && !syntax.text[..range.start as usize].trim_end().ends_with('{')
        {
            return scene.form("it is used in a place that takes a name only", range);
        }
        if syntax.is_place(node) && !syntax.stands_in(node, "reference_expression.value") {
            return scene.form("it is used as a place, not as a value", range);
        }
        Ok(node)
    }

    /// The value with what it needs in the place of a use.
    fn value_at(&self, node: NodeId, declared: &Declared) -> Result<Vec<Piece>, Refused> {
        let (scene, syntax) = (self.scene, &self.scene.syntax);
        let range = syntax.range(declared.value);
        if syntax.is_in_quotes(node) && syntax.text_of(declared.value).contains(QUOTES) {
            return scene.form("its value cannot stand inside of a text", syntax.range(node));
        }
        if syntax.is_spelled_out(node) {
            return scene.form(SPELLED_OUT, syntax.range(node));
        }
        if syntax.kind(node) == SHORT_PROPERTY {
            let key = Piece::new(format!("{}: ", syntax.text_of(node)));
            return Ok(vec![key, Piece::Old(scene.file, range)]);
        }
        if syntax.prolongs_chain(node, syntax, declared.value) {
            return scene.form(PROLONGED, syntax.range(node));
        }
        if let Some(object) = borrowed_around(scene, declared.value, node) {
            let message = format!("`{}` is borrowed already where it would stand", syntax.text_of(object));
            return scene.form(message, syntax.range(node));
        }
        let (lead, tail) = self.conversion(node, declared)?;
        let brackets =
            lead.is_empty() && tail.is_empty() && syntax.needs_brackets(node, syntax, declared.value);
        let (open, close) = if brackets { ("(".to_owned(), ")".to_owned()) } else { (lead, tail) };
        let first = if open.is_empty() { syntax.text_of(declared.value) } else { &open };
        let mut pieces = vec![Piece::new(syntax.separator(node, first))];
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if syntax.text[..syntax.range(node).start as usize].ends_with(is_word) {
            pieces.push(Piece::new(" "));
        }
        pieces.push(Piece::new(open));
        pieces.push(Piece::Old(scene.file, range));
        pieces.push(Piece::new(close));
        pieces.retain(|piece| !matches!(piece, Piece::New(text) if text.is_empty()));
        Ok(pieces)
    }

    /// The conversion to the type that the variable was declared with, put before and behind the value.
    fn conversion(&self, node: NodeId, declared: &Declared) -> Result<(String, String), Refused> {
        let (scene, syntax) = (self.scene, &self.scene.syntax);
        let nothing = || Ok((String::new(), String::new()));
        let declaration =
            syntax.parent(declared.declarator).filter(|_| declared.declarator != declared.statement);
        let ty = [Some(declared.declarator), declaration]
            .into_iter()
            .flatten()
            .find_map(|id| {
                let child =
                    || syntax.named(id).flat_map(|child| [Some(child), syntax.named(child).last()]).flatten();
                let plain = || {
                    child().find(|child| has("user_type nullable_type function_type", syntax.kind(*child)))
                };
                syntax.field(id, "type").or_else(|| syntax.shape.value_field.is_empty().then(plain).flatten())
            })
            .map(|id| syntax.text_of(id).trim_start_matches(':').trim().to_owned());
        let Some(ty) = ty.filter(|ty| ty != "var" && !syntax.shape.by_indent) else { return nothing() };
        let kind = syntax.kind(declared.value);
        let value = scene.type_of(declared.value);
        if value.as_deref() == Some(&*ty) {
            return nothing();
        }
        let text = syntax.text_of(declared.value);
        let is_number = has(
            "byte short char int long float double Byte Short Char Int Long Float Double float32 float64 \
            int8 int16 int32 int64 uint uint8 uint16 uint32 uint64",
            &ty,
        );
        let adapts = has(
            "lambda_expression method_reference null_literal arrow_function object array lambda_literal \
            array_initializer ternary_expression switch_expression",
            kind,
        ) || text.contains("<>")
            || is_number;
        let refuse = || {
            scene.form(
                "its declared type says more than its value does by itself",
                syntax.range(declared.value),
            )
        };
        let is_java = syntax.shape.declare.contains("{type}");
        if is_java && adapts && kind != "array_initializer" && !text.contains("<>") {
            let is_atom = syntax.is_in(declared.value, syntax.shape.atoms);
            let is_free = syntax.stands_in(node, syntax.shape.free);
            let (open, close) = if is_atom { ("", "") } else { ("(", ")") };
            let (outer, end) = if is_free { ("", "") } else { ("(", ")") };
            return Ok((format!("{outer}({ty}) {open}"), format!("{close}{end}")));
        }
        if is_java
            && syntax.kind(declared.value) == "method_invocation"
            && !syntax.stands_in(node, syntax.shape.free)
            && value.is_none()
        {
            return refuse();
        }
        let is_conversion = syntax.shape.declare.contains(":=");
        if is_conversion {
            let is_name = ty.chars().all(char::is_alphanumeric);
            return if is_name { Ok((format!("{ty}("), ")".to_owned())) } else { refuse() };
        }
        if adapts || syntax.shape.this == "self" { refuse() } else { nothing() }
    }
}

const NARROWED: &str = "the compiler narrows the variable by this test, but would not narrow its value";

/// Kinds that a declaration consists of besides its declarator.
const STATEMENTS: &str = "local_variable_declaration lexical_declaration variable_declaration expression_statement \
    var_declaration let_declaration property_declaration short_var_declaration";

/// `{ name }` in an object.
const SHORT_PROPERTY: &str = "shorthand_property_identifier";

const SHORTHAND: &str = "shorthand_field_initializer shorthand_field_identifier";

const MEMBERS: &str = "field_access member_expression attribute selector_expression field_expression \
    member_access_expression navigation_expression array_access subscript_expression subscript index_expression \
    scoped_property_access_expression";
