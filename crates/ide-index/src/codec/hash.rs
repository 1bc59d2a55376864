//! Hashes of facts that tell which kind of change an edit was.

use std::collections::VecDeque;

use ide_model::TextRange;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::Corrupt;
use super::record::{Coded, Counts, Last, Pass};
use super::wire::{AnyId, Io, Writer};
use crate::facts::{Def, DefFlags, FileFacts, ScopeKind};

/// Hash of everything that the facts say.
pub fn body_hash(facts: &FileFacts) -> u64 {
    xxh3_64(&super::encode(facts))
}

/// Hash of what other files can see: package, imports, exports, and of declarations that are not local names, kinds,
/// types, supertypes, parameters and whatever their types may be inferred from. Positions, comments and the bodies of
/// functions with a declared result do not count. Equal hashes mean that no other file can resolve differently; different
/// ones may mean nothing.
pub fn api_hash(facts: &FileFacts) -> u64 {
    let mut starts: Vec<(u32, u32)> =
        facts.refs.iter().enumerate().map(|(i, item)| (item.range.start, i as u32)).collect();
    starts.sort_unstable();
    let mut api = Api { facts, shape: Shape::default(), seen: FxHashMap::default(), starts };
    api.shape.out.put(facts.language as u64);
    if let Some(package) = facts.package {
        api.shape.out.text(facts.name(package));
    }
    for import in &facts.imports {
        api.record(import);
    }
    for export in &facts.exports {
        api.record(export);
    }
    for def in facts.defs.iter().filter(|def| !def.flags.has(DefFlags::LOCAL)) {
        api.def(def);
    }
    xxh3_64(&api.shape.out.into_bytes())
}

struct Api<'f> {
    facts: &'f FileFacts,
    shape: Shape,
    /// Expressions and types written before, by the order of their first visit.
    seen: FxHashMap<AnyId, u64>,
    /// Where each reference starts, in order.
    starts: Vec<(u32, u32)>,
}

/// Takes the numbers of records; the ids among them wait to be followed.
#[derive(Default)]
struct Shape {
    out: Writer,
    ids: VecDeque<AnyId>,
}

impl Io for &mut Shape {
    const READING: bool = false;

    fn raw(&mut self, value: &mut u64) -> Result<(), Corrupt> {
        self.out.put(*value);
        Ok(())
    }

    fn room(&self) -> usize {
        usize::MAX
    }

    fn follow(&mut self, id: AnyId) -> bool {
        self.ids.push_back(id);
        true
    }
}

impl Api<'_> {
    fn def(&mut self, def: &Def) {
        self.record(&nowhere(def));
        for part in self.facts.list(def.params).chain(self.facts.list(def.type_params)) {
            self.record(&nowhere(self.facts.def(part)));
        }
        // Results and attributes are inferred from what stands in a body: then all of it counts.
        if !def.returns.is_empty() {
            self.names_in(def.range);
        } else if def.flags.has(DefFlags::ATTRIBUTE)
            && let Some(body) = self.function_around(def.name_range)
        {
            self.names_in(body);
        }
    }

    fn function_around(&self, range: TextRange) -> Option<TextRange> {
        let functions = self.facts.scopes.iter().filter(|scope| scope.kind == ScopeKind::Function);
        functions.map(|scope| scope.range).filter(|body| body.encloses(range)).min_by_key(|body| body.len())
    }

    fn names_in(&mut self, range: TextRange) {
        let from = self.starts.partition_point(|(start, _)| *start < range.start);
        for (_, i) in self.starts[from..].iter().take_while(|(start, _)| *start < range.end) {
            let item = &self.facts.refs[*i as usize];
            self.shape.out.put(item.role as u64);
            self.shape.out.text(self.facts.name(item.name));
        }
    }

    /// Writes a record, and what it refers to in place of ids. Not recursive: expressions nest deeply.
    fn record<T: Coded + Clone>(&mut self, record: &T) {
        self.numbers(record);
        while let Some(id) = self.shape.ids.pop_front() {
            self.id(id);
        }
    }

    fn numbers<T: Coded + Clone>(&mut self, record: &T) {
        let mut pass = Pass {
            io: &mut self.shape,
            counts: Counts::default(),
            last: Last::default(),
            lists: &self.facts.lists,
            read_lists: Vec::new(),
        };
        record.clone().code(&mut pass).expect("writing cannot meet damaged bytes");
    }

    fn id(&mut self, id: AnyId) {
        let facts = self.facts;
        if matches!(id, AnyId::Expr(_) | AnyId::Type(_)) {
            let visit = self.seen.len() as u64 + 1;
            let first = *self.seen.entry(id).or_insert(visit);
            if first != visit {
                self.shape.out.put(first);
                return;
            }
            self.shape.out.put(0);
        }
        match id {
            AnyId::Name(name) => self.shape.out.text(facts.name(name)),
            AnyId::Def(def) => self.shape.out.text(facts.def_name(def)),
            AnyId::Ref(item) => {
                let item = facts.reference(item);
                self.shape.out.put(u64::from(item.flags.0) << 4 | item.role as u64);
                self.shape.out.text(facts.name(item.name));
                self.shape.ids.extend(item.receiver.map(AnyId::Expr));
            }
            AnyId::Expr(expr) => self.numbers(&facts.expr(expr)),
            AnyId::Type(ty) => self.numbers(&facts.ty(ty)),
            AnyId::Scope(scope) => {
                if let Some(owner) = facts.enclosing_def(scope) {
                    self.shape.out.text(facts.def_name(owner));
                }
            }
            AnyId::Import(_) => {}
        }
    }
}

/// A declaration without its places in the text.
fn nowhere(def: &Def) -> Def {
    let range = TextRange::default();
    Def { name_range: range, range, doc: None, body: None, ..def.clone() }
}

#[cfg(test)]
mod tests {
    use ide_model::Language;

    use super::*;

    fn hash(text: &str) -> u64 {
        let front = crate::lang::front_end(Language::Java).expect("Java is read");
        api_hash(&front.facts("A.java", text))
    }

    #[test]
    fn only_what_other_files_can_see_counts() {
        let before = hash("package p; class A { int f(B b) { return b.g(); } }");
        for same in [
            "package p;\n\n/* more */ class A { int f(B b) { return b.g(); } }",
            "package p; class A { int f(B b) { int local = 3; return b.h(local); } }",
        ] {
            assert_eq!(hash(same), before, "{same}");
        }
        for other in [
            "package q; class A { int f(B b) { return b.g(); } }",
            "package p; class A { long f(B b) { return b.g(); } }",
            "package p; class A { int f(C b) { return b.g(); } }",
            "package p; class A { int f(B b, int c) { return b.g(); } }",
            "package p; class A extends B { int f(B b) { return b.g(); } }",
            "package p; class A { private int f(B b) { return b.g(); } }",
            "package p; class A { int g(B b) { return b.g(); } }",
            "package p; import x.B; class A { int f(B b) { return b.g(); } }",
            "package p; class A { int f(B b) { return b.g(); } int x; }",
        ] {
            assert_ne!(hash(other), before, "{other}");
        }
    }
}
