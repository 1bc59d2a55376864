//! A project as programs see it: folders, files, and where programs are found.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ide_model::{FilePath, LineColumn, LineIndex, ToolMessage};

use crate::messages::{At, Messages, Raw, Unit};
use crate::process::Program;

/// Words of a command that are shown, at most.
const MAX_WORDS: usize = 40;
/// Larger files are not read for a column or a configuration.
const MAX_FILE: u64 = 8 << 20;

/// A project whose programs are run.
#[derive(Clone, Debug)]
pub struct Site {
    /// Real path of the project.
    pub root: PathBuf,
    /// Real path of the checkout that it lies in, which may be larger.
    pub checkout: PathBuf,
    /// Real paths of the directories of its modules, the root's own among them.
    pub modules: Vec<PathBuf>,
    /// Source files by the names that snapshots use.
    pub files: Vec<FilePath>,
    /// Folders where programs are looked for besides the project; paths that are not absolute are passed over.
    pub search_path: Vec<PathBuf>,
}

/// A program that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl Site {
    /// The real path of a file by the name that snapshots use.
    pub(crate) fn path(&self, file: &FilePath) -> PathBuf {
        self.root.join(file.as_str())
    }

    /// The name that snapshots use of a real path.
    pub(crate) fn shown(&self, path: &Path) -> FilePath {
        let shown = path.strip_prefix(&self.root).unwrap_or(path);
        FilePath::new(shown.to_string_lossy().replace('\\', "/"))
    }

    /// A text for a reader: paths of the project become relative to it.
    pub(crate) fn relative(&self, text: &str) -> String {
        let root = self.root.to_string_lossy();
        let root = root.trim_end_matches('/');
        if root.is_empty() || !text.contains(root) {
            return text.to_owned();
        }
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(root) {
            let behind = &rest[at + root.len()..];
            shown.push_str(&rest[..at]);
            let is_begin = !shown.ends_with(|c: char| c.is_alphanumeric() || "/._-".contains(c))
                || shown.ends_with("file://");
            let is_end = !behind.starts_with(|c: char| c.is_alphanumeric() || "._-".contains(c));
            if is_begin && is_end {
                shown.truncate(shown.strip_suffix("file://").map_or(shown.len(), str::len));
                let inside = behind.strip_prefix('/');
                if inside.is_none() {
                    shown.push('.');
                }
                rest = inside.unwrap_or(behind);
            } else {
                shown.push_str(root);
                rest = behind;
            }
        }
        shown.push_str(rest);
        shown
    }

    /// A directory and those around it, up to the root.
    pub(crate) fn around<'d>(&self, dir: &'d Path) -> impl Iterator<Item = &'d Path> + use<'d> {
        let root = self.root.clone();
        dir.ancestors().take_while(move |dir| dir.starts_with(&root))
    }

    /// The nearest directory, from one on upwards, that has one of some files.
    pub(crate) fn nearest<'d>(&self, dir: &'d Path, names: &[&str]) -> Option<&'d Path> {
        self.around(dir).find(|dir| names.iter().any(|name| dir.join(name).is_file()))
    }

    /// The text of a configuration file; `None` when it is missing or none.
    pub(crate) fn text(&self, path: &Path) -> Option<String> {
        read(path)
    }

    /// A program: in one of `places` of a directory or of those around it, else on the search path.
    pub(crate) fn program(&self, dir: &Path, places: &[&str], name: &str) -> Option<PathBuf> {
        self.own_program(dir, places, name).or_else(|| self.machine_program(name))
    }

    /// A program of the project.
    pub(crate) fn own_program(&self, dir: &Path, places: &[&str], name: &str) -> Option<PathBuf> {
        let local =
            self.around(dir).flat_map(|dir| places.iter().map(move |place| dir.join(place).join(name)));
        local.into_iter().find(|path| path.is_file())
    }

    /// A program of the machine.
    pub(crate) fn machine_program(&self, name: &str) -> Option<PathBuf> {
        let around = self.search_path.iter().filter(|place| place.is_absolute());
        around.map(|place| place.join(name)).find(|path| path.is_file())
    }

    /// Whether a program is code of the project, also by a link.
    pub(crate) fn is_own(&self, program: &Path) -> bool {
        let is_inside = |path: &Path| path.starts_with(&self.root) || path.starts_with(&self.checkout);
        is_inside(program) || program.canonicalize().is_ok_and(|real| is_inside(&real))
    }

    /// The file of the project whose path ends with another one, when there is one only.
    pub(crate) fn file_by_end(&self, end: &str) -> Option<&FilePath> {
        let end = end.trim_start_matches("./");
        let fits = |file: &&FilePath| {
            file.as_str().strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let mut found = self.files.iter().filter(fits);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// The real path that a program means by a name, from where it ran. `None` when there is no such file.
    pub(crate) fn meant(&self, name: &str, folder: &Path) -> Option<PathBuf> {
        let name = name.trim_start_matches("file://");
        let written = Path::new(name);
        let tried = [folder.join(written), self.root.join(written)];
        let found = tried.iter().find_map(|path| path.canonicalize().ok().filter(|path| path.is_file()));
        found.or_else(|| self.path(self.file_by_end(name)?).canonicalize().ok())
    }
}

pub(crate) fn read(path: &Path) -> Option<String> {
    let meta = std::fs::metadata(path).ok()?;
    if !meta.is_file() || meta.len() > MAX_FILE {
        return None;
    }
    Some(String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned())
}

/// One run of a program.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) program: Program,
    /// A folder of ours that arguments name.
    scratch: Option<PathBuf>,
}

