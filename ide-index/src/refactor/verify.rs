//! The proof of a plan: the edited texts are read again, and every name must mean what it meant.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use ide_model::{
    Conflict, ConflictKind, FilePath, MovedOffsets, QueryError, SourceKind, SymbolKind, TextEdit, TextRange,
};

use super::family::{has_accessors, is_member};
use super::literal_keys::is_literal_key;
use super::ranges::Ranges;
use super::safe_delete::extent;
use super::sight::lost_sight;
use super::{RefactorContext, conflict};
use crate::facts::{DefFlags, DefId, RefFlags, RefId, Role};
use crate::guard;
use crate::parallel::each;
use crate::query::Resolvers;
use crate::query::hierarchy::related_methods;
use crate::resolve::{Args, FileView, Resolver, Target, Ty};
use crate::world::{FileId, GlobalDef};

/// The edits of each file, ordered.
pub(super) type Edits = BTreeMap<FileId, Vec<TextEdit>>;

/// The effect of a plan on files.
#[derive(Default)]
pub(super) struct Effect {
    pub(super) edits: Edits,
    /// The new paths of files.
    pub(super) moves: BTreeMap<FileId, FilePath>,
    /// Text that goes away with all that it declares and says.
    pub(super) removed: BTreeMap<FileId, Ranges>,
    pub(super) gone: BTreeSet<FileId>,
    /// Files whose imports are written anew: not they are compared, but what the names that they bind mean.
    pub(super) imports: BTreeSet<FileId>,
    /// Paths that are written anew.
    pub(super) repathed: BTreeMap<FileId, Ranges>,
    /// Copied text reads variables from parameters that say no type, so what it reaches through them may not be known.
    pub(super) is_untyped: bool,
    /// Old text that stands elsewhere afterwards.
    pub(super) copies: Vec<Copied>,
    /// Parts of the new texts that nobody wrote before.
    pub(super) fresh: BTreeMap<FileId, Ranges>,
    /// Files that there are only afterwards, under ids that no file has; what they hold are edits of nothing.
    pub(super) created: BTreeMap<FileId, FilePath>,
    /// Links in comments may lead nowhere afterwards.
    pub(super) loses_links: bool,
    /// The edits only put one name for another: where those names mean what they meant, all others do too.
    pub(super) is_renaming: bool,
}

/// Old text that is read in another place afterwards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copied {
    pub(super) from: FileId,
    pub(super) range: TextRange,
    pub(super) to: FileId,
    /// The start in the new text.
    pub(super) at: u32,
    /// Copies that were put down together belong together.
    pub(super) group: u32,
}

impl Copied {
    fn image(&self) -> TextRange {
        TextRange::new(self.at, self.at + self.range.len())
    }

    fn moved(&self, offset: u32) -> u32 {
        self.at + (offset - self.range.start)
    }
}

impl Effect {
    /// Whether a range goes away.
    pub(super) fn removes(&self, file: FileId, range: TextRange) -> bool {
        self.gone.contains(&file) || self.removed.get(&file).is_some_and(|removed| removed.encloses(range))
    }

    /// Whether a place of the new text was not there before, or is a copy.
    fn is_fresh(&self, file: FileId, offset: u32) -> bool {
        self.fresh.get(&file).is_some_and(|ranges| ranges.contains(offset))
    }
}

/// The starts of a declaration's name and of the whole of it, its kind and its flags.
type Key = (u32, u32, u8, u64);

/// Words that modify a value stand no longer between it and its key.
const KEY_DISTANCE: u32 = 64;

/// Steps down from types to those below them that the proof of a hierarchy may take.
const MAX_RELATED: u64 = 3_000_000;

/// After this many contradictions the plan is wrong in general.
const ENOUGH: usize = 50;

/// A world before and after edits.
pub(super) struct Verification<'s> {
    ctx: &'s RefactorContext<'s>,
    after: Resolvers,
    effect: &'s Effect,
    /// Of each file of the project before, the one after.
    files: Vec<Option<FileId>>,
    /// The offsets in rewritten files after the change.
    offsets: BTreeMap<FileId, MovedOffsets>,
    /// The places of copies in the files that they go to.
    images: BTreeMap<FileId, Ranges>,
    /// Files that are rewritten or moved, each with its declarations once they are asked for.
    touched: BTreeMap<FileId, OnceLock<Declared>>,
}

/// The declarations of a touched file, before and after.
#[derive(Default)]
struct Declared {
    /// Declarations, before to after; `None` when other things are declared.
    defs: Option<HashMap<DefId, DefId>>,
    conflicts: Vec<Conflict>,
}

