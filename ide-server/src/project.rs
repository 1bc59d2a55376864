//! One open project: where its files are, and the index that knows them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ide_edit::{Carrier, DiskEditor, Writer, content_hash};
use ide_index::{LIBRARY_SCHEME, bundled_text};
use ide_model::{
    Backend, ContentHash, Cx, EditError, Editor, FileMeta, FilePath, FileText, Provider, QueryError,
    Snapshot, SourceKind, Status, Stop,
};
use ide_project_resolver::{
    Access, FileError, FileMasks, Fs as _, GlobError, Kind, Libraries, Origin, PathGlobs, Project as Layout,
    ResolvedFile,
};
use ide_store::{ArchiveText, OsFs, archive_text};
use ide_tools::{
    Changed, Checkout, Dependencies, EntryKind, FileContent, Formatted, Jobs, PathFilter, Project, Structure,
    SyncReport, ToolError, file_not_found,
};

use crate::engine::JDK_HOME;
use crate::format::Job;
use crate::git;
use crate::jobs::ProjectJobs;
use crate::layout::{self, PLACES};
use crate::trust::Trust;

/// Largest file that is read for a client, in bytes.
const MAX_FILE: u64 = ide_store::MAX_TEXT_BYTES;

/// Largest file that is moved or deleted, in bytes: undo keeps it.
const MAX_HASHED: u64 = 256 << 20;

/// A project and its backend.
#[derive(Clone)]
pub(crate) struct OpenProject {
    layout: Arc<Layout>,
    libraries: Libraries,
    home: Option<String>,
    backend: Arc<dyn Backend>,
    /// Why there is none.
    editor: Result<DiskEditor, String>,
    /// The right to write, in the project as a call that writes sees it.
    writer: Option<Arc<Writer>>,
    last_used: Arc<AtomicU64>,
    trust: Trust,
    jobs: Arc<ProjectJobs>,
}

/// Takes snapshots only while no step is half done.
struct WholeTree {
    inner: Arc<dyn Backend>,
    editor: DiskEditor,
}

impl Backend for WholeTree {
    fn snapshot(&self, cx: Cx<'_>) -> Result<Arc<dyn Snapshot>, QueryError> {
        if self.inner.status().generation == 0 {
            // A first index takes its time, which is no time to keep writers away.
            self.inner.snapshot(cx)?;
        }
        let _looking = self.editor.look(cx)?;
        self.inner.snapshot(cx)
    }

    fn status(&self) -> Status {
        self.inner.status()
    }

    fn providers(&self) -> &[Arc<dyn Provider>] {
        self.inner.providers()
    }
}

impl OpenProject {
    /// `state_dir` is where undo data are kept; without it nothing is written. `carrier` writes the files, where there is one.
    pub(crate) fn new(
        layout: Arc<Layout>,
        home: Option<String>,
        backend: Arc<dyn Backend>,
        (state_dir, carrier): (Option<&Path>, Option<Arc<dyn Carrier>>),
        trust: Trust,
    ) -> Self {
        let editor = match state_dir {
            Some(dir) => DiskEditor::carried(layout.clone(), Arc::new(OsFs), dir, carrier)
                .map_err(|error| format!("the undo history cannot be used: {error}")),
            None => Err("there is no directory for the undo history: set `state_dir`".to_owned()),
        };
        let backend = match &editor {
            Ok(editor) => Arc::new(WholeTree { inner: backend, editor: editor.clone() }),
            Err(_) => backend,
        };
        let libraries = Libraries::default();
        let jobs = Arc::new(ProjectJobs::new(layout.clone(), backend.clone(), trust.clone()));
        Self {
            layout,
            libraries,
            home,
            backend,
            editor,
            writer: None,
            last_used: Arc::default(),
            trust,
            jobs,
        }
    }

