//! Keyword recognition: one probe per word.

/// Bytes of the longest keyword of any language.
const LONGEST: usize = 16;

/// Maps the words of a fixed list to their numbers, from 1; 0 is "not a keyword".
pub(crate) struct Keywords {
    list: &'static [&'static str],
    slots: [u8; 256],
    /// By first byte, the lengths that words of the list have: most words of a program differ from all of them already
    /// in these.
    lengths: [u32; 256],
}

impl Keywords {
    /// A table of at most 128 distinct words of at least one byte and at most [`LONGEST`].
    pub(crate) const fn new(list: &'static [&'static str]) -> Self {
        assert!(list.len() <= 128);
        let mut slots = [0; 256];
        let mut lengths = [0; 256];
        let mut i = 0;
        while i < list.len() {
            assert!(list[i].len() <= LONGEST);
            lengths[list[i].as_bytes()[0] as usize] |= 1 << list[i].len();
            let mut at = hash(list[i].as_bytes());
            while slots[at as usize] != 0 {
                at = at.wrapping_add(1);
            }
            i += 1;
            slots[at as usize] = i as u8;
        }
        Self { list, slots, lengths }
    }

    /// The number of `word`, 0 when it is not in the list.
    #[inline]
    pub(crate) fn number(&self, word: &str) -> u8 {
        let lengths = self.lengths[usize::from(word.as_bytes()[0])];
        if word.len() > LONGEST || lengths & 1 << word.len() == 0 { 0 } else { self.look_up(word) }
    }

    fn look_up(&self, word: &str) -> u8 {
        let mut at = hash(word.as_bytes());
        loop {
            let number = self.slots[usize::from(at)];
            if number == 0 || self.list[usize::from(number) - 1] == word {
                return number;
            }
            at = at.wrapping_add(1);
        }
    }

    /// [`Self::number`] for languages whose keywords may be written in capitals.
    #[inline]
    pub(crate) fn number_in_any_case(&self, word: &str) -> u8 {
        let lengths = self.lengths[usize::from(word.as_bytes()[0].to_ascii_lowercase())];
        if word.len() > LONGEST || lengths & 1 << word.len() == 0 { 0 } else { self.look_up_lower(word) }
    }

    fn look_up_lower(&self, word: &str) -> u8 {
        let mut lower = [0; LONGEST];
        match lower.get_mut(..word.len()) {
            Some(lower) if word.bytes().any(|byte| byte.is_ascii_uppercase()) => {
                lower.copy_from_slice(word.as_bytes());
                lower.make_ascii_lowercase();
                str::from_utf8(lower).map_or(0, |word| self.number(word))
            }
            _ => self.number(word),
        }
    }
}

const fn hash(word: &[u8]) -> u8 {
    let len = word.len();
    let first = word[0];
    let last = word[len - 1];
    let middle = word[len / 2];
    first
        .wrapping_mul(7)
        .wrapping_add(last.wrapping_mul(31))
        .wrapping_add(middle.wrapping_mul(13))
        .wrapping_add((len as u8).wrapping_mul(57))
}

/// The number that [`Keywords::number`] gives to `word`, for constants.
pub(crate) const fn index_of(list: &[&str], word: &str) -> u8 {
    let mut i = 0;
    while i < list.len() {
        if same(list[i].as_bytes(), word.as_bytes()) {
            return i as u8 + 1;
        }
        i += 1;
    }
    panic!("not in the list");
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// Declares a static keyword table and a constant per keyword:
/// `keywords! { WORDS: CLASS "class", IF "if", _ "goto" }` gives `WORDS: Keywords`, `CLASS: u8 = 1`, `IF: u8 = 2`.
macro_rules! keywords {
    ($table:ident: $($name:tt $text:literal),* $(,)?) => {
        const LIST: &[&str] = &[$($text),*];
        $(pub(crate) const $name: u8 = $crate::kit::index_of(LIST, $text);)*
        pub(crate) static $table: $crate::kit::Keywords = $crate::kit::Keywords::new(LIST);
    };
}
pub(crate) use keywords;

#[cfg(test)]
mod tests {
    keywords! { WORDS: CLASS "class", IF "if", A "a", FINALLY "finally" }

    #[test]
    fn words_have_their_numbers_and_others_none() {
        for (word, number) in [("class", CLASS), ("if", IF), ("a", A), ("finally", FINALLY)] {
            assert_eq!(WORDS.number(word), number);
        }
        assert_eq!((CLASS, FINALLY), (1, 4));
        assert_eq!(WORDS.number_in_any_case("Finally"), FINALLY);
        assert_eq!(WORDS.number_in_any_case("FinallyAndForEverAfter"), 0, "longer than every keyword");
        for other in ["classes", "b", "fi", "finallyy", "ä"] {
            assert_eq!(WORDS.number(other), 0, "{other}");
        }
    }
}
