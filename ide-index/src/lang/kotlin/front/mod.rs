//! The Kotlin front end: facts straight from the tokens, without a tree.
//!
//! Conventions on top of `facts.rs`:
//! - The scope of a class begins at its brace. The head (type parameters, supertypes, the primary constructor)
//!   has that scope too, but lies before its range.
//! - A constructor has the name of its class; its name range is the word `constructor`, and empty without it. The
//!   parameters of the primary one are in its function scope, and so is everything else that sees them: arguments of
//!   supertypes, initial values and `init` blocks. Parameters with `val` or `var` are a property too
//!   ([`DefFlags::PROMOTED`]).
//! - An accessor is an anonymous function with [`DefFlags::GETTER`] or [`DefFlags::SETTER`] in a scope of its own.
//!   A property without type and initial value has the values of its getter for [`crate::Def::returns`].
//! - A lambda without declared parameters that mentions `it` has it as a [`DefFlags::SYNTHETIC`] parameter without
//!   text, with [`DefFlags::OPTIONAL`] when only lambdas in it mention the name. A lambda behind the parentheses of a call has [`DefFlags::KEYWORD_ONLY`]: it belongs to the last parameter.
//!   One that names its parameters, or says that it has none, has [`DefFlags::POSITIONAL_ONLY`]. An anonymous function
//!   (`fun (x) …`) is one without [`DefFlags::ARROW`].
//! - Constructions are calls. In the list of supertypes and in annotations they are [`Expr::New`].
//! - An enum entry's `init` is an [`Expr::New`] of [`TypeExpr::This`]; its body is an anonymous class of that type.
//! - A named argument's reference has the call for [`crate::Ref::call`].
//! - `a foo b` is a call of `foo` with receiver `a`. `a in b` and symbol operators are [`Expr::Binary`] and
//!   [`Expr::Unary`]; they make no reference.
//! - `this@x`, `super@x` are [`Expr::OuterThis`] of the label; `super<T>` is [`Expr::Super`] cast to the type.
//! - A name before `::` has [`RefFlags::TYPE_ONLY`], though it may be a value. `x::class` is [`crate::UnaryOp::TypeOf`]; the name in `X::f` has [`RefFlags::METHOD_REF`].
//! - A variable-arity parameter has the element type and [`DefFlags::VARARG`].
//! - The subject of a test of `this` is a reference of that name without text.
//! - Names in `[…]` of a documentation comment are references with [`RefFlags::IN_DOC`].
//! - `@file:JvmName("X")` is an export of the name. Other annotations `JvmName` have the name and what stands before their
//!   colon as two texts.

mod classes;
mod declarations;
mod documentation;
mod expressions;
mod guards;
mod lexer;
mod older;
mod primary;
mod properties;
mod skimming;
mod statements;
mod types;

use ide_model::{Language, TextRange};

use crate::FrontEnd;
use crate::builder::FactBuilder;
#[cfg(doc)]
use crate::facts::TypeExpr;
use crate::facts::{DefFlags, DefId, Expr, ExprId, FileFacts, RefFlags, RefId, ScopeId, TypeId};
use crate::kit::value::Pending;
use crate::kit::{Cursor, Kind, Skim, Token, Tokens};
use crate::sketch::Sketch;
pub(crate) use lexer::needs_backticks;
use lexer::words;
pub(crate) use older::older;

/// The Kotlin front end.
pub(crate) struct Kotlin;

impl FrontEnd for Kotlin {
    fn facts(&self, path: &str, text: &str) -> FileFacts {
        let tokens = lexer::lex(text);
        let builder = FactBuilder::new(Language::Kotlin, text.len() as u32);
        read(path, text, &tokens, builder, None).finish()
    }

    fn sketch(&self, path: &str, text: &str) -> Option<Sketch> {
        let tokens = lexer::lex(text);
        let skim = Skim::new(&tokens, skimming::tells)?.with_documentation(&tokens);
        let builder = FactBuilder::sketch(Language::Kotlin, text.len() as u32);
        Some(read(path, text, &tokens, builder, Some(skim)).finish_sketch())
    }
}

fn read(path: &str, text: &str, tokens: &Tokens, builder: FactBuilder, skim: Option<Skim>) -> FactBuilder {
    let mut parser = Parser {
        c: Cursor::new(text, tokens),
        b: builder,
        skim,
        pending: Pending::default(),
        values: Vec::new(),
        functions: Vec::new(),
        initializers: None,
        newlines: true,
        type_end: usize::MAX,
        in_head: false,
        lambda_label: None,
        tests: Vec::new(),
        proven: Vec::new(),
        jump: None,
    };
    parser.unit(path.ends_with(".kts"));
    for range in &tokens.unmatched {
        parser.b.error(*range, "bracket without its partner");
    }
    parser.b
}

