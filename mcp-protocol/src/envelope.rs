//! One message off the wire: the JSON-RPC envelope, the parameters that the protocol itself reads, and the metadata,
//! all found in a single pass over borrowed bytes. Nothing is copied; what a handler gets is a slice of the message.

use std::borrow::Cow;

use bytes::Bytes;
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{
    error::RpcError,
    json::{Json, text_of},
};

/// A borrowed or owned object key.
struct Key<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(v)))
            }
            fn visit_str<E>(self, v: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(v.to_owned())))
            }
        }
        d.deserialize_str(KeyVisitor)
    }
}

/// Declares a struct of optional members that is decoded from an object. Unknown members are skipped, of a repeated
/// one the last wins (so nothing can be smuggled past a check), and a value that is no object is noted, not refused:
/// which error that is depends on where it stands.
macro_rules! members {
    ($(#[$doc:meta])* $vis:vis struct $name:ident { $($field:ident : $ty:ty = $key:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Default)]
        $vis struct $name<'a> {
            $(pub(crate) $field: Option<$ty>,)*
            pub(crate) not_an_object: bool,
        }
        impl<'de: 'a, 'a> Deserialize<'de> for $name<'a> {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                struct V<'a>(std::marker::PhantomData<&'a ()>);
                impl<'de: 'a, 'a> Visitor<'de> for V<'a> {
                    type Value = $name<'a>;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("an object")
                    }
                    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                        let mut this = $name::default();
                        while let Some(Key(key)) = map.next_key()? {
                            match &*key {
                                $($key => this.$field = Some(map.next_value()?),)*
                                _ => { map.next_value::<IgnoredAny>()?; }
                            }
                        }
                        Ok(this)
                    }
                    fn visit_unit<E>(self) -> Result<Self::Value, E> {
                        Ok($name::default())
                    }
                    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                        while seq.next_element::<IgnoredAny>()?.is_some() {}
                        Ok(no_object())
                    }
                    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> { Ok(no_object()) }
                    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> { Ok(no_object()) }
                    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> { Ok(no_object()) }
                    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> { Ok(no_object()) }
                    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> { Ok(no_object()) }
                }
                fn no_object<'a>() -> $name<'a> {
                    $name { not_an_object: true, ..$name::default() }
                }
                d.deserialize_any(V(std::marker::PhantomData))
            }
        }
    };
}

members! {
    /// The `_meta` of a request.
    pub(crate) struct Meta {
        progress_token: &'a RawValue = "progressToken",
        version: &'a RawValue = "io.modelcontextprotocol/protocolVersion",
        capabilities: &'a RawValue = "io.modelcontextprotocol/clientCapabilities",
        client: &'a RawValue = "io.modelcontextprotocol/clientInfo",
        log_level: &'a RawValue = "io.modelcontextprotocol/logLevel",
        subscription: &'a RawValue = "io.modelcontextprotocol/subscriptionId",
    }
}

members! {
    /// Every parameter that the protocol itself reads, whatever the method.
    pub(crate) struct Params {
        name: &'a RawValue = "name",
        arguments: &'a RawValue = "arguments",
        uri: &'a RawValue = "uri",
        cursor: &'a RawValue = "cursor",
        reference: &'a RawValue = "ref",
        argument: &'a RawValue = "argument",
        context: &'a RawValue = "context",
        level: &'a RawValue = "level",
        version: &'a RawValue = "protocolVersion",
        capabilities: &'a RawValue = "capabilities",
        client: &'a RawValue = "clientInfo",
        request: &'a RawValue = "requestId",
        notifications: &'a RawValue = "notifications",
        input_responses: &'a RawValue = "inputResponses",
        request_state: &'a RawValue = "requestState",
        task: &'a RawValue = "task",
        task_id: &'a RawValue = "taskId",
        progress_token: &'a RawValue = "progressToken",
        progress: &'a RawValue = "progress",
        total: &'a RawValue = "total",
        message: &'a RawValue = "message",
        data: &'a RawValue = "data",
        logger: &'a RawValue = "logger",
        meta: Meta<'a> = "_meta",
    }
}

