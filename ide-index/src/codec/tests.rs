//! Arbitrary facts survive the round trip; damaged bytes give errors and nothing worse.

use ide_model::{LANGUAGES, SymbolKind, TextRange, Visibility};
use proptest::prelude::*;

use super::record::Counts;
use super::{Reader, Writer, decode, encode, packed_size, width_of};
use crate::facts::*;

/// Random values from a seed, and the lists made so far.
pub(crate) struct Dice {
    state: u64,
    pub(super) counts: Counts,
    lists: Vec<u32>,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed | 1, counts: Counts::default(), lists: Vec::new() }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.state ^ self.state >> 29
    }

    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        (self.next() >> 20) as u32 % limit.max(1)
    }

    fn made<T: Fill>(&mut self, mut value: T) -> T {
        value.fill(self);
        value
    }

    fn maybe<T: Fill>(&mut self, value: T) -> Option<T> {
        (self.below(3) == 0).then(|| self.made(value))
    }

    fn range(&mut self) -> TextRange {
        let start = self.below(3000);
        TextRange::new(start, start + self.below(40))
    }

    fn list<T: Fill>(&mut self, blank: impl Fn() -> T) -> List<T>
    where
        u32: From<T>,
    {
        let len = self.below(4);
        let items: Vec<T> = (0..len).map(|_| self.made(blank())).collect();
        let start = self.lists.len() as u32;
        self.lists.extend(items.into_iter().map(u32::from));
        if len == 0 { List::EMPTY } else { List::new(start, len) }
    }
}

/// A value that can be made at random.
pub(crate) trait Fill {
    fn fill(&mut self, dice: &mut Dice);
}

impl Fill for u32 {
    fn fill(&mut self, dice: &mut Dice) {
        *self = dice.below(100_000);
    }
}

impl Fill for NameId {
    fn fill(&mut self, dice: &mut Dice) {
        self.0 = dice.below(dice.counts.names);
    }
}

impl Fill for SuperType {
    fn fill(&mut self, dice: &mut Dice) {
        *self = Self::from(dice.below(dice.counts.types * 4));
    }
}

impl<T: Fill + From<u32>> Fill for Option<T> {
    fn fill(&mut self, dice: &mut Dice) {
        *self = dice.maybe(T::from(0));
    }
}

impl<T: Fill + From<u32>> Fill for List<T>
where
    u32: From<T>,
{
    fn fill(&mut self, dice: &mut Dice) {
        *self = dice.list(|| T::from(0));
    }
}

/// Facts that no front end would write, but that use every kind of record.
pub(crate) fn arbitrary(seed: u64) -> FileFacts {
    let mut d = Dice::new(seed);
    let mut size = |limit| 1 + d.below(limit);
    let counts = Counts {
        names: size(40),
        scopes: size(20),
        defs: size(30),
        refs: size(120),
        exprs: size(150),
        types: size(90),
        imports: size(5),
    };
    d.counts = counts;
    let names = (0..counts.names).map(|i| format!("{}n{i}", "é".repeat(d.below(3) as usize))).collect();
    let scopes = (0..counts.scopes)
        .map(|i| Scope {
            parent: (i > 0).then(|| ScopeId(d.below(i))),
            kind: d.made(ScopeKind::File),
            range: d.range(),
            owner: d.maybe(DefId(0)),
        })
        .collect();
    let types = (0..counts.types).map(|_| d.made(TypeExpr::Unknown)).collect();
    let exprs = (0..counts.exprs).map(|_| d.made(Expr::Unknown)).collect();
    let refs = (0..counts.refs)
        .map(|_| Ref {
            name: d.made(NameId(0)),
            range: d.range(),
            scope: d.made(ScopeId(0)),
            role: Role::from_u8(d.below(14) as u8).unwrap(),
            flags: RefFlags(if d.below(4) == 0 { d.below(1 << 12) as u16 } else { 0 }),
            receiver: d.maybe(ExprId(0)),
            call: d.maybe(ExprId(0)),
        })
        .collect();
    let defs = (0..counts.defs).map(|_| arbitrary_def(&mut d)).collect();
    let imports = (0..counts.imports)
        .map(|_| Import {
            kind: d.made(ImportKind::Module),
            flags: ImportFlags(d.below(128) as u8),
            scope: d.made(ScopeId(0)),
            module: d.made(NameId(0)),
            level: d.below(200) as u8,
            path: d.list(|| RefId(0)),
            member: d.maybe(RefId(0)),
            exported_as: d.maybe(NameId(0)),
            def: d.maybe(DefId(0)),
        })
        .collect();
    FileFacts {
        language: LANGUAGES[d.below(LANGUAGES.len() as u32) as usize].language,
        quality: d.made(Quality::Full),
        package: d.maybe(NameId(0)),
        names,
        scopes,
        defs,
        refs,
        exprs,
        types,
        imports,
        exports: vec![Export { name: d.made(NameId(0)), value: d.made(ExprId(0)) }],
        assigns: vec![Assign { target: d.made(ExprId(0)), value: d.made(ExprId(0)), at: d.below(9000) }],
        guards: vec![Guard {
            range: d.range(),
            subject: d.made(RefId(0)),
            test: d.made(GuardTest::Type(TypeId(0))),
            negated: d.below(2) == 0,
        }],
        expectations: vec![(d.made(ExprId(0)), d.made(Expectation::Type(TypeId(0))))],
        errors: vec![SyntaxError { range: d.range(), message: "unexpected „x“".to_owned() }],
        lists: std::mem::take(&mut d.lists),
        lookups: Default::default(),
    }
}

