//! A client for any server, with everything that clients can do: `client stdio '["command", "argument"]'`, or
//! `client http URL`. A third argument names a revision to offer in a handshake; without it the client finds out what
//! the server speaks, down to the pair of endpoints of 2024-11-05. It prints one line of JSON about what it found.
//!
//! `cargo xtask e2e` runs it against servers that others wrote.

use std::{
    process::{Command, Stdio},
    sync::{Arc, Mutex},
    time::Duration,
};

use mcp_protocol::{
    Json, Version,
    client::{Client, ClientBuilder, ClientError, ClientExt as _, Handlers, Transport as _},
    model::{
        CompletionReference, Content, CreateMessageResult, ElicitResult, Implementation, LogLevel, Root,
    },
};
use mcp_transport_http::{HttpTransport, Hyper, Tokio};
use mcp_transport_sse::SseTransport;
use mcp_transport_stdio::StdioTransport;
use serde_json::{Value, json};

type Failed = Box<dyn std::error::Error>;

/// How long a server may be silent before it is taken for an old one.
const PATIENCE: Duration = Duration::from_secs(5);

/// The messages of the server that came outside of answers.
type Heard = Arc<Mutex<Vec<String>>>;

/// The client's abilities: a root, a model that always says the same, a user who accepts every default.
fn abilities(heard: &Heard) -> Handlers {
    let note = |heard: &Heard| {
        let heard = Arc::clone(heard);
        move |text: String| heard.lock().expect("no panic").push(text)
    };
    let (progress, log, list, updated) = (note(heard), note(heard), note(heard), note(heard));
    let root = Root::new("file:///workspace").with_name("workspace");
    Handlers::new()
        .roots(Arc::new(Mutex::new(vec![root])))
        .sampling(false, |_| async { Ok(CreateMessageResult::new("m", Content::text("Paris"))) })
        .form_elicitation(|_| async { Ok(ElicitResult::accept(Json::empty_object())) })
        .url_elicitation(|_| async { Ok(ElicitResult::decline()) })
        .on_progress(move |p| progress(format!("progress {} of {}", p.progress, p.total.unwrap_or_default())))
        .on_log(move |level, _, data| log(format!("{} {}", level.as_str(), data.as_str())))
        .on_list_changed(move |name| list(format!("{name} changed")))
        .on_resource_updated(move |uri| updated(format!("{uri} changed")))
}

fn builder(offer: Option<Version>, heard: &Heard) -> ClientBuilder {
    ClientBuilder::new(Implementation::new("client", "1.0")).handlers(abilities(heard)).handshake(offer)
}

async fn over_stdio(command: &str, builder: ClientBuilder) -> Result<Arc<dyn Client>, Failed> {
    let words: Vec<String> = serde_json::from_str(command)?;
    let (program, arguments) = words.split_first().ok_or("no command")?;
    #[expect(
        clippy::disallowed_methods,
        reason = "starting the server is the host's business, and this is the host"
    )]
    let mut child =
        Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (input, output) = (child.stdout.take().ok_or("no output")?, child.stdin.take().ok_or("no input")?);
    let transport = StdioTransport::new(input, output).patience(tokio::time::sleep(PATIENCE));
    Ok(Arc::new(builder.connect(transport).await?))
}

async fn over_http(url: &str, builder: ClientBuilder) -> Result<Arc<dyn Client>, Failed> {
    let (http, runtime, uri) = (Hyper::default(), Tokio::current(), url.parse::<http::Uri>()?);
    let older = SseTransport::new(http.clone(), uri.clone(), runtime.clone());
    Ok(builder.connect(HttpTransport::new(http, uri, runtime).or(older)).await?)
}

/// The first text of a tool's answer, or what went wrong.
async fn said(client: &dyn Client, tool: &str, arguments: &Value) -> Result<Value, Failed> {
    let params = Json::from(&json!({"name": tool, "arguments": arguments}))?;
    let meta = Json::from(&json!({"progressToken": tool}))?;
    let result: Value = client.call("tools/call", params, Some(meta)).await?.to()?;
    Ok(result["content"][0]["text"].clone())
}

/// The offers of a server, tried as one written for this example has them.
async fn explore(client: &dyn Client, heard: &Heard) -> Result<Value, Failed> {
    let session = client.session();
    let mut tools: Vec<String> = client.list_tools().await?.into_iter().map(|t| t.name).collect();
    tools.sort();
    if session.server_info().has_capability("logging") {
        client.log_from(LogLevel::Info).await?;
    }
    let mut answers = serde_json::Map::new();
    for tool in &tools {
        let arguments = if tool == "add" { json!({"a": 1, "b": 2}) } else { json!({}) };
        let answer = said(client, tool, &arguments).await;
        answers.insert(tool.clone(), answer.unwrap_or_else(|e| format!("error: {e}").into()));
    }
    let text =
        |contents: Result<Vec<mcp_protocol::model::ResourceContents>, ClientError>| -> Result<Value, Failed> {
            Ok(contents?.into_iter().next().and_then(|c| c.text).into())
        };
    let uris: Vec<String> = client.list_resources().await?.into_iter().map(|r| r.uri).collect();
    let templates: Vec<String> =
        client.list_resource_templates().await?.into_iter().map(|t| t.uri_template).collect();
    let prompts: Vec<String> = client.list_prompts().await?.into_iter().map(|p| p.name).collect();
    let prompt = client.get_prompt("greet", &[("name", "Ann")]).await?;
    let completed = client.complete(&CompletionReference::Prompt("greet".into()), "name", "An", &[]).await?;
    let missing = client.read_resource("test://missing").await.is_err();
    client.ping().await?;
    let heard = heard.lock().expect("no panic").clone();
    Ok(json!({
        "version": session.version().as_str(),
        "tools": answers,
        "resources": uris,
        "resource": text(client.read_resource("test://a").await)?,
        "templates": templates,
        "template": text(client.read_resource("test://7/data").await)?,
        "missing": missing,
        "prompts": prompts,
        "prompt": prompt.messages.first().and_then(|m| m.content.as_text()),
        "completed": completed.values,
        "heard": heard,
    }))
}

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [wire, target, offer @ ..] = arguments.as_slice() else {
        return Err("usage: client stdio|http COMMAND|URL [REVISION]".into());
    };
    let offer = offer.first().map(|name| Version::parse(name).ok_or("an unknown revision")).transpose()?;
    let heard = Heard::default();
    let found = match wire.as_str() {
        "stdio" => explore(over_stdio(target, builder(offer, &heard)).await?.as_ref(), &heard).await?,
        "http" => explore(over_http(target, builder(offer, &heard)).await?.as_ref(), &heard).await?,
        _ => return Err("the wire is stdio or http".into()),
    };
    #[expect(clippy::print_stdout, reason = "this is what the program is for")]
    {
        println!("{found}");
    }
    Ok(())
}
