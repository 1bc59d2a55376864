//! One mistake at a time in code that compiles: which share of them the checks find, and whether at the right line.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::words::{Token, closing, line_of, tokens};
use super::{language_of, names_of};
use crate::mcp::Client;
use crate::repo;

/// A kind of mistake.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Name,
    Member,
    DropArgument,
    AddArgument,
    Import,
    Duplicate,
    Implementation,
    Bracket,
    Constant,
    Variable,
    Unused,
    Return,
    Value,
    Jump,
    Override,
    Field,
    Keyword,
}

const KINDS: [(Kind, &str); 17] = [
    (Kind::Name, "a plain name is written wrong"),
    (Kind::Member, "a member's name is written wrong"),
    (Kind::DropArgument, "an argument is missing"),
    (Kind::AddArgument, "an argument too many"),
    (Kind::Import, "an import is missing"),
    (Kind::Duplicate, "a function is declared twice"),
    (Kind::Implementation, "an announced method is missing"),
    (Kind::Bracket, "a bracket is missing"),
    (Kind::Constant, "a constant is written to"),
    (Kind::Variable, "a variable is declared twice"),
    (Kind::Unused, "a variable is not used"),
    (Kind::Return, "a return is missing"),
    (Kind::Value, "a value too many is returned"),
    (Kind::Jump, "a jump stands outside of a loop"),
    (Kind::Override, "a method overrides nothing"),
    (Kind::Field, "a field of a literal is written wrong"),
    (Kind::Keyword, "the name of an argument is written wrong"),
];

/// The text after a mistake, and the lines at which it may be reported.
pub(super) struct Mistake {
    pub(super) text: String,
    pub(super) lines: BTreeSet<usize>,
}

/// Mistakes of a kind in a language: made, found, found at a right line.
#[derive(Clone, Copy, Default)]
pub(super) struct Share {
    made: usize,
    found: usize,
    placed: usize,
}

/// The shares by language and kind.
pub(super) type Shares = BTreeMap<(&'static str, Kind), Share>;

/// Numbers that are the same in every run.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most.max(1) as u64) as usize
    }
}

/// A file whose code is broken.
pub(super) struct Source {
    path: PathBuf,
    pub(super) ending: &'static str,
    pub(super) text: String,
    pub(super) tokens: Vec<Token>,
}

impl Source {
    pub(super) fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &self.text[token.range.clone()])
    }

    pub(super) fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |at| self.word(at))
    }

    pub(super) fn line(&self, at: usize) -> usize {
        line_of(&self.text, self.tokens[at].range.start)
    }

    /// The text with something else in a range.
    pub(super) fn with(&self, range: std::ops::Range<usize>, new: &str) -> String {
        format!("{}{new}{}", &self.text[..range.start], &self.text[range.end..])
    }

    /// Functions with a body: the name's token and the range of the whole from the beginning of its line.
    pub(super) fn functions(&self) -> Vec<(usize, std::ops::Range<usize>)> {
        let heads: &[&str] = match self.ending {
            "kt" => &["fun"],
            "go" => &["func"],
            "rs" => &["fn"],
            "py" => &["def"],
            "js" | "ts" | "php" => &["function"],
            _ => &[],
        };
        let mut all = Vec::new();
        for at in 1..self.tokens.len() {
            let is_head = heads.contains(&self.before(at))
                || self.ending == "java"
                    && self.tokens[at - 1].is_name
                    && !["new", "return", "throw", "else"].contains(&self.before(at));
            if !is_head || !self.tokens[at].is_name || self.word(at + 1) != "(" {
                continue;
            }
            let Some(close) = closing(&self.text, &self.tokens, at + 1) else { continue };
            let open =
                (close..self.tokens.len()).take(12).find(|at| matches!(self.word(*at), "{" | ";" | "="));
            let Some(open) = open.filter(|at| self.word(*at) == "{") else { continue };
            let Some(end) = closing(&self.text, &self.tokens, open) else { continue };
            let start = self.text[..self.tokens[at].range.start].rfind('\n').map_or(0, |at| at + 1);
            // A function that is a value has its name for itself.
            if self.text[start..self.tokens[at].range.start].contains(['=', '(', ':', '?'])
                || self.text[start..].trim_start().starts_with("return ")
            {
                continue;
            }
            all.push((at, start..self.tokens[end].range.end));
        }
        all
    }
}

