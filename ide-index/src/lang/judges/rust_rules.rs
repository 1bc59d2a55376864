//! Rust: the number of values in tuple structures and tuple variants, and methods that change a variable without `mut`.

use std::cell::RefCell;

use ide_model::{SymbolKind, counted};
use rustc_hash::{FxHashMap, FxHashSet};

use super::rust::may_be_argument_of_macro;
use super::statements::{ARGUMENT_COUNT, CONSTANT, child, is_in_macro, may_be_rewritten, refuse};
use super::{NamedTree, is_conditional, is_own};
use crate::check::Refused;
use crate::facts::{DefFlags, DefId, TypeExpr};
use crate::refactor::tree::{NodeId, Syntax};
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::GlobalDef;

/// Collections of the library with the methods that change them.
const GROWING: &[(&str, &str)] = &[
    (
        "Vec",
        "append clear drain extend insert pop push remove retain reverse sort sort_by sort_by_key truncate",
    ),
    ("VecDeque", "clear extend insert pop_back pop_front push_back push_front remove retain truncate"),
    ("String", "clear insert insert_str pop push push_str remove truncate"),
    ("HashMap", "clear drain entry extend get_mut insert remove retain"),
    ("BTreeMap", "clear entry extend get_mut insert pop_first pop_last remove retain"),
    ("HashSet", "clear drain extend insert remove retain"),
    ("BTreeSet", "clear extend insert pop_first pop_last remove retain"),
];

struct Rules<'a> {
    rx: &'a Resolver,
    file: &'a FileView,
    tree: &'a Syntax,
    names: NamedTree<'a>,
    /// The `let` statements of plain names, by where the names start.
    lets: FxHashMap<u32, NodeId>,
    /// Names that the file declares itself.
    declared: FxHashSet<&'a str>,
    /// The numbers of values of variants and structures that were asked for.
    held: RefCell<FxHashMap<GlobalDef, Option<usize>>>,
}

/// Reports these in a file.
pub(super) fn report(names: NamedTree<'_>, found: &mut Vec<Refused>) {
    let NamedTree { rx, file, tree, .. } = names;
    let name_of = |id: NodeId| {
        let pattern = tree.field(id, "pattern").filter(|_| tree.kind(id) == "let_declaration")?;
        (tree.kind(pattern) == "identifier").then(|| (tree.range(pattern).start, id))
    };
    let lets = tree.all().filter_map(name_of).collect();
    let is_own = |id: &DefId| file.def(*id).kind != SymbolKind::Import;
    let declared = file.def_ids().filter(is_own).map(|id| file.def_name(id)).collect();
    let rules = Rules { rx, file, tree, names, lets, declared, held: RefCell::default() };
    for node in tree.all().filter(|id| tree.node(*id).is_named) {
        match tree.kind(node) {
            "call_expression" => {
                rules.made(node, found);
                rules.changed(node, found);
            }
            "tuple_struct_pattern" => {
                rules.pattern(node, found);
            }
            _ => {}
        }
    }
    super::rust_moves::report(names, &|init| rules.made_type(init), found);
}

