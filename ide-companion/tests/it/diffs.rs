//! Changes that wait for a verdict, and every way in which the waiting ends.

use ide_companion::Dialect;
use ide_model::EditorSurface as _;
use serde_json::{Value, json};

use crate::editor::{Client, surface};

fn diff(path: &str, contents: &str, tab: &str) -> Value {
    json!({"name": "openDiff", "arguments": {"old_file_path": path, "new_file_path": path,
        "new_file_contents": contents, "tab_name": tab}})
}

fn texts(answer: &Value) -> Vec<&str> {
    let content = answer["result"]["content"].as_array().unwrap();
    content.iter().map(|item| item["text"].as_str().unwrap()).collect()
}

#[test]
fn accepted_edited_rejected() {
    let surface = surface();
    let mut client = Client::new(&surface, Dialect::Claude);
    let windows = "\u{feff}one\r\nTWO\r\n";
    for (edit, written) in [(None, windows), (Some("one\nTWO\nthree\n"), "\u{feff}one\r\nTWO\r\nthree\r\n")] {
        client.send("tools/call", &diff("/p/win.txt", windows, "tab"));
        assert!(client.after(3_600_000).is_empty(), "there is no time limit");
        let shown = surface.diffs().remove(0);
        let (left, right) = shown.sides();
        assert_eq!((left.as_str(), right.as_str()), ("one\ntwo\n", "one\nTWO\n"));
        assert!(surface.accept(shown.id, edit.unwrap_or(&right)));
        let heard = client.heard();
        assert_eq!(texts(&heard[0]), ["FILE_SAVED", written]);
        assert!(heard[0]["result"].get("isError").is_none());
        assert_eq!(client.text("close_tab", json!({"tab_name": "tab"})), "TAB_CLOSED");
    }
    client.send("tools/call", &diff("/p/new.txt", "x", "new"));
    assert!(surface.diffs()[0].is_new && !surface.diffs()[0].is_outside);
    assert!(surface.reject(surface.diffs()[0].id));
    assert_eq!(texts(&client.heard()[0]), ["DIFF_REJECTED", "new"]);
    client.send("tools/call", &diff("/home/notes.md", "x", "out"));
    assert!(surface.diffs()[0].is_outside);
}

#[test]
fn views_that_the_client_closes_are_rejected() {
    let surface = surface();
    let (mut one, mut two) = (Client::new(&surface, Dialect::Claude), Client::new(&surface, Dialect::Claude));
    let first = one.send("tools/call", &diff("/p/a.rs", "1", "same"));
    two.send("tools/call", &diff("/p/a.rs", "2", "same"));
    assert_eq!(surface.diffs().len(), 2, "the name is each client's own");
    let second = one.send("tools/call", &diff("/p/a.rs", "3", "same"));
    let heard = one.heard();
    assert_eq!(
        (heard.len(), &heard[0]["id"], texts(&heard[0])),
        (1, &json!(first), vec!["DIFF_REJECTED", "same"])
    );
    one.send("tools/call", &diff("/p/a.rs", "4", "other"));
    let answer = one.send("tools/call", &json!({"name": "close_tab", "arguments": {"tab_name": "same"}}));
    let heard = one.heard();
    assert_eq!((&heard[0]["id"], texts(&heard[0])[0]), (&json!(second), "DIFF_REJECTED"));
    assert_eq!((&heard[1]["id"], texts(&heard[1])[0]), (&json!(answer), "TAB_CLOSED"));
    let heard = one.say(
        &json!({"jsonrpc": "2.0", "id": "z", "method": "tools/call", "params": {"name": "closeAllDiffTabs"}}),
    );
    assert_eq!(texts(&heard[0]), ["DIFF_REJECTED", "other"]);
    assert_eq!(texts(&heard[1]), ["CLOSED_1_DIFF_TABS"]);
    assert_eq!(surface.diffs().len(), 1, "those of others stay");
    assert_eq!(one.text("closeAllDiffTabs", json!({})), "CLOSED_0_DIFF_TABS");
    assert!(two.heard().is_empty());
    drop(two);
    assert!(surface.diffs().is_empty(), "a client that is gone leaves no diff");
}

#[test]
fn calls_that_are_taken_back_get_no_answer() {
    let surface = surface();
    let mut client = Client::new(&surface, Dialect::Claude);
    let id = client.send("tools/call", &diff("/p/a.rs", "1", "tab"));
    assert_eq!(client.ask("ping", &json!({}))["result"], json!({}));
    let heard = client.say(&json!({"method": "notifications/cancelled", "params": {"requestId": id}}));
    assert!(heard.is_empty() && surface.diffs().is_empty(), "{heard:?}");
    let batch = json!([{"id": 7, "method": "ping"}, {"id": 8, "method": "tools/call", "params": diff("/p/a.rs", "1", "t")}]);
    assert!(client.say(&batch).is_empty(), "a batch is answered when all of it is");
    surface.reject(surface.diffs()[0].id);
    assert_eq!(client.heard()[0].as_array().unwrap().len(), 2);
}

#[test]
fn when_nobody_comes_back_it_is_said() {
    let surface = surface();
    let mut client = Client::new(&surface, Dialect::Claude);
    client.send("tools/call", &diff("/p/a.rs", "1", "tab"));
    surface.detach();
    let heard = client.heard();
    assert_eq!(heard.len(), 1, "only that other tools are listed: {heard:?}");
    surface.attach();
    surface.give_up();
    assert_eq!(surface.diffs().len(), 1, "somebody came back");
    surface.detach();
    surface.give_up();
    let answer = client.heard().into_iter().find(|message| message.get("id").is_some()).unwrap();
    assert_eq!(
        (&answer["result"]["isError"], texts(&answer)[0]),
        (&json!(true), "no editor surface attached")
    );
    assert!(!surface.is_attached());
}
