//! The value at a place in a function by the order of its text: assignments that reach it, and type tests around
//! it.
//!
//! Languages whose variables have no declared type share it; what a test or an assignment means is theirs to say.

use crate::facts::{Expr, ExprId, FileFacts, Guard, NameId, Ref, RefId, ScopeId, ScopeKind};
use crate::guard::{self, Limit};
use crate::resolve::{FileView, Resolver};
use crate::world::GlobalDef;

/// Tests of one value that are applied one after the other: nobody writes more, and each compares types.
const MOST_TESTS: usize = 64;
/// Guards among which those that hold somewhere are looked for.
const MOST_LOOKED_AT: usize = 1_024;

/// Look-up tables of one file.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    /// Assignments by the last name of their target.
    pub(crate) assigns: ByName,
    /// Assignments to items, by the last name before their keys.
    pub(crate) items: ByName,
    /// Guards by the last name of what they test and by where they begin.
    guards: Vec<(NameId, u32, u32)>,
    /// Block scopes in source order.
    blocks: Vec<ScopeId>,
}

/// Numbers by name, each name's in order.
#[derive(Clone, Debug)]
pub(crate) struct ByName(Vec<(NameId, u32)>);

impl ByName {
    fn new(mut all: Vec<(NameId, u32)>) -> Self {
        all.sort_unstable();
        Self(all)
    }

    pub(crate) fn of(&self, name: NameId) -> impl Iterator<Item = usize> + '_ {
        let start = self.0.partition_point(|(of, _)| *of < name);
        self.0[start..].iter().take_while(move |(of, _)| *of == name).map(|(_, number)| *number as usize)
    }

    pub(crate) fn has(&self, name: NameId) -> bool {
        self.of(name).next().is_some()
    }
}

/// A place where a name gets a value.
pub(crate) struct Point {
    /// From here on the value counts.
    pub(crate) at: u32,
    pub(crate) scope: ScopeId,
    pub(crate) value: Value,
}

#[derive(Clone, Copy)]
pub(crate) enum Value {
    /// The declared value.
    Declared,
    Expr(ExprId),
}

impl Flow {
    pub(crate) fn new(file: &FileFacts) -> Self {
        let (mut assigns, mut items) = (Vec::new(), Vec::new());
        for (i, assign) in file.assigns.iter().enumerate() {
            let mut target = file.expr(assign.target);
            let table = if matches!(target, Expr::Index { .. }) { &mut items } else { &mut assigns };
            while let Expr::Index { base, .. } = target {
                target = file.expr(base);
            }
            if let Expr::Ref(target) = target {
                table.push((file.reference(target).name, i as u32));
            }
        }
        let named = |(i, guard): (u32, &Guard)| (file.reference(guard.subject).name, guard.range.start, i);
        let mut guards: Vec<(NameId, u32, u32)> = (0..).zip(&file.guards).map(named).collect();
        guards.sort_unstable();
        let blocks = (0..file.scopes.len() as u32)
            .map(ScopeId)
            .filter(|s| file.scope(*s).kind == ScopeKind::Block)
            .collect();
        Self { assigns: ByName::new(assigns), items: ByName::new(items), guards, blocks }
    }

