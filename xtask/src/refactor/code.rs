//! Changes inside of code: extractions, inlining, signatures, deletions.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::places::{self, Place};
use super::{Done, Run, Tally, changes::Word};

/// A declaration as the outline of its file has it.
#[derive(Clone)]
pub(super) struct Declared {
    file: String,
    name: String,
    kind: String,
    at: Place,
    end_line: usize,
    /// Whether it is declared in another declaration.
    is_member: bool,
}

impl Declared {
    fn is_function(&self) -> bool {
        ["METHOD", "FUNCTION", "CONSTRUCTOR"].contains(&&*self.kind)
    }

    fn shown(&self) -> String {
        format!("{} at {}:{}:{}", self.name, self.file, self.at.line, self.at.column)
    }
}

impl Run<'_> {
    /// Every declaration of the sources.
    pub(super) fn declarations(&mut self) -> Result<Vec<Declared>> {
        let mut all = Vec::new();
        for file in self.files.clone() {
            let file = file.to_string_lossy().into_owned();
            let arguments = json!({"project_path": self.root, "file": file, "format": "tree"});
            let answer = self.client.call("ide_file_structure", &arguments)?;
            if answer.is_error {
                println!("  no outline of {file}: {}", answer.value["message"]);
                continue;
            }
            let nodes = answer.value["nodes"].as_array().with_context(|| format!("no outline of {file}"))?;
            collect(&file, nodes, false, &mut all);
        }
        Ok(all)
    }

    /// A random declaration in a file that is as it was.
    fn pick(&mut self, fits: impl Fn(&Declared) -> bool) -> Option<Declared> {
        let declared = &self.declared[self.random.below(self.declared.len())];
        (fits(declared) && !self.dirty.contains(&declared.file)).then(|| declared.clone())
    }

    /// A random function with lines between the first and the last, and the text of its file.
    fn pick_body(&mut self) -> Result<Option<(Declared, String)>> {
        let Some(function) = self.pick(|d| d.is_function() && d.end_line > d.at.line) else {
            return Ok(None);
        };
        let text = fs::read_to_string(self.root.join(&function.file))?;
        Ok(Some((function, text)))
    }

    /// A random range that could be an expression in a random function.
    fn pick_expression(&mut self) -> Result<Option<(String, [Place; 2], String)>> {
        let Some((function, text)) = self.pick_body()? else { return Ok(None) };
        let Some(within) = places::lines_at(&text, function.at.line, function.end_line) else {
            return Ok(None);
        };
        let Some((start, end)) = places::expression(&text, within, &mut self.random) else { return Ok(None) };
        let (Some(from), Some(to)) = (places::place_of(&text, start), places::place_of(&text, end)) else {
            return Ok(None);
        };
        let shown = text[start..end].split_whitespace().collect::<Vec<_>>().join(" ");
        let what = format!("`{shown}` at {}:{}:{}", function.file, from.line, from.column);
        Ok(Some((function.file, [from, to], what)))
    }

    pub(super) fn extract_variable(&mut self, number: usize, tally: &mut Tally) -> Result<Option<Done>> {
        let Some((file, [from, to], what)) = self.pick_expression()? else { return Ok(None) };
        let arguments = json!({
            "project_path": self.root, "file": file, "line": from.line, "column": from.column,
            "endLine": to.line, "endColumn": to.column, "variableName": format!("valueZq{number}"),
            "replaceAll": self.random.once_in(3), "includeDiff": true,
        });
        self.carry_out("ide_refactor_extract_variable", arguments, what, tally)
    }

    /// Whole lines two times of three, an expression else.
    pub(super) fn extract_method(&mut self, number: usize, tally: &mut Tally) -> Result<Option<Done>> {
        let name = format!("partZq{number}");
        let (arguments, what) = if self.random.once_in(3) {
            let Some((file, [from, to], what)) = self.pick_expression()? else { return Ok(None) };
            let arguments = json!({
                "project_path": self.root, "file": file, "startLine": from.line, "startColumn": from.column,
                "endLine": to.line, "endColumn": to.column, "methodName": name, "includeDiff": true,
            });
            (arguments, what)
        } else {
            let Some((function, text)) = self.pick_body()? else { return Ok(None) };
            let inside = (function.at.line, function.end_line);
            let Some((first, last)) = places::statements(&text, inside, &mut self.random) else {
                return Ok(None);
            };
            let arguments = json!({
                "project_path": self.root, "file": function.file, "startLine": first, "endLine": last,
                "methodName": name, "includeDiff": true,
            });
            (arguments, format!("lines {first}-{last} of {}", function.file))
        };
        self.carry_out("ide_refactor_extract_method", arguments, what, tally)
    }

    /// A word that means a function of the project, or every other time a variable: there are fewer uses of each.
    pub(super) fn inline(&mut self, tally: &mut Tally) -> Result<Option<Done>> {
        let Word { file, at } = self.names[self.random.below(self.names.len())].clone();
        if self.dirty.contains(&file) {
            return Ok(None);
        }
        let place = json!({"project_path": self.root, "file": file, "line": at.line, "column": at.column});
        let found = self.client.call("ide_find_definition", &place)?;
        let at = found.value;
        let (Some(home), Some(name)) = (at["file"].as_str(), at["symbolName"].as_str()) else {
            return Ok(None);
        };
        let is_ours = !found.is_error && home.starts_with(self.subject.sources);
        // A class of a library is an entry of an archive.
        let is_file = !Path::new(home).is_absolute() && self.root.join(home).is_file();
        if !is_ours || !is_file || self.dirty.contains(home) {
            return Ok(None);
        }
        let what = format!("{name} at {home}:{}:{}", at["line"], at["column"]);
        let place =
            json!({"project_path": self.root, "file": home, "line": at["line"], "column": at["column"]});
        let info = self.client.call("ide_symbol_info", &place)?.value;
        let is_variable = info["kind"] == "VARIABLE";
        if is_variable != tally.asked.is_multiple_of(2) || !self.inlined.insert(what.clone()) {
            return Ok(None);
        }
        let arguments = json!({
            "project_path": self.root, "file": home, "line": at["line"], "column": at["column"],
            "includeDiff": true,
        });
        self.carry_out("ide_refactor_inline", arguments, what, tally)
    }

    /// A declaration goes to where another file lies, or a member to another type.
    pub(super) fn move_symbol(&mut self, tally: &mut Tally) -> Result<Option<Done>> {
        let Some(declared) = self.pick(|declared| declared.kind != "IMPORT") else { return Ok(None) };
        let mut arguments = json!({
            "project_path": self.root, "file": declared.file, "line": declared.at.line,
            "column": declared.at.column, "includeDiff": true,
        });
        let to = if declared.is_member {
            let Some(class) = self.pick(|other| other.kind == "CLASS" || other.kind == "STRUCT") else {
                return Ok(None);
            };
            let query = json!({"project_path": self.root, "query": class.name, "matchMode": "exact"});
            let found = self.client.call("ide_find_class", &query)?;
            let Some(name) = found.value["classes"][0]["qualifiedName"].as_str() else { return Ok(None) };
            arguments["targetClass"] = name.into();
            name.to_owned()
        } else {
            let other = &self.files[self.random.below(self.files.len())];
            let (file, folder) = (other.to_string_lossy().into_owned(), other.parent());
            let folder = folder.map_or_else(String::new, |folder| folder.to_string_lossy().into_owned());
            if file == declared.file || folder.is_empty() {
                return Ok(None);
            }
            // Types that give their files their names need files of their own.
            let is_alone = ["java", "php"].contains(&self.subject.lang) && !declared.is_function();
            let (key, to) = if is_alone { ("targetDirectory", folder) } else { ("targetFile", file) };
            arguments[key] = to.as_str().into();
            to
        };
        self.carry_out("ide_refactor_move", arguments, format!("{} to {to}", declared.shown()), tally)
    }

    /// Two parameters change places, one is renamed, one is added, or one that is not used goes away.
    pub(super) fn change_signature(&mut self, number: usize, tally: &mut Tally) -> Result<Option<Done>> {
        let Some(function) = self.pick(|d| d.is_function() && d.kind != "CONSTRUCTOR") else {
            return Ok(None);
        };
        let Place { line, column } = function.at;
        let place = json!({"project_path": self.root, "file": function.file, "line": line, "column": column});
        let info = self.client.call("ide_symbol_info", &place)?;
        let Some(listed) = info.value["parameters"].as_array().filter(|_| !info.is_error) else {
            return Ok(None);
        };
        let own = |name: &&str| !["self", "cls", "this"].contains(name);
        let names: Option<Vec<&str>> =
            listed.iter().map(|parameter| parameter["name"].as_str().map(bare)).collect();
        // A parameter that is destructured at once has no name by which it could be asked for.
        let Some(names) = names.filter(|names| !names.contains(&"")) else { return Ok(None) };
        let names: Vec<&str> = names.into_iter().filter(own).collect();
        let mut parameters: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
        let chosen = self.random.below(names.len().max(1));
        let kind = self.random.below(4);
        let how = match kind {
            0 if names.len() > 1 => {
                let other = (chosen + 1 + self.random.below(names.len() - 1)) % names.len();
                parameters.swap(chosen, other);
                format!("reorder {} and {}", names[chosen], names[other])
            }
            1 if !names.is_empty() => {
                let new = format!("{}Zq{number}", names[chosen]);
                parameters[chosen] = json!({"name": new, "oldName": names[chosen]});
                format!("rename {}", names[chosen])
            }
            2 => {
                let (ty, value) = self.subject.parameter;
                let mut added = json!({"name": format!("addedZq{number}"), "type": ty, "callValue": value});
                // The other half of the calls in these languages take it from the declaration.
                if ["python", "php", "typescript", "javascript", "kotlin"].contains(&self.subject.lang) {
                    added["defaultValue"] = value.into();
                }
                parameters.push(added);
                "add".to_owned()
            }
            3 if !names.is_empty() => {
                let text = fs::read_to_string(self.root.join(&function.file))?;
                let lines = text.lines().skip(line - 1).take(function.end_line + 1 - line);
                let body = lines.collect::<Vec<_>>().join("\n");
                if words_of(&body).filter(|word| *word == names[chosen]).count() != 1 {
                    return Ok(None);
                }
                parameters.remove(chosen);
                format!("remove {}", names[chosen])
            }
            _ => return Ok(None),
        };
        let mut arguments = place;
        arguments["includeDiff"] = true.into();
        if parameters.is_empty() {
            arguments["noParameters"] = true.into();
        } else {
            arguments["parameters"] = parameters.into();
        }
        let what = format!("{how}: {}", function.shown());
        self.carry_out("ide_change_signature", arguments, what, tally)
    }

    /// A declaration goes away. Reported uses are put to the test by force, unless they are in comments, or in code
    /// that nobody here can see.
    pub(super) fn safe_delete(&mut self, tally: &mut Tally) -> Result<Option<Done>> {
        let Some(declared) = self.pick(|d| d.kind != "IMPORT") else { return Ok(None) };
        let Place { line, column } = declared.at;
        let mut arguments = json!({
            "project_path": self.root, "file": declared.file, "line": line, "column": column, "includeDiff": true,
        });
        let what = format!("{} {}", declared.kind, declared.shown());
        let tool = "ide_refactor_safe_delete";
        let answer = self.client.call(tool, &arguments)?;
        if answer.is_error {
            self.refused(tool, &answer.value, &what, tally);
            return Ok(None);
        }
        tally.asked += 1;
        if answer.value["canDelete"] == true {
            return Ok(self.done(what, false, &answer.value["result"], tally));
        }
        let uses = answer.value["blockingUsages"].as_array().map_or(&[][..], Vec::as_slice);
        let is_testable = |used: &Value| {
            let context = used["context"].as_str().unwrap_or_default().trim_start();
            let is_there = used["file"] == *declared.file && used["line"] == line;
            let is_comment = ["//", "/*", "*", "#"].iter().any(|mark| context.starts_with(mark));
            used["file"].is_string() && !is_there && !is_comment
        };
        tally.count_reason(uses.first().and_then(|used| used["kind"].as_str()).unwrap_or("blocked"));
        if !uses.iter().all(is_testable) {
            tally.refused += 1;
            return Ok(None);
        }
        arguments["force"] = true.into();
        let forced = self.client.call(tool, &arguments)?;
        if forced.is_error {
            tally.refused += 1;
            return Ok(None);
        }
        let first = &uses[0];
        let what = format!("{what}, used at {}:{}", first["file"], first["line"]);
        Ok(self.done(what, true, &forced.value["result"], tally))
    }
}

/// A parameter's name without the marks that some languages put before it.
fn bare(name: &str) -> &str {
    name.trim_start_matches(['*', '$', '&', '.']).trim_start_matches("mut ").trim()
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

fn collect(file: &str, nodes: &[Value], is_member: bool, all: &mut Vec<Declared>) {
    for node in nodes {
        let number = |key: &str| node[key].as_u64().map(|n| n as usize);
        if let (Some(name), Some(kind), Some(line), Some(column), Some(end_line)) = (
            node["name"].as_str(),
            node["kind"].as_str(),
            number("line"),
            number("column"),
            number("endLine"),
        ) {
            let (file, name, kind) = (file.to_owned(), name.to_owned(), kind.to_owned());
            all.push(Declared { file, name, kind, at: Place { line, column }, end_line, is_member });
        }
        let is_namespace = ["NAMESPACE", "PACKAGE", "MODULE"].contains(&node["kind"].as_str().unwrap_or(""));
        let inner = node["children"].as_array().map_or(&[][..], Vec::as_slice);
        collect(file, inner, is_member || !is_namespace, all);
    }
}
