//! Mistakes that add, drop or change a line: writes to constants, variables that are declared twice or not used, returns, jumps,
//! overrides, keys of literals and names of arguments.

use std::collections::BTreeSet;

use super::mutations::{Dice, Kind, Mistake, Source, slip};
use super::words::closing;

/// The mistake of a kind; `None` where the language has none, or the file no place.
pub(super) fn mistake(kind: Kind, source: &Source, dice: &mut Dice) -> Option<Mistake> {
    match kind {
        Kind::Constant => constant(source, dice),
        Kind::Variable => declared_again(source, dice),
        Kind::Unused => unused(source, dice),
        Kind::Return => missing_return(source, dice),
        Kind::Value => returned_value(source, dice),
        Kind::Jump => jump(source, dice),
        Kind::Override => overriding(source, dice),
        Kind::Field => field(source, dice),
        Kind::Keyword => keyword(source, dice),
        _ => None,
    }
}

/// A line of a file: its number, the range of its text, and its indentation.
struct Line<'t> {
    number: usize,
    range: std::ops::Range<usize>,
    indent: &'t str,
    code: &'t str,
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let mut all = Vec::new();
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let whole = line.trim_end_matches(['\n', '\r']);
        let code = whole.trim_start();
        let indent = &whole[..whole.len() - code.len()];
        all.push(Line { number: at + 1, range: start..start + whole.len(), indent, code });
        start += line.len();
    }
    all
}

fn picked<T>(mut all: Vec<T>, dice: &mut Dice) -> Option<T> {
    if all.is_empty() { None } else { Some(all.swap_remove(dice.below(all.len()))) }
}

/// A line of its own behind another one.
fn inserted(source: &Source, behind: &Line<'_>, code: &str) -> Mistake {
    let at = behind.range.end;
    let text = source.with(at..at, &format!("\n{}{code}", behind.indent));
    Mistake { text, lines: BTreeSet::from([behind.number + 1]) }
}

/// The name that a line declares as a local variable behind a word, where the line is all of the declaration.
fn declared<'t>(line: &Line<'t>, word: &str) -> Option<&'t str> {
    let rest = line.code.strip_prefix(word)?.strip_prefix(' ')?;
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let behind = rest[name.len()..].trim_start();
    let is_whole = behind.starts_with('=') && !behind.starts_with("==") || behind.starts_with(": ");
    let is_ended = !line.code.ends_with(['{', '(', '[', ',', '.', '=', '+', '?', '&', '|', ':', '>']);
    (!name.is_empty() && name != "mut" && is_whole && is_ended && line.code.contains('=')).then_some(name)
}

/// The word by which a language declares what is written once.
fn word_of(ending: &str) -> Option<(&'static str, &'static str)> {
    match ending {
        "kt" => Some(("val", "")),
        "js" | "ts" => Some(("const", ";")),
        "rs" => Some(("let", ";")),
        _ => None,
    }
}

/// Declarations in functions that the next line does not continue.
fn local<'t>(source: &'t Source, word: &str) -> Vec<(Line<'t>, &'t str)> {
    let all = lines(&source.text);
    let continues: BTreeSet<usize> = all
        .iter()
        .filter(|line| line.code.starts_with(['.', '?', '+', '|', '&', ':', '=', ')', '-', '*', '<']))
        .map(|line| line.number)
        .collect();
    all.into_iter()
        .filter_map(|line| declared(&line, word).map(|name| (line, name)))
        .filter(|(line, _)| line.indent.len() >= 4 || line.indent.contains('\t'))
        .filter(|(line, _)| !continues.contains(&(line.number + 1)))
        .filter(|(line, _)| is_in_function(source, line.range.start))
        .collect()
}

fn is_in_function(source: &Source, at: usize) -> bool {
    source
        .functions()
        .iter()
        .any(|(_, range)| range.contains(&at) && source.text[range.clone()].contains('{'))
}

fn constant(source: &Source, dice: &mut Dice) -> Option<Mistake> {
    let (word, end) = word_of(source.ending)?;
    let (line, name) = picked(local(source, word), dice)?;
    if source.ending != "kt" && !line.code.ends_with(';') || is_in_property(source, &line) {
        return None;
    }
    Some(inserted(source, &line, &format!("{name} = {name}{end}")))
}

/// Members of a class of Kotlin begin as local variables do.
fn is_in_property(source: &Source, line: &Line<'_>) -> bool {
    source.ending == "kt" && line.indent.len() < 8
}

