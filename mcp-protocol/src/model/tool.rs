//! Tools and what they answer.

use serde::Deserialize;

use super::{
    Content, Encode, Icon,
    common::{Listed, meta},
};
use crate::{
    json::{Json, Object},
    version::{Rules, Structured},
};

/// A tool as it is listed.
///
/// Spec: 2026-07-28 server/tools.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Tool {
    /// Unique name: 1 to 64 of `[A-Za-z0-9_.-]`.
    pub name: String,
    /// Name for people (from 2025-06-18).
    #[serde(default)]
    pub title: Option<String>,
    /// A description for the model.
    #[serde(default)]
    pub description: Option<String>,
    /// JSON Schema of the arguments, sent byte for byte; its root is an object schema.
    pub input_schema: Json,
    /// JSON Schema of the structured output (from 2025-06-18); before 2026-07-28 only sent when its root is an object.
    #[serde(default)]
    pub output_schema: Option<Json>,
    /// Hints about what calling it does (from 2025-03-26).
    #[serde(default)]
    pub annotations: Option<ToolAnnotations>,
    /// Pictures (from 2025-11-25).
    #[serde(default)]
    pub icons: Vec<Icon>,
    /// Whether it may run as a task. Told to 2025-11-25 peers as `execution`; the tasks extension of 2026-07-28 does
    /// not list it.
    #[serde(default, deserialize_with = "execution", rename = "execution")]
    pub task_support: TaskSupport,
    /// Free metadata (from 2025-06-18).
    #[serde(default, rename = "_meta")]
    pub meta: Option<Json>,
}

impl Tool {
    /// A tool with a description for the model and the JSON Schema of its arguments.
    pub fn new(name: impl Into<String>, description: impl Into<String>, input_schema: Json) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: Some(description.into()),
            input_schema,
            output_schema: None,
            annotations: None,
            icons: Vec::new(),
            task_support: TaskSupport::Forbidden,
            meta: None,
        }
    }

    /// The same tool with a schema of its structured output.
    #[must_use]
    pub fn with_output_schema(mut self, schema: Json) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// The same tool with hints.
    #[must_use]
    pub fn with_annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = Some(annotations);
        self
    }

    /// The same tool with a name for people.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The same tool, allowed or required to run as a task.
    #[must_use]
    pub fn with_task_support(mut self, support: TaskSupport) -> Self {
        self.task_support = support;
        self
    }

    /// The same tool with pictures.
    #[must_use]
    pub fn with_icons(mut self, icons: Vec<Icon>) -> Self {
        self.icons = icons;
        self
    }

    /// The same tool with free metadata, an object.
    #[must_use]
    pub fn with_meta(mut self, meta: Json) -> Self {
        self.meta = Some(meta);
        self
    }
}

impl Encode for Tool {
    fn encode(&self, rules: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        let listed = Listed {
            name: &self.name,
            title: self.title.as_deref(),
            description: self.description.as_deref(),
            icons: &self.icons,
            ..Listed::default()
        };
        listed.write(rules, &mut o);
        o.json("inputSchema", &self.input_schema);
        let output = self.output_schema.as_ref().filter(|schema| match rules.structured {
            Structured::Never => false,
            Structured::ObjectOnly => schema.get("type").is_some_and(|t| t.as_str() == "\"object\""),
            Structured::Any => true,
        });
        o.opt_json("outputSchema", output);
        if let Some(a) = self.annotations.as_ref().filter(|_| rules.tool_annotations) {
            a.encode(rules, o.key("annotations"));
        }
        if rules.core_tasks && self.task_support != TaskSupport::Forbidden {
            o.object("execution", |o| o.str("taskSupport", self.task_support.as_str()));
        }
        meta(&mut o, rules, self.meta.as_ref());
        o.close();
    }
}

/// Whether a tool runs as a task.
///
/// Spec: 2025-11-25 basic/utilities/tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TaskSupport {
    /// Never.
    #[default]
    Forbidden,
    /// When the client asks (2025-11-25) or can take one (tasks extension).
    Optional,
    /// Always.
    Required,
}

impl TaskSupport {
    fn as_str(self) -> &'static str {
        match self {
            Self::Forbidden => "forbidden",
            Self::Optional => "optional",
            Self::Required => "required",
        }
    }
}

