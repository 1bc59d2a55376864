//! Text search over real files.

use std::ops::ControlFlow;
use std::path::Path;

use ide_model::{Cx, FilePath, QueryError, Stop, StopReason, TextContext, TextRange};
use ide_store::{
    MAX_TEXT_BYTES, SearchFile, TextFound, TextPattern, TextPatternOptions, search_text, stream_text,
};

use crate::fill;

const LITERAL: TextPatternOptions =
    TextPatternOptions { is_regex: false, case_sensitive: true, whole_word: false, context: None };
const REGEX: TextPatternOptions = TextPatternOptions { is_regex: true, ..LITERAL };

fn files(root: &Path, names: &[&str]) -> Vec<SearchFile> {
    names
        .iter()
        .map(|name| SearchFile {
            path: FilePath::new(*name),
            absolute: root.join(name),
            is_binary: false,
            held: None,
        })
        .collect()
}

/// Comments start at `#`, strings stand between quotes on one line.
fn classify(_: &FilePath, text: &str, ranges: &[TextRange]) -> Vec<TextContext> {
    let context = |range: &TextRange| {
        let start = text[..range.start as usize].rfind('\n').map_or(0, |n| n + 1);
        let head = &text[start..range.start as usize];
        if head.contains('#') {
            TextContext::Comment
        } else if head.matches('"').count() % 2 == 1 {
            TextContext::StringLiteral
        } else {
            TextContext::Code
        }
    };
    ranges.iter().map(context).collect()
}

fn search(files: &[SearchFile], pattern: &str, options: TextPatternOptions, limit: usize) -> TextFound {
    let pattern = TextPattern::new(pattern, options).expect("a good pattern");
    search_text(Cx::new(&Stop::new()), files, &pattern, limit, &classify).expect("nobody stops it")
}

/// `file:start-end` of each match.
fn found(files: &[SearchFile], pattern: &str, options: TextPatternOptions) -> Vec<String> {
    let found = search(files, pattern, options, 1_000);
    assert!(!found.matches.cut);
    let matches = found.matches.items.iter();
    matches.map(|m| format!("{}:{}-{}", m.file, m.range.start, m.range.end)).collect()
}

#[test]
fn literal_regex_case_and_words() {
    let dir = tempfile::tempdir().unwrap();
    fill(
        dir.path(),
        &[
            ("a.txt", "foo bar foo\nFOO\r\nfood a.b\n"),
            ("b.txt", "begin\n x\nend\r\nanother end\n"),
            ("c.txt", "straße ÉTÉ\n"),
        ],
    );
    let all = files(dir.path(), &["a.txt", "b.txt", "c.txt"]);
    let any_case = TextPatternOptions { case_sensitive: false, ..LITERAL };
    let word = TextPatternOptions { whole_word: true, ..LITERAL };
    for (pattern, options, want) in [
        ("foo", LITERAL, &["a.txt:0-3", "a.txt:17-20"][..]),
        ("foo", any_case, &["a.txt:0-3", "a.txt:12-15", "a.txt:17-20"]),
        ("foo", word, &["a.txt:0-3"]),
        ("a.b", LITERAL, &["a.txt:22-25"]),
        ("a.b", word, &["a.txt:22-25"]),
        (".b", REGEX, &["a.txt:3-5", "a.txt:23-25"]),
        ("(?s)begin.*?end", REGEX, &["b.txt:0-12"]),
        (r"x\s+end", REGEX, &["b.txt:7-12"]),
        (r"[a-z]+od\b", REGEX, &["a.txt:17-21"]),
        (r"(fo+|\w+nd)[^\S\n]*", REGEX, &["a.txt:0-4", "a.txt:17-20", "b.txt:9-13", "b.txt:22-25"]),
        (r"\w\w\w bar", REGEX, &["a.txt:0-7"]),
        (r"end$", REGEX, &["b.txt:9-12", "b.txt:22-25"]),
        (r"^\w+$", REGEX, &["a.txt:12-15", "b.txt:0-5", "b.txt:9-12"]),
        ("bar foo\nFOO", LITERAL, &["a.txt:4-15"]),
        ("été", any_case, &["c.txt:8-13"]),
        ("nothing", LITERAL, &[]),
    ] {
        assert_eq!(found(&all, pattern, options), want, "{pattern} {options:?}");
    }
}

