//! Progress, logging, announcements, subscriptions, and what each revision is shown of a rich result.

use crate::script::{check, check_in};

#[test]
fn progress_rises_and_logs_pass_the_level() {
    check_in(
        "2025-03-26",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chatty","_meta":{"progressToken":"t"}}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1.0,"total":2.0,"message":"half"}}
        < {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"l","data":"high"}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":2.0,"total":2.0}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"alert"}}
        < {"jsonrpc":"2.0","id":2,"result":{}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"chatty"}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"done"}]}}
    "#,
    );
}

#[test]
fn the_first_revision_gets_progress_without_words() {
    check_in(
        "2024-11-05",
        r#"
        > {"jsonrpc":"2.0","id":0,"method":"logging/setLevel","params":{"level":"alert"}}
        < {"jsonrpc":"2.0","id":0,"result":{}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chatty","_meta":{"progressToken":3}}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":3,"progress":1.0,"total":2.0}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":3,"progress":2.0,"total":2.0}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}
    "#,
    );
}

#[test]
fn a_modern_request_gets_the_logs_it_asks_for_and_no_others() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chatty","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"debug"}}}
        < {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","data":"low"}}
        < {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"l","data":"high"}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"chatty","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"loud"}}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown log level: loud"}}
    "#,
    );
}

#[test]
fn announcements_reach_those_who_have_shaken_hands_each_once() {
    check_in(
        "2025-11-25",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://a"}}
        < {"jsonrpc":"2.0","id":1,"result":{}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"change"}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"changed"}]}}
        < {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}
        < {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://a"}}
        > {"jsonrpc":"2.0","id":3,"method":"resources/unsubscribe","params":{"uri":"test://a"}}
        < {"jsonrpc":"2.0","id":3,"result":{}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"change"}}
        < {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"changed"}]}}
        < {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}
    "#,
    );
}

#[test]
fn a_subscription_acknowledges_tags_filters_and_can_be_cancelled() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://z"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://z"]},"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}
        > {"jsonrpc":"2.0","id":0,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["test://a"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"resourceSubscriptions":["test://a"]},"_meta":{"io.modelcontextprotocol/subscriptionId":0}}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"change","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"changed"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}}}
        < {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://a","_meta":{"io.modelcontextprotocol/subscriptionId":0}}}
    "#,
    );
}

#[test]
fn a_rich_result_is_told_in_the_words_of_each_revision() {
    let call = r#"> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rich"}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":["#;
    let text = r#"{"type":"text","text":"t","annotations":{"priority":0.5}}]}}"#;
    let audio = r#"{"type":"audio","data":"eA==","mimeType":"audio/wav"},"#;
    let old_link = r#"{"type":"text","text":"a: test://a"},"#;
    let link = r#"{"type":"resource_link","uri":"test://a","name":"a","description":"A."},"#;
    check_in(
        "2024-11-05",
        &format!(r#"{call}{{"type":"text","text":"[audio, audio/wav]"}},{old_link}{text}"#),
    );
    check_in("2025-03-26", &format!("{call}{audio}{old_link}{text}"));
    check_in("2025-06-18", &format!("{call}{audio}{link}{text}"));
    check_in("2025-11-25", &format!("{call}{audio}{link}{text}"));
    check(&format!(
        r#"> {{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"rich","_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}
        < {{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","content":[{audio}{link}{{"type":"text","text":"t","annotations":{{"priority":0.5}}}}],"structuredContent":[1],"_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"test","version":"1"}}}}}}}}"#
    ));
}

#[test]
fn completion_says_when_it_cuts() {
    let values: Vec<String> = (0..100).map(|n| format!("\"{n}\"")).collect();
    check_in(
        "2024-11-05",
        &format!(
            r#"> {{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{{"ref":{{"type":"ref/prompt","name":"p"}},"argument":{{"name":"x","value":""}}}}}}
            < {{"jsonrpc":"2.0","id":1,"result":{{"completion":{{"values":[{}],"total":150,"hasMore":true}}}}}}"#,
            values.join(",")
        ),
    );
}
