//! Vue, Svelte and Astro components: their scripts, and the code in their markup.
//!
//! Scripts are read first, as one module. The markup follows in scopes of its own inside the scope of the file: one for
//! all of it, and one for each element or block that declares names. Every piece of code is read alone, where it stands.
//!
//! In Vue, names of the markup that the script does not declare for it are members of the component: of its properties
//! where the script is the set-up, of its options otherwise. In Svelte `$name` is the value of the store `name`, and
//! `$: name = value` declares the name. The parts of Astro alone are in `astro.rs`.

use ide_model::{Language, SymbolKind, TextRange};

use super::astro;
use super::front::{Ecma, Parser};
use super::lexer::{self, ASYNC, CONST, FUNCTION, LET, VAR};
use super::markup::Markup;
use super::options::{declared_properties, option, options_of};
use crate::facts::{Expectation, Expr, ExprId, Ref, RefFlags, RefId, Role, ScopeId, ScopeKind};
use crate::kit::{Cursor, Kind, Token, Tokens, value};
use crate::resolve::FileView;

/// Names that the markup of Vue takes from the platform.
const PLATFORM: &str = "Array BigInt Boolean Date Error Infinity Intl JSON Map Math NaN Number Object RegExp Set String \
    Symbol console decodeURI decodeURIComponent encodeURI encodeURIComponent isFinite isNaN parseFloat \
    parseInt";

/// Elements of HTML and SVG whose names are words that a script may use, too.
const NATIVE: &str = "a abbr address area article aside audio b base blockquote body br button canvas caption cite code \
    col data datalist dd del details dfn dialog div dl dt em embed fieldset figure footer form head \
    header hr html i iframe img input ins kbd label legend li link main map mark menu meta meter nav \
    object ol optgroup option output p param picture pre progress q s samp script search section select \
    slot small source span strong style sub summary sup table tbody td template textarea tfoot th thead \
    time title tr track u ul var video wbr circle defs desc ellipse filter g image line mask path \
    pattern polygon polyline rect stop svg switch symbol text use view component";

/// The role of a piece of code in the component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Script,
    /// The type parameters of the component.
    Generics,
    /// A scope begins or ends.
    Open,
    Close,
    Value,
    /// A value that is assigned as well.
    Written,
    /// A value, or statements.
    Handler,
    /// The iterated value, and the awaited one: [`Self::Items`] names the first thing that it gives.
    Iterated,
    Awaited,
    Items,
    Names,
    /// `name = value`.
    Constant,
    /// `name(parameters)`, and a scope begins.
    Snippet,
    /// The name of an element.
    Tag,
    /// A word that may be the name of a variable.
    Declared,
    /// The name of an attribute, which may stand for a value in the other spelling.
    Camel,
    Directive,
    /// The name of an attribute: a property of the component whose name came before.
    Property,
    /// The same, of an attribute whose value is code: its name may stand for the value as well.
    Key,
    /// The whole markup of Astro.
    Markup,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) part: Part,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// The code of a component in the order in which it is to be read.
pub(super) struct Component {
    pub(super) pieces: Vec<Piece>,
    pub(super) typed: bool,
    pub(super) language: Language,
    pub(super) is_setup: bool,
}

/// The parser's knowledge of the component that it reads.
pub(super) struct Surroundings {
    pub(super) language: Language,
    is_setup: bool,
    in_markup: bool,
    /// The component as a value: what its markup takes names from.
    instance: Option<ExprId>,
    /// The literal with the components that the markup may name.
    registered: Option<ExprId>,
    /// The component whose attributes are read.
    element: Option<ExprId>,
    /// The attribute whose value may come next, and where its name ends.
    attribute: Option<(ExprId, usize)>,
    /// The value that the next names receive.
    item: Option<ExprId>,
    /// The first declaration of the markup.
    first: usize,
}

