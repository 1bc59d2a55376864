//! The client: sends a client's requests with its token, and gets one when the server demands it.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use futures_util::lock::Mutex as Turn;
use http::{HeaderValue, Request, Response, StatusCode, header};
use mcp_protocol::client::BoxError;
use mcp_protocol::{UnixMillis, server::BoxFuture};
use mcp_transport_http::{ResponseBody, SendHttp};
use oauth2::{TokenResponse as _, basic::BasicTokenResponse, url::Url};

use crate::{
    assertion::{AssertionRequest, Assertions},
    challenge::Challenge,
    code::{UserAgent, by_consent},
    discovery::{self, AuthorizationServer, ProtectedResource},
    dpop::Dpop,
    error::AuthError,
    exchange::{parse_url, system_time},
    jwt::Signer,
    registration::{ClientMetadata, register},
    store::{ClientRegistration, CredentialStore, MemoryStore, Tokens},
    token::TokenEndpoint,
};

/// How often one request may lead to a new authorization: for a first token, and for more scopes.
const AUTHORIZATIONS: usize = 2;

/// A token this close to its end is renewed first.
const LEEWAY: Duration = Duration::from_secs(10);

const OFFLINE: &str = "offline_access";

/// How a client authorizes itself at one MCP server. Build it up, then [wrap](OAuth::wrap) what sends its requests.
///
/// With nothing but a user agent it registers itself where that is possible, and asks the user.
///
/// Spec: 2026-07-28 basic/authorization.
pub struct OAuth {
    server: Url,
    name: String,
    grant: Grant,
    key: Option<Arc<dyn Signer>>,
    bound: Option<Arc<dyn Signer>>,
    arranged: Vec<(Option<String>, ClientRegistration)>,
    metadata_url: Option<String>,
    store: Arc<dyn CredentialStore>,
    clock: fn() -> UnixMillis,
    refresh: bool,
    before_2025_06: bool,
}

enum Grant {
    Consent(Arc<dyn UserAgent>),
    ClientCredentials,
    Assertion(Arc<dyn Assertions>),
}

impl OAuth {
    fn new(server: &str, grant: Grant) -> Result<Self, AuthError> {
        Ok(Self {
            server: parse_url(server)?,
            name: "MCP client".to_owned(),
            grant,
            key: None,
            bound: None,
            arranged: Vec::new(),
            metadata_url: None,
            store: Arc::new(MemoryStore::default()),
            clock: system_time,
            refresh: true,
            before_2025_06: true,
        })
    }

    /// By the user's consent: authorization codes with PKCE. `server` is the address of the MCP server; its token is
    /// sent to that origin and to no other.
    ///
    /// # Errors
    /// When `server` is no address.
    pub fn with_user(server: &str, agent: impl UserAgent) -> Result<Self, AuthError> {
        Self::new(server, Grant::Consent(Arc::new(agent)))
    }

    /// In the client's own name, without a user (extension `io.modelcontextprotocol/oauth-client-credentials`). Needs an
    /// [arranged](OAuth::registration) client with a secret or a [key](OAuth::client_key).
    ///
    /// # Errors
    /// When `server` is no address.
    pub fn with_client_credentials(server: &str) -> Result<Self, AuthError> {
        Self::new(server, Grant::ClientCredentials)
    }

    /// By what somebody else asserts (RFC 7523): a workload's platform, or an enterprise's
    /// [identity provider](crate::IdentityProvider).
    ///
    /// # Errors
    /// When `server` is no address.
    pub fn with_assertions(server: &str, assertions: impl Assertions) -> Result<Self, AuthError> {
        Self::new(server, Grant::Assertion(Arc::new(assertions)))
    }

    /// The client's name, for people; used when it registers itself.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// A client identifier that was arranged with the authorization server `issuer`. Without an issuer it is bound to
    /// the first one that is met, and never shown to another ("Authorization Server Binding").
    #[must_use]
    pub fn registration(mut self, issuer: Option<&str>, client: ClientRegistration) -> Self {
        self.arranged.push((issuer.map(str::to_owned), client));
        self
    }

