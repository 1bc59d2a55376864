//! The rules by which a language makes findings certain.

use std::sync::Arc;

use ide_model::SymbolKind;

use super::Refused;
use crate::facts::{Def, DefFlags, DefId, ExprId, Import, RefId, Role};
use crate::refactor::tree::Syntax;
use crate::resolve::{FileView, Reason, Resolution, Resolver, Ty};
use crate::world::{FileId, GlobalDef};

/// How many arguments a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arity {
    pub(crate) least: usize,
    /// `None` for any number.
    pub(crate) most: Option<usize>,
}

impl Arity {
    pub(crate) fn takes(self, count: usize) -> bool {
        count >= self.least && self.most.is_none_or(|most| count <= most)
    }
}

/// The certainty of a language. The default is silence.
pub(crate) trait Judge: Sync {
    /// Whether a file is one that builds take.
    fn is_built(&self, _file: &FileView) -> bool {
        true
    }

    /// Whether every module that an import may mean is in the world.
    fn sees_all_modules(&self, _rx: &Resolver, _file: &FileView, _import: &Import) -> bool {
        true
    }

    /// Whether the module that an import names would have to be in the world and is not: `./x` beside files that are. A
    /// generated or compiled module, or one that is imported on trial, may be missing from a world.
    fn lacks_module(&self, _rx: &Resolver, _file: &FileView, _import: &Import, _text: &str) -> bool {
        false
    }

    /// The declared type whose members a value of a built-in kind has: `string` has those of `String`.
    fn declared_kind(&self, _rx: &Resolver, _ty: &Ty) -> Option<Ty> {
        None
    }

    /// The names of the members of a type that the world knows by its path only, where its source is at hand.
    fn outside_members(&self, _rx: &Resolver, _from: &FileView, _ty: &Ty) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// The types that a value hands out the members of, nearest first: `Box<T>` those of `T`.
    fn pointees(&self, _rx: &Resolver, _ty: &Ty) -> Vec<Ty> {
        Vec::new()
    }

    /// Whether libraries may add members to the types of the language and of its standard library.
    fn lets_libraries_extend(&self) -> bool {
        false
    }

    /// Whether an import names a declaration that its package or module is known to lack: `java.util.Lisst`.
    fn lacks_member(&self, _rx: &Resolver, _file: &FileView, _import: &Import, _text: &str) -> bool {
        false
    }

    /// Whether a plain name was found nowhere that it could be declared in.
    fn is_undeclared(&self, _rx: &Resolver, _file: &FileView, _reference: RefId, found: &Resolution) -> bool {
        found.is_unknown() && found.reason == Reason::NotFound
    }

    /// Whether everything that could declare a plain name at this place is in the world, so that a name which nothing
    /// declares is an error.
    fn sees_all_names(&self, _rx: &Resolver, _file: &FileView, _reference: RefId) -> bool {
        false
    }

    /// Whether a member was resolved to a library that nobody has read, only because that may declare any member.
    fn is_supposed(&self, _rx: &Resolver, _of: &Ty, _found: &Resolution) -> bool {
        false
    }

    /// Whether everything that could be a member of this type is in the world, so that a name which is not among them is
    /// an error behind it.
    fn sees_all_members(&self, _rx: &Resolver, _file: &FileView, _reference: RefId, _of: &Ty) -> bool {
        false
    }

    /// How many arguments a call may give to a function that it is known to call; `None` where that is not certain.
    fn arity(&self, _rx: &Resolver, _file: &FileView, _call: ExprId, _function: GlobalDef) -> Option<Arity> {
        None
    }

    /// The taker of the arguments of a call of a class: its constructor, or the class itself where its fields are the parameters.
    fn initializer(&self, _rx: &Resolver, _class: GlobalDef) -> Option<GlobalDef> {
        None
    }

    /// Whether a module has a declaration and does not give it to others.
    fn keeps_to_itself(&self, _rx: &Resolver, _module: FileId, _name: &str) -> bool {
        false
    }

    /// Whether two declarations of one name in one scope of a file are an error; the file comes with its text.
    fn is_twice(&self, _rx: &Resolver, _in: (&FileView, &str), _first: DefId, _second: DefId) -> bool {
        false
    }

