//! Folding and selection ranges: from the outline and the brackets of the text.

use gen_lsp_types::{
    FoldingRange, FoldingRangeKind, FoldingRangeParams, SelectionRange, SelectionRangeParams,
};
use ide_model::{OutlineNode, TextContext, TextRange};

use crate::query::{Failure, Place, Query, or_nothing};

/// Selection ranges around a place, at most: each lies in the next, and an answer that nests deeper is one that neither
/// we can write nor readers read by recursion.
const MOST_AROUND: usize = 100;

/// Brackets that stand in code, paired: the innermost first.
fn brackets(place: &Place) -> Result<Vec<TextRange>, Failure> {
    let text = &place.text.text;
    let marks: Vec<(u32, u8)> = text
        .bytes()
        .enumerate()
        .filter(|(_, byte)| b"(){}[]".contains(byte))
        .map(|(at, byte)| (at as u32, byte))
        .collect();
    let offsets: Vec<u32> = marks.iter().map(|(at, _)| *at).collect();
    let contexts = place.snapshot.text_contexts(&place.file, &offsets)?;
    let in_code = marks.into_iter().zip(contexts).filter(|(_, context)| *context == TextContext::Code);
    Ok(pairs(in_code.map(|(mark, _)| mark)))
}

fn pairs(marks: impl Iterator<Item = (u32, u8)>) -> Vec<TextRange> {
    let (mut open, mut pairs): (Vec<(u32, u8)>, Vec<TextRange>) = (Vec::new(), Vec::new());
    // Of each kind; without one that is open, nobody looks for it.
    let mut counts = [0_usize; 3];
    for (at, byte) in marks {
        let Some(kind) = b"()[]{}".iter().position(|other| *other == byte).map(|place| place / 2) else {
            continue;
        };
        if b"([{".contains(&byte) {
            open.push((at, byte));
            counts[kind] += 1;
            continue;
        }
        while counts[kind] > 0
            && let Some((start, opener)) = open.pop()
        {
            let closed = b"([{".iter().position(|other| *other == opener).unwrap_or(kind);
            counts[closed] -= 1;
            if closed == kind {
                pairs.push(TextRange::new(start, at + 1));
                break;
            }
        }
    }
    pairs
}

fn declarations(level: &[OutlineNode], into: &mut Vec<TextRange>) {
    let mut open: Vec<&OutlineNode> = level.iter().collect();
    while let Some(node) = open.pop() {
        into.push(node.symbol.full_range);
        open.extend(&node.children);
    }
}

pub(crate) fn folding(q: &Query<'_>, params: FoldingRangeParams) -> Result<Vec<FoldingRange>, Failure> {
    let place = q.file(&params.text_document.uri)?;
    let mut ranges = brackets(&place)?;
    if let Some(outline) = or_nothing(place.snapshot.outline(q.cx, &place.file))? {
        declarations(&outline.value, &mut ranges);
    }
    let mut found: Vec<FoldingRange> = Vec::new();
    for range in ranges {
        let (first, last) = (place.range(range).start.line, place.range(range).end.line);
        if first < last {
            found.push(fold(first, last, None));
        }
    }
    found.extend(comments(&place)?);
    found.sort_by_key(|fold| (fold.start_line, std::cmp::Reverse(fold.end_line)));
    // One fold a line: the longest.
    found.dedup_by_key(|fold| fold.start_line);
    Ok(found)
}

fn fold(start_line: u32, end_line: u32, kind: Option<FoldingRangeKind>) -> FoldingRange {
    FoldingRange {
        start_line,
        start_character: None,
        end_line,
        end_character: None,
        kind,
        collapsed_text: None,
    }
}

