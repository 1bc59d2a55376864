//! White space: what a file indents with, and code of others indented as its new place is.

use ide_model::{Language, TextContext, TextRange};

use super::syntax::Syntax;
use crate::classify::classify;

/// One level of indentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Tab,
    Spaces(usize),
}

/// Columns of a tab where tabs are counted; any number does that is used throughout.
const TAB: usize = 4;

impl Unit {
    /// The indentation unit of lines that stand `base` columns in, all but the first; `None` when none of them
    /// stands further in.
    fn of(lines: &[Line<'_>], base: usize) -> Option<Self> {
        let code: Vec<&Line<'_>> =
            lines.iter().filter(|line| line.inside == Inside::Code && !line.is_blank()).collect();
        let columns: Vec<usize> = code.iter().map(|line| line.columns().saturating_sub(base)).collect();
        let least = columns.iter().copied().filter(|n| *n > 0).min()?;
        let tabs = code.iter().filter(|line| line.text.starts_with('\t')).count();
        let spaces = code.iter().filter(|line| line.text.starts_with(' ')).count();
        if tabs >= spaces {
            return Some(Self::Tab);
        }
        // The step from a line to a deeper one that is seen most often; of two the smaller one.
        let mut counts = [0_usize; 9];
        for pair in columns.windows(2) {
            let step = pair[1].saturating_sub(pair[0]);
            if (2..counts.len()).contains(&step) {
                counts[step] += 1;
            }
        }
        let best = (2..counts.len()).rev().max_by_key(|step| counts[*step]).filter(|step| counts[*step] > 0);
        Some(Self::Spaces(best.unwrap_or(least)))
    }

    /// The indentation unit of a file.
    pub(super) fn of_file(syntax: &Syntax, language: Language, text: &str) -> Self {
        let habit = if syntax.unit == 0 { Self::Tab } else { Self::Spaces(syntax.unit) };
        Self::of(&lines(syntax, language, text), 0).unwrap_or(habit)
    }

    fn columns(self) -> usize {
        match self {
            Self::Tab => TAB,
            Self::Spaces(n) => n,
        }
    }

    pub(super) fn levels(self, n: usize) -> String {
        match self {
            Self::Tab => "\t".repeat(n),
            Self::Spaces(width) => " ".repeat(n * width),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Code,
    /// Moves with the code around it.
    Comment,
    /// A documentation string of an indented language: moves like a comment.
    Docstring,
    /// Is not touched.
    Text,
}

struct Line<'t> {
    text: &'t str,
    /// The context of its first byte.
    inside: Inside,
}

impl Line<'_> {
    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn columns(&self) -> usize {
        let blanks = self.text.chars().take_while(|c| matches!(c, ' ' | '\t'));
        blanks.map(|c| if c == '\t' { TAB } else { 1 }).sum()
    }
}

/// The comments and strings of code that may be a part of a file.
fn no_code(syntax: &Syntax, language: Language, text: &str) -> Vec<(TextRange, TextContext)> {
    // Code that is parsed by itself may need an opening to be parsed as code.
    let opening = if text.contains(syntax.opening.trim()) { "" } else { syntax.opening };
    let n = opening.len() as u32;
    let found = classify(language, &format!("{opening}{text}")).into_iter();
    found
        .filter(|(range, _)| range.start >= n)
        .map(|(range, context)| (TextRange::new(range.start - n, range.end - n), context))
        .collect()
}

fn lines<'t>(syntax: &Syntax, language: Language, text: &'t str) -> Vec<Line<'t>> {
    let found = no_code(syntax, language, text);
    let mut start = 0;
    let line = |line: &'t str| {
        let at = start as u32;
        start += line.len();
        let i = found.partition_point(|(range, _)| range.end <= at);
        let inside = match found.get(i) {
            Some((range, context)) if range.start < at => match context {
                TextContext::Comment => Inside::Comment,
                TextContext::StringLiteral if syntax.is_indented && is_docstring(text, *range) => {
                    Inside::Docstring
                }
                TextContext::StringLiteral => Inside::Text,
                TextContext::Code => Inside::Code,
            },
            _ => Inside::Code,
        };
        Line { text: line.strip_suffix('\n').unwrap_or(line), inside }
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Whether a string is a statement of its own that begins a block or the text.
fn is_docstring(text: &str, range: TextRange) -> bool {
    let before = text[..range.start as usize].trim_end_matches([' ', '\t']);
    let head = before.trim_end();
    (before.is_empty() || before.ends_with('\n')) && (head.is_empty() || head.ends_with(':'))
}

