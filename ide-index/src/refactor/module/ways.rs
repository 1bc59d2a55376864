//! The paths that lead through a module on its way, and those by which it leads out of itself.

use ide_model::{ConflictKind, QueryError, SymbolKind, TextRange};

use super::moving::{Cut, Moving, User};
use crate::facts::{DefId, Expr, ImportId, RefId, Role, ScopeKind};
use crate::refactor::scene::Scene;
use crate::refactor::tree::NodeId;
use crate::resolve::{FileView, ModulePath, Resolver};
use crate::world::FileId;

/// How a name comes to mean the module.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binding {
    /// By an import that names it, which is written anew itself.
    Import,
    /// By its declaration, or by whatever else a new path does without.
    Path,
}

impl Moving<'_> {
    /// Everyone who names the module.
    pub(super) fn paths(&mut self) -> Result<(), QueryError> {
        for file in self.files() {
            self.ctx.cx.check()?;
            let view = self.view(file);
            let Some(name) = view.name_id(self.old_name()) else { continue };
            for reference in view.written_refs().filter(|r| view.reference(*r).name == name) {
                if self.is_module(&view, reference) {
                    self.user(&view, reference)?;
                }
            }
        }
        Ok(())
    }

    fn user(&mut self, view: &FileView, reference: RefId) -> Result<(), QueryError> {
        let r = *view.reference(reference);
        let Some(user) = self.module_at(view, r.scope) else {
            let message = "the module around this use is not known";
            self.refuse(ConflictKind::Unresolved, message, view.id, r.range);
            return Ok(());
        };
        if !self.moves(view.id) {
            let within = self.seer(view, reference, &user)?;
            self.users.push(User { file: view.id, range: r.range, within });
        }
        if self.binding(view, reference) == Binding::Import {
            if self.old_name() != self.new_name() {
                let new = self.new_name().to_owned();
                self.draft.rename(view.id, r.range, &new);
                if r.role == Role::Import {
                    self.rewrites_imports(view.id);
                }
            }
            return Ok(());
        }
        let (start, path) = match self.new_path(view, reference, &user)? {
            Ok(found) => found,
            Err(message) => {
                self.refuse(ConflictKind::Form, message, view.id, r.range);
                return Ok(());
            }
        };
        let text = (self.ctx.text)(view.id)?;
        let is_in_group = start.is_none_or(|start| {
            text.text.get(start as usize..r.range.start as usize).is_none_or(|part| part.contains('{'))
        });
        let is_own_import = r.role == Role::Import && self.is_import_by_parent(view, reference);
        if r.role == Role::Import {
            self.rewrites_imports(view.id);
        }
        if is_own_import || is_in_group {
            let path = (!is_own_import).then(|| self.rooted(view, reference, &user)).transpose();
            match path {
                Ok(path) => {
                    self.cuts.entry(view.id).or_default().push(Cut { at: r.range, path });
                }
                Err(message) => self.refuse(ConflictKind::Form, message, view.id, r.range),
            }
            return Ok(());
        }
        let range = TextRange::new(start.unwrap_or(r.range.start), r.range.end);
        if text.slice(range) != Some(path.as_str()) {
            self.replace(view.id, range, path);
        }
        Ok(())
    }

    /// The module that must see the module for a use of it; `None` where everyone must.
    fn seer(
        &self,
        view: &FileView,
        reference: RefId,
        user: &ModulePath,
    ) -> Result<Option<ModulePath>, QueryError> {
        if user[0] != self.way.from[0] {
            return Ok(None);
        }
        let import = view.imports.iter().find(|import| {
            import.member == Some(reference)
                || view.list(import.path).last() == Some(reference) && import.member.is_none()
        });
        let Some(import) = import.filter(|i| i.flags.has(crate::facts::ImportFlags::EXPORTED)) else {
            return Ok(Some(user.clone()));
        };
        match import.def {
            Some(def) => self.ctx.seen_within(view.global(def)),
            None => Ok(Some(vec![user[0].clone()])),
        }
    }

    /// How the name comes to mean the module.
    fn binding(&self, view: &FileView, reference: RefId) -> Binding {
        let r = view.reference(reference);
        self.ctx.pool.with(|rx| {
            if let Some(receiver) = r.receiver {
                let place = rx.policy(view).module_of_value(rx, view, receiver);
                let Some(place) = place.filter(|place| place.path != self.old_parent()) else {
                    return Binding::Path;
                };
                let there = rx.file(place.file);
                let is_import = |def: &DefId| there.def(*def).kind == SymbolKind::Import;
                let named = there.named_in_scope(place.scope, self.old_name());
                return if named.iter().any(is_import) { Binding::Import } else { Binding::Path };
            }
            let is_import = |def: &DefId| {
                let d = view.def(*def);
                d.kind == SymbolKind::Import
                    && d.import.is_some_and(|import| {
                        let import = view.import(import);
                        import.member != Some(reference) && !view.list(import.path).any(|r| r == reference)
                    })
            };
            for scope in view.scope_chain(r.scope) {
                if view.in_scope(scope, r.name).iter().any(is_import) {
                    return Binding::Import;
                }
                if matches!(view.scope(scope).kind, ScopeKind::File | ScopeKind::Module) {
                    break;
                }
            }
            Binding::Path
        })
    }

    /// The new path of the module at a use, and where it begins; `None` for the start where that is before a
    /// group.
    fn new_path(
        &self,
        view: &FileView,
        reference: RefId,
        user: &ModulePath,
    ) -> Result<Result<(Option<u32>, String), String>, QueryError> {
        let segments = segments(view, reference);
        let parent = self.new_parent();
        let kept = |rx: &Resolver, at: &RefId| -> Option<(u32, String)> {
            let receiver = view.reference(*at).receiver?;
            let path = rx.policy(view).module_of_value(rx, view, receiver)?.path;
            let path = self.is_carried(&path).then(Vec::new).unwrap_or(path);
            (!path.is_empty() && parent.starts_with(&path))
                .then(|| (view.reference(*at).range.start, self.way.to[path.len()..].join("::")))
        };
        let found = self.ctx.pool.with(|rx| segments.iter().rev().find_map(|at| kept(rx, at)));
        if let Some((start, path)) = found {
            return Ok(Ok((Some(start), path)));
        }
        let first = view.reference(segments[0]);
        if first.receiver.is_none() && parent.starts_with(user) && self.old_parent() == user.as_slice() {
            return Ok(Ok((Some(first.range.start), self.way.to[user.len()..].join("::"))));
        }
        let start = match first.receiver {
            None => Some(first.range.start),
            Some(_) => {
                let text = (self.ctx.text)(view.id)?;
                root_before(view, segments[0], &text.text).map(|range| range.start)
            }
        };
        Ok(self.rooted(view, reference, user).map(|path| (start, path)))
    }

    /// The new path of the module as all of a crate may write it.
    fn rooted(&self, view: &FileView, reference: RefId, user: &ModulePath) -> Result<String, String> {
        let rest = self.way.to[1..].join("::");
        if user[0] == self.way.to[0] {
            return Ok(format!("crate::{rest}"));
        }
        let first = segments(view, reference)[0];
        let is_root = self.ctx.pool.with(|rx| {
            let resolved = rx.resolve(view.global_ref(first));
            resolved.resolution.targets.iter().any(|target| match target {
                crate::resolve::Target::Module(file) => {
                    rx.world().file(*file).path.as_str() == self.way.to[0]
                }
                _ => false,
            })
        });
        if is_root {
            return Ok(format!("{}::{rest}", view.ref_name(first)));
        }
        Err("how another crate would name the module is not known".to_owned())
    }

    /// Whether a use is the import by which the new parent knows the module: its declaration takes that place.
    fn is_import_by_parent(&self, view: &FileView, reference: RefId) -> bool {
        let mut named = view.imports.iter().filter(|import| import.member == Some(reference));
        named.any(|import| {
            let is_it = import.def.is_some_and(|def| view.def_name(def) == self.new_name());
            is_it && self.module_at(view, import.scope).as_deref() == Some(self.new_parent())
        })
    }

    /// `super` where it leads out of the module.
    pub(super) fn roots(&mut self) -> Result<(), QueryError> {
        for file in self.carried_files() {
            let scene = self.scene(file)?;
            for chain in supers(&scene) {
                self.root(&scene, &chain);
            }
            self.restricted(&scene);
        }
        Ok(())
    }

    fn root(&mut self, scene: &Scene<'_>, chain: &Supers) {
        let view = &scene.view;
        let around =
            |kind: &str| scene.syntax.ancestors(chain.first).any(|node| scene.syntax.kind(node) == kind);
        if around("macro_definition") {
            let message = "`super` in a macro means a module around its use";
            self.refuse(ConflictKind::Unresolved, message, scene.file, chain.range);
            return;
        }
        let Some(home) = self.module_around(view, chain.range) else { return };
        let Some(up) = home.len().checked_sub(chain.count).filter(|len| *len > 0) else { return };
        let target = home[..up].to_vec();
        if self.is_carried(&target)
            || around("visibility_modifier")
            || self.draft.touches(scene.file, chain.range)
        {
            return;
        }
        // It leads to the same module from where it is.
        let after = self.after(&home);
        if after.len() >= chain.count && after[..after.len() - chain.count] == target[..] {
            return;
        }
        let path: Vec<&str> =
            std::iter::once("crate").chain(target[1..].iter().map(String::as_str)).collect();
        self.replace(scene.file, chain.range, path.join("::"));
        if around("use_declaration") {
            self.rewrites_imports(scene.file);
        }
    }

    /// `pub(in …)` must name a module around its item.
    fn restricted(&mut self, scene: &Scene<'_>) {
        let syntax = &scene.syntax;
        for node in syntax.below(syntax.root()) {
            let text = syntax.text_of(node);
            if syntax.kind(node) != "visibility_modifier" || !text.contains("in ") {
                continue;
            }
            let at = syntax.range(node);
            let Some(home) = self.module_around(&scene.view, at) else {
                continue;
            };
            let inner = text.rsplit("in ").next().unwrap_or("").trim_end_matches(')').trim();
            let words: Vec<&str> = inner.split("::").map(str::trim).collect();
            let mut path = home.clone();
            for word in &words {
                match *word {
                    "crate" => path.truncate(1),
                    "super" => drop(path.pop()),
                    "self" => {}
                    name => path.push(name.to_owned()),
                }
            }
            if self.is_carried(&path) {
                continue;
            }
            if !self.way.to.starts_with(&path) {
                let message = format!("`{text}` names a module that would not be around it");
                self.refuse(ConflictKind::Form, message, scene.file, at);
            } else if words.contains(&"super") {
                let path: Vec<&str> =
                    std::iter::once("crate").chain(path[1..].iter().map(String::as_str)).collect();
                self.replace(scene.file, at, format!("pub(in {})", path.join("::")));
            }
        }
    }

    /// The module that a glob takes all names of.
    pub(super) fn module_of_star(&self, view: &FileView, import: ImportId) -> Option<(FileId, ModulePath)> {
        use crate::resolve::Target;
        self.ctx.pool.with(|rx| {
            let found = rx.policy(view).import(rx, view, import);
            found.targets.iter().find_map(|target| match target {
                Target::Module(file) => {
                    let there = rx.file(*file);
                    let place = rx.policy(view).module_at(rx, there, crate::facts::ScopeId(0))?;
                    Some((*file, place.path))
                }
                Target::Def(def) => {
                    let there = rx.file(def.file);
                    let body = there.def(def.def).body?;
                    Some((def.file, rx.policy(view).module_at(rx, there, body)?.path))
                }
                _ => None,
            })
        })
    }
}

