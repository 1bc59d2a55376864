//! From places, which is all that a provider knows, to symbols of the snapshot.

use ide_model::{
    Cx, FilePath, Language, Location, OutlineNode, QueryError, Snapshot, Symbol, SymbolKey, SymbolKind,
    Target, TextRange,
};

use super::ask::Providers;

/// The prefix of symbol keys that are made of a place. No key of the index begins so.
const MADE: &str = "@place:";

/// A symbol for a place that the index knows nothing of.
pub(super) fn made(snapshot: &dyn Snapshot, place: &Location, name: &str) -> Symbol {
    let Location { file, range } = place;
    Symbol {
        key: SymbolKey(format!("{MADE}{}:{}:{name}:{file}", range.start, range.end).into()),
        name: name.into(),
        kind: if range.is_empty() { SymbolKind::Module } else { SymbolKind::Symbol },
        language: Language::of_path(file.as_str()).unwrap_or(Language::PlainText),
        qualified_name: None,
        container: None,
        file: file.clone(),
        name_range: *range,
        full_range: *range,
        is_library: snapshot.file(file).is_none(),
    }
}

/// The symbol of a key that [`made`] gave.
pub(super) fn of_key(snapshot: &dyn Snapshot, key: &SymbolKey) -> Option<Symbol> {
    let mut parts = key.0.strip_prefix(MADE)?.splitn(4, ':');
    let mut number = || parts.next()?.parse().ok();
    let (start, end): (u32, u32) = (number()?, number()?);
    let (name, file) = (parts.next()?, FilePath::new(parts.next()?));
    (start <= end).then(|| made(snapshot, &Location { file, range: TextRange::new(start, end) }, name))
}

/// Whether a symbol is one that the index knows nothing of.
pub(super) fn is_made(symbol: &Symbol) -> bool {
    symbol.key.0.starts_with(MADE)
}

/// Whether a place is where the name of a symbol stands, or where its file begins for one that stands for a file.
pub(super) fn is_of(place: &Location, symbol: &Symbol) -> bool {
    let is_of_file = place.range == TextRange::default();
    place.file == symbol.file
        && match is_of_file {
            true => symbol.name_range.is_empty() && symbol.full_range.start == 0,
            false => touch(place.range, symbol.name_range) || place.range.start == symbol.full_range.start,
        }
}

/// Whether two ranges have something in common, or begin at one offset.
pub(super) fn touch(a: TextRange, b: TextRange) -> bool {
    a.start == b.start || a.start < b.end && b.start < a.end
}

/// The word at an offset of a text.
pub(super) fn word_at(text: &str, offset: u32) -> Option<TextRange> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let (before, after) = text.split_at_checked(offset as usize)?;
    let start =
        before.len() - before.chars().rev().take_while(|c| is_word(*c)).map(char::len_utf8).sum::<usize>();
    let end = before.len() + after.chars().take_while(|c| is_word(*c)).map(char::len_utf8).sum::<usize>();
    let begins = text[start..end].chars().next()?;
    (!begins.is_numeric()).then(|| TextRange::new(start as u32, end as u32))
}

/// The symbol whose declaration a place is.
pub(super) fn symbol_at(
    providers: &Providers,
    snapshot: &dyn Snapshot,
    cx: Cx<'_>,
    place: &Location,
) -> Result<Symbol, QueryError> {
    cx.check()?;
    let Location { file, range } = place;
    if snapshot.file(file).is_none() && snapshot.text(file).is_err() {
        providers.saw(file);
    }
    let target = Target::Position { file: file.clone(), offset: range.start };
    let is_on_name = matches!(snapshot.name_at(file, range.start), Ok(Some(_)));
    if is_on_name && let Ok(found) = snapshot.resolve(cx, &target) {
        let mut symbols = found.value.into_iter().map(|(symbol, _)| symbol).collect::<Vec<_>>();
        if let Some(at) = symbols.iter().position(|symbol| is_of(place, symbol)) {
            return Ok(symbols.swap_remove(at));
        }
        if !symbols.is_empty() {
            return Ok(symbols.swap_remove(0));
        }
    }
    // Some name the whole declaration.
    if let Ok(outline) = snapshot.outline(cx, file)
        && let Some(symbol) = begins_at(&outline.value, range.start)
    {
        return Ok(symbol);
    }
    let text = snapshot.text(file).ok().or_else(|| super::outside_text(providers, file));
    let word = text.as_ref().and_then(|text| word_at(&text.text, range.start));
    Ok(match (&text, word) {
        (Some(text), Some(word)) if !range.is_empty() => {
            let name = text.slice(word).unwrap_or(file.stem()).to_owned();
            made(snapshot, &Location { file: file.clone(), range: word }, &name)
        }
        _ => made(snapshot, place, file.stem()),
    })
}

fn begins_at(nodes: &[OutlineNode], offset: u32) -> Option<Symbol> {
    let mut open: Vec<&OutlineNode> = nodes.iter().collect();
    while let Some(node) = open.pop() {
        if node.symbol.full_range.start == offset {
            return Some(node.symbol.clone());
        }
        open.extend(node.children.iter().filter(|_| node.symbol.full_range.contains(offset)));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_from_every_side() {
        let text = "a.größe(1x)";
        assert_eq!(word_at(text, 0), Some(TextRange::new(0, 1)));
        assert_eq!(word_at(text, 2), Some(TextRange::new(2, 9)));
        assert_eq!(word_at(text, 9), Some(TextRange::new(2, 9)));
        assert_eq!(word_at(text, 10), None, "a number is no name");
        assert_eq!(word_at(text, 99), None);
    }
}