    /// The `https:` address of the client's metadata document: its identifier at authorization servers that read those
    /// ("Client ID Metadata Documents"). The document must be there, as [`ClientMetadata`] writes it.
    #[must_use]
    pub fn metadata_url(mut self, url: impl Into<String>) -> Self {
        self.metadata_url = Some(url.into());
        self
    }

    /// The key by which the client proves itself (`private_key_jwt`), where the authorization server takes that.
    #[must_use]
    pub fn client_key(mut self, key: impl Signer) -> Self {
        self.key = Some(Arc::new(key));
        self
    }

    /// Binds tokens to a key (RFC 9449), where the authorization server can do that.
    #[must_use]
    pub fn dpop_key(mut self, key: impl Signer) -> Self {
        self.bound = Some(Arc::new(key));
        self
    }

    /// Sets the store of registrations and tokens. Default: in memory.
    #[must_use]
    pub fn store(mut self, store: impl CredentialStore) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Whether to ask for refresh tokens (scope `offline_access`) where the authorization server has them. Default: yes.
    #[must_use]
    pub fn refresh(mut self, refresh: bool) -> Self {
        self.refresh = refresh;
        self
    }

    /// Whether a server without metadata is taken for one of revision 2025-03-26, which is its own authorization
    /// server. Default: yes.
    #[must_use]
    pub fn legacy_discovery(mut self, allowed: bool) -> Self {
        self.before_2025_06 = allowed;
        self
    }

    /// Replaces the system's clock.
    #[must_use]
    pub fn clock(mut self, clock: fn() -> UnixMillis) -> Self {
        self.clock = clock;
        self
    }

    /// Sends requests by `http`, authorized. `http` must not follow redirects.
    #[must_use]
    pub fn wrap(self, http: impl SendHttp) -> Authorized {
        let bound = self.bound.clone().map(Dpop::new);
        let http = Arc::new(http);
        Authorized(Arc::new(Inner {
            http,
            bound,
            settings: self,
            turn: Turn::new(()),
            seen: Mutex::default(),
            first: Mutex::default(),
        }))
    }
}

/// Sends requests with a token; gets one when the server demands it, and another one when more scopes are needed. Clones
/// share the token; however many requests need one at a time, the user is asked once.
///
/// Spec: 2026-07-28 basic/authorization.
#[derive(Clone)]
pub struct Authorized(Arc<Inner>);

struct Inner {
    http: Arc<dyn SendHttp>,
    settings: OAuth,
    bound: Option<Dpop>,
    /// One authorization at a time.
    turn: Turn<()>,
    /// The last authorization server, so that renewing a token does not look for it again.
    seen: Mutex<Option<(AuthorizationServer, String)>>,
    /// The issuer to which a client that was arranged without one is bound.
    first: Mutex<Option<String>>,
}

impl SendHttp for Authorized {
    fn send(&self, request: Request<Bytes>) -> BoxFuture<Result<Response<ResponseBody>, BoxError>> {
        let this = Arc::clone(&self.0);
        Box::pin(async move { this.send(request).await })
    }
}

impl Inner {
    fn now(&self) -> UnixMillis {
        (self.settings.clock)()
    }

    fn tokens(&self) -> Option<Tokens> {
        self.settings.store.tokens(self.settings.server.as_str())
    }

    async fn send(&self, request: Request<Bytes>) -> Result<Response<ResponseBody>, BoxError> {
        let url = Url::parse(&request.uri().to_string())?;
        if url.origin() != self.settings.server.origin() {
            return self.http.send(request).await;
        }
        let mut authorizations = 0;
        let mut knows_nonce = false;
        loop {
            let tokens = self.fresh_tokens().await?;
            let mut attempt = request.clone();
            if let Some(tokens) = &tokens {
                self.authorize(&mut attempt, &url, tokens)?;
            }
            let response = self.http.send(attempt).await?;
            let is_new_nonce = self.bound.as_ref().is_some_and(|d| d.learn(&url, response.headers()));
            let status = response.status();
            let challenge = Challenge::find(response.headers());
            let error = challenge.as_ref().and_then(|c| c.error.as_deref());
            let wants_more = match status {
                StatusCode::UNAUTHORIZED if error == Some("use_dpop_nonce") && tokens.is_some() => {
                    if !is_new_nonce || std::mem::replace(&mut knows_nonce, true) {
                        return Ok(response);
                    }
                    continue;
                }
                StatusCode::UNAUTHORIZED => false,
                StatusCode::FORBIDDEN if error == Some("insufficient_scope") => true,
                _ => return Ok(response),
            };
            authorizations += 1;
            if authorizations > AUTHORIZATIONS {
                return Ok(response);
            }
            let challenge = challenge.unwrap_or_default();
            if !self.get_token(tokens.as_ref(), &challenge, wants_more).await? {
                return Ok(response);
            }
        }
    }

