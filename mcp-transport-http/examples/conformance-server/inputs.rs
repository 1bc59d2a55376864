//! Tools that ask the client back: by requests of their own in the revisions that have them, and by results that say
//! what is needed.

use mcp_protocol::{
    Context, Json, RpcError,
    model::{
        BooleanSchema, CallToolResult, Content, CreateMessageRequest, CreateMessageResult, FormSchema,
        SamplingMessage, StringSchema, Tool,
    },
    server::{Answer, InputRequest, InputRequired, ServerBuilder},
};

use crate::{json, tools::tool};

type Asked = Result<Answer<CallToolResult>, RpcError>;

const DEFAULTS: &str = r#"{"type":"object","properties":{
  "name":{"type":"string","description":"User name","default":"John Doe"},
  "age":{"type":"integer","description":"User age","default":30},
  "score":{"type":"number","description":"User score","default":95.5},
  "status":{"type":"string","description":"User status","enum":["active","inactive","pending"],"default":"active"},
  "verified":{"type":"boolean","description":"Verification status","default":true}},"required":[]}"#;

const ENUMS: &str = r#"{"type":"object","properties":{
  "untitledSingle":{"type":"string","description":"Select one option","enum":["option1","option2","option3"]},
  "titledSingle":{"type":"string","description":"Select one option with titles","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
  "legacyEnum":{"type":"string","description":"Select one option (legacy)","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
  "untitledMulti":{"type":"array","description":"Select multiple options","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
  "titledMulti":{"type":"array","description":"Select multiple options with titles","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}},"required":[]}"#;

const USER: &str = r#"{"type":"object","properties":{"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}"#;

/// A form with one text field.
pub(crate) fn text_form(field: &str) -> FormSchema {
    FormSchema::new().with_required(field, StringSchema::new())
}

pub(crate) fn ask_name() -> InputRequest {
    InputRequest::form("What is your name?", &text_form("name"))
}

fn question(text: &str) -> CreateMessageRequest {
    CreateMessageRequest::new(vec![SamplingMessage::user(Content::text(text))], 100)
}

fn sampling(text: &str) -> InputRequest {
    InputRequest::sampling(&question(text))
}

/// The text a form was filled with under `field`, if it was accepted.
pub(crate) fn form_text(answer: Option<&Json>, field: &str) -> Option<String> {
    let answer = answer?;
    if answer.get("action")?.as_text()? != "accept" {
        return None;
    }
    Some(answer.get("content")?.get(field)?.as_text()?.into_owned())
}

/// The text a model answered.
fn sampled(answer: Option<&Json>) -> Option<String> {
    Some(answer?.to::<CreateMessageResult>().ok()?.text())
}

fn done(text: impl Into<String>) -> Asked {
    Ok(CallToolResult::text(text).into())
}

fn again(needed: InputRequired) -> Asked {
    Ok(needed.into())
}

pub(crate) fn add(b: ServerBuilder) -> ServerBuilder {
    rounds(questions(asking(b)))
}

/// Requests from the server to the client.
fn asking(b: ServerBuilder) -> ServerBuilder {
    let prompt = Tool::new(
        "test_sampling",
        "Asks the client's model.",
        json(r#"{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}"#),
    );
    let message = Tool::new(
        "test_elicitation",
        "Asks the client's user.",
        json(r#"{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}"#),
    );
    b.tool(prompt, |cx, args| async move {
        let prompt = args.get("prompt").as_ref().and_then(Json::as_text).unwrap_or_default().into_owned();
        let answer = cx.create_message(&question(&prompt)).await?;
        Ok(CallToolResult::text(format!("LLM response: {}", answer.text())))
    })
    .tool(message, |cx, args| async move {
        let message = args.get("message").as_ref().and_then(Json::as_text).unwrap_or_default().into_owned();
        elicit(&cx, &message, USER).await
    })
    .tool(tool("test_elicitation_sep1034_defaults", "Asks with defaults."), |cx, _| async move {
        elicit(&cx, "Please review and update the form fields with defaults", DEFAULTS).await
    })
    .tool(tool("test_elicitation_sep1330_enums", "Asks with every kind of choice."), |cx, _| async move {
        elicit(&cx, "Please select options from the enum fields", ENUMS).await
    })
}

async fn elicit(cx: &Context, message: &str, schema: &str) -> Result<CallToolResult, RpcError> {
    let answer = cx.elicit(message, &FormSchema::from_json(json(schema))).await?;
    let (action, content) = (answer.action.as_str(), answer.content.as_ref().map_or("{}", Json::as_str));
    Ok(CallToolResult::text(format!("Elicitation completed: action={action}, content={content}")))
}

/// Results that ask for one thing.
fn questions(b: ServerBuilder) -> ServerBuilder {
    b.tool_inline(tool("test_streaming_elicitation", "Asks the user."), |cx, _| {
        match form_text(cx.inputs().get("user_name"), "name") {
            Some(name) => done(format!("Hello, {name}!")),
            None => again(InputRequired::new().with_request("user_name", ask_name())),
        }
    })
    .tool_inline(tool("test_input_required_result_elicitation", "Asks for a name."), |cx, _| match form_text(
        cx.inputs().get("user_name"),
        "name",
    ) {
        Some(name) => done(format!("Hello, {name}!")),
        None => again(InputRequired::new().with_request("user_name", ask_name())),
    })
    .tool_inline(tool("test_input_required_result_sampling", "Asks the model."), |cx, _| {
        match sampled(cx.inputs().get("capital_question")) {
            Some(text) => done(text),
            None => again(
                InputRequired::new()
                    .with_request("capital_question", sampling("What is the capital of France?")),
            ),
        }
    })
    .tool_inline(tool("test_input_required_result_list_roots", "Asks for the roots."), |cx, _| {
        match cx.inputs().get("client_roots").and_then(|r| r.get("roots")) {
            Some(roots) => done(roots.as_str()),
            None => again(InputRequired::new().with_request("client_roots", InputRequest::roots())),
        }
    })
    .tool_inline(
        tool("test_input_required_result_capabilities", "Asks only what the client can answer."),
        |cx, _| {
            if !cx.inputs().is_empty() {
                return done("All answered");
            }
            let c = cx.client_capabilities();
            let mut needed = InputRequired::new();
            if c.elicits_forms() {
                needed = needed.with_request("user_name", ask_name());
            }
            if c.sampling.is_some() {
                needed = needed.with_request("greeting", sampling("Generate a greeting"));
            }
            if c.roots.is_some() {
                needed = needed.with_request("client_roots", InputRequest::roots());
            }
            if needed == InputRequired::new() { done("Nothing can be asked") } else { again(needed) }
        },
    )
}

/// Results that ask more than once, or remember something.
fn rounds(b: ServerBuilder) -> ServerBuilder {
    b.tool_inline(tool("test_input_required_result_request_state", "Remembers something."), |cx, _| {
        match (cx.inputs().state(), cx.inputs().get("confirm")) {
            (Some(_), Some(_)) => done("state-ok"),
            _ => again(confirm().with_state("request-state")),
        }
    })
    .tool_inline(tool("test_input_required_result_tampered_state", "Notices changes."), |cx, _| {
        match (cx.inputs().state(), cx.inputs().get("confirm")) {
            (Some(_), Some(_)) => done("state-ok"),
            _ => again(confirm().with_state("untouched")),
        }
    })
    .tool_inline(tool("test_input_required_result_multiple_inputs", "Asks three things."), |cx, _| {
        let name = form_text(cx.inputs().get("user_name"), "name");
        let greeting = sampled(cx.inputs().get("greeting"));
        let roots = cx.inputs().get("client_roots").and_then(|r| r.get("roots"));
        match (name, greeting, roots) {
            (Some(name), Some(greeting), Some(roots)) => {
                done(format!("{greeting} {name} {}", roots.as_str()))
            }
            _ => again(
                InputRequired::new()
                    .with_request("user_name", ask_name())
                    .with_request("greeting", sampling("Generate a greeting"))
                    .with_request("client_roots", InputRequest::roots())
                    .with_state("multiple"),
            ),
        }
    })
    .tool_inline(tool("test_input_required_result_multi_round", "Asks twice."), |cx, _| {
        let color = InputRequest::form("What is your favorite color?", &text_form("color"));
        let inputs = cx.inputs();
        match inputs.state() {
            Some(b"1") => match form_text(inputs.get("step1"), "name") {
                Some(name) => {
                    again(InputRequired::new().with_request("step2", color).with_state(format!("2{name}")))
                }
                None => again(InputRequired::new().with_request("step1", ask_name()).with_state("1")),
            },
            Some([b'2', name @ ..]) => match form_text(inputs.get("step2"), "color") {
                Some(color) => done(format!("{} likes {color}", String::from_utf8_lossy(name))),
                None => {
                    again(InputRequired::new().with_request("step2", color).with_state([b"2", name].concat()))
                }
            },
            _ => again(InputRequired::new().with_request("step1", ask_name()).with_state("1")),
        }
    })
}

fn confirm() -> InputRequired {
    let schema = FormSchema::new().with_required("ok", BooleanSchema::new());
    InputRequired::new().with_request("confirm", InputRequest::form("Please confirm", &schema))
}
