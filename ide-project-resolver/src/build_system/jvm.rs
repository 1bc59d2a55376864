//! The directory layout that Maven and Gradle share: `src/<set>/<language>`.

use super::At;
use crate::model::RootKind;

/// Directories of a source set that hold no code.
const RESOURCES: &[&str] = &["resources", "res", "assets", "webapp"];

/// Roots found on disk. A set whose name says so is a test set: `test`, `integrationTest`,
/// `commonTest`, `androidTest`, `testFixtures`, `it`.
pub(super) fn roots(at: &At<'_>) -> Vec<(String, RootKind)> {
    let mut roots = Vec::new();
    for set in at.directories("src") {
        let lower = set.to_lowercase();
        let test = lower.contains("test") || lower == "it";
        for language in at.directories(&format!("src/{set}")) {
            let kind = match (test, RESOURCES.contains(&language.as_str())) {
                (false, false) => RootKind::Source,
                (true, false) => RootKind::Test,
                (false, true) => RootKind::Resource,
                (true, true) => RootKind::TestResource,
            };
            roots.push((format!("src/{set}/{language}"), kind));
        }
    }
    roots
}