/// The component that a file is; `None` for other files.
pub(super) fn component_of(language: Language, text: &str) -> Option<Component> {
    let is_vue = match language {
        Language::Vue => true,
        Language::Svelte => false,
        Language::Astro => return Some(astro::component(text)),
        _ => return None,
    };
    let mut component = Component { pieces: Vec::new(), typed: false, language, is_setup: false };
    let mut rest = Vec::new();
    let mut styles = Vec::new();
    let mut at = 0;
    while let Some(block) = next_block(text, at) {
        rest.push((at, block.start));
        let (from, to) = block.inner;
        if block.is_script {
            component.typed |= block.typed;
            component.is_setup |= block.is_setup;
            if let Some((from, to)) = block.generics {
                component.pieces.push(Piece { part: Part::Generics, from, to });
            }
            component.pieces.push(Piece { part: Part::Script, from, to });
        } else if is_vue {
            styles.push((from, to));
        }
        at = block.end;
    }
    rest.push((at, text.len()));
    let mut pieces = Vec::new();
    let mut markup = Markup::new(text, &mut pieces, is_vue);
    for (from, to) in rest {
        markup.read(from, to);
    }
    markup.finish(text.len());
    component.pieces.append(&mut pieces);
    for (from, to) in styles {
        component.pieces.extend(bound_styles(text, from, to));
    }
    Some(component)
}

/// `v-bind(value)` in a style.
fn bound_styles(text: &str, from: usize, to: usize) -> impl Iterator<Item = Piece> {
    const BIND: &str = "v-bind(";
    text[from..to].match_indices(BIND).filter_map(move |(at, _)| {
        let start = from + at + BIND.len();
        let end = start + text[start..to].find(')')?;
        let around = |c: char| c.is_whitespace() || matches!(c, '"' | '\'');
        let inner = text[start..end].trim_start_matches(around);
        let from = end - inner.len();
        let to = from + inner.trim_end_matches(around).len();
        (from < to).then_some(Piece { part: Part::Value, from, to })
    })
}

/// `<script …>…</script>` or `<style …>…</style>`.
pub(super) struct Block {
    start: usize,
    pub(super) inner: (usize, usize),
    pub(super) end: usize,
    pub(super) is_script: bool,
    /// A script whose type says that it is no program.
    pub(super) is_data: bool,
    typed: bool,
    is_setup: bool,
    generics: Option<(usize, usize)>,
}

pub(super) fn next_block(text: &str, from: usize) -> Option<Block> {
    let find = |name: &str| {
        let opening = format!("<{name}");
        let mut at = from;
        loop {
            let start = at + text[at..].find(&opening)?;
            let behind = start + opening.len();
            if text[behind..].starts_with(|c: char| c == '>' || c.is_whitespace()) {
                return Some((start, behind));
            }
            at = behind;
        }
    };
    let (script, style) = (find("script"), find("style"));
    let is_script = script.is_some_and(|(at, _)| style.is_none_or(|(other, _)| at < other));
    let (start, behind) = if is_script { script? } else { style? };
    let inner = behind + tag_end(&text[behind..])? + 1;
    let attributes = &text[behind..inner];
    let closing = if is_script { "</script" } else { "</style" };
    let inner_end = text[inner..].find(closing).map_or(text.len(), |at| inner + at);
    let end = text[inner_end..].find('>').map_or(text.len(), |at| inner_end + at + 1);
    let typed = ["\"ts\"", "'ts'", "=ts", "\"tsx\"", "'tsx'"].iter().any(|lang| attributes.contains(lang));
    let is_setup = attributes.split([' ', '\t', '\n', '\r', '=', '>']).any(|word| word == "setup");
    let generics = ["generics=\"", "generic=\""].iter().find_map(|name| {
        let from = behind + attributes.find(name)? + name.len();
        Some((from, from + text[from..].find('"')?))
    });
    let is_data =
        attributes.contains("type=") && !["module", "javascript"].iter().any(|of| attributes.contains(of));
    Some(Block { start, inner: (inner, inner_end), end, is_script, is_data, typed, is_setup, generics })
}

/// The `>` of a tag; those in quotes do not end it.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    text.bytes().position(|b| match (quote, b) {
        (Some(open), b) => {
            quote = Some(open).filter(|open| *open != b);
            false
        }
        (None, b'"' | b'\'') => {
            quote = Some(b);
            false
        }
        (None, b) => b == b'>',
    })
}

