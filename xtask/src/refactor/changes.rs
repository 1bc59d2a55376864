//! Changes of names and files: rename, imports, move.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::places::{self, Place};
use super::reasons::{Verdict, kind_of, verdict_of};
use super::{Change, Done, Run, Tally};
use crate::repo;

/// A word of the sources.
#[derive(Clone)]
pub(super) struct Word {
    pub(super) file: String,
    pub(super) at: Place,
}

impl Run<'_> {
    /// The files in which changes are tried.
    pub(super) fn sources(&self) -> Result<Vec<PathBuf>> {
        let from = Path::new(self.subject.sources);
        let mut files = repo::walk(&self.root.join(from), |_| false)?;
        files.retain(|f| self.subject.endings.iter().any(|e| f.to_string_lossy().ends_with(e)));
        Ok(files.into_iter().map(|file| from.join(file)).collect())
    }

    /// Every word of them.
    pub(super) fn words(&self) -> Result<Vec<Word>> {
        let mut words = Vec::new();
        for file in &self.files {
            let text = fs::read_to_string(self.root.join(file))?;
            let file = file.to_string_lossy();
            words.extend(places::words(&text).into_iter().map(|at| Word { file: file.to_string(), at }));
        }
        ensure!(!words.is_empty(), "no names in {}", self.root.display());
        Ok(words)
    }

    /// Tries to rename what a name means. A name that means nothing in the project does not count.
    pub(super) fn rename(&mut self, tally: &mut Tally) -> Result<Option<Done>> {
        let Word { file, at } = self.names[self.random.below(self.names.len())].clone();
        let found = self.client.call(
            "ide_find_definition",
            &json!({"project_path": self.root, "file": file, "line": at.line, "column": at.column}),
        )?;
        let at = found.value;
        let (Some(home), Some(name)) = (at["file"].as_str(), at["symbolName"].as_str()) else {
            return Ok(None);
        };
        // The text there may have moved by earlier renames of the batch: a keyword, a comment.
        let is_ours =
            !found.is_error && home.starts_with(self.subject.sources) && !Path::new(home).is_absolute();
        if !is_ours || name.starts_with('<') || name.contains("Zq") || !self.stands_there(&at, name)? {
            return Ok(None);
        }
        // A key may be any text, but a new name is one.
        let is_word = name.chars().all(|c| c.is_alphanumeric() || "_$'#`".contains(c));
        let new_name = format!("{}Zq{}", if is_word { name } else { "key" }, tally.asked);
        let arguments = json!({
            "project_path": self.root, "file": at["file"], "line": at["line"], "column": at["column"],
            "newName": new_name, "includeDiff": true,
        });
        let what = format!("{name} at {home}:{}:{}", at["line"], at["column"]);
        self.carry_out("ide_refactor_rename", arguments, what, tally)
    }

    /// Tries a rename up to three columns off a name. Where a word touches the place, that word is renamed or nothing is;
    /// elsewhere nothing may be renamed.
    pub(super) fn rename_beside(&mut self, tally: &mut Tally) -> Result<Option<Done>> {
        let Word { file, at } = self.names[self.random.below(self.names.len())].clone();
        let path = self.root.join(&file);
        let Ok(text) = fs::read_to_string(&path) else { return Ok(None) };
        let Some(line) = text.lines().nth(at.line - 1).filter(|line| line.is_ascii()) else {
            return Ok(None);
        };
        let end = at.column + places::touching(line, at.column).len();
        let off = 1 + self.random.below(3);
        let column = if self.random.once_in(2) { end + off } else { at.column.saturating_sub(off) };
        if column == 0 || column > line.len() + 1 {
            return Ok(None);
        }
        let word = places::touching(line, column);
        if word.contains("Zq") {
            return Ok(None);
        }
        let new_name = format!("{}Zq{}", if word.is_empty() { "beside" } else { word }, tally.asked);
        let arguments = json!({
            "project_path": self.root, "file": file, "line": at.line, "column": column,
            "newName": new_name, "includeDiff": true,
        });
        let what = format!("`{word}` off a name at {file}:{}:{column}", at.line);
        let answer = self.client.call("ide_refactor_rename", &arguments)?;
        if answer.is_error {
            match kind_of(&answer.value) {
                "symbol_not_found" | "invalid_argument" => {
                    tally.asked += 1;
                    tally.refused += 1;
                    tally.count_reason(kind_of(&answer.value));
                }
                _ => self.refused("ide_refactor_rename", &answer.value, &what, tally),
            }
            return Ok(None);
        }
        tally.asked += 1;
        let done = self.done(what, false, &answer.value, tally);
        // A file that goes by the name of its class is away by now.
        let is_word = !word.is_empty()
            && fs::read_to_string(&path)
                .is_ok_and(|now| now.lines().any(|now| now != line && now.replace(&new_name, word) == line));
        if !is_word && path.exists() {
            let what = done.as_ref().map_or("", |done| &done.what);
            println!("  wrong symbol: {what}");
            tally.unsound += 1;
            tally.bad.push(format!("wrong symbol: {what}"));
        }
        Ok(done)
    }

    /// Whether a definition is a word in the text: packages and files are not, and show their beginning.
    fn stands_there(&self, at: &Value, name: &str) -> Result<bool> {
        let (file, line, column) = (at["file"].as_str(), at["line"].as_u64(), at["column"].as_u64());
        let (Some(file), Some(line), Some(column)) = (file, line, column) else { return Ok(false) };
        // Not of the project: a library's file has no path here.
        let Ok(text) = fs::read_to_string(self.root.join(file)) else { return Ok(false) };
        let rest = text.lines().nth(line as usize - 1).unwrap_or_default();
        // Columns count UTF-16 units; other lines are left out when names are picked, but not here.
        let rest = if rest.is_ascii() { rest.get(column as usize - 1..).unwrap_or_default() } else { name };
        Ok(rest
            .trim_start_matches(['$', '"', '\'', '`', '#', '@'])
            .starts_with(name.trim_start_matches(['$', '#'])))
    }

    fn any_file(&mut self) -> PathBuf {
        self.files[self.random.below(self.files.len())].clone()
    }

    /// A file of Rust that is no root of a crate, and one in another folder, each folder as likely as any other. Only
    /// folders that are those of a module count: nothing can go to others.
    fn module_and_other(&mut self) -> (PathBuf, PathBuf) {
        let ends = |file: &Path, names: &[&str]| names.iter().any(|name| file.ends_with(name));
        let is_modules = |folder: &Path| {
            let holds = |name: &str| self.root.join(folder).join(name).exists();
            ["mod.rs", "lib.rs", "main.rs"].into_iter().any(holds)
                || self.root.join(folder.with_extension("rs")).exists()
        };
        let mut folders: Vec<PathBuf> =
            self.files.iter().filter_map(|f| Some(f.parent()?.to_owned())).collect();
        folders.sort();
        folders.dedup();
        folders.retain(|folder| is_modules(folder));
        if folders.len() < 2 {
            return (self.any_file(), self.any_file());
        }
        let from = folders.remove(self.random.below(folders.len()));
        let to = folders[self.random.below(folders.len())].join("x.rs");
        let inside: Vec<&PathBuf> = self
            .files
            .iter()
            .filter(|f| f.parent() == Some(&from) && !ends(f, &["lib.rs", "main.rs", "mod.rs"]))
            .collect();
        match inside.len() {
            0 => (from.join("mod.rs"), to),
            n => (inside[self.random.below(n)].clone(), to),
        }
    }

    /// Tidies the imports of a file, or moves it to where another one lies. A file that is not there any more, or would
    /// not move, does not count.
    pub(super) fn change_file(&mut self, change: Change, tally: &mut Tally) -> Result<Option<Done>> {
        let (file, other) = match change {
            Change::Move if self.subject.lang == "rust" => self.module_and_other(),
            _ => (self.any_file(), self.any_file()),
        };
        let (Some(folder), Some(name)) = (other.parent(), file.file_name()) else { return Ok(None) };
        let is_there = self.root.join(folder).join(name).exists();
        if !self.root.join(&file).exists() || change == Change::Move && is_there {
            return Ok(None);
        }
        let path = file.display();
        if change == Change::Imports {
            let arguments = json!({"project_path": self.root, "file": file, "includeDiff": true});
            return self.carry_out("ide_optimize_imports", arguments, format!("imports of {path}"), tally);
        }
        let destination = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let what = format!("{path} to {}", folder.display());
        let arguments =
            json!({"project_path": self.root, "file": file, "destination": destination, "includeDiff": true});
        self.carry_out("ide_move_file", arguments, what, tally)
    }

    /// Calls a tool that changes something, and counts what is known at once. A doubt is overruled.
    pub(super) fn carry_out(
        &mut self,
        tool: &str,
        mut arguments: Value,
        what: String,
        tally: &mut Tally,
    ) -> Result<Option<Done>> {
        let answer = self.client.call(tool, &arguments)?;
        if !answer.is_error {
            tally.asked += 1;
            return Ok(self.done(what, false, &answer.value, tally));
        }
        if kind_of(&answer.value) == "unresolved_use" {
            arguments["force"] = true.into();
            let first_conflict = &answer.value["conflicts"][0];
            let forced = self.client.call(tool, &arguments)?;
            if !forced.is_error {
                tally.asked += 1;
                tally.count_reason("unresolved_use: put to the test");
                let what = format!("{what} ({} {})", first_conflict["at"], first_conflict["message"]);
                return Ok(self.done(what, true, &forced.value, tally));
            }
        }
        self.refused(tool, &answer.value, &what, tally);
        Ok(None)
    }

    /// Counts a refusal.
    pub(super) fn refused(&self, tool: &str, error: &Value, what: &str, tally: &mut Tally) {
        let (verdict, reason) = verdict_of(tool, error);
        if verdict == Verdict::NothingToTry {
            return;
        }
        tally.asked += 1;
        tally.count_reason(&reason);
        if verdict == Verdict::Wrong {
            println!("  refused wrongly: {what}: {error}");
            tally.refused_wrongly += 1;
        } else {
            tally.refused += 1;
        }
    }

    /// The record of a tool's change; nothing to be judged where it changed nothing.
    pub(super) fn done(
        &mut self,
        what: String,
        was_forced: bool,
        answer: &Value,
        tally: &mut Tally,
    ) -> Option<Done> {
        if answer["changesCount"] == 0 {
            tally.sound += 1;
            return None;
        }
        let edits = answer["edits"].as_array().map_or(&[][..], Vec::as_slice);
        let diffs = edits.iter().filter_map(|edit| edit["diff"].as_str());
        let diff: Vec<&str> = diffs.flat_map(str::lines).take(60).collect();
        self.dirty.extend(edits.iter().filter_map(|edit| edit["file"].as_str()).map(str::to_owned));
        Some(Done { what, was_forced, diff: diff.join("\n") })
    }
}
