//! The table row of a language.

use ide_model::Language;

use super::ValueMacros;

/// How a language writes expressions, statements and functions, in the words of its grammar. Kinds and places are lists
/// of words; see [`super::Syntax::stands_in`] for how a place is written.
pub(crate) struct Shape {
    pub(crate) language: Language,
    /// Gives the grammar code that it reads, with the same meaning at the same places; `None` where that is the code itself.
    pub(crate) readable: Option<fn(&str) -> Option<String>>,
    /// Kinds that are values.
    pub(crate) expressions: &'static str,
    /// Places in which nodes of these kinds are none: names of declarations, callees, types.
    pub(crate) not_expressions: &'static str,
    /// Values whose type comes from the place where they stand.
    pub(crate) adaptable: &'static str,
    /// Kinds that stand for themselves wherever a value may stand.
    pub(crate) atoms: &'static str,
    /// Operators from loose to tight, groups parted by blanks, operators of a group by commas: binary ones as they are
    /// written, other expressions as `@kind` or, by the sign that they begin with, `@kind:!`.
    pub(crate) operators: &'static str,
    pub(crate) brackets: Brackets,
    pub(crate) binary: &'static str,
    pub(crate) unary: &'static str,
    /// Places in which any value may stand without brackets.
    pub(crate) free: &'static str,
    /// Literals without names in them.
    pub(crate) literals: &'static str,
    pub(crate) strings: &'static str,
    /// Code in strings in which quotes do not end the string.
    pub(crate) code_in_strings: &'static str,
    /// Kinds that tell the type of their operand at run time, so that its static type matters: the head of a switch, `is`.
    pub(crate) type_tests: &'static str,
    /// Kinds whose children are a list of statements.
    pub(crate) blocks: &'static str,
    /// Places where a statement or value stands that could be a block, and how it becomes one.
    pub(crate) wraps: &'static [Wrap],
    /// Functions, methods, lambdas.
    pub(crate) functions: &'static str,
    /// Functions without a name.
    pub(crate) lambdas: &'static str,
    /// Kinds that hold members.
    pub(crate) types: &'static str,
    /// Places whose code runs sometimes, later or several times, and why.
    pub(crate) barriers: &'static [(&'static str, &'static str)],
    /// Places of tests that tell the compiler more about what they look at; empty where it learns nothing by them.
    pub(crate) tests: &'static str,
    /// Expressions that a compiler can narrow.
    pub(crate) paths: &'static str,
    /// Places in which the compiler learns more about a variable that cannot change, and about nothing else.
    pub(crate) casts: &'static str,
    /// Functions of the library that promise the compiler something about their object or argument.
    pub(crate) promises: &'static str,
    /// Places that are written to or that want a place and no value.
    pub(crate) places: &'static str,
    /// Nodes that call, write or wait.
    pub(crate) effects: &'static str,
    pub(crate) assignments: &'static str,
    pub(crate) calls: &'static str,
    /// Macros whose arguments are values.
    pub(crate) macros: &'static [ValueMacros],
    /// Calls that may take type arguments from the place where they stand, in a language in which a variable would
    /// need them said.
    pub(crate) open_calls: &'static str,
    /// An argument that asks for the default value; empty where there is none.
    pub(crate) left_out: &'static str,
    pub(crate) returns: &'static str,
    pub(crate) breaks: &'static str,
    pub(crate) continues: &'static str,
    /// Statements that a `break` without label leaves.
    pub(crate) breakable: &'static str,
    pub(crate) loops: &'static str,
    pub(crate) yields: &'static str,
    pub(crate) awaits: &'static str,
    pub(crate) throws: &'static str,
    /// Names of functions that never come back, as compilers know.
    pub(crate) stops: &'static str,
    /// Leaves a function early without looking like it: `?`.
    pub(crate) escapes: &'static str,
    /// The object that a method works on.
    pub(crate) this: &'static str,
    /// The statement that only runs a value.
    pub(crate) expression_statement: &'static str,
    /// A new variable: `{type}`, `{name}`, `{value}`.
    pub(crate) declare: &'static str,
    /// The same with the type that the place of the value says; empty where values have types of their own.
    pub(crate) declare_typed: &'static str,
    /// The same for a value that is a literal.
    pub(crate) declare_literal: &'static str,
    /// A new variable that stands for a parameter: `{type}` as the parameter says it, `{name}`, `{value}`.
    pub(crate) bind: &'static str,
    /// The same for one that is written to; empty where it is the same.
    pub(crate) bind_written: &'static str,
    /// Whether a block is a value.
    pub(crate) block_value: bool,
    /// Kinds that hold other values as they are, and do nothing else when they are made, in languages whose variables share
    /// their values.
    pub(crate) holders: &'static str,
    /// Types whose values nobody can change.
    pub(crate) steady: &'static str,
    /// Functions of the language's library, as `Owner.name` or `name`, that give the same for the same values of these
    /// types, which is such a value too, do nothing else, and never fail.
    pub(crate) pure: &'static str,
    /// A use of the variable.
    pub(crate) sigil: &'static str,
    pub(crate) end: &'static str,
    pub(crate) indent: &'static str,
    /// Whether a block is made by indentation.
    pub(crate) by_indent: bool,
    /// Declarations of local variables: the node of one variable with its name and value.
    pub(crate) declarators: &'static str,
    /// The field of the value in it.
    pub(crate) value_field: &'static str,
}

/// Places in which values need parentheses, or do not, for other reasons than the ranks of operators.
pub(crate) struct Brackets {
    /// Operators that must not meet without parentheses: those of one side and of the other, as `??` and `||`.
    pub(crate) clashes: (&'static str, &'static str),
    /// Accesses that end the whole chain behind them where there is no object (`v?.y`), and the places in which a value
    /// would become a part of such a chain.
    pub(crate) chains: (&'static str, &'static str),
    /// Whether parentheses do not end a chain: `($a?->b)->c` is `$a?->b->c`.
    pub(crate) chains_pass_parentheses: bool,
    /// Places for names and members of names, as behind `new`, and the kinds that may stand there.
    pub(crate) bare: (&'static str, &'static str),
    /// First words of a value that would begin something else, and the places at whose start they do: `{` of a statement.
    pub(crate) openers: (&'static str, &'static str),
    /// Characters that must not follow themselves: `-` and `-v` would be `--v`.
    pub(crate) joins: &'static str,
    /// Kinds that stand without parentheses in these places only.
    pub(crate) only_in: &'static [(&'static str, &'static str)],
    /// Operators that need parentheses anywhere inside of a place.
    pub(crate) outside: (&'static str, &'static str),
    /// Places in markup: other code than an element stands in braces there.
    pub(crate) markup: &'static str,
    /// Whether a line that begins with one of these continues a statement that no `;` ended.
    pub(crate) continues: &'static str,
}

impl Brackets {
    pub(crate) const NONE: Self = Self {
        clashes: ("", ""),
        chains: ("", ""),
        chains_pass_parentheses: false,
        bare: ("", ""),
        openers: ("", ""),
        joins: "",
        only_in: &[],
        outside: ("", ""),
        markup: "",
        continues: "",
    };
}

/// How something that is no block becomes one.
pub(crate) struct Wrap {
    pub(crate) place: &'static str,
    /// Put before the value inside of the block: `return `.
    pub(crate) lead: &'static str,
    /// Put behind it.
    pub(crate) tail: &'static str,
    /// Put before the block; a `=` that stood there goes away.
    pub(crate) instead_of: &'static str,
}

pub(crate) fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|w| w == word)
}