/// Code to be indented.
pub(super) struct Code<'t> {
    pub(super) syntax: &'static Syntax,
    pub(super) language: Language,
    pub(super) text: &'t str,
    /// The lines are statements of one block.
    pub(super) is_block: bool,
}

impl<'t> Code<'t> {
    /// The text within the braces around the code, if they are a pair; else all of it.
    pub(super) fn within_braces(&self) -> &'t str {
        let trimmed = self.text.trim();
        if !trimmed.starts_with('{') || !trimmed.ends_with('}') {
            return self.text;
        }
        let found = no_code(self.syntax, self.language, trimmed);
        let mut depth = 0_usize;
        for (at, c) in trimmed.char_indices().filter(|(_, c)| matches!(c, '{' | '}')) {
            let i = found.partition_point(|(range, _)| range.end as usize <= at);
            if found.get(i).is_some_and(|(range, _)| range.contains(at as u32)) {
                continue;
            }
            depth = if c == '{' { depth + 1 } else { depth.saturating_sub(1) };
            if depth == 0 && at + 1 < trimmed.len() {
                return self.text;
            }
        }
        let inner = &trimmed[1..trimmed.len() - 1];
        inner.strip_prefix('\n').or_else(|| inner.strip_prefix("\r\n")).unwrap_or(inner)
    }

    /// The code with `indent` before every line but the first, and levels of `unit`. Line ends are `\n`; blank lines
    /// around it are gone, and nothing in strings is different.
    pub(super) fn placed(&self, indent: &str, unit: Unit) -> String {
        let text = self.text.replace("\r\n", "\n");
        let first =
            text.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum::<usize>();
        let text = text[first..].trim_end();
        let lines = lines(self.syntax, self.language, text);
        let (base, base_of_rest) = self.bases(&lines, indent, unit);
        let own = Unit::of(&lines, base_of_rest).unwrap_or(unit);
        let mut out = String::with_capacity(text.len() + lines.len() * indent.len());
        for (i, line) in lines.iter().enumerate() {
            if i > 0 {
                out.push('\n');
            }
            if line.inside == Inside::Text {
                out.push_str(line.text);
                continue;
            }
            if line.is_blank() {
                continue;
            }
            let columns = line.columns().saturating_sub(if i == 0 { base } else { base_of_rest });
            let levels = columns / own.columns();
            let rest = columns % own.columns();
            // Levels that get smaller must not meet the ones above.
            let rest = if own.columns() > unit.columns() { rest.min(unit.columns() - 1) } else { rest };
            if i > 0 {
                out.push_str(indent);
                out.push_str(&unit.levels(levels));
                out.push_str(&" ".repeat(rest));
            }
            out.push_str(line.text.trim_start_matches([' ', '\t']));
        }
        out
    }

    /// How far in the code stands where it comes from: its first line, and the others. The first line often lost its
    /// indentation on the way.
    fn bases(&self, lines: &[Line<'_>], indent: &str, unit: Unit) -> (usize, usize) {
        let moved = |line: &&Line<'_>| line.inside != Inside::Text && !line.is_blank();
        let Some(first) = lines.first() else { return (0, 0) };
        let rest: Vec<&Line<'_>> = lines[1..].iter().filter(moved).collect();
        let Some(least) = rest.iter().map(|line| line.columns()).min() else {
            return (first.columns(), first.columns());
        };
        if first.columns() > 0 || least == 0 {
            let base = first.columns().min(least);
            return (base, base);
        }
        let last = rest.last().expect("there is a least one");
        if last.text.trim_start().starts_with(['}', ')', ']']) {
            return (0, last.columns());
        }
        let place = Line { text: indent, inside: Inside::Code }.columns();
        if !self.is_block {
            let is_place = place > 0 && least == place + unit.columns();
            return (0, if is_place { place } else { 0 });
        }
        let ends = first.text.trim_end().ends_with(|c: char| c.is_alphanumeric() || ")];}\"'`_".contains(c));
        let goes_on = rest[0].text.trim_start().starts_with(|c: char| ".?&|+-*/:=<>)".contains(c));
        (0, if ends && !goes_on { least } else { 0 })
    }
}

/// The start of the line of an offset.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |i| i + 1)
}

