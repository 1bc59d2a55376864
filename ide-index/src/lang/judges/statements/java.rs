//! Java: what can be reached, what returns, and what a static place knows.

use super::jumps::{self, Jumps};
use super::{
    DUPLICATE_CASE, MISPLACED, MISSING_RETURN, RETURN_VALUE, UNREACHABLE, child, children, end_of, refuse,
    report_twins,
};
use crate::check::Refused;
use crate::facts::DefFlags;
use crate::refactor::tree::{NodeId, Syntax};
use crate::resolve::FileView;

const JUMPS: Jumps = Jumps {
    label: "identifier",
    labeled: "labeled_statement",
    continued: "for_statement enhanced_for_statement while_statement do_statement",
    bounds: "method_declaration constructor_declaration compact_constructor_declaration lambda_expression \
        static_initializer class_body enum_body interface_body",
    open: "",
    behind: "",
};

pub(in super::super) fn java(file: &FileView, tree: &Syntax, found: &mut Vec<Refused>) {
    jumps::report(tree, &JUMPS, found);
    let java = Java { file, tree };
    for node in tree.all() {
        match tree.kind(node) {
            "method_declaration" => java.method(node, found),
            "return_statement" => java.returned(node, found),
            "block" | "constructor_body" | "switch_block_statement_group" => java.unreachable(node, found),
            "switch_block" => java.labels(node, found),
            "this" => java.this(node, found),
            _ => {}
        }
    }
}

struct Java<'a> {
    file: &'a FileView,
    tree: &'a Syntax,
}

/// Statements of which no one can say whether they end is `None`.
type Ends = Option<bool>;

