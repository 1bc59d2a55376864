//! The facts of one file, with nothing resolved: the contract between front ends (text to facts), the store (facts
//! to bytes) and the resolver (facts to answers).
//!
//! Facts depend on the file's bytes and language, and where a language has macros on the rules that other files give
//! (see `macros.rs`). All positions are byte offsets. Everything is kept in flat tables addressed by small ids; lists are ranges of one shared table.
//! The expression and type tables are flattened: precedence of arithmetic does not matter to an index, but which names
//! occur, with what role, receiver, arguments and result value, does. A front end emits an expression only where
//! something may ask for its value: receivers, arguments, initial values, returned values, iterables.

use ide_model::{Language, SymbolKind, TextRange, Visibility};
use std::marker::PhantomData;

use crate::{guard, lookups::Lookups};

pub(crate) use derived::Derived;

mod derived;
#[macro_use]
mod ids;
mod order;

ids! {
    /// A name of the file's name table.
    NameId
    ScopeId
    DefId
    RefId
    ExprId
    TypeId
    ImportId
}

/// A range of [`FileFacts::lists`], read as ids of one kind.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct List<T> {
    pub start: u32,
    pub len: u32,
    kind: PhantomData<T>,
}

impl<T> List<T> {
    pub const EMPTY: Self = Self { start: 0, len: 0, kind: PhantomData };

    pub fn new(start: u32, len: u32) -> Self {
        Self { start, len, kind: PhantomData }
    }

    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}

