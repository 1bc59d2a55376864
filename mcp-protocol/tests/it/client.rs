//! Both ends of the crate on one wire: every feature of the client against the server, in every revision.

use std::{
    future::Future,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
    time::Duration,
};

use bytes::Bytes;
use mcp_protocol::{
    Json, RpcError, UnixMillis, Version,
    client::{
        Client as _, ClientBuilder, ClientError, ClientExt as _, Connection, Handlers, ToolCallOutcome, Wire,
    },
    model::*,
    server,
};

use crate::{
    suite::server as full_server,
    tasks::{Steps, server as task_server},
};

type Told = Arc<Mutex<Vec<String>>>;

/// A client and a server that hear each other whenever a future is awaited.
struct Pair {
    client: Connection,
    wire: Wire,
    server: server::Connection,
    told: Told,
    /// The steps that the server runs in the background.
    background: Option<&'static Steps>,
}

fn handlers(told: &Told) -> Handlers {
    let note = |what: &'static str| {
        let told = Arc::clone(told);
        move |text: String| told.lock().expect("no panic").push(format!("{what} {text}"))
    };
    let (progress, log, list, updated) = (note("progress"), note("log"), note("list"), note("updated"));
    let root = Root::new("file:///w").with_name("w");
    Handlers::new()
        .roots(Arc::new(Mutex::new(vec![root])))
        .form_elicitation(|form| async move {
            match form.message.as_str() {
                "Sure?" => Ok(ElicitResult::accept(Json::empty_object())),
                _ => Ok(ElicitResult::decline()),
            }
        })
        .extension("io.modelcontextprotocol/tasks", Json::empty_object())
        .on_progress(move |p| progress(format!("{} of {:?} {:?}", p.progress, p.total, p.message)))
        .on_log(move |level, logger, data| log(format!("{} {logger:?} {}", level.as_str(), data.as_str())))
        .on_list_changed(move |name| list(name.to_owned()))
        .on_resource_updated(move |uri| updated(uri.to_owned()))
}

impl Pair {
    fn with(server: mcp_protocol::Server, version: Version) -> Self {
        let told = Told::default();
        let builder = ClientBuilder::new(Implementation::new("c", "1")).handlers(handlers(&told));
        let builder =
            builder.handshake(Some(version).filter(|v| !v.is_stateless())).max_message_size(1 << 16);
        let (client, wire) = Connection::new(builder.options());
        Self { client, wire, server: server::Connection::new(server), told, background: None }
    }

    /// Connected in a revision.
    fn in_version(version: Version) -> Self {
        let mut pair = Self::with(full_server(), version);
        let client = pair.client.clone();
        pair.run(client.negotiate(None)).expect("agreed");
        assert_eq!(pair.client.session().version(), version);
        pair
    }

    /// Moves everything that is to be moved once; whether there was something.
    fn turn(&mut self) -> bool {
        let mut cx = Context::from_waker(Waker::noop());
        let mut moved = false;
        while let Poll::Ready(Some(bytes)) = self.wire.poll_output(&mut cx) {
            moved = true;
            for line in bytes.split(|b| *b == b'\n') {
                self.server.receive(UnixMillis(0), &Bytes::copy_from_slice(line));
            }
        }
        let _ready = self.server.poll(&mut cx);
        for line in std::mem::take(self.server.output()).split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
            moved = true;
            self.wire.receive(&Bytes::copy_from_slice(line));
        }
        moved
    }

    fn run<T>(&mut self, future: impl Future<Output = T>) -> T {
        let mut future = std::pin::pin!(future);
        let mut cx = Context::from_waker(Waker::noop());
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
                return output;
            }
            if !self.turn() {
                self.background.expect("both wait for each other").advance();
            }
        }
    }

    fn told(&mut self) -> Vec<String> {
        while self.turn() {}
        std::mem::take(&mut self.told.lock().expect("no panic"))
    }
}

fn text(called: ToolCallOutcome) -> String {
    let result = called.into_result().expect("a result");
    result.content[0].as_text().expect("text").to_owned()
}

