//! Tools, resources, prompts and completion: from parameters to handlers, and the pages of their lists.

use std::sync::Arc;

use super::{
    Received, Server,
    builder::{CompletionRequest, ReadRequest},
    exchange::{self, Exchange},
    headers,
    reply::{Answer, InputResponses, Reply},
    request::{Context, Outgoing, Running},
    required,
    respond::{self, Caching},
    seal,
};
use crate::{
    envelope::{Message, Params, members_of},
    error::RpcError,
    json::{Json, text_of},
    model::{CallToolResult, CompletionReference, Encode, TaskSupport, Tool},
};

/// Whether a value stands for an absent one: `null`, as itself or as text, and empty text.
fn is_nothing(json: &str) -> bool {
    matches!(json.trim(), "null" | "\"\"" | "\"null\"")
}

impl Server {
    pub(super) fn list_tools(&self, running: &Arc<Running>, p: &Params<'_>) -> Result<Outgoing, RpcError> {
        let cx = Context { running: Arc::clone(running), inputs: InputResponses::default() };
        let mut tools: Vec<Arc<Tool>> = self.parts().tools.iter().map(|e| Arc::clone(&e.tool)).collect();
        tools.extend(self.parts().providers.iter().flat_map(|provider| provider.list(&cx)));
        self.page(running, p, "tools", tools.iter().map(|t| &**t))
    }

    pub(super) fn list_resources(&self, running: &Running, p: &Params<'_>) -> Result<Outgoing, RpcError> {
        self.page(running, p, "resources", self.parts().resources.iter().map(|(r, _)| r))
    }

    pub(super) fn list_templates(&self, running: &Running, p: &Params<'_>) -> Result<Outgoing, RpcError> {
        self.page(running, p, "resourceTemplates", self.parts().templates.iter().map(|e| &e.template))
    }

    pub(super) fn list_prompts(&self, running: &Running, p: &Params<'_>) -> Result<Outgoing, RpcError> {
        self.page(running, p, "prompts", self.parts().prompts.iter().map(|(prompt, _)| prompt))
    }

    /// One page. A cursor is the index of its first entry; others are refused.
    fn page<'i, T: Encode + 'i>(
        &self,
        running: &Running,
        p: &Params<'_>,
        key: &str,
        items: impl ExactSizeIterator<Item = &'i T>,
    ) -> Result<Outgoing, RpcError> {
        let invalid = || RpcError::invalid_params("Invalid cursor");
        let cursor = p.cursor.filter(|raw| !is_nothing(raw.get()));
        let first = match (cursor, self.parts().page_size) {
            (None, _) => 0,
            (Some(raw), Some(_)) => {
                let text = text_of(raw.get()).ok_or_else(invalid)?;
                text.parse::<usize>().ok().filter(|n| *n < items.len()).ok_or_else(invalid)?
            }
            (Some(_), None) => return Err(invalid()),
        };
        let size = self.parts().page_size.unwrap_or(usize::MAX);
        let next = first.saturating_add(size);
        let more = next < items.len();
        let rules = running.version.rules();
        Ok(respond::result(running, Caching::Hinted, None, |o| {
            o.array(key, items.skip(first).take(size), |item, out| item.encode(rules, out));
            if more {
                o.str("nextCursor", &next.to_string());
            }
        }))
    }

    /// The context of a handler that may ask back, with the client's input in it.
    fn context(
        &self,
        running: &Arc<Running>,
        message: &Message<'_>,
        method: &str,
        name: &str,
    ) -> Result<Context, RpcError> {
        let mut inputs = InputResponses::default();
        if running.version.is_stateless() {
            let responses = message.params.input_responses.map(|raw| Json::slice(message.bytes, raw));
            inputs.answers = InputResponses::decode(responses.as_ref())?;
            if let Some(raw) = message.params.request_state {
                let text = text_of(raw.get())
                    .ok_or_else(|| RpcError::invalid_params("\"requestState\" must be a string"))?;
                let key = self
                    .state_key()
                    .ok_or_else(|| RpcError::invalid_params("\"requestState\" is not known here"))?;
                let binding = seal::Binding { principal: running.principal.as_deref(), method, name };
                inputs.state = Some(seal::open(key, &binding, running.now, &text)?);
            }
        }
        Ok(Context { running: Arc::clone(running), inputs })
    }

