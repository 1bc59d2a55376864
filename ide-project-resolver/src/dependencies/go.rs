//! Go: `go.mod`, which names every module that is built with its version.

use std::collections::BTreeMap;
use std::io;

use super::{Declared, DependencyScope, Findings, Folder, Graph};

pub(super) fn read(folder: &Folder<'_>, found: &mut Findings) -> io::Result<()> {
    let Some(text) = folder.text("go.mod")? else { return Ok(()) };
    let lines = directives(&text);
    let replaced: BTreeMap<&str, &str> = lines
        .iter()
        .filter(|line| line.word == "replace")
        .filter_map(|line| {
            let (old, new) = line.rest.split_once("=>")?;
            Some((old.split_whitespace().next()?, new.trim()))
        })
        .collect();
    let mut graph = Graph::default();
    for line in lines.iter().filter(|line| line.word == "require") {
        let mut words = line.rest.split_whitespace();
        let (Some(path), Some(asked)) = (words.next(), words.next()) else { continue };
        let path = path.trim_matches(['"', '`']);
        let replacement = replaced.get(path).map(|new| new.split_whitespace().collect::<Vec<_>>());
        let version = match replacement.as_deref() {
            Some([_, version]) => Some(*version),
            // A directory has no version.
            Some(_) => None,
            None => Some(asked),
        };
        let at_module = replacement.as_deref().and_then(|new| folder.module_at(new.first()?)).is_some();
        if line.is_indirect {
            let at = graph.add(path, version.unwrap_or(asked));
            graph.packages[at].is_module = at_module;
            graph.others.push((at, DependencyScope::Compile));
            continue;
        }
        let mut declared = Declared::new(path, DependencyScope::Compile).asks(Some(asked));
        declared.version = version.map(str::to_owned);
        declared.is_module = at_module || folder.is_module(path);
        found.declared.push(declared);
    }
    found.locked = Some(graph);
    Ok(())
}

struct Line<'t> {
    word: &'t str,
    rest: &'t str,
    is_indirect: bool,
}

/// The directives of a file; those in a block each with its word.
fn directives(text: &str) -> Vec<Line<'_>> {
    let mut found = Vec::new();
    let mut block: Option<&str> = None;
    for line in text.lines() {
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        let code = code.trim();
        let is_indirect = comment.trim().split(';').next().is_some_and(|first| first.trim() == "indirect");
        match block {
            _ if code.is_empty() => {}
            Some(_) if code == ")" => block = None,
            Some(word) => found.push(Line { word, rest: code, is_indirect }),
            None => {
                let (word, rest) = code.split_once([' ', '\t', '(']).unwrap_or((code, ""));
                if code.ends_with('(') {
                    block = Some(word);
                } else {
                    found.push(Line { word, rest: rest.trim(), is_indirect });
                }
            }
        }
    }
    found
}
