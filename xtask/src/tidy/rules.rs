//! The rules that look at one file.

use std::collections::BTreeMap;

use syn::spanned::Spanned as _;
use syn::visit::Visit;

use super::Finding;
use crate::repo;
use crate::source::{Source, Token};

/// The only files in which `unsafe` may stand.
const UNSAFE: [&str; 2] = ["ide-plugin-jni/src/ffi.rs", "ide-store/src/memory.rs"];
/// Files in which code may depend on the language.
const LANGUAGE_TABLES: [&str; 3] = ["ide-model/src/language", "ide-index/src/lang/", "ide-syntax/src/"];
/// Crates that open no file, start no process and read no clock; `sqlite` is `history`'s optional feature.
const PURE: [&str; 6] =
    ["history", "ide-index", "ide-model", "ide-project-resolver", "ide-tools", "mcp-protocol"];
const IMPURE_EXCEPTION: &str = "history/src/sqlite";
/// Paths that pure crates do not call, as the last two segments of a path.
const IMPURE: [[&str; 2]; 6] = [
    ["std", "fs"],
    ["std", "process"],
    ["std", "env"],
    ["Instant", "now"],
    ["SystemTime", "now"],
    ["thread", "sleep"],
];
/// Types of `std::net` that open something; addresses are words.
const SOCKETS: [&str; 4] = ["TcpListener", "TcpStream", "UdpSocket", "ToSocketAddrs"];

/// Every rule about one Rust file.
pub(super) fn of_source(source: &Source) -> Vec<Finding> {
    let rules: [fn(&Source) -> Vec<Finding>; 6] =
        [head, unfinished, ignored_or_sleeping_tests, language_matches, unsafe_code, purity];
    rules.iter().flat_map(|rule| rule(source)).collect()
}

fn head(source: &Source) -> Vec<Finding> {
    let first = source.text.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
    let says_something = first.strip_prefix("//!").is_some_and(|rest| !rest.trim().is_empty());
    if says_something {
        Vec::new()
    } else {
        vec![Finding::new(&source.path, 1, "the file does not start with `//!` and its purpose")]
    }
}

fn unfinished(source: &Source) -> Vec<Finding> {
    let marks = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X:")];
    let is_marked = |text: &str| marks.iter().find(|m| text.contains(**m)).copied();
    let comments = source.comments().into_iter();
    comments
        .filter_map(|(line, text)| {
            Some(Finding::new(
                &source.path,
                line,
                format!("`{}` in a comment: do it or file it", is_marked(text)?),
            ))
        })
        .collect()
}

fn ignored_or_sleeping_tests(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for window in source.tokens.windows(3) {
        let [first, second, third] = window else { continue };
        let ends = |t: &Token| t.text == "]" || t.text == "=" || t.text == "(";
        if first.text == "[" && second.text == "ignore" && ends(third) {
            findings.push(Finding::new(
                &source.path,
                first.line,
                "`#[ignore]`: a test runs or does not exist",
            ));
        }
    }
    for window in source.tokens.windows(4) {
        let [before, first, second, third] = window else { continue };
        // a definition is no call: tests have runtimes of their own, which never wait
        let is_call = before.text != "fn" && (second.text == "(" || second.text == ":" && third.text == ":");
        if ["sleep", "sleep_until", "sleep_ms"].contains(&&*first.text)
            && !first.literal
            && is_call
            && source.in_tests(first.line)
        {
            findings.push(Finding::new(
                &source.path,
                first.line,
                "a test that sleeps: wait for the event with a deadline, or pass time in",
            ));
        }
    }
    findings
}

/// A choice by language outside the tables: `match`, `if let`, `matches!`, `==`, and imports that would hide one.
fn language_matches(source: &Source) -> Vec<Finding> {
    if LANGUAGE_TABLES.iter().any(|t| source.path.starts_with(t)) {
        return Vec::new();
    }
    let mut visit = LanguageChoices { source, findings: Vec::new() };
    visit.visit_file(&source.syntax);
    visit.findings
}

struct LanguageChoices<'s> {
    source: &'s Source,
    findings: Vec<Finding>,
}

impl LanguageChoices<'_> {
    fn report(&mut self, line: usize, what: &str) {
        if !self.source.in_tests(line) {
            self.findings.push(Finding::new(
                &self.source.path,
                line,
                format!("{what}: a choice by language belongs into the language tables"),
            ));
        }
    }

    fn is_variant(path: &syn::Path) -> bool {
        let mut segments = path.segments.iter().rev();
        let (last, before) = (segments.next(), segments.next());
        let is_type = before.is_some_and(|s| s.ident == "Language");
        is_type
            && last.is_some_and(|s| {
                s.ident.to_string().chars().any(char::is_lowercase)
                    && s.ident.to_string().starts_with(char::is_uppercase)
            })
    }
}

