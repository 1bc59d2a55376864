//! An authorization server that consents at once, and the MCP server that it protects, each on a port of its own. It
//! checks what a real one checks: registrations, redirect addresses, PKCE, the client's proof, refresh tokens.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use mcp_auth::{OAuth, ProtectedResource, ResourceServer, UserAgent, VerifiedToken, VerifyToken, principal};
use mcp_protocol::client::{BoxError, ClientError};
use mcp_protocol::{
    Json, Server,
    client::ClientBuilder,
    endpoint::Admission,
    model::{CallToolResult, Implementation, Tool},
    server::BoxFuture,
};
use mcp_transport_http::{Config, HttpClient, HttpTransport, Hyper, SendHttp, StreamableHttp, Tokio, serve};
use oauth2::url::{Url, form_urlencoded};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::oneshot};

/// The requests that the authorization server received, in order: the kind, and the parameters.
pub(crate) type Asked = Vec<(&'static str, Value)>;

#[derive(Default)]
pub(crate) struct State {
    pub(crate) asked: Asked,
    /// Overrides members of the metadata; `null` removes one.
    pub(crate) metadata: Value,
    /// How long tokens are good for, in seconds.
    pub(crate) lifetime: u64,
    /// Codes by their challenge and scopes, used once.
    codes: BTreeMap<String, (String, String)>,
    /// Valid tokens and their scopes.
    pub(crate) tokens: BTreeMap<String, String>,
    pub(crate) refresh_tokens: BTreeMap<String, String>,
    clients: BTreeMap<String, Value>,
    /// The public key of clients that prove themselves with one.
    pub(crate) key: Option<p256::ecdsa::VerifyingKey>,
    issued: usize,
}

/// Both servers; they end when it is dropped.
pub(crate) struct World {
    pub(crate) state: Arc<Mutex<State>>,
    pub(crate) issuer: String,
    pub(crate) mcp: String,
    pub(crate) consents: Arc<AtomicUsize>,
    _stop: [oneshot::Sender<Infallible>; 2],
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().expect("no panic")
}

async fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let origin = format!("http://{}", listener.local_addr().expect("an address"));
    (listener, origin)
}

impl World {
    pub(crate) async fn start() -> Self {
        let state = Arc::new(Mutex::new(State { lifetime: 3600, ..State::default() }));
        let (authority, issuer) = listener().await;
        let (protected, origin) = listener().await;
        let (stop_authority, stopped) = oneshot::channel::<Infallible>();
        let (here, shared) = (issuer.clone(), Arc::clone(&state));
        let service = move |request: Request<hyper::body::Incoming>| {
            let (here, shared) = (here.clone(), Arc::clone(&shared));
            async move {
                let (parts, body) = request.into_parts();
                let body = body.collect().await.expect("a body").to_bytes();
                answer(&here, &mut lock(&shared), &parts, &body)
            }
        };
        drop(tokio::spawn(serve(authority, service, async move { drop(stopped.await) })));

        let mcp = format!("{origin}/mcp");
        let guard = guard(&mcp, &issuer, Arc::clone(&state));
        let service = StreamableHttp::new(
            echo(),
            Config::default().admission(Admission::default().authorize(principal)),
        );
        let (stop_protected, stopped) = oneshot::channel::<Infallible>();
        let handle = move |request: Request<hyper::body::Incoming>| {
            let service = service.clone();
            guard.handle(request, move |request| async move { service.handle(request).await })
        };
        drop(tokio::spawn(serve(protected, handle, async move { drop(stopped.await) })));
        Self { state, issuer, mcp, consents: Arc::default(), _stop: [stop_authority, stop_protected] }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// The requests by kind.
    pub(crate) fn asked(&self) -> Vec<&'static str> {
        self.state().asked.iter().map(|(kind, _)| *kind).collect()
    }

    /// A parameter of every request of that kind.
    pub(crate) fn parameters(&self, kind: &str, name: &str) -> Vec<String> {
        let text = |v: &Value| v[name].as_str().unwrap_or("–").to_owned();
        self.state().asked.iter().filter(|(k, _)| *k == kind).map(|(_, v)| text(v)).collect()
    }

