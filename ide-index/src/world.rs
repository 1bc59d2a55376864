//! The project as the resolver sees it: files, their facts, and the three indexes by which files are found.

use std::collections::BTreeMap;
use std::sync::Arc;

use ide_model::{Family, FilePath, Language, SourceKind, SymbolKind, paths};
use rustc_hash::FxHashMap;

use crate::facts::{DefFlags, DefId, Expr, FileFacts, ImportKind, NameId, RefId, ScopeKind};
use crate::front::FrontEnd;
use crate::impl_sites::{DeclaredModule, ImplSite, OtherName};
use crate::lang;
use crate::library::Listed;
use crate::macros::Macros;

/// A file of one snapshot. Files are numbered in path order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A declaration of one snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalDef {
    pub file: FileId,
    pub def: DefId,
}

/// A reference of one snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalRef {
    pub file: FileId,
    pub reference: RefId,
}

/// The facts about a file that are known without reading its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    pub path: FilePath,
    /// `None` for files that only text search sees.
    pub language: Option<Language>,
    pub source: SourceKind,
    pub is_generated: bool,
    pub size: u64,
    /// 128-bit hash of the bytes.
    pub content_hash: u128,
}

/// A declaration as the name index holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeclarationSite {
    pub at: GlobalDef,
    pub kind: SymbolKind,
    pub flags: DefFlags,
    /// Stands inside of another declaration.
    pub is_nested: bool,
    /// A type declares it, or an assignment to something does ([`crate::Def::attach`]).
    pub is_member: bool,
}

/// One immutable state of a project's facts. Lists are ordered by file, then by position in the file's tables.
pub trait World: Send + Sync {
    fn file_count(&self) -> u32;

    fn file(&self, id: FileId) -> &FileEntry;

    /// The file with exactly this path.
    fn file_by_path(&self, path: &str) -> Option<FileId>;

    /// The facts of a file; empty facts for files that have none. Cheap when asked again soon.
    fn facts(&self, id: FileId) -> Arc<FileFacts>;

    /// The facts of a file as they were when this state was made, if they are known without reading the file again.
    fn kept_facts(&self, id: FileId) -> Option<Arc<FileFacts>> {
        Some(self.facts(id))
    }

    /// The names of the macros that other files may call, each once, ordered.
    fn given_macros(&self, id: FileId) -> Arc<[Arc<str>]> {
        let macros = lang::macros_of(&self.file(id).path.0, &self.facts(id));
        macros.iter().flat_map(|macros| macros.given_names()).collect()
    }

    /// Files in which the name occurs at all, as a declaration or a reference.
    fn files_mentioning(&self, name: &str) -> Vec<FileId>;

    /// The names in the project that differ from this one in the case of ASCII letters alone.
    fn spellings(&self, name: &str) -> Vec<Arc<str>>;

    /// The files among [`Self::files_mentioning`] in which an import or export may give the named declaration
    /// another name.
    fn files_renaming(&self, name: &str) -> Vec<FileId>;

    /// Declarations with this name that are not local to a function, ordered. Names that imports bind are left out.
    fn declarations(&self, name: &str) -> Vec<DeclarationSite>;

    /// The implementation sites of this name, ordered.
    fn impl_sites(&self, name: &str) -> Vec<ImplSite>;

    /// The modules that a file declares, in their order.
    fn declared_modules(&self, id: FileId) -> Arc<[DeclaredModule]> {
        lang::declared_modules(&self.facts(id))
    }

    /// The further names that types may show in implementations, by what the file declares and imports.
    fn other_names(&self, id: FileId) -> Arc<[OtherName]> {
        lang::other_names(&self.facts(id))
    }

    /// The declarations of the family's libraries under this name, outside of types and functions. See
    /// [`crate::Library`].
    fn library_declarations(&self, _family: Family, _name: &str) -> Vec<DeclarationSite> {
        Vec::new()
    }

