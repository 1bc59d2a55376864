//! The definition of a tool, and how tools of many types become one list.

use std::cell::{Cell, RefCell};
use std::mem;
use std::rc::Rc;
use std::sync::Arc;

use ide_model::{Cx, Snapshot};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::args::{Normal, ProjectArg, normalize};
use crate::error::CHANGED;
use crate::schema::schema_of;
use crate::session::parse_symbol_id;
use crate::tools::intellij_words;
use crate::{Project, ProjectSelector, Services, ToolError};

/// The effects of a tool, as MCP annotations state them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
    pub open_world: bool,
}

impl Hints {
    /// Looks only.
    pub(crate) const READS: Self =
        Self { read_only: true, destructive: false, idempotent: true, open_world: false };
}

/// Marks a parameter that is accepted and not published.
const HIDDEN: &str = "x-hidden";

/// The context of a call, beside its arguments.
pub struct Call<'a> {
    pub(crate) cx: Cx<'a>,
    pub(crate) services: &'a dyn Services,
    pub(crate) told: Rc<CallFacts>,
}

impl<'a> Call<'a> {
    pub fn new(cx: Cx<'a>, services: &'a dyn Services) -> Self {
        Self { cx, services, told: Rc::default() }
    }

    /// The project that is meant: the one that is named, the one of a symbol handle, an open one that holds the file that
    /// is named by an absolute path, or the default.
    pub(crate) fn project(
        &self,
        project: &ProjectArg,
        symbol_id: Option<&str>,
    ) -> Result<Arc<dyn Project>, ToolError> {
        let near = self.told.near.borrow();
        let which = match (&project.project_path, symbol_id, &*near) {
            (Some(path), ..) => ProjectSelector::Path(path),
            (None, Some(id), _) => ProjectSelector::Tag(parse_symbol_id(id)?.0),
            (None, None, Some(path)) => ProjectSelector::Holding(path),
            (None, None, None) => ProjectSelector::Default,
        };
        self.services.project(self.cx, which)
    }
}

/// The facts about a call that belong to neither its arguments nor its output.
#[derive(Default)]
pub(crate) struct CallFacts {
    /// Whether the tool changes files.
    pub(crate) writes: Cell<bool>,
    /// The file that is named by an absolute path.
    near: RefCell<Option<String>>,
    notes: RefCell<Vec<String>>,
    /// The snapshots that the call asked.
    asked: RefCell<Vec<Arc<dyn Snapshot>>>,
}

impl CallFacts {
    /// Adds a sentence to the result, once.
    pub(crate) fn note(&self, note: String) {
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Has the remarks of a snapshot in the result.
    pub(crate) fn asks(&self, snapshot: &Arc<dyn Snapshot>) {
        self.asked.borrow_mut().push(snapshot.clone());
    }

    /// Every sentence for the result.
    fn take(&self) -> Vec<String> {
        let asked = self.asked.take();
        asked.iter().flat_map(|snapshot| snapshot.remarks()).for_each(|remark| self.note(remark));
        self.notes.take()
    }
}

/// One tool. Everything about it stands in its file; the list in `tools/mod.rs` is the only other place that
/// knows it.
pub(crate) trait Tool {
    const NAME: &'static str;
    /// Written for a model: what it answers and when to use it. At most 600 characters, ends with a period.
    const ABOUT: &'static str;
    const HINTS: Hints = Hints::READS;
    /// Whether the tool is listed without being asked for.
    const DEFAULT_ON: bool = true;
    /// Whether the tool is listed only while a person looks at an editor.
    const NEEDS_SURFACE: bool = false;
    /// The tool whose switch counts for this one too.
    const SAME_AS: Option<&'static str> = None;
    type Args: DeserializeOwned + JsonSchema;
    type Output: Serialize + JsonSchema;

