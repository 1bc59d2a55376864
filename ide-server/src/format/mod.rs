//! Formatters: which one a project is set up for, and what it makes of a text.
//!
//! A project says which formatter it uses by a configuration file or by naming it among what it is built with; without
//! either the first one that is installed is taken. Programs of the project (`node_modules/.bin`, `vendor/bin`, `.venv/bin`)
//! come before those of the search path. They, and formatters that load code which the project's configuration names, run
//! only for projects that the user trusts.

mod table;

use std::path::{Path, PathBuf};
use std::time::Duration;

use ide_model::{Cx, Language};
use ide_toolchain::{Finished, Limits, Overflow, Program, RunError, run};
use ide_tools::{Formatted, ToolError};

use self::table::{Code, FORMATTERS, Formatter, TextInput};
use crate::jobs::how_to_trust;

/// Longest run of a formatter.
const LIMIT: Duration = Duration::from_secs(40);
/// A formatter that writes more than so many bytes has lost its way.
const MOST_OUTPUT: usize = 32 << 20;
/// Of what a formatter complains, this many characters are passed on.
const SAID: usize = 2_000;
/// Larger files are not read for the names of formatters.
const MAX_CONFIG: u64 = 1 << 20;

/// The text to format, and the way.
pub(crate) struct Job<'a> {
    /// Absolute, without links.
    pub(crate) root: &'a Path,
    /// The checkout that the project lies in.
    pub(crate) checkout: &'a Path,
    pub(crate) file: &'a Path,
    pub(crate) text: &'a str,
    pub(crate) lines: Option<(u32, u32)>,
    /// Whether code of the project may be run.
    pub(crate) is_trusted: bool,
    /// The directories of programs besides the project.
    pub(crate) search_path: Vec<PathBuf>,
}

impl Job<'_> {
    /// The text as the project's formatter writes it.
    ///
    /// # Errors
    /// `no_formatter`, `not_trusted`, `format_failed`, `timeout`, `cancelled`.
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
        if let Some(why) = self.own_code(row, &program).filter(|_| !self.is_trusted) {
            return Err(self.not_trusted(row, &why));
        }
        let by = match program.strip_prefix(self.root) {
            Ok(inside) => format!("{} ({})", row.name, inside.display()),
            Err(_) => row.name.to_owned(),
        };
        let text = match row.way {
            TextInput::Stream(args) => self.streamed(cx, row, &program, &args(self))?,
            TextInput::Copy(args) => self.copied(cx, row, &program, args)?,
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
        let ended = ended(cx, row, Program::new(program, folder).args(args), self.text)?;
        if !ended.status.success() || ended.out.text().trim().is_empty() && !self.text.trim().is_empty() {
            return Err(failed(row, &ended));
        }
        let text = ended.out.whole().and_then(|bytes| String::from_utf8(bytes).ok());
        text.ok_or_else(|| ToolError::new("format_failed", format!("{} wrote what is not UTF-8", row.name)))
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
        let args = args(self, &copy.to_string_lossy());
        let ended = ended(cx, row, Program::new(program, self.root).args(args), "")?;
        if !ended.status.success() {
            return Err(failed(row, &ended));
        }
        let bytes = ide_store::read_regular(&copy, MOST_OUTPUT as u64).map_err(broken)?;
        String::from_utf8(bytes).map_err(|error| broken(std::io::Error::other(error)))
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

    /// Why running a program would run code of the project, if it would.
    fn own_code(&self, row: &Formatter, program: &Path) -> Option<String> {
        let is_inside = |path: &Path| path.starts_with(self.root) || path.starts_with(self.checkout);
        if is_inside(program) || program.canonicalize().is_ok_and(|real| is_inside(&real)) {
            let shown = program.strip_prefix(self.root).unwrap_or(program);
            return Some(format!("`{}` is a program of the project", shown.display()));
        }
        match row.code {
            Code::Never => None,
            Code::Always => Some(format!("{} loads code that the project's configuration names", row.name)),
            Code::ChosenBy(names) => {
                let around =
                    self.file.ancestors().skip(1).take_while(|folder| folder.starts_with(self.checkout));
                let mut chosen =
                    around.flat_map(|folder| names.iter().map(|name| (folder.join(name), *name)));
                let (_, name) = chosen.find(|(path, _)| path.symlink_metadata().is_ok())?;
                Some(format!("`{name}` of the project says which {} is run", row.name))
            }
        }
    }

    fn not_trusted(&self, row: &Formatter, why: &str) -> ToolError {
        let message = format!("{} was not run: {why}, and the project is not trusted", row.name);
        ToolError::new("not_trusted", message).hint(how_to_trust(self.root)).with("formatter", row.name)
    }

    fn program(&self, row: &Formatter) -> Option<PathBuf> {
        let local = self.folders().flat_map(|folder| row.places.iter().map(|place| folder.join(place)));
        // A relative directory would depend on where the server was started.
        let around = self.search_path.iter().filter(|place| place.is_absolute()).cloned();
        local.chain(around).map(|place| place.join(row.program)).find(|path| path.is_file())
    }
}

/// Runs a formatter to its end.
fn ended(cx: Cx<'_>, row: &Formatter, program: Program, text: &str) -> Result<Finished, ToolError> {
    let limits = Limits { time: LIMIT, output: MOST_OUTPUT, overflow: Overflow::Fail };
    run(cx, &program, text.as_bytes(), limits).map_err(|error| {
        let message = format!("{} {error}", row.name);
        match error {
            RunError::Start(_) => {
                ToolError::new("no_formatter", message).hint("see that it can be run by hand")
            }
            RunError::Late(_) => ToolError::new("timeout", message).retryable(),
            RunError::Stopped(error) => error.into(),
            RunError::Failed(_) | RunError::TooMuch(_) => ToolError::new("format_failed", message),
        }
    })
}

fn read(path: &Path) -> Option<String> {
    String::from_utf8(ide_store::read_real(path, MAX_CONFIG).ok()?).ok()
}

fn missing(rows: &[&Formatter]) -> ToolError {
    let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
    let ways: Vec<String> = rows.iter().map(|row| format!("{}: {}", row.name, row.install)).collect();
    ToolError::new("no_formatter", format!("none of {} is installed", names.join(", ")))
        .hint(format!("install one ({})", ways.join("; ")))
        .with("supportedValues", names)
}

fn failed(row: &Formatter, ended: &Finished) -> ToolError {
    let (out, err) = (ended.out.text(), ended.err.text());
    let said = if err.trim().is_empty() { out } else { err };
    let said: String = said.trim().chars().take(SAID).collect();
    ToolError::new("format_failed", format!("{} did not format the file: {said}", row.name))
        .hint("correct the reported errors; ide_diagnostics shows syntax errors")
        .with("formatter", row.name)
}

#[cfg(test)]
mod tests;
