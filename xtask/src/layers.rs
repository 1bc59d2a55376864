//! The dependency test: which crate may know which, as a table, held against `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::metadata::{Metadata, Package};

/// A crate of the workspace.
struct Layer {
    /// Folder in the root of the repository.
    name: &'static str,
    row: u8,
    /// The crates of ours that it may depend on.
    may_know: &'static [&'static str],
}

const fn layer(row: u8, name: &'static str, may_know: &'static [&'static str]) -> Layer {
    Layer { name, row, may_know }
}

/// Row 0 stands beside: nothing depends on it, except tests on `test-fixture`.
const LAYERS: [Layer; 24] = [
    layer(5, "ide-plugin-jni", &["ide-server", "ide-model"]),
    layer(
        4,
        "ide-server",
        &[
            "history",
            "ide-companion",
            "ide-edit",
            "ide-index",
            "ide-language-server",
            "ide-lsp",
            "ide-model",
            "ide-project-resolver",
            "ide-store",
            "ide-toolchain",
            "ide-tools",
            "mcp-protocol",
            "mcp-transport-http",
            "mcp-transport-sse",
            "mcp-transport-stdio",
            "mcp-transport-ws",
        ],
    ),
    layer(4, "mcp-auth", &["mcp-protocol", "mcp-transport-http"]),
    layer(3, "mcp-transport-http", &["mcp-protocol"]),
    layer(3, "mcp-transport-sse", &["mcp-protocol"]),
    layer(3, "mcp-transport-ws", &["mcp-protocol"]),
    layer(3, "mcp-transport-stdio", &["mcp-protocol"]),
    layer(3, "ide-companion", &["ide-model"]),
    layer(3, "ide-store", &["ide-index", "ide-model", "ide-project-resolver", "ide-syntax"]),
    layer(3, "ide-language-server", &["ide-model"]),
    layer(3, "ide-lsp", &["ide-model"]),
    layer(3, "ide-toolchain", &["ide-model"]),
    layer(3, "ide-edit", &["ide-model", "ide-project-resolver"]),
    layer(2, "mcp-protocol", &[]),
    layer(2, "ide-tools", &["ide-model"]),
    layer(2, "ide-index", &["ide-model"]),
    layer(2, "ide-syntax", &["ide-model"]),
    layer(2, "ide-project-resolver", &[]),
    layer(1, "history", &[]),
    layer(1, "ide-model", &[]),
    layer(0, "test-fixture", &[]),
    layer(0, "benches", &["ide-index", "ide-model", "ide-store"]),
    layer(
        0,
        "fuzz",
        &[
            "history",
            "ide-index",
            "ide-model",
            "ide-project-resolver",
            "ide-store",
            "mcp-protocol",
            "mcp-transport-http",
            "mcp-transport-sse",
            "mcp-transport-stdio",
            "mcp-transport-ws",
        ],
    ),
    layer(0, "xtask", &[]),
];

/// Crates that no crate of rows 1 and 2 may reach, however indirectly.
const RIM_ONLY: [&str; 5] = ["hyper", "jni", "mio", "notify", "tokio"];

/// Crates and who depends on whom, by name; ours by the name of their folder.
#[derive(Default)]
pub(crate) struct Graph {
    ours: BTreeSet<String>,
    /// Normal and build dependencies.
    edges: BTreeMap<String, BTreeSet<String>>,
    /// Dependencies of tests, examples and benches.
    test_edges: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    /// The workspace as cargo resolves it.
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let is_ours = |id: &String| metadata.workspace_members.contains(id);
        let name = |package: &Package| {
            let folder = package.manifest_path.rsplit(['/', '\\']).nth(1).unwrap_or(&package.name);
            if is_ours(&package.id) { folder.to_owned() } else { package.name.clone() }
        };
        let names: BTreeMap<&str, String> = metadata.packages.iter().map(|p| (&*p.id, name(p))).collect();
        let mut graph = Self {
            ours: metadata.workspace_members.iter().map(|id| names[&**id].clone()).collect(),
            ..Self::default()
        };
        for node in &metadata.resolve.nodes {
            for dep in &node.deps {
                let is_test_only = dep.dep_kinds.iter().all(|k| k.kind.as_deref() == Some("dev"));
                let edges = if is_test_only { &mut graph.test_edges } else { &mut graph.edges };
                edges.entry(names[&*node.id].clone()).or_default().insert(names[&*dep.pkg].clone());
            }
        }
        graph
    }

    fn edges(&self, from: &str) -> impl Iterator<Item = &str> {
        self.edges.get(from).into_iter().flatten().map(String::as_str)
    }

    /// The crates of ours that no row of a table in Markdown begins with.
    pub(crate) fn missing_in(&self, text: &str) -> Vec<String> {
        let missing = self.ours.iter().filter(|name| !text.contains(&format!("\n| `{name}` |")));
        missing.map(|name| format!("the crate `{name}` has no row in the code map")).collect()
    }

    /// The shortest way from one crate to another over normal dependencies.
    fn way(&self, from: &str, to: &str) -> Option<Vec<String>> {
        let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
        let mut open = VecDeque::from([from]);
        while let Some(at) = open.pop_front() {
            if at == to {
                let mut way = vec![at.to_owned()];
                let mut step = at;
                while let Some(&before) = came_from.get(step) {
                    way.push(before.to_owned());
                    step = before;
                }
                way.reverse();
                return Some(way);
            }
            for next in self.edges(at) {
                if next != from && !came_from.contains_key(next) {
                    came_from.insert(next, at);
                    open.push_back(next);
                }
            }
        }
        None
    }
}