impl<'ast> Visit<'ast> for LanguageChoices<'_> {
    fn visit_pat(&mut self, pattern: &'ast syn::Pat) {
        let path = match pattern {
            syn::Pat::Path(p) => Some(&p.path),
            syn::Pat::TupleStruct(p) => Some(&p.path),
            syn::Pat::Struct(p) => Some(&p.path),
            _ => None,
        };
        if path.is_some_and(Self::is_variant) {
            self.report(pattern.span().start().line, "a pattern on `Language`");
        }
        syn::visit::visit_pat(self, pattern);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let compares = matches!(binary.op, syn::BinOp::Eq(_) | syn::BinOp::Ne(_));
        let names_variant = |e: &syn::Expr| matches!(e, syn::Expr::Path(p) if Self::is_variant(&p.path));
        if compares && (names_variant(&binary.left) || names_variant(&binary.right)) {
            self.report(binary.span().start().line, "a comparison with a `Language`");
        }
        syn::visit::visit_expr_binary(self, binary);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        if mac.path.is_ident("matches") {
            let words: Vec<String> = mac.tokens.to_string().split_whitespace().map(str::to_owned).collect();
            let line = mac.span().start().line;
            if words.windows(2).any(|w| w[0] == "Language" && w[1].starts_with("::"))
                || mac.tokens.to_string().contains("Language::")
            {
                self.report(line, "`matches!` on `Language`");
            }
        }
        syn::visit::visit_macro(self, mac);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if use_hides_variants(&item.tree, false) {
            self.report(item.span().start().line, "an import of `Language`'s variants or under another name");
        }
    }
}

fn use_hides_variants(tree: &syn::UseTree, below_language: bool) -> bool {
    match tree {
        // a grammar library's own type
        syn::UseTree::Path(path) if path.ident == "tree_sitter" => false,
        syn::UseTree::Path(path) => use_hides_variants(&path.tree, path.ident == "Language"),
        syn::UseTree::Group(group) => group.items.iter().any(|t| use_hides_variants(t, below_language)),
        syn::UseTree::Rename(rename) => below_language || rename.ident == "Language",
        syn::UseTree::Name(name) => below_language && name.ident != "self",
        syn::UseTree::Glob(_) => below_language,
    }
}

fn unsafe_code(source: &Source) -> Vec<Finding> {
    let tokens = source.tokens.iter().filter(|t| t.text == "unsafe" && !UNSAFE.contains(&&*source.path));
    tokens
        .map(|t| Finding::new(&source.path, t.line, format!("`unsafe` outside {}", UNSAFE.join(" and "))))
        .collect()
}

fn purity(source: &Source) -> Vec<Finding> {
    let mut parts = source.path.split('/');
    let is_pure = parts.next().is_some_and(|c| PURE.contains(&c)) && parts.next() == Some("src");
    if !is_pure || source.path.starts_with(IMPURE_EXCEPTION) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (n, token) in source.tokens.iter().enumerate() {
        let last = source.tokens.get(n + 3);
        let is_path = source.tokens.get(n + 1).is_some_and(|t| t.text == ":") && !token.literal;
        let reaches_out = is_path && last.is_some_and(|l| IMPURE.contains(&[&token.text, &l.text]));
        if (reaches_out || SOCKETS.contains(&&*token.text)) && !source.in_tests(token.line) {
            let what = if reaches_out {
                format!("{}::{}", token.text, last.map_or("", |l| &l.text))
            } else {
                token.text.clone()
            };
            let message =
                format!("`{what}` in a crate that knows no files, processes, sockets, settings or clocks");
            findings.push(Finding::new(&source.path, token.line, message));
        }
    }
    findings
}

/// Paths of one machine and hosts of one registry have no place in a repository.
pub(super) fn portable(path: &str, text: &str) -> Vec<Finding> {
    let root = repo::root().to_string_lossy().into_owned();
    let mut machine = vec![root, concat!("/ro", "ot/").to_owned()];
    machine.extend(
        std::env::var("HOME").ok().filter(|h| h.len() > 1).map(|h| format!("{}/", h.trim_end_matches('/'))),
    );
    let hosts = [
        concat!("registry.npm", "js.org"),
        concat!("registry.yarn", "pkg.com"),
        concat!("files.python", "hosted.org"),
        concat!("deb.deb", "ian.org"),
        concat!("static.crates", ".io"),
    ];
    let mut findings = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let path_of_machine = machine.iter().map(String::as_str).find(|m| stands_alone(line, m));
        let found = path_of_machine.or_else(|| hosts.into_iter().find(|h| line.contains(h)));
        findings.extend(
            found.map(|f| Finding::new(path, n + 1, format!("`{f}` belongs to one machine or one registry"))),
        );
    }
    findings
}

/// `/home/` inside `/some/root/` is a part of another path.
fn stands_alone(line: &str, needle: &str) -> bool {
    line.match_indices(needle)
        .any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "_-./}>~".contains(c)))
}

/// A test program that finds its tests at run time, which the harness of the others cannot.
const FINDS_ITS_TESTS: &str = "fixtures.rs";