fn arbitrary_def(d: &mut Dice) -> Def {
    Def {
        name: d.made(NameId(0)),
        name_range: d.range(),
        range: d.range(),
        scope: d.made(ScopeId(0)),
        kind: SymbolKind::ALL[d.below(SymbolKind::ALL.len() as u32) as usize],
        flags: DefFlags(if d.below(3) == 0 { d.next() } else { 0 }),
        visibility: (d.below(2) == 0)
            .then(|| Visibility::ALL[d.below(Visibility::ALL.len() as u32) as usize]),
        body: d.maybe(ScopeId(0)),
        ty: d.maybe(TypeId(0)),
        init: d.maybe(ExprId(0)),
        receiver: d.maybe(TypeId(0)),
        attach: d.maybe(ExprId(0)),
        supers: d.list(|| SuperType::from(0)),
        params: d.list(|| DefId(0)),
        type_params: d.list(|| DefId(0)),
        decorators: d.list(|| ExprId(0)),
        returns: d.list(|| ExprId(0)),
        throws: d.list(|| TypeId(0)),
        import: d.maybe(ImportId(0)),
        doc: (d.below(3) == 0).then(|| d.range()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_record_survives_the_round_trip(seed: u64) {
        let facts = arbitrary(seed);
        prop_assert_eq!(decode(&encode(&facts)).unwrap(), facts);
    }

    #[test]
    fn damage_gives_an_error_or_facts_whose_ids_hold(seed: u64, hits in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..4)) {
        let mut bytes = encode(&arbitrary(seed));
        for (at, byte) in hits {
            let at = at as usize % bytes.len();
            bytes[at] = byte;
        }
        if let Ok(facts) = decode(&bytes) {
            // Writing checks every id again.
            prop_assert_eq!(decode(&encode(&facts)), Ok(facts));
        }
    }

    #[test]
    fn a_cut_file_gives_an_error(seed: u64, cut: u16) {
        let bytes = encode(&arbitrary(seed));
        let cut = cut as usize % bytes.len();
        prop_assert!(decode(&bytes[..cut]).is_err());
    }
}

proptest! {
    #[test]
    fn packed_numbers_are_read_as_they_were_written(numbers in prop::collection::vec(any::<u32>(), 0..50), narrow in 0..32u32) {
        let numbers: Vec<u32> = numbers.into_iter().map(|number| number >> narrow).collect();
        let width = width_of(numbers.iter().copied().max().unwrap_or(0));
        let mut out = Writer::new();
        out.pack(numbers.iter().copied(), width);
        assert_eq!(out.as_slice().len(), packed_size(numbers.len(), width));
        out.put(7);
        let mut reader = Reader::new(out.as_slice());
        assert_eq!(reader.packed(numbers.len(), width).unwrap().collect::<Vec<_>>(), numbers);
        assert_eq!(reader.take(), Ok(7));
        assert!(Reader::new(out.as_slice()).packed(usize::MAX, width).is_err());
    }
}
