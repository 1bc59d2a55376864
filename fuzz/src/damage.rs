//! Inputs that say how to spoil bytes that are right: fuzzers do not guess checksums and offsets.

use std::borrow::Cow;

use ide_model::{LANGUAGES, Language};

/// The first byte says how many changes there are, three bytes each follow, the rest is source text.
pub(crate) struct Damage<'a> {
    changes: &'a [u8],
    /// The text from which the right bytes are made.
    pub(crate) source: &'a [u8],
}

impl<'a> Damage<'a> {
    pub(crate) fn read(input: &'a [u8]) -> Self {
        let (count, rest) = input.split_first().unwrap_or((&0, &[]));
        let (changes, source) = rest.split_at((usize::from(*count % 32) * 3).min(rest.len()));
        Self { changes, source }
    }

    /// Makes the changes; offsets wrap around.
    pub(crate) fn apply(&self, bytes: &mut [u8]) {
        for change in self.changes.chunks_exact(3) {
            let at = usize::from(u16::from_le_bytes([change[0], change[1]]));
            if let Some(len) = std::num::NonZero::new(bytes.len()) {
                bytes[at % len] = change[2];
            }
        }
    }
}

/// A source file: the first byte chooses the language and dialect, the rest is its text.
pub(crate) struct SourceFile<'a> {
    pub(crate) language: Language,
    pub(crate) path: String,
    pub(crate) text: Cow<'a, str>,
}

impl<'a> SourceFile<'a> {
    pub(crate) fn read(input: &'a [u8]) -> Self {
        let (choice, text) = input.split_first().unwrap_or((&0, &[]));
        let dialects: Vec<(Language, &str)> = LANGUAGES
            .iter()
            .flat_map(|row| row.extensions.iter().map(|extension| (row.language, *extension)))
            .collect();
        let (language, extension) = dialects[usize::from(*choice) % dialects.len()];
        Self { language, path: format!("a/b.{extension}"), text: String::from_utf8_lossy(text) }
    }
}