/// Names that say what the next one is, and words that are none.
const WORDS: &[&str] = &[
    "abstract",
    "alias",
    "and",
    "any",
    "as",
    "assert",
    "async",
    "await",
    "bool",
    "boolean",
    "break",
    "by",
    "byte",
    "case",
    "catch",
    "chan",
    "char",
    "class",
    "const",
    "constructor",
    "continue",
    "crate",
    "def",
    "default",
    "defer",
    "del",
    "do",
    "double",
    "dyn",
    "elif",
    "else",
    "enum",
    "except",
    "export",
    "extends",
    "extern",
    "false",
    "final",
    "finally",
    "float",
    "fn",
    "for",
    "from",
    "fun",
    "func",
    "function",
    "get",
    "global",
    "go",
    "goto",
    "if",
    "impl",
    "implements",
    "import",
    "in",
    "init",
    "instanceof",
    "int",
    "interface",
    "is",
    "it",
    "lambda",
    "let",
    "long",
    "loop",
    "map",
    "match",
    "mod",
    "mut",
    "namespace",
    "new",
    "nil",
    "none",
    "not",
    "null",
    "number",
    "object",
    "of",
    "or",
    "out",
    "override",
    "package",
    "pass",
    "private",
    "protected",
    "pub",
    "public",
    "raise",
    "range",
    "ref",
    "return",
    "select",
    "self",
    "set",
    "short",
    "static",
    "string",
    "struct",
    "super",
    "switch",
    "symbol",
    "synchronized",
    "this",
    "throw",
    "throws",
    "trait",
    "true",
    "try",
    "type",
    "typealias",
    "typeof",
    "undefined",
    "unsafe",
    "use",
    "val",
    "var",
    "vararg",
    "void",
    "volatile",
    "when",
    "where",
    "while",
    "with",
    "yield",
];

fn is_word(name: &str) -> bool {
    WORDS.contains(&name.to_lowercase().as_str())
}

/// A name as fingers miss it: two letters swapped, one left out, one typed twice, one that is another.
pub(super) fn slip(name: &str, dice: &mut Dice) -> Option<String> {
    let mut letters: Vec<char> = name.chars().collect();
    let at = 1 + dice.below(letters.len().checked_sub(2)?);
    match dice.below(4) {
        0 => letters.swap(at, at - 1),
        1 => drop(letters.remove(at)),
        2 => letters.insert(at, letters[at]),
        _ => letters[at] = if letters[at] == 'e' { 'r' } else { 'e' },
    }
    let wrong: String = letters.into_iter().collect();
    (wrong != name && !is_word(&wrong)).then_some(wrong)
}