/// Whether a declaration is a name that an import binds.
fn is_file_import(view: &FileView, def: DefId) -> bool {
    view.def(def).kind == SymbolKind::Import
}

/// The imports of two versions of a file that bind the same from the same place, by the same name where there is one.
fn same_imports(old: &FileView, new: &FileView) -> Vec<(DefId, DefId)> {
    // Numbers of scopes differ between versions; the names of what they belong to stay.
    let key = |view: &FileView, def: DefId| {
        let d = view.def(def);
        let import = view.import(d.import?);
        let member = import.member.map_or("", |member| view.ref_name(member)).to_owned();
        let around =
            view.scope_chain(d.scope).map(|scope| view.scope(scope).owner.map(|owner| view.def_name(owner)));
        let around: Vec<Option<String>> = around.map(|owner| owner.map(str::to_owned)).collect();
        Some(((around, view.name(import.module).to_owned(), member), view.def_name(def).to_owned()))
    };
    let mut by_key: HashMap<_, Vec<(String, DefId)>> = HashMap::new();
    for def in new.def_ids().filter(|def| is_file_import(new, *def)) {
        if let Some((key, name)) = key(new, def) {
            by_key.entry(key).or_default().push((name, def));
        }
    }
    let find = |def: DefId| {
        let (key, name) = key(old, def)?;
        let same = by_key.get(&key)?;
        same.iter().find(|(other, _)| *other == name).or(same.first()).map(|(_, def)| *def)
    };
    old.def_ids().filter_map(|def| Some((def, find(def)?))).collect()
}

impl<'s> Verification<'s> {
    pub(super) fn new(ctx: &'s RefactorContext<'s>, after: Resolvers, effect: &'s Effect) -> Self {
        let before = ctx.pool.world();
        let file_after = |id: u32| {
            let path = effect.moves.get(&FileId(id)).unwrap_or(&before.file(FileId(id)).path);
            after.world().file_by_path(path.as_str())
        };
        let files = (0..before.file_count()).map(file_after).collect();
        let touched = effect.edits.keys().chain(effect.moves.keys()).copied();
        let touched = touched.filter(|file| !effect.created.contains_key(file));
        let offsets = effect.edits.iter().map(|(file, edits)| (*file, MovedOffsets::by(edits))).collect();
        let touched = touched.map(|file| (file, OnceLock::new())).collect();
        let mut images: BTreeMap<FileId, Ranges> = BTreeMap::new();
        effect.copies.iter().for_each(|copy| images.entry(copy.to).or_default().push(copy.image()));
        Self { ctx, after, effect, files, offsets, images, touched }
    }

    fn is_copy(&self, file: FileId, offset: u32) -> bool {
        self.images.get(&file).is_some_and(|images| images.contains(offset))
    }

    /// Everything that is different without having been asked for. `names` are those whose uses are looked at in files
    /// that are not touched; `renamed` must keep their places in the hierarchy.
    pub(super) fn run(
        &self,
        names: &BTreeSet<Arc<str>>,
        whole: &BTreeSet<FileId>,
        renamed: &[GlobalDef],
    ) -> Result<Vec<Conflict>, QueryError> {
        let _remembering = self.after.remembering();
        let mut found = self.read_created();
        let world = self.ctx.pool.world();
        let mut files: BTreeSet<FileId> = self.touched.keys().chain(whole).copied().collect();
        files.extend(names.iter().flat_map(|name| world.files_mentioning(name)));
        let files: Vec<FileId> =
            files.into_iter().filter(|file| world.file(*file).source != SourceKind::Library).collect();
        for part in each(&files, |file| self.check_file(*file, names, whole.contains(file))) {
            found.extend(part?);
        }
        found.extend(self.check_copies());
        found.extend(self.check_fresh(names));
        found.extend(self.check_hierarchy(renamed)?);
        found.truncate(ENOUGH);
        Ok(found)
    }

    fn moved(&self, file: FileId, offset: u32) -> u32 {
        self.offsets.get(&file).map_or(offset, |offsets| offsets.moved(offset))
    }

