//! The order of completions: what speaks for a name, and how much.

use std::ops::{Add, Range};
use std::sync::Arc;

use ide_model::Language;
use rustc_hash::FxHashMap;

/// Something that speaks for or against a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// How often the file and its neighbours use it.
    Anywhere,
    /// How often it stands behind the same token, the same two, three and five.
    After1,
    After2,
    After3,
    After5,
    /// How often it stands before the same token, and between the same two.
    Before,
    Between,
    /// How near its last use before the place is.
    Recent,
    /// Nothing before the place uses it.
    New,
    /// It is called like the parameter, variable or field that receives the value, or shares words with that.
    SlotIs,
    SlotShares,
    /// A declaration is known.
    Declared,
    Local,
    /// How near the declaration of a local is.
    Near,
    Own,
    Library,
    Deprecated,
    /// It has the type that the place expects.
    Fits,
    /// A function, and a call follows or something else in the line.
    Called,
    Uncalled,
    Type,
    Keyword,
    /// An import binds it to something that nobody has read.
    Outside,
    Guess,
}

const COUNT: usize = Sign::Guess as usize + 1;

/// The weight of each sign, fitted so that the names that really stand somewhere have the most likely scores: 1,850 places in
/// projects of all languages, none of them among those that are measured in `docs/language-servers.md`.
const WEIGHTS: [(Sign, f64); COUNT] = [
    (Sign::Anywhere, -0.61),
    (Sign::After1, -0.08),
    (Sign::After2, 0.70),
    (Sign::After3, 0.36),
    (Sign::After5, 2.05),
    (Sign::Before, 0.74),
    (Sign::Between, 0.69),
    (Sign::Recent, 0.66),
    (Sign::New, -1.17),
    (Sign::SlotIs, 0.89),
    (Sign::SlotShares, 1.03),
    (Sign::Declared, 3.28),
    (Sign::Local, 0.72),
    (Sign::Near, 1.41),
    (Sign::Own, 1.42),
    (Sign::Library, -0.36),
    (Sign::Deprecated, -0.13),
    (Sign::Fits, 0.84),
    (Sign::Called, 1.34),
    (Sign::Uncalled, -2.21),
    (Sign::Type, 0.45),
    (Sign::Keyword, -1.46),
    (Sign::Outside, -1.68),
    (Sign::Guess, 0.58),
];

/// How much of each sign a name has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signs([f64; COUNT]);

impl Signs {
    pub(super) fn of(held: &[Sign]) -> Self {
        let mut signs = Self::default();
        held.iter().for_each(|sign| signs.set(*sign, 1.0));
        signs
    }

    pub(super) fn set(&mut self, sign: Sign, amount: f64) {
        self.0[sign as usize] = amount;
    }

    pub(super) fn score(&self) -> f64 {
        WEIGHTS.iter().map(|(sign, weight)| self.0[*sign as usize] * weight).sum()
    }
}

impl Add for Signs {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] + other.0[at]))
    }
}

/// One for what is just before the place, less and less behind.
pub(super) fn nearness(tokens: usize) -> f64 {
    1.0 / (1.0 + tokens as f64 / 40.0)
}

/// The name of the parameter, variable or field that receives the value of a place, in words.
pub(super) struct Slot {
    words: Vec<String>,
}

impl Slot {
    pub(super) fn new(name: Option<&str>) -> Self {
        Self { words: name.map(words).unwrap_or_default() }
    }

    pub(super) fn signs(&self, name: &str) -> Signs {
        let mut signs = Signs::default();
        if self.words.is_empty() {
            return signs;
        }
        let own = words(name);
        let shared = own.iter().filter(|word| self.words.contains(word)).count();
        signs.set(Sign::SlotIs, f64::from(u8::from(own == self.words)));
        signs.set(Sign::SlotShares, shared as f64 / own.len().max(self.words.len()) as f64);
        signs
    }
}

/// The words of a name, small: `userName`, `user_name` and `USER_NAME` have the same.
fn words(name: &str) -> Vec<String> {
    let mut all: Vec<String> = vec![String::new()];
    let mut was_small = false;
    for c in name.chars() {
        if c == '_' || was_small && c.is_uppercase() {
            all.push(String::new());
        }
        was_small = c != '_' && !c.is_uppercase();
        if let Some(last) = all.last_mut().filter(|_| c.is_alphanumeric()) {
            last.extend(c.to_lowercase());
        }
    }
    all.retain(|word| !word.is_empty());
    all
}

/// How the names of a text are written.
#[derive(Clone, Copy)]
pub(super) struct Words {
    pub(super) language: Language,
    /// A name with this sigil before it is one token.
    pub(super) sigil: Option<char>,
}

impl Words {
    fn is_name(self, token: &str) -> bool {
        let mut chars = token.chars();
        match chars.next() {
            Some(first) if self.sigil == Some(first) => chars.next().is_some(),
            Some(first) => self.language.has_in_names(first) && !first.is_ascii_digit(),
            None => false,
        }
    }
}

/// Tokens before a place that are compared.
const CONTEXT: usize = 5;

/// The names that follow the tokens before the place elsewhere, with how often they do.
pub(super) struct Habits<'t> {
    pub(super) names: FxHashMap<&'t str, Uses>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Uses {
    /// Behind the same token, the same two and so on.
    after: [f64; CONTEXT],
    before: f64,
    between: f64,
    anywhere: f64,
    /// Tokens between the last use before the place and the place.
    distance: Option<usize>,
}

