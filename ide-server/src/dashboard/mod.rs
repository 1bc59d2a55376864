//! The web dashboard: a page on which a person sees what agents ask and do, and which is their editor.
//!
//! It is served on the port of the server, below `/dashboard`: the page and its files from this program, what it shows
//! over [`api`], that something changed over [`events`]. [`access`] decides who is let in.

mod access;
mod agents;
mod api;
mod editor;
mod events;
mod review;

use std::sync::Arc;

use http::header::{CACHE_CONTROL, CONTENT_ENCODING, SET_COOKIE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use mcp_protocol::endpoint::{Body, response};
use serde_json::json;

use crate::app_state::AppState;
#[cfg(feature = "cli")]
pub(crate) use access::file_of;
use access::{Access, answer, refused, sealed};
pub(crate) use editor::DashboardEditor;

/// The path of the page.
pub(crate) const PATH: &str = "/dashboard";
/// Most bytes of a request of the page: a file that was edited, and its escapes.
const LONGEST: usize = 32 << 20;

const PAGE: &str = include_str!("assets/index.html");
/// The largest file of the page, compressed also on its way to the browser. It is part of the program or shipped with it.
const VIEWER: &str = "/dashboard/viewer.min.js";
#[cfg(feature = "bundled-libraries")]
const BUNDLED_VIEWER: Option<&[u8]> = Some(include_bytes!("assets/viewer.min.js.gz"));
#[cfg(not(feature = "bundled-libraries"))]
const BUNDLED_VIEWER: Option<&[u8]> = None;
/// Everything that the page loads, with its type.
static ASSETS: [(&str, &str, &[u8]); 10] = [
    ("/dashboard/agents.js", "text/javascript", include_bytes!("assets/agents.js")),
    ("/dashboard/app.js", "text/javascript", include_bytes!("assets/app.js")),
    ("/dashboard/editor.js", "text/javascript", include_bytes!("assets/editor.js")),
    ("/dashboard/calls.js", "text/javascript", include_bytes!("assets/calls.js")),
    ("/dashboard/parts.js", "text/javascript", include_bytes!("assets/parts.js")),
    ("/dashboard/review.js", "text/javascript", include_bytes!("assets/review.js")),
    ("/dashboard/lib.js", "text/javascript", include_bytes!("assets/lib.js")),
    ("/dashboard/app.css", "text/css", include_bytes!("assets/app.css")),
    ("/dashboard/viewer.LICENSE.txt", "text/plain", include_bytes!("assets/viewer.LICENSE.txt")),
    ("/dashboard/icon.svg", "image/svg+xml", include_bytes!("assets/icon.svg")),
];

/// The dashboard of a server.
pub(crate) struct Dashboard {
    app: Arc<AppState>,
    access: Access,
    address: String,
}

impl Dashboard {
    /// For a server that listens at an address.
    ///
    /// # Errors
    /// When there is no randomness.
    pub(crate) fn new(app: Arc<AppState>, address: std::net::SocketAddr) -> std::io::Result<Self> {
        let access = Access::new(address.port(), app.config().state_dir.as_deref())?;
        app.editor().watch_calls(&app);
        Ok(Self { app, access, address: address.to_string() })
    }

    /// An address that lets one browser in, once.
    ///
    /// # Errors
    /// When there is no randomness.
    pub(crate) fn link(&self) -> std::io::Result<String> {
        Ok(format!("http://{}{}", self.address, self.access.link()?))
    }

    /// Answers a request below [`PATH`].
    pub(crate) async fn handle(&self, request: Request<Incoming>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let path = parts.uri.path();
        if path == "/dashboard/link" && self.access.is_command(&parts.headers) {
            return match self.link() {
                Ok(url) => answer(StatusCode::OK, &json!({"url": url})),
                Err(error) => refused(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
            };
        }
        if !self.access.is_own(&parts) {
            return refused(StatusCode::FORBIDDEN, "only the dashboard's own page is answered");
        }
        if path == "/dashboard/login" && parts.method == Method::GET {
            return self.log_in(parts.uri.query().unwrap_or_default());
        }
        if !self.access.knows(&parts.headers) {
            return page(StatusCode::UNAUTHORIZED, LOCKED);
        }
        match (&parts.method, path) {
            (&Method::GET, "/dashboard") => to_page(None),
            (&Method::GET, "/dashboard/") => main_page(),
            (&Method::GET, "/dashboard/events") => events::stream(&self.app),
            (&Method::GET, VIEWER) => self.viewer(),
            (&Method::GET, _) => asset(path),
            (&Method::POST, _) => {
                let Some(name) = path.strip_prefix("/dashboard/api/") else {
                    return refused(StatusCode::NOT_FOUND, "there is nothing here");
                };
                let is_json =
                    parts.headers.get("content-type").is_some_and(|kind| kind == "application/json");
                if !is_json {
                    return refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body must be JSON");
                }
                let Ok(body) = Limited::new(body, LONGEST).collect().await else {
                    return refused(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long");
                };
                let Ok(args) = serde_json::from_slice(&body.to_bytes()) else {
                    return refused(StatusCode::BAD_REQUEST, "the body is no JSON");
                };
                let (app, name, address) = (self.app.clone(), name.to_owned(), self.address.clone());
                let done = tokio::task::spawn_blocking(move || api::run(&app, &address, &name, &args)).await;
                match done {
                    Ok(Ok(value)) => answer(StatusCode::OK, &value),
                    Ok(Err(why)) => refused(StatusCode::BAD_REQUEST, &why),
                    Err(_) => refused(StatusCode::INTERNAL_SERVER_ERROR, "the server's log says more"),
                }
            }
            _ => refused(StatusCode::METHOD_NOT_ALLOWED, "GET and POST are answered"),
        }
    }

    fn viewer(&self) -> Response<Body> {
        let beside = || std::fs::read(self.app.assets_dir()?.join("viewer.min.js.gz")).ok();
        let Some(body) = BUNDLED_VIEWER.map(Body::whole).or_else(|| beside().map(Body::whole)) else {
            return refused(StatusCode::NOT_FOUND, "the viewer of code is not installed");
        };
        let mut response = cached("text/javascript", body);
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        response
    }

    fn log_in(&self, query: &str) -> Response<Body> {
        let key = query.split('&').find_map(|pair| pair.strip_prefix("key=")).unwrap_or_default();
        match self.access.log_in(key) {
            Some(cookie) => to_page(Some(cookie)),
            None => page(StatusCode::FORBIDDEN, USED),
        }
    }
}

const LOCKED: &str = "This page is for the person who runs the server. Run <code>ide-index-mcp dashboard</code> in a \
    terminal and open the address that it prints.";
const USED: &str =
    "This link was used already or is none of ours. Run <code>ide-index-mcp dashboard</code> for another.";

/// Leads to the page. A redirect would be part of the navigation from wherever the link was, without the cookie.
fn to_page(cookie: Option<HeaderValue>) -> Response<Body> {
    let text = "<!doctype html><meta charset=utf-8><title>MCP Server</title>\
        <meta http-equiv=refresh content=\"0;url=/dashboard/\"><p><a href=\"/dashboard/\">MCP Server</a>";
    let mut response = sealed(response(StatusCode::OK, "text/html; charset=utf-8", Body::whole(text)), None);
    response.headers_mut().extend(cookie.map(|cookie| (SET_COOKIE, cookie)));
    response
}

fn page(status: StatusCode, text: &str) -> Response<Body> {
    let text = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <title>MCP Server</title><main><h1>MCP Server</h1><p>{text}</main></html>"
    );
    sealed(response(status, "text/html; charset=utf-8", Body::whole(text)), None)
}

fn main_page() -> Response<Body> {
    let Ok(nonce) = access::secret() else {
        return refused(StatusCode::INTERNAL_SERVER_ERROR, "there is no randomness");
    };
    let text = PAGE.replace("{{nonce}}", &nonce);
    sealed(response(StatusCode::OK, "text/html; charset=utf-8", Body::whole(text)), Some(&nonce))
}

fn asset(path: &str) -> Response<Body> {
    let Some((_, kind, bytes)) = ASSETS.iter().find(|(name, ..)| *name == path) else {
        return refused(StatusCode::NOT_FOUND, "there is nothing here");
    };
    cached(kind, Body::whole(*bytes))
}

/// The browser asks each time whether it is still the same.
fn cached(kind: &'static str, body: Body) -> Response<Body> {
    let mut response = sealed(response(StatusCode::OK, kind, body), None);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
