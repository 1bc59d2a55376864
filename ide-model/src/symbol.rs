//! Symbols, references and the ways to point at them.

use std::fmt;
use std::sync::Arc;

use crate::{Language, TextRange, paths};

/// The name of a file: relative to the project root with `/` separators, or absolute for another content root
/// and for dependencies (`/x/y.java`, `jar:///x/y.jar!/z.class`). Unique within a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilePath(pub Arc<str>);

impl FilePath {
    pub fn new(path: impl Into<Arc<str>>) -> Self {
        Self(path.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part behind the last `/`.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The part before the last `/`, `""` at the top.
    pub fn directory(&self) -> &str {
        paths::directory(&self.0)
    }

    /// The file name up to its first dot.
    pub fn stem(&self) -> &str {
        paths::stem(&self.0)
    }

    /// A file beside this one.
    pub fn with_file_name(&self, name: &str) -> Self {
        Self::new(paths::join(self.directory(), name))
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A range in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    pub file: FilePath,
    pub range: TextRange,
}

macro_rules! wire_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$vmeta])* $variant),* }

        impl $name {
            /// Every value, in order.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The word that tools print.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }

            /// The value whose number is `raw`, for decoding.
            pub fn from_u8(raw: u8) -> Option<Self> {
                Self::ALL.get(usize::from(raw)).copied()
            }
        }
    };
}

wire_enum! {
    /// The kind of a declaration.
    SymbolKind {
        Class "CLASS", AbstractClass "ABSTRACT_CLASS", Interface "INTERFACE", Enum "ENUM",
        Annotation "ANNOTATION", Record "RECORD", Struct "STRUCT", Union "UNION", Trait "TRAIT", Object "OBJECT",
        TypeAlias "TYPE_ALIAS", Module "MODULE", Namespace "NAMESPACE", Package "PACKAGE",
        Method "METHOD", Function "FUNCTION", Constructor "CONSTRUCTOR", Field "FIELD", Property "PROPERTY",
        EnumCase "ENUM_CASE", Constant "CONSTANT", Variable "VARIABLE", Parameter "PARAMETER",
        TypeParameter "TYPE_PARAMETER", Label "LABEL", Macro "MACRO", Heading "HEADING", Key "KEY",
        /// A name that an import binds; resolution passes through it.
        Import "IMPORT",
        /// An `impl` block or another nameless container.
        Impl "IMPL",
        Symbol "SYMBOL",
    }
}

impl SymbolKind {
    /// True for what `ide_find_class` finds and a type hierarchy has.
    pub fn is_type(self) -> bool {
        self <= Self::TypeAlias
    }

    /// True for members that a subtype can override.
    pub fn is_overridable(self) -> bool {
        matches!(self, Self::Method | Self::Property)
    }

    /// True for what can be called and have callees.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Method | Self::Function | Self::Constructor | Self::Macro)
    }
}

wire_enum! {
    /// The use a reference makes of its symbol, in the words of the tools' results.
    ReferenceKind {
        MethodCall "METHOD_CALL", FieldAccess "FIELD_ACCESS", Reference "REFERENCE", Import "IMPORT",
        Parameter "PARAMETER", Variable "VARIABLE", Operator "OPERATOR",
    }
}

wire_enum! {
    /// The use a reference makes of its symbol, in finer words (`access`).
    Access {
        Read "READ", Write "WRITE", ReadWrite "READ_WRITE", Call "CALL", TypeUse "TYPE_USE", Inheritance "INHERITANCE",
        Instantiation "INSTANTIATION", Annotation "ANNOTATION", Import "IMPORT", Key "KEY", Doc "DOC",
    }
}

wire_enum! {
    /// The visibility of a declaration, in the language's own terms.
    Visibility {
        Public "public", Protected "protected", Internal "internal", Package "package", Private "private",
    }
}

/// Modifier words in source order, e.g. `static`, `abstract`, `async`.
pub type Modifiers = Vec<&'static str>;

/// A stable name of a declaration: equal before and after edits that do not touch the declaration.
/// Opaque to all but the backend that made it: others keep it and give it back, and never make one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolKey(pub Arc<str>);

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub key: SymbolKey,
    pub name: Arc<str>,
    pub kind: SymbolKind,
    pub language: Language,
    /// In the grammar that [`Target::Named`] accepts back; `None` for locals.
    pub qualified_name: Option<Arc<str>>,
    /// Name of the nearest named enclosing declaration.
    pub container: Option<Arc<str>>,
    pub file: FilePath,
    pub name_range: TextRange,
    /// The whole declaration with its body, without leading comments.
    pub full_range: TextRange,
    /// True when the declaration lies in a dependency or the standard library.
    pub is_library: bool,
}

/// A way to name a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A byte offset in a file: the reference there, or the declaration whose name stands there, or the nearest
    /// enclosing named declaration.
    Position { file: FilePath, offset: u32 },
    /// The same, but the name of a variable that an import declares (`const x = require("x")`) is that variable and not
    /// what is imported.
    Variable { file: FilePath, offset: u32 },
    /// The same as a variable, but a name that runs a constructor called otherwise (`new Box()`) is that of its class.
    Name { file: FilePath, offset: u32 },
    /// A qualified name as the language writes it (`Type.member`, `a/b.ts#name`, `crate::f`).
    Named { language: Language, symbol: Arc<str> },
    /// A declaration returned earlier.
    Key(SymbolKey),
    /// A file as a module: the symbol that deleting the file means.
    File(FilePath),
}
