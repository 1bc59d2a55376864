//! Two connected byte streams in memory: for tests, and for a client and a server in one process.

use std::{
    collections::VecDeque,
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use futures_io::{AsyncRead, AsyncWrite};

/// Two streams: what is written to one is read from the other. At most `capacity` bytes wait in each direction; a writer
/// waits for room. A stream that is dropped ends the other's input, and what is then written to the other fails with
/// `BrokenPipe`.
///
/// Spec: none.
#[must_use]
pub fn duplex(capacity: usize) -> (Duplex, Duplex) {
    let (ours, theirs) = (Arc::new(Pipe::new(capacity)), Arc::new(Pipe::new(capacity)));
    let here = Duplex { reader: Reader(Arc::clone(&theirs)), writer: Writer(Arc::clone(&ours)) };
    (here, Duplex { reader: Reader(ours), writer: Writer(theirs) })
}

/// One of two connected streams.
///
/// Spec: none.
#[derive(Debug)]
pub struct Duplex {
    reader: Reader,
    writer: Writer,
}

/// The half that is read from.
///
/// Spec: none.
#[derive(Debug)]
pub struct Reader(Arc<Pipe>);

/// The half that is written to.
///
/// Spec: none.
#[derive(Debug)]
pub struct Writer(Arc<Pipe>);

#[derive(Debug)]
struct Pipe {
    capacity: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    bytes: VecDeque<u8>,
    /// Nothing more will be written.
    is_ended: bool,
    /// Nothing more will be read.
    is_broken: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

impl Duplex {
    /// The halves, for two owners.
    #[must_use]
    pub fn split(self) -> (Reader, Writer) {
        (self.reader, self.writer)
    }
}

impl Pipe {
    fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, then wakes whom that concerns.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> (T, Option<Waker>)) -> T {
        let (value, waker) = change(&mut self.state());
        if let Some(waker) = waker {
            waker.wake();
        }
        value
    }

    fn end(&self) {
        self.change(|state| {
            state.is_ended = true;
            ((), state.reader.take())
        });
    }
}

impl AsyncRead for Reader {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        self.0.change(|state| {
            let n = buf.len().min(state.bytes.len());
            if n == 0 && !state.is_ended && !buf.is_empty() {
                state.reader = Some(cx.waker().clone());
                return (Poll::Pending, None);
            }
            for (to, from) in buf.iter_mut().zip(state.bytes.drain(..n)) {
                *to = from;
            }
            (Poll::Ready(Ok(n)), state.writer.take())
        })
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.change(|state| {
            state.is_broken = true;
            ((), state.writer.take())
        });
    }
}

impl AsyncWrite for Writer {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let capacity = self.0.capacity;
        self.0.change(|state| {
            if state.is_broken || state.is_ended {
                return (Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())), None);
            }
            let n = buf.len().min(capacity.saturating_sub(state.bytes.len()));
            if n == 0 && !buf.is_empty() {
                state.writer = Some(cx.waker().clone());
                return (Poll::Pending, None);
            }
            state.bytes.extend(&buf[..n]);
            (Poll::Ready(Ok(n)), state.reader.take())
        })
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.end();
        Poll::Ready(Ok(()))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl AsyncRead for Duplex {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.reader).poll_read(cx, buf)
    }
}

impl AsyncWrite for Duplex {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.writer).poll_write(cx, buf)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_flush(cx)
    }
    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_close(cx)
    }
}
