//! Support for the tests of the tools: projects from fixtures, answered from the fixture's own claims.
//!
//! A `def` claim is a declaration and its label is the qualified name; claims of uses with that label are its
//! references (with `wrong:` a reference that is only possible); `impl` and `super` claims are its hierarchy; `not`
//! claims count as unresolved uses of the same name. Everything else (text, search, files) is worked out from the
//! text. So the tools are tested on truth, and the engines are tested elsewhere.

mod cursors;
mod jobs;
mod providers;
mod window;

use std::sync::Arc;

use ide_model::*;
use serde_json::Value;
use test_fixture::{Fixture, Role, Spot};

use crate::{
    Available, Call, Changed, Checkout, CursorStore, Dependencies, DependencyRow, EntryKind, FileContent,
    Formatted, Jobs, ModuleRow, PathFilter, Project, ProjectRow, ProjectSelector, Reply, RootUse, Services,
    Structure, SyncReport, ToolError, file_not_found,
};

use self::cursors::Cursors;
pub(crate) use self::jobs::ScriptedJobs;

/// A server with one project made of a fixture.
pub(crate) struct TestServer {
    project: Arc<TestProject>,
    cursors: Cursors,
    pub(crate) budget: usize,
    pub(crate) surface: Option<HostedSurface>,
}

impl TestServer {
    pub(crate) fn new(source: &str) -> Self {
        Self {
            project: Arc::new(TestProject(
                Arc::new(Code(Fixture::parse(source), Vec::new())),
                ScriptedJobs::default(),
            )),
            cursors: Cursors::default(),
            budget: 60_000,
            surface: None,
        }
    }

    /// With providers that say so of every file.
    pub(crate) fn with_providers(mut self, said: Vec<Provided<Vec<ProviderDiagnostic>>>) -> Self {
        let source = self.project.0.0.clone();
        self.project = Arc::new(TestProject(Arc::new(Code(source, said)), ScriptedJobs::default()));
        self
    }

    /// With an editor that somebody looks at.
    pub(crate) fn with_surface(mut self) -> Self {
        self.surface = Some(window::open(self.project.0.clone()));
        self
    }

    pub(crate) fn call(&self, tool: &str, args: Value) -> Reply {
        let stop = Stop::new();
        let call = Call::new(Cx::new(&stop), self);
        let intellij =
            crate::intellij().iter().find(|spec| spec.name == tool && args.get("projectPath").is_some());
        match intellij.map_or_else(|| crate::find(tool), Ok) {
            Ok(spec) => spec.call(&call, args),
            Err(error) => Reply::from(&error),
        }
    }

    /// The builds and test runs of the project, as the test tells them.
    pub(crate) fn jobs(&self) -> &ScriptedJobs {
        &self.project.1
    }

    /// The result of a call that must succeed.
    #[track_caller]
    pub(crate) fn ok(&self, tool: &str, args: Value) -> Value {
        let reply = self.call(tool, args);
        assert!(!reply.is_error, "{tool} failed: {}", reply.json);
        serde_json::from_str(&reply.json).unwrap()
    }

    /// The payload of a call that must fail.
    #[track_caller]
    pub(crate) fn err(&self, tool: &str, args: Value) -> Value {
        let reply = self.call(tool, args);
        assert!(reply.is_error, "{tool} succeeded: {}", reply.json);
        serde_json::from_str(&reply.json).unwrap()
    }
}

impl Services for TestServer {
    fn project(&self, _: Cx<'_>, which: ProjectSelector<'_>) -> Result<Arc<dyn Project>, ToolError> {
        match which {
            ProjectSelector::Path(path) if path != self.project.root() => {
                Err(ToolError::new("project_not_found", format!("no project at `{path}`")))
            }
            ProjectSelector::Tag(tag) if tag != crate::project_tag(self.project.root()) => {
                Err(ToolError::new("project_not_found", "the handle's project is not open"))
            }
            _ => Ok(self.project.clone()),
        }
    }

