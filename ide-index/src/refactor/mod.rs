//! Changes of code by meaning: planned on resolved names, then proved on a world in which they were made.
//!
//! Every plan is made twice as sure: edits come from resolution, and the edited texts are read again into a scratch world
//! in which every name that was touched, or carries a touched name, must mean what it meant before. Nothing is written
//! here, and no language is named.

mod alias;
mod borrows;
mod by_place;
mod callable_texts;
mod calls;
mod computed;
mod configured;
mod copies;
mod data_flow;
mod dotted;
mod doubt;
mod draft;
mod evaluation;
mod extract_method;
mod extract_variable;
mod facades;
mod family;
mod flow;
mod heirs;
mod import_name;
mod imports;
mod in_macros;
mod included;
mod inference;
mod inline_constant;
mod inline_function;
mod inline_variable;
mod keys;
mod literal_keys;
#[cfg(feature = "tree-sitter")]
mod members;
mod method_head;
mod method_inner;
mod method_object;
mod method_outer;
mod method_site;
mod method_text;
mod module;
mod move_directory;
mod move_file;
mod namespace;
mod narrowing;
mod no_value;
mod operators;
mod own_words;
mod package;
mod pure;
mod ranges;
mod reflected;
mod related;
#[cfg(feature = "tree-sitter")]
mod relocate;
mod rename;
mod renamed_files;
mod safe_delete;
mod scene;
mod shapes;
mod sight;
mod signature;
mod submodules;
mod taken_names;
mod temporaries;
mod text_uses;
pub(crate) mod tree;
mod type_parts;
mod types;
mod unloaded;
mod unpacked;
mod verify;
mod written;

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{
    Conflict, ConflictKind, ContentHash, Cx, EditPlan, FileChange, FilePath, FileText, Location, QueryError,
    Refactored, Refactoring, SourceKind, Symbol, SymbolKind, TextRange, edited,
};

pub(crate) use self::imports::{Habit, ImportChange, edits as import_edits, module_of, unused_imports};
pub(crate) use self::keys::SPIES;
pub(crate) use self::literal_keys::is_literal_key;
pub use self::operators::{add_operator_callers, add_operator_uses};
pub(crate) use self::reflected::is_asked_for;
pub(crate) use self::shapes::has_one_of;
pub use self::text_uses::{Quoting, add_text_uses};
use self::tree::Syntax;
use crate::facts::{DefFlags, DefId};
use crate::parallel::each;
use crate::query::Resolvers;
use crate::query::definition::definition_of;
use crate::resolve::{FileView, ModulePath};
use crate::world::{FileId, GlobalDef};

/// The context of a planner.
pub struct RefactorContext<'a> {
    pub pool: &'a Resolvers,
    pub cx: Cx<'a>,
    /// The text of a file as its facts were read from it.
    pub text: &'a (dyn Fn(FileId) -> Result<FileText, QueryError> + Sync),
    /// The world after files were rewritten.
    pub scratch: &'a Scratch<'a>,
    /// The trees that were read last.
    pub trees: Trees,
}

/// Trees of files, the ones that were asked for last: a plan that looks for the uses of several declarations reads a file for each
/// of them.
#[derive(Default)]
pub struct Trees(Mutex<VecDeque<(FileId, Arc<Syntax>)>>);

impl Trees {
    /// Bytes of text of which trees are kept; a tree takes many times the room of its text.
    const ROOM: usize = 4 << 20;

    fn get(&self, file: FileId, text: &str) -> Option<Arc<Syntax>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = known.iter().position(|(of, tree)| *of == file && *tree.text == *text)?;
        let found = known.remove(at)?;
        let tree = Arc::clone(&found.1);
        known.push_front(found);
        Some(tree)
    }

    fn keep(&self, file: FileId, tree: &Arc<Syntax>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.push_front((file, Arc::clone(tree)));
        let mut room = Self::ROOM;
        let fitting = known.iter().take_while(|(_, tree)| {
            let fits = tree.text.len() <= room;
            room = room.saturating_sub(tree.text.len());
            fits
        });
        let most = fitting.count().max(1);
        known.truncate(most);
    }
}

/// Makes the world after files were rewritten.
pub type Scratch<'a> = dyn Fn(&[Rewrite]) -> Result<Resolvers, QueryError> + Sync + 'a;

/// A file before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    pub path: FilePath,
    /// The new path and text; `None` when it is gone.
    pub becomes: Option<(FilePath, Arc<str>)>,
}

