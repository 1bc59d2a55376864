//! Modules that pass on all that the old file exports: what goes is passed on from its new place.

use std::collections::BTreeSet;

use ide_model::{ConflictKind, QueryError, TextRange};

use super::importers;
use super::shift::Shift;
use crate::facts::{DefFlags, ImportId, ImportKind};
use crate::refactor::draft::Piece;
use crate::refactor::move_file::target_of;
use crate::refactor::scene::Scene;
use crate::refactor::tree::NodeId;
use crate::resolve::{FileView, Resolver};
use crate::world::{FileId, GlobalDef};

impl Shift<'_> {
    pub(super) fn barrels(&mut self) -> Result<(), QueryError> {
        if !self.row.makes_module {
            return Ok(());
        }
        let (pool, from, to) = (self.ctx.pool, self.scene.file, self.to.id);
        let (roots, files) = pool.with(|rx| {
            let is_passed_on = |def: &GlobalDef| {
                rx.has_flag(*def, DefFlags::EXPORTED) && !rx.has_flag(*def, DefFlags::DEFAULT_EXPORT)
            };
            let roots: Vec<GlobalDef> = self.roots.iter().copied().filter(is_passed_on).collect();
            let names = rx.policy(&self.scene.view).names_of_module(rx, from);
            let files: BTreeSet<FileId> =
                names.iter().flat_map(|name| rx.world().files_mentioning(name)).collect();
            (roots, files)
        });
        for file in files.into_iter().filter(|file| ![from, to].contains(file)) {
            self.ctx.cx.check()?;
            let view = pool.with(|rx| rx.shared_file(file));
            let star = pool.with(|rx| star_of(rx, &view, from).filter(|_| star_of(rx, &view, to).is_none()));
            let Some(star) = star else { continue };
            let lines: Result<Vec<Option<String>>, String> =
                roots.iter().map(|root| self.line(&view, *root)).collect();
            let mut lines: Vec<String> = match lines {
                Ok(lines) => lines.into_iter().flatten().collect(),
                Err(message) => {
                    self.refuse(ConflictKind::Form, message, file, star);
                    continue;
                }
            };
            // Overloads are passed on by one name.
            lines.dedup();
            let scene = Scene::open(self.ctx, file)?;
            let syntax = &scene.syntax;
            let is_statement = |id: &NodeId| syntax.kind(*id) == "export_statement";
            let statement = syntax.ancestors(syntax.around(star)).find(is_statement);
            if let Some(statement) = statement.filter(|_| !lines.is_empty()) {
                let newline = if syntax.text.contains("\r\n") { "\r\n" } else { "\n" };
                let new = lines.into_iter().map(|line| line + newline).collect::<String>();
                self.draft.insert(file, syntax.range(statement).start, vec![Piece::new(new)]);
                self.importers.insert(file);
            }
        }
        Ok(())
    }

    /// The statement by which a module passes on what goes; `None` where it names it itself.
    fn line(&self, view: &FileView, root: GlobalDef) -> Result<Option<String>, String> {
        self.ctx.pool.with(|rx| {
            let name = rx.shared_name(root);
            let is_said = view.imports.iter().any(|import| {
                let under = import.exported_as.map(|name| view.name(name));
                import.kind == ImportKind::ReExport && under == Some(&*name)
            });
            if is_said {
                return Ok(None);
            }
            let path = rx.world().file(view.id).path.clone();
            let module = rx.policy(view).module_name(rx, view, path.as_str(), self.to.path.as_str())?;
            let like = (view, &*self.scene.view);
            let statement = importers::statement(self.ctx, like, self.row, &module, &name, rx.def(root).kind);
            Ok(Some(statement.replacen("import", "export", 1)))
        })
    }
}

/// The path in the statement by which a module exports everything that another one exports.
fn star_of(rx: &Resolver, view: &FileView, module: FileId) -> Option<TextRange> {
    let all = (0..view.imports.len() as u32).map(ImportId);
    let mut stars = all.filter(|id| view.import(*id).kind == ImportKind::ReExportStar);
    stars.find_map(|id| target_of(rx, view, id).filter(|(target, _)| *target == module).map(|(_, at)| at))
}
