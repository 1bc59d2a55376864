//! Output for people: javac, kotlinc, tsc, go, mypy, php and the habits that most compilers share, alone or in the log of a
//! build system.

use std::sync::LazyLock;

use ide_model::Severity;
use regex::{Captures, Regex};

use super::{At, Messages, Raw, Unit};
use crate::text::plain;

/// Lines of detail that are taken below a message, at most.
const MAX_DETAIL: usize = 8;

/// One form of a message.
struct Form {
    pattern: LazyLock<Regex>,
    make: fn(&Captures<'_>) -> Option<Raw>,
}

macro_rules! forms {
    ($($pattern:literal => $make:expr,)*) => {
        [$(Form { pattern: LazyLock::new(|| Regex::new($pattern).expect("the pattern is tested")), make: $make }),*]
    };
}

/// The first form that fits a line decides.
static FORMS: [Form; 12] = forms! {
    // /p/A.java:[19,20] incompatible types   (Maven)
    r"^(?P<file>.+?):\[(?P<line>\d+),(?P<column>\d+)\]\s+(?:(?P<word>error|warning):\s+)?(?P<message>.+)$" => maven,
    // e: file:///p/A.kt:16:9 Type mismatch   e: /p/A.kt: (16, 9): Type mismatch
    r"^(?P<word>[ew]): (?:file://)?(?P<file>.+?\.kts?):(?: \((?P<l>\d+), (?P<c>\d+)\):?|(?P<line>\d+):(?P<column>\d+):?) (?P<message>.+)$" => kotlin,
    // /p/A.kt: (16, 9) Type mismatch   (Maven)
    r"^(?P<file>.+?\.kts?): \((?P<line>\d+), (?P<column>\d+)\):? (?P<message>.+)$" => maven_kotlin,
    // A.kt:16:9: error: type mismatch
    r"^(?P<file>[^\s:][^:]*\.kts?|[A-Za-z]:[^:]*\.kts?):(?P<line>\d+):(?P<column>\d+): (?P<word>error|warning|info): (?P<message>.+)$" => |c| Some(simple(c, "kotlinc", Unit::Utf16)),
    // A.java:19: error: incompatible types
    r"^(?P<file>.+?\.java):(?P<line>\d+): (?P<word>error|warning): (?:\[(?P<code>[\w-]+)\] )?(?P<message>.+)$" => |c| Some(simple(c, "javac", Unit::Utf16)),
    // src/a.ts(14,18): error TS2322: …   src/a.ts:14:18 - error TS2322: …
    r"^(?P<file>.+?)(?:\((?P<l>\d+),(?P<c>\d+)\):|:(?P<line>\d+):(?P<column>\d+) -) (?P<word>error|warning|message) (?P<code>TS\d+): (?P<message>.+)$" => |c| Some(simple(c, "tsc", Unit::Utf16)),
    // error TS18003: No inputs were found   (of no file)
    r"^(?P<word>error) (?P<code>TS\d+): (?P<message>.+)$" => |c| Some(simple(c, "tsc", Unit::Utf16)),
    // PHP Parse error:  syntax error, unexpected token ";" in src/A.php on line 24
    r"^(?:PHP )?(?P<word>Parse error|Fatal error|Warning|Deprecated|Notice|Recoverable fatal error): +(?P<message>.+) in (?P<file>\S.*?)(?: on line |:)(?P<line>\d+)$" => php,
    // shop/a.py:15:9: error: …  [return-value]
    r"^(?P<file>[^\s:][^:]*\.pyi?|[A-Za-z]:[^:]*\.pyi?):(?P<line>\d+)(?::(?P<column>\d+))?(?::\d+:\d+)?: (?P<word>error|warning|note): (?P<message>.*?)(?:  \[(?P<code>[\w-]+)\])?$" => |c| Some(simple(c, "mypy", Unit::Chars)),
    // vet: shop/a.go:16:27: undefined: nope
    r"^(?:vet: )?(?P<file>[^\s:][^:]*\.go|[A-Za-z]:[^:]*\.go):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<message>\S.*)$" => go,
    // ERROR: /p/BUILD.bazel:3:5: no such target   a.c:3:5: error: expected ';'
    r"(?i)^(?:ERROR: )?(?P<file>[^\s:'\x22][^:'\x22]*|[A-Za-z]:[\\/][^:'\x22]*):(?P<line>\d+)(?::(?P<column>\d+))?:? (?:- )?(?P<word>fatal error|error|warning|note)(?:[ :]+|\[(?P<code>[^\]]+)\]: )(?P<message>\S.*)$" => |c| Some(simple(c, "build", Unit::Bytes)),
    r"^ERROR: (?P<file>[^\s:]+):(?P<line>\d+):(?P<column>\d+): (?P<message>\S.*)$" => |c| Some(simple(c, "build", Unit::Bytes)),
};

/// `error[E0425]: cannot find value`, whose place is below.
static RUST_HEAD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?P<word>error|warning)(?:\[(?P<code>\w+)\])?: (?P<message>.+)$")
        .expect("the pattern is tested")
});
static RUST_PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*--> (?P<file>.+?):(?P<line>\d+):(?P<column>\d+)$").expect("the pattern is tested")
});
/// `  File "a.py", line 3`, whose message is below.
static PYTHON_PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^(?:\*\*\* )?\s*File "(?P<file>[^"]+)", line (?P<line>\d+)"#)
        .expect("the pattern is tested")
});
static PYTHON_MESSAGE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?P<code>SyntaxError|IndentationError|TabError): (?P<message>.+)$")
        .expect("the pattern is tested")
});

