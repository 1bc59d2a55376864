//! Comments, documentation and messages that begin with a free relative or without a subject.
//!
//! "What a program wrote" says less than "The output of a program": the noun tells the reader what the item is. A sentence
//! with such a beginning is a finding, unless it is a question. `xtask/wording.txt` lists files that may have some, with
//! their number, which may only fall.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};

use super::Finding;
use crate::repo;
use crate::source::Source;

const LIST: &str = "xtask/wording.txt";
/// Beginnings of sentences, as whole words. `Where` also begins clauses of place, which a comma ends.
const OPENINGS: &[&str] = &[
    "what",
    "whatever",
    "who",
    "whoever",
    "whom",
    "whose",
    "those",
    "that which",
    "of a",
    "of an",
    "of the",
    "where",
];

/// The findings in files that have more of them than the list allows, and entries that are too generous.
pub(super) fn check(sources: &[Source]) -> Result<Vec<Finding>> {
    let list =
        std::fs::read_to_string(repo::root().join(LIST)).with_context(|| format!("cannot read {LIST}"))?;
    compare(sources, &parse(&list)?)
}

fn parse(list: &str) -> Result<BTreeMap<&str, usize>> {
    let lines = list.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let entry = |line: &'_ str| -> Result<(usize, usize)> {
        let at = line.find(' ').with_context(|| format!("{LIST}: `{line}` is not `path number`"))?;
        Ok((at, line[at..].trim().parse().with_context(|| format!("{LIST}: the number in `{line}`"))?))
    };
    lines.map(|line| entry(line).map(|(at, number)| (&line[..at], number))).collect()
}

fn compare(sources: &[Source], allowed: &BTreeMap<&str, usize>) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut unused = allowed.clone();
    for source in sources {
        let found = openings(source);
        let most = unused.remove(&*source.path).unwrap_or(0);
        if found.len() > most {
            findings.extend(found);
        } else if found.len() < most {
            let path = &source.path;
            findings.push(Finding::new(LIST, 0, format!("`{path}` has {}: lower its entry", found.len())));
        }
    }
    findings.extend(unused.keys().map(|path| Finding::new(LIST, 0, format!("`{path}` does not exist"))));
    Ok(findings)
}

fn openings(source: &Source) -> Vec<Finding> {
    let comments = paragraphs(source).into_iter().flat_map(|(line, text)| {
        sentences(&text)
            .filter(|sentence| is_finding(sentence))
            .map(|s| (line, s.to_owned()))
            .collect::<Vec<_>>()
    });
    let messages = source.tokens.iter().filter(|token| token.literal && !source.in_tests(token.line));
    let messages = messages.filter_map(|token| {
        // A documentation comment is a literal for the compiler, but not written as one.
        let written = source.text.get(token.bytes.clone())?;
        let text =
            written.trim_start_matches(['b', 'c', 'r', '#']).strip_prefix('"')?.trim_end_matches(['"', '#']);
        let first = sentences(text).next()?;
        (is_finding(first) && first.split_whitespace().count() > 2).then(|| (token.line, first.to_owned()))
    });
    let all = comments.chain(messages);
    all.map(|(line, sentence)| {
        let words: Vec<&str> = sentence.split_whitespace().take(4).collect();
        let message = format!("`{} …`: begin with the noun that the item is", words.join(" "));
        Finding::new(&source.path, line, message)
    })
    .collect()
}

/// Comments as paragraphs, each with its first line.
fn paragraphs(source: &Source) -> Vec<(usize, String)> {
    let mut all: Vec<(usize, String)> = Vec::new();
    let mut last = (0, "");
    for (line, comment) in source.comments() {
        let comment = comment.trim_start();
        let marker =
            ["///", "//!", "//"].into_iter().find(|marker| comment.starts_with(marker)).unwrap_or("");
        let text = comment[marker.len()..].trim();
        let item = text.strip_prefix("- ").or_else(|| text.strip_prefix("* "));
        let goes_on = last == (line - 1, marker) && !text.is_empty() && item.is_none();
        match all.last_mut().filter(|(_, paragraph)| goes_on && !paragraph.is_empty()) {
            Some((_, paragraph)) => *paragraph = format!("{paragraph} {text}"),
            None => all.push((line, item.unwrap_or(text).to_owned())),
        }
        last = (line, marker);
    }
    all
}

/// The sentences of a paragraph; only the first may begin with a small letter.
fn sentences(paragraph: &str) -> impl Iterator<Item = &str> {
    let parts = paragraph.split_inclusive(". ").map(str::trim);
    parts
        .enumerate()
        .filter(|(n, part)| *n == 0 || part.starts_with(char::is_uppercase))
        .map(|(_, part)| part)
}

fn is_finding(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let opening = OPENINGS.iter().find(|opening| {
        lower.strip_prefix(**opening).is_some_and(|rest| rest.starts_with([' ', ':', ',', '.']))
    });
    match opening {
        Some(&"where") => !sentence.contains(',') && !is_question(sentence),
        Some(_) => !is_question(sentence),
        None => false,
    }
}

fn is_question(sentence: &str) -> bool {
    sentence.contains('?')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        openings(&Source::parse("a.rs", text).unwrap()).into_iter().map(|f| f.line).collect()
    }

    #[test]
    fn free_relatives_are_found_at_the_beginning_of_sentences() {
        let text = "//! Adds. What\n//! it adds is told.\n\n/// The sum of\n/// what it adds.\nfn f() {\n    // whoever calls\n    g();\n    // who calls?\n    g();\n}\n/// - Of the\n///   sum.\n/// - Where it is.\n/// - Where it is, it stays.\nstruct S;\n";
        assert_eq!(lines(text), [1, 7, 12, 14]);
    }

    #[test]
    fn messages_are_found_outside_of_tests() {
        let text = "fn f() {\n    g(\"what is missing\");\n    g(\"What is it?\");\n    g(\"what is\");\n    g(\"say what is missing\");\n}\n#[cfg(test)]\nmod tests {\n    const M: &str = \"what is missing\";\n}\n";
        assert_eq!(lines(text), [2]);
    }

    #[test]
    fn the_list_allows_exactly_what_is_there() {
        let sources =
            [Source::parse("a.rs", "/// Of a sum.\nfn f() {}\n/// Of a sum.\nfn g() {}\n").unwrap()];
        let count = |list: &str| compare(&sources, &parse(list).unwrap()).unwrap().len();
        assert_eq!(["", "a.rs 1\n", "a.rs 2\n", "a.rs 3\n", "a.rs 2\nb.rs 1\n"].map(count), [2, 2, 0, 1, 1]);
        assert!(parse("a.rs\n").is_err());
        assert!(parse("a.rs many\n").is_err());
    }
}
