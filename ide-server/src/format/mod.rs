//! Formatters: which one a project is set up for, and what it makes of a text.
//!
//! A project says which formatter it uses by a configuration file or by naming it among what it is built with; without
//! either the first one that is installed is taken. Programs of the project (`node_modules/.bin`, `vendor/bin`, `.venv/bin`)
//! come before those of the search path.

mod run;
mod table;

use std::path::{Path, PathBuf};
use std::time::Duration;

use ide_model::{Cx, Language};
use ide_tools::{Formatted, ToolError};

use self::run::{Ended, run};
use self::table::{FORMATTERS, Formatter, Way};

/// Longest run of a formatter.
const LIMIT: Duration = Duration::from_secs(40);
/// Of what a formatter complains, this many characters are passed on.
const SAID: usize = 2_000;
/// Larger files are not read for the names of formatters.
const MAX_CONFIG: u64 = 1 << 20;

/// What is to be formatted.
pub(crate) struct Job<'a> {
    /// Absolute, without links.
    pub(crate) root: &'a Path,
    pub(crate) file: &'a Path,
    pub(crate) text: &'a str,
    pub(crate) lines: Option<(u32, u32)>,
    /// Where programs are looked for besides the project.
    pub(crate) search_path: Vec<PathBuf>,
}

impl Job<'_> {
    /// The text as the project's formatter writes it.
    ///
    /// # Errors
    /// `no_formatter`, `format_failed`, `timeout`, `cancelled`.
    pub(crate) fn format(&self, cx: Cx<'_>) -> Result<Formatted, ToolError> {
        let language = Language::of_path(&self.file.to_string_lossy());
        let rows: Vec<&Formatter> = FORMATTERS
            .iter()
            .filter(|row| language.is_some_and(|language| row.languages.contains(&language)))
            .collect();
        if rows.is_empty() {
            let name = language.map_or("this file", Language::name);
            return Err(ToolError::new("unsupported_language", format!("no formatter is known for {name}")));
        }
        let (row, wanted_by) = match self.chosen(&rows) {
            Some((row, by)) => (row, Some(by)),
            None => {
                let installed = rows.iter().find(|row| self.program(row).is_some());
                (*installed.ok_or_else(|| missing(&rows))?, None)
            }
        };
        let program = self.program(row).ok_or_else(|| {
            let by = wanted_by.as_deref().unwrap_or("the project");
            ToolError::new("no_formatter", format!("{by} asks for {}, which is not installed", row.name))
                .hint(format!("install it: {}", row.install))
                .with("formatter", row.name)
        })?;
        let by = match program.strip_prefix(self.root) {
            Ok(inside) => format!("{} ({})", row.name, inside.display()),
            Err(_) => row.name.to_owned(),
        };
        let text = match row.way {
            Way::Stream(args) => self.streamed(cx, row, &program, &args(self))?,
            Way::Copy(args) => self.copied(cx, row, &program, args)?,
        };
        Ok(Formatted { text, by })
    }

    fn streamed(
        &self,
        cx: Cx<'_>,
        row: &Formatter,
        program: &Path,
        args: &[String],
    ) -> Result<String, ToolError> {
        let folder = self.file.parent().unwrap_or(self.root);
        let ended = run(cx, program, args, folder, self.text, LIMIT);
        let ended = ended.map_err(|error| error.told(row.name))?;
        if !ended.is_good || ended.out.trim().is_empty() && !self.text.trim().is_empty() {
            return Err(failed(row, &ended));
        }
        Ok(ended.out)
    }

    /// For programs that write files only: a copy in a directory of its own.
    fn copied(
        &self,
        cx: Cx<'_>,
        row: &Formatter,
        program: &Path,
        args: fn(&Job<'_>, &str) -> Vec<String>,
    ) -> Result<String, ToolError> {
        let broken = |error: std::io::Error| {
            ToolError::new("format_failed", format!("no copy could be made for {}: {error}", row.name))
        };
        let folder = tempfile::tempdir().map_err(broken)?;
        let copy = folder.path().join(self.file.file_name().unwrap_or_default());
        std::fs::write(&copy, self.text).map_err(broken)?;
        let ended = run(cx, program, &args(self, &copy.to_string_lossy()), self.root, "", LIMIT);
        let ended = ended.map_err(|error| error.told(row.name))?;
        if !ended.is_good {
            return Err(failed(row, &ended));
        }
        std::fs::read_to_string(&copy).map_err(broken)
    }

    /// The formatter that the project asks for, and what says so: the nearest configuration first.
    fn chosen<'r>(&self, rows: &[&'r Formatter]) -> Option<(&'r Formatter, String)> {
        for folder in self.folders() {
            for row in rows {
                if let Some(name) = row.configs.iter().find(|name| folder.join(name).is_file()) {
                    return Some((row, (*name).to_owned()));
                }
            }
            for row in rows {
                let says = |(name, word): &&(&str, &str)| {
                    read(&folder.join(name)).is_some_and(|text| text.contains(word))
                };
                if let Some((name, _)) = row.mentions.iter().find(says) {
                    return Some((row, (*name).to_owned()));
                }
            }
        }
        None
    }

    /// The folder of the file and those around it, up to the root.
    fn folders(&self) -> impl Iterator<Item = &Path> {
        self.file.ancestors().skip(1).take_while(|folder| folder.starts_with(self.root))
    }

    /// The nearest of some files.
    fn nearest(&self, names: &[&str]) -> Option<PathBuf> {
        self.folders()
            .flat_map(|folder| names.iter().map(|name| folder.join(name)))
            .find(|path| path.is_file())
    }

    fn program(&self, row: &Formatter) -> Option<PathBuf> {
        let local = self.folders().flat_map(|folder| row.places.iter().map(|place| folder.join(place)));
        let around = self.search_path.iter().cloned();
        local.chain(around).map(|place| place.join(row.program)).find(|path| path.is_file())
    }
}
fn read(path: &Path) -> Option<String> {
    let is_small = std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_CONFIG);
    if is_small { std::fs::read_to_string(path).ok() } else { None }
}

fn missing(rows: &[&Formatter]) -> ToolError {
    let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
    let ways: Vec<String> = rows.iter().map(|row| format!("{}: {}", row.name, row.install)).collect();
    ToolError::new("no_formatter", format!("none of {} is installed", names.join(", ")))
        .hint(format!("install one ({})", ways.join("; ")))
        .with("supportedValues", names)
}

fn failed(row: &Formatter, ended: &Ended) -> ToolError {
    let said = if ended.err.trim().is_empty() { &ended.out } else { &ended.err };
    let said: String = said.trim().chars().take(SAID).collect();
    ToolError::new("format_failed", format!("{} did not format the file: {said}", row.name))
        .hint("mend what it complains of; ide_diagnostics shows syntax errors")
        .with("formatter", row.name)
}

#[cfg(test)]
mod tests;
