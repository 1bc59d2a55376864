//! Imports of the packages that new types and values name.

use std::collections::{BTreeMap, BTreeSet};

use super::super::imports::{ImportChange, edits};
use super::super::rename::Occurrence;
use super::super::scene::Refused;
use super::{Job, Slot};
use crate::facts::{DefFlags, Role};
use crate::lang;
use crate::resolve::{FileView, Resolver};
use crate::world::{FileId, GlobalDef};

impl Job<'_> {
    /// Puts imports into the files in which new text names packages that they do not import.
    pub(super) fn import_packages(&mut self, slots: &[Slot<'_>], uses: &[Occurrence]) -> Result<(), Refused> {
        let mut texts: BTreeMap<FileId, BTreeSet<&str>> = BTreeMap::new();
        let types = slots.iter().filter_map(|slot| slot.new.ty.as_deref());
        let result = self.change.return_type.as_deref();
        let declared: Vec<&str> = types.chain(result).collect();
        for member in &self.members {
            texts.entry(member.file).or_default().extend(&declared);
        }
        let values: Vec<&str> = slots
            .iter()
            .filter(|slot| slot.old.is_none())
            .filter_map(|slot| slot.new.value.as_deref())
            .collect();
        for use_ in uses.iter().filter(|use_| use_.is_certain) {
            let role = self.scene(use_.file).view.reference(use_.reference).role;
            if role == Role::Call {
                texts.entry(use_.file).or_default().extend(&values);
            }
        }
        let like: Vec<FileId> = std::iter::once(self.declared.file).chain(texts.keys().copied()).collect();
        for (file, texts) in texts {
            let mut change = ImportChange::default();
            let view = self.scene(file).view.clone();
            let types: BTreeSet<&str> = texts.iter().copied().flat_map(type_names).collect();
            let imported = |name: &&str| self.ctx.pool.with(|rx| type_import(rx, &view, name, &like));
            change.add.extend(types.iter().filter_map(imported));
            let names: BTreeSet<&str> = texts.into_iter().flat_map(qualifiers).collect();
            for name in names {
                let needed = self.ctx.pool.with(|rx| rx.policy(&view).import_for(rx, &view, name, &like));
                match needed {
                    Ok(statement) => change.add.extend(statement),
                    Err(why) => {
                        let at = self.scene(self.declared.file).view.def(self.declared.def).name_range;
                        return self.scene(self.declared.file).form(why, at);
                    }
                }
            }
            if !change.add.is_empty()
                && let Ok(edits) = edits(self.ctx, file, &change)
            {
                self.draft.imports(file, edits);
            }
        }
        Ok(())
    }
}

/// The import by which a name in a file means the type that it means in one of the files `like`, or the only one of this
/// name in the project and its libraries.
fn type_import(rx: &Resolver, view: &FileView, name: &str, like: &[FileId]) -> Option<String> {
    let at_top = |view: &FileView| rx.policy(view).type_at_top(rx, view, name);
    let here = at_top(view)?;
    if here.defs().next().is_some() || view.def_ids().any(|def| view.def_name(def) == name) {
        return None;
    }
    let among = |file: &FileId| at_top(rx.file(*file)).and_then(|meant| meant.defs().next());
    let line = |def: GlobalDef| lang::judge(view.language()).import_line(rx, view, def);
    if let Some(def) = like.iter().find_map(among) {
        return line(def);
    }
    let is_local = |file: &FileId| rx.file(*file).def_ids().any(|def| rx.file(*file).def_name(def) == name);
    if !here.is_unknown() || like.iter().any(is_local) {
        return None;
    }
    let is_type = |def: &GlobalDef| {
        rx.language_of(*def).family() == view.family()
            && rx.kind(*def).is_type()
            && rx.owner_class(*def).is_none()
            && !rx.def(*def).flags.has(DefFlags::LOCAL)
    };
    let sites = rx.world().declarations(name).into_iter().map(|site| site.at).filter(is_type);
    let mut lines = sites.filter_map(line).collect::<BTreeSet<String>>().into_iter();
    lines.next().filter(|_| lines.next().is_none())
}

/// The names that begin with a capital letter and follow no dot, outside of texts.
fn type_names(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut is_member = false;
    while let Some(c) = rest.chars().next() {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let length = if is_letter(c) {
            let length = rest.find(|c: char| !is_letter(c)).unwrap_or(rest.len());
            if c.is_uppercase() && !is_member {
                found.push(&rest[..length]);
            }
            length
        } else if ['"', '\''].contains(&c) {
            let mut escaped = false;
            let ends = |(_, other): &(usize, char)| {
                let is_end = !escaped && *other == c;
                escaped = !escaped && *other == '\\';
                is_end
            };
            rest.char_indices().skip(1).find(ends).map_or(rest.len(), |(at, _)| at + 1)
        } else {
            c.len_utf8()
        };
        is_member = c == '.' || c.is_whitespace() && is_member;
        rest = &rest[length..];
    }
    found
}

/// The names that stand first before a dot, outside of texts.
fn qualifiers(text: &str) -> Vec<&str> {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut quote: Option<char> = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(open) if c == '\\' && open != '`' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if ['"', '`', '\''].contains(&c) => quote = Some(c),
            None if c == '.' => {
                let before = &text[..at];
                let name = &before[before
                    .rfind(|c: char| !is_letter(c))
                    .map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8))..];
                let head = before[..before.len() - name.len()].trim_end();
                let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
                if is_name && !head.ends_with(['.', ')', ']']) {
                    found.push(name);
                }
            }
            None => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{qualifiers, type_names};

    #[test]
    fn names_before_dots() {
        assert_eq!(qualifiers("context.Context"), ["context"]);
        assert_eq!(qualifiers("map[string]*sql.DB"), ["sql"]);
        assert_eq!(qualifiers("a.b.c(d.e, \"x.y\", 1.5)"), ["a", "d"]);
        assert_eq!(qualifiers("f().x + ...T"), [""; 0]);
    }

    #[test]
    fn names_of_types() {
        assert_eq!(type_names("List<? extends Map.Entry<a.B, C>>"), ["List", "Map", "C"]);
        assert_eq!(type_names("List.of(\"A \\\" B\", 'C', d.E, new F())"), ["List", "F"]);
        assert_eq!(type_names("int[] x"), [""; 0]);
    }
}
