//! The humps of a name.

use super::fold;

/// A name taken apart.
pub(super) struct Name {
    pub(super) folded: Vec<char>,
    pub(super) raw: Vec<char>,
    /// Number of the hump of each character; a hump starts where it grows.
    pub(super) hump: Vec<u16>,
}

impl Name {
    pub(super) fn new(name: &str) -> Self {
        let raw: Vec<char> = name.chars().collect();
        let mut hump = Vec::with_capacity(raw.len());
        let mut number = 0;
        for i in 0..raw.len() {
            if i > 0 && is_hump_start(raw[i - 1], raw[i], raw.get(i + 1).copied()) {
                number += 1;
            }
            hump.push(number);
        }
        Self { folded: raw.iter().copied().map(fold).collect(), raw, hump }
    }

    pub(super) fn starts_hump(&self, at: usize) -> bool {
        at == 0 || self.hump[at] != self.hump[at - 1]
    }
}

/// A hump starts after a separator, at a capital that follows another character or begins a word (`C` in
/// `HTTPClient`), and at a run of digits.
fn is_hump_start(before: char, c: char, after: Option<char>) -> bool {
    if is_separator(c) {
        false
    } else if is_separator(before) {
        true
    } else if c.is_uppercase() {
        !before.is_uppercase() || after.is_some_and(char::is_lowercase)
    } else {
        c.is_numeric() && !before.is_numeric()
    }
}

pub(super) fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '_' | '-' | ':' | '+' | '.' | '/' | '$' | '@' | '#' | '\\')
}