    /// The project for a call that writes: until it is dropped nobody else writes to it, and what it plans from its
    /// snapshot is what it finds when it writes.
    ///
    /// # Errors
    /// When the call ends before it is its turn.
    pub(crate) fn for_writing(self: &Arc<Self>, cx: Cx<'_>) -> Result<Arc<Self>, ToolError> {
        // A project that is never written to says so when somebody wants to.
        let Ok(editor) = &self.editor else { return Ok(self.clone()) };
        let writer = editor.writer(cx).map_err(|error| match error {
            EditError::Stopped(QueryError::DeadlineExceeded) => ToolError::new(
                "timeout",
                "another change of this project is being made and did not end in time",
            )
            .hint("repeat the call; nothing was changed by this one")
            .retryable(),
            EditError::Stopped(error) => error.into(),
            EditError::Failed { message } | EditError::Torn { message } => {
                ToolError::new("write_failed", format!("nothing was changed: {message}")).retryable()
            }
            other => ToolError::new("write_failed", format!("nothing was changed: {other:?}")),
        })?;
        Ok(Arc::new(Self { writer: Some(Arc::new(writer)), ..Self::clone(self) }))
    }

    /// A number that grows with every step that is taken in the project, by whichever process.
    pub(crate) fn steps_taken(&self) -> u64 {
        self.editor.as_ref().map_or(0, DiskEditor::steps_taken)
    }

    /// The editor that writes files here.
    ///
    /// # Errors
    /// Why nothing does.
    pub(crate) fn disk_editor(&self) -> Result<&DiskEditor, String> {
        self.editor.as_ref().map_err(Clone::clone)
    }

    /// The root without links.
    pub(crate) fn real_root(&self) -> &Path {
        Path::new(self.layout.root().canonical().as_str())
    }

    /// Where a file of the project is, or would be.
    pub(crate) fn real_path(&self, path: &str) -> Option<PathBuf> {
        let found = self.resolve(path, Access::Write).ok()?;
        Some(PathBuf::from(found.path.as_str()))
    }

    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    #[cfg(feature = "cli")]
    pub(crate) fn shared_backend(&self) -> Arc<dyn Backend> {
        self.backend.clone()
    }

    /// Remembers that it was used at a time, in any unit that grows.
    pub(crate) fn touch(&self, tick: u64) {
        self.last_used.fetch_max(tick, Ordering::Relaxed);
    }

    pub(crate) fn last_used(&self) -> u64 {
        self.last_used.load(Ordering::Relaxed)
    }

    /// A file outside the project that answers lead to: of an installed package, which is one only below a known root.
    pub(crate) fn in_library(&self, path: &str) -> Option<(FilePath, FileText)> {
        let never = Stop::new();
        let file = FilePath::new(path.trim());
        let snapshot = self.backend.snapshot(Cx::new(&never)).ok()?;
        let text = snapshot.text(&file).ok()?;
        Some((file, text))
    }

    /// The layout as the build files describe it now, which may have changed since the project was opened.
    fn layout_of_now(&self) -> Arc<Layout> {
        let (root, exclusions) = (self.layout.root().spelling(), self.layout.exclusions().clone());
        // A directory that is gone is described as it was.
        Layout::open(&OsFs, root, self.layout.trusted(), exclusions)
            .map_or_else(|_| self.layout.clone(), Arc::new)
    }

    /// An entry of one of the archives that the project uses.
    fn in_archive(&self, path: &str) -> Option<Result<ArchiveText, String>> {
        let root = Path::new(self.layout.root().canonical().as_str());
        archive_text(root, &PLACES, JDK_HOME.as_deref(), path.trim())
    }

    /// A directory that may be removed: no root, nothing that the project leaves out.
    fn removable(&self, path: &str) -> Result<ResolvedFile, ToolError> {
        let found = self.resolve(path, Access::Write)?;
        let roots = || self.layout.content_roots().iter().chain([self.layout.root()]);
        let is_root = roots().any(|root| {
            root.canonical() == &found.path
                || root.canonical().as_str().starts_with(&format!("{}/", found.path))
        });
        if is_root {
            let message = format!("`{path}` is or holds the root of a project or of a module");
            return Err(ToolError::new("read_only", message).hint("delete what is in it"));
        }
        let beside = |name: &str| {
            let dir = found.path.as_str().rsplit_once('/').map_or("", |(dir, _)| dir);
            OsFs.symlink_metadata(&format!("{dir}/{name}")).is_ok()
        };
        match self.layout.exclusions().excluded(&found.shown, &beside) {
            Some(rule) => {
                let message = format!("`{path}` is left out of the project by {rule}");
                Err(ToolError::new("read_only", message).hint("the tool that made it cleans it up"))
            }
            None => Ok(found),
        }
    }

