//! Conversations as text: `> ` a message from the client, `< ` one from the server, in order. Everything the server
//! says must be in the script, and a script that ends early fails.

use std::task::{Context, Waker};

use bytes::Bytes;
use mcp_protocol::{Json, RpcError, Server, UnixMillis, model::*, server::Connection};

/// A server with one of everything.
pub(crate) fn server() -> Server {
    let schema =
        Json::parse(r#"{"type":"object","properties":{"message":{"type":"string"}},"$defs":{"kept":{}}}"#)
            .expect("valid");
    let any = Json::parse(r#"{"type":"object"}"#).expect("valid");
    Server::builder(Implementation::new("test", "1"))
        .logging()
        .tool_inline(Tool::new("echo", "Says it again.", schema), |_, args| {
            let message = args.get("message").ok_or_else(|| RpcError::invalid_params("no message"))?;
            Ok(CallToolResult::text(message.as_text().unwrap_or_default()))
        })
        .tool(Tool::new("wait", "Waits for its cancellation.", any.clone()), |cx, _| async move {
            cx.cancelled().await;
            Ok(CallToolResult::text("never sent"))
        })
        .tool(Tool::new("chatty", "Reports, logs, answers.", any.clone()), |cx, _| async move {
            cx.progress(1.0, Some(2.0), Some("half"));
            cx.progress(1.0, Some(2.0), Some("not more"));
            cx.log(LogLevel::Debug, None, &Json::string("low"));
            cx.log(LogLevel::Warning, Some("l"), &Json::string("high"));
            cx.progress(2.0, Some(2.0), None);
            Ok(CallToolResult::text("done"))
        })
        .tool(Tool::new("ask", "Asks the user.", any.clone()), |cx, _| async move {
            let answer = cx.elicit("Sure?", &Json::parse(r#"{"type":"object","properties":{}}"#)?).await?;
            Ok(CallToolResult::text(answer.as_str()))
        })
        .tool_inline(Tool::new("change", "Announces changes.", any.clone()), |cx, _| {
            cx.server().tools_changed();
            cx.server().tools_changed();
            cx.server().resource_updated("test://a");
            Ok(CallToolResult::text("changed"))
        })
        .tool_inline(Tool::new("rich", "Answers every kind of content.", any.clone()), |_, _| Ok(rich()))
        .resource(Resource::new("test://a", "a", "A."), |_, r| async move {
            Ok(vec![ResourceContents::text(r.uri, "text/plain", "A")])
        })
        .prompt(Prompt::new("p", "P.").with_argument("x", "X.", true), |_, args| async move {
            Ok(GetPromptResult::new(vec![PromptMessage::user(Content::text(args.as_str()))]))
        })
        .completion(|_, _| async {
            Ok(Completion { values: (0..150).map(|n| n.to_string()).collect(), ..Completion::default() })
        })
        .tool_blocking(Tool::new("panics", "Fails.", any), |_, _| -> Result<CallToolResult, RpcError> {
            panic!("on purpose")
        })
        .build()
        .expect("valid")
}

fn rich() -> CallToolResult {
    let content = vec![
        Content::audio(b"x", "audio/wav"),
        Content::link(Resource::new("test://a", "a", "A.")),
        Content {
            annotations: Some(Annotations { priority: Some(0.5), ..Annotations::default() }),
            ..Content::text("t")
        },
    ];
    CallToolResult { content, structured_content: Json::parse("[1]").ok(), ..CallToolResult::default() }
}

/// The handshake in a revision, as script lines; the client can be asked.
pub(crate) fn shake_hands(version: &str) -> String {
    let capabilities = r#"{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},COMPLETIONS"logging":{}}"#;
    let completions = if version == "2024-11-05" { "" } else { r#""completions":{},"# };
    let capabilities = capabilities.replace("COMPLETIONS", completions);
    format!(
        r#"> {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{"elicitation":{{}}}},"clientInfo":{{"name":"c","version":"1"}}}}}}
        < {{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"{version}","capabilities":{capabilities},"serverInfo":{{"name":"test","version":"1"}}}}}}
        > {{"jsonrpc":"2.0","method":"notifications/initialized"}}
        "#
    )
}

/// Runs a script after the handshake in a revision.
pub(crate) fn check_in(version: &str, script: &str) {
    check(&format!("{}{script}", shake_hands(version)));
}

/// Runs a script against a fresh connection.
pub(crate) fn check(script: &str) {
    check_on(server(), script);
}

pub(crate) fn check_on(server: Server, script: &str) {
    let mut connection = Connection::new(server);
    let mut said: Vec<String> = Vec::new();
    let mut transcript = String::new();
    for line in script.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (kind, text) = line.split_at(1);
        let text = text.trim();
        match kind {
            ">" => {
                assert!(said.is_empty(), "not in the script:\n{}\nafter:\n{transcript}", said.join("\n"));
                connection.receive(UnixMillis(0), &Bytes::copy_from_slice(text.as_bytes()));
                let _ready = connection.poll(&mut Context::from_waker(Waker::noop()));
                let output = std::mem::take(connection.output());
                said.extend(String::from_utf8(output).expect("messages are text").lines().map(str::to_owned));
            }
            "<" => {
                assert!(!said.is_empty(), "expected: {text}\nafter:\n{transcript}");
                assert_eq!(said.remove(0), text, "after:\n{transcript}");
            }
            _ => panic!("not a script line: {line}"),
        }
        transcript.push_str(line);
        transcript.push('\n');
    }
    assert!(said.is_empty(), "not in the script:\n{}", said.join("\n"));
}
