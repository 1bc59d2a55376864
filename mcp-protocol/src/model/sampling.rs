//! Sampling: the server asks the client's model.

use serde::{Deserialize, Deserializer, de::Error as _};

use super::{Content, Encode, Role, Tool, common::meta};
use crate::{
    envelope::integral,
    json::{Json, Object, write_str},
    version::Rules,
};

/// `null` is an absence.
pub(super) fn or_default<'de, T: Default + Deserialize<'de>, D: Deserializer<'de>>(
    d: D,
) -> Result<T, D::Error> {
    Option::deserialize(d).map(Option::unwrap_or_default)
}

/// A whole number; `100.0` is one, because clients in languages without integers send it.
pub(super) fn whole<'de, D: Deserializer<'de>>(d: D) -> Result<u64, D::Error> {
    let number = Json::deserialize(d)?;
    let whole = integral(number.as_str()).and_then(|n| u64::try_from(n).ok());
    whole.ok_or_else(|| D::Error::custom(format!("{} is no whole number", number.as_str())))
}

/// The parameters of `sampling/createMessage`: messages for the client's model.
///
/// ```
/// use mcp_protocol::model::{Content, CreateMessageRequest, ModelPreferences, SamplingMessage};
///
/// let question = SamplingMessage::user(Content::text("What is the capital of France?"));
/// let request = CreateMessageRequest::new(vec![question], 100)
///     .with_system_prompt("You are a helpful assistant.")
///     .with_model_preferences(ModelPreferences::default().with_hint("claude").with_speed(0.5));
/// assert_eq!(request.max_tokens, 100);
/// ```
///
/// Spec: 2026-07-28 client/sampling.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessageRequest {
    /// The conversation.
    pub messages: Vec<SamplingMessage>,
    /// The wishes for the choice of the model.
    #[serde(default)]
    pub model_preferences: Option<ModelPreferences>,
    /// The system prompt; the client may change it or leave it out.
    #[serde(default)]
    pub system_prompt: Option<String>,
    /// The context of which servers the client should add.
    #[serde(default)]
    pub include_context: Option<IncludeContext>,
    /// The randomness of the model.
    #[serde(default)]
    pub temperature: Option<f64>,
    /// How many tokens the model may say at most.
    #[serde(deserialize_with = "whole")]
    pub max_tokens: u64,
    /// Texts at which the model stops.
    #[serde(default, deserialize_with = "or_default")]
    pub stop_sequences: Vec<String>,
    /// Metadata for the provider of the model: an object.
    #[serde(default)]
    pub metadata: Option<Json>,
    /// The tools that the model may use (from 2025-11-25). The client must have declared `sampling.tools`.
    #[serde(default, deserialize_with = "or_default")]
    pub tools: Vec<Tool>,
    /// Whether it has to use them (from 2025-11-25).
    #[serde(default)]
    pub tool_choice: Option<ToolChoice>,
    /// The wish to run it as a task (2025-11-25): an object.
    #[serde(default)]
    pub task: Option<Json>,
    /// Metadata of the request: an object.
    #[serde(default, rename = "_meta")]
    pub meta: Option<Json>,
}

impl CreateMessageRequest {
    /// These messages, and how many tokens the model may say at most.
    #[must_use]
    pub fn new(messages: Vec<SamplingMessage>, max_tokens: u64) -> Self {
        Self { messages, max_tokens, ..Self::default() }
    }

    /// The same request with a system prompt.
    #[must_use]
    pub fn with_system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.system_prompt = Some(prompt.into());
        self
    }

    /// The same request with wishes for the choice of the model.
    #[must_use]
    pub fn with_model_preferences(mut self, preferences: ModelPreferences) -> Self {
        self.model_preferences = Some(preferences);
        self
    }

    /// The same request with a temperature.
    #[must_use]
    pub fn with_temperature(mut self, temperature: f64) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// The same request with texts at which the model stops.
    #[must_use]
    pub fn with_stop_sequences(mut self, sequences: Vec<String>) -> Self {
        self.stop_sequences = sequences;
        self
    }

    /// The same request with the context of these servers.
    #[must_use]
    pub fn with_context(mut self, context: IncludeContext) -> Self {
        self.include_context = Some(context);
        self
    }

    /// The same request with tools that the model may use.
    #[must_use]
    pub fn with_tools(mut self, tools: Vec<Tool>, choice: ToolChoice) -> Self {
        self.tools = tools;
        self.tool_choice = Some(choice);
        self
    }
}

