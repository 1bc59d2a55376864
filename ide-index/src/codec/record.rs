//! The records of a file, each described once for both directions.

use ide_model::{SymbolKind, TextRange, Visibility};

use super::Corrupt;
use super::wire::Io;
use crate::facts::{
    Assign, BinaryOp, Collection, Def, DefFlags, DefId, Expectation, Export, ExprId, Guard, GuardTest,
    Import, ImportFlags, ImportId, ImportKind, List, Literal, NameId, Quality, Ref, RefFlags, RefId, Role,
    Scope, ScopeId, ScopeKind, SuperType, SyntaxError, TypeId, UnaryOp,
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
    /// The start of the record before.
    pub(super) at: u32,
}

/// One pass over a file's records.
pub(super) struct Pass<'f, C> {
    pub(super) io: C,
    pub(super) counts: Counts,
    pub(super) last: Last,
    pub(super) names: &'f Names,
    /// Written from; empty when reading.
    pub(super) lists: &'f [u32],
    /// Read into; empty when writing.
    pub(super) read_lists: Vec<u32>,
    /// The kinds of declarations met so far.
    pub(super) shapes: Vec<Shape>,
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

    /// The end of a range: as long as the name, or of a length of its own.
    fn end(&mut self, range: &mut TextRange, name: NameId, own_length: bool) -> Done {
        let mut len = self.names.length(name);
        if own_length {
            len = range.end.wrapping_sub(range.start);
            self.num(&mut len)?;
        }
        range.end = range.start.checked_add(len).ok_or(Corrupt)?;
        Ok(())
    }

    fn has_own_length(&self, range: TextRange, name: NameId) -> bool {
        range.end - range.start != self.names.length(name)
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

pub(super) fn below(value: u32, limit: u32) -> Done {
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
pub(super) trait Numbered: Sized + 'static {
    const ALL_CODED: &'static [Self];
}

small_enums! {
    ScopeKind { File Module Class Function Block Comprehension }
    Literal { String Int Long Float SmallFloat Char Bool Null Bytes Regex Other }
    Collection { List Tuple Set Map Array }
    BinaryOp { Arithmetic Plus Bits Shift Compare And Or Coalesce Range In TypeTest Other }
    UnaryOp { Not Arithmetic AddressOf TypeOf Delete Void }
    ImportKind { Module Member Star Default SideEffect ReExport ReExportStar Directive UmdGlobal }
    Quality { Full Damaged Names Skipped }
}

const HAS_PARENT: u8 = 1 << 4;
const HAS_OWNER: u8 = 1 << 5;

impl Coded for Scope {
    fn blank() -> Self {
        Self { parent: None, kind: ScopeKind::File, range: TextRange::default(), owner: None }
    }

    fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        let mut head = self.kind as u8;
        head |= if self.parent.is_some() { HAS_PARENT } else { 0 };
        head |= if self.owner.is_some() { HAS_OWNER } else { 0 };
        head.code(pass)?;
        self.kind = *ScopeKind::ALL_CODED.get(usize::from(head & 15)).ok_or(Corrupt)?;
        pass.when(head & HAS_PARENT != 0, &mut self.parent)?;
        pass.range(&mut self.range)?;
        pass.when(head & HAS_OWNER != 0, &mut self.owner)
    }
}

/// Parts of a declaration that are there, one bit each.
mod part {
    pub(super) const RANGE: u32 = 1;
    pub(super) const BODY: u32 = 1 << 1;
    pub(super) const TY: u32 = 1 << 2;
    pub(super) const INIT: u32 = 1 << 3;
    pub(super) const PARAMS: u32 = 1 << 4;
    pub(super) const RETURNS: u32 = 1 << 5;
    pub(super) const RECEIVER: u32 = 1 << 6;
    pub(super) const ATTACH: u32 = 1 << 7;
    pub(super) const SUPERS: u32 = 1 << 8;
    pub(super) const TYPE_PARAMS: u32 = 1 << 9;
    pub(super) const DECORATORS: u32 = 1 << 10;
    pub(super) const THROWS: u32 = 1 << 11;
    pub(super) const IMPORT: u32 = 1 << 12;
    pub(super) const DOC: u32 = 1 << 13;
    /// The name is written longer or shorter than it is.
    pub(super) const OWN_LENGTH: u32 = 1 << 14;
}

