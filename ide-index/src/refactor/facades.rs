//! The class by which other languages know what a file declares outside of types: it follows the file to another name, or
//! to another namespace.

use std::collections::BTreeMap;
use std::sync::Arc;

use ide_model::{ConflictKind, FilePath, QueryError, SourceKind, TextEdit, TextRange};

use super::imports::{ImportChange, edits};
use super::move_file::Relocation;
use super::namespace::chain;
use super::{RefactorContext, conflict};
use crate::facts::{RefFlags, RefId, Role};
use crate::lang::imports::imports as row_of;
use crate::lang::places::class_of_file;
use crate::resolve::{FileView, Resolver, Target};
use crate::world::FileId;

/// A class on its way.
struct Facade {
    file: FileId,
    old: String,
    new: String,
    from: String,
    to: String,
}

/// Rewrites all that names the classes of files that move, with their namespaces before and after.
pub(super) fn follow(
    ctx: &RefactorContext<'_>,
    files: &BTreeMap<FileId, (String, String)>,
    plan: &mut Relocation,
) -> Result<(), QueryError> {
    let mut imports: BTreeMap<FileId, ImportChange> = BTreeMap::new();
    for (file, (from, to)) in files {
        let Some(path) = plan.effect.moves.get(file).cloned() else { continue };
        let Some((old, new)) = names_of(ctx, *file, &path) else { continue };
        if old == new && from == to {
            continue;
        }
        let facade = Facade { file: *file, old, new, from: from.clone(), to: to.clone() };
        if facade.is_shared(ctx, files) {
            let message = format!("several files are one class `{}`, and one of them moves", facade.old);
            plan.conflicts.push(conflict(ConflictKind::Form, message, None));
            continue;
        }
        facade.users(ctx, files, plan, &mut imports)?;
    }
    for (file, change) in &imports {
        plan.effect.edits.entry(*file).or_default().extend(edits(ctx, *file, change)?);
        plan.effect.imports.insert(*file);
    }
    Ok(())
}

/// Whether a name means the class of a file.
pub(super) fn is_of(rx: &Resolver, view: &FileView, reference: RefId, file: FileId) -> bool {
    let in_import = || {
        let home = rx.file(file);
        let class = class_of_file(home, &rx.world().file(file).path);
        let package = home.package.map_or("", |package| home.name(package));
        let mut names: Vec<&str> = Vec::new();
        let mut at = chain(view, reference).map(|(_, last)| last);
        while let Some(name) = at {
            names.insert(0, view.ref_name(name));
            at = chain(view, name).map(|(_, last)| last);
        }
        class.as_deref() == Some(view.ref_name(reference)) && names.join(".") == package
    };
    view.reference(reference).role == Role::Import && in_import()
        || rx.resolve(view.global_ref(reference)).resolution.targets.contains(&Target::Module(file))
}

/// The class of a file before and after it moves.
fn names_of(ctx: &RefactorContext<'_>, file: FileId, to: &FilePath) -> Option<(String, String)> {
    ctx.pool.with(|rx| {
        let view = rx.file(file);
        let path = &rx.world().file(file).path;
        Some((class_of_file(view, path)?, class_of_file(view, to)?))
    })
}

impl Facade {
    /// Whether other files, which do not go along, have their declarations in the same class.
    fn is_shared(&self, ctx: &RefactorContext<'_>, files: &BTreeMap<FileId, (String, String)>) -> bool {
        let family = ctx.pool.with(|rx| rx.file(self.file).family());
        let others = ctx.pool.world().files_of_package(family, &self.from).into_iter();
        let mut others = others.filter(|other| files.get(other).is_none_or(|(_, to)| *to != self.to));
        others.any(|other| {
            ctx.pool.with(|rx| {
                let view = rx.file(other);
                let path = rx.world().file(other).path.clone();
                class_of_file(view, &path).as_ref() == Some(&self.old)
            })
        })
    }

    fn users(
        &self,
        ctx: &RefactorContext<'_>,
        files: &BTreeMap<FileId, (String, String)>,
        plan: &mut Relocation,
        imports: &mut BTreeMap<FileId, ImportChange>,
    ) -> Result<(), QueryError> {
        plan.names.extend([Arc::from(&*self.old), Arc::from(&*self.new)]);
        for user in ctx.pool.world().files_mentioning(&self.old) {
            ctx.cx.check()?;
            if ctx.pool.world().file(user).source == SourceKind::Library {
                continue;
            }
            let view = ctx.pool.with(|rx| rx.shared_file(user));
            let own = view.package.map_or("", |package| view.name(package));
            let home = files.get(&user).map_or(own, |(_, to)| to);
            let Some(name) = view.name_id(&self.old) else { continue };
            for reference in view.refs_named(name) {
                if !ctx.pool.with(|rx| is_of(rx, &view, *reference, self.file)) {
                    continue;
                }
                let r = *view.reference(*reference);
                let mut edit = |range: TextRange, text: &str| {
                    plan.effect.edits.entry(user).or_default().push(TextEdit::new(range, text));
                    plan.effect.repathed.entry(user).or_default().push(range);
                };
                if self.old != self.new {
                    edit(r.range, &self.new);
                }
                if self.from != self.to {
                    match chain(&view, *reference) {
                        Some((first, last)) => {
                            let start = view.reference(first).range.start;
                            edit(TextRange::new(start, view.reference(last).range.end), &self.to);
                        }
                        None if r.flags.has(RefFlags::IN_DOC) || home == self.to || self.is_bound(&view) => {}
                        None => {
                            let row = row_of(view.language());
                            let path = format!("{}.{}", self.to, self.new);
                            let line = row.map(|row| row.statement_of(ide_model::SymbolKind::Class, &path));
                            imports.entry(user).or_default().add.extend(line);
                        }
                    }
                    if self.to.is_empty() {
                        let message = format!("`{}` would be in no namespace", self.new);
                        let at = Some(ctx.at(user, r.range));
                        plan.conflicts.push(conflict(ConflictKind::Form, message, at));
                    }
                }
                if r.role == Role::Import {
                    plan.effect.imports.insert(user);
                }
            }
        }
        Ok(())
    }

    /// Whether an import of a file binds the class.
    fn is_bound(&self, view: &FileView) -> bool {
        view.imports.iter().filter_map(|import| import.def).any(|def| view.def_name(def) == self.old)
    }
}
