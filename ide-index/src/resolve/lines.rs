//! The line of a type: the type with its supertypes.

use std::cell::RefCell;

use rustc_hash::FxHashSet;

use super::{Args, Resolver, Ty};
use crate::guard::{self, Limit};
use crate::world::GlobalDef;

/// Types have no more supertypes than this. Each has a line of its own, so a chain of many takes their square.
const MAX_LINE: usize = 400;

/// Lines longer than this are worth being kept for the next type of a chain.
const LONG: usize = 32;

/// The last long line. A file that declares a chain of types asks for the line of one after the other.
#[derive(Default)]
pub(super) struct LastLine(RefCell<Vec<Ty>>);

/// A line that is being made.
struct Line {
    types: Vec<Ty>,
    seen: FxHashSet<GlobalDef>,
    /// Supertypes that are still to come, the next one last.
    todo: Vec<Ty>,
    /// Nothing but one supertype after the other: the end of the line is the line of any type in it.
    is_chain: bool,
}

impl Line {
    fn of(types: Vec<Ty>, next: Ty) -> Self {
        let seen = types.iter().filter_map(Ty::def).collect();
        Self { types, seen, todo: vec![next], is_chain: true }
    }

    /// Whether the line ends here because it is too long.
    fn is_full(&mut self) -> bool {
        if self.types.len() < MAX_LINE {
            return false;
        }
        guard::note(Limit::Nesting);
        self.types.truncate(MAX_LINE);
        self.types.push(Ty::Unknown);
        true
    }
}

/// Cuts a line that is too long, and says so.
pub(crate) fn cut(line: &mut Vec<Ty>) {
    if line.len() > MAX_LINE {
        guard::note(Limit::Nesting);
        line.truncate(MAX_LINE);
        line.push(Ty::Unknown);
    }
}

impl Resolver {
    /// The type, then each supertype with all of its own before the next one; each declaration once.
    pub fn depth_first_linearization(&self, ty: &Ty) -> Vec<Ty> {
        let (line, is_whole) = self.wholly(|| self.line_of(ty));
        if is_whole && line.is_chain && line.types.len() > LONG {
            self.last_line.0.borrow_mut().clone_from(&line.types);
        }
        line.types
    }

    fn line_of(&self, ty: &Ty) -> Line {
        let mut line = self.within_last(ty).unwrap_or_else(|| Line::of(Vec::new(), ty.clone()));
        while let Some(next) = line.todo.pop() {
            line.is_chain &= line.todo.is_empty();
            let Some(def) = next.def() else {
                line.types.push(next);
                continue;
            };
            if !line.seen.insert(def) {
                continue;
            }
            if !guard::spend(1) || line.is_full() {
                break;
            }
            if line.is_chain && line.types.len() == 1 && self.continue_by_last(&next, &mut line) {
                break;
            }
            let as_class = matches!(next, Ty::Class(..));
            let args: Args = next.args().into();
            let others = self.policy_of(def).merged_elsewhere(self, def).into_iter();
            let others = others.filter(|part| line.seen.insert(*part)).map(|part| match as_class {
                true => (part, Ty::Class(part, args.clone())),
                false => (part, Ty::Instance(part, args.clone())),
            });
            let parts: Vec<(GlobalDef, Ty)> = std::iter::once((def, next)).chain(others).collect();
            line.is_chain &= parts.len() == 1;
            for (part, ty) in parts {
                let substitution = self.arguments_of(&ty);
                line.types.push(ty);
                for parent in self.supers(part).iter().rev() {
                    let parent = parent.substitute(&substitution);
                    line.todo.push(match parent {
                        Ty::Instance(def, args) if as_class => Ty::Class(def, args),
                        // The type bound to a type parameter.
                        Ty::Class(def, args) if !as_class => Ty::Instance(def, args),
                        other => other,
                    });
                }
            }
        }
        line
    }

    /// The line of the type that comes second in the last line: as far as that one went, without its last declaration,
    /// which is asked for what comes behind it.
    fn within_last(&self, ty: &Ty) -> Option<Line> {
        let last = self.last_line.0.borrow();
        if last.get(1) != Some(ty) {
            return None;
        }
        let end = last.iter().rposition(|ty| ty.def().is_some()).filter(|end| *end > 1)?;
        Some(Line::of(last[1..end].to_vec(), last[end].clone()))
    }

    /// Puts the last line behind a type, when it is that of the supertype that comes next.
    fn continue_by_last(&self, next: &Ty, line: &mut Line) -> bool {
        let last = self.last_line.0.borrow();
        let is_new =
            |ty: &Ty| ty.def().is_none_or(|def| Some(def) == next.def() || !line.seen.contains(&def));
        if last.first() != Some(next) || !last.iter().all(is_new) {
            return false;
        }
        line.types.extend_from_slice(&last);
        cut(&mut line.types);
        true
    }
}
