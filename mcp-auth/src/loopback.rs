//! The way back from the browser to a program on the user's machine: a listener on a loopback port (RFC 8252 section
//! 7.3), open as long as the program.

use std::{convert::Infallible, io, sync::Arc};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use mcp_protocol::client::BoxError;
use mcp_protocol::server::BoxFuture;
use mcp_transport_http::serve;
use tokio::{
    net::TcpListener,
    sync::{Mutex, mpsc, oneshot},
};

use crate::code::UserAgent;

/// The page that the user sees at the end.
const PAGE: &str = "<!doctype html><title>Done</title><p>You may close this page and go back to the program.";

/// Opens an address in the user's browser.
type Open = dyn Fn(&str) -> Result<(), BoxError> + Send + Sync;

/// Sends the user to the browser and waits on a loopback port for them to come back. Use it inside a tokio runtime.
///
/// Spec: 2026-07-28 basic/authorization; RFC 8252 section 7.3.
pub struct Loopback {
    redirect_uri: String,
    open: Box<Open>,
    back: Arc<Mutex<mpsc::Receiver<String>>>,
    _stop: oneshot::Sender<Infallible>,
}

impl Loopback {
    /// Listens on a free port of 127.0.0.1. `open` shows an address to the user: in a browser, or as a line to click on.
    ///
    /// # Errors
    /// When there is no port.
    pub async fn bind(
        open: impl Fn(&str) -> Result<(), BoxError> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let origin = format!("http://{}", listener.local_addr()?);
        let (said, back) = mpsc::channel(1);
        let (stop, stopped) = oneshot::channel::<Infallible>();
        let here = origin.clone();
        let service = move |request: Request<hyper::body::Incoming>| {
            let (said, uri) = (said.clone(), request.uri().clone());
            let address = format!("{here}{uri}");
            async move {
                let is_answer = uri.path() == PATH && uri.query().is_some();
                // without a place nobody waits: the browser asked twice
                let (status, page) = if is_answer && said.try_send(address).is_ok() {
                    (StatusCode::OK, PAGE)
                } else {
                    (StatusCode::NOT_FOUND, "")
                };
                let mut response = Response::new(Full::new(Bytes::from_static(page.as_bytes())));
                *response.status_mut() = status;
                let html = http::HeaderValue::from_static("text/html; charset=utf-8");
                response.headers_mut().insert(http::header::CONTENT_TYPE, html);
                response
            }
        };
        drop(tokio::spawn(serve(listener, service, async move {
            // it can only end by the sender's being dropped
            drop(stopped.await);
        })));
        let redirect_uri = format!("{origin}{PATH}");
        Ok(Self { redirect_uri, open: Box::new(open), back: Arc::new(Mutex::new(back)), _stop: stop })
    }
}

const PATH: &str = "/callback";

impl UserAgent for Loopback {
    fn redirect_uri(&self) -> String {
        self.redirect_uri.clone()
    }

    fn authorize(&self, url: String) -> BoxFuture<Result<String, BoxError>> {
        let back = Arc::clone(&self.back);
        let opened = (self.open)(&url);
        Box::pin(async move {
            opened?;
            back.lock().await.recv().await.ok_or_else(|| "the listener is gone".into())
        })
    }
}
