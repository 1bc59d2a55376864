//! Whether a plain pattern can be laid on a short name at all, a bit for each character.

use super::name::is_separator;
use super::{Part, Start};

/// Longer names, in bytes, are no names in humps but lists of selectors, sentences: plain patterns are parts of them or
/// nothing.
const MAX_HUMP_NAME: usize = 128;

/// A short ASCII name.
pub(super) struct Bits<'n> {
    name: &'n [u8],
    /// The starts of humps.
    starts: u128,
}

impl<'n> Bits<'n> {
    /// `None` for names that are long, empty or not ASCII.
    pub(super) fn new(name: &'n str) -> Option<Self> {
        let name = name.as_bytes();
        if name.is_empty() || name.len() > MAX_HUMP_NAME || !name.is_ascii() {
            return None;
        }
        let all =
            |is: fn(u8) -> bool| name.iter().enumerate().fold(0, |all, (i, c)| all | u128::from(is(*c)) << i);
        let separators = all(|c| is_separator(c.into()));
        let (capitals, small) = (all(|c| c.is_ascii_uppercase()), all(|c| c.is_ascii_lowercase()));
        let digits = all(|c| c.is_ascii_digit());
        // As `is_hump_start` has it.
        let inside = separators << 1 | capitals & (!(capitals << 1) | small >> 1) | digits & !(digits << 1);
        let starts = 1 | inside & !separators;
        Some(Self { name, starts })
    }

    /// Whether letters, case aside, lie on the name, each one at the next character or at the start of a later hump; with
    /// `gaps` also further in the hump of the one before.
    pub(super) fn lies(&self, pattern: &[u8], start: Start, gaps: bool) -> bool {
        let places = |letter: &u8| {
            let bit = |(i, c): (usize, &u8)| u128::from(c.eq_ignore_ascii_case(letter)) << i;
            self.name.iter().enumerate().map(bit).fold(0, |all, bit| all | bit)
        };
        let Some((first, rest)) = pattern.split_first() else { return false };
        let mut reached = places(first)
            & match start {
                Start::First => 1,
                Start::Hump => self.starts,
                Start::Anywhere => u128::MAX,
            };
        for letter in rest {
            if reached == 0 {
                break;
            }
            let lowest = reached & reached.wrapping_neg();
            let mut next = (reached << 1) | self.starts & !(lowest | (lowest - 1));
            if gaps {
                // A sum carries a bit up to the next start of a hump.
                let inside = (reached << 1) & !self.starts;
                next |= (inside.wrapping_add(!self.starts) ^ !self.starts) & !self.starts;
            }
            reached = next & places(letter);
        }
        reached != 0
    }
}

impl Part {
    /// Whether the pattern can only be a part of the name as it is.
    pub(super) fn is_too_long(&self, name: &str) -> bool {
        name.len() > MAX_HUMP_NAME && self.is_plain()
    }

    fn is_plain(&self) -> bool {
        !self.is_wild && self.text.is_ascii() && self.steps.len() == self.text.len()
    }

    /// The name as bits when they tell where the pattern lies.
    pub(super) fn bits<'n>(&self, name: &'n str) -> Option<Bits<'n>> {
        if self.is_plain() { Bits::new(name) } else { None }
    }

    /// False when the pattern is not a part of the name as it is. Exact for what [`Self::bits`] can tell.
    pub(super) fn may_be_part_of(&self, name: &str) -> bool {
        let (text, name) = (self.text.as_bytes(), name.as_bytes());
        let is_known = self.is_plain() && name.is_ascii();
        !is_known || name.windows(text.len()).any(|at| at.eq_ignore_ascii_case(text))
    }
}

#[cfg(test)]
mod tests {
    use super::super::MatchMode;
    use super::super::name::Name;
    use super::*;

    /// All texts of up to so many of these characters.
    fn texts(characters: &str, most: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut from = 0;
        for _ in 0..most {
            let until = all.len();
            for i in from..until {
                all.extend(characters.chars().map(|c| format!("{}{c}", all[i])).collect::<Vec<_>>());
            }
            from = until;
        }
        all.split_off(1)
    }

    #[test]
    fn bits_say_what_the_table_of_costs_says() {
        let names: Vec<(String, Name)> =
            texts("aAb_1", 5).into_iter().map(|name| (name.clone(), Name::new(&name))).collect();
        for text in texts("aAb_1", 3) {
            let pattern = Part::new(&text);
            let mut lie = 0;
            for (name, apart) in &names {
                let bits = Bits::new(name).unwrap();
                for (start, gaps) in [(Start::First, false), (Start::Hump, false), (Start::Hump, true)] {
                    let expected = pattern.align(apart, start, gaps).is_some();
                    lie += usize::from(expected);
                    assert_eq!(bits.lies(text.as_bytes(), start, gaps), expected, "{text} on {name}");
                }
            }
            assert!(lie > 0, "{text}");
        }
        let long = "aB".repeat(64);
        assert!(Bits::new(&long).unwrap().lies(b"bbb", Start::Hump, true));
        assert!(!Bits::new(&long).unwrap().lies(b"bbc", Start::Hump, true));
        let longer = long + "B";
        assert!(Bits::new(&longer).is_none());
        let [whole, apart] =
            ["bABABA", "bbb"].map(|text| Part::new(text).matches(&longer, MatchMode::Substring));
        assert!(whole && !apart);
    }
}
