//! The `paths` globs and the `filePattern` masks of `ide_search_text`.
//!
//! The dialect is small on purpose: `*` and `?` stay inside one segment, `**` spans segments, a
//! pattern covers everything below a directory that it names, and every other character is literal.
//! No general glob library keeps brackets and braces literal, so the matcher is our own: a set of
//! states walked once over the path, linear in path times pattern.

use crate::exclude::Exclusions;
use crate::fs::{Fs, Kind};
use crate::path::Case;
use crate::project::Project;

/// Why a `paths` argument or a mask list was refused. The text names the value and a way out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GlobError {
    /// `paths` was an empty array.
    #[error("`paths` must hold at least one glob; leave it out for the whole project")]
    Empty,
    /// An entry was blank.
    #[error("an entry is blank; give a glob such as `src/**` or leave the entry out")]
    Blank,
    /// An entry was only `!`.
    #[error("nothing follows the `!` in `{entry}`; write for example `!src/generated`")]
    NothingExcluded {
        /// The entry as given.
        entry: String,
    },
    /// The directory in front of the first wildcard does not exist under that spelling.
    #[error("{}", no_such_directory(.glob, .directory, .working.as_deref()))]
    NoSuchDirectory {
        /// The glob as given.
        glob: String,
        /// Its leading directory.
        directory: String,
        /// The glob in a spelling that works, when there is one.
        working: Option<String>,
    },
    /// A file mask has a directory in it.
    #[error("the mask `{mask}` has a directory in it; masks match file names, use `paths` for directories")]
    MaskWithDirectory {
        /// The mask as given.
        mask: String,
    },
}