    /// The assignments to a variable of a file in the code that `home` runs, in source order.
    pub(crate) fn assigned_to<'f>(
        &'f self,
        rx: &'f Resolver,
        file: &'f FileView,
        def: GlobalDef,
        home: ScopeId,
    ) -> impl Iterator<Item = Point> + 'f {
        self.assigns.of(file.def(def.def).name).filter_map(move |i| {
            let assign = file.assigns[i];
            let Expr::Ref(target) = file.expr(assign.target) else { return None };
            let written = file.reference(target);
            let is_it = written.receiver.is_none()
                && execution_scope(file, written.scope) == home
                && rx.resolve(file.global_ref(target)).resolution.defs().next() == Some(def);
            let value = Value::Expr(assign.value);
            is_it.then_some(Point { at: assign.at, scope: written.scope, value })
        })
    }

    /// The innermost block around an offset, if it lies inside `outer`; else `outer`.
    pub(crate) fn block_at(&self, file: &FileView, offset: u32, outer: ScopeId) -> ScopeId {
        let after = self.blocks.partition_point(|s| file.scope(*s).range.start <= offset);
        let Some(last) = after.checked_sub(1) else { return outer };
        let chain: Vec<ScopeId> = file.scope_chain(self.blocks[last]).collect();
        if !chain.contains(&outer) {
            return outer;
        }
        let inside = |s: &&ScopeId| file.scope(**s).range.contains(offset);
        chain.iter().take_while(|s| **s != outer).find(inside).copied().unwrap_or(outer)
    }

    /// The guards that hold at an offset, of values that end in a name, in the order in which they were read. Of very many
    /// the nearest.
    pub(crate) fn guards_at(&self, file: &FileFacts, name: NameId, at: u32) -> Vec<Guard> {
        let from = self.guards.partition_point(|(of, ..)| *of < name);
        let to = from + self.guards[from..].partition_point(|(of, start, _)| (*of, *start) <= (name, at));
        let nearest = self.guards[from..to].iter().rev();
        if to - from > MOST_LOOKED_AT {
            guard::note(Limit::Work);
        }
        let mut found: Vec<u32> = nearest
            .take(MOST_LOOKED_AT)
            .map(|(.., i)| *i)
            .filter(|i| file.guards[*i as usize].range.contains(at))
            .take(MOST_TESTS + 1)
            .collect();
        if found.len() > MOST_TESTS {
            guard::note(Limit::Work);
            found.truncate(MOST_TESTS);
        }
        found.sort_unstable();
        found.into_iter().map(|i| file.guards[i as usize]).collect()
    }

    /// The tests of values called like a reference that hold where it stands and are not overtaken by an assignment.
    pub(crate) fn tests<'f>(
        &'f self,
        file: &'f FileView,
        id: RefId,
        is_same: impl Fn(RefId) -> bool + 'f,
    ) -> impl Iterator<Item = Guard> + 'f {
        let reference = file.reference(id);
        let at = reference.range.start;
        let written = self.assigns.of(reference.name).map(|i| file.assigns[i].at);
        let last = written.filter(|written| *written <= at).max();
        let guards = self.guards_at(file, reference.name, at).into_iter();
        guards.filter(move |guard| {
            is_same(guard.subject) && last.is_none_or(|written| written <= guard.range.start)
        })
    }
}

/// The scope of the function (or the file) that runs the code of a scope.
pub(crate) fn execution_scope(file: &FileView, scope: ScopeId) -> ScopeId {
    file.scope_chain(scope)
        .find(|s| matches!(file.scope(*s).kind, ScopeKind::Function | ScopeKind::File | ScopeKind::Class))
        .unwrap_or(ScopeId(0))
}

/// Whether two references are written alike: the same name behind the same receivers.
pub(crate) fn is_same_place(file: &FileView, a: &Ref, b: &Ref) -> bool {
    if a.name != b.name {
        return false;
    }
    match (a.receiver, b.receiver) {
        (None, None) => true,
        (Some(x), Some(y)) => match (file.expr(x), file.expr(y)) {
            (Expr::Ref(x), Expr::Ref(y)) => {
                guard::deeper(|| is_same_place(file, file.reference(x), file.reference(y))).unwrap_or(false)
            }
            (Expr::This(x), Expr::This(y)) => file.enclosing_class(x) == file.enclosing_class(y),
            _ => false,
        },
        _ => false,
    }
}

/// The points whose values may arrive at an offset, the likeliest first; and whether one of them always does.
pub(crate) fn reaching<'p>(file: &FileView, points: &'p [Point], offset: u32) -> (Vec<&'p Point>, bool) {
    let mut sorted: Vec<&Point> = points.iter().collect();
    sorted.sort_by_key(|p| p.at);
    let encloses = |scope: ScopeId| file.scope(scope).range.contains(offset);
    let is_block = |scope: ScopeId| file.scope(scope).kind == ScopeKind::Block;
    let mut found = Vec::new();
    let mut certain_in = None;
    for point in sorted.iter().rev().filter(|p| p.at <= offset) {
        found.push(*point);
        if !is_block(point.scope) || encloses(point.scope) {
            certain_in = Some(point.scope);
            break;
        }
    }
    // An assignment further down in a loop around the place arrives with the next round.
    for point in sorted.iter().filter(|p| p.at > offset) {
        let around = file.scope_chain(point.scope).find(|s| is_block(*s) && encloses(*s));
        if around.is_some() && around != certain_in {
            found.push(point);
        }
    }
    (found, certain_in.is_some())
}