    /// How many bytes stand between a key that was put in before the word at an offset and the word; 0 where none was.
    fn written_out(&self, file: FileId, at: u32) -> u32 {
        let edits = self.effect.edits.get(&file).map_or(&[][..], Vec::as_slice);
        let before = edits.partition_point(|edit| edit.range.start <= at);
        let mut near = edits[..before].iter().rev().take_while(|edit| at - edit.range.start <= KEY_DISTANCE);
        let Some(inserted) = near.find(|edit| edit.range.is_empty()) else { return 0 };
        let start = inserted.range.start;
        let is_key = || {
            let text = (self.ctx.text)(file).ok();
            let before = text.as_ref().and_then(|text| text.text.get(..at as usize)).unwrap_or("");
            let language = self.ctx.pool.world().file(file).language;
            language.is_some_and(|language| crate::lang::policy(language).key_start(before) as u32 == start)
        };
        if start == at || is_key() { inserted.text.len() as u32 + at - start } else { 0 }
    }

    /// Whether a name is part of a longer text that is replaced: a segment of the path of an import.
    fn is_within_edit(&self, file: FileId, range: TextRange) -> bool {
        let edits = self.effect.edits.get(&file).map_or(&[][..], Vec::as_slice);
        let before = edits.partition_point(|edit| edit.range.start <= range.start);
        // Edits do not overlap: one that ends before the name has none behind it that reaches it.
        let mut near = edits[..before].iter().rev().take_while(|edit| edit.range.end >= range.start);
        near.any(|edit| edit.range != range && edit.range.encloses(range))
            || self.effect.repathed.get(&file).is_some_and(|paths| paths.encloses(range))
    }

    /// Whether a declaration afterwards is a key that was written out, so that it now answers for itself.
    fn is_written_out_key(&self, target: &Target) -> bool {
        let Target::Def(to) = target else { return false };
        self.effect.edits.keys().any(|file| {
            self.file_after(*file) == Some(to.file)
                && self.defs(*file).is_some_and(|defs| {
                    defs.iter().any(|(from, after)| {
                        let old = self.ctx.pool.with(|rx| rx.shared_file(*file));
                        *after == to.def
                            && is_literal_key(&old, *from)
                            && self.written_out(*file, old.def(*from).name_range.start) > 0
                    })
                })
        })
    }

    /// The declarations of a touched file, before to after.
    fn defs(&self, file: FileId) -> Option<&HashMap<DefId, DefId>> {
        self.declared(file)?.defs.as_ref()
    }

    fn declared(&self, file: FileId) -> Option<&Declared> {
        let declared = self.touched.get(&file)?;
        Some(declared.get_or_init(|| match self.file_after(file) {
            Some(to) => self.match_declarations(file, to),
            None => Declared::default(),
        }))
    }

    fn match_declarations(&self, file: FileId, to: FileId) -> Declared {
        let old = self.ctx.pool.with(|rx| rx.shared_file(file));
        let new = self.after.with(|rx| rx.shared_file(to));
        let mut conflicts = Vec::new();
        if new.errors.len() > old.errors.len() {
            let first = new.errors.iter().find(|e| !old.errors.iter().any(|o| o.message == e.message));
            let why = first.map_or("syntax errors", |error| &error.message);
            let message = format!("{} would have syntax errors: {why}", self.ctx.path(file));
            conflicts.push(conflict(ConflictKind::Syntax, message, None));
        }
        let key = |view: &FileView, def: DefId, at: &dyn Fn(u32) -> u32| {
            let d = view.def(def);
            (at(d.name_range.start), at(d.range.start), d.kind as u8, d.flags.0)
        };
        let with_imports = !self.effect.imports.contains(&file);
        let is_compared = |view: &FileView, def: &DefId| with_imports || !is_file_import(view, *def);
        let stays = |def: &DefId| !self.effect.removes(file, extent(old.def(*def))) && is_compared(&old, def);
        let from = old.def_ids().filter(stays).map(|def| {
            // Of what was written out, the key stands where the word stood.
            let start = old.def(def).name_range.start;
            let is_key = is_literal_key(&old, def) && self.written_out(file, start) > 0;
            let back = if is_key { self.written_out(file, start) } else { 0 };
            (key(&old, def, &|at| self.moved(file, at) - back), def)
        });
        let mut from: Vec<(Key, DefId)> = from.collect();
        let is_old = |def: &DefId| {
            let start = new.def(*def).name_range.start;
            !self.effect.is_fresh(file, start) && !self.is_copy(file, start)
        };
        let to_ = new.def_ids().filter(|def| is_compared(&new, def) && is_old(def));
        let mut to_: Vec<(Key, DefId)> = to_.map(|def| (key(&new, def, &|at| at), def)).collect();
        from.sort_unstable();
        to_.sort_unstable();
        let is_alike = |(a, b): (&(Key, DefId), &(Key, DefId))| (a.0.0, a.0.2) == (b.0.0, b.0.2);
        if from.len() != to_.len() || !from.iter().zip(&to_).all(is_alike) {
            let message = format!("{} would declare other things than before", self.ctx.path(file));
            conflicts.push(conflict(ConflictKind::Syntax, message, None));
            return Declared { defs: None, conflicts };
        }
        let mut pairs: HashMap<DefId, DefId> =
            from.iter().zip(&to_).map(|((_, a), (_, b))| (*a, *b)).collect();
        if !with_imports {
            pairs.extend(same_imports(&old, &new));
        }
        Declared { defs: Some(pairs), conflicts }
    }