    fn authorize(&self, request: &mut Request<Bytes>, url: &Url, tokens: &Tokens) -> Result<(), AuthError> {
        let header = |text: String| {
            let mut value = HeaderValue::try_from(text)
                .map_err(|_| AuthError::Malformed("The token has no place in a header".to_owned()))?;
            value.set_sensitive(true);
            Ok::<_, AuthError>(value)
        };
        let scheme = match &self.bound {
            Some(dpop) if tokens.is_bound => {
                let token = Some(tokens.access_token.as_str());
                let proof = dpop.proof(request.method().as_str(), url, self.now().0 / 1000, token)?;
                request.headers_mut().insert("dpop", header(proof)?);
                "DPoP"
            }
            _ => "Bearer",
        };
        let value = header(format!("{scheme} {}", tokens.access_token))?;
        request.headers_mut().insert(header::AUTHORIZATION, value);
        Ok(())
    }

    /// The tokens, renewed if they are about to expire and can be.
    async fn fresh_tokens(&self) -> Result<Option<Tokens>, AuthError> {
        let Some(tokens) = self.tokens() else { return Ok(None) };
        let is_old = tokens.expires_at.is_some_and(|at| self.now().plus(LEEWAY).0 >= at);
        let Some(refresh) = tokens.refresh_token.clone().filter(|_| is_old) else { return Ok(Some(tokens)) };
        let _turn = self.turn.lock().await;
        match self.tokens() {
            Some(now) if now != tokens => return Ok(Some(now)),
            _ => {}
        }
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some((server, resource)) = seen.filter(|(s, _)| s.issuer == tokens.issuer) else {
            // its server will say that it has expired, and where to go
            return Ok(Some(tokens));
        };
        let renewed = self.renew(&server, &resource, &tokens, &refresh).await?;
        Ok(Some(renewed.unwrap_or(tokens)))
    }

