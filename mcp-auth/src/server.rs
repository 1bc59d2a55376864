//! The other side: a server that takes tokens ("Access Token Usage" and "Error Handling" in the specification, RFC 6750,
//! RFC 9728).

use std::{future::Future, sync::Arc};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header, request::Parts};
use http_body_util::{BodyExt as _, Either, Full, Limited};
use mcp_protocol::client::BoxError;
use mcp_protocol::{
    Json, UnixMillis,
    server::BoxFuture,
    web::{Denied, Gate, refusal_body},
};
use oauth2::url::Url;

use crate::{
    challenge::Challenge,
    discovery::ProtectedResource,
    error::AuthError,
    exchange::{parse_url, system_time},
    proof::{Claimed, DpopPolicy, ProofDefect, TELL_NONCE},
};

/// The facts about a valid token.
///
/// Spec: 2026-07-28 basic/authorization.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifiedToken {
    /// The principal that the token speaks for; sessions and tasks are bound to it.
    pub principal: Arc<str>,
    /// For whom it was issued: the `aud` of a JWT, or what the authorization server says about the token.
    pub audience: Vec<String>,
    /// The scopes of the token.
    pub scopes: Vec<String>,
    /// When it expires, if it does.
    pub expires_at: Option<UnixMillis>,
    /// The thumbprint of the key that it is bound to, if it is: `cnf.jkt` of a JWT (RFC 9449 section 6). Such a token is
    /// taken only with a proof, as [`DpopPolicy`] have it.
    pub key: Option<String>,
}

impl VerifiedToken {
    /// A token that speaks for `principal` and was issued for `audience`. It has no scopes, does not expire and is bound
    /// to no key unless that is said.
    pub fn new(principal: impl Into<Arc<str>>, audience: Vec<String>) -> Self {
        Self { principal: principal.into(), audience, scopes: Vec::new(), expires_at: None, key: None }
    }

    /// The same token with scopes.
    #[must_use]
    pub fn with_scopes(mut self, scopes: Vec<String>) -> Self {
        self.scopes = scopes;
        self
    }

    /// The same token, which expires then.
    #[must_use]
    pub fn with_expiry(mut self, expires_at: Option<UnixMillis>) -> Self {
        self.expires_at = expires_at;
        self
    }

    /// The same token, bound to the key of that thumbprint.
    #[must_use]
    pub fn with_key(mut self, thumbprint: Option<String>) -> Self {
        self.key = thumbprint;
        self
    }
}

/// Knows valid tokens: by their signature, or by asking the authorization server (RFC 7662).
///
/// Audience, expiry and scopes are compared by the [`ResourceServer`]; a verifier says what they are.
///
/// Spec: 2026-07-28 basic/authorization.
pub trait VerifyToken: Send + Sync + 'static {
    /// The facts about the token; `None` when it is not valid.
    fn verify(&self, token: &str) -> BoxFuture<Result<Option<VerifiedToken>, BoxError>>;
}

impl<F> VerifyToken for F
where
    F: Fn(&str) -> BoxFuture<Result<Option<VerifiedToken>, BoxError>> + Send + Sync + 'static,
{
    fn verify(&self, token: &str) -> BoxFuture<Result<Option<VerifiedToken>, BoxError>> {
        self(token)
    }
}

/// The scopes that an operation needs: its method, and the tool, prompt or resource that it names.
type ScopesFor = dyn Fn(&str, Option<&str>) -> Vec<String> + Send + Sync;

/// A response body: the service's, or ours.
///
/// Spec: none.
pub type GuardedBody<B> = Either<B, Full<Bytes>>;

/// An MCP server whose requests need a token. Put [`ResourceServer::handle`] before the service, and give the service
/// [`principal`] as what [authorizes](mcp_protocol::endpoint::Admission::authorize).
///
/// Spec: 2026-07-28 basic/authorization; RFC 9728.
#[derive(Clone)]
pub struct ResourceServer(Arc<Inner>);

struct Inner {
    metadata: ProtectedResource,
    document: Bytes,
    /// The place of the metadata: the path, and the whole address for challenges.
    path: String,
    url: String,
    verifier: Box<dyn VerifyToken>,
    clock: fn() -> UnixMillis,
    scopes_for: Option<Box<ScopesFor>>,
    max_body_size: usize,
    gate: Gate,
    proofs: Option<DpopPolicy>,
    resource: Url,
}

