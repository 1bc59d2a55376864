//! Which local variables a file has, and where each is read and written.

use std::sync::Arc;

use ide_model::{Family, SymbolKind, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{DefFlags, DefId, Expr, ExprId, RefFlags, RefId, Role, ScopeId};
use crate::guard;
use crate::lang;
use crate::resolve::{FileView, Resolver, Target};

/// A variable, parameter or other name that only the inside of a function knows: everything that one scope declares under
/// one name.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: Arc<str>,
    pub(super) defs: Vec<DefId>,
}

/// One mention of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mention {
    pub(super) range: TextRange,
    pub(super) variable: usize,
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) declares: bool,
    /// Takes its place, which may be used at any time: `&x` of Go.
    pub(super) keeps: bool,
}

/// The local variables of a file with their mentions in order.
pub(super) struct Flow {
    pub(super) variables: Vec<Variable>,
    pub(super) mentions: Vec<Mention>,
    /// The names of places that are addressed to what may write to them, members among them.
    pub(super) addressed: FxHashSet<RefId>,
    /// The variables of declarations.
    of_def: FxHashMap<DefId, usize>,
}

impl Flow {
    pub(super) fn of(rx: &Resolver, file: &FileView) -> Self {
        let mut by_name: FxHashMap<(ScopeId, Arc<str>), usize> = FxHashMap::default();
        let mut of_def: FxHashMap<DefId, usize> = FxHashMap::default();
        let mut variables: Vec<Variable> = Vec::new();
        let mut mentions = Vec::new();
        for def in file.def_ids() {
            let d = file.def(def);
            let is_variable = d.flags.has(DefFlags::LOCAL)
                && !d.flags.has(DefFlags::ANONYMOUS)
                && !d.name_range.is_empty()
                && !matches!(d.kind, SymbolKind::Import | SymbolKind::TypeParameter | SymbolKind::Label);
            let of_class = file.enclosing_class(d.scope).is_some_and(|(scope, _)| scope == d.scope);
            if !is_variable || of_class {
                continue;
            }
            let name: Arc<str> = file.def_name(def).into();
            let next = variables.len();
            let variable = *by_name.entry((d.scope, name.clone())).or_insert(next);
            if variable == next {
                variables.push(Variable { name, defs: Vec::new() });
            }
            variables[variable].defs.push(def);
            of_def.insert(def, variable);
            // A name alone (`int x;`, `let x`) writes nothing; to count it as a write does no harm.
            mentions.push(Mention {
                range: d.name_range,
                variable,
                reads: false,
                writes: true,
                declares: true,
                keeps: false,
            });
        }
        let (addressed, kept) = addressed(rx, file);
        for r in file.ref_ids() {
            let reference = file.reference(r);
            let resolved = rx.resolve(file.global_ref(r));
            let of_target = |target: &Target| match target {
                Target::Def(def) if def.file == file.id => of_def.get(&def.def).copied(),
                _ => None,
            };
            let Some(variable) = resolved.resolution.targets.iter().find_map(of_target) else { continue };
            if reference.flags.has(RefFlags::IN_DOC)
                || reference.role == Role::Key && !is_shorthand(file, reference.range)
            {
                continue;
            }
            let deletes = reference.flags.has(RefFlags::DELETE);
            mentions.push(Mention {
                range: reference.range,
                variable,
                reads: reference.role != Role::Write && !deletes,
                writes: deletes
                    || matches!(reference.role, Role::Write | Role::ReadWrite)
                    || addressed.contains(&r),
                declares: false,
                keeps: kept.contains(&r),
            });
        }
        mentions.sort_by_key(|m| (m.range.start, !m.declares));
        // A name that is declared where it is assigned to is mentioned once.
        mentions.dedup_by(|b, a| a.range == b.range && a.variable == b.variable && a.declares && !b.reads);
        Self { variables, mentions, addressed, of_def }
    }

    pub(super) fn within(&self, range: TextRange) -> impl Iterator<Item = &Mention> {
        let from = self.mentions.partition_point(|m| m.range.start < range.start);
        let inside = self.mentions[from..].iter().take_while(move |m| m.range.start <= range.end);
        inside.inspect(|_| guard::tick()).filter(move |m| range.encloses(m.range))
    }

    /// The mentions of a variable, in order.
    pub(super) fn of_variable(&self, variable: usize) -> impl Iterator<Item = &Mention> {
        self.mentions.iter().inspect(|_| guard::tick()).filter(move |m| m.variable == variable)
    }

    /// The variable that a declaration belongs to.
    pub(super) fn variable_of(&self, def: DefId) -> Option<usize> {
        self.of_def.get(&def).copied()
    }
}

/// The names of variables, members and elements that are handed to functions which write to them, or are written in parts:
/// `sort($items)`, `point.x = 1`.
fn addressed(rx: &Resolver, file: &FileView) -> (FxHashSet<RefId>, FxHashSet<RefId>) {
    let mut found = FxHashSet::default();
    if file.family() == Family::Go {
        let addressed = lang::AddressedPlaces::of(rx, file);
        return (addressed.refs, addressed.kept);
    }
    if file.family() != Family::Php {
        return (found, FxHashSet::default());
    }
    for callee in file.ref_ids() {
        let Some(Expr::Call { args, .. }) = file.reference(callee).call.map(|call| file.expr(call)) else {
            continue;
        };
        for (place, arg) in file.list(args).enumerate() {
            let (name, value) = match file.expr(arg) {
                Expr::Named { key, value } => (Some(file.ref_name(key)), value),
                _ => (None, arg),
            };
            if let Some(addressed) = array_of(file, value)
                && lang::takes_reference(rx, file, callee, place, name)
            {
                found.insert(addressed);
            }
        }
    }
    (found, FxHashSet::default())
}

/// The name of the variable or member that is an array with an element, or itself.
fn array_of(file: &FileView, mut place: ExprId) -> Option<RefId> {
    while let Expr::Index { base, .. } = file.expr(place) {
        guard::tick();
        place = base;
    }
    match file.expr(place) {
        Expr::Ref(name) => Some(name),
        _ => None,
    }
}

/// Whether a key reads a variable of its name too.
fn is_shorthand(file: &FileView, range: TextRange) -> bool {
    file.by_place().refs.at(range).any(|r| file.reference(r).role == Role::Read)
}
