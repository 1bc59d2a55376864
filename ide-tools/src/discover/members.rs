//! Tests that are declarations: of JUnit, TestNG, pytest, unittest, Go, Rust and PHPUnit.

use std::sync::LazyLock;

use ide_model::{Framework, OutlineNode, SymbolKind};
use regex::Regex;

use super::{FoundTest, TestFile};
use crate::ToolError;

/// Deeper classes and modules hold no tests that anybody wrote by hand.
const MAX_DEPTH: usize = 32;

macro_rules! pattern {
    ($name:ident, $pattern:literal) => {
        static $name: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($pattern).expect("the pattern is tested"));
    };
}

pattern!(JVM_TEST, r"@(?:[\w.]+\.)?(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate)\b");
pattern!(
    JVM_MANY,
    r"@(?:[\w.]+\.)?(?:ParameterizedTest|RepeatedTest|TestFactory|TestTemplate)\b|dataProvider"
);
pattern!(TESTNG, r"\borg\.testng\b");
pattern!(TESTNG_OTHER, r"@(?:[\w.]+\.)?(?:(?:Before|After)\w+|DataProvider|Factory)\b");
pattern!(TEST_CASE, r"\b\w*TestCase\b");
pattern!(
    RUST_TEST,
    r"#\[\s*(?:\w+::)*(?:test|rstest|test_case|quickcheck|bench|wasm_bindgen_test|\w*_test)\b"
);
pattern!(RUST_MANY, r"#\[\s*(?:\w+::)*(?:rstest|test_case|case|values)\b");
pattern!(PHP_ATTRIBUTE, r"#\[[^\]]*\bTest\b");
pattern!(PHP_MANY, r"(?i)dataProvider|\bTestWith\b|@testWith\b");

/// A declaration with what stands before its name since the one before it.
struct Member<'n> {
    node: &'n OutlineNode,
    lead: (u32, u32),
}

fn members<'n>(nodes: &'n [OutlineNode], begin: u32) -> Vec<Member<'n>> {
    let mut end = begin;
    let mut members = Vec::with_capacity(nodes.len());
    for node in nodes {
        let start = node.symbol.name_range.start;
        members.push(Member { node, lead: (end.min(start), start) });
        end = node.symbol.full_range.end.max(start);
    }
    members
}

fn is_function(node: &OutlineNode) -> bool {
    matches!(node.symbol.kind, SymbolKind::Function | SymbolKind::Method)
}

/// The text between the name of a class and its body.
fn header<'t>(seen: &'t TestFile<'_>, node: &OutlineNode) -> &'t str {
    let end = node.children.first().map_or(node.symbol.full_range.end, |child| child.symbol.full_range.start);
    let text = seen.slice((node.symbol.name_range.end, end.max(node.symbol.name_range.end)));
    text.split(['{', ':']).next().unwrap_or(text)
}

/// The arguments between a name and the colon of Python.
fn bases<'t>(seen: &'t TestFile<'_>, node: &OutlineNode) -> &'t str {
    let text = seen.slice((node.symbol.name_range.end, node.symbol.full_range.end));
    text.split_once("):").map_or("", |(bases, _)| bases)
}

fn name(node: &OutlineNode) -> String {
    node.symbol.name.trim_matches('`').to_owned()
}

pub(super) fn jvm(seen: &TestFile<'_>) -> Result<Vec<FoundTest>, ToolError> {
    let framework = if TESTNG.is_match(&seen.text.text) { Framework::TestNg } else { Framework::JUnit };
    let mut found = Vec::new();
    for Member { node, lead } in members(&seen.outline()?, 0) {
        if node.symbol.kind.is_type() {
            let class = node.symbol.qualified_name.as_deref().unwrap_or(&node.symbol.name).to_owned();
            jvm_class(seen, node, lead, &class, &mut vec![name(node)], framework, &mut found)?;
        }
    }
    Ok(found)
}