macro_rules! flags {
    ($(#[$meta:meta])* $name:ident: $raw:ty { $($(#[$fmeta:meta])* $flag:ident = $bit:expr),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub $raw);

        impl $name {
            pub const NONE: Self = Self(0);
            $($(#[$fmeta])* pub const $flag: Self = Self(1 << $bit);)*

            pub fn has(self, flag: Self) -> bool {
                self.0 & flag.0 == flag.0
            }

            #[must_use]
            pub fn with(self, flag: Self) -> Self {
                Self(self.0 | flag.0)
            }

            pub fn set(&mut self, flag: Self) {
                self.0 |= flag.0;
            }
        }

        impl std::ops::BitOr for $name {
            type Output = Self;

            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }
    };
}

/// The kind of a scope; decides what lookups may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ScopeKind {
    /// The whole file; always scope 0.
    File,
    /// A namespace or inline module.
    Module,
    /// Members of a type, an `impl` block, an enum, an object literal.
    Class,
    /// Parameters and body of a function, method, lambda.
    Function,
    /// A block inside a function, or of an initialiser.
    Block,
    /// A comprehension or generator expression.
    Comprehension,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// `None` for the file scope only.
    pub parent: Option<ScopeId>,
    pub kind: ScopeKind,
    pub range: TextRange,
    /// The declaration that opened it.
    pub owner: Option<DefId>,
}

flags! {
    /// Properties of a declaration.
    DefFlags: u64 {
        STATIC = 0, ABSTRACT = 1, FINAL = 2, ASYNC = 3, GENERATOR = 4,
        /// Visible to other files by the language's export rules, where a language has such rules.
        EXPORTED = 5,
        DEFAULT_EXPORT = 6, OVERRIDE = 7, CONST = 8, READONLY = 9, OPTIONAL = 10,
        /// `*args`, `T...`, `...rest`.
        VARARG = 11,
        /// `**kwargs`.
        KEYWORD_VARARG = 12,
        KEYWORD_ONLY = 13, POSITIONAL_ONLY = 14,
        /// Kotlin extension; the receiver type is in [`Def::receiver`].
        EXTENSION = 15,
        OPERATOR = 16, INFIX = 17, SUSPEND = 18, INLINE = 19, DATA = 20, SEALED = 21, COMPANION = 22,
        /// The initial value is a delegate (`by`).
        DELEGATED = 23,
        GETTER = 24, SETTER = 25,
        /// A parameter that declares a property too (Kotlin `val`, PHP promotion, TypeScript modifiers): emitted as a
        /// parameter of the function and once more, with this flag, as a member at the same place.
        PROMOTED = 26,
        /// A member made by assignment inside a method (`self.x = …`, `this.x = …`).
        ATTRIBUTE = 27,
        TEST = 28, GENERATED = 29, DEPRECATED = 30,
        /// No text of its own: exists by a rule of the language.
        SYNTHETIC = 31,
        /// A declaration without a body that stands for something defined elsewhere (`declare`, `extern`, overload
        /// signature).
        SIGNATURE = 32,
        /// A lambda, anonymous class or object literal: the name is empty.
        ANONYMOUS = 33,
        /// Visible only inside a function; set by the builder.
        LOCAL = 34,
        TYPE_ONLY = 35,
        /// The function has a body that may fall off its end or returns nothing.
        VOID = 36,
        NATIVE = 37, SYNCHRONIZED = 38, TRANSIENT = 39, VOLATILE = 40, DEFAULT = 41, INNER = 42, LATEINIT = 43,
        TAILREC = 44, EXTERNAL = 45, ACTUAL = 46, EXPECT = 47, VALUE = 48, UNSAFE = 49, MUT = 50, VAR = 51,
        /// `nonlocal`/`global` made this name belong to an outer scope.
        HOISTED = 52,
        /// Python `@property` and the like: reading the member calls it.
        PROPERTY = 53,
        CLASS_METHOD = 54, RENAMES_KEYS = 59,
        FUN_INTERFACE = 55, OPEN = 61,
        /// Left out of the default build: other platforms, build tags that are not set.
        NOT_BUILT = 56,
        /// A function without a `this` of its own.
        ARROW = 57,
        /// A variable of a pattern, which can be named where [`GuardTest::Binds`] says.
        MATCHED = 58,
        /// An attribute of an element in markup.
        MARKUP = 60,
    }
}

/// A declaration. Names that imports bind and parameters are declarations too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Def {
    pub name: NameId,
    /// Empty for anonymous declarations.
    pub name_range: TextRange,
    /// From the first modifier to the end of the body; without leading comments.
    pub range: TextRange,
    /// The scope in which the name can be looked up.
    pub scope: ScopeId,
    pub kind: SymbolKind,
    pub flags: DefFlags,
    pub visibility: Option<Visibility>,
    /// The scope that it opens.
    pub body: Option<ScopeId>,
    /// Declared type; return type of a callable; target of an alias; bound of a type parameter; self type of an `impl`.
    pub ty: Option<TypeId>,
    /// Initial or default value; for a loop variable [`Expr::Element`] of the iterable, and so on.
    pub init: Option<ExprId>,
    /// Receiver type of a Kotlin extension or a Go method.
    pub receiver: Option<TypeId>,
    /// The object that this member is assigned to, where it is not the enclosing class: `exports.f = …`,
    /// `Foo.prototype.m = …`. No scope holds the name then. So it is with a variable under a name that an import has bound.
    pub attach: Option<ExprId>,
    pub supers: List<SuperType>,
    pub params: List<DefId>,
    pub type_params: List<DefId>,
    /// Annotations, decorators, attributes: a reference, a call or a `new`.
    pub decorators: List<ExprId>,
    /// Values returned, for callables without a declared return type.
    pub returns: List<ExprId>,
    /// Types declared to be thrown.
    pub throws: List<TypeId>,
    /// For [`SymbolKind::Import`].
    pub import: Option<ImportId>,
    /// The documentation comment with its markers, or the docstring with its quotes.
    pub doc: Option<TextRange>,
}

/// How a type follows another. Stored in lists as `id * 4 + kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SuperType {
    pub kind: SuperKind,
    pub ty: TypeId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum SuperKind {
    Extends,
    Implements,
    /// Traits mixed in (`use T;`), embedded structs, delegation.
    Mixes,
    /// `permits`, trait bounds of a trait object and the like.
    Other,
}

impl From<u32> for SuperType {
    fn from(raw: u32) -> Self {
        let kind = match raw & 3 {
            0 => SuperKind::Extends,
            1 => SuperKind::Implements,
            2 => SuperKind::Mixes,
            _ => SuperKind::Other,
        };
        Self { kind, ty: TypeId(raw >> 2) }
    }
}

impl From<SuperType> for u32 {
    fn from(edge: SuperType) -> Self {
        edge.ty.0 << 2 | edge.kind as Self
    }
}

/// The use that a name is put to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Role {
    Read,
    Write,
    ReadWrite,
    Call,
    /// In a type position.
    Type,
    Extends,
    Implements,
    /// The class of a constructor call, where syntax shows it.
    New,
    Annotation,
    /// A segment of an import, or the imported member.
    Import,
    /// A package or namespace declaration.
    Package,
    /// Named argument, key of an object literal or pattern.
    Key,
    Label,
    Macro,
}

