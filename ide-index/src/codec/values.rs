//! Enumerations with data: expressions, types, and what is said of them.

use super::Corrupt;
use super::record::{Coded, Done, Last, Numbered, Pass, below};
use super::wire::Io;
use crate::facts::{Expectation, Expr, GuardTest, List, Literal, RefId, TypeExpr};

/// `number Variant { field binding, … }`.
macro_rules! variants {
    ($ty:ident { $($tag:literal $variant:ident { $($field:tt $bind:ident),* })* }) => {
        impl Coded for $ty {
            fn blank() -> Self {
                Self::tagged(0).expect("every table starts at 0")
            }

            fn code<C: Io>(&mut self, pass: &mut Pass<'_, C>) -> Done {
                let plain = match self { $($ty::$variant { .. } => $tag),* };
                let mut tag = self.short(&pass.last).unwrap_or(plain);
                tag.code(pass)?;
                if tag >= SHORT {
                    return self.code_short(tag, pass);
                }
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

/// Tags from here on are short forms of frequent values.
const SHORT: u8 = 64;

/// A frequent value with a short form.
trait Short: Sized {
    /// The number of the short form.
    fn short(&self, _: &Last) -> Option<u8> {
        None
    }

    /// Codes the fields that follow the tag.
    fn code_short<C: Io>(&mut self, _: u8, _: &mut Pass<'_, C>) -> Done {
        Err(Corrupt)
    }
}

impl Short for GuardTest {}
impl Short for Expectation {}

impl Expr {
    /// The reference after the one met last.
    const NEXT: u8 = SHORT;
    /// Without type arguments.
    const PLAIN_CALL: u8 = SHORT + 1;
    /// The first of the literals.
    const LITERAL: u8 = SHORT + 2;
}

impl Short for Expr {
    fn short(&self, last: &Last) -> Option<u8> {
        match *self {
            Self::Ref(name) if Some(name.0) == last.reference.checked_add(1) => Some(Self::NEXT),
            Self::Call { type_args, .. } if type_args.is_empty() => Some(Self::PLAIN_CALL),
            Self::Literal(kind) => Some(Self::LITERAL + kind as u8),
            _ => None,
        }
    }

    fn code_short<C: Io>(&mut self, tag: u8, pass: &mut Pass<'_, C>) -> Done {
        match tag {
            Self::NEXT => {
                let next = pass.last.reference.checked_add(1).ok_or(Corrupt)?;
                pass.last.reference = next;
                *self = Self::Ref(RefId(next));
                below(next, pass.counts.refs)
            }
            Self::PLAIN_CALL => {
                let (mut callee, mut args) = match *self {
                    Self::Call { callee, args, .. } => (callee, args),
                    _ => (Coded::blank(), List::EMPTY),
                };
                callee.code(pass)?;
                args.code(pass)?;
                *self = Self::Call { callee, type_args: List::EMPTY, args };
                Ok(())
            }
            literal => {
                let kind = Literal::ALL_CODED.get(usize::from(literal - Self::LITERAL)).ok_or(Corrupt)?;
                *self = Self::Literal(*kind);
                Ok(())
            }
        }
    }
}

impl TypeExpr {
    /// Without type arguments.
    const PLAIN_NAME: u8 = SHORT;
}

impl Short for TypeExpr {
    fn short(&self, _: &Last) -> Option<u8> {
        match self {
            Self::Named { args, .. } if args.is_empty() => Some(Self::PLAIN_NAME),
            _ => None,
        }
    }

    fn code_short<C: Io>(&mut self, tag: u8, pass: &mut Pass<'_, C>) -> Done {
        if tag != Self::PLAIN_NAME {
            return Err(Corrupt);
        }
        let mut name = match *self {
            Self::Named { name, .. } => name,
            _ => RefId::blank(),
        };
        name.code(pass)?;
        *self = Self::Named { name, args: List::EMPTY };
        Ok(())
    }
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
    28 Sender { 0 of }
    29 Receiver { 0 of }
    30 Sized { item item, length length }
}}

variants! { GuardTest {
    0 Type { 0 ty }
    1 Class { 0 value }
    2 Item { 0 item, 1 ty }
    3 Build { 0 condition }
    4 Binds { 0 variable }
}}

variants! { Expectation {
    0 Argument { call call, index index }
    1 Named { call call, key key }
    2 Type { 0 ty }
    3 Init { 0 def }
    4 Return { 0 def }
    5 Assigned { 0 to }
}}