fn jvm_class(
    seen: &TestFile<'_>,
    class: &OutlineNode,
    lead: (u32, u32),
    binary: &str,
    suites: &mut Vec<String>,
    framework: Framework,
    found: &mut Vec<FoundTest>,
) -> Result<(), ToolError> {
    if suites.len() > MAX_DEPTH {
        return Ok(());
    }
    let is_abstract = class.modifiers.contains(&"abstract");
    let is_old = TEST_CASE.is_match(header(seen, class)) && framework == Framework::JUnit;
    let is_whole = framework == Framework::TestNg && seen.says(lead, &JVM_TEST)?;
    for Member { node, lead } in members(&class.children, class.symbol.name_range.end) {
        if node.symbol.kind.is_type() {
            suites.push(name(node));
            jvm_class(seen, node, lead, &format!("{binary}${}", name(node)), suites, framework, found)?;
            suites.pop();
        } else if is_function(node) && !is_abstract {
            let is_public = node.modifiers.contains(&"public") && !node.modifiers.contains(&"static");
            let is_test = seen.says(lead, &JVM_TEST)?
                || is_whole && is_public && !seen.says(lead, &TESTNG_OTHER)?
                || is_old && node.symbol.name.starts_with("test");
            if is_test {
                found.push(FoundTest {
                    framework,
                    offset: node.symbol.name_range.start,
                    suites: suites.clone(),
                    name: name(node),
                    selector: format!("{binary}#{}", name(node)),
                    is_parameterized: seen.says(lead, &JVM_MANY)?,
                });
            }
        }
    }
    Ok(())
}

pub(super) fn python(seen: &TestFile<'_>) -> Result<Vec<FoundTest>, ToolError> {
    let mut found = Vec::new();
    python_level(seen, &seen.outline()?, 0, &mut Vec::new(), Some(Framework::Pytest), &mut found)?;
    Ok(found)
}

/// `framework` is what runs functions of this level, if anything does.
fn python_level(
    seen: &TestFile<'_>,
    nodes: &[OutlineNode],
    begin: u32,
    suites: &mut Vec<String>,
    framework: Option<Framework>,
    found: &mut Vec<FoundTest>,
) -> Result<(), ToolError> {
    if suites.len() > MAX_DEPTH {
        return Ok(());
    }
    for Member { node, lead } in members(nodes, begin) {
        let own = &node.symbol.name;
        if node.symbol.kind.is_type() {
            let is_case = TEST_CASE.is_match(bases(seen, node));
            let has_init = node.children.iter().any(|child| &*child.symbol.name == "__init__");
            let framework = match is_case {
                true if seen.uses_pytest()? => Some(Framework::Pytest),
                true => Some(Framework::Unittest),
                false => (own.starts_with("Test") && !has_init).then_some(Framework::Pytest),
            };
            suites.push(own.to_string());
            python_level(seen, &node.children, node.symbol.name_range.end, suites, framework, found)?;
            suites.pop();
        } else if let Some(framework) = framework.filter(|_| is_function(node) && own.starts_with("test")) {
            let parts = std::iter::once(seen.file.as_str()).chain(suites.iter().map(String::as_str));
            found.push(FoundTest {
                framework,
                offset: node.symbol.name_range.start,
                suites: suites.clone(),
                name: own.to_string(),
                selector: parts.chain([&**own]).collect::<Vec<_>>().join("::"),
                is_parameterized: seen.slice(lead).contains("parametrize"),
            });
        }
    }
    Ok(())
}

pub(super) fn go(seen: &TestFile<'_>) -> Result<Vec<FoundTest>, ToolError> {
    let mut found = Vec::new();
    for node in seen.outline()?.iter().filter(|node| node.symbol.kind == SymbolKind::Function) {
        let own = &node.symbol.name;
        let kind = ["Test", "Benchmark", "Fuzz", "Example"]
            .into_iter()
            .find_map(|kind| Some((kind, own.strip_prefix(kind)?)));
        let Some((kind, rest)) = kind else { continue };
        // `Testing` is no test of `ing`.
        if rest.chars().next().is_some_and(char::is_lowercase) {
            continue;
        }
        let range = node.symbol.full_range;
        let text = seen.slice((range.start, range.end));
        let is_run = match kind {
            "Example" => text.to_lowercase().contains("output:"),
            _ => !node.signature.contains("testing.M)"),
        };
        if is_run {
            found.push(FoundTest {
                framework: Framework::GoTest,
                offset: node.symbol.name_range.start,
                suites: Vec::new(),
                name: own.to_string(),
                selector: format!("{}#{own}", seen.file.directory()),
                is_parameterized: false,
            });
        }
    }
    Ok(found)
}

pub(super) fn rust(seen: &TestFile<'_>) -> Result<Vec<FoundTest>, ToolError> {
    let mut found = Vec::new();
    let module = rust_module(seen.file.as_str());
    rust_level(seen, &seen.outline()?, 0, &module, &mut Vec::new(), &mut found)?;
    Ok(found)
}