impl Role {
    /// The role whose number is `raw`, for decoding.
    pub fn from_u8(raw: u8) -> Option<Self> {
        use Role::*;
        [
            Read, Write, ReadWrite, Call, Type, Extends, Implements, New, Annotation, Import, Package, Key,
            Label, Macro,
        ]
        .get(usize::from(raw))
        .copied()
    }
}

flags! {
    /// Circumstances of a reference.
    RefFlags: u16 {
        IN_DOC = 0,
        /// Inside a string: a forward annotation, `__all__`.
        IN_STRING = 1,
        /// Inside the tokens of a macro call.
        IN_MACRO = 2,
        OPTIONAL_CHAIN = 3,
        /// Reached by `::` or another static path rather than through a value.
        STATIC = 4,
        /// Absolute path: starts at the root (`\Foo`, `::foo`, `crate`).
        ABSOLUTE = 5,
        /// A method reference (`Foo::bar`) rather than an access.
        METHOD_REF = 6,
        TYPE_ONLY = 7,
        /// A deletion (`del x`, `delete x.y`, `unset`).
        DELETE = 8,
        /// A string or symbol that only might name something (reflection, `getattr`).
        DYNAMIC = 9,
        /// Exists by a rule without own text (shorthand, `+=` through an operator function).
        IMPLICIT = 10,
        /// PHP: the name of a function, constant or class is looked up in the global namespace too.
        GLOBAL_FALLBACK = 11,
        /// PHP: begins with `namespace\`, so it is meant from the namespace around, whatever is imported.
        RELATIVE = 12,
    }
}