/// A name at a use, in a plain place, that the file has before.
fn misspelt(source: &Source, dice: &mut Dice, is_member: bool) -> Option<Mistake> {
    for _ in 0..200 {
        let at = dice.below(source.tokens.len());
        let name = source.word(at);
        if at == 0 || !source.tokens[at].is_name || name.len() < 4 || is_word(name) {
            continue;
        }
        let (before, next) = (source.before(at), source.word(at + 1));
        let is_behind = matches!(before, "." | ">" | ":" | "\\" | "?");
        let is_after_dot = before == "." || before == ">" && at > 1 && source.word(at - 2) == "-";
        let line = source.line(at);
        let head = source.text.lines().nth(line - 1).unwrap_or_default().trim_start();
        let is_import =
            ["import", "use ", "from ", "package", "namespace", "export", "#", "@", "type ", "\""];
        let is_declared = source.tokens[at - 1].is_name
            && !matches!(before, "return" | "in" | "new" | "if" | "else" | "await" | "not" | "and" | "or");
        let is_known = (0..at).any(|other| source.word(other) == name);
        let is_place = if is_member {
            is_after_dot
        } else {
            !is_behind && !matches!(before, "$" | "'" | "&" | "|" | "#")
        };
        if is_place
            && is_known
            && !is_declared
            && !matches!(next, ":" | "=" | "-" | "!" | "'" | "<" | "\\")
            && !is_import.iter().any(|word| head.starts_with(word))
        {
            let Some(wrong) = slip(name, dice).filter(|wrong| !source.text.contains(wrong)) else { continue };
            let text = source.with(source.tokens[at].range.clone(), &wrong);
            return Some(Mistake { text, lines: BTreeSet::from([line]) });
        }
    }
    None
}

/// A call of a function of the file that takes just so many arguments.
fn other_arguments(source: &Source, dice: &mut Dice, adds: bool) -> Option<Mistake> {
    // More arguments than parameters are legal in some languages, and any number in others.
    if source.ending == "js" || adds && source.ending == "php" {
        return None;
    }
    let functions = source.functions();
    let mut calls = Vec::new();
    for (name, _) in &functions {
        let word = source.word(*name);
        let Some(end) = closing(&source.text, &source.tokens, name + 1) else { continue };
        let params = &source.text[source.tokens[name + 1].range.end..source.tokens[end].range.start];
        let is_fixed =
            !["=", "...", "*", "?", "vararg", "self", "void", "any"].iter().any(|sign| params.contains(sign));
        let declared = functions.iter().filter(|(other, _)| source.word(*other) == word).count();
        if declared > 1 || !is_fixed || params.trim().is_empty() {
            continue;
        }
        calls.extend((1..source.tokens.len()).filter(|at| {
            let is_plain = !matches!(source.before(*at), "." | ">" | ":" | "!" | "\\" | "@")
                && !source.tokens[at - 1].is_name;
            let is_returned = matches!(source.before(*at), "return");
            at != name && source.word(*at) == word && source.word(at + 1) == "(" && (is_plain || is_returned)
        }));
    }
    let at = *calls.get(dice.below(calls.len()))?;
    let close = closing(&source.text, &source.tokens, at + 1)?;
    let (from, to) = (source.tokens[at + 1].range.end, source.tokens[close].range.start);
    let lines = (source.line(at)..=source.line(close)).collect();
    let args = &source.text[from..to];
    if args.trim().is_empty() || args.contains("...") || args.contains('*') {
        return None;
    }
    if adds {
        let all = args.trim_end().trim_end_matches(',');
        return Some(Mistake { text: source.with(from..to, &format!("{all}, 1")), lines });
    }
    let mut depth = 0_i32;
    let mut last = from;
    for token in &source.tokens[at + 2..close] {
        match &source.text[token.range.clone()] {
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" | ">" => depth -= 1,
            "," if depth == 0
                && token.range.end < to
                && !source.text[token.range.end..to].trim().is_empty() =>
            {
                last = token.range.start
            }
            _ => {}
        }
    }
    Some(Mistake { text: source.with(last..to, ""), lines })
}

