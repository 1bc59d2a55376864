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
use crate::app_state::AppState;

/// How often projects and open files are looked at while somebody looks at us.
const LOOK: Duration = Duration::from_millis(1000);
/// Silence after which a comment shows that we are there.
const SILENT_LOOKS: u32 = 15;
/// How long diffs wait for somebody to come back.
const COME_BACK: Duration = Duration::from_secs(60);

/// A page that is open.
struct View(Arc<AppState>);

impl View {
    fn new(app: Arc<AppState>) -> Self {
        app.hosted_surface().attach();
        Self(app)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        self.0.hosted_surface().detach();
        if self.0.hosted_surface().is_attached() {
            return;
        }
        let app = Arc::downgrade(&self.0);
        drop(tokio::spawn(async move {
            tokio::time::sleep(COME_BACK).await;
            if let Some(app) = app.upgrade() {
                app.hosted_surface().give_up();
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
pub(super) fn stream(app: &Arc<AppState>) -> Response<Body> {
    let (sender, receiver) = channel(16);
    drop(tokio::spawn(tell(View::new(app.clone()), sender)));
    sealed(event_stream(Events(receiver)), None)
}

async fn tell(view: View, sender: Sender<Bytes>) {
    let app = view.0.clone();
    let mut surface = app.editor().watch();
    let mut calls = app.editor().calls();
    let mut looks = tokio::time::interval(LOOK);
    let mut shown = String::new();
    let mut silent = 0;
    let mut ended = app.editor().ended();
    if *ended.borrow() {
        return;
    }
    loop {
        let event = tokio::select! {
            () = sender.closed() => return,
            // the page finds the connection cut and tries again
            _ = ended.changed() => return,
            changed = surface.changed() => changed.map(|()| "surface"),
            changed = calls.changed() => changed.map(|()| "calls"),
            _ = looks.tick() => {
                app.editor().look_at_files(app.hosted_surface());
                let now = api::projects(&app).to_string();
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