fn no_such_directory(glob: &str, directory: &str, working: Option<&str>) -> String {
    match working {
        Some(working) => {
            format!("`{directory}` of the glob `{glob}` is not a path of this project; use `{working}`")
        }
        None => format!(
            "`{directory}` of the glob `{glob}` does not exist; globs are relative to the project root"
        ),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Literal(char),
    /// `?`
    One,
    /// `*`
    Star,
    /// `**` that is not a whole segment with a successor
    Deep,
    /// `**/` at the start of a segment; always followed by `InDirs`
    Dirs,
    InDirs,
}

/// One compiled glob.
#[derive(Clone, Debug)]
struct Pattern {
    given: String,
    text: String,
    tokens: Vec<Token>,
    /// Everything before the first wildcard: a cheap first test.
    literal: String,
}

/// How a path fared.
struct Run {
    /// The pattern names this very path.
    named: bool,
    /// The pattern names a directory above it.
    covered: bool,
    /// A longer path can still be named.
    open: bool,
}

impl Pattern {
    fn compile(given: &str, text: &str, case: Case) -> Pattern {
        let folded = match case {
            Case::Sensitive => text.to_owned(),
            Case::Insensitive => text.to_lowercase(),
        };
        let chars: Vec<char> = folded.chars().collect();
        let mut tokens = Vec::with_capacity(chars.len());
        let mut at = 0;
        while at < chars.len() {
            let double = chars[at] == '*' && chars.get(at + 1) == Some(&'*');
            let starts_segment = at == 0 || chars[at - 1] == '/';
            match chars[at] {
                '*' if double && starts_segment && chars.get(at + 2) == Some(&'/') => {
                    tokens.extend([Token::Dirs, Token::InDirs]);
                    at += 2;
                }
                '*' if double => {
                    tokens.push(Token::Deep);
                    at += 1;
                }
                '*' => tokens.push(Token::Star),
                '?' => tokens.push(Token::One),
                c => tokens.push(Token::Literal(c)),
            }
            at += 1;
        }
        let literal = folded.split(['*', '?']).next().unwrap_or_default().to_owned();
        Pattern { given: given.to_owned(), text: text.to_owned(), tokens, literal }
    }

    /// The leading directory without wildcards; for a glob without wildcards the whole of it.
    fn literal_directory(&self) -> &str {
        match self.text.find(['*', '?']) {
            None => &self.text,
            Some(at) => self.text[..at].rsplit_once('/').map_or("", |(dir, _)| dir),
        }
    }

    /// Walks the path through the pattern.
    fn run(&self, path: &str) -> Run {
        let end = self.tokens.len();
        let mut alive = vec![false; end + 1];
        let mut next = alive.clone();
        let mut covered = false;
        alive[0] = true;
        self.close(&mut alive);
        for c in path.chars() {
            covered |= c == '/' && alive[end];
            next.fill(false);
            for (state, token) in self.tokens.iter().enumerate().filter(|(state, _)| alive[*state]) {
                match token {
                    Token::Literal(l) if *l == c => next[state + 1] = true,
                    Token::One if c != '/' => next[state + 1] = true,
                    Token::Star if c != '/' => next[state] = true,
                    Token::Deep => next[state] = true,
                    Token::Dirs if c != '/' => next[state + 1] = true,
                    Token::InDirs if c == '/' => next[state - 1] = true,
                    Token::InDirs => next[state] = true,
                    _ => {}
                }
            }
            std::mem::swap(&mut alive, &mut next);
            self.close(&mut alive);
        }
        Run { named: alive[end], covered, open: alive.contains(&true) }
    }

    /// Follows the tokens that may match nothing.
    fn close(&self, alive: &mut [bool]) {
        for (state, token) in self.tokens.iter().enumerate() {
            if alive[state] {
                match token {
                    Token::Star | Token::Deep => alive[state + 1] = true,
                    Token::Dirs => alive[state + 2] = true,
                    _ => {}
                }
            }
        }
    }

    fn matches(&self, path: &str) -> bool {
        path.starts_with(&self.literal) && {
            let run = self.run(path);
            run.named || run.covered
        }
    }

    /// Whether something below `dir` (empty: the root) can match.
    fn may_match_below(&self, dir: &str) -> bool {
        dir.is_empty() || {
            let run = self.run(&format!("{dir}/"));
            run.open || run.covered
        }
    }

    /// Whether one segment of the pattern spells out the last name of `dir` and the pattern up to
    /// there names `dir`.
    fn names(&self, dir: &str) -> bool {
        let name = dir.rsplit('/').next().unwrap_or(dir);
        let mut end = 0;
        self.text.split('/').any(|segment| {
            end += segment.len() + 1;
            segment == name && {
                let head = Pattern::compile("", &self.text[..end - 1], Case::Sensitive);
                head.run(dir).named
            }
        })
    }
}

/// A compiled `paths` argument: includes united, then excludes removed.
#[derive(Clone, Debug, Default)]
pub struct PathGlobs {
    includes: Vec<Pattern>,
    excludes: Vec<Pattern>,
}

impl PathGlobs {
    /// Compiles the entries of a `paths` array. The existence of directories is a question of its
    /// own: [`PathGlobs::check`].
    ///
    /// # Errors
    /// For an empty array, a blank entry and a lone `!`.
    pub fn parse<S: AsRef<str>>(entries: &[S]) -> Result<PathGlobs, GlobError> {
        if entries.is_empty() {
            return Err(GlobError::Empty);
        }
        let mut globs = PathGlobs::default();
        for entry in entries {
            let given = entry.as_ref().trim();
            if given.is_empty() {
                return Err(GlobError::Blank);
            }
            let (excluded, text) = match given.strip_prefix('!') {
                Some(rest) => (true, rest.trim()),
                None => (false, given),
            };
            let text = text.replace('\\', "/");
            let text = text.strip_prefix("./").unwrap_or(&text).trim_start_matches('/').trim_end_matches('/');
            if text.is_empty() && excluded {
                return Err(GlobError::NothingExcluded { entry: given.to_owned() });
            }
            // `.` and `/` name the root, which covers everything
            let text = if matches!(text, "" | ".") { "**" } else { text };
            let list = if excluded { &mut globs.excludes } else { &mut globs.includes };
            list.push(Pattern::compile(given, text, Case::Sensitive));
        }
        Ok(globs)
    }

    /// Whether a file belongs to the set. `path` is relative to the project root; `None` stands for
    /// a file of a library, which every include removes and no exclude touches.
    #[must_use]
    pub fn matches(&self, path: Option<&str>) -> bool {
        let Some(path) = path else { return self.includes.is_empty() };
        (self.includes.is_empty() || self.includes.iter().any(|p| p.matches(path)))
            && !self.excludes.iter().any(|p| p.matches(path))
    }

    /// Whether files below a directory can belong to the set; false allows to skip it.
    #[must_use]
    pub fn may_match_below(&self, dir: &str) -> bool {
        (self.includes.is_empty() || self.includes.iter().any(|p| p.may_match_below(dir)))
            && !self.excludes.iter().any(|p| p.matches(dir))
    }

    /// Whether an include spells out this directory's own name, so that it is searched although it
    /// stands on the list of exclusions: `node_modules/x`, `**/build/**`, but not `src/**`.
    #[must_use]
    pub fn reincludes(&self, dir: &str) -> bool {
        self.includes.iter().any(|p| p.names(dir))
    }

    /// The includes that spell out a name from the list of exclusions behind a wildcard, such as
    /// `**/node_modules/x`: ignore rules must not hide what they ask for. `None` when there are none.
    #[must_use]
    pub fn naming(&self, exclusions: &Exclusions) -> Option<PathGlobs> {
        let names = |p: &&Pattern| {
            let mut behind = p.text[p.literal_directory().len()..].split('/');
            behind.any(|segment| exclusions.anywhere(segment))
        };
        let includes: Vec<Pattern> = self.includes.iter().filter(names).cloned().collect();
        (!includes.is_empty()).then(|| PathGlobs { includes, excludes: self.excludes.clone() })
    }

    /// The wildcard-free leading directories of the includes, each as long as it goes.
    pub fn literal_directories(&self) -> impl Iterator<Item = &str> {
        self.includes.iter().map(Pattern::literal_directory)
    }

    /// Refuses an include whose leading directory does not exist below the project root under
    /// exactly this spelling, and finds the spelling that works: other letter case, relative to a
    /// content root, absolute, or with the project's own name in front. Excludes are not checked.
    ///
    /// # Errors
    /// [`GlobError::NoSuchDirectory`] for the first such include.
    pub fn check(&self, fs: &dyn Fs, project: &Project) -> Result<(), GlobError> {
        for pattern in &self.includes {
            let directory = pattern.literal_directory();
            let root = project.root().canonical().as_str();
            let found = real_spelling(fs, root, directory);
            if directory.is_empty() || found.as_deref() == Some(directory) {
                continue;
            }
            let working = found
                .or_else(|| other_names(project, directory).find_map(|name| real_spelling(fs, root, &name)))
                .map(|name| {
                    format!("{name}{}", &pattern.text[directory.len()..]).trim_start_matches('/').to_owned()
                });
            return Err(GlobError::NoSuchDirectory {
                glob: pattern.given.clone(),
                directory: directory.to_owned(),
                working,
            });
        }
        Ok(())
    }
}

/// The names under which somebody may know a directory of the project.
fn other_names(project: &Project, directory: &str) -> impl Iterator<Item = String> {
    let root = project.root();
    let with_root = format!("/{directory}");
    let absolute: Vec<String> = [root.spelling(), root.canonical().as_str()]
        .iter()
        .filter_map(|root| with_root.strip_prefix(*root).or_else(|| directory.strip_prefix(*root)))
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        .map(|rest| rest.trim_start_matches('/').to_owned())
        .collect();
    let own_name = directory.split_once('/').map_or((directory, ""), |(first, rest)| (first, rest));
    let own_name = (own_name.0 == root.canonical().name()).then(|| own_name.1.to_owned());
    let in_content_roots: Vec<String> = project
        .content_roots()
        .iter()
        .filter_map(|content| content.canonical().below(root.canonical(), root.case()))
        .map(|prefix| format!("{prefix}/{directory}"))
        .collect();
    absolute.into_iter().chain(in_content_roots).chain(own_name)
}

/// `relative` as the directories themselves spell it; `None` when it does not exist in any case.
fn real_spelling(fs: &dyn Fs, root: &str, relative: &str) -> Option<String> {
    let mut spelled = String::new();
    for segment in relative.split('/').filter(|s| !s.is_empty()) {
        if segment == ".." {
            return None;
        }
        let entries = fs.read_dir(&format!("{root}/{spelled}")).ok()?;
        let entry = entries
            .iter()
            .find(|e| e.name == segment)
            .or_else(|| entries.iter().find(|e| Case::Insensitive.same(&e.name, segment)))?;
        if !spelled.is_empty() {
            spelled.push('/');
        }
        spelled.push_str(&entry.name);
    }
    Some(spelled)
}

/// A comma list of file name masks: `*.java,!*Test.java`. Names compare without case, as file
/// masks do in the IDE.
#[derive(Clone, Debug, Default)]
pub struct FileMasks {
    includes: Vec<Pattern>,
    excludes: Vec<Pattern>,
}

impl FileMasks {
    /// Compiles a mask list.
    ///
    /// # Errors
    /// For a blank mask, a lone `!` and a mask with a directory in it.
    pub fn parse(list: &str) -> Result<FileMasks, GlobError> {
        let mut masks = FileMasks::default();
        for entry in list.split(',') {
            let given = entry.trim();
            let mask = given.strip_prefix('!').map(str::trim);
            match (given, mask) {
                ("", _) => return Err(GlobError::Blank),
                (_, Some("")) => return Err(GlobError::NothingExcluded { entry: given.to_owned() }),
                _ if given.contains(['/', '\\']) => {
                    return Err(GlobError::MaskWithDirectory { mask: given.to_owned() });
                }
                (_, Some(mask)) => masks.excludes.push(Pattern::compile(given, mask, Case::Insensitive)),
                (_, None) => masks.includes.push(Pattern::compile(given, given, Case::Insensitive)),
            }
        }
        Ok(masks)
    }

    /// Whether the file name, or the last segment of a path, is selected.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        (self.includes.is_empty() || self.includes.iter().any(|p| p.matches(&name)))
            && !self.excludes.iter().any(|p| p.matches(&name))
    }
}

