//! Build constraints: which files the default build has.

const SYSTEMS: &[&str] = &[
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "js",
    "nacl",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
    "zos",
];
const MACHINES: &[&str] = &[
    "386", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le", "riscv64",
    "s390x", "wasm",
];
/// The newest release of the language, as `N` of `go1.N`: tags of those before it hold.
const RELEASE: u32 = 26;
/// The build tags that hold: 64-bit Linux with the standard compiler, besides the tags of releases.
const HOLDS: &[&str] = &["linux", "amd64", "unix", "gc", "cgo"];

/// Whether the default build (64-bit Linux, standard compiler, no tags) has a file: by its name and by the
/// constraint before its package clause, or those of the form before Go 1.17.
pub(super) fn is_built(path: &str, text: &str) -> bool {
    has_default_name(path) && is_wanted(text)
}

/// The builds that have a file, as its name and its head say it; empty where all have it.
pub(in crate::lang) fn condition(path: &str, text: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut parts: Vec<&str> = name.strip_suffix(".go").unwrap_or(name).split('_').skip(1).collect();
    let mut said = Vec::new();
    said.extend(parts.pop_if(|last| *last == "test"));
    said.extend(parts.pop_if(|last| MACHINES.contains(last) || *last == "amd64"));
    said.extend(parts.pop_if(|last| SYSTEMS.contains(last) || *last == "linux"));
    let head = text.lines().take_while(|line| !line.starts_with("package ")).map(str::trim);
    said.extend(head.filter(|line| line.starts_with("//go:build ") || line.contains("+build ")));
    said.join(" ")
}

fn has_default_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.strip_suffix(".go").unwrap_or(name);
    let stem = stem.strip_suffix("_test").unwrap_or(stem);
    let mut parts = stem.rsplit('_');
    let (last, before) = (parts.next().unwrap_or(""), parts.next());
    // A name that is nothing but the word has no constraint.
    let Some(before) = before else { return true };
    let foreign = |part: &str| SYSTEMS.contains(&part) || MACHINES.contains(&part);
    !(foreign(last) || (HOLDS.contains(&last) && SYSTEMS.contains(&before) && stem.matches('_').count() > 1))
}

fn is_wanted(text: &str) -> bool {
    let mut is_wanted = true;
    for line in text.lines().take_while(|line| !line.starts_with("package ")).map(str::trim_start) {
        if let Some(expression) = line.strip_prefix("//go:build ") {
            return Evaluator::new(expression).or();
        }
        let older = line.strip_prefix("//").and_then(|comment| comment.trim_start().strip_prefix("+build "));
        is_wanted &= older.is_none_or(is_met);
    }
    is_wanted
}

/// In a line of the form before Go 1.17 one of the words must hold, and all parts of that word.
fn is_met(line: &str) -> bool {
    let is_so = |part: &str| part.strip_prefix('!').map_or_else(|| holds(part), |tag| !holds(tag));
    line.split_whitespace().any(|word| word.split(',').all(is_so))
}

fn holds(tag: &str) -> bool {
    let is_release = |n: &str| n.parse().is_ok_and(|n: u32| n <= RELEASE);
    HOLDS.contains(&tag) || tag.strip_prefix("go1.").is_some_and(is_release)
}

/// Brackets inside of so many are not looked into: nobody writes such constraints.
const MAX_DEPTH: u32 = 64;

struct Evaluator<'a> {
    rest: &'a str,
    depth: u32,
}

impl<'a> Evaluator<'a> {
    fn new(rest: &'a str) -> Self {
        Self { rest, depth: 0 }
    }

    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn or(&mut self) -> bool {
        let mut value = self.and();
        while self.eat("||") {
            value |= self.and();
        }
        value
    }

    fn and(&mut self) -> bool {
        let mut value = self.not();
        while self.eat("&&") {
            value &= self.not();
        }
        value
    }

    fn not(&mut self) -> bool {
        let mut negated = false;
        while self.eat("!") {
            negated = !negated;
        }
        negated != self.atom()
    }

    fn atom(&mut self) -> bool {
        if self.depth < MAX_DEPTH && self.eat("(") {
            self.depth += 1;
            let value = self.or();
            self.eat(")");
            self.depth -= 1;
            return value;
        }
        self.rest = self.rest.trim_start();
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
            .unwrap_or(self.rest.len());
        let (tag, rest) = self.rest.split_at(end);
        self.rest = rest;
        holds(tag)
    }
}

#[cfg(test)]
mod tests {
    use super::{condition, is_built};

    #[test]
    fn conditions_are_said_by_names_and_heads() {
        let of = |path: &str| condition(path, "package a\n");
        assert_eq!([of("a/x.go"), of("a/linux.go"), of("a/my_file.go")], [""; 3]);
        assert_eq!(
            [of("x_test.go"), of("x_linux_test.go"), of("x_windows_arm64.go")],
            ["test", "test linux", "arm64 windows"]
        );
        assert_eq!(condition("x.go", "//go:build extra\n\npackage a\n"), "//go:build extra");
    }

    #[test]
    fn names_and_constraints_decide() {
        assert!(is_built("a/linux.go", "package a"));
        assert!(is_built("a/x_linux.go", "package a"));
        assert!(!is_built("a/x_windows.go", "package a"));
        assert!(!is_built("a/x_windows_amd64.go", "package a"));
        assert!(!is_built("a/x_arm64_test.go", "package a"));
        assert!(!is_built("a/x.go", "//go:build windows && !cgo\n\npackage a"));
        assert!(is_built("a/x.go", "// Copyright\n\n//go:build !jsoniter && (linux || darwin)\npackage a"));
        assert!(is_built("a/x.go", "//go:build go1.18\npackage a"));
        assert!(!is_built("a/x.go", "//go:build go1.99\npackage a"));
        assert!(!is_built("a/x.go", "//go:build ignore\npackage a"));
    }

    #[test]
    fn the_form_before_go_1_17_decides_where_there_is_no_other() {
        assert!(!is_built("a/x.go", "// +build binary_log\n\npackage a"));
        assert!(is_built("a/x.go", "// +build !binary_log\n\npackage a"));
        assert!(is_built("a/x.go", "//+build windows linux,!appengine\n// +build go1.9\n\npackage a"));
        assert!(!is_built("a/x.go", "// +build linux\n// +build ignore\n\npackage a"));
        assert!(is_built("a/x.go", "//go:build linux\n// +build windows\n\npackage a"));
    }

    #[test]
    fn brackets_without_end_do_no_harm() {
        let text = format!("//go:build {}linux\npackage a", "(".repeat(1 << 20));
        assert!(!is_built("a/x.go", &text));
    }
}
