//! The records of a file, each described once for both directions.

use ide_model::{SymbolKind, TextRange, Visibility};

use super::Corrupt;
use super::wire::Io;
use crate::facts::{
    Assign, BinaryOp, Collection, Def, DefFlags, DefId, Expectation, Export, Expr, ExprId, Guard, GuardTest,
    Import, ImportFlags, ImportId, ImportKind, List, Literal, NameId, Quality, Ref, RefFlags, RefId, Role,
    Scope, ScopeId, ScopeKind, SuperType, SyntaxError, TypeExpr, TypeId, UnaryOp,
};
use crate::names::Names;

pub(super) type Done = Result<(), Corrupt>;

/// Table sizes: the limits of ids.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) names: u32,
    pub(super) scopes: u32,
    pub(super) defs: u32,
    pub(super) refs: u32,
    pub(super) exprs: u32,
    pub(super) types: u32,
    pub(super) imports: u32,
}

/// The ids met last, from which the next ones are measured.
#[derive(Clone, Copy, Default)]
pub(super) struct Last {
    pub(super) scope: u32,
    pub(super) def: u32,
    pub(super) reference: u32,
    pub(super) expr: u32,
    pub(super) ty: u32,
    pub(super) import: u32,
    /// Where the record before began.
    pub(super) at: u32,
}

/// One pass over a file's records.
pub(super) struct Pass<'f, C> {
    pub(super) io: C,
    pub(super) counts: Counts,
    pub(super) last: Last,
    /// Written from; empty when reading.
    pub(super) lists: &'f [u32],
    /// Read into; empty when writing.
    pub(super) read_lists: Vec<u32>,
}

/// A value with a place in the format.
pub(super) trait Coded: Sized {
    fn blank() -> Self;
    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done;
}

impl<C: Io> Pass<'_, C> {
    fn num(&mut self, value: &mut u32) -> Done {
        let mut raw = u64::from(*value);
        self.io.raw(&mut raw)?;
        *value = u32::try_from(raw).map_err(|_| Corrupt)?;
        Ok(())
    }

    /// A number near another one.
    fn near(&mut self, value: &mut u32, base: u32) -> Done {
        let distance = i64::from(*value) - i64::from(base);
        let mut raw = (distance << 1 ^ distance >> 63) as u64;
        self.io.raw(&mut raw)?;
        let distance = (raw >> 1) as i64 ^ -((raw & 1) as i64);
        // Distances that were written do not overflow; what damaged ones give is a wrong number like any other.
        *value = u32::try_from(i64::from(base).wrapping_add(distance)).map_err(|_| Corrupt)?;
        Ok(())
    }

    fn len_of(&mut self, len: usize) -> Result<u32, Corrupt> {
        let mut count = len as u64;
        self.io.raw(&mut count)?;
        if count > self.io.room() as u64 {
            return Err(Corrupt);
        }
        u32::try_from(count).map_err(|_| Corrupt)
    }

    fn text(&mut self, text: &mut String) -> Done {
        let len = self.len_of(text.len())?;
        let mut bytes = std::mem::take(text).into_bytes();
        bytes.resize(len as usize, 0);
        for byte in &mut bytes {
            let mut raw = u64::from(*byte);
            self.io.raw(&mut raw)?;
            *byte = u8::try_from(raw).map_err(|_| Corrupt)?;
        }
        *text = String::from_utf8(bytes).map_err(|_| Corrupt)?;
        Ok(())
    }

    /// A range whose start is measured from the record before.
    fn range(&mut self, range: &mut TextRange) -> Done {
        let mut len = range.end.wrapping_sub(range.start);
        self.near(&mut range.start, self.last.at)?;
        self.num(&mut len)?;
        range.end = range.start.checked_add(len).ok_or(Corrupt)?;
        self.last.at = range.start;
        Ok(())
    }

    /// A value that is there when the bit says so.
    fn when<T: Coded>(&mut self, there: bool, value: &mut Option<T>) -> Done {
        if !there {
            *value = None;
            return Ok(());
        }
        value.get_or_insert_with(T::blank).code(self)
    }
}

fn below(value: u32, limit: u32) -> Done {
    if value < limit { Ok(()) } else { Err(Corrupt) }
}

