//! Sketches: what the tables of an index hold of a file, read without what stands inside of functions.
//!
//! A first index need not know what functions say: which names stand in a file, and what it declares outside of functions,
//! is all that its tables hold. A sketch is read in half the time that facts take. The facts of a file are read when they
//! are asked for, as long as they are not kept.

use std::fmt::Debug;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::facts::{FileFacts, NameId};
use crate::impl_sites::FileImplSite;
use crate::lang::{self, macros_of, shares_macros};
use crate::macros::FileMacros;
use crate::world::{
    DeclarationSite, FileEntry, FileId, declaration_sites, declared_package, mentioned_names, renamed_names,
};

/// The facts of a file but for what stands inside of functions. Declarations outside of them have the numbers that
/// they have in the facts.
#[derive(Clone, Debug)]
pub struct Sketch {
    pub(crate) facts: FileFacts,
    /// By [`NameId`]: the name stands somewhere where it was not read for what it means. May be too short.
    pub(crate) words: Vec<bool>,
}

impl Sketch {
    /// The facts, as far as they were read.
    pub fn facts(&self) -> &FileFacts {
        &self.facts
    }

    /// Whether other files may call macros of this one.
    pub fn gives_macros(&self) -> bool {
        shares_macros(self.facts.language) && !self.facts.exports.is_empty()
    }

    /// The names under which the file can be found: those that its facts have, and perhaps a few more. See
    /// [`mentioned_names`].
    pub fn mentioned_names(&self) -> impl Iterator<Item = NameId> {
        let mut is_read = vec![false; self.facts.names.len()];
        mentioned_names(&self.facts).for_each(|name| is_read[name.index()] = true);
        let is_word = |name: NameId| self.words.get(name.index()).copied().unwrap_or_default();
        self.facts.names.ids().filter(move |name| is_read[name.index()] || is_word(*name))
    }
}

/// Reads the facts of files of which an index keeps sketches.
pub trait FactSource: Debug + Send + Sync {
    /// The facts of a file of the project; `None` when it is no longer what the index knows.
    fn facts(&self, file: &FileEntry) -> Option<FileFacts>;
}

impl Sketch {
    /// Tells where tables made of this sketch would differ from those made of the facts of the same text.
    ///
    /// # Errors
    /// The first difference, for people.
    pub fn agrees_with(&self, path: &Arc<str>, facts: &FileFacts) -> Result<(), String> {
        let same = |what: &str, ours: String, theirs: String| {
            if ours == theirs { Ok(()) } else { Err(format!("{what}: {ours}, and by the facts {theirs}")) }
        };
        same(
            "package",
            format!("{:?}", declared_package(&self.facts)),
            format!("{:?}", declared_package(facts)),
        )?;
        let macros = |facts| format!("{:?}", macros_of(path, facts).map(FileMacros::sorted));
        same("macros", macros(&self.facts), macros(facts))?;
        let modules = |facts| format!("{:?}", lang::declared_modules(facts));
        same("modules", modules(&self.facts), modules(facts))?;
        let names = |facts| format!("{:?}", lang::other_names(facts));
        same("other names of types", names(&self.facts), names(facts))?;
        let sites = |facts: &FileFacts| -> Vec<String> {
            let site = |site: FileImplSite<NameId>| {
                let role = site.role.map(|name| facts.name(name));
                format!("{:?} {:?} {role:?}", facts.name(site.name), site.def)
            };
            lang::impl_sites(facts).into_iter().map(site).collect()
        };
        let (ours, theirs) = (sites(&self.facts), sites(facts));
        for (ours, theirs) in ours.iter().zip(&theirs) {
            same("implementation", ours.clone(), theirs.clone())?;
        }
        same("number of implementations", ours.len().to_string(), theirs.len().to_string())?;
        let rows = |facts: &FileFacts| {
            let row = |(name, site): (&str, DeclarationSite)| {
                let container =
                    facts.enclosing_def(facts.def(site.at.def).scope).map(|def| facts.def_name(def));
                let DeclarationSite { at, kind, flags, is_member, .. } = site;
                format!("{name} {:?} {kind:?} {flags:?} {is_member} in {container:?}", at.def)
            };
            declaration_sites(FileId(0), facts).map(row).collect::<Vec<_>>()
        };
        let (ours, theirs) = (rows(&self.facts), rows(facts));
        for (ours, theirs) in ours.iter().zip(&theirs) {
            same("declaration", ours.clone(), theirs.clone())?;
        }
        same("number of declarations", ours.len().to_string(), theirs.len().to_string())?;
        let ours = renamed_names(&self.facts);
        let known: FxHashMap<&str, bool> =
            self.mentioned_names().map(|name| (self.facts.name(name), ours[name.index()])).collect();
        let theirs = renamed_names(facts);
        for name in mentioned_names(facts) {
            let is_renamed = theirs[name.index()];
            match known.get(facts.name(name)) {
                None => return Err(format!("the name `{}` is missed", facts.name(name))),
                Some(false) if is_renamed => {
                    return Err(format!("another name for `{}` is missed", facts.name(name)));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}
