//! Cancellation, questions to the client, and what overtakes what.

use bytes::Bytes;
use mcp_protocol::{UnixMillis, server::Connection};

use crate::script::{check_in, server};

#[test]
fn a_cancelled_request_is_not_answered_and_others_go_on() {
    check_in(
        "2025-11-25",
        r#"
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait"}}
        > {"jsonrpc":"2.0","id":8,"method":"ping"}
        < {"jsonrpc":"2.0","id":8,"result":{}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7.0,"reason":"changed my mind"}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"unknown"}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}
        > {"jsonrpc":"2.0","id":9,"method":"ping"}
        < {"jsonrpc":"2.0","id":9,"result":{}}
    "#,
    );
}

#[test]
fn ids_of_different_types_are_different_requests() {
    check_in(
        "2025-11-25",
        r#"
        > {"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"ask"}}
        < {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        > {"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}
        < {"jsonrpc":"2.0","id":"1","result":{"content":[{"type":"text","text":"{\"action\":\"accept\"}"}]}}
    "#,
    );
}

#[test]
fn a_cancelled_request_takes_its_question_back_silently_and_late_answers_are_ignored() {
    check_in(
        "2025-11-25",
        r#"
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"ask"}}
        < {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}
        > {"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}
        > {"jsonrpc":"2.0","id":99,"result":{}}
    "#,
    );
}

#[test]
fn an_error_from_the_client_is_the_handlers_error() {
    check_in(
        "2025-06-18",
        r#"
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"ask"}}
        < {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}
        > {"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"no"}}
    "#,
    );
}

#[test]
fn a_client_of_a_revision_without_questions_is_not_asked() {
    check_in(
        "2025-03-26",
        r#"
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"ask"}}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"The client does not offer elicitation/create"}}
        > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"ask","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}
        < {"jsonrpc":"2.0","id":6,"error":{"code":-32603,"message":"This revision has no requests from server to client"}}
    "#,
    );
}

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
    let mut connection = Connection::new(server()).with_most_pending(1);
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
