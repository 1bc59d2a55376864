//! Java: checked exceptions that are neither caught nor declared, and constructors that call no constructor of the superclass.

use ide_model::{Language, SymbolKind};

use super::fixed::generates_members;
use super::statements::{ARGUMENT_COUNT, MISSING_SUPER, UNHANDLED_EXCEPTION, child, children, refuse};
use super::{NamedTree, is_own};
use crate::check::{Refused, declared_arity};
use crate::facts::{DefFlags, DefId, SuperKind};
use crate::refactor::tree::{NodeId, Syntax};
use crate::resolve::{FileView, Resolver, Target, Ty};
use crate::world::GlobalDef;

/// Checked exceptions of the library, each with its superclass.
const CHECKED: &[(&str, &str)] = &[
    ("Throwable", ""),
    ("Exception", "Throwable"),
    ("CloneNotSupportedException", "Exception"),
    ("ExecutionException", "Exception"),
    ("GeneralSecurityException", "Exception"),
    ("NoSuchAlgorithmException", "GeneralSecurityException"),
    ("InterruptedException", "Exception"),
    ("IOException", "Exception"),
    ("EOFException", "IOException"),
    ("FileNotFoundException", "IOException"),
    ("MalformedURLException", "IOException"),
    ("UnsupportedEncodingException", "IOException"),
    ("ParseException", "Exception"),
    ("ReflectiveOperationException", "Exception"),
    ("ClassNotFoundException", "ReflectiveOperationException"),
    ("IllegalAccessException", "ReflectiveOperationException"),
    ("InstantiationException", "ReflectiveOperationException"),
    ("InvocationTargetException", "ReflectiveOperationException"),
    ("NoSuchFieldException", "ReflectiveOperationException"),
    ("NoSuchMethodException", "ReflectiveOperationException"),
    ("SQLException", "Exception"),
    ("TimeoutException", "Exception"),
    ("URISyntaxException", "Exception"),
];

/// Types above an exception that are gone through.
const MOST_ABOVE: usize = 16;

struct Java<'a> {
    rx: &'a Resolver,
    file: &'a FileView,
    tree: &'a Syntax,
    names: NamedTree<'a>,
}

/// Reports these in a file.
pub(super) fn report(names: NamedTree<'_>, found: &mut Vec<Refused>) {
    let NamedTree { rx, file, tree, .. } = names;
    // An annotation may generate constructors and let exceptions pass, as Lombok's `@SneakyThrows` does.
    if generates_members(file) {
        return;
    }
    let java = Java { rx, file, tree, names };
    for node in tree.all() {
        match tree.kind(node) {
            "method_invocation" => java.call(node, found),
            "object_creation_expression" => java.made(node, found),
            "throw_statement" => java.throw(node, found),
            "class_declaration" => java.constructors(node, found),
            _ => None,
        };
    }
}

