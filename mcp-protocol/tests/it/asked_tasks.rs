//! The tasks of 2025-11-25: asked for by the client, polled, and waited for.

use crate::{script::check_on, tasks::server};

const SHAKE_HANDS: &str = r#"
    > {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}}
    < {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"test","version":"1"}}}
    > {"jsonrpc":"2.0","method":"notifications/initialized"}
"#;

/// A task as it stands, with the time to live that was agreed on.
fn state(status: &str, more: &str) -> String {
    format!(
        r#""taskId":"T1","status":"{status}"{more},"createdAt":"1970-01-01T00:00:00.000Z","lastUpdatedAt":"1970-01-01T00:00:00.000Z","ttl":500,"pollInterval":10"#
    )
}

fn ask(id: u32, method: &str, params: &str, answer: &str) -> String {
    format!(
        "> {{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{{params}}}}}\n< {{\"jsonrpc\":\"2.0\",\"id\":{id},{answer}}}\n"
    )
}

fn step(id: u32) -> String {
    ask(id, "tools/call", r#""name":"step""#, r#""result":{"content":[{"type":"text","text":"stepped"}]}"#)
}

fn reported(status: &str) -> String {
    format!(
        "< {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks/status\",\"params\":{{{}}}}}\n",
        state(status, "")
    )
}

fn created(id: u32) -> String {
    let answer = format!(r#""result":{{"task":{{{}}}}}"#, state("working", ""));
    ask(id, "tools/call", r#""name":"confirm","task":{"ttl":500}"#, &answer)
}

fn got(id: u32, status: &str) -> String {
    ask(id, "tasks/get", r#""taskId":"T1""#, &format!(r#""result":{{{}}}"#, state(status, "")))
}

const RELATED: &str = r#""_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T1"}}"#;

#[test]
fn a_task_is_asked_for_polled_and_waited_for() {
    let result = format!(r#""result":{{"content":[{{"type":"text","text":"{{\"roots\":[]}}"}}],{RELATED}}}"#);
    let script = [
        SHAKE_HANDS.to_owned(),
        created(1),
        got(2, "working"),
        ask(3, "tasks/list", "", &format!(r#""result":{{"tasks":[{{{}}}]}}"#, state("working", ""))),
        "> {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tasks/result\",\"params\":{\"taskId\":\"T1\"}}\n"
            .to_owned(),
        step(5),
        step(6),
        format!("< {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\",\"params\":{{{RELATED}}}}}\n"),
        reported("input_required"),
        got(7, "input_required"),
        "> {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"roots\":[]}}\n".to_owned(),
        step(8),
        reported("working"),
        step(9),
        format!("< {{\"jsonrpc\":\"2.0\",\"id\":4,{result}}}\n"),
        reported("completed"),
        got(10, "completed"),
        ask(11, "tasks/result", r#""taskId":"T1""#, &result),
        ask(
            12,
            "tasks/cancel",
            r#""taskId":"T1""#,
            r#""error":{"code":-32602,"message":"The task has already ended: T1"}"#,
        ),
    ];
    check_on(server(Box::leak(Box::default())), &script.concat());
}

#[test]
fn a_task_is_cancelled_and_whoever_waits_for_it_is_told() {
    let cancelled = format!(r#""result":{{{}}}"#, state("cancelled", ""));
    let script = [
        SHAKE_HANDS.to_owned(),
        created(1),
        "> {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tasks/result\",\"params\":{\"taskId\":\"T1\"}}\n".to_owned(),
        ask(3, "tasks/cancel", r#""taskId":"T1""#, &cancelled),
        "< {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32603,\"message\":\"The task was cancelled\"}}\n".to_owned(),
        reported("cancelled"),
        got(4, "cancelled"),
    ];
    check_on(server(Box::leak(Box::default())), &script.concat());
}

#[test]
fn tools_say_whether_they_run_as_tasks() {
    let refused = |message: &str| format!(r#""error":{{"code":-32601,"message":"{message}"}}"#);
    let tools = r#""result":{"tools":[{"name":"confirm","description":"A job.","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}},{"name":"step","description":"Lets jobs go on.","inputSchema":{"type":"object"}}]}"#;
    let script = [
        SHAKE_HANDS.to_owned(),
        ask(1, "tools/list", "", tools),
        ask(2, "tools/call", r#""name":"confirm""#, &refused("confirm runs only as a task")),
        ask(3, "tools/call", r#""name":"step","task":{}"#, &refused("step does not run as a task")),
        ask(
            4,
            "tools/call",
            r#""name":"confirm","task":{"ttl":-1}"#,
            r#""error":{"code":-32602,"message":"\"ttl\" must be a number of milliseconds"}"#,
        ),
        ask(5, "tasks/result", r#""taskId":"T2""#, r#""error":{"code":-32602,"message":"Unknown task: T2"}"#),
        ask(6, "tasks/list", r#""cursor":"x""#, r#""error":{"code":-32602,"message":"Invalid cursor"}"#),
        ask(7, "tasks/update", r#""taskId":"T1""#, &refused("Method not found: tasks/update")),
    ];
    check_on(server(Box::leak(Box::default())), &script.concat());
}

#[test]
fn revisions_without_tasks_do_not_know_them() {
    let before = SHAKE_HANDS
        .replace("2025-11-25", "2025-06-18")
        .replace(r#","tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}"#, "");
    let script = [
        before,
        ask(
            1,
            "tasks/get",
            r#""taskId":"T1""#,
            r#""error":{"code":-32601,"message":"Method not found: tasks/get"}"#,
        ),
        step(2),
    ];
    check_on(server(Box::leak(Box::default())), &script.concat());
}