/// An occurrence of a name that is not a declaration's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ref {
    pub name: NameId,
    pub range: TextRange,
    pub scope: ScopeId,
    pub role: Role,
    pub flags: RefFlags,
    /// The expression before the dot. A qualified name is a chain: the receiver of each segment is the
    /// [`Expr::Ref`] of the segment before.
    pub receiver: Option<ExprId>,
    /// The call, construction or annotation whose callee or key this is: set by the builder.
    pub call: Option<ExprId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Literal {
    String,
    /// Integer in the language's default integer type.
    Int,
    /// Integer of the wider type (`1L`).
    Long,
    Float,
    /// `1f` where [`Literal::Float`] is the double type.
    SmallFloat,
    Char,
    Bool,
    Null,
    Bytes,
    Regex,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Collection {
    List,
    Tuple,
    Set,
    /// Items alternate key, value.
    Map,
    /// Array initialiser of the declared type.
    Array,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BinaryOp {
    Arithmetic,
    /// `+`, which may concatenate strings.
    Plus,
    Bits,
    Shift,
    Compare,
    And,
    Or,
    /// `?:`, `??`.
    Coalesce,
    Range,
    In,
    TypeTest,
    /// An infix call of a named function; the callee is a [`Expr::Call`] beside it.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum UnaryOp {
    Not,
    Arithmetic,
    /// `*p`, `p!!` are [`Expr::Deref`] and [`Expr::NonNull`]; this is `&p`.
    AddressOf,
    TypeOf,
    Delete,
    Void,
}

/// A value, as far as an index cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// Nothing is known of it.
    Unknown,
    Ref(RefId),
    Call {
        callee: ExprId,
        type_args: List<TypeId>,
        args: List<ExprId>,
    },
    /// Construction by a type: `new T(…)`, a struct literal (arguments are [`Expr::Named`]).
    New {
        ty: TypeId,
        args: List<ExprId>,
    },
    /// `this`, `self`, `$this`, as it is meant in the scope where it stands.
    This(ScopeId),
    /// `Outer.this`, `this@label`.
    OuterThis(RefId),
    /// `super` as it is meant in the scope where it stands.
    Super(ScopeId),
    Literal(Literal),
    /// A string literal whose text matters: keys, forward references, `getattr` names.
    Text(NameId),
    /// A type used as a value: `T.class`, `T::class`, `int[]::new`.
    Type(TypeId),
    Cast {
        ty: TypeId,
        value: ExprId,
    },
    Index {
        base: ExprId,
        index: ExprId,
    },
    /// The value that iterating over the value yields; awaited, over it asynchronously.
    Element(ExprId),
    /// Item of a tuple or destructured value.
    Item {
        base: ExprId,
        index: u32,
    },
    Await(ExprId),
    /// `e?` of Rust, `try e`.
    Try(ExprId),
    Deref(ExprId),
    NonNull(ExprId),
    /// The value that a context manager yields on entry; awaited, on asynchronous entry.
    Enter(ExprId),
    /// An instance of the class that the value is: the variable of an `except` clause.
    InstanceOf(ExprId),
    /// A lambda, closure or function expression: an anonymous [`Def`].
    Function(DefId),
    /// An anonymous class, a class expression, an object literal: an anonymous [`Def`].
    Class(DefId),
    Collection {
        kind: Collection,
        items: List<ExprId>,
    },
    /// Named argument or field of a literal.
    Named {
        key: RefId,
        value: ExprId,
    },
    Spread(ExprId),
    Binary {
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    },
    Unary {
        op: UnaryOp,
        value: ExprId,
    },
    /// One of several: `a ? b : c`, `if`/`when`/`match` as values.
    Choice(List<ExprId>),
    Yield(ExprId),
    /// `a..b` of a slice: the same type as the base.
    Slice(ExprId),
    /// The assignment's value.
    Assign {
        target: ExprId,
        value: ExprId,
    },
    /// Statements, then a value.
    Block {
        scope: ScopeId,
        value: ExprId,
    },
    /// A macro call that could not be seen through.
    Macro {
        callee: RefId,
        args: List<ExprId>,
    },
    /// The value of a declaration without a name to look it up by: a parameter that is a pattern.
    Value(DefId),
}

/// A type as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeExpr {
    Unknown,
    /// The last segment's reference; earlier segments are its receiver chain.
    Named {
        name: RefId,
        args: List<TypeId>,
    },
    /// A keyword type with no declaration: `int`, `string`, `void`.
    Primitive(NameId),
    Array(TypeId),
    Nullable(TypeId),
    Pointer(TypeId),
    /// `&T`.
    Reference(TypeId),
    Slice(TypeId),
    Map {
        key: TypeId,
        value: TypeId,
    },
    Channel(TypeId),
    /// A channel that is only sent to: `chan<- T`.
    Sender(TypeId),
    /// A channel that is only received from: `<-chan T`.
    Receiver(TypeId),
    /// An array of a length, which is a [`TypeExpr::Literal`] where a number says it: `[4]T` of Go.
    Sized {
        item: TypeId,
        length: TypeId,
    },
    Tuple(List<TypeId>),
    Union(List<TypeId>),
    Intersection(List<TypeId>),
    /// `receiver` for extension function types.
    Function {
        receiver: Option<TypeId>,
        params: List<TypeId>,
        result: Option<TypeId>,
    },
    /// An object or struct type literal: an anonymous [`Def`].
    Object(DefId),
    /// Text of a literal type.
    Literal(NameId),
    /// `?`, `? extends T`, `out T`, `*`.
    Wildcard(Option<TypeId>),
    /// `typeof x`.
    TypeOf(ExprId),
    KeyOf(TypeId),
    /// `T[K]`.
    Indexed {
        base: TypeId,
        index: TypeId,
    },
    Conditional {
        check: TypeId,
        extends: TypeId,
        yes: TypeId,
        no: TypeId,
    },
    Mapped {
        parameter: DefId,
        value: TypeId,
    },
    Infer(DefId),
    /// `Self`, `this`, `static`.
    This,
    /// `impl A + B`, `dyn A`.
    Bounds(List<TypeId>),
    Varargs(TypeId),
    /// A type guard's result: `x is T`.
    Predicate(TypeId),
    /// `<T as Trait>::Name`.
    Projection {
        base: TypeId,
        of: Option<TypeId>,
        name: RefId,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ImportKind {
    /// Binds a module: `import a.b`, `import * as ns`, `use a::b` of a module, `import "fmt"`.
    Module,
    /// Binds one member of a module, or of a package.
    Member,
    /// Binds every visible member.
    Star,
    /// Binds the module's default export.
    Default,
    /// Binds nothing.
    SideEffect,
    /// Passes on without binding: `export … from`.
    ReExport,
    ReExportStar,
    /// `/// <reference path="…" />`: what the other file puts into the global scope is there.
    Directive,
    /// `export as namespace N`: scripts see the module under a name of the global scope.
    UmdGlobal,
}

flags! {
    ImportFlags: u8 {
        /// Java `static`, PHP `function`/`const` in [`ImportFlags::FUNCTION`] and [`ImportFlags::CONSTANT`].
        STATIC = 0,
        EXPORTED = 1,
        TYPE_ONLY = 2,
        FUNCTION = 3,
        CONSTANT = 4,
        /// `require`, `import()`.
        DYNAMIC = 5,
        /// Inside `if TYPE_CHECKING`, `try`, a build-tagged branch.
        CONDITIONAL = 6,
    }
}

/// One bound (or passed on) name of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Import {
    pub kind: ImportKind,
    pub flags: ImportFlags,
    pub scope: ScopeId,
    /// The module as written, separators and all: `a.b.c`, `./x`, `App\Models`, `crate::a::b`.
    /// For [`ImportKind::Member`] without the member.
    pub module: NameId,
    /// Leading dots of a relative Python import.
    pub level: u8,
    /// References of the module's segments, or one for a string specifier.
    pub path: List<RefId>,
    /// The imported member as it is called there.
    pub member: Option<RefId>,
    /// The name under which a re-export passes it on, where that differs.
    pub exported_as: Option<NameId>,
    /// The declaration that binds the name here.
    pub def: Option<DefId>,
}

/// A name given to others, by no exported declaration: `export { a as b }`, `module.exports = …`, names in `__all__`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Export {
    /// `default` for the default export; empty for `export =` and `module.exports =`.
    pub name: NameId,
    pub value: ExprId,
}