impl Ecma {
    /// The tokens of each piece.
    pub(super) fn lex(component: &Component, text: &str) -> Vec<Tokens> {
        let lex = |piece: &Piece| match piece.part {
            Part::Markup => lexer::lex_markup(text, piece.from, piece.to),
            _ => lexer::lex_between(text, piece.from, piece.to),
        };
        component.pieces.iter().map(lex).collect()
    }
}

impl<'a> Parser<'a> {
    pub(super) fn component(&mut self, component: &Component, tokens: &'a [Tokens]) {
        self.surroundings = Some(Surroundings {
            language: component.language,
            is_setup: component.is_setup,
            in_markup: false,
            instance: None,
            registered: None,
            element: None,
            attribute: None,
            item: None,
            first: 0,
        });
        let text = self.c.text;
        for (piece, tokens) in component.pieces.iter().zip(tokens) {
            self.c = Cursor::new(text, tokens);
            if piece.part == Part::Generics {
                self.type_parameters();
                continue;
            }
            if piece.part == Part::Script {
                for range in &tokens.unmatched {
                    self.b.error(*range, "this bracket has no partner");
                }
                let first = self.b.facts().defs.len();
                self.statements(usize::MAX);
                self.documented_types(first);
                continue;
            }
            if self.surroundings.as_ref().is_some_and(|s| !s.in_markup) {
                self.b.open(ScopeKind::Block, 0, None);
                self.enter_markup();
            }
            self.piece(*piece);
        }
        let end = text.len() as u32;
        if self.surroundings.take().is_some_and(|s| s.in_markup) {
            self.b.close(end);
        }
    }

    /// The scripts are read: what the markup may take names from is known.
    fn enter_markup(&mut self) {
        let Some(s) = self.surroundings.as_mut() else { return };
        s.in_markup = true;
        s.first = self.b.facts().defs.len();
        if s.language != Language::Vue {
            return;
        }
        if s.is_setup {
            s.instance = declared_properties(self.b.facts());
        } else if let Some(options) = options_of(self.b.facts()) {
            let facts = self.b.facts();
            let literal =
                |def| facts.exprs.iter().position(|e| *e == Expr::Class(def)).map(|at| ExprId(at as u32));
            s.registered = option(facts, options, "components").and_then(literal);
            let value = match literal(options) {
                Some(literal) => literal,
                None => self.b.expr(Expr::Value(options)),
            };
            s.instance = Some(self.b.expr(Expr::InstanceOf(value)));
        }
    }

    fn piece(&mut self, piece: Piece) {
        let mark = self.pending.mark();
        self.statement = self.c.at;
        match piece.part {
            Part::Script | Part::Generics => {}
            Part::Markup => self.astro_markup(),
            Part::Open => {
                self.b.open(ScopeKind::Block, piece.from as u32, None);
            }
            Part::Close => {
                self.b.close(piece.to as u32);
            }
            Part::Value => {
                self.c.eat_joined(b"...");
                self.expr();
                let attribute = self.surroundings.as_mut().and_then(|s| s.attribute.take());
                if let Some((attribute, end)) = attribute.filter(|(_, end)| *end < piece.from)
                    && !self.c.text[end..piece.from].contains(char::is_alphabetic)
                {
                    self.pending.settle(&mut self.b, mark, Expectation::Assigned(attribute));
                }
            }
            Part::Written => {
                let target = self.expr();
                self.mark_written(target, Role::ReadWrite);
            }
            Part::Handler => self.handler(),
            Part::Iterated | Part::Awaited => {
                let value = self.expr();
                let given =
                    if piece.part == Part::Awaited { Expr::Await(value) } else { Expr::Element(value) };
                let item = self.b.expr(given);
                self.given(Some(item));
            }
            Part::Items | Part::Names => {
                let mut value = self.given(None).filter(|_| piece.part == Part::Items);
                while !self.c.is_end() {
                    let before = self.c.at;
                    self.markup_names(value.take());
                    self.c.eat(b',');
                    if self.c.at == before {
                        break;
                    }
                }
            }
            Part::Constant => {
                let scope = self.b.scope();
                self.variable(scope, SymbolKind::Constant, self.c.at);
            }
            Part::Snippet => self.snippet(),
            Part::Tag => {
                let element = self.markup_tag();
                let element = element.map(|tag| self.b.expr(Expr::InstanceOf(tag)));
                if let Some(s) = self.surroundings.as_mut() {
                    s.element = element;
                }
            }
            Part::Property | Part::Key => self.property_of_element(piece),
            Part::Declared | Part::Camel | Part::Directive => self.markup_word(piece),
        }
        self.pending.forget(mark);
    }

