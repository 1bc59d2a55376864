//! Edits of members by fixtures, over the real index on a real disk: what a file is before and after, byte for byte.
//!
//! A fixture file has cases. `=== title` begins one; its next line is a tool and its arguments. Then come sections:
//! `--- before <file>`, `--- content` (the argument), and `--- after`, or `--- error <text>` with a part of the message.
//! `--- warns <text>` is a part of the warnings, which are none without it; `--- symbol <name>` is the declaration that
//! the answer names. `¬` at the end of a section takes its last line ending away, `␍` stands for a carriage return.

use serde_json::{Value, json};

use crate::support::Home;

struct Case {
    title: String,
    tool: String,
    args: Value,
    file: String,
    before: String,
    content: Option<String>,
    after: Option<String>,
    error: Option<String>,
    warns: Option<String>,
    symbol: Option<String>,
}

fn cases(source: &str) -> Vec<Case> {
    let parse = |text: &str| {
        let (head, rest) = text.split_once("\n--- ").unwrap();
        let (title, call) = head.split_once('\n').unwrap();
        let (tool, args) = call.split_once(' ').unwrap();
        let mut case = Case {
            title: title.trim().to_owned(),
            tool: format!("ide_{tool}"),
            args: serde_json::from_str(args).unwrap_or_else(|error| panic!("{title}: {error}")),
            file: String::new(),
            before: String::new(),
            content: None,
            after: None,
            error: None,
            warns: None,
            symbol: None,
        };
        for section in rest.split("\n--- ") {
            let (head, body) = section.split_once('\n').unwrap_or((section, ""));
            let (word, rest) = head.split_once(' ').unwrap_or((head, ""));
            let rest = rest.trim().to_owned();
            let body = body.replace('␍', "\r");
            let body = body.strip_suffix('¬').map_or(format!("{body}\n"), str::to_owned);
            match word {
                "before" => (case.file, case.before) = (rest, body),
                "content" => case.content = Some(body),
                "after" => case.after = Some(body),
                "error" => case.error = Some(rest),
                "warns" => case.warns = Some(rest),
                "symbol" => case.symbol = Some(rest),
                other => panic!("{title}: {other}"),
            }
        }
        case
    };
    let mut parts = source.split("\n=== ");
    parts.next();
    parts.map(|part| parse(part.trim_end_matches('\n'))).collect()
}

fn check(language: &str, source: &str) {
    let cases = cases(source);
    assert!(!cases.is_empty());
    let path = |n: usize, case: &Case| format!("c{n}/{}", case.file);
    let files: Vec<(String, String)> =
        cases.iter().enumerate().map(|(n, case)| (path(n, case), case.before.clone())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let home = Home::writing(&files);
    let mut wrong = Vec::new();
    for (n, case) in cases.iter().enumerate() {
        if let Err(why) = check_case(&home, &path(n, case), case) {
            wrong.push(format!("=== {language}: {}\n{why}", case.title));
        }
    }
    assert!(wrong.is_empty(), "{} of {} are wrong\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

fn check_case(home: &Home, path: &str, case: &Case) -> Result<(), String> {
    let mut args = case.args.clone();
    args["file"] = path.into();
    if let Some(content) = &case.content {
        args["content"] = content.as_str().into();
    }
    let mut dry = args.clone();
    dry["dryRun"] = true.into();
    let (dry, dry_fails) = home.call(&case.tool, dry);
    let is_untouched = || home.read(path) == case.before;
    if !is_untouched() {
        return Err(format!("a dry run wrote: {dry}"));
    }
    let (result, is_error) = home.call(&case.tool, args);
    if dry_fails != is_error {
        return Err(format!("dry {dry}\nwet {result}"));
    }
    let Some(after) = &case.after else {
        let wanted = case.error.as_deref().unwrap_or("");
        let is_right = is_error && result.to_string().contains(wanted) && is_untouched();
        return if is_right {
            Ok(())
        } else {
            Err(format!("wanted {wanted}, got {result}\n{}", home.read(path)))
        };
    };
    if is_error {
        return Err(format!("{result}"));
    }
    let text = home.read(path);
    if text != *after {
        return Err(format!("--- wanted\n{after}\n--- got\n{text}\n{result}"));
    }
    let warnings = result["warnings"].to_string();
    if case.warns.as_ref().map_or(!result["warnings"].is_null(), |part| !warnings.contains(part.as_str())) {
        return Err(format!("warns {warnings}"));
    }
    if let Some(symbol) = &case.symbol
        && result["updatedSymbol"]["name"] != symbol.as_str()
    {
        return Err(format!("names {}", result["updatedSymbol"]));
    }
    home.ok("ide_undo", json!({"editId": result["editId"]}));
    if !is_untouched() {
        return Err(format!("undone it is\n{}", home.read(path)));
    }
    Ok(())
}

macro_rules! fixtures {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/members/", stringify!($name), ".txt");
            check(stringify!($name), &std::fs::read_to_string(path).unwrap());
        }
    )*};
}

fixtures! { java kotlin python typescript go php rust }
