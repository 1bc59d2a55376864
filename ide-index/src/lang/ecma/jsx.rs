//! JSX elements.

use ide_model::{SymbolKind, TextRange};

use super::front::Parser;
use super::lexer::{JSX_CLOSE, JSX_END, JSX_OPEN, JSX_SELF};
use crate::facts::{
    DefFlags, DefId, Expectation, Expr, ExprId, List, RefFlags, Role, ScopeKind, SuperKind, SuperType,
    TypeExpr,
};
use crate::kit::{Kind, Token, value};
use crate::resolve::FileView;

/// The name by which a component gets what stands between its tags.
pub(super) const CONTENT: &str = "children";

/// Whether a declaration is an attribute of an element.
pub(super) fn is_attribute(file: &FileView, def: DefId) -> bool {
    file.def(def).flags.has(DefFlags::MARKUP)
}

impl Parser<'_> {
    /// `<Name attr={…}>…</Name>`, `<>…</>`.
    pub(super) fn element(&mut self) -> ExprId {
        if !self.c.deeper() {
            self.c.skip();
            return self.b.expr(Expr::Unknown);
        }
        self.c.bump();
        let component = self.element_name(Role::Read);
        let type_args = if self.c.is(b'<') { self.type_arguments() } else { List::EMPTY };
        let (properties, has_children) = match self.is_astro() {
            true => (None, self.astro_attributes(component)),
            false => {
                let (properties, has_children) = self.attributes();
                (Some(properties), has_children)
            }
        };
        // A component is called with its attributes in an object.
        let element = match component.zip(properties) {
            Some((component, properties)) => {
                let element = value::call(&mut self.b, component, type_args, &[properties]);
                self.b.expect(properties, Expectation::Argument { call: element, index: 0 });
                element
            }
            None => self.b.expr(Expr::Literal(crate::facts::Literal::Other)),
        };
        while has_children && !self.c.is_end() {
            let token = self.c.peek();
            match (token.kind, token.sub) {
                (Kind::Text, JSX_OPEN) => {
                    self.element();
                }
                (Kind::Text, JSX_CLOSE) => {
                    self.c.bump();
                    self.element_name(Role::Read);
                    if self.c.peek().kind == Kind::Text && self.c.peek().sub == JSX_END {
                        self.c.bump();
                    }
                    break;
                }
                (Kind::Open, b'{') => {
                    let mark = self.pending.mark();
                    self.braced();
                    self.pending.forget(mark);
                }
                _ => break,
            }
        }
        self.c.shallower();
        element
    }

    /// The attributes, as an object literal, to the end of the tag; says whether children follow.
    fn attributes(&mut self) -> (ExprId, bool) {
        let start = self.c.at;
        let object = self.anonymous(SymbolKind::Object);
        self.b.def_mut(object).flags.set(DefFlags::MARKUP);
        self.b.open(ScopeKind::Class, self.c.peek().start, Some(object));
        let mut supers: Vec<SuperType> = Vec::new();
        let mut has_children = false;
        while !self.c.is_end() {
            let token = self.c.peek();
            match (token.kind, token.sub) {
                (Kind::Text, JSX_SELF | JSX_END) => {
                    self.c.bump();
                    has_children = token.sub == JSX_END;
                    if has_children {
                        self.content(token.end);
                    }
                    break;
                }
                (Kind::Text, JSX_OPEN) => {
                    self.element();
                }
                (Kind::Open, b'{') => {
                    if let Some(value) = self.braced() {
                        let ty = self.b.ty(TypeExpr::TypeOf(value));
                        supers.push(SuperType { kind: SuperKind::Mixes, ty });
                    }
                }
                (Kind::Word, _) => self.attribute(),
                _ => {
                    self.c.bump();
                }
            }
        }
        self.b.close(self.c.last_end());
        let supers = self.b.list(supers);
        self.b.def_mut(object).supers = supers;
        self.finish(object, start);
        (self.b.expr(Expr::Class(object)), has_children)
    }

    /// `name`, `name="text"`, `name={value}`, `on-name`, `ns:name`.
    fn attribute(&mut self) {
        let start = self.c.at;
        let first = self.c.bump();
        let mut end = first.end;
        while (self.c.is(b'-') || self.c.is(b':')) && self.c.peek().start == end {
            self.c.bump();
            end = self.c.bump().end;
        }
        let range = TextRange::new(first.start, end);
        let def = self.b.def(self.text(range), range, SymbolKind::Property);
        // Nobody looks for the attributes of an element by name, wherever it stands.
        self.b.def_mut(def).flags.set(DefFlags::LOCAL);
        self.b.def_mut(def).flags.set(DefFlags::MARKUP);
        self.key_reference(def);
        if self.c.eat(b'=') {
            let mark = self.pending.mark();
            let value = match self.c.peek().kind {
                Kind::Open => self.braced(),
                _ => Some(self.unary()),
            };
            self.pending.settle(&mut self.b, mark, Expectation::Init(def));
            self.b.def_mut(def).init = value;
        }
        self.finish(def, start);
    }

    /// The content of an element is handed over as one more attribute, whose name is not written.
    fn content(&mut self, start: u32) {
        if !self.has_content(start, self.c.peek()) {
            return;
        }
        let def = self.b.def(CONTENT, TextRange::new(start, start), SymbolKind::Property);
        self.b.def_mut(def).flags.set(DefFlags::LOCAL | DefFlags::MARKUP | DefFlags::SYNTHETIC);
        self.b.def_mut(def).range = TextRange::new(start, start);
    }

    /// Whether something stands between the end of a tag and the next token, or is begun by that.
    pub(super) fn has_content(&self, start: u32, next: Token) -> bool {
        let is_closed = next.kind == Kind::Text && next.sub == JSX_CLOSE;
        !is_closed || !self.text(TextRange::new(start, next.start)).trim().is_empty()
    }

    /// `{ value }`, `{ ...value }`.
    pub(super) fn braced(&mut self) -> Option<ExprId> {
        let end = self.c.group_end(self.c.at);
        let behind = self.c.behind_group(self.c.at);
        self.c.bump();
        self.c.eat_joined(b"...");
        let value = (self.c.at < end).then(|| self.expr());
        self.c.at = behind;
        value
    }

    /// Lower-case names are elements of the platform, not of the program.
    pub(super) fn element_name(&mut self, role: Role) -> Option<ExprId> {
        let token = self.c.peek();
        if token.kind != Kind::Word {
            return None;
        }
        let text = self.c.str(token);
        let is_component = text.starts_with(char::is_uppercase) || self.c.nth(1).is(b'.');
        self.c.bump();
        if !is_component || text.contains('-') {
            while self.c.is(b':') || self.c.is(b'.') || self.c.is(b'-') {
                self.c.at += 2;
            }
            let (element, value) = value::name(&mut self.b, None, text, token.range(), Role::Key);
            self.b.ref_mut(element).flags.set(RefFlags::STATIC);
            return Some(value);
        }
        let mut value = value::name(&mut self.b, None, text, token.range(), role).1;
        while self.c.is(b'.') && self.c.nth(1).kind == Kind::Word {
            self.c.bump();
            let token = self.c.bump();
            value = value::name(&mut self.b, Some(value), self.c.str(token), token.range(), role).1;
        }
        Some(value)
    }
}