impl Rules<'_> {
    fn meant(&self, node: NodeId) -> Option<GlobalDef> {
        let tree = self.tree;
        let name = if tree.kind(node) == "scoped_identifier" { tree.field(node, "name")? } else { node };
        let reference = self.names.at(name).filter(|_| tree.kind(name) == "identifier")?;
        let def = self.rx.resolve(self.file.global_ref(reference)).resolution.certain_def()?;
        (is_own(self.rx, def) && !is_in_macro(tree, node) && !may_be_rewritten(tree, node)).then_some(def)
    }

    /// How many unnamed values a variant or a structure holds; `None` where they have names or are not all known.
    fn values_of(&self, of: GlobalDef) -> Option<usize> {
        if let Some(known) = self.held.borrow().get(&of) {
            return *known;
        }
        let count = self.count_values(of);
        self.held.borrow_mut().insert(of, count);
        count
    }

    fn count_values(&self, of: GlobalDef) -> Option<usize> {
        let (view, own) = (self.rx.file(of.file), self.rx.def(of));
        let is_kind = matches!(own.kind, SymbolKind::EnumCase | SymbolKind::Struct);
        let item = view.scope(own.scope).owner.filter(|_| own.kind == SymbolKind::EnumCase).unwrap_or(of.def);
        let is_partial = of.file == self.file.id && self.tree.slice(own.range).contains("#[cfg");
        let is_plain = is_kind
            && !own.name_range.is_empty()
            && !is_conditional(view, of.def)
            && !is_partial
            && !may_be_argument_of_macro(self.rx, view, item);
        let Some(body) = own.body.filter(|_| is_plain) else {
            return (is_plain && own.kind == SymbolKind::EnumCase).then_some(0);
        };
        let members = view.all_in_scope(body).iter().copied();
        let fields: Vec<DefId> = members.filter(|id| view.def(*id).kind == SymbolKind::Field).collect();
        let is_number = |id: &DefId| view.def_name(*id).starts_with(|c: char| c.is_ascii_digit());
        let is_whole = fields.iter().all(|id| is_number(id) && !is_conditional(view, *id));
        (is_whole && (own.kind == SymbolKind::EnumCase || !fields.is_empty())).then_some(fields.len())
    }

    fn made(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let tree = self.tree;
        let callee = tree.field(node, "function")?;
        let of = self.meant(callee)?;
        let count =
            tree.named(tree.field(node, "arguments")?).filter(|id| tree.kind(*id) != "attribute_item");
        self.compare(of, count.count(), callee, found)
    }

    fn pattern(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let tree = self.tree;
        let ty = tree.field(node, "type")?;
        let of = self.meant(ty)?;
        let parts: Vec<NodeId> =
            tree.children(node).iter().copied().skip_while(|id| *id != ty).skip(1).collect();
        if parts
            .iter()
            .any(|id| tree.kind(*id) == "remaining_field_pattern" || tree.text_of(*id).contains(".."))
        {
            return None;
        }
        // `_` is no named node.
        let count = parts
            .iter()
            .filter(|id| !matches!(tree.kind(**id), "(" | ")" | ",") && !tree.node(**id).is_extra);
        self.compare(of, count.count(), ty, found)
    }

    fn compare(&self, of: GlobalDef, count: usize, at: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        // A variant that is named alone may have a structure of its name beside it.
        let is_path = self.tree.kind(at) == "scoped_identifier";
        let wanted = self.values_of(of).filter(|_| is_path || self.rx.kind(of) == SymbolKind::Struct)?;
        if wanted != count {
            let message =
                format!("`{}` holds {}, not {count}", self.rx.def_name(of), counted(wanted, "value"));
            refuse(found, ARGUMENT_COUNT, self.tree.range(at), message);
        }
        Some(())
    }

    /// A method with `&mut self` that is called on a variable which is made here and is not `mut`.
    fn changed(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let tree = self.tree;
        let callee = tree.field(node, "function").filter(|id| tree.kind(*id) == "field_expression")?;
        let value = tree.field(callee, "value").filter(|id| tree.kind(*id) == "identifier")?;
        let method = tree.field(callee, "field").filter(|id| tree.kind(*id) == "field_identifier")?;
        let name = self.names.at(value)?;
        let def = self.rx.bound(self.file, name)?;
        let own = self.file.def(def);
        // Of several of a name another one may be meant.
        let is_alone = self.file.in_scope(own.scope, own.name).len() == 1;
        let is_variable = own.kind == SymbolKind::Variable && !own.flags.has(DefFlags::MUT);
        if !is_variable || !is_alone || is_in_macro(tree, node) {
            return None;
        }
        let made = *self.lets.get(&own.name_range.start)?;
        let init = tree.field(made, "value").filter(|_| child(tree, made, "mutable_specifier").is_none())?;
        let is_changed = match self.library_type(init) {
            Some(methods) => methods.split_whitespace().any(|known| known == tree.text_of(method)),
            None => {
                self.is_own_value(init) && {
                    let method = self.names.at(method)?;
                    let called = self.rx.resolve(self.file.global_ref(method)).resolution.certain_def()?;
                    let is_of_type = self.rx.kind(called) == SymbolKind::Method && is_own(self.rx, called);
                    is_of_type && self.rx.has_flag(called, DefFlags::MUT)
                }
            }
        };
        if is_changed && !may_be_rewritten(tree, node) {
            let message = format!("`{}` is changed but not declared `mut`", tree.text_of(value));
            refuse(found, CONSTANT, tree.range(value), message);
        }
        Some(())
    }

    /// The methods that change a value which is made here by the library.
    fn library_type(&self, init: NodeId) -> Option<&'static str> {
        let tree = self.tree;
        let callee = tree.field(init, "function").filter(|_| tree.kind(init) == "call_expression")?;
        let text = tree.text_of(callee);
        let (of, maker) = text.split_once("::")?;
        let is_maker = matches!(maker, "new" | "with_capacity") || text == "String::from";
        let is_library = is_maker && !self.declared.contains(of);
        GROWING.iter().find(|(name, _)| *name == of && is_library).map(|(_, methods)| *methods)
    }

    /// The structure of the project that a value is made as, or none for a type of the library that is moved.
    fn made_type(&self, init: NodeId) -> Option<Option<GlobalDef>> {
        let tree = self.tree;
        if self.library_type(init).is_some() {
            return Some(None);
        }
        if !self.is_own_value(init) {
            return None;
        }
        let function = tree.field(init, "function").and_then(|callee| self.meant(callee))?;
        let Ty::Instance(of, _) = self.rx.return_type(function) else { return None };
        Some(Some(of))
    }

    /// Whether a value is just one of a structure or an enumeration of the project: no reference to one.
    fn is_own_value(&self, init: NodeId) -> bool {
        let tree = self.tree;
        match tree.kind(init) {
            "struct_expression" => true,
            "call_expression" => {
                let function = tree.field(init, "function").and_then(|callee| self.meant(callee));
                function.is_some_and(|function| {
                    let (view, own) = (self.rx.file(function.file), self.rx.def(function));
                    // A name may stand for a reference.
                    let is_alias = |name| {
                        let found = self.rx.resolve(view.global_ref(name)).resolution;
                        found.defs().any(|of| self.rx.kind(of) == SymbolKind::TypeAlias)
                    };
                    let is_plain = own.ty.is_some_and(|ty| match view.ty(ty) {
                        TypeExpr::Reference(_) | TypeExpr::Pointer(_) | TypeExpr::Bounds(_) => false,
                        TypeExpr::Named { name, .. } => !is_alias(name),
                        _ => true,
                    });
                    let is_value = matches!(self.rx.return_type(function), Ty::Instance(of, _)
                        if matches!(self.rx.kind(of), SymbolKind::Struct | SymbolKind::Enum) && is_own(self.rx, of));
                    own.kind.is_callable() && !own.flags.has(DefFlags::ASYNC) && is_plain && is_value
                })
            }
            _ => false,
        }
    }
}
