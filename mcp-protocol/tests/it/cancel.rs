//! Ends of requests that scripts do not cover.

use bytes::Bytes;
use mcp_protocol::{UnixMillis, server::Connection};

use crate::suite::server;

#[test]
fn the_end_of_the_input_cancels_what_runs_and_says_nothing() {
    let mut connection = Connection::new(server());
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    connection.receive(UnixMillis(0), &Bytes::from_static(call.as_bytes()));
    assert_eq!(connection.pending(), 1);
    connection.close();
    assert_eq!((connection.pending(), connection.output().len()), (0, 0));
}

#[test]
fn more_requests_than_agreed_are_refused_by_id() {
    let mut connection = Connection::new(server()).with_max_pending(1);
    for id in ["1", "2"] {
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"wait","_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
        );
        connection.receive(UnixMillis(0), &Bytes::from(call));
    }
    let said = String::from_utf8(std::mem::take(connection.output())).expect("text");
    assert_eq!(
        said,
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32603,\"message\":\"Too many requests under way on this connection\"}}\n"
    );
}
