//! The tasks extension: from a call that is not ready at once to its result, with input in between.

use std::{sync::Mutex, time::Duration};

use mcp_protocol::{
    Json, Server, UnixMillis,
    model::{CallToolResult, Implementation, TaskSupport, Tool},
    server::{Answer, BoxFuture, InputRequest, InputRequired, Runtime, TaskOptions},
};

use crate::script::check_on;

/// Polls what is spawned once; the tests' tasks are woken by nothing but their own polls of `again`.
#[derive(Default)]
pub(crate) struct Steps(Mutex<Vec<BoxFuture<()>>>);

impl Runtime for &'static Steps {
    fn spawn(&self, task: BoxFuture<()>) {
        self.0.lock().expect("no panic").push(task);
    }
    fn spawn_blocking(&self, job: Box<dyn FnOnce() + Send>) {
        job();
    }
}

impl Steps {
    pub(crate) fn advance(&self) {
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        self.0.lock().expect("no panic").retain_mut(|task| task.as_mut().poll(&mut cx).is_pending());
    }
}

pub(crate) fn server(steps: &'static Steps) -> Server {
    let any = Json::parse(r#"{"type":"object"}"#).expect("a literal");
    let options = TaskOptions::new(|| "T1".into(), || UnixMillis(0))
        .ttl(Duration::from_secs(1))
        .poll_interval(Duration::from_millis(10))
        .max_tasks(1);
    let job = |name: &str| Tool::new(name, "A job.", any.clone()).with_task_support(TaskSupport::Required);
    Server::builder(Implementation::new("test", "1"))
        .runtime(steps)
        .tasks(options)
        .tool(job("confirm"), |cx, _| {
            let mut polled = false;
            std::future::poll_fn(move |_| {
                if !std::mem::replace(&mut polled, true) {
                    return std::task::Poll::Pending;
                }
                std::task::Poll::Ready(Ok(match cx.inputs().get("sure") {
                    Some(answer) => Answer::from(CallToolResult::text(answer.as_str())),
                    None => InputRequired::new().with_request("sure", InputRequest::roots()).into(),
                }))
            })
        })
        .tool_inline(Tool::new("step", "Lets jobs go on.", any.clone()), move |_, _| {
            steps.advance();
            Ok(CallToolResult::text("stepped"))
        })
        .build()
        .expect("valid")
}

/// A request with the extension declared, and its answer's members after the type.
fn exchange(id: u32, method: &str, params: &str, answer: &str) -> String {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}"#;
    format!(
        "> {{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{{params},{meta}}}}}\n< {{\"jsonrpc\":\"2.0\",\"id\":{id},{answer}}}\n"
    )
}

const INFO: &str = r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}"#;

fn step(id: u32) -> String {
    let result = format!(
        r#""result":{{"resultType":"complete","content":[{{"type":"text","text":"stepped"}}],{INFO}}}"#
    );
    exchange(id, "tools/call", r#""name":"step""#, &result)
}

fn state(status: &str) -> String {
    format!(
        r#""taskId":"T1","status":"{status}","createdAt":"1970-01-01T00:00:00.000Z","lastUpdatedAt":"1970-01-01T00:00:00.000Z","ttlMs":1000,"pollIntervalMs":10"#
    )
}

fn got(id: u32, status: &str, details: &str) -> String {
    let result = format!(r#""result":{{"resultType":"complete",{}{details},{INFO}}}"#, state(status));
    exchange(id, "tasks/get", r#""taskId":"T1""#, &result)
}

fn created(id: u32) -> String {
    let result = format!(r#""result":{{"resultType":"task",{},{INFO}}}"#, state("working"));
    exchange(id, "tools/call", r#""name":"confirm""#, &result)
}

#[test]
fn a_task_asks_goes_on_and_ends() {
    let acknowledged = format!(r#""result":{{"resultType":"complete",{INFO}}}"#);
    let script = [
        created(1),
        got(2, "working", ""),
        step(3),
        got(4, "input_required", r#","inputRequests":{"sure":{"method":"roots/list","params":{}}}"#),
        exchange(
            5,
            "tasks/update",
            r#""taskId":"T1","inputResponses":{"sure":{"roots":[]},"x":1}"#,
            &acknowledged,
        ),
        step(6),
        step(7),
        got(
            8,
            "completed",
            r#","result":{"resultType":"complete","content":[{"type":"text","text":"{\"roots\":[]}"}]}"#,
        ),
        exchange(9, "tasks/cancel", r#""taskId":"T1""#, &acknowledged),
    ];
    check_on(server(Box::leak(Box::default())), &script.concat());
}

#[test]
fn a_task_is_cancelled_for_good_and_others_are_unknown() {
    let acknowledged = format!(r#""result":{{"resultType":"complete",{INFO}}}"#);
    let script = [
        created(1),
        exchange(2, "tasks/cancel", r#""taskId":"T1""#, &acknowledged),
        step(3),
        got(4, "cancelled", ""),
        exchange(
            5,
            "tasks/get",
            r#""taskId":"T2""#,
            r#""error":{"code":-32602,"message":"Unknown task: T2"}"#,
        ),
        exchange(
            6,
            "tasks/list",
            r#""x":1"#,
            r#""error":{"code":-32601,"message":"Method not found: tasks/list"}"#,
        ),
        exchange(
            7,
            "tools/call",
            r#""name":"confirm""#,
            r#""error":{"code":-32603,"message":"Too many tasks"}"#,
        ),
    ];
    check_on(server(Box::leak(Box::default())), &script.concat());
}

#[test]
fn a_client_without_the_extension_cannot_have_what_must_be_a_task() {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let refused = r#""error":{"code":-32021,"message":"The request needs a client capability that was not declared on it","data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}"#;
    let script = format!(
        "> {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"confirm\",{meta}}}}}\n< {{\"jsonrpc\":\"2.0\",\"id\":1,{refused}}}\n\
         > {{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tasks/get\",\"params\":{{\"taskId\":\"T1\",{meta}}}}}\n< {{\"jsonrpc\":\"2.0\",\"id\":2,{refused}}}\n"
    );
    check_on(server(Box::leak(Box::default())), &script);
}
