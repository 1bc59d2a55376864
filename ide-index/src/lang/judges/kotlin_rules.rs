//! Kotlin: supertypes that are not initialised or not open, calls of `suspend` functions and of objects, `this` outside of classes.

use ide_model::{Language, SymbolKind};

use super::statements::{
    INCOMPATIBLE_OVERRIDE, MISPLACED, MISSING_SUPER, NOT_CALLABLE, TYPE_MISMATCH, WRONG_SUPERTYPE, child,
    children, refuse,
};
use super::{MOST_NAMESAKES, NamedTree, is_own};
use crate::check::Refused;
use crate::facts::{DefFlags, Role, TypeExpr};
use crate::refactor::tree::NodeId;
use crate::resolve::Ty;
use crate::world::{DeclarationSite, GlobalDef};

/// Reports these in a file.
pub(super) fn report(names: NamedTree<'_>, found: &mut Vec<Refused>) {
    let tree = names.tree;
    for node in tree.all().filter(|id| tree.node(*id).is_named) {
        match tree.kind(node) {
            "class_declaration" | "object_declaration" => names.class_of_kotlin(node, found),
            "function_declaration" => names.overriding_function(node, found),
            "call_expression" => names.call_of_kotlin(node, found),
            "this_expression" => names.this_of_kotlin(node, found),
            "navigation_expression" => names.nullable_value(node, found),
            _ => None,
        };
    }
}

const OF_PLATFORMS: [DefFlags; 3] = [DefFlags::EXPECT, DefFlags::ACTUAL, DefFlags::EXTERNAL];

