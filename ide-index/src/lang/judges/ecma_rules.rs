//! JavaScript and TypeScript: constructors that do not call `super`, calls of values that are not functions, names that are used
//! before they are initialized, and attributes of elements.

use ide_model::{Language, SymbolKind};
use rustc_hash::FxHashMap;

use super::statements::{LITERAL_FIELDS, MISSING_SUPER, NOT_CALLABLE, USED_BEFORE, child, children, refuse};
use super::values::members;
use super::{NamedTree, is_own};
use crate::check::{Refused, is_certain_value};
use crate::facts::{DefFlags, DefId, Expr, RefFlags, RefId, Role, ScopeKind, TypeExpr};
use crate::refactor::tree::{NodeId, Syntax};
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::GlobalDef;

struct Rules<'a> {
    rx: &'a Resolver,
    file: &'a FileView,
    tree: &'a Syntax,
    names: NamedTree<'a>,
    /// The declarations of `let`, `const` and classes, by where their names start.
    declared: FxHashMap<u32, NodeId>,
}

/// Reports these in a module.
pub(super) fn report(names: NamedTree<'_>, found: &mut Vec<Refused>) {
    let NamedTree { rx, file, tree, .. } = names;
    let is_typed = file.language() == Language::TypeScript;
    let rules = Rules { rx, file, tree, names, declared: declarations(tree) };
    for node in tree.all().filter(|id| tree.node(*id).is_named) {
        match tree.kind(node) {
            "class_declaration" | "class" => {
                constructor(tree, node, found);
            }
            "jsx_self_closing_element" | "jsx_opening_element" if is_typed => {
                rules.attributes(node, found);
            }
            "identifier" => {
                if let Some(name) = names.at(node) {
                    rules.before(node, name, found);
                    rules.called(node, name, found);
                }
            }
            "property_identifier" if is_typed => {
                if let Some(name) = names.at(node) {
                    rules.called(node, name, found);
                }
            }
            _ => {}
        }
    }
}

fn declarations(tree: &Syntax) -> FxHashMap<u32, NodeId> {
    let mut all = FxHashMap::default();
    for node in tree.all() {
        if tree.is_in(node, "lexical_declaration class_declaration abstract_class_declaration") {
            let of_class = tree.field(node, "name");
            let of_variables =
                children(tree, node, "variable_declarator").filter_map(|one| tree.field(one, "name"));
            all.extend(of_class.into_iter().chain(of_variables).map(|name| (tree.range(name).start, node)));
        }
    }
    all
}

/// A constructor of a subclass that does not call `super`, or uses `this` before.
fn constructor(tree: &Syntax, class: NodeId, found: &mut Vec<Refused>) -> Option<()> {
    let heritage = child(tree, class, "class_heritage")?;
    let extends = tree.text_of(heritage);
    if !extends.starts_with("extends") || extends.trim_start_matches("extends").trim() == "null" {
        return None;
    }
    let body = tree.field(class, "body")?;
    for method in children(tree, body, "method_definition") {
        let name = tree.field(method, "name")?;
        let Some(inside) = tree.field(method, "body").filter(|_| tree.text_of(name) == "constructor") else {
            continue;
        };
        let all = tree.below(inside);
        let calls = |id: &NodeId| {
            tree.kind(*id) == "call_expression"
                && tree.field(*id, "function").is_some_and(|callee| tree.kind(callee) == "super")
        };
        // It may return another object, or none.
        let ends = all.iter().any(|id| {
            tree.kind(*id) == "throw_statement"
                || tree.kind(*id) == "return_statement" && tree.named(*id).next().is_some()
        });
        let call = all.iter().find(|id| calls(id));
        match call {
            None if !ends => {
                refuse(found, MISSING_SUPER, tree.range(name), "the constructor does not call `super`");
            }
            Some(call) => {
                let is_statement = tree.parent(*call).and_then(|up| tree.parent(up)) == Some(inside);
                let at = tree.range(*call).start;
                let early = tree
                    .run_by(inside)
                    .into_iter()
                    .find(|id| tree.kind(*id) == "this" && tree.range(*id).end <= at);
                if let Some(early) = early.filter(|_| is_statement && !ends) {
                    refuse(
                        found,
                        MISSING_SUPER,
                        tree.range(early),
                        "`this` is used before `super` is called",
                    );
                }
            }
            None => {}
        }
    }
    Some(())
}

