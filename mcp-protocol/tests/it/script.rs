//! Scripts over the server's end of a byte stream, without the bytes.

use std::task::{Context, Waker};

use bytes::Bytes;
use mcp_protocol::{Server, server::Connection};

use crate::suite::{Wire, check, check_all, now};

impl Wire for Connection {
    fn give(&mut self, message: &str) -> Vec<Vec<String>> {
        self.receive(now(), &Bytes::copy_from_slice(message.as_bytes()));
        let _ready = self.poll(&mut Context::from_waker(Waker::noop()));
        let said = String::from_utf8(std::mem::take(self.output())).expect("messages are text");
        vec![said.lines().map(str::to_owned).collect()]
    }
}

#[test]
fn conversations_go_as_their_scripts_say() {
    check_all("core", Connection::new);
}

/// Runs a script against a server of its own.
pub(crate) fn check_on(server: Server, script: &str) {
    check(&mut Connection::new(server), "inline", script);
}