/// Plans a change; see [`Refactoring`].
///
/// # Errors
/// [`QueryError::Unsupported`] where only names are known.
pub fn plan(ctx: &RefactorContext<'_>, what: &Refactoring<'_>) -> Result<Refactored, QueryError> {
    let _remembering = ctx.pool.remembering();
    let in_spite = matches!(what, Refactoring::SafeDelete { in_spite: true, .. });
    let done = configured::follow(ctx, in_spite, planned(ctx, what)?)?;
    let done = included::follow(ctx, dotted::follow(ctx, in_spite, done)?)?;
    unloaded::refuse(ctx, taken_names::refuse(ctx, done)?)
}

fn planned(ctx: &RefactorContext<'_>, what: &Refactoring<'_>) -> Result<Refactored, QueryError> {
    match *what {
        Refactoring::Rename { symbol, new_name, with_family, related } => {
            rename::rename(ctx, symbol, new_name, with_family, related)
        }
        Refactoring::RenameAlias { file, offset, new_name } => {
            alias::rename_alias(ctx, file, offset, new_name)
        }
        Refactoring::SafeDelete { symbol, in_spite } => safe_delete::safe_delete(ctx, symbol, in_spite),
        Refactoring::MoveFile { from, to } => move_file::move_file(ctx, from, to, None),
        #[cfg(feature = "tree-sitter")]
        Refactoring::MoveSymbol { symbol, to } => relocate::relocate(ctx, symbol, to),
        #[cfg(not(feature = "tree-sitter"))]
        Refactoring::MoveSymbol { .. } => Err(QueryError::Unsupported {
            query: "moving declarations",
            language: None,
            supported: Vec::new(),
        }),
        #[cfg(feature = "tree-sitter")]
        Refactoring::Members { edits } => members::members(ctx, edits),
        #[cfg(not(feature = "tree-sitter"))]
        Refactoring::Members { .. } => {
            Err(QueryError::Unsupported { query: "editing members", language: None, supported: Vec::new() })
        }
        Refactoring::OptimizeImports { file } => imports::optimize_imports(ctx, file),
        Refactoring::Import { file, place, what } => import_name::import_name(ctx, file, place, what),
        Refactoring::ExtractVariable { file, range, name, replace_all } => {
            extract_variable::extract_variable(ctx, file, range, name, replace_all)
        }
        Refactoring::Inline { symbol } => inline(ctx, symbol),
        Refactoring::ChangeSignature { symbol, change } => signature::change_signature(ctx, symbol, change),
        Refactoring::Parameter { symbol, shift } => signature::shift_parameter(ctx, symbol, shift),
        Refactoring::ExtractMethod { file, range, name } => {
            extract_method::extract_method(ctx, file, range, name)
        }
    }
}

fn inline(ctx: &RefactorContext<'_>, symbol: &Symbol) -> Result<Refactored, QueryError> {
    let (_, def) = ctx.pool.with(|rx| definition_of(rx, symbol))?;
    let def = def.ok_or_else(|| QueryError::NothingHere { what: format!("`{}` is a file", symbol.name) })?;
    let (kind, is_local, is_held) = ctx.pool.with(|rx| {
        let (d, view) = (rx.def(def), rx.file(def.file));
        (d.kind, d.flags.has(DefFlags::LOCAL), inline_function::held_function(view, def.def).is_some())
    });
    if kind.is_callable() && kind != SymbolKind::Macro || is_held {
        return inline_function::inline_function(ctx, def);
    }
    if is_local {
        inline_variable::inline_variable(ctx, def)
    } else {
        inline_constant::inline_constant(ctx, def)
    }
}