/// An import of one name that the file uses.
fn missing_import(source: &Source, dice: &mut Dice) -> Option<Mistake> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in source.text.split_inclusive('\n') {
        let range = start..start + line.trim_end_matches(['\n', '\r']).len();
        start += line.len();
        let code = line.trim().trim_end_matches(';').split("//").next().unwrap_or_default().trim();
        let name = match source.ending {
            "java" | "kt" => code
                .strip_prefix("import ")
                .filter(|code| !code.contains('*') && !code.contains(" as "))
                .and_then(|code| code.rsplit('.').next()),
            "py" if !line.starts_with(' ') => match code.split_once(" import ") {
                Some((from, name)) if from.starts_with("from ") => Some(name),
                None => code.strip_prefix("import ").filter(|code| !code.contains('.')),
                _ => None,
            },
            "rs" if !line.starts_with(' ') => {
                code.strip_prefix("use ").and_then(|code| code.rsplit("::").next())
            }
            "php" if !line.starts_with(' ') => {
                code.strip_prefix("use ").and_then(|code| code.rsplit('\\').next())
            }
            "go" => code
                .strip_prefix('"')
                .and_then(|code| code.strip_suffix('"'))
                .and_then(|code| code.rsplit('/').next()),
            "js" | "ts" => code
                .strip_prefix("import ")
                .or_else(|| code.strip_prefix("const ").filter(|code| code.contains("require(")))
                .and_then(|code| code.trim_start_matches(['{', ' ']).split([' ', '}', ',']).next()),
            _ => None,
        };
        let is_one = |name: &&str| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_') && !is_word(name)
        };
        let Some(name) = name.filter(is_one) else { continue };
        let is_single = !code.contains(',');
        let is_in_block = source.ending != "go"
            || source.text[..range.start].contains("import (") && line.starts_with('\t');
        let uses: BTreeSet<usize> = (0..source.tokens.len())
            .filter(|at| {
                source.word(*at) == name
                    && source.before(*at) != "."
                    && !range.contains(&source.tokens[*at].range.start)
            })
            .filter(|at| source.ending != "go" || source.word(at + 1) == ".")
            .map(|at| source.line(at))
            .collect();
        if is_single && is_in_block && !uses.is_empty() {
            found.push((range, uses));
        }
    }
    if found.is_empty() {
        return None;
    }
    let (range, lines) = found.swap_remove(dice.below(found.len()));
    Some(Mistake { text: source.with(range, ""), lines })
}

/// A function that stands there once more.
fn declared_twice(source: &Source, dice: &mut Dice) -> Option<Mistake> {
    if matches!(source.ending, "py" | "js") {
        return None;
    }
    let all = source.functions();
    let outside: Vec<_> = all
        .iter()
        .filter(|(_, range)| !all.iter().any(|(_, other)| other.start < range.start && range.end < other.end))
        .collect();
    let (name, range) = outside.get(dice.below(outside.len()))?;
    if matches!(source.word(*name), "init" | "_") || range.len() > 4_000 {
        return None;
    }
    let copy = &source.text[range.clone()];
    let text = source.with(range.end..range.end, &format!("\n{copy}"));
    let line = source.line(*name);
    let second = line + copy.matches('\n').count() + 1;
    Some(Mistake { text, lines: BTreeSet::from([line, second]) })
}

/// The methods that interfaces of a tree announce, by the interface.
type Announced = BTreeMap<String, BTreeSet<String>>;

fn announced(sources: &[Source]) -> Announced {
    let mut all = Announced::new();
    for source in sources {
        for at in 1..source.tokens.len() {
            let is_head = matches!(source.before(at), "interface" | "trait") && source.tokens[at].is_name;
            let is_one = is_head && !(source.before(at) == "trait" && source.ending == "php");
            let open = (at..source.tokens.len()).take(30).find(|at| matches!(source.word(*at), "{" | ";"));
            let Some(open) = open.filter(|_| is_one) else { continue };
            let Some(end) = closing(&source.text, &source.tokens, open) else { continue };
            let mut inner = open + 1;
            while inner < end {
                if source.word(inner) == "{" {
                    inner = closing(&source.text, &source.tokens, inner).unwrap_or(end) + 1;
                    continue;
                }
                let is_method = source.tokens[inner].is_name && source.word(inner + 1) == "(";
                let close = is_method.then(|| closing(&source.text, &source.tokens, inner + 1)).flatten();
                if let Some(close) = close {
                    let stop = (close..end).take(30).find(|at| {
                        matches!(source.word(*at), "{" | ";" | "=" | "}") || source.word(*at) == "fun"
                    });
                    if stop.is_none_or(|at| !matches!(source.word(at), "{" | "=")) {
                        all.entry(source.word(at).to_owned())
                            .or_default()
                            .insert(source.word(inner).to_owned());
                    }
                    inner = close;
                }
                inner += 1;
            }
        }
    }
    all
}