    /// Whether a declaration must have all members that its supertypes only announce; `head` is its text between its name and
    /// its body.
    fn must_implement(&self, _rx: &Resolver, _class: GlobalDef, _head: &str) -> bool {
        false
    }

    /// Whether a member is only announced: who is below must have it.
    fn is_announced(&self, rx: &Resolver, member: GlobalDef) -> bool {
        rx.has_flag(member, DefFlags::ABSTRACT)
    }

    /// The members that a block which implements something for a type lacks, and the name of what it implements; `None` for
    /// other declarations.
    fn lacks(&self, _rx: &Resolver, _file: &FileView, _block: DefId) -> Option<(RefId, Vec<GlobalDef>)> {
        None
    }

    /// The statement by which a file imports a declaration of the project; `None` where it cannot.
    fn import_line(&self, _rx: &Resolver, _file: &FileView, _def: GlobalDef) -> Option<String> {
        None
    }

    /// How many parameters of a function the receiver of a call fills.
    fn filled_parameters(&self, _def: &Def) -> usize {
        0
    }

    /// The statement by which a file gets a declaration of the project or of a library, and how code then writes that.
    fn way_to(&self, rx: &Resolver, file: &FileView, def: GlobalDef) -> Option<(String, String)> {
        Some((self.import_line(rx, file, def)?, rx.def_name(def).to_owned()))
    }

    /// The names of modules or crates with which the path of an import of a file may begin, and whether they are libraries.
    fn import_roots(&self, _rx: &Resolver, _file: &FileView) -> Vec<(Arc<str>, bool)> {
        Vec::new()
    }

    /// Packages with the statements that import them, by the name that code calls them by.
    fn packages(&self, _rx: &Resolver, _wanted: &dyn Fn(&str) -> bool) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The statements by which a file may import a package of the project that code calls by this name.
    fn package_imports(&self, _rx: &Resolver, _file: &FileView, _name: &str) -> Vec<String> {
        Vec::new()
    }

    /// An announced member with a body that fails when it runs; `text` is that of its file.
    fn stub(&self, _rx: &Resolver, _member: GlobalDef, _text: &str) -> Option<String> {
        None
    }

    /// Whether other files can have what a file imports through it, without its saying so.
    fn imports_are_passed_on(&self) -> bool {
        false
    }

    /// Whether a name that is written to has its value for good; the file comes with its text.
    fn is_fixed(&self, _rx: &Resolver, _in: (&FileView, &str), _reference: RefId, _def: GlobalDef) -> bool {
        false
    }

    /// Whether a name that is read is borrowed mutably: `&mut x`; the file comes with its text.
    fn is_lent_to_change(&self, _in: (&FileView, &str), _reference: RefId) -> bool {
        false
    }

    /// Words before the name of a declaration that say that its value does not change, and those that say that it does.
    fn freeing(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The words that begin a member, and the one that says before them that it overrides another.
    fn override_word(&self) -> Option<(&'static [&'static str], &'static str)> {
        None
    }

    /// Whether a member must have a value from where it is declared, and has none; the file comes with its text.
    fn is_unset(&self, _rx: &Resolver, _in: (&FileView, &str), _def: DefId) -> bool {
        false
    }

    /// Whether imports and local variables that nothing uses are errors.
    fn refuses_unused(&self) -> bool {
        false
    }

    /// Whether a local variable is one that must be used; the file comes with its text.
    fn is_for_use(&self, _in: (&FileView, &str), _def: DefId) -> bool {
        true
    }

    /// Whether functions and classes inside of a function only use variables that nothing writes to again.
    fn keeps_captured(&self) -> bool {
        false
    }

    /// Whether a local variable and one of a scope around it must have different names; the second is the inner one.
    fn may_not_shadow(&self, _file: &FileView, _outer: DefId, _inner: DefId) -> bool {
        false
    }

    /// Whether a member says that it overrides one, and none is there.
    fn overrides_nothing(&self, _rx: &Resolver, _file: &FileView, _def: DefId) -> bool {
        false
    }

