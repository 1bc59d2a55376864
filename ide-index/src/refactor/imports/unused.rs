//! Which imports nothing in their file can need.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use ide_model::{TextContext, TextRange};

use super::statements::Statement;
use crate::classify::classify;
use crate::facts::{DefId, ImportFlags, ImportId, ImportKind, RefFlags, RefId, Role};
use crate::lang::imports::Imports;
use crate::resolve::{FileView, Resolver, Target};

/// The imports that bind names inside a range.
pub(super) fn imports_in(file: &FileView, range: TextRange) -> Vec<ImportId> {
    let mut all: Vec<ImportId> = file.by_place().imports.within(range).collect();
    all.sort_unstable();
    all
}

/// Imports of some statements whose names nothing can mean.
pub(super) fn unused(
    rx: &Resolver,
    file: &FileView,
    row: &'static Imports,
    text: &str,
    statements: &[Statement],
) -> BTreeSet<ImportId> {
    let contexts = classify(file.language(), text);
    let words = Words::of(row, text);
    let search = Search { rx, file, row, words: &words, text, statements, contexts: &contexts, gone: &[] };
    let mut found = BTreeSet::new();
    let mut seen: BTreeSet<(String, String, String, u8)> = BTreeSet::new();
    for statement in statements.iter().filter(|s| !s.is_fixed) {
        for entry in &statement.entries {
            for id in imports_in(file, entry.range) {
                let import = file.import(id);
                let Some(def) = import.def else { continue };
                let member = import.member.map_or("", |member| file.ref_name(member));
                let name = file.def_name(def).to_owned();
                let module = file.name(import.module).to_owned();
                // Saying the same twice binds nothing new.
                let is_repeated = !seen.insert((name, module, member.to_owned(), import.flags.0))
                    && import.kind == ImportKind::Member
                    && import.level == 0;
                if is_repeated && search.may_go(id, def) || search.is_unused(id, def) {
                    found.insert(id);
                }
            }
        }
    }
    found
}

/// Of some imports those whose names nothing can mean once parts of the text are gone.
#[cfg(feature = "tree-sitter")]
pub(in crate::refactor) fn unneeded(
    rx: &Resolver,
    file: &FileView,
    row: &'static Imports,
    text: &str,
    gone: &[TextRange],
    imports: &BTreeSet<ImportId>,
) -> BTreeSet<ImportId> {
    let statements = super::statements::statements(file.language(), row, text);
    let contexts = classify(file.language(), text);
    let words = Words::of(row, text);
    let (statements, contexts) = (&*statements, &*contexts);
    let search = Search { rx, file, row, words: &words, text, statements, contexts, gone };
    let is_unused = |id: &ImportId| file.import(*id).def.is_some_and(|def| search.is_unused(*id, def));
    imports.iter().copied().filter(is_unused).collect()
}

/// The places of the words of a text.
struct Words(HashMap<Box<str>, Vec<u32>>);

impl Words {
    fn is_in_word(c: char) -> bool {
        c.is_alphanumeric() || c == '_'
    }

    fn of(row: &Imports, text: &str) -> Self {
        let mut words: HashMap<Box<str>, Vec<u32>> = HashMap::new();
        let mut rest = text;
        while let Some(start) = rest.find(Self::is_in_word) {
            let behind = &rest[start..];
            let len = behind.find(|c| !Self::is_in_word(c)).unwrap_or(behind.len());
            let at = (text.len() - behind.len()) as u32;
            words.entry(Self::folded(row, &behind[..len]).into()).or_default().push(at);
            rest = &behind[len..];
        }
        Self(words)
    }

    fn folded<'t>(row: &Imports, word: &'t str) -> Cow<'t, str> {
        if row.ignores_case { word.to_ascii_lowercase().into() } else { word.into() }
    }

    /// The starts of a name that is no part of a longer word.
    fn places(&self, row: &Imports, text: &str, name: &str) -> Vec<u32> {
        let name = Self::folded(row, name);
        if name.chars().all(Self::is_in_word) {
            return self.0.get(&*name).cloned().unwrap_or_default();
        }
        let text = Self::folded(row, text);
        let starts = text.match_indices(&*name).filter(|(start, _)| {
            !text[..*start].chars().next_back().is_some_and(Self::is_in_word)
                && !text[start + name.len()..].chars().next().is_some_and(Self::is_in_word)
        });
        starts.map(|(start, _)| start as u32).collect()
    }
}

struct Search<'a> {
    rx: &'a Resolver,
    file: &'a FileView,
    row: &'static Imports,
    words: &'a Words,
    text: &'a str,
    statements: &'a [Statement],
    contexts: &'a [(TextRange, TextContext)],
    /// The ranges that are not looked at.
    gone: &'a [TextRange],
}

