//! Sizes with a ratchet: no function over 100 lines and no file over 800 (tests inside it not counted), except what
//! `xtask/ratchet.txt` lists with its size and a reason. An entry may shrink and must go when it is no longer needed.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};

use super::Finding;
use crate::repo;
use crate::source::Source;

const LIST: &str = "xtask/ratchet.txt";
const FUNCTION_LINES: usize = 100;
const FILE_LINES: usize = 800;

/// Sizes above the limits that the list does not allow, and entries that are too generous.
pub(super) fn check(sources: &[Source]) -> Result<Vec<Finding>> {
    let list =
        std::fs::read_to_string(repo::root().join(LIST)).with_context(|| format!("cannot read {LIST}"))?;
    compare(sources, &parse(&list)?)
}

/// The allowed exceptions: `path` for a file, `path::function` for a function.
fn parse(list: &str) -> Result<BTreeMap<String, usize>> {
    let mut allowed = BTreeMap::new();
    for line in list.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')) {
        let mut words = line.splitn(3, ' ');
        let (Some(what), Some(lines), Some(reason)) = (words.next(), words.next(), words.next()) else {
            anyhow::bail!("{LIST}: `{line}` is not `what lines reason`");
        };
        ensure!(reason.split_whitespace().count() >= 3, "{LIST}: `{what}` needs a reason");
        let lines = lines.parse().with_context(|| format!("{LIST}: the size of `{what}`"))?;
        ensure!(allowed.insert(what.to_owned(), lines).is_none(), "{LIST}: `{what}` twice");
    }
    Ok(allowed)
}

fn compare(sources: &[Source], allowed: &BTreeMap<String, usize>) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut unused: BTreeMap<&str, usize> = allowed.iter().map(|(k, v)| (&**k, *v)).collect();
    let mut measure =
        |path: &str, line: usize, what: &str, lines: usize, limit: usize| match unused.remove(what) {
            _ if lines <= limit && !allowed.contains_key(what) => {}
            None => findings.push(Finding::new(
                path,
                line,
                format!("{lines} lines, the limit is {limit}: split it, or add it to {LIST} with a reason"),
            )),
            Some(_) if lines <= limit => {
                findings.push(Finding::new(LIST, 0, format!("`{what}` has {lines} lines: remove its entry")))
            }
            Some(listed) if lines > listed => {
                findings.push(Finding::new(path, line, format!("{lines} lines, {LIST} allows {listed}")))
            }
            Some(listed) if lines < listed => findings.push(Finding::new(
                LIST,
                0,
                format!("`{what}` has {lines} lines: lower its entry from {listed}"),
            )),
            Some(_) => {}
        };
    for source in sources {
        let tests: usize = source.test_lines.iter().map(ExactSizeIterator::len).sum();
        measure(&source.path, 0, &source.path, source.text.lines().count() - tests, FILE_LINES);
        let mut longest: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for function in &source.functions {
            let found = longest.entry(&function.name).or_default();
            *found = (*found).max((function.lines.len(), function.lines.start));
        }
        for (name, (lines, line)) in longest {
            measure(&source.path, line, &format!("{}::{name}", source.path), lines, FUNCTION_LINES);
        }
    }
    findings.extend(
        unused.keys().map(|what| Finding::new(LIST, 0, format!("`{what}` does not exist: remove its entry"))),
    );
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(body_lines: usize, list: &str) -> Vec<String> {
        let text = format!("fn f() {{\n{}}}\n", "    g();\n".repeat(body_lines));
        let sources = [Source::parse("a.rs", &text).unwrap()];
        compare(&sources, &parse(list).unwrap()).unwrap().into_iter().map(|f| f.message).collect()
    }

    #[test]
    fn the_list_allows_exactly_what_is_there() {
        assert_eq!(messages(98, ""), [""; 0]);
        assert!(messages(99, "")[0].starts_with("101 lines, the limit is 100"));
        assert_eq!(messages(99, "a.rs::f 101 a match with many arms\n"), [""; 0]);
        assert_eq!(
            messages(100, "a.rs::f 101 a match with many arms\n"),
            ["102 lines, xtask/ratchet.txt allows 101"]
        );
        assert_eq!(
            messages(99, "a.rs::f 105 a match with many arms\n"),
            ["`a.rs::f` has 101 lines: lower its entry from 105"]
        );
        assert_eq!(
            messages(9, "a.rs::f 105 a match with many arms\n"),
            ["`a.rs::f` has 11 lines: remove its entry"]
        );
        assert_eq!(
            messages(9, "a.rs::h 105 a match with many arms\n"),
            ["`a.rs::h` does not exist: remove its entry"]
        );
        assert!(
            messages(900, "a.rs::f 902 a match with many arms\n")[0]
                .starts_with("902 lines, the limit is 800")
        );
    }

    #[test]
    fn an_entry_needs_a_reason() {
        assert!(parse("a.rs::f 101 long\n").is_err());
        assert!(parse("a.rs::f 101\n").is_err());
        assert!(parse("# head\n\na.rs 900 list of alike rows\n").is_ok());
    }
}