    /// Files of the family's libraries that are listed under a name: found without reading them; `None` when no library has
    /// such a list. See [`crate::Library::listed`].
    fn library_files(&self, _family: Family, _name: &str, _how: Listed) -> Option<Vec<FileId>> {
        None
    }

    /// The file with the same path that code of a language sees instead of a library's file; `None` when that is the file
    /// itself.
    fn seen_by(&self, _id: FileId, _language: Language) -> Option<FileId> {
        None
    }

    /// The declarations of a package of libraries under a name, beside [`Self::library_declarations`]. See
    /// [`crate::Library::package_declarations`].
    fn package_declarations(&self, _family: Family, _package: &str, _name: &str) -> Vec<DeclarationSite> {
        Vec::new()
    }

    /// The packages for which [`Self::package_declarations`] may give anything.
    fn declaring_packages(&self, _family: Family) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// The names of the packages of the family's libraries, where those list them.
    fn library_packages(&self, _family: Family) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// The declarations of the family's libraries outside of types and functions, under the wanted names; every name
    /// is asked about. Libraries whose names cannot be listed are left out.
    fn library_search(&self, _family: Family, _wanted: &mut dyn FnMut(&str) -> bool) -> Vec<DeclarationSite> {
        Vec::new()
    }

    /// Directories below which installed packages of the family lie, in the order in which they are searched.
    fn library_roots(&self, _family: Family) -> Vec<LibraryRoot> {
        Vec::new()
    }

    /// The memory for data derived from this world, shared with the worlds that come of it by changes; `None`
    /// when nowhere.
    fn lasting(&self) -> Option<&crate::library::Lasting> {
        None
    }

    /// The memory for data derived from the installed packages of a family, kept beyond this world; `None` when
    /// nowhere.
    fn library_memory(&self, _family: Family) -> Option<&crate::library::Lasting> {
        None
    }

    /// The text of a library's file, or why it has none; `None` for files of the project.
    fn library_text(&self, _id: FileId) -> Option<Result<Arc<str>, String>> {
        None
    }

    /// Whole lines with which [`Self::library_text`] begins.
    fn library_head(&self, id: FileId) -> Option<Result<Arc<str>, String>> {
        self.library_text(id)
    }

    /// Files of the family whose package declaration reads `package`.
    fn files_of_package(&self, family: Family, package: &str) -> Vec<FileId>;

    /// Direct entries of a directory (`""` is the project root; no trailing slash): files and names of
    /// subdirectories, both ordered. `None` when no file lies below it.
    fn directory(&self, path: &str) -> Option<Directory>;

    /// The package or namespace that the file declares, as [`FileFacts::package`].
    fn package(&self, id: FileId) -> Option<Arc<str>> {
        declared_package(&self.facts(id))
    }

    /// The text of a small configuration file that belongs to a build or module system (`package.json`,
    /// `tsconfig.json`, `go.mod`, `composer.json`, `Cargo.toml`, …); see [`is_configuration`].
    fn configuration(&self, path: &str) -> Option<Arc<str>>;

    /// Paths of all configuration files, ordered.
    fn configurations(&self) -> Vec<Arc<str>>;
}

/// The package or namespace that a file declares, as text.
pub(crate) fn declared_package(facts: &FileFacts) -> Option<Arc<str>> {
    facts.package.map(|name| facts.name(name).into())
}

/// A directory below which installed packages lie.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LibraryRoot {
    pub kind: RootKind,
    /// As paths of files begin: relative to the project where it lies below it. Without a slash at the end.
    pub path: Arc<str>,
}

/// The kind of packages below a root of libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RootKind {
    /// The standard library of the language.
    Standard,
    /// Packages in directories called after them: `site-packages`, `node_modules`, `vendor`.
    Packages,
    /// Packages in directories called after name and version, for all projects of the machine.
    Cache,
}

/// The files and directories directly in a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directory {
    pub files: Vec<FileId>,
    pub directories: Vec<Arc<str>>,
}