    pub(crate) fn user(&self) -> User {
        User(Arc::clone(&self.consents))
    }

    /// A client that authorizes itself so.
    pub(crate) async fn connect(&self, oauth: OAuth) -> Result<HttpClient, ClientError> {
        let uri = self.mcp.parse().expect("an address");
        let transport = HttpTransport::new(oauth.wrap(Hyper::default()), uri, Tokio::current());
        ClientBuilder::new(Implementation::new("c", "1")).connect(transport).await
    }
}

fn echo() -> Server {
    let any = Json::parse(r#"{"type":"object"}"#).expect("a literal");
    Server::builder(Implementation::new("s", "1"))
        .tool_inline(Tool::new("whoami", "Who is asking.", any.clone()), |cx, _| {
            Ok(CallToolResult::text(cx.principal().unwrap_or("nobody")))
        })
        .tool_inline(Tool::new("admin", "Needs more.", any), |_, _| Ok(CallToolResult::text("done")))
        .build()
        .expect("valid")
}

fn guard(mcp: &str, issuer: &str, state: Arc<Mutex<State>>) -> ResourceServer {
    let metadata = ProtectedResource::new(mcp, vec![issuer.to_owned()]).with_scopes(vec!["basic".to_owned()]);
    let scopes = |method: &str, name: Option<&str>| match (method, name) {
        ("tools/call", Some("admin")) => vec!["admin".to_owned()],
        ("tools/call", _) => vec!["basic".to_owned()],
        _ => Vec::new(),
    };
    ResourceServer::builder(metadata, Introspection(state, mcp.to_owned()))
        .scopes_for(scopes)
        .build()
        .expect("valid")
}

/// Asks the authorization server what it issued.
struct Introspection(Arc<Mutex<State>>, String);

impl VerifyToken for Introspection {
    fn verify(&self, token: &str) -> BoxFuture<Result<Option<VerifiedToken>, BoxError>> {
        let scopes = lock(&self.0).tokens.get(token).cloned();
        let verified = scopes.map(|scopes| {
            VerifiedToken::new("ann", vec![self.1.clone()])
                .with_scopes(scopes.split_ascii_whitespace().map(str::to_owned).collect())
        });
        Box::pin(std::future::ready(Ok(verified)))
    }
}

/// A user who consents to everything.
pub(crate) struct User(Arc<AtomicUsize>);

impl UserAgent for User {
    fn redirect_uri(&self) -> String {
        "http://127.0.0.1:1/callback".to_owned()
    }

    fn authorize(&self, url: String) -> BoxFuture<Result<String, BoxError>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            let response = Hyper::default().send(Request::get(url).body(Bytes::new())?).await?;
            let location = response.headers().get(header::LOCATION).ok_or("refused without a redirect")?;
            Ok(location.to_str()?.to_owned())
        })
    }
}

fn reply(status: StatusCode, body: &Value) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body.to_string())));
    *response.status_mut() = status;
    response
}

fn refused(error: &str) -> Response<Full<Bytes>> {
    reply(StatusCode::BAD_REQUEST, &json!({"error": error, "error_description": "as tested"}))
}

fn form(text: &[u8]) -> Value {
    form_urlencoded::parse(text).map(|(k, v)| (k.into_owned(), Value::from(v.into_owned()))).collect()
}

fn answer(
    issuer: &str,
    state: &mut State,
    parts: &http::request::Parts,
    body: &Bytes,
) -> Response<Full<Bytes>> {
    match (&parts.method, parts.uri.path()) {
        (&Method::GET, "/.well-known/oauth-authorization-server") => {
            let mut metadata = json!({
                "issuer": issuer,
                "authorization_endpoint": format!("{issuer}/authorize"),
                "token_endpoint": format!("{issuer}/token"),
                "registration_endpoint": format!("{issuer}/register"),
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
                "authorization_response_iss_parameter_supported": true,
            });
            for (key, value) in state.metadata.as_object().into_iter().flatten() {
                metadata[key] = value.clone();
            }
            reply(StatusCode::OK, &metadata)
        }
        (&Method::POST, "/register") => {
            let mut client: Value = serde_json::from_slice(body).expect("JSON");
            state.asked.push(("register", client.clone()));
            let id = format!("client-{}", state.clients.len());
            client["client_id"] = id.clone().into();
            state.clients.insert(id, client.clone());
            reply(StatusCode::CREATED, &client)
        }
        (&Method::GET, "/authorize") => authorize(issuer, state, parts.uri.query().unwrap_or_default()),
        (&Method::POST, "/token") => token(issuer, state, body),
        _ => reply(StatusCode::NOT_FOUND, &Value::Null),
    }
}