    fn projects(&self) -> Vec<ProjectRow> {
        vec![ProjectRow {
            name: self.project.name().to_owned(),
            path: self.project.root().to_owned(),
            content_roots: Vec::new(),
            status: self.project.0.status(),
        }]
    }

    fn close(&self, root: &str) -> Result<(), ToolError> {
        let is_ours = root == self.project.root();
        is_ours.then_some(()).ok_or_else(|| ToolError::new("project_not_found", "it is not open"))
    }

    fn reload(&self, _: Cx<'_>, _: &str) -> Result<Arc<dyn Project>, ToolError> {
        Ok(self.project.clone())
    }

    fn wait_for_index(&self, _: Cx<'_>, _: &dyn Project, _: u64) -> Result<bool, ToolError> {
        Ok(true)
    }

    fn stop_after(&self, _: u64) -> Arc<Stop> {
        Arc::new(Stop::new())
    }

    fn cursors(&self) -> &dyn CursorStore {
        &self.cursors
    }

    fn server_version(&self) -> &str {
        "1.2.3"
    }

    fn response_budget(&self) -> usize {
        self.budget
    }

    fn surface(&self) -> Option<&dyn EditorSurface> {
        self.surface.as_ref().map(|surface| surface as &dyn EditorSurface)
    }

    fn progress(&self, message: &str) {
        self.jobs().heard(message);
    }
}

struct TestProject(Arc<Code>, ScriptedJobs);

impl Project for TestProject {
    fn name(&self) -> &str {
        "sample"
    }

    fn root(&self) -> &str {
        "/projects/sample"
    }

    fn backend(&self) -> &dyn Backend {
        &*self.0
    }

    fn structure(&self) -> Structure {
        let roots = vec![
            ("gen".to_owned(), RootUse::Generated),
            ("res".to_owned(), RootUse::Resource),
            ("src".to_owned(), RootUse::Source),
            ("test".to_owned(), RootUse::Test),
            ("test-res".to_owned(), RootUse::TestResource),
        ];
        let build_systems = vec!["maven".to_owned()];
        let module = ModuleRow { name: "app".to_owned(), path: String::new(), build_systems, roots };
        Structure {
            modules: vec![module],
            excluded: vec!["**/node_modules (installed packages)".to_owned()],
            problems: Vec::new(),
        }
    }

    fn dependencies(&self, module: Option<&str>) -> Dependencies {
        let row = |name: &str, version: Option<&str>, module: &str, scope, is_direct: bool| DependencyRow {
            name: name.to_owned(),
            build_system: "maven".to_owned(),
            declared: is_direct.then(|| "${v}".to_owned()),
            version: version.map(str::to_owned),
            scope,
            is_direct,
            is_module: false,
            module: module.to_owned(),
            available: if is_direct { Available::Source } else { Available::Missing },
        };
        let mut rows = vec![
            row("g:a", Some("1.0"), "app", "TEST", true),
            row("g:a", Some("1.0"), "core", "COMPILE", false),
            row("g:b", None, "core", "RUNTIME", false),
        ];
        rows.retain(|row| module.is_none_or(|module| row.module == module));
        Dependencies { rows, unlocked: vec!["core (maven)".to_owned()], problems: Vec::new() }
    }

    fn checkout(&self) -> Checkout {
        Checkout { remote: Some("https://example.org/x.git".to_owned()), branch: Some("main".to_owned()) }
    }

    fn locate(&self, path: &str) -> Result<FilePath, ToolError> {
        let path = path.strip_prefix("/projects/sample/").unwrap_or(path);
        let known = self.0.0.files().iter().any(|file| file.path == path);
        known.then(|| FilePath::new(path)).ok_or_else(|| file_not_found(path))
    }

    fn why_left_out(&self, _: &FilePath) -> Option<String> {
        None
    }

    fn left_out(&self, _: Cx<'_>, _: &dyn Snapshot, _: &[String]) -> Result<Vec<FilePath>, ToolError> {
        // Nothing is left out of a project in memory.
        Ok(Vec::new())
    }

