//! The whole server as a function: bytes and time in, messages out.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use mcp_protocol::model::{
    CallToolResult, Completion, Content, FormSchema, GetPromptResult, Implementation, LogLevel, Prompt,
    PromptMessage, Resource, ResourceContents, ResourceTemplate, TaskSupport, Tool,
};
use mcp_protocol::server::{
    Answer, BoxFuture, Connection, InputRequest, InputRequired, Runtime, TaskOptions,
};
use mcp_protocol::{Incoming, Json, Server, UnixMillis};

type Job = Box<dyn FnOnce() + Send>;

/// Runs what it is given when it is told to.
#[derive(Clone, Default)]
pub(crate) struct Queue {
    jobs: Arc<Mutex<VecDeque<Job>>>,
    tasks: Arc<Mutex<Vec<BoxFuture<()>>>>,
}

impl Runtime for Queue {
    fn spawn(&self, task: BoxFuture<()>) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).push(task);
    }
    fn spawn_blocking(&self, job: Job) {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).push_back(job);
    }
}

impl Queue {
    /// Runs what waits: one job, and every task as far as it goes.
    pub(crate) fn turn(&self) {
        let job = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        if let Some(job) = job {
            job();
        }
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        tasks.retain_mut(|task| task.as_mut().poll(&mut Context::from_waker(Waker::noop())) == Poll::Pending);
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).append(&mut tasks);
    }
}

fn task_options() -> TaskOptions {
    TaskOptions::new(|| "task-id".to_owned(), || UnixMillis(0))
        .ttl(Duration::from_secs(1))
        .poll_interval(Duration::from_millis(1))
        .max_tasks(4)
}

/// A server with one of everything.
pub(crate) fn server(queue: &Queue) -> Server {
    let schema = r#"{"type":"object","properties":{"message":{"type":"string","x-mcp-header":"Message"}}}"#;
    let schema = Json::parse(schema).expect("a literal");
    let mut slow = Tool::new("slow", "Takes a thread.", schema.clone());
    slow.task_support = TaskSupport::Optional;
    Server::builder(Implementation::new("fuzzed", "1"))
        .logging()
        .page_size(2)
        .runtime(queue.clone())
        .state_key([7; 32])
        .tasks(task_options())
        .tool_inline(Tool::new("echo", "Says it again.", schema.clone()), |_, args| {
            Ok(CallToolResult::text(args.as_str()))
        })
        .tool_blocking(slow, |cx, _| {
            cx.log(LogLevel::Warning, None, &Json::string("slow"));
            Ok(CallToolResult::text("done"))
        })
        .tool(Tool::new("wait", "Waits.", schema.clone()), |cx, _| async move {
            cx.progress(1.0, None, None);
            cx.cancelled().await;
            Ok(CallToolResult::text("never sent"))
        })
        .tool(Tool::new("ask", "Asks back.", schema), |cx, _| async move {
            if cx.inputs().is_empty() {
                let form = InputRequest::form("?", &FormSchema::new());
                return Ok(Answer::from(InputRequired::new().with_request("a", form).with_state("state")));
            }
            Ok(CallToolResult::text("answered").into())
        })
        .resource(Resource::new("r:a", "a", "A."), |_, r| async move {
            Ok(vec![ResourceContents::text(r.uri, "text/plain", "A")])
        })
        .resource_template(ResourceTemplate::new("t:{x}/{+y}", "t", "T."), |_, r| async move {
            Ok(vec![ResourceContents::text(r.uri.clone(), "text/plain", format!("{:?}", r.variables))])
        })
        .prompt(Prompt::new("p", "P.").with_argument("x", "X.", true), |_, args| async move {
            Ok(GetPromptResult::new(vec![PromptMessage::user(Content::text(args.as_str()))]))
        })
        .completion(|_, request| async move { Ok(Completion::new(vec![request.value])) })
        .build()
        .expect("valid")
}

/// The server's output consists of messages, one a line; ids of answers were asked with; nothing follows after
/// the end.
pub(crate) fn conversation(input: &[u8]) {
    let queue = Queue::default();
    let mut connection = Connection::new(server(&queue)).with_max_pending(8);
    let mut now = UnixMillis(0);
    let mut asked = 0_usize;
    for line in input.split(|b| *b == b'\n') {
        if line == b"+" {
            now = now.plus(Duration::from_mins(10));
        }
        let line = Bytes::copy_from_slice(line);
        asked += match Incoming::decode(&line) {
            Ok(Incoming::Batch(members)) => members.len(),
            _ => 1,
        };
        connection.receive(now, &line);
        settle(&queue, &mut connection);
        asked = asked.checked_sub(said(connection.output())).expect("more answers than requests");
        connection.output().clear();
    }
    connection.close();
    settle(&queue, &mut connection);
    assert!(connection.output().is_empty(), "said after the end");
}

fn settle(queue: &Queue, connection: &mut Connection) {
    for _ in 0..4 {
        queue.turn();
        // its readiness says that there is output or the end, and both are looked at anyway
        let _ready: Poll<()> = connection.poll(&mut Context::from_waker(Waker::noop()));
    }
}

/// Counts the answers among the messages, all of which must be messages.
fn said(output: &[u8]) -> usize {
    assert!(output.is_empty() || output.ends_with(b"\n"));
    let mut answers = 0;
    for message in output.split(|b| *b == b'\n').filter(|m| !m.is_empty()) {
        let bytes = Bytes::copy_from_slice(message);
        assert!(Incoming::decode(&bytes).is_ok(), "{:?}", String::from_utf8_lossy(message));
        let value: serde_json::Value = serde_json::from_slice(message).expect("JSON");
        let members = value.as_array().map_or_else(|| vec![&value], |all| all.iter().collect());
        answers += members.iter().filter(|m| m.get("method").is_none()).count();
    }
    answers
}