fn execution<'de, D: serde::Deserializer<'de>>(d: D) -> Result<TaskSupport, D::Error> {
    #[derive(Deserialize, Default)]
    #[serde(rename_all = "camelCase", default)]
    struct Execution {
        task_support: TaskSupport,
    }
    Option::<Execution>::deserialize(d).map(|e| e.unwrap_or_default().task_support)
}

/// Hints about what calling a tool does; clients must not trust them from servers they do not trust.
///
/// Spec: 2026-07-28 server/tools.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// Name for people.
    pub title: Option<String>,
    /// Changes nothing (default false).
    pub read_only_hint: Option<bool>,
    /// May destroy something (default true).
    pub destructive_hint: Option<bool>,
    /// Calling again changes nothing more (default false).
    pub idempotent_hint: Option<bool>,
    /// Reaches out into the world (default true).
    pub open_world_hint: Option<bool>,
}

impl ToolAnnotations {
    /// A tool that changes nothing; `open_world` says whether it reaches out into the world.
    #[must_use]
    pub fn reading(open_world: bool) -> Self {
        Self { read_only_hint: Some(true), open_world_hint: Some(open_world), ..Self::default() }
    }

    /// A tool that changes something; `destructive` says whether it may destroy something, `idempotent` whether calling
    /// it again changes nothing more, and `open_world` whether it reaches out into the world.
    #[must_use]
    pub fn writing(destructive: bool, idempotent: bool, open_world: bool) -> Self {
        Self {
            title: None,
            read_only_hint: Some(false),
            destructive_hint: Some(destructive),
            idempotent_hint: Some(idempotent),
            open_world_hint: Some(open_world),
        }
    }
}

impl Encode for ToolAnnotations {
    fn encode(&self, _: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        o.opt_str("title", self.title.as_deref());
        for (key, hint) in [
            ("readOnlyHint", self.read_only_hint),
            ("destructiveHint", self.destructive_hint),
            ("idempotentHint", self.idempotent_hint),
            ("openWorldHint", self.open_world_hint),
        ] {
            if let Some(hint) = hint {
                o.bool(key, hint);
            }
        }
        o.close();
    }
}

/// The answer of a tool.
///
/// Spec: 2026-07-28 server/tools.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallToolResult {
    /// Blocks for the model; may be empty, but must be there.
    pub content: Vec<Content>,
    /// Structured output (from 2025-06-18; objects only before 2026-07-28). An explicit `null` is kept.
    #[serde(default, deserialize_with = "present")]
    pub structured_content: Option<Json>,
    /// Whether the call failed in a way the model should read.
    #[serde(default)]
    pub is_error: bool,
    /// Free metadata.
    #[serde(default, rename = "_meta")]
    pub meta: Option<Json>,
}

/// `null` is a value here, not an absence.
fn present<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(d).map(Some)
}

impl CallToolResult {
    /// A result of one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Content::text(text)], ..Self::default() }
    }

    /// A failure, told to the model in one text block.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// Structured output, and the same as a text block for clients that read only those.
    #[must_use]
    pub fn structured(value: Json) -> Self {
        Self {
            content: vec![Content::text(value.as_str())],
            structured_content: Some(value),
            ..Self::default()
        }
    }

    /// A result of several blocks.
    #[must_use]
    pub fn blocks(content: Vec<Content>) -> Self {
        Self { content, ..Self::default() }
    }

    /// The same result with structured output; the text stays as it is.
    #[must_use]
    pub fn with_structured(mut self, value: Json) -> Self {
        self.structured_content = Some(value);
        self
    }

    pub(crate) fn members(&self, rules: &Rules, o: &mut Object<'_>) {
        o.array("content", &self.content, |c, out| c.encode(rules, out));
        let structured = self.structured_content.as_ref().filter(|value| match rules.structured {
            Structured::Never => false,
            Structured::ObjectOnly => value.is_object(),
            Structured::Any => true,
        });
        o.opt_json("structuredContent", structured);
        if self.is_error {
            o.bool("isError", true);
        }
    }

    /// The same result with free metadata, an object.
    #[must_use]
    pub fn with_meta(mut self, meta: Json) -> Self {
        self.meta = Some(meta);
        self
    }
}
