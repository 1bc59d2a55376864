//! Compares the facts of two front ends, and writes facts down for people.
//!
//! A front end written by hand is held against the grammar tables of its language: the same declarations, references
//! and receivers, token by token, or a difference with a name. The rules for declarations and references stand at
//! the head of `tables`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use ide_model::SymbolKind;

use crate::facts::{
    Def, DefFlags, DefId, Expr, ExprId, FileFacts, RefFlags, RefId, Role, ScopeId, SuperKind, TypeExpr,
    TypeId,
};

/// How two readings of one text differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// Declarations and references of the oracle.
    pub facts: usize,
    /// The number of items that both have, with everything equal that is compared.
    pub equal: usize,
    /// The byte offsets of those that differ, by class: `def missing PARAMETER`, `role Read, oracle Call`, … In classes
    /// with the word `extra` they are facts that the oracle does not have, in all others facts of the oracle.
    pub classes: BTreeMap<String, Vec<u32>>,
}

impl Differences {
    fn note(&mut self, class: String, at: u32) {
        self.classes.entry(class).or_default().push(at);
    }

    /// How many facts differ; missing and extra ones count each.
    pub fn count(&self) -> usize {
        self.classes.values().map(Vec::len).sum()
    }
}

/// The origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Nothing,
    /// The name that it is, or is reached by, starts here.
    At(u32),
    Other,
}

impl Origin {
    fn word(self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::At(_) => "name",
            Self::Other => "value",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DefKey<'a> {
    start: u32,
    end: u32,
    name: &'a str,
    kind: SymbolKind,
    owner: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RefKey<'a> {
    start: u32,
    end: u32,
    name: &'a str,
    role: Role,
    receiver: Origin,
}

/// Compares the declarations (name, range, kind, owner of the scope) and references (name, range, role, start of the
/// receiver) of two readings of the same text. Not compared: anonymous declarations, references in documentation and
/// in strings, and the tokens of macro calls, of which the tables know nothing but that they are words.
pub fn compare(oracle: &FileFacts, facts: &FileFacts) -> Differences {
    let mut differences = Differences::default();
    let in_macros: BTreeSet<u32> = [oracle, facts]
        .iter()
        .flat_map(|side| side.refs.iter().filter(|r| r.flags.has(RefFlags::IN_MACRO)).map(|r| r.range.start))
        .collect();
    let (mut want_defs, mut have_defs) = (def_keys(oracle), def_keys(facts));
    let (mut want_refs, mut have_refs) = (ref_keys(oracle), ref_keys(facts));
    for defs in [&mut want_defs, &mut have_defs] {
        defs.retain(|def| !in_macros.contains(&def.start));
    }
    for refs in [&mut want_refs, &mut have_refs] {
        refs.retain(|reference| !in_macros.contains(&reference.start));
    }
    differences.facts = want_defs.len() + want_refs.len();
    differences.equal =
        want_defs.intersection(&have_defs).count() + want_refs.intersection(&have_refs).count();
    let have_def_at: BTreeMap<_, _> = have_defs.iter().map(|key| ((key.start, key.end), key)).collect();
    let have_ref_at: BTreeMap<_, _> = have_refs.iter().map(|key| ((key.start, key.end), key)).collect();
    let want_def_at: BTreeSet<_> = want_defs.iter().map(|key| (key.start, key.end)).collect();
    let want_ref_at: BTreeSet<_> = want_refs.iter().map(|key| (key.start, key.end)).collect();
    for want in want_defs.difference(&have_defs) {
        let at = (want.start, want.end);
        let class = match have_def_at.get(&at) {
            Some(have) if have.name != want.name => "def name".to_owned(),
            Some(have) if have.kind != want.kind => {
                format!("def kind {}, oracle {}", have.kind.as_str(), want.kind.as_str())
            }
            Some(have) => match (have.owner, want.owner) {
                (None, _) => "def owner none".to_owned(),
                (_, None) => "def owner, oracle none".to_owned(),
                _ => "def owner another".to_owned(),
            },
            None if have_ref_at.contains_key(&at) => format!("ref, oracle def {}", want.kind.as_str()),
            None => format!("def missing {}", want.kind.as_str()),
        };
        differences.note(class, want.start);
    }
    for want in want_refs.difference(&have_refs) {
        let at = (want.start, want.end);
        let class = match have_ref_at.get(&at) {
            Some(have) if have.name != want.name => "ref name".to_owned(),
            Some(have) if have.role != want.role => format!("role {:?}, oracle {:?}", have.role, want.role),
            Some(have) => format!("receiver {}, oracle {}", have.receiver.word(), want.receiver.word()),
            None if have_def_at.contains_key(&at) => format!("def, oracle ref {:?}", want.role),
            None => format!("ref missing {:?}", want.role),
        };
        differences.note(class, want.start);
    }
    for have in have_defs.difference(&want_defs) {
        let at = (have.start, have.end);
        if !want_def_at.contains(&at) && !want_ref_at.contains(&at) {
            differences.note(format!("def extra {}", have.kind.as_str()), have.start);
        }
    }
    for have in have_refs.difference(&want_refs) {
        let at = (have.start, have.end);
        if !want_ref_at.contains(&at) && !want_def_at.contains(&at) {
            differences.note(format!("ref extra {:?}", have.role), have.start);
        }
    }
    differences
}

fn def_keys(facts: &FileFacts) -> BTreeSet<DefKey<'_>> {
    facts
        .defs
        .iter()
        .filter(|def| !def.name_range.is_empty() && !def.flags.has(DefFlags::ANONYMOUS))
        .map(|def| DefKey {
            start: def.name_range.start,
            end: def.name_range.end,
            name: facts.name(def.name),
            kind: def.kind,
            owner: owner(facts, def.scope).map(|owner| facts.def(owner).name_range.start),
        })
        .collect()
}

