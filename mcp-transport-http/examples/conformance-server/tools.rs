//! Tools that answer by themselves.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use mcp_protocol::{
    Context, RpcError,
    model::{CallToolResult, Content, ContentKind, LogLevel, ResourceContents, Tool},
    server::ServerBuilder,
};
use tokio::time::sleep;

use crate::json;

/// One red pixel.
pub(crate) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A wave file without samples.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

const SCHEMA_2020_12: &str = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}"##;

pub(crate) fn tool(name: &str, description: &str) -> Tool {
    Tool::new(name, description, json(r#"{"type":"object","properties":{}}"#))
}

fn image() -> Content {
    ContentKind::Image { data: PNG.into(), mime_type: "image/png".into() }.into()
}

pub(crate) fn png() -> Vec<u8> {
    STANDARD.decode(PNG).expect("a literal")
}

pub(crate) fn add(b: ServerBuilder) -> ServerBuilder {
    contents(b)
        .tool(tool("test_tool_with_logging", "Logs three times."), |cx, _| async move {
            for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                cx.log(LogLevel::Info, None, &mcp_protocol::Json::string(message));
                sleep(Duration::from_millis(50)).await;
            }
            Ok(CallToolResult::text("Tool with logging executed successfully"))
        })
        .tool(tool("test_logging_tool", "Logs if the request asks for it."), |cx, _| async move {
            cx.log(LogLevel::Info, None, &mcp_protocol::Json::string("A log message of this request"));
            Ok(CallToolResult::text("Logged"))
        })
        .tool(tool("test_tool_with_progress", "Reports progress."), |cx, _| async move {
            for step in [0.0, 50.0, 100.0] {
                cx.progress(step, Some(100.0), None);
                sleep(Duration::from_millis(50)).await;
            }
            Ok(CallToolResult::text("Tool with progress executed successfully"))
        })
        .tool_inline(tool("test_error_handling", "Fails."), |_, _| {
            Ok(CallToolResult::error("This tool intentionally returns an error for testing"))
        })
        .tool(tool("test_reconnection", "Closes its stream before it answers."), |cx, _| async move {
            cx.close_stream(Duration::from_millis(500));
            sleep(Duration::from_millis(100)).await;
            Ok(CallToolResult::text("Reconnection test completed"))
        })
        .tool_inline(
            Tool::new(
                "json_schema_2020_12_tool",
                "Has a schema with everything in it.",
                json(SCHEMA_2020_12),
            ),
            |_, args| Ok(CallToolResult::text(format!("Called with {}", args.as_str()))),
        )
        .tool_inline(
            Tool::new(
                "test_custom_header",
                "Has an argument that a header mirrors.",
                json(r#"{"type":"object","properties":{"value":{"type":"string","x-mcp-header":"Value"}}}"#),
            ),
            |_, args| Ok(CallToolResult::text(format!("Received {}", args.as_str()))),
        )
        .tool_inline(tool("test_trigger_tool_change", "Announces that the tools changed."), |cx, _| {
            cx.server().tools_changed();
            Ok(CallToolResult::text("announced"))
        })
        .tool_inline(tool("test_trigger_prompt_change", "Announces that the prompts changed."), |cx, _| {
            cx.server().prompts_changed();
            Ok(CallToolResult::text("announced"))
        })
        .tool_inline(tool("test_missing_capability", "Needs a client that samples."), |cx: &Context, _| {
            cx.require(|c| c.sampling.is_some(), &json(r#"{"sampling":{}}"#))?;
            Ok(CallToolResult::text("The client samples"))
        })
}

fn contents(b: ServerBuilder) -> ServerBuilder {
    b.tool_inline(tool("test_simple_text", "Answers one text."), |_, _| {
        Ok(CallToolResult::text("This is a simple text response for testing."))
    })
    .tool_inline(tool("test_image_content", "Answers an image."), |_, _| {
        Ok(CallToolResult::blocks(vec![image()]))
    })
    .tool_inline(tool("test_audio_content", "Answers a sound."), |_, _| {
        let audio = ContentKind::Audio { data: WAV.into(), mime_type: "audio/wav".into() };
        Ok(CallToolResult::blocks(vec![audio.into()]))
    })
    .tool_inline(tool("test_embedded_resource", "Answers a resource."), |_, _| {
        let text = "This is an embedded resource content.";
        let resource = ResourceContents::text("test://embedded-resource", "text/plain", text);
        Ok(CallToolResult::blocks(vec![Content::resource(resource)]))
    })
    .tool_inline(tool("test_multiple_content_types", "Answers three kinds of content."), |_, _| {
        let text = r#"{"test":"data","value":123}"#;
        let resource = ResourceContents::text("test://mixed-content-resource", "application/json", text);
        let blocks =
            vec![Content::text("Multiple content types test:"), image(), Content::resource(resource)];
        Ok::<_, RpcError>(CallToolResult::blocks(blocks))
    })
}
