//! The code that becomes a function, and the place of that function.

use ide_model::{SourceKind, TextRange};

use super::extract_variable::{inside_of_head, trimmed};
use super::no_value::gives_two;
use super::scene::{Refused, Scene};
use super::tree::{DEFAULT, DOCUMENTATION, META, NodeId, SPELLED_OUT, Syntax, has};

/// The code to extract.
pub(super) struct Part {
    pub(super) range: TextRange,
    /// The statements, or the expression.
    pub(super) nodes: Vec<NodeId>,
    pub(super) is_value: bool,
    /// The innermost function or lambda around.
    pub(super) function: NodeId,
}

impl Part {
    pub(super) fn select(scene: &Scene<'_>, range: TextRange) -> Result<Self, Refused> {
        let syntax = &scene.syntax;
        let range = trimmed(&syntax.text, range);
        if range.is_empty() {
            return scene.form("nothing is selected", range);
        }
        let inner = syntax.around(range);
        let same = || syntax.ancestors(inner).take_while(|id| syntax.range(*id) == range);
        let block = syntax.ancestors(inner).find(|id| {
            syntax.is_in(*id, syntax.shape.blocks)
                && (syntax.range(*id) != range || syntax.named(*id).count() > 0)
        });
        let value = same().find(|id| syntax.is_expression(*id) && !syntax.is_statement(*id));
        let value = value.map(|value| inside_of_head(syntax, value));
        let range = value.map_or(range, |value| syntax.range(value));
        // An expression that is only run is a statement, with or without the mark at its end.
        let run = value.and_then(|value| syntax.parent(value));
        let run = run
            .filter(|id| syntax.kind(*id) == syntax.shape.expression_statement && syntax.is_statement(*id));
        let value = value.filter(|_| run.is_none());
        let range = run.map_or(range, |id| syntax.range(id));
        let nodes: Vec<NodeId> = match (value, block) {
            _ if run.is_some() => run.into_iter().collect(),
            (Some(value), _) => vec![value],
            (None, Some(block)) => {
                let meets =
                    |id: &NodeId| syntax.range(*id).start < range.end && range.start < syntax.range(*id).end;
                syntax.named(block).filter(meets).collect()
            }
            (None, None) => Vec::new(),
        };
        // A `throw` stays where readers and compilers see it: the thrown value is extracted.
        let thrown = match nodes[..] {
            [only] => Self::thrown(syntax, only),
            _ => None,
        };
        let (value, nodes, range) = match thrown {
            Some(thrown) => (Some(thrown), vec![thrown], syntax.range(thrown)),
            None => (value, nodes, range),
        };
        let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else {
            return scene.form("there are no whole statements here", range);
        };
        let own = TextRange::new(syntax.range(*first).start, syntax.range(*last).end);
        let cut = own.start < range.start || own.end > range.end;
        if value.is_none() && (cut || Self::takes_more(syntax, &nodes, own, range)) {
            return scene.form("the selection cuts through a statement", range);
        }
        let Some(function) = Self::function_around(syntax, *first) else {
            return scene.form("it is not part of a function", range);
        };
        if syntax.is_documentation(*first) {
            return scene.form(DOCUMENTATION, range);
        }
        if let Some(value) = value
            && let Some(why) = Self::must_be_written(syntax, value, function)
        {
            return scene.form(why, range);
        }
        let range = TextRange::new(range.start.min(own.start), range.end.max(own.end));
        Ok(Self { range, nodes, is_value: value.is_some(), function })
    }

