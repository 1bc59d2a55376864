//! Paths, `file:` addresses and positions as the protocols write them.

use ide_model::{FileText, LineColumn, OpenEditor, Selection};
use serde_json::{Value, json};

/// Most bytes of a selection that are sent.
pub(crate) const MAX_SELECTED: usize = 64 << 10;

/// The `file:` address of a path.
pub(crate) fn file_url(path: &str) -> String {
    let mut url = String::with_capacity(path.len() + 8);
    url.push_str(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=:@".contains(&byte);
        if is_plain {
            url.push(char::from(byte));
        } else {
            url.push_str(&format!("%{byte:02X}"));
        }
    }
    url
}

/// The path of an address that a client sends: a `file:` address, one side of its own diff view, or a bare path.
pub(crate) fn path_of(address: &str) -> String {
    let mut rest = address.trim();
    let mut is_address = false;
    for prefix in ["_claude_fs_right:", "_claude_fs_left:", "file://"] {
        if let Some(after) = rest.strip_prefix(prefix) {
            rest = after;
            is_address = true;
        }
    }
    if !is_address {
        return rest.to_owned();
    }
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = percent_decoded(rest).unwrap_or_else(|| rest.to_owned());
    let bytes = path.as_bytes();
    let is_drive = bytes.len() > 2 && bytes[0] == b'/' && bytes[1].is_ascii_alphabetic() && bytes[2] == b':';
    if is_drive { path[1..].to_owned() } else { path }
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        bytes.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// The name behind the last slash.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// A position as the wire has it: both count from 0.
pub(crate) fn position(at: LineColumn) -> Value {
    json!({"line": at.line.saturating_sub(1), "character": at.column.saturating_sub(1)})
}

pub(crate) fn range(selection: Selection) -> Value {
    json!({"start": position(selection.start), "end": position(selection.end)})
}

/// Reads a position of the wire.
pub(crate) fn read_position(value: &Value) -> Option<LineColumn> {
    let number = |names: [&str; 2]| {
        let found = names.iter().find_map(|name| value.get(*name))?;
        u32::try_from(found.as_u64()?).ok()?.checked_add(1)
    };
    Some(LineColumn { line: number(["line", "line"])?, column: number(["character", "column"])? })
}

/// The place of some text in a file, from `from` on.
pub(crate) fn find_text(text: &FileText, wanted: &str, from: u32) -> Option<(u32, u32)> {
    if wanted.is_empty() {
        return None;
    }
    let at = text.text.get(from as usize..)?.find(wanted)? + from as usize;
    Some((u32::try_from(at).ok()?, u32::try_from(at + wanted.len()).ok()?))
}

/// The start of a text, at most `limit` bytes.
pub(crate) fn head(text: &str, limit: usize) -> &str {
    let mut end = text.len().min(limit);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The selection of an editor; where there is none, the caret stands at its start.
pub(crate) fn selection_of(editor: &OpenEditor) -> Selection {
    editor.selection.unwrap_or(Selection::caret(LineColumn { line: 1, column: 1 }))
}

/// The name of a language in VS Code.
pub(crate) fn language_id(editor: &OpenEditor) -> String {
    let name = editor.language.map_or("plaintext", ide_model::Language::name).to_lowercase();
    match name.as_str() {
        "c++" => "cpp".to_owned(),
        "c#" => "csharp".to_owned(),
        "text" | "plain text" => "plaintext".to_owned(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths_lead_to_each_other() {
        for path in ["/a/b.rs", "/a b/ü#?%.rs", "C:/w/x.py"] {
            assert_eq!(path_of(&file_url(path)), path);
            assert_eq!(path_of(path), path, "a bare path is taken as it is");
            assert_eq!(path_of(&format!("_claude_fs_right:{}", file_url(path))), path);
        }
        assert_eq!(path_of("_claude_fs_left:/a%20b"), "/a b");
        assert_eq!(path_of("file:///bad%zz"), "/bad%zz");
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(head("aü", 2), "a");
        assert_eq!(head("aü", 3), "aü");
    }
}