/// The directories below `base` that a workspace member pattern such as `packages/*` names, relative
/// to `base`, sorted. An absolute pattern is given back as it is. Directories for which `skip` says so are not entered.
pub(crate) fn expand(fs: &dyn Fs, base: &str, pattern: &str, skip: &dyn Fn(&str) -> bool) -> Vec<String> {
    let text = pattern.replace('\\', "/");
    if text.starts_with('/') {
        return vec![text];
    }
    let text = text.trim_start_matches("./").trim_matches('/');
    if !text.contains(['*', '?']) {
        return vec![text.to_owned()];
    }
    let compiled = Pattern::compile(pattern, text, Case::Sensitive);
    let mut found = Vec::new();
    let mut todo = vec![compiled.literal_directory().to_owned()];
    while let Some(dir) = todo.pop() {
        let Ok(entries) = fs.read_dir(&format!("{base}/{dir}")) else { continue };
        for entry in entries.into_iter().filter(|e| e.kind == Kind::Dir && !skip(&e.name)) {
            let path = if dir.is_empty() { entry.name } else { format!("{dir}/{}", entry.name) };
            // not `matches`: a workspace pattern names directories, not what is below them
            if compiled.run(&path).named {
                found.push(path.clone());
            }
            if compiled.run(&format!("{path}/")).open {
                todo.push(path);
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_fs::MemoryFs;

    fn one(glob: &str, path: &str) -> bool {
        PathGlobs::parse(&[glob]).unwrap().matches(Some(path))
    }

    #[test]
    fn the_dialect() {
        for (glob, yes, no) in [
            ("src/*.rs", &["src/a.rs", "src/.rs"][..], &["src/x/a.rs", "a.rs", "src/a.rsx"][..]),
            ("src/?.rs", &["src/a.rs", "src/ä.rs"], &["src/ab.rs", "src/.rs"]),
            ("**/a.rs", &["a.rs", "x/a.rs", "x/y/a.rs"], &["ba.rs", "x/ba.rs"]),
            ("src/**/a.rs", &["src/a.rs", "src/x/y/a.rs"], &["srcx/a.rs", "src/xa.rs"]),
            ("src/**", &["src/a", "src/x/y"], &["srcx", "sr"]),
            ("src", &["src", "src/a", "src/x/y"], &["srcx/a", "a/src"]),
            ("packages/*/src", &["packages/a/src/x.ts"], &["packages/a/b/src/x.ts", "packages/src/x.ts"]),
            ("src/**.rs", &["src/a.rs", "src/x/a.rs"], &["src/a.ts"]),
            ("./src/", &["src/a"], &["xsrc/a"]),
            ("/src\\main", &["src/main/A.java"], &["src/mainx/A.java"]),
            ("app/[id]/{a}+(b).$x^", &["app/[id]/{a}+(b).$x^"], &["app/i/a+(b).$x^"]),
            ("*", &["a", "a/b"], &[]),
            (".", &["a", "a/b"], &[]),
            ("a/**/b/**/c", &["a/b/c", "a/x/b/y/z/c"], &["a/c", "a/b/xc"]),
            ("SRC", &[], &["src/a"]),
        ] {
            for path in yes {
                assert!(one(glob, path), "{glob} should match {path}");
            }
            for path in no {
                assert!(!one(glob, path), "{glob} should not match {path}");
            }
        }
    }

    #[test]
    fn includes_are_united_then_excludes_removed() {
        let globs = PathGlobs::parse(&["src", "lib", "!**/gen", "!lib/x.rs"]).unwrap();
        let kept: Vec<&str> = ["src/a", "src/gen/a", "lib/x.rs", "lib/y.rs", "doc/a"]
            .into_iter()
            .filter(|p| globs.matches(Some(p)))
            .collect();
        assert_eq!(kept, ["src/a", "lib/y.rs"]);
        assert!(!globs.matches(None), "any include removes libraries");
        let only_excludes = PathGlobs::parse(&["!src"]).unwrap();
        assert!(only_excludes.matches(Some("doc/a")) && !only_excludes.matches(Some("src/a")));
        assert!(only_excludes.matches(None), "excludes alone keep libraries");
    }

    #[test]
    fn bad_entries_are_errors() {
        let none: [&str; 0] = [];
        assert_eq!(PathGlobs::parse(&none).unwrap_err(), GlobError::Empty);
        assert_eq!(PathGlobs::parse(&["src", " "]).unwrap_err(), GlobError::Blank);
        for entry in ["!", "! /", "!./"] {
            assert_eq!(
                PathGlobs::parse(&[entry]).unwrap_err(),
                GlobError::NothingExcluded { entry: entry.into() }
            );
        }
    }

    #[test]
    fn only_a_spelled_out_name_reincludes() {
        let globs = PathGlobs::parse(&["node_modules/lodash/**", "**/build/*.txt", "src/**"]).unwrap();
        for (dir, want) in [
            ("node_modules", true),
            ("packages/a/node_modules", false),
            ("packages/a/build", true),
            ("build", true),
            ("src/node_modules", false),
            ("src", true),
        ] {
            assert_eq!(globs.reincludes(dir), want, "{dir}");
        }
        assert!(globs.may_match_below("node_modules") && globs.may_match_below(""));
        let narrow = PathGlobs::parse(&["a/b/*.rs", "!a/b/c"]).unwrap();
        assert!(narrow.may_match_below("a") && narrow.may_match_below("a/b"));
        assert!(!narrow.may_match_below("b") && !narrow.may_match_below("a/b/c"));
    }

    #[test]
    fn masks() {
        let masks = FileMasks::parse("*.java, *.kt,!*Test.java").unwrap();
        for (path, want) in [
            ("a/b/Foo.java", true),
            ("Foo.JAVA", true),
            ("x/FooTest.java", false),
            ("Foo.py", false),
            ("d.kt/x.py", false),
        ] {
            assert_eq!(masks.matches(path), want, "{path}");
        }
        assert!(FileMasks::parse("!*.md").unwrap().matches("a.rs"));
        assert_eq!(FileMasks::parse("*.a,,*.b").unwrap_err(), GlobError::Blank);
        assert_eq!(FileMasks::parse("!").unwrap_err(), GlobError::NothingExcluded { entry: "!".into() });
        assert_eq!(
            FileMasks::parse("src/*.a").unwrap_err(),
            GlobError::MaskWithDirectory { mask: "src/*.a".into() }
        );
    }

    #[test]
    fn member_patterns_expand_to_directories() {
        let fs = MemoryFs::default()
            .dir("/w/packages/b/inner")
            .dir("/w/packages/a")
            .dir("/w/packages/node_modules/x")
            .file("/w/packages/readme", "");
        let expand = |p| expand(&fs, "/w", p, &|name| name == "node_modules");
        assert_eq!(expand("packages/*"), ["packages/a", "packages/b"]);
        assert_eq!(expand("./packages/**"), ["packages/a", "packages/b", "packages/b/inner"]);
        assert_eq!(expand("tools/cli/"), ["tools/cli"]);
    }

    #[test]
    fn long_patterns_stay_linear() {
        let glob = "a*".repeat(40);
        let path = "a".repeat(2_000);
        assert!(one(&glob, &path));
        assert!(!one(&format!("{glob}b"), &path));
    }
}
