//! Prompts and completion of their arguments.

use serde::Deserialize;

use super::{
    Content, Encode, Icon, Role,
    common::{Listed, meta},
};
use crate::{
    json::{Json, Object, write_str},
    version::Rules,
};

/// A prompt as it is listed.
///
/// Spec: 2026-07-28 server/prompts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Prompt {
    /// Unique name.
    pub name: String,
    /// Name for people (from 2025-06-18).
    #[serde(default)]
    pub title: Option<String>,
    /// Its purpose.
    #[serde(default)]
    pub description: Option<String>,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Vec<PromptArgument>,
    /// Pictures (from 2025-11-25).
    #[serde(default)]
    pub icons: Vec<Icon>,
    /// Free metadata (from 2025-06-18).
    #[serde(default, rename = "_meta")]
    pub meta: Option<Json>,
}

impl Prompt {
    /// A prompt without arguments.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self { name: name.into(), description: Some(description.into()), ..Self::default() }
    }

    /// The same prompt with one more argument.
    #[must_use]
    pub fn with_argument(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        required: bool,
    ) -> Self {
        self.arguments.push(PromptArgument {
            name: name.into(),
            title: None,
            description: Some(description.into()),
            required,
        });
        self
    }

    /// The same prompt with a name for people.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The same prompt with pictures.
    #[must_use]
    pub fn with_icons(mut self, icons: Vec<Icon>) -> Self {
        self.icons = icons;
        self
    }

    /// The same prompt with free metadata, an object.
    #[must_use]
    pub fn with_meta(mut self, meta: Json) -> Self {
        self.meta = Some(meta);
        self
    }
}

/// An argument of a prompt.
///
/// Spec: 2026-07-28 server/prompts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// Name for people (from 2025-06-18).
    #[serde(default)]
    pub title: Option<String>,
    /// The meaning of the argument.
    #[serde(default)]
    pub description: Option<String>,
    /// Whether it must be given.
    #[serde(default)]
    pub required: bool,
}

impl Encode for Prompt {
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
        if !self.arguments.is_empty() {
            o.array("arguments", &self.arguments, |a, out| {
                let mut o = Object::open(out);
                let listed = Listed {
                    name: &a.name,
                    title: a.title.as_deref(),
                    description: a.description.as_deref(),
                    ..Listed::default()
                };
                listed.write(rules, &mut o);
                o.bool("required", a.required);
                o.close();
            });
        }
        meta(&mut o, rules, self.meta.as_ref());
        o.close();
    }
}

/// One message of a prompt.
///
/// Spec: 2026-07-28 server/prompts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PromptMessage {
    /// The speaker.
    pub role: Role,
    /// The message.
    pub content: Content,
}

impl PromptMessage {
    /// Something the user says.
    #[must_use]
    pub fn user(content: Content) -> Self {
        Self { role: Role::User, content }
    }

    /// Something the model says.
    #[must_use]
    pub fn assistant(content: Content) -> Self {
        Self { role: Role::Assistant, content }
    }
}

/// The answer to `prompts/get`.
///
/// Spec: 2026-07-28 server/prompts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct GetPromptResult {
    /// The purpose of the prompt.
    #[serde(default)]
    pub description: Option<String>,
    /// The messages.
    pub messages: Vec<PromptMessage>,
}

impl GetPromptResult {
    /// A prompt of these messages.
    #[must_use]
    pub fn new(messages: Vec<PromptMessage>) -> Self {
        Self { description: None, messages }
    }

    pub(crate) fn members(&self, rules: &Rules, o: &mut Object<'_>) {
        o.opt_str("description", self.description.as_deref());
        o.array("messages", &self.messages, |m, out| {
            let mut o = Object::open(out);
            o.str("role", m.role.as_str());
            m.content.encode(rules, o.key("content"));
            o.close();
        });
    }

    /// The same prompt with its purpose.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}

/// Suggested values for an argument.
///
/// Spec: 2026-07-28 server/utilities/completion.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Completion {
    /// The values, best first; at most the first 100 are sent, and `hasMore` says so.
    pub values: Vec<String>,
    /// How many there are in all.
    #[serde(default)]
    pub total: Option<u64>,
    /// Whether there are more than these.
    #[serde(default)]
    pub has_more: bool,
}

impl Completion {
    /// These values, best first.
    #[must_use]
    pub fn new(values: Vec<String>) -> Self {
        Self { values, ..Self::default() }
    }

    /// The same values, of that many in all.
    #[must_use]
    pub fn with_total(mut self, total: u64) -> Self {
        self.has_more = total > self.values.len() as u64;
        self.total = Some(total);
        self
    }

    pub(crate) fn members(&self, o: &mut Object<'_>) {
        const MOST: usize = 100;
        o.object("completion", |o| {
            o.array("values", self.values.iter().take(MOST), |v, out| write_str(out, v));
            let cut = self.values.len() > MOST;
            let total = self.total.or_else(|| cut.then_some(self.values.len() as u64));
            if let Some(total) = total {
                o.u64("total", total);
            }
            o.bool("hasMore", self.has_more || cut);
        });
    }
}

/// The owner of an argument to complete.
///
/// Spec: 2026-07-28 server/utilities/completion.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompletionReference {
    /// A prompt, by name.
    Prompt(String),
    /// A resource or resource template, by its address.
    Resource(String),
}
