//! A language small enough to write projects at random: `package p`, `class A {`, `def f`, `}`, and words that are uses.

use ide_index::{FactBuilder, FileFacts, FrontEnd, Role, ScopeKind, Stamp, Unit};
use ide_index::{FileEntry, is_configuration};
use ide_model::{FilePath, Language, SourceKind, SymbolKind, TextRange};

pub(crate) struct Toy;

impl FrontEnd for Toy {
    fn facts(&self, path: &str, text: &str) -> FileFacts {
        let mut b =
            FactBuilder::new(Language::of_path(path).unwrap_or(Language::PlainText), text.len() as u32);
        let mut words = words(text).peekable();
        while let Some((at, word)) = words.next() {
            let range = |at: u32, word: &str| TextRange::new(at, at + word.len() as u32);
            match word {
                "package" => {
                    if let Some((_, name)) = words.next() {
                        b.set_package(name);
                    }
                }
                "class" => {
                    if let Some((at, name)) = words.next() {
                        let def = b.def(name, range(at, name), SymbolKind::Class);
                        b.open(ScopeKind::Class, at, Some(def));
                    }
                }
                "def" => {
                    if let Some((at, name)) = words.next() {
                        let def = b.def(name, range(at, name), SymbolKind::Method);
                        b.def_mut(def).range = TextRange::new(at, at + name.len() as u32);
                    }
                }
                "}" => {
                    b.close(at + 1);
                }
                _ => {
                    b.reference(word, range(at, word), Role::Read);
                }
            }
        }
        b.finish()
    }
}

fn words(text: &str) -> impl Iterator<Item = (u32, &str)> {
    text.split([' ', '\n'])
        .scan(0, |at, word| {
            let start = *at;
            *at += word.len() as u32 + 1;
            Some((start, word))
        })
        .filter(|(_, word)| !word.is_empty())
}

/// The unit that the disk side would pass on for a file.
pub(crate) fn unit(path: &str, text: &str, mtime_ns: i64) -> Unit {
    let language = Language::of_path(path);
    let has_facts = language.is_some_and(Language::is_resolved);
    Unit {
        entry: FileEntry {
            path: FilePath::new(path),
            language,
            source: SourceKind::Production,
            is_generated: false,
            size: text.len() as u64,
            content_hash: u128::from(text.len() as u64) << 7 | mtime_ns as u128,
        },
        stamp: Stamp { mtime_ns, ctime_ns: 3, inode: 7, is_racy: false },
        facts: has_facts.then(|| Toy.facts(path, text)),
        configuration: is_configuration(path).then(|| text.into()),
    }
}
