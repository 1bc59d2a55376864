//! Codex's socket: frames, what is told of an editor, and what is passed on between peers.

use ide_companion::{Frames, Router, codex_answer, codex_context, codex_introduction};
use serde_json::{Value, json};

use crate::editor::{select, surface};

fn request(method: &str, params: &Value) -> Value {
    json!({"type": "request", "requestId": "r", "sourceClientId": "c", "version": 0, "method": method, "params": params})
}

fn ask(root: &str) -> Value {
    request("ide-context", &json!({"workspaceRoot": root}))
}

#[test]
fn frames_are_put_together_from_pieces() {
    let message = json!({"type": "broadcast", "text": "ü"});
    let bytes = [Frames::of(&message), Frames::of(&json!(1))].concat();
    let mut frames = Frames::default();
    let mut found = Vec::new();
    for byte in bytes {
        frames.push(&[byte]);
        found.extend(frames.take().unwrap());
    }
    assert_eq!(found, [message, json!(1)]);
    frames.push(&[0xff; 4]);
    assert!(frames.take().unwrap_err().contains("too long"));
    let mut frames = Frames::default();
    frames.push(&[1, 0, 0, 0, b'{']);
    assert!(frames.take().is_err());
}

#[test]
fn an_editor_tells_what_it_shows() {
    let surface = surface();
    assert_eq!(codex_context(&*surface, "/p"), Some(json!({"openTabs": []})));
    select(&surface, "/p/a.rs", (1, 1), (1, 3));
    let file = json!({"label": "a.rs", "path": "a.rs", "fsPath": "/p/a.rs"});
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 2}});
    let context = codex_context(&*surface, "/p/").unwrap();
    assert_eq!(context["openTabs"], json!([file]));
    assert_eq!(
        (&context["activeFile"]["selection"], &context["activeFile"]["activeSelectionContent"]),
        (&range, &json!("fn"))
    );
    assert!(codex_context(&*surface, "/p/src").is_some() && codex_context(&*surface, "/").is_some());
    assert!(codex_context(&*surface, "/pp").is_none());
}

#[test]
fn whoever_binds_the_socket_answers_and_passes_on() {
    let surface = surface();
    let mut router = Router::default();
    (1..=3).for_each(|peer| router.connected(peer));
    let hello = router.receive(1, &request("initialize", &json!({"clientType": "desktop"})), &*surface);
    assert_eq!((hello[0].peer, &hello[0].message["result"]["clientId"]), (1, &json!("client-1")));
    let own = router.receive(1, &ask("/p"), &*surface);
    assert_eq!(
        (&own[0].message["resultType"], &own[0].message["result"]["ideContext"]["openTabs"]),
        (&json!("success"), &json!([]))
    );
    // nobody else has introduced itself
    assert_eq!(router.receive(1, &ask("/other"), &*surface)[0].message["error"], "no-client-found");
    router.receive(2, &codex_introduction(), &*surface);
    router.receive(3, &codex_introduction(), &*surface);
    let asked = router.receive(1, &ask("/other"), &*surface);
    assert_eq!(asked.iter().map(|reply| reply.peer).collect::<Vec<_>>(), [2, 3]);
    let id = asked[0].message["requestId"].clone();
    let can = |can: bool| json!({"type": "client-discovery-response", "requestId": id, "response": {"canHandle": can}});
    assert!(router.receive(2, &can(false), &*surface).is_empty());
    let passed = router.receive(3, &can(true), &*surface);
    assert_eq!((passed[0].peer, &passed[0].message), (3, &ask("/other")));
    let answer =
        json!({"type": "response", "requestId": "r", "resultType": "success", "result": {"ideContext": {}}});
    assert!(router.receive(2, &answer, &*surface).is_empty(), "only whoever handles it answers");
    let back = router.receive(3, &answer, &*surface);
    assert_eq!((back[0].peer, &back[0].message), (1, &answer));
    // a peer that has left answers nothing any more
    let asked = router.receive(1, &ask("/other"), &*surface);
    let id = asked[0].message["requestId"].clone();
    router.receive(
        3,
        &json!({"type": "client-discovery-response", "requestId": id, "response": {"canHandle": true}}),
        &*surface,
    );
    assert_eq!(router.gone(3)[0].message["error"], "client-disconnected");
    let asked = router.receive(1, &ask("/other"), &*surface);
    assert_eq!(asked.len(), 1);
    assert_eq!(router.gone(2)[0].message["error"], "no-client-found");
    let news = json!({"type": "broadcast", "method": "client-status-changed"});
    router.connected(4);
    assert_eq!(router.receive(1, &news, &*surface).len(), 1);
    assert!(router.receive(1, &json!({"type": "nonsense"}), &*surface).is_empty());
}

#[test]
fn a_peer_answers_the_router() {
    let surface = surface();
    let discovery =
        |root: &str| json!({"type": "client-discovery-request", "requestId": "d", "request": ask(root)});
    assert_eq!(codex_answer(&discovery("/p"), &*surface).unwrap()["response"]["canHandle"], true);
    assert_eq!(codex_answer(&discovery("/q"), &*surface).unwrap()["response"]["canHandle"], false);
    assert_eq!(codex_answer(&ask("/p"), &*surface).unwrap()["resultType"], "success");
    assert_eq!(codex_answer(&ask("/q"), &*surface).unwrap()["resultType"], "error");
    assert_eq!(codex_answer(&json!({"type": "broadcast"}), &*surface), None);
    surface.detach();
    assert_eq!(codex_answer(&discovery("/p"), &*surface).unwrap()["response"]["canHandle"], false);
}