/// Puts a [`ResourceServer`] together.
///
/// Spec: 2026-07-28 basic/authorization; RFC 9728.
pub struct ResourceServerBuilder {
    metadata: ProtectedResource,
    verifier: Box<dyn VerifyToken>,
    clock: fn() -> UnixMillis,
    scopes_for: Option<Box<ScopesFor>>,
    max_body_size: usize,
    gate: Option<Gate>,
    proofs: Option<DpopPolicy>,
}

impl ResourceServer {
    /// A server with these metadata: its canonical address, its authorization servers, the scopes of its basic
    /// functions.
    pub fn builder(metadata: ProtectedResource, verifier: impl VerifyToken) -> ResourceServerBuilder {
        ResourceServerBuilder {
            metadata,
            verifier: Box::new(verifier),
            clock: system_time,
            scopes_for: None,
            max_body_size: 4 << 20,
            gate: None,
            proofs: None,
        }
    }

    /// The path at which the metadata are: the well-known one for the resource (RFC 9728 section 3.1).
    #[must_use]
    pub fn metadata_path(&self) -> &str {
        &self.0.path
    }

    /// Answers a request: for the metadata by itself, for everything else by `service` once the token is checked.
    pub fn handle<B, S, Fut, R>(
        &self,
        request: Request<B>,
        service: S,
    ) -> impl Future<Output = Response<GuardedBody<R>>> + Send + use<B, S, Fut, R>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
        S: FnOnce(Request<Either<B, Full<Bytes>>>) -> Fut + Send,
        Fut: Future<Output = Response<R>> + Send,
        R: Send,
    {
        let this = self.clone();
        async move {
            if *request.method() == Method::GET && request.uri().path() == this.0.path {
                return this.metadata().map(Either::Right);
            }
            match this.0.admit(request).await {
                Ok(request) => service(request).await.map(Either::Left),
                Err(refused) => (*refused).map(Either::Right),
            }
        }
    }

    /// The metadata as a response.
    #[must_use]
    pub fn metadata(&self) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::new(self.0.document.clone()));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // pages of other origins may read what is public anyway; browser clients need it
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        response
    }
}

impl ResourceServerBuilder {
    /// The scopes that an operation needs, by its method and the name of the tool or prompt or the address of the
    /// resource. Missing scopes are demanded with status 403, all of them at once.
    #[must_use]
    pub fn scopes_for(
        mut self,
        scopes: impl Fn(&str, Option<&str>) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        self.scopes_for = Some(Box::new(scopes));
        self
    }

    /// The longest body that is read to see what it asks for, in bytes. Default: 4 MiB. Only with
    /// [`scopes_for`](Self::scopes_for).
    #[must_use]
    pub fn max_body_size(mut self, bytes: usize) -> Self {
        self.max_body_size = bytes;
        self
    }

    /// Which `Host` and `Origin` are answered; looked at before the token. Default: the host of the resource, and loopback
    /// names.
    #[must_use]
    pub fn gate(mut self, gate: Gate) -> Self {
        self.gate = Some(gate);
        self
    }

    /// Takes tokens that are bound to a key, with a proof for every request (RFC 9449).
    #[must_use]
    pub fn dpop(mut self, proofs: DpopPolicy) -> Self {
        self.proofs = Some(proofs);
        self
    }

    /// Replaces the system's clock.
    #[must_use]
    pub fn clock(mut self, clock: fn() -> UnixMillis) -> Self {
        self.clock = clock;
        self
    }

    /// Builds it.
    ///
    /// # Errors
    /// When the resource is no address, or names no authorization server.
    pub fn build(mut self) -> Result<ResourceServer, AuthError> {
        let mut url = parse_url(&self.metadata.resource)?;
        let resource = url.clone();
        let gate = self.gate.unwrap_or_else(|| {
            resource.host_str().map_or_else(Gate::loopback, |host| Gate::loopback().allow_host(host))
        });
        if self.metadata.authorization_servers.is_empty() {
            return Err(AuthError::Discovery(format!("{url} names no authorization server")));
        }
        if self.metadata.bearer_methods_supported.is_empty() {
            self.metadata.bearer_methods_supported = vec!["header".to_owned()];
        }
        let path = format!("/.well-known/oauth-protected-resource{}", url.path().trim_end_matches('/'));
        url.set_path(&path);
        url.set_query(None);
        url.set_fragment(None);
        let document = serde_json::to_vec(&self.metadata).expect("a struct of texts can be written");
        Ok(ResourceServer(Arc::new(Inner {
            metadata: self.metadata,
            document: document.into(),
            path,
            url: url.into(),
            verifier: self.verifier,
            clock: self.clock,
            scopes_for: self.scopes_for,
            max_body_size: self.max_body_size,
            gate,
            proofs: self.proofs,
            resource,
        })))
    }
}