/// A method without which a class lacks what an interface announces.
fn missing_method(source: &Source, dice: &mut Dice, announced: &Announced) -> Option<Mistake> {
    let mut found = Vec::new();
    let all = source.functions();
    for (name, range) in all.clone() {
        // The head of the type around it: back to its brace, and from there to the word that begins it.
        let mut depth = 0_i32;
        let open = (0..name).rev().find(|at| {
            match source.word(*at) {
                "}" => depth += 1,
                "{" => depth -= 1,
                _ => {}
            }
            depth < 0
        });
        let Some(open) = open else { continue };
        let head = (0..open)
            .rev()
            .take(40)
            .take_while(|at| !matches!(source.word(*at), "{" | "}" | ";"))
            .collect::<Vec<_>>();
        let words: Vec<&str> = head.iter().rev().map(|at| source.word(*at)).collect();
        let is_open = |word: &&str| {
            matches!(*word, "abstract" | "interface" | "trait" | "by" | "enum" | "sealed" | "new" | "object")
        };
        let extends = words.iter().position(|word| matches!(*word, "implements" | ":" | "impl"));
        let Some(extends) = extends.filter(|_| !words.iter().any(is_open)) else { continue };
        let is_simple =
            !words.contains(&"extends") && (source.ending != "kt" || !words[extends..].contains(&"("));
        let line = head
            .iter()
            .find(|at| matches!(source.word(**at), "class" | "impl" | "object"))
            .map(|at| source.line(*at));
        let Some(line) = line.filter(|_| is_simple) else { continue };
        let has_it = words[extends..]
            .iter()
            .any(|word| announced.get(*word).is_some_and(|all| all.contains(source.word(name))));
        let twins = all.iter().filter(|(other, _)| source.word(*other) == source.word(name)).count();
        if has_it && twins == 1 {
            found.push((range, line));
        }
    }
    if found.is_empty() {
        return None;
    }
    let (mut range, line) = found.swap_remove(dice.below(found.len()));
    // With the annotation in the line above it.
    let above = source.text[..range.start].trim_end();
    if above.ends_with("@Override") {
        range.start = above.len() - "@Override".len();
    }
    Some(Mistake { text: source.with(range, ""), lines: BTreeSet::from([line]) })
}

fn missing_bracket(source: &Source, dice: &mut Dice) -> Option<Mistake> {
    let brackets: Vec<usize> = (0..source.tokens.len())
        .filter(|at| matches!(source.word(*at), "(" | ")" | "[" | "]" | "{" | "}"))
        .collect();
    let at = *brackets.get(dice.below(brackets.len()))?;
    let line = source.line(at);
    let text = source.with(source.tokens[at].range.clone(), "");
    // It is noticed at the next token.
    let next = if at + 1 < source.tokens.len() { source.line(at + 1) } else { line };
    Some(Mistake { text, lines: (line..=next).collect() })
}

fn mistake(kind: Kind, source: &Source, dice: &mut Dice, announced: &Announced) -> Option<Mistake> {
    match kind {
        Kind::Name => misspelt(source, dice, false),
        Kind::Member => misspelt(source, dice, true),
        Kind::DropArgument => other_arguments(source, dice, false),
        Kind::AddArgument => other_arguments(source, dice, true),
        Kind::Import => missing_import(source, dice),
        Kind::Duplicate => declared_twice(source, dice),
        Kind::Implementation => missing_method(source, dice, announced),
        Kind::Bracket => missing_bracket(source, dice),
        _ => super::lines::mistake(kind, source, dice),
    }
}