/// True for file names whose text the index keeps for module resolution.
pub fn is_configuration(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(
        name,
        "package.json"
            | "go.mod"
            | "go.work"
            | "composer.json"
            | "Cargo.toml"
            | "Cargo.lock"
            | "pyproject.toml"
            | "setup.cfg"
            | "pom.xml"
            | "build.gradle"
            | "build.gradle.kts"
            | "settings.gradle"
            | "settings.gradle.kts"
    ) || is_list_of_classes(path)
        || ((name.starts_with("tsconfig") || name.starts_with("jsconfig")) && name.ends_with(".json"))
}

/// Whether a file describes the package in whose directory it lies.
pub(crate) fn is_build_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "setup.py" | "settings.gradle" | "settings.gradle.kts")
        || is_configuration(path) && {
            let is_lists =
                is_list_of_classes(path) || name.starts_with("tsconfig") || name.starts_with("jsconfig");
            !is_lists
        }
}

/// Whether a file lists classes by name for what finds them at run time: services of Java, parts of Spring.
pub(crate) fn is_list_of_classes(path: &str) -> bool {
    const DIRECTORIES: [&str; 2] = ["META-INF/services", "META-INF/spring"];
    let Some((directory, name)) = path.rsplit_once('/') else { return false };
    let is_below =
        |of: &str| directory == of || directory.strip_suffix(of).is_some_and(|rest| rest.ends_with('/'));
    DIRECTORIES.iter().any(|of| is_below(of)) || is_below("META-INF") && name == "spring.factories"
}

/// A world held in memory, built from texts in one go: for tests, and for checking planned edits.
pub struct MemoryWorld {
    files: Vec<FileEntry>,
    facts: Vec<Arc<FileFacts>>,
    by_path: FxHashMap<Arc<str>, FileId>,
    mentions: FxHashMap<Box<str>, Vec<FileId>>,
    declarations: FxHashMap<Box<str>, Vec<DeclarationSite>>,
    impl_sites: FxHashMap<Box<str>, Vec<ImplSite>>,
    packages: FxHashMap<(Family, Arc<str>), Vec<FileId>>,
    directories: FxHashMap<Arc<str>, Directory>,
    configurations: BTreeMap<Arc<str>, Arc<str>>,
    texts: Vec<Arc<str>>,
}

