//! From a pattern to the trigrams that every text with a match must hold.

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, Hir, HirKind};

/// The trigrams that a text must hold to be worth reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Nothing is known: every text must be read.
    Anything,
    Trigram(u32),
    All(Vec<Need>),
    Any(Vec<Need>),
}

/// So many texts may stand for one piece of an expression before it is cut in two.
const MAX_TEXTS: usize = 16;
/// And of so many bytes.
const MAX_BYTES: usize = 1 << 10;
/// A class of more characters is not spelled out.
const MAX_CLASS: usize = 8;

/// Three folded bytes of one line as a number; `None` when they are of two lines, which no trigram spans.
pub(crate) fn trigram(bytes: [u8; 3]) -> Option<u32> {
    let [a, b, c] = bytes;
    let is_one_line = bytes.iter().all(|byte| !matches!(byte, b'\n' | b'\r'));
    is_one_line.then_some(u32::from(a) << 16 | u32::from(b) << 8 | u32::from(c))
}

/// The one spelling that stands for both cases of ASCII letters, and for the two letters beyond ASCII that differ from
/// one of them by case only (the long s and the sign for Kelvin).
pub(crate) fn fold(c: char) -> char {
    match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        _ => c.to_ascii_lowercase(),
    }
}

impl Need {
    /// The need of a match of a regular expression; literal text is the simplest one. An expression that cannot be
    /// parsed needs nothing: the search that compiles it reports the error. An expression that cannot be read needs
    /// nothing: whoever compiles it to search with it reports the error.
    pub(crate) fn of(expression: &str, case_sensitive: bool) -> Self {
        let parsed = regex_syntax::ParserBuilder::new()
            .case_insensitive(!case_sensitive)
            .multi_line(true)
            .crlf(true)
            .utf8(false)
            .build()
            .parse(expression);
        parsed.map_or(Self::Anything, |hir| need(&hir))
    }

    fn all(needs: Vec<Self>) -> Self {
        let mut some: Vec<Self> = Vec::new();
        for need in needs {
            match need {
                Self::Anything => {}
                Self::All(inner) => some.extend(inner),
                other => some.push(other),
            }
        }
        some.dedup();
        match some.len() {
            0 => Self::Anything,
            1 => some.remove(0),
            _ => Self::All(some),
        }
    }

    fn any(mut needs: Vec<Self>) -> Self {
        needs.dedup();
        match needs.len() {
            1 => needs.remove(0),
            _ if needs.is_empty() || needs.contains(&Self::Anything) => Self::Anything,
            _ => Self::Any(needs),
        }
    }

    /// The need of a match of one of these texts.
    fn one_of(texts: &BTreeSet<Vec<u8>>) -> Self {
        let of = |text: &Vec<u8>| {
            let windows = text.windows(3).filter_map(|three| trigram([three[0], three[1], three[2]]));
            let trigrams: BTreeSet<u32> = windows.collect();
            Self::all(trigrams.into_iter().map(Self::Trigram).collect())
        };
        Self::any(texts.iter().map(of).collect())
    }
}

fn need(hir: &Hir) -> Need {
    if let Some(texts) = texts_of(hir) {
        return Need::one_of(&texts);
    }
    match hir.kind() {
        HirKind::Capture(capture) => need(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => need(&repetition.sub),
        HirKind::Alternation(branches) => Need::any(branches.iter().map(need).collect()),
        HirKind::Concat(parts) => {
            let mut needs = Vec::new();
            let mut run = BTreeSet::from([Vec::new()]);
            for part in parts {
                let Some(texts) = texts_of(part) else {
                    needs.push(Need::one_of(&std::mem::replace(&mut run, BTreeSet::from([Vec::new()]))));
                    needs.push(need(part));
                    continue;
                };
                match product(&run, &texts) {
                    Some(longer) => run = longer,
                    None => needs.push(Need::one_of(&std::mem::replace(&mut run, texts))),
                }
            }
            needs.push(Need::one_of(&run));
            Need::all(needs)
        }
        _ => Need::Anything,
    }
}

/// Every text that a piece of an expression can match, folded, when there are few.
fn texts_of(hir: &Hir) -> Option<BTreeSet<Vec<u8>>> {
    let nothing = || BTreeSet::from([Vec::new()]);
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(nothing()),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Some(BTreeSet::from([text.chars().map(fold).collect::<String>().into_bytes()]))
        }
        HirKind::Class(class) => texts_of_class(class),
        HirKind::Capture(capture) => texts_of(&capture.sub),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.filter(|max| *max == repetition.min && *max <= 8)?;
            let once = texts_of(&repetition.sub)?;
            (0..times).try_fold(nothing(), |texts, _| product(&texts, &once))
        }
        HirKind::Concat(parts) => {
            parts.iter().try_fold(nothing(), |texts, part| product(&texts, &texts_of(part)?))
        }
        HirKind::Alternation(branches) => {
            let mut texts = BTreeSet::new();
            for branch in branches {
                texts.extend(texts_of(branch)?);
            }
            (texts.len() <= MAX_TEXTS).then_some(texts)
        }
    }
}