impl Java<'_> {
    fn meant(&self, name: NodeId) -> Option<GlobalDef> {
        let def = self.rx.resolve(self.file.global_ref(self.names.at(name)?)).resolution.certain_def()?;
        (is_own(self.rx, def) && self.rx.language_of(def) == Language::Java).then_some(def)
    }

    fn call(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let name = self.tree.field(node, "name")?;
        let method = self.meant(name).filter(|def| self.rx.kind(*def) == SymbolKind::Method)?;
        let owner = self.rx.owner_class(method)?;
        let count = self.tree.named(self.tree.field(node, "arguments")?).count();
        // An overload may be meant that throws nothing.
        let namesakes = self.rx.own_members(owner, self.rx.def_name(method));
        let takes = |other: &&GlobalDef| declared_arity(self.rx, **other, 0).takes(count);
        if namesakes.iter().filter(takes).count() != 1 {
            return None;
        }
        self.thrown(method, node, found)
    }

    fn made(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let tree = self.tree;
        let ty = tree.field(node, "type")?;
        let name = if tree.kind(ty) == "generic_type" { tree.named(ty).next()? } else { ty };
        let def = self.meant(name).filter(|_| tree.kind(name) == "type_identifier")?;
        let count = tree.named(tree.field(node, "arguments")?).count();
        if self.rx.kind(def) == SymbolKind::Constructor {
            let all = self.constructors_of(self.rx.owner_class(def)?)?;
            let takes = |other: &&GlobalDef| declared_arity(self.rx, **other, 0).takes(count);
            return if all.iter().filter(takes).count() == 1 { self.thrown(def, node, found) } else { None };
        }
        let has_none = self.constructors_of(def)?.is_empty();
        if has_none && count > 0 {
            let message = format!("`{}` takes 0 arguments, not {count}", self.rx.def_name(def));
            refuse(found, ARGUMENT_COUNT, tree.range(name), message);
        }
        Some(())
    }

    /// The constructors that a class is written with; `None` where something may make others.
    fn constructors_of(&self, class: GlobalDef) -> Option<Vec<GlobalDef>> {
        let (view, def) = (self.rx.file(class.file), self.rx.def(class));
        let is_class = matches!(def.kind, SymbolKind::Class | SymbolKind::AbstractClass)
            && is_own(self.rx, class)
            && view.language() == Language::Java
            && def.decorators.is_empty()
            && !generates_members(view);
        let is_constructor = |id: &DefId| {
            view.def(*id).kind == SymbolKind::Constructor && !view.has_flag(*id, DefFlags::SYNTHETIC)
        };
        let members = view.all_in_scope(def.body.filter(|_| is_class)?);
        Some(members.iter().copied().filter(is_constructor).map(|id| view.global(id)).collect())
    }

    fn thrown(&self, function: GlobalDef, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let view = self.rx.file(function.file);
        for ty in view.list(self.rx.def(function).throws) {
            let Some(line) = self.line_of(self.rx.type_of(view, ty)) else { continue };
            if !self.is_taken(node, &line) {
                let message = format!(
                    "the exception `{}`, which this may throw, is neither caught nor declared",
                    line[0]
                );
                refuse(found, UNHANDLED_EXCEPTION, self.tree.range(node), message);
                return Some(());
            }
        }
        Some(())
    }

    fn throw(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let tree = self.tree;
        let made = tree.named(node).next().filter(|id| tree.kind(*id) == "object_creation_expression")?;
        let name = tree.field(made, "type").filter(|ty| tree.kind(*ty) == "type_identifier")?;
        let resolved = self.rx.resolve(self.file.global_ref(self.names.at(name)?)).resolution;
        let [target] = &resolved.targets[..] else { return None };
        let ty = match target {
            Target::Def(def) if self.rx.kind(*def) == SymbolKind::Constructor => {
                Ty::instance(self.rx.owner_class(*def)?)
            }
            Target::Def(def) => Ty::instance(*def),
            Target::External(path) => Ty::external(path.clone()),
            _ => return None,
        };
        let line = self.line_of(ty).filter(|_| resolved.confidence.is_certain())?;
        if !self.is_taken(node, &line) {
            let message = format!("the exception `{}` is neither caught nor declared", line[0]);
            refuse(found, UNHANDLED_EXCEPTION, tree.range(made), message);
        }
        Some(())
    }

    /// The names of a checked exception and of its superclasses; `None` for others, and where the superclasses are not all known.
    fn line_of(&self, ty: Ty) -> Option<Vec<String>> {
        let mut line = Vec::new();
        let mut at = ty;
        while line.len() < MOST_ABOVE {
            match &at {
                Ty::External(path, _) => {
                    let mut name = path.strip_prefix("java.")?.rsplit('.').next()?;
                    while !name.is_empty() {
                        line.push(name.to_owned());
                        name = CHECKED.iter().find(|(known, _)| *known == name)?.1;
                    }
                    return Some(line);
                }
                ty => {
                    let class = ty.def()?;
                    let view = self.rx.file(class.file);
                    let is_class = self.rx.kind(class) == SymbolKind::Class
                        || self.rx.kind(class) == SymbolKind::AbstractClass;
                    let name = self.rx.def_name(class);
                    line.push(name.to_owned());
                    if name == "Throwable" {
                        return Some(line);
                    }
                    let mut supers = view.list(self.rx.def(class).supers);
                    let above = supers.find(|edge| edge.kind == SuperKind::Extends).filter(|_| is_class)?;
                    if matches!(name, "RuntimeException" | "Error") {
                        return None;
                    }
                    at = self.rx.type_of(view, above.ty);
                }
            }
        }
        None
    }

    /// Whether code around a place catches or declares an exception, or may.
    fn is_taken(&self, node: NodeId, line: &[String]) -> bool {
        let tree = self.tree;
        let takes = |types: NodeId| {
            let text = tree.text_of(types).trim_start_matches("throws");
            let names = text.split(['|', ',']).map(|name| name.rsplit('.').next().unwrap_or(name).trim());
            // A parameter of a type may be any.
            names.into_iter().any(|name| name.len() < 3 || line.iter().any(|of| of == name))
        };
        let mut inner = node;
        for up in tree.ancestors(node).skip(1) {
            match tree.kind(up) {
                "try_statement" | "try_with_resources_statement"
                    if matches!(tree.node(inner).field, "body" | "resources") =>
                {
                    let is_caught = children(tree, up, "catch_clause").any(|clause| {
                        child(tree, clause, "catch_formal_parameter")
                            .and_then(|parameter| child(tree, parameter, "catch_type"))
                            .is_none_or(takes)
                    });
                    if is_caught {
                        return true;
                    }
                }
                "method_declaration" | "constructor_declaration" => {
                    let is_rewritten = child(tree, up, "modifiers")
                        .is_some_and(|words| tree.text_of(words).contains("Sneaky"));
                    return is_rewritten || child(tree, up, "throws").is_some_and(takes);
                }
                "lambda_expression" | "class_body" | "enum_body" | "interface_body"
                | "record_declaration" => {
                    return true;
                }
                _ => {}
            }
            inner = up;
        }
        true
    }

    /// Constructors that must call a constructor of the superclass and do not.
    fn constructors(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let tree = self.tree;
        let above = tree.named(tree.field(node, "superclass")?).next()?;
        let name = if tree.kind(above) == "generic_type" { tree.named(above).next()? } else { above };
        let class = self.meant(name).filter(|_| tree.kind(name) == "type_identifier")?;
        let all = self.constructors_of(class)?;
        if all.is_empty() || all.iter().any(|one| declared_arity(self.rx, *one, 0).takes(0)) {
            return None;
        }
        let message = format!(
            "`{}` has no constructor without arguments, so one must be called with `super`",
            self.rx.def_name(class)
        );
        let body = tree.field(node, "body")?;
        let mut has_own = false;
        for constructor in children(tree, body, "constructor_declaration") {
            has_own = true;
            let inside = tree.field(constructor, "body")?;
            let calls =
                tree.below(inside).iter().any(|id| tree.kind(*id) == "explicit_constructor_invocation");
            if !calls {
                let name = tree.field(constructor, "name")?;
                refuse(found, MISSING_SUPER, tree.range(name), message.clone());
            }
        }
        let is_plain = child(tree, node, "modifiers").is_none_or(|words| !tree.text_of(words).contains('@'));
        if !has_own && is_plain {
            refuse(found, MISSING_SUPER, tree.range(tree.field(node, "name")?), message);
        }
        Some(())
    }
}
