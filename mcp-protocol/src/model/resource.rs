//! Resources and resource templates as they are listed.

use serde::Deserialize;

use super::{
    Annotations, Encode, Icon,
    common::{Listed, annotations, meta},
};
use crate::{
    json::{Json, Object},
    version::Rules,
};

/// A resource as it is listed.
///
/// Spec: 2026-07-28 server/resources.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Resource {
    /// Its address.
    pub uri: String,
    /// Programmatic name.
    pub name: String,
    /// Name for people (from 2025-06-18).
    #[serde(default)]
    pub title: Option<String>,
    /// A description for the model.
    #[serde(default)]
    pub description: Option<String>,
    /// Its media type.
    #[serde(default)]
    pub mime_type: Option<String>,
    /// Size in bytes.
    #[serde(default)]
    pub size: Option<u64>,
    /// For whom it is.
    #[serde(default)]
    pub annotations: Option<Annotations>,
    /// Pictures (from 2025-11-25).
    #[serde(default)]
    pub icons: Vec<Icon>,
    /// Free metadata (from 2025-06-18).
    #[serde(default, rename = "_meta")]
    pub meta: Option<Json>,
}

impl Resource {
    /// A resource of that address and name.
    pub fn new(uri: impl Into<String>, name: impl Into<String>, description: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: name.into(), description: Some(description.into()), ..Self::default() }
    }

    /// The same resource with a media type.
    #[must_use]
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// All members except annotations and metadata.
    pub(super) fn members(&self, rules: &Rules, o: &mut Object<'_>) {
        o.str("uri", &self.uri);
        let listed = Listed {
            name: &self.name,
            title: self.title.as_deref(),
            description: self.description.as_deref(),
            mime_type: self.mime_type.as_deref(),
            icons: &self.icons,
        };
        listed.write(rules, o);
        if let Some(size) = self.size {
            o.u64("size", size);
        }
    }

    /// The same resource with a name for people.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The same resource with a size in bytes.
    #[must_use]
    pub fn with_size(mut self, size: u64) -> Self {
        self.size = Some(size);
        self
    }

    /// The same resource with annotations.
    #[must_use]
    pub fn with_annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = Some(annotations);
        self
    }

    /// The same resource with pictures.
    #[must_use]
    pub fn with_icons(mut self, icons: Vec<Icon>) -> Self {
        self.icons = icons;
        self
    }

    /// The same resource with free metadata, an object.
    #[must_use]
    pub fn with_meta(mut self, meta: Json) -> Self {
        self.meta = Some(meta);
        self
    }
}

impl Encode for Resource {
    fn encode(&self, rules: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        self.members(rules, &mut o);
        annotations(&mut o, rules, self.annotations.as_ref());
        meta(&mut o, rules, self.meta.as_ref());
        o.close();
    }
}

/// A family of resources as it is listed.
///
/// Spec: 2026-07-28 server/resources.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceTemplate {
    /// RFC 6570 template of the addresses.
    pub uri_template: String,
    /// Programmatic name.
    pub name: String,
    /// Name for people (from 2025-06-18).
    #[serde(default)]
    pub title: Option<String>,
    /// A description of them for the model.
    #[serde(default)]
    pub description: Option<String>,
    /// Their media type, if they share one.
    #[serde(default)]
    pub mime_type: Option<String>,
    /// For whom they are.
    #[serde(default)]
    pub annotations: Option<Annotations>,
    /// Pictures (from 2025-11-25).
    #[serde(default)]
    pub icons: Vec<Icon>,
    /// Free metadata (from 2025-06-18).
    #[serde(default, rename = "_meta")]
    pub meta: Option<Json>,
}

impl ResourceTemplate {
    /// A family of that template and name.
    pub fn new(
        uri_template: impl Into<String>,
        name: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        Self {
            uri_template: uri_template.into(),
            name: name.into(),
            description: Some(description.into()),
            ..Self::default()
        }
    }

    /// The same family with a media type.
    #[must_use]
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// The same family with a name for people.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The same family with annotations.
    #[must_use]
    pub fn with_annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = Some(annotations);
        self
    }

    /// The same family with pictures.
    #[must_use]
    pub fn with_icons(mut self, icons: Vec<Icon>) -> Self {
        self.icons = icons;
        self
    }

    /// The same family with free metadata, an object.
    #[must_use]
    pub fn with_meta(mut self, meta: Json) -> Self {
        self.meta = Some(meta);
        self
    }
}

impl Encode for ResourceTemplate {
    fn encode(&self, rules: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        o.str("uriTemplate", &self.uri_template);
        let listed = Listed {
            name: &self.name,
            title: self.title.as_deref(),
            description: self.description.as_deref(),
            mime_type: self.mime_type.as_deref(),
            icons: &self.icons,
        };
        listed.write(rules, &mut o);
        annotations(&mut o, rules, self.annotations.as_ref());
        meta(&mut o, rules, self.meta.as_ref());
        o.close();
    }
}