macro_rules! ids {
    ($($ty:ident $last:ident $limit:ident;)*) => {$(
        impl Coded for $ty {
            fn blank() -> Self {
                Self(0)
            }

            fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
                pass.near(&mut self.0, pass.last.$last)?;
                pass.last.$last = self.0;
                below(self.0, pass.counts.$limit)
            }
        }

        #[cfg(test)]
        impl super::tests::Fill for $ty {
            fn fill(&mut self, dice: &mut super::tests::Dice) {
                self.0 = dice.below(dice.counts.$limit);
            }
        }
    )*};
}

ids! {
    ScopeId scope scopes;
    DefId def defs;
    RefId reference refs;
    ExprId expr exprs;
    TypeId ty types;
    ImportId import imports;
}

impl Coded for NameId {
    fn blank() -> Self {
        Self(0)
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        pass.num(&mut self.0)?;
        below(self.0, pass.counts.names)
    }
}

impl Coded for u32 {
    fn blank() -> Self {
        0
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        pass.num(self)
    }
}

impl Coded for u8 {
    fn blank() -> Self {
        0
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        let mut raw = u64::from(*self);
        pass.io.raw(&mut raw)?;
        *self = Self::try_from(raw).map_err(|_| Corrupt)?;
        Ok(())
    }
}

impl Coded for bool {
    fn blank() -> Self {
        false
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        let mut raw = u8::from(*self);
        raw.code(pass)?;
        *self = raw == 1;
        if raw < 2 { Ok(()) } else { Err(Corrupt) }
    }
}

impl<T: Coded> Coded for Option<T> {
    fn blank() -> Self {
        None
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        let mut there = self.is_some();
        there.code(pass)?;
        pass.when(there, self)
    }
}

impl Coded for SuperType {
    fn blank() -> Self {
        Self::from(0)
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        let mut kind = self.kind as u32;
        pass.num(&mut kind)?;
        below(kind, 4)?;
        self.ty.code(pass)?;
        // The list keeps both in one number.
        below(self.ty.0, 1 << 30)?;
        *self = Self::from(self.ty.0 << 2 | kind);
        Ok(())
    }
}

impl<T: Coded + From<u32>> Coded for List<T>
where
    u32: From<T>,
{
    fn blank() -> Self {
        Self::EMPTY
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        let len = pass.len_of(self.len as usize)?;
        let from = self.start as usize;
        let start = pass.read_lists.len() as u32;
        for i in 0..len as usize {
            let mut item = if C::READING { T::blank() } else { T::from(pass.lists[from + i]) };
            item.code(pass)?;
            if C::READING {
                pass.read_lists.push(item.into());
            }
        }
        if C::READING {
            *self = if len == 0 { Self::EMPTY } else { Self::new(start, len) };
        }
        Ok(())
    }
}

macro_rules! small_enums {
    ($($ty:ident { $($variant:ident)* })*) => {$(
        impl Coded for $ty {
            fn blank() -> Self {
                Self::ALL_CODED[0]
            }

            fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
                let mut raw = *self as u8;
                raw.code(pass)?;
                *self = *Self::ALL_CODED.get(usize::from(raw)).ok_or(Corrupt)?;
                Ok(())
            }
        }

        impl Numbered for $ty {
            const ALL_CODED: &'static [Self] = {
                // Lists every variant, or does not compile.
                const fn _complete(value: $ty) {
                    match value { $($ty::$variant => {})* }
                }
                &[$($ty::$variant),*]
            };
        }

        #[cfg(test)]
        impl super::tests::Fill for $ty {
            fn fill(&mut self, dice: &mut super::tests::Dice) {
                *self = Self::ALL_CODED[dice.below(Self::ALL_CODED.len() as u32) as usize];
            }
        }
    )*};
}

/// An enumeration whose values are written as their numbers.
trait Numbered: Sized + 'static {
    const ALL_CODED: &'static [Self];
}

small_enums! {
    ScopeKind { File Module Class Function Block Comprehension }
    Literal { String Int Long Float SmallFloat Char Bool Null Bytes Regex Other }
    Collection { List Tuple Set Map Array }
    BinaryOp { Arithmetic Plus Bits Shift Compare And Or Coalesce Range In TypeTest Other }
    UnaryOp { Not Arithmetic AddressOf TypeOf Delete Void }
    ImportKind { Module Member Star Default SideEffect ReExport ReExportStar }
    Quality { Full Damaged Names Skipped }
}

