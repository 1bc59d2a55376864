//! Names that Go declares before any file does.

/// Types that are there without an import.
const TYPES: &[&str] = &[
    "any",
    "bool",
    "byte",
    "comparable",
    "complex128",
    "complex64",
    "error",
    "float32",
    "float64",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "rune",
    "string",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintptr",
];

/// Whether a name is predeclared.
pub(super) fn is_builtin(name: &str) -> bool {
    const OTHERS: &[&str] = &[
        "append", "cap", "clear", "close", "complex", "copy", "delete", "false", "imag", "iota", "len",
        "make", "max", "min", "new", "nil", "panic", "print", "println", "real", "recover", "true",
    ];
    TYPES.contains(&name) || OTHERS.contains(&name)
}