    fn run(call: &Call<'_>, args: Self::Args) -> Result<Self::Output, ToolError>;

    /// The result for reading, when that is much shorter than its JSON.
    fn text(_output: &Self::Output) -> Option<String> {
        None
    }
}

/// A tool without its types.
pub struct ToolSpec {
    pub name: &'static str,
    pub about: &'static str,
    pub hints: Hints,
    pub default_on: bool,
    /// Whether the tool is listed only while a person looks at an editor.
    pub needs_surface: bool,
    /// The catalogue that it belongs to.
    pub catalogue: Catalogue,
    /// The tool whose switch counts for this one too: where that is switched off, so is this.
    pub same_as: Option<&'static str>,
    /// Whether the result lists `edits`.
    pub reports_edits: bool,
    input: fn() -> Value,
    output: fn() -> Value,
    /// Every parameter that is accepted, also those that are not published.
    properties: Map<String, Value>,
    hidden: Vec<String>,
    required: Vec<String>,
    run: fn(&ToolSpec, &Call<'_>, Value) -> Result<Reply, ToolError>,
}

/// A set of tools that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Catalogue {
    /// The `ide_*` tools.
    Ide,
    /// The names of another server, over the same operations.
    Intellij,
}

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The result object, or the error payload, as compact JSON.
    pub json: String,
    /// The same for reading, when that is much shorter. For clients that get `json` as structured content.
    pub text: Option<String>,
    pub is_error: bool,
}

impl ToolSpec {
    pub(crate) fn of<T: Tool>() -> Self {
        let mut accepted = schema_of::<T::Args>();
        let mut properties = properties_of(&mut accepted).map(mem::take).unwrap_or_default();
        let is_hidden = |(name, schema): (&String, &mut Value)| {
            schema.as_object_mut()?.remove(HIDDEN).map(|_| name.clone())
        };
        let hidden = properties.iter_mut().filter_map(is_hidden).collect();
        let required = accepted["required"].as_array().into_iter().flatten();
        Self {
            name: T::NAME,
            about: T::ABOUT,
            hints: T::HINTS,
            default_on: T::DEFAULT_ON,
            needs_surface: T::NEEDS_SURFACE,
            catalogue: Catalogue::Ide,
            same_as: T::SAME_AS,
            reports_edits: schema_of::<T::Output>()["properties"]["edits"].is_object(),
            input: schema_of::<T::Args>,
            output: schema_of::<T::Output>,
            properties,
            hidden,
            required: required.filter_map(Value::as_str).map(str::to_owned).collect(),
            run: run::<T>,
        }
    }

    /// Runs the tool. Failures of every kind are replies too.
    pub fn call(&self, call: &Call<'_>, args: Value) -> Reply {
        (self.run)(self, call, args).unwrap_or_else(|error| Reply::from(&self.in_own_words(error)))
    }

    /// The same tool in another catalogue.
    pub(crate) fn of_catalogue(self, catalogue: Catalogue) -> Self {
        Self { catalogue, ..self }
    }

    /// An error that names tools of the catalogue that this tool is in.
    fn in_own_words(&self, mut error: ToolError) -> ToolError {
        if self.catalogue == Catalogue::Intellij {
            error.message = intellij_words(&error.message);
            error.hint = error.hint.as_deref().map(intellij_words);
        }
        error
    }

    /// The published parameters: names and schemas.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &Value)> {
        let all = self.properties.iter().map(|(name, schema)| (name.as_str(), schema));
        all.filter(|(name, _)| !self.hidden.iter().any(|hidden| hidden == name))
    }

    /// The schema of the published parameters: `{"type": "object", "properties": …}`, flat. It is made at each call.
    pub fn input_schema(&self) -> Value {
        let mut schema = (self.input)();
        if let Some(published) = properties_of(&mut schema) {
            published.retain(|_, schema| schema.get(HIDDEN).is_none());
        }
        schema
    }

    /// The schema of the result. It is made at each call.
    pub fn output_schema(&self) -> Value {
        let mut schema = (self.output)();
        if let Some(fields) = properties_of(&mut schema) {
            fields.insert("notes".to_owned(), json!({"type": "array", "items": {"type": "string"}}));
        }
        schema
    }
}

fn properties_of(schema: &mut Value) -> Option<&mut Map<String, Value>> {
    schema.get_mut("properties").and_then(Value::as_object_mut)
}

impl From<&ToolError> for Reply {
    fn from(error: &ToolError) -> Self {
        Self { json: error.to_json(), text: None, is_error: true }
    }
}

