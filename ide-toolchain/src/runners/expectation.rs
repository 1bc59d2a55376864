//! The expected and the actual value, as the words of a failure say them.

use std::sync::LazyLock;

use regex::Regex;

/// Longer values are cut.
const MAX_VALUE: usize = 500;

/// Patterns with the groups `e` (expected) and `a` (actual). The first that fits decides.
static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let forms = [
        // JUnit: expected: <5> but was: <-5>   expected:<5> but was:<-5>
        r"(?s)expected:? ?<(?P<e>.*?)> but was:? ?<(?P<a>.*?)>(?:\s|$)",
        // kotlin.test: Expected <5>, actual <-5>.
        r"(?s)Expected <(?P<e>.*?)>, actual <(?P<a>.*?)>",
        // TestNG: expected [5] but found [-5]
        r"(?s)expected \[(?P<e>.*?)\] but found \[(?P<a>.*?)\]",
        // AssertJ: expected: 5\n but was: -5
        r"(?m)^\s*expected: (?P<e>.*)\n\s*but was: (?P<a>.*)$",
        // Jest: Expected: 5\nReceived: -5
        r"(?m)^\s*Expected(?: value)?: +(?P<e>.*)\n\s*Received(?: value)?: +(?P<a>.*)$",
        // testify: expected: 5\n\tactual  : -5
        r"(?m)^\s*expected: (?P<e>.*)\n\s*actual *: (?P<a>.*)$",
        // rustc: left: -5\n right: 5   (by habit the value comes first)
        r"(?m)^\s*left: `?(?P<a>.*?)`?,?\n\s*right: `?(?P<e>.*?)`?$",
        // PHPUnit: Failed asserting that -5 is identical to 5.   … that -5 matches expected 5.
        r"(?m)^Failed asserting that (?P<a>.+?) (?:is identical to|is equal to|matches expected) (?P<e>.+?)\.$",
        // Vitest: expected -5 to be 5 // Object.is equality
        r"(?m)^(?:AssertionError: )?expected (?P<a>.+?) to (?:be|equal|deeply equal|strictly equal) (?P<e>.+?)(?: // .*)?$",
        // pytest: assert -5 == 5
        r"(?m)^(?:E\s+|AssertionError: )?assert (?P<a>.+?) == (?P<e>.+)$",
        // Go, an example: got:\n-5\nwant:\n5
        r"(?ms)\Agot:\n(?P<a>.*?)\nwant:\n(?P<e>.*)\z",
        // unittest: AssertionError: -5 != 5   AssertionError: Lists differ: [-5] != [5]
        r"(?m)^(?:AssertionError: )?(?:\w+ differ: )?(?P<a>.+?) != (?P<e>.+)$",
        // go: got -5, want 5   want 5, got -5
        r"(?m)\b[Gg]ot:? (?P<a>.+?)[,;] ?(?:want|expected):? (?P<e>.+)$",
        r"(?m)\b(?:[Ww]ant|[Ee]xpected):? (?P<e>.+?)[,;] ?(?:but )?got:? (?P<a>.+)$",
    ];
    forms.iter().map(|form| Regex::new(form).expect("the pattern is tested")).collect()
});

/// Expected and actual value.
pub(crate) fn expectation(text: &str) -> Option<(String, String)> {
    let cut = |value: &str| value.trim().chars().take(MAX_VALUE).collect::<String>();
    if let Some((expected, actual)) = php_difference(text) {
        return Some((cut(&expected), cut(&actual)));
    }
    let found = FORMS.iter().find_map(|form| form.captures(text))?;
    Some((cut(&found["e"]), cut(&found["a"])))
}

/// Both sides of the difference that PHPUnit shows: `--- Expected\n+++ Actual\n@@ @@\n 'a\n-b'\n+c'`.
fn php_difference(text: &str) -> Option<(String, String)> {
    let (_, shown) = text.split_once("--- Expected\n+++ Actual\n")?;
    let (mut expected, mut actual) = (Vec::new(), Vec::new());
    for line in shown.lines().skip_while(|line| line.starts_with("@@")) {
        if let Some(line) = line.strip_prefix('-') {
            expected.push(line);
        } else if let Some(line) = line.strip_prefix('+') {
            actual.push(line);
        } else if let Some(line) = line.strip_prefix(' ') {
            expected.push(line);
            actual.push(line);
        } else {
            break;
        }
    }
    Some((expected.join("\n"), actual.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_framework_has_its_words() {
        let said = [
            "expected: <5> but was: <-5>",
            "org.junit.ComparisonFailure: expected:<5> but was:<-5>",
            "Expected <5>, actual <-5>.",
            "expected [5] but found [-5]",
            "\nexpected: 5\n but was: -5",
            "Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: 5\nReceived: -5\n    at x",
            "Error:      \tNot equal: \n\t            \texpected: 5\n\t            \tactual  : -5",
            "assertion `left == right` failed\n  left: -5\n right: 5",
            "Failed asserting that -5 is identical to 5.",
            "Failed asserting that -5 matches expected 5.",
            "Failed asserting that two strings are equal.\n--- Expected\n+++ Actual\n@@ @@\n-5\n+-5\n",
            "AssertionError: expected -5 to be 5 // Object.is equality",
            "assert -5 == 5\n +  where -5 = total()",
            "AssertionError: -5 != 5",
            "AssertionError: Lists differ: -5 != 5\n\nFirst differing element 0:",
            "got:\n-5\nwant:\n5\n",
            "got -5, want 5",
            "Total() = x; expected 5, got -5",
        ];
        for text in said {
            assert_eq!(expectation(text), Some(("5".to_owned(), "-5".to_owned())), "{text}");
        }
        let text = "Failed asserting that two strings are identical.\n--- Expected\n+++ Actual\n@@ @@\n 'a\n-b'\n+c'\n\n/p/a.php:3\n";
        assert_eq!(expectation(text), Some(("'a\nb'".to_owned(), "'a\nc'".to_owned())));
        assert_eq!(expectation("java.lang.NullPointerException: x is null"), None);
    }
}
