//! The innermost place of the project in a stack.

use std::sync::LazyLock;

use ide_model::{FilePath, Framework, TestCase};
use regex::Regex;

use crate::site::{Places, Site};

/// Frames that are looked at.
const MAX_FRAMES: usize = 200;

/// `at shop.CartTest$Filled.sums(CartTest.java:23)`, also with a module and a class loader before
static JVM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*at (?:[\w.@-]*/+)*(?P<class>[^\s(]+)\.[^\s.(]+\((?P<file>[^:()]+\.\w+):(?P<line>\d+)\)")
        .expect("the pattern is tested")
});
/// `at f (file:///p/a.ts:3:5)`   `at /p/a.js:3:5`
static NODE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*at (?:.*\()?(?:async )?(?P<file>(?:file://)?(?:/|[A-Za-z]:[\\/])[^()]*?|[\w./-]+\.[cm]?[jt]sx?):(?P<line>\d+):\d+\)?$").expect("the pattern is tested")
});
/// `tests/test_cart.py:17: AssertionError`   `File "/p/a.py", line 3`   `E     File "/p/a.py", line 3`   `/p/CartTest.php:22`   `/p/a_test.go:9 +0x1d`
static OTHER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^(?:(?:E\s)?\s*File "(?P<python>[^"]+)", line (?P<at>\d+)|\s*(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:]*\.(?:py|php|go)):(?P<line>\d+)(?::.*| \+0x.*)?)"#)
        .expect("the pattern is tested")
});

/// The place where a test failed: the innermost frame in a file of the project.
pub(super) fn place(
    site: &Site,
    stack: &str,
    places: &Places<'_>,
    case: Option<&TestCase>,
) -> Option<(FilePath, Option<u32>)> {
    let is_own = |file: &FilePath| {
        let path = file.as_str();
        !path.starts_with('/')
            && !["node_modules/", "vendor/", "site-packages/"].iter().any(|dir| path.contains(dir))
    };
    let mut found: Option<(FilePath, Option<u32>)> = None;
    for line in stack.lines().take(MAX_FRAMES) {
        let (file, line, is_last) = if let Some(frame) = JVM.captures(line) {
            let Some(file) = jvm_file(site, &frame["class"], &frame["file"], case) else { continue };
            (file, frame["line"].parse().ok(), false)
        } else if let Some(frame) = NODE.captures(line) {
            let (file, path) = places.file(&frame["file"]);
            if path.is_none() {
                continue;
            }
            (file, frame["line"].parse().ok(), false)
        } else if let Some(frame) = OTHER.captures(line) {
            let name = frame.name("python").or_else(|| frame.name("file")).map_or("", |name| name.as_str());
            let number =
                frame.name("at").or_else(|| frame.name("line")).and_then(|line| line.as_str().parse().ok());
            let (file, path) = places.file(name);
            if path.is_none() {
                continue;
            }
            // Python tells the innermost frame last, PHP and Go first.
            (file, number, name.ends_with(".py"))
        } else {
            continue;
        };
        if !is_own(&file) {
            continue;
        }
        found = Some((file, line));
        if !is_last {
            break;
        }
    }
    found
}

/// The file of a class: by its package and the name of the file. Kotlin's packages need not be folders, so the name alone will do
/// when it is the only one, and the test's own file when it has that name.
fn jvm_file(site: &Site, class: &str, name: &str, case: Option<&TestCase>) -> Option<FilePath> {
    let package = class.rsplit_once('.').map_or("", |(package, _)| package).replace('.', "/");
    let path = if package.is_empty() { name.to_owned() } else { format!("{package}/{name}") };
    let own = case.filter(|case| {
        matches!(case.framework, Framework::JUnit | Framework::TestNg) && case.file.file_name() == name
    });
    let by_case =
        own.filter(|case| case.file.as_str().ends_with(&path) || case.file.as_str().ends_with(".kt"));
    by_case.map(|case| case.file.clone()).or_else(|| site.file_by_end(&path).cloned()).or_else(|| {
        let file = site.file_by_end(name)?;
        file.as_str().ends_with(".kt").then(|| file.clone())
    })
}