    fn resolve(&self, path: &str, access: Access) -> Result<ResolvedFile, ToolError> {
        let found = self.layout.resolve_file(&OsFs, &self.libraries, path, self.home.as_deref(), access);
        found.map_err(|error| match error {
            FileError::NotFound { path } => file_not_found(&path),
            FileError::Ambiguous { path, candidates } => {
                ToolError::new("ambiguous_path", format!("`{path}` exists below several content roots"))
                    .hint("pass one of `candidates`")
                    .with("candidates", candidates)
            }
        })
    }
}

impl Project for OpenProject {
    fn name(&self) -> &str {
        self.layout.name()
    }

    fn root(&self) -> &str {
        self.layout.root().spelling()
    }

    fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    fn structure(&self) -> Structure {
        layout::structure(&self.layout_of_now())
    }

    fn dependencies(&self, module: Option<&str>) -> Dependencies {
        layout::dependencies(&self.layout_of_now(), module)
    }

    fn checkout(&self) -> Checkout {
        layout::checkout(&self.layout)
    }

    fn locate(&self, path: &str) -> Result<FilePath, ToolError> {
        if path.trim_start().starts_with("jar:") {
            // Results print such paths for compiled classes; classes that were written in Kotlin have their
            // declarations as text.
            let message = format!("`{path}` is an entry of an archive");
            if let Some((file, _)) = self.in_library(path) {
                return Ok(file);
            }
            return match self.in_archive(path) {
                Some(Ok(found)) => Ok(FilePath::new(found.path)),
                Some(Err(why)) => {
                    Err(ToolError::new("not_readable", format!("{message} that cannot be read: {why}")))
                }
                None => Err(ToolError::new(
                    "engine_unavailable",
                    format!("{message} that the project does not use"),
                )
                .hint("pass its symbolId to ide_find_references or ide_find_implementations")),
            };
        }
        if path.trim_start().starts_with(LIBRARY_SCHEME) {
            let path = path.trim();
            return match bundled_text(path) {
                Some(_) => Ok(FilePath::new(path)),
                None => Err(file_not_found(path)),
            };
        }
        let found = match self.resolve(path, Access::Read) {
            Err(error) => return self.in_library(path).map(|(file, _)| file).ok_or(error),
            Ok(found) => found,
        };
        if found.kind == Some(Kind::Dir) {
            return Err(ToolError::new("file_not_found", format!("`{path}` is a directory"))
                .hint("find its files with ide_find_file"));
        }
        if found.kind == Some(Kind::Other) {
            // Opening a pipe would wait for its other end.
            return Err(ToolError::new("file_not_found", format!("`{path}` is a pipe, socket or device"))
                .hint("find the right path with ide_find_file"));
        }
        Ok(FilePath::new(found.shown))
    }

    fn why_left_out(&self, file: &FilePath) -> Option<String> {
        let found = self.resolve(file.as_str(), Access::Read).ok()?;
        let root = Path::new(self.layout.root().canonical().as_str());
        ide_store::left_out_by(root, self.layout.exclusions(), Path::new(found.path.as_str()))
    }

    fn left_out(
        &self,
        cx: Cx<'_>,
        snapshot: &dyn Snapshot,
        globs: &[String],
    ) -> Result<Vec<FilePath>, ToolError> {
        let globs = PathGlobs::parse(globs).map_err(bad_glob)?;
        let is_listed = |path: &str| snapshot.file(&FilePath::new(path)).is_some();
        let root = Path::new(self.layout.root().canonical().as_str());
        let found = ide_store::named_files(root, self.layout.exclusions(), &globs, &is_listed, cx)?;
        Ok(found.into_iter().map(FilePath).collect())
    }

    fn path_filter(&self, globs: &[String]) -> Result<PathFilter, ToolError> {
        let globs = PathGlobs::parse(globs).map_err(bad_glob)?;
        globs.check(&OsFs, &self.layout).map_err(bad_glob)?;
        let layout = self.layout.clone();
        Ok(Box::new(move |file: &FileMeta| {
            let path = below_root(&layout, file.path.as_str());
            globs.matches((file.source != SourceKind::Library).then_some(path))
        }))
    }