impl MemoryWorld {
    /// Reads every file with the front end that `front_end` gives for its language; files without one have no
    /// facts. Files count as production source, those in a folder `src/test` as tests.
    pub fn new<'f>(
        files: impl IntoIterator<Item = (String, String)>,
        front_end: impl Fn(Language) -> Option<&'f dyn FrontEnd>,
    ) -> Self {
        let sorted: BTreeMap<String, String> = files.into_iter().collect();
        let mut world = Self {
            files: Vec::new(),
            facts: Vec::new(),
            by_path: FxHashMap::default(),
            mentions: FxHashMap::default(),
            declarations: FxHashMap::default(),
            impl_sites: FxHashMap::default(),
            packages: FxHashMap::default(),
            directories: FxHashMap::default(),
            configurations: BTreeMap::new(),
            texts: Vec::new(),
        };
        let alone = sorted.into_iter().map(|(path, text)| {
            let language = Language::of_path(&path);
            let facts = match language.and_then(&front_end) {
                Some(front) => front.facts(&path, &text),
                None => crate::FactBuilder::new(language.unwrap_or(Language::PlainText), text.len() as u32)
                    .finish(),
            };
            let path: Arc<str> = path.into();
            let macros = lang::macros_of(&path, &facts);
            (path, text, facts, macros)
        });
        let alone: Vec<_> = alone.collect();
        let read = || alone.iter().map(|(path, _, _, macros)| (path, macros.as_deref()));
        let macros = Macros::after(None, read(), &[]);
        let again = macros.readers(read());
        for (path, text, mut facts, _) in alone {
            let language = Language::of_path(&path);
            if again.binary_search(&path).is_ok()
                && let Some(front) = language.and_then(&front_end)
            {
                facts = Macros::facts(Some(&macros), front, &path, &text);
            }
            world.add(path, text.into(), language, facts);
        }
        world
    }

    /// The text that a file was built from.
    pub fn text(&self, id: FileId) -> &Arc<str> {
        &self.texts[id.0 as usize]
    }

    fn add(&mut self, path: Arc<str>, text: Arc<str>, language: Option<Language>, facts: FileFacts) {
        let id = FileId(self.files.len() as u32);
        if is_configuration(&path) {
            self.configurations.insert(path.clone(), text.clone());
        }
        self.add_to_directories(&path, id);
        for name in mentioned_names(&facts) {
            self.mentions.entry(facts.name(name).into()).or_default().push(id);
        }
        for (name, site) in declaration_sites(id, &facts) {
            self.declarations.entry(name.into()).or_default().push(site);
        }
        for site in lang::impl_sites(&facts) {
            let at = GlobalDef { file: id, def: site.def };
            let role = site.role.map(|name| facts.name(name).into());
            self.impl_sites.entry(facts.name(site.name).into()).or_default().push(ImplSite { at, role });
        }
        if let (Some(package), Some(language)) = (declared_package(&facts), language) {
            self.packages.entry((language.family(), package)).or_default().push(id);
        }
        self.by_path.insert(path.clone(), id);
        let is_test = path.contains("src/test/");
        self.files.push(FileEntry {
            path: FilePath(path),
            language,
            source: if is_test { SourceKind::Test } else { SourceKind::Production },
            is_generated: false,
            size: text.len() as u64,
            content_hash: 0,
        });
        self.facts.push(Arc::new(facts));
        self.texts.push(text);
    }

    fn add_to_directories(&mut self, path: &str, id: FileId) {
        let mut directory = paths::directory(path);
        self.directories.entry(directory.into()).or_default().files.push(id);
        while !directory.is_empty() {
            let (parent, name) = directory.rsplit_once('/').unwrap_or(("", directory));
            let siblings = &mut self.directories.entry(parent.into()).or_default().directories;
            if let Err(at) = siblings.binary_search_by(|s| (**s).cmp(name)) {
                siblings.insert(at, name.into());
            }
            directory = parent;
        }
    }
}

impl World for MemoryWorld {
    fn file_count(&self) -> u32 {
        self.files.len() as u32
    }

    fn file(&self, id: FileId) -> &FileEntry {
        &self.files[id.0 as usize]
    }