    fn path_filter(&self, globs: &[String]) -> Result<PathFilter, ToolError> {
        let folders: Vec<String> =
            globs.iter().map(|glob| format!("{}/", glob.trim_end_matches(['/', '*']))).collect();
        for folder in &folders {
            if !self.0.0.files().iter().any(|file| file.path.starts_with(folder)) {
                return Err(ToolError::argument(format!("glob `{folder}` matches no directory")));
            }
        }
        Ok(Box::new(move |file| folders.iter().any(|folder| file.path.as_str().starts_with(folder))))
    }

    fn name_filter(&self, masks: &str) -> Result<PathFilter, ToolError> {
        let ending = masks.trim_start_matches('*').to_owned();
        Ok(Box::new(move |file| file.path.as_str().ends_with(&ending)))
    }

    fn changed_since(&self, _: Cx<'_>, _: &str, files: &[FilePath]) -> Result<Changed, ToolError> {
        let files = files.iter().filter(|file| file.as_str().starts_with('b'));
        Ok(Changed { files: files.cloned().collect(), gone: vec![FilePath::new("gone.py")] })
    }

    fn sync(&self, _: Cx<'_>, paths: &[String]) -> Result<SyncReport, ToolError> {
        Ok(SyncReport { synced: paths.to_vec(), ..SyncReport::default() })
    }

    fn read(&self, file: &FilePath) -> Result<FileContent, ToolError> {
        let text = self.0.text(file)?.text;
        Ok(FileContent { text, encoding: "UTF-8", is_library: false, hash: ContentHash(0) })
    }

    fn hash(&self, file: &FilePath) -> Result<ContentHash, ToolError> {
        Ok(self.read(file)?.hash)
    }

    fn place(&self, path: &str) -> Result<FilePath, ToolError> {
        Ok(FilePath::new(path))
    }

    fn entry(&self, path: &str) -> Result<(FilePath, Option<EntryKind>), ToolError> {
        Ok((FilePath::new(path), None))
    }
    fn make_directory(&self, _: &str) -> Result<(), ToolError> {
        Err(ToolError::new("read_only", "a fixture is not written to"))
    }
    fn files_below(&self, _: &str, _: usize) -> Result<Vec<FilePath>, ToolError> {
        Err(ToolError::new("read_only", "a fixture is not written to"))
    }
    fn remove_directories(&self, _: &str) -> Result<(), ToolError> {
        Err(ToolError::new("read_only", "a fixture is not written to"))
    }

    fn editor(&self) -> Result<&dyn Editor, ToolError> {
        Err(ToolError::new("read_only", "a fixture is not written to"))
    }

    /// Formatters are run on a real disk, by the server.
    fn format(
        &self,
        _: Cx<'_>,
        _: &FilePath,
        _: &str,
        _: Option<(u32, u32)>,
    ) -> Result<Formatted, ToolError> {
        Err(ToolError::new("no_formatter", "a fixture has no formatter"))
    }

    fn jobs(&self) -> &dyn Jobs {
        &self.1
    }
}

/// A project that knows what its fixture claims, and what providers say of each of its files.
struct Code(Fixture, Vec<Provided<Vec<ProviderDiagnostic>>>);

impl Backend for Code {
    fn snapshot(&self, _: Cx<'_>) -> Result<Arc<dyn Snapshot>, QueryError> {
        Ok(Arc::new(Self(self.0.clone(), self.1.clone())))
    }

    fn providers(&self) -> &[Arc<dyn Provider>] {
        &[]
    }

    fn status(&self) -> Status {
        Status {
            engine: Engine::Embedded,
            is_indexing: false,
            phase: "ready",
            files_indexed: self.0.files().len(),
            files_total: self.0.files().len(),
            last_indexed_at: Some(1),
            pending_changes: 0,
            languages: vec![LanguageState {
                language: Language::Python,
                files: self.0.files().len(),
                readiness: Readiness::Ready,
                reason: None,
            }],
            symbols: self.0.claims().iter().filter(|claim| claim.role == Role::Def).count(),
            generation: 1,
            completeness: Completeness::Exact,
            rebuilt: None,
            kind_of_freshness: "memory",
        }
    }
}

