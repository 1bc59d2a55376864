//! Elicitation: the server asks the client's user, by a form or by an address.

use serde::{Deserialize, Deserializer, de::Error as _};

use super::{Encode, FormSchema};
use crate::{
    json::{Json, Object},
    version::Rules,
};

/// The parameters of `elicitation/create`: a question to the client's user.
///
/// Spec: 2026-07-28 client/elicitation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ElicitRequest {
    /// A form.
    Form(FormElicitation),
    /// An address (from 2025-11-25).
    Url(UrlElicitation),
}

/// A form for the user.
///
/// Spec: 2026-07-28 client/elicitation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FormElicitation {
    /// The question to the user.
    pub message: String,
    /// The fields.
    pub schema: FormSchema,
    /// The wish to run it as a task (2025-11-25): an object.
    pub task: Option<Json>,
    /// Metadata of the request: an object.
    pub meta: Option<Json>,
}

impl FormElicitation {
    /// A question with a form.
    pub fn new(message: impl Into<String>, schema: FormSchema) -> Self {
        Self { message: message.into(), schema, task: None, meta: None }
    }
}

/// An address that the user is to open.
///
/// Spec: 2026-07-28 client/elicitation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UrlElicitation {
    /// Why.
    pub message: String,
    /// The address. Show it before it is opened, and open it only if the user agrees.
    pub url: String,
    /// The server's identifier of the request in `notifications/elicitation/complete` (2025-11-25).
    pub elicitation_id: Option<String>,
    /// The wish to run it as a task (2025-11-25): an object.
    pub task: Option<Json>,
    /// Metadata of the request: an object.
    pub meta: Option<Json>,
}

impl UrlElicitation {
    /// An address, and why the user is to open it.
    pub fn new(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self { message: message.into(), url: url.into(), elicitation_id: None, task: None, meta: None }
    }

    /// The same address with the identifier that 2025-11-25 demands.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.elicitation_id = Some(id.into());
        self
    }
}

impl From<FormElicitation> for ElicitRequest {
    fn from(form: FormElicitation) -> Self {
        Self::Form(form)
    }
}

impl From<UrlElicitation> for ElicitRequest {
    fn from(url: UrlElicitation) -> Self {
        Self::Url(url)
    }
}

impl Encode for ElicitRequest {
    fn encode(&self, rules: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        let (task, meta) = match self {
            // a form is what a request without a mode asks for, and the only mode of 2025-06-18
            Self::Form(form) => {
                o.str("message", &form.message);
                form.schema.encode(rules, o.key("requestedSchema"));
                (&form.task, &form.meta)
            }
            Self::Url(url) => {
                o.str("mode", "url");
                o.str("message", &url.message);
                o.str("url", &url.url);
                if !rules.stateless {
                    o.opt_str("elicitationId", url.elicitation_id.as_deref());
                }
                (&url.task, &url.meta)
            }
        };
        if rules.core_tasks {
            o.opt_json("task", task.as_ref());
        }
        o.opt_json("_meta", meta.as_ref());
        o.close();
    }
}

impl<'de> Deserialize<'de> for ElicitRequest {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire {
            mode: Option<String>,
            message: Option<String>,
            requested_schema: Option<Json>,
            url: Option<String>,
            elicitation_id: Option<String>,
            task: Option<Json>,
            #[serde(rename = "_meta")]
            meta: Option<Json>,
        }
        let wire = Wire::deserialize(d)?;
        let message = wire.message.unwrap_or_default();
        let (task, meta) = (wire.task, wire.meta);
        match wire.mode.as_deref() {
            Some("url") => {
                let url = wire.url.ok_or_else(|| D::Error::missing_field("url"))?;
                Ok(Self::Url(UrlElicitation {
                    message,
                    url,
                    elicitation_id: wire.elicitation_id,
                    task,
                    meta,
                }))
            }
            None | Some("form") => {
                let schema =
                    wire.requested_schema.ok_or_else(|| D::Error::missing_field("requestedSchema"))?;
                Ok(Self::Form(FormElicitation { message, schema: FormSchema::from_json(schema), task, meta }))
            }
            Some(mode) => Err(D::Error::custom(format!("{mode:?} is no mode of elicitation"))),
        }
    }
}

/// The reaction of a user to a question.
///
/// Spec: 2026-07-28 client/elicitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ElicitAction {
    /// Filled it in; for an address: agreed to go there.
    Accept,
    /// Said no.
    Decline,
    /// Went away without a word.
    Cancel,
}

impl ElicitAction {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }
}

/// The user's reaction to a question ("Elicitation").
///
/// Spec: 2026-07-28 client/elicitation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct ElicitResult {
    /// The reaction.
    pub action: ElicitAction,
    /// The values of the form's fields, an object, if it was filled in.
    #[serde(default)]
    pub content: Option<Json>,
    /// Free metadata.
    #[serde(default, rename = "_meta")]
    pub meta: Option<Json>,
}

impl ElicitResult {
    /// The user filled the form in: an object. Fields with a default may be left out.
    #[must_use]
    pub fn accept(content: Json) -> Self {
        Self { action: ElicitAction::Accept, content: Some(content), meta: None }
    }

    /// The user agreed to go to the address.
    #[must_use]
    pub fn accept_url() -> Self {
        Self { action: ElicitAction::Accept, content: None, meta: None }
    }

    /// The user said no.
    #[must_use]
    pub fn decline() -> Self {
        Self { action: ElicitAction::Decline, content: None, meta: None }
    }

    /// The user went away without a word.
    #[must_use]
    pub fn cancel() -> Self {
        Self { action: ElicitAction::Cancel, content: None, meta: None }
    }

    /// The values of the form's fields, decoded; `None` if it was not filled in.
    ///
    /// # Errors
    /// When the content has another shape than `T`.
    pub fn filled_in<T: serde::de::DeserializeOwned>(&self) -> Result<Option<T>, serde_json::Error> {
        match (self.action, &self.content) {
            (ElicitAction::Accept, Some(content)) => content.to().map(Some),
            _ => Ok(None),
        }
    }
}

impl Encode for ElicitResult {
    fn encode(&self, _: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        o.str("action", self.action.as_str());
        o.opt_json("content", self.content.as_ref());
        o.opt_json("_meta", self.meta.as_ref());
        o.close();
    }
}
