//! Rules about manifests: every crate takes the workspace's lints, every dependency has a licence that ours can carry.

use super::Finding;
use crate::metadata::Metadata;

/// The only crate with a lint table of its own: it may opt out of the ban on `unsafe` in one file.
const OWN_LINTS: &str = "ide-plugin-jni/Cargo.toml";
/// Licences that a program under MIT or Apache-2.0 may link.
const LICENCES: [&str; 14] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Every rule about manifests; `files` are the tracked ones with their text.
pub(super) fn check<'a>(
    metadata: &Metadata,
    manifests: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<Finding> {
    let without = manifests
        .filter(|(path, text)| path.matches('/').count() == 1 && *path != OWN_LINTS && !inherits_lints(text));
    let mut findings: Vec<Finding> =
        without.map(|(path, _)| Finding::new(path, 0, "does not say `[lints] workspace = true`")).collect();
    for package in &metadata.packages {
        let licence = package.license.as_deref().unwrap_or_default();
        if !is_allowed(licence) {
            findings.push(Finding::new(
                "Cargo.lock",
                0,
                format!("{}: the licence `{licence}` is not on the list", package.name),
            ));
        }
    }
    findings
}

fn inherits_lints(manifest: &str) -> bool {
    manifest.split("[lints]").nth(1).is_some_and(|rest| rest.trim_start().starts_with("workspace = true"))
}

/// `A OR B`, `A/B`: one suffices; `A AND B`: both are needed. Parentheses occur around alternatives only.
fn is_allowed(expression: &str) -> bool {
    let one_of = |part: &str| {
        let part = part.trim().trim_start_matches('(').trim_end_matches(')');
        part.split(" OR ").flat_map(|p| p.split('/')).any(|licence| LICENCES.contains(&licence.trim()))
    };
    let has_outer_choice = expression.contains(" OR ") && !expression.contains('(');
    if has_outer_choice {
        expression.split(" OR ").any(|p| p.split(" AND ").all(one_of))
    } else {
        expression.split(" AND ").all(one_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_are_read_as_choices_and_sums() {
        let check = |expression, want| assert_eq!(is_allowed(expression), want, "{expression}");
        check("MIT OR Apache-2.0", true);
        check("Unlicense/MIT", true);
        check("(MIT OR Apache-2.0) AND Unicode-3.0", true);
        check("GPL-3.0 OR MIT", true);
        check("GPL-3.0", false);
        check("MIT AND GPL-3.0", false);
        check("(MIT OR Apache-2.0) AND OpenSSL", false);
        check("", false);
    }

    #[test]
    fn a_crate_takes_the_lints_of_the_workspace() {
        assert!(inherits_lints("[package]\n[lints]\nworkspace = true\n"));
        assert!(!inherits_lints("[package]\n[lints]\n[lints.rust]\n"));
        assert!(!inherits_lints("[package]\n"));
    }
}