/// The end of the line of an offset, before its line ending.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let line = &text[at..];
    let line = line.split_inclusive('\n').next().unwrap_or("");
    at + line.trim_end_matches(['\n', '\r']).len()
}

/// The white space at the start of the line of an offset.
pub(super) fn indent_at(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..at];
    let end = line.find(|c| !matches!(c, ' ' | '\t')).unwrap_or(line.len());
    &line[..end]
}

/// Whether nothing but white space stands before an offset on its line.
pub(super) fn begins_line(text: &str, at: usize) -> bool {
    text[line_start(text, at)..at].trim_start_matches('\u{feff}').trim().is_empty()
}

/// Lines of white space alone between two offsets.
pub(super) fn blank_lines(text: &str, from: usize, to: usize) -> usize {
    let mut lines: Vec<&str> = text.get(from..to.max(from)).unwrap_or("").split('\n').collect();
    // The first and the last line are not whole lines of the range.
    lines.pop();
    lines.iter().skip(1).filter(|line| line.trim().is_empty()).count()
}

/// How lines end around an offset.
pub(super) fn line_ending(text: &str, at: usize) -> &'static str {
    let end = text[at..].find('\n').map(|i| at + i).or_else(|| text[..at].rfind('\n'));
    match end {
        Some(end) if text[..end].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::super::syntax::syntax_of;
    use super::*;

    fn placed(language: Language, text: &str, indent: &str, unit: Unit) -> String {
        Code { syntax: syntax_of(language).unwrap(), language, text, is_block: false }.placed(indent, unit)
    }

    #[test]
    fn code_takes_the_indentation_of_its_place() {
        let java = |text: &str| placed(Language::Java, text, "    ", Unit::Spaces(4));
        let wanted = "void run() {\n        go();\n    }";
        assert_eq!(java("void run() {\n  go();\n}\n"), wanted, "two columns a level");
        assert_eq!(java("\tvoid run() {\n\t\tgo();\n\t}"), wanted, "tabs");
        assert_eq!(java("\nvoid run() {\n            go();\n        }"), wanted, "the first line was cut");
        assert_eq!(
            java("/**\n * Doc.\n */\nvoid run() {\r\n    go();\r\n}"),
            format!("/**\n     * Doc.\n     */\n    {wanted}")
        );
        let tabs = placed(Language::Go, "func f() {\n    if x {\n        y()\n    }\n}", "", Unit::Tab);
        assert_eq!(tabs, "func f() {\n\tif x {\n\t\ty()\n\t}\n}");
        let python = placed(Language::Python, "def f(self):\n        return 1", "    ", Unit::Spaces(4));
        assert_eq!(python, "def f(self):\n        return 1");
    }

    #[test]
    fn strings_of_several_lines_stay() {
        let python = "def f(self):\n  \"\"\"Doc.\n\n  More.\n  \"\"\"\n  x = \"\"\"\n one\n   two\"\"\"\n";
        assert_eq!(
            placed(Language::Python, python, "    ", Unit::Spaces(4)),
            "def f(self):\n        \"\"\"Doc.\n\n        More.\n        \"\"\"\n        x = \"\"\"\n one\n   two\"\"\""
        );
        let php = "function f() {\n\treturn <<<X\n a\n  X;\n}";
        assert_eq!(
            placed(Language::Php, php, "    ", Unit::Spaces(4)),
            "function f() {\n        return <<<X\n a\n  X;\n    }"
        );
        let ts = "f() {\n    return `\n  a ${b}\n`;\n}";
        assert_eq!(
            placed(Language::TypeScript, ts, "  ", Unit::Spaces(2)),
            "f() {\n    return `\n  a ${b}\n`;\n  }"
        );
        let go = "func f() string {\n  return `\n a`\n}";
        assert_eq!(placed(Language::Go, go, "", Unit::Tab), "func f() string {\n\treturn `\n a`\n}");
    }

    #[test]
    fn statements_that_lost_their_first_indentation_stay_together() {
        let block = |text: &str| {
            let syntax = syntax_of(Language::Python).unwrap();
            Code { syntax, language: Language::Python, text, is_block: true }.placed("    ", Unit::Spaces(4))
        };
        assert_eq!(block("x = 1\n        return x"), "x = 1\n    return x");
        assert_eq!(block("if a:\n    b()"), "if a:\n        b()");
        assert_eq!(block("x = a\n    .b()"), "x = a\n        .b()");
    }
}
