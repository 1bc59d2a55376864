//! Astro components: the frontmatter is a module in TypeScript, the markup after it elements as in JSX, but written as HTML
//! allows. Each `<script>` is a module of its own, read in a scope of its own.
//!
//! A component is called `Astro` by itself; its properties have the type `Props`, if its frontmatter declares one.

use ide_model::{Language, TextRange};

use super::components::{Component, Part, Piece, next_block};
use super::front::Parser;
use super::lexer::{JSX_CLOSE, JSX_END, JSX_OPEN, JSX_SELF, STRING, TEMPLATE_HEAD};
use crate::facts::{Expectation, Expr, ExprId, RefFlags, Role};
use crate::kit::{Kind, value};

const FENCE: &str = "---";

/// The code of a component in the order in which it is to be read.
pub(super) fn component(text: &str) -> Component {
    let mut pieces = Vec::new();
    let mut push = |part, from, to| pieces.push(Piece { part, from, to });
    let mut at = 0;
    if let Some((from, to)) = frontmatter(text) {
        push(Part::Script, from, to);
        at = text[to..].find(FENCE).map_or(text.len(), |fence| to + fence + FENCE.len());
    }
    push(Part::Markup, at, text.len());
    while let Some(block) = next_block(text, at) {
        let (from, to) = block.inner;
        if block.is_script && !block.is_data {
            push(Part::Open, from, from);
            push(Part::Script, from, to);
            push(Part::Close, to, to);
        }
        at = block.end;
    }
    Component { pieces, typed: true, language: Language::Astro, is_setup: false }
}

/// Between the fences at the start of a file; without the second one all of it.
fn frontmatter(text: &str) -> Option<(usize, usize)> {
    let inner = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).strip_prefix(FENCE)?;
    let from = text.len() - inner.len();
    let begins_line = |at: &usize| inner[..*at].trim_end_matches([' ', '\t']).ends_with('\n');
    let end = inner.match_indices(FENCE).map(|(at, _)| at).find(begins_line);
    Some((from, from + end.unwrap_or(inner.len())))
}

impl Parser<'_> {
    pub(super) fn is_astro(&self) -> bool {
        self.surroundings.as_ref().is_some_and(|s| s.language == Language::Astro)
    }

    pub(super) fn astro_markup(&mut self) {
        while !self.c.is_end() {
            let mark = self.pending.mark();
            let token = self.c.peek();
            match (token.kind, token.sub) {
                (Kind::Text, JSX_OPEN) => {
                    self.element();
                }
                // The end of an element that was left before.
                (Kind::Text, JSX_CLOSE) => {
                    self.c.bump();
                    self.element_name(Role::Read);
                }
                (Kind::Open, b'{') => {
                    self.braced();
                }
                _ => {
                    self.c.bump();
                }
            }
            self.pending.forget(mark);
        }
    }

    /// The attributes of an element, to the end of the tag; says whether children follow.
    pub(super) fn astro_attributes(&mut self, element: Option<ExprId>) -> bool {
        let facts = self.b.facts();
        let is_component =
            |e: &ExprId| matches!(facts.expr(*e), Expr::Ref(name) if facts.reference(name).role != Role::Key);
        let component = element.filter(is_component);
        let component = component.map(|component| self.b.expr(Expr::InstanceOf(component)));
        while !self.c.is_end() {
            let token = self.c.peek();
            match (token.kind, token.sub) {
                (Kind::Text, JSX_SELF | JSX_END) => {
                    self.c.bump();
                    return token.sub == JSX_END;
                }
                (Kind::Open, b'{') => {
                    let name = self.c.nth(1);
                    let is_shorthand = Self::names(name) && self.c.behind_group(self.c.at) == self.c.at + 3;
                    let mark = self.pending.mark();
                    self.braced();
                    let attribute = component.filter(|_| is_shorthand);
                    let attribute = attribute.map(|component| self.astro_property(component, name.range()));
                    self.receives(mark, attribute);
                }
                (Kind::Word, _) => self.astro_attribute(component),
                _ => {
                    self.c.bump();
                }
            }
        }
        false
    }

    /// `name`, `name="text"`, `name={value}`, `` name=`text` ``, `client:load`.
    fn astro_attribute(&mut self, component: Option<ExprId>) {
        let first = self.c.bump();
        let mut end = first.end;
        let mut is_directive = false;
        while (self.c.is(b':') || self.c.is(b'.')) && self.c.peek().start == end {
            is_directive |= self.c.is(b':');
            self.c.bump();
            end = self.c.bump().end;
        }
        let range = TextRange::new(first.start, end);
        let component = component.filter(|_| !is_directive);
        let attribute = component.map(|component| self.astro_property(component, range));
        if !self.c.eat(b'=') {
            return;
        }
        let mark = self.pending.mark();
        let value = self.c.peek();
        match (value.kind, value.sub) {
            (Kind::Open, b'{') => {
                self.braced();
            }
            (Kind::Text, STRING | TEMPLATE_HEAD) => {
                self.template();
            }
            (Kind::Word | Kind::Number, _) => {
                self.c.bump();
            }
            _ => {}
        }
        self.receives(mark, attribute);
    }

    fn receives(&mut self, mark: usize, attribute: Option<ExprId>) {
        match attribute {
            Some(attribute) => self.pending.settle(&mut self.b, mark, Expectation::Assigned(attribute)),
            None => self.pending.forget(mark),
        }
    }

    fn astro_property(&mut self, component: ExprId, range: TextRange) -> ExprId {
        let name = self.text(range);
        let (key, attribute) = value::name(&mut self.b, Some(component), name, range, Role::Key);
        self.b.ref_mut(key).flags.set(RefFlags::IMPLICIT);
        attribute
    }

    /// The properties of the component itself: `Astro.props`.
    pub(super) fn own_properties(&mut self, base: ExprId, name: &str, value: ExprId) -> ExprId {
        let facts = self.b.facts();
        let is_component = matches!(facts.expr(base), Expr::Ref(r) if facts.ref_name(r) == "Astro");
        if name != "props" || !is_component || !self.is_astro() {
            return value;
        }
        self.b.expr(Expr::InstanceOf(value))
    }
}
