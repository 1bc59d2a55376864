//! How languages write their imports, and in which orders people keep them.

use std::cmp::Ordering;

use ide_model::{Language, SymbolKind};

use super::{ecma, rust};
use crate::resolve::Resolver;
use crate::world::GlobalDef;

/// The import statements of a language, as far as moving and removing them goes.
#[cfg_attr(not(feature = "tree-sitter"), expect(dead_code, reason = "declarations move only with trees"))]
pub(crate) struct Imports {
    language: Language,
    /// Words that begin a statement.
    pub(crate) keywords: &'static [&'static str],
    /// Words behind it that hold for all of the statement.
    pub(crate) lead: &'static [&'static str],
    /// Entries begin behind this word, where it occurs.
    pub(crate) entries_after: Option<&'static str>,
    /// Entries end before this word when a string follows it.
    pub(crate) entries_before: Option<&'static str>,
    /// Brackets around entries.
    pub(crate) groups: &'static [(u8, u8)],
    pub(crate) ends: Ends,
    /// Several statements may stand in round brackets behind one keyword.
    pub(crate) has_blocks: bool,
    /// A statement of the module itself begins at the margin.
    pub(crate) at_margin: bool,
    /// Names are alike whatever their case.
    pub(crate) ignores_case: bool,
    /// A member of any value may be what an import binds (extensions).
    pub(crate) binds_members: bool,
    /// Paths of other imports may begin with what an import binds.
    pub(crate) binds_paths: bool,
    /// A parameter may ask for what an import binds by being called like it.
    pub(crate) binds_parameters: bool,
    /// The characters before a name in a string that is read as code.
    pub(crate) captures: &'static [char],
    /// A member that an import binds may be a module of a package.
    pub(crate) members_are_modules: bool,
    /// A file without imports and exports is another kind of file.
    pub(crate) makes_module: bool,
    /// The word before the name of a file's package.
    pub(crate) package_word: &'static str,
    /// The mark behind which code begins, in a file that begins as something else.
    pub(crate) opening: &'static str,
    /// The separator between the parts of a name.
    pub(crate) separator: &'static str,
    /// The prefix of a name that is meant from the root.
    pub(crate) root: &'static str,
    /// The statement that binds a type, a function, a constant; the name takes the place of `{}`.
    pub(crate) statement: [&'static str; 3],
    /// The statement that binds `{name}` of `{module}`, where files are modules.
    pub(crate) from_module: &'static str,
    /// The same for what is a type and nothing else, where that is said.
    pub(crate) type_word: Option<&'static str>,
    /// The word before a declaration that lets other modules have it, where it has none and may get it.
    pub(crate) word_of_export: fn(&Resolver, GlobalDef) -> Option<&'static str>,
    /// An import binds the value that the name has then.
    pub(crate) copies_values: bool,
    /// Words by which a file says that it depends on its directory.
    pub(crate) place_words: &'static [&'static str],
    /// The words for the directory, or the path, of a file, to which paths are added.
    pub(crate) directory_words: &'static [&'static str],
    /// Words behind which the path of a file that is read along stands: from where the program was started, or from the file.
    pub(crate) including_words: &'static [&'static str],
    /// The orders in use, the usual one first.
    pub(crate) styles: &'static [Style],
    /// Whether the first style is what everyone uses unless a project shows otherwise.
    pub(crate) has_usual_style: bool,
    /// Whether tools of the language sort always, so that a project cannot show otherwise.
    pub(crate) is_fixed_style: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    Semicolon,
    Line,
    /// The line in which a string stands, or a semicolon.
    StringLine,
}

/// An order of imports.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// Sections stand apart by one blank line each, in order over all imports; otherwise what stands together is ordered
    /// for itself.
    pub(crate) has_sections: bool,
    pub(crate) key: fn(&Ordered<'_>) -> Key,
}

/// The section of an import, its group in it, and its place there.
pub(crate) type Key = (u8, u8, String);

/// The parts of an import that orders compare.
pub(crate) struct Ordered<'a> {
    pub(crate) keyword: &'a str,
    /// Words of [`Imports::lead`] that the statement has.
    pub(crate) lead: &'a str,
    /// The path without white space: of several entries the first, and what is common to all.
    pub(crate) path: &'a str,
    pub(crate) has_alias: bool,
    /// Whether it leads into the project.
    pub(crate) is_ours: bool,
}

const NONE: Imports = Imports {
    language: Language::PlainText,
    keywords: &["import"],
    lead: &[],
    entries_after: None,
    entries_before: None,
    groups: &[],
    ends: Ends::Semicolon,
    has_blocks: false,
    at_margin: false,
    ignores_case: false,
    binds_members: false,
    binds_paths: false,
    binds_parameters: false,
    captures: &[],
    members_are_modules: false,
    makes_module: false,
    package_word: "package",
    opening: "",
    separator: ".",
    root: "",
    statement: ["import {}"; 3],
    from_module: "",
    type_word: None,
    word_of_export: |_, _| None,
    copies_values: false,
    place_words: &[],
    directory_words: &[],
    including_words: &[],
    styles: &[],
    has_usual_style: true,
    is_fixed_style: false,
};

