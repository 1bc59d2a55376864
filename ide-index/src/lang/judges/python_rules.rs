//! Python: names that are used before they get a value, values that cannot be written again, numbers of values, keys of typed
//! dictionaries.

use ide_model::SymbolKind;
use rustc_hash::FxHashSet;

use super::python::{is_dataclass, is_exact, is_named_tuple};
use super::statements::{CONSTANT, LITERAL_FIELDS, MISPLACED, USED_BEFORE, VALUE_COUNT, refuse};
use super::{NamedTree, is_own};
use crate::check::{Refused, is_certain_value};
use crate::facts::{DefFlags, DefId, RefFlags, RefId, Role, ScopeKind, SuperKind, TypeExpr};
use crate::refactor::tree::NodeId;
use crate::resolve::{FileView, Ty};
use crate::world::GlobalDef;

/// Reports these in a file.
pub(super) fn report(names: NamedTree<'_>, found: &mut Vec<Refused>) {
    let NamedTree { file, tree, .. } = names;
    for node in tree.all().filter(|id| tree.node(*id).is_named) {
        match tree.kind(node) {
            "assignment" => {
                names.unpacked(node, found);
            }
            "dictionary" => {
                names.typed_dictionary(node, found);
            }
            "identifier" => {
                names.early(node, found);
            }
            _ => {}
        }
    }
    names.outer_names(found);
    for id in file.written_refs() {
        if matches!(file.reference(id).role, Role::Write | Role::ReadWrite) {
            names.written_again(id, found);
        }
    }
}

/// Whether a variable is declared as one that gets its value once.
fn is_final(view: &FileView, id: DefId) -> bool {
    let def = view.def(id);
    let named = def.ty.filter(|_| def.init.is_some()).map(|ty| view.ty(ty));
    matches!(named, Some(TypeExpr::Named { name, .. }) if view.ref_name(name) == "Final")
}