/// The tokens around a place.
struct Around<'t> {
    before: [&'t str; CONTEXT],
    next: &'t str,
}

impl<'t> Habits<'t> {
    pub(super) fn of(
        text: &'t str,
        place: Range<usize>,
        neighbours: &'t [(Arc<str>, f64)],
        words: Words,
    ) -> Self {
        let before: Vec<&str> = tokens(&text[..place.start], words).collect();
        let behind: Vec<&str> = tokens(&text[place.end..], words).collect();
        let mut habits = Self { names: FxHashMap::default() };
        let mut last = before.iter().rev().copied();
        let around = Around {
            before: std::array::from_fn(|_| last.next().unwrap_or("")),
            next: behind.first().copied().unwrap_or(""),
        };
        habits.count(&before, &around, words, 1.0);
        habits.count(&behind, &around, words, 0.8);
        for (distance, token) in before.iter().rev().enumerate() {
            if let Some(uses) = habits.names.get_mut(token) {
                uses.distance.get_or_insert(distance);
            }
        }
        for (neighbour, weight) in neighbours {
            let all: Vec<&str> = tokens(neighbour, words).collect();
            habits.count(&all, &around, words, *weight);
        }
        habits
    }

    fn count(&mut self, tokens: &[&'t str], around: &Around<'_>, words: Words, weight: f64) {
        for (at, token) in tokens.iter().enumerate() {
            if !words.is_name(token) {
                continue;
            }
            let uses = self.names.entry(token).or_default();
            uses.anywhere += weight;
            let same = (0..CONTEXT)
                .take_while(|back| at > *back && tokens[at - 1 - back] == around.before[*back])
                .count();
            for length in 0..same {
                uses.after[length] += weight;
            }
            if tokens.get(at + 1) == Some(&around.next) {
                uses.before += weight;
                uses.between += if same > 0 { weight } else { 0.0 };
            }
        }
    }

    /// Behind how many of the tokens before the place it stands elsewhere, up to three.
    pub(super) fn behind(&self, name: &str) -> usize {
        self.names.get(name).map_or(0, |uses| uses.after[..3].iter().filter(|count| **count > 0.0).count())
    }

    pub(super) fn signs(&self, name: &str) -> Signs {
        let Some(uses) = self.names.get(name) else { return Signs::of(&[Sign::New]) };
        let mut signs = Signs::default();
        let counted = [
            (Sign::Anywhere, uses.anywhere),
            (Sign::After1, uses.after[0]),
            (Sign::After2, uses.after[1]),
            (Sign::After3, uses.after[2]),
            (Sign::After5, uses.after[4]),
            (Sign::Before, uses.before),
            (Sign::Between, uses.between),
        ];
        counted.into_iter().for_each(|(sign, count)| signs.set(sign, count.ln_1p()));
        match uses.distance {
            Some(distance) => signs.set(Sign::Recent, nearness(distance)),
            None => signs.set(Sign::New, 1.0),
        }
        signs
    }
}

/// Names, single signs, and a line's end before the first of them in a line; other white space separates.
fn tokens(text: &str, words: Words) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let behind = rest.trim_start();
        let (space, _) = rest.split_at(rest.len() - behind.len());
        rest = behind;
        if space.contains('\n') {
            return Some("\n");
        }
        let first = rest.chars().next()?;
        let name = if words.sigil == Some(first) { &rest[first.len_utf8()..] } else { rest };
        let length = name.find(|c| !words.language.has_in_names(c)).unwrap_or(name.len());
        let end = if length == 0 { first.len_utf8() } else { rest.len() - name.len() + length };
        let (token, behind) = rest.split_at(end);
        rest = behind;
        Some(token)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Words = Words { language: Language::Php, sigil: None };

    #[test]
    fn tokens_are_names_and_signs() {
        assert_eq!(tokens("a.b_1( c)", PLAIN).collect::<Vec<_>>(), ["a", ".", "b_1", "(", "c", ")"]);
        assert_eq!(tokens("a\n\n  b", PLAIN).collect::<Vec<_>>(), ["a", "\n", "b"]);
        assert_eq!(
            tokens("$a.$b $", Words { sigil: Some('$'), ..PLAIN }).collect::<Vec<_>>(),
            ["$a", ".", "$b", "$"]
        );
        assert_eq!(tokens("$a", PLAIN).collect::<Vec<_>>(), ["$", "a"]);
        let script = Words { language: Language::JavaScript, sigil: None };
        assert_eq!(tokens("a$.$b", script).collect::<Vec<_>>(), ["a$", ".", "$b"]);
    }

    #[test]
    fn what_followed_the_same_words_comes_first() {
        let text = "x.open(); y.close(); x.open(); z(); x.";
        let habits = Habits::of(text, text.len()..text.len(), &[], PLAIN);
        let score = |name: &str| habits.signs(name).score();
        assert!(score("open") > score("close") && score("close") > score("never"));
    }

    #[test]
    fn names_are_alike_by_their_words() {
        assert_eq!(words("userName"), ["user", "name"]);
        assert_eq!(words("USER_NAME_2"), ["user", "name", "2"]);
        let slot = Slot::new(Some("user_name"));
        assert!(slot.signs("userName").score() >= slot.signs("userAge").score());
        assert!(slot.signs("userAge").score() >= slot.signs("other").score());
    }

    #[test]
    fn each_sign_has_its_weight() {
        assert!(WEIGHTS.iter().enumerate().all(|(at, (sign, _))| *sign as usize == at));
    }
}
