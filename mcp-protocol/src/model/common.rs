//! Types that several features share.

use serde::Deserialize;

use super::Encode;
use crate::{
    json::{Json, Object, write_str},
    version::Rules,
};

/// The name and version of a client or a server.
///
/// Spec: 2026-07-28 basic.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Implementation {
    /// Programmatic name.
    pub name: String,
    /// Version of the program.
    pub version: String,
    /// Name for people (from 2025-06-18).
    pub title: Option<String>,
    /// A description of it (from 2025-11-25).
    pub description: Option<String>,
    /// Its home page (from 2025-11-25).
    pub website_url: Option<String>,
    /// Pictures of it (from 2025-11-25).
    pub icons: Vec<Icon>,
}

impl Implementation {
    /// A program of that name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), ..Self::default() }
    }

    /// The same program with a name for people.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The same program with a description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The same program with a home page.
    #[must_use]
    pub fn with_website_url(mut self, website_url: impl Into<String>) -> Self {
        self.website_url = Some(website_url.into());
        self
    }

    /// The same program with pictures.
    #[must_use]
    pub fn with_icons(mut self, icons: Vec<Icon>) -> Self {
        self.icons = icons;
        self
    }
}

impl Encode for Implementation {
    fn encode(&self, rules: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        o.str("name", &self.name);
        o.str("version", &self.version);
        if rules.titles_and_meta {
            o.opt_str("title", self.title.as_deref());
        }
        if rules.icons {
            o.opt_str("description", self.description.as_deref());
            o.opt_str("websiteUrl", self.website_url.as_deref());
        }
        icons(&mut o, rules, &self.icons);
        o.close();
    }
}

/// A picture for a tool, resource, prompt or program (from 2025-11-25).
///
/// Spec: 2026-07-28 basic.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Icon {
    /// `https:` or `data:` address.
    pub src: String,
    /// Media type.
    pub mime_type: Option<String>,
    /// Sizes such as `48x48` or `any`.
    pub sizes: Vec<String>,
    /// `light` or `dark`.
    pub theme: Option<String>,
}

impl Icon {
    /// The picture at an `https:` or `data:` address.
    pub fn new(src: impl Into<String>) -> Self {
        Self { src: src.into(), ..Self::default() }
    }
}

fn icons(o: &mut Object<'_>, rules: &Rules, icons: &[Icon]) {
    if !rules.icons || icons.is_empty() {
        return;
    }
    o.array("icons", icons, |icon, out| {
        let mut o = Object::open(out);
        o.str("src", &icon.src);
        o.opt_str("mimeType", icon.mime_type.as_deref());
        if !icon.sizes.is_empty() {
            o.array("sizes", &icon.sizes, |s, out| write_str(out, s));
        }
        o.opt_str("theme", icon.theme.as_deref());
        o.close();
    });
}

/// The common members of everything that is listed ("BaseMetadata" and "Icons" of the schema).
#[derive(Default)]
pub(super) struct Listed<'a> {
    pub(super) name: &'a str,
    pub(super) title: Option<&'a str>,
    pub(super) description: Option<&'a str>,
    pub(super) mime_type: Option<&'a str>,
    pub(super) icons: &'a [Icon],
}

impl Listed<'_> {
    pub(super) fn write(&self, rules: &Rules, o: &mut Object<'_>) {
        o.str("name", self.name);
        if rules.titles_and_meta {
            o.opt_str("title", self.title);
        }
        o.opt_str("description", self.description);
        o.opt_str("mimeType", self.mime_type);
        icons(o, rules, self.icons);
    }
}

pub(super) fn meta(o: &mut Object<'_>, rules: &Rules, meta: Option<&Json>) {
    if rules.titles_and_meta {
        o.opt_json("_meta", meta);
    }
}

/// For whom content is and how much it matters.
///
/// Spec: 2026-07-28 server/resources.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Annotations {
    /// Intended readers; empty means not said.
    pub audience: Vec<Role>,
    /// 0 (optional) to 1 (required).
    pub priority: Option<f64>,
    /// ISO 8601 time (from 2025-06-18).
    pub last_modified: Option<String>,
}

impl Annotations {
    /// Content for these readers.
    pub fn for_audience(audience: impl Into<Vec<Role>>) -> Self {
        Self { audience: audience.into(), ..Self::default() }
    }

