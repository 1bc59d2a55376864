//! The one breadth-first walk behind the call and the type hierarchy: cycles, repeated nodes, pages. A walk can be cloned and kept; going on from a clone gives the same nodes again.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use ide_model::{Confidence, FilePath, Symbol, SymbolKey, TextRange};

use crate::ToolError;

/// Which way edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Direction {
    /// Callers, supertypes.
    Up,
    /// Callees, subtypes.
    Down,
}

/// One edge as a backend gave it.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) name: Arc<str>,
    /// `None` for what is no declaration: the top level of a file, an unresolved supertype.
    pub(crate) symbol: Option<Symbol>,
    /// The file of the sites.
    pub(crate) file: Option<FilePath>,
    pub(crate) sites: Vec<TextRange>,
    pub(crate) confidence: Confidence,
}

/// A node that was reached.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    pub(crate) id: u32,
    /// `None` for a neighbour of the root.
    pub(crate) parent: Option<u32>,
    /// 1 for a neighbour of the root.
    pub(crate) depth: u32,
    pub(crate) direction: Direction,
    pub(crate) edge: Edge,
    pub(crate) mark: Mark,
}

/// Why a node is not followed, if it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    New,
    /// It is one of its own ancestors.
    Recursive,
    /// Its neighbours are shown at another place.
    AlreadyShown,
}

/// The state of a walk between pages.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    to_show: VecDeque<Visit>,
    to_expand: VecDeque<Expansion>,
    seen: HashSet<(Direction, SymbolKey)>,
    /// Parent and key of every node that can be an ancestor.
    nodes: HashMap<u32, (Option<u32>, SymbolKey)>,
    root: SymbolKey,
    next_id: u32,
    max_depth: u32,
    is_each_once: bool,
}

#[derive(Clone, Debug)]
struct Expansion {
    symbol: Symbol,
    id: Option<u32>,
    depth: u32,
    direction: Direction,
}

impl Walk {
    /// A walk from `root` in each of the directions.
    pub(crate) fn new(root: &Symbol, directions: &[Direction], max_depth: u32) -> Self {
        let start = |direction: &Direction| Expansion {
            symbol: root.clone(),
            id: None,
            depth: 0,
            direction: *direction,
        };
        Self {
            to_show: VecDeque::new(),
            to_expand: directions.iter().map(start).collect(),
            seen: directions.iter().map(|direction| (*direction, root.key.clone())).collect(),
            nodes: HashMap::new(),
            root: root.key.clone(),
            next_id: 1,
            max_depth,
            is_each_once: false,
        }
    }

    /// The same walk, but what is reached again is left out instead of marked.
    pub(crate) fn each_once(self) -> Self {
        Self { is_each_once: true, ..self }
    }

    /// The next node in breadth-first order, `None` at the end. `expand` gives the edges of a declaration.
    pub(crate) fn next(
        &mut self,
        mut expand: impl FnMut(&Symbol, Direction, Option<u32>) -> Result<Vec<Edge>, ToolError>,
    ) -> Result<Option<Visit>, ToolError> {
        loop {
            if let Some(visit) = self.to_show.pop_front() {
                self.schedule(&visit);
                return Ok(Some(visit));
            }
            let Some(Expansion { symbol, id, depth, direction }) = self.to_expand.pop_front() else {
                return Ok(None);
            };
            for edge in expand(&symbol, direction, id)? {
                let mark = self.mark(&edge, id, direction);
                if self.is_each_once && mark != Mark::New {
                    continue;
                }
                let visit = Visit { id: self.next_id, parent: id, depth: depth + 1, direction, edge, mark };
                self.next_id += 1;
                self.to_show.push_back(visit);
            }
        }
    }

    /// True when nothing is left to show. May look one expansion ahead.
    pub(crate) fn is_done(
        &mut self,
        mut expand: impl FnMut(&Symbol, Direction, Option<u32>) -> Result<Vec<Edge>, ToolError>,
    ) -> Result<bool, ToolError> {
        if !self.to_show.is_empty() {
            return Ok(false);
        }
        match self.next(&mut expand)? {
            None => Ok(true),
            Some(visit) => {
                // It was scheduled when it was taken; showing it again must not do so twice.
                self.to_expand.retain(|expansion| expansion.id != Some(visit.id));
                self.to_show.push_front(visit);
                Ok(false)
            }
        }
    }