    /// Why the compiler, or the one who reads the text, needs a value in its place.
    fn must_be_written(syntax: &Syntax, value: NodeId, function: NodeId) -> Option<&'static str> {
        if syntax.is_spelled_out(value) {
            return Some(SPELLED_OUT);
        }
        if gives_two(syntax, value) {
            return Some("it gives two values here, of which the second tells whether the first is there");
        }
        let is_constant = |id: NodeId| {
            let mut barriers = syntax.shape.barriers.iter();
            barriers.any(|(places, why)| {
                (*why == META || *why == DEFAULT && syntax.shape.sigil == "$") && syntax.stands_in(id, places)
            }) || syntax.stands_in(id, "switch_label match_pattern case_pattern")
                && syntax.node(id).field != "condition"
        };
        let mut around = syntax.ancestors(value).take_while(|id| *id != function);
        around.any(is_constant).then_some("it must be a constant, which the compiler reads")
    }

    /// The function in which a node runs. Where blocks are told by their indent, default values run around their function.
    fn function_around(syntax: &Syntax, node: NodeId) -> Option<NodeId> {
        let mut function = syntax.function_of(node)?;
        while syntax.shape.by_indent
            && syntax
                .field(function, "parameters")
                .is_some_and(|list| syntax.range(list).encloses(syntax.range(node)))
        {
            function = syntax.function_of(function)?;
        }
        Some(function)
    }

    /// Whether something else than whole statements is selected: the value of a case, the brace behind the last statement.
    fn takes_more(syntax: &Syntax, nodes: &[NodeId], own: TextRange, range: TextRange) -> bool {
        let is_other = |id: &NodeId| {
            !syntax.is_statement(*id) || has("switch_label lambda_parameters", syntax.kind(*id))
        };
        let is_outside = |id: &NodeId| {
            let at = syntax.range(*id);
            let is_word = syntax.children(*id).is_empty() && !at.is_empty() && !syntax.node(*id).is_extra;
            is_word && range.encloses(at) && !own.encloses(at) && !syntax.text_of(*id).trim().is_empty()
        };
        let in_comment = |id: NodeId| syntax.ancestors(id).any(|up| syntax.node(up).is_extra);
        let around = syntax.below(syntax.around(range));
        nodes.iter().any(is_other)
            || around.into_iter().filter(is_outside).any(|id| syntax.text_of(id) != ";" && !in_comment(id))
    }

    /// The value that a statement does nothing with but to throw it.
    fn thrown(syntax: &Syntax, statement: NodeId) -> Option<NodeId> {
        let is_throw = |id: NodeId| syntax.is_in(id, syntax.shape.throws);
        let mut inside = syntax.named(statement);
        let only = inside.next().filter(|_| inside.next().is_none())?;
        if is_throw(statement) {
            return Some(only);
        }
        let mut parts = syntax.named(only);
        let part = parts.next().filter(|_| parts.next().is_none())?;
        (is_throw(only) && syntax.kind(statement) == syntax.shape.expression_statement).then_some(part)
    }
}

/// Whether nothing runs behind a statement, as compilers see it.
pub(super) fn never_ends(syntax: &Syntax, statement: NodeId) -> bool {
    let called = syntax.text_of(statement).split('(').next().unwrap_or("");
    syntax.is_in(statement, syntax.shape.throws) || has(syntax.shape.stops, called)
}

/// Refuses a `return` without a value by which a function gives back the results that it names.
pub(super) fn says_results(scene: &Scene<'_>, function: NodeId, returns: &[NodeId]) -> Result<(), Refused> {
    let syntax = &scene.syntax;
    let is_named =
        |id: NodeId| syntax.kind(id) == "parameter_declaration" && syntax.field(id, "name").is_some();
    let names = syntax.field(function, "result").is_some_and(|result| syntax.named(result).any(is_named));
    let bare = returns.iter().find(|id| names && syntax.named(**id).next().is_none());
    match bare {
        Some(bare) => {
            scene.form("this `return` gives back the results that the function names", syntax.range(*bare))
        }
        None => Ok(()),
    }
}

/// The place of the new function: behind a member of a type, or behind something at the top.
pub(super) struct Site {
    pub(super) node: NodeId,
    /// The function that a member is, or that stands at the top.
    pub(super) member: Option<NodeId>,
    /// The type, when it becomes a member.
    pub(super) owner: Option<NodeId>,
    /// The trait, or the implementation of one, that it stands beside, because it cannot stand in it.
    pub(super) beside: Option<NodeId>,
    /// The head of a block of its own that it needs there.
    pub(super) block: Option<String>,
}

