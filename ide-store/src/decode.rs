//! Bytes of a file as text: which files are text at all, and in which encoding.

use std::borrow::Cow;

/// A file is binary when a zero byte stands in its first part, as git and grep judge.
pub(crate) const SNIFFED: usize = 8 * 1024;

/// The text of a file, or `None` when it is binary.
///
/// UTF-8 stays as it is, a byte order mark included, so that offsets in the text are offsets in the
/// file. Bytes that are not UTF-8 become one `?` each for the same reason. UTF-16 is told by its mark
/// and converted without it; there, offsets are those of the converted text.
#[must_use]
pub fn decode(bytes: &[u8]) -> Option<Cow<'_, str>> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => Some(Cow::Owned(utf16(rest, u16::from_le_bytes))),
        [0xfe, 0xff, rest @ ..] => Some(Cow::Owned(utf16(rest, u16::from_be_bytes))),
        _ if is_binary(bytes) => None,
        _ => Some(match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(same_length(bytes)),
        }),
    }
}

/// Whether the file has a mark of UTF-16.
pub(crate) fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])
}

pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, &bytes[..bytes.len().min(SNIFFED)]).is_some()
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| unit(*pair));
    let text = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
    text.chain((!odd.is_empty()).then_some(char::REPLACEMENT_CHARACTER)).collect()
}

fn same_length(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings() {
        let utf16 = |text: &str, mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
            mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect()
        };
        let le = utf16("a\n😀ü", [0xff, 0xfe], u16::to_le_bytes);
        let be = utf16("a\n😀ü", [0xfe, 0xff], u16::to_be_bytes);
        for (bytes, text) in [
            (b"plain \xc3\xbc".as_slice(), Some("plain ü")),
            (b"\xef\xbb\xbfx", Some("\u{feff}x")),
            (b"latin \xfc\xe4 x", Some("latin ?? x")),
            (b"cut \xf0\x9f", Some("cut ??")),
            (le.as_slice(), Some("a\n😀ü")),
            (be.as_slice(), Some("a\n😀ü")),
            (b"\xff\xfea\0\x00", Some("a\u{fffd}")),
            (b"\x7fELF\0\0", None),
            (b"", Some("")),
        ] {
            assert_eq!(decode(bytes).as_deref(), text, "{bytes:?}");
        }
        let late = [vec![b'x'; SNIFFED], vec![0]].concat();
        assert!(decode(&late).is_some(), "only the first part is judged");
    }
}