    fn name_filter(&self, masks: &str) -> Result<PathFilter, ToolError> {
        let masks = FileMasks::parse(masks)
            .map_err(|error| ToolError::argument(error.to_string()).with("parameter", "filePattern"))?;
        Ok(Box::new(move |file: &FileMeta| masks.matches(file.path.as_str())))
    }

    fn changed_since(&self, cx: Cx<'_>, revision: &str, files: &[FilePath]) -> Result<Changed, ToolError> {
        git::changed_since(cx, self.real_root(), revision, files)
    }

    fn sync(&self, cx: Cx<'_>, paths: &[String]) -> Result<SyncReport, ToolError> {
        let before = self.backend.status().generation;
        // Everything that changed on disk before this returns is in the snapshot: that is the whole sync.
        let snapshot = self.backend.snapshot(cx)?;
        let mut report = SyncReport { changed: snapshot.generation() != before, ..SyncReport::default() };
        for path in paths {
            match self.resolve(path, Access::Read) {
                Ok(found) => report.synced.push(found.shown),
                // A path that is inside and missing was deleted, and the index knows so by now.
                Err(error) if error.slug == "file_not_found" => match self.resolve(path, Access::Write) {
                    Ok(found) => {
                        report.synced.push(found.shown.clone());
                        report.deleted.push(found.shown);
                    }
                    Err(_) => report.not_found.push(path.clone()),
                },
                Err(error) => return Err(error),
            }
        }
        if report.synced.is_empty() && !report.not_found.is_empty() {
            return Err(ToolError::new("file_not_found", "none of the paths is in the project")
                .with("notFound", report.not_found));
        }
        Ok(report)
    }