fn ref_keys(facts: &FileFacts) -> BTreeSet<RefKey<'_>> {
    facts
        .refs
        .iter()
        .filter(|reference| {
            !reference.flags.has(RefFlags::IN_DOC) && !reference.flags.has(RefFlags::IN_STRING)
        })
        .map(|reference| RefKey {
            start: reference.range.start,
            end: reference.range.end,
            name: facts.name(reference.name),
            role: reference.role,
            receiver: reference.receiver.map_or(Origin::Nothing, |receiver| origin(facts, receiver)),
        })
        .collect()
}

/// The declaration with a name whose scope this is, or that is nearest around it: those without a name begin at any
/// of their words.
fn owner(facts: &FileFacts, scope: ScopeId) -> Option<DefId> {
    facts.scope_chain(scope).filter_map(|id| facts.scope(id).owner).find(|id| {
        let def = facts.def(*id);
        !def.name_range.is_empty() && !def.flags.has(DefFlags::ANONYMOUS)
    })
}

fn origin(facts: &FileFacts, mut expr: ExprId) -> Origin {
    // Values point at earlier ones, so this ends.
    loop {
        expr = match facts.expr(expr) {
            Expr::Ref(id) => return Origin::At(facts.reference(id).range.start),
            Expr::Call { callee, .. } => callee,
            Expr::New { ty, .. } | Expr::Type(ty) => {
                return match facts.ty(ty) {
                    TypeExpr::Named { name, .. } => Origin::At(facts.reference(name).range.start),
                    _ => Origin::Other,
                };
            }
            Expr::Index { base, .. } => base,
            Expr::NonNull(inner) => inner,
            // The root of a path is no value.
            Expr::Block { value, .. } if matches!(facts.expr(value), Expr::Text(_)) => {
                return Origin::Nothing;
            }
            _ => return Origin::Other,
        }
    }
}

