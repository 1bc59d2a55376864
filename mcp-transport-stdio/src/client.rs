//! The client's end of a pair of blocking streams: one thread reads, one writes, and both end with the connection.

use std::{
    io::{self, Read, Write},
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

use mcp_protocol::{
    client::{ClientError, ClientOptions, Connection, Transport, Wire},
    framing::{Line, Lines},
    server::BoxFuture,
};

/// The way to a server over its output and input: those of a child process, mostly. Starting the server is the caller's
/// business, and so is its standard error.
///
/// [`ClientBuilder::connect`](mcp_protocol::client::ClientBuilder::connect) takes it; [`drive_client`] moves the messages.
///
/// Spec: 2026-07-28 basic/transports/stdio.
pub struct StdioTransport<R, W> {
    input: R,
    output: W,
    patience: Option<BoxFuture<()>>,
}

impl<R: Read + Send + 'static, W: Write + Send + 'static> StdioTransport<R, W> {
    /// A server whose output is `input`, and whose input is `output`.
    pub fn new(input: R, output: W) -> Self {
        Self { input, output, patience: None }
    }

    /// Sets how long the server may be silent before it is taken for one from before 2026-07-28: until `patience` is
    /// ready, a sleep of the runtime. Default: for ever.
    #[must_use]
    pub fn patience(mut self, patience: impl Future<Output = ()> + Send + 'static) -> Self {
        self.patience = Some(Box::pin(patience));
        self
    }
}

impl<R: Read + Send + 'static, W: Write + Send + 'static> Transport for StdioTransport<R, W> {
    type Client = Connection;

    async fn connect(self, options: ClientOptions) -> Result<Connection, ClientError> {
        let (connection, wire) = Connection::new(options);
        drive_client(wire, self.input, self.output).map_err(|e| ClientError::Transport(e.into()))?;
        connection.negotiate(self.patience).await?;
        Ok(connection)
    }
}

/// Moves a client's messages over the server's output and input ("stdio" in the specification): those of a child
/// process, mostly. Starting the server is the caller's business, and so is its standard error.
///
/// The server's input is closed when the [connection](mcp_protocol::client::Connection) is closed or its last user
/// dropped; a server then ends by itself, or has to be ended.
///
/// Spec: 2026-07-28 basic/transports/stdio.
///
/// # Errors
/// When there is no thread to be had.
pub fn drive_client(
    wire: Wire,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let wire = Arc::new(wire);
    let reading = Arc::clone(&wire);
    thread::Builder::new().name("mcp-client-read".into()).spawn(move || read(&reading, input))?;
    thread::Builder::new().name("mcp-client-write".into()).spawn(move || write(&wire, output))?;
    Ok(())
}

fn read(wire: &Wire, mut input: impl Read) {
    let mut lines = Lines::new(wire.max_message_size());
    let mut chunk = vec![0; 64 << 10];
    let why = loop {
        match input.read(&mut chunk) {
            Ok(0) => break "The server closed its output".to_owned(),
            Ok(n) => lines.push(&chunk[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => break format!("The server's output cannot be read: {e}"),
        }
        while let Some(line) = lines.next_line() {
            take(wire, line);
        }
    };
    if let Some(line) = lines.finish() {
        take(wire, line);
    }
    wire.close(&why);
}

fn take(wire: &Wire, line: Line) {
    match line {
        Line::Text(text) => wire.receive(&text),
        Line::TooLong(head) => wire.refuse_oversized(&head),
    }
}

/// Wakes the writing thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn write(wire: &Wire, mut output: impl Write) {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = Context::from_waker(&waker);
    loop {
        match wire.poll_output(&mut cx) {
            Poll::Pending => thread::park(),
            Poll::Ready(None) => return,
            Poll::Ready(Some(bytes)) => {
                if let Err(e) = output.write_all(&bytes).and_then(|()| output.flush()) {
                    return wire.close(&format!("The server's input cannot be written: {e}"));
                }
            }
        }
    }
}
