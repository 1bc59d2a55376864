//! The two framings of the protocol, as codecs over bytes: lines, and event streams.

use std::time::Duration;

use bytes::{Buf as _, Bytes, BytesMut};

/// How much of a message that is too long is kept, to find out what it is.
const HEAD: usize = 4 << 10;

/// Cuts a byte stream into lines, whatever its chunks.
///
/// Accepts `\r\n` and a byte order mark at the start. A line longer than the limit is reported once and skipped.
///
/// Spec: 2026-07-28 basic/transports/stdio.
pub struct Lines {
    buffer: BytesMut,
    scanned: usize,
    limit: usize,
    skipping: bool,
    started: bool,
}

/// The result of [`Lines::next_line`].
///
/// Spec: 2026-07-28 basic/transports/stdio.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A line, without its end.
    Text(Bytes),
    /// A line was longer than the limit; it is being skipped. This is its beginning, of at most 4 KiB.
    TooLong(Bytes),
}

impl Lines {
    /// 16 MiB.
    pub const LIMIT: usize = 16 << 20;

    /// Lines of at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { buffer: BytesMut::new(), scanned: 0, limit, skipping: false, started: false }
    }

    /// The buffer to which the next bytes are appended; read straight into it.
    pub fn buffer(&mut self) -> &mut BytesMut {
        &mut self.buffer
    }

    /// Appends bytes that came.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete line.
    pub fn next_line(&mut self) -> Option<Line> {
        loop {
            let Some(at) = memchr::memchr(b'\n', &self.buffer[self.scanned..]).map(|n| n + self.scanned)
            else {
                self.scanned = self.buffer.len();
                if self.skipping {
                    self.buffer.clear();
                    self.scanned = 0;
                } else if self.buffer.len() > self.limit {
                    self.skipping = true;
                    let head = Bytes::copy_from_slice(&self.buffer[..self.limit.min(HEAD)]);
                    return Some(Line::TooLong(head));
                }
                return None;
            };
            let mut line = self.buffer.split_to(at + 1);
            self.scanned = 0;
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            if at > self.limit {
                return Some(Line::TooLong(Bytes::copy_from_slice(&line[..self.limit.min(HEAD)])));
            }
            line.truncate(at);
            return Some(Line::Text(self.clean(line)));
        }
    }

    /// The last line, if the stream ended without a line feed.
    pub fn finish(&mut self) -> Option<Line> {
        self.scanned = 0;
        let rest = self.buffer.split();
        if self.skipping || rest.is_empty() { None } else { Some(Line::Text(self.clean(rest))) }
    }

    fn clean(&mut self, mut line: BytesMut) -> Bytes {
        if line.last() == Some(&b'\r') {
            line.truncate(line.len() - 1);
        }
        if !std::mem::replace(&mut self.started, true) && line.starts_with(b"\xef\xbb\xbf") {
            line.advance(3);
        }
        line.freeze()
    }
}

/// Appends an event of an event stream. `data` must have no line ends; JSON as this crate writes it has none.
///
/// Spec: 2026-07-28 basic/transports/streamable-http; HTML section 9.2.
pub fn write_event(out: &mut Vec<u8>, id: Option<&str>, name: Option<&str>, data: &[u8]) {
    if let Some(name) = name {
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(name.as_bytes());
        out.push(b'\n');
    }
    if let Some(id) = id {
        out.extend_from_slice(b"id: ");
        out.extend_from_slice(id.as_bytes());
        out.push(b'\n');
    }
    out.extend_from_slice(b"data: ");
    out.extend_from_slice(data);
    out.extend_from_slice(b"\n\n");
}

/// One event of an event stream.
///
/// Spec: 2026-07-28 basic/transports/streamable-http; HTML section 9.2.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its name; empty means `message`.
    pub name: String,
    /// Its data, lines joined.
    pub data: String,
    /// The id in force after it, to resume from; `None` if there was none yet.
    pub id: Option<String>,
    /// How long to wait before reconnecting, if it said so.
    pub retry: Option<Duration>,
}

/// An event was longer than the limit of its reader; the reader skips it and goes on with the next one.
///
/// Spec: none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TooLong {
    /// The limit, in bytes.
    pub limit: usize,
    /// The beginning of the event's data, of at most 4 KiB.
    pub head: Bytes,
}

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "An event is longer than {} bytes", self.limit)
    }
}

impl std::error::Error for TooLong {}

/// Reads an event stream, whatever its chunks. It holds at most one event, of at most the limit.
///
/// Spec: 2026-07-28 basic/transports/streamable-http; HTML section 9.2.
pub struct Events {
    limit: usize,
    /// The present event is too long; only its end matters.
    skipping: bool,
    pending: Vec<u8>,
    started: bool,
    after_cr: bool,
    current: Event,
    has_data: bool,
    id: Option<String>,
}

impl Default for Events {
    /// Events of at most [`Events::LIMIT`] bytes.
    fn default() -> Self {
        Self::new(Self::LIMIT)
    }
}

impl Events {
    /// 64 MiB.
    pub const LIMIT: usize = 64 << 20;