impl NamedTree<'_> {
    fn meant(&self, node: NodeId) -> Option<GlobalDef> {
        let name = self.at(node)?;
        let def = self.rx.resolve(self.file.global_ref(name)).resolution.certain_def()?;
        (is_own(self.rx, def) && self.rx.language_of(def) == Language::Kotlin).then_some(def)
    }

    /// A class of the project that no plugin of the compiler may have opened.
    fn closed_class(&self, node: NodeId) -> Option<GlobalDef> {
        let rx = self.rx;
        let def = self.meant(node)?;
        let class = if rx.kind(def) == SymbolKind::Constructor { rx.owner_class(def)? } else { def };
        let own = rx.def(class);
        let is_class = matches!(own.kind, SymbolKind::Class | SymbolKind::AbstractClass);
        let is_plain = !OF_PLATFORMS.iter().any(|flag| own.flags.has(*flag)) && !own.name_range.is_empty();
        (is_class && is_plain && rx.world().declarations(rx.def_name(class)).len() <= MOST_NAMESAKES)
            .then_some(class)
    }

    fn is_final(&self, def: GlobalDef) -> bool {
        let own = self.rx.def(def);
        let open = [DefFlags::OPEN, DefFlags::ABSTRACT, DefFlags::SEALED, DefFlags::OVERRIDE];
        !open.iter().any(|flag| own.flags.has(*flag)) && own.decorators.is_empty()
    }

    fn class_of_kotlin(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let tree = self.tree;
        let list = child(tree, node, "delegation_specifiers")?;
        let words = child(tree, node, "modifiers").map_or("", |words| tree.text_of(words));
        let is_odd = ["expect", "external", "annotation", "actual"].iter().any(|word| words.contains(word));
        let is_interface = tree.children(node).iter().any(|id| tree.kind(*id) == "interface");
        if is_odd || is_interface {
            return None;
        }
        let body = child(tree, node, "class_body");
        let has_second = body.is_some_and(|body| child(tree, body, "secondary_constructor").is_some());
        let must_call = child(tree, node, "primary_constructor").is_some() || !has_second;
        for specifier in children(tree, list, "delegation_specifier") {
            let Some(of) = tree.named(specifier).last() else { continue };
            let is_call = tree.kind(of) == "constructor_invocation";
            let name = if is_call { tree.named(of).next().unwrap_or(of) } else { of };
            let Some(class) = self
                .closed_class(name)
                .filter(|_| tree.kind(name) == "user_type" && !tree.text_of(name).contains('.'))
            else {
                continue;
            };
            let who = self.rx.def_name(class);
            // A plugin of the compiler may open a class for what is above it.
            let above = Ty::instance(class);
            let is_plain = || {
                super::knows_supers(self.rx, &above)
                    && self.rx.linearization(&above).iter().filter_map(Ty::def).all(|of| {
                        self.rx.def_name(of) == "Any"
                            || is_own(self.rx, of) && self.rx.def(of).decorators.is_empty()
                    })
            };
            if self.is_final(class) && is_plain() {
                let message = format!("`{who}` is not open and cannot be extended");
                refuse(found, WRONG_SUPERTYPE, tree.range(name), message);
            } else if !is_call && must_call {
                let message = format!("`{who}` has a constructor, which must be called here");
                refuse(found, MISSING_SUPER, tree.range(name), message);
            }
        }
        Some(())
    }

    /// An override of a function that is neither open nor an override itself.
    fn overriding_function(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let (rx, file, tree) = (self.rx, self.file, self.tree);
        let words = child(tree, node, "modifiers").map(|words| tree.text_of(words))?;
        if !words.split_whitespace().any(|word| word == "override") {
            return None;
        }
        let name = tree.field(node, "name")?;
        let body = tree.parent(node).filter(|up| tree.kind(*up) == "class_body")?;
        let class = tree.parent(body).filter(|up| tree.kind(*up) == "class_declaration")?;
        let class_name = tree.range(tree.field(class, "name")?);
        let class = self.defs.get(&class_name.start).copied()?;
        let above = super::overriding::known_above(rx, file.global(class), Language::Kotlin)?;
        let mut bases = above
            .into_iter()
            .flat_map(|of| super::overriding::members_named(rx, of, tree.text_of(name)))
            .filter(|member| rx.kind(*member).is_callable());
        let (Some(base), None) = (bases.next(), bases.next()) else { return None };
        let owner = rx.owner_class(base)?;
        let is_class = matches!(rx.kind(owner), SymbolKind::Class | SymbolKind::AbstractClass)
            && is_own(rx, base)
            && rx.def(owner).decorators.is_empty()
            && !OF_PLATFORMS.iter().any(|flag| rx.has_flag(owner, *flag) || rx.has_flag(base, *flag));
        if is_class && self.is_final(base) {
            let message = format!("`{}` of `{}` is not open", tree.text_of(name), rx.def_name(owner));
            refuse(found, INCOMPATIBLE_OVERRIDE, tree.range(name), message);
        }
        Some(())
    }

    /// A call of a `suspend` function from one that is none, and of an object.
    fn call_of_kotlin(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let (rx, tree) = (self.rx, self.tree);
        let callee = tree.named(node).next()?;
        let name = match tree.kind(callee) {
            "identifier" => callee,
            "navigation_expression" => tree.named(callee).last()?,
            _ => return None,
        };
        let def = self.meant(name)?;
        let own = rx.def(def);
        let sites = rx.world().declarations(rx.def_name(def));
        if own.kind == SymbolKind::Object && sites.len() == 1 {
            let is_plain =
                rx.world().declarations("invoke").is_empty() && !own.flags.has(DefFlags::COMPANION);
            let has_arguments = child(tree, node, "value_arguments").is_some();
            if is_plain && has_arguments && super::knows_supers(rx, &Ty::instance(def)) {
                let message = format!("`{}` is an object, which cannot be called", rx.def_name(def));
                refuse(found, NOT_CALLABLE, tree.range(name), message);
            }
            return Some(());
        }
        let is_suspending = |site: &DeclarationSite| site.flags.has(DefFlags::SUSPEND);
        if !own.flags.has(DefFlags::SUSPEND)
            || sites.len() > MOST_NAMESAKES
            || !sites.iter().all(is_suspending)
        {
            return None;
        }
        let function = tree.function_of(node).filter(|id| tree.kind(*id) == "function_declaration")?;
        let is_suspend = child(tree, function, "modifiers")
            .is_some_and(|words| tree.text_of(words).split_whitespace().any(|word| word == "suspend"));
        let between = tree.ancestors(node).take_while(|up| *up != function);
        let is_inside =
            between.into_iter().all(|up| !tree.is_in(up, "annotated_lambda class_body parameter"));
        if !is_suspend && is_inside {
            let message = format!("`{}` suspends, and the function around does not", rx.def_name(def));
            refuse(found, MISPLACED, tree.range(name), message);
        }
        Some(())
    }

    /// `this` in a function that belongs to no class and extends no type.
    fn this_of_kotlin(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let tree = self.tree;
        if tree.text_of(node) != "this" {
            return None;
        }
        let mut around = tree.ancestors(node).skip(1).filter(|up| {
            tree.is_in(
                *up,
                "class_body enum_class_body class_declaration object_declaration object_literal lambda_literal \
                    anonymous_function property_declaration function_declaration getter setter enum_entry script",
            )
        });
        let function = around.next().filter(|up| tree.kind(*up) == "function_declaration")?;
        let is_top = tree.parent(function) == Some(tree.root()) && around.next().is_none();
        let name = tree.field(function, "name")?;
        let head = tree.slice(ide_model::TextRange::new(tree.range(function).start, tree.range(name).start));
        let is_plain = head.trim_end().ends_with("fun") && !head.contains("context");
        if is_top && is_plain && self.file.path.ends_with(".kt") {
            refuse(found, MISPLACED, tree.range(node), "there is no `this` outside of classes");
        }
        Some(())
    }

    /// A member behind a property that may be null and may change, and its value where none may be null.
    fn nullable_value(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let (rx, file, tree) = (self.rx, self.file, self.tree);
        let mut parts = tree.named(node);
        let (of, member) = (parts.next()?, parts.next()?);
        let name = self.at(of).filter(|_| tree.kind(of) == "identifier")?;
        let property = self.meant(of)?;
        let own = rx.def(property);
        let is_open = own.kind == SymbolKind::Property
            && own.flags.has(DefFlags::VAR)
            && !own.flags.has(DefFlags::LOCAL)
            && !own.flags.has(DefFlags::DELEGATED)
            && rx.owner_class(property).is_some()
            && own.ty.is_some_and(|ty| matches!(rx.file(property.file).ty(ty), TypeExpr::Nullable(_)));
        if !is_open || file.reference(name).role != Role::Read {
            return None;
        }
        let is_safe = tree.children(node).iter().any(|id| tree.kind(*id) == "?.");
        let text = tree.text_of(member);
        if is_safe {
            // The value of the body of a function.
            let body = tree.parent(node).filter(|up| tree.kind(*up) == "function_body")?;
            let function = tree.parent(body).filter(|up| tree.kind(*up) == "function_declaration")?;
            let start = tree.range(tree.field(function, "name")?).start;
            let def = file.def(*self.defs.get(&start)?);
            let ty = file.ty(def.ty.filter(|_| def.type_params.is_empty())?);
            let plain = match ty {
                TypeExpr::Named { name, .. } => file.ref_name(name),
                _ => return None,
            };
            let is_known = matches!(plain, "String" | "Int" | "Long" | "Double" | "Float" | "Boolean");
            if is_known {
                let message = format!("the value may be null, and `{plain}` is wanted");
                refuse(found, TYPE_MISMATCH, tree.range(node), message);
            }
            return Some(());
        }
        // Extensions may take what is null, and so do the members of all values.
        let found_member = rx.resolve(file.global_ref(self.at(member)?)).resolution.certain_def()?;
        let sites = rx.world().declarations(text);
        let is_plain = rx.owner_class(found_member).is_some()
            && is_own(rx, found_member)
            && sites.len() <= MOST_NAMESAKES
            && sites
                .iter()
                .all(|site| !site.flags.has(DefFlags::EXTENSION) && rx.def(site.at).receiver.is_none())
            && !matches!(text, "toString" | "equals" | "hashCode");
        if is_plain && super::knows_stars(rx, file) {
            let message = format!("`{text}` is used on `{}`, which may be null", tree.text_of(of));
            refuse(found, "nullable-receiver", tree.range(member), message);
        }
        Some(())
    }
}
