//! Choices among all there is of an enumeration or of a sealed type that leave some out.
//!
//! The labels tell which type is chosen from. A label that is not understood, or that may hold for some values only, is taken for
//! one that covers what it names.

use ide_model::{Language, SymbolKind};
use rustc_hash::FxHashSet;

use super::statements::{DUPLICATE_CASE, MISSING_CASE, child, children, refuse};
use super::{NamedTree, is_conditional, is_own};
use crate::check::Refused;
use crate::facts::{DefFlags, DefId, Role, SuperKind};
use crate::refactor::tree::{NodeId, Syntax};
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::GlobalDef;

/// Cases that are named in a message.
const NAMED: usize = 5;
/// Types between a label and the sealed type that is chosen from.
const MOST_LEVELS: usize = 16;
/// Files that are looked through for the types below a sealed one.
const MOST_FILES: usize = 256;

struct Cases<'a> {
    rx: &'a Resolver,
    file: &'a FileView,
    tree: &'a Syntax,
    names: NamedTree<'a>,
}

/// Reports the choices of a file that leave something out.
pub(super) fn report(names: NamedTree<'_>, found: &mut Vec<Refused>) {
    let NamedTree { rx, file, tree, .. } = names;
    // A file that says so leaves cases out on purpose.
    if tree.text_of(tree.root()).contains("NO_ELSE_IN_WHEN") {
        return;
    }
    let cases = Cases { rx, file, tree, names };
    for node in tree.all().filter(|id| tree.node(*id).is_named) {
        if tree.kind(node) == "expression_switch_statement" {
            cases.twins(node, found);
        }
        let lacking = match (file.language(), tree.kind(node)) {
            (Language::Kotlin, "when_expression") => cases.kotlin(node),
            (Language::Java, "switch_expression") => cases.java(node),
            (Language::Rust, "match_expression") => cases.rust(node),
            _ => None,
        };
        let Some(lacking) = lacking.filter(|lacking| !lacking.is_empty()) else { continue };
        let names: Vec<String> =
            lacking.iter().take(NAMED).map(|of| format!("`{}`", rx.def_name(*of))).collect();
        let more = lacking.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let head = tree.children(node).first().map_or(tree.range(node), |word| tree.range(*word));
        refuse(found, MISSING_CASE, head, format!("no case for {}{more}", names.join(", ")));
    }
}