impl Step {
    pub(crate) fn new(
        file: &Path,
        folder: &Path,
        args: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        let mut program = Program::new(file, folder).args(args);
        // Without colours and in English, so that messages can be read; a pager or a question would wait for ever.
        let settings = [
            ("NO_COLOR", "1"),
            ("CARGO_TERM_COLOR", "never"),
            ("TERM", "dumb"),
            ("CI", "true"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("PAGER", "cat"),
        ];
        program.env.extend(settings.map(|(name, value)| (name.into(), Some(value.into()))));
        program.env.push(("FORCE_COLOR".into(), None));
        if cfg!(target_os = "linux") {
            program.env.push(("LC_ALL".into(), Some("C.UTF-8".into())));
        }
        Self { program, scratch: None }
    }

    /// The same with a folder whose path is not shown.
    pub(crate) fn scratch(mut self, scratch: &Path) -> Self {
        self.scratch = Some(scratch.to_owned());
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.program.env.push((name.into(), Some(value.into())));
        self
    }

    /// The command for a reader: paths of the project relative to it, a long list of names cut.
    pub(crate) fn shown(&self, site: &Site) -> String {
        let file = &self.program.file;
        let name = match file.strip_prefix(&site.root) {
            Ok(inside) => format!("./{}", inside.display()),
            Err(_) => file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        };
        let words = self.program.args.iter().take(MAX_WORDS).map(|arg| {
            let arg = site.relative(&arg.to_string_lossy());
            let arg = match self.scratch.as_deref().and_then(Path::to_str) {
                Some(scratch) => arg.replace(scratch, "…"),
                None => arg,
            };
            let line = arg.lines().next().unwrap_or_default();
            let cut: String = line.chars().take(200).collect();
            if cut.len() < arg.len() {
                format!("'{cut}…'")
            } else if cut.contains(' ') {
                format!("'{cut}'")
            } else {
                cut
            }
        });
        let more = self.program.args.len().saturating_sub(MAX_WORDS);
        let more = (more > 0).then(|| format!("… ({more} more)"));
        let words: Vec<String> = std::iter::once(name).chain(words).chain(more).collect();
        let shown = site.shown(&self.program.folder);
        let command = words.join(" ");
        if self.program.folder == site.root { command } else { format!("({shown}) {command}") }
    }
}

/// Makes messages with the names and columns that tools print.
pub(crate) struct Places<'s> {
    site: &'s Site,
    folder: PathBuf,
    texts: RefCell<HashMap<PathBuf, Option<Rc<Text>>>>,
}

struct Text {
    text: String,
    lines: LineIndex,
}

impl<'s> Places<'s> {
    /// Places of a program that ran in a folder.
    pub(crate) fn new(site: &'s Site, folder: &Path) -> Self {
        Self { site, folder: folder.to_owned(), texts: RefCell::default() }
    }

    pub(crate) fn messages(&self, messages: Messages) -> Vec<ToolMessage> {
        messages.kept.into_iter().map(|raw| self.message(raw)).collect()
    }