members! {
    /// The envelope as it stands, before its shape is judged.
    struct Envelope {
        jsonrpc: &'a RawValue = "jsonrpc",
        id: &'a RawValue = "id",
        method: &'a RawValue = "method",
        params: Params<'a> = "params",
        result: &'a RawValue = "result",
        error: &'a RawValue = "error",
    }
}

/// The kind of a decoded message. Its parts borrow the message's bytes.
#[derive(Debug)]
pub(crate) enum Kind<'a> {
    Request { id: &'a RawValue, method: Cow<'a, str> },
    Notification { method: Cow<'a, str> },
    Result { id: &'a RawValue, result: &'a RawValue },
    Error { id: Option<&'a RawValue>, error: &'a RawValue },
}

/// One decoded message. Get it from [`Incoming::decode`](crate::Incoming::decode).
///
/// Spec: 2026-07-28 basic; JSON-RPC 2.0.
#[derive(Debug)]
pub struct Message<'a> {
    pub(crate) bytes: &'a Bytes,
    pub(crate) text: &'a str,
    pub(crate) kind: Kind<'a>,
    pub(crate) params: Params<'a>,
}

/// A message or, in revision 2025-03-26, an array of them.
///
/// Spec: 2026-07-28 basic; 2025-03-26 basic; JSON-RPC 2.0 section 6.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly always One, which lives in one call; a box would cost every message"
)]
pub enum Incoming<'a> {
    /// One message.
    One(Message<'a>),
    /// A batch; an element that is no message carries its own error.
    Batch(Vec<Result<Message<'a>, Refusal<'a>>>),
}

/// A text that is not a message: the error, and the id to answer it under when there is one.
///
/// Spec: 2026-07-28 basic; JSON-RPC 2.0 section 5.1.
#[derive(Debug)]
pub struct Refusal<'a> {
    pub(crate) id: Option<&'a RawValue>,
    pub(crate) error: RpcError,
}

impl<'a> Refusal<'a> {
    /// The JSON-RPC error to answer with.
    #[must_use]
    pub fn error(&self) -> &RpcError {
        &self.error
    }

    fn new(id: Option<&'a RawValue>, message: &str) -> Self {
        Self { id: id.filter(|id| is_id(id)), error: RpcError::invalid_request(message) }
    }
}

/// Strings and integral numbers are ids; `1.0` counts as integral because clients in languages without integers send it.
fn is_id(raw: &RawValue) -> bool {
    raw.get().starts_with('"') || integral(raw.get()).is_some()
}

/// The integer a JSON number stands for, if it stands for one exactly.
pub(crate) fn integral(raw: &str) -> Option<i64> {
    if let Ok(n) = raw.parse::<i64>() {
        return Some(n);
    }
    let float: f64 = serde_json::from_str(raw).ok()?;
    // 2^53: above it a float does not name one integer
    (float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_992.0).then_some({
        #[expect(clippy::cast_possible_truncation, reason = "integral and within 2^53, checked above")]
        let n = float as i64;
        n
    })
}

impl<'a> Incoming<'a> {
    /// Decodes one message or batch.
    ///
    /// # Errors
    /// -32700 for text that is not JSON or not UTF-8, -32600 for JSON that is no JSON-RPC message or an empty array.
    pub fn decode(bytes: &'a Bytes) -> Result<Self, Refusal<'a>> {
        let bad = |e: &dyn std::fmt::Display| Refusal {
            id: None,
            error: RpcError::parse(format!("Parse error: {e}")),
        };
        let text = std::str::from_utf8(bytes).map_err(|e| bad(&e))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if !text.trim_ascii_start().starts_with('[') {
            let envelope: Envelope<'a> = serde_json::from_str(text).map_err(|e| bad(&e))?;
            return Message::judge(bytes, text, envelope).map(Self::One);
        }
        let elements: Vec<&'a RawValue> = serde_json::from_str(text).map_err(|e| bad(&e))?;
        if elements.is_empty() {
            return Err(Refusal::new(None, "A batch must not be empty"));
        }
        let element = |raw: &'a RawValue| {
            let envelope = serde_json::from_str(raw.get()).map_err(|e| bad(&e))?;
            Message::judge(bytes, raw.get(), envelope)
        };
        Ok(Self::Batch(elements.into_iter().map(element).collect()))
    }