    fn given(&mut self, item: Option<ExprId>) -> Option<ExprId> {
        std::mem::replace(&mut self.surroundings.as_mut()?.item, item)
    }

    fn markup_names(&mut self, value: Option<ExprId>) {
        let pattern = self.c.at;
        // A type behind the names says what they are.
        self.c.at = self.c.over(pattern);
        let ty = self.annotation();
        let behind = self.c.at;
        let value = match ty {
            Some(ty) => {
                let inner = value.unwrap_or_else(|| self.b.expr(Expr::Unknown));
                Some(self.b.expr(Expr::Cast { ty, value: inner }))
            }
            None => value,
        };
        self.c.at = pattern;
        let scope = self.b.scope();
        self.pattern(scope, SymbolKind::Variable, value);
        self.c.at = self.c.at.max(behind);
        if self.c.eat(b'=') {
            self.assignment_expr();
        }
    }

    /// `go`, `go(1)`, `a = 1; go()`.
    fn handler(&mut self) {
        let first = self.c.peek();
        let is_function = first.kind == Kind::Word
            && (first.sub == FUNCTION || first.sub == ASYNC && self.c.nth(1).sub == FUNCTION);
        if is_function {
            self.expr();
        }
        while !self.c.is_end() {
            let before = self.c.at;
            self.statement();
            if self.c.at == before {
                self.c.skip();
            }
        }
    }

    fn snippet(&mut self) {
        let start = self.c.at;
        let name = self.c.peek();
        let def = Self::names(name).then(|| {
            self.c.bump();
            self.declare(name, SymbolKind::Function)
        });
        self.b.open(ScopeKind::Block, name.start, None);
        if self.c.is(b'(') {
            let params = self.parameters();
            if let Some(def) = def {
                let params = self.b.list(params);
                self.b.def_mut(def).params = params;
            }
        }
        if let Some(def) = def {
            self.finish(def, start);
        }
    }

    /// The name of an element, where it is a component of the program. In Vue it may be written in the other spelling.
    fn markup_tag(&mut self) -> Option<ExprId> {
        let text = self.c.text;
        let first = self.c.peek();
        let (from, to) = (first.start as usize, self.c.token(usize::MAX).start as usize);
        let name = &text[from..to];
        let is_component = name.starts_with(char::is_uppercase);
        if first.kind != Kind::Word || name.contains(':') || has_word(NATIVE, name) {
            return None;
        }
        if name.contains('.') || !self.is_vue() {
            return (is_component || name.contains('.')).then(|| self.expr());
        }
        let range = TextRange::new(from as u32, to as u32);
        let camel = camel(name);
        let pascal = pascal(&camel);
        let candidates = [name, pascal.as_str(), camel.as_str()];
        if let Some(components) = self.surroundings.as_ref().and_then(|s| s.registered) {
            let facts = self.b.facts();
            let body = match facts.expr(components) {
                Expr::Class(literal) => facts.def(literal).body,
                _ => None,
            };
            let is_key = |name: &&&str| {
                facts.defs.iter().any(|d| Some(d.scope) == body && facts.name(d.name) == **name)
            };
            let key = candidates.iter().find(is_key)?;
            return Some(value::name(&mut self.b, Some(components), key, range, Role::Read).1);
        }
        let declared = candidates.into_iter().find(|name| self.is_declared(name));
        let named = declared.or(Some(name).filter(|_| is_component))?;
        Some(value::name(&mut self.b, None, named, range, Role::Read).1)
    }

