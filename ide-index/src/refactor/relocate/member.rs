//! A static member goes to another type: what stands before its name wherever it is used names that type, and what it
//! said without naming its own type it says by name.

use std::collections::{BTreeMap, BTreeSet};

use ide_model::{
    ConflictKind, Family, QueryError, Refactored, SymbolKind, TextContext, TextRange, Visibility,
};

use super::paste::cut_up;
use super::refused;
use super::shift::{Landing, Shift, path_before};
use crate::classify::contexts_at;
use crate::facts::{DefFlags, RefFlags, RefId, Role};
use crate::lang::imports::imports as row_of;
use crate::lang::scoping;
use crate::query::hierarchy::related_methods;
use crate::query::references::sought_of;
use crate::refactor::RefactorContext;
use crate::refactor::doubt::could_mean;
use crate::refactor::draft::Piece;
use crate::refactor::members::{Declarations, Inside};
use crate::refactor::namespace::is_at_top;
use crate::refactor::rename::occurrences;
use crate::refactor::scene::Scene;
use crate::resolve::{FileView, Place, Resolution, Resolver, Target, Ty};
use crate::world::{FileId, GlobalDef};

/// Words that stand for the type, or the object, that code is part of.
const OWN_WORDS: &[&str] = &["self", "static", "this", "Self", "cls", "parent", "super"];

/// A member on its way.
struct Member<'a> {
    shift: Shift<'a>,
    def: GlobalDef,
    owner: GlobalDef,
    class: GlobalDef,
    separator: &'static str,
}

/// Plans that a static member is one of another type.
///
/// # Errors
/// [`QueryError::Unsupported`] for languages whose declarations are not written to.
pub(super) fn to_type(
    ctx: &RefactorContext<'_>,
    def: GlobalDef,
    class: GlobalDef,
) -> Result<Refactored, QueryError> {
    let (name, goal) = ctx.pool.with(|rx| (rx.shared_name(def), rx.shared_name(class)));
    let owner = match ctx.pool.with(|rx| movable(rx, ctx, def, class))? {
        Ok(owner) => owner,
        Err(message) => return Ok(refused(message)),
    };
    let scene = Scene::open(ctx, def.file)?;
    let language = scene.view.language();
    let Some(row) = row_of(language) else { return Ok(refused(format!("`{name}` cannot be moved"))) };
    let declarations = Declarations::read(ctx, def.file, &scene.syntax.text)?;
    let extent = match declarations.extent(ctx, def) {
        Ok(extent) if extent.beside.is_empty() => extent.range,
        Ok(extent) => {
            return Ok(refused(format!(
                "`{name}` is declared together with `{}`",
                extent.beside.join("`, `")
            )));
        }
        Err(message) => return Ok(refused(message)),
    };
    let text = (ctx.text)(class.file)?;
    let goal_place = ctx.pool.with(|rx| holder(rx, class, &text.text));
    let Some(goal_place) = goal_place else {
        return Ok(refused(format!("`{goal}` has no `impl` block of its own to put it into")));
    };
    let inside = Declarations::read(ctx, class.file, &text.text)?.inside(ctx, goal_place);
    let inside = match inside {
        Ok(inside) => inside,
        Err(message) => return Ok(refused(message)),
    };
    let place = ctx.pool.with(|rx| rx.policy(&scene.view).place());
    let view = ctx.pool.with(|rx| rx.shared_file(class.file));
    let to = Landing { id: class.file, path: ctx.path(class.file), view: Some(view), text: Some(text) };
    let shift = Shift {
        ctx,
        row,
        roots: vec![def],
        extents: vec![extent],
        to,
        draft: crate::refactor::draft::Draft::default(),
        imports: BTreeMap::new(),
        importers: BTreeSet::new(),
        conflicts: Vec::new(),
        names: BTreeSet::from([name.clone()]),
        by_file: matches!(place, Place::Path | Place::Tree),
        scene,
        shown: BTreeMap::new(),
        left: Vec::new(),
    };
    let separator = if matches!(row.separator, "::") || row.root == "\\" { "::" } else { "." };
    let mut member = Member { shift, def, owner, class, separator };
    member.collisions();
    member.users()?;
    let inner = member.inside()?;
    member.borders()?;
    let title = format!("move {name} to {goal}");
    if def.file != class.file {
        member.shift.drop_unneeded()?;
    }
    member.shift.cut_out();
    member.shift.write_imports()?;
    member.paste(&inner, &inside);
    member.shift.prove(&title, false)
}

