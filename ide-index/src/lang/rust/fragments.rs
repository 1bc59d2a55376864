//! How far the fragments of macros reach (`$x:expr`, `$t:ty`, …), as far as tokens tell.

use super::lexer::{CONST, DYN, FALSE, FN, FOR, IF, IMPL, IN, LIFETIME, MUT, PUB, STATIC, TRUE, TYPE, USE};
use super::rules::Source;
use crate::guard;
use crate::kit::Kind;

/// The token behind the fragment of a kind that starts at `c`, at most `close`; `None` where there is none.
pub(super) fn fragment_end(call: Source<'_>, kind: &str, c: usize, close: usize) -> Option<usize> {
    if c >= close {
        return (kind == "vis").then_some(c);
    }
    let token = call.token(c);
    let is_lifetime = token.kind == Kind::Text && token.sub == LIFETIME;
    let end = match kind {
        "ident" => (token.kind == Kind::Word).then_some(c + 1),
        "lifetime" => is_lifetime.then_some(c + 1),
        "literal" => {
            let at = c + usize::from(token.is(b'-'));
            let literal = call.token(at);
            let is_literal = literal.kind == Kind::Number
                || literal.kind == Kind::Text && !is_lifetime
                || literal.kind == Kind::Word && matches!(literal.sub, TRUE | FALSE);
            is_literal.then_some(at + 1)
        }
        "tt" => Some(tree_end(call, c)),
        "block" => token.is(b'{').then(|| call.over(c)),
        "vis" => Some(visibility_end(call, c)),
        "ty" | "path" => type_end(call, c, close),
        "meta" => meta_end(call, c, close),
        "item" => item_end(call, c, close),
        "pat" | "pat_param" => value_end(call, c, close, true),
        _ => value_end(call, c, close, false),
    };
    end.filter(|end| *end <= close)
}

/// Signs that are one token.
const SIGNS: [&str; 24] = [
    "<<=", ">>=", "...", "..=", "::", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=",
    "%=", "^=", "&=", "|=", "<<", ">>", "..",
];

fn tree_end(call: Source<'_>, c: usize) -> usize {
    let rest = &call.text[call.token(c).start as usize..];
    let sign = SIGNS.iter().find(|sign| call.token(c).kind == Kind::Punct && rest.starts_with(**sign));
    sign.map_or_else(|| call.over(c), |sign| c + sign.len())
}

fn is_keyword(call: Source<'_>, at: usize, words: &[u8]) -> bool {
    call.is_word(at) && words.contains(&call.token(at).sub)
}

fn joined(call: Source<'_>, at: usize, run: &[u8; 2]) -> bool {
    call.is(at, run[0]) && call.is(at + 1, run[1]) && call.token(at).end == call.token(at + 1).start
}

fn visibility_end(call: Source<'_>, c: usize) -> usize {
    match is_keyword(call, c, &[PUB]) {
        true if call.is(c + 1, b'(') => call.over(c + 1),
        true => c + 1,
        false => c,
    }
}

/// Behind `< … >`.
fn angles_end(call: Source<'_>, mut c: usize, close: usize) -> Option<usize> {
    let mut depth = 0u32;
    while c < close {
        if joined(call, c, b"->") || joined(call, c, b"=>") {
            c += 2;
            continue;
        }
        if call.is(c, b'<') {
            depth += 1;
        } else if call.is(c, b'>') {
            depth -= 1;
            if depth == 0 {
                return Some(c + 1);
            }
        }
        c = call.over(c);
    }
    None
}