const ECMA: Imports = Imports {
    entries_before: Some("from"),
    groups: &[(b'{', b'}')],
    ends: Ends::StringLine,
    makes_module: true,
    from_module: "import { {name} } from {module}",
    word_of_export: ecma::EcmaPolicy::word_of_export,
    styles: &[plain(specifier), plain(specifier_ignoring_case), plain(specifier_outside_in)],
    has_usual_style: false,
    ..NONE
};

const IMPORTS: &[Imports] = &[
    Imports {
        language: Language::Java,
        lead: &["static"],
        statement: ["import {};"; 3],
        styles: &[plain(java_static_first), plain(java_static_last)],
        ..NONE
    },
    Imports {
        language: Language::Kotlin,
        ends: Ends::Line,
        binds_members: true,
        captures: &['$'],
        styles: &[plain(by_path), plain(kotlin_platform_last)],
        ..NONE
    },
    Imports {
        language: Language::Python,
        members_are_modules: true,
        keywords: &["import", "from"],
        entries_after: Some("import"),
        groups: &[(b'(', b')')],
        ends: Ends::Line,
        at_margin: true,
        binds_parameters: true,
        from_module: "from {module} import {name}",
        copies_values: true,
        styles: &[
            Style { has_sections: true, key: python_sections },
            Style { has_sections: true, key: python_mixed_sections },
            plain(python_modules),
        ],
        ..NONE
    },
    Imports { language: Language::JavaScript, ..ECMA },
    Imports {
        language: Language::TypeScript,
        type_word: Some("import type { {name} } from {module}"),
        ..ECMA
    },
    Imports {
        language: Language::Go,
        ends: Ends::Line,
        has_blocks: true,
        place_words: &["//go:embed"],
        styles: &[plain(specifier)],
        is_fixed_style: true,
        ..NONE
    },
    Imports {
        language: Language::Php,
        keywords: &["use"],
        lead: &["function", "const"],
        groups: &[(b'{', b'}')],
        ignores_case: true,
        package_word: "namespace",
        opening: "<?php",
        directory_words: &["__DIR__", "__FILE__"],
        including_words: &["require", "require_once", "include", "include_once"],
        place_words: &["__DIR__", "__FILE__", "require ", "require_once ", "include ", "include_once "],
        separator: "\\",
        root: "\\",
        statement: ["use {};", "use function {};", "use const {};"],
        styles: &[plain(php_by_kind), plain(php_by_kind_and_case)],
        ..NONE
    },
    Imports {
        language: Language::Rust,
        keywords: &["use"],
        groups: &[(b'{', b'}')],
        binds_paths: true,
        captures: &['{'],
        separator: "::",
        root: "crate::",
        from_module: "use {module}::{name};",
        word_of_export: rust::word_of_export,
        place_words: &["include!", "include_str!", "include_bytes!", "#[path"],
        statement: ["use {};"; 3],
        styles: &[plain(rust_segments), plain(by_path)],
        ..NONE
    },
];

impl Imports {
    /// The statement that binds a declaration under its own name.
    pub(crate) fn statement_of(&self, kind: SymbolKind, name: &str) -> String {
        let i = match kind {
            SymbolKind::Function => 1,
            SymbolKind::Constant => 2,
            _ => 0,
        };
        self.statement[i].replace("{}", name)
    }

    /// A name in a namespace; the empty namespace is the root.
    pub(crate) fn join(&self, namespace: &str, name: &str) -> String {
        if namespace.is_empty() { name.to_owned() } else { format!("{namespace}{}{name}", self.separator) }
    }
}

/// The row of a language; `None` where imports are not known.
pub(crate) fn imports(language: Language) -> Option<&'static Imports> {
    IMPORTS.iter().find(|row| row.language == language)
}

