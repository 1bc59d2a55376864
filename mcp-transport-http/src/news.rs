//! The client's end of a session's standalone stream: what the server says and asks outside of any call.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError, Weak},
    task::{Poll, Waker},
    time::Duration,
};

use http_body::Body as _;
use mcp_protocol::client::{ClientError, ResponseBody, body_of};

use crate::client::{HttpClient, Inner, Opening};

const FIRST_RETRY: Duration = Duration::from_millis(500);
const LONGEST_RETRY: Duration = Duration::from_secs(30);

/// Ends the reading when the client is gone.
#[derive(Default)]
pub(crate) struct Stop(Mutex<StopState>);

#[derive(Default)]
struct StopState {
    stopped: bool,
    waker: Option<Waker>,
}

impl Stop {
    pub(crate) fn stop(&self) {
        let waker = {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.stopped = true;
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Whether it is over; otherwise the waker is kept.
    fn is_stopped(&self, waker: &Waker) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.waker = Some(waker.clone());
        state.stopped
    }
}

/// Reads the stream as long as the client lives and the server lets it; comes back after breaks, ever more slowly while
/// nothing succeeds.
pub(crate) async fn follow(client: Weak<Inner>, stop: Arc<Stop>, first: Opening) {
    let mut last_id: Option<String> = None;
    let mut wait = FIRST_RETRY;
    let mut opened = body_of(first.await);
    loop {
        match opened {
            Ok(body) => {
                wait = FIRST_RETRY;
                if !read(&client, &stop, body, &mut last_id, &mut wait).await {
                    return;
                }
            }
            // 405: there is none; other refusals will not go away either
            Err(ClientError::Status { status, .. }) if (400..500).contains(&status) => return,
            Err(_) => wait = (wait * 2).min(LONGEST_RETRY),
        }
        let Some(sleep) = client.upgrade().and_then(|inner| inner.runtime.sleep(wait)) else { return };
        sleep.await;
        let Some(inner) = client.upgrade() else { return };
        opened = HttpClient::of(inner).open_news(last_id.as_deref()).await;
    }
}

/// Reads until the stream ends; false when the client is gone.
async fn read(
    client: &Weak<Inner>,
    stop: &Stop,
    mut body: ResponseBody,
    last_id: &mut Option<String>,
    wait: &mut Duration,
) -> bool {
    let Some(mut events) = client.upgrade().map(|inner| HttpClient::of(inner).events()) else { return false };
    loop {
        let frame = poll_fn(|cx| {
            if stop.is_stopped(cx.waker()) {
                return Poll::Ready(None);
            }
            Pin::new(&mut body).poll_frame(cx).map(Some)
        })
        .await;
        let data = match frame {
            None => return false,
            Some(Some(Ok(frame))) => frame.into_data(),
            Some(Some(Err(_)) | None) => return true,
        };
        for event in data.map(|data| events.push(&data)).unwrap_or_default() {
            let Some(inner) = client.upgrade() else { return false };
            let event = match event {
                Ok(event) => event,
                Err(error) => {
                    HttpClient::of(inner).refuse_oversized(&error);
                    continue;
                }
            };
            *wait = event.retry.unwrap_or(*wait);
            last_id.clone_from(&event.id);
            // nobody waits for what a malformed event or a failed answer would have said
            drop(HttpClient::of(inner).take_in_event(event.data).await);
        }
    }
}