fn exact<T>(value: T) -> Answer<T> {
    Answer { value, by: Engine::Embedded, completeness: Completeness::Exact, generation: 1 }
}

fn range(spot: &Spot) -> TextRange {
    TextRange::new(spot.start, spot.end)
}

impl Code {
    fn symbols(&self) -> Vec<Symbol> {
        let defs = self.0.claims().iter().filter(|claim| claim.role == Role::Def);
        defs.map(|claim| self.symbol(&claim.spot, &claim.label)).collect()
    }

    fn symbol(&self, spot: &Spot, label: &str) -> Symbol {
        let text = self.0.text(&spot.path);
        let line_start = text[..spot.start as usize].rfind('\n').map_or(0, |at| at + 1);
        let before = text[line_start..spot.start as usize].trim();
        let word = before.rsplit(' ').next().unwrap_or("");
        let (container, name) = label.rsplit_once('.').unwrap_or(("", label));
        let kind = match word {
            "class" => SymbolKind::Class,
            "interface" => SymbolKind::Interface,
            "def" | "fun" | "func" | "function" | "void" if container.is_empty() => SymbolKind::Function,
            "def" | "fun" | "func" | "function" | "void" => SymbolKind::Method,
            _ => SymbolKind::Variable,
        };
        Symbol {
            key: SymbolKey(label.into()),
            name: name.into(),
            kind,
            language: Language::of_path(&spot.path).unwrap_or(Language::PlainText),
            qualified_name: Some(label.into()),
            container: (!container.is_empty()).then(|| container.into()),
            file: FilePath::new(spot.path.as_str()),
            name_range: range(spot),
            full_range: TextRange::new(line_start as u32, body_end(text, line_start) as u32),
            is_library: false,
        }
    }

    fn named(&self, label: &str) -> Option<Symbol> {
        self.symbols().into_iter().find(|symbol| *symbol.key.0 == *label)
    }

    fn meta(&self, path: &str) -> FileMeta {
        FileMeta {
            path: FilePath::new(path),
            language: Language::of_path(path),
            source: if path.contains("test") { SourceKind::Test } else { SourceKind::Production },
            is_generated: path.contains("gen/"),
            size: self.0.text(path).len() as u64,
        }
    }

    /// Declarations whose label has this role on a declaration of `symbol`.
    fn related(&self, role: Role, label: &str) -> Vec<Symbol> {
        let spots: Vec<&Spot> = self.0.spots(role, label);
        let mut found: Vec<Symbol> = self.symbols();
        found.retain(|symbol| {
            spots.iter().any(|spot| spot.path == symbol.file.as_str() && range(spot) == symbol.name_range)
        });
        found.sort_by(|a, b| (&a.file, a.name_range).cmp(&(&b.file, b.name_range)));
        found
    }
}

/// The end of the block that starts on a line: by indentation.
fn body_end(text: &str, line_start: usize) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = text[line_start..].split_inclusive('\n');
    let head = lines.next().unwrap_or("");
    let mut end = line_start + head.trim_end().len();
    let mut at = line_start + head.len();
    for line in lines {
        let is_closing = line.trim_start().starts_with('}') && indent(line) == indent(head);
        if !line.trim().is_empty() && indent(line) <= indent(head) && !is_closing {
            break;
        }
        if !line.trim().is_empty() {
            end = at + line.trim_end().len();
        }
        at += line.len();
        if is_closing {
            break;
        }
    }
    end
}

impl Snapshot for Code {
    fn generation(&self) -> u64 {
        1
    }

    /// A file of this name speaks for the one who answers.
    fn remarks(&self) -> Vec<String> {
        let said = self.0.files().iter().filter(|file| file.path == "REMARKS");
        said.flat_map(|file| file.text.lines()).map(str::to_owned).collect()
    }