    /// The name of a file that a program means, and its real path when it exists.
    pub(crate) fn file(&self, name: &str) -> (FilePath, Option<PathBuf>) {
        match self.site.meant(name, &self.folder) {
            Some(path) => (self.site.shown(&path), Some(path)),
            None => (self.site.shown(&self.folder.join(name)), None),
        }
    }

    fn message(&self, raw: Raw) -> ToolMessage {
        let (file, path) = raw.file.as_deref().map(|name| self.file(name)).unzip();
        let text = path.flatten().and_then(|path| self.text(&path));
        let place = |at: Option<At>| at.map_or((None, None), |at| position(at, text.as_deref()));
        let (line, column) = place(raw.start);
        let (end_line, end_column) = place(raw.end);
        ToolMessage {
            severity: raw.severity,
            message: self.site.relative(&raw.message),
            file,
            line,
            column,
            end_line,
            end_column,
            code: raw.code,
            source: raw.source,
        }
    }

    fn text(&self, path: &Path) -> Option<Rc<Text>> {
        let mut texts = self.texts.borrow_mut();
        let text = || read(path).map(|text| Rc::new(Text { lines: LineIndex::new(&text), text }));
        texts.entry(path.to_owned()).or_insert_with(text).clone()
    }
}

/// Line and column as tools print them. Without the text a column is taken as it is.
fn position(at: At, text: Option<&Text>) -> (Option<u32>, Option<u32>) {
    match at {
        At::Line(line) => (Some(line), None),
        At::Column(line, column, unit) => {
            let of_line = text.and_then(|text| {
                let range = text.lines.line_range(line)?;
                text.text.get(range.start as usize..range.end as usize)
            });
            (Some(line), Some(of_line.map_or(column, |text| utf16_column(text, column, unit))))
        }
        At::Byte(byte) => {
            let Some(text) = text else { return (None, None) };
            let mut byte = (byte as usize).min(text.text.len());
            while !text.text.is_char_boundary(byte) {
                byte -= 1;
            }
            let LineColumn { line, column } = text.lines.position(&text.text, byte as u32);
            (Some(line), Some(column))
        }
    }
}

/// The column in UTF-16 units of one in another unit; both count from 1.
fn utf16_column(line: &str, column: u32, unit: Unit) -> u32 {
    let wanted = column - 1;
    let (mut seen, mut units) = (0, 0);
    for c in line.chars() {
        if seen >= wanted {
            break;
        }
        seen += match unit {
            Unit::Utf16 => c.len_utf16() as u32,
            Unit::Chars => 1,
            Unit::Bytes => c.len_utf8() as u32,
            Unit::Tabs if c == '\t' => 8 - seen % 8,
            Unit::Tabs => c.len_utf16() as u32,
        };
        units += c.len_utf16() as u32;
    }
    units + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_project_are_shown_relative() {
        let root = PathBuf::from("/p/shop");
        let site = Site {
            checkout: root.clone(),
            root,
            modules: Vec::new(),
            files: Vec::new(),
            search_path: Vec::new(),
        };
        let text = "at f (file:///p/shop/a.ts:3) /p/shop, /p/shopping/a /q/p/shop/b '/p/shop/c'";
        assert_eq!(site.relative(text), "at f (a.ts:3) ., /p/shopping/a /q/p/shop/b 'c'");
        let many = (0..50).map(|at| format!("/p/shop/{at}"));
        let step =
            Step::new(Path::new("/bin/run"), Path::new("/p/shop/sub"), ["--root=/p/shop", "/t/x/report"])
                .scratch(Path::new("/t/x"));
        assert_eq!(step.shown(&site), "(sub) run --root=. …/report");
        let long = Step::new(Path::new("/bin/run"), Path::new("/p/shop"), many).shown(&site);
        assert!(long.starts_with("run 0 1 ") && long.ends_with(" 39 … (10 more)"), "{long}");
    }

    #[test]
    fn columns_are_counted_in_utf16() {
        let line = "\té😀x\n";
        assert_eq!(utf16_column(line, 5, Unit::Utf16), 5);
        assert_eq!(utf16_column(line, 4, Unit::Chars), 5);
        assert_eq!(utf16_column(line, 8, Unit::Bytes), 5);
        assert_eq!(utf16_column(line, 12, Unit::Tabs), 5);
        assert_eq!(utf16_column("a", 9, Unit::Chars), 2);
    }
}
