//! The state that a handshake leaves behind.

use bytes::Bytes;
use mcp_protocol::{UnixMillis, server::Connection};

use crate::suite::server;

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
