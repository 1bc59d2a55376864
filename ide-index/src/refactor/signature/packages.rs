//! Imports of the packages that new types and values name.

use std::collections::{BTreeMap, BTreeSet};

use super::super::imports::{ImportChange, edits};
use super::super::rename::Occurrence;
use super::super::scene::Refused;
use super::{Job, Slot};
use crate::facts::Role;
use crate::world::FileId;

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
            let names: BTreeSet<&str> = texts.into_iter().flat_map(qualifiers).collect();
            for name in names {
                let needed = self.shop.pool.with(|rx| rx.policy(&view).import_for(rx, &view, name, &like));
                match needed {
                    Ok(statement) => change.add.extend(statement),
                    Err(why) => {
                        let at = self.scene(self.declared.file).view.def(self.declared.def).name_range;
                        return self.scene(self.declared.file).form(why, at);
                    }
                }
            }
            if !change.add.is_empty()
                && let Ok(edits) = edits(self.shop, file, &change)
            {
                self.draft.imports(file, edits);
            }
        }
        Ok(())
    }
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
    use super::qualifiers;

    #[test]
    fn names_before_dots() {
        assert_eq!(qualifiers("context.Context"), ["context"]);
        assert_eq!(qualifiers("map[string]*sql.DB"), ["sql"]);
        assert_eq!(qualifiers("a.b.c(d.e, \"x.y\", 1.5)"), ["a", "d"]);
        assert_eq!(qualifiers("f().x + ...T"), [""; 0]);
    }
}
