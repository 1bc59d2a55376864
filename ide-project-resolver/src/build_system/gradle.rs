//! Gradle: the literal `include`s of `settings.gradle(.kts)` and the layout on disk.
//!
//! Settings scripts are programs; what they compute cannot be known without running them. Calls
//! with string literals are what nearly all of them consist of.

use std::io;

use super::{At, Described, jvm};
use crate::model::RootKind;

pub(super) fn read(at: &At<'_>, described: &mut Described) -> io::Result<()> {
    described.roots = jvm::roots(at);
    described.roots.push(("build/generated".to_owned(), RootKind::Generated));
    for file in ["settings.gradle.kts", "settings.gradle"] {
        if let Some(text) = at.text(file)? {
            settings(at, &tokens(&text), described);
        }
    }
    Ok(())
}

#[derive(Debug, PartialEq)]
pub(crate) enum Token {
    Word(String),
    Text(String),
    Mark(char),
}

fn settings(at: &At<'_>, tokens: &[Token], described: &mut Described) {
    let text = |index: usize| match tokens.get(index) {
        Some(Token::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    let word =
        |index: usize, name: &str| matches!(tokens.get(index), Some(Token::Word(word)) if word == name);
    let mark = |index: usize, c: char| tokens.get(index) == Some(&Token::Mark(c));
    let mut moved: Vec<(&str, &str)> = Vec::new();
    let mut included: Vec<&str> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let Token::Word(name) = token else { continue };
        let argument = if mark(index + 1, '(') { index + 2 } else { index + 1 };
        match name.as_str() {
            "include" | "includeFlat" | "includeBuild" => {
                let mut next = argument;
                while let Some(path) = text(next) {
                    match name.as_str() {
                        "include" => included.push(path),
                        "includeFlat" => described.members.push(format!("../{path}")),
                        _ => described.members.push(path.to_owned()),
                    }
                    if !mark(next + 1, ',') {
                        break;
                    }
                    next += 2;
                }
            }
            "name" if index >= 2 && word(index - 2, "rootProject") && mark(index + 1, '=') => {
                described.name = text(index + 2).map(str::to_owned);
            }
            // project(":x").projectDir = file("y")  or  = new File(settingsDir, "y")
            "projectDir" if index >= 3 && mark(index - 1, '.') && mark(index - 2, ')') => {
                let target = (index + 1..index + 8).find_map(text);
                if let (Some(path), Some(target)) = (text(index - 3), target) {
                    moved.push((path, target));
                }
            }
            _ => {}
        }
    }
    for path in included {
        let target =
            moved.iter().find(|(name, _)| name.trim_start_matches(':') == path.trim_start_matches(':'));
        let dir = match target {
            Some((_, dir)) => (*dir).to_owned(),
            None => path.trim_start_matches(':').replace(':', "/"),
        };
        // a path segment without a directory of its own is legal: it only groups
        if at.is_dir(&dir) {
            described.members.push(dir);
        } else {
            let message = format!("the included project `{path}` has no directory `{dir}`");
            described.problems.push(("settings.gradle".to_owned(), message));
        }
    }
}

/// Words, string literals and marks of a Groovy or Kotlin script; comments are left out. Literals
/// with interpolation are no constants and become marks.
pub(crate) fn tokens(script: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = script;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if rest.starts_with("/*") {
            rest = rest[2..].find("*/").map_or("", |end| &rest[end + 4..]);
        } else if c == '"' || c == '\'' {
            let body = &rest[1..];
            let end = body.find([c, '\n']).unwrap_or(body.len());
            let constant = !body[..end].contains(['$', '\\']);
            tokens.push(if constant { Token::Text(body[..end].to_owned()) } else { Token::Mark('$') });
            rest = body.get(end + 1..).unwrap_or("");
        } else if c.is_alphanumeric() || c == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        } else {
            if !c.is_whitespace() {
                tokens.push(Token::Mark(c));
            }
            rest = &rest[c.len_utf8()..];
        }
    }
    tokens
}