const fn plain(key: fn(&Ordered<'_>) -> Key) -> Style {
    Style { has_sections: false, key }
}

fn by_path(of: &Ordered<'_>) -> Key {
    (0, 0, of.path.to_owned())
}

fn specifier(of: &Ordered<'_>) -> Key {
    (0, 0, unquoted(of.path).to_owned())
}

fn specifier_ignoring_case(of: &Ordered<'_>) -> Key {
    (0, 0, unquoted(of.path).to_lowercase())
}

/// Packages, then what lies above, then what lies beside.
fn specifier_outside_in(of: &Ordered<'_>) -> Key {
    let path = unquoted(of.path);
    let rank = if path.starts_with("../") {
        1
    } else if path.starts_with('.') {
        2
    } else {
        0
    };
    (0, rank, path.to_lowercase())
}

fn unquoted(path: &str) -> &str {
    path.trim_matches(['"', '\'', '`'])
}

fn java_static_first(of: &Ordered<'_>) -> Key {
    (0, u8::from(of.lead != "static"), of.path.to_owned())
}

fn java_static_last(of: &Ordered<'_>) -> Key {
    (0, u8::from(of.lead == "static"), of.path.to_owned())
}

fn kotlin_platform_last(of: &Ordered<'_>) -> Key {
    let rank = ["java.", "javax.", "kotlin."].iter().position(|start| of.path.starts_with(start));
    let rank = if of.has_alias { 4 } else { rank.map_or(0, |i| i as u8 + 1) };
    (0, rank, of.path.to_owned())
}

fn php_by_kind(of: &Ordered<'_>) -> Key {
    (0, php_kind(of), of.path.trim_start_matches('\\').replace('\\', " ").to_lowercase())
}

fn php_by_kind_and_case(of: &Ordered<'_>) -> Key {
    (0, php_kind(of), of.path.trim_start_matches('\\').to_owned())
}

fn php_kind(of: &Ordered<'_>) -> u8 {
    match of.lead {
        "function" => 1,
        "const" => 2,
        _ => 0,
    }
}

/// The order of rustfmt: `self`, `super`, `crate`, then names in small letters, types, constants; segment by segment.
fn rust_segments(of: &Ordered<'_>) -> Key {
    let rank = |segment: &str| match segment {
        "self" => '0',
        "super" => '1',
        "crate" => '2',
        "*" => '6',
        s if s.starts_with('{') => '7',
        s if s.starts_with(char::is_uppercase) && s.chars().any(char::is_lowercase) => '4',
        s if s.starts_with(char::is_uppercase) && s.len() > 1 => '5',
        s if s.starts_with(char::is_uppercase) => '4',
        _ => '3',
    };
    let path = of.path.trim_start_matches("::");
    let (head, tail) = path.split_at(path.find('{').unwrap_or(path.len()));
    let segments = head.split("::").chain((!tail.is_empty()).then_some(tail)).filter(|s| !s.is_empty());
    (0, 0, segments.map(|s| format!("{}{s}\u{1}", rank(s))).collect())
}

fn python_sections(of: &Ordered<'_>) -> Key {
    (python_section(of), u8::from(of.keyword == "from"), python_module(of.path))
}

fn python_mixed_sections(of: &Ordered<'_>) -> Key {
    (python_section(of), 0, python_module(of.path))
}

fn python_modules(of: &Ordered<'_>) -> Key {
    (0, u8::from(of.path != "__future__"), of.path.to_owned())
}

/// Farther dots before nearer ones, capitals like small letters.
fn python_module(path: &str) -> String {
    let rest = path.trim_start_matches('.');
    let dots = &path[..path.len() - rest.len()];
    if dots.is_empty() { path.to_lowercase() } else { format!("{dots}_{}", rest.to_lowercase()) }
}

fn python_section(of: &Ordered<'_>) -> u8 {
    let first = of.path.split('.').next().unwrap_or("");
    match () {
        () if of.path == "__future__" => 0,
        () if of.path.starts_with('.') => 4,
        () if of.is_ours => 3,
        () if is_python_library(first) => 1,
        () => 2,
    }
}

fn is_python_library(module: &str) -> bool {
    PYTHON_LIBRARY.split_whitespace().any(|name| name.cmp(module) == Ordering::Equal)
}

/// The modules that come with the language.
const PYTHON_LIBRARY: &str = "_thread abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb \
    binascii binhex bisect builtins bz2 calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall \
    concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal \
    difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch \
    formatter fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http \
    imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox \
    mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib ntpath numbers operator \
    optparse os ossaudiodev parser pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath \
    pprint profile pstats pty pwd py_compile pyclbr pydoc queue quopri random re readline reprlib resource rlcompleter runpy \
    sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre \
    sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symbol symtable sys \
    sysconfig syslog tabnanny tarfile telnetlib tempfile termios test textwrap threading time timeit tkinter token tokenize \
    tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings \
    wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo";

#[cfg(test)]
mod tests {
    use super::*;

    fn key(style: fn(&Ordered<'_>) -> Key, path: &str) -> Key {
        style(&Ordered { keyword: "from", lead: "", path, has_alias: false, is_ours: false })
    }

    #[track_caller]
    fn ascends(style: fn(&Ordered<'_>) -> Key, paths: &[&str]) {
        for pair in paths.windows(2) {
            assert!(key(style, pair[0]) < key(style, pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn orders_are_those_of_the_usual_tools() {
        ascends(
            rust_segments,
            &[
                "self::a", "super::b", "crate::a", "a", "a::{b,c}", "b::c", "b::C", "b::CC", "b::*",
                "b::{d}", "C",
            ],
        );
        ascends(
            python_sections,
            &["__future__", "Abc".to_lowercase().as_str(), "os.path", "sys", "requests", "..b", ".", ".a"],
        );
        ascends(php_by_kind, &["A\\B", "A\\B\\C", "a\\BC", "\\B"]);
        ascends(specifier_outside_in, &["a", "B", "../z", "./a"]);
    }
}