impl Encode for CreateMessageRequest {
    fn encode(&self, rules: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        let messages = self.messages.iter().flat_map(|message| message.as_known(rules));
        o.array("messages", messages, |(message, content), out| message.write(rules, content, out));
        if let Some(preferences) = &self.model_preferences {
            preferences.encode(rules, o.key("modelPreferences"));
        }
        o.opt_str("systemPrompt", self.system_prompt.as_deref());
        o.opt_str("includeContext", self.include_context.map(IncludeContext::as_str));
        if let Some(temperature) = self.temperature {
            o.number("temperature", temperature);
        }
        o.u64("maxTokens", self.max_tokens);
        if !self.stop_sequences.is_empty() {
            o.array("stopSequences", &self.stop_sequences, |s, out| write_str(out, s));
        }
        o.opt_json("metadata", self.metadata.as_ref());
        if rules.sampling_tools && !self.tools.is_empty() {
            o.array("tools", &self.tools, |tool, out| tool.encode(rules, out));
        }
        if let Some(choice) = self.tool_choice.filter(|_| rules.sampling_tools) {
            o.object("toolChoice", |o| o.str("mode", choice.as_str()));
        }
        if rules.core_tasks {
            o.opt_json("task", self.task.as_ref());
        }
        o.opt_json("_meta", self.meta.as_ref());
        o.close();
    }
}

/// One message of a conversation with a model: one block of content, or several (from 2025-11-25; several messages of
/// one block each before).
///
/// Spec: 2026-07-28 client/sampling.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct SamplingMessage {
    /// The speaker.
    pub role: Role,
    /// The blocks, at least one.
    #[serde(deserialize_with = "one_or_several")]
    pub content: Vec<Content>,
    /// Free metadata (from 2025-11-25).
    #[serde(default, rename = "_meta")]
    pub meta: Option<Json>,
}

impl SamplingMessage {
    /// Something the user says.
    #[must_use]
    pub fn user(content: Content) -> Self {
        Self::blocks(Role::User, vec![content])
    }

    /// Something the model says.
    #[must_use]
    pub fn assistant(content: Content) -> Self {
        Self::blocks(Role::Assistant, vec![content])
    }

    /// Several blocks at once, such as the results of tools.
    #[must_use]
    pub fn blocks(role: Role, content: Vec<Content>) -> Self {
        Self { role, content, meta: None }
    }

    /// The messages that a revision knows this one as.
    fn as_known(&self, rules: &Rules) -> Vec<(&Self, &[Content])> {
        if rules.sampling_tools {
            vec![(self, &*self.content)]
        } else {
            self.content.chunks(1).map(|c| (self, c)).collect()
        }
    }

    fn write(&self, rules: &Rules, content: &[Content], out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        o.str("role", self.role.as_str());
        write_blocks(rules, content, &mut o);
        if rules.sampling_tools {
            meta(&mut o, rules, self.meta.as_ref());
        }
        o.close();
    }
}

impl Encode for SamplingMessage {
    fn encode(&self, rules: &Rules, out: &mut Vec<u8>) {
        self.write(rules, &self.content, out);
    }
}

fn write_blocks(rules: &Rules, content: &[Content], o: &mut Object<'_>) {
    match content {
        [one] => one.encode(rules, o.key("content")),
        several => o.array("content", several, |block, out| block.encode(rules, out)),
    }
}

fn one_or_several<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<Content>, D::Error> {
    let content = Json::deserialize(d)?;
    let blocks = if content.is_object() { content.to().map(|one| vec![one]) } else { content.to() };
    blocks.map_err(D::Error::custom)
}

/// The wishes of a server for the choice of the model. Priorities lie between 0 and 1.
///
/// Spec: 2026-07-28 client/sampling.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ModelPreferences {
    /// Names of models or families, the preferred one first.
    #[serde(deserialize_with = "or_default")]
    pub hints: Vec<ModelHint>,
    /// How much the price matters.
    pub cost_priority: Option<f64>,
    /// How much the speed matters.
    pub speed_priority: Option<f64>,
    /// How much the abilities matter.
    pub intelligence_priority: Option<f64>,
}

impl ModelPreferences {
    /// The same preferences with a further model, by a part of its name.
    #[must_use]
    pub fn with_hint(mut self, name: impl Into<String>) -> Self {
        self.hints.push(ModelHint { name: Some(name.into()) });
        self
    }

    /// The same preferences with the weight of the price.
    #[must_use]
    pub fn with_cost(mut self, priority: f64) -> Self {
        self.cost_priority = Some(priority);
        self
    }

    /// The same preferences with the weight of the speed.
    #[must_use]
    pub fn with_speed(mut self, priority: f64) -> Self {
        self.speed_priority = Some(priority);
        self
    }

    /// The same preferences with the weight of the abilities.
    #[must_use]
    pub fn with_intelligence(mut self, priority: f64) -> Self {
        self.intelligence_priority = Some(priority);
        self
    }
}