/// One integration test binary a crate: each one is linked on its own.
pub(super) fn test_binaries(files: &[String]) -> Vec<Finding> {
    let mut binaries: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files {
        let Some((owner, rest)) = file.split_once("/tests/") else { continue };
        let is_target = rest.ends_with(".rs")
            && rest != FINDS_ITS_TESTS
            && (!rest.contains('/') || rest.ends_with("/main.rs") && rest.matches('/').count() == 1);
        if is_target && files.iter().any(|f| *f == format!("{owner}/Cargo.toml")) {
            binaries.entry(owner).or_default().push(file);
        }
    }
    let several = binaries.into_values().filter(|b| b.len() > 1);
    several
        .map(|b| {
            Finding::new(
                b[1],
                0,
                format!("a second test binary beside {}: make it a module of tests/it/", b[0]),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [usize; 0] = [];

    fn lines(rule: fn(&Source) -> Vec<Finding>, path: &str, text: &str) -> Vec<usize> {
        rule(&Source::parse(path, text).unwrap()).into_iter().map(|f| f.line).collect()
    }

    #[test]
    fn a_file_starts_with_its_purpose() {
        assert_eq!(lines(head, "a.rs", "//! Adds.\nfn f() {}\n"), NONE);
        assert_eq!(lines(head, "a.rs", "//!\nfn f() {}\n"), [1]);
        assert_eq!(lines(head, "a.rs", "// Adds.\nfn f() {}\n"), [1]);
    }

    #[test]
    fn unfinished_work_is_found_in_comments_only() {
        let mark = concat!("TO", "DO");
        assert_eq!(
            lines(
                unfinished,
                "a.rs",
                &format!("//! a\n\n/// {mark}\nfn f() {{\n    // {mark} later\n    g(\"// {mark}\");\n}}\n")
            ),
            [3, 5]
        );
    }

    #[test]
    fn tests_neither_sleep_nor_are_ignored() {
        let text = "#[test]\n#[ignore = \"slow\"]\nfn f() {\n    std::thread::sleep(d);\n    tokio::time::sleep(d);\n}\n";
        assert_eq!(lines(ignored_or_sleeping_tests, "ide-x/tests/it/main.rs", text), [2, 4, 5]);
        assert_eq!(
            lines(ignored_or_sleeping_tests, "ide-x/src/a.rs", "fn f() { tokio::time::sleep(d); }"),
            NONE
        );
        let own = "impl Runtime for NoTime { fn sleep(&self, millis: u64) {} }";
        assert_eq!(lines(ignored_or_sleeping_tests, "ide-x/tests/it/main.rs", own), NONE);
    }

    #[test]
    fn choices_by_language_are_found_in_every_dress() {
        let text = "use ide_model::Language;\nuse ide_model::Language::*;\nuse ide_model::Language as L; use tree_sitter::Language as G;\nfn f(l: Language) -> bool {\n    match l {\n        \
                    Language::Java => true,\n        _ => matches!(l, Language::Go | Language::Rust) || l == Language::Php,\n    }\n}\nfn g() -> &str { Language::Java.name() }\nfn h() { for l in Language::ALL {} }\n";
        assert_eq!(lines(language_matches, "ide-tools/src/a.rs", text), [2, 3, 6, 7, 7]);
        assert_eq!(lines(language_matches, "ide-index/src/lang/a.rs", text), NONE);
        assert_eq!(lines(language_matches, "ide-tools/tests/it/main.rs", text), NONE);
    }

    #[test]
    fn unsafe_stands_in_two_files() {
        let text = "fn f() { unsafe { g() } }\n#[expect(unsafe_code)]\nfn h() { i(\"unsafe\") }\n";
        assert_eq!(lines(unsafe_code, "ide-store/src/a.rs", text), [1]);
        assert_eq!(lines(unsafe_code, UNSAFE[0], text), NONE);
    }

    #[test]
    fn pure_crates_reach_for_nothing_outside() {
        let text = "use std::fs;\nuse std::net::IpAddr;\nuse std::net::TcpStream;\nuse std::time::{Duration, Instant};\nfn f() { Instant::now(); }\n#[cfg(test)]\nmod tests {\n    use std::env;\n}\n";
        assert_eq!(lines(purity, "ide-index/src/a.rs", text), [1, 3, 5]);
        assert_eq!(lines(purity, "ide-store/src/a.rs", text), NONE);
    }

    #[test]
    fn machine_paths_and_registry_hosts_are_found() {
        let found = |text: &str| portable("a.md", text).len();
        assert_eq!(found(&format!("see {}/docs", repo::root().display())), 1);
        assert_eq!(found(concat!("see /ro", "ot/x")), 1);
        assert_eq!(found(concat!("\"resolved\": \"https://registry.npmjs", ".org/x\"")), 1);
        assert_eq!(found(concat!("project/ro", "ot/main and ./ro", "ot/a")), 0);
    }

    #[test]
    fn a_second_test_binary_is_found() {
        let files = [
            "a/Cargo.toml",
            "a/tests/it/main.rs",
            "a/tests/it/b.rs",
            "a/tests/more.rs",
            "b/tests/x.rs",
            "b/Cargo.toml",
        ]
        .map(str::to_owned);
        let found: Vec<String> = test_binaries(&files).into_iter().map(|f| f.path).collect();
        assert_eq!(found, ["a/tests/more.rs"]);
    }
}