fn declared_again(source: &Source, dice: &mut Dice) -> Option<Mistake> {
    let found: Vec<(Line<'_>, &str)> = match source.ending {
        "kt" | "js" | "ts" => local(source, word_of(source.ending)?.0),
        "java" => ["int", "String", "boolean", "long", "Object"]
            .into_iter()
            .flat_map(|word| local(source, word))
            .filter(|(line, _)| line.indent.len() >= 8)
            .collect(),
        "go" => lines(&source.text)
            .into_iter()
            .filter_map(|line| {
                let (name, value) = line.code.split_once(" := ")?;
                let is_plain = name.chars().all(|c| c.is_alphanumeric() || c == '_') && name != "_";
                let is_whole = !value.ends_with(['{', '(', ',', '.', '[', '+', '|', '&']);
                (is_plain && is_whole).then_some((line, name))
            })
            .collect(),
        _ => return None,
    };
    let (line, _) = picked(found, dice)?;
    let needs_end = matches!(source.ending, "js" | "ts" | "java");
    if needs_end && !line.code.ends_with(';') || is_in_property(source, &line) {
        return None;
    }
    let code = line.code;
    Some(inserted(source, &line, code))
}

fn unused(source: &Source, dice: &mut Dice) -> Option<Mistake> {
    if source.ending != "go" {
        return None;
    }
    let heads = lines(&source.text)
        .into_iter()
        .filter(|line| line.indent.is_empty() && line.code.starts_with("func ") && line.code.ends_with('{'));
    let line = picked(heads.collect(), dice)?;
    let at = line.range.end;
    let text = source.with(at..at, "\n\tunneeded := 1");
    Some(Mistake { text, lines: BTreeSet::from([line.number + 1]) })
}

/// The last statement of a function is the one that returns, and is left out.
fn missing_return(source: &Source, dice: &mut Dice) -> Option<Mistake> {
    if !matches!(source.ending, "java" | "go" | "kt" | "ts") {
        return None;
    }
    let all = lines(&source.text);
    let ends = all.windows(2).filter(|pair| {
        let is_end = pair[1].code == "}" && pair[1].indent.len() < pair[0].indent.len();
        let value = pair[0].code.strip_prefix("return ");
        let is_whole =
            value.is_some_and(|value| !value.ends_with(['{', '(', ',']) && !value.starts_with(')'));
        is_end && is_whole && is_function_end(source, pair[1].range.end)
    });
    let found: Vec<(std::ops::Range<usize>, usize)> =
        ends.map(|pair| (pair[0].range.clone(), pair[1].number)).collect();
    let (range, end) = picked(found, dice)?;
    Some(Mistake { text: source.with(range, ""), lines: (end.saturating_sub(60)..=end).collect() })
}

/// Whether a function that says its result ends there.
fn is_function_end(source: &Source, end: usize) -> bool {
    source.functions().iter().any(|(_, range)| {
        let head = source.text[range.clone()].split('{').next().unwrap_or("");
        let says = match source.ending {
            "kt" | "ts" => head.rsplit(')').next().is_some_and(|behind| behind.contains(':')),
            "go" => !head.trim_end().ends_with(')') || head.matches('(').count() > 2,
            _ => !head.contains("void "),
        };
        range.end == end && says
    })
}

/// A value more, or one where none is taken.
fn returned_value(source: &Source, dice: &mut Dice) -> Option<Mistake> {
    let found = lines(&source.text).into_iter().filter(|line| match source.ending {
        "java" => line.code == "return;",
        "go" => line.code.starts_with("return ") && !line.code.ends_with(['{', '(', ',', ')']),
        _ => false,
    });
    let line = picked(found.collect(), dice)?;
    let code = if source.ending == "java" { "return 1;".to_owned() } else { format!("{}, nil", line.code) };
    let from = line.range.start + line.indent.len();
    Some(Mistake { text: source.with(from..line.range.end, &code), lines: BTreeSet::from([line.number]) })
}

/// A jump out of no loop, at the beginning of a function.
fn jump(source: &Source, dice: &mut Dice) -> Option<Mistake> {
    let found = lines(&source.text).into_iter().filter(|line| match source.ending {
        "py" => {
            line.code.starts_with("return ")
                && line.indent.len() == 4
                && !line.code.ends_with(['(', '[', '{'])
        }
        "kt" => false,
        _ => {
            line.code.ends_with('{')
                && source.functions().iter().any(|(name, range)| {
                    source.line(*name) == line.number
                        && source.text[range.clone()]
                            .find('{')
                            .is_some_and(|at| range.start + at < line.range.end)
                })
        }
    });
    let line = picked(found.collect(), dice)?;
    let (word, end) = match source.ending {
        "go" | "py" => ("break", ""),
        _ => ("break", ";"),
    };
    if source.ending == "py" {
        let from = line.range.start + line.indent.len();
        let text = source.with(from..line.range.end, word);
        return Some(Mistake { text, lines: BTreeSet::from([line.number]) });
    }
    let at = line.range.end;
    let text = source.with(at..at, &format!("\n{}  {word}{end}", line.indent));
    Some(Mistake { text, lines: BTreeSet::from([line.number + 1]) })
}