/// For [`Admission::authorize`](mcp_protocol::endpoint::Admission::authorize) of the service behind a [`ResourceServer`]: whom the
/// token speaks for. Requests that did not come through [`ResourceServer::handle`] are turned away.
///
/// Spec: 2026-07-28 basic/authorization.
///
/// # Errors
/// When no token was checked.
pub fn principal(parts: &Parts) -> Result<Arc<str>, Denied> {
    match parts.extensions.get::<VerifiedToken>() {
        Some(verified) => Ok(Arc::clone(&verified.principal)),
        None => Err(Denied::Unauthorized { challenge: "Bearer".to_owned() }),
    }
}

type Refused = Box<Response<Full<Bytes>>>;

impl Inner {
    async fn admit<B>(&self, request: Request<B>) -> Result<Request<Either<B, Full<Bytes>>>, Refused>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let (mut parts, body) = request.into_parts();
        self.gate.check_head(&parts).map_err(forbidden)?;
        let (scheme, token) = self.token(&parts)?;
        let found = self.verifier.verify(&token).await;
        // a verifier that fails knows nothing about the token: neither good nor bad
        let found = found.map_err(|_| plain(StatusCode::SERVICE_UNAVAILABLE))?;
        let now = (self.clock)();
        let is_valid = |v: &VerifiedToken| {
            v.audience.contains(&self.metadata.resource) && v.expires_at.is_none_or(|at| now < at)
        };
        let Some(verified) = found.filter(is_valid) else {
            return Err(self.unauthorized(Some("invalid_token")));
        };
        self.check_key(&parts, scheme, &token, verified.key.as_deref(), now)?;
        let body = match &self.scopes_for {
            Some(scopes_for) if parts.method == Method::POST => {
                let body = self.read(body).await?;
                let needed = operations(&body).into_iter().flat_map(|(m, n)| scopes_for(&m, n.as_deref()));
                self.require(&verified, needed)?;
                Either::Right(Full::new(body))
            }
            _ => Either::Left(body),
        };
        parts.extensions.insert(verified);
        Ok(Request::from_parts(parts, body))
    }

    /// Whether the sender may use the token: with a bound one, who proves to hold the key.
    fn check_key(
        &self,
        parts: &Parts,
        scheme: Scheme,
        token: &str,
        key: Option<&str>,
        now: UnixMillis,
    ) -> Result<(), Refused> {
        match (scheme, &self.proofs) {
            (Scheme::Bearer, _) if key.is_none() => Ok(()),
            (Scheme::Dpop, Some(proofs)) => {
                let now = now.0 / 1000;
                let claimed = Claimed {
                    method: &parts.method,
                    path: parts.uri.path(),
                    headers: &parts.headers,
                    resource: &self.resource,
                    token,
                    now,
                };
                match proofs.check(&claimed) {
                    Ok(thumbprint) if key == Some(&thumbprint) => Ok(()),
                    Ok(_) => Err(self.unauthorized(Some("invalid_token"))),
                    Err(ProofDefect::Invalid) => Err(self.unproven("invalid_dpop_proof", None)),
                    Err(ProofDefect::Nonce) => Err(self.unproven("use_dpop_nonce", proofs.nonce(now))),
                }
            }
            _ => Err(self.unauthorized(Some("invalid_token"))),
        }
    }

    /// The token of the header; tokens elsewhere (RFC 6750 sections 2.2 and 2.3) are not looked at.
    fn token(&self, parts: &Parts) -> Result<(Scheme, String), Refused> {
        let mut all = parts.headers.get_all(header::AUTHORIZATION).iter();
        let value = match (all.next(), all.next()) {
            (None, _) => return Err(self.unauthorized(None)),
            (Some(value), None) => value.to_str().map_err(|_| plain(StatusCode::BAD_REQUEST))?,
            (Some(_), Some(_)) => return Err(plain(StatusCode::BAD_REQUEST)),
        };
        let (scheme, token) = value.trim().split_once(' ').unwrap_or((value, ""));
        let required = self.proofs.as_ref().is_some_and(DpopPolicy::are_required);
        let scheme = match scheme {
            s if s.eq_ignore_ascii_case("bearer") && !required => Scheme::Bearer,
            s if s.eq_ignore_ascii_case("dpop") && self.proofs.is_some() => Scheme::Dpop,
            _ => return Err(self.unauthorized(None)),
        };
        let token = token.trim();
        let is_token = |b: u8| b.is_ascii_alphanumeric() || b"-._~+/=".contains(&b);
        if token.is_empty() || !token.bytes().all(is_token) {
            return Err(plain(StatusCode::BAD_REQUEST));
        }
        Ok((scheme, token.to_owned()))
    }

    async fn read<B>(&self, body: B) -> Result<Bytes, Refused>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        match Limited::new(body, self.max_body_size).collect().await {
            Ok(whole) => Ok(whole.to_bytes()),
            Err(e) if e.is::<http_body_util::LengthLimitError>() => Err(plain(StatusCode::PAYLOAD_TOO_LARGE)),
            Err(_) => Err(plain(StatusCode::BAD_REQUEST)),
        }
    }

    fn require(&self, verified: &VerifiedToken, needed: impl Iterator<Item = String>) -> Result<(), Refused> {
        let mut scopes: Vec<String> = Vec::new();
        for scope in needed {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        if scopes.iter().all(|scope| verified.scopes.contains(scope)) {
            return Ok(());
        }
        Err(self.challenge(StatusCode::FORBIDDEN, Some("insufficient_scope"), scopes))
    }

    fn unauthorized(&self, error: Option<&str>) -> Refused {
        let scopes = self.metadata.scopes_supported.clone().unwrap_or_default();
        self.challenge(StatusCode::UNAUTHORIZED, error, scopes)
    }

    fn unproven(&self, error: &str, nonce: Option<String>) -> Refused {
        let mut response = plain(StatusCode::UNAUTHORIZED);
        self.demand(&mut response, "dpop", Some(error), Vec::new());
        if let Some(nonce) = nonce {
            let nonce = HeaderValue::try_from(nonce).expect("base64 has a place in a header");
            response.headers_mut().insert(TELL_NONCE, nonce);
        }
        response
    }

    fn challenge(&self, status: StatusCode, error: Option<&str>, scopes: Vec<String>) -> Refused {
        let mut response = plain(status);
        let required = self.proofs.as_ref().is_some_and(DpopPolicy::are_required);
        if !required {
            self.demand(&mut response, "bearer", error, scopes.clone());
        }
        if self.proofs.is_some() {
            self.demand(&mut response, "dpop", error, scopes);
        }
        response
    }

    fn demand(&self, response: &mut Refused, scheme: &str, error: Option<&str>, scopes: Vec<String>) {
        let challenge = Challenge {
            scheme: scheme.to_owned(),
            resource_metadata: Some(self.url.clone()),
            scopes,
            error: error.map(str::to_owned),
            error_description: None,
        };
        let algorithms = if scheme == "dpop" { r#", algs="ES256""# } else { "" };
        let value = HeaderValue::try_from(challenge.header_value() + algorithms)
            .expect("invalid characters were left out");
        response.headers_mut().append(header::WWW_AUTHENTICATE, value);
    }
}

/// How a token is presented.
#[derive(Clone, Copy)]
enum Scheme {
    Bearer,
    Dpop,
}

fn forbidden(why: &str) -> Refused {
    let mut response = Response::new(Full::new(refusal_body(why).into()));
    *response.status_mut() = StatusCode::FORBIDDEN;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Box::new(response)
}

fn plain(status: StatusCode) -> Refused {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    Box::new(response)
}

/// Method and name of each message in a body. A body that holds no message needs no scopes: the service
/// refuses it.
fn operations(body: &Bytes) -> Vec<(String, Option<String>)> {
    let Some(whole) = std::str::from_utf8(body).ok().and_then(|text| Json::parse(text).ok()) else {
        return Vec::new();
    };
    let messages = if whole.is_object() { vec![whole] } else { whole.to().unwrap_or_default() };
    let text = |json: Option<Json>| Some(json?.as_text()?.into_owned());
    let operation = |message: &Json| {
        let params = message.get("params");
        let named = |key| text(params.as_ref()?.get(key));
        Some((text(message.get("method"))?, named("name").or_else(|| named("uri"))))
    };
    messages.iter().filter_map(operation).collect()
}