impl NamedTree<'_> {
    /// `a, b = 1, 2, 3`.
    fn unpacked(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let tree = self.tree;
        let (left, right) = (tree.field(node, "left")?, tree.field(node, "right")?);
        let is_list = tree.is_in(left, "pattern_list tuple_pattern list_pattern")
            && tree.is_in(right, "expression_list tuple list");
        let has_splat = |of: NodeId| tree.named(of).any(|part| tree.kind(part).contains("splat"));
        if !is_list || has_splat(left) || has_splat(right) {
            return None;
        }
        let (names, values) = (tree.named(left).count(), tree.named(right).count());
        if names != values {
            refuse(
                found,
                VALUE_COUNT,
                tree.range(left),
                format!("{values} values are given to {names} names"),
            );
        }
        Some(())
    }

    /// A read of a local variable that gets its only value further below.
    fn early(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let (file, tree) = (self.file, self.tree);
        let name = self.at(node)?;
        let reference = file.reference(name);
        if reference.receiver.is_some() || !matches!(reference.role, Role::Read | Role::Call) {
            return None;
        }
        let def = self.rx.bound(file, name)?;
        let own = file.def(def);
        let is_local = own.kind == SymbolKind::Variable
            && own.scope == reference.scope
            && file.scope(own.scope).kind == ScopeKind::Function
            && own.name_range.start > reference.range.end
            && !reference.flags.has(RefFlags::TYPE_ONLY)
            && file.in_scope(own.scope, own.name).len() == 1;
        if !is_local {
            return None;
        }
        let statement = *self.starts.get(&own.name_range.start)?;
        let assignment = tree.parent(statement).filter(|up| tree.kind(*up) == "assignment")?;
        let is_plain = tree.field(assignment, "left") == Some(statement)
            && tree
                .field(assignment, "right")
                .is_some_and(|value| !tree.range(value).encloses(reference.range));
        const OTHERS: &str =
            "for_statement while_statement lambda type class_definition decorator try_statement";
        let function = tree.function_of(node)?;
        let is_once = tree.ancestors(node).take_while(|up| *up != function).all(|up| !tree.is_in(up, OTHERS));
        if is_plain && is_once && tree.function_of(assignment) == Some(function) {
            let message = format!("`{}` is used before it gets its value", file.ref_name(name));
            refuse(found, USED_BEFORE, reference.range, message);
        }
        Some(())
    }

    /// `global x` behind a use of `x` in the same function.
    fn outer_names(&self, found: &mut Vec<Refused>) {
        let tree = self.tree;
        let has_outer = |id: NodeId| tree.is_in(id, "global_statement nonlocal_statement");
        if !tree.all().any(has_outer) {
            return;
        }
        let mut seen: FxHashSet<(NodeId, &str)> = FxHashSet::default();
        for node in tree.all().filter(|id| tree.kind(*id) == "identifier") {
            let (Some(up), Some(function)) = (tree.parent(node), tree.function_of(node)) else { continue };
            let text = tree.text_of(node);
            if has_outer(up) {
                if seen.contains(&(function, text)) {
                    let message = format!("`{text}` is used before it is declared as of an outer scope");
                    refuse(found, MISPLACED, tree.range(node), message);
                }
            } else if !matches!(tree.node(node).field, "attribute" | "name") {
                seen.insert((function, text));
            }
        }
    }

    /// A write to an attribute that is `Final`, or is one of an object that is frozen.
    fn written_again(&self, id: RefId, found: &mut Vec<Refused>) -> Option<()> {
        let (rx, file) = (self.rx, self.file);
        let reference = file.reference(id);
        let name = file.ref_name(id);
        let is_refused = match reference.receiver {
            None => {
                let def = rx.bound(file, id).filter(|def| is_final(file, *def))?;
                let own = file.def(def);
                let block_of = |start: u32| {
                    let mut around = self.tree.ancestors(*self.starts.get(&start)?);
                    around.find(|up| self.tree.is_in(*up, "block module"))
                };
                // The branches of a condition each give it its value.
                let (first, again) = (block_of(own.name_range.start)?, block_of(reference.range.start)?);
                own.scope == reference.scope
                    && own.name_range.end < reference.range.start
                    && self.tree.ancestors(again).any(|up| up == first)
            }
            Some(receiver) => {
                let of = rx.expr_type(file, receiver);
                let Ty::Instance(class, _) = of else { return None };
                let is_final_member = |part: GlobalDef| {
                    let view = rx.file(part.file);
                    let body = view.def(part.def).body.filter(|_| is_own(rx, part));
                    let named = body.map_or(&[][..], |body| view.named_in_scope(body, name));
                    named.iter().any(|id| is_final(view, *id) && !view.has_flag(*id, DefFlags::ATTRIBUTE))
                };
                let line = rx.linearization(&of);
                let is_attribute = || {
                    let is_frozen = is_own(rx, class) && self.is_frozen(class);
                    is_frozen && is_exact(rx, file, id, class) && !name.starts_with("__")
                };
                (line.iter().filter_map(Ty::def).any(is_final_member) || is_attribute())
                    && is_certain_value(rx, file, receiver)
            }
        };
        // A test may try it.
        let is_tried = |node: &NodeId| {
            self.tree.ancestors(*node).any(|up| self.tree.is_in(up, "with_statement try_statement"))
        };
        if is_refused && !self.starts.get(&reference.range.start).is_some_and(is_tried) {
            refuse(found, CONSTANT, reference.range, format!("`{name}` cannot be assigned again"));
        }
        Some(())
    }

    /// Whether the attributes of the objects of a class cannot be written: it is a named tuple, or a `@dataclass(frozen=True)` of
    /// this file.
    fn is_frozen(&self, class: GlobalDef) -> bool {
        let (rx, tree) = (self.rx, self.tree);
        let says_so = || {
            let name = *self.starts.get(&rx.def(class).name_range.start)?;
            let decorated = tree.parent(tree.parent(name)?)?;
            let is_frozen = |id: NodeId| {
                tree.kind(id) == "decorator" && tree.text_of(id).replace(' ', "").contains("frozen=True")
            };
            Some(tree.named(decorated).any(is_frozen))
        };
        is_named_tuple(rx, class)
            || class.file == self.file.id && is_dataclass(rx, class) && says_so() == Some(true)
    }

    /// The keys of a dictionary that is declared as a `TypedDict`.
    fn typed_dictionary(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let (rx, file, tree) = (self.rx, self.file, self.tree);
        let up = tree.parent(node)?;
        let ty = match tree.kind(up) {
            "assignment" if tree.field(up, "right") == Some(node) => tree.field(up, "type")?,
            "return_statement" => tree.field(tree.function_of(up)?, "return_type")?,
            _ => return None,
        };
        let name = self.at(tree.named(ty).next()?).filter(|_| !tree.text_of(ty).contains(['[', '|', '.']))?;
        let class =
            rx.resolve(file.global_ref(name)).resolution.certain_def().filter(|def| is_own(rx, *def))?;
        let (view, own) = (rx.file(class.file), rx.def(class));
        let mut edges = view.list(own.supers);
        let (Some(only), None) = (edges.next(), edges.next()) else { return None };
        let above = rx.named_type_ref(view, only.ty).map(|name| view.ref_name(name));
        if above != Some("TypedDict") || only.kind == SuperKind::Other || !own.type_params.is_empty() {
            return None;
        }
        let mut fields = Vec::new();
        for id in view.own_in_order(class.def) {
            let needed = match view.ty(view.def(id).ty?) {
                TypeExpr::Named { name, .. } => !matches!(view.ref_name(name), "NotRequired" | "Required"),
                _ => true,
            };
            fields.push((view.def_name(id), needed));
        }
        let mut given = Vec::new();
        for pair in tree.named(node) {
            let key = tree.field(pair, "key").filter(|key| tree.kind(*key) == "string")?;
            given.push((key, tree.text_of(key).trim_matches(['"', '\''])));
        }
        let who = file.ref_name(name);
        for (key, text) in given.iter().filter(|(_, text)| !fields.iter().any(|(field, _)| field == text)) {
            refuse(found, LITERAL_FIELDS, tree.range(*key), format!("`{who}` has no key `{text}`"));
        }
        let is_lacking = |field: &&(&str, bool)| field.1 && !given.iter().any(|(_, text)| *text == field.0);
        // `total=False` lets all be missing.
        let is_total = class.file == file.id && !tree.slice(own.range).contains("total");
        if let Some((lacking, _)) = fields.iter().find(is_lacking).filter(|_| is_total) {
            refuse(found, LITERAL_FIELDS, tree.range(node), format!("`{who}` needs the key `{lacking}`"));
        }
        Some(())
    }
}