/// The path of a file's module in its crate, by the habits of cargo.
fn rust_module(path: &str) -> Vec<String> {
    let parts: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
    let root = parts.iter().rposition(|part| matches!(*part, "src" | "tests" | "benches" | "examples"));
    let inside = root.map_or(&parts[parts.len() - 1..], |root| &parts[root + 1..]);
    let is_target = root.is_some_and(|root| parts[root] != "src");
    // `src/bin/x.rs`, `tests/it.rs` and `tests/it/main.rs` are crates of their own.
    let inside = match inside {
        ["bin", _] => &[],
        ["bin", _, rest @ ..] => rest,
        [_] if is_target => &[],
        [_, rest @ ..] if is_target => rest,
        inside => inside,
    };
    let is_root = inside.len() == 1 && matches!(inside[0], "lib" | "main");
    let names = inside.iter().filter(|name| !is_root && **name != "mod");
    names.map(|name| (*name).to_owned()).collect()
}

fn rust_level(
    seen: &TestFile<'_>,
    nodes: &[OutlineNode],
    begin: u32,
    module: &[String],
    suites: &mut Vec<String>,
    found: &mut Vec<FoundTest>,
) -> Result<(), ToolError> {
    if suites.len() > MAX_DEPTH {
        return Ok(());
    }
    for Member { node, lead } in members(nodes, begin) {
        if matches!(node.symbol.kind, SymbolKind::Module | SymbolKind::Namespace) {
            suites.push(name(node));
            rust_level(seen, &node.children, node.symbol.name_range.end, module, suites, found)?;
            suites.pop();
        } else if is_function(node) && seen.says(lead, &RUST_TEST)? {
            let path = module.iter().chain(suites.iter()).map(String::as_str);
            found.push(FoundTest {
                framework: Framework::CargoTest,
                offset: node.symbol.name_range.start,
                suites: suites.clone(),
                name: name(node),
                selector: path.chain([&*node.symbol.name]).collect::<Vec<_>>().join("::"),
                is_parameterized: seen.says(lead, &RUST_MANY)?,
            });
        }
    }
    Ok(())
}

pub(super) fn php(seen: &TestFile<'_>) -> Result<Vec<FoundTest>, ToolError> {
    let mut found = Vec::new();
    let mut open: Vec<OutlineNode> = seen.outline()?;
    // Classes stand at the top or in a namespace.
    let mut classes = Vec::new();
    for _ in 0..2 {
        let (namespaces, others): (Vec<_>, Vec<_>) = open
            .into_iter()
            .partition(|node| matches!(node.symbol.kind, SymbolKind::Namespace | SymbolKind::Module));
        classes.extend(others.into_iter().filter(|node| node.symbol.kind.is_type()));
        open = namespaces.into_iter().flat_map(|node| node.children).collect();
    }
    for class in &classes {
        let extends = header(seen, class);
        let is_case = extends.contains("TestCase")
            || extends.contains("extends") && class.symbol.name.ends_with("Test");
        if !is_case || class.modifiers.contains(&"abstract") {
            continue;
        }
        let binary = class
            .symbol
            .qualified_name
            .as_deref()
            .unwrap_or(&class.symbol.name)
            .trim_start_matches('\\')
            .to_owned();
        for Member { node, lead } in members(&class.children, class.symbol.name_range.end) {
            let says = seen.slice(lead);
            let is_test = node.symbol.name.starts_with("test")
                || says.contains("@test")
                || seen.says(lead, &PHP_ATTRIBUTE)?;
            if is_function(node) && is_test && !node.modifiers.contains(&"private") {
                found.push(FoundTest {
                    framework: Framework::PhpUnit,
                    offset: node.symbol.name_range.start,
                    suites: vec![name(class)],
                    name: name(node),
                    selector: format!("{binary}::{}", node.symbol.name),
                    is_parameterized: PHP_MANY.is_match(says),
                });
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_rust_follow_the_habits_of_cargo() {
        let paths = [
            ("src/lib.rs", ""),
            ("src/main.rs", ""),
            ("src/cart.rs", "cart"),
            ("shop/src/cart/mod.rs", "cart"),
            ("src/cart/price.rs", "cart::price"),
            ("src/bin/tool.rs", ""),
            ("src/bin/tool/main.rs", ""),
            ("tests/it.rs", ""),
            ("tests/it/main.rs", ""),
            ("shop/tests/it/cart.rs", "cart"),
            ("src/main/lib.rs", "main::lib"),
        ];
        for (path, module) in paths {
            assert_eq!(rust_module(path).join("::"), module, "{path}");
        }
    }
}
