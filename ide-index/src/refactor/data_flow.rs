//! The variables that a part of a function takes in and gives out.

use std::collections::BTreeMap;
use std::sync::Arc;

use ide_model::TextRange;

use super::flow::{Flow, Mention};
use super::scene::{Refused, Scene};
use super::tree::{NodeId, has};
use crate::guard;

/// Branches inside of so many others are not looked into.
const MAX_DEPTH: u32 = 64;

/// A variable that crosses the border of a part.
#[derive(Debug)]
pub(super) struct Crossing {
    pub(super) variable: usize,
    pub(super) name: Arc<str>,
    /// Its first declaration.
    pub(super) declared: TextRange,
    /// A place in the part where it is read, if it is.
    pub(super) read: Option<TextRange>,
    pub(super) is_written: bool,
    /// Declared in the part.
    pub(super) is_inner: bool,
    /// Written again behind the part.
    pub(super) is_written_after: bool,
}

/// The variables that cross the border of a part.
pub(super) struct Crossings {
    pub(super) inputs: Vec<Crossing>,
    pub(super) results: Vec<Crossing>,
}

/// Looks at the variables of `whole`, a function, that `part` of it uses. `function` is the innermost function or lambda
/// around the part.
///
/// # Errors
/// When a variable is seen from where the change could not be carried over to.
pub(super) fn crossings(
    scene: &Scene<'_>,
    flow: &Flow,
    part: TextRange,
    whole: TextRange,
    function: NodeId,
    selected: &[NodeId],
) -> Result<Crossings, Refused> {
    let mut found = Crossings { inputs: Vec::new(), results: Vec::new() };
    let mut by_variable: BTreeMap<usize, Vec<&Mention>> = BTreeMap::new();
    for mention in flow.within(whole) {
        by_variable.entry(mention.variable).or_default().push(mention);
    }
    for (variable, all) in by_variable {
        guard::tick();
        let inside: Vec<&Mention> = all.iter().copied().filter(|m| part.encloses(m.range)).collect();
        let (Some(first), false) = (all.iter().find(|m| m.declares), inside.is_empty()) else { continue };
        let look =
            Look { scene, part, function, selected, all: &all, inside: &inside, declared: first.range };
        look.classify(variable, flow.variables[variable].name.clone(), &mut found)?;
    }
    Ok(found)
}

struct Look<'a> {
    scene: &'a Scene<'a>,
    part: TextRange,
    function: NodeId,
    selected: &'a [NodeId],
    all: &'a [&'a Mention],
    inside: &'a [&'a Mention],
    declared: TextRange,
}

