//! A module goes to another parent: the line that declares it, every path through it, what it says of its surroundings,
//! and who may say what afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use ide_model::{
    Conflict, ConflictKind, FilePath, Language, QueryError, Refactored, SourceKind, TextContext, TextRange,
};

use super::line::conditions_in;
use crate::classify::contexts_at;
use crate::facts::{DefFlags, RefId, ScopeId};
use crate::lang::imports::imports;
use crate::refactor::draft::{Draft, Piece};
use crate::refactor::scene::Scene;
use crate::refactor::verify::Verification;
use crate::refactor::{RefactorContext, conflict, write_up};
use crate::resolve::{FileView, ModuleMove, ModulePath};
use crate::world::FileId;

/// A module on its way.
pub(super) struct Moving<'a> {
    pub(super) ctx: &'a RefactorContext<'a>,
    pub(super) file: FileId,
    pub(super) language: Language,
    pub(super) way: ModuleMove,
    pub(super) draft: Draft,
    pub(super) conflicts: Vec<Conflict>,
    pub(super) users: Vec<User>,
    pub(super) cuts: BTreeMap<FileId, Vec<Cut>>,
    scenes: BTreeMap<FileId, Rc<Scene<'a>>>,
}

/// A use of the module from outside of it.
pub(super) struct User {
    pub(super) file: FileId,
    pub(super) range: TextRange,
    /// The module that must see it; `None` for a use that everyone must be able to make.
    pub(super) within: Option<ModulePath>,
}

/// An entry of a group of imports that leads elsewhere.
pub(super) struct Cut {
    /// The name of the module in it.
    pub(super) at: TextRange,
    /// The path that it has in a statement of its own; `None` where nobody needs it any more.
    pub(super) path: Option<String>,
}

/// Plans that the file of a module lies where it is another module's.
pub(super) fn move_module(
    ctx: &RefactorContext<'_>,
    file: FileId,
    to: &FilePath,
) -> Result<Refactored, QueryError> {
    let refused = |kind: ConflictKind, message: String| Refactored {
        conflicts: vec![conflict(kind, message, None)],
        ..Refactored::default()
    };
    let language = ctx.pool.with(|rx| rx.file(file).language());
    let way = match ctx.pool.with(|rx| rx.policy(rx.file(file)).module_move(rx, file, to)) {
        Ok(way) => way,
        Err(message) => return Ok(refused(ConflictKind::Form, message)),
    };
    let new = way.to.last().map_or("", String::as_str);
    if let Some(problem) = crate::lang::names::spelling_problem(language, new) {
        return Ok(refused(ConflictKind::InvalidName, format!("the name `{new}` {problem}")));
    }
    let mut moving = Moving {
        ctx,
        file,
        language,
        way,
        draft: Draft::default(),
        conflicts: Vec::new(),
        users: Vec::new(),
        cuts: BTreeMap::new(),
        scenes: BTreeMap::new(),
    };
    moving.tied()?;
    moving.collisions();
    moving.paths()?;
    moving.roots()?;
    moving.cut()?;
    moving.in_macros()?;
    moving.in_strings()?;
    moving.line()?;
    moving.borders()?;
    moving.finish(to)
}

impl<'a> Moving<'a> {
    pub(super) fn refuse(
        &mut self,
        kind: ConflictKind,
        message: impl Into<String>,
        file: FileId,
        at: TextRange,
    ) {
        self.ctx.refuse(&mut self.conflicts, kind, message, file, at);
    }

