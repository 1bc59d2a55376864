//! Asks the server, and reads places out of what it says.

use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};

use super::truth::Place;
use crate::mcp::{Client, ToolAnswer};

const PAGE_SIZE: u32 = 500;
/// More pages than any project here has uses of one name.
const MAX_PAGES: usize = 200;
const READY_TIMEOUT: Duration = Duration::from_secs(900);

/// The server under test on one project.
pub(super) struct Server {
    client: Client,
    root: PathBuf,
    /// With symbolic links resolved.
    real_root: PathBuf,
}

/// A place that was answered; the file is relative where it lies in the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Found {
    pub(super) file: String,
    pub(super) line: u32,
    /// The server says itself that it is not sure.
    pub(super) possible: bool,
}

/// The answer of a tool: places, or the reason of its refusal.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) found: Vec<Found>,
    pub(super) refusal: Option<String>,
}

impl Server {
    /// Waits until the server no longer says that it is indexing.
    pub(super) fn ready(mut client: Client, root: &Path) -> Result<Self> {
        let has_status = client.tools()?.iter().any(|t| t["name"] == "ide_index_status");
        let end = Instant::now() + READY_TIMEOUT;
        while has_status && Instant::now() < end {
            let status = client.call("ide_index_status", &json!({"project_path": root}))?.value;
            let busy = status["isDumbMode"] == true
                || status["isIndexing"] == true
                || status["status"] == "indexing";
            if !busy {
                break;
            }
            std::thread::sleep(Duration::from_millis(250));
        }
        Ok(Self { client, root: root.to_owned(), real_root: root.canonicalize()? })
    }

    pub(super) fn definition(&mut self, at: &Place) -> Result<Answer> {
        let Place(file, line, column) = at;
        let answer = self.client.call(
            "ide_find_definition",
            &json!({"project_path": self.root, "file": file, "line": line, "column": column}),
        )?;
        Ok(self.answer(&answer.value, answer.is_error))
    }

    /// All pages.
    pub(super) fn references(&mut self, at: &Place) -> Result<Answer> {
        let Place(file, line, column) = at;
        let mut arguments = json!({"project_path": self.root, "file": file, "line": line, "column": column, "pageSize": PAGE_SIZE});
        let mut all = Answer { found: Vec::new(), refusal: None };
        for _ in 0..MAX_PAGES {
            let page = self.client.call("ide_find_references", &arguments)?;
            let answer = self.answer(&page.value, page.is_error);
            all.found.extend(answer.found);
            all.refusal = answer.refusal;
            let more = page.value["hasMore"].as_bool().unwrap_or(true);
            match page.value["nextCursor"].as_str() {
                Some(cursor) if more && !page.is_error => {
                    arguments = json!({"project_path": self.root, "cursor": cursor, "pageSize": PAGE_SIZE})
                }
                _ => break,
            }
        }
        Ok(all)
    }

    /// One call about this project.
    pub(super) fn ask(&mut self, tool: &str, mut arguments: Value) -> Result<ToolAnswer> {
        arguments["project_path"] = json!(self.root);
        self.client.call(tool, &arguments)
    }

    /// File, relative where it lies in the project, and line of a row.
    pub(super) fn place(&self, row: &Value) -> Option<(String, u32)> {
        self.found(row).map(|found| (found.file, found.line))
    }

    fn answer(&self, value: &Value, is_error: bool) -> Answer {
        if is_error {
            let said = ["_text", "message", "error"].iter().find_map(|k| value[*k].as_str());
            return Answer {
                found: Vec::new(),
                refusal: Some(said.map_or_else(|| value.to_string(), str::to_owned)),
            };
        }
        Answer { found: places(value).into_iter().filter_map(|v| self.found(v)).collect(), refusal: None }
    }

