//! Words that only look like names: in the rules of macros, and in the strings of attributes.

use ide_model::{ConflictKind, QueryError, SymbolKind, TextRange};

use super::moving::{Moving, User};
use crate::facts::Role;
use crate::refactor::scene::Scene;
use crate::refactor::tree::{NodeId, has};
use crate::world::FileId;

/// Strings of attributes that are no paths.
const KEYS_OF_TEXT: &str = "doc cfg feature path rename note reason since";

impl Moving<'_> {
    /// The rules of macros that name the module, and those that the module uses and that say where they are used.
    pub(super) fn in_macros(&mut self) -> Result<(), QueryError> {
        for file in self.files() {
            let view = self.view(file);
            let mut macros = view.def_ids().filter(|def| view.def(*def).kind == SymbolKind::Macro);
            if macros.next().is_none() {
                continue;
            }
            let scene = self.scene(file)?;
            for node in scene.syntax.below(scene.syntax.root()) {
                if scene.syntax.kind(node) == "macro_definition" {
                    self.rules(&scene, node);
                }
            }
        }
        Ok(())
    }

    fn rules(&mut self, scene: &Scene<'_>, node: NodeId) {
        let (syntax, old) = (&scene.syntax, self.old_name().to_owned());
        let leaves: Vec<NodeId> =
            syntax.below(node).into_iter().filter(|n| syntax.children(*n).is_empty()).collect();
        for leaf in leaves {
            let at = syntax.range(leaf);
            // A path from `$crate` is a name that was followed already.
            let is_done = self.draft.touches(scene.file, at);
            if syntax.text_of(leaf) != old || syntax.node(leaf).is_extra || is_done {
                continue;
            }
            let before = syntax.text[..at.start as usize].trim_end();
            let behind = syntax.text[at.end as usize..].trim_start();
            if !before.ends_with("::") && !behind.starts_with("::") || before.ends_with('$') {
                continue;
            }
            let parent = self.old_parent()[1..].iter().map(|name| format!("{name}::")).collect::<String>();
            if let Some(rest) = before.strip_suffix(&format!("$crate::{parent}")) {
                let start = rest.len() as u32 + "$crate::".len() as u32;
                self.replace(scene.file, TextRange::new(start, at.end), self.way.to[1..].join("::"));
                let root = vec![self.way.to[0].clone()];
                self.users.push(User { file: scene.file, range: at, within: Some(root) });
                continue;
            }
            let around = before.strip_suffix("::").map(str::trim_end);
            let last = around
                .map(|text| text.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(""));
            let could_be = match (last, self.old_parent()) {
                (None, _) => true,
                (Some("crate" | "super" | "self"), _) => true,
                (Some(word), [.., parent]) => word == parent,
                _ => false,
            };
            if could_be {
                let message = format!("this `{old}` in a macro may be the module that moves");
                self.refuse(ConflictKind::Unresolved, message, scene.file, at);
            }
        }
        self.places(scene, node);
    }

    /// `super` in a macro from outside that is used in the module means what is around the module.
    fn places(&mut self, scene: &Scene<'_>, node: NodeId) {
        let syntax = &scene.syntax;
        let has_super = syntax.below(node).into_iter().find(|leaf| syntax.kind(*leaf) == "super");
        let name = syntax.field(node, "name").map_or("", |name| syntax.text_of(name)).to_owned();
        let (Some(at), false) = (has_super, self.moves(scene.file)) else { return };
        let is_used = self.carried_files().into_iter().any(|file| {
            let view = self.view(file);
            view.ref_ids().any(|r| view.reference(r).role == Role::Macro && view.ref_name(r) == name)
        });
        if is_used {
            let message = format!("`super` in `{name}!` means a module around its use");
            self.refuse(ConflictKind::Unresolved, message, scene.file, syntax.range(at));
        }
    }

    /// Paths in the strings of attributes.
    pub(super) fn in_strings(&mut self) -> Result<(), QueryError> {
        for file in self.files() {
            let text = (self.ctx.text)(file)?;
            let quoted = |word: &str| text.text.contains(&format!("\"{word}"));
            let old = self.old_name();
            let may_say = text.text.contains(&format!("{old}::")) || text.text.contains(&format!("{old}\""));
            if !may_say && !(self.moves(file) && (quoted("super::") || quoted("self::"))) {
                continue;
            }
            let scene = self.scene(file)?;
            let syntax = &scene.syntax;
            for node in syntax.below(syntax.root()) {
                let is_string = syntax.kind(node) == "string_literal";
                let in_attribute = || {
                    syntax
                        .ancestors(node)
                        .any(|up| has("attribute_item inner_attribute_item", syntax.kind(up)))
                };
                if is_string && in_attribute() {
                    self.string(&scene, file, syntax.range(node));
                }
            }
        }
        Ok(())
    }

    fn string(&mut self, scene: &Scene<'_>, file: FileId, at: TextRange) {
        let syntax = &scene.syntax;
        let inner = TextRange::new(at.start + 1, at.end.saturating_sub(1).max(at.start + 1));
        let written = syntax.slice(inner).to_owned();
        let words: Vec<&str> = written.split("::").collect();
        let is_path = words
            .iter()
            .all(|word| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_'));
        let before = syntax.text[..at.start as usize].trim_end().trim_end_matches('=').trim_end();
        let key = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        if !is_path || has(KEYS_OF_TEXT, key) {
            return;
        }
        let Some(mut home) = self.module_around(&scene.view, at) else {
            return;
        };
        let is_inside = self.is_carried(&home);
        let user = home.clone();
        let mut rest = words.as_slice();
        match words[0] {
            "crate" => home.truncate(1),
            "self" | "super" => {}
            _ if words.len() > 1 || words[0] == self.old_name() && key == "with" => {}
            _ => return,
        }
        while let Some(word @ ("crate" | "self" | "super")) = rest.first().copied() {
            if word == "super" {
                home.pop();
            }
            rest = &rest[1..];
        }
        let full: Vec<String> =
            home.iter().cloned().chain(rest.iter().map(|word| (*word).to_owned())).collect();
        let leads_out = is_inside && words[0] == "super" && !self.is_carried(&home);
        let leads_in = full.starts_with(&self.way.from) && (!is_inside || leads_out || words[0] == "crate");
        if !leads_out && !leads_in {
            return;
        }
        if leads_in && !is_inside {
            self.users.push(User { file, range: at, within: Some(user) });
        }
        let path = self.after(&full);
        let new = std::iter::once("crate")
            .chain(path[1..].iter().map(String::as_str))
            .collect::<Vec<_>>()
            .join("::");
        self.replace(file, inner, new);
    }
}