    pub(super) fn call_tool(
        &self,
        running: &Arc<Running>,
        message: &Message<'_>,
        received: &Received<'_>,
    ) -> Result<Exchange, RpcError> {
        const METHOD: &str = "tools/call";
        let name = required(message.params.name, "name")?;
        let arguments = match message.params.arguments {
            None => Json::empty_object(),
            Some(raw) if raw.get().starts_with('{') => Json::slice(message.bytes, raw),
            // Clients write `null`, or an object as text.
            Some(raw) if is_nothing(raw.get()) => Json::empty_object(),
            Some(raw) => text_of(raw.get())
                .and_then(|text| Json::parse(&text).ok())
                .filter(Json::is_object)
                .ok_or_else(|| RpcError::invalid_params("\"arguments\" must be an object"))?,
        };
        let cx = self.context(running, message, METHOD, &name)?;
        if let Some(headers) = received.headers.filter(|_| running.version.is_stateless()) {
            headers::require_decoded(headers, "mcp-name", &name)?;
            self.check_mirrored(&cx, headers, &name, &arguments)?;
        }
        let support = self.task_support(&cx, &name);
        let server = self.clone();
        let invoke = {
            let name = name.clone();
            move |cx| server.invoke_tool(cx, &name, &arguments)
        };
        if self.tasks().is_none() || !running.version.has_tasks() {
            return Ok(exchange::start(cx, METHOD, invoke));
        }
        let wish = message.params.task.map(|raw| Json::slice(message.bytes, raw)).filter(Json::is_object);
        let no_method = |why: &str| RpcError::new(RpcError::METHOD_NOT_FOUND, format!("{name} {why}"));
        match (support, wish) {
            // the server decides, whatever the client wrote
            (TaskSupport::Forbidden, _) if running.version.is_stateless() => {
                Ok(exchange::start(cx, METHOD, invoke))
            }
            (support, _) if running.version.is_stateless() => {
                self.call_as_task(cx, METHOD, support == TaskSupport::Required, invoke)
            }
            // the client decides, within what the tool says
            (TaskSupport::Forbidden, Some(_)) => Err(no_method("does not run as a task")),
            (TaskSupport::Required, None) => Err(no_method("runs only as a task")),
            (_, None) => Ok(exchange::start(cx, METHOD, invoke)),
            (_, Some(wish)) => self.call_as_asked_task(cx, &wish, invoke),
        }
    }

    /// Whether the call may become a task.
    fn task_support(&self, cx: &Context, name: &str) -> TaskSupport {
        match self.parts().tool_index.get(name) {
            Some(n) => self.parts().tools[*n].tool.task_support,
            None => {
                let found = self.parts().providers.iter().find_map(|provider| provider.find(cx, name));
                found.map_or(TaskSupport::Forbidden, |tool| tool.task_support)
            }
        }
    }

    fn check_mirrored(
        &self,
        cx: &Context,
        headers: &dyn headers::Headers,
        name: &str,
        arguments: &Json,
    ) -> Result<(), RpcError> {
        if let Some(n) = self.parts().tool_index.get(name) {
            return headers::check_mirrored(headers, &self.parts().tools[*n].mirrored, arguments);
        }
        match self.parts().providers.iter().find_map(|provider| provider.find(cx, name)) {
            None => Ok(()),
            Some(tool) => {
                let mirrored = headers::mirrored_arguments(&tool).map_err(RpcError::internal)?;
                headers::check_mirrored(headers, &mirrored, arguments)
            }
        }
    }

    fn invoke_tool(&self, cx: Context, name: &str, arguments: &Json) -> Reply<Answer<CallToolResult>> {
        if let Some(n) = self.parts().tool_index.get(name) {
            return (self.parts().tools[*n].call)(cx, arguments.clone());
        }
        let provided =
            self.parts().providers.iter().find_map(|p| p.call(cx.clone(), name, arguments.clone()));
        provided
            .unwrap_or_else(|| Reply::Ready(Err(RpcError::invalid_params(format!("Unknown tool: {name}")))))
    }

    pub(super) fn get_prompt(
        &self,
        running: &Arc<Running>,
        message: &Message<'_>,
        received: &Received<'_>,
    ) -> Result<Exchange, RpcError> {
        const METHOD: &str = "prompts/get";
        let name = required(message.params.name, "name")?;
        if let Some(headers) = received.headers.filter(|_| running.version.is_stateless()) {
            headers::require_decoded(headers, "mcp-name", &name)?;
        }
        let found = self.parts().prompts.iter().position(|(p, _)| p.name == name);
        let found = found.ok_or_else(|| RpcError::invalid_params(format!("Unknown prompt: {name}")))?;
        let arguments = message.params.arguments.map(|raw| Json::slice(message.bytes, raw));
        let arguments = arguments.unwrap_or_else(Json::empty_object);
        let given = members_of(arguments.as_str())
            .map_err(|_| RpcError::invalid_params("\"arguments\" must be an object of strings"))?;
        if given.iter().any(|(_, value)| text_of(value.get()).is_none()) {
            return Err(RpcError::invalid_params("\"arguments\" must be an object of strings"));
        }
        let required = self.parts().prompts[found].0.arguments.iter().filter(|a| a.required);
        for argument in required {
            if !given.iter().any(|(key, _)| *key == argument.name) {
                return Err(RpcError::invalid_params(format!("Missing argument: {}", argument.name)));
            }
        }
        drop(given);
        let cx = self.context(running, message, METHOD, &name)?;
        let server = self.clone();
        Ok(exchange::start(cx, METHOD, move |cx| (server.parts().prompts[found].1)(cx, arguments.clone())))
    }

