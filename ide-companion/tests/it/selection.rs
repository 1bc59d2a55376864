//! The pushed messages: selections, mentions and findings, and how often they come.

use ide_companion::Dialect;
use ide_model::EditorSurface as _;
use serde_json::{Value, json};

use crate::editor::{Client, select, surface};

fn selections(heard: &[Value]) -> Vec<&Value> {
    heard
        .iter()
        .filter(|message| message["method"] == "selection_changed")
        .map(|message| &message["params"])
        .collect()
}

fn greeted(client: &mut Client) {
    client.say(&json!({"method": "notifications/initialized"}));
    client.say(&json!({"method": "ide_connected", "params": {"pid": 1}}));
}

#[test]
fn a_client_is_told_the_selection_once_it_is_connected() {
    let surface = surface();
    select(&surface, "/p/a.rs", (2, 4), (2, 5));
    let mut client = Client::new(&surface, Dialect::Claude);
    assert!(client.after(5000).is_empty(), "not before it is greeted");
    client.say(&json!({"method": "notifications/initialized"}));
    assert!(client.after(499).is_empty());
    let heard = client.after(1);
    assert_eq!(
        selections(&heard),
        [&json!({"text": "b", "filePath": "/p/a.rs", "fileUrl": "file:///p/a.rs",
        "selection": {"start": {"line": 1, "character": 3}, "end": {"line": 1, "character": 4}, "isEmpty": false}})]
    );
    assert!(client.after(10_000).is_empty(), "once");
    let mut quick = Client::new(&surface, Dialect::Claude);
    quick.say(&json!({"method": "notifications/initialized"}));
    assert_eq!(selections(&quick.say(&json!({"method": "ide_connected"}))).len(), 1);
    assert!(quick.after(500).is_empty());
}

#[test]
fn a_thousand_changes_in_a_second_are_few_frames() {
    let surface = surface();
    let mut client = Client::new(&surface, Dialect::Claude);
    greeted(&mut client);
    let mut heard = client.heard();
    for n in 0..1000 {
        select(&surface, "/p/a.rs", (1, 1 + n % 9), (1, 1 + n % 9));
        heard.extend(client.after(1));
    }
    assert!(heard.len() <= 11, "{}", heard.len());
    let last = client.after(100);
    assert_eq!(selections(&last).len(), 1, "and the last one arrives");
    assert_eq!(selections(&last)[0]["selection"]["start"]["character"], 0);
}

#[test]
fn what_is_not_sent_is_replaced_and_what_is_the_same_is_not_sent() {
    let surface = surface();
    let mut client = Client::new(&surface, Dialect::Claude);
    greeted(&mut client);
    for column in [2, 3, 4] {
        select(&surface, "/p/a.rs", (1, column), (1, column));
        client.session.poll(client.now);
        client.now += 100;
        client.session.poll(client.now);
    }
    let heard = client.heard();
    assert_eq!(selections(&heard).len(), 1);
    assert_eq!(selections(&heard)[0]["selection"]["start"]["character"], 3);
    select(&surface, "/p/a.rs", (1, 5), (1, 5));
    select(&surface, "/p/a.rs", (1, 4), (1, 4));
    assert!(client.after(100).is_empty(), "it is the same again");
    surface.close_file("/p/a.rs");
    assert_eq!(selections(&client.heard()), [&json!({"text": "", "filePath": null, "selection": null})]);
}

#[test]
fn mentions_and_findings_are_told() {
    let surface = surface();
    let mut client = Client::new(&surface, Dialect::Claude);
    surface.mention("/p/a.rs", Some((1, 2)));
    surface.mention("/p/a.rs", None);
    assert_eq!(
        client.heard(),
        [
            json!({"jsonrpc": "2.0", "method": "at_mentioned", "params": {"filePath": "/p/a.rs", "lineStart": 0, "lineEnd": 1}}),
            json!({"jsonrpc": "2.0", "method": "at_mentioned", "params": {"filePath": "/p/a.rs"}}),
        ]
    );
    for _ in 0..3 {
        surface.diagnostics_changed("/p/a b.rs");
        assert!(client.after(200).is_empty());
    }
    assert_eq!(
        client.after(300),
        [json!({"jsonrpc": "2.0", "method": "diagnostics_changed", "params": {"uri": "file:///p/a%20b.rs"}})]
    );
}
