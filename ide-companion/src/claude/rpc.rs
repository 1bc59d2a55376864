//! JSON-RPC as this protocol uses it: nothing is ever null in an envelope, ids come back as they were sent, and a batch is
//! answered as one.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

pub(crate) const PARSE_ERROR: i64 = -32700;
pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INVALID_PARAMS: i64 = -32602;

/// The content of one frame.
pub(crate) enum Incoming {
    /// A single message.
    One(Value),
    /// Messages whose answers go into one frame.
    Batch(Vec<Value>),
    /// No message at all: the code and what is wrong.
    Bad(i64, &'static str),
}

/// Most messages of a batch.
const MOST_IN_BATCH: usize = 256;

pub(crate) fn read(text: &str) -> Incoming {
    match serde_json::from_str(text) {
        Ok(Value::Array(messages)) if messages.is_empty() => {
            Incoming::Bad(INVALID_REQUEST, "the batch is empty")
        }
        Ok(Value::Array(messages)) if messages.len() > MOST_IN_BATCH => {
            Incoming::Bad(INVALID_REQUEST, "the batch is too long")
        }
        Ok(Value::Array(messages)) => Incoming::Batch(messages),
        Ok(message) => Incoming::One(message),
        Err(_) => Incoming::Bad(PARSE_ERROR, "the message is not JSON"),
    }
}

pub(crate) fn result(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

pub(crate) fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

pub(crate) fn notification(method: &str, params: Value) -> String {
    let mut message = Map::new();
    message.insert("jsonrpc".to_owned(), "2.0".into());
    message.insert("method".to_owned(), method.into());
    if !params.is_null() {
        message.insert("params".to_owned(), params);
    }
    Value::Object(message).to_string()
}

/// The addressee of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Requester {
    pub(crate) id: Value,
    /// The batch that it came in.
    pub(crate) batch: Option<u64>,
}

/// Answers of batches that are not complete.
#[derive(Default)]
pub(crate) struct Batches {
    last: u64,
    open: BTreeMap<u64, Batch>,
}

struct Batch {
    /// Requests of it that are not answered.
    missing: usize,
    answers: Vec<Value>,
}

impl Batches {
    /// Begins a batch of so many requests.
    pub(crate) fn open(&mut self, requests: usize) -> u64 {
        self.last += 1;
        self.open.insert(self.last, Batch { missing: requests, answers: Vec::new() });
        self.last
    }

    /// Takes an answer, or the lack of one, of a request; the frame to send when there is one.
    pub(crate) fn answer(&mut self, batch: Option<u64>, answer: Option<Value>) -> Option<String> {
        let Some(number) = batch else { return answer.map(|answer| answer.to_string()) };
        let batch = self.open.get_mut(&number)?;
        batch.missing = batch.missing.saturating_sub(1);
        batch.answers.extend(answer);
        if batch.missing > 0 {
            return None;
        }
        let answers = self.open.remove(&number)?.answers;
        (!answers.is_empty()).then(|| Value::Array(answers).to_string())
    }
}