    /// Files that are new must be read without errors.
    fn read_created(&self) -> Vec<Conflict> {
        let mut found = Vec::new();
        for path in self.effect.created.values() {
            let Some(file) = self.after.world().file_by_path(path.as_str()) else { continue };
            if let Some(error) = self.after.with(|rx| rx.shared_file(file)).errors.first() {
                let message = format!("{path} would have syntax errors: {}", error.message);
                found.push(conflict(ConflictKind::Syntax, message, None));
            }
        }
        found
    }

    /// Files of libraries are the same in both worlds.
    fn file_after(&self, file: FileId) -> Option<FileId> {
        if let Some(path) = self.effect.created.get(&file) {
            return self.after.world().file_by_path(path.as_str());
        }
        self.files.get(file.0 as usize).map_or(Some(file), |after| *after)
    }

    fn def_after(&self, def: GlobalDef) -> Option<GlobalDef> {
        let Some(file) = self.file_after(def.file) else { return self.relocated(def) };
        match self.defs(def.file) {
            Some(defs) => match defs.get(&def.def) {
                Some(def) => Some(GlobalDef { file, def: *def }),
                None => self.relocated(def),
            },
            None if self.touched.contains_key(&def.file) => None,
            None => self.unedited(def, file),
        }
    }

    /// The declaration of a file whose text stays as it is. Macros of other files may make other declarations of it than before.
    fn unedited(&self, def: GlobalDef, file: FileId) -> Option<GlobalDef> {
        self.ctx.pool.with(|before| {
            self.after.with(|after| {
                let (old, new) = (before.file(def.file), after.file(file));
                if old.defs.len() == new.defs.len() {
                    return Some(GlobalDef { file, def: def.def });
                }
                let is_it = |other: &DefId| {
                    new.def(*other).kind == old.def(def.def).kind
                        && new.def_name(*other) == old.def_name(def.def)
                };
                let mut here = new.by_place().names.at(old.def(def.def).name_range);
                here.find(is_it).map(|def| GlobalDef { file, def })
            })
        })
    }

    /// The new place of a declaration that was taken away with the text around it, and put down once.
    fn relocated(&self, def: GlobalDef) -> Option<GlobalDef> {
        let d = self.ctx.pool.with(|rx| rx.def(def).clone());
        if !self.effect.removes(def.file, d.name_range) {
            return None;
        }
        let holds = |copy: &&Copied| copy.from == def.file && copy.range.encloses(d.name_range);
        let mut copies = self.effect.copies.iter().filter(holds);
        let (copy, None) = (copies.next()?, copies.next()) else { return None };
        let (file, at) = (self.file_after(copy.to)?, copy.moved(d.name_range.start));
        let view = self.after.with(|rx| rx.shared_file(file));
        // A declaration without a name of its own is recognized by its kind, and a member may have another kind in
        // another type.
        let is_it = |id: &DefId| {
            let other = view.def(*id);
            other.name_range.start == at
                && other.name_range.len() == d.name_range.len()
                && (other.kind == d.kind || other.kind.is_callable() && d.kind.is_callable())
        };
        let alike = |id: &DefId| view.def(*id).flags == d.flags;
        let found: Vec<DefId> = view.def_ids().filter(is_it).collect();
        let best = found.iter().copied().find(alike).or_else(|| found.first().copied());
        best.map(|def| GlobalDef { file, def })
    }

    fn target_after(&self, target: &Target) -> Option<Target> {
        match target {
            Target::Def(def) => self.def_after(*def).map(Target::Def),
            Target::Module(file) => self.file_after(*file).map(Target::Module),
            other => Some(other.clone()),
        }
    }

