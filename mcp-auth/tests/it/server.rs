//! The answers of a protected server to requests with and without tokens.

use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use mcp_auth::{Challenge, ProtectedResource, ResourceServer, VerifiedToken, principal};
use mcp_protocol::{Server, UnixMillis, endpoint::Admission, model::Implementation, server::BoxFuture};
use mcp_transport_http::{Config, StreamableHttp};

const RESOURCE: &str = "https://mcp.example/public/mcp";

fn guard() -> ResourceServer {
    let metadata = ProtectedResource::new(RESOURCE, vec!["https://as.example".to_owned()])
        .with_scopes(vec!["read".to_owned()]);
    let verify = |token: &str| -> BoxFuture<_> {
        let verified = |audience: &str, expires_at| {
            VerifiedToken::new("ann", vec![audience.to_owned()])
                .with_scopes(vec!["read".to_owned()])
                .with_expiry(expires_at)
        };
        let found = match token {
            "good" => Ok(Some(verified(RESOURCE, Some(UnixMillis(11))))),
            "old" => Ok(Some(verified(RESOURCE, Some(UnixMillis(10))))),
            "foreign" => Ok(Some(verified("https://other.example", None))),
            "broken" => Err("the database is gone".into()),
            _ => Ok(None),
        };
        Box::pin(std::future::ready(found))
    };
    let scopes = |method: &str, name: Option<&str>| match (method, name) {
        ("tools/call", Some("write")) => vec!["read".to_owned(), "write".to_owned()],
        _ => Vec::new(),
    };
    let guard = ResourceServer::builder(metadata, verify).scopes_for(scopes).max_body_size(1000);
    guard.clock(|| UnixMillis(10)).build().expect("valid")
}

async fn send(request: Request<Full<Bytes>>) -> Response<Bytes> {
    let server = Server::builder(Implementation::new("s", "1")).build().expect("valid");
    let service = StreamableHttp::new(
        server,
        Config::default().sessions(false).admission(Admission::default().authorize(principal)),
    );
    let response = guard().handle(request, |request| async move { service.handle(request).await }).await;
    let (parts, body) = response.into_parts();
    Response::from_parts(parts, body.collect().await.expect("a body").to_bytes())
}

async fn post(authorization: &[&str], body: &str) -> Response<Bytes> {
    let mut request = Request::post("/public/mcp").header(header::CONTENT_TYPE, "application/json");
    for value in authorization {
        request = request.header(header::AUTHORIZATION, *value);
    }
    send(request.body(Full::new(Bytes::copy_from_slice(body.as_bytes()))).expect("valid")).await
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[tokio::test]
async fn the_metadata_are_where_clients_look_first() {
    let path = "/.well-known/oauth-protected-resource/public/mcp";
    assert_eq!(guard().metadata_path(), path);
    let response = send(Request::get(path).body(Full::default()).expect("valid")).await;
    assert_eq!(response.status(), StatusCode::OK);
    let read: ProtectedResource = serde_json::from_slice(response.body()).expect("metadata");
    assert_eq!(
        (read.resource.as_str(), read.bearer_methods_supported),
        (RESOURCE, vec!["header".to_owned()])
    );
}

#[tokio::test]
async fn only_a_good_token_is_let_in() {
    for (authorization, status) in [
        (&["Bearer good"][..], 200),
        (&["bearer good"], 200),
        (&[], 401),
        (&["Bearer old"], 401),
        (&["Bearer foreign"], 401),
        (&["Bearer unknown"], 401),
        (&["Basic good"], 401),
        (&["Bearer"], 400),
        (&["Bearer a b"], 400),
        (&["Bearer good", "Bearer good"], 400),
        (&["Bearer broken"], 503),
    ] {
        assert_eq!(post(authorization, PING).await.status(), status, "{authorization:?}");
    }
    let query = Request::post("/public/mcp?access_token=good").body(Full::default()).expect("valid");
    assert_eq!(send(query).await.status(), 401);
}

#[tokio::test]
async fn a_refusal_says_what_is_needed() {
    let challenge = |response: &Response<Bytes>| Challenge::find(response.headers()).expect("a challenge");
    let missing = challenge(&post(&[], PING).await);
    assert_eq!(
        missing.resource_metadata.as_deref(),
        Some("https://mcp.example/.well-known/oauth-protected-resource/public/mcp")
    );
    assert_eq!((missing.error, missing.scopes), (None, vec!["read".to_owned()]));
    assert_eq!(challenge(&post(&["Bearer old"], PING).await).error.as_deref(), Some("invalid_token"));

    let call = |name: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}"}}}}"#)
    };
    assert_ne!(post(&["Bearer good"], &call("look")).await.status(), 403);
    for body in [call("write"), format!("[{},{}]", call("look"), call("write"))] {
        let response = post(&["Bearer good"], &body).await;
        assert_eq!(response.status(), 403);
        let more = challenge(&response);
        assert_eq!(more.error.as_deref(), Some("insufficient_scope"));
        assert_eq!(more.scopes, ["read", "write"]);
    }
    assert_eq!(post(&["Bearer good"], &call(&"x".repeat(1000))).await.status(), 413);
}

#[tokio::test]
async fn strangers_are_turned_away_before_their_token_is_looked_at() {
    for (name, value, status) in [
        ("host", "evil.example", 403),
        ("origin", "https://evil.example", 403),
        ("host", "mcp.example", 401),
        ("host", "localhost:7", 401),
        ("origin", "http://localhost:7", 401),
    ] {
        let request = Request::post("/public/mcp").header(name, value).body(Full::default()).expect("valid");
        assert_eq!(send(request).await.status(), status, "{name}: {value}");
    }
}