fn object(text: &str) -> Json {
    Json::parse(text).expect("a literal")
}

#[test]
fn every_feature_is_there_in_every_revision() {
    for version in Version::ALL {
        let mut pair = Pair::in_version(version);
        let client = pair.client.clone();
        assert_eq!(
            client.session().server_info().implementation.as_ref().map(|i| i.name.as_str()),
            Some("test")
        );
        assert!(client.session().server_info().has_capability("tools"));
        let tools = pair.run(client.list_tools()).expect("a list");
        assert_eq!(tools[0].name, "echo");
        let hi = object(r#"{"message":"hi"}"#);
        assert_eq!(text(pair.run(client.call_tool("echo", &hi)).expect("a result")), "hi");
        assert_eq!(pair.run(client.list_resources()).expect("a list")[0].uri, "test://a");
        assert!(pair.run(client.list_resource_templates()).expect("a list").is_empty());
        let contents = pair.run(client.read_resource("test://a")).expect("contents");
        assert_eq!(contents[0].text.as_deref(), Some("A"));
        assert_eq!(pair.run(client.list_prompts()).expect("a list")[0].name, "p");
        let prompt = pair.run(client.get_prompt("p", &[("x", "1")])).expect("a prompt");
        assert_eq!(prompt.messages[0].content.as_text(), Some(r#"{"x":"1"}"#));
        let reference = CompletionReference::Prompt("p".into());
        let completion = pair.run(client.complete(&reference, "x", "", &[("y", "2")])).expect("values");
        assert_eq!((completion.values.len(), completion.total), (100, Some(150)));
        pair.run(client.ping()).expect("alive");
        pair.run(client.roots_changed()).expect("said");
        let missing = pair.run(client.read_resource("test://none")).expect_err("there is none");
        let code = missing.rpc().expect("the server's").code;
        assert_eq!(code, if version.is_stateless() { -32602 } else { -32002 });
    }
}

#[test]
fn what_the_server_says_meanwhile_is_heard() {
    for version in Version::ALL {
        let mut pair = Pair::in_version(version);
        let client = pair.client.clone();
        pair.run(client.log_from(LogLevel::Warning)).expect("agreed");
        let params = object(r#"{"name":"chatty","arguments":{}}"#);
        pair.run(client.call("tools/call", params, Some(object(r#"{"progressToken":7}"#))))
            .expect("a result");
        let half = if version == Version::V2024_11_05 { "None" } else { "Some(\"half\")" };
        let expected = [
            format!("progress 1 of Some(2.0) {half}"),
            "log warning Some(\"l\") \"high\"".to_owned(),
            "progress 2 of Some(2.0) None".to_owned(),
        ];
        assert_eq!(pair.told(), expected, "{version}");
    }
}

#[test]
fn subscriptions_are_told_of_changes_until_they_are_dropped() {
    for version in Version::ALL {
        let mut pair = Pair::in_version(version);
        let client = pair.client.clone();
        let mut subscribed = Box::pin(client.subscribe("test://a"));
        let mut lists = Box::pin(client.listen_to_lists());
        if version.is_stateless() {
            let mut cx = Context::from_waker(Waker::noop());
            assert!(
                subscribed.as_mut().poll(&mut cx).is_pending() && lists.as_mut().poll(&mut cx).is_pending()
            );
        } else {
            pair.run(&mut subscribed).expect("agreed");
            pair.run(&mut lists).expect("told anyway");
        }
        pair.run(client.call_tool("change", &Json::empty_object())).expect("a result");
        let mut told = pair.told();
        told.sort();
        told.dedup();
        assert_eq!(told, ["list tools", "updated test://a"], "{version}");
        drop((subscribed, lists));
        if version.is_stateless() {
            while pair.turn() {}
            assert_eq!(pair.server.pending(), 0);
        } else {
            pair.run(client.unsubscribe("test://a")).expect("agreed");
        }
        pair.run(client.call_tool("change", &Json::empty_object())).expect("a result");
        assert!(!pair.told().contains(&"updated test://a".to_owned()), "{version}");
    }
}

#[test]
fn a_form_is_filled_in_where_the_server_can_ask() {
    for version in [Version::V2025_06_18, Version::V2025_11_25] {
        let mut pair = Pair::in_version(version);
        let client = pair.client.clone();
        let answer = text(pair.run(client.call_tool("ask", &Json::empty_object())).expect("a result"));
        assert_eq!(answer, r#"{"action":"accept","content":{}}"#);
    }
    let mut pair = Pair::in_version(Version::V2025_03_26);
    let client = pair.client.clone();
    pair.run(client.call_tool("ask", &Json::empty_object())).expect_err("unknown there");
}

#[test]
fn a_dropped_call_is_taken_back() {
    for version in Version::ALL {
        let mut pair = Pair::in_version(version);
        let client = pair.client.clone();
        let mut call = client.call("tools/call", object(r#"{"name":"wait"}"#), None);
        assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        while pair.turn() {}
        assert_eq!(pair.server.pending(), 1);
        drop(call);
        while pair.turn() {}
        assert_eq!(pair.server.pending(), 0, "{version}");
    }
}

#[test]
fn a_silent_server_is_taken_for_an_old_one() {
    let pair = Pair::with(full_server(), Version::LATEST);
    let client = pair.client.clone();
    let mut agreeing = Box::pin(client.negotiate(Some(Box::pin(std::future::ready(())))));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(agreeing.as_mut().poll(&mut cx).is_pending());
    let Poll::Ready(Some(said)) = pair.wire.poll_output(&mut cx) else { panic!("nothing was said") };
    let said = String::from_utf8(said).expect("text");
    assert!(said.lines().next().expect("a line").contains("server/discover"));
    assert!(said.lines().last().expect("a line").contains("\"initialize\""), "{said}");
}

#[test]
fn a_slow_server_is_asked_again_in_its_own_revision() {
    let mut pair = Pair::with(full_server(), Version::LATEST);
    let client = pair.client.clone();
    let mut agreeing = Box::pin(client.negotiate(Some(Box::pin(std::future::ready(())))));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(agreeing.as_mut().poll(&mut cx).is_pending());
    // it takes the handshake for nonsense, because it has heard the probe before
    let Poll::Ready(Some(_)) = pair.wire.poll_output(&mut cx) else { panic!("nothing was said") };
    let refused = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32022,"message":"","data":{"supported":["2026-07-28"]}}}"#;
    pair.wire.receive(&Bytes::from_static(refused.as_bytes()));
    pair.run(agreeing).expect("agreed");
    assert_eq!(client.session().version(), Version::V2026_07_28);
}

#[test]
fn what_is_open_fails_when_the_connection_ends() {
    let mut pair = Pair::in_version(Version::V2025_11_25);
    let client = pair.client.clone();
    let mut call = client.call("tools/call", object(r#"{"name":"wait"}"#), None);
    assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    pair.wire.close("gone");
    assert!(client.is_closed());
    for call in [call, client.call("tools/list", Json::empty_object(), None)] {
        assert!(matches!(pair.run(call), Err(ClientError::Protocol(why)) if why == "gone"));
    }
}

#[test]
fn a_call_whose_answer_is_too_long_fails_and_the_others_go_on() {
    let mut pair = Pair::in_version(Version::V2025_11_25);
    let client = pair.client.clone();
    let mut cx = Context::from_waker(Waker::noop());
    let mut wait = || {
        let mut call = client.call("tools/call", object(r#"{"name":"wait"}"#), None);
        assert!(call.as_mut().poll(&mut cx).is_pending());
        call
    };
    // the handshake was the first request
    let (first, mut second) = (wait(), wait());
    pair.wire
        .refuse_oversized(br#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"aaaa"#);
    let error = pair.run(first).expect_err("too long");
    assert!(matches!(error, ClientError::TooLong { limit: 65_536 }) && error.to_string().contains("65536"));
    pair.wire
        .refuse_oversized(br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"aaaa"#);
    assert!(second.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    // a message that does not tell what it answers may answer anything
    pair.wire.refuse_oversized(br#"{"result":{"content":[{"type":"text","text":"aaaa"#);
    assert!(matches!(pair.run(second), Err(ClientError::TooLong { .. })));
    while pair.turn() {}
    pair.wire.refuse_oversized(br#"{"id":"q","method":"roots/list","params":{"x":"aaaa"#);
    let Poll::Ready(Some(said)) = pair.wire.poll_output(&mut Context::from_waker(Waker::noop())) else {
        panic!("nothing was said")
    };
    let said = String::from_utf8(said).expect("text");
    assert!(said.starts_with(r#"{"jsonrpc":"2.0","id":"q","error":{"code":-32600"#), "{said}");
    pair.run(client.ping()).expect("alive");
    pair.wire.close_oversized();
    assert!(matches!(pair.run(client.ping()), Err(ClientError::TooLong { limit: 65_536 })));
}

#[test]
fn the_last_user_closes_the_connection() {
    let Pair { client, wire, .. } = Pair::in_version(Version::V2026_07_28);
    drop(client.clone());
    let mut cx = Context::from_waker(Waker::noop());
    assert!(wire.poll_output(&mut cx).is_pending());
    drop(client);
    assert_eq!(wire.poll_output(&mut cx), Poll::Ready(None));
}

#[test]
fn questions_that_were_not_declared_are_refused() {
    use mcp_protocol::client::ClientHandler as _;
    let handlers = handlers(&Told::default());
    let mut cx = Context::from_waker(Waker::noop());
    let mut ask = |method: &str, params: &str| match handlers
        .handle_request(method, object(params))
        .as_mut()
        .poll(&mut cx)
    {
        Poll::Ready(answer) => answer.map_err(|e: RpcError| e.code),
        Poll::Pending => panic!("not ready"),
    };
    assert_eq!(ask("roots/list", "{}"), Ok(object(r#"{"roots":[{"uri":"file:///w","name":"w"}]}"#)));
    assert_eq!(ask("sampling/createMessage", "{}"), Err(-32601));
    assert_eq!(ask("elicitation/create", r#"{"mode":"url","message":"","url":"https://a"}"#), Err(-32602));
    let declined = ask("elicitation/create", r#"{"message":"x","requestedSchema":{}}"#);
    assert_eq!(declined, Ok(object(r#"{"action":"decline"}"#)));
}

#[test]
fn tasks_of_both_designs_are_waited_for() {
    for version in [Version::V2025_11_25, Version::V2026_07_28] {
        let steps: &'static Steps = Box::leak(Box::default());
        let mut pair = Pair::with(task_server(steps), version);
        pair.background = Some(steps);
        let client = pair.client.clone();
        pair.run(client.negotiate(None)).expect("agreed");
        let none = Json::empty_object();
        let called = pair
            .run(client.call_tool_as_task("confirm", &none, Some(Duration::from_millis(400))))
            .expect("taken");
        let ToolCallOutcome::Task(task) = called else { panic!("not a task: {called:?}") };
        assert_eq!(
            (task.task_id.as_str(), task.status, task.poll_interval),
            ("T1", TaskStatus::Working, Some(Duration::from_millis(10)))
        );
        assert_eq!(task.ttl, Some(Duration::from_millis(if version.is_stateless() { 1000 } else { 400 })));
        assert_eq!(pair.run(client.get_task("T1")).expect("known").status, TaskStatus::Working);
        if !version.is_stateless() {
            assert_eq!(pair.run(client.list_tasks()).expect("a list").len(), 1);
        }
        let sleep = |_| -> server::BoxFuture<()> {
            steps.advance();
            Box::pin(std::future::ready(()))
        };
        let answers = handlers(&Told::default());
        let result = pair.run(client.wait_for_task(task, &answers, sleep)).expect("a result");
        let roots = r#"{"roots":[{"uri":"file:///w","name":"w"}]}"#;
        assert_eq!(result.content[0].as_text(), Some(roots), "{version}");
        let again = pair.run(client.cancel_task("T1"));
        assert_eq!(again.is_ok(), version.is_stateless());
    }
}
