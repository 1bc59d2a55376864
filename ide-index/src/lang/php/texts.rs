//! Names in texts: what calls declare (`define('A', 1)`, `class_alias(Old::class, 'New')`), and methods as callable values
//! (`[$this, 'run']`, `[A::class, 'run']`, `'A::run'`), and functions, classes and constants by their qualified names
//! (`'App\\run'`, `array_map('run', $all)`).

use ide_model::{SymbolKind, TextRange};

use super::front::Parser;
use super::lexer::{CLONE, STRING};
use super::names::Segment;
use crate::facts::{
    DefFlags, DefId, Expr, ExprId, List, RefFlags, RefId, Role, ScopeId, ScopeKind, TypeExpr,
};
use crate::kit::{Kind, Token};

/// Functions of the language and which of their arguments, if it is a text, is the name of a function, class or constant.
const TAKE_NAMES: &[(usize, &str)] = &[
    (
        0,
        "array_map call_user_func call_user_func_array class_exists constant defined enum_exists forward_static_call \
            forward_static_call_array function_exists get_class_methods get_class_vars get_parent_class interface_exists \
            is_callable method_exists ob_start property_exists register_shutdown_function set_error_handler \
            set_exception_handler spl_autoload_register trait_exists",
    ),
    (
        1,
        "array_filter array_reduce array_walk array_walk_recursive is_a is_subclass_of iterator_apply \
            preg_replace_callback uasort uksort usort",
    ),
];

/// The argument of a function that is a name.
fn place_of_name(function: &str) -> Option<usize> {
    let named = |names: &str| names.split_whitespace().any(|name| name.eq_ignore_ascii_case(function));
    TAKE_NAMES.iter().find(|(_, names)| named(names)).map(|(place, _)| *place)
}

impl Parser<'_> {
    /// Declares what a call does. `start` is its parenthesis.
    pub(super) fn declared_by_call(&mut self, callee: ExprId, start: usize, args: &[ExprId]) {
        let Expr::Ref(function) = self.b.facts().expr(callee) else { return };
        if self.b.facts().reference(function).receiver.is_some() {
            return;
        }
        if let Some(place) = place_of_name(self.b.facts().ref_name(function)) {
            return self.name_in_argument(start, place);
        }
        let [first, second, ..] = *args else { return };
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

    /// `[$this, 'run']`, `[A::class, 'run']`: the text at a token, where it is all of the second item, names a method of the
    /// first one.
    pub(super) fn callable_array(&mut self, of: ExprId, text: usize, end: usize) {
        let is_all = text + 1 == end || self.c.token(text + 1).is(b',') && text + 2 == end;
        let Some(name) = method_in(self.c.text, self.c.token(text)).filter(|_| is_all) else { return };
        let (object, is_static) = match self.b.facts().expr(of) {
            Expr::Spread(class) => (class, true),
            Expr::This(_) | Expr::New { .. } | Expr::Ref(_) | Expr::Call { .. } => (of, false),
            _ => return,
        };
        self.method_in_text(name, object, is_static);
    }

    /// `'A::run'`.
    pub(super) fn static_callable(&mut self, token: Token) {
        let Some((class, name)) = static_method_in(self.c.text, token) else { return };
        let Some(segments) = self.segments_in(class) else { return };
        let Some((reference, of)) = self.name_of(&segments, true, Role::Type) else { return };
        self.b.ref_mut(reference).flags.set(RefFlags::IN_STRING);
        self.method_in_text(name, of, true);
    }

    /// The text that is all of an argument names a function, class or constant outside of all namespaces.
    fn name_in_argument(&mut self, start: usize, place: usize) {
        let end = self.c.group_end(start);
        let mut at = start + 1;
        for _ in 0..place {
            while at < end && !self.c.token(at).is(b',') {
                at = self.c.over(at).max(at + 1);
            }
            at += 1;
        }
        let is_all = at + 1 == end || at < end && self.c.token(at + 1).is(b',');
        let segments = self.segments_of_text(self.c.token(at)).filter(|_| is_all);
        if let Some([_]) = segments.as_deref() {
            self.named_in_text(self.c.token(at));
        }
    }

    /// `'App\\run'` names what is called so; texts with one segment say it only where a name is expected.
    pub(super) fn qualified_text(&mut self, token: Token) {
        let is_declared = |function: &str| {
            function.eq_ignore_ascii_case("define") || function.eq_ignore_ascii_case("class_alias")
        };
        let at = self.c.at - 1;
        if is_qualified(self.c.text, token)
            && !called_around(self.c.text, &self.c.tokens.list, at).is_some_and(is_declared)
        {
            self.named_in_text(token);
        }
    }

    fn named_in_text(&mut self, token: Token) {
        let Some(segments) = self.segments_of_text(token) else { return };
        let Some((reference, _)) = self.name_of(&segments, true, Role::Read) else { return };
        self.b.ref_mut(reference).flags.set(RefFlags::IN_STRING | RefFlags::METHOD_REF);
    }

    fn method_in_text(&mut self, name: TextRange, of: ExprId, is_static: bool) {
        let reference = self.b.reference(self.text(name), name, Role::Call);
        let r = self.b.ref_mut(reference);
        r.receiver = Some(of);
        r.flags = RefFlags::IN_STRING | RefFlags::METHOD_REF;
        if is_static {
            r.flags.set(RefFlags::STATIC);
        }
    }

    /// The segments of the name that a string literal is.
    fn segments_of_text(&self, token: Token) -> Option<Vec<Segment>> {
        self.segments_in(inside(self.c.text, token)?)
    }

    /// The segments of the name that a range of a text is.
    fn segments_in(&self, range: TextRange) -> Option<Vec<Segment>> {
        let mut segments = Vec::new();
        let mut at = range.start;
        // A backslash may be written twice.
        for part in self.text(range).split('\\') {
            let end = at + part.len() as u32;
            if !part.bytes().all(is_name_byte) {
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

fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
}

/// The text between the quotes of a string literal.
fn inside(text: &str, token: Token) -> Option<TextRange> {
    let literal = text.get(token.start as usize..token.end as usize)?;
    let is_quoted = token.kind == Kind::Text && token.sub == STRING && literal.len() > 1;
    (is_quoted && literal.starts_with(['\'', '"'])).then(|| TextRange::new(token.start + 1, token.end - 1))
}

fn is_identifier(text: &str) -> bool {
    text.bytes().all(is_name_byte) && !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit())
}

/// The name that a string literal is.
pub(super) fn method_in(text: &str, token: Token) -> Option<TextRange> {
    let range = inside(text, token)?;
    is_identifier(&text[range.start as usize..range.end as usize]).then_some(range)
}

/// The class and the method that a string literal names: `'A\B::run'`.
fn static_method_in(text: &str, token: Token) -> Option<(TextRange, TextRange)> {
    let range = inside(text, token)?;
    let (class, method) = text[range.start as usize..range.end as usize].split_once("::")?;
    let is_class = !class.is_empty() && class.bytes().all(|b| is_name_byte(b) || b == b'\\');
    let end = range.start + class.len() as u32;
    (is_class && is_identifier(method))
        .then(|| (TextRange::new(range.start, end), TextRange::new(end + 2, range.end)))
}

/// Whether a string literal is a name with a namespace. Between double quotes a single backslash may be something else.
fn is_qualified(text: &str, token: Token) -> bool {
    let name = inside(text, token).map_or("", |range| &text[range.start as usize..range.end as usize]);
    let between = if text[token.start as usize..].starts_with('"') { "\\\\" } else { "\\" };
    let parts = name.split(between).map(|part| part.trim_matches('\\'));
    let parts: Vec<&str> = parts.skip_while(|part| part.is_empty()).collect();
    let is_doubled = || name.matches("\\\\").count() == name.matches('\\').count() / 2;
    parts.iter().filter(|part| !part.is_empty()).count() > 1
        && parts.iter().all(|part| part.is_empty() || is_identifier(part))
        && !name.ends_with('\\')
        && (between == "\\" || is_doubled())
}

/// The function whose first or second argument begins with a token.
fn called_around<'t>(text: &'t str, all: &[Token], at: usize) -> Option<&'t str> {
    let is = |i: usize, byte: u8| all[i].is(byte);
    let mut i = at.checked_sub(1).filter(|i| is(*i, b'(') || is(*i, b','))?;
    let mut commas = 0;
    while !is(i, b'(') {
        commas += usize::from(is(i, b','));
        // A closed group is one step. Behind a second comma no argument is a name, so that lists are not gone through.
        let is_group = all[i].kind == Kind::Close;
        if commas > 1 || all[i].kind == Kind::Open {
            return None;
        }
        i = if is_group { (all[i].mate as usize).min(i) } else { i }.checked_sub(1)?;
    }
    let word = all[i.checked_sub(1)?];
    (word.kind == Kind::Word).then(|| &text[word.start as usize..word.end as usize])
}

