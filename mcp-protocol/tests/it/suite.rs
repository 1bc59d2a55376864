//! The scripts of `tests/scripts`, and what runs them over any wire. Every transport's tests run all of them.
//!
//! `== title` begins a conversation. Then, in this order: `not WIRE: why` or `only WIRE: why`, `in REVISION` (after that
//! handshake), `> ` a message from the client, `< ` one from the server, `wait N` milliseconds pass. Everything the
//! server says must be in the script, in the order of the script on each stream; a script that ends early fails.

use std::cell::Cell;

use mcp_protocol::{Json, RpcError, Server, UnixMillis, model::*};

pub(crate) const SCRIPTS: [(&str, &str); 4] = [
    ("handshake", include_str!("../scripts/handshake.txt")),
    ("malformed", include_str!("../scripts/malformed.txt")),
    ("cancel", include_str!("../scripts/cancel.txt")),
    ("features", include_str!("../scripts/features.txt")),
];

/// A client's end of a connection to a server.
pub(crate) trait Wire {
    /// Gives the server a message, and returns what it says then: the messages of each stream, in their order.
    fn give(&mut self, message: &str) -> Vec<Vec<String>>;
}

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
}

/// The time in the script that this thread runs.
pub(crate) fn now() -> UnixMillis {
    UnixMillis(NOW.get())
}

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
            let answer = cx.elicit("Sure?", &FormSchema::new()).await?;
            Ok(CallToolResult::text(answer.to_wire(cx.version()).as_str()))
        })
        .tool_inline(Tool::new("change", "Announces changes.", any.clone()), |cx, _| {
            cx.server().tools_changed();
            cx.server().tools_changed();
            cx.server().resource_updated("test://a");
            Ok(CallToolResult::text("changed"))
        })
        .tool_inline(Tool::new("push", "Says something of its own accord.", any.clone()), |cx, args| {
            cx.peer().notify("notifications/test/pushed", &args)?;
            Ok(CallToolResult::text("pushed"))
        })
        .tool_inline(Tool::new("rich", "Answers every kind of content.", any.clone()), |_, _| Ok(rich()))
        .resource(Resource::new("test://a", "a", "A."), |_, r| async move {
            Ok(vec![ResourceContents::text(r.uri, "text/plain", "A")])
        })
        .prompt(Prompt::new("p", "P.").with_argument("x", "X.", true), |_, args| async move {
            Ok(GetPromptResult::new(vec![PromptMessage::user(Content::text(args.as_str()))]))
        })
        .completion(|_, _| async { Ok(Completion::new((0..150).map(|n| n.to_string()).collect())) })
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
        Content::text("t").with_annotations(Annotations::default().with_priority(0.5)),
    ];
    CallToolResult::blocks(content).with_structured(Json::parse("[1]").expect("a literal"))
}

/// The handshake in a revision, as script lines; the client can be asked.
fn shake_hands(version: &str) -> String {
    let completions = if version == "2024-11-05" { "" } else { r#""completions":{},"# };
    format!(
        r#"> {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{"elicitation":{{}}}},"clientInfo":{{"name":"c","version":"1"}}}}}}
        < {{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"{version}","capabilities":{{"tools":{{"listChanged":true}},"resources":{{"subscribe":true,"listChanged":true}},"prompts":{{"listChanged":true}},{completions}"logging":{{}}}},"serverInfo":{{"name":"test","version":"1"}}}}}}
        > {{"jsonrpc":"2.0","method":"notifications/initialized"}}
        "#
    )
}

/// Runs every script that is meant for the wire of that name, each over a connection of its own.
pub(crate) fn check_all<W: Wire>(name: &str, mut connect: impl FnMut(Server) -> W) {
    let mut checked = 0;
    for (file, text) in SCRIPTS {
        for script in text.split("\n== ").skip(1) {
            let (title, script) = script.split_once('\n').expect("a title has a line of its own");
            let names = |line: &str| line.split([' ', ':']).any(|word| word == name);
            let is_meant = script.lines().all(|line| match line.split_once(' ') {
                Some(("not", wires)) => !names(wires.split(':').next().unwrap_or_default()),
                Some(("only", wires)) => names(wires.split(':').next().unwrap_or_default()),
                _ => true,
            });
            if is_meant {
                checked += 1;
                check(&mut connect(server()), &format!("{file}: {title}"), script);
            }
        }
    }
    assert!(checked > 20, "{name}: {checked} scripts");
}

/// Runs one script.
pub(crate) fn check(wire: &mut impl Wire, title: &str, script: &str) {
    NOW.set(0);
    let mut said: Vec<Vec<String>> = Vec::new();
    let mut transcript = String::new();
    let script = match script.lines().find_map(|line| line.trim().strip_prefix("in ")) {
        Some(version) => format!("{}{script}", shake_hands(version)),
        None => script.to_owned(),
    };
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (kind, text) = line.split_once(' ').expect("a line of a script has a kind and a text");
        if kind != "<" {
            let left: Vec<&String> = said.iter().flatten().collect();
            assert!(left.is_empty(), "{title}: not in the script: {left:?}\nafter:\n{transcript}");
        }
        match kind {
            ">" => said = wire.give(text),
            "<" => {
                let found = said.iter_mut().find(|stream| stream.first().is_some_and(|first| first == text));
                let Some(stream) = found else {
                    panic!("{title}: expected: {text}\nnot: {said:?}\nafter:\n{transcript}")
                };
                stream.remove(0);
            }
            "wait" => NOW.set(NOW.get() + text.parse::<u64>().expect("milliseconds")),
            "not" | "only" | "in" => {}
            _ => panic!("{title}: not a line of a script: {line}"),
        }
        transcript.push_str(line);
        transcript.push('\n');
    }
    let left: Vec<&String> = said.iter().flatten().collect();
    assert!(left.is_empty(), "{title}: not in the script: {left:?}\nafter:\n{transcript}");
}