    fn check_file(
        &self,
        file: FileId,
        names: &BTreeSet<Arc<str>>,
        is_whole: bool,
    ) -> Result<Vec<Conflict>, QueryError> {
        self.ctx.cx.check()?;
        let declared = self.declared(file);
        let (is_touched, wrong) = (declared.is_some(), declared.map_or(&[][..], |d| &d.conflicts));
        if declared.is_some_and(|declared| declared.defs.is_none()) {
            return Ok(wrong.to_vec());
        }
        let Some(to) = self.file_after(file) else { return Ok(Vec::new()) };
        let has_moved = self.effect.moves.contains_key(&file);
        let is_whole = is_whole || has_moved || is_touched && !self.effect.is_renaming;
        self.ctx.pool.with(|before| {
            self.after.with(|after| {
                let (old, new) = (before.file(file), after.file(to));
                // Macros of another file may make something else of this one without a change here.
                let pairs = if is_touched || old.refs.len() != new.refs.len() {
                    self.pairs(file, old, new)
                } else {
                    old.written_refs().map(|r| (r, Some(r))).collect()
                };
                let concerned = pairs
                    .into_iter()
                    .filter(|(r, twin)| is_whole || twin.is_none() || names.contains(old.ref_name(*r)));
                let now = |target: &Target| self.target_after(target);
                let uses = concerned
                    .filter_map(|(r, twin)| self.compare((before, old, r), (after, new, twin), &now));
                Ok(wrong.iter().cloned().chain(uses.take(ENOUGH)).collect())
            })
        })
    }

    /// Whether one reference after the other stands where it stood, moved by the edits before it.
    fn is_same_text(&self, file: FileId, old: &FileView, new: &FileView) -> bool {
        let is_same = |r: RefId| {
            let (from, to) = (old.reference(r), new.reference(r));
            from.role == to.role && self.moved(file, from.range.start) == to.range.start
        };
        old.refs.len() == new.refs.len() && old.ref_ids().all(is_same)
    }

    /// Every reference with the one that it becomes.
    fn pairs(&self, file: FileId, old: &FileView, new: &FileView) -> Vec<(RefId, Option<RefId>)> {
        if self.effect.is_renaming && self.is_same_text(file, old, new) {
            return old.written_refs().map(|r| (r, Some(r))).collect();
        }
        let mut places: HashMap<(u32, Role), Vec<RefId>> = HashMap::new();
        for r in new.written_refs() {
            let reference = new.reference(r);
            places.entry((reference.range.start, reference.role)).or_default().push(r);
        }
        let mut used: HashMap<(u32, Role), usize> = HashMap::new();
        let mut take = |key: (u32, Role)| {
            let next = used.entry(key).or_default();
            let found = places.get(&key).and_then(|all| all.get(*next)).copied();
            *next += usize::from(found.is_some());
            found
        };
        old.written_refs()
            .filter(|r| {
                let range = old.reference(*r).range;
                let is_import = old.reference(*r).role == Role::Import && self.effect.imports.contains(&file);
                !is_import && !self.effect.removes(file, range) && !self.is_within_edit(file, range)
            })
            .map(|r| {
                let reference = old.reference(r);
                let at = reference.range.start;
                // Of what was written out, the key stands where the word stood.
                let behind = self.moved(file, at);
                let before = behind - self.written_out(file, at);
                let found = match reference.role {
                    Role::Key => take((before, Role::Key)).or_else(|| take((behind, Role::Key))),
                    role => take((behind, role)).or_else(|| take((before, role))),
                };
                (r, found)
            })
            .collect()
    }