/// Makes so many mistakes of each kind in a copy of a tree and asks for the problems of the file each time.
pub(super) fn measure(
    name: &str,
    dir: &Path,
    binary: &Path,
    (count, show): (usize, usize),
    shares: &mut Shares,
) -> Result<()> {
    let copy = repo::cache("mistakes")?;
    std::fs::remove_dir_all(&copy)?;
    let mut by_language: BTreeMap<&'static str, Vec<Source>> = BTreeMap::new();
    for path in repo::walk(dir, super::is_passed_over)? {
        let to = copy.join(&path);
        std::fs::create_dir_all(to.parent().context("no folder")?)?;
        std::fs::copy(dir.join(&path), &to)?;
        let ending = path.extension().and_then(|ending| ending.to_str()).and_then(ending_of);
        let (Some(language), Some(ending)) = (language_of(&path), ending) else { continue };
        let Ok(text) = std::fs::read_to_string(&to) else { continue };
        if (1_000..60_000).contains(&text.len()) && !path.to_string_lossy().ends_with(".d.ts") {
            let tokens = tokens(&text, ending);
            by_language.entry(language).or_default().push(Source { path, ending, text, tokens });
        }
    }
    let mut judge = Judge { client: super::client(binary, &copy)?, root: &copy, before: BTreeMap::new() };
    for (language, sources) in &by_language {
        let announced = announced(sources);
        for (kind, words) in KINDS {
            let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ kind as u64);
            let share = shares.entry((language, kind)).or_default();
            let (mut made, mut missed) = (0, 0);
            for _ in 0..count * 20 {
                if made >= count {
                    break;
                }
                let source = &sources[dice.below(sources.len())];
                let Some(mistake) = mistake(kind, source, &mut dice, &announced) else { continue };
                let Some(lines) = judge.new_lines(source, &mistake)? else { continue };
                made += 1;
                share.made += 1;
                share.found += usize::from(!lines.is_empty());
                share.placed += usize::from(lines.iter().any(|line| mistake.lines.contains(line)));
                if lines.is_empty() && missed < show {
                    missed += 1;
                    let line = mistake.lines.first().copied().unwrap_or_default();
                    let shown = mistake.text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
                    println!("  {name} missed ({words}): {}:{line}: {shown}", source.path.display());
                }
            }
        }
    }
    Ok(())
}

fn ending_of(ending: &str) -> Option<&'static str> {
    match ending {
        "mjs" | "cjs" | "jsx" => Some("js"),
        "mts" | "cts" | "tsx" => Some("ts"),
        other => names_of().find(|known| *known == other),
    }
}

/// A server, and the errors of files before anything was broken.
struct Judge<'a> {
    client: Client,
    root: &'a Path,
    before: BTreeMap<PathBuf, Vec<(String, usize)>>,
}

impl Judge<'_> {
    /// The lines of the errors that a mistake brings; `None` where the server could not say.
    fn new_lines(&mut self, source: &Source, mistake: &Mistake) -> Result<Option<Vec<usize>>> {
        let file = self.root.join(&source.path);
        if !self.before.contains_key(&source.path) {
            let Some(found) = self.problems(&source.path)? else { return Ok(None) };
            self.before.insert(source.path.clone(), found);
        }
        std::fs::write(&file, &mistake.text)?;
        let after = self.problems(&source.path);
        std::fs::write(&file, &source.text)?;
        let Some(mut after) = after? else { return Ok(None) };
        for (message, _) in &self.before[&source.path] {
            if let Some(at) = after.iter().position(|(other, _)| other == message) {
                after.remove(at);
            }
        }
        Ok(Some(after.into_iter().map(|(_, line)| line).collect()))
    }

    fn problems(&mut self, file: &Path) -> Result<Option<Vec<(String, usize)>>> {
        let asked = json!({"file": file, "severity": "errors", "maxProblems": 5_000});
        let answer = self.client.call("ide_diagnostics", &asked)?;
        if answer.is_error {
            return Ok(None);
        }
        let row = |problem: &Value| {
            Some((problem["message"].as_str()?.to_owned(), problem["line"].as_u64()? as usize))
        };
        Ok(answer.value["problems"].as_array().map(|all| all.iter().filter_map(row).collect()))
    }
}

