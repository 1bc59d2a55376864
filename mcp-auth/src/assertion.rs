//! Tokens without a user: assertions by others about the client or its user (RFC 7523 section 2.1), for workload identity
//! federation and for authorization that an enterprise manages.

use std::sync::Arc;

use mcp_protocol::client::BoxError;
use mcp_protocol::server::BoxFuture;
use mcp_transport_http::SendHttp;
use oauth2::url::Url;

use crate::{
    discovery::AuthorizationServer, error::AuthError, exchange::parse_url, store::ClientRegistration,
    token::TokenEndpoint,
};

/// The purpose of an assertion.
///
/// Spec: extension io.modelcontextprotocol/oauth-client-credentials; RFC 7523.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AssertionRequest {
    /// The authorization server that will read it: its audience.
    pub issuer: String,
    /// The MCP server that the token will be for.
    pub resource: String,
    /// The scopes that will be asked for.
    pub scopes: Vec<String>,
}

/// A source of assertions: a platform's workload identity, or an [`IdentityProvider`].
///
/// Spec: extension io.modelcontextprotocol/oauth-client-credentials; RFC 7523.
pub trait Assertions: Send + Sync + 'static {
    /// An assertion: a JWT whose audience is the issuer.
    fn assertion(&self, request: AssertionRequest) -> BoxFuture<Result<String, BoxError>>;
}

impl<F> Assertions for F
where
    F: Fn(AssertionRequest) -> BoxFuture<Result<String, BoxError>> + Send + Sync + 'static,
{
    fn assertion(&self, request: AssertionRequest) -> BoxFuture<Result<String, BoxError>> {
        self(request)
    }
}

/// An enterprise's identity provider, which says for its users where they may go: it exchanges the user's identity
/// token for an identity assertion (RFC 8693, extension `io.modelcontextprotocol/enterprise-managed-authorization`).
///
/// Spec: extension io.modelcontextprotocol/enterprise-managed-authorization; RFC 8693.
#[non_exhaustive]
pub struct IdentityProvider {
    /// Its token endpoint.
    pub token_endpoint: String,
    /// The client's registration there.
    pub client: ClientRegistration,
    /// The user's identity token, from the sign-in.
    pub id_token: String,
    /// The HTTP client that sends the request.
    pub http: Arc<dyn SendHttp>,
}

impl IdentityProvider {
    /// The provider with that token endpoint, asked by `client` for the user of `id_token`.
    pub fn new(
        token_endpoint: impl Into<String>,
        client: ClientRegistration,
        id_token: impl Into<String>,
        http: impl SendHttp,
    ) -> Self {
        Self {
            token_endpoint: token_endpoint.into(),
            client,
            id_token: id_token.into(),
            http: Arc::new(http),
        }
    }
}

impl Assertions for IdentityProvider {
    fn assertion(&self, request: AssertionRequest) -> BoxFuture<Result<String, BoxError>> {
        let (client, id_token) = (self.client.clone(), self.id_token.clone());
        let (http, token_endpoint) = (Arc::clone(&self.http), self.token_endpoint.clone());
        Box::pin(
            async move { Ok(exchange(http.as_ref(), &token_endpoint, &client, &id_token, &request).await?) },
        )
    }
}

async fn exchange(
    http: &dyn SendHttp,
    token_endpoint: &str,
    client: &ClientRegistration,
    id_token: &str,
    request: &AssertionRequest,
) -> Result<String, AuthError> {
    #[derive(serde::Deserialize)]
    struct Exchanged {
        access_token: String,
    }
    const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
    let url: Url = parse_url(token_endpoint)?;
    let provider = AuthorizationServer {
        issuer: token_endpoint.to_owned(),
        token_endpoint: Some(token_endpoint.to_owned()),
        token_endpoint_auth_methods_supported: Some(
            ["client_secret_basic", "client_secret_post", "none"].map(str::to_owned).to_vec(),
        ),
        ..AuthorizationServer::default()
    };
    let scopes = request.scopes.join(" ");
    let mut grant = vec![
        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
        ("requested_token_type", ID_JAG),
        ("audience", &request.issuer),
        ("resource", &request.resource),
        ("subject_token", id_token),
        ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
    ];
    if !scopes.is_empty() {
        grant.push(("scope", &scopes));
    }
    let endpoint =
        TokenEndpoint { http, server: &provider, client, key: None, dpop: None, mcp_server: &url, now: 0 };
    let response = endpoint.request_raw(&grant).await?;
    let exchanged: Exchanged = response.json("The identity provider's answer")?;
    Ok(exchanged.access_token)
}