fn word_severity(word: &str) -> Severity {
    match word.to_ascii_lowercase().as_str() {
        "warning" | "w" | "deprecated" => Severity::Warning,
        "note" | "info" | "message" | "notice" => Severity::Info,
        _ => Severity::Error,
    }
}

fn number(captures: &Captures<'_>, names: [&str; 2]) -> Option<u32> {
    let found = names.iter().find_map(|name| captures.name(name));
    found.and_then(|text| text.as_str().parse().ok()).filter(|number| *number > 0)
}

fn simple(captures: &Captures<'_>, source: &'static str, unit: Unit) -> Raw {
    let text = |name| captures.name(name).map_or("", |found| found.as_str());
    let raw = Raw::new(source, word_severity(text("word")), text("message").trim()).code(Some(text("code")));
    if text("file").is_empty() {
        return raw;
    }
    let line = number(captures, ["line", "l"]);
    let column = number(captures, ["column", "c"]);
    let at = line.map(|line| column.map_or(At::Line(line), |column| At::Column(line, column, unit)));
    raw.at(text("file").trim_start_matches("file://"), at)
}

fn maven(captures: &Captures<'_>) -> Option<Raw> {
    let is_kotlin = captures["file"].ends_with(".kt");
    Some(match is_kotlin {
        true => simple(captures, "kotlinc", Unit::Utf16),
        false => simple(captures, "javac", Unit::Tabs),
    })
}

fn maven_kotlin(captures: &Captures<'_>) -> Option<Raw> {
    Some(simple(captures, "kotlinc", Unit::Utf16))
}

fn kotlin(captures: &Captures<'_>) -> Option<Raw> {
    Some(simple(captures, "kotlinc", Unit::Utf16))
}

fn php(captures: &Captures<'_>) -> Option<Raw> {
    Some(simple(captures, "php", Unit::Bytes))
}

fn go(captures: &Captures<'_>) -> Option<Raw> {
    let message = &captures["message"];
    // A frame of a stack has an offset (`a.go:3 +0x1d`); a test's own words are no message of a compiler.
    (!message.starts_with("+0x")).then(|| simple(captures, "go", Unit::Bytes))
}