/// A function that is being parsed; the innermost is the last.
struct Function {
    def: DefId,
    /// A lambda, to which a bare `return` does not belong.
    is_lambda: bool,
    /// `it` is mentioned in it, or only in a lambda inside of it.
    it: Option<DefFlags>,
    label: Option<Box<str>>,
    returns: Vec<ExprId>,
}

/// A type test whose outcome tells a value's type.
#[derive(Clone, Copy)]
struct Test {
    subject: RefId,
    ty: TypeId,
    /// The subject has the type when the condition holds, or when it does not.
    if_true: bool,
}

struct Parser<'a> {
    c: Cursor<'a>,
    b: FactBuilder,
    /// For a sketch: what need not be read.
    skim: Option<Skim>,
    pending: Pending,
    /// Stack of argument lists under construction.
    values: Vec<ExprId>,
    functions: Vec<Function>,
    /// The scope of the primary constructor of the class whose members are read.
    initializers: Option<ScopeId>,
    /// Line ends separate statements here; not so in parentheses.
    newlines: bool,
    /// The index of a dot that ends a type: the one before the name of an extension.
    type_end: usize,
    /// In the head of a class, whose braces follow.
    in_head: bool,
    /// How `return@…` calls the next lambda.
    lambda_label: Option<Box<str>>,
    /// Tests of the condition that is being read.
    tests: Vec<Test>,
    /// Tests that hold from a byte on to the end of the block.
    proven: Vec<(u32, Test)>,
    /// The token behind the last `return`, `throw`, `break` or `continue`.
    jump: Option<usize>,
}

/// A value while its chain is read.
#[derive(Clone, Copy)]
struct Value {
    expr: ExprId,
    /// The reference, when the value is just a name or a chain of them.
    name: Option<RefId>,
}

impl Value {
    fn of(expr: ExprId) -> Self {
        Self { expr, name: None }
    }
}

impl<'a> Parser<'a> {
    fn str(&self, token: Token) -> &'a str {
        self.c.str(token)
    }

    /// An identifier, or a keyword that is one here.
    fn is_name(token: Token) -> bool {
        token.kind == Kind::Word && (token.sub == 0 || token.sub > words::LAST_RESERVED)
    }

    fn at_name(&self) -> bool {
        Self::is_name(self.c.peek())
    }

    /// The token at an index is that keyword.
    fn word_at(&self, index: usize, word: u8) -> bool {
        let token = self.c.token(index);
        token.kind == Kind::Word && token.sub == word
    }

    /// A line end that separates statements stands before the next token.
    fn at_newline(&self) -> bool {
        self.newlines && self.c.peek().after_newline
    }

    fn flag(&mut self, reference: RefId, flag: RefFlags) {
        self.b.ref_mut(reference).flags.set(flag);
    }

    /// Reports the next token.
    fn unexpected(&mut self, wanted: &str) {
        let token = self.c.peek();
        let found = if token.kind == Kind::End { "the end of the file" } else { self.str(token) };
        let message = format!("expected {wanted}, found `{found}`");
        self.b.error(token.range(), message);
    }

    fn unknown(&mut self) -> Value {
        Value::of(self.b.expr(Expr::Unknown))
    }

    /// Eats `byte` or reports its absence right behind the last token.
    fn want(&mut self, byte: u8) {
        if !self.c.eat(byte) {
            let at = self.c.last_end();
            let message = format!("expected `{}`", byte as char);
            self.b.error(TextRange::new(at, at), message);
        }
    }

    /// Steps behind the group whose opening bracket stood at `open`, reporting what was left over in it. The caller
    /// goes on with the rest of a group without its closing bracket.
    fn leave_group(&mut self, open: usize) {
        let end = self.c.group_end(open);
        if self.c.at < end {
            self.unexpected("the end of the group");
            if !self.c.is_closed(open) {
                return;
            }
        }
        if self.c.at <= end {
            self.c.at = self.c.behind_group(open);
        }
    }

    /// `it` is mentioned: in the innermost lambda, or in one that it has no parameters of.
    fn mention_it(&mut self) {
        let lambdas = self.functions.iter_mut().rev().take_while(|f| f.is_lambda);
        for (i, function) in lambdas.enumerate() {
            match i {
                0 => function.it = Some(DefFlags::NONE),
                _ => function.it = function.it.or(Some(DefFlags::OPTIONAL)),
            }
        }
    }

    /// Runs with line ends separating statements or not, as inside braces or parentheses.
    fn with_newlines<T>(&mut self, newlines: bool, run: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::replace(&mut self.newlines, newlines);
        let result = run(self);
        self.newlines = outside;
        result
    }
}