/// The edges of the graph that the table does not allow.
pub(crate) fn check(graph: &Graph) -> Vec<String> {
    let table: BTreeMap<&str, &Layer> = LAYERS.iter().map(|l| (l.name, l)).collect();
    let mut wrong = Vec::new();
    for name in &graph.ours {
        let Some(layer) = table.get(&**name) else {
            wrong.push(format!("crate `{name}` is not in the dependency table of xtask/src/layers.rs"));
            continue;
        };
        for target in graph.edges(name).filter(|t| graph.ours.contains(*t)) {
            if !layer.may_know.contains(&target) {
                wrong.push(format!("`{name}` must not depend on `{target}`"));
            }
        }
        for target in graph.test_edges.get(name).into_iter().flatten().filter(|t| graph.ours.contains(*t)) {
            let is_downwards = table.get(&**target).is_some_and(|t| t.row <= layer.row || layer.row == 0);
            if target != "test-fixture" && !is_downwards {
                wrong.push(format!("tests of `{name}` must not depend on `{target}`"));
            }
        }
        if layer.row == 1 || layer.row == 2 {
            let ways = RIM_ONLY.iter().filter_map(|rim| graph.way(name, rim));
            wrong.extend(ways.map(|way| format!("`{name}` must stay pure: {}", way.join(" -> "))));
        }
    }
    wrong
}

/// The lines of the table that nothing in the workspace uses.
pub(crate) fn unused(graph: &Graph) -> Vec<String> {
    let mut unused = Vec::new();
    for layer in &LAYERS {
        if !graph.ours.contains(layer.name) {
            unused.push(format!("the dependency table lists `{}`, which is no crate", layer.name));
            continue;
        }
        let used: BTreeSet<&str> = graph.edges(layer.name).collect();
        let idle = layer.may_know.iter().filter(|known| !used.contains(**known));
        unused.extend(idle.map(|known| format!("`{}` does not depend on `{known}`", layer.name)));
    }
    unused
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &str)], test_edges: &[(&str, &str)]) -> Graph {
        let mut graph = Graph::default();
        for (from, to) in edges {
            graph.edges.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        for (from, to) in test_edges {
            graph.test_edges.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        let named = edges.iter().chain(test_edges).flat_map(|(a, b)| [*a, *b]);
        graph.ours = named
            .filter(|n| {
                n.starts_with("ide-") || n.starts_with("mcp-") || *n == "history" || *n == "test-fixture"
            })
            .map(str::to_owned)
            .collect();
        graph
    }

    #[test]
    fn dependencies_point_downwards() {
        let graph = Graph::of(&crate::metadata::workspace().unwrap());
        assert_eq!(check(&graph), [""; 0]);
        assert_eq!(unused(&graph), [""; 0]);
    }

    #[test]
    fn a_crate_without_a_row_is_missing() {
        let graph = graph(&[("ide-edit", "ide-model")], &[]);
        assert_eq!(
            graph.missing_in("|---|\n| `ide-model` | words |\n"),
            ["the crate `ide-edit` has no row in the code map"]
        );
    }

    #[test]
    fn the_table_lists_only_what_exists() {
        let graph = graph(&[("ide-edit", "ide-model")], &[]);
        let unused = unused(&graph);
        assert!(unused.contains(&"the dependency table lists `history`, which is no crate".to_owned()));
        assert!(unused.contains(&"`ide-edit` does not depend on `ide-project-resolver`".to_owned()));
        assert!(!unused.contains(&"`ide-edit` does not depend on `ide-model`".to_owned()));
    }

    #[test]
    fn an_upward_edge_fails() {
        assert_eq!(
            check(&graph(&[("ide-index", "ide-tools")], &[])),
            ["`ide-index` must not depend on `ide-tools`"]
        );
        assert_eq!(
            check(&graph(&[], &[("ide-index", "ide-server")])),
            ["tests of `ide-index` must not depend on `ide-server`"]
        );
        assert_eq!(check(&graph(&[("ide-index", "ide-model")], &[("ide-index", "test-fixture")])), [""; 0]);
        assert_eq!(
            check(&graph(&[("ide-index", "test-fixture")], &[])),
            ["`ide-index` must not depend on `test-fixture`"]
        );
    }

    #[test]
    fn a_runtime_below_a_pure_crate_fails_however_deep() {
        let way = [("mcp-protocol", "a"), ("a", "b"), ("b", "tokio")];
        assert_eq!(
            check(&graph(&way, &[])),
            ["`mcp-protocol` must stay pure: mcp-protocol -> a -> b -> tokio"]
        );
        assert_eq!(check(&graph(&[("mcp-transport-http", "tokio")], &[("mcp-protocol", "tokio")])), [""; 0]);
    }

    #[test]
    fn an_unknown_crate_fails() {
        let wrong = check(&graph(&[("ide-new", "ide-model")], &[]));
        assert_eq!(wrong, ["crate `ide-new` is not in the dependency table of xtask/src/layers.rs"]);
    }
}
