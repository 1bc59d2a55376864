//! The types of the protocol. They are supersets of all revisions; what a revision does not know is left out, or said
//! in an older way, when a value is encoded for it.

mod common;
mod content;
mod elicitation;
mod form;
mod prompt;
mod resource;
mod roots;
mod sampling;
mod task;
mod tool;

pub use common::{Annotations, ClientCapabilities, Icon, Implementation, LogLevel, Role};
pub use content::{Content, ContentKind, ResourceContents};
pub use elicitation::{ElicitAction, ElicitRequest, ElicitResult, FormElicitation, UrlElicitation};
pub use form::{
    BooleanSchema, EnumDefault, EnumOption, EnumSchema, FormSchema, NumberSchema, PrimitiveSchema,
    StringSchema,
};
pub use prompt::{Completion, CompletionReference, GetPromptResult, Prompt, PromptArgument, PromptMessage};
pub use resource::{Resource, ResourceTemplate};
pub use roots::{ListRootsResult, Root};
pub use sampling::{
    CreateMessageRequest, CreateMessageResult, IncludeContext, ModelHint, ModelPreferences, SamplingMessage,
    StopReason, ToolChoice,
};
pub use task::{Task, TaskStatus};
pub use tool::{CallToolResult, TaskSupport, Tool, ToolAnnotations};

use crate::{
    json::Json,
    version::{Rules, Version},
};

/// A value as a revision's peers are told it.
///
/// Spec: 2026-07-28 basic/versioning.
pub trait ToWire {
    /// The value in JSON, without what that revision does not know.
    fn to_wire(&self, version: Version) -> Json;
}

impl<T: Encode> ToWire for T {
    fn to_wire(&self, version: Version) -> Json {
        let mut out = Vec::new();
        self.encode(version.rules(), &mut out);
        Json::from_written(out)
    }
}

/// Writes a value as the revision knows it.
pub(crate) trait Encode {
    fn encode(&self, rules: &Rules, out: &mut Vec<u8>);
}