impl Look<'_> {
    fn classify(&self, variable: usize, name: Arc<str>, found: &mut Crossings) -> Result<(), Refused> {
        let syntax = &self.scene.syntax;
        let is_inner = self.part.encloses(self.declared);
        let reads = self
            .inside
            .iter()
            .find(|m| m.reads && !m.writes)
            .or_else(|| self.inside.iter().find(|m| m.reads));
        let is_written = self.inside.iter().any(|m| m.writes);
        let outside = || self.all.iter().filter(|m| !self.part.encloses(m.range));
        let home = syntax.function_of(syntax.around(self.declared));
        let is_own = home == Some(self.function) || syntax.range(self.function).encloses(self.declared);
        // Code before the part in a loop around it comes after it too.
        let start = syntax.around(TextRange::new(self.part.start, self.part.start));
        let round = syntax
            .ancestors(start)
            .take_while(|id| *id != self.function)
            .filter(|id| syntax.is_in(*id, syntax.shape.loops))
            .filter(|id| {
                !syntax.range(*id).encloses(self.declared)
                    || syntax.shape.by_indent
                    || syntax.shape.sigil == "$"
            })
            .last()
            .map(|id| syntax.range(id));
        let is_after = |m: &&&Mention| {
            m.range.start >= self.part.end || round.is_some_and(|round| round.encloses(m.range))
        };
        // A `return` without values reads the results that the function names.
        let is_named_result = syntax
            .field(self.function, "result")
            .is_some_and(|result| syntax.range(result).encloses(self.declared));
        let is_carried =
            round.is_some() && !is_inner && self.inside.iter().any(|m| m.reads) && !self.is_surely_written();
        let is_used_after = is_named_result || is_carried || outside().filter(is_after).any(|m| m.reads);
        let captured = |m: &&&Mention| syntax.function_of(syntax.around(m.range)) != Some(self.function);
        if !is_inner && self.inside.iter().any(|m| m.keeps) {
            let message =
                format!("a reference to `{name}` is taken and kept here; the new function would have a copy");
            return self.scene.form(message, self.declared);
        }
        if is_written && !is_inner && !is_own {
            let message = format!("`{name}` belongs to a function around this one and is written here");
            return self.scene.form(message, self.declared);
        }
        if is_written && outside().filter(|m| m.reads).any(|m| captured(&m)) {
            let message = format!("`{name}` is written here and read in a function that sees it");
            return self.scene.form(message, self.declared);
        }
        let is_shared = outside().next().is_some()
            && (self.inside.iter().any(|m| self.refers(m))
                || is_written && self.all.iter().any(|m| self.refers(m)));
        if is_shared {
            let message = format!("`{name}` is a reference to a variable that others have too");
            return self.scene.form(message, self.declared);
        }
        if !is_inner && outside().any(|m| m.writes && self.is_in_another_function(m)) && self.is_read_late() {
            let message = format!("`{name}` is written by a function that may run here before it is read");
            return self.scene.form(message, self.declared);
        }
        let crossing = |read: Option<TextRange>| Crossing {
            variable,
            name: name.clone(),
            declared: self.declared,
            read,
            is_written,
            is_inner,
            is_written_after: outside().filter(is_after).any(|m| m.writes),
        };
        let is_result = is_written && is_used_after;
        // Where variables are declared by being written, one that is written first needs no value from outside.
        let undeclared = syntax.shape.by_indent || syntax.shape.sigil == "$";
        let starts_new = undeclared && self.is_surely_written();
        if undeclared && is_inner && is_result && !starts_new && !self.assigns_all(self.selected, 0) {
            let message = format!("`{name}` is given a value on some paths only, and is used behind");
            return self.scene.form(message, self.declared);
        }
        if !is_inner && !starts_new && (reads.is_some() || is_result || !undeclared) {
            let has_value =
                self.all.iter().any(|m| m.writes && m.range.end <= self.part.start && self.gives_value(m));
            if is_written && !has_value {
                let message = format!("`{name}` may not have a value yet");
                return self.scene.form(message, self.declared);
            }
            found.inputs.push(crossing(reads.map(|m| m.range)));
        }
        if is_result {
            found.results.push(crossing(None));
        }
        let is_outer_loop_value =
            is_inner && round.is_some() && outside().any(|m| m.range.end <= self.part.start && m.reads);
        if is_outer_loop_value {
            let message = format!("`{name}` keeps its value from round to round");
            return self.scene.form(message, self.declared);
        }
        Ok(())
    }

    /// Whether a mention makes a variable of PHP a name for another one: `&$x`, `static $x`.
    fn refers(&self, m: &Mention) -> bool {
        const MAKERS: &str = "reference_assignment_expression by_ref static_variable_declaration";
        let syntax = &self.scene.syntax;
        syntax.shape.sigil == "$"
            && syntax.ancestors(syntax.around(m.range)).take(4).any(|id| {
                has(MAKERS, syntax.kind(id))
                    || syntax.children(id).iter().any(|child| syntax.kind(*child) == "reference_modifier")
            })
    }

    /// Whether a mention stands in a function or lambda that the part is not in.
    fn is_in_another_function(&self, m: &Mention) -> bool {
        let syntax = &self.scene.syntax;
        let function = syntax.function_of(syntax.around(m.range));
        function.is_some_and(|function| !syntax.range(function).encloses(self.part))
    }

    /// Whether the part reads it behind a call in it, or in a loop with one.
    fn is_read_late(&self) -> bool {
        let syntax = &self.scene.syntax;
        let runs = self.selected.iter().flat_map(|id| syntax.run_by(*id));
        let calls: Vec<TextRange> =
            runs.filter(|id| syntax.is_in(*id, syntax.shape.calls)).map(|id| syntax.range(id)).collect();
        self.inside.iter().filter(|m| m.reads).any(|m| {
            let round = syntax
                .ancestors(syntax.around(m.range))
                .take_while(|id| self.part.encloses(syntax.range(*id)))
                .filter(|id| syntax.is_in(*id, syntax.shape.loops))
                .last();
            calls.iter().any(|call| {
                call.end <= m.range.start || round.is_some_and(|round| syntax.range(round).encloses(*call))
            })
        })
    }

    /// Whether a mention that declares gives a value too.
    fn gives_value(&self, m: &Mention) -> bool {
        if !m.declares {
            return true;
        }
        let syntax = &self.scene.syntax;
        // Go makes every variable a zero.
        if syntax.shape.declare.contains(":=") {
            return true;
        }
        let node = syntax.around(m.range);
        let declarator =
            syntax.ancestors(node).take(3).find(|id| syntax.is_in(*id, syntax.shape.declarators));
        // Parameters, variables of loops and of handlers have one.
        declarator.is_none_or(|id| {
            ["value", "right"].iter().any(|field| syntax.field(id, field).is_some())
                || syntax.children(id).iter().any(|child| syntax.kind(*child) == "=")
        })
    }

    /// Whether some statements give it a value on every path that goes on behind them.
    fn assigns_all(&self, statements: &[NodeId], depth: u32) -> bool {
        depth < MAX_DEPTH && statements.iter().any(|id| self.assigns(*id, depth))
    }

    fn assigns(&self, statement: NodeId, depth: u32) -> bool {
        let syntax = &self.scene.syntax;
        let of = |id: NodeId| {
            let inner: Vec<NodeId> = syntax.named(id).collect();
            self.assigns_all(&inner, depth + 1)
        };
        let branches = |kinds: &str| -> Vec<NodeId> {
            syntax.named(statement).filter(|id| has(kinds, syntax.kind(*id))).collect()
        };
        let leaves =
            syntax.is_in(statement, syntax.shape.returns) || syntax.is_in(statement, syntax.shape.throws);
        if leaves || syntax.named(statement).any(|id| syntax.is_in(id, syntax.shape.throws)) {
            return true;
        }
        match syntax.kind(statement) {
            "if_statement" => {
                let others = branches("elif_clause else_clause else_if_clause");
                let body = ["consequence", "body"].iter().find_map(|field| syntax.field(statement, field));
                let has_else = others.iter().any(|id| syntax.kind(*id) == "else_clause");
                has_else && body.is_some_and(of) && others.into_iter().all(of)
            }
            "try_statement" => {
                let handlers = branches("except_clause catch_clause");
                let body = syntax.field(statement, "body");
                branches("finally_clause").into_iter().any(of)
                    || body.is_some_and(of) && handlers.into_iter().all(of)
            }
            "with_statement" | "block" | "compound_statement" | "else_clause" | "elif_clause"
            | "else_if_clause" | "except_clause" | "catch_clause" | "finally_clause" => {
                let writes = |id: &NodeId| syntax.kind(*id) == "with_clause" && self.writes_in(*id);
                syntax.named(statement).any(|id| writes(&id)) || of(statement)
            }
            kind if kind.ends_with("_statement") && kind != "expression_statement" => false,
            kind if has("function_definition class_definition decorated_definition", kind) => false,
            _ => self.writes_in(statement),
        }
    }

    fn writes_in(&self, node: NodeId) -> bool {
        let range = self.scene.syntax.range(node);
        self.inside.iter().any(|m| m.writes && range.encloses(m.range))
    }

    /// Whether the first thing that the part does with it is to give it another value.
    fn is_surely_written(&self) -> bool {
        let syntax = &self.scene.syntax;
        let Some(first) = self.inside.first().filter(|m| m.writes && !m.reads) else { return false };
        let around = syntax.ancestors(syntax.around(first.range)).find(|id| self.selected.contains(id));
        let Some(statement) = around else { return false };
        let range = syntax.range(statement);
        let is_simple =
            syntax.ancestors(syntax.around(first.range)).take_while(|id| *id != statement).all(|id| {
                !syntax.is_in(id, syntax.shape.blocks)
                    && !syntax.shape.wraps.iter().any(|wrap| syntax.stands_in(id, wrap.place))
                    && !syntax.shape.barriers.iter().any(|(places, _)| syntax.stands_in(id, places))
            });
        is_simple && !self.inside.iter().any(|m| m.reads && range.encloses(m.range))
    }
}
