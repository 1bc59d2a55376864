//! Sessions: how they begin, end, expire, and make room.

use std::sync::atomic::{AtomicU64, Ordering};

use mcp_protocol::UnixMillis;
use mcp_transport_http::Config;

use crate::client::{Client, call, chunk, initialize};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[tokio::test]
async fn a_session_begins_with_initialize_and_ends_with_delete() {
    let client = Client::new(Config::default());
    assert_eq!(client.post(&[], PING).await.0, 400);
    assert_eq!(client.post(&[("mcp-session-id", "no such")], PING).await.0, 404);
    let id = client.initialize("2025-11-25").await;
    let headers = [("mcp-session-id", &*id)];
    assert_eq!(client.post(&headers, PING).await.0, 200);
    assert_eq!(client.service.session_count(), 1);
    assert_eq!(client.send("DELETE", &headers, "").await.status(), 204);
    assert_eq!(client.service.session_count(), 0);
    assert_eq!(client.post(&headers, PING).await.0, 404);
    assert_eq!(client.send("DELETE", &headers, "").await.status(), 404);
    assert_eq!(client.send("DELETE", &[], "").await.status(), 400);
    assert_eq!(client.send("GET", &[], "").await.status(), 400);
}

#[tokio::test]
async fn an_initialize_that_is_refused_leaves_no_session() {
    let client = Client::new(Config::default());
    let response =
        client.send("POST", &[], r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#).await;
    assert!(response.headers().get("mcp-session-id").is_none());
    assert_eq!((response.status().as_u16(), client.service.session_count()), (200, 0));
    let headers = [("mcp-protocol-version", "2025-03-26")];
    assert_eq!(client.post(&headers, &initialize("2025-11-25")).await.0, 400);
}

#[tokio::test]
async fn idle_sessions_expire_and_used_ones_do_not() {
    static NOW: AtomicU64 = AtomicU64::new(0);
    let clock = || UnixMillis(NOW.load(Ordering::Relaxed));
    let client = Client::new(Config::default().clock(clock).session_ttl(std::time::Duration::from_secs(10)));
    let (idle, used) = (client.initialize("2025-06-18").await, client.initialize("2025-06-18").await);
    NOW.store(9_000, Ordering::Relaxed);
    assert_eq!(client.post(&[("mcp-session-id", &used)], PING).await.0, 200);
    NOW.store(12_000, Ordering::Relaxed);
    assert_eq!(client.post(&[("mcp-session-id", &idle)], PING).await.0, 404);
    assert_eq!(client.post(&[("mcp-session-id", &used)], PING).await.0, 200);
}

#[tokio::test]
async fn a_full_house_makes_room_among_the_idle_and_says_so_when_there_are_none() {
    let client = Client::new(Config::default().max_sessions(1));
    let first = client.initialize("2025-11-25").await;
    let second = client.initialize("2025-11-25").await;
    assert_eq!(client.post(&[("mcp-session-id", &first)], PING).await.0, 404);
    let mut busy = client.send("POST", &[("mcp-session-id", &second)], &call(1, "gated")).await;
    assert!(chunk(&mut busy).await.is_some_and(|c| c.contains("before")));
    assert_eq!(client.post(&[], &initialize("2025-11-25")).await.0, 503);
}

#[tokio::test]
async fn the_end_of_a_session_ends_what_runs_in_it() {
    let client = Client::new(Config::default());
    let id = client.initialize("2025-11-25").await;
    let headers = [("mcp-session-id", &*id)];
    let mut running = client.send("POST", &headers, &call(1, "gated")).await;
    let mut news = client.send("GET", &headers, "").await;
    assert!(chunk(&mut running).await.is_some() && chunk(&mut news).await.is_some());
    assert_eq!(client.send("DELETE", &headers, "").await.status(), 204);
    assert_eq!((chunk(&mut running).await, chunk(&mut news).await), (None, None));
    client.signals.dropped.notified().await;
}

#[tokio::test]
async fn shutting_down_ends_every_stream() {
    let client = Client::new(Config::default());
    let id = client.initialize("2025-11-25").await;
    let mut news = client.send("GET", &[("mcp-session-id", &id)], "").await;
    assert!(chunk(&mut news).await.is_some());
    client.service.shut_down();
    assert_eq!((chunk(&mut news).await, client.service.session_count()), (None, 0));
}

#[tokio::test]
async fn without_sessions_an_id_may_say_the_name_of_a_client() {
    let stateless = Config::default().sessions(false);
    let client = Client::new(stateless.clone());
    let response = client.send("POST", &[], &initialize("2025-11-25")).await;
    assert!(response.headers().get("mcp-session-id").is_none());
    let client = Client::new(stateless.names_in_ids(true));
    let id = client.initialize("2025-11-25").await;
    for id in [&*id, "of yesterday"] {
        let headers = [("mcp-session-id", id)];
        assert_eq!(client.post(&headers, PING).await.0, 200);
        for method in ["GET", "DELETE"] {
            assert_eq!(client.send(method, &headers, "").await.status(), 405);
        }
    }
    assert_eq!(client.service.session_count(), 0);
}