/// An assignment to something that is declared elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assign {
    pub target: ExprId,
    pub value: ExprId,
    pub at: u32,
}

/// A test that holds in a range: of the type of a value (`isinstance(x, T)`, `x is T`, `typeof x === "string"`), or of the
/// build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    pub range: TextRange,
    /// The tested value; of a test of the build the word that says it.
    pub subject: RefId,
    pub test: GuardTest,
    pub negated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuardTest {
    Type(TypeId),
    /// A class, or a tuple of classes, as a value.
    Class(ExprId),
    /// An item of the subject (the last name before its keys) has a type: the item and its type.
    Item(ExprId, TypeId),
    /// The range is compiled if this says so: `#[cfg(unix)]`, its arguments those of a call.
    Build(ExprId),
    /// A pattern matched, so that its variable can be named.
    Binds(DefId),
}

/// The type that the place of an expression expects, for lambdas and other values that have no type by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    Argument {
        call: ExprId,
        index: u32,
    },
    /// A named argument's or literal field's value.
    Named {
        call: ExprId,
        key: RefId,
    },
    Type(TypeId),
    /// The initial value of a declaration.
    Init(DefId),
    /// Returned from a function.
    Return(DefId),
    Assigned(ExprId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub range: TextRange,
    pub message: String,
}

