//! npm, yarn, bun (`workspaces` in `package.json`) and pnpm (`pnpm-workspace.yaml`).

use std::io;

use super::{At, Described, strings};
use crate::model::RootKind;

const TESTS: &[&str] = &["test", "tests", "__tests__", "spec", "e2e", "cypress"];

pub(super) fn read(at: &At<'_>, described: &mut Described) -> io::Result<()> {
    described.roots = vec![(String::new(), RootKind::Source)];
    described.roots.extend(at.existing(TESTS, RootKind::Test));
    if let Some(workspace) = at.text("pnpm-workspace.yaml")? {
        let patterns = yaml_list(&workspace, "packages");
        described.members = at.members(patterns.iter().map(String::as_str), &["package.json"]);
    }
    if let Some(package) = at.json("package.json")? {
        described.name = package["name"].as_str().map(str::to_owned);
        let workspaces = &package["workspaces"];
        let patterns =
            strings(Some(workspaces).filter(|w| w.is_array()).or_else(|| workspaces.get("packages")));
        described.members.extend(at.members(patterns, &["package.json"]));
    }
    Ok(())
}

/// The list of strings under a top-level key, in block or flow form. The file has no other use for
/// YAML, and a YAML crate would be the only one in the tree.
fn yaml_list(text: &str, key: &str) -> Vec<String> {
    let clean = |item: &str| {
        let item = item.trim();
        let quoted = item.strip_prefix(['"', '\'']).and_then(|rest| rest.split(['"', '\'']).next());
        quoted.unwrap_or_else(|| item.split(" #").next().unwrap_or(item).trim()).to_owned()
    };
    let mut lines = text.lines().skip_while(|line| line.split(':').next() != Some(key));
    let Some(first) = lines.next() else { return Vec::new() };
    let head = first[key.len() + 1..].trim();
    let list: Vec<String> = if head.starts_with('[') {
        let flow: String = std::iter::once(head).chain(lines).collect::<Vec<_>>().join(" ");
        let inner = flow.trim_start_matches('[').split(']').next().unwrap_or_default().to_owned();
        inner.split(',').map(clean).collect()
    } else {
        lines
            .filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
            .map_while(|line| line.trim_start().strip_prefix('-'))
            .map(clean)
            .collect()
    };
    list.into_iter().filter(|item| !item.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::yaml_list;

    #[test]
    fn both_forms_of_a_list() {
        let block = "# head\npackages:\n  # ours\n  - 'packages/*'\n\n  - \"!**/test/**\" # not these\n- apps/web # plain\ncatalog:\n  - x\n";
        assert_eq!(yaml_list(block, "packages"), ["packages/*", "!**/test/**", "apps/web"]);
        assert_eq!(yaml_list("packages: ['a/*',\n  b]\n", "packages"), ["a/*", "b"]);
        assert!(yaml_list("other:\n  - a\n", "packages").is_empty());
    }
}
