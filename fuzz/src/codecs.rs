//! The framings and the envelope of the protocol.

use bytes::Bytes;
use mcp_protocol::{
    Incoming, Json,
    framing::{Event, Events, Line, Lines, write_event},
};

/// A text that decodes is JSON, and what is not JSON does not decode.
pub(crate) fn envelope(input: &[u8]) {
    let bytes = Bytes::copy_from_slice(input);
    match Incoming::decode(&bytes) {
        Ok(incoming) => {
            let text = std::str::from_utf8(input).expect("a decoded message is text");
            let text = text.strip_prefix('\u{feff}').unwrap_or(text);
            serde_json::from_str::<serde::de::IgnoredAny>(text).expect("a decoded message is JSON");
            assert!(!incoming.is_initialize() || matches!(incoming, Incoming::One(_)));
            assert!(incoming.initialize_version().is_none() || incoming.is_initialize());
        }
        Err(refusal) => assert!(matches!(refusal.error().code, -32700 | -32600)),
    }
    if let Ok(json) =
        std::str::from_utf8(input).map_err(drop).and_then(|text| Json::parse(text).map_err(drop))
    {
        let again = Json::parse(json.as_str()).expect("a value stays one");
        assert_eq!(json, again);
        for key in ["params", "id", ""] {
            if let Some(member) = json.get(key) {
                Json::parse(member.as_str()).expect("a member is a value");
            }
        }
    }
}

const LIMIT: usize = 64;

fn read_lines(chunks: &[&[u8]]) -> Vec<Line> {
    let mut codec = Lines::new(LIMIT);
    let mut lines = Vec::new();
    for chunk in chunks {
        codec.push(chunk);
        lines.extend(std::iter::from_fn(|| codec.next_line()));
    }
    lines.extend(codec.finish());
    lines
}

/// The ends of chunks do not matter, and no line is longer than the limit.
pub(crate) fn lines(input: &[u8]) {
    let (cut, bytes) = input.split_first().unwrap_or((&0, &[]));
    let whole = read_lines(&[bytes]);
    let (a, b) = bytes.split_at(usize::from(*cut).min(bytes.len()));
    assert_eq!(read_lines(&[a, b]), whole);
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(read_lines(&single), whole);
    for line in whole {
        if let Line::Text(text) = line {
            assert!(text.len() <= LIMIT && !text.contains(&b'\n'));
        }
    }
}

fn read_events(chunks: &[&[u8]]) -> Vec<Event> {
    let mut codec = Events::default();
    chunks.iter().flat_map(|chunk| codec.push(chunk)).map(|event| event.expect("short")).collect()
}

/// The ends of chunks do not matter, and written events are read back.
pub(crate) fn events(input: &[u8]) {
    let (cut, bytes) = input.split_first().unwrap_or((&0, &[]));
    let whole = read_events(&[bytes]);
    let (a, b) = bytes.split_at(usize::from(*cut).min(bytes.len()));
    assert_eq!(read_events(&[a, b]), whole);
    for event in &whole {
        if event.data.contains(['\n', '\0']) || event.name.contains('\0') {
            continue;
        }
        let mut written = Vec::new();
        let name = (!event.name.is_empty()).then_some(&*event.name);
        write_event(&mut written, event.id.as_deref(), name, event.data.as_bytes());
        let again = read_events(&[&written]);
        assert_eq!(again.len(), 1);
        assert_eq!((&again[0].name, &again[0].data, &again[0].id), (&event.name, &event.data, &event.id));
    }
}