    /// Whether a member overrides one, and does not say so as it must.
    fn lacks_override(&self, _rx: &Resolver, _file: &FileView, _def: DefId) -> bool {
        false
    }

    /// The class of which a name makes an object.
    fn class_made(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Option<GlobalDef> {
        if file.reference(reference).role != Role::New {
            return None;
        }
        let found = rx.resolve(file.global_ref(reference)).resolution;
        let class =
            |def| if rx.kind(def) == SymbolKind::Constructor { rx.owner_class(def) } else { Some(def) };
        let made = found.defs().next().and_then(class).filter(|_| found.confidence.is_certain())?;
        let is_alone =
            found.defs().count() == found.targets.len() && found.defs().all(|def| class(def) == Some(made));
        is_alone.then_some(made)
    }

    /// Whether no object of a class can be made, but of those below it.
    fn has_no_objects(&self, _rx: &Resolver, _class: GlobalDef) -> bool {
        false
    }

    /// The fields that a literal of a type gives; `None` where they are not all known.
    fn literal_fields(&self, _rx: &Resolver, _of: GlobalDef) -> Option<Vec<GlobalDef>> {
        None
    }

    /// Whether a write makes a member that is not there.
    fn writes_make_members(&self, _file: &FileView) -> bool {
        true
    }

    /// Whether the keys of a literal are members of its type.
    fn keys_are_fields(&self) -> bool {
        false
    }

    /// Whether a declaration is private to a place that a name of it does not stand in.
    fn is_hidden(&self, _rx: &Resolver, _file: &FileView, _reference: RefId, _def: GlobalDef) -> bool {
        false
    }

    /// Whether a member is named behind a call that may give nothing; the file comes with its text.
    fn is_behind_nothing(
        &self,
        _rx: &Resolver,
        _in: (&FileView, &str),
        _reference: RefId,
        _def: GlobalDef,
    ) -> bool {
        false
    }

    /// Whether a type with parameters may be written with so many arguments.
    fn takes_type_arguments(&self, _count: usize, _parameters: usize) -> bool {
        true
    }

    /// Whether a static member is used on an object of its class, which does not have it: `new Cart().staticMethod()`.
    fn needs_class(&self, _rx: &Resolver, _file: &FileView, _reference: RefId, _def: GlobalDef) -> bool {
        false
    }

    /// Whether a name needs an object of the class around it, and stands where there is none.
    fn needs_object(&self, _rx: &Resolver, _file: &FileView, _reference: RefId, _def: GlobalDef) -> bool {
        false
    }

    /// Reports the statements of a file that cannot stand where they stand.
    fn refused_statements(&self, _file: &FileView, _tree: &Syntax, _found: &mut Vec<Refused>) {}

    /// The parameters that arguments of a call may name, of a function that it is known to call; `None` where others may be.
    fn named_parameters(
        &self,
        _rx: &Resolver,
        _file: &FileView,
        _call: ExprId,
        _function: GlobalDef,
    ) -> Option<Vec<GlobalDef>> {
        None
    }

    /// Whether an import that nothing in its file uses is of no use.
    fn reports_unused_imports(&self, _rx: &Resolver, _file: &FileView) -> bool {
        false
    }
}

/// Languages of which nothing is certain.
pub(crate) struct Silent;

impl Judge for Silent {}

/// The arity by the parameters as declared; `given` of them the language fills in itself.
pub(crate) fn declared_arity(rx: &Resolver, function: GlobalDef, given: usize) -> Arity {
    let file = rx.file(function.file);
    let params: Vec<DefId> = file.list(file.def(function.def).params).skip(given).collect();
    let is_many =
        |id: &DefId| file.has_flag(*id, DefFlags::VARARG) || file.has_flag(*id, DefFlags::KEYWORD_VARARG);
    let is_needed = |id: &DefId| {
        let def = file.def(*id);
        !is_many(id) && def.init.is_none() && !def.flags.has(DefFlags::OPTIONAL)
    };
    let by_place = params.iter().filter(|id| !file.has_flag(**id, DefFlags::KEYWORD_ONLY));
    let most = (!params.iter().any(is_many)).then(|| by_place.count());
    Arity { least: params.iter().filter(|id| is_needed(id)).count(), most }
}