/// Whether the facts can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(u8)]
pub enum Quality {
    /// A full front end read it without complaint.
    #[default]
    Full,
    /// A full front end met syntax errors.
    Damaged,
    /// Declarations, references and scopes only; no values and types.
    Names,
    /// Too large, too long lines, binary: nothing but its existence.
    Skipped,
}

/// Everything that one file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFacts {
    pub language: Language,
    pub quality: Quality,
    /// `package`/`namespace` declaration as written (`a.b.c`, `App\Models`); Go's package name.
    pub package: Option<NameId>,
    pub names: crate::names::Names,
    pub scopes: Vec<Scope>,
    pub defs: Vec<Def>,
    pub refs: Vec<Ref>,
    pub exprs: Vec<Expr>,
    pub types: Vec<TypeExpr>,
    pub imports: Vec<Import>,
    pub exports: Vec<Export>,
    pub assigns: Vec<Assign>,
    pub guards: Vec<Guard>,
    /// Ordered by expression.
    pub expectations: Vec<(ExprId, Expectation)>,
    pub lists: Vec<u32>,
    pub errors: Vec<SyntaxError>,
    pub(crate) lookups: Lookups,
}

impl FileFacts {
    pub fn name(&self, id: NameId) -> &str {
        self.names.get(id)
    }

    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.index()]
    }

    pub fn def(&self, id: DefId) -> &Def {
        &self.defs[id.index()]
    }

    pub fn def_name(&self, id: DefId) -> &str {
        self.name(self.def(id).name)
    }

    pub fn reference(&self, id: RefId) -> &Ref {
        &self.refs[id.index()]
    }

    pub fn ref_name(&self, id: RefId) -> &str {
        self.name(self.reference(id).name)
    }

    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs[id.index()]
    }

    pub fn ty(&self, id: TypeId) -> TypeExpr {
        self.types[id.index()]
    }

    pub fn import(&self, id: ImportId) -> &Import {
        &self.imports[id.index()]
    }

    pub fn list<T: From<u32>>(
        &self,
        list: List<T>,
    ) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator + '_ {
        self.lists[list.start as usize..(list.start + list.len) as usize].iter().map(|raw| T::from(*raw))
    }

    pub fn def_ids(&self) -> impl Iterator<Item = DefId> {
        (0..self.defs.len() as u32).map(DefId).inspect(|_| guard::tick())
    }

    pub fn ref_ids(&self) -> impl Iterator<Item = RefId> {
        (0..self.refs.len() as u32).map(RefId).inspect(|_| guard::tick())
    }

    /// The scope and the scopes around it, innermost first.
    pub fn scope_chain(&self, from: ScopeId) -> impl Iterator<Item = ScopeId> + '_ {
        std::iter::successors(Some(from), |id| self.scope(*id).parent)
    }

    /// The expectation of an expression.
    pub fn expectation(&self, expr: ExprId) -> Option<Expectation> {
        self.expectations.binary_search_by_key(&expr, |(id, _)| *id).ok().map(|i| self.expectations[i].1)
    }

    /// The nearest enclosing declaration with a name, of a scope.
    pub fn enclosing_def(&self, scope: ScopeId) -> Option<DefId> {
        self.scope_chain(scope)
            .filter_map(|id| self.scope(id).owner)
            .find(|def| !self.def(*def).flags.has(DefFlags::ANONYMOUS))
    }
}