    /// Events of at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            skipping: false,
            pending: Vec::new(),
            started: false,
            after_cr: false,
            current: Event::default(),
            has_data: false,
            id: None,
        }
    }

    /// Takes in a chunk and gives the events it completes. An event without data is given too when it carries an id
    /// or a retry time (it primes a stream). An event that is too long is given as an error, once.
    pub fn push(&mut self, chunk: &[u8]) -> Vec<Result<Event, TooLong>> {
        let mut events = Vec::new();
        for byte in chunk {
            let after_cr = std::mem::replace(&mut self.after_cr, *byte == b'\r');
            match byte {
                b'\n' if after_cr => {}
                b'\n' | b'\r' => {
                    let line = std::mem::take(&mut self.pending);
                    if !self.skipping {
                        events.extend(self.line(&line).map(Ok));
                    } else if line.is_empty() {
                        self.skipping = false;
                    }
                }
                // a line that is skipped must only not be empty
                _ if self.skipping && !self.pending.is_empty() => {}
                _ => {
                    self.pending.push(*byte);
                    let held = self.current.data.len() + self.current.name.len();
                    if !self.skipping && self.pending.len() + held > self.limit {
                        events.push(Err(self.skip()));
                    }
                }
            }
        }
        events
    }

    /// Gives up the present event.
    fn skip(&mut self) -> TooLong {
        let Event { data, .. } = std::mem::take(&mut self.current);
        let line = std::mem::replace(&mut self.pending, vec![b'.']);
        let line = line.strip_prefix(b"data:").unwrap_or_default();
        let line = line.strip_prefix(b" ").unwrap_or(line);
        let mut head = data.into_bytes();
        head.truncate(HEAD);
        head.extend_from_slice(&line[..line.len().min(HEAD - head.len())]);
        self.has_data = false;
        self.skipping = true;
        TooLong { limit: self.limit, head: head.into() }
    }

    fn line(&mut self, line: &[u8]) -> Option<Event> {
        let line = String::from_utf8_lossy(line);
        let mut line = &*line;
        if !std::mem::replace(&mut self.started, true) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            let mut event = std::mem::take(&mut self.current);
            let had_data = std::mem::take(&mut self.has_data);
            event.data.pop();
            let primes = event.id.is_some() || event.retry.is_some();
            event.id.clone_from(&self.id);
            return (had_data || primes).then_some(event);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.current.name),
            "data" => {
                self.has_data = true;
                self.current.data.push_str(value);
                self.current.data.push('\n');
            }
            "id" if !value.contains('\0') => {
                self.id = Some(value.to_owned());
                self.current.id = Some(value.to_owned());
            }
            "retry" => {
                self.current.retry = value.parse().ok().map(Duration::from_millis).or(self.current.retry)
            }
            // comments have an empty field name; unknown fields are ignored
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(limit: usize, chunks: &[&[u8]]) -> Vec<String> {
        let mut codec = Lines::new(limit);
        let mut out = Vec::new();
        let mut take = |line| match line {
            Line::Text(t) => out.push(String::from_utf8(t.to_vec()).expect("text")),
            Line::TooLong(head) => out.push(format!("<{} too long>", head.len())),
        };
        for chunk in chunks {
            codec.push(chunk);
            while let Some(line) = codec.next_line() {
                take(line);
            }
        }
        codec.finish().into_iter().for_each(&mut take);
        out
    }

    #[test]
    fn lines_may_end_in_crlf_start_with_a_mark_and_be_too_long() {
        assert_eq!(lines(9, &[b"\xef\xbb\xbfa\r\nb\n\nlast"]), ["a", "b", "", "last"]);
        assert_eq!(
            lines(4, &[b"12345", b"678\nab\n123456\ncd\n"]),
            ["<4 too long>", "ab", "<4 too long>", "cd"]
        );
    }

    #[test]
    fn events_are_read_as_the_standard_says() {
        let mut events = Events::default();
        let got = events.push(b"\xef\xbb\xbf: hello\r\nid: 7\rretry: 500\ndata:\n\nevent: endpoint\ndata: /x\ndata: y\n\nfoo: 1\n\n");
        let first = Event {
            data: String::new(),
            id: Some("7".into()),
            retry: Some(Duration::from_millis(500)),
            ..Event::default()
        };
        let second =
            Event { name: "endpoint".into(), data: "/x\ny".into(), id: Some("7".into()), retry: None };
        assert_eq!(got, [Ok(first), Ok(second)]);
    }

    #[test]
    fn an_event_that_is_too_long_is_reported_once_and_skipped() {
        let data = |text: &str| Event { data: text.to_owned(), ..Event::default() };
        let long = format!("data: ok\n\ndata: {{\ndata: {}\ndata: x\n\ndata: next\n\n", "y".repeat(20));
        for size in [1, 7, 1000] {
            let mut events = Events::new(16);
            let got: Vec<_> = long.as_bytes().chunks(size).flat_map(|chunk| events.push(chunk)).collect();
            let head = Bytes::from_static(b"{\nyyyyyyyyy");
            assert_eq!(got, [Ok(data("ok")), Err(TooLong { limit: 16, head }), Ok(data("next"))], "{size}");
        }
        let mut events = Events::new(1 << 10);
        let mut endless = (0..1 << 10).flat_map(|_| events.push(&[b'z'; 1 << 10]));
        assert!(endless.next().is_some_and(|event| event.is_err()) && endless.next().is_none());
        drop(endless);
        assert!(events.pending.capacity() <= 1 << 11, "what is skipped is not kept");
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter(text in "[ab:\\r\\n]{0,60}", cut in 0usize..60) {
            let bytes = text.as_bytes();
            let cut = cut.min(bytes.len());
            let (a, b) = bytes.split_at(cut);
            prop_assert_eq!(lines(5, &[bytes]), lines(5, &[a, b]));
            let (mut whole, mut parts) = (Events::default(), Events::default());
            let mut got = parts.push(a);
            got.extend(parts.push(b));
            prop_assert_eq!(whole.push(bytes), got);
        }
    }
}