/// Whether a type is another one, or extends it.
fn is_below(rx: &Resolver, class: GlobalDef, base: GlobalDef) -> bool {
    rx.linearization(&Ty::instance(class)).iter().filter_map(Ty::def).any(|above| above == base)
}

/// The holder of a type's members in its text: itself, or a block beside it.
fn holder(rx: &Resolver, class: GlobalDef, text: &str) -> Option<GlobalDef> {
    let policy = rx.policy_of(class);
    if policy.place() != Place::Tree {
        return Some(class);
    }
    let is_own = |def: &GlobalDef| {
        let range = rx.def(*def).range;
        let head = text.get(range.start as usize..range.end as usize).and_then(|text| text.split('{').next());
        head.is_some_and(|head| !head.contains(" for "))
    };
    policy.belongs_to(rx, class).into_iter().find(is_own)
}

/// The type whose member can go to another one, or why it cannot.
fn movable(
    rx: &Resolver,
    ctx: &RefactorContext<'_>,
    def: GlobalDef,
    class: GlobalDef,
) -> Result<Result<GlobalDef, String>, QueryError> {
    let (d, c) = (rx.def(def), rx.def(class));
    let (name, goal) = (rx.shared_name(def), rx.shared_name(class));
    let policy = rx.policy_of(def);
    let fail = |message: String| Ok(Err(message));
    if rx.language_of(def) != rx.language_of(class)
        || rx.world().file(class.file).source == ide_model::SourceKind::Library
    {
        return fail(format!("`{goal}` is not a type of the project in the same language"));
    }
    if policy.place() == Place::Package {
        return fail(
            "the language has no static members: methods belong to the package of their type".to_owned(),
        );
    }
    if !c.kind.is_type() && c.kind != SymbolKind::Object {
        return fail(format!("`{goal}` is not a type"));
    }
    let Some(owner) = rx.member_owner(def) else {
        return fail(format!(
            "`{name}` is not a member of a type; `targetFile` moves what is declared at the top"
        ));
    };
    if owner == class {
        return fail(format!("`{name}` is declared in `{goal}` already"));
    }
    if !is_at_top(rx, class) {
        return fail(format!("`{goal}` is declared inside of something else"));
    }
    let is_object = |def: GlobalDef| {
        rx.def(def).kind == SymbolKind::Object && !rx.def(def).flags.has(DefFlags::COMPANION)
    };
    let of_objects = is_object(owner) && is_object(class);
    let is_free = policy.place() == Place::Tree && d.params_are_free(rx, def);
    let is_value = matches!(d.kind, SymbolKind::Constant) && !is_object(owner);
    let is_static = d.flags.has(DefFlags::STATIC) && !d.flags.has(DefFlags::CLASS_METHOD)
        || is_value
        || of_objects
        || is_free;
    if !is_static || matches!(d.kind, SymbolKind::EnumCase | SymbolKind::Constructor) {
        return fail(format!("`{name}` is not static"));
    }
    if !related_methods(rx, ctx.cx, def)?.is_empty() {
        return fail(format!("`{name}` overrides something, or is overridden"));
    }
    if policy.may_override_unseen(rx, def) {
        return fail(format!("`{name}` may stand for a member of a supertype that is not in the project"));
    }
    Ok(Ok(owner))
}