fn texts_of_class(class: &Class) -> Option<BTreeSet<Vec<u8>>> {
    let mut texts = BTreeSet::new();
    let mut add = |c: char| texts.insert(fold(c).to_string().into_bytes());
    match class {
        Class::Unicode(class) => {
            let size: usize = class.iter().map(|range| range.len()).sum();
            if size > MAX_CLASS {
                return None;
            }
            class.iter().flat_map(|range| range.start()..=range.end()).for_each(|c| {
                add(c);
            });
        }
        Class::Bytes(class) => {
            let size: usize = class.iter().map(|range| range.len()).sum();
            if size > MAX_CLASS || !class.is_ascii() {
                return None;
            }
            class.iter().flat_map(|range| range.start()..=range.end()).for_each(|byte| {
                add(char::from(byte));
            });
        }
    }
    Some(texts)
}

/// Every text of one set with every one of another behind it.
fn product(heads: &BTreeSet<Vec<u8>>, tails: &BTreeSet<Vec<u8>>) -> Option<BTreeSet<Vec<u8>>> {
    let bytes = |texts: &BTreeSet<Vec<u8>>| texts.iter().map(Vec::len).max().unwrap_or(0);
    if heads.len() * tails.len() > MAX_TEXTS || bytes(heads) + bytes(tails) > MAX_BYTES {
        return None;
    }
    let pair = |head: &Vec<u8>, tail: &Vec<u8>| head.iter().chain(tail).copied().collect();
    Some(heads.iter().flat_map(|head| tails.iter().map(move |tail| pair(head, tail))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(need: &Need) -> String {
        let join = |needs: &[Need], glue: &str| {
            let parts: Vec<String> = needs.iter().map(show).collect();
            format!("({})", parts.join(glue))
        };
        match need {
            Need::Anything => "*".to_owned(),
            Need::Trigram(t) => [t >> 16, t >> 8, *t].iter().map(|b| char::from(*b as u8)).collect(),
            Need::All(needs) => join(needs, " "),
            Need::Any(needs) => join(needs, "|"),
        }
    }

    #[test]
    fn expressions_need_what_all_their_matches_hold() {
        for (expression, case_sensitive, wanted) in [
            ("Error", true, "(err ror rro)"),
            ("Error", false, "(err ror rro)"),
            ("Kiss", false, "(iss kis)"),
            ("ab", true, "*"),
            ("a.c", true, "*"),
            ("foo.*bar", true, "(foo bar)"),
            (r"foo\s+bar", false, "(foo bar)"),
            ("foo|bar", true, "(bar|foo)"),
            ("fo(o|b)ar", true, "((bar fob oba)|(foo oar ooa))"),
            ("(foo)?bar", true, "bar"),
            ("(foo)+", true, "foo"),
            ("x(foo|a*)", true, "*"),
            (r"\bword\b", true, "(ord wor)"),
            (r"one\ntwo", true, "(one two)"),
            ("(ab){2}", true, "(aba bab)"),
            ("[a-z]foo[0-9]", true, "foo"),
            (r"(?-u:\xff)foo", true, "*"),
            ("(", true, "*"),
        ] {
            assert_eq!(show(&Need::of(expression, case_sensitive)), wanted, "{expression}");
        }
    }
}