#[test]
fn patterns_that_match_nothing_in_particular() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), &[("a.txt", "ab\n\nc"), ("b.txt", "x\n"), ("empty.txt", "")]);
    let all = files(dir.path(), &["a.txt", "b.txt", "empty.txt"]);
    assert_eq!(found(&all, "^", REGEX), ["a.txt:0-0", "a.txt:3-3", "a.txt:4-4", "b.txt:0-0"]);
    assert_eq!(found(&all, "^$", REGEX), ["a.txt:3-3"]);
    for (pattern, options) in
        [("", LITERAL), ("  ", LITERAL), ("(", REGEX), ("a{9999999}", REGEX), ("[z-a]", REGEX)]
    {
        let error = TextPattern::new(pattern, options).unwrap_err();
        let QueryError::BadPattern { message } = error else { panic!("{error:?}") };
        assert!(!message.contains("(?R)"), "{message}");
    }
    assert!(TextPattern::new("(", LITERAL).is_ok());
}

#[test]
fn the_context_decides_before_the_line_does() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), &[("a.py", "foo = \"foo\" # foo foo\n\"foo\"\nfoo foo\n")]);
    let all = files(dir.path(), &["a.py"]);
    let within = |context| found(&all, "foo", TextPatternOptions { context: Some(context), ..LITERAL });
    assert_eq!(within(TextContext::Code), ["a.py:0-3", "a.py:28-31"]);
    assert_eq!(within(TextContext::StringLiteral), ["a.py:7-10", "a.py:23-26"]);
    assert_eq!(within(TextContext::Comment), ["a.py:14-17"]);
}

#[test]
fn order_and_cap_are_exact() {
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..300).map(|n| format!("{n:03}.txt")).collect();
    for name in &names {
        fill(dir.path(), &[(name, "hit\nhit\nno\n")]);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let all = files(dir.path(), &names);
    for (limit, cut) in [(0, true), (1, true), (599, true), (600, false), (601, false)] {
        let found = search(&all, "hit", LITERAL, limit);
        assert_eq!((found.matches.items.len(), found.matches.cut), (limit.min(600), cut), "{limit}");
        let order: Vec<String> =
            found.matches.items.iter().map(|m| format!("{}:{}", m.file, m.range.start)).collect();
        assert!(order.is_sorted());
    }
    let mut seen = 0;
    let pattern = TextPattern::new("hit", LITERAL).unwrap();
    let mut sink = |_| {
        seen += 1;
        if seen == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    stream_text(Cx::new(&Stop::new()), &all, &pattern, None, &classify, &mut sink).unwrap();
    assert_eq!(seen, 5, "a sink that has enough ends it");
}

#[test]
fn files_that_are_not_plain_text() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(dir.path().join(name), bytes).unwrap();
    write("a-binary", b"needle\0");
    write("b-latin1.txt", b"\xfc needle \xe9\nneedle");
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("ü\nneedle".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    write("c-utf16.txt", &utf16);
    write("d-bom.txt", b"\xef\xbb\xbfneedle");
    std::fs::File::create(dir.path().join("e-huge.txt")).unwrap().set_len(MAX_TEXT_BYTES + 1).unwrap();
    std::fs::create_dir(dir.path().join("f-directory")).unwrap();
    let all = files(
        dir.path(),
        &["a-binary", "b-latin1.txt", "c-utf16.txt", "d-bom.txt", "e-huge.txt", "f-directory", "gone.txt"],
    );
    assert_eq!(
        found(&all, "needle", LITERAL),
        ["b-latin1.txt:2-8", "b-latin1.txt:11-17", "c-utf16.txt:3-9", "d-bom.txt:3-9"]
    );
    let skipped = search(&all, "needle", LITERAL, 10).skipped;
    assert_eq!((skipped.binary, skipped.huge, skipped.unreadable.len()), (1, 1, 1), "{skipped:?}");
    assert_eq!(skipped.unreadable[0].0.as_str(), "f-directory");
}

#[test]
fn a_stopped_search_gives_nothing() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), &[("a.txt", "x")]);
    let all = files(dir.path(), &["a.txt"]);
    let pattern = TextPattern::new("x", LITERAL).unwrap();
    for (reason, error) in
        [(StopReason::Cancelled, QueryError::Cancelled), (StopReason::Late, QueryError::DeadlineExceeded)]
    {
        let stop = Stop::new();
        stop.stop(reason);
        assert_eq!(search_text(Cx::new(&stop), &all, &pattern, 10, &classify).unwrap_err(), error);
    }
}