    /// Ids of nodes whose neighbours have not all been shown.
    pub(crate) fn unfinished(&self) -> HashSet<u32> {
        let waiting = self.to_expand.iter().filter_map(|expansion| expansion.id);
        waiting.chain(self.to_show.iter().filter_map(|visit| visit.parent)).collect()
    }

    fn schedule(&mut self, visit: &Visit) {
        let Some(symbol) = &visit.edge.symbol else { return };
        if visit.mark == Mark::New && visit.depth < self.max_depth {
            self.nodes.insert(visit.id, (visit.parent, symbol.key.clone()));
            self.to_expand.push_back(Expansion {
                symbol: symbol.clone(),
                id: Some(visit.id),
                depth: visit.depth,
                direction: visit.direction,
            });
        }
    }

    fn mark(&mut self, edge: &Edge, parent: Option<u32>, direction: Direction) -> Mark {
        let Some(symbol) = &edge.symbol else { return Mark::New };
        if self.seen.insert((direction, symbol.key.clone())) {
            return Mark::New;
        }
        let mut at = parent;
        while let Some((up, key)) = at.and_then(|id| self.nodes.get(&id)) {
            if *key == symbol.key {
                return Mark::Recursive;
            }
            at = *up;
        }
        if symbol.key == self.root { Mark::Recursive } else { Mark::AlreadyShown }
    }
}

#[cfg(test)]
mod tests {
    use ide_model::{Language, SymbolKind};

    use super::*;

    fn symbol(name: &str) -> Symbol {
        Symbol {
            key: SymbolKey(name.into()),
            name: name.into(),
            kind: SymbolKind::Function,
            language: Language::Java,
            qualified_name: None,
            container: None,
            file: FilePath::new("a"),
            name_range: TextRange::default(),
            full_range: TextRange::default(),
            is_library: false,
        }
    }

    /// `a` calls `b` and `c`, `b` calls `d` and `a`, `c` calls `d`, `d` calls `d`.
    fn edges(of: &Symbol) -> Vec<Edge> {
        let to: &[&str] = match &*of.name {
            "a" => &["b", "c"],
            "b" => &["d", "a"],
            "c" => &["d"],
            "d" => &["d"],
            _ => &[],
        };
        let edge = |name: &&str| Edge {
            name: (*name).into(),
            symbol: Some(symbol(name)),
            file: None,
            sites: Vec::new(),
            confidence: Confidence::Exact,
        };
        to.iter().map(edge).collect()
    }

    fn show(visit: &Visit) -> String {
        format!("{}<{}{:?}{}", visit.edge.name, visit.parent.unwrap_or(0), visit.mark, visit.depth)
    }

    #[test]
    fn nodes_come_breadth_first_with_cycles_and_repeats_marked_and_any_page_size_gives_the_same() {
        let mut walk = Walk::new(&symbol("a"), &[Direction::Down], 5);
        let mut whole = Vec::new();
        while let Some(visit) = walk.next(|of, _, _| Ok(edges(of))).unwrap() {
            whole.push(show(&visit));
        }
        assert_eq!(
            whole,
            ["b<0New1", "c<0New1", "d<1New2", "a<1Recursive2", "d<2AlreadyShown2", "d<3Recursive3"]
        );
        for size in 1..=whole.len() {
            let mut walk = Walk::new(&symbol("a"), &[Direction::Down], 5);
            let mut paged = Vec::new();
            loop {
                let mut kept = walk.clone();
                for _ in 0..size {
                    if let Some(visit) = kept.next(|of, _, _| Ok(edges(of))).unwrap() {
                        paged.push(show(&visit));
                    }
                }
                let done = kept.is_done(|of, _, _| Ok(edges(of))).unwrap();
                walk = kept;
                if done {
                    break;
                }
            }
            assert_eq!(paged, whole, "pages of {size}");
        }
    }

    #[test]
    fn each_once_leaves_out_what_was_reached_before() {
        let mut walk = Walk::new(&symbol("a"), &[Direction::Down], 5).each_once();
        let mut whole = Vec::new();
        while let Some(visit) = walk.next(|of, _, _| Ok(edges(of))).unwrap() {
            whole.push(show(&visit));
        }
        assert_eq!(whole, ["b<0New1", "c<0New1", "d<1New2"]);
    }

    #[test]
    fn the_depth_limit_holds() {
        let mut walk = Walk::new(&symbol("a"), &[Direction::Down], 1);
        let mut n = 0;
        while walk.next(|of, _, _| Ok(edges(of))).unwrap().is_some() {
            n += 1;
        }
        assert_eq!(n, 2);
    }
}