    fn property_of_element(&mut self, piece: Piece) {
        let element = self.surroundings.as_ref().and_then(|s| s.element);
        if element.is_none() && piece.part == Part::Property {
            return;
        }
        let text = self.c.text;
        let word = &text[piece.from..piece.to];
        let word = word.split('.').next().unwrap_or(word);
        let name = if self.is_vue() { camel(word) } else { word.to_owned() };
        let range = TextRange::new(piece.from as u32, (piece.from + word.len()) as u32);
        let (key, attribute) = value::name(&mut self.b, element, &name, range, Role::Key);
        self.b.ref_mut(key).flags.set(RefFlags::IMPLICIT);
        if let Some(s) = self.surroundings.as_mut() {
            s.attribute = element.map(|_| (attribute, piece.to));
        }
    }

    /// A word of the markup that stands for a variable, if there is one.
    fn markup_word(&mut self, piece: Piece) {
        let text = self.c.text;
        let word = &text[piece.from..piece.to];
        let word = if piece.part == Part::Camel { word.split('.').next().unwrap_or(word) } else { word };
        let name = match piece.part {
            Part::Camel => camel(word),
            Part::Directive => format!("v{}", pascal(&camel(word))),
            _ => word.to_owned(),
        };
        let range = TextRange::new(piece.from as u32, (piece.from + word.len()) as u32);
        let is_known = self.is_declared(&name)
            || piece.part == Part::Camel && self.surroundings.as_ref().is_some_and(|s| s.instance.is_some());
        if is_known && (piece.part == Part::Camel || self.surroundings.as_ref().is_some_and(|s| s.is_setup)) {
            let receiver = self.taken_from(&name);
            value::name(&mut self.b, receiver, &name, range, Role::Read);
        }
    }

    fn is_vue(&self) -> bool {
        self.surroundings.as_ref().is_some_and(|s| s.language == Language::Vue)
    }

    /// Whether a name is declared around: in the markup here, or by the scripts.
    fn is_declared(&self, name: &str) -> bool {
        self.is_declared_from(0, true, name)
    }

    /// [`Self::is_declared`] by one of the declarations from `first` on, with those of the file's scope or without.
    fn is_declared_from(&self, first: usize, in_file: bool, name: &str) -> bool {
        let facts = self.b.facts();
        let is_around = |scope: ScopeId| {
            (in_file || scope != ScopeId(0))
                && facts.scope_chain(self.b.scope()).any(|around| around == scope)
        };
        facts.defs[first..].iter().any(|d| facts.name(d.name) == name && is_around(d.scope))
    }

    /// A name that stands alone, as a reference and as a value.
    pub(super) fn free_name(&mut self, token: Token) -> (RefId, ExprId) {
        let text = self.c.str(token);
        if let Some(s) = &self.surroundings {
            if s.language == Language::Svelte
                && text.len() > 1
                && text.starts_with('$')
                && !text.starts_with("$$")
                && !self.is_rune(text)
            {
                let range = TextRange::new(token.start + 1, token.end);
                let (reference, store) = value::name(&mut self.b, None, &text[1..], range, Role::Read);
                return (reference, self.b.expr(Expr::Deref(store)));
            }
            if s.in_markup && s.language == Language::Vue {
                let receiver = self.taken_from(text);
                return value::name(&mut self.b, receiver, text, token.range(), Role::Read);
            }
        }
        value::name(&mut self.b, None, text, token.range(), Role::Read)
    }

    /// The instance that a name of the markup is a member of.
    fn taken_from(&self, name: &str) -> Option<ExprId> {
        let s = self.surroundings.as_ref()?;
        let instance = s.instance?;
        if has_word(PLATFORM, name) || name.starts_with('$') {
            return None;
        }
        let first = if s.is_setup { 0 } else { s.first };
        (!self.is_declared_from(first, s.is_setup, name)).then_some(instance)
    }