impl Search<'_> {
    /// Whether an import is one that may go at all.
    fn may_go(&self, id: ImportId, def: DefId) -> bool {
        let import = self.file.import(id);
        let is_plain = matches!(import.kind, ImportKind::Module | ImportKind::Member | ImportKind::Default);
        let stays = [ImportFlags::CONDITIONAL, ImportFlags::EXPORTED, ImportFlags::DYNAMIC];
        let name = self.file.def_name(def);
        is_plain
            && !name.is_empty()
            && !stays.iter().any(|flag| import.flags.has(*flag))
            && !self.rx.policy(self.file).import_works_unnamed(self.rx, self.file, id)
    }

    fn is_unused(&self, id: ImportId, def: DefId) -> bool {
        if !self.may_go(id, def) {
            return false;
        }
        let (d, name) = (self.file.def(def), self.file.def_name(def));
        // A second declaration at the same place may be meant to extend the import.
        let is_declared_again = self
            .file
            .in_scope(d.scope, d.name)
            .iter()
            .any(|other| *other != def && self.file.def(*other).import.is_none());
        !is_declared_again
            && !self.file.exports.iter().any(|e| self.file.name(e.name) == name)
            && !self.occurs(name)
    }

    fn occurs(&self, name: &str) -> bool {
        let mut places = self.words.places(self.row, self.text, name).into_iter();
        places.any(|start| self.is_use(TextRange::new(start, start + name.len() as u32)))
    }

    /// Whether a name that is written somewhere may mean what an import binds.
    fn is_use(&self, at: TextRange) -> bool {
        let before = self.statements.partition_point(|statement| statement.range.start <= at.start);
        let statement = before.checked_sub(1).map(|last| &self.statements[last].range);
        if statement.into_iter().chain(self.gone).any(|range| range.encloses(at)) {
            return false;
        }
        let refs: Vec<RefId> = self.file.by_place().refs.around(at).collect();
        if !refs.is_empty() {
            return refs.into_iter().any(|r| self.ref_is_use(r));
        }
        if let Some(def) = self.file.by_place().names.around(at).min() {
            let is_parameter = self.file.def(def).kind == ide_model::SymbolKind::Parameter;
            return is_parameter && self.row.binds_parameters;
        }
        let i = self.contexts.partition_point(|(range, _)| range.end <= at.start);
        match self.contexts.get(i).filter(|(range, _)| range.encloses(at)) {
            Some((range, TextContext::Comment)) => self.is_in_documentation(*range, at),
            Some((range, _)) => self.is_in_string(*range, at),
            None => true,
        }
    }

    fn ref_is_use(&self, reference: RefId) -> bool {
        let r = self.file.reference(reference);
        match r.role {
            Role::Import => self.row.binds_paths && r.receiver.is_none(),
            Role::Label => false,
            // The first part of a name in code, as `M` in `M\Order`.
            Role::Package => {
                let is_rooted = r.flags.has(RefFlags::ABSOLUTE) || r.flags.has(RefFlags::RELATIVE);
                r.receiver.is_none() && !is_rooted && !self.is_in_package_clause(r.range)
            }
            // `{ name }` reads the name, `name: value` and `name = value` do not.
            Role::Key if !r.flags.has(RefFlags::IMPLICIT) => {
                let behind = self.text[r.range.end as usize..].trim_start();
                !behind.starts_with([':', '=']) || behind.starts_with("==")
            }
            _ if r.receiver.is_some() => self.row.binds_members,
            _ => {
                let resolved = self.rx.resolve(self.file.global_ref(reference));
                let resolution = &resolved.resolution;
                let is_own = |target: &Target| match target {
                    Target::Def(def) => def.file == self.file.id && self.file.def(def.def).import.is_none(),
                    _ => false,
                };
                let is_declared_here = resolution.confidence.is_certain()
                    && !resolution.is_unknown()
                    && resolution.targets.iter().all(is_own);
                !is_declared_here
            }
        }
    }

    /// Whether a part of a name stands in the statement that names the package.
    fn is_in_package_clause(&self, at: TextRange) -> bool {
        let before = &self.text[..at.start as usize];
        let is_name = |c: char| Words::is_in_word(c) || c.is_whitespace() || self.row.separator.contains(c);
        let start = before.rfind(|c| !is_name(c)).map_or(0, |at| at + 1);
        before[start..]
            .split(|c| !Words::is_in_word(c))
            .any(|word| word.eq_ignore_ascii_case(self.row.package_word))
    }

    /// In a comment names are used behind its first tag, link or bracket, and in lines of examples.
    fn is_in_documentation(&self, comment: TextRange, at: TextRange) -> bool {
        let before = &self.text[comment.start as usize..at.start as usize];
        let is_block = before.starts_with("/*") || before.starts_with("///") || before.starts_with("//!");
        let is_type = before.contains("type:") && !self.row.binds_members;
        is_block && before.contains(['@', '[', '`']) || is_type || self.is_example(at)
    }

    fn is_in_string(&self, string: TextRange, at: TextRange) -> bool {
        let before = &self.text[string.start as usize..at.start as usize];
        let is_captured = before.trim_end().ends_with(self.row.captures);
        !self.row.captures.is_empty() && is_captured || self.is_example(at)
    }

    /// Lines that show what one would type.
    fn is_example(&self, at: TextRange) -> bool {
        let line = self.text[..at.start as usize].rsplit('\n').next().unwrap_or("");
        let line = line.trim_start().trim_start_matches('#').trim_start();
        line.starts_with(">>>") || line.starts_with("...")
    }
}
