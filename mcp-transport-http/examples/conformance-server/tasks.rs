//! Tools that become tasks.

use std::time::{Duration, SystemTime};

use mcp_protocol::{
    Json, RpcError, UnixMillis,
    model::{BooleanSchema, CallToolResult, FormSchema, TaskSupport, Tool},
    server::{Answer, InputRequest, InputRequired, ServerBuilder, TaskOptions},
};
use tokio::time::sleep;

use crate::{
    inputs::{ask_name, form_text},
    json,
    tools::tool,
};

fn options() -> TaskOptions {
    #[expect(clippy::disallowed_methods, reason = "this is the binary")]
    fn clock() -> UnixMillis {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
    fn new_id() -> String {
        let mut bytes = [0u8; 16];
        getrandom::fill(&mut bytes).expect("the system has randomness");
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }
    TaskOptions::new(new_id, clock).ttl(Duration::from_mins(5)).poll_interval(Duration::from_millis(200))
}

fn job(name: &str, description: &str) -> Tool {
    tool(name, description).with_task_support(TaskSupport::Required)
}

fn confirm(question: &str) -> InputRequest {
    InputRequest::form(question, &FormSchema::new().with_required("confirm", BooleanSchema::new()))
}

pub(crate) fn add(b: ServerBuilder) -> ServerBuilder {
    let greet = r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#;
    let slow = r#"{"type":"object","properties":{"seconds":{"type":"number"},"label":{"type":"string"}}}"#;
    b.tasks(options())
        .tool_inline(Tool::new("greet", "Says hello.", json(greet)), |_, args| {
            let name = args.get("name");
            let name = name.as_ref().and_then(Json::as_text).unwrap_or_default();
            Ok(CallToolResult::text(format!("Hello, {name}!")))
        })
        .tool(
            Tool::new("slow_compute", "Takes its time.", json(slow)).with_task_support(TaskSupport::Optional),
            |_, args| async move {
                let seconds = args.get("seconds").map_or(Ok(0.0), |s| s.to::<f64>())?;
                if seconds > 0.0 {
                    sleep(
                        Duration::try_from_secs_f64(seconds)
                            .map_err(|e| RpcError::invalid_params(e.to_string()))?,
                    )
                    .await;
                }
                Ok(CallToolResult::text(format!("Computed for {seconds} s")))
            },
        )
        .tool(job("failing_job", "Fails as a tool."), |_, _| async {
            sleep(Duration::from_millis(500)).await;
            Ok(CallToolResult::error("The job failed"))
        })
        .tool(job("protocol_error_job", "Fails as a request."), |_, _| async {
            sleep(Duration::from_millis(100)).await;
            Err::<CallToolResult, _>(RpcError::internal("The job broke"))
        })
        .tool(job("confirm_delete", "Asks before it goes on."), |cx, _| async move {
            tokio::task::yield_now().await;
            Ok(match cx.inputs().get("confirm") {
                Some(answer) => Answer::from(CallToolResult::text(format!("Confirmed: {}", answer.as_str()))),
                None => InputRequired::new().with_request("confirm", confirm("Delete it?")).into(),
            })
        })
        .tool(job("multi_input", "Asks two things at once."), |cx, _| async move {
            tokio::task::yield_now().await;
            Ok(match (cx.inputs().get("first"), cx.inputs().get("second")) {
                (Some(_), Some(_)) => Answer::from(CallToolResult::text("Both answered")),
                _ => InputRequired::new()
                    .with_request("first", confirm("First?"))
                    .with_request("second", confirm("Second?"))
                    .into(),
            })
        })
        .tool(job("test_tool_with_task", "Asks, then takes its time."), |cx, _| async move {
            let Some(name) = form_text(cx.inputs().get("user_name"), "name") else {
                return Ok(Answer::from(InputRequired::new().with_request("user_name", ask_name())));
            };
            sleep(Duration::from_millis(100)).await;
            Ok(CallToolResult::text(format!("Hello, {name}!")).into())
        })
}