    fn files(&self, _: Cx<'_>, filter: FileFilter<'_>) -> Result<Vec<FileMeta>, QueryError> {
        let mut files: Vec<FileMeta> = self.0.files().iter().map(|file| self.meta(&file.path)).collect();
        files.retain(|file| filter(file));
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    fn file(&self, path: &FilePath) -> Option<FileMeta> {
        self.0.files().iter().find(|file| file.path == path.as_str()).map(|file| self.meta(&file.path))
    }

    fn text(&self, file: &FilePath) -> Result<FileText, QueryError> {
        match self.file(file) {
            Some(_) => Ok(FileText::new(self.0.text(file.as_str()))),
            None => Err(QueryError::NoFile { path: file.to_string() }),
        }
    }

    fn resolve(&self, _: Cx<'_>, target: &Target) -> Result<Answer<Vec<(Symbol, Confidence)>>, QueryError> {
        let one = |symbol: Symbol| Ok(exact(vec![(symbol, Confidence::Exact)]));
        match target {
            Target::Key(SymbolKey(label)) | Target::Named { symbol: label, .. } => {
                self.named(label).map(|symbol| exact(vec![(symbol, Confidence::Exact)])).ok_or_else(|| {
                    let near = self.symbols().into_iter().map(|symbol| symbol.key.0.to_string());
                    let similar = near.filter(|name| name.as_bytes().first() == label.as_bytes().first());
                    QueryError::NotFound { what: label.to_string(), similar: similar.collect() }
                })
            }
            Target::File(file) => Err(QueryError::NotFound { what: file.to_string(), similar: Vec::new() }),
            Target::Position { file, offset }
            | Target::Variable { file, offset }
            | Target::Name { file, offset } => {
                let here =
                    self.0.claims().iter().filter(|claim| {
                        claim.spot.path == file.as_str() && range(&claim.spot).touches(*offset)
                    });
                let mut found = Vec::new();
                for claim in here.filter(|claim| claim.role == Role::Def || claim.role.is_use()) {
                    if let Some(symbol) = self.named(&claim.label) {
                        let doubt = if claim.is_wrong { Confidence::NameOnly } else { Confidence::Exact };
                        found.push((symbol, doubt));
                    }
                }
                if !found.is_empty() {
                    return Ok(exact(found));
                }
                match self.enclosing(file, *offset)?.pop() {
                    Some(symbol) => one(symbol),
                    None => Ok(exact(Vec::new())),
                }
            }
        }
    }

    fn name_at(&self, file: &FilePath, offset: u32) -> Result<Option<NameAt>, QueryError> {
        let here = |claim: &&test_fixture::Claim| {
            let is_name = claim.role == Role::Def || claim.role.is_use();
            claim.spot.path == file.as_str() && is_name && range(&claim.spot).touches(offset)
        };
        let found = self.0.claims().iter().find(here);
        Ok(found.map(|claim| NameAt { range: range(&claim.spot), is_declaration: claim.role == Role::Def }))
    }

    fn references(
        &self,
        cx: Cx<'_>,
        symbol: &Symbol,
        filter: FileFilter<'_>,
        enough: usize,
    ) -> Result<Answer<ReferenceSet>, QueryError> {
        cx.check()?;
        let mut references = Vec::new();
        for claim in self.0.claims().iter().filter(|c| c.role.is_use() && *c.label == *symbol.key.0) {
            if filter(&self.meta(&claim.spot.path)) {
                let (kind, access) = match claim.role {
                    Role::Call => (ReferenceKind::MethodCall, Access::Call),
                    Role::Write => (ReferenceKind::FieldAccess, Access::Write),
                    _ => (ReferenceKind::Reference, Access::Read),
                };
                let (file, range) = (FilePath::new(claim.spot.path.as_str()), range(&claim.spot));
                let around = self.enclosing(&file, range.start)?;
                references.push(Reference {
                    file,
                    range,
                    kind,
                    access,
                    confidence: if claim.is_wrong { Confidence::NameOnly } else { Confidence::Exact },
                    enclosing: around.into_iter().map(|symbol| symbol.name).collect(),
                });
            }
        }
        let unresolved_same_name = self.0.spots(Role::Not, &symbol.key.0).len();
        references.sort_by(|a, b| (&a.file, a.range).cmp(&(&b.file, b.range)));
        let last = references.get(enough.saturating_sub(1)).map(|reference| reference.file.clone());
        let all = references.len();
        references.retain(|reference| last.as_ref().is_none_or(|last| reference.file <= *last));
        let is_partial = references.len() < all;
        Ok(exact(ReferenceSet { references, unresolved_same_name, is_partial, unseen: None }))
    }

    fn implementations(
        &self,
        _: Cx<'_>,
        symbol: &Symbol,
        filter: FileFilter<'_>,
    ) -> Result<Answer<Vec<(Symbol, Confidence)>>, QueryError> {
        let mut found = self.related(Role::Impl, &symbol.key.0);
        found.retain(|symbol| filter(&self.meta(symbol.file.as_str())));
        Ok(exact(found.into_iter().map(|symbol| (symbol, Confidence::Exact)).collect()))
    }

    fn supertypes(&self, _: Cx<'_>, symbol: &Symbol) -> Result<Answer<Vec<TypeLink>>, QueryError> {
        Ok(exact(self.related(Role::Super, &symbol.key.0).into_iter().map(link).collect()))
    }

    fn subtypes(
        &self,
        _: Cx<'_>,
        symbol: &Symbol,
        filter: FileFilter<'_>,
    ) -> Result<Answer<Vec<TypeLink>>, QueryError> {
        let mut found = self.symbols();
        found.retain(|sub| filter(&self.meta(sub.file.as_str())));
        found.retain(|sub| self.related(Role::Super, &sub.key.0).iter().any(|up| up.key == symbol.key));
        Ok(exact(found.into_iter().map(link).collect()))
    }

    fn super_methods(&self, _: Cx<'_>, symbol: &Symbol) -> Result<Answer<Vec<Symbol>>, QueryError> {
        Ok(exact(self.related(Role::Super, &symbol.key.0)))
    }

    fn callers(
        &self,
        cx: Cx<'_>,
        symbol: &Symbol,
        filter: FileFilter<'_>,
    ) -> Result<Answer<Vec<CallEdge>>, QueryError> {
        let mut edges: Vec<CallEdge> = Vec::new();
        for reference in self.references(cx, symbol, filter, usize::MAX)?.value.references {
            if reference.access != Access::Call {
                continue;
            }
            let caller = self.enclosing(&reference.file, reference.range.start)?.pop();
            let key = caller.as_ref().map(|caller| &caller.key);
            let known = edges.iter_mut().find(|edge| {
                edge.file == reference.file && edge.symbol.as_ref().map(|symbol| &symbol.key) == key
            });
            match known {
                Some(edge) => edge.sites.push(reference.range),
                None => edges.push(CallEdge {
                    name: caller.as_ref().map_or_else(|| reference.file.0.clone(), |c| c.name.clone()),
                    symbol: caller,
                    file: reference.file,
                    sites: vec![reference.range],
                    confidence: reference.confidence,
                }),
            }
        }
        Ok(exact(edges))
    }

    fn callees(&self, _: Cx<'_>, symbol: &Symbol) -> Result<Answer<Vec<CallEdge>>, QueryError> {
        let inside = self.0.claims().iter().filter(|claim| {
            claim.spot.path == symbol.file.as_str() && symbol.full_range.encloses(range(&claim.spot))
        });
        let calls = inside.filter(|claim| claim.role == Role::Call);
        let edges = calls.map(|claim| CallEdge {
            name: claim.label.as_str().into(),
            symbol: self.named(&claim.label),
            file: symbol.file.clone(),
            sites: vec![range(&claim.spot)],
            confidence: Confidence::Exact,
        });
        Ok(exact(edges.collect()))
    }

    fn outline(&self, _: Cx<'_>, file: &FilePath) -> Result<Answer<Vec<OutlineNode>>, QueryError> {
        let text = self.text(file)?;
        let mut symbols = self.symbols();
        symbols.retain(|symbol| symbol.file == *file);
        symbols.sort_by_key(|symbol| symbol.name_range);
        let mut forest: Vec<OutlineNode> = Vec::new();
        for symbol in symbols {
            let line = text.line(text.position(symbol.name_range.start).line).unwrap_or("").trim();
            let (keyword, _) = line.split_once(' ').unwrap_or(("", line));
            let signature = line.split_once(&*symbol.name).map_or("", |(_, rest)| rest);
            let node = OutlineNode {
                keyword: keyword.into(),
                signature: signature.trim_end_matches([' ', '{', ':', '}']).into(),
                modifiers: Vec::new(),
                children: Vec::new(),
                symbol,
            };
            let mut level = &mut forest;
            while level.last().is_some_and(|last| last.symbol.full_range.encloses(node.symbol.full_range)) {
                level = &mut level.last_mut().expect("it was just looked at").children;
            }
            level.push(node);
        }
        Ok(exact(forest))
    }

    fn enclosing(&self, file: &FilePath, offset: u32) -> Result<Vec<Symbol>, QueryError> {
        let mut around = self.symbols();
        around.retain(|symbol| symbol.file == *file && symbol.full_range.contains(offset));
        around.sort_by_key(|symbol| symbol.full_range.start);
        Ok(around)
    }

    fn complete(
        &self,
        _: Cx<'_>,
        _: &FilePath,
        _: u32,
        _: usize,
    ) -> Result<Answer<Capped<Completion>>, QueryError> {
        unsupported("completion")
    }

    fn names(&self, _: Cx<'_>, _: &FilePath, _: TextRange) -> Result<Answer<Vec<NameUse>>, QueryError> {
        unsupported("a list of names")
    }

    fn value_type(&self, _: Cx<'_>, _: &FilePath, _: u32) -> Result<Option<Arc<str>>, QueryError> {
        unsupported("the type of a value")
    }

    fn with_texts(
        &self,
        _: Cx<'_>,
        _: &[(FilePath, Option<Arc<str>>)],
    ) -> Result<Arc<dyn Snapshot>, QueryError> {
        unsupported("unsaved texts")
    }

    fn search(&self, _: Cx<'_>, query: &SymbolQuery<'_>) -> Result<Answer<Capped<SymbolMatch>>, QueryError> {
        let matcher = NameMatcher::symbol(query.pattern, query.mode);
        let mut symbols = self.symbols();
        symbols.retain(|symbol| {
            (query.filter)(&self.meta(symbol.file.as_str()))
                && (query.kind == SearchKind::All || symbol.kind.is_type())
                && query.language.is_none_or(|language| language == symbol.language)
        });
        let ranked = |score: &dyn Fn(&Symbol) -> Option<NameScore>| {
            let mut found: Vec<_> =
                symbols.iter().filter_map(|symbol| Some((score(symbol)?, symbol))).collect();
            found.sort_by_key(|(score, symbol)| (*score, symbol.file.clone(), symbol.name_range));
            let hit = |(score, symbol): (NameScore, &Symbol)| SymbolMatch {
                symbol: symbol.clone(),
                approximate: score.is_approximate(),
            };
            found.into_iter().map(hit).collect::<Vec<_>>()
        };
        let outer = |symbol: &Symbol| symbol.qualified_name.clone().unwrap_or_default();
        let mut found = ranked(&|symbol| matcher.score_in(&symbol.name, &outer(symbol)));
        if found.is_empty() {
            found = ranked(&|symbol| matcher.approximate(&symbol.name, &outer(symbol)));
        }
        Ok(exact(Capped::cut_at(found, query.limit)))
    }

    fn search_text(&self, cx: Cx<'_>, query: &TextQuery<'_>) -> Result<Answer<TextSearchResult>, QueryError> {
        let pattern = if query.is_regex { query.pattern.to_owned() } else { regex::escape(query.pattern) };
        let pattern = regex::Regex::new(&pattern)
            .map_err(|error| QueryError::BadPattern { message: error.to_string() })?;
        let mut matches = Vec::new();
        for file in self.files(cx, query.filter)? {
            let text = self.text(&file.path)?;
            for line in 1..=text.lines.line_count() {
                let start = text.lines.line_range(line).expect("the line exists").start;
                if let Some(hit) = text.line(line).and_then(|line| pattern.find(line)) {
                    let range = TextRange::new(start + hit.start() as u32, start + hit.end() as u32);
                    matches.push(TextMatch { file: file.path.clone(), range });
                }
            }
        }
        let matches = Capped::cut_at(matches, query.limit);
        Ok(exact(TextSearchResult { matches, skipped_files: 0 }))
    }

    fn text_contexts(&self, _: &FilePath, offsets: &[u32]) -> Result<Vec<TextContext>, QueryError> {
        Ok(vec![TextContext::Code; offsets.len()])
    }

    fn search_structure(
        &self,
        _: Cx<'_>,
        _: &StructureQuery<'_>,
    ) -> Result<Answer<StructureResult>, QueryError> {
        Err(QueryError::Unsupported { query: "searching by shape", language: None, supported: Vec::new() })
    }

    fn describe(&self, _: Cx<'_>, symbol: &Symbol) -> Result<Answer<Description>, QueryError> {
        let text = self.text(&symbol.file)?;
        let line = text.line(text.position(symbol.name_range.start).line).unwrap_or("").trim();
        let inside = line.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(a, _)| a);
        let parameters = inside.split(',').map(str::trim).filter(|parameter| !parameter.is_empty());
        let parameter = |text: &str| {
            let (name, type_text) =
                text.split_once(':').map_or((text, None), |(name, kind)| (name, Some(kind.trim())));
            ParameterInfo { name: Some(name.into()), type_text: type_text.map(Into::into) }
        };
        Ok(exact(Description {
            symbol: symbol.clone(),
            signature: line.trim_end_matches([':', '{', ' ']).into(),
            parameters: parameters.map(parameter).collect(),
            return_type: None,
            type_parameters: Vec::new(),
            thrown_types: Vec::new(),
            modifiers: Vec::new(),
            visibility: None,
            documentation: Some("Says what it does.".into()),
        }))
    }