fn type_end(call: Source<'_>, mut c: usize, close: usize) -> Option<usize> {
    let mut is_bound = false;
    loop {
        let token = call.token(c);
        let is_lifetime = token.kind == Kind::Text && token.sub == LIFETIME;
        if c >= close {
            return None;
        }
        if is_keyword(call, c, &[FOR]) {
            c = angles_end(call, c + 1, close)?;
        } else if token.is(b'&')
            || token.is(b'*')
            || is_lifetime && !is_bound
            || is_keyword(call, c, &[MUT, CONST, DYN, IMPL])
        {
            is_bound |= is_keyword(call, c, &[DYN, IMPL]);
            c += 1;
        } else {
            break;
        }
    }
    let token = call.token(c);
    if token.kind == Kind::Open || token.is(b'!') {
        return Some(call.over(c));
    }
    if joined(call, c, b"::") {
        c += 2;
    }
    if call.is(c, b'<') {
        c = angles_end(call, c, close)?;
    } else if call.is_word(c) || is_bound {
        c += 1;
    } else {
        return None;
    }
    while c < close {
        if joined(call, c, b"::") {
            c += 2;
            c += usize::from(call.is_word(c));
        } else if joined(call, c, b"->") {
            return guard::deeper(|| type_end(call, c + 2, close))?;
        } else if call.is(c, b'<') {
            c = angles_end(call, c, close)?;
        } else if call.is(c, b'(')
            && (is_bound || is_keyword(call, c - 1, &[FN]) || is_fn_trait(call.str(c - 1)))
        {
            c = call.over(c);
        } else if is_bound && call.is(c, b'+') {
            return type_end_of_bound(call, c + 1, close);
        } else {
            break;
        }
    }
    Some(c)
}

fn is_fn_trait(name: &str) -> bool {
    matches!(name, "Fn" | "FnMut" | "FnOnce" | "AsyncFn" | "AsyncFnMut" | "AsyncFnOnce")
}

/// `A + 'a + B`, behind a plus.
fn type_end_of_bound(call: Source<'_>, c: usize, close: usize) -> Option<usize> {
    let mut from = c;
    loop {
        let is_lifetime = call.token(from).kind == Kind::Text;
        let end = if is_lifetime { from + 1 } else { guard::deeper(|| type_end(call, from, close))?? };
        if end >= close || !call.is(end, b'+') {
            return Some(end);
        }
        from = end + 1;
    }
}

fn meta_end(call: Source<'_>, mut c: usize, close: usize) -> Option<usize> {
    if !call.is_word(c) {
        return None;
    }
    c += 1;
    while c < close && joined(call, c, b"::") {
        c += 3;
    }
    match call.token(c) {
        token if c < close && token.kind == Kind::Open => Some(call.over(c)),
        token if c < close && token.is(b'=') => value_end(call, c + 1, close, false),
        _ => Some(c),
    }
}

fn item_end(call: Source<'_>, mut c: usize, close: usize) -> Option<usize> {
    while call.is(c, b'#') {
        c = call.over(c + 1);
    }
    c = visibility_end(call, c);
    if !call.is_word(c) {
        return None;
    }
    let ends_with_mark = is_keyword(call, c, &[USE, TYPE, STATIC])
        || is_keyword(call, c, &[CONST]) && !is_keyword(call, c + 1, &[FN]);
    while c < close {
        if call.is(c, b';') || call.is(c, b'{') && !ends_with_mark {
            return Some(call.over(c));
        }
        c = call.over(c);
    }
    None
}

/// An expression ends before `,`, `;` and `=>`, a pattern before `=`, `if` and `in` too.
fn value_end(call: Source<'_>, from: usize, close: usize, is_pattern: bool) -> Option<usize> {
    let mut c = from;
    while c < close {
        let starts_closure = call.is(c, b'|')
            && !is_pattern
            && (c == from || matches!(call.str(c - 1), "move" | "=" | "(" | "return" | "async"));
        if starts_closure {
            c = (c + 1..close).find(|i| call.is(*i, b'|'))? + 1;
            continue;
        }
        if joined(call, c, b"::") && call.is(c + 2, b'<') {
            c = angles_end(call, c + 2, close)?;
            continue;
        }
        let ends = call.is(c, b',')
            || call.is(c, b';')
            || joined(call, c, b"=>")
            || is_pattern && (call.is(c, b'=') && !call.is(c - 1, b'.') || is_keyword(call, c, &[IF, IN]));
        if ends {
            break;
        }
        c = call.over(c);
    }
    (c > from).then_some(c)
}
