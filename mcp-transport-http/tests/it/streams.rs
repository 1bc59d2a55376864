//! Event streams: what leaves together, what survives a broken connection, and how a client comes back for the rest.

use mcp_transport_http::Config;

use crate::client::{Client, call, chunk, whole};

/// `id: 1-2` lines of a chunk.
fn ids(text: &str) -> Vec<&str> {
    text.lines().filter_map(|l| l.strip_prefix("id: ")).collect()
}

#[tokio::test]
async fn what_is_ready_leaves_in_one_chunk() {
    let client = Client::new(Config::default());
    let id = client.initialize("2025-11-25").await;
    let mut response = client.send("POST", &[("mcp-session-id", &id)], &call(1, "logs")).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    assert_eq!(response.headers()["cache-control"], "no-cache");
    let all = chunk(&mut response).await.expect("a chunk");
    assert_eq!(ids(&all), ["1-0", "1-1", "1-2", "1-3"]);
    assert!(all.starts_with("id: 1-0\nretry: 500\ndata: \n\n"), "{all}");
    assert_eq!(chunk(&mut response).await, None);
}

#[tokio::test]
async fn without_anything_to_say_before_it_the_answer_is_json() {
    let client = Client::new(Config::default());
    let id = client.initialize("2025-11-25").await;
    let response = client.send("POST", &[("mcp-session-id", &id)], &call(1, "echo")).await;
    assert_eq!(response.headers()["content-type"], "application/json");
    let without_events = [("mcp-session-id", &*id), ("accept", "application/json")];
    let (status, body) = client.post(&without_events, &call(2, "logs")).await;
    assert_eq!((status, body.contains("logged")), (200, true));
    assert_eq!(client.post(&without_events, &call(3, "ask")).await.0, 406);
}

#[tokio::test]
async fn a_broken_stream_goes_on_and_is_resumed_after_the_event_last_seen() {
    let client = Client::new(Config::default());
    let id = client.initialize("2025-11-25").await;
    let session = ("mcp-session-id", &*id);
    let mut other = client.send("POST", &[session], &call(1, "logs")).await;
    assert!(chunk(&mut other).await.is_some());
    let mut broken = client.send("POST", &[session], &call(2, "gated")).await;
    let first = chunk(&mut broken).await.expect("a chunk");
    assert_eq!(ids(&first), ["2-0", "2-1"]);
    drop(broken);
    client.signals.gate.notify_one();
    client.signals.ended.notified().await;
    let (status, rest) = whole(client.send("GET", &[session, ("last-event-id", "2-1")], "").await).await;
    assert_eq!((status, ids(&rest)), (200, vec!["2-2", "2-3"]));
    assert!(rest.contains("after") && rest.contains("done") && !rest.contains("before"), "{rest}");
    let (_, all) = whole(client.send("GET", &[session, ("last-event-id", "2-0")], "").await).await;
    assert_eq!(ids(&all), ["2-1", "2-2", "2-3"]);
    for unknown in ["9-0", "2-9", "nonsense"] {
        assert_eq!(
            client.send("GET", &[session, ("last-event-id", unknown)], "").await.status(),
            404,
            "{unknown}"
        );
    }
}

#[tokio::test]
async fn a_handler_may_send_the_client_away_until_it_is_done() {
    let client = Client::new(Config::default());
    let id = client.initialize("2025-11-25").await;
    let session = ("mcp-session-id", &*id);
    let body = call(1, "gated").replace("\"arguments\":{}", "\"arguments\":{\"close\":1}");
    let (status, first) = whole(client.send("POST", &[session], &body).await).await;
    assert_eq!((status, ids(&first)), (200, vec!["1-0", "1-1"]));
    assert!(first.ends_with("retry: 5\n\n"), "{first}");
    let mut back = client.send("GET", &[session, ("last-event-id", "1-1")], "").await;
    client.signals.gate.notify_one();
    let mut rest = String::new();
    while let Some(more) = chunk(&mut back).await {
        rest.push_str(&more);
    }
    assert_eq!(ids(&rest), ["1-2", "1-3"]);
}

#[tokio::test]
async fn a_later_reader_takes_a_stream_over() {
    let client = Client::new(Config::default());
    let id = client.initialize("2025-11-25").await;
    let session = ("mcp-session-id", &*id);
    let mut first = client.send("GET", &[session], "").await;
    assert!(chunk(&mut first).await.is_some_and(|c| ids(&c) == ["0-0"]));
    let mut second = client.send("GET", &[session], "").await;
    assert!(chunk(&mut second).await.is_some());
    assert_eq!(chunk(&mut first).await, None);
}

#[tokio::test]
async fn only_so_many_streams_and_events_are_kept() {
    let client = Client::new(Config::default().max_streams_per_session(2).max_events_per_stream(1));
    let id = client.initialize("2025-11-25").await;
    let session = ("mcp-session-id", &*id);
    for n in 1..=3 {
        let (_, text) = whole(client.send("POST", &[session], &call(n, "logs")).await).await;
        assert!(text.contains("logged"));
    }
    assert_eq!(client.send("GET", &[session, ("last-event-id", "1-2")], "").await.status(), 404);
    assert_eq!(client.send("GET", &[session, ("last-event-id", "3-0")], "").await.status(), 404);
    let (_, last) = whole(client.send("GET", &[session, ("last-event-id", "3-2")], "").await).await;
    assert_eq!(ids(&last), ["3-3"]);
}

#[tokio::test]
async fn the_client_answers_a_question_in_a_post_of_its_own() {
    let client = Client::new(Config::default());
    let id = client.initialize("2025-06-18").await;
    let session = ("mcp-session-id", &*id);
    let mut asked = client.send("POST", &[session], &call(1, "ask")).await;
    assert!(chunk(&mut asked).await.is_some_and(|c| c.contains("elicitation/create")));
    let answer = client.post(&[session], r#"{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}"#).await;
    assert_eq!(answer, (202, String::new()));
    assert!(chunk(&mut asked).await.is_some_and(|c| c.contains("decline")));
    assert_eq!(chunk(&mut asked).await, None);
}

#[tokio::test]
async fn without_a_session_the_client_cannot_be_asked_and_that_is_said() {
    let client = Client::new(Config::default().sessions(false));
    let (status, body) = client.post(&[("mcp-protocol-version", "2025-06-18")], &call(1, "ask")).await;
    assert_eq!((status, body.contains("-32603")), (200, true), "{body}");
}