/// Enumerations with data: `number Variant { field binding, … }`.
macro_rules! variants {
    ($ty:ident { $($tag:literal $variant:ident { $($field:tt $bind:ident),* })* }) => {
        impl Coded for $ty {
            fn blank() -> Self {
                Self::tagged(0).expect("every table starts at 0")
            }

            fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
                let mut tag: u8 = match self { $($ty::$variant { .. } => $tag),* };
                tag.code(pass)?;
                if C::READING {
                    *self = match tag {
                        $($tag => {
                            $(let mut $bind = Coded::blank();)*
                            $(Coded::code(&mut $bind, pass)?;)*
                            $ty::$variant { $($field: $bind),* }
                        })*
                        _ => return Err(Corrupt),
                    };
                    return Ok(());
                }
                match self {
                    $($ty::$variant { $($field: $bind),* } => { $($bind.code(pass)?;)* })*
                }
                Ok(())
            }
        }

        impl Tagged for $ty {
            fn tagged(tag: u8) -> Option<Self> {
                match tag {
                    $($tag => Some($ty::$variant { $($field: Coded::blank()),* }),)*
                    _ => None,
                }
            }
        }

        #[cfg(test)]
        impl super::tests::Fill for $ty {
            fn fill(&mut self, dice: &mut super::tests::Dice) {
                *self = std::iter::repeat_with(|| Self::tagged(dice.below(64) as u8)).flatten().next()
                    .expect("small numbers come up");
                match self {
                    $($ty::$variant { $($field: $bind),* } => { $($bind.fill(dice);)* })*
                }
            }
        }
    };
}

trait Tagged: Sized {
    fn tagged(tag: u8) -> Option<Self>;
}

variants! { Expr {
    0 Unknown {}
    1 Ref { 0 name }
    2 Call { callee callee, type_args types, args args }
    3 New { ty ty, args args }
    4 This { 0 scope }
    5 OuterThis { 0 name }
    6 Super { 0 scope }
    7 Literal { 0 kind }
    8 Text { 0 name }
    9 Type { 0 ty }
    10 Cast { ty ty, value value }
    11 Index { base base, index index }
    12 Element { 0 of }
    13 Item { base base, index index }
    14 Await { 0 of }
    15 Try { 0 of }
    16 Deref { 0 of }
    17 NonNull { 0 of }
    18 Enter { 0 of }
    19 InstanceOf { 0 of }
    20 Function { 0 def }
    21 Class { 0 def }
    22 Collection { kind kind, items items }
    23 Named { key key, value value }
    24 Spread { 0 of }
    25 Binary { op op, left left, right right }
    26 Unary { op op, value value }
    27 Choice { 0 of }
    28 Yield { 0 of }
    29 Slice { 0 of }
    30 Assign { target target, value value }
    31 Block { scope scope, value value }
    32 Macro { callee callee, args args }
    33 Value { 0 def }
}}

variants! { TypeExpr {
    0 Unknown {}
    1 Named { name name, args args }
    2 Primitive { 0 name }
    3 Array { 0 of }
    4 Nullable { 0 of }
    5 Pointer { 0 of }
    6 Reference { 0 of }
    7 Slice { 0 of }
    8 Map { key key, value value }
    9 Channel { 0 of }
    10 Tuple { 0 of }
    11 Union { 0 of }
    12 Intersection { 0 of }
    13 Function { receiver receiver, params params, result result }
    14 Object { 0 def }
    15 Literal { 0 text }
    16 Wildcard { 0 bound }
    17 TypeOf { 0 value }
    18 KeyOf { 0 of }
    19 Indexed { base base, index index }
    20 Conditional { check check, extends extends, yes yes, no no }
    21 Mapped { parameter parameter, value value }
    22 Infer { 0 def }
    23 This {}
    24 Bounds { 0 of }
    25 Varargs { 0 of }
    26 Predicate { 0 of }
    27 Projection { base base, of of, name name }
}}

variants! { GuardTest {
    0 Type { 0 ty }
    1 Class { 0 value }
}}

variants! { Expectation {
    0 Argument { call call, index index }
    1 Named { call call, key key }
    2 Type { 0 ty }
    3 Init { 0 def }
    4 Return { 0 def }
    5 Assigned { 0 to }
}}

impl Coded for Scope {
    fn blank() -> Self {
        Self { parent: None, kind: ScopeKind::File, range: TextRange::default(), owner: None }
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        self.kind.code(pass)?;
        self.parent.code(pass)?;
        self.range(pass)?;
        self.owner.code(pass)
    }
}

impl Scope {
    fn range<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        pass.range(&mut self.range)
    }
}