    /// Whether a reference means something else than before. `now` says what a target of old is now.
    fn compare(
        &self,
        (before, old, reference): (&Resolver, &FileView, RefId),
        (after, new, twin): (&Resolver, &FileView, Option<RefId>),
        now: &dyn Fn(&Target) -> Option<Target>,
    ) -> Option<Conflict> {
        let was = before.resolve(old.global_ref(reference));
        let was = &was.resolution;
        let r = old.reference(reference);
        let at = || Some(self.ctx.at(old.id, r.range));
        let name = old.ref_name(reference);
        let Some(twin) = twin else {
            // Where variables are declared by being written, the first write of a part declares them there.
            let declares = |id: DefId| {
                let d = new.def(id);
                d.flags.has(DefFlags::LOCAL)
                    && new.def_name(id) == name
                    && self.effect.copies.iter().any(|copy| {
                        copy.from == old.id
                            && copy.range.encloses(r.range)
                            && copy.moved(r.range.start) == d.name_range.start
                    })
            };
            let is_local = was.defs().all(|def| before.def(def).flags.has(DefFlags::LOCAL));
            if r.role == Role::Write && is_local && new.def_ids().any(declares) {
                return None;
            }
            let message = format!("`{name}` would not be read as a name any more");
            return Some(conflict(ConflictKind::Syntax, message, at()));
        };
        let is = after.resolve(new.global_ref(twin));
        let is = &is.resolution;
        if !was.confidence.is_certain() && !is.confidence.is_certain() {
            return None;
        }
        if let Some(why) = lost_sight((before, old, &was.targets), (after, new, &is.targets)) {
            return Some(conflict(ConflictKind::Meaning, format!("`{name}` could not be used: {why}"), at()));
        }
        // A name in a comment that nothing declares is looked for in the namespace of its file, whichever that is.
        let is_nowhere = |targets: &[Target]| targets.iter().all(|t| matches!(t, Target::External(_)));
        let has_moved = self.effect.moves.contains_key(&old.id);
        if has_moved && r.flags.has(RefFlags::IN_DOC) && is_nowhere(&was.targets) && is_nowhere(&is.targets) {
            return None;
        }
        if self.effect.loses_links && r.flags.has(RefFlags::IN_DOC) && is.targets.is_empty() {
            return None;
        }
        // The result of a function without declared types may be unknown where it is called.
        let is_of_unknown = || {
            let receiver = new.reference(twin).receiver;
            receiver.is_some_and(|receiver| after.expr_type(new, receiver) == Ty::Unknown)
        };
        if self.effect.is_untyped && (is.targets.is_empty() && r.receiver.is_some() || is_of_unknown()) {
            return None;
        }
        let wanted: Option<BTreeSet<Target>> = was.targets.iter().map(now).collect();
        let found: BTreeSet<Target> = is.targets.iter().cloned().collect();
        if self.is_made_alike(before, after, (&was.targets, &is.targets), now) {
            return None;
        }
        // A name with several possible meanings that now has one of them for certain raises no new doubt.
        let is_narrowed = || wanted.as_ref().is_some_and(|wanted| found.is_subset(wanted));
        if !was.confidence.is_certain() && !found.is_empty() && is_narrowed() {
            return None;
        }
        if wanted.as_ref() == Some(&found) && (is.confidence.is_certain() || !was.confidence.is_certain()) {
            return None;
        }
        if wanted.as_ref().is_some_and(|wanted| {
            is_only_renamed(after, wanted, &found) || is_one_symbol(after, wanted, &found)
        }) {
            return None;
        }
        if !is.targets.is_empty() && is.targets.iter().all(|target| self.is_written_out_key(target)) {
            return None;
        }
        let was_local = was.defs().all(|def| before.def(def).flags.has(DefFlags::LOCAL));
        let now_name = new.ref_name(twin);
        if was_local
            && !is.targets.is_empty()
            && is.targets.iter().all(|t| self.stands_in(after, t, now_name))
        {
            return None;
        }
        let meant = is.targets.iter().find(|target| wanted.as_ref().is_none_or(|w| !w.contains(*target)));
        let instead = match meant {
            Some(Target::Def(def)) => {
                format!(" but the `{}` of {}", after.def_name(*def), after.world().file(def.file).path)
            }
            Some(Target::External(name)) => format!(" but `{name}` of a library"),
            Some(_) => " but something else".to_owned(),
            None => ": nothing would be known of it".to_owned(),
        };
        let message = format!("`{}` would not mean the same any more{instead}", new.ref_name(twin));
        Some(conflict(ConflictKind::Meaning, message, at()))
    }

    /// Whether a name of what is not written (`values` of an enumeration) means what is made of the same declaration.
    fn is_made_alike(
        &self,
        before: &Resolver,
        after: &Resolver,
        (was, is): (&[Target], &[Target]),
        now: &dyn Fn(&Target) -> Option<Target>,
    ) -> bool {
        let ([Target::External(old)], [Target::External(new)]) = (was, is) else { return false };
        let owner = |rx: &Resolver, name: &str| -> Option<GlobalDef> {
            let (class, _) = name.rsplit_once('.')?;
            let simple = class.rsplit(['.', '$']).next()?;
            let is_it =
                |def: &GlobalDef| rx.policy_of(*def).qualified_name(rx, *def).as_deref() == Some(class);
            let mut found = rx.world().declarations(simple).into_iter().map(|site| site.at).filter(is_it);
            found.next().filter(|_| found.next().is_none())
        };
        let last = |name: &str| name.rsplit('.').next().map(str::to_owned);
        let (Some(from), Some(to)) = (owner(before, old), owner(after, new)) else { return false };
        last(old) == last(new) && now(&Target::Def(from)) == Some(Target::Def(to))
    }