    fn refactor(&self, _: Cx<'_>, _: &Refactoring<'_>) -> Result<Answer<Refactored>, QueryError> {
        Err(QueryError::Unsupported { query: "refactoring", language: None, supported: Vec::new() })
    }

    fn diagnostic_codes(&self) -> Vec<&'static str> {
        vec!["syntax", "unused-import"]
    }
    fn providers(&self) -> Option<&dyn AllProviders> {
        (!self.1.is_empty()).then_some(self)
    }
    fn diagnostics(&self, _: Cx<'_>, file: &FilePath) -> Result<Answer<Vec<Diagnostic>>, QueryError> {
        let text = self.text(file)?;
        let found = text.text.match_indices("???").map(|(at, bad)| Diagnostic {
            range: TextRange::new(at as u32, (at + bad.len()) as u32),
            severity: Severity::Error,
            code: "syntax",
            message: "unexpected `???`".to_owned(),
        });
        let completeness = Completeness::AtLeast { because: "only syntax is checked".to_owned() };
        Ok(Answer { completeness, ..exact(found.collect()) })
    }
}

fn link(symbol: Symbol) -> TypeLink {
    TypeLink { name: symbol.name.clone(), symbol: Some(symbol), confidence: Confidence::Exact }
}

/// Names that tests compare, in order.
pub(crate) fn names(rows: &Value, field: &str) -> Vec<String> {
    let rows = rows.as_array().expect("a list");
    rows.iter().map(|row| row[field].as_str().unwrap_or("").to_owned()).collect()
}

fn unsupported<T>(query: &'static str) -> Result<T, QueryError> {
    Err(QueryError::Unsupported { query, language: None, supported: Vec::new() })
}