/// A method that says that it overrides one, under another name.
fn overriding(source: &Source, dice: &mut Dice) -> Option<Mistake> {
    let found: Vec<usize> = source
        .functions()
        .into_iter()
        .filter(|(_, range)| match source.ending {
            "java" => source.text[..range.start].trim_end().ends_with("@Override"),
            "kt" => source.text[range.clone()].trim_start().starts_with("override "),
            _ => false,
        })
        .map(|(name, _)| name)
        .filter(|name| !matches!(source.word(*name), "equals" | "hashCode" | "toString"))
        .collect();
    let name = picked(found, dice)?;
    let wrong = slip(source.word(name), dice)?;
    let text = source.with(source.tokens[name].range.clone(), &wrong);
    let line = source.line(name);
    Some(Mistake { text, lines: (line.saturating_sub(1)..=line).collect() })
}

/// The key of a literal of a struct, written wrong.
fn field(source: &Source, dice: &mut Dice) -> Option<Mistake> {
    if !matches!(source.ending, "go" | "rs") {
        return None;
    }
    let mut keys = Vec::new();
    for open in 1..source.tokens.len() {
        let before = source.before(open);
        let is_type = source.tokens[open - 1].is_name && before.starts_with(|c: char| c.is_ascii_uppercase());
        if source.word(open) != "{" || !is_type {
            continue;
        }
        // `impl`, `struct` and their like have a body.
        let start = source.text[..source.tokens[open].range.start].rfind('\n').map_or(0, |at| at + 1);
        let head = &source.text[start..source.tokens[open].range.start];
        let is_body = [
            "impl",
            "struct",
            "trait",
            "enum",
            "union",
            "func",
            "fn ",
            "->",
            "interface",
            "for ",
            "if let",
            "match",
        ]
        .iter()
        .any(|word| head.contains(word));
        let Some(end) = closing(&source.text, &source.tokens, open).filter(|_| !is_body) else { continue };
        let key = open + 1;
        if key < end
            && source.tokens[key].is_name
            && source.word(key + 1) == ":"
            && source.word(key + 2) != ":"
        {
            keys.push(key);
        }
    }
    let key = picked(keys, dice)?;
    let wrong = slip(source.word(key), dice).filter(|wrong| !source.text.contains(wrong))?;
    let line = source.line(key);
    let text = source.with(source.tokens[key].range.clone(), &wrong);
    Some(Mistake { text, lines: (line.saturating_sub(1)..=line).collect() })
}

/// The name of an argument, written wrong, of a function of the file.
fn keyword(source: &Source, dice: &mut Dice) -> Option<Mistake> {
    let sign = match source.ending {
        "py" | "kt" => "=",
        "php" => ":",
        _ => return None,
    };
    let functions: Vec<usize> = match source.ending {
        "py" => (1..source.tokens.len()).filter(|at| source.before(*at) == "def").collect(),
        _ => source.functions().into_iter().map(|(name, _)| name).collect(),
    };
    let mut keys = Vec::new();
    for name in &functions {
        let word = source.word(*name);
        let Some(end) = closing(&source.text, &source.tokens, name + 1) else { continue };
        let params = &source.text[source.tokens[name + 1].range.clone().end..source.tokens[end].range.start];
        if params.contains('*') || params.contains("...") || params.contains("self") {
            continue;
        }
        for at in (1..source.tokens.len()).filter(|at| at != name && source.word(*at) == word) {
            let is_call =
                source.word(at + 1) == "(" && !matches!(source.before(at), "." | "def" | "fun" | ">" | ":");
            let Some(close) = closing(&source.text, &source.tokens, at + 1).filter(|_| is_call) else {
                continue;
            };
            keys.extend((at + 2..close).filter(|key| {
                source.tokens[*key].is_name
                    && source.word(key + 1) == sign
                    && source.word(key + 2) != sign
                    && matches!(source.before(*key), "(" | ",")
            }));
        }
    }
    let key = picked(keys, dice)?;
    let wrong = slip(source.word(key), dice).filter(|wrong| !source.text.contains(wrong))?;
    let line = source.line(key);
    Some(Mistake {
        text: source.with(source.tokens[key].range.clone(), &wrong),
        lines: BTreeSet::from([line]),
    })
}
