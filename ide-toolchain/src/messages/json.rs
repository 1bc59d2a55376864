//! Programs that write JSON.

use ide_model::Severity;
use serde_json::Value;

use super::{At, Messages, Raw, Read, Unit, Unreadable, log};

fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

fn place(line: &Value, column: &Value, unit: Unit) -> Option<At> {
    let line = number(line).filter(|line| *line > 0)?;
    Some(
        number(column)
            .filter(|column| *column > 0)
            .map_or(At::Line(line), |column| At::Column(line, column, unit)),
    )
}

fn severity(word: &str) -> Severity {
    match word {
        "error" | "fatal" | "failure" => Severity::Error,
        "warning" | "warn" => Severity::Warning,
        "hint" => Severity::WeakWarning,
        _ => Severity::Info,
    }
}

/// The one JSON value of an output; what stands before it are remarks of launchers.
fn whole(name: &str, out: &str) -> Result<Value, Unreadable> {
    let begin = out
        .char_indices()
        .filter(|(at, c)| matches!(c, '{' | '[') && (*at == 0 || out[..*at].ends_with('\n')));
    let found = begin.take(50).find_map(|(at, _)| serde_json::from_str(out[at..].trim()).ok());
    found.ok_or_else(|| Unreadable(format!("{name} wrote no result that can be read")))
}

fn list<'v>(name: &str, value: &'v Value) -> Result<&'v Vec<Value>, Unreadable> {
    value.as_array().ok_or_else(|| Unreadable(format!("the result of {name} has another form than is known")))
}

/// `pyright --outputjson` and `basedpyright`.
pub(crate) fn pyright(out: &str) -> Read {
    let value = whole("pyright", out)?;
    let mut found = Messages::default();
    for one in list("pyright", &value["generalDiagnostics"])? {
        // Lines and characters count from 0.
        let at = |at: &Value| {
            Some(At::Column(number(&at["line"])? + 1, number(&at["character"])? + 1, Unit::Utf16))
        };
        // It indents by spaces that do not break.
        let message = text(&one["message"]).replace('\u{a0}', " ");
        let raw = Raw::new("pyright", severity(text(&one["severity"])), message);
        found.push(
            raw.at(text(&one["file"]), at(&one["range"]["start"]))
                .until(at(&one["range"]["end"]))
                .code(one["rule"].as_str()),
        );
    }
    Ok(found)
}

/// `mypy -O json`: a value a line.
pub(crate) fn mypy(out: &str) -> Read {
    let mut found = Messages::default();
    for line in out.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let Ok(one) = serde_json::from_str::<Value>(line) else {
            // Older ones know no JSON, and what stops it before a check is said in words.
            found.extend(log(line));
            if found.kept.is_empty() {
                return Err(Unreadable(line.to_owned()));
            }
            continue;
        };
        let column = one["column"].as_i64().and_then(|column| u32::try_from(column + 1).ok());
        let at = number(&one["line"]).filter(|line| *line > 0);
        let at = at.map(|line| column.map_or(At::Line(line), |column| At::Column(line, column, Unit::Chars)));
        let mut message = text(&one["message"]).to_owned();
        if let Some(hint) = one["hint"].as_str().filter(|hint| !hint.is_empty()) {
            message = format!("{message}\n{hint}");
        }
        let raw = Raw::new("mypy", severity(text(&one["severity"])), message);
        let end = number(&one["end_line"]).zip(number(&one["end_column"]));
        let end = end.map(|(line, column)| At::Column(line, column + 1, Unit::Chars));
        found.push(raw.at(text(&one["file"]), at).until(end).code(one["code"].as_str()));
    }
    Ok(found)
}