    /// The same annotations with a priority from 0 (optional) to 1 (required).
    #[must_use]
    pub fn with_priority(mut self, priority: f64) -> Self {
        self.priority = Some(priority);
        self
    }
}

pub(super) fn annotations(o: &mut Object<'_>, rules: &Rules, annotations: Option<&Annotations>) {
    let Some(a) = annotations else { return };
    o.object("annotations", |o| {
        if !a.audience.is_empty() {
            o.array("audience", &a.audience, |r, out| write_str(out, r.as_str()));
        }
        if let Some(p) = a.priority {
            o.f64("priority", p);
        }
        if rules.titles_and_meta {
            o.opt_str("lastModified", a.last_modified.as_deref());
        }
    });
}

/// The speaker of a message.
///
/// Spec: 2026-07-28 server/prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// The person, or the program in their name.
    User,
    /// The model.
    Assistant,
}

impl Role {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// Severity of a log message, in the order of RFC 5424.
///
/// Spec: 2026-07-28 server/utilities/logging.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Details for debugging.
    Debug,
    /// Ordinary events.
    Info,
    /// Normal but significant.
    Notice,
    /// Something is odd.
    Warning,
    /// Something failed.
    Error,
    /// A component failed.
    Critical,
    /// Act at once.
    Alert,
    /// Nothing works.
    Emergency,
}

impl LogLevel {
    const NAMES: [(&'static str, Self); 8] = [
        ("debug", Self::Debug),
        ("info", Self::Info),
        ("notice", Self::Notice),
        ("warning", Self::Warning),
        ("error", Self::Error),
        ("critical", Self::Critical),
        ("alert", Self::Alert),
        ("emergency", Self::Emergency),
    ];

    /// The level of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(n, _)| *n == name).map(|(_, level)| *level)
    }

    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// The capabilities that a client declares. Members that are absent were not declared.
///
/// Spec: 2026-07-28 basic; 2025-11-25 basic/lifecycle.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ClientCapabilities {
    /// Can list its roots.
    pub roots: Option<Json>,
    /// Can ask its model.
    pub sampling: Option<Json>,
    /// Can ask its user.
    pub elicitation: Option<Json>,
    /// Runs tasks (2025-11-25).
    pub tasks: Option<Json>,
    /// Extensions by identifier (2026-07-28): an object.
    pub extensions: Option<Json>,
    /// Further agreements.
    pub experimental: Option<Json>,
}

impl ClientCapabilities {
    /// Whether forms may be put to the user; an empty `elicitation` object means forms only.
    #[must_use]
    pub fn elicits_forms(&self) -> bool {
        self.elicitation.as_ref().is_some_and(|e| e.get("form").is_some() || e.get("url").is_none())
    }

    /// Whether the user may be sent to a URL.
    #[must_use]
    pub fn elicits_urls(&self) -> bool {
        self.elicitation.as_ref().is_some_and(|e| e.get("url").is_some())
    }

    /// Whether sampling may use tools.
    #[must_use]
    pub fn samples_with_tools(&self) -> bool {
        self.sampling.as_ref().is_some_and(|s| s.get("tools").is_some())
    }

    /// Whether the extension was declared.
    #[must_use]
    pub fn has_extension(&self, identifier: &str) -> bool {
        self.extensions.as_ref().is_some_and(|e| e.get(identifier).is_some())
    }
}

impl Encode for ClientCapabilities {
    fn encode(&self, rules: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        match &self.roots {
            Some(_) if rules.stateless => o.object("roots", |_| {}),
            roots => o.opt_json("roots", roots.as_ref()),
        }
        o.opt_json("sampling", self.sampling.as_ref());
        if rules.elicitation {
            o.opt_json("elicitation", self.elicitation.as_ref());
        }
        if rules.core_tasks {
            o.opt_json("tasks", self.tasks.as_ref());
        }
        if rules.stateless {
            o.opt_json("extensions", self.extensions.as_ref());
        }
        o.opt_json("experimental", self.experimental.as_ref());
        o.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_the_names_of_their_positions() {
        for (name, level) in LogLevel::NAMES {
            assert_eq!((level.as_str(), LogLevel::parse(name)), (name, Some(level)));
        }
        assert_eq!(LogLevel::parse("loud"), None);
    }
}
