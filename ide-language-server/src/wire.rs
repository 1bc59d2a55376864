//! Messages as frames over two streams of bytes.
//!
//! A frame that is no message is answered with an error, and the next one is read: only a broken head ends the connection.

use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::{Connection, ErrorCode, Message};
use serde_json::json;

/// Longest message that is taken.
const MOST_BYTES: usize = 512 << 20;
/// Longest line of a head.
const MOST_HEAD: u64 = 4_096;

/// The threads that carry messages.
pub struct Wires {
    reader: JoinHandle<()>,
    writer: JoinHandle<io::Result<()>>,
}

impl Wires {
    /// Waits until everything is written. The connection must have been dropped. Reading ends with `exit` or with the stream.
    ///
    /// # Errors
    /// When something could not be written.
    pub fn join(self) -> io::Result<()> {
        if self.reader.is_finished() {
            self.reader.join().ok();
        }
        self.writer.join().unwrap_or_else(|_| Err(io::Error::other("the writer failed")))
    }
}

/// Speaks over two streams.
///
/// # Errors
/// When a thread cannot be started.
pub fn over(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<(Connection, Wires)> {
    let output = Arc::new(Mutex::new(output));
    let (from_client, receiver) = unbounded();
    let (sender, to_client) = unbounded();
    let answers = output.clone();
    let reader = std::thread::Builder::new()
        .name("ide-lsp-reader".to_owned())
        .spawn(move || read(input, &from_client, &answers))?;
    let writer = std::thread::Builder::new()
        .name("ide-lsp-writer".to_owned())
        .spawn(move || write(&to_client, &output))?;
    Ok((Connection { sender, receiver }, Wires { reader, writer }))
}

fn read(mut input: impl BufRead, to: &Sender<Message>, answers: &Mutex<impl Write>) {
    // The end of the input, or a head that cannot be read, ends the session: the receiver sees the channel closed.
    while let Ok(Some(bytes)) = frame(&mut input) {
        match serde_json::from_slice::<Message>(&bytes) {
            Ok(message) => {
                let is_last = matches!(&message, Message::Notification(n) if n.method == "exit");
                if to.send(message).is_err() || is_last {
                    return;
                }
            }
            Err(error) => {
                let is_json = serde_json::from_slice::<serde_json::Value>(&bytes).is_ok();
                let code = if is_json { ErrorCode::InvalidRequest } else { ErrorCode::ParseError };
                let message = format!("this is no message: {error}");
                let answer = json!({
                    "jsonrpc": "2.0", "id": null, "error": { "code": code as i32, "message": message }
                });
                let text = answer.to_string();
                let mut out = answers.lock().unwrap_or_else(PoisonError::into_inner);
                let written =
                    write!(out, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| out.flush());
                if written.is_err() {
                    return;
                }
            }
        }
    }
}

fn write(from: &Receiver<Message>, output: &Mutex<impl Write>) -> io::Result<()> {
    for message in from {
        message.write(&mut *output.lock().unwrap_or_else(PoisonError::into_inner))?;
    }
    Ok(())
}

/// The body of the next frame; `None` at the end of the input.
fn frame(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let broken = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut length: Option<usize> = None;
    loop {
        let mut line = Vec::new();
        io::Read::take(&mut *input, MOST_HEAD).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.strip_suffix('\n').ok_or_else(|| broken("a line of the head has no end"))?.trim_end();
        if line.is_empty() && length.is_some() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(|| broken("a line of the head has no name"))?;
        if name.trim().eq_ignore_ascii_case("content-length") {
            let number = value.trim().parse().map_err(|_| broken("the length is no number"))?;
            length = Some(number);
        }
    }
    let length =
        length.filter(|length| *length <= MOST_BYTES).ok_or_else(|| broken("the message is too long"))?;
    let mut body = Vec::new();
    // Memory grows with what comes, not with what is promised.
    let read = io::Read::take(input, length as u64);
    io::Read::read_to_end(&mut io::BufReader::new(read), &mut body)?;
    if body.len() < length { Ok(None) } else { Ok(Some(body)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that can be looked at afterwards.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn framed(text: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    }

    #[test]
    fn what_is_no_message_is_answered_and_passed_over() {
        let input = [
            framed("{ not json"),
            framed("[1, 2]"),
            "content-length: 33\r\nContent-Type: x\r\n\r\n{\"method\": \"one\", \"params\": null}".to_owned(),
            framed("{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}"),
            framed("{\"jsonrpc\":\"2.0\",\"method\":\"never\"}"),
        ]
        .concat();
        let written = Written::default();
        let (connection, wires) = over(io::Cursor::new(input), written.clone()).expect("starts");
        let methods: Vec<String> = connection
            .receiver
            .iter()
            .map(|message| match message {
                Message::Notification(notification) => notification.method,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(methods, ["one", "exit"]);
        drop(connection);
        wires.join().expect("is written");
        let text = String::from_utf8(written.0.lock().unwrap().clone()).expect("is text");
        assert!(text.contains("-32700") && text.contains("-32600"), "{text}");
    }

    #[test]
    fn broken_heads_end_the_input() {
        for input in [
            "Content-Length: x\r\n\r\n{}",
            "Content-Length: 99999999999\r\n\r\n{}",
            "nonsense\r\n\r\n",
            "\r\n\r\n",
        ] {
            assert!(frame(&mut input.as_bytes()).is_err(), "{input}");
        }
        assert_eq!(frame(&mut "Content-Length: 9\r\n\r\n{}".as_bytes()).expect("ends early"), None);
        assert_eq!(frame(&mut "".as_bytes()).expect("ends"), None);
    }
}
