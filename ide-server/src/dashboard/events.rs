//! Tells a page that something it shows is another now. The page asks for what it shows.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use ide_model::EditorSurface as _;
use mcp_protocol::endpoint::{Body, Chunks, event_stream};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::access::sealed;
use super::api;
use crate::house::House;

/// How often projects are looked at while somebody looks at us.
const LOOK: Duration = Duration::from_millis(1000);
/// Silence after which a comment shows that we are there.
const SILENT_LOOKS: u32 = 15;
/// How long diffs wait for somebody to come back.
const COME_BACK: Duration = Duration::from_secs(60);

/// A page that is open.
struct View(Arc<House>);

impl View {
    fn new(house: Arc<House>) -> Self {
        house.desk().attach();
        Self(house)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        self.0.desk().detach();
        if self.0.desk().is_attached() {
            return;
        }
        let house = Arc::downgrade(&self.0);
        drop(tokio::spawn(async move {
            tokio::time::sleep(COME_BACK).await;
            if let Some(house) = house.upgrade() {
                house.desk().give_up();
            }
        }));
    }
}

struct Events(Receiver<Bytes>);

impl Chunks for Events {
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        self.0.poll_recv(cx)
    }
}

/// The events of one page, for as long as it is open.
pub(super) fn stream(house: &Arc<House>) -> Response<Body> {
    let (sender, receiver) = channel(16);
    drop(tokio::spawn(tell(View::new(house.clone()), sender)));
    sealed(event_stream(Events(receiver)), None)
}

async fn tell(view: View, sender: Sender<Bytes>) {
    let house = view.0.clone();
    let mut desk = house.room().watch();
    let mut calls = house.room().calls();
    let mut looks = tokio::time::interval(LOOK);
    let mut shown = String::new();
    let mut silent = 0;
    let mut ended = house.room().ended();
    if *ended.borrow() {
        return;
    }
    loop {
        let event = tokio::select! {
            () = sender.closed() => return,
            // the page finds the connection cut and tries again
            _ = ended.changed() => return,
            changed = desk.changed() => changed.map(|()| "desk"),
            changed = calls.changed() => changed.map(|()| "calls"),
            _ = looks.tick() => {
                let now = api::projects(&house).to_string();
                silent += 1;
                if now != shown {
                    shown = now;
                    Ok("overview")
                } else if silent >= SILENT_LOOKS {
                    Ok("")
                } else {
                    continue;
                }
            }
        };
        let Ok(event) = event else { return };
        silent = 0;
        let text =
            if event.is_empty() { ": here\n\n".to_owned() } else { format!("event: {event}\ndata: 1\n\n") };
        if sender.send(Bytes::from(text)).await.is_err() {
            return;
        }
    }
}
