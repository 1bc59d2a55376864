//! The values that Vue and Svelte make: the members of a component, references and stores and what they hold.

use std::sync::Arc;

use ide_model::{Language, SymbolKind};

use super::operators::member_type;
use super::options::{declared_properties, options_in, options_of};
use super::policy::EcmaPolicy;
use crate::facts::{
    DefId, Expectation, Expr, ExprId, FileFacts, List, RefId, ScopeId, ScopeKind, TypeExpr, TypeId,
};
use crate::resolve::{FileView, Policy, Resolver, Target, Ty, Types};
use crate::world::GlobalDef;

/// The type of what holds a value of Vue and is not declared in the world.
const HOLDER: &str = "vue#Ref";
/// Types of Vue that hold a value.
const HOLDERS: &[&str] = &[
    "Ref",
    "ShallowRef",
    "ComputedRef",
    "WritableComputedRef",
    "ModelRef",
    "DefaultComputedRef",
    "ReadonlyRef",
];
/// Components that extend and mix in one another further than this are a cycle.
const MAX_MIXED: usize = 4;
/// Names that lead from one to the other further than this are a cycle.
const MAX_HOPS: usize = 6;

impl EcmaPolicy {
    /// The type of `this` in the functions of a component's options, by the literal around them.
    pub(super) fn component_this(rx: &Resolver, file: &FileView, literal: DefId) -> Option<Ty> {
        if is_component(file, literal) {
            return Some(Self::component_instance(rx, file, literal, MAX_MIXED));
        }
        let mut at = literal;
        for _ in 0..2 {
            let (name, owner) = property_with(file, at)?;
            if is_component(file, owner) {
                let has_this = matches!(name, "methods" | "computed" | "watch");
                return has_this.then(|| Self::component_instance(rx, file, owner, MAX_MIXED));
            }
            at = owner;
        }
        None
    }

    /// The type whose members the members of a component are.
    pub(super) fn component_instance(rx: &Resolver, file: &FileView, options: DefId, hops: usize) -> Ty {
        let own = rx.self_type(file.global(options));
        let d = file.def(options);
        let Some(body) = d.body.filter(|_| d.kind == SymbolKind::Object && hops > 0) else { return own };
        let mut parts = Vec::new();
        for def in file.all_in_scope(body) {
            let d = file.def(*def);
            let init = d.init.map(|init| file.expr(init));
            match (file.def_name(*def), init) {
                ("props" | "computed" | "methods" | "data" | "inject", Some(Expr::Class(literal))) => {
                    parts.push(rx.self_type(file.global(literal)));
                }
                ("data" | "setup" | "asyncData", Some(Expr::Function(function))) => {
                    parts.push(rx.return_type(file.global(function)));
                }
                ("data" | "setup" | "asyncData", None) if d.kind.is_callable() => {
                    parts.push(EcmaPolicy.awaited(rx, &rx.return_type(file.global(*def))));
                }
                ("mixins", Some(Expr::Collection { items, .. })) => {
                    for item in file.list(items) {
                        parts.extend(Self::mixed_in(rx, file, item, hops));
                    }
                }
                ("extends", _) => parts.extend(d.init.and_then(|base| Self::mixed_in(rx, file, base, hops))),
                _ => {}
            }
        }
        // The object itself has the properties that functions assign to it.
        parts.push(own);
        Ty::Intersection(parts.into())
    }

    fn mixed_in(rx: &Resolver, file: &FileView, value: ExprId, hops: usize) -> Option<Ty> {
        let (home, options) = Self::options_behind(rx, file, value, MAX_HOPS)?;
        Some(Self::component_instance(rx, home, options, hops - 1))
    }