    pub(super) fn read_resource(
        &self,
        running: &Arc<Running>,
        message: &Message<'_>,
        received: &Received<'_>,
    ) -> Result<Exchange, RpcError> {
        const METHOD: &str = "resources/read";
        let uri = required(message.params.uri, "uri")?;
        if let Some(headers) = received.headers.filter(|_| running.version.is_stateless()) {
            headers::require_decoded(headers, "mcp-name", &uri)?;
        }
        let cx = self.context(running, message, METHOD, &uri)?;
        let parts = self.parts();
        let server = self.clone();
        if let Some(n) = parts.resources.iter().position(|(r, _)| r.uri == uri) {
            let request = ReadRequest { uri, variables: Vec::new() };
            return Ok(exchange::start(cx, METHOD, move |cx| {
                (server.parts().resources[n].1)(cx, request.clone())
            }));
        }
        let matched = parts.templates.iter().enumerate().find_map(|(n, entry)| {
            match_template(&entry.template.uri_template, &uri).map(|variables| (n, variables))
        });
        let (n, variables) = matched.ok_or_else(|| RpcError::resource_not_found(&uri))?;
        let request = ReadRequest { uri, variables };
        Ok(exchange::start(cx, METHOD, move |cx| (server.parts().templates[n].read)(cx, request.clone())))
    }

    pub(super) fn complete(
        &self,
        running: &Arc<Running>,
        message: &Message<'_>,
    ) -> Result<Exchange, RpcError> {
        let p = &message.params;
        let slice = |raw| Json::slice(message.bytes, raw);
        let bad = |what: &str| RpcError::invalid_params(format!("\"{what}\" is missing or malformed"));
        let text = |json: &Json, key: &str| Some(json.get(key)?.as_text()?.into_owned());
        let reference = p.reference.map(slice).ok_or_else(|| bad("ref"))?;
        let reference = match text(&reference, "type").as_deref() {
            Some("ref/prompt") => {
                let name = text(&reference, "name").ok_or_else(|| bad("ref"))?;
                if !self.parts().prompts.iter().any(|(prompt, _)| prompt.name == name) {
                    return Err(RpcError::invalid_params(format!("Unknown prompt: {name}")));
                }
                CompletionReference::Prompt(name)
            }
            Some("ref/resource") => {
                CompletionReference::Resource(text(&reference, "uri").ok_or_else(|| bad("ref"))?)
            }
            _ => return Err(bad("ref")),
        };
        let argument = p.argument.map(slice).ok_or_else(|| bad("argument"))?;
        let request = CompletionRequest {
            reference,
            argument: text(&argument, "name").ok_or_else(|| bad("argument"))?,
            value: text(&argument, "value").ok_or_else(|| bad("argument"))?,
            arguments: p.context.map(slice).and_then(|c| c.get("arguments")),
        };
        let handler = self
            .parts()
            .completion
            .as_ref()
            .ok_or_else(|| RpcError::method_not_found("completion/complete"))?;
        let cx = Context { running: Arc::clone(running), inputs: InputResponses::default() };
        let reply = handler(cx, request);
        let running = Arc::clone(running);
        let done = Arc::clone(&running);
        let future = async move {
            match exchange::resolve(&done.server, reply).await {
                Ok(completion) => respond::result(&done, Caching::No, None, |o| completion.members(o)),
                Err(e) => respond::error(&done, &e),
            }
        };
        Ok(Exchange::running(running, Box::pin(future)))
    }
}

/// The variables of `template` in `uri`, if it fits: `{x}` stands for anything but a slash, `{+x}` for anything, also nothing.
fn match_template(template: &str, uri: &str) -> Option<Vec<(String, String)>> {
    let Some(open) = template.find('{') else {
        return (template == uri).then(Vec::new);
    };
    let rest = uri.strip_prefix(&template[..open])?;
    let (name, after) = template[open + 1..].split_once('}')?;
    let (name, any) = name.strip_prefix('+').map_or((name, false), |n| (n, true));
    let longest = if any { rest.len() } else { rest.find('/').unwrap_or(rest.len()) };
    // the longest value for which the remaining template fits
    (usize::from(!any)..=longest).rev().filter(|end| rest.is_char_boundary(*end)).find_map(|end| {
        let mut found = match_template(after, &rest[end..])?;
        found.insert(0, (name.to_owned(), rest[..end].to_owned()));
        Some(found)
    })
}

#[cfg(test)]
mod tests {
    use super::match_template;

    #[test]
    fn templates_bind_their_variables() {
        let bind = |template, uri| {
            let all = match_template(template, uri)?;
            Some(all.into_iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(bind("test://{id}/data", "test://12/data").as_deref(), Some("id=12"));
        assert_eq!(bind("test://{id}/data", "test:///data"), None);
        assert_eq!(bind("test://{id}/data", "test://a/b/data"), None);
        assert_eq!(bind("file:///{+path}", "file:///a/b.rs").as_deref(), Some("path=a/b.rs"));
        assert_eq!(bind("file:///{+path}", "file:///").as_deref(), Some("path="));
        assert_eq!(bind("x:{a}-{b}", "x:1-2-3").as_deref(), Some("a=1-2 b=3"));
        assert_eq!(bind("plain:", "plain:").as_deref(), Some(""));
    }
}
