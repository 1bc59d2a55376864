//! Annotations: types as written, with the code that stands in strings.

use ide_model::TextRange;

use crate::facts::{Expr, ExprId, List, Role, TypeExpr, TypeId};

use super::lexer::{StrParts, T, Tok};
use super::parser::{MAX_DEPTH, Parser};

/// Names of `typing` that make a type when subscripted outside an annotation.
const SPECIAL_FORMS: &[&str] = &[
    "Annotated",
    "Awaitable",
    "Callable",
    "ClassVar",
    "Coroutine",
    "DefaultDict",
    "Deque",
    "Dict",
    "Final",
    "FrozenSet",
    "Generator",
    "Generic",
    "Iterable",
    "Iterator",
    "List",
    "Literal",
    "Mapping",
    "MutableMapping",
    "Optional",
    "OrderedDict",
    "Sequence",
    "Set",
    "Tuple",
    "Type",
    "TypeGuard",
    "TypeIs",
    "Union",
];

impl<'a> Parser<'a> {
    /// A type annotation.
    pub(super) fn annotation(&mut self) -> TypeId {
        self.type_expr(Role::Type)
    }

    /// An annotation where a value stands (`cast("T", x)`).
    pub(super) fn type_value(&mut self) -> ExprId {
        let ty = self.annotation();
        self.b.expr(Expr::Type(ty))
    }

    /// Whether an annotation says that the value is a type (`Name: TypeAlias = …`).
    pub(super) fn is_alias_of_type(&self, ty: TypeId) -> bool {
        let TypeExpr::Named { name, .. } = self.b.facts().ty(ty) else { return false };
        self.b.facts().ref_name(name) == "TypeAlias"
    }

    /// True when `base.name[…]` in an expression is a type: a special form of `typing`.
    pub(super) fn is_typing_subscript(&self, base: Option<&str>, name: &'a str) -> bool {
        self.typing_member(base, name).is_some_and(|member| SPECIAL_FORMS.contains(&member))
    }

    /// The rest of a special form whose name was read as a value.
    pub(super) fn typing_value(&mut self, head: ExprId) -> ExprId {
        let Expr::Ref(name) = self.b.facts().expr(head) else { return self.index(head) };
        let args = self.type_list(self.b.facts().ref_name(name).to_owned().as_str());
        let mut ty = self.b.ty(TypeExpr::Named { name, args });
        if self.kind() == T::Pipe {
            ty = self.union_from(ty, Role::Type);
        }
        self.b.expr(Expr::Type(ty))
    }

    /// A type; the last name of its head gets `role`.
    pub(super) fn type_expr(&mut self, role: Role) -> TypeId {
        if self.depth >= MAX_DEPTH {
            self.expr();
            return self.b.ty(TypeExpr::Unknown);
        }
        self.depth += 1;
        let first = self.type_atom(role);
        let ty = if self.kind() == T::Pipe { self.union_from(first, role) } else { first };
        self.rest_of_value();
        self.depth -= 1;
        ty
    }

    /// An annotation may be any expression: what follows a type in one is read for its names.
    fn rest_of_value(&mut self) {
        while matches!(
            self.kind(),
            T::And
                | T::At
                | T::Bits
                | T::Compare
                | T::Else
                | T::If
                | T::Is
                | T::Minus
                | T::Mul
                | T::Or
                | T::Plus
        ) {
            self.bump();
            self.disjunction();
        }
    }

    fn union_from(&mut self, first: TypeId, role: Role) -> TypeId {
        let mut parts = vec![first];
        while self.eat(T::Pipe) {
            parts.push(self.type_atom(role));
        }
        let parts = self.list(&parts);
        self.b.ty(TypeExpr::Union(parts))
    }

    fn type_atom(&mut self, role: Role) -> TypeId {
        match self.kind() {
            T::Name if self.is_call_ahead() => self.type_of_value(),
            T::Name => self.named_type(role),
            T::Str => {
                let tok = self.bump();
                self.string_type(tok, role)
            }
            T::None => {
                self.bump();
                let name = self.b.name("None");
                self.b.ty(TypeExpr::Primitive(name))
            }
            T::Ellipsis => {
                self.bump();
                self.b.ty(TypeExpr::Unknown)
            }
            T::LBrack | T::LParen => {
                let is_group = self.kind() == T::LParen;
                let parts = self.type_list("");
                let first = self.b.facts().list(parts).next();
                match first {
                    Some(only) if is_group && parts.len == 1 => only,
                    _ => self.b.ty(TypeExpr::Tuple(parts)),
                }
            }
            T::Star | T::DoubleStar => {
                self.bump();
                let inner = self.type_expr(role);
                self.b.ty(TypeExpr::Varargs(inner))
            }
            _ => self.type_of_value(),
        }
    }