    /// Gets another token than `old`; whether there is one to try.
    async fn get_token(
        &self,
        old: Option<&Tokens>,
        challenge: &Challenge,
        wants_more: bool,
    ) -> Result<bool, AuthError> {
        let _turn = self.turn.lock().await;
        if self.tokens().as_ref() != old {
            // somebody else got one in the meantime
            return Ok(true);
        }
        let (server, resource, supported) = self.discover(challenge).await?;
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some((server.clone(), resource.clone()));
        let old = old.filter(|t| t.issuer == server.issuer);
        if let (false, Some(tokens)) = (wants_more, old)
            && let Some(refresh) = &tokens.refresh_token
            && self.renew(&server, &resource, tokens, refresh).await?.is_some()
        {
            return Ok(true);
        }
        let mut scopes = old.map(|t| t.scopes.clone()).unwrap_or_default();
        let asked = if challenge.scopes.is_empty() {
            supported.unwrap_or_default()
        } else {
            challenge.scopes.clone()
        };
        let known = scopes.len();
        for scope in asked {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        if wants_more && scopes.len() == known && old.is_some() {
            // the same question again would get the same answer
            return Ok(false);
        }
        let response = self.grant(&server, &resource, &mut scopes).await?;
        self.keep(&server, &response, scopes, None);
        Ok(true)
    }

    /// The authorization server, the resource in whose name tokens are asked for, and the scopes it usually needs.
    async fn discover(
        &self,
        challenge: &Challenge,
    ) -> Result<(AuthorizationServer, String, Option<Vec<String>>), AuthError> {
        let (http, server) = (self.http.as_ref(), &self.settings.server);
        let told = challenge.resource_metadata.as_deref();
        match discovery::resource(http, server, told).await? {
            Some(found) => {
                let chosen = self.choose(&found).ok_or_else(|| {
                    AuthError::Discovery(format!("{} names no authorization server", found.resource))
                })?;
                let chosen = discovery::issuer(http, chosen, server).await?;
                Ok((chosen, found.resource, found.scopes_supported))
            }
            None if self.settings.before_2025_06 => {
                let found = discovery::same_origin(http, server).await?;
                Ok((found, canonical(server), None))
            }
            None => Err(AuthError::Discovery(format!("{server} has no protected resource metadata"))),
        }
    }

    /// One of the resource's authorization servers: one that knows us, or the first (RFC 9728 section 7.6).
    fn choose<'r>(&self, resource: &'r ProtectedResource) -> Option<&'r String> {
        let all = &resource.authorization_servers;
        let is_known = |issuer: &&String| {
            let is_arranged = self.settings.arranged.iter().any(|(i, _)| i.as_ref() == Some(*issuer));
            is_arranged || self.settings.store.client(issuer).is_some()
        };
        all.iter().find(is_known).or_else(|| all.first())
    }

    async fn renew(
        &self,
        server: &AuthorizationServer,
        resource: &str,
        tokens: &Tokens,
        refresh: &str,
    ) -> Result<Option<Tokens>, AuthError> {
        let Some(client) = self.settings.store.client(&server.issuer) else { return Ok(None) };
        let grant = [("grant_type", "refresh_token"), ("refresh_token", refresh), ("resource", resource)];
        match self.endpoint(server, &client).request(&grant).await {
            Ok(response) => Ok(Some(self.keep(server, &response, tokens.scopes.clone(), Some(refresh)))),
            // it was withdrawn, or has expired: ask again from the start
            Err(AuthError::Refused { .. }) => {
                self.settings.store.keep_tokens(
                    self.settings.server.as_str(),
                    Some(&Tokens { refresh_token: None, ..tokens.clone() }),
                );
                Ok(None)
            }
            Err(e) => Err(e),
        }
    }

    fn endpoint<'a>(
        &'a self,
        server: &'a AuthorizationServer,
        client: &'a ClientRegistration,
    ) -> TokenEndpoint<'a> {
        TokenEndpoint {
            http: self.http.as_ref(),
            server,
            client,
            key: self.settings.key.as_deref(),
            dpop: self.bound.as_ref().filter(|d| d.is_known_to(server)),
            mcp_server: &self.settings.server,
            now: self.now().0 / 1000,
        }
    }

    async fn grant(
        &self,
        server: &AuthorizationServer,
        resource: &str,
        scopes: &mut Vec<String>,
    ) -> Result<BasicTokenResponse, AuthError> {
        let (client, is_own) = self.client(server).await?;
        let first = self.grant_to(server, &client, resource, scopes).await;
        match first {
            // the registration is gone: make another
            Err(AuthError::Refused { error, .. }) if error == "invalid_client" && is_own => {
                self.settings.store.keep_client(&server.issuer, None);
                let (client, _) = self.client(server).await?;
                self.grant_to(server, &client, resource, scopes).await
            }
            outcome => outcome,
        }
    }

    async fn grant_to(
        &self,
        server: &AuthorizationServer,
        client: &ClientRegistration,
        resource: &str,
        scopes: &mut Vec<String>,
    ) -> Result<BasicTokenResponse, AuthError> {
        let endpoint = self.endpoint(server, client);
        let asks_offline = self.settings.refresh && server.supports_scope(OFFLINE);
        if asks_offline
            && matches!(self.settings.grant, Grant::Consent(_))
            && !scopes.iter().any(|s| s == OFFLINE)
        {
            scopes.push(OFFLINE.to_owned());
        }
        let scope = scopes.join(" ");
        let assertion;
        let mut grant = match &self.settings.grant {
            Grant::Consent(agent) => return by_consent(&endpoint, agent.as_ref(), scopes, resource).await,
            Grant::ClientCredentials => vec![("grant_type", "client_credentials")],
            Grant::Assertion(source) => {
                let request = AssertionRequest {
                    issuer: server.issuer.clone(),
                    resource: resource.to_owned(),
                    scopes: scopes.clone(),
                };
                assertion = source.assertion(request).await.map_err(AuthError::Http)?;
                let kind = "urn:ietf:params:oauth:grant-type:jwt-bearer";
                vec![("grant_type", kind), ("assertion", assertion.as_str())]
            }
        };
        grant.push(("resource", resource));
        if !scope.is_empty() {
            grant.push(("scope", &scope));
        }
        endpoint.request(&grant).await
    }

    /// Our registration at this authorization server, and whether we made it ourselves.
    async fn client(&self, server: &AuthorizationServer) -> Result<(ClientRegistration, bool), AuthError> {
        let (settings, issuer) = (&self.settings, &server.issuer);
        let arranged = settings.arranged.iter();
        if let Some((_, client)) = arranged.clone().find(|(i, _)| i.as_ref() == Some(issuer)) {
            settings.store.keep_client(issuer, Some(client));
            return Ok((client.clone(), false));
        }
        let kept = settings.store.client(issuer);
        if let Some((_, client)) = arranged.clone().find(|(i, _)| i.is_none()) {
            let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
            let before = self.tokens().map(|t| t.issuer);
            if first.get_or_insert_with(|| before.unwrap_or_else(|| issuer.clone())) == issuer {
                settings.store.keep_client(issuer, Some(client));
                return Ok((client.clone(), false));
            }
        }
        let redirect = match &settings.grant {
            Grant::Consent(agent) => Some(agent.redirect_uri()),
            Grant::ClientCredentials | Grant::Assertion(_) => None,
        };
        let now = self.now().0 / 1000;
        let is_usable = |client: &ClientRegistration| {
            let alive = client.client_secret_expires_at == 0 || client.client_secret_expires_at > now;
            let leads_back = redirect
                .as_ref()
                .is_none_or(|r| client.redirect_uris.is_empty() || client.redirect_uris.contains(r));
            alive && leads_back
        };
        if let Some(client) = kept.filter(is_usable) {
            return Ok((client, true));
        }
        let client = match (&settings.metadata_url, redirect) {
            (Some(url), _) if server.client_id_metadata_document_supported == Some(true) => {
                ClientRegistration {
                    token_endpoint_auth_method: self.key_or_nothing(),
                    ..ClientRegistration::public(url)
                }
            }
            (_, Some(redirect)) if server.registration_endpoint.is_some() => {
                let mut metadata = ClientMetadata::new(&settings.name, redirect);
                metadata.fit(server);
                metadata.dpop_bound_access_tokens =
                    self.bound.as_ref().is_some_and(|d| d.is_known_to(server));
                register(self.http.as_ref(), server, &metadata, &settings.server).await?
            }
            _ => return Err(AuthError::NoClient { issuer: issuer.clone() }),
        };
        settings.store.keep_client(issuer, Some(&client));
        Ok((client, true))
    }

    fn key_or_nothing(&self) -> Option<String> {
        let method = if self.settings.key.is_some() { "private_key_jwt" } else { "none" };
        Some(method.to_owned())
    }

    /// Keeps what the authorization server gave. A refresh token that it did not replace stays.
    fn keep(
        &self,
        server: &AuthorizationServer,
        response: &BasicTokenResponse,
        asked: Vec<String>,
        refresh: Option<&str>,
    ) -> Tokens {
        let mut scopes = asked;
        for scope in response.scopes().into_iter().flatten() {
            if !scopes.contains(scope) {
                scopes.push(scope.to_string());
            }
        }
        let refresh = response.refresh_token().map(|t| t.secret().as_str()).or(refresh);
        let tokens = Tokens {
            issuer: server.issuer.clone(),
            access_token: response.access_token().secret().clone(),
            is_bound: response.token_type().as_ref().eq_ignore_ascii_case("dpop"),
            refresh_token: refresh.map(str::to_owned),
            expires_at: response.expires_in().map(|lifetime| self.now().plus(lifetime).0),
            scopes,
        };
        self.settings.store.keep_tokens(self.settings.server.as_str(), Some(&tokens));
        tokens
    }
}

/// The server's address as RFC 8707 wants a resource: without a fragment, and without a slash that says nothing.
fn canonical(server: &Url) -> String {
    let mut url = server.clone();
    url.set_fragment(None);
    let text = String::from(url);
    if server.path() == "/" && server.query().is_none() {
        text.trim_end_matches('/').to_owned()
    } else {
        text
    }
}