/// The facts as text: one line a declaration or reference, in source order, indented by owner. For tests and for
/// reading.
pub fn render(facts: &FileFacts) -> String {
    enum Item {
        Def(DefId),
        Ref(RefId),
    }
    let mut items: Vec<(u32, u8, Item)> = Vec::new();
    // A parameter comes before the property that stands at the same place.
    let second = |id: DefId| u8::from(facts.def(id).flags.has(DefFlags::PROMOTED));
    items.extend(facts.def_ids().map(|id| (facts.def(id).name_range.start, second(id), Item::Def(id))));
    items.extend(facts.ref_ids().map(|id| (facts.reference(id).range.start, 2, Item::Ref(id))));
    items.sort_by_key(|(at, order, _)| (*at, *order));
    let mut out = String::new();
    if let Some(package) = facts.package {
        let _infallible = writeln!(out, "package {}", facts.name(package));
    }
    for (_, _, item) in items {
        let (scope, line) = match item {
            Item::Def(id) => (facts.def(id).scope, render_def(facts, facts.def(id))),
            Item::Ref(id) => (facts.reference(id).scope, render_ref(facts, id)),
        };
        let depth = facts.scope_chain(scope).filter(|id| facts.scope(*id).owner.is_some()).count();
        let _infallible = writeln!(out, "{:indent$}{line}", "", indent = depth * 2);
    }
    out
}

fn render_ref(facts: &FileFacts, id: RefId) -> String {
    let reference = facts.reference(id);
    let mut line = format!("{:?} {}", reference.role, facts.name(reference.name)).to_lowercase();
    line.truncate(line.find(' ').unwrap_or(line.len()));
    line.push(' ');
    line.push_str(facts.name(reference.name));
    if let Some(receiver) = reference.receiver {
        line.push_str(" of ");
        line.push_str(&render_expr(facts, receiver));
    }
    line
}

fn render_def(facts: &FileFacts, def: &Def) -> String {
    let name = facts.name(def.name);
    let mut line = format!("{} {}", def.kind.as_str(), if name.is_empty() { "-" } else { name });
    if let Some(visibility) = def.visibility {
        line += &format!(" {}", visibility.as_str());
    }
    for (flag, word) in SHOWN_FLAGS {
        if def.flags.has(*flag) {
            line += &format!(" {word}");
        }
    }
    if !def.type_params.is_empty() {
        let names: Vec<_> = facts.list(def.type_params).map(|id| facts.def_name(id)).collect();
        line += &format!(" <{}>", names.join(", "));
    }
    if !def.params.is_empty() {
        let names: Vec<_> = facts.list(def.params).map(|id| facts.def_name(id)).collect();
        line += &format!(" ({})", names.join(", "));
    }
    if let Some(receiver) = def.receiver {
        line += &format!(" on {}", render_type(facts, receiver));
    }
    if let Some(ty) = def.ty {
        line += &format!(": {}", render_type(facts, ty));
    }
    for edge in facts.list(def.supers) {
        let word = match edge.kind {
            SuperKind::Extends => "extends",
            SuperKind::Implements => "implements",
            SuperKind::Mixes => "mixes",
            SuperKind::Other => "other",
        };
        line += &format!(" {word} {}", render_type(facts, edge.ty));
    }
    for ty in facts.list(def.throws) {
        line += &format!(" throws {}", render_type(facts, ty));
    }
    for decorator in facts.list(def.decorators) {
        line += &format!(" @{}", render_expr(facts, decorator));
    }
    if let Some(init) = def.init {
        line += &format!(" = {}", render_expr(facts, init));
    }
    if let Some(import) = def.import {
        line += &format!(" from {}", facts.name(facts.import(import).module));
    }
    if def.doc.is_some() {
        line += " documented";
    }
    line
}

const SHOWN_FLAGS: &[(DefFlags, &str)] = &[
    (DefFlags::STATIC, "static"),
    (DefFlags::ABSTRACT, "abstract"),
    (DefFlags::FINAL, "final"),
    (DefFlags::ASYNC, "async"),
    (DefFlags::GENERATOR, "generator"),
    (DefFlags::EXPORTED, "exported"),
    (DefFlags::DEFAULT_EXPORT, "default-export"),
    (DefFlags::OVERRIDE, "override"),
    (DefFlags::CONST, "const"),
    (DefFlags::READONLY, "readonly"),
    (DefFlags::OPTIONAL, "optional"),
    (DefFlags::VARARG, "vararg"),
    (DefFlags::KEYWORD_VARARG, "kwargs"),
    (DefFlags::EXTENSION, "extension"),
    (DefFlags::SUSPEND, "suspend"),
    (DefFlags::DATA, "data"),
    (DefFlags::SEALED, "sealed"),
    (DefFlags::COMPANION, "companion"),
    (DefFlags::GETTER, "getter"),
    (DefFlags::SETTER, "setter"),
    (DefFlags::PROMOTED, "promoted"),
    (DefFlags::ATTRIBUTE, "attribute"),
    (DefFlags::SIGNATURE, "signature"),
    (DefFlags::UNSAFE, "unsafe"),
    (DefFlags::MUT, "mut"),
    (DefFlags::VAR, "var"),
    (DefFlags::LOCAL, "local"),
];