    /// Whether a target is a variable or parameter that the change put there for the one of the same name.
    fn stands_in(&self, after: &Resolver, target: &Target, name: &str) -> bool {
        let Target::Def(def) = target else { return false };
        let start = after.def(*def).name_range.start;
        let is_new = |file: &FileId| {
            self.file_after(*file) == Some(def.file)
                && (self.effect.is_fresh(*file, start) || self.is_copy(*file, start))
        };
        *after.def_name(*def) == *name && self.touched.keys().chain(self.effect.created.keys()).any(is_new)
    }

    /// Text that stands elsewhere must mean there what it meant.
    fn check_copies(&self) -> Vec<Conflict> {
        let mut found = Vec::new();
        for copy in &self.effect.copies {
            let Some(to) = self.file_after(copy.to) else { continue };
            self.ctx.pool.with(|before| {
                self.after.with(|after| {
                    let (old, new) = (before.file(copy.from), after.file(to));
                    let mut used: HashMap<(u32, Role), usize> = HashMap::new();
                    for r in old.by_place().refs.within(copy.range) {
                        let reference = old.reference(r);
                        if reference.range.is_empty() {
                            continue;
                        }
                        let key = (copy.moved(reference.range.start), reference.role);
                        let nth = used.entry(key).or_default();
                        let here = new.by_place().refs.starting_at(key.0);
                        let mut here: Vec<RefId> = here
                            .filter(|r| {
                                !new.reference(*r).range.is_empty() && new.reference(*r).role == key.1
                            })
                            .collect();
                        here.sort_unstable();
                        let twin = here.get(*nth).copied();
                        *nth += 1;
                        let lost = twin.is_some_and(|twin| {
                            !after.resolve(new.global_ref(twin)).resolution.confidence.is_certain()
                        });
                        if lost && self.effect.is_untyped && reference.receiver.is_some() {
                            continue;
                        }
                        let now = |target: &Target| {
                            let own = self.in_copies(copy, target, new);
                            let own = own.or_else(|| self.import_there(copy, old, target, new));
                            own.or_else(|| self.target_after(target))
                        };
                        found.extend(self.compare((before, old, r), (after, new, twin), &now));
                    }
                });
            });
        }
        found
    }

    /// The declaration in a copy that corresponds to one in the copied text.
    fn in_copies(&self, copy: &Copied, target: &Target, new: &FileView) -> Option<Target> {
        let Target::Def(def) = target else { return None };
        if def.file != copy.from {
            return None;
        }
        let d = self.ctx.pool.with(|rx| rx.def(*def).clone());
        let same = |other: &&Copied| other.from == copy.from && other.range.encloses(d.name_range);
        // They are in the order of their groups.
        let first = self.effect.copies.partition_point(|other| other.group < copy.group);
        let group = self.effect.copies[first..].iter().take_while(|other| other.group == copy.group);
        let at = group.into_iter().find(same)?.moved(d.name_range.start);
        let there = new.by_place().names.starting_at(at).filter(|id| new.def(*id).kind == d.kind);
        there.min().map(|def| Target::Def(GlobalDef { file: new.id, def }))
    }

    /// The meaning of a name that is only known to be imported: the import of the file that the text went to.
    fn import_there(&self, copy: &Copied, old: &FileView, target: &Target, new: &FileView) -> Option<Target> {
        let Target::Def(def) = target else { return None };
        if copy.from == copy.to || def.file != copy.from || !is_file_import(old, def.def) {
            return None;
        }
        let key = |view: &FileView, def: DefId| {
            let import = view.import(view.def(def).import?);
            let member = import.member.map_or("", |member| view.ref_name(member)).to_owned();
            Some((view.name(import.module).to_owned(), member))
        };
        let wanted = key(old, def.def)?;
        let is_same = |id: &DefId| {
            let found = key(new, *id);
            // A path that begins where the file lies is another one there.
            let is_near = |module: &str| module.starts_with('.');
            found.is_some_and(|found| {
                found == wanted || is_near(&found.0) && is_near(&wanted.0) && found.1 == wanted.1
            })
        };
        let there =
            new.def_ids().filter(|id| is_file_import(new, *id) && new.def_name(*id) == old.def_name(def.def));
        there.into_iter().find(is_same).map(|def| Target::Def(GlobalDef { file: new.id, def }))
    }