    pub(super) fn scene(&mut self, file: FileId) -> Result<Rc<Scene<'a>>, QueryError> {
        if let Some(scene) = self.scenes.get(&file) {
            return Ok(scene.clone());
        }
        let scene = Rc::new(Scene::open(self.ctx, file)?);
        self.scenes.insert(file, scene.clone());
        Ok(scene)
    }

    pub(super) fn view(&self, file: FileId) -> Arc<FileView> {
        self.ctx.pool.with(|rx| rx.shared_file(file))
    }

    pub(super) fn moves(&self, file: FileId) -> bool {
        self.way.files.contains_key(&file)
    }

    pub(super) fn old_name(&self) -> &str {
        self.way.from.last().map_or("", String::as_str)
    }

    pub(super) fn new_name(&self) -> &str {
        self.way.to.last().map_or("", String::as_str)
    }

    /// The module that it is declared in before and after.
    pub(super) fn old_parent(&self) -> &[String] {
        &self.way.from[..self.way.from.len() - 1]
    }

    pub(super) fn new_parent(&self) -> &[String] {
        &self.way.to[..self.way.to.len() - 1]
    }

    pub(super) fn is_carried(&self, path: &[String]) -> bool {
        path.starts_with(&self.way.from)
    }

    /// The new path of a module.
    pub(super) fn after(&self, path: &[String]) -> ModulePath {
        match path.strip_prefix(self.way.from.as_slice()) {
            Some(rest) => self.way.to.iter().chain(rest).cloned().collect(),
            None => path.to_vec(),
        }
    }

    /// The files of the project in the language of the module.
    pub(super) fn files(&self) -> Vec<FileId> {
        let world = self.ctx.pool.world();
        let is_ours = |id: &FileId| {
            let entry = world.file(*id);
            entry.language == Some(self.language) && entry.source != SourceKind::Library
        };
        (0..world.file_count()).map(FileId).filter(is_ours).collect()
    }

    pub(super) fn carried_files(&self) -> Vec<FileId> {
        self.files().into_iter().filter(|file| self.moves(*file)).collect()
    }

    pub(super) fn module_at(&self, view: &FileView, scope: ScopeId) -> Option<ModulePath> {
        self.ctx.pool.with(|rx| rx.policy(view).module_at(rx, view, scope)).map(|place| place.path)
    }

    /// The module around a part of a file.
    pub(super) fn module_around(&self, view: &FileView, range: TextRange) -> Option<ModulePath> {
        self.module_at(view, view.scope_around(range)?)
    }

    pub(super) fn is_module(&self, view: &FileView, reference: RefId) -> bool {
        let resolved = self.ctx.pool.with(|rx| rx.resolve(view.global_ref(reference)).resolution);
        resolved.targets.contains(&crate::resolve::Target::Module(self.file))
    }

    /// Words that make a file depend on the directory in which it lies.
    fn tied(&mut self) -> Result<(), QueryError> {
        let words = imports(self.language).map_or(&[][..], |row| row.place_words);
        for file in self.carried_files() {
            if self.ctx.path(file).directory() == self.way.files[&file].directory() {
                continue;
            }
            let text = (self.ctx.text)(file)?;
            if conditions_in(&text.text, "#[cfg_attr(").iter().any(|mark| mark.contains("path =")) {
                let message =
                    "`path` in an attribute makes the file depend on the directory in which it lies";
                self.refuse(ConflictKind::Form, message, file, TextRange::default());
            }
            for word in words {
                for (start, _) in text.text.match_indices(word) {
                    if contexts_at(self.language, &text.text, &[start as u32]) == [TextContext::Code] {
                        let message =
                            format!("`{word}` makes the file depend on the directory in which it lies");
                        let range = TextRange::new(start as u32, (start + word.len()) as u32);
                        self.refuse(ConflictKind::Form, message, file, range);
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn replace(&mut self, file: FileId, range: TextRange, text: impl Into<String>) {
        self.draft.replace(file, range, vec![Piece::new(text)]);
    }

    /// Says that import statements of a file are written anew.
    pub(super) fn rewrites_imports(&mut self, file: FileId) {
        self.draft.imports(file, Vec::new());
    }

    fn finish(mut self, to: &FilePath) -> Result<Refactored, QueryError> {
        let ctx = self.ctx;
        let mut conflicts = std::mem::take(&mut self.conflicts);
        self.draft.loses_links = true;
        let (mut effect, _) = std::mem::take(&mut self.draft).finish(ctx, &mut conflicts)?;
        for (file, path) in &self.way.files {
            if ctx.path(*file) != *path {
                effect.moves.insert(*file, path.clone());
            }
        }
        if self.old_parent() != self.new_parent() {
            // With what its front end counts to it, such as attributes of the file above the first line.
            let def = self.way.declaration;
            let whole = ctx.pool.with(|rx| rx.def(def).range);
            effect.removed.entry(def.file).or_default().push(whole);
        }
        let title = format!("move {} to {to}", ctx.path(self.file));
        let (plan, rewrites) = write_up(ctx, title, &effect, &mut conflicts)?;
        if conflicts.iter().any(|conflict| !conflict.kind.is_doubt()) {
            return Ok(Refactored { plan, conflicts, ..Refactored::default() });
        }
        let check = Verification::new(ctx, (ctx.scratch)(&rewrites)?, &effect);
        let mut names: BTreeSet<Arc<str>> =
            BTreeSet::from([Arc::from(self.old_name()), Arc::from(self.new_name())]);
        let carried = self.carried_files();
        ctx.pool.with(|rx| {
            for view in carried.iter().map(|file| rx.file(*file)) {
                let seen = view.def_ids().filter(|def| !view.has_flag(*def, DefFlags::LOCAL));
                names.extend(seen.map(|def| Arc::from(view.def_name(def))));
            }
        });
        names.remove("");
        conflicts.extend(check.run(&names, &carried.into_iter().collect(), &[])?);
        conflicts.dedup();
        Ok(Refactored { plan, conflicts, ..Refactored::default() })
    }
}