/// `ruff check --output-format json`.
pub(crate) fn ruff(out: &str) -> Read {
    let value = whole("ruff", out)?;
    let mut found = Messages::default();
    for one in list("ruff", &value)? {
        let code = one["code"].as_str().filter(|code| *code != "invalid-syntax");
        // A rule is advice; that the file is no Python is not.
        let severity = if code.is_some() { Severity::Warning } else { Severity::Error };
        let at = |at: &Value| place(&at["row"], &at["column"], Unit::Chars);
        found.push(
            Raw::new("ruff", severity, text(&one["message"]))
                .at(text(&one["filename"]), at(&one["location"]))
                .until(at(&one["end_location"]))
                .code(one["code"].as_str()),
        );
    }
    Ok(found)
}

/// `phpstan analyse --error-format=json`.
pub(crate) fn phpstan(out: &str) -> Read {
    let value = whole("phpstan", out)?;
    let mut found = Messages::default();
    if !value["totals"].is_object() {
        return Err(Unreadable("the result of phpstan has another form than is known".to_owned()));
    }
    for (file, said) in value["files"].as_object().into_iter().flatten() {
        for one in list("phpstan", &said["messages"])? {
            let at = number(&one["line"]).map(At::Line);
            let raw = Raw::new("phpstan", Severity::Error, text(&one["message"]));
            // Errors in a trait are given as `file (in context of class C)`.
            let file = file.split(" (in context of").next().unwrap_or(file);
            found.push(raw.at(file, at).code(one["identifier"].as_str()));
        }
    }
    for general in value["errors"].as_array().into_iter().flatten() {
        found.push(Raw::new("phpstan", Severity::Error, text(general)));
    }
    Ok(found)
}

/// `eslint -f json`.
pub(crate) fn eslint(out: &str) -> Read {
    let value = whole("eslint", out)?;
    let mut found = Messages::default();
    for file in list("eslint", &value)? {
        for one in list("eslint", &file["messages"])? {
            let severity = if one["severity"] == 2 { Severity::Error } else { Severity::Warning };
            found.push(
                Raw::new("eslint", severity, text(&one["message"]))
                    .at(text(&file["filePath"]), place(&one["line"], &one["column"], Unit::Utf16))
                    .until(place(&one["endLine"], &one["endColumn"], Unit::Utf16))
                    .code(one["ruleId"].as_str()),
            );
        }
    }
    Ok(found)
}

/// `biome lint --reporter=json`, of versions 1 and 2.
pub(crate) fn biome(out: &str) -> Read {
    let value = whole("biome", out)?;
    let mut found = Messages::default();
    for one in list("biome", &value["diagnostics"])? {
        let location = &one["location"];
        let path = &location["path"];
        let file = path["file"].as_str().or_else(|| path.as_str());
        let span = |at: usize| number(&location["span"][at]).map(At::Byte);
        let from = place(&location["start"]["line"], &location["start"]["column"], Unit::Chars);
        let until = place(&location["end"]["line"], &location["end"]["column"], Unit::Chars);
        let described = one["description"].as_str().or_else(|| one["message"].as_str());
        let mut raw = Raw::new("biome", severity(text(&one["severity"])), described.unwrap_or_default())
            .code(one["category"].as_str());
        if let Some(file) = file {
            raw = raw.at(file, span(0).or(from)).until(span(1).or(until));
        }
        found.push(raw);
    }
    Ok(found)
}

