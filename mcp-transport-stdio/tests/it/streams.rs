//! The async driver over streams in memory.

use std::{
    future::poll_fn,
    io,
    pin::Pin,
    sync::mpsc::{Sender, channel},
};

use futures_io::{AsyncRead, AsyncWrite};
use mcp_protocol::{Server, framing::Lines};
use mcp_transport_stdio::{Duplex, Options, Reader, Writer, duplex, serve_streams};

use crate::{call, server};

struct Client {
    reader: Reader,
    writer: Writer,
}

impl Client {
    async fn send(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let n = poll_fn(|cx| Pin::new(&mut self.writer).poll_write(cx, rest)).await.expect("read");
            rest = &rest[n..];
        }
    }

    async fn read(&mut self) -> String {
        let mut chunk = vec![0; 64 << 10];
        let n = poll_fn(|cx| Pin::new(&mut self.reader).poll_read(cx, &mut chunk)).await.expect("alive");
        String::from_utf8(chunk[..n].to_vec()).expect("text")
    }
}

fn rig(capacity: usize) -> (Client, Duplex, Server, Sender<&'static str>) {
    let (here, there) = duplex(capacity);
    let (gate, gated) = channel();
    let (reader, writer) = here.split();
    (Client { reader, writer }, there, server(gated), gate)
}

async fn serve(server: &Server, stream: Duplex) -> io::Result<()> {
    let (input, output) = stream.split();
    serve_streams(server, &Options::default(), input, output).await
}

#[tokio::test]
async fn what_came_together_is_answered_together() {
    let (mut client, stream, server, _gate) = rig(64 << 10);
    let talk = async move {
        let all: String = (0..5).map(|n| call(n, "quick")).collect();
        client.send(&all).await;
        assert_eq!(client.read().await.lines().count(), 5);
        drop(client.writer);
        assert_eq!(poll_fn(|cx| Pin::new(&mut client.reader).poll_read(cx, &mut [0])).await.ok(), Some(0));
    };
    let (served, ()) = tokio::join!(serve(&server, stream), talk);
    assert!(served.is_ok());
}

#[tokio::test]
async fn a_blocking_handler_does_not_hold_others_up() {
    let (mut client, stream, server, gate) = rig(64 << 10);
    let talk = async move {
        client.send(&(call(1, "slow") + &call(2, "quick"))).await;
        assert!(client.read().await.contains("\"id\":2"));
        gate.send("opened").expect("waiting");
        let late = client.read().await;
        assert!(late.contains("\"id\":1") && late.contains("opened"), "{late}");
    };
    let (served, ()) = tokio::join!(serve(&server, stream), talk);
    assert!(served.is_ok());
}

#[tokio::test]
async fn a_client_that_does_not_read_is_not_read_from() {
    // as small as a pipe can be: the answers wait in the server, and then so do the requests
    let (mut client, stream, server, _gate) = rig(16);
    let talk = async move {
        for n in 0..64 {
            client.send(&call(n, "quick")).await;
        }
        drop(client.writer);
        let mut codec = Lines::new(Lines::LIMIT);
        let mut answers = 0;
        loop {
            let mut chunk = [0; 16];
            let n =
                poll_fn(|cx| Pin::new(&mut client.reader).poll_read(cx, &mut chunk)).await.expect("alive");
            if n == 0 {
                return answers;
            }
            codec.push(&chunk[..n]);
            answers += std::iter::from_fn(|| codec.next_line()).count();
        }
    };
    let options = Options::default().finish_at_end(true);
    let (input, output) = stream.split();
    let (served, answers) = tokio::join!(serve_streams(&server, &options, input, output), talk);
    assert!(served.is_ok());
    assert_eq!(answers, 64);
}

#[tokio::test]
async fn a_client_that_closed_its_end_is_an_error() {
    let (mut client, stream, server, _gate) = rig(64 << 10);
    let talk = async move {
        client.send(&call(1, "quick")).await;
        drop(client.reader);
    };
    let ((), served) = tokio::join!(talk, serve(&server, stream));
    assert_eq!(served.expect_err("broken").kind(), io::ErrorKind::BrokenPipe);
}
