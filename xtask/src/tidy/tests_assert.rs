//! Every test claims something: it asserts, or calls what asserts.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use crate::source::{Source, Token};

/// Calls that are claims wherever they stand, beside names that begin with `assert`, `check` or `expect`.
const CLAIMS: [&str; 2] = ["unwrap_err", "prop_assume"];

/// Functions that the test harness must start by name although they are no tests: file, name, why.
const BODIES: [(&str, &str, &str); 1] =
    [("ide-store/tests/it/crash.rs", "killed_process", "the body of the process that another test kills")];

/// Test functions without a claim.
pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    for source in sources {
        crates.entry(owner(&source.path)).or_default().push(source);
    }
    crates.into_values().flat_map(|sources| check_crate(&sources)).collect()
}

fn owner(path: &str) -> &str {
    let end = ["/src/", "/tests/", "/benches/", "/examples/"].iter().filter_map(|part| path.find(part)).min();
    end.map_or(path, |at| &path[..at])
}

fn check_crate(sources: &[&Source]) -> Vec<Finding> {
    let functions: Vec<_> = sources.iter().flat_map(|s| s.functions.iter().map(move |f| (*s, f))).collect();
    // helpers that claim, and helpers of those, until nothing is added
    let mut claiming: BTreeSet<&str> = BTreeSet::new();
    loop {
        let before = claiming.len();
        for (source, function) in &functions {
            if !function.is_test
                && source.in_tests(function.lines.start)
                && claims(source.body(function), &claiming)
            {
                claiming.insert(&function.name);
            }
        }
        if claiming.len() == before {
            break;
        }
    }
    let is_body = |path: &str, name: &str| BODIES.iter().any(|(p, n, _)| *p == path && *n == name);
    let silent = functions.iter().filter(|(source, function)| {
        function.is_test
            && !is_body(&source.path, &function.name)
            && !claims(source.body(function), &claiming)
    });
    silent
        .map(|(source, function)| {
            Finding::new(
                &source.path,
                function.lines.start,
                format!("test `{}` asserts nothing", function.name),
            )
        })
        .collect()
}

fn claims(body: &[Token], claiming: &BTreeSet<&str>) -> bool {
    let is_claim = |name: &str| {
        let words = ["assert", "check", "prop_assert", "debug_assert"];
        words.iter().any(|w| name.starts_with(w)) || CLAIMS.contains(&name) || claiming.contains(name)
    };
    body.windows(2).any(|pair| {
        let [name, next] = pair else { return false };
        let is_call = next.text == "(" || next.text == "!" || next.text == ":";
        let is_macro_or_call = is_call && !name.literal && is_claim(&name.text);
        let is_panic =
            next.text == "!" && (name.text == "panic" || name.text == "unreachable" || name.text == "expect");
        let is_try = name.text == ")" && next.text == "?";
        is_macro_or_call || is_panic || is_try
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn silent(text: &str) -> Vec<String> {
        let source = Source::parse("ide-x/tests/it/main.rs", text).unwrap();
        check(&[source]).into_iter().map(|f| f.message.split('`').nth(1).unwrap().to_owned()).collect()
    }

    #[test]
    fn a_test_asserts_itself_or_through_a_helper() {
        let text = "#[test] fn a() { assert_eq!(1, 1); }\n#[test] fn b() { run(); }\n#[test] fn c() { helper(); }\nfn helper() { inner(); }\n\
                    fn inner() { assert!(true); }\nfn run() {}\n#[test] fn d() -> R { f()?; Ok(()) }\n#[test] fn e() { check(\"assert\"); }\n\
                    #[tokio::test] async fn f() { run().unwrap(); }\n#[test] fn g() { println!(\"assert!(x)\"); }\n";
        assert_eq!(silent(text), ["b", "f", "g"]);
    }
}