/// `cargo check --message-format json`: a value a line. Lines that are none are what build scripts print.
pub(crate) fn cargo(out: &str) -> Messages {
    let mut found = Messages::default();
    for line in out.lines().filter(|line| line.starts_with('{')) {
        let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
        if value["reason"] != "compiler-message" {
            continue;
        }
        let said = &value["message"];
        let level = text(&said["level"]);
        let code = said["code"]["code"].as_str();
        let spans = said["spans"].as_array().map_or(&[][..], Vec::as_slice);
        // `aborting due to 2 previous errors`
        if spans.is_empty() && code.is_none() && text(&said["message"]).starts_with("aborting due to") {
            continue;
        }
        let severity = if level.starts_with("error") { Severity::Error } else { severity(level) };
        let source = if code.is_some_and(|code| code.starts_with("clippy::")) { "clippy" } else { "rustc" };
        let mut message = text(&said["message"]).to_owned();
        let primary = spans.iter().find(|span| span["is_primary"] == true);
        if let Some(label) = primary.and_then(|span| span["label"].as_str()).filter(|l| !message.contains(l))
        {
            message = format!("{message}: {label}");
        }
        for child in said["children"].as_array().into_iter().flatten() {
            let help = text(&child["message"]);
            if matches!(text(&child["level"]), "help" | "note") && !help.starts_with("`#[") {
                message = format!("{message}\n{}: {help}", text(&child["level"]));
            }
        }
        let mut raw = Raw::new(source, severity, message).code(code);
        if let Some(span) = primary.map(expanded) {
            let end = place(&span["line_end"], &span["column_end"], Unit::Chars);
            let start = place(&span["line_start"], &span["column_start"], Unit::Chars);
            raw = raw.at(text(&span["file_name"]), start).until(end);
        }
        found.push(raw);
    }
    found
}

/// The place in the user's own file of what a macro wrote.
fn expanded(span: &Value) -> &Value {
    let mut at = span;
    // Macros within macros: rustc itself stops at 128.
    for _ in 0..128 {
        let is_outside = text(&at["file_name"]).starts_with(['<', '/']);
        let outer = &at["expansion"]["span"];
        if !is_outside || outer.is_null() {
            break;
        }
        at = outer;
    }
    at
}

/// `go build -json`, `go vet -json` and what `go test -json` says of builds: lines of values with text inside, or text.
pub(crate) fn go_build(out: &str) -> Messages {
    let mut words = String::new();
    for line in out.lines() {
        match serde_json::from_str::<Value>(line) {
            Ok(value) if value["Action"] == "build-output" => words.push_str(text(&value["Output"])),
            Ok(value) if value.is_object() => {}
            _ => {
                words.push_str(line);
                words.push('\n');
            }
        }
    }
    log(&words)
}

