//! The requests of Codex to an editor on `/ide`: the open files and the selection, over a local socket that all
//! editors of a user share. The process that binds the socket passes messages on between the others.
//!
//! A frame is the length of a JSON message as four bytes, the lowest first, and the message.

use std::collections::BTreeMap;

use ide_model::{EditorSurface, OpenEditor};
use serde_json::{Value, json};

use crate::text::{file_name, head, range, selection_of};

/// Longest frame that is taken, in bytes.
pub const MAX_FRAME: usize = 16 << 20;
/// Most bytes of selected text in an answer.
const MAX_SELECTED: usize = 64 << 10;
/// Most requests that wait for an answer of a peer; the oldest is given up first.
const MOST_WAITING: usize = 256;
/// Our own name among the peers.
const OURSELVES: &str = "ide-index";

/// Puts frames together from the bytes of a stream.
#[derive(Debug, Default)]
pub struct Frames(Vec<u8>);

impl Frames {
    /// Takes bytes as they come.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// The next message that is complete.
    ///
    /// # Errors
    /// A sentence, after which nothing of this stream can be read: a frame is too long or is not JSON.
    pub fn take(&mut self) -> Result<Option<Value>, String> {
        let Some((length, rest)) = self.0.split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > MAX_FRAME {
            return Err(format!("a frame of {length} bytes is too long"));
        }
        let Some(message) = rest.get(..length) else { return Ok(None) };
        let message =
            serde_json::from_slice(message).map_err(|error| format!("a frame is no JSON: {error}"))?;
        self.0.drain(..4 + length);
        Ok(Some(message))
    }

    /// A message as a frame.
    pub fn of(message: &Value) -> Vec<u8> {
        let text = message.to_string();
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let mut frame = length.to_le_bytes().to_vec();
        frame.extend_from_slice(text.as_bytes());
        frame
    }
}

/// The context of an editor for Codex in a folder; `None` when the editor is for other folders.
pub fn context(surface: &dyn EditorSurface, workspace_root: &str) -> Option<Value> {
    let asked = workspace_root.trim_end_matches('/');
    let folders = surface.workspaces();
    let below = |inner: &str, outer: &str| {
        inner == outer || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
    };
    if !folders.iter().any(|folder| below(asked, folder) || below(folder, asked)) {
        return None;
    }
    let editors = surface.open_editors();
    let shown = |editor: &OpenEditor| {
        let inside = editor.path.strip_prefix(asked).and_then(|rest| rest.strip_prefix('/'));
        json!({"label": file_name(&editor.path), "path": inside.unwrap_or(&editor.path), "fsPath": &*editor.path})
    };
    let mut context = json!({"openTabs": editors.iter().map(shown).collect::<Vec<_>>()});
    if let Some(active) = editors.iter().find(|editor| editor.is_active) {
        let selection = range(selection_of(active));
        let mut file = shown(active);
        file["selections"] = json!([selection.clone()]);
        file["selection"] = selection;
        file["activeSelectionContent"] = head(&active.selected_text, MAX_SELECTED).into();
        context["activeFile"] = file;
    }
    Some(context)
}

/// A message to a peer.
#[derive(Clone, Debug, PartialEq)]
pub struct RouterReply {
    pub peer: u64,
    pub message: Value,
}

/// Passes messages on between the peers of the socket that we have bound, and answers what we can answer ourselves.
#[derive(Debug, Default)]
pub struct Router {
    /// Peers by number, with the name that each was given once it has introduced itself.
    peers: BTreeMap<u64, Option<String>>,
    names: u64,
    last: u64,
    waiting: BTreeMap<u64, Waiting>,
}

/// A request that a peer asked and others may answer.
#[derive(Debug)]
struct Waiting {
    asker: u64,
    request: Value,
    /// Peers that have not said yet whether they can handle it.
    undecided: Vec<u64>,
    /// The peer that handles it.
    handler: Option<u64>,
}

impl Router {
    /// A peer connects, under a number of its connection.
    pub fn connected(&mut self, peer: u64) {
        self.peers.insert(peer, None);
    }

    /// A peer is gone.
    pub fn gone(&mut self, peer: u64) -> Vec<RouterReply> {
        self.peers.remove(&peer);
        self.waiting.retain(|_, waiting| waiting.asker != peer);
        let orphans: Vec<u64> = self
            .waiting
            .iter()
            .filter(|(_, waiting)| waiting.handler == Some(peer))
            .map(|(key, _)| *key)
            .collect();
        let mut replies = Vec::new();
        for key in orphans {
            replies.extend(self.waiting.remove(&key).map(|waiting| failed(&waiting, "client-disconnected")));
        }
        let keys: Vec<u64> = self.waiting.keys().copied().collect();
        for key in keys {
            replies.extend(self.declined(key, peer));
        }
        replies
    }

    /// A peer says something; what is to be sent.
    pub fn receive(&mut self, peer: u64, message: &Value, surface: &dyn EditorSurface) -> Vec<RouterReply> {
        match message["type"].as_str() {
            Some("request") => self.request(peer, message, surface),
            Some("response") => self.response(peer, message),
            Some("broadcast") => {
                let others = self.peers.keys().filter(|other| **other != peer);
                others.map(|other| RouterReply { peer: *other, message: message.clone() }).collect()
            }
            Some("client-discovery-response") => self.discovered(peer, message),
            _ => Vec::new(),
        }
    }

