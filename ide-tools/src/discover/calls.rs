//! Tests that are calls: `describe`, `it` and `test` of Jest, Vitest and `node:test`.

use std::sync::LazyLock;

use ide_model::{Framework, TextContext};
use regex::Regex;

use super::{FoundTest, TestFile};
use crate::ToolError;

/// Blocks within blocks beyond this are not followed.
const MAX_DEPTH: usize = 32;

/// `describe.only(`, `test.each([1, 2])(`, `t.test(`; the name of what is called decides.
static CALL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?P<before>[\w$]\.)?\b(?P<what>describe|suite|context|it|test|[xf]it|[xf]describe|xtest)(?P<more>(?:\.(?:only|skip|todo|concurrent|sequential|failing|fails|each|for|skipIf|runIf|shuffle))*)\s*[(`]")
        .expect("the pattern is tested")
});

/// Blocks that hold tests, and tests.
fn is_block(what: &str) -> bool {
    matches!(what, "describe" | "suite" | "context" | "fdescribe" | "xdescribe")
}

struct Call {
    start: u32,
    end: u32,
    is_block: bool,
    is_member: bool,
    is_parameterized: bool,
    title: String,
    offset: u32,
}

pub(super) fn find(seen: &TestFile<'_>) -> Result<Vec<FoundTest>, ToolError> {
    let Some(framework) = framework(seen) else { return Ok(Vec::new()) };
    let mut open: Vec<Call> = Vec::new();
    let mut found = Vec::new();
    for call in calls(seen)? {
        while open.last().is_some_and(|around| around.end <= call.start) {
            open.pop();
        }
        // `t.test` within a test of node is a test; `expect.test` anywhere else is not.
        if call.is_member && (open.is_empty() || framework != Framework::NodeTest) {
            continue;
        }
        let suites: Vec<String> = open.iter().map(|around| around.title.clone()).collect();
        if !call.is_block {
            let selector =
                suites.iter().chain([&call.title]).map(String::as_str).collect::<Vec<_>>().join(" ");
            found.push(FoundTest {
                framework,
                offset: call.offset,
                suites,
                name: call.title.clone(),
                selector,
                is_parameterized: call.is_parameterized || open.iter().any(|around| around.is_parameterized),
            });
        }
        if open.len() < MAX_DEPTH {
            open.push(call);
        }
    }
    Ok(found)
}

/// By what the file imports, else by what its package names.
fn framework(seen: &TestFile<'_>) -> Option<Framework> {
    let imports = |module: &str| {
        ["\"", "'"].iter().any(|quote| seen.text.text.contains(&format!("{quote}{module}{quote}")))
    };
    if ["@playwright/test", "cypress", "bun:test", "mocha", "ava", "tap"].iter().any(|other| imports(other)) {
        return None;
    }
    let by_import = [
        ("vitest", Framework::Vitest),
        ("node:test", Framework::NodeTest),
        ("@jest/globals", Framework::Jest),
    ];
    if let Some((_, framework)) = by_import.iter().find(|(module, _)| imports(module)) {
        return Some(*framework);
    }
    let path = seen.file.as_str();
    let is_named = [".test.", ".spec.", "__tests__/"].iter().any(|word| path.contains(word));
    let package = seen.nearest("package.json").filter(|_| is_named)?;
    let names =
        [("\"vitest", Framework::Vitest), ("\"jest", Framework::Jest), ("node --test", Framework::NodeTest)];
    names.iter().find(|(word, _)| package.contains(word)).map(|(_, framework)| *framework)
}

/// The calls of a file in their order, each with its end and its title.
fn calls(seen: &TestFile<'_>) -> Result<Vec<Call>, ToolError> {
    let text = &*seen.text.text;
    let heads: Vec<regex::Captures<'_>> = CALL.captures_iter(text).collect();
    let starts: Vec<u32> =
        heads.iter().map(|head| head.name("what").map_or(0, |what| what.start()) as u32).collect();
    let contexts = seen.session.snapshot.text_contexts(seen.file, &starts)?;
    // Brackets in strings and comments are none.
    let brackets: Vec<u32> = text
        .bytes()
        .enumerate()
        .filter(|(_, byte)| matches!(byte, b'(' | b')'))
        .map(|(at, _)| at as u32)
        .collect();
    let in_code = seen.session.snapshot.text_contexts(seen.file, &brackets)?;
    let brackets: Vec<u32> = brackets
        .into_iter()
        .zip(in_code)
        .filter(|(_, context)| *context == TextContext::Code)
        .map(|(at, _)| at)
        .collect();
    let mut found = Vec::new();
    for ((head, start), context) in heads.iter().zip(starts).zip(contexts) {
        if context != TextContext::Code {
            continue;
        }
        let more = head.name("more").map_or("", |more| more.as_str());
        let is_parameterized = more.contains("each") || more.contains("for");
        let is_curried = is_parameterized || more.contains("If");
        let behind = head.get(0).map_or(0, |head| head.end()) - 1;
        // `test.each(table)("name", …)`, `test.each` with a table as a template: the name is in the second call.
        let open = if is_curried { second(text, &brackets, behind) } else { Some(behind) };
        let Some(open) = open else { continue };
        let Some((title, offset, is_computed)) = title(text, open + 1) else { continue };
        let end = closing(text, &brackets, open).unwrap_or(text.len());
        found.push(Call {
            start,
            end: end as u32,
            is_block: is_block(&head["what"]),
            is_member: head.name("before").is_some(),
            is_parameterized: is_parameterized || is_computed,
            title,
            offset: offset as u32,
        });
    }
    Ok(found)
}

/// The bracket that closes the one at an offset.
fn closing(text: &str, brackets: &[u32], open: usize) -> Option<usize> {
    let from = brackets.partition_point(|at| (*at as usize) < open);
    let mut depth = 0usize;
    for at in &brackets[from..] {
        let at = *at as usize;
        if text.as_bytes()[at] == b'(' {
            depth += 1;
        } else {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// The bracket that opens the second call, behind a first one or behind a template.
fn second(text: &str, brackets: &[u32], first: usize) -> Option<usize> {
    let behind = if text.as_bytes()[first] == b'`' {
        first + 1 + text[first + 1..].find('`')? + 1
    } else {
        closing(text, brackets, first)? + 1
    };
    let rest = &text[behind..];
    let blank = rest.len() - rest.trim_start().len();
    rest.trim_start().starts_with('(').then_some(behind + blank)
}

/// The string or the name that is the first argument, where it stands, and whether it has values put in.
fn title(text: &str, from: usize) -> Option<(String, usize, bool)> {
    let rest = text.get(from..)?;
    let at = from + rest.len() - rest.trim_start().len();
    let rest = rest.trim_start();
    let quote = rest.chars().next()?;
    if !matches!(quote, '"' | '\'' | '`') {
        // `describe(Cart, …)`, `describe(Cart.name, …)`
        let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$' && c != '.').next()?;
        let is_name = !name.is_empty() && rest[name.len()..].trim_start().starts_with(',') && name != "async";
        return is_name.then(|| (name.trim_end_matches(".name").to_owned(), at, false));
    }
    let mut title = String::new();
    let mut chars = rest[1..].chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                'n' => title.push('\n'),
                't' => title.push('\t'),
                other => title.push(other),
            },
            '\n' if quote != '`' => return None,
            c if c == quote => {
                // `"adds " + n` is `adds ${n}`.
                let is_sum = chars.as_str().trim_start().starts_with('+');
                title.push_str(if is_sum { "${…}" } else { "" });
                let is_computed = is_sum || quote == '`' && title.contains("${");
                return Some((title, at, is_computed));
            }
            c => title.push(c),
        }
    }
    None
}