impl Rules<'_> {
    /// The only declaration of a plain name, in its own file.
    fn declared_here(&self, name: RefId) -> Option<DefId> {
        let (file, reference) = (self.file, self.file.reference(name));
        if reference.receiver.is_some() || reference.flags.has(RefFlags::TYPE_ONLY) {
            return None;
        }
        let def = self.rx.bound(file, name)?;
        let own = file.def(def);
        (file.in_scope(own.scope, own.name).len() == 1 && !own.name_range.is_empty()).then_some(def)
    }

    /// A use of a constant, variable or class that runs before its declaration.
    fn before(&self, node: NodeId, name: RefId, found: &mut Vec<Refused>) -> Option<()> {
        let (file, tree) = (self.file, self.tree);
        let reference = file.reference(name);
        if !matches!(reference.role, Role::Read | Role::Call | Role::New | Role::Write | Role::ReadWrite) {
            return None;
        }
        let def = self.declared_here(name)?;
        let own = file.def(def);
        if own.name_range.start <= reference.range.end
            || own.range.encloses(reference.range)
            || file.language() == Language::TypeScript && own.flags.has(DefFlags::SIGNATURE)
        {
            return None;
        }
        let is_kind = matches!(own.kind, SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Class);
        let runs_apart = file
            .scope_chain(reference.scope)
            .take_while(|scope| *scope != own.scope)
            .any(|scope| matches!(file.scope(scope).kind, ScopeKind::Function | ScopeKind::Class));
        if !is_kind || runs_apart || !file.scope_chain(reference.scope).any(|scope| scope == own.scope) {
            return None;
        }
        let declaration = *self.declared.get(&own.name_range.start)?;
        if tree.range(declaration).start <= reference.range.start {
            return None;
        }
        let is_aside = tree.ancestors(node).any(|up| {
            tree.is_in(
                up,
                "export_specifier export_clause type_query type_annotation type_arguments function_declaration \
                    arrow_function function_expression method_definition class_body ambient_declaration decorator \
                    formal_parameters",
            ) && !tree.range(up).encloses(tree.range(declaration))
        }) || tree.ancestors(declaration).any(|up| tree.kind(up) == "ambient_declaration");
        if !is_aside {
            let message = format!("`{}` is used before it is initialized", file.ref_name(name));
            refuse(found, USED_BEFORE, reference.range, message);
        }
        Some(())
    }

    /// A call of a constant whose value is no function, or of a property whose declared type has none.
    fn called(&self, node: NodeId, name: RefId, found: &mut Vec<Refused>) -> Option<()> {
        let (rx, file, tree) = (self.rx, self.file, self.tree);
        let reference = file.reference(name);
        let callee = match reference.receiver {
            Some(_) => tree.parent(node).filter(|up| tree.kind(*up) == "member_expression")?,
            None => node,
        };
        let call = tree.parent(callee).filter(|up| tree.kind(*up) == "call_expression")?;
        if reference.role != Role::Call || tree.field(call, "function") != Some(callee) {
            return None;
        }
        let def = rx
            .resolve(file.global_ref(name))
            .resolution
            .certain_def()
            .filter(|def| reference.receiver.is_some() || is_own(rx, *def))?;
        let (view, own) = (rx.file(def.file), rx.def(def));
        let is_value = match reference.receiver {
            Some(receiver) => {
                matches!(own.kind, SymbolKind::Field | SymbolKind::Property)
                    && view.language() == Language::TypeScript
                    && matches!(rx.type_of(view, own.ty?), Ty::Primitive(of)
                        if matches!(&*of, "string" | "number" | "boolean"))
                    && is_certain_value(rx, file, receiver)
            }
            None => {
                let is_plain = own.kind == SymbolKind::Constant && own.ty.is_none();
                match view.expr(own.init.filter(|_| is_plain)?) {
                    Expr::Literal(_) | Expr::Text(_) | Expr::Collection { .. } => true,
                    Expr::Class(object) => view.def(object).kind == SymbolKind::Object,
                    _ => false,
                }
            }
        };
        if is_value {
            let message = format!("`{}` is not a function", file.ref_name(name));
            refuse(found, NOT_CALLABLE, reference.range, message);
        }
        Some(())
    }

    /// Attributes that the component of an element does not have, and required ones that are missing.
    fn attributes(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let (rx, file, tree) = (self.rx, self.file, self.tree);
        let name = tree.field(node, "name").and_then(|name| self.names.at(name))?;
        let component = rx.resolve(file.global_ref(name)).resolution.certain_def()?;
        let (view, own) = (rx.file(component.file), rx.def(component));
        let function = match own.kind {
            SymbolKind::Function => component.def,
            SymbolKind::Constant if own.ty.is_none() => match view.expr(own.init?) {
                Expr::Function(function) => function,
                _ => return None,
            },
            _ => return None,
        };
        if !is_own(rx, component) || view.language() != Language::TypeScript {
            return None;
        }
        let first = view.list(view.def(function).params).next()?;
        let TypeExpr::Named { name: of, args } = view.ty(view.def(first).ty?) else { return None };
        let interface = rx.resolve(view.global_ref(of)).resolution.certain_def()?;
        let wanted = members(rx, interface).filter(|_| args.is_empty())?;
        let mut given = Vec::new();
        for part in tree.named(node) {
            match tree.kind(part) {
                "jsx_attribute" => given.push(tree.named(part).next()?),
                "jsx_expression" => return None,
                _ => {}
            }
        }
        let who = file.ref_name(name);
        for key in &given {
            let text = tree.text_of(*key);
            let is_any = matches!(text, "key" | "ref" | "children") || text.contains(['-', ':']);
            if !is_any && !wanted.iter().any(|(name, _, _)| name == text) {
                refuse(found, LITERAL_FIELDS, tree.range(*key), format!("`{who}` has no attribute `{text}`"));
            }
        }
        let is_lacking = |(name, is_needed, _): &&(String, bool, GlobalDef)| {
            *is_needed && name != "children" && !given.iter().any(|key| tree.text_of(*key) == name)
        };
        let lacking: Vec<String> =
            wanted.iter().filter(is_lacking).take(5).map(|(name, _, _)| format!("`{name}`")).collect();
        if !lacking.is_empty() {
            let message = format!("`{who}` needs {}", lacking.join(", "));
            refuse(found, LITERAL_FIELDS, file.reference(name).range, message);
        }
        Some(())
    }
}