/// Whether the text at a token is an argument that names something.
fn is_named_by_call(text: &str, all: &[Token], at: usize) -> bool {
    method_in(text, all[at]).is_some() && called_around(text, all, at).and_then(place_of_name).is_some()
}

/// Whether the text at a token may name something: it is the second item of an array of two, names a class too, is qualified,
/// or is an argument for a name.
pub(super) fn may_be_name(text: &str, all: &[Token], at: usize) -> bool {
    let token = all[at];
    if token.kind != Kind::Text || token.sub != STRING {
        return false;
    }
    static_method_in(text, token).is_some()
        || is_qualified(text, token)
        || is_named_by_call(text, all, at)
        || is_second_of_two(text, all, at) && method_in(text, token).is_some()
}

fn is_second_of_two(text: &str, all: &[Token], at: usize) -> bool {
    let is = |at: usize, byte: u8| all.get(at).is_some_and(|token| token.is(byte));
    let close = at + 1 + usize::from(is(at + 1, b','));
    if at < 2 || !is(at - 1, b',') || !(is(close, b']') || is(close, b')')) {
        return false;
    }
    let open = all[close].mate as usize;
    let word = all[open.saturating_sub(1)];
    let is_array =
        is(close, b']') || text[word.start as usize..word.end as usize].eq_ignore_ascii_case("array");
    let mut first = open + 1;
    while first < at - 1 && !is(first, b',') {
        first = if all[first].kind == Kind::Open { all[first].mate as usize + 1 } else { first + 1 };
    }
    is_array && first == at - 1
}

/// Whether the word at a token is `clone` with several arguments, whose keys are names of properties.
pub(super) fn is_clone_with(all: &[Token], at: usize) -> bool {
    let open = at + 1;
    if all[at].sub != CLONE || !all.get(open).is_some_and(|token| token.is(b'(')) {
        return false;
    }
    let end = all[open].mate as usize;
    let mut next = open + 1;
    while next < end && !all[next].is(b',') {
        next = if all[next].kind == Kind::Open { all[next].mate as usize + 1 } else { next + 1 };
    }
    next < end
}