fn run<T: Tool>(spec: &ToolSpec, call: &Call<'_>, args: Value) -> Result<Reply, ToolError> {
    let Normal { args, ignored } = normalize(&spec.properties, args, !T::HINTS.read_only)?;
    call.told.writes.set(!T::HINTS.read_only);
    if !ignored.is_empty() {
        call.told.note(format!("ignored, as this tool has no such argument: {}", ignored.join(", ")));
    }
    *call.told.near.borrow_mut() = absolute_file(&args);
    if let Some(name) = spec.required.iter().find(|name| !args.contains_key(*name)) {
        return Err(missing(name));
    }
    let output = run_on_one_state::<T>(call, Value::Object(args))?;
    let mut json = serde_json::to_string(&output)
        .map_err(|error| ToolError::new("internal", format!("the result cannot be written: {error}")))?;
    let mut text = T::text(&output);
    let notes = call.told.take();
    if let (false, Some(head)) = (notes.is_empty(), json.strip_suffix('}')) {
        let comma = if head.ends_with('{') { "" } else { "," };
        json = format!("{head}{comma}\"notes\":{}}}", Value::from(notes.clone()));
        if let Some(text) = &mut text {
            notes.iter().for_each(|note| text.push_str(&format!("note: {note}\n")));
        }
    }
    Ok(Reply { json, text, is_error: false })
}

/// The file that arguments name by an absolute path.
fn absolute_file(args: &Map<String, Value>) -> Option<String> {
    let first = |name: &str| args.get(name).and_then(Value::as_array).and_then(|files| files.first());
    let file = args.get("file").or_else(|| first("files")).or_else(|| first("paths"))?.as_str()?.trim();
    let is_absolute = file.starts_with('/')
        || file.as_bytes().get(1..3).is_some_and(|drive| matches!(drive, b":/" | b":\\"));
    is_absolute.then(|| file.to_owned())
}

/// How often a tool that only looks is run when files change under it.
const TRIES: usize = 3;

/// Runs the tool; again, when it met files that changed meanwhile and has changed nothing itself.
fn run_on_one_state<T: Tool>(call: &Call<'_>, args: Value) -> Result<T::Output, ToolError> {
    let read = |args| {
        serde_json::from_value(args)
            .map_err(|error| ToolError::argument(format!("the arguments cannot be read: {error}")))
    };
    let tries = if T::HINTS.read_only { TRIES } else { 1 };
    for _ in 1..tries {
        match T::run(call, read(args.clone())?) {
            // Nothing of what this run was told is in the result.
            Err(error) if error.slug == CHANGED => drop(call.told.asked.take()),
            done => return done,
        }
    }
    T::run(call, read(args)?)
}

/// A required parameter that was not given, or is blank.
pub(crate) fn missing(name: &str) -> ToolError {
    ToolError::argument(format!("missing parameter `{name}`")).with("parameter", name)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use ide_model::Stop;

    use super::*;
    use crate::testing::TestServer;

    thread_local! {
        /// How many more runs meet a file that changes.
        static CHANGES: Cell<usize> = const { Cell::new(0) };
    }

    #[derive(serde::Deserialize, JsonSchema)]
    struct Given {
        /// The number to return.
        number: usize,
    }

    /// A tool that meets files that change.
    struct Meets<const READS: bool>;

    impl<const READS: bool> Tool for Meets<READS> {
        const NAME: &'static str = "meets";
        const ABOUT: &'static str = "Meets changes.";
        const HINTS: Hints = Hints { read_only: READS, ..Hints::READS };
        type Args = Given;
        type Output = usize;

        fn run(_: &Call<'_>, given: Given) -> Result<usize, ToolError> {
            match CHANGES.get().checked_sub(1) {
                Some(left) => {
                    CHANGES.set(left);
                    Err(ToolError::new(CHANGED, "changed"))
                }
                None => Ok(given.number),
            }
        }
    }

    #[test]
    fn a_tool_that_looks_begins_again_when_files_change_and_one_that_writes_does_not() {
        let (server, stop) = (TestServer::new("//- A.java\nclass A {}\n"), Stop::new());
        let call = Call::new(Cx::new(&stop), &server);
        let run = |changes, spec: ToolSpec| {
            CHANGES.set(changes);
            spec.call(&call, serde_json::json!({ "number": 7 })).is_error
        };
        assert!(!run(TRIES - 1, ToolSpec::of::<Meets<true>>()));
        assert!(run(TRIES, ToolSpec::of::<Meets<true>>()));
        assert!(run(1, ToolSpec::of::<Meets<false>>()));
    }
}
