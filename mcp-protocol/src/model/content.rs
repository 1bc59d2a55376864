//! Content blocks and the contents of resources.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer, de::Error as _};

use super::{
    Annotations, CallToolResult, Encode, Resource,
    common::{annotations, meta},
};
use crate::{
    json::{Json, Object},
    version::Rules,
};

/// One block of content in a tool result or a prompt message.
///
/// Spec: 2026-07-28 server/tools.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Content {
    /// The content.
    pub kind: ContentKind,
    /// For whom it is.
    pub annotations: Option<Annotations>,
    /// Free metadata (from 2025-06-18).
    pub meta: Option<Json>,
}

/// The content of a block.
///
/// Spec: 2026-07-28 server/tools; 2026-07-28 client/sampling.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ContentKind {
    /// Text.
    Text(String),
    /// A picture: base64 data and its media type.
    Image {
        /// Base64.
        data: String,
        /// Media type.
        mime_type: String,
    },
    /// Sound (from 2025-03-26; told as text before).
    Audio {
        /// Base64.
        data: String,
        /// Media type.
        mime_type: String,
    },
    /// A resource, embedded.
    Resource(ResourceContents),
    /// A resource, by address (from 2025-06-18; told as text before).
    ResourceLink(Box<Resource>),
    /// The model wants to use a tool (sampling, from 2025-11-25).
    ToolUse {
        /// The identifier under which the result is given back.
        id: String,
        /// The name of the tool.
        name: String,
        /// The arguments: an object.
        input: Json,
    },
    /// The result of a tool that the model used (sampling, from 2025-11-25).
    ToolResult {
        /// The identifier of the use.
        tool_use_id: String,
        /// The blocks of the result.
        content: Vec<Content>,
        /// The structured output, if there is any.
        structured_content: Option<Json>,
        /// Whether the tool failed.
        is_error: bool,
    },
    /// A block this crate gives no meaning to, as it came.
    Other(Json),
}

impl Content {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        ContentKind::Text(text.into()).into()
    }

    /// An image block from raw bytes.
    pub fn image(bytes: &[u8], mime_type: impl Into<String>) -> Self {
        ContentKind::Image { data: STANDARD.encode(bytes), mime_type: mime_type.into() }.into()
    }

    /// An audio block from raw bytes.
    pub fn audio(bytes: &[u8], mime_type: impl Into<String>) -> Self {
        ContentKind::Audio { data: STANDARD.encode(bytes), mime_type: mime_type.into() }.into()
    }

    /// An embedded resource.
    #[must_use]
    pub fn resource(contents: ResourceContents) -> Self {
        ContentKind::Resource(contents).into()
    }

    /// A link to a resource.
    #[must_use]
    pub fn link(resource: Resource) -> Self {
        ContentKind::ResourceLink(Box::new(resource)).into()
    }

    /// The use of a tool by the model.
    pub fn tool_use(id: impl Into<String>, name: impl Into<String>, input: Json) -> Self {
        ContentKind::ToolUse { id: id.into(), name: name.into(), input }.into()
    }

    /// The result of a tool that the model used.
    pub fn tool_result(tool_use_id: impl Into<String>, result: CallToolResult) -> Self {
        ContentKind::ToolResult {
            tool_use_id: tool_use_id.into(),
            content: result.content,
            structured_content: result.structured_content,
            is_error: result.is_error,
        }
        .into()
    }

    /// The text of a text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let ContentKind::Text(text) = &self.kind { Some(text) } else { None }
    }

    /// The same block with annotations.
    #[must_use]
    pub fn with_annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = Some(annotations);
        self
    }

    /// The same block with free metadata, an object.
    #[must_use]
    pub fn with_meta(mut self, meta: Json) -> Self {
        self.meta = Some(meta);
        self
    }
}

impl From<ContentKind> for Content {
    fn from(kind: ContentKind) -> Self {
        Self { kind, annotations: None, meta: None }
    }
}