impl Site {
    pub(super) fn of(scene: &Scene<'_>, part: &Part) -> Result<Self, Refused> {
        let syntax = &scene.syntax;
        let mut node = part.function;
        let owner = loop {
            let Some(parent) = syntax.parent(node) else {
                return scene.form("there is no place for a function here", part.range);
            };
            let holder = if syntax.shape.by_indent && syntax.kind(parent) == "block" {
                syntax.parent(parent)
            } else {
                Some(parent)
            };
            if let Some(holder) = holder.filter(|id| syntax.is_in(*id, syntax.shape.types)) {
                break Some(holder);
            }
            if parent == syntax.root() || syntax.kind(parent) == "namespace_definition" {
                break None;
            }
            node = parent;
        };
        let below = [node].into_iter().chain(syntax.named(node));
        let member = below.into_iter().find(|id| {
            syntax.is_in(*id, syntax.shape.functions)
                && syntax.range(*id).encloses(syntax.range(part.function))
        });
        let site = Self { node, member, owner, beside: None, block: None };
        site.beside_trait(scene, part)
    }

    /// Traits and their implementations have no further methods: what is taken out of them becomes a function beside them, or
    /// a method of the type where it works on its object.
    fn beside_trait(self, scene: &Scene<'_>, part: &Part) -> Result<Self, Refused> {
        let syntax = &scene.syntax;
        let of_trait = |id: &NodeId| {
            syntax.kind(*id) == "trait_item"
                || syntax.kind(*id) == "impl_item" && syntax.field(*id, "trait").is_some()
        };
        let Some(holder) = self.owner.and_then(|owner| syntax.parent(owner)).filter(of_trait) else {
            return Ok(self);
        };
        let below = || part.nodes.iter().flat_map(|id| syntax.below(*id));
        let is_self = |id: NodeId| syntax.children(id).is_empty() && has("self Self", syntax.text_of(id));
        if !below().any(is_self) {
            return Ok(Self { node: holder, owner: None, beside: Some(holder), ..self });
        }
        let refuse = || scene.form("an implementation of a trait can have no further methods", part.range);
        let of_type =
            syntax.field(holder, "type").filter(|ty| has("type_identifier generic_type", syntax.kind(*ty)));
        let speaks_of_parts = below().any(|id| syntax.text_of(id) == "Self");
        let Some(of_type) = of_type.filter(|_| !speaks_of_parts) else { return refuse() };
        let start = syntax.range(of_type).start;
        let is_ours =
            scene.view.ref_ids().filter(|r| scene.view.reference(*r).range.start == start).any(|r| {
                let resolved = scene.ctx.pool.with(|rx| rx.resolve(scene.view.global_ref(r)));
                resolved.resolution.defs().any(|def| {
                    let home = scene.ctx.pool.world().file(def.file);
                    home.source != SourceKind::Library && scene.ctx.pool.with(|rx| rx.def(def).kind.is_type())
                })
            });
        // A parameter that the type does not name could not be inferred from it.
        let of_holder =
            syntax.field(holder, "type_parameters").into_iter().flat_map(|list| syntax.named(list));
        let mut names = of_holder.filter_map(|id| syntax.field(id, "name")).map(|id| syntax.text_of(id));
        let said = syntax.text_of(of_type);
        let is_said = |name: &str| {
            name.starts_with('\'')
                || said.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
        };
        if !is_ours || !names.all(is_said) {
            return refuse();
        }
        let text = |id: Option<NodeId>, before: &str| {
            id.map_or_else(String::new, |id| format!("{before}{}", syntax.text_of(id)))
        };
        let bounds = syntax.named(holder).find(|id| syntax.kind(*id) == "where_clause");
        let bounds = text(bounds, " ").split_whitespace().collect::<Vec<_>>().join(" ");
        let bounds = if bounds.is_empty() { bounds } else { format!(" {bounds}") };
        let list = text(syntax.field(holder, "type_parameters"), "");
        let head = format!("impl{list} {}{bounds}", syntax.text_of(of_type));
        Ok(Self { node: holder, beside: Some(holder), block: Some(head), ..self })
    }
}

/// How the part is left.
pub(super) enum Exit {
    /// Nothing comes back.
    Nothing,
    /// The value of the expression.
    Value(NodeId),
    /// The function's result, which is returned.
    Return { has_value: bool },
    /// Variables.
    Results,
}

/// How the object that a method works on takes part.
pub(super) struct Receiver {
    /// Before the name in the call.
    pub(super) call: String,
    /// In the list of parameters, or before the name of the method.
    pub(super) parameter: Option<String>,
    pub(super) is_member: bool,
    pub(super) is_static: bool,
}

/// Members that make an object.
pub(super) const CONSTRUCTORS: &str = "constructor_declaration compact_constructor_declaration static_initializer \
    secondary_constructor anonymous_initializer";