/// Parts of a declaration that are there, one bit each.
mod part {
    pub(super) const RANGE: u32 = 1;
    pub(super) const BODY: u32 = 1 << 1;
    pub(super) const TY: u32 = 1 << 2;
    pub(super) const INIT: u32 = 1 << 3;
    pub(super) const VISIBILITY: u32 = 1 << 4;
    pub(super) const PARAMS: u32 = 1 << 5;
    pub(super) const RETURNS: u32 = 1 << 6;
    pub(super) const RECEIVER: u32 = 1 << 7;
    pub(super) const ATTACH: u32 = 1 << 8;
    pub(super) const SUPERS: u32 = 1 << 9;
    pub(super) const TYPE_PARAMS: u32 = 1 << 10;
    pub(super) const DECORATORS: u32 = 1 << 11;
    pub(super) const THROWS: u32 = 1 << 12;
    pub(super) const IMPORT: u32 = 1 << 13;
    pub(super) const DOC: u32 = 1 << 14;
}

fn parts_of(def: &Def) -> u32 {
    let bit = |there: bool, bit: u32| if there { bit } else { 0 };
    bit(def.range != def.name_range, part::RANGE)
        | bit(def.body.is_some(), part::BODY)
        | bit(def.ty.is_some(), part::TY)
        | bit(def.init.is_some(), part::INIT)
        | bit(def.visibility.is_some(), part::VISIBILITY)
        | bit(!def.params.is_empty(), part::PARAMS)
        | bit(!def.returns.is_empty(), part::RETURNS)
        | bit(def.receiver.is_some(), part::RECEIVER)
        | bit(def.attach.is_some(), part::ATTACH)
        | bit(!def.supers.is_empty(), part::SUPERS)
        | bit(!def.type_params.is_empty(), part::TYPE_PARAMS)
        | bit(!def.decorators.is_empty(), part::DECORATORS)
        | bit(!def.throws.is_empty(), part::THROWS)
        | bit(def.import.is_some(), part::IMPORT)
        | bit(def.doc.is_some(), part::DOC)
}

impl Coded for Def {
    fn blank() -> Self {
        Self {
            name: NameId(0),
            name_range: TextRange::default(),
            range: TextRange::default(),
            scope: ScopeId(0),
            kind: SymbolKind::Symbol,
            flags: DefFlags::NONE,
            visibility: None,
            body: None,
            ty: None,
            init: None,
            receiver: None,
            attach: None,
            supers: List::EMPTY,
            params: List::EMPTY,
            type_params: List::EMPTY,
            decorators: List::EMPTY,
            returns: List::EMPTY,
            throws: List::EMPTY,
            import: None,
            doc: None,
        }
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        let mut parts = parts_of(self);
        pass.num(&mut parts)?;
        let has = |bit: u32| parts & bit != 0;
        self.name.code(pass)?;
        let mut kind = self.kind as u8;
        kind.code(pass)?;
        self.kind = SymbolKind::from_u8(kind).ok_or(Corrupt)?;
        pass.io.raw(&mut self.flags.0)?;
        pass.range(&mut self.name_range)?;
        let near = pass.last.at;
        if has(part::RANGE) {
            pass.range(&mut self.range)?;
        } else {
            self.range = self.name_range;
        }
        pass.when(has(part::DOC), &mut self.doc)?;
        pass.last.at = near;
        self.scope.code(pass)?;
        pass.when(has(part::VISIBILITY), &mut self.visibility)?;
        pass.when(has(part::BODY), &mut self.body)?;
        pass.when(has(part::TY), &mut self.ty)?;
        pass.when(has(part::INIT), &mut self.init)?;
        pass.when(has(part::RECEIVER), &mut self.receiver)?;
        pass.when(has(part::ATTACH), &mut self.attach)?;
        pass.when(has(part::IMPORT), &mut self.import)?;
        list_when(pass, has(part::SUPERS), &mut self.supers)?;
        list_when(pass, has(part::PARAMS), &mut self.params)?;
        list_when(pass, has(part::TYPE_PARAMS), &mut self.type_params)?;
        list_when(pass, has(part::DECORATORS), &mut self.decorators)?;
        list_when(pass, has(part::RETURNS), &mut self.returns)?;
        list_when(pass, has(part::THROWS), &mut self.throws)
    }
}

