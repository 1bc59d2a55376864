//! One connection of a server: what is received goes to the core, what the core says is sent.

use std::{
    future::poll_fn,
    task::{Context, Poll},
    time::Duration,
};

use futures_io::{AsyncRead, AsyncWrite};
use mcp_protocol::server::{BoxFuture, Connection, Runtime};

use crate::{
    service::Config,
    socket::{End, Socket},
};

/// With more than this waiting to be sent nothing is read.
const MOST_UNSENT: usize = 256 << 10;
/// The server goes away.
const GOING_AWAY: u16 = 1001;
/// How long the last words may take.
const GRACE: Duration = Duration::from_secs(2);
/// Intervals of silence after which a connection is given up.
const PATIENCE: u32 = 2;

pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    connection: &mut Connection,
    mut socket: Socket<S>,
    config: &Config,
    runtime: Option<&dyn Runtime>,
) {
    let mut liveness = Liveness { runtime, interval: config.ping_interval, sleep: None, silent: 0 };
    let end = poll_fn(|cx| poll(connection, &mut socket, config, &mut liveness, cx)).await;
    connection.close();
    if matches!(end, End::Broken(_)) {
        return;
    }
    let mut grace = runtime.and_then(|runtime| runtime.sleep(GRACE));
    poll_fn(|cx| match socket.poll_end(cx) {
        // a stream that breaks now is no news
        Poll::Ready(_) => Poll::Ready(()),
        Poll::Pending => grace.as_mut().map_or(Poll::Pending, |grace| grace.as_mut().poll(cx)),
    })
    .await;
}

fn poll<S: AsyncRead + AsyncWrite + Unpin>(
    connection: &mut Connection,
    socket: &mut Socket<S>,
    config: &Config,
    liveness: &mut Liveness<'_>,
    cx: &mut Context<'_>,
) -> Poll<End> {
    loop {
        if connection.peer().is_closed() {
            socket.close(GOING_AWAY, "The server shuts down");
            return Poll::Ready(End::Closed(Some(GOING_AWAY)));
        }
        // everything that has come is answered with one write
        let mut waits = false;
        while !waits && socket.unsent_size() + connection.output().len() <= MOST_UNSENT {
            match socket.poll_receive(cx) {
                Poll::Ready(Ok(message)) => connection.receive((config.clock)(), &message),
                Poll::Ready(Err(end)) => return Poll::Ready(end),
                Poll::Pending => waits = true,
            }
        }
        // its readiness says that there is output or the end, and both are looked at anyway
        let _ready: Poll<()> = connection.poll(cx);
        socket.send_lines(connection.output());
        connection.output().clear();
        match socket.poll_flush(cx) {
            Poll::Ready(Err(e)) => return Poll::Ready(End::Broken(e)),
            // there is room again for what was not read
            Poll::Ready(Ok(())) if !waits || connection.peer().is_closed() => {}
            Poll::Ready(Ok(())) | Poll::Pending => {
                return liveness.poll(socket, cx);
            }
        }
    }
}

/// Pings, and gives up on a client of which nothing is heard.
struct Liveness<'r> {
    runtime: Option<&'r dyn Runtime>,
    interval: Duration,
    sleep: Option<BoxFuture<()>>,
    silent: u32,
}

impl Liveness<'_> {
    fn poll<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        socket: &mut Socket<S>,
        cx: &mut Context<'_>,
    ) -> Poll<End> {
        loop {
            if self.sleep.is_none() {
                self.sleep = self.runtime.and_then(|runtime| runtime.sleep(self.interval));
            }
            let Some(sleep) = &mut self.sleep else { return Poll::Pending };
            if sleep.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.sleep = None;
            self.silent = if socket.take_heard() { 0 } else { self.silent + 1 };
            if self.silent >= PATIENCE {
                return Poll::Ready(End::Broken(std::io::ErrorKind::TimedOut.into()));
            }
            socket.ping();
            if let Poll::Ready(Err(e)) = socket.poll_flush(cx) {
                return Poll::Ready(End::Broken(e));
            }
        }
    }
}