    /// `$state(…)` and the like: words of the language, unless a store has that name.
    fn is_rune(&self, text: &str) -> bool {
        const RUNES: &[&str] = &["$bindable", "$derived", "$effect", "$host", "$inspect", "$props", "$state"];
        RUNES.contains(&text)
            && (self.c.is(b'(') || self.c.is(b'.') || self.c.is(b'<'))
            && !self.is_declared(&text[1..])
    }

    /// `$: name = value` and `$: ({ a, b } = value)` declare what nothing else declares; the label is read.
    pub(super) fn reactive_declaration(&mut self) -> bool {
        if self.surroundings.as_ref().is_none_or(|s| s.language != Language::Svelte || s.in_markup)
            || self.b.scope() != ScopeId(0)
        {
            return false;
        }
        let start = self.c.at;
        let inside = usize::from(self.c.is(b'('));
        let first = self.c.nth(inside);
        let behind = self.c.token(self.c.over(start + inside));
        let is_pattern = inside == 1 && (first.is(b'{') || first.is(b'['));
        let is_assignment = behind.is(b'=') && !self.c.joined_at(self.c.over(start + inside), b"==");
        if !is_assignment || !(is_pattern || inside == 0 && Self::names(first)) {
            return false;
        }
        let names = self.c.over(start + inside);
        let is_new = |index: usize| {
            let token = self.c.token(index);
            !Self::names(token) || !self.is_declared_in_script(self.c.str(token))
        };
        if !(start + inside..names).all(is_new) {
            return false;
        }
        let end = if inside == 1 { self.c.behind_group(start) } else { start };
        self.c.at += inside;
        let scope = self.b.scope();
        self.variable(scope, SymbolKind::Variable, self.c.at);
        self.c.at = self.c.at.max(end);
        self.end();
        true
    }

    /// Whether a variable is declared at the top of the script, here or further down.
    fn is_declared_in_script(&self, name: &str) -> bool {
        let facts = self.b.facts();
        let declares = |index: usize| {
            let (word, token) = (self.c.token(index), self.c.token(index + 1));
            word.kind == Kind::Word
                && matches!(word.sub, LET | VAR | CONST)
                && token.kind == Kind::Word
                && self.c.str(token) == name
        };
        facts.defs.iter().any(|d| d.scope == ScopeId(0) && facts.name(d.name) == name)
            || (self.c.at..self.c.tokens.list.len()).any(declares)
    }
}

/// A name of Vue's markup in the spelling in which it was written.
pub(super) fn respelled(written: &str, old: &str, new: &str) -> Option<String> {
    let camel = camel(written);
    if !written.contains('-') || camel != old && pascal(&camel) != old {
        return None;
    }
    let mut out = String::new();
    for (i, c) in new.chars().enumerate() {
        if c.is_uppercase() && i > 0 {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    Some(out)
}

/// Whether a reference is the name of an attribute.
pub(super) fn is_attribute(file: &FileView, r: &Ref) -> bool {
    matches!(file.language, Language::Vue | Language::Svelte | Language::Astro)
        && r.role == Role::Key
        && r.flags.has(RefFlags::IMPLICIT)
        && file.scope(r.scope).kind == ScopeKind::Block
}

/// How a key of the markup and its value are written apart: `{name}`, `bind:name`, `:name`.
pub(super) fn written_out(
    file: &FileView,
    range: TextRange,
    before: &str,
) -> Option<(&'static str, &'static str)> {
    file.refs.iter().find(|r| r.range == range && is_attribute(file, r))?;
    match (file.language, before) {
        (Language::Svelte | Language::Astro, "{") => Some(("={", "")),
        (Language::Svelte, ":") => Some(("={", "}")),
        (Language::Vue, ":") => Some(("=\"", "\"")),
        _ => None,
    }
}

fn has_word(words: &str, name: &str) -> bool {
    words.split_whitespace().any(|word| word == name)
}

/// `foo-bar` as `fooBar`.
pub(super) fn camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for (i, part) in name.split('-').enumerate() {
        if i == 0 { out.push_str(part) } else { out.push_str(&pascal(part)) }
    }
    out
}

fn pascal(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