    fn request(&mut self, peer: u64, message: &Value, surface: &dyn EditorSurface) -> Vec<RouterReply> {
        let Some(id) = message["requestId"].as_str() else { return Vec::new() };
        let method = message["method"].as_str().unwrap_or_default();
        if method == "initialize" {
            self.names += 1;
            let name = format!("client-{}", self.names);
            self.peers.insert(peer, Some(name.clone()));
            let result = json!({"clientId": name});
            return vec![RouterReply { peer, message: success(id, method, "server", &result) }];
        }
        if method == "ide-context"
            && surface.is_attached()
            && let Some(context) =
                message["params"]["workspaceRoot"].as_str().and_then(|root| context(surface, root))
        {
            let result = json!({"ideContext": context});
            return vec![RouterReply { peer, message: success(id, method, OURSELVES, &result) }];
        }
        let others: Vec<u64> = self
            .peers
            .iter()
            .filter(|(other, name)| **other != peer && name.is_some())
            .map(|(other, _)| *other)
            .collect();
        let waiting =
            Waiting { asker: peer, request: message.clone(), undecided: others.clone(), handler: None };
        if others.is_empty() {
            return vec![failed(&waiting, "no-client-found")];
        }
        if self.waiting.len() >= MOST_WAITING {
            self.waiting.pop_first();
        }
        self.last += 1;
        let key = self.last;
        self.waiting.insert(key, waiting);
        let ask = json!({"type": "client-discovery-request", "requestId": format!("discovery-{key}"), "request": message});
        others.into_iter().map(|other| RouterReply { peer: other, message: ask.clone() }).collect()
    }

    fn discovered(&mut self, peer: u64, message: &Value) -> Vec<RouterReply> {
        let key = message["requestId"].as_str().and_then(|id| id.strip_prefix("discovery-")?.parse().ok());
        let Some(key) = key else { return Vec::new() };
        if message["response"]["canHandle"] != true {
            return self.declined(key, peer).into_iter().collect();
        }
        match self.waiting.get_mut(&key) {
            Some(waiting) if waiting.handler.is_none() && waiting.undecided.contains(&peer) => {
                waiting.handler = Some(peer);
                vec![RouterReply { peer, message: waiting.request.clone() }]
            }
            _ => Vec::new(),
        }
    }

    /// A peer does not handle a request; the answer when nobody does.
    fn declined(&mut self, key: u64, peer: u64) -> Option<RouterReply> {
        let waiting = self.waiting.get_mut(&key)?;
        waiting.undecided.retain(|other| *other != peer);
        if waiting.handler.is_some() || !waiting.undecided.is_empty() {
            return None;
        }
        self.waiting.remove(&key).map(|waiting| failed(&waiting, "no-client-found"))
    }

    fn response(&mut self, peer: u64, message: &Value) -> Vec<RouterReply> {
        let answered = self
            .waiting
            .iter()
            .find(|(_, waiting)| {
                waiting.handler == Some(peer) && waiting.request["requestId"] == message["requestId"]
            })
            .map(|(key, _)| *key);
        let waiting = answered.and_then(|key| self.waiting.remove(&key));
        waiting
            .map(|waiting| RouterReply { peer: waiting.asker, message: message.clone() })
            .into_iter()
            .collect()
    }
}

fn success(id: &str, method: &str, by: &str, result: &Value) -> Value {
    json!({"type": "response", "requestId": id, "resultType": "success", "method": method, "handledByClientId": by,
        "result": result})
}

fn failed(waiting: &Waiting, why: &str) -> RouterReply {
    let message = json!({"type": "response", "requestId": waiting.request["requestId"], "resultType": "error",
        "method": waiting.request["method"], "error": why});
    RouterReply { peer: waiting.asker, message }
}

/// The first message of a peer that joins another's socket: it says who the peer is.
pub fn introduction() -> Value {
    json!({"type": "request", "requestId": "introduction", "sourceClientId": "initializing-client", "version": 0,
        "method": "initialize", "params": {"clientType": OURSELVES}})
}

/// The answer of a peer to what the router sends it, if there is one.
pub fn answer(message: &Value, surface: &dyn EditorSurface) -> Option<Value> {
    let handles = |request: &Value| {
        let root =
            request["params"]["workspaceRoot"].as_str().filter(|_| request["method"] == "ide-context")?;
        surface.is_attached().then(|| context(surface, root)).flatten()
    };
    let id = message["requestId"].as_str()?;
    match message["type"].as_str()? {
        "client-discovery-request" => Some(json!({"type": "client-discovery-response", "requestId": id,
            "response": {"canHandle": handles(&message["request"]).is_some()}})),
        "request" => Some(match handles(message) {
            Some(context) => success(id, "ide-context", OURSELVES, &json!({"ideContext": context})),
            None => json!({"type": "response", "requestId": id, "resultType": "error",
                "method": message["method"], "error": "no-client-found"}),
        }),
        _ => None,
    }
}