fn authorize(issuer: &str, state: &mut State, query: &str) -> Response<Full<Bytes>> {
    let asked = form(query.as_bytes());
    state.asked.push(("authorize", asked.clone()));
    let text = |key: &str| asked[key].as_str().unwrap_or_default().to_owned();
    let registered = state.clients.get(&text("client_id"));
    let leads_back = registered.is_some_and(|c| c["redirect_uris"] == json!([text("redirect_uri")]));
    if !leads_back || text("response_type") != "code" || text("code_challenge_method") != "S256" {
        return refused("invalid_request");
    }
    let code = format!("code-{}", state.codes.len());
    state.codes.insert(code.clone(), (text("code_challenge"), text("scope")));
    let mut back = Url::parse(&text("redirect_uri")).expect("an address");
    back.query_pairs_mut()
        .append_pair("code", &code)
        .append_pair("state", &text("state"))
        .append_pair("iss", issuer);
    let mut response = reply(StatusCode::FOUND, &Value::Null);
    response.headers_mut().insert(header::LOCATION, back.as_str().parse().expect("a header"));
    response
}

fn token(issuer: &str, state: &mut State, body: &Bytes) -> Response<Full<Bytes>> {
    let asked = form(body);
    state.asked.push(("token", asked.clone()));
    let text = |key: &str| asked[key].as_str().unwrap_or_default().to_owned();
    let scopes = match text("grant_type").as_str() {
        "authorization_code" => match state.codes.remove(&text("code")) {
            Some((challenge, scopes)) => {
                let hash = hmac_sha256::Hash::hash(text("code_verifier").as_bytes());
                if URL_SAFE_NO_PAD.encode(hash) != challenge {
                    return refused("invalid_grant");
                }
                scopes
            }
            None => return refused("invalid_grant"),
        },
        "refresh_token" => match state.refresh_tokens.remove(&text("refresh_token")) {
            Some(scopes) => scopes,
            None => return refused("invalid_grant"),
        },
        "client_credentials" if is_proven(issuer, state, &text("client_assertion")) => text("scope"),
        "client_credentials" => return refused("invalid_client"),
        _ => return refused("unsupported_grant_type"),
    };
    state.issued += 1;
    let (access, refresh) = (format!("token-{}", state.issued), format!("refresh-{}", state.issued));
    // nobody is granted `forbidden`
    let granted: Vec<&str> = scopes.split(' ').filter(|s| *s != "forbidden").collect();
    let granted = granted.join(" ");
    state.tokens.insert(access.clone(), granted.clone());
    state.refresh_tokens.insert(refresh.clone(), scopes);
    reply(
        StatusCode::OK,
        &json!({
            "access_token": access, "token_type": "Bearer", "expires_in": state.lifetime,
            "refresh_token": refresh, "scope": granted,
        }),
    )
}

/// Whether a client assertion is signed by the known key and meant for us.
fn is_proven(issuer: &str, state: &State, assertion: &str) -> bool {
    use p256::ecdsa::{Signature, signature::Verifier as _};
    let Some((message, signature)) = assertion.rsplit_once('.') else { return false };
    let signature = URL_SAFE_NO_PAD.decode(signature).expect("base64");
    let signature = Signature::from_slice(&signature).expect("a signature");
    let claims = URL_SAFE_NO_PAD.decode(message.split_once('.').expect("two parts").1).expect("base64");
    let claims: Value = serde_json::from_slice(&claims).expect("JSON");
    let key = state.key.as_ref().expect("a key");
    key.verify(message.as_bytes(), &signature).is_ok()
        && claims["aud"] == issuer
        && claims["iss"] == "robot"
        && claims["sub"] == "robot"
}
