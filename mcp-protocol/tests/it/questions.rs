//! Questions of the server to its client, typed on both sides: forms, models and roots.

use std::{
    future::Future,
    sync::{Arc, Mutex},
    task::{Context as TaskContext, Poll, Waker},
};

use bytes::Bytes;
use mcp_protocol::{
    Context, Json, RpcError, Server, UnixMillis, Version,
    client::{ClientBuilder, ClientExt as _, Connection, Handlers},
    model::*,
    server::{self, Answer, InputRequest, InputRequired},
};

fn json(text: &str) -> Json {
    Json::parse(text).expect("a literal")
}

fn form() -> FormSchema {
    FormSchema::new()
        .with_required("mail", StringSchema::email().with_title("Address").with_length(3, None))
        .with_field("age", NumberSchema::integer().with_minimum(18.0).with_default(20.0))
        .with_field("score", NumberSchema::number().with_maximum(0.5))
        .with_field("news", BooleanSchema::new().with_description("Letters").with_default(false))
        .with_field("plain", EnumSchema::one_of(["a", "b"]).with_default("b"))
        .with_required("titled", EnumSchema::one_of([("a", "The first"), ("b", "The second")]))
        .with_field("many", EnumSchema::several_of(["a", "b"]).with_items(1, 2))
        .with_field("named", EnumSchema::several_of([("a", "A")]).with_default(vec!["a".to_owned()]))
}