/// Output of our own syntax passes: a value a line, the last one saying that it was the end.
pub(crate) fn syntax(source: &'static str, out: &str) -> Read {
    let mut found = Messages::default();
    let mut is_whole = false;
    for line in out.lines() {
        let Ok(one) = serde_json::from_str::<Value>(line) else { continue };
        is_whole |= one["done"] == true;
        if let Some(file) = one["file"].as_str() {
            let at = place(&one["line"], &one["column"], Unit::Chars);
            found.push(Raw::new(source, Severity::Error, text(&one["message"])).at(file, at));
        }
    }
    if is_whole {
        Ok(found)
    } else {
        Err(Unreadable(format!("{source} ended before it had read every file")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `severity file start end code message` of every message.
    fn shown(found: &Messages) -> Vec<String> {
        let at = |at: Option<At>| match at {
            Some(At::Line(line)) => format!("{line}"),
            Some(At::Column(line, column, unit)) => format!("{line}:{column}{unit:?}"),
            Some(At::Byte(byte)) => format!("@{byte}"),
            None => "-".to_owned(),
        };
        let line = |raw: &Raw| {
            let (file, code) = (raw.file.as_deref().unwrap_or("-"), raw.code.as_deref().unwrap_or("-"));
            format!("{:?} {file} {} {} {code} {}", raw.severity, at(raw.start), at(raw.end), raw.message)
        };
        found.kept.iter().map(line).collect()
    }

    #[test]
    fn recorded_outputs() {
        let found = pyright(include_str!("recorded/pyright.json")).unwrap();
        let expected = "Error /p/shop/cart.py 15:16Utf16 15:26Utf16 reportReturnType Type \"tuple[Literal['é'], int]\" is not \
                        assignable to return type \"int\"\n  \"tuple[Literal['é'], int]\" is not assignable to \"int\"";
        assert_eq!(shown(&found), [expected]);
        let found = mypy(include_str!("recorded/mypy.json")).unwrap();
        let expected = "Error shop/cart.py 15:16Chars 15:25Chars return-value Incompatible return value type (got \
                        \"tuple[str, int]\", expected \"int\")";
        assert_eq!(shown(&found), [expected]);
        let found = ruff(include_str!("recorded/ruff.json")).unwrap();
        let expected =
            "Warning /p/shop/cart.py 1:1Chars 1:1Chars CPY001 Missing copyright notice at top of file";
        assert!(shown(&found).contains(&expected.to_owned()), "{:?}", shown(&found));
        let found = eslint(include_str!("recorded/eslint.json")).unwrap();
        let expected = [
            "Warning /p/a.js 2:7Utf16 2:9Utf16 eqeqeq Expected '===' and instead saw '=='.",
            "Error /p/a.js 2:19Utf16 2:20Utf16 no-unused-vars 'x' is defined but never used.",
        ];
        assert_eq!(shown(&found), expected);
        let found = biome(include_str!("recorded/biome.json")).unwrap();
        let expected = "Error a.js @21 @23 lint/suspicious/noDoubleEquals Use === instead of ==. == is only allowed when comparing against `null`";
        assert_eq!(shown(&found), [expected]);
        let found = cargo(include_str!("recorded/cargo-check.json"));
        let expected = "Error src/lib.rs 21:32Chars 21:36Chars E0425 cannot find value `nope` in this scope: not found in this scope";
        assert!(shown(&found).contains(&expected.to_owned()), "{:?}", shown(&found));
        let found = go_build(include_str!("recorded/go-build.json"));
        let expected = [
            "Error shop/cart.go 16:6Bytes - - declared and not used: é",
            "Error shop/cart.go 16:27Bytes - - undefined: nope",
        ];
        assert_eq!(shown(&found), expected);
    }

    /// The form is that of the documentation of phpstan.
    #[test]
    fn phpstan_names_files_and_general_errors() {
        let out = r#"Note: x
{"totals":{"errors":1,"file_errors":1},"files":{"/p/a.php (in context of class B)":{"errors":1,"messages":[{"message":"Undefined variable: $x","line":3,"ignorable":true,"identifier":"variable.undefined"}]}},"errors":["Ignored error pattern was not matched"]}"#;
        let expected = [
            "Error /p/a.php 3 - variable.undefined Undefined variable: $x",
            "Error - - - - Ignored error pattern was not matched",
        ];
        assert_eq!(shown(&phpstan(out).unwrap()), expected);
    }

    #[test]
    fn half_an_output_is_no_clean_bill() {
        let recorded = [
            (include_str!("recorded/pyright.json"), pyright as fn(&str) -> Read),
            (include_str!("recorded/ruff.json"), ruff),
            (include_str!("recorded/eslint.json"), eslint),
            (include_str!("recorded/biome.json"), biome),
        ];
        for (whole, read) in recorded {
            for at in (1..whole.len()).filter(|at| whole.is_char_boundary(*at)) {
                assert!(read(&whole[..at]).is_err() || whole[at..].trim().is_empty(), "{}", &whole[..at]);
            }
            assert!(read("").is_err() && read("{}").is_err() && read("[1").is_err());
        }
        assert!(syntax("php", "{\"file\":\"a.php\",\"line\":1,\"message\":\"x\"}\n").is_err());
        assert_eq!(syntax("php", "{\"done\":true}\n").unwrap().kept, []);
        assert!(mypy("Traceback (most recent call last):\n").is_err());
        assert!(phpstan("PHP Fatal error: memory").is_err());
    }

    #[test]
    fn what_build_scripts_print_is_passed_over() {
        let mut out = "building {\n{\"reason\": 5}\n{ no json\n".to_owned();
        out.push_str(include_str!("recorded/cargo-check.json"));
        assert_eq!(cargo(&out).kept, cargo(include_str!("recorded/cargo-check.json")).kept);
        assert_eq!(cargo(&out.replace('\n', "\r\n")).kept, cargo(&out).kept);
    }
}