    fn found(&self, value: &Value) -> Option<Found> {
        // The truth lists where the name is written, and no operators that call a method without it.
        if value["type"] == "OPERATOR" {
            return None;
        }
        let file = value["file"].as_str().filter(|f| !f.is_empty())?;
        let line = value["line"].as_u64().filter(|l| *l > 0)?;
        Some(Found {
            file: relative(&self.root, &self.real_root, file),
            line: u32::try_from(line).ok()?,
            possible: is_possible(value),
        })
    }
}

/// The objects with a place, first the answer itself, then those of its lists.
fn places(value: &Value) -> Vec<&Value> {
    if let Value::Array(list) = value {
        return list.iter().collect();
    }
    if value["found"] == false {
        return Vec::new();
    }
    let mut places: Vec<&Value> =
        if value["file"].is_string() && value["line"].is_u64() { vec![value] } else { Vec::new() };
    for key in ["definitions", "locations", "candidates", "results", "usages", "references", "definition"] {
        match &value[key] {
            Value::Array(list) => places.extend(list),
            single @ Value::Object(_) => places.push(single),
            _ => {}
        }
    }
    places
}

/// Every row that is not certain says how sure the server is.
fn is_possible(value: &Value) -> bool {
    value["confidence"].as_str().is_some_and(|c| !matches!(c, "compiler" | "exact" | "inferred"))
}

/// Relative to the root where it lies inside; otherwise as it was said.
fn relative(root: &Path, real_root: &Path, said: &str) -> String {
    let decoded = said.strip_prefix("file://").map(percent_decoded);
    let path = decoded.as_deref().unwrap_or(said);
    if path.contains("://") {
        return path.to_owned();
    }
    if !Path::new(path).is_absolute() {
        return normalised(path);
    }
    let inside = [root, real_root].into_iter().find_map(|r| Path::new(path).strip_prefix(r).ok());
    inside
        .filter(|p| !p.as_os_str().is_empty())
        .map_or_else(|| path.to_owned(), |p| p.to_string_lossy().into_owned())
}

fn normalised(path: &str) -> String {
    let mut parts: Vec<Component<'_>> = Vec::new();
    for part in Path::new(path).components() {
        match (part, parts.last()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.iter().collect::<PathBuf>().to_string_lossy().into_owned()
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail
            .get(..2)
            .and_then(|d| std::str::from_utf8(d).ok())
            .and_then(|d| u8::from_str_radix(d, 16).ok());
        match code {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_inside_the_root_become_relative_and_others_stay() {
        let check = |said, want| assert_eq!(relative(Path::new("/p/link"), Path::new("/p/real"), said), want);
        check("a/./b/../c.py", "a/c.py");
        check("../x.py", "../x.py");
        check("/p/link/a.py", "a.py");
        check("file:///p/real/a%20b.py", "a b.py");
        check("/p/linked/a.py", "/p/linked/a.py");
        check("/usr/lib/x.py", "/usr/lib/x.py");
        check("jar:file:///x.jar!/A.java", "jar:file:///x.jar!/A.java");
        check("lib://python!/os.pyi", "lib://python!/os.pyi");
    }

    #[test]
    fn places_come_from_the_answer_itself_and_from_its_lists() {
        let lines = |v: Value| places(&v).iter().map(|p| p["line"].as_u64()).collect::<Vec<_>>();
        assert_eq!(
            lines(json!({"file": "a", "line": 1, "alternatives": [{"file": "b", "line": 9}]})),
            [Some(1)]
        );
        assert_eq!(
            lines(json!({"usages": [{"file": "a", "line": 1}, {"file": "a", "line": 2}]})),
            [Some(1), Some(2)]
        );
        assert_eq!(lines(json!({"definition": {"file": "a", "line": 3}})), [Some(3)]);
        assert_eq!(lines(json!([{"file": "a", "line": 4}])), [Some(4)]);
        assert_eq!(lines(json!({"found": false, "file": "a", "line": 1})), [None; 0]);
    }
}