    /// The options of the component that a value is.
    fn options_behind<'r>(
        rx: &'r Resolver,
        file: &FileView,
        value: ExprId,
        hops: usize,
    ) -> Option<(&'r FileView, DefId)> {
        if let Some(options) = options_in(file, value) {
            return Some((rx.file(file.id), options));
        }
        let name = match file.expr(value) {
            Expr::Cast { value, .. } => return Self::options_behind(rx, file, value, hops.checked_sub(1)?),
            Expr::Call { callee, .. } => callee,
            _ => value,
        };
        let Expr::Ref(reference) = file.expr(name) else { return None };
        let resolved = rx.resolve(file.global_ref(reference));
        let target = resolved.resolution.targets.first()?;
        if let Target::Module(module) = target {
            let home = rx.file(*module);
            let options = options_of(home)?;
            return Some((home, options));
        }
        let Target::Def(def) = target else { return None };
        let home = rx.file(def.file);
        let d = home.def(def.def);
        if d.kind == SymbolKind::Object {
            return Some((home, def.def));
        }
        let given = if name == value { d.init } else { home.list(d.returns).next() };
        Self::options_behind(rx, home, given?, hops.checked_sub(1)?)
    }

    /// The component as its markup sees it, or what the attributes of an element are members of.
    pub(super) fn component_value(rx: &Resolver, file: &FileView, value: ExprId) -> Option<Ty> {
        match file.expr(value) {
            Expr::Class(options) if is_component(file, options) => {
                Some(Self::component_instance(rx, file, options, MAX_MIXED))
            }
            Expr::Ref(props) if file.language() == Language::Astro && is_own_properties(file, props) => {
                astro_properties(rx, file)
            }
            Expr::Ref(tag) if is_markup(file, tag) => {
                if let Some((home, options)) = Self::options_behind(rx, file, value, MAX_HOPS) {
                    return Some(Self::component_instance(rx, home, options, MAX_MIXED));
                }
                match rx.resolve(file.global_ref(tag)).resolution.targets.first()? {
                    Target::Module(module) => {
                        let home = rx.file(*module);
                        let declared = || declared_properties(home).map(|value| rx.expr_type(home, value));
                        let properties = match home.language() {
                            Language::Astro => astro_properties(rx, home),
                            _ => declared(),
                        };
                        Some(properties.unwrap_or(Ty::Module(*module)))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The type of a property or computed value among the options of a component.
    pub(super) fn option_type(rx: &Resolver, def: GlobalDef) -> Option<Ty> {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        if file.scope(d.scope).kind != ScopeKind::Class {
            return None;
        }
        let literal = file.scope(d.scope).owner.filter(|o| file.def(*o).kind == SymbolKind::Object)?;
        match property_with(file, literal) {
            Some(("props", owner)) if is_component(file, owner) => {
                Some(d.init.map_or(Ty::Unknown, |init| Self::prop_type(rx, file, init)))
            }
            Some(("computed", owner)) if is_component(file, owner) => {
                Some(match d.init.map(|e| file.expr(e)) {
                    None if d.kind.is_callable() => rx.return_type(def),
                    Some(Expr::Function(function)) => rx.return_type(file.global(function)),
                    Some(Expr::Class(accessors)) => {
                        let get = rx.own_members(file.global(accessors), "get").into_iter().next();
                        get.map_or(Ty::Unknown, |get| rx.return_type(get))
                    }
                    _ => Ty::Unknown,
                })
            }
            None if is_argument_of(file, literal, &["defineProps"]) => {
                Some(d.init.map_or(Ty::Unknown, |init| Self::prop_type(rx, file, init)))
            }
            _ => None,
        }
    }

    /// The type of a property by its declaration: `String`, `{ type: Object as PropType<T> }`, `[Number,
    /// String]`.
    fn prop_type(rx: &Resolver, file: &FileView, declared: ExprId) -> Ty {
        match file.expr(declared) {
            Expr::Cast { ty, .. } => match file.ty(ty) {
                TypeExpr::Named { args, .. } => {
                    file.list(args).next().map_or(Ty::Unknown, |ty| rx.type_of(file, ty))
                }
                _ => rx.signature(file, &rx.type_of(file, ty)).map_or(Ty::Unknown, |(_, made)| made),
            },
            Expr::Class(literal) => {
                let body = file.def(literal).body;
                let ty = body.and_then(|body| file.named_in_scope(body, "type").first().copied());
                let init = ty.and_then(|ty| file.def(ty).init);
                init.map_or(Ty::Unknown, |init| Self::prop_type(rx, file, init))
            }
            Expr::Collection { items, .. } => {
                Ty::union(file.list(items).map(|item| Self::prop_type(rx, file, item)))
            }
            Expr::Ref(constructor) => match file.ref_name(constructor) {
                name @ ("String" | "Number" | "Boolean") => Ty::Primitive(name.to_lowercase().into()),
                "Array" => Ty::Array(Arc::new(Ty::Unknown)),
                "Object" | "Function" | "Symbol" => Ty::Unknown,
                _ => rx.expr_type(file, declared).instantiate(),
            },
            _ => Ty::Unknown,
        }
    }

    /// The values of calls that Vue and Svelte give a meaning to.
    pub(super) fn reactive_call(rx: &Resolver, file: &FileView, call: ExprId) -> Option<Ty> {
        let Expr::Call { callee, type_args, args } = file.expr(call) else { return None };
        let mut callee = callee;
        let mut by_function = false;
        // `$derived.by(…)`.
        if let Expr::Ref(by) = file.expr(callee)
            && file.ref_name(by) == "by"
            && let Some(base) = file.reference(by).receiver
        {
            callee = base;
            by_function = true;
        }
        let Expr::Ref(function) = file.expr(callee) else { return None };
        let name = file.ref_name(function);
        if file.reference(function).receiver.is_some() || !is_reactive(name) {
            return None;
        }
        let (origin, name) = Self::origin(rx, file, function)?;
        let (origin, name) = (&*origin, &*name);
        let is_macro = origin.is_empty()
            || origin.starts_with("vue")
            || origin.starts_with('@')
            || origin.starts_with('#');
        let argument = file.list(args).next();
        let given = |rx: &Resolver| Self::declared_or_given(rx, file, type_args, argument);
        let made = |rx: &Resolver| {
            type_args_first(file, type_args).map(|ty| rx.type_of(file, ty)).or_else(|| {
                let (_, made) = rx.signature(file, &rx.expr_type(file, argument?))?;
                Some(made)
            })
        };
        match name {
            "$state" | "$derived" if by_function => made(rx),
            "$state" | "$derived" | "$bindable" => given(rx),
            "writable" | "readable" if origin == "svelte/store" => Some(Ty::External(
                "svelte/store#Writable".into(),
                Types::from([given(rx).unwrap_or(Ty::Unknown)]),
            )),
            _ if !is_macro => None,
            "ref" | "shallowRef" | "customRef" | "toRef" | "defineModel" | "useTemplateRef" => {
                let held = given(rx).unwrap_or(Ty::Unknown);
                Some(if held_by(rx, &held).is_some() { held } else { holder(held) })
            }
            "computed" => Some(holder(
                made(rx)
                    .or_else(|| {
                        // `{ get, set }`.
                        let Expr::Class(accessors) = file.expr(argument?) else { return None };
                        let get = rx.own_members(file.global(accessors), "get").into_iter().next()?;
                        Some(rx.return_type(get))
                    })
                    .unwrap_or(Ty::Unknown),
            )),
            "reactive" | "shallowReactive" | "readonly" | "defineProps" | "markRaw" | "toRaw" | "toRefs"
            | "toValue" | "unref" => {
                let given = given(rx)?;
                Some(held_by(rx, &given).filter(|_| matches!(name, "unref" | "toValue")).unwrap_or(given))
            }
            "withDefaults" => argument.map(|props| rx.expr_type(file, props)),
            _ => None,
        }
    }

    /// The module that a name outside of the world comes from, and its name there.
    fn origin(rx: &Resolver, file: &FileView, reference: RefId) -> Option<(String, String)> {
        match rx.resolve(file.global_ref(reference)).resolution.targets.first()? {
            Target::External(name) => match name.rsplit_once('#') {
                Some((module, name)) => Some((module.to_owned(), name.to_owned())),
                None => Some((String::new(), name.to_string())),
            },
            Target::Def(def) => {
                let home = rx.file(def.file);
                let import = home.import(home.def(def.def).import?);
                let member = import.member.map_or("", |member| home.ref_name(member));
                Some((home.name(import.module).to_owned(), member.to_owned()))
            }
            _ => None,
        }
    }

    /// A type of Vue or Svelte that holds a value, by the name that stands for it.
    pub(super) fn holding_type(rx: &Resolver, file: &FileView, name: RefId, args: &Types) -> Option<Ty> {
        let written = file.ref_name(name);
        if !HOLDERS.contains(&written) && !matches!(written, "Writable" | "Readable") {
            return None;
        }
        let (module, name) = Self::origin(rx, file, name)?;
        let name = format!("{module}#{name}");
        let is_known = is_holder_name(&name) || module == "svelte/store";
        is_known.then(|| Ty::External(name.into(), args.clone()))
    }

    fn declared_or_given(
        rx: &Resolver,
        file: &FileView,
        type_args: List<TypeId>,
        argument: Option<ExprId>,
    ) -> Option<Ty> {
        let declared = type_args_first(file, type_args).map(|ty| rx.type_of(file, ty));
        declared.or_else(|| argument.map(|argument| rx.expr_type(file, argument)))
    }

    /// `held.value`; a name of the markup of Vue that holds a value is that value there.
    pub(super) fn reactive_value(rx: &Resolver, file: &FileView, reference: RefId) -> Option<Ty> {
        let r = file.reference(reference);
        match r.receiver {
            Some(receiver) if file.ref_name(reference) == "value" => match rx.expr_type(file, receiver) {
                Ty::External(name, held) if &*name == HOLDER || is_holder_name(&name) => {
                    held.first().cloned()
                }
                _ => None,
            },
            None if file.language() == Language::Vue && is_markup(file, reference) => {
                let resolved = rx.resolve(file.global_ref(reference));
                held_by(rx, &rx.value_of(&resolved))
            }
            _ => None,
        }
    }

    /// The type of a Svelte store's value, as subscribers receive it.
    pub(super) fn store_value(rx: &Resolver, file: &FileView, store: ExprId) -> Ty {
        let store = rx.expr_type(file, store);
        Ty::union(store.parts().iter().map(|part| {
            if let Ty::External(name, held) = part
                && name.starts_with("svelte/store#")
            {
                return held.first().cloned().unwrap_or(Ty::Unknown);
            }
            let subscribe = EcmaPolicy.members(rx, file, part, "subscribe").into_iter().next();
            let run = subscribe.and_then(|m| rx.signature(file, &member_type(rx, &m))?.0.into_iter().next());
            let value = run.and_then(|run| rx.signature(file, &run)?.0.into_iter().next());
            value.unwrap_or(Ty::Unknown)
        }))
    }
}

fn type_args_first(file: &FileView, type_args: List<TypeId>) -> Option<TypeId> {
    file.list(type_args).next()
}

fn is_reactive(name: &str) -> bool {
    matches!(
        name,
        "$state"
            | "$derived"
            | "$bindable"
            | "writable"
            | "readable"
            | "ref"
            | "shallowRef"
            | "customRef"
            | "toRef"
            | "defineModel"
            | "useTemplateRef"
            | "computed"
            | "reactive"
            | "shallowReactive"
            | "readonly"
            | "defineProps"
            | "markRaw"
            | "toRaw"
            | "toRefs"
            | "toValue"
            | "unref"
            | "withDefaults"
    )
}

fn holder(held: Ty) -> Ty {
    Ty::External(HOLDER.into(), Types::from([held]))
}

fn is_holder_name(name: &str) -> bool {
    name.rsplit_once('#').is_some_and(|(module, name)| {
        (module == "vue" || module.starts_with("@vue/")) && HOLDERS.contains(&name)
    })
}

/// The value type inside a type of Vue; `None` for other types.
fn held_by(rx: &Resolver, ty: &Ty) -> Option<Ty> {
    match ty {
        Ty::External(name, held) if is_holder_name(name) => {
            Some(held.first().cloned().unwrap_or(Ty::Unknown))
        }
        Ty::Instance(def, args) if HOLDERS.contains(&rx.def_name(*def)) => {
            let is_of_vue = rx.world().file(def.file).path.as_str().contains("@vue/");
            is_of_vue.then(|| args.first().cloned().unwrap_or(Ty::Unknown))
        }
        _ => None,
    }
}

/// `Astro.props`.
fn is_own_properties(file: &FileView, name: RefId) -> bool {
    let is_component = |receiver| matches!(file.expr(receiver), Expr::Ref(r) if file.ref_name(r) == "Astro");
    file.ref_name(name) == "props" && file.reference(name).receiver.is_some_and(is_component)
}

/// The properties of a component of Astro: the type `Props` in its frontmatter.
fn astro_properties(rx: &Resolver, file: &FileView) -> Option<Ty> {
    let named = file.named_in_scope(ScopeId(0), "Props").iter().copied();
    let def = named.into_iter().find(|def| file.def(*def).kind.is_type())?;
    match file.def(def).ty.filter(|_| file.def(def).kind == SymbolKind::TypeAlias) {
        Some(ty) => Some(rx.type_of(file, ty)),
        None => Some(rx.self_type(file.global(def))),
    }
}

/// Whether a name stands in the markup of a component.
fn is_markup(file: &FileView, reference: RefId) -> bool {
    if !matches!(file.language(), Language::Vue | Language::Svelte | Language::Astro) {
        return false;
    }
    let mut scopes: Vec<_> = file.scope_chain(file.reference(reference).scope).collect();
    scopes.pop();
    // The scope of the markup covers the whole file.
    scopes
        .last()
        .is_some_and(|scope| file.scope(*scope).range.start == 0 && file.scope(*scope).owner.is_none())
}

/// The property whose value a literal is, by its name and the literal around.
fn property_with(file: &FileView, literal: DefId) -> Option<(&str, DefId)> {
    let Some(Expectation::Init(property)) = file.expectation(file.function_expr(literal)?) else {
        return None;
    };
    let scope = file.scope(file.def(property).scope);
    let owner = scope.owner.filter(|_| scope.kind == ScopeKind::Class)?;
    Some((file.def_name(property), owner))
}

fn is_argument_of(file: &FileView, literal: DefId, names: &[&str]) -> bool {
    let Some(Expectation::Argument { call, .. }) =
        file.function_expr(literal).and_then(|e| file.expectation(e))
    else {
        return false;
    };
    match file.expr(call) {
        Expr::Call { callee, .. } => {
            matches!(file.expr(callee), Expr::Ref(name) if names.contains(&file.ref_name(name)))
        }
        Expr::New { ty, .. } => {
            matches!(file.ty(ty), TypeExpr::Named { name, .. } if names.contains(&file.ref_name(name)))
        }
        _ => false,
    }
}

/// Whether a literal holds the options of a component of Vue.
fn is_component(file: &FileView, literal: DefId) -> bool {
    const MAKERS: &[&str] =
        &["defineComponent", "defineNuxtComponent", "extend", "component", "mixin", "createApp", "Vue"];
    let facts: &FileFacts = file;
    if facts.def(literal).kind != SymbolKind::Object {
        return false;
    }
    let named = |name: &str| facts.def(literal).body.map_or(&[][..], |body| file.named_in_scope(body, name));
    if is_argument_of(file, literal, MAKERS) {
        const OPTIONS: &[&str] = &["props", "data", "methods", "computed", "setup", "template", "render"];
        return OPTIONS.iter().any(|name| !named(name).is_empty());
    }
    let is_literal = |d: &DefId| matches!(facts.def(*d).init.map(|e| facts.expr(e)), Some(Expr::Class(_)));
    let has_options = || ["methods", "computed"].into_iter().flat_map(named).any(is_literal);
    (file.language() == Language::Vue || has_options()) && options_of(facts) == Some(literal)
}