    /// Something that is no type but stands for one.
    fn type_of_value(&mut self) -> TypeId {
        let value = match self.kind() {
            T::Lambda | T::Not => self.expr(),
            _ => self.arithmetic(),
        };
        self.b.ty(TypeExpr::TypeOf(value))
    }

    /// True when the dotted name here is called.
    fn is_call_ahead(&self) -> bool {
        let mut i = 1;
        while self.ahead(i) == T::Dot && self.ahead(i + 1) == T::Name {
            i += 2;
        }
        self.ahead(i) == T::LParen
    }

    fn named_type(&mut self, role: Role) -> TypeId {
        let first = self.bump();
        let mut last = first;
        let mut base = None;
        let is_dotted = self.kind() == T::Dot && self.ahead(1) == T::Name;
        let mut name = self.reference(first, if is_dotted { Role::Read } else { role });
        while self.kind() == T::Dot && self.ahead(1) == T::Name {
            self.bump();
            base = Some(if base.is_none() { self.text(last) } else { "" });
            last = self.bump();
            let receiver = self.b.expr(Expr::Ref(name));
            let is_last = !(self.kind() == T::Dot && self.ahead(1) == T::Name);
            name = self.member(last, if is_last { role } else { Role::Read }, receiver);
        }
        if self.eat(T::Dot) {
            self.complain("a name is missing after the dot");
        }
        if self.kind() != T::LBrack {
            return self.b.ty(TypeExpr::Named { name, args: List::EMPTY });
        }
        let head = self.text(last);
        let args = self.type_list(self.typing_member(base, head).unwrap_or(head));
        let ty = self.b.ty(TypeExpr::Named { name, args });
        while self.kind() == T::LBrack {
            let base = self.b.expr(Expr::Type(ty));
            self.index(base);
        }
        ty
    }

    /// Types in the bracket that starts here. `Literal` takes values, `Annotated` one type and then values.
    pub(super) fn type_list(&mut self, head: &str) -> List<TypeId> {
        let close = self.partner(self.pos);
        if self.depth >= MAX_DEPTH {
            self.flat_until(close);
            self.leave_bracket(close);
            return List::EMPTY;
        }
        self.depth += 1;
        self.bump();
        let mut parts = Vec::new();
        while self.pos < close {
            let at = self.pos;
            // `Annotated[(made, *rest)]`.
            let is_value =
                head == "Literal" || head == "Annotated" && (!parts.is_empty() || self.kind() == T::LParen);
            parts.push(if is_value { self.literal_type() } else { self.type_expr(Role::Type) });
            if !self.eat(T::Comma) && self.pos < close {
                self.complain("a comma is missing");
                if self.pos == at || !is_value {
                    self.named_expr();
                }
                if self.pos == at {
                    self.stray_token();
                }
            }
        }
        self.depth -= 1;
        self.leave_bracket(close);
        self.list(&parts)
    }

    fn literal_type(&mut self) -> TypeId {
        let tok = self.tok();
        let value = self.named_expr();
        if tok.kind == T::Str {
            let name = self.b.name(self.text(tok));
            return self.b.ty(TypeExpr::Literal(name));
        }
        self.b.ty(TypeExpr::TypeOf(value))
    }

    /// A type in a string. Only plain one-piece strings hold code.
    pub(super) fn string_type(&mut self, tok: Tok, role: Role) -> TypeId {
        let parts = StrParts::of(tok);
        let content = Self::string_content(tok);
        let text = &self.src[content.start as usize..content.end as usize];
        let may_be_type = !parts.is_bytes
            && self.kind() != T::Str
            && text.len() <= 1000
            && text.trim_start().bytes().next().is_some_and(|b| {
                b.is_ascii_alphabetic() || b == b'_' || b >= 0x80 || matches!(b, b'(' | b'[')
            })
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b >= 0x80 || b"_ .,[]|'\"()*\n\t".contains(&b));
        if !may_be_type {
            while self.kind() == T::Str {
                self.bump();
            }
            return self.b.ty(TypeExpr::Unknown);
        }
        self.type_fragment(content, role)
    }

    /// Reads a part of the source as a type.
    pub(super) fn type_fragment(&mut self, range: TextRange, role: Role) -> TypeId {
        self.fragment(range.start, range.end, |p| {
            let ty = p.type_expr(role);
            while p.kind() != T::Eof {
                p.stray_token();
            }
            ty
        })
    }
}