impl Encode for Content {
    fn encode(&self, rules: &Rules, out: &mut Vec<u8>) {
        if let ContentKind::Other(json) = &self.kind {
            json.append_to(out);
            return;
        }
        let mut o = Object::open(out);
        match &self.kind {
            ContentKind::Text(text) => text_block(&mut o, text),
            ContentKind::Image { data, mime_type } => {
                o.str("type", "image");
                o.str("data", data);
                o.str("mimeType", mime_type);
            }
            ContentKind::Audio { data, mime_type } if rules.audio => {
                o.str("type", "audio");
                o.str("data", data);
                o.str("mimeType", mime_type);
            }
            ContentKind::Audio { mime_type, .. } => text_block(&mut o, &format!("[audio, {mime_type}]")),
            ContentKind::Resource(contents) => {
                o.str("type", "resource");
                contents.encode(rules, o.key("resource"));
            }
            ContentKind::ResourceLink(resource) if rules.resource_link => {
                o.str("type", "resource_link");
                resource.members(rules, &mut o);
                // a link has one set of annotations and metadata: the block's win
                if self.annotations.is_none() {
                    annotations(&mut o, rules, resource.annotations.as_ref());
                }
                if self.meta.is_none() {
                    o.opt_json("_meta", resource.meta.as_ref());
                }
            }
            ContentKind::ResourceLink(resource) => {
                text_block(&mut o, &format!("{}: {}", resource.name, resource.uri))
            }
            ContentKind::ToolUse { id, name, input } => {
                o.str("type", "tool_use");
                o.str("id", id);
                o.str("name", name);
                o.json("input", input);
            }
            ContentKind::ToolResult { tool_use_id, content, structured_content, is_error } => {
                o.str("type", "tool_result");
                o.str("toolUseId", tool_use_id);
                o.array("content", content, |block, out| block.encode(rules, out));
                o.opt_json("structuredContent", structured_content.as_ref());
                if *is_error {
                    o.bool("isError", true);
                }
            }
            ContentKind::Other(_) => {}
        }
        annotations(&mut o, rules, self.annotations.as_ref());
        meta(&mut o, rules, self.meta.as_ref());
        o.close();
    }
}

fn text_block(o: &mut Object<'_>, text: &str) {
    o.str("type", "text");
    o.str("text", text);
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire {
            r#type: String,
            text: Option<String>,
            data: Option<String>,
            mime_type: Option<String>,
            resource: Option<ResourceContents>,
            annotations: Option<Annotations>,
            #[serde(rename = "_meta")]
            meta: Option<Json>,
        }
        #[derive(Deserialize)]
        struct Use {
            id: String,
            name: String,
            input: Json,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct ToolResult {
            tool_use_id: String,
        }
        let whole = Json::deserialize(d)?;
        let wire: Wire = whole.to().map_err(D::Error::custom)?;
        let missing = D::Error::missing_field;
        let mime = || wire.mime_type.clone().ok_or_else(|| missing("mimeType"));
        let kind = match wire.r#type.as_str() {
            "text" => ContentKind::Text(wire.text.ok_or_else(|| missing("text"))?),
            "image" => {
                ContentKind::Image { mime_type: mime()?, data: wire.data.ok_or_else(|| missing("data"))? }
            }
            "audio" => {
                ContentKind::Audio { mime_type: mime()?, data: wire.data.ok_or_else(|| missing("data"))? }
            }
            "resource" => ContentKind::Resource(wire.resource.ok_or_else(|| missing("resource"))?),
            "resource_link" => ContentKind::ResourceLink(Box::new(whole.to().map_err(D::Error::custom)?)),
            "tool_use" => {
                let Use { id, name, input } = whole.to().map_err(D::Error::custom)?;
                ContentKind::ToolUse { id, name, input }
            }
            "tool_result" => {
                let ToolResult { tool_use_id } = whole.to().map_err(D::Error::custom)?;
                let result = whole.to().map_err(D::Error::custom)?;
                let CallToolResult { content, structured_content, is_error, .. } = result;
                ContentKind::ToolResult { tool_use_id, content, structured_content, is_error }
            }
            _ => ContentKind::Other(whole),
        };
        Ok(Self { kind, annotations: wire.annotations, meta: wire.meta })
    }
}

/// The contents of a resource: text, or base64 of bytes. Exactly one of the two is present.
///
/// Spec: 2026-07-28 server/resources.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceContents {
    /// Its address.
    pub uri: String,
    /// Its media type.
    #[serde(default)]
    pub mime_type: Option<String>,
    /// The text of a text resource.
    #[serde(default)]
    pub text: Option<String>,
    /// The base64 of a binary resource.
    #[serde(default)]
    pub blob: Option<String>,
    /// Free metadata (from 2025-06-18).
    #[serde(default, rename = "_meta")]
    pub meta: Option<Json>,
}

impl ResourceContents {
    /// Text.
    pub fn text(uri: impl Into<String>, mime_type: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            mime_type: Some(mime_type.into()),
            text: Some(text.into()),
            ..Self::default()
        }
    }

    /// Bytes.
    pub fn blob(uri: impl Into<String>, mime_type: impl Into<String>, bytes: &[u8]) -> Self {
        Self {
            uri: uri.into(),
            mime_type: Some(mime_type.into()),
            blob: Some(STANDARD.encode(bytes)),
            ..Self::default()
        }
    }

    /// The same contents with free metadata, an object.
    #[must_use]
    pub fn with_meta(mut self, meta: Json) -> Self {
        self.meta = Some(meta);
        self
    }
}

impl Encode for ResourceContents {
    fn encode(&self, rules: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        o.str("uri", &self.uri);
        o.opt_str("mimeType", self.mime_type.as_deref());
        o.opt_str("text", self.text.as_deref());
        o.opt_str("blob", self.blob.as_deref());
        meta(&mut o, rules, self.meta.as_ref());
        o.close();
    }
}
