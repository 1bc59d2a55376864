//! Files of a step, written by the IDE, so that the person can take it back there.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ide_model::{Cx, Stop};
use ide_server::{CarriedFile, Carrier, CarryError, CarryWay};
use serde_json::{Value, json};

use crate::calls::CallError;
use crate::ide::Ide;

/// How long the IDE may take to write. It is not stopped before: what it did would not be known.
const PATIENCE: Duration = Duration::from_secs(60);

/// Writes the files of one project.
pub(crate) struct IdeCarrier {
    ide: Arc<Ide>,
    root: String,
    /// The root as the disk has it, links followed.
    real: Option<String>,
}

impl IdeCarrier {
    pub(crate) fn new(ide: Arc<Ide>, root: String) -> Self {
        let real = std::fs::canonicalize(&root).ok();
        let real = real.and_then(|path| path.to_str().map(|path| path.replace('\\', "/")));
        Self { ide, root, real }
    }

    /// A path as the IDE spells it.
    fn path(&self, file: &CarriedFile<'_>) -> Option<String> {
        let path = file.path.to_str()?.replace('\\', "/");
        let inside = self.real.as_deref().and_then(|real| path.strip_prefix(real)).map(str::to_owned);
        let inside = inside.filter(|rest| rest.starts_with('/'));
        Some(inside.map_or(path, |rest| format!("{}{rest}", self.root.trim_end_matches('/'))))
    }

    fn ask(&self, op: &'static str, arguments: Value) -> Result<(), CarryError> {
        let never = Stop::new();
        match self.ide.ask(Cx::new(&never), op, arguments, PATIENCE) {
            Ok(_) => Ok(()),
            Err(CallError::Host(error)) => Err(match error.code.as_str() {
                "unsupported" | "no_project" => CarryError::Unable,
                "conflict" => CarryError::Changed(PathBuf::new()),
                _ => CarryError::Failed(format!("the IDE did not write: {error}")),
            }),
            Err(CallError::Stopped(_)) => Err(CarryError::Failed("the IDE did not write in time".to_owned())),
        }
    }

    fn changes(&self, files: &[CarriedFile<'_>]) -> Option<Vec<Value>> {
        let mut changes = Vec::new();
        let mut rest = files;
        while let Some((file, behind)) = rest.split_first() {
            let path = self.path(file)?;
            rest = behind;
            // A file that comes and one that goes beside it are a move.
            let moved = behind.first().filter(|next| {
                file.before.is_none() && file.after.is_some() && next.before.is_some() && next.after.is_none()
                    || file.before.is_some()
                        && file.after.is_none()
                        && next.before.is_none()
                        && next.after.is_some()
            });
            if let Some(next) = moved {
                let (from, to) = if file.before.is_some() { (file, next) } else { (next, file) };
                changes.push(json!({"kind": "move", "path": self.path(from)?, "to": self.path(to)?,
                    "before": from.before, "text": to.after}));
                rest = &behind[1..];
                continue;
            }
            changes.push(match (file.before, file.after) {
                (Some(before), Some(text)) => {
                    json!({"kind": "write", "path": path, "before": before, "text": text})
                }
                (None, Some(text)) => json!({"kind": "create", "path": path, "text": text}),
                (Some(before), None) => json!({"kind": "delete", "path": path, "before": before}),
                (None, None) => continue,
            });
        }
        Some(changes)
    }
}

impl Carrier for IdeCarrier {
    fn carry(
        &self,
        _: Cx<'_>,
        way: CarryWay,
        title: &str,
        files: &[CarriedFile<'_>],
    ) -> Result<(), CarryError> {
        if !self.ide.has("edit.apply") {
            return Err(CarryError::Unable);
        }
        let changes = self.changes(files).ok_or(CarryError::Unable)?;
        if way == CarryWay::Back
            && self.ide.has("edit.undo")
            && let Some(path) = files.iter().find(|file| file.before.is_some()).and_then(|f| self.path(f))
        {
            // The step is the newest one there, or the person did something else since: then its files are written back,
            // which they are only where they are as the step left them.
            let asked = json!({"project": self.root, "path": path, "title": title});
            match self.ask("edit.undo", asked) {
                Ok(()) => return Ok(()),
                Err(CarryError::Failed(why)) => return Err(CarryError::Failed(why)),
                Err(_) => {}
            }
        }
        let title = match way {
            CarryWay::Forward => title.to_owned(),
            CarryWay::Back => format!("undo {title}"),
        };
        let asked = json!({"project": self.root, "title": title, "changes": changes});
        self.ask("edit.apply", asked).map_err(|error| match error {
            CarryError::Changed(_) => {
                CarryError::Changed(files.first().map_or_else(PathBuf::new, |file| file.path.to_owned()))
            }
            error => error,
        })
    }
}