impl Cases<'_> {
    /// Reports constants that two cases of a `switch` of Go name.
    fn twins(&self, node: NodeId, found: &mut Vec<Refused>) {
        let tree = self.tree;
        if tree.field(node, "value").is_none() {
            return;
        }
        let mut seen = FxHashSet::default();
        let values = children(tree, node, "expression_case")
            .filter_map(|case| tree.field(case, "value"))
            .flat_map(|list| tree.named(list).collect::<Vec<_>>());
        for value in values {
            let name = tree.field(value, "field").unwrap_or(value);
            let Some(reference) = self.names.at(name) else { continue };
            let meant = self.rx.resolve(self.file.global_ref(reference)).resolution.certain_def();
            let Some(def) = meant.filter(|def| self.rx.kind(*def) == SymbolKind::Constant) else { continue };
            if !seen.insert(def) {
                let message = format!("the case `{}` stands there twice", tree.text_of(value));
                refuse(found, DUPLICATE_CASE, tree.range(value), message);
            }
        }
    }

    /// The declaration that the name at the end of a path means for certain.
    fn meant(&self, node: NodeId) -> Option<GlobalDef> {
        let tree = self.tree;
        let mut at = node;
        while tree.is_in(
            at,
            "navigation_expression user_type scoped_identifier scoped_type_identifier field_access generic_type",
        ) {
            let names = children(tree, at, "identifier type_identifier field_identifier");
            at = match tree.kind(at) {
                "generic_type" => tree.named(at).next()?,
                _ => names.last()?,
            };
        }
        let reference = self.names.at(at)?;
        if !tree.is_in(at, "identifier type_identifier") {
            return None;
        }
        let found = self.rx.resolve(self.file.global_ref(reference)).resolution;
        found.certain_def().filter(|def| is_own(self.rx, *def))
    }

    fn kotlin(&self, node: NodeId) -> Option<Vec<GlobalDef>> {
        let tree = self.tree;
        let subject = child(tree, node, "when_subject")?;
        let mut covered = Vec::new();
        for entry in children(tree, node, "when_entry") {
            let conditions: Vec<NodeId> = tree
                .children(entry)
                .iter()
                .copied()
                .filter(|id| tree.node(*id).field == "condition")
                .collect();
            let conditions = conditions.into_iter().filter(|id| tree.node(*id).is_named);
            let before = covered.len();
            for condition in conditions {
                let label = match tree.kind(condition) {
                    "type_test" if tree.text_of(condition).starts_with("is") => {
                        tree.named(condition).next()?
                    }
                    "identifier" | "navigation_expression" => condition,
                    _ => return None,
                };
                if tree.text_of(label) != "null" {
                    covered.push(self.meant(label)?);
                }
            }
            let is_null = tree.text_of(entry).starts_with("null");
            if covered.len() == before && !is_null {
                return None;
            }
        }
        let value = tree.named(subject).next()?;
        let is_value = tree.parent(node).is_some_and(|up| {
            tree.is_in(
                up,
                "return_expression function_body value_argument binary_expression navigation_expression",
            ) || tree.is_in(up, "property_declaration assignment throw_expression call_expression")
        });
        let of = self.type_of(value);
        let in_other = tree.ancestors(node).skip(1).any(|up| {
            let other = child(tree, up, "when_subject").and_then(|subject| tree.named(subject).next());
            other.is_some_and(|other| tree.text_of(other) == tree.text_of(value))
        });
        if in_other || self.is_asked_before(node, tree.text_of(value)) || !is_value && of.is_none() {
            return None;
        }
        self.lacking(&covered, of)
    }

    /// The declared type of a plain name.
    fn type_of(&self, value: NodeId) -> Option<GlobalDef> {
        let reference = self.names.at(value)?;
        if self.tree.kind(value) != "identifier" {
            return None;
        }
        let found = self.rx.resolve(self.file.global_ref(reference)).resolution;
        let def = found.defs().next().filter(|_| found.targets.len() == 1)?;
        let ty = self.rx.file(def.file).def(def.def).ty?;
        match self.rx.type_of(self.rx.file(def.file), ty) {
            Ty::Instance(of, _) => Some(of),
            _ => None,
        }
    }

    /// Whether a value is compared or tested before in its function, so that it may be less than its type says.
    fn is_asked_before(&self, node: NodeId, value: &str) -> bool {
        let tree = self.tree;
        let Some(function) = tree.function_of(node) else { return false };
        let mut text = tree.text_of(function);
        let length = (tree.range(node).start - tree.range(function).start) as usize;
        text = text.get(..length).unwrap_or("");
        let signs = ["==", "!=", "is ", "!is ", "in "];
        text.match_indices(value).any(|(at, _)| {
            let behind = text[at + value.len()..].trim_start();
            let before = text[..at].trim_end();
            signs.iter().any(|sign| behind.starts_with(sign))
                || ["==", "!="].iter().any(|sign| before.ends_with(sign))
        })
    }

    fn java(&self, node: NodeId) -> Option<Vec<GlobalDef>> {
        let tree = self.tree;
        let is_value = tree.parent(node).is_some_and(|up| {
            tree.is_in(up, "variable_declarator return_statement argument_list parenthesized_expression")
                || tree.is_in(up, "assignment_expression yield_statement binary_expression")
        });
        let body = tree.field(node, "body").filter(|_| is_value)?;
        let mut covered = Vec::new();
        for group in children(tree, body, "switch_rule switch_block_statement_group") {
            for label in children(tree, group, "switch_label") {
                let mut names = tree.named(label).filter(|id| tree.kind(*id) != "guard").peekable();
                // `default` has no name.
                names.peek()?;
                for name in names {
                    let name = match tree.kind(name) {
                        "pattern" => {
                            let inner = tree.named(name).next()?;
                            tree.named(inner).next()?
                        }
                        "null_literal" => continue,
                        _ => name,
                    };
                    if tree.text_of(label).contains("default") {
                        return None;
                    }
                    covered.push(self.meant(name)?);
                }
            }
        }
        self.lacking(&covered, None)
    }

    fn rust(&self, node: NodeId) -> Option<Vec<GlobalDef>> {
        let tree = self.tree;
        let body = tree.field(node, "body")?;
        let in_macro =
            tree.ancestors(node).any(|up| tree.is_in(up, "token_tree macro_definition macro_arguments"));
        let mut todo = Vec::new();
        for arm in children(tree, body, "match_arm") {
            if in_macro || child(tree, arm, "attribute_item").is_some() {
                return None;
            }
            let pattern = tree.field(arm, "pattern")?;
            todo.push(*tree.children(pattern).first()?);
        }
        if todo.is_empty() {
            return None;
        }
        let mut covered = Vec::new();
        while let Some(pattern) = todo.pop() {
            let name = match tree.kind(pattern) {
                "or_pattern" => {
                    todo.extend(tree.named(pattern));
                    continue;
                }
                "reference_pattern" => {
                    todo.push(tree.named(pattern).last()?);
                    continue;
                }
                "identifier" | "scoped_identifier" => pattern,
                "tuple_struct_pattern" | "struct_pattern" => tree.field(pattern, "type")?,
                _ => return None,
            };
            let case = self.meant(name)?;
            if self.rx.kind(case) != SymbolKind::EnumCase {
                return None;
            }
            covered.push(case);
        }
        let of = self.rx.owner_class(*covered.first()?)?;
        let is_whole = covered.iter().all(|case| self.rx.owner_class(*case) == Some(of));
        let lacking = if is_whole { self.lacking(&covered, Some(of))? } else { return None };
        // A variant that holds what has no values need not be named.
        let may_be_empty = |case: &GlobalDef| {
            let view = self.rx.file(case.file);
            let parameters: Vec<&str> =
                view.list(view.def(of.def).type_params).map(|id| view.def_name(id)).collect();
            let within = view.def(case.def).range;
            let mut types = view.ref_ids().filter(|id| {
                let reference = view.reference(*id);
                within.encloses(reference.range) && reference.role == Role::Type
            });
            let is_open = |name: &str| parameters.contains(&name) || EMPTY.contains(&name);
            types.any(|id| is_open(view.ref_name(id)))
        };
        (!lacking.iter().any(may_be_empty)).then_some(lacking)
    }

    /// The cases that the labels leave out of the type that they are of; `of` is that type where it is known.
    fn lacking(&self, covered: &[GlobalDef], of: Option<GlobalDef>) -> Option<Vec<GlobalDef>> {
        let rx = self.rx;
        let first = covered.first()?;
        let mut bases = Vec::new();
        if rx.kind(*first) == SymbolKind::EnumCase {
            bases.push(rx.owner_class(*first)?);
        }
        let line = bases.first().copied().unwrap_or(*first);
        bases.extend(
            rx.linearization(&Ty::instance(line))
                .iter()
                .filter_map(Ty::def)
                .filter(|def| self.is_sealed(*def)),
        );
        if of.is_some_and(|of| !bases.contains(&of)) {
            return None;
        }
        bases.retain(|base| of.is_none_or(|of| of == *base));
        let is_below = |label: &GlobalDef, base: GlobalDef| {
            let ty = match rx.kind(*label) {
                SymbolKind::EnumCase => rx.owner_class(*label),
                _ => Some(*label),
            };
            ty == Some(base)
                || ty.is_some_and(|ty| {
                    rx.linearization(&Ty::instance(ty)).iter().any(|of| of.def() == Some(base))
                })
        };
        bases.retain(|base| covered.iter().all(|label| is_below(label, *base)));
        let mut nearest: Option<Vec<GlobalDef>> = None;
        for base in bases {
            let mut lacking = Vec::new();
            self.uncovered(base, covered, MOST_LEVELS, &mut lacking)?;
            if lacking.is_empty() {
                return None;
            }
            if nearest.as_ref().is_none_or(|known| lacking.len() < known.len()) {
                nearest = Some(lacking);
            }
        }
        nearest
    }

    fn is_sealed(&self, def: GlobalDef) -> bool {
        self.rx.has_flag(def, DefFlags::SEALED)
    }

    /// Adds the parts of a type that no label covers; `None` where they are not all known.
    fn uncovered(
        &self,
        of: GlobalDef,
        covered: &[GlobalDef],
        left: usize,
        lacking: &mut Vec<GlobalDef>,
    ) -> Option<()> {
        let rx = self.rx;
        if covered.contains(&of) {
            return Some(());
        }
        let odd = [DefFlags::EXPECT, DefFlags::ACTUAL, DefFlags::EXTERNAL];
        let view = rx.file(of.file);
        if left == 0
            || odd.iter().any(|flag| rx.has_flag(of, *flag))
            || is_conditional(view, of.def)
            || !is_own(rx, of)
        {
            return None;
        }
        if rx.kind(of) == SymbolKind::Enum {
            let cases = self.cases_of(of)?;
            lacking.extend(cases.into_iter().filter(|case| !covered.contains(case)));
            return Some(());
        }
        if !self.is_sealed(of) {
            lacking.push(of);
            return Some(());
        }
        let below = self.below(of)?;
        for part in below {
            self.uncovered(part, covered, left - 1, lacking)?;
        }
        Some(())
    }

    fn cases_of(&self, of: GlobalDef) -> Option<Vec<GlobalDef>> {
        let view = self.rx.file(of.file);
        let body = view.def(of.def).body?;
        let cases: Vec<DefId> = view
            .all_in_scope(body)
            .iter()
            .copied()
            .filter(|id| view.def(*id).kind == SymbolKind::EnumCase)
            .collect();
        // Cases may be there under a condition, and macros may make some.
        let is_rust = self.file.language() == Language::Rust;
        let is_odd = |id: &DefId| is_conditional(view, *id) || is_rust && view.def(*id).name_range.is_empty();
        let is_made = view.ref_ids().any(|id| {
            let reference = view.reference(id);
            reference.scope == body && reference.role == Role::Macro
        });
        (!cases.iter().any(is_odd) && !is_made).then(|| cases.into_iter().map(|id| view.global(id)).collect())
    }

    /// The types that are directly below a sealed one.
    fn below(&self, of: GlobalDef) -> Option<Vec<GlobalDef>> {
        let rx = self.rx;
        let files = rx.world().files_mentioning(rx.def_name(of));
        if files.len() > MOST_FILES {
            return None;
        }
        let mut below = Vec::new();
        for id in files {
            let view = rx.file(id);
            for def in view.def_ids() {
                let mut supers = view.list(view.def(def).supers).filter(|edge| edge.kind != SuperKind::Other);
                if supers.any(|edge| rx.type_of(view, edge.ty).def() == Some(of)) {
                    below.push(view.global(def));
                }
            }
        }
        (!below.is_empty()).then_some(below)
    }
}

/// Types without values.
const EMPTY: [&str; 4] = ["Infallible", "Never", "Void", "Empty"];