#[test]
fn a_form_is_written_as_each_revision_knows_it_and_read_back() {
    let fields = r#"{"mail":{"type":"string","title":"Address","minLength":3,"format":"email"},"age":{"type":"integer","minimum":18,"default":20},"score":{"type":"number","maximum":0.5},"news":{"type":"boolean","description":"Letters","default":false},"plain":{"type":"string","enum":["a","b"],"default":"b"},"titled":TITLED,"many":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["a","b"]}},"named":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]},"default":["a"]}}"#;
    let one_of =
        r#"{"type":"string","oneOf":[{"const":"a","title":"The first"},{"const":"b","title":"The second"}]}"#;
    let names = r#"{"type":"string","enum":["a","b"],"enumNames":["The first","The second"]}"#;
    for (version, titled) in
        [(Version::V2026_07_28, one_of), (Version::V2025_11_25, one_of), (Version::V2025_06_18, names)]
    {
        let fields = fields.replace("TITLED", titled);
        let wanted = format!(r#"{{"type":"object","properties":{fields},"required":["mail","titled"]}}"#);
        let written = form().to_wire(version);
        assert_eq!(written.as_str(), wanted);
        let read = FormSchema::from_json(written);
        assert_eq!(read.to_wire(version).as_str(), wanted, "raw JSON passes byte for byte");
        let known = |(name, field, required): &(String, PrimitiveSchema, bool)| {
            (name.clone(), field.to_wire(version), *required)
        };
        let expected: Vec<_> = form().fields().iter().map(known).collect();
        assert_eq!(read.fields().iter().map(known).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_raw_form_may_hold_what_this_crate_does_not_know() {
    let raw = r#"{ "type":"object", "properties":{"x":{"type":"object"},"y":{"type":"string","minLength":"3"},"z":{"type":"string","minLength":3.0}}}"#;
    let form = FormSchema::from_json(json(raw));
    let [x, y, z] = &*form.fields() else { panic!("three fields") };
    assert_eq!(x.1, PrimitiveSchema::Other(json(r#"{"type":"object"}"#)));
    assert!(matches!(y.1, PrimitiveSchema::Other(_)));
    assert_eq!(z.1, StringSchema::new().with_length(3, None).into());
    let more = form.with_required("w", BooleanSchema::new()).to_json();
    assert!(more.as_str().ends_with(r#""w":{"type":"boolean"}},"required":["w"]}"#), "{}", more.as_str());
}

#[test]
fn what_models_are_asked_is_read_leniently() {
    let request: CreateMessageRequest = json(
        r#"{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}],"maxTokens":1e2,"modelPreferences":{"hints":null},"tools":null,"toolChoice":{},"x":1}"#,
    )
    .to()
    .expect("lenient");
    assert_eq!((request.max_tokens, request.tool_choice), (100, Some(ToolChoice::Auto)));
    assert_eq!(request.messages[0].content.len(), 2);
    // a revision in which a message has one block gets two messages
    assert_eq!(
        request.to_wire(Version::V2025_06_18).as_str(),
        r#"{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"user","content":{"type":"text","text":"b"}}],"modelPreferences":{},"maxTokens":100}"#
    );
    for wrong in [r#"{"messages":[],"maxTokens":1.5}"#, r#"{"messages":[]}"#, r#"{"maxTokens":1}"#] {
        json(wrong).to::<CreateMessageRequest>().expect_err(wrong);
    }
    let said = r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"t","input":{"a":1.50}},{"type":"tool_result","toolUseId":"1","content":[],"structuredContent":null,"isError":true}],"model":"m","stopReason":"bored"}"#;
    let result: CreateMessageResult = json(said).to().expect("lenient");
    assert_eq!(result.stop_reason, Some(StopReason::Other("bored".into())));
    assert_eq!(result.content[0], Content::tool_use("1", "t", json(r#"{"a":1.50}"#)));
    assert_eq!(result.to_wire(Version::LATEST).as_str(), said);
}

/// Runs a client and a server until the future is ready.
fn run<T>(
    wire: &mcp_protocol::client::Wire,
    server: &mut server::Connection,
    future: impl Future<Output = T>,
) -> T {
    let mut future = std::pin::pin!(future);
    let mut cx = TaskContext::from_waker(Waker::noop());
    for _ in 0..100 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return output;
        }
        while let Poll::Ready(Some(bytes)) = wire.poll_output(&mut cx) {
            bytes
                .split(|b| *b == b'\n')
                .for_each(|m| server.receive(UnixMillis(0), &Bytes::copy_from_slice(m)));
        }
        let _ready = server.poll(&mut cx);
        let said = std::mem::take(server.output());
        said.split(|b| *b == b'\n').for_each(|m| wire.receive(&Bytes::copy_from_slice(m)));
    }
    panic!("both wait for each other")
}

fn question() -> CreateMessageRequest {
    let tool = Tool::new("t", "T.", json(r#"{"type":"object"}"#));
    let preferences = ModelPreferences::default().with_hint("claude").with_cost(0.25);
    CreateMessageRequest::new(vec![SamplingMessage::user(Content::text("Capital?"))], 10)
        .with_system_prompt("Be brief.")
        .with_model_preferences(preferences)
        .with_tools(vec![tool], ToolChoice::Required)
}

/// By requests of the server where the revision has them.
async fn ask(cx: &Context) -> Result<String, RpcError> {
    let roots = cx.list_roots().await?;
    let said = cx.create_message(&question()).await?;
    let gone = cx.elicit_url(&UrlElicitation::new("Sign in", "https://a.example").with_id("7")).await?;
    let filled = cx.elicit("Plan?", &form()).await?;
    Ok(shown(&roots, &said, &gone, &filled))
}

fn shown(
    roots: &ListRootsResult,
    said: &CreateMessageResult,
    gone: &ElicitResult,
    filled: &ElicitResult,
) -> String {
    let content = filled.content.as_ref().map_or("none", Json::as_str);
    let (model, reason) = (&said.model, said.stop_reason.as_ref().map(StopReason::as_str));
    format!("{} {} {model} {reason:?} {:?} {content}", roots.roots[0].uri, said.text(), gone.action)
}

/// By results that ask, in the others.
fn ask_back(cx: &Context) -> Result<Answer<CallToolResult>, RpcError> {
    let given = cx.inputs();
    let (roots, said, gone, filled) =
        (given.to("roots")?, given.to("said")?, given.to("gone")?, given.to("filled")?);
    let (Some(roots), Some(said), Some(gone), Some(filled)) = (roots, said, gone, filled) else {
        let url = UrlElicitation::new("Sign in", "https://a.example").with_id("7");
        return Ok(InputRequired::new()
            .with_request("roots", InputRequest::roots())
            .with_request("said", InputRequest::sampling(&question()))
            .with_request("gone", InputRequest::elicitation(&url.into()))
            .with_request("filled", InputRequest::form("Plan?", &form()))
            .into());
    };
    Ok(CallToolResult::text(shown(&roots, &said, &gone, &filled)).into())
}

#[test]
fn questions_are_typed_on_both_sides_in_every_revision_that_has_them() {
    for version in [Version::V2025_11_25, Version::V2026_07_28] {
        let any = || json(r#"{"type":"object"}"#);
        let server = Server::builder(Implementation::new("s", "1"))
            .tool(Tool::new("ask", "Asks everything.", any()), |cx, _| async move {
                if cx.version().is_stateless() {
                    ask_back(&cx)
                } else {
                    Ok(CallToolResult::text(ask(&cx).await?).into())
                }
            })
            .build()
            .expect("valid");
        let asked = Arc::new(Mutex::new(None));
        let seen = Arc::clone(&asked);
        let handlers = Handlers::new()
            .roots(Arc::new(Mutex::new(vec![Root::new("file:///w")])))
            .sampling(true, move |request| {
                *seen.lock().expect("no panic") = Some(request);
                std::future::ready(Ok(CreateMessageResult::new("m-1", Content::text("Paris"))))
            })
            .url_elicitation(|url| async move {
                assert_eq!(url.url, "https://a.example");
                Ok(ElicitResult::decline())
            })
            .form_elicitation(|form| async move {
                assert_eq!(form.schema.fields().len(), 8);
                Ok(ElicitResult::accept(json(r#"{"mail":"a@b.c","titled":"a"}"#)))
            });
        let builder = ClientBuilder::new(Implementation::new("c", "1")).handlers(handlers);
        let options = builder.handshake(Some(version).filter(|v| !v.is_stateless())).options();
        let ((client, wire), mut server) = (Connection::new(options), server::Connection::new(server));
        run(&wire, &mut server, client.negotiate(None)).expect("agreed");
        let called =
            run(&wire, &mut server, client.call_tool("ask", &Json::empty_object())).expect("an answer");
        let result = called.into_result().expect("a result");
        assert_eq!(
            result.content[0].as_text(),
            Some(
                r#"file:///w Paris m-1 Some("endTurn") Decline {"mail":"a@b.c","titled":"a","age":20,"news":false,"plain":"b","named":["a"]}"#
            ),
            "{version}"
        );
        assert_eq!(asked.lock().expect("no panic").as_ref(), Some(&question()));
    }
}