/// The names of a path up to one of them.
fn segments(view: &FileView, reference: RefId) -> Vec<RefId> {
    let before = |r: &RefId| match view.expr(view.reference(*r).receiver?) {
        Expr::Ref(before) => Some(before),
        _ => None,
    };
    let mut all: Vec<RefId> = std::iter::successors(Some(reference), before).collect();
    all.reverse();
    all
}

/// The word for a root right before a name.
fn root_before(view: &FileView, first: RefId, text: &str) -> Option<TextRange> {
    let root = match view.expr(view.reference(first).receiver?) {
        Expr::Block { value, .. } => view.expr(value),
        other => other,
    };
    let Expr::Text(root) = root else { return None };
    let end = view.reference(first).range.start;
    let mut rest = text.get(..end as usize)?.trim_end();
    for (i, word) in view.name(root).split("::").collect::<Vec<_>>().into_iter().rev().enumerate() {
        rest = rest.strip_suffix("::")?.trim_end();
        if word.is_empty() && i == 0 && view.name(root) == "::" {
            break;
        }
        rest = rest.strip_suffix(word)?;
        rest = rest.strip_suffix('$').unwrap_or(rest);
        rest = if i + 1 < view.name(root).split("::").count() { rest.trim_end() } else { rest };
    }
    Some(TextRange::new(rest.len() as u32, end))
}

/// `super::super` with the `self` before it.
struct Supers {
    first: NodeId,
    range: TextRange,
    count: usize,
}

fn supers(scene: &Scene<'_>) -> Vec<Supers> {
    let syntax = &scene.syntax;
    let mut nodes: Vec<NodeId> = syntax.below(syntax.root());
    nodes.retain(|node| {
        let is_leaf = syntax.children(*node).is_empty();
        is_leaf && syntax.text_of(*node) == "super" && syntax.kind(*node) == "super"
    });
    let mut found: Vec<Supers> = Vec::new();
    for node in nodes {
        let range = syntax.range(node);
        if let Some(last) = found.last_mut()
            && syntax.slice(TextRange::new(last.range.end, range.start)).trim() == "::"
        {
            last.range.end = range.end;
            last.count += 1;
            continue;
        }
        let before = syntax.text[..range.start as usize].trim_end();
        let own = before.strip_suffix("::").map(str::trim_end).and_then(|rest| rest.strip_suffix("self"));
        let start = own.map_or(range.start, |rest| rest.len() as u32);
        found.push(Supers { first: node, range: TextRange::new(start, range.end), count: 1 });
    }
    found
}