    fn read(&self, file: &FilePath) -> Result<FileContent, ToolError> {
        if let Some(text) = bundled_text(file.as_str()) {
            let text = text.map_err(|error| ToolError::new("engine_unavailable", error))?;
            let hash = content_hash(text.as_bytes());
            return Ok(FileContent { text, hash, encoding: "UTF-8", is_library: true });
        }
        let found = match self.resolve(file.as_str(), Access::Read) {
            Ok(found) if found.entry.is_some() => Err(file_not_found(file.as_str())),
            other => other,
        };
        let found = match found {
            Err(error) => {
                let text = match (self.in_library(file.as_str()), self.in_archive(file.as_str())) {
                    (Some((_, text)), _) => text.text,
                    (None, Some(Ok(found))) => found.text.into(),
                    (None, _) => return Err(error),
                };
                let hash = content_hash(text.as_bytes());
                return Ok(FileContent { text, hash, encoding: "UTF-8", is_library: true });
            }
            Ok(found) => found,
        };
        let gone = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::InvalidInput => file_not_found(file.as_str()),
            _ => ToolError::new("not_readable", format!("`{file}` is there and cannot be read: {error}")),
        };
        let bytes = match ide_store::read_real(found.path.as_str().as_ref(), MAX_FILE) {
            Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => {
                let message = format!("`{file}` is larger than {} MiB", MAX_FILE >> 20);
                return Err(ToolError::argument(message).hint("use ide_search_text"));
            }
            read => read.map_err(gone)?,
        };
        let text = ide_store::decode(&bytes);
        let text = text.ok_or_else(|| ToolError::argument(format!("`{file}` is not a text file")))?;
        Ok(FileContent {
            hash: content_hash(&bytes),
            encoding: encoding(&bytes),
            text: text.into(),
            is_library: found.origin == Origin::Library,
        })
    }

    fn hash(&self, file: &FilePath) -> Result<ContentHash, ToolError> {
        let found = self.resolve(file.as_str(), Access::Write)?;
        let gone = |_| file_not_found(file.as_str());
        let bytes = ide_store::read_real(found.path.as_str().as_ref(), MAX_HASHED);
        bytes.map(|bytes| content_hash(&bytes)).map_err(gone)
    }

    fn place(&self, path: &str) -> Result<FilePath, ToolError> {
        let found = self.resolve(path, Access::Write)?;
        match found.kind {
            None => Ok(FilePath::new(found.shown)),
            Some(_) => Err(ToolError::new("file_exists", format!("`{}` exists already", found.shown))
                .hint("choose another name, or edit the file that is there")),
        }
    }

    fn entry(&self, path: &str) -> Result<(FilePath, Option<EntryKind>), ToolError> {
        let found = self.resolve(path, Access::Write)?;
        let kind = match found.kind {
            None => None,
            Some(Kind::Dir) => Some(EntryKind::Directory),
            Some(Kind::File) => Some(EntryKind::File),
            Some(_) => return Err(file_not_found(path)),
        };
        Ok((FilePath::new(found.shown), kind))
    }

    fn make_directory(&self, path: &str) -> Result<(), ToolError> {
        self.editor()?;
        let found = self.resolve(path, Access::Write)?;
        ide_edit::make_directory(Path::new(found.path.as_str())).map_err(|error| not_written(path, &error))
    }

    fn files_below(&self, path: &str, most: usize) -> Result<Vec<FilePath>, ToolError> {
        let found = self.removable(path)?;
        let mut files = Vec::new();
        let mut todo = vec![(found.path.to_string(), found.shown)];
        while let Some((real, shown)) = todo.pop() {
            for entry in OsFs.read_dir(&real).map_err(|error| not_written(path, &error))? {
                let below = format!("{shown}/{}", entry.name);
                match entry.kind {
                    Kind::Dir => {
                        // Version control in it is none of ours, and is refused by name.
                        self.removable(&below)?;
                        todo.push((format!("{real}/{}", entry.name), below));
                    }
                    Kind::File => files.push(FilePath::new(below)),
                    Kind::Symlink | Kind::Other => {
                        let message = format!("`{below}` is a link or a device, which is not removed");
                        return Err(ToolError::new("read_only", message).hint("remove it in a shell first"));
                    }
                }
                if files.len() >= most {
                    return Ok(files);
                }
            }
        }
        files.sort();
        Ok(files)
    }

    fn remove_directories(&self, path: &str) -> Result<(), ToolError> {
        self.editor()?;
        let found = self.removable(path)?;
        ide_edit::remove_directories(Path::new(found.path.as_str()))
            .map_err(|error| not_written(path, &error))
    }

    fn editor(&self) -> Result<&dyn Editor, ToolError> {
        match (&self.writer, &self.editor) {
            (Some(writer), _) => Ok(&**writer),
            (None, Ok(editor)) => Ok(editor),
            (None, Err(why)) => {
                Err(ToolError::new("read_only", format!("this server writes no files: {why}")))
            }
        }
    }

    fn format(
        &self,
        cx: Cx<'_>,
        file: &FilePath,
        text: &str,
        lines: Option<(u32, u32)>,
    ) -> Result<Formatted, ToolError> {
        let found = self.resolve(file.as_str(), Access::Write)?;
        let search_path =
            std::env::var_os("PATH").map_or_else(Vec::new, |path| std::env::split_paths(&path).collect());
        let root = Path::new(self.layout.root().canonical().as_str());
        let checkout = Path::new(self.layout.checkout().as_str());
        let (file, is_trusted) = (Path::new(found.path.as_str()), self.trust.holds(root));
        Job { root, checkout, file, text, lines, is_trusted, search_path }.format(cx)
    }

    fn jobs(&self) -> &dyn Jobs {
        &*self.jobs
    }
}

fn not_written(path: &str, error: &std::io::Error) -> ToolError {
    ToolError::new("write_failed", format!("`{path}`: {error}"))
}

/// A snapshot's name of a file relative to the project root, as globs see it.
fn bad_glob(error: GlobError) -> ToolError {
    ToolError::argument(error.to_string()).with("parameter", "paths")
}

fn below_root<'a>(layout: &Layout, path: &'a str) -> &'a str {
    path.strip_prefix(layout.root().spelling()).map_or(path, |rest| rest.trim_start_matches('/'))
}

fn encoding(bytes: &[u8]) -> &'static str {
    match bytes {
        [0xff, 0xfe, ..] => "UTF-16LE",
        [0xfe, 0xff, ..] => "UTF-16BE",
        _ if std::str::from_utf8(bytes).is_ok() => "UTF-8",
        _ => "unknown",
    }
}
