//! Edits of text, carried out on the bytes of a file so that every other byte stays as it is.

use ide_model::{ContentHash, TextEdit};
use xxhash_rust::xxh3::xxh3_128;

/// The hash by which plans and files are compared.
#[must_use]
pub fn content_hash(bytes: &[u8]) -> ContentHash {
    ContentHash(xxh3_128(bytes))
}

/// The bytes after edits whose offsets count in the text as snapshots give it: the bytes themselves, each that is not
/// UTF-8 as one character; of a file with a mark of UTF-16 the converted text without the mark. `None` when an edit
/// does not lie on characters, or would have to be written into a file that is not text.
pub(crate) fn edited(bytes: &[u8], edits: &[TextEdit]) -> Option<Vec<u8>> {
    if edits.is_empty() {
        return Some(bytes.to_vec());
    }
    match bytes {
        [0xff, 0xfe, ..] => edited_utf16(bytes, edits, u16::from_le_bytes, u16::to_le_bytes),
        [0xfe, 0xff, ..] => edited_utf16(bytes, edits, u16::from_be_bytes, u16::to_be_bytes),
        _ => splice(bytes, edits.iter().map(|edit| (edit, edit.text.as_bytes().to_vec())), |at| {
            let at = at as usize;
            (at <= bytes.len() && bytes.get(at).is_none_or(|byte| byte & 0xc0 != 0x80)).then_some(at)
        }),
    }
}

fn splice<'e>(
    bytes: &[u8],
    edits: impl Iterator<Item = (&'e TextEdit, Vec<u8>)>,
    mut place: impl FnMut(u32) -> Option<usize>,
) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for (edit, text) in edits {
        let (start, end) = (place(edit.range.start)?, place(edit.range.end)?);
        out.extend_from_slice(bytes.get(at..start)?);
        out.extend_from_slice(&text);
        at = end;
    }
    out.extend_from_slice(bytes.get(at..)?);
    Some(out)
}

fn edited_utf16(
    bytes: &[u8],
    edits: &[TextEdit],
    unit: fn([u8; 2]) -> u16,
    pair: fn(u16) -> [u8; 2],
) -> Option<Vec<u8>> {
    let (pairs, _) = bytes[2..].as_chunks::<2>();
    let units = || pairs.iter().map(|pair| unit(*pair));
    // The edits come in order, so one pass over the characters finds all their places.
    let mut characters = char::decode_utf16(units())
        .map(|c| c.map_or((char::REPLACEMENT_CHARACTER.len_utf8(), 1), |c| (c.len_utf8(), c.len_utf16())));
    let (mut offset, mut index) = (0_usize, 0_usize);
    let place = |wanted: u32| {
        while offset < wanted as usize {
            let (text, raw) = characters.next()?;
            offset += text;
            index += raw;
        }
        (offset == wanted as usize).then_some(2 + 2 * index)
    };
    let encoded = edits.iter().map(|edit| (edit, edit.text.encode_utf16().flat_map(pair).collect()));
    splice(bytes, encoded, place)
}

#[cfg(test)]
mod tests {
    use ide_model::TextRange;
    use proptest::prelude::*;

    use super::*;

    fn utf16(text: &str, mark: [u8; 2], pair: fn(u16) -> [u8; 2]) -> Vec<u8> {
        mark.into_iter().chain(text.encode_utf16().flat_map(pair)).collect()
    }

    /// Edits at character boundaries of a text, from cut points and new texts.
    fn edits_of(text: &str, cuts: &[usize], new: &[String]) -> Vec<TextEdit> {
        let mut places: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
        places.retain(|_| true);
        let mut chosen: Vec<u32> = cuts.iter().map(|cut| places[cut % places.len()] as u32).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
            .chunks_exact(2)
            .zip(new.iter().cycle())
            .map(|(range, text)| TextEdit::new(TextRange::new(range[0], range[1]), text.as_str()))
            .collect()
    }

    proptest! {
        #[test]
        fn bytes_outside_the_edits_stay(
            text in "(\u{feff})?[a-zü😀 \t\r\n\"]{0,40}",
            cuts in proptest::collection::vec(0usize..60, 0..8),
            new in proptest::collection::vec("[x\n😀\r]{0,4}", 1..4),
        ) {
            let edits = edits_of(&text, &cuts, &new);
            let wanted = ide_model::edited(&text, &edits).unwrap();
            prop_assert_eq!(edited(text.as_bytes(), &edits).unwrap(), wanted.as_bytes());
            for (mark, pair) in [([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]), ([0xfe, 0xff], u16::to_be_bytes)] {
                let file = utf16(&text, mark, pair);
                prop_assert_eq!(edited(&file, &edits).unwrap(), utf16(&wanted, mark, pair));
            }
        }

        #[test]
        fn bytes_that_are_no_text_stay_too(head in proptest::collection::vec(0x80u8..=0xff, 0..6), tail in proptest::collection::vec(any::<u8>(), 0..6)) {
            // Both stand beside plain characters, so the edit lies on characters whatever they are.
            let file = [&head[..], b" old ", &tail[..]].concat();
            prop_assume!(!file.starts_with(&[0xff, 0xfe]) && !file.starts_with(&[0xfe, 0xff]));
            let start = head.len() as u32 + 1;
            let edit = TextEdit::new(TextRange::new(start, start + 3), "newer");
            prop_assert_eq!(edited(&file, &[edit]).unwrap(), [&head[..], b" newer ", &tail[..]].concat());
        }
    }

    #[test]
    fn edits_beside_characters_are_refused() {
        let inside = [TextEdit::insert(1, "x")];
        assert_eq!(edited("ü".as_bytes(), &inside), None);
        assert_eq!(edited(&utf16("ü", [0xff, 0xfe], u16::to_le_bytes), &inside), None);
        assert_eq!(edited(b"a", &[TextEdit::insert(2, "x")]), None, "past the end");
    }
}
