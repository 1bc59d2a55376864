//! Texts that pass through an editor which knows `\n` only, and come back with the line endings that they had.

use std::sync::Arc;

const MARK: char = '\u{feff}';

/// A line of a text, and how it ends.
fn split(text: &str) -> Vec<(&str, &str)> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\r', '\n']) {
        let ending = if rest[at..].starts_with("\r\n") { 2 } else { 1 };
        lines.push((&rest[..at], &rest[at..at + ending]));
        rest = &rest[at + ending..];
    }
    lines.push((rest, ""));
    lines
}

/// The text as an editor holds it: every line ends in `\n`, and no byte order mark stands before it.
pub(super) fn editable(text: &str) -> String {
    with_line_feeds(text.strip_prefix(MARK).unwrap_or(text))
}

fn with_line_feeds(text: &str) -> String {
    if !text.contains('\r') {
        return text.to_owned();
    }
    let lines: Vec<&str> = split(text).into_iter().map(|(line, _)| line).collect();
    lines.join("\n")
}

/// The text to write for an edited [`editable`] form of `proposal`: the proposal itself when nothing was changed,
/// else the edited text with the proposal's byte order mark and with its line endings, where lines were not changed
/// or were replaced by as many. Other lines end as most of the proposal does.
pub(super) fn restored(proposal: &Arc<str>, edited: &str) -> Arc<str> {
    let edited = with_line_feeds(edited);
    if editable(proposal) == edited {
        return proposal.clone();
    }
    let unmarked = proposal.strip_prefix(MARK);
    let old = split(unmarked.unwrap_or(proposal));
    let new: Vec<&str> = edited.split('\n').collect();
    let shortest = old.len().min(new.len());
    let same = |((line, _), new): (&(&str, &str), &&str)| line == new;
    let head = old.iter().zip(&new).take_while(|pair| same(*pair)).count();
    let tail =
        old.iter().rev().zip(new.iter().rev()).take_while(|pair| same(*pair)).count().min(shortest - head);
    let common = |ending: &str| old.iter().filter(|(_, of)| *of == ending).count();
    let usual =
        ["\n", "\r\n", "\r"].into_iter().rev().max_by_key(|ending| common(ending)).expect("there are three");
    let mut text = String::with_capacity(edited.len() + old.len() + MARK.len_utf8());
    text.extend(unmarked.map(|_| MARK));
    for (i, line) in new.iter().enumerate() {
        let is_last = i + 1 == new.len();
        let kept = if i < head || old.len() == new.len() {
            Some(old[i].1)
        } else if new.len() - i <= tail {
            Some(old[old.len() - (new.len() - i)].1)
        } else {
            None
        };
        text.push_str(line);
        if !is_last {
            let ending = kept.filter(|ending| !ending.is_empty()).unwrap_or(usual);
            // after a `\r` this would be no empty line but a part of its ending
            text.push_str(if ending == "\n" && text.ends_with('\r') { "\r" } else { ending });
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(proposal: &str, change: impl FnOnce(String) -> String) -> String {
        restored(&proposal.into(), &change(editable(proposal))).to_string()
    }

    #[test]
    fn an_untouched_proposal_comes_back_byte_for_byte() {
        for text in ["", "a", "a\n", "a\r\nb", "\u{feff}a\r\nb\nc\rd", "\r\n\r\n", "\u{feff}"] {
            assert_eq!(edit(text, |text| text), text, "{text:?}");
        }
    }

    #[test]
    fn an_edited_proposal_keeps_its_endings() {
        assert_eq!(edit("a\r\nb\r\n", |text| text.replace('b', "b1\nb2")), "a\r\nb1\r\nb2\r\n");
        assert_eq!(edit("\u{feff}a\r\n", |text| text + "x"), "\u{feff}a\r\nx");
        // mixed: lines that were not touched end as they did
        assert_eq!(edit("a\nb\r\nc\r\nd\n", |text| text.replace('c', "C")), "a\nb\r\nC\r\nd\n");
        assert_eq!(edit("a\r\nb", |text| text + "\nc"), "a\r\nb\r\nc");
        assert_eq!(edit("a", |text| text + "\nb\n"), "a\nb\n");
        assert_eq!(edit("a\r\nb\r\n", |_| String::new()), "");
        assert_eq!(edit("", |_| "x\ny".to_owned()), "x\ny");
    }

    proptest::proptest! {
        #[test]
        fn what_was_typed_is_what_is_written(proposal in "[ab\r\n\u{feff}]{0,12}", edited in "[ab\n]{0,12}") {
            let proposal: Arc<str> = proposal.into();
            let written = restored(&proposal, &edited);
            proptest::prop_assert_eq!(editable(&written), edited);
            proptest::prop_assert_eq!(restored(&proposal, &editable(&proposal)), proposal);
        }
    }
}