fn render_expr(facts: &FileFacts, expr: ExprId) -> String {
    match facts.expr(expr) {
        Expr::Ref(id) => facts.ref_name(id).to_owned(),
        Expr::Call { callee, args, .. } => format!("{}(/{})", render_expr(facts, callee), args.len),
        Expr::New { ty, args } => format!("new {}(/{})", render_type(facts, ty), args.len),
        Expr::Index { base, .. } => format!("{}[]", render_expr(facts, base)),
        Expr::This(_) => "this".to_owned(),
        Expr::Super(_) => "super".to_owned(),
        Expr::Literal(literal) => format!("{literal:?}").to_lowercase(),
        Expr::Function(_) => "lambda".to_owned(),
        Expr::Class(_) => "object".to_owned(),
        Expr::Type(ty) => render_type(facts, ty),
        _ => "?".to_owned(),
    }
}

pub(crate) fn render_type(facts: &FileFacts, ty: TypeId) -> String {
    let all = |items: crate::facts::List<TypeId>, between: &str| {
        facts.list(items).map(|ty| render_type(facts, ty)).collect::<Vec<_>>().join(between)
    };
    match facts.ty(ty) {
        TypeExpr::Named { name, args } if args.is_empty() => facts.ref_name(name).to_owned(),
        TypeExpr::Named { name, args } => format!("{}<{}>", facts.ref_name(name), all(args, ", ")),
        TypeExpr::Primitive(name) => facts.name(name).to_owned(),
        TypeExpr::Array(inner) => format!("{}[]", render_type(facts, inner)),
        TypeExpr::Nullable(inner) => format!("{}?", render_type(facts, inner)),
        TypeExpr::Pointer(inner) => format!("*{}", render_type(facts, inner)),
        TypeExpr::Reference(inner) => format!("&{}", render_type(facts, inner)),
        TypeExpr::Union(items) => all(items, " | "),
        TypeExpr::Intersection(items) => all(items, " & "),
        TypeExpr::Tuple(items) => format!("({})", all(items, ", ")),
        _ => "?".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FactBuilder;
    use ide_model::{Language, TextRange};

    fn facts(kind: SymbolKind, role: Role, with_receiver: bool) -> FileFacts {
        let mut b = FactBuilder::new(Language::Java, 20);
        b.def("a", TextRange::new(0, 1), kind);
        let x = b.reference("x", TextRange::new(4, 5), Role::Read);
        let receiver = b.expr(Expr::Ref(x));
        let y = b.reference("y", TextRange::new(6, 7), role);
        b.ref_mut(y).receiver = with_receiver.then_some(receiver);
        b.finish()
    }

    #[test]
    fn differences_are_classed_and_located() {
        let oracle = facts(SymbolKind::Field, Role::Call, true);
        let same = compare(&oracle, &oracle);
        assert_eq!((same.facts, same.equal, same.count()), (3, 3, 0));

        let other = compare(&oracle, &facts(SymbolKind::Property, Role::Read, true));
        let classes: Vec<_> =
            other.classes.iter().map(|(name, places)| (name.as_str(), places.clone())).collect();
        assert_eq!(
            classes,
            [("def kind PROPERTY, oracle FIELD", vec![0]), ("role Read, oracle Call", vec![6])]
        );
        assert_eq!(other.equal, 1);

        let other = compare(&oracle, &facts(SymbolKind::Field, Role::Call, false));
        assert_eq!(other.classes.keys().collect::<Vec<_>>(), ["receiver none, oracle name"]);

        let empty = FactBuilder::new(Language::Java, 20).finish();
        assert_eq!(compare(&oracle, &empty).count(), 3, "everything is missing");
        assert_eq!(compare(&empty, &oracle).count(), 3, "everything is extra");
    }
}
