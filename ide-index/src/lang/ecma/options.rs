//! The options of a component of Vue: where a file has them, and what they declare.

use ide_model::{Language, SymbolKind, TextRange};

use super::assign::Declared;
use super::front::Parser;
use crate::facts::{Def, DefFlags, DefId, Expr, ExprId, FileFacts, NameId, ScopeId, ScopeKind};

/// The options of the component that a file gives out: the literal, or the class.
pub(super) fn options_of(facts: &FileFacts) -> Option<DefId> {
    let default = facts.exports.iter().find(|e| facts.name(e.name) == "default")?;
    options_in(facts, default.value)
}

/// The options of the component that a value of a file is.
pub(super) fn options_in(facts: &FileFacts, value: ExprId) -> Option<DefId> {
    options_within(facts, value, 4)
}

/// The call by which a script says what the properties of its component are.
pub(super) fn declared_properties(facts: &FileFacts) -> Option<ExprId> {
    let calls = |id: ExprId| match facts.expr(id) {
        Expr::Call { callee, .. } => match facts.expr(callee) {
            Expr::Ref(name) if facts.reference(name).receiver.is_none() => Some(facts.ref_name(name)),
            _ => None,
        },
        _ => None,
    };
    let all = || (0..facts.exprs.len() as u32).map(ExprId);
    match facts.language {
        // The argument of `withDefaults` comes before it.
        Language::Vue => all().rev().find(|id| matches!(calls(*id), Some("defineProps" | "withDefaults"))),
        // `let { … }: Properties = $props()`.
        Language::Svelte => all()
            .find(|id| matches!(facts.expr(*id), Expr::Cast { value, .. } if calls(value) == Some("$props"))),
        _ => None,
    }
}

fn options_within(facts: &FileFacts, value: ExprId, hops: usize) -> Option<DefId> {
    if hops == 0 {
        return None;
    }
    match facts.expr(value) {
        Expr::Class(def) => Some(def),
        Expr::Cast { value, .. } => options_within(facts, value, hops - 1),
        Expr::Call { args, .. } => facts
            .list(args)
            .find_map(|arg| options_within(facts, arg, 1))
            .filter(|def| is_object(facts, *def)),
        Expr::Value(def) if facts.def(def).kind == SymbolKind::Class => Some(def),
        Expr::Value(def) => options_within(facts, facts.def(def).init?, hops - 1),
        Expr::Ref(reference) => {
            let name = facts.reference(reference).name;
            let mut named = facts.defs.iter().filter(|d| d.name == name && d.scope == ScopeId(0));
            options_within(facts, named.next()?.init?, hops - 1)
        }
        _ => None,
    }
}

fn is_object(facts: &FileFacts, def: DefId) -> bool {
    facts.def(def).kind == SymbolKind::Object
}

/// The literal that an option of a component is.
pub(super) fn option(facts: &FileFacts, options: DefId, name: &str) -> Option<DefId> {
    let body = facts.def(options).body?;
    let is_it = |d: &&Def| d.scope == body && facts.name(d.name) == name;
    match facts.expr(facts.defs[options.index()..].iter().find(is_it)?.init?) {
        Expr::Class(def) => Some(def),
        _ => None,
    }
}

impl Parser<'_> {
    /// Fields that the functions of a component's options assign are fields of the component, unless an option declares them.
    pub(super) fn gather_fields(&mut self, options: DefId) {
        let facts = self.b.facts();
        let Some(body) = facts.def(options).body else { return };
        let of_option = |name: &str| option(facts, options, name).and_then(|literal| facts.def(literal).body);
        let with_functions: Vec<ScopeId> =
            ["methods", "computed", "watch"].into_iter().filter_map(of_option).collect();
        if with_functions.is_empty() {
            return;
        }
        let within = |scope: ScopeId| {
            let around = facts.scope(scope).parent;
            let is_accessors = || {
                facts.scope(scope).kind == ScopeKind::Class
                    && around.is_some_and(|up| with_functions.contains(&up))
            };
            scope == body || with_functions.contains(&scope) || is_accessors()
        };
        let members = &facts.defs[options.index()..];
        let data = members.iter().find(|d| d.scope == body && facts.name(d.name) == "data");
        let function = data.map(|d| match d.init.map(|init| facts.expr(init)) {
            Some(Expr::Function(function)) => facts.def(function),
            _ => d,
        });
        let mut declaring: Vec<ScopeId> =
            ["props", "data", "inject"].into_iter().filter_map(of_option).collect();
        declaring.extend(&with_functions);
        let given = function.into_iter().flat_map(|f| facts.list(f.returns)).filter_map(|given| match facts
            .expr(given)
        {
            Expr::Class(literal) => facts.def(literal).body,
            _ => None,
        });
        declaring.extend(given);
        let is_assigned = |d: &Def| d.flags.has(DefFlags::ATTRIBUTE) && !d.flags.has(DefFlags::ANONYMOUS);
        let mut declared: Vec<NameId> = members
            .iter()
            .filter(|d| declaring.contains(&d.scope) && !is_assigned(d))
            .map(|d| d.name)
            .collect();
        let assigned: Vec<(DefId, bool)> = facts
            .def_ids()
            .skip(options.index())
            .filter(|id| is_assigned(facts.def(*id)) && within(facts.def(*id).scope))
            .map(|id| {
                let name = facts.def(id).name;
                let is_known = declared.contains(&name);
                declared.push(name);
                (id, is_known)
            })
            .collect();
        if !assigned.is_empty() {
            self.declared = Declared::default();
        }
        for (id, is_known) in assigned {
            let d = self.b.def_mut(id);
            d.scope = body;
            if is_known {
                d.flags.set(DefFlags::ANONYMOUS);
                d.name_range = TextRange::new(d.name_range.start, d.name_range.start);
            }
        }
    }
}
