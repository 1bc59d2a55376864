//! What is not a message, not a method, or not its parameters, and batches.

use crate::script::{check, check_in};

#[test]
fn a_stream_survives_everything_that_is_no_message() {
    check_in(
        "2025-11-25",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":
        < {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: EOF while parsing a value at line 1 column 33"}}
        > {"jsonrpc":"2.0","id":2}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"A message has a method, or exactly one of result and error with an id"}}
        > [{"jsonrpc":"2.0","id":3,"method":"ping"}]
        < {"jsonrpc":"2.0","error":{"code":-32600,"message":"This revision has no batches of messages"}}
        > {"jsonrpc":"2.0","method":"notifications/of/the/future","params":[1]}
        > {"jsonrpc":"2.0","id":4,"method":"ping","unknown":{"deep":[{}]}}
        < {"jsonrpc":"2.0","id":4,"result":{}}
    "#,
    );
}

#[test]
fn before_a_revision_is_agreed_errors_have_a_null_id() {
    check("> nonsense
        < {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error: expected ident at line 1 column 2\"}}");
}

#[test]
fn known_methods_with_wrong_parameters_are_not_unknown_methods() {
    check_in(
        "2025-06-18",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"\"name\" must be a string"}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":[1]}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"\"arguments\" must be an object"}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":[]}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"\"params\" must be an object"}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"missing"}}
        < {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Unknown tool: missing"}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"cursor":"x"}}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid cursor"}}
        > {"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"p"}}
        < {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Missing argument: x"}}
        > {"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"q"}}
        < {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Unknown prompt: q"}}
        > {"jsonrpc":"2.0","id":8,"method":"prompts/get","params":{"name":"p","arguments":{"x":1}}}
        < {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"\"arguments\" must be an object of strings"}}
        > {"jsonrpc":"2.0","id":9,"method":"completion/complete","params":{"ref":{"type":"ref/other"},"argument":{"name":"x","value":""}}}
        < {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"\"ref\" is missing or malformed"}}
        > {"jsonrpc":"2.0","id":10,"method":"tools/nothing"}
        < {"jsonrpc":"2.0","id":10,"error":{"code":-32601,"message":"Method not found: tools/nothing"}}
    "#,
    );
}

#[test]
fn a_missing_resource_has_the_code_of_the_revision() {
    check_in(
        "2025-11-25",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"test://b"}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Resource not found: test://b","data":{"uri":"test://b"}}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"test://b","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Resource not found: test://b","data":{"uri":"test://b"}}}
    "#,
    );
}

#[test]
fn batches_are_answered_together_and_know_their_limits() {
    check_in(
        "2025-03-26",
        r#"
        > []
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"A batch must not be empty"}}
        > [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"echo","arguments":{"message":"m"}}}]
        < [{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":"b","result":{"content":[{"type":"text","text":"m"}]}}]
        > [{"jsonrpc":"2.0","method":"notifications/x"}]
        > [{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}},7]
        < [{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"initialize must not be part of a batch"}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"A message must be an object"}}]
    "#,
    );
}

#[test]
fn a_batch_waits_for_its_slowest_and_loses_its_cancelled() {
    check_in(
        "2025-03-26",
        r#"
        > [{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}},{"jsonrpc":"2.0","id":2,"method":"ping"}]
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        < [{"jsonrpc":"2.0","id":2,"result":{}}]
        > [{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wait"}}]
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}
    "#,
    );
}

#[test]
fn a_handler_that_panics_has_failed_and_nothing_else() {
    check_in(
        "2025-11-25",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"panics"}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"The handler failed unexpectedly"}}
        > {"jsonrpc":"2.0","id":2,"method":"ping"}
        < {"jsonrpc":"2.0","id":2,"result":{}}
    "#,
    );
}