    fn file_by_path(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    fn facts(&self, id: FileId) -> Arc<FileFacts> {
        self.facts[id.0 as usize].clone()
    }

    fn files_mentioning(&self, name: &str) -> Vec<FileId> {
        self.mentions.get(name).cloned().unwrap_or_default()
    }

    fn files_renaming(&self, name: &str) -> Vec<FileId> {
        let renames = |id: &FileId| {
            let facts = self.facts(*id);
            facts.names.find(name).is_some_and(|name| renamed_names(&facts)[name.index()])
        };
        self.files_mentioning(name).into_iter().filter(renames).collect()
    }

    fn spellings(&self, name: &str) -> Vec<Arc<str>> {
        let is_other = |other: &&str| other.eq_ignore_ascii_case(name) && *other != name;
        let mut all: Vec<Arc<str>> =
            self.mentions.keys().map(|name| &**name).filter(is_other).map(Arc::from).collect();
        all.sort_unstable();
        all
    }

    fn declarations(&self, name: &str) -> Vec<DeclarationSite> {
        self.declarations.get(name).cloned().unwrap_or_default()
    }

    fn impl_sites(&self, name: &str) -> Vec<ImplSite> {
        self.impl_sites.get(name).cloned().unwrap_or_default()
    }

    fn files_of_package(&self, family: Family, package: &str) -> Vec<FileId> {
        self.packages.get(&(family, package.into())).cloned().unwrap_or_default()
    }

    fn directory(&self, path: &str) -> Option<Directory> {
        self.directories.get(path).cloned()
    }

    fn configuration(&self, path: &str) -> Option<Arc<str>> {
        self.configurations.get(path).cloned()
    }

    fn configurations(&self) -> Vec<Arc<str>> {
        self.configurations.keys().cloned().collect()
    }
}

/// A name of files with blocks that say what a module has, as `declare module "m" { }` does.
pub(crate) const BLOCKS_OF_MODULES: &str = "module {}";

/// The names under which a file can be found: those of its declarations and of its references, and the words in the macros
/// that it declares.
pub fn mentioned_names(facts: &FileFacts) -> impl Iterator<Item = NameId> {
    let has_macros = facts.defs.iter().any(|def| def.kind == SymbolKind::Macro);
    let mut used = vec![has_macros; facts.names.len()];
    // The rules of macros are not looked for, the words in them are.
    for export in &facts.exports {
        if let Expr::Text(rules) = facts.expr(export.value) {
            used[rules.index()] = false;
        }
    }
    let mut has_modules = false;
    for def in &facts.defs {
        used[def.name.index()] = true;
        has_modules |= def.kind == SymbolKind::Module;
    }
    for reference in &facts.refs {
        used[reference.name.index()] = true;
    }
    if has_modules && let Some(mark) = facts.names.ids().find(|id| facts.name(*id) == BLOCKS_OF_MODULES) {
        used[mark.index()] = true;
    }
    let is_found = move |id: &NameId| used[id.index()] && !facts.name(*id).is_empty();
    facts.names.ids().filter(is_found)
}

/// By [`NameId`]: whether an import or export may call what has the name by another one, as `import a.B as C` and
/// `export { b as c }` do. An import of a module's default may give it any name.
pub(crate) fn renamed_names(facts: &FileFacts) -> Vec<bool> {
    let mut renamed = vec![false; facts.names.len()];
    for import in &facts.imports {
        let is_other = |name: &NameId| {
            let bound = import.def.map(|def| facts.def(def).name);
            [bound, import.exported_as].into_iter().flatten().any(|other| other != *name)
        };
        if import.kind == ImportKind::Default {
            facts.names.ids().filter(is_other).for_each(|name| renamed[name.index()] = true);
        }
        let imported = import.member.or_else(|| facts.list(import.path).last());
        let imported = imported.map(|at| facts.reference(at).name).filter(is_other);
        imported.into_iter().for_each(|name| renamed[name.index()] = true);
    }
    for export in &facts.exports {
        if let Expr::Ref(value) = facts.expr(export.value) {
            let value = facts.reference(value).name;
            renamed[value.index()] |= export.name != value && !facts.name(export.name).is_empty();
        }
    }
    renamed
}

/// Whether a declaration has a place where it is written: of those by a rule of the language embedded fields have, and
/// variables under imported names.
pub(crate) fn is_written(kind: SymbolKind, flags: DefFlags) -> bool {
    !flags.has(DefFlags::SYNTHETIC) || matches!(kind, SymbolKind::Field | SymbolKind::Variable)
}

/// The flags of a function that depend on its body: the name index does not have them.
const OF_BODY: DefFlags = DefFlags(DefFlags::GENERATOR.0 | DefFlags::VOID.0);

/// The declarations of a file that the name index holds, in table order.
pub fn declaration_sites(file: FileId, facts: &FileFacts) -> impl Iterator<Item = (&str, DeclarationSite)> {
    facts.defs.iter().enumerate().filter_map(move |(i, def)| {
        let is_nameless = def.flags.has(DefFlags::ANONYMOUS) && !def.flags.has(DefFlags::COMPANION);
        let hidden = def.flags.has(DefFlags::LOCAL) || is_nameless || !def.kind.is_searchable();
        let at = GlobalDef { file, def: DefId(i as u32) };
        (!hidden).then(|| {
            let is_nested = facts.enclosing_def(def.scope).is_some();
            let flags = DefFlags(def.flags.0 & !OF_BODY.0);
            let scope = facts.scope(def.scope);
            let is_of_type = scope.kind == ScopeKind::Class && scope.owner.is_some();
            let is_member = is_of_type || def.attach.is_some();
            (facts.name(def.name), DeclarationSite { at, kind: def.kind, flags, is_nested, is_member })
        })
    })
}