    /// Whether the message is a single `initialize` request.
    #[must_use]
    pub fn is_initialize(&self) -> bool {
        matches!(self, Self::One(m) if matches!(&m.kind, Kind::Request { method, .. } if method == "initialize"))
    }

    /// The revision an `initialize` request asks for.
    #[must_use]
    pub fn initialize_version(&self) -> Option<Cow<'a, str>> {
        match self {
            Self::One(m) if self.is_initialize() => text_of(m.params.version?.get()),
            _ => None,
        }
    }

    /// Whether the message carries the per-request metadata of 2026-07-28.
    #[must_use]
    pub fn is_modern(&self) -> bool {
        matches!(self, Self::One(m) if m.params.meta.as_ref().is_some_and(|meta| meta.version.is_some()))
    }
}

impl<'a> Message<'a> {
    fn judge(bytes: &'a Bytes, text: &'a str, e: Envelope<'a>) -> Result<Self, Refusal<'a>> {
        if e.not_an_object {
            return Err(Refusal::new(None, "A message must be an object"));
        }
        if e.jsonrpc.is_none_or(|v| v.get() != "\"2.0\"") {
            return Err(Refusal::new(e.id, "\"jsonrpc\" must be \"2.0\""));
        }
        let kind = match (e.method, e.id, e.result, e.error) {
            (Some(method), id, None, None) => {
                let Some(method) = text_of(method.get()) else {
                    return Err(Refusal::new(id, "\"method\" must be a string"));
                };
                match id {
                    None => Kind::Notification { method },
                    Some(id) if is_id(id) => Kind::Request { id, method },
                    Some(_) => return Err(Refusal::new(None, "\"id\" must be a string or an integer")),
                }
            }
            (None, Some(id), Some(result), None) if is_id(id) => Kind::Result { id, result },
            (None, id, None, Some(error)) => Kind::Error { id: id.filter(|id| is_id(id)), error },
            (_, id, _, _) => {
                return Err(Refusal::new(
                    id,
                    "A message has a method, or exactly one of result and error with an id",
                ));
            }
        };
        Ok(Self { bytes, text, kind, params: e.params.unwrap_or_default() })
    }
}

/// The member `key` of the object in `text`, the last one if it is repeated.
pub(crate) fn member<'a>(text: &'a str, key: &str) -> Option<&'a RawValue> {
    struct Find<'k>(&'k str);
    impl<'de> Visitor<'de> for Find<'_> {
        type Value = Option<&'de RawValue>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = None;
            while let Some(Key(key)) = map.next_key()? {
                if key == self.0 {
                    found = Some(map.next_value()?);
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(found)
        }
    }
    let mut d = serde_json::Deserializer::from_str(text);
    // a value of another shape has no members
    d.deserialize_map(Find(key)).ok().flatten()
}

/// The kind of a message that is too long to be read, as its beginning tells it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// A response to the request of that id.
    Response(i64),
    /// A request with that id.
    Request(Json),
    /// A notification, or a request whose id comes later.
    Call,
    /// It does not tell: any of them.
    Unknown,
}