/// The level that Maven puts before a line, and the rest.
fn levelled(line: &str) -> (Option<Severity>, &str) {
    let levels =
        [("[ERROR] ", Severity::Error), ("[WARNING] ", Severity::Warning), ("[INFO] ", Severity::Info)];
    let found = levels.iter().find_map(|(word, severity)| Some((*severity, line.strip_prefix(word)?)));
    found.map_or((None, line), |(severity, rest)| (Some(severity), rest))
}

/// Messages in what programs write for people.
pub(crate) fn log(text: &str) -> Messages {
    let text = plain(text);
    let mut found = Messages::default();
    let mut lines = text.lines().peekable();
    // The head of a message whose place is below.
    let mut rust: Option<Raw> = None;
    let mut python: Option<(String, u32)> = None;
    while let Some(line) = lines.next() {
        let (level, line) = levelled(line.trim_end());
        if let Some(mut raw) = one(line) {
            if let Some(level) = level.filter(|_| raw.severity == Severity::Error) {
                raw.severity = level;
            }
            raw.message.push_str(&detail(&mut lines, &raw, level.is_some()));
            if raw.source == "javac"
                && let (Some(At::Line(line)), Some(column)) = (raw.start, caret(&lines))
            {
                raw.start = Some(At::Column(line, column, Unit::Utf16));
            }
            found.push(raw);
        } else if let Some(head) = RUST_HEAD.captures(line) {
            rust = Some(simple(&head, "rustc", Unit::Chars));
        } else if let Some(place) = RUST_PLACE.captures(line) {
            if let Some(head) = rust.take() {
                let Raw { file, start, .. } = simple(&place, "rustc", Unit::Chars);
                found.push(Raw { file, start, ..head });
            }
        } else if let Some(place) = PYTHON_PLACE.captures(line) {
            python = number(&place, ["line", "l"]).map(|line| (place["file"].to_owned(), line));
        } else if let Some(said) = PYTHON_MESSAGE.captures(line)
            && let Some((file, line)) = python.take()
        {
            let message = format!("{}: {}", &said["code"], &said["message"]);
            found.push(Raw::new("python", Severity::Error, message).at(file, Some(At::Line(line))));
        }
    }
    found
}

fn one(line: &str) -> Option<Raw> {
    // No form is shorter, and most lines have no number behind a colon or bracket.
    if line.len() < 6 || !line.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    FORMS.iter().find_map(|form| (form.make)(&form.pattern.captures(line)?))
}

type Lines<'t> = std::iter::Peekable<std::str::Lines<'t>>;

/// Lines that belong to the message above: `  symbol:   variable x` of javac, indented ones of tsc and of Go.
fn detail(lines: &mut Lines<'_>, raw: &Raw, is_levelled: bool) -> String {
    let mut detail = String::new();
    let belongs = |line: &str| match raw.source {
        "javac" => is_levelled && (line.starts_with("  symbol:") || line.starts_with("  location:")),
        "tsc" => line.starts_with("  ") && !line.trim_start().starts_with('~'),
        "go" => line.starts_with('\t'),
        _ => false,
    };
    for _ in 0..MAX_DETAIL {
        let Some(line) = lines.peek().map(|line| levelled(line).1) else { break };
        if !belongs(line) || line.trim().is_empty() {
            break;
        }
        detail.push('\n');
        detail.push_str(line.trim());
        lines.next();
    }
    detail
}

/// The column that javac shows by a sign below the line.
fn caret(lines: &Lines<'_>) -> Option<u32> {
    let mut ahead = lines.clone();
    for _ in 0..MAX_DETAIL {
        let line = ahead.next()?;
        if line.trim() == "^" {
            return u32::try_from(line.chars().take_while(|c| *c != '^').count() + 1).ok();
        }
        if one(line).is_some() || RUST_HEAD.is_match(line) || PYTHON_PLACE.is_match(line) {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests;