/// The table of the shares.
pub(super) fn table(shares: &Shares) -> String {
    let languages: BTreeSet<&str> = shares.keys().map(|(language, _)| *language).collect();
    let mut text = String::from(
        "## Mistakes that are found\n\nOne mistake at a time is made in the same code: of those made, how many are reported as errors and how many \
        of these at the right\nline. `cargo xtask alarms NAME=DIR… --mutations N --write` measures again. Without a compiler, what depends on \
        types that are not known, or\nmay come from anywhere while the program runs, is not reported.\n\n| mistake |",
    );
    languages.iter().for_each(|language| write!(text, " {language} |").expect("writing to a string"));
    text.push_str("\n|---|");
    languages.iter().for_each(|_| text.push_str("---:|"));
    text.push('\n');
    let cell = |share: Share| {
        let percent = |part: usize| part * 100 / share.made.max(1);
        format!("{}: {} % / {} %", share.made, percent(share.found), percent(share.placed))
    };
    let mut row = |words: &str, of: &dyn Fn(&str) -> Share| {
        write!(text, "| {words} |").expect("writing to a string");
        for language in &languages {
            let share = of(language);
            let shown = if share.made == 0 { "–".to_owned() } else { cell(share) };
            write!(text, " {shown} |").expect("writing to a string");
        }
        text.push('\n');
    };
    for (kind, words) in KINDS {
        row(words, &|language| {
            shares
                .iter()
                .find(|((l, k), _)| *l == language && *k == kind)
                .map_or_else(Share::default, |(_, share)| *share)
        });
    }
    row("all", &|language| {
        shares.iter().filter(|((l, _), _)| *l == language).fold(Share::default(), |sum, (_, share)| Share {
            made: sum.made + share.made,
            found: sum.found + share.found,
            placed: sum.placed + share.placed,
        })
    });
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(ending: &'static str, text: &str) -> Source {
        Source { path: PathBuf::from("a"), ending, text: text.to_owned(), tokens: tokens(text, ending) }
    }

    fn made(kind: Kind, source: &Source) -> Mistake {
        let announced = announced(std::slice::from_ref(source));
        mistake(kind, source, &mut Dice(7), &announced).expect("there is a place for it")
    }

    #[test]
    fn each_kind_breaks_one_thing_and_knows_its_line() {
        let go = source(
            "go",
            "package a\n\nimport (\n\t\"x/other\"\n)\n\nfunc give(one, two int) {}\n\nfunc use() {\n\tgive(1, 2)\n\tother.Call()\n}\n",
        );
        let import = made(Kind::Import, &go);
        assert!(!import.text.contains("x/other") && import.lines == BTreeSet::from([11]), "{}", import.text);
        assert!(made(Kind::DropArgument, &go).text.contains("give(1)"));
        assert!(made(Kind::AddArgument, &go).text.contains("give(1, 2, 1)"));
        assert_eq!(made(Kind::Duplicate, &go).text.matches("func ").count(), 3);
        assert_eq!(made(Kind::Bracket, &go).text.len() + 1, go.text.len());
        let java = source(
            "java",
            "interface Named { String name(); default int two() { return 2; } }\nclass Use implements Named {\n    @Override\n    public String name() { return \"\"; }\n    int value; int get() { return this.value + value; }\n}\n",
        );
        let lacking = made(Kind::Implementation, &java);
        assert!(
            !lacking.text.contains("String name() {")
                && !lacking.text.contains("@Override")
                && lacking.lines == BTreeSet::from([2])
        );
        let member = made(Kind::Member, &java).text;
        assert!(!member.contains("this.value ") && member.contains("int get()"), "{member}");
    }
}
