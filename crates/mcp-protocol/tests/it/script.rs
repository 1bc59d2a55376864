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
        .tool_blocking(Tool::new("panics", "Fails.", any), |_, _| -> Result<CallToolResult, RpcError> {
            panic!("on purpose")
        })
        .build()
        .expect("valid")
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
