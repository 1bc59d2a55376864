//! The Java front end: facts straight from the tokens, without a tree.
//!
//! Conventions on top of `facts.rs`:
//! - The scope of a class begins at its brace. The head (type parameters, bounds, supertypes, record components'
//!   types) has that scope too, but lies before its range: there only the type parameters are visible, and after
//!   them the surroundings.
//! - A record component is a private final field with [`DefFlags::PROMOTED`]; the record's `params` list them. The
//!   accessor method and the canonical constructor have no declaration of their own unless written.
//! - An enum constant's `init` is an [`Expr::New`] of [`TypeExpr::This`]; its body is an anonymous class.
//! - An anonymous class extends the type that is constructed, which may be an interface; its `init` is the
//!   construction.
//! - A variable-arity parameter has the array type.
//! - `this(…)` and `super(…)` are calls of [`Expr::This`] and [`Expr::Super`]; `Type.super` is `super` cast to the
//!   type.
//! - `Type::new` is an [`Expr::Type`] whose reference has the role `New` and [`RefFlags::METHOD_REF`].
//! - `Type.class` is [`crate::UnaryOp::TypeOf`] of an [`Expr::Type`].
//! - The key of an annotation's argument has the annotation type as its receiver.
//! - A case label without a dot expects the selector's type ([`crate::Expectation::Assigned`]).
//! - In documentation, a signature's parameter types are casts of unknown values.
//! - Pattern variables live in the innermost list of statements, with [`DefFlags::MATCHED`]; [`crate::GuardTest::Binds`]
//!   says where each can be named.

mod declarations;
mod documentation;
mod expressions;
mod flow;
mod lexer;
mod members;
mod patterns;
mod statements;
#[cfg(test)]
mod tests;
mod types;

use ide_model::{Language, TextRange};

use crate::FrontEnd;
use crate::builder::FactBuilder;
use crate::facts::{DefId, Expr, ExprId, FileFacts, RefFlags, RefId, Role};
use crate::kit::value::Pending;
use crate::kit::{Cursor, Kind, Skim, Token, Tokens};
use crate::sketch::Sketch;
use lexer::words;

/// The Java front end.
pub(crate) struct Java;

impl FrontEnd for Java {
    fn facts(&self, _path: &str, text: &str) -> FileFacts {
        let tokens = lexer::lex(text);
        read(text, &tokens, FactBuilder::new(Language::Java, text.len() as u32), None).finish()
    }

    fn sketch(&self, _path: &str, text: &str) -> Option<Sketch> {
        let tokens = lexer::lex(text);
        // Documentation names what is not a word of the code.
        let skim = Skim::new(&tokens, |_, _| false)?.with_documentation(&tokens);
        let builder = FactBuilder::sketch(Language::Java, text.len() as u32);
        Some(read(text, &tokens, builder, Some(skim)).finish_sketch())
    }
}

fn read(text: &str, tokens: &Tokens, builder: FactBuilder, skim: Option<Skim>) -> FactBuilder {
    let mut parser = Parser {
        c: Cursor::new(text, tokens),
        b: builder,
        skim,
        pending: Pending::default(),
        values: Vec::new(),
        functions: Vec::new(),
        yields: Vec::new(),
        in_label: false,
        flow: flow::Flow::default(),
        recoveries: 0,
    };
    parser.unit();
    for range in &tokens.unmatched {
        parser.b.error(*range, "bracket without its partner");
    }
    parser.b
}

/// Files with more missing braces than this are beyond repair.
const MAX_RECOVERIES: u32 = 64;

/// A function that is being parsed; the innermost is the last.
struct Function {
    def: DefId,
    /// Start of its returned values in [`Parser::values`]; only lambdas collect them.
    is_lambda: bool,
    returns: Vec<ExprId>,
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
    /// Values of the switch expressions around, innermost last.
    yields: Vec<Vec<ExprId>>,
    /// In a case label an arrow ends the label and begins no lambda.
    in_label: bool,
    flow: flow::Flow,
    /// How often a missing brace was looked for; each time costs a walk through what remains.
    recoveries: u32,
}

/// A value while its chain is read.
#[derive(Clone, Copy)]
struct Value {
    expr: ExprId,
    /// The reference, when the value is just a name.
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

    fn is_primitive(token: Token) -> bool {
        token.kind == Kind::Word && token.sub != 0 && token.sub <= words::LAST_PRIMITIVE
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

    /// Makes every segment of a dotted name, up to this one, a type.
    fn mark_type(&mut self, name: RefId) {
        let mut next = Some(name);
        while let Some(name) = next {
            let r = self.b.ref_mut(name);
            r.role = Role::Type;
            let receiver = r.receiver;
            next = receiver.and_then(|e| match self.b.facts().expr(e) {
                Expr::Ref(before) => Some(before),
                _ => None,
            });
        }
    }

    /// The index of the `}` that has no partner because its opening brace is missing here.
    fn missing_brace(&mut self) -> Option<usize> {
        self.recoveries += 1;
        if self.recoveries > MAX_RECOVERIES {
            return None;
        }
        self.c.stray_close().filter(|close| self.c.token(*close).is(b'}'))
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
}
