//! Tools from structs and functions, on standard input and output; one of them adds tools while the server runs.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_protocol::{
    Context, Json, RpcError, Server,
    model::{CallToolResult, Implementation, Tool},
    server::{Answer, Reply, Structured, ToolProvider},
};
use mcp_transport_stdio::{Options, serve_stdio};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// The name to greet.
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct Greeting {
    text: String,
}

/// Tools that are phrases: listed under the names that were learned, called without arguments.
#[derive(Clone, Default)]
struct Phrases(Arc<Mutex<Vec<String>>>);

impl ToolProvider for Phrases {
    fn list(&self, _: &Context) -> Vec<Arc<Tool>> {
        let learned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let any = Json::parse(r#"{"type":"object"}"#).expect("a literal");
        let tool = |name: &String| Arc::new(Tool::new(name, "A learned phrase.", any.clone()));
        learned.iter().map(tool).collect()
    }

    fn call(&self, cx: Context, name: &str, _: Json) -> Option<Reply<Answer<CallToolResult>>> {
        let known = self.find(&cx, name)?;
        Some(Reply::Ready(Ok(CallToolResult::text(format!("{}!", known.name)).into())))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let phrases = Phrases::default();
    let learning = phrases.clone();
    let server = Server::builder(Implementation::new("greeter", "1.0"))
        .typed("greet", "Says hello.", |cx: Context, greet: Greet| async move {
            // a handler can report progress while it works
            cx.progress(1.0, Some(1.0), Some("greeted"));
            let client =
                cx.client_info().map_or_else(String::new, |client| format!(", sent by {}", client.name));
            Ok::<_, RpcError>(Structured(Greeting { text: format!("Hello, {}{client}!", greet.name) }))
        })
        .typed("learn", "Makes a tool of a phrase.", move |cx: Context, phrase: Greet| {
            let learning = learning.clone();
            async move {
                learning.0.lock().unwrap_or_else(PoisonError::into_inner).push(phrase.name);
                cx.server().tools_changed();
                Ok::<_, RpcError>("Learned.".to_owned())
            }
        })
        .tools(phrases)
        .build()?;
    serve_stdio(&server, &Options::default())?;
    Ok(())
}