impl Beginning {
    pub(crate) fn of(head: &[u8]) -> Self {
        let valid = match std::str::from_utf8(head) {
            Ok(text) => text,
            Err(e) => std::str::from_utf8(&head[..e.valid_up_to()]).unwrap_or_default(),
        };
        let (mut id, mut is_response, mut is_call) = (None, false, false);
        let mut rest = valid.trim_start_matches('\u{feff}').trim_ascii_start().strip_prefix('{');
        while let Some((key, after)) = rest.and_then(first_value) {
            match &*text_of(key).unwrap_or_default() {
                "method" => is_call = true,
                "result" | "error" => is_response = true,
                _ => {}
            }
            let value = after.trim_ascii_start().strip_prefix(':').and_then(first_value);
            // a value at the very end may go on
            let Some((value, after)) = value.filter(|(_, after)| !after.is_empty()) else { break };
            if text_of(key).as_deref() == Some("id") {
                id = Some(value);
            }
            rest = after.trim_ascii_start().strip_prefix(',');
        }
        match (id, is_response, is_call) {
            (Some(id), true, false) => integral(id).map_or(Self::Unknown, Self::Response),
            (Some(id), false, true) => Json::parse(id).map_or(Self::Call, Self::Request),
            (None, false, true) => Self::Call,
            _ => Self::Unknown,
        }
    }
}

/// The JSON value at the beginning of a text, and the text after it.
fn first_value(text: &str) -> Option<(&str, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let first = values.next()?.ok()?;
    Some((first.get(), &text[values.byte_offset()..]))
}

/// Every member of the object in `text`, in order.
pub(crate) fn members_of(text: &str) -> Result<Vec<(Cow<'_, str>, &RawValue)>, serde_json::Error> {
    struct All;
    impl<'de> Visitor<'de> for All {
        type Value = Vec<(Cow<'de, str>, &'de RawValue)>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut all = Vec::new();
            while let Some(Key(key)) = map.next_key()? {
                all.push((key, map.next_value().map_err(A::Error::custom)?));
            }
            Ok(all)
        }
    }
    serde_json::Deserializer::from_str(text).deserialize_map(All)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_message_tells_what_it_is() {
        let json = |text: &str| Json::parse(text).expect("a literal");
        for (head, told) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"te"#, Beginning::Response(7)),
            (r#" { "id" : 7 , "error" : {"code""#, Beginning::Response(7)),
            (r#"{"jsonrpc":"2.0","result":{"id":3},"id":12"#, Beginning::Unknown),
            (r#"{"result":{"id":1,"method":"x"#, Beginning::Unknown),
            (r#"{"id":"a","method":"roots/list","params":{"result":1"#, Beginning::Request(json("\"a\""))),
            (r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"id":1"#, Beginning::Call),
            (r#"{"id":7,"jsonrpc":"2.0"#, Beginning::Unknown),
            (r#"[{"id":7,"result":"#, Beginning::Unknown),
            ("", Beginning::Unknown),
        ] {
            assert_eq!(Beginning::of(head.as_bytes()), told, "{head}");
        }
        assert_eq!(Beginning::of(b"{\"id\":7,\"result\":\"\xc3"), Beginning::Response(7));
    }

    fn code(text: &'static str) -> i64 {
        let bytes = Bytes::from_static(text.as_bytes());
        Incoming::decode(&bytes).expect_err("refused").error.code
    }

    #[test]
    fn shapes_that_are_no_message_are_named() {
        assert_eq!(code("{"), -32700);
        assert_eq!(code("[]"), -32600);
        assert_eq!(code("1"), -32600);
        assert_eq!(code(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#), -32600);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#), -32600);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#), -32600);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"method":7}"#), -32600);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#), -32600);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1}"#), -32600);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"method":"a"} x"#), -32700);
    }

    #[test]
    fn the_last_of_repeated_members_counts() {
        let bytes = Bytes::from_static(br#"{"jsonrpc":"2.0","id":1.0,"method":"a","method":"tools\/call","params":{"name":"x","name":"y"}}"#);
        let Ok(Incoming::One(m)) = Incoming::decode(&bytes) else { panic!("a message") };
        let Kind::Request { id, method } = &m.kind else { panic!("a request") };
        assert_eq!((id.get(), &**method), ("1.0", "tools/call"));
        assert_eq!(m.params.name.expect("a name").get(), "\"y\"");
    }
}