fn parts_of(def: &Def) -> u32 {
    let bit = |there: bool, bit: u32| if there { bit } else { 0 };
    bit(def.range != def.name_range, part::RANGE)
        | bit(def.body.is_some(), part::BODY)
        | bit(def.ty.is_some(), part::TY)
        | bit(def.init.is_some(), part::INIT)
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
        let mut shape = Shape::default();
        if !C::READING {
            let own_length = pass.has_own_length(self.name_range, self.name);
            shape = Shape {
                parts: parts_of(self) | if own_length { part::OWN_LENGTH } else { 0 },
                kind: self.kind as u8,
                visibility: self.visibility.map_or(0, |visibility| visibility as u8 + 1),
                flags: self.flags.0,
            };
        }
        shape.code_once(pass)?;
        self.kind = SymbolKind::from_u8(shape.kind).ok_or(Corrupt)?;
        self.flags = DefFlags(shape.flags);
        self.visibility = match shape.visibility {
            0 => None,
            number => Some(Visibility::from_u8(number - 1).ok_or(Corrupt)?),
        };
        let has = |bit: u32| shape.parts & bit != 0;
        self.name.code(pass)?;
        pass.near(&mut self.name_range.start, pass.last.at)?;
        pass.last.at = self.name_range.start;
        pass.end(&mut self.name_range, self.name, has(part::OWN_LENGTH))?;
        let near = pass.last.at;
        if has(part::RANGE) {
            pass.range(&mut self.range)?;
        } else {
            self.range = self.name_range;
        }
        pass.when(has(part::DOC), &mut self.doc)?;
        pass.last.at = near;
        self.scope.code(pass)?;
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

/// The fields that many declarations of a file have in common.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// See [`part`].
    parts: u32,
    kind: u8,
    /// One more than its number; 0 for none.
    visibility: u8,
    flags: u64,
}

impl Shape {
    /// A file's first shapes are written once and then told by their number; further ones each time.
    const REMEMBERED: usize = 100;

    fn code_once<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
        let known = if C::READING { None } else { pass.shapes.iter().position(|shape| shape == self) };
        let mut number = known.unwrap_or(pass.shapes.len()) as u32;
        pass.num(&mut number)?;
        if let Some(known) = pass.shapes.get(number as usize) {
            *self = *known;
            return Ok(());
        }
        below(number, pass.shapes.len() as u32 + 1)?;
        pass.num(&mut self.parts)?;
        self.kind.code(pass)?;
        self.visibility.code(pass)?;
        pass.io.raw(&mut self.flags)?;
        if pass.shapes.len() < Self::REMEMBERED {
            pass.shapes.push(*self);
        }
        Ok(())
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

const SAME_SCOPE: u32 = 1 << 4;
const HAS_RECEIVER: u32 = 1 << 5;
const HAS_MORE: u32 = 1 << 6;
/// In the second number: the range is not as long as the name.
const OWN_LENGTH: u32 = 1;
/// In the second number: the call is not the one that the expressions name.
const OWN_CALL: u32 = 1 << 1;

/// Codes a reference; its call is known from the expressions unless `derived_call` says otherwise.
pub(super) fn reference<C: Io>(pass: &mut Pass<'_, C>, item: &mut Ref, derived_call: Option<ExprId>) -> Done {
    let mut head = 0;
    let mut more = 0;
    if !C::READING {
        if pass.has_own_length(item.range, item.name) {
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
    pass.near(&mut item.range.start, pass.last.at)?;
    pass.last.at = item.range.start;
    pass.end(&mut item.range, item.name, more & OWN_LENGTH != 0)?;
    if head & SAME_SCOPE != 0 {
        item.scope = ScopeId(pass.last.scope);
        below(item.scope.0, pass.counts.scopes)?;
    } else {
        item.scope.code(pass)?;
    }
    pass.when(head & HAS_RECEIVER != 0, &mut item.receiver)?;
    if more & OWN_CALL != 0 { item.call.code(pass) } else { Ok(()) }
}

const HAS_MEMBER: u8 = 1 << 4;
const HAS_ALIAS: u8 = 1 << 5;
const HAS_DEF: u8 = 1 << 6;

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
        let mut head = self.kind as u8;
        head |= if self.member.is_some() { HAS_MEMBER } else { 0 };
        head |= if self.exported_as.is_some() { HAS_ALIAS } else { 0 };
        head |= if self.def.is_some() { HAS_DEF } else { 0 };
        head.code(pass)?;
        self.kind = *ImportKind::ALL_CODED.get(usize::from(head & 15)).ok_or(Corrupt)?;
        self.flags.0.code(pass)?;
        self.scope.code(pass)?;
        self.module.code(pass)?;
        self.level.code(pass)?;
        self.path.code(pass)?;
        pass.when(head & HAS_MEMBER != 0, &mut self.member)?;
        pass.when(head & HAS_ALIAS != 0, &mut self.exported_as)?;
        pass.when(head & HAS_DEF != 0, &mut self.def)
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