impl RefactorContext<'_> {
    /// The tree of a file with a text.
    fn syntax(&self, file: &FileView, text: Arc<str>) -> Result<Arc<Syntax>, QueryError> {
        if let Some(known) = self.trees.get(file.id, &text) {
            return Ok(known);
        }
        let world = self.pool.world();
        let defines = |name: &str| {
            let mut named = world.declarations(name).into_iter();
            named.any(|site| {
                site.kind == SymbolKind::Macro && world.file(site.at.file).source != SourceKind::Library
            })
        };
        let parts = || {
            let is_part = |def: &DefId| {
                let d = file.def(*def);
                !d.flags.has(DefFlags::LOCAL)
                    && d.kind != SymbolKind::Import
                    && (d.kind.is_callable() || d.kind.is_type() || d.body.is_none())
            };
            file.def_ids().filter(is_part).map(|def| file.def(def).range).collect()
        };
        let tree = Arc::new(Syntax::read(file.language(), &file.path, text, &defines, &parts)?);
        self.trees.keep(file.id, &tree);
        Ok(tree)
    }

    fn path(&self, file: FileId) -> FilePath {
        self.pool.world().file(file).path.clone()
    }

    fn at(&self, file: FileId, range: TextRange) -> Location {
        Location { file: self.path(file), range }
    }

    /// Adds a conflict, once.
    fn refuse(
        &self,
        conflicts: &mut Vec<Conflict>,
        kind: ConflictKind,
        message: impl Into<String>,
        file: FileId,
        at: TextRange,
    ) {
        let found = conflict(kind, message, Some(self.at(file, at)));
        if !conflicts.contains(&found) {
            conflicts.push(found);
        }
    }

    /// The module all of whose code may say a declaration of the project; see [`Policy::seen_within`].
    fn seen_within(&self, def: GlobalDef) -> Result<Option<ModulePath>, QueryError> {
        if self.pool.world().file(def.file).source == SourceKind::Library {
            return Ok(None);
        }
        let text = (self.text)(def.file)?;
        Ok(self.pool.with(|rx| rx.policy_of(def).seen_within(rx, def, &text.text)))
    }
}

/// The plan of an effect, and the texts that it leaves.
fn write_up(
    ctx: &RefactorContext<'_>,
    title: String,
    effect: &verify::Effect,
    conflicts: &mut Vec<Conflict>,
) -> Result<(EditPlan, Vec<Rewrite>), QueryError> {
    let world = ctx.pool.world();
    let mut plan = EditPlan::new(title);
    let mut rewrites = Vec::new();
    let files: BTreeSet<FileId> = effect.edits.keys().chain(effect.moves.keys()).copied().collect();
    let existing = effect.gone.iter().chain(&files).filter(|file| !effect.created.contains_key(file));
    for file in existing {
        if let Some(outside) = in_library(ctx, *file, world.file(*file).path.as_str()) {
            conflicts.push(outside);
            return Ok((plan, rewrites));
        }
    }
    for file in &effect.gone {
        let entry = world.file(*file);
        let before = ContentHash(entry.content_hash);
        plan.changes.push(FileChange::Delete { file: entry.path.clone(), before });
        rewrites.push(Rewrite { path: entry.path.clone(), becomes: None });
    }
    let none = Vec::new();
    let edits_of = |file: FileId| effect.edits.get(&file).unwrap_or(&none);
    let rewritten = |file: &FileId| {
        let text = match effect.created.contains_key(file) {
            true => FileText::new(""),
            false => (ctx.text)(*file)?,
        };
        Ok(edited(&text.text, edits_of(*file)))
    };
    let files: Vec<FileId> = files.into_iter().collect();
    let texts: Vec<Option<String>> =
        each(&files, rewritten).into_iter().collect::<Result<_, QueryError>>()?;
    for (file, after) in files.into_iter().zip(texts) {
        let mine = edits_of(file);
        let path = effect.created.get(&file).unwrap_or_else(|| &world.file(file).path);
        let Some(after) = after else {
            conflicts.push(conflict(ConflictKind::Form, format!("{path} has edits that overlap"), None));
            continue;
        };
        let text: Arc<str> = after.into();
        if effect.created.contains_key(&file) {
            rewrites.push(Rewrite { path: path.clone(), becomes: Some((path.clone(), text.clone())) });
            plan.changes.push(FileChange::Create { file: path.clone(), text });
            continue;
        }
        let entry = world.file(file);
        let (path, before) = (entry.path.clone(), ContentHash(entry.content_hash));
        let to = effect.moves.get(&file).unwrap_or(&path).clone();
        if to != path && world.file_by_path(to.as_str()).is_some() {
            conflicts.push(conflict(ConflictKind::Collision, format!("the file {to} exists already"), None));
        }
        rewrites.push(Rewrite { path: path.clone(), becomes: Some((to.clone(), text)) });
        plan.changes.push(if to == path {
            FileChange::Edit { file: path, before, edits: mine.clone() }
        } else {
            FileChange::Move { from: path, to, before, edits: mine.clone() }
        });
    }
    Ok((plan, rewrites))
}

/// The conflict of whoever would change a file of a library.
fn in_library(ctx: &RefactorContext<'_>, file: FileId, what: &str) -> Option<Conflict> {
    let is_library = ctx.pool.world().file(file).source == SourceKind::Library;
    is_library.then(|| conflict(ConflictKind::Outside, format!("`{what}` belongs to a library"), None))
}

fn conflict(kind: ConflictKind, message: impl Into<String>, at: Option<Location>) -> Conflict {
    Conflict { kind, message: message.into(), at }
}