impl Encode for ModelPreferences {
    fn encode(&self, _: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        if !self.hints.is_empty() {
            o.array("hints", &self.hints, |hint, out| {
                let mut o = Object::open(out);
                o.opt_str("name", hint.name.as_deref());
                o.close();
            });
        }
        for (key, priority) in [
            ("costPriority", self.cost_priority),
            ("speedPriority", self.speed_priority),
            ("intelligencePriority", self.intelligence_priority),
        ] {
            if let Some(priority) = priority {
                o.number(key, priority);
            }
        }
        o.close();
    }
}

/// A hint at a model.
///
/// Spec: 2026-07-28 client/sampling.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ModelHint {
    /// A part of the model's name.
    pub name: Option<String>,
}

/// The context that the client adds to a conversation.
///
/// Spec: 2026-07-28 client/sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum IncludeContext {
    /// None.
    None,
    /// That of the server which asks.
    ThisServer,
    /// That of all servers of the client.
    AllServers,
}

impl IncludeContext {
    fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ThisServer => "thisServer",
            Self::AllServers => "allServers",
        }
    }
}

/// Whether the model uses the tools that it is given.
///
/// Spec: 2026-07-28 client/sampling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// It has to use one at least.
    Required,
    /// It must not.
    None,
}

impl ToolChoice {
    fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Required => "required",
            Self::None => "none",
        }
    }
}

impl<'de> Deserialize<'de> for ToolChoice {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Wire {
            mode: Option<String>,
        }
        let Wire { mode } = Wire::deserialize(d)?;
        let Some(mode) = mode else { return Ok(Self::default()) };
        let known =
            [Self::Auto, Self::Required, Self::None].into_iter().find(|choice| choice.as_str() == mode);
        known.ok_or_else(|| D::Error::custom(format!("{mode:?} is no choice of tools")))
    }
}

/// The message of the client's model.
///
/// Spec: 2026-07-28 client/sampling.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessageResult {
    /// The speaker.
    pub role: Role,
    /// The blocks, at least one.
    #[serde(deserialize_with = "one_or_several")]
    pub content: Vec<Content>,
    /// The name of the model.
    pub model: String,
    /// Why it stopped, if that is known.
    #[serde(default)]
    pub stop_reason: Option<StopReason>,
    /// Free metadata.
    #[serde(default, rename = "_meta")]
    pub meta: Option<Json>,
}

impl CreateMessageResult {
    /// Something that the model of that name said; it came to its end.
    pub fn new(model: impl Into<String>, content: Content) -> Self {
        Self {
            role: Role::Assistant,
            content: vec![content],
            model: model.into(),
            stop_reason: Some(StopReason::EndTurn),
            meta: None,
        }
    }

    /// The same result with these blocks, such as uses of tools.
    #[must_use]
    pub fn with_content(mut self, content: Vec<Content>) -> Self {
        self.content = content;
        self
    }

    /// The same result with another reason for the end.
    #[must_use]
    pub fn with_stop_reason(mut self, reason: StopReason) -> Self {
        self.stop_reason = Some(reason);
        self
    }

    /// The text of its text blocks.
    #[must_use]
    pub fn text(&self) -> String {
        self.content.iter().filter_map(Content::as_text).collect()
    }
}

impl Encode for CreateMessageResult {
    fn encode(&self, rules: &Rules, out: &mut Vec<u8>) {
        let mut o = Object::open(out);
        o.str("role", self.role.as_str());
        write_blocks(rules, &self.content, &mut o);
        o.str("model", &self.model);
        o.opt_str("stopReason", self.stop_reason.as_ref().map(StopReason::as_str));
        o.opt_json("_meta", self.meta.as_ref());
        o.close();
    }
}

/// Why a model stopped.
///
/// Spec: 2026-07-28 client/sampling.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// It came to its end.
    EndTurn,
    /// It said one of the stop sequences.
    StopSequence,
    /// It said as much as it may.
    MaxTokens,
    /// It wants to use a tool.
    ToolUse,
    /// Another reason, by its name.
    Other(String),
}

impl StopReason {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::EndTurn => "endTurn",
            Self::StopSequence => "stopSequence",
            Self::MaxTokens => "maxTokens",
            Self::ToolUse => "toolUse",
            Self::Other(name) => name,
        }
    }
}

impl<'de> Deserialize<'de> for StopReason {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let name = String::deserialize(d)?;
        let known = [Self::EndTurn, Self::StopSequence, Self::MaxTokens, Self::ToolUse];
        Ok(known.into_iter().find(|reason| reason.as_str() == name).unwrap_or(Self::Other(name)))
    }
}
