//! Choosing a revision, and what each of them is told.

use bytes::Bytes;
use mcp_protocol::{UnixMillis, server::Connection};

use crate::script::{check, check_in, server};

#[test]
fn each_revision_is_answered_in_its_own_words() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"logging":{}},"serverInfo":{"name":"test","version":"1"}}}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        > {"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}
        < {"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":"hi"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"hi"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}}}
    "#,
    );
}

#[test]
fn an_unknown_revision_is_answered_with_the_latest_that_has_a_handshake() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{}}}
        < {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"completions":{},"logging":{}},"serverInfo":{"name":"test","version":"1"}}}
    "#,
    );
}

#[test]
fn before_the_handshake_only_pings_are_answered() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1.0,"method":"ping"}
        < {"jsonrpc":"2.0","id":1.0,"result":{}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"Send initialize first, or the metadata of 2026-07-28 with every request"}}
        > {"jsonrpc":"2.0","id":3,"method":"initialize","params":{}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"\"protocolVersion\" must be a string"}}
    "#,
    );
}

#[test]
fn methods_exist_only_in_their_revisions() {
    check_in(
        "2025-11-25",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"server/discover"}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: server/discover"}}
        > {"jsonrpc":"2.0","id":2,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found: ping"}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32022,"message":"Unsupported protocol version: 2030-01-01","data":{"supported":["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"],"requested":"2030-01-01"}}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
        < {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"\"_meta\" must have io.modelcontextprotocol/clientCapabilities, an object"}}
    "#,
    );
}

#[test]
fn a_client_may_set_the_log_level_before_it_says_initialized() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}
        < {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"completions":{},"logging":{}},"serverInfo":{"name":"test","version":"1"}}}
        > {"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}}
        < {"jsonrpc":"2.0","id":1,"result":{}}
        > {"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"loud"}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Unknown log level"}}
    "#,
    );
}

#[test]
fn what_is_kept_of_a_handshake_is_no_part_of_the_transports_buffer() {
    let mut connection = Connection::new(server());
    let message = Bytes::from(
        br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}}"#.to_vec(),
    );
    connection.receive(UnixMillis(0), &message);
    assert!(connection.peer().version().is_some());
    assert!(message.is_unique(), "an idle session would keep a whole read buffer");
}