/// Runs of lines that are comments as a whole.
fn comments(place: &Place) -> Result<Vec<FoldingRange>, Failure> {
    let count = place.text.lines.line_count();
    let mut starts: Vec<(u32, u32)> = Vec::new();
    for line in 1..=count {
        let Some(text) = place.text.line(line) else { continue };
        let Some(range) = place.text.lines.line_range(line) else { continue };
        if let Some(indent) = text.find(|c: char| !c.is_whitespace()) {
            starts.push((line, range.start + indent as u32));
        }
    }
    let offsets: Vec<u32> = starts.iter().map(|(_, at)| *at).collect();
    let contexts = place.snapshot.text_contexts(&place.file, &offsets)?;
    let mut found = Vec::new();
    let mut run: Option<(u32, u32)> = None;
    let mut end = |run: &mut Option<(u32, u32)>| {
        if let Some((first, last)) = run.take()
            && first < last
        {
            let kind = Some(FoldingRangeKind::Comment);
            found.push(fold(first - 1, last - 1, kind));
        }
    };
    for ((line, _), context) in starts.into_iter().zip(contexts) {
        let follows = run.is_some_and(|(_, last)| last + 1 == line);
        match (context == TextContext::Comment, follows) {
            (true, true) => run = run.map(|(first, _)| (first, line)),
            (true, false) => {
                end(&mut run);
                run = Some((line, line));
            }
            (false, _) => end(&mut run),
        }
    }
    end(&mut run);
    Ok(found)
}

pub(crate) fn selection(q: &Query<'_>, params: SelectionRangeParams) -> Result<Vec<SelectionRange>, Failure> {
    let place = q.file(&params.text_document.uri)?;
    let mut around = brackets(&place)?;
    // The text between brackets can be selected without them.
    around.extend(around.clone().into_iter().map(|pair| TextRange::new(pair.start + 1, pair.end - 1)));
    if let Some(outline) = or_nothing(place.snapshot.outline(q.cx, &place.file))? {
        declarations(&outline.value, &mut around);
    }
    Ok(params.positions.iter().map(|at| chain(&place, &around, place.offset(*at))).collect())
}

/// The ranges around an offset, each in the next: its name, its line, brackets and declarations, the file.
fn chain(place: &Place, around: &[TextRange], offset: u32) -> SelectionRange {
    let whole = TextRange::new(0, place.text.text.len() as u32);
    let line = place.text.position(offset).line;
    let visible = place.text.lines.line_range(line).zip(place.text.line(line)).map(|(range, text)| {
        let trimmed = text.trim_start();
        let start = range.start + (text.len() - trimmed.len()) as u32;
        TextRange::new(start, start + trimmed.trim_end().len() as u32)
    });
    let word = place.word(offset).unwrap_or(TextRange::new(offset, offset));
    let mut ranges: Vec<TextRange> = around.iter().copied().filter(|range| range.touches(offset)).collect();
    ranges.extend(visible.filter(|range| range.touches(offset)));
    ranges.extend([word, whole]);
    let mut outer: Option<SelectionRange> = None;
    for range in nested(ranges).into_iter().rev() {
        outer = Some(SelectionRange { range: place.range(range), parent: outer.map(Box::new) });
    }
    outer.unwrap_or_else(|| SelectionRange { range: place.range(word), parent: None })
}

/// Ranges of which each lies in the next, the last one the largest.
fn nested(mut ranges: Vec<TextRange>) -> Vec<TextRange> {
    ranges.sort_by_key(|range| (range.len(), range.start));
    let mut nested: Vec<TextRange> = Vec::new();
    for range in ranges {
        if nested.last().is_none_or(|inner| range.encloses(*inner) && range != *inner) {
            nested.push(range);
        }
    }
    if let Some(largest) = nested.pop() {
        nested.truncate(MOST_AROUND - 1);
        nested.push(largest);
    }
    nested
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(text: &str) -> Vec<(u32, u32)> {
        let marks = text.bytes().enumerate().map(|(at, byte)| (at as u32, byte));
        pairs(marks).into_iter().map(|range| (range.start, range.end)).collect()
    }

    #[test]
    fn brackets_of_each_kind_are_paired() {
        assert_eq!(paired("({[]})"), [(2, 4), (1, 5), (0, 6)]);
        assert_eq!(
            paired(")(}{)"),
            [(1, 5)],
            "what opens inside of a pair and does not end there is left out"
        );
        assert_eq!(paired("{)}"), [(0, 3)]);
    }

    #[test]
    fn an_answer_nests_only_so_deep() {
        let around = (0..100_000).map(|i| TextRange::new(i, 300_000 - i)).collect();
        let told = nested(around);
        assert_eq!(told.len(), MOST_AROUND);
        assert_eq!(told[0], TextRange::new(99_999, 200_001));
        assert_eq!(told.last(), Some(&TextRange::new(0, 300_000)));
    }
}
