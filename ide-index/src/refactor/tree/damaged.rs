//! Files of which the grammar cannot read a part: the declarations that it cannot read are left out, so that the others
//! have the nodes that are theirs.

use ide_model::TextRange;

use super::Node;

/// So many bytes are read again at most.
const MOST_READ: usize = 2_000_000;

/// Whether something of a tree was not read.
pub(super) fn is_damaged(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| node.kind == "ERROR" || node.is_missing)
}

/// The text with blanks in the place of the declarations that are not read even where they stand alone; `None` where that is
/// no better. `parts` are the ranges of declarations that are not inside of functions.
pub(super) fn without_damage(
    text: &str,
    mut parts: Vec<TextRange>,
    reads: &dyn Fn(&str) -> bool,
) -> Option<String> {
    parts.retain(|part| !part.is_empty() && text.get(part.start as usize..part.end as usize).is_some());
    parts.sort_by_key(|part| (part.start, std::cmp::Reverse(part.end)));
    let tops = outermost(&parts);
    let mut search = Search { text, head: tops.first()?.start as usize, reads, read: 0 };
    let mut left_out: Vec<TextRange> = Vec::new();
    for top in &tops {
        if search.is_sound(*top, &[])? {
            continue;
        }
        let inside = parts.iter().copied().filter(|part| part != top && top.encloses(*part));
        let members = outermost(&inside.collect::<Vec<_>>());
        if members.is_empty() || !search.is_sound(*top, &members)? {
            left_out.push(*top);
            continue;
        }
        for member in &members {
            let others: Vec<TextRange> = members.iter().copied().filter(|other| other != member).collect();
            if !search.is_sound(*top, &others)? {
                left_out.push(*member);
            }
        }
    }
    let mut out = text.as_bytes().to_vec();
    left_out.iter().for_each(|part| blank(&mut out, 0, *part));
    String::from_utf8(out).ok().filter(|out| !left_out.is_empty() && reads(out))
}

struct Search<'a> {
    text: &'a str,
    /// The end of what stands before the first declaration.
    head: usize,
    reads: &'a dyn Fn(&str) -> bool,
    read: usize,
}

impl Search<'_> {
    /// Whether a declaration is read by itself, behind the head of the file and without some of its parts; `None` where too
    /// much was read already.
    fn is_sound(&mut self, part: TextRange, without: &[TextRange]) -> Option<bool> {
        let mut out = self.text.as_bytes()[..self.head].to_vec();
        let offset = part.start - out.len() as u32;
        out.extend_from_slice(&self.text.as_bytes()[part.start as usize..part.end as usize]);
        without.iter().for_each(|part| blank(&mut out, offset, *part));
        self.read += out.len();
        let text = String::from_utf8(out).ok()?;
        (self.read <= MOST_READ).then(|| (self.reads)(&text))
    }
}

fn blank(out: &mut [u8], offset: u32, part: TextRange) {
    for byte in &mut out[(part.start - offset) as usize..(part.end - offset) as usize] {
        if !matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

/// Ranges that are in no other one; they are sorted, outer ones first.
fn outermost(parts: &[TextRange]) -> Vec<TextRange> {
    let mut found: Vec<TextRange> = Vec::new();
    for part in parts {
        if found.last().is_none_or(|last| part.start >= last.end) {
            found.push(*part);
        }
    }
    found
}
