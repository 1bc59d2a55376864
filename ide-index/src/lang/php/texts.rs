//! What calls declare under names in texts: `define('A', 1)`, `class_alias(Old::class, 'New')`.

use ide_model::{SymbolKind, TextRange};

use super::front::Parser;
use super::lexer::STRING;
use super::names::Segment;
use crate::facts::{
    DefFlags, DefId, Expr, ExprId, List, RefFlags, RefId, Role, ScopeId, ScopeKind, TypeExpr,
};
use crate::kit::{Kind, Token};

impl Parser<'_> {
    /// Declares what a call does. `start` is its parenthesis.
    pub(super) fn declared_by_call(&mut self, callee: ExprId, start: usize, args: &[ExprId]) {
        let [first, second, ..] = *args else { return };
        let Expr::Ref(function) = self.b.facts().expr(callee) else { return };
        if self.b.facts().reference(function).receiver.is_some() {
            return;
        }
        let name = self.b.facts().ref_name(function);
        if name.eq_ignore_ascii_case("define") {
            self.defined_constant(start, second);
        } else if name.eq_ignore_ascii_case("class_alias") {
            self.class_alias(start, first);
        }
    }

    fn defined_constant(&mut self, start: usize, value: ExprId) {
        let Some(segments) = self.segments_of_text(self.c.token(start + 1)) else { return };
        // Plain names are constants outside of all namespaces wherever they are defined.
        let def = match segments[..] {
            [name] => Some(self.b.def_in(ScopeId(0), self.text(name), name, SymbolKind::Constant)),
            _ => self.declare_qualified(&segments, SymbolKind::Constant),
        };
        let Some(def) = def else { return };
        self.b.def_mut(def).init = Some(value);
        if segments.len() > 1 {
            self.b.def_mut(def).flags.set(DefFlags::STATIC);
        }
        self.finish_range(def, start);
    }

    fn class_alias(&mut self, start: usize, of: ExprId) {
        let end = self.c.group_end(start);
        let mut comma = start + 1;
        while comma < end && !self.c.token(comma).is(b',') {
            comma = self.c.over(comma).max(comma + 1);
        }
        let Some(alias) = self.segments_of_text(self.c.token(comma + 1)) else { return };
        let class = match self.b.facts().expr(of) {
            Expr::Spread(class) => match self.b.facts().expr(class) {
                Expr::Ref(class) => Some(class),
                _ => None,
            },
            _ => self.class_in_text(self.c.token(start + 1)),
        };
        let Some(name) = class else { return };
        let ty = self.b.ty(TypeExpr::Named { name, args: List::EMPTY });
        if let Some(def) = self.declare_qualified(&alias, SymbolKind::TypeAlias) {
            self.b.def_mut(def).ty = Some(ty);
            self.finish_range(def, start);
        }
    }

    fn class_in_text(&mut self, token: Token) -> Option<RefId> {
        let segments = self.segments_of_text(token)?;
        let (class, _) = self.name_of(&segments, true, Role::Type)?;
        self.b.ref_mut(class).flags.set(RefFlags::IN_STRING);
        Some(class)
    }

    /// A declaration in the namespace that its first segments name.
    fn declare_qualified(&mut self, segments: &[Segment], kind: SymbolKind) -> Option<DefId> {
        let (last, before) = segments.split_last()?;
        let namespace = self.joined(before);
        let range = TextRange::new(segments[0].start, before.last().map_or(last.start, |s| s.end));
        self.b.enter(ScopeId(0));
        let owner = self.b.def(&namespace, range, SymbolKind::Namespace);
        self.b.def_mut(owner).flags.set(DefFlags::SYNTHETIC | DefFlags::ANONYMOUS);
        self.b.open(ScopeKind::Module, last.start, Some(owner));
        let def = self.b.def(self.text(*last), *last, kind);
        self.b.close(last.end);
        self.b.leave();
        Some(def)
    }

    /// The segments of the name that a string literal is.
    fn segments_of_text(&self, token: Token) -> Option<Vec<Segment>> {
        if token.kind != Kind::Text || token.sub != STRING {
            return None;
        }
        let text = self.c.str(token);
        let name = text.get(1..text.len().saturating_sub(1)).filter(|_| text.starts_with(['\'', '"']))?;
        let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
        let mut segments = Vec::new();
        let mut at = token.start + 1;
        // A backslash may be written twice.
        for part in name.split('\\') {
            let end = at + part.len() as u32;
            if !part.bytes().all(is_name) {
                return None;
            }
            if !part.is_empty() {
                segments.push(TextRange::new(at, end));
            }
            at = end + 1;
        }
        (!segments.is_empty()).then_some(segments)
    }
}