impl crate::facts::Def {
    /// Whether a function takes no object.
    fn params_are_free(&self, rx: &Resolver, def: GlobalDef) -> bool {
        let view = rx.file(def.file);
        self.kind.is_callable()
            && view.list(self.params).next().is_none_or(|first| view.def_name(first) != "self")
    }
}

impl Member<'_> {
    fn collisions(&mut self) {
        let ctx = self.shift.ctx;
        let found: Vec<(FileId, TextRange)> = ctx.pool.with(|rx| {
            let rivals = rx.declared_members(self.class, &rx.shared_name(self.def));
            let collides =
                rivals.into_iter().filter(|rival| rx.policy_of(self.def).collides(rx, self.def, *rival));
            collides.map(|rival| (rival.file, rx.def(rival).name_range)).collect()
        });
        for (file, range) in found {
            self.shift.refuse(
                ConflictKind::Collision,
                "the type has a member of this name already",
                file,
                range,
            );
        }
    }

    fn users(&mut self) -> Result<(), QueryError> {
        let ctx = self.shift.ctx;
        let sought = ctx.pool.with(|rx| sought_of(rx, ctx.cx, &[self.def]))?;
        for use_ in occurrences(ctx, &sought, None)? {
            let view = ctx.pool.with(|rx| rx.shared_file(use_.file));
            let r = *view.reference(use_.reference);
            if self.shift.goes(use_.file, r.range) {
                continue;
            }
            if !use_.is_certain {
                if ctx.pool.with(|rx| could_mean(rx, &[self.def], None, &use_)) {
                    let message = format!(
                        "this `{}` may be a use of the moved declaration; its meaning is not known",
                        view.ref_name(use_.reference)
                    );
                    self.shift.refuse(ConflictKind::Unresolved, message, use_.file, r.range);
                }
                continue;
            }
            self.user(&view, use_.reference)?;
        }
        Ok(())
    }

    fn user(&mut self, view: &std::sync::Arc<FileView>, reference: RefId) -> Result<(), QueryError> {
        let r = *view.reference(reference);
        if r.role == Role::Key || r.flags.has(RefFlags::IN_DOC) && r.receiver.is_none() {
            return Ok(());
        }
        if r.role == Role::Import {
            let Some((first, last)) = path_before(view, reference) else { return Ok(()) };
            let range = TextRange::new(view.reference(first).range.start, view.reference(last).range.end);
            let name = self.shift.ctx.pool.with(|rx| rx.policy_of(self.class).qualified_name(rx, self.class));
            match name {
                Some(name) if !self.shift.by_file => {
                    self.shift.draft.replace(view.id, range, vec![Piece::new(name)]);
                    self.shift.importers.insert(view.id);
                }
                _ => {
                    self.shift.refuse(ConflictKind::Form, "this import cannot be rewritten", view.id, r.range)
                }
            }
            return Ok(());
        }
        let Some(range) = self.said_before(view, reference)? else {
            let message = format!("`{}` is used here through a value", view.ref_name(reference));
            self.shift.refuse(ConflictKind::Form, message, view.id, r.range);
            return Ok(());
        };
        let is_plain = range.is_empty();
        let is_imported = || {
            view.imports.iter().any(|import| {
                import.member.is_some_and(|member| view.ref_name(member) == view.ref_name(reference))
            })
        };
        if is_plain && (is_imported() || self.stands_in(view, reference, self.class)) {
            return Ok(());
        }
        let name = self.say(view, self.class, r.range)?;
        let name = if is_plain { format!("{name}{}", self.separator) } else { name };
        self.shift.draft.replace(view.id, range, vec![Piece::new(name)]);
        Ok(())
    }

    /// The text before a name that stands for the type; empty where nothing does, `None` for a value.
    fn said_before(&self, view: &FileView, reference: RefId) -> Result<Option<TextRange>, QueryError> {
        let r = view.reference(reference);
        if let Some((first, last)) = path_before(view, reference) {
            let is_type = self.shift.ctx.pool.with(|rx| {
                let found = rx.through_imports(rx.resolve(view.global_ref(last)).resolution);
                found.defs().any(|def| rx.def(def).kind.is_type() || rx.def(def).kind == SymbolKind::Object)
            });
            let range = TextRange::new(view.reference(first).range.start, view.reference(last).range.end);
            return Ok(is_type.then_some(range));
        }
        let text = (self.shift.ctx.text)(view.id)?;
        let before = &text.text[..r.range.start as usize];
        let before = before.strip_suffix('$').unwrap_or(before);
        let Some(head) = before.trim_end().strip_suffix(self.separator) else {
            let at = TextRange::new(r.range.start, r.range.start);
            return Ok(r.receiver.is_none().then_some(at));
        };
        let word =
            head.rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\\')).next().unwrap_or("");
        let range = TextRange::new((head.len() - word.len()) as u32, head.len() as u32);
        let named = view.ref_ids().find(|r| view.reference(*r).range.end == range.end && !word.is_empty());
        let is_type = named.is_some_and(|named| {
            self.shift.ctx.pool.with(|rx| {
                let found = rx.through_imports(rx.resolve(view.global_ref(named)).resolution);
                found.defs().any(|def| rx.def(def).kind.is_type())
            })
        });
        if is_type {
            return Ok(Some(range));
        }
        Ok((OWN_WORDS.contains(&word) && !head.ends_with(&format!("${word}"))).then_some(range))
    }

    /// Whether a reference stands inside of a type.
    fn stands_in(&self, view: &FileView, reference: RefId, class: GlobalDef) -> bool {
        let scope = view.reference(reference).scope;
        class.file == view.id
            && view.scope_chain(scope).any(|scope| view.scope(scope).owner == Some(class.def))
    }

    /// The name of a type in a file, which imports it where it does not see it.
    fn say(&mut self, view: &FileView, class: GlobalDef, at: TextRange) -> Result<String, QueryError> {
        let ctx = self.shift.ctx;
        let (name, kind, home) = ctx
            .pool
            .with(|rx| (rx.shared_name(class).to_string(), rx.def(class).kind, rx.shared_file(class.file)));
        let namespace = |view: &FileView| view.package.map_or("", |package| view.name(package)).to_owned();
        if view.id == class.file || !self.shift.by_file && namespace(view) == namespace(&home) {
            return Ok(name);
        }
        let bound = ctx.pool.with(|rx| {
            let is_it = |import: &&crate::facts::Import| {
                let def = import.def.map(|def| view.global(def));
                def.is_some_and(|def| {
                    rx.through_imports(Resolution::def(def)).targets.contains(&Target::Def(class))
                })
            };
            view.imports
                .iter()
                .find(is_it)
                .and_then(|import| import.def)
                .map(|def| view.def_name(def).to_owned())
        });
        if let Some(bound) = bound {
            return Ok(bound);
        }
        if self.shift.by_file {
            let path = ctx.path(class.file);
            self.shift.import(view.id, view, class, &path, at);
        } else {
            let row = self.shift.row;
            let line = row.statement_of(kind, &row.join(&namespace(&home), &name));
            self.shift.imports.entry(view.id).or_default().add.insert(line);
        }
        Ok(name)
    }

    /// The changes in the text that goes.
    fn inside(&mut self) -> Result<Vec<(TextRange, Vec<Piece>)>, QueryError> {
        let view = self.shift.scene.view.clone();
        let mut inner = if view.id == self.class.file { Vec::new() } else { self.shift.moved_text()? };
        for reference in view.ref_ids() {
            let r = *view.reference(reference);
            if !self.shift.goes(view.id, r.range) || matches!(r.role, Role::Import | Role::Key | Role::Label)
            {
                continue;
            }
            let own = self.shift.ctx.pool.with(|rx| {
                let resolved = rx.resolve(view.global_ref(reference));
                resolved.resolution.defs().find(|def| {
                    *def != self.def
                        && rx.member_owner(*def) == Some(self.owner)
                        && !self.shift.is_carried(*def)
                })
            });
            let Some(own) = own else {
                self.sibling_type(&view, reference);
                continue;
            };
            let is_static = self.shift.ctx.pool.with(|rx| {
                let d = rx.def(own);
                let in_object = rx.def(self.owner).kind == SymbolKind::Object;
                d.flags.has(DefFlags::STATIC)
                    || d.kind.is_type()
                    || in_object
                    || matches!(d.kind, SymbolKind::Constant | SymbolKind::EnumCase | SymbolKind::Constructor)
                    || r.flags.has(RefFlags::STATIC)
            });
            let range = self.said_before(&view, reference)?;
            match range {
                Some(range) if is_static && path_before(&view, reference).is_none() => {
                    let home = self.shift.to.view.clone().unwrap_or_else(|| view.clone());
                    let name = self.say(&home, self.owner, r.range)?;
                    let name = if range.is_empty() { format!("{name}{}", self.separator) } else { name };
                    inner.push((range, vec![Piece::new(name)]));
                }
                Some(range) if range.is_empty() => {
                    let message = format!("it uses `{}` of its object", view.ref_name(reference));
                    self.shift.refuse(ConflictKind::Form, message, view.id, r.range);
                }
                _ => {}
            }
        }
        inner.sort_by_key(|(range, _)| *range);
        inner.dedup_by_key(|(range, _)| *range);
        self.own_type(&inner)?;
        Ok(inner)
    }

    /// Refuses words that mean the type around them, which would be another one, where they are not written anew.
    fn own_type(&mut self, inner: &[(TextRange, Vec<Piece>)]) -> Result<(), QueryError> {
        let view = self.shift.scene.view.clone();
        let words = scoping::words_for_type(view.language());
        let text = (self.shift.ctx.text)(view.id)?.text;
        let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        for extent in self.shift.extents.clone() {
            let part = &text[extent.start as usize..extent.end as usize];
            for (at, word) in words.iter().flat_map(|word| part.match_indices(*word)) {
                let (before, behind) = (&part[..at], &part[at + word.len()..]);
                let start = extent.start + at as u32;
                let range = TextRange::new(start, start + word.len() as u32);
                // `static function`, `static $x`: a modifier.
                let is_modifier = word == "static" && behind.trim_start().starts_with(is_letter);
                let is_other = before.ends_with(is_letter)
                    || behind.starts_with(is_letter)
                    || before.ends_with(['.', '>'])
                    || is_modifier
                    || contexts_at(view.language(), &text, &[start]) != [TextContext::Code]
                    || inner.iter().any(|(written, _)| written.encloses(range));
                if !is_other {
                    let message = format!("`{word}` would mean another type there");
                    self.shift.refuse(ConflictKind::Form, message, view.id, range);
                }
            }
        }
        Ok(())
    }

    /// A type of the old namespace that the text names without an import.
    fn sibling_type(&mut self, view: &FileView, reference: RefId) {
        let r = view.reference(reference);
        if self.shift.by_file
            || r.receiver.is_some()
            || r.flags.has(RefFlags::IN_DOC)
            || r.role == Role::Package
        {
            return;
        }
        let there = self.shift.to.view.clone();
        let Some(there) =
            there.filter(|there| there.package.map(|p| there.name(p)) != view.package.map(|p| view.name(p)))
        else {
            return;
        };
        let row = self.shift.row;
        let line = self.shift.ctx.pool.with(|rx| {
            let resolved = rx.resolve(view.global_ref(reference));
            resolved.resolution.defs().find_map(|def| {
                let def =
                    if rx.def(def).kind == SymbolKind::Constructor { rx.owner_class(def)? } else { def };
                let home = rx.file(def.file);
                let namespace = home.package.map_or("", |package| home.name(package));
                let own = view.package.map_or("", |package| view.name(package));
                let is_sibling = is_at_top(rx, def) && namespace == own && def.file != there.id;
                is_sibling
                    .then(|| row.statement_of(rx.def(def).kind, &row.join(namespace, &rx.shared_name(def))))
            })
        });
        self.shift.imports.entry(there.id).or_default().add.extend(line);
    }

    /// Checks the borders: names that only the old type, its subtypes or its package may use.
    fn borders(&mut self) -> Result<(), QueryError> {
        let ctx = self.shift.ctx;
        let by_module = ctx.pool.with(|rx| rx.policy_of(self.def).place() == Place::Tree);
        if by_module {
            return self.shift.borders();
        }
        let name = ctx.pool.with(|rx| rx.shared_name(self.def));
        let mut files: BTreeSet<FileId> = ctx.pool.world().files_mentioning(&name).into_iter().collect();
        files.insert(self.def.file);
        let package = |view: &FileView| view.package.map_or("", |package| view.name(package)).to_owned();
        let new_home = ctx.pool.with(|rx| package(rx.file(self.class.file)));
        let mut found = Vec::new();
        for file in files {
            ctx.cx.check()?;
            let view = ctx.pool.with(|rx| rx.shared_file(file));
            for reference in view.ref_ids().filter(|r| !view.reference(*r).flags.has(RefFlags::IN_DOC)) {
                let r = view.reference(reference);
                let goes = self.shift.goes(file, r.range);
                let in_class = self.stands_in(&view, reference, self.class);
                let hidden = ctx.pool.with(|rx| {
                    let resolved = rx.resolve(view.global_ref(reference));
                    resolved.resolution.defs().any(|def| {
                        let d = rx.def(def);
                        let carried = self.shift.is_carried(def);
                        if d.flags.has(DefFlags::LOCAL)
                            || carried == goes
                            || carried && in_class
                            || d.kind == SymbolKind::Import
                        {
                            return false;
                        }
                        let other = if goes { package(rx.file(def.file)) } else { package(&view) };
                        match d.visibility {
                            Some(Visibility::Private) => !goes || rx.member_owner(def) != Some(self.class),
                            Some(Visibility::Protected) => {
                                let around = view.enclosing_class(r.scope).map(|(_, def)| view.global(def));
                                let (user, home) = if goes {
                                    (Some(self.class), rx.member_owner(def))
                                } else {
                                    (around, Some(self.class))
                                };
                                let is_beside = view.family() == Family::Jvm && other == new_home;
                                !is_beside
                                    && !user.zip(home).is_some_and(|(user, home)| is_below(rx, user, home))
                            }
                            Some(Visibility::Package) => other != new_home,
                            _ => false,
                        }
                    })
                });
                if hidden {
                    found.push((file, r.range, view.ref_name(reference).to_owned()));
                }
            }
        }
        for (file, range, name) in found {
            let message = format!("`{name}` would not be visible any more where it is used");
            self.shift.refuse(ConflictKind::Meaning, message, file, range);
        }
        Ok(())
    }

    /// Puts the text into the type.
    fn paste(&mut self, inner: &[(TextRange, Vec<Piece>)], inside: &Inside) {
        let from = self.shift.scene.syntax.text.clone();
        let extent = self.shift.extents[0];
        let there = self.shift.to.text.as_ref().map_or_else(|| from.clone(), |text| text.text.clone());
        let end = if there.contains("\r\n") { "\r\n" } else { "\n" };
        let own = self.shift.scene.syntax.indent_at(extent.start).to_owned();
        let unit = |indent: &str| Some(format!("{}{}", inside.indent, indent.strip_prefix(own.as_str())?));
        let mut all = vec![Piece::new(format!(
            "{}{}",
            if inside.has_members { end.repeat(2) } else { end.to_owned() },
            inside.indent
        ))];
        all.extend(cut_up(self.def.file, &from, extent, inner, end, &unit));
        if inside.closes_there {
            all.push(Piece::new(format!("{end}{}", inside.outer)));
        }
        self.shift.draft.insert(self.class.file, inside.at, all);
    }
}