    /// In what is new, the new names must mean what was declared for them, and types must be known.
    fn check_fresh(&self, names: &BTreeSet<Arc<str>>) -> Vec<Conflict> {
        let mut found = Vec::new();
        for file in self.effect.fresh.keys() {
            let Some(to) = self.file_after(*file) else { continue };
            self.after.with(|rx| {
                let new = rx.file(to);
                for r in new.written_refs() {
                    let reference = new.reference(r);
                    let name = new.ref_name(r);
                    let is_type = reference.role == Role::Type;
                    if !self.effect.is_fresh(*file, reference.range.start)
                        || !(is_type || names.contains(name))
                        || reference.role == Role::Key
                    {
                        continue;
                    }
                    let resolved = rx.resolve(new.global_ref(r));
                    let targets = &resolved.resolution.targets;
                    // A file may be called like what it declares.
                    let means_new = || {
                        let is_new = |target: &Target| {
                            matches!(target, Target::Module(_)) || self.stands_in(rx, target, name)
                        };
                        targets.iter().any(is_new)
                    };
                    if is_type && targets.is_empty() || names.contains(name) && !means_new() {
                        let message = format!("the new `{name}` would not be found where it is used");
                        found.push(conflict(ConflictKind::Meaning, message, None));
                    }
                }
            });
        }
        found
    }

    /// Renamed members must override, and be overridden by, the same declarations as before.
    fn check_hierarchy(&self, renamed: &[GlobalDef]) -> Result<Vec<Conflict>, QueryError> {
        guard::with_work(MAX_RELATED, || self.hierarchy_of(renamed))
    }

    fn hierarchy_of(&self, renamed: &[GlobalDef]) -> Result<Vec<Conflict>, QueryError> {
        let cx = self.ctx.cx;
        let mut found = Vec::new();
        for def in renamed {
            if !guard::spend(1) {
                let message = "there are too many types below each other to prove what overrides what";
                found.push(conflict(ConflictKind::Meaning, message, None));
                break;
            }
            let Some(to) = self.def_after(*def) else { continue };
            let was = self.ctx.pool.with(|rx| {
                let is_plain_field = || rx.def(*def).kind == SymbolKind::Field && !has_accessors(rx, *def);
                if !is_member(rx, *def) || is_plain_field() {
                    return Ok(None);
                }
                related_methods(rx, cx, *def).map(Some)
            })?;
            let Some(was) = was else { continue };
            let wanted: BTreeSet<GlobalDef> = was.iter().filter_map(|def| self.def_after(*def)).collect();
            let is = self.after.with(|rx| related_methods(rx, cx, to))?;
            if let Some(other) = is.symmetric_difference(&wanted).next() {
                let place = self.after.with(|rx| rx.world().file(other.file).path.clone());
                let message =
                    format!("the declaration in {place} would be overridden, or not be overridden any more");
                let range = self.ctx.pool.with(|rx| rx.def(*def).name_range);
                found.push(conflict(ConflictKind::Meaning, message, Some(self.ctx.at(def.file, range))));
            }
        }
        Ok(found)
    }
}

/// Whether targets are parts of one and the same symbol: declarations of an interface that are merged.
fn is_one_symbol(rx: &Resolver, wanted: &BTreeSet<Target>, found: &BTreeSet<Target>) -> bool {
    let [Some(Target::Def(first)), Some(Target::Def(_))] = [wanted.first(), found.first()] else {
        return false;
    };
    let parts = rx.policy_of(*first).same_symbol(rx, *first);
    let is_part = |target: &Target| matches!(target, Target::Def(def) if parts.contains(def));
    wanted.iter().chain(found).all(is_part)
}

/// Whether what was meant by an alias that is nothing but another name of a type is meant by the type's own name, or the
/// other way round.
fn is_only_renamed(rx: &Resolver, before: &BTreeSet<Target>, after: &BTreeSet<Target>) -> bool {
    let is_alias =
        |target: &Target| matches!(target, Target::Def(def) if rx.def(*def).kind == SymbolKind::TypeAlias);
    let class = |target: &Target| -> Option<GlobalDef> {
        let Target::Def(def) = target else { return None };
        match rx.def(*def).kind {
            SymbolKind::Constructor => rx.member_owner(*def),
            SymbolKind::TypeAlias => {
                let own: Args = rx.type_params(*def).into_iter().map(Ty::Param).collect();
                match rx.type_of_def(*def, own.clone()) {
                    Ty::Instance(class, args) => (args == own).then_some(class),
                    _ => None,
                }
            }
            kind => kind.is_type().then_some(*def),
        }
    };
    let classes = |targets: &BTreeSet<Target>| targets.iter().map(class).collect::<Option<BTreeSet<_>>>();
    before.iter().chain(after).any(is_alias)
        && classes(before).is_some_and(|before| classes(after) == Some(before))
}