impl Java<'_> {
    fn method(&self, node: NodeId, found: &mut Vec<Refused>) {
        let tree = self.tree;
        let Some(ty) = tree.field(node, "type") else { return };
        let Some(body) = tree.field(node, "body").filter(|_| tree.kind(ty) != "void_type") else { return };
        if self.ends(body) == Some(true) {
            let message = "a path through the method returns nothing";
            refuse(found, MISSING_RETURN, end_of(tree, body), message);
        }
    }

    fn returned(&self, node: NodeId, found: &mut Vec<Refused>) {
        let tree = self.tree;
        let Some(function) = tree.function_of(node) else { return };
        let has_value = tree.named(node).next().is_some();
        let takes_value = match tree.kind(function) {
            "method_declaration" => {
                tree.field(function, "type").is_some_and(|ty| tree.kind(ty) != "void_type")
            }
            "constructor_declaration" | "compact_constructor_declaration" => false,
            _ => return,
        };
        if has_value && !takes_value {
            refuse(found, RETURN_VALUE, tree.range(node), "nothing can be returned here");
        } else if !has_value && takes_value {
            refuse(found, RETURN_VALUE, tree.range(node), "a value must be returned here");
        }
    }

    /// The statements of a list; labels of a `switch` and names of labels are none.
    fn statements(&self, list: NodeId) -> Vec<NodeId> {
        self.tree.named(list).filter(|id| self.tree.kind(*id) != "switch_label").collect()
    }

    fn unreachable(&self, list: NodeId, found: &mut Vec<Refused>) {
        let statements = self.statements(list);
        let stop = statements.iter().position(|statement| self.ends(*statement) == Some(false));
        let Some(next) = stop.and_then(|at| statements.get(at + 1)) else { return };
        refuse(found, UNREACHABLE, self.tree.range(*next), "nothing can reach this statement");
    }

    fn labels(&self, block: NodeId, found: &mut Vec<Refused>) {
        let tree = self.tree;
        let labels: Vec<NodeId> = tree
            .named(block)
            .flat_map(|group| children(tree, group, "switch_label").collect::<Vec<_>>())
            .collect();
        let is_simple = |id: &NodeId| tree.is_in(*id, tree.shape.literals) || tree.kind(*id) == "identifier";
        // Behind a guard a label may come again.
        let values = labels
            .iter()
            .filter(|label| child(tree, **label, "guard").is_none())
            .flat_map(|label| tree.named(*label).filter(is_simple));
        report_twins(tree, values, "the case", found);
        let is_default = |label: &&NodeId| tree.text_of(**label) == "default";
        if let Some(second) = labels.iter().filter(is_default).nth(1) {
            refuse(found, DUPLICATE_CASE, tree.range(*second), "`default` stands there twice");
        }
    }

    /// `this` in a static method.
    fn this(&self, node: NodeId, found: &mut Vec<Refused>) {
        let tree = self.tree;
        // `Outer.this` is another object.
        let is_alone = tree
            .parent(node)
            .is_none_or(|up| tree.kind(up) != "field_access" || tree.field(up, "object") == Some(node));
        let around = tree.ancestors(node).skip(1).find(|up| {
            tree.is_in(*up, "method_declaration class_body enum_body interface_body enum_body_declarations")
        });
        let Some(method) = around.filter(|up| is_alone && tree.kind(*up) == "method_declaration") else {
            return;
        };
        let modifiers = child(tree, method, "modifiers");
        let is_static =
            modifiers.is_some_and(|id| tree.children(id).iter().any(|word| tree.kind(*word) == "static"));
        let is_receiver = tree.ancestors(node).any(|up| tree.kind(up) == "receiver_parameter");
        if is_static && !is_receiver {
            refuse(found, MISPLACED, tree.range(node), "there is no `this` in a static method");
        }
    }

    /// Whether a statement can end so that the next one is run.
    fn ends(&self, node: NodeId) -> Ends {
        crate::guard::deeper(|| self.ends_inside(node)).flatten()
    }

    fn ends_inside(&self, node: NodeId) -> Ends {
        let tree = self.tree;
        match tree.kind(node) {
            "block" | "constructor_body" => self.list_ends(&self.statements(node)),
            "return_statement" | "throw_statement" | "break_statement" | "continue_statement"
            | "yield_statement" => Some(false),
            "labeled_statement" => {
                let (label, inner) = (tree.named(node).next()?, tree.named(node).nth(1)?);
                let is_left = self.is_left(inner, Some(tree.text_of(label)));
                if is_left { Some(true) } else { self.ends(inner) }
            }
            "if_statement" => match tree.field(node, "alternative") {
                None => Some(true),
                Some(other) => either(self.ends(tree.field(node, "consequence")?), self.ends(other)),
            },
            "while_statement" => self.loop_ends(node),
            "for_statement" => self.loop_ends(node),
            "do_statement" => {
                let body = tree.field(node, "body")?;
                if self.is_left(body, None) {
                    return Some(true);
                }
                let is_constant = self.constant(tree.field(node, "condition")?);
                let goes_on = self.has_continue(body) || self.ends(body)?;
                match is_constant? {
                    Constant::Other => Some(goes_on),
                    Constant::True => Some(false),
                    Constant::False => Some(goes_on),
                }
            }
            "synchronized_statement" => self.ends(tree.field(node, "body")?),
            "try_statement" | "try_with_resources_statement" => self.try_ends(node),
            "switch_expression" => self.switch_ends(node),
            "expression_statement" => {
                let inner = tree.named(node).next()?;
                if tree.kind(inner) == "switch_expression" { self.switch_ends(inner) } else { Some(true) }
            }
            "local_variable_declaration"
            | "class_declaration"
            | "record_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "assert_statement"
            | "enhanced_for_statement"
            | "explicit_constructor_invocation"
            | ";" => Some(true),
            _ => None,
        }
    }

    fn list_ends(&self, statements: &[NodeId]) -> Ends {
        let mut all = Some(true);
        for statement in statements {
            match self.ends(*statement) {
                Some(false) => return Some(false),
                None => all = None,
                Some(true) => {}
            }
        }
        all
    }

    /// `while` and `for` with a condition.
    fn loop_ends(&self, node: NodeId) -> Ends {
        let tree = self.tree;
        let body = tree.field(node, "body")?;
        let constant = match tree.field(node, "condition") {
            Some(condition) => self.constant(condition)?,
            None => Constant::True,
        };
        match constant {
            Constant::True => Some(self.is_left(body, None)),
            Constant::Other => Some(true),
            Constant::False => None,
        }
    }

    fn try_ends(&self, node: NodeId) -> Ends {
        let tree = self.tree;
        let last = child(tree, node, "finally_clause").and_then(|last| child(tree, last, "block"));
        let last = last.map_or(Some(true), |block| self.ends(block));
        if last == Some(false) {
            return Some(false);
        }
        let mut all = self.ends(tree.field(node, "body")?);
        for clause in children(tree, node, "catch_clause") {
            let body = tree.field(clause, "body").or_else(|| child(tree, clause, "block"))?;
            all = either(all, self.ends(body));
        }
        match (all, last) {
            (Some(false), _) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }
    }

    fn switch_ends(&self, node: NodeId) -> Ends {
        let tree = self.tree;
        let body = tree.field(node, "body")?;
        if self.is_left(body, None) {
            return Some(true);
        }
        let parts: Vec<NodeId> = tree.named(body).collect();
        let labels: Vec<NodeId> =
            parts.iter().flat_map(|part| children(tree, *part, "switch_label").collect::<Vec<_>>()).collect();
        let has_default = labels.iter().any(|label| {
            tree.text_of(*label) == "default"
                || tree.text_of(*label).split([' ', ',']).any(|w| w == "default")
        });
        let is_plain = |label: &NodeId| {
            tree.named(*label).all(|value| {
                tree.is_in(value, tree.shape.literals)
                    || tree.is_in(value, "identifier field_access scoped_identifier")
            })
        };
        if !labels.iter().all(is_plain) {
            return None;
        }
        if !has_default {
            return Some(true);
        }
        let mut ends = Some(false);
        for (at, part) in parts.iter().enumerate() {
            let of_part = match tree.kind(*part) {
                "switch_block_statement_group" if at + 1 < parts.len() => Some(false),
                "switch_block_statement_group" => self.list_ends(&self.statements(*part)),
                _ => {
                    let run = tree.named(*part).find(|id| tree.kind(*id) != "switch_label")?;
                    self.ends(run)
                }
            };
            ends = either(ends, of_part);
        }
        ends
    }

    /// Whether a `break` inside of a statement leaves it: one of this label, or one without that no inner one takes.
    fn is_left(&self, body: NodeId, label: Option<&str>) -> bool {
        let tree = self.tree;
        tree.run_by(body).into_iter().filter(|id| tree.kind(*id) == "break_statement").any(|id| {
            let to = tree.named(id).next().map(|to| tree.text_of(to));
            let outer = tree.parent(body);
            let target = tree.ancestors(id).skip(1).find(|up| tree.is_in(*up, tree.shape.breakable));
            match (label, to) {
                (Some(label), Some(to)) => label == to,
                // A label of the loop itself.
                (None, Some(to)) => outer.and_then(|outer| tree.parent(outer)).is_some_and(|up| {
                    tree.kind(up) == "labeled_statement"
                        && tree.named(up).next().is_some_and(|name| tree.text_of(name) == to)
                }),
                (None, None) => target == outer,
                (Some(_), None) => false,
            }
        })
    }

    fn has_continue(&self, body: NodeId) -> bool {
        let tree = self.tree;
        tree.run_by(body).into_iter().any(|id| tree.kind(id) == "continue_statement")
    }

    /// The value of a condition, as far as a compiler knows it; `None` where it may be a constant by names of elsewhere.
    fn constant(&self, condition: NodeId) -> Option<Constant> {
        let tree = self.tree;
        let inner = self.without_parentheses(condition);
        match tree.kind(inner) {
            "true" => return Some(Constant::True),
            "false" => return Some(Constant::False),
            _ => {}
        }
        const VARIABLE: &str = "method_invocation assignment_expression update_expression instanceof_expression \
            array_access null_literal object_creation_expression switch_expression";
        let below = tree.below(inner);
        let is_variable = below.iter().any(|id| {
            tree.is_in(*id, VARIABLE) || tree.kind(*id) == "identifier" && self.is_local_variable(*id)
        });
        is_variable.then_some(Constant::Other)
    }

    fn without_parentheses(&self, mut node: NodeId) -> NodeId {
        while self.tree.kind(node) == "parenthesized_expression" {
            let Some(inner) = self.tree.named(node).next() else { break };
            node = inner;
        }
        node
    }

    /// Whether all that a name can mean in its file are variables that can change.
    fn is_local_variable(&self, name: NodeId) -> bool {
        let of = self.file.name_id(self.tree.text_of(name));
        let mut some = false;
        let all = of.is_some_and(|of| {
            self.file.def_ids().filter(|id| self.file.def(*id).name == of).all(|id| {
                some = true;
                !self.file.has_flag(id, DefFlags::FINAL)
            })
        });
        // An inherited constant may have the name of no declaration here.
        some && all
    }
}

enum Constant {
    True,
    False,
    Other,
}

/// Whether one of two ends.
fn either(a: Ends, b: Ends) -> Ends {
    match (a, b) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}