fn list_when<C: Io, T>(pass: &mut Pass<'_, C>, there: bool, list: &mut List<T>) -> Done
where
    List<T>: Coded,
{
    if there { list.code(pass) } else { Ok(()) }
}

impl Coded for TextRange {
    fn blank() -> Self {
        Self::default()
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        pass.range(self)
    }
}

impl Coded for Visibility {
    fn blank() -> Self {
        Self::Public
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        let mut raw = *self as u8;
        raw.code(pass)?;
        *self = Self::from_u8(raw).ok_or(Corrupt)?;
        Ok(())
    }
}

const SAME_SCOPE: u32 = 1 << 4;
const HAS_RECEIVER: u32 = 1 << 5;
const HAS_MORE: u32 = 1 << 6;
/// In the second number: the range is not as long as the name.
const OWN_LENGTH: u32 = 1;
/// In the second number: the call is not the one that the expressions name.
const OWN_CALL: u32 = 1 << 1;

/// Codes a reference; its call is known from the expressions unless `derived_call` says otherwise.
pub(super) fn reference<C: Io>(
    pass: &mut Pass<'_, C>,
    item: &mut Ref,
    names: &Names,
    derived_call: Option<ExprId>,
) -> Done {
    let name_len = |item: &Ref| names.length(item.name);
    let mut head = 0;
    let mut more = 0;
    if !C::READING {
        if item.range.end - item.range.start != name_len(item) {
            more |= OWN_LENGTH;
        }
        if item.call != derived_call {
            more |= OWN_CALL;
        }
        more |= u32::from(item.flags.0) << 2;
        head = item.role as u32;
        head |= if item.scope.0 == pass.last.scope { SAME_SCOPE } else { 0 };
        head |= if item.receiver.is_some() { HAS_RECEIVER } else { 0 };
        head |= if more != 0 { HAS_MORE } else { 0 };
    }
    pass.num(&mut head)?;
    item.role = Role::from_u8((head & 15) as u8).ok_or(Corrupt)?;
    if head & HAS_MORE != 0 {
        pass.num(&mut more)?;
    }
    item.flags = RefFlags(u16::try_from(more >> 2).map_err(|_| Corrupt)?);
    item.name.code(pass)?;
    let mut len = item.range.end.wrapping_sub(item.range.start);
    pass.near(&mut item.range.start, pass.last.at)?;
    pass.last.at = item.range.start;
    if more & OWN_LENGTH != 0 {
        pass.num(&mut len)?;
    } else {
        len = name_len(item);
    }
    item.range.end = item.range.start.checked_add(len).ok_or(Corrupt)?;
    if head & SAME_SCOPE != 0 {
        item.scope = ScopeId(pass.last.scope);
        below(item.scope.0, pass.counts.scopes)?;
    } else {
        item.scope.code(pass)?;
    }
    pass.when(head & HAS_RECEIVER != 0, &mut item.receiver)?;
    if more & OWN_CALL != 0 { item.call.code(pass) } else { Ok(()) }
}

impl Coded for Import {
    fn blank() -> Self {
        Self {
            kind: ImportKind::Module,
            flags: ImportFlags::NONE,
            scope: ScopeId(0),
            module: NameId(0),
            level: 0,
            path: List::EMPTY,
            member: None,
            exported_as: None,
            def: None,
        }
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        self.kind.code(pass)?;
        self.flags.0.code(pass)?;
        self.scope.code(pass)?;
        self.module.code(pass)?;
        self.level.code(pass)?;
        self.path.code(pass)?;
        self.member.code(pass)?;
        self.exported_as.code(pass)?;
        self.def.code(pass)
    }
}

impl Coded for Export {
    fn blank() -> Self {
        Self { name: NameId(0), value: ExprId(0) }
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        self.name.code(pass)?;
        self.value.code(pass)
    }
}

impl Coded for Assign {
    fn blank() -> Self {
        Self { target: ExprId(0), value: ExprId(0), at: 0 }
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        self.target.code(pass)?;
        self.value.code(pass)?;
        pass.near(&mut self.at, pass.last.at)?;
        pass.last.at = self.at;
        Ok(())
    }
}

impl Coded for Guard {
    fn blank() -> Self {
        Self {
            range: TextRange::default(),
            subject: RefId(0),
            test: GuardTest::Type(TypeId(0)),
            negated: false,
        }
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        self.range.code(pass)?;
        self.subject.code(pass)?;
        self.test.code(pass)?;
        self.negated.code(pass)
    }
}

impl Coded for (ExprId, Expectation) {
    fn blank() -> Self {
        (ExprId(0), Expectation::blank())
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        self.0.code(pass)?;
        self.1.code(pass)
    }
}

impl Coded for SyntaxError {
    fn blank() -> Self {
        Self { range: TextRange::default(), message: String::new() }
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        self.range.code(pass)?;
        pass.text(&mut self.message)
    }
}
