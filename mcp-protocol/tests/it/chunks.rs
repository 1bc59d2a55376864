//! Properties: chunks do not matter, every request is answered exactly once, nothing panics.

use std::task::{Context, Waker};

use bytes::Bytes;
use mcp_protocol::{
    Incoming, Json, UnixMillis,
    framing::{Line, Lines},
    server::Connection,
};
use proptest::prelude::*;

use crate::suite::server;

const MODERN: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Feeds the bytes in the given chunks and returns everything that was said, sorted.
fn said(bytes: &[u8], cuts: &[usize]) -> Vec<String> {
    let mut connection = Connection::new(server());
    let mut lines = Lines::new(1 << 16);
    let mut cuts: Vec<usize> = cuts.iter().map(|c| c % (bytes.len() + 1)).collect();
    cuts.push(bytes.len());
    cuts.sort_unstable();
    let mut from = 0;
    for to in cuts {
        lines.push(&bytes[from..to]);
        from = to;
        while let Some(line) = lines.next_line() {
            if let Line::Text(text) = line {
                connection.receive(UnixMillis(0), &text);
            }
        }
        let _ready = connection.poll(&mut Context::from_waker(Waker::noop()));
    }
    let mut said: Vec<String> = String::from_utf8(std::mem::take(connection.output()))
        .expect("text")
        .lines()
        .map(str::to_owned)
        .collect();
    said.sort();
    said
}

fn message() -> impl Strategy<Value = (bool, String)> {
    prop_oneof![
        Just((true, format!(r#""method":"tools/list","params":{{{MODERN}}}"#))),
        Just((
            true,
            format!(
                r#""method":"tools/call","params":{{"name":"echo","arguments":{{"message":"ä"}},{MODERN}}}"#
            )
        )),
        Just((true, format!(r#""method":"tools/call","params":{{"name":"chatty",{MODERN}}}"#))),
        Just((true, r#""method":"ping""#.to_owned())),
        Just((true, r#""method":"no/such","params":3"#.to_owned())),
        Just((false, r#""method":"notifications/initialized""#.to_owned())),
        Just((false, r#""method":"notifications/cancelled","params":{"requestId":1}"#.to_owned())),
    ]
}

proptest! {
    #[test]
    fn every_request_is_answered_once_however_it_is_cut(
        messages in prop::collection::vec(message(), 1..20),
        cuts in prop::collection::vec(any::<usize>(), 0..8),
    ) {
        let mut wire = String::new();
        let mut asked = Vec::new();
        for (n, (is_request, rest)) in messages.iter().enumerate() {
            if *is_request {
                asked.push(n.to_string());
                wire.push_str(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{n},{rest}}}\n"));
            } else {
                wire.push_str(&format!("{{\"jsonrpc\":\"2.0\",{rest}}}\r\n"));
            }
        }
        let whole = said(wire.as_bytes(), &[]);
        prop_assert_eq!(&whole, &said(wire.as_bytes(), &cuts));
        let mut answered: Vec<String> =
            whole.iter().filter_map(|m| Some(Json::parse(m).ok()?.get("id")?.as_str().to_owned())).collect();
        answered.sort();
        asked.sort();
        prop_assert_eq!(answered, asked);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let bytes = Bytes::from(bytes);
        let decoded = Incoming::decode(&bytes).is_ok();
        let mut connection = Connection::new(server());
        connection.receive(UnixMillis(0), &bytes);
        prop_assert!(decoded || !connection.output().is_empty() || bytes.trim_ascii().is_empty());
    }

    #[test]
    fn no_broken_message_makes_it_panic(at in 0usize..400, with in any::<u8>()) {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"message":"x"}},{MODERN}}}}}"#);
        let mut bytes = text.into_bytes();
        let at = at % bytes.len();
        bytes[at] = with;
        let mut connection = Connection::new(server());
        connection.receive(UnixMillis(0), &Bytes::from(bytes));
        prop_assert!(connection.output().ends_with(b"\n") || connection.output().is_empty());
    }
}
