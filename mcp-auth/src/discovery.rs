//! Discovery of the authorization servers that protect a server: protected resource metadata (RFC 9728) and the
//! metadata of authorization servers (RFC 8414, OpenID Connect Discovery 1.0), found in the order that the
//! specification's section "Authorization Server Discovery" gives.

use mcp_transport_http::SendHttp;
use oauth2::url::Url;
use serde::{Deserialize, Serialize};

use crate::{
    error::AuthError,
    exchange::{document, parse_url, require_secure},
};

/// The statements of a server about its protection (RFC 9728 section 2).
///
/// Spec: 2026-07-28 basic/authorization/authorization-server-discovery; RFC 9728 section 2.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProtectedResource {
    /// The server's canonical address: the audience of its tokens.
    pub resource: String,
    /// The issuers whose tokens it takes.
    #[serde(default)]
    pub authorization_servers: Vec<String>,
    /// The scopes that its basic functions need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes_supported: Option<Vec<String>>,
    /// How tokens may be sent; for MCP always by `header`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bearer_methods_supported: Vec<String>,
    /// Its name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_name: Option<String>,
    /// A page for developers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_documentation: Option<String>,
}

impl ProtectedResource {
    /// A server at its canonical address, and the issuers whose tokens it takes.
    pub fn new(resource: impl Into<String>, authorization_servers: Vec<String>) -> Self {
        Self { resource: resource.into(), authorization_servers, ..Self::default() }
    }

    /// The same with the scopes that its basic functions need.
    #[must_use]
    pub fn with_scopes(mut self, scopes: Vec<String>) -> Self {
        self.scopes_supported = Some(scopes);
        self
    }

    /// The same with a name for people.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.resource_name = Some(name.into());
        self
    }
}

/// The statements of an authorization server about itself (RFC 8414 section 2, with the members that later standards
/// added).
///
/// Spec: 2026-07-28 basic/authorization/authorization-server-discovery; RFC 8414 section 2.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AuthorizationServer {
    /// Its identifier, compared as text.
    pub issuer: String,
    /// The address that users are sent to.
    pub authorization_endpoint: Option<String>,
    /// The address that gives tokens.
    pub token_endpoint: Option<String>,
    /// The address at which clients register themselves (RFC 7591).
    pub registration_endpoint: Option<String>,
    /// The scopes it knows.
    pub scopes_supported: Option<Vec<String>>,
    /// The grants it knows; absent means authorization codes.
    pub grant_types_supported: Option<Vec<String>>,
    /// How clients may prove who they are; absent means `client_secret_basic`.
    pub token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// The transformations of PKCE (RFC 7636); absent means that it has none.
    pub code_challenge_methods_supported: Option<Vec<String>>,
    /// Whether a client identifier may be the address of a metadata document.
    pub client_id_metadata_document_supported: Option<bool>,
    /// Whether its authorization responses say whose they are (RFC 9207).
    pub authorization_response_iss_parameter_supported: Option<bool>,
    /// The algorithms of DPoP proofs it takes (RFC 9449 section 5.1).
    pub dpop_signing_alg_values_supported: Option<Vec<String>>,
}

impl AuthorizationServer {
    /// The server that revision 2025-03-26 assumes where there are no metadata: the MCP server's own origin with the
    /// endpoints `/authorize`, `/token` and `/register`.
    fn assumed(origin: &str) -> Self {
        let endpoint = |path| Some(format!("{origin}{path}"));
        Self {
            issuer: origin.to_owned(),
            authorization_endpoint: endpoint("/authorize"),
            token_endpoint: endpoint("/token"),
            registration_endpoint: endpoint("/register"),
            code_challenge_methods_supported: Some(vec!["S256".to_owned()]),
            token_endpoint_auth_methods_supported: Some(
                ["none", "client_secret_basic", "client_secret_post"].map(str::to_owned).to_vec(),
            ),
            ..Self::default()
        }
    }

    pub(crate) fn supports_scope(&self, scope: &str) -> bool {
        self.scopes_supported.iter().flatten().any(|s| s == scope)
    }

    /// An endpoint that must be there, checked for safety.
    pub(crate) fn endpoint(
        &self,
        endpoint: Option<&String>,
        what: &str,
        server: &Url,
    ) -> Result<Url, AuthError> {
        let text = endpoint.ok_or_else(|| AuthError::Discovery(format!("{} has no {what}", self.issuer)))?;
        let url = parse_url(text)?;
        require_secure(&url, server)?;
        Ok(url)
    }
}

/// An address with a well-known part between host and path (RFC 8615, as RFC 8414 section 3.1 and RFC 9728 section 3.1
/// use it).
fn inserted(base: &Url, suffix: &str, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("/.well-known/{suffix}{path}"));
    url.set_query(None);
    url.set_fragment(None);
    url
}

fn path_of(url: &Url) -> &str {
    url.path().trim_end_matches('/')
}

/// The possible addresses of a server's metadata, when it did not give one: at its path, then at the root.
fn resource_candidates(server: &Url) -> Vec<Url> {
    const SUFFIX: &str = "oauth-protected-resource";
    let path = path_of(server);
    let at_root = inserted(server, SUFFIX, "");
    if path.is_empty() { vec![at_root] } else { vec![inserted(server, SUFFIX, path), at_root] }
}

/// The possible addresses of an issuer's metadata: RFC 8414, then OpenID Connect, by insertion before
/// appending.
fn issuer_candidates(issuer: &Url) -> Vec<Url> {
    let path = path_of(issuer);
    let mut all = vec![
        inserted(issuer, "oauth-authorization-server", path),
        inserted(issuer, "openid-configuration", path),
    ];
    if !path.is_empty() {
        let mut appended = inserted(issuer, "", "");
        appended.set_path(&format!("{path}/.well-known/openid-configuration"));
        all.push(appended);
    }
    all
}

/// Whether metadata about `resource` are about `server`: the same origin, and the server's path at or below it.
fn covers(resource: &str, server: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else { return false };
    let (outer, inner) = (path_of(&resource), path_of(server));
    resource.origin() == server.origin()
        && inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The origin as text, without a slash at its end.
pub(crate) fn origin_of(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// The server's metadata: where it said, or else where they usually are. `None`: there are none.
pub(crate) async fn resource(
    http: &dyn SendHttp,
    server: &Url,
    told: Option<&str>,
) -> Result<Option<ProtectedResource>, AuthError> {
    const WHAT: &str = "The protected resource metadata";
    let found = match told {
        Some(told) => {
            let url = parse_url(told)?;
            require_secure(&url, server)?;
            let found: Option<ProtectedResource> = document(http, &url, WHAT).await?;
            Some(found.ok_or_else(|| AuthError::Discovery(format!("there is nothing at {url}")))?)
        }
        None => {
            let mut found = None;
            for url in resource_candidates(server) {
                found = document(http, &url, WHAT).await?;
                if found.is_some() {
                    break;
                }
            }
            found
        }
    };
    match found {
        Some(found) if !covers(&found.resource, server) => {
            Err(AuthError::ResourceMismatch { server: server.to_string(), resource: found.resource })
        }
        found => Ok(found),
    }
}

/// An issuer's metadata.
pub(crate) async fn issuer(
    http: &dyn SendHttp,
    issuer: &str,
    server: &Url,
) -> Result<AuthorizationServer, AuthError> {
    find_issuer(http, issuer, server)
        .await?
        .ok_or_else(|| AuthError::Discovery(format!("{issuer} has no metadata")))
}

async fn find_issuer(
    http: &dyn SendHttp,
    issuer: &str,
    server: &Url,
) -> Result<Option<AuthorizationServer>, AuthError> {
    let base = parse_url(issuer)?;
    require_secure(&base, server)?;
    for url in issuer_candidates(&base) {
        let found: Option<AuthorizationServer> =
            document(http, &url, "The authorization server's metadata").await?;
        match found {
            Some(found) if found.issuer != issuer => {
                return Err(AuthError::IssuerMismatch {
                    expected: issuer.to_owned(),
                    got: Some(found.issuer),
                });
            }
            Some(found) => return Ok(Some(found)),
            None => {}
        }
    }
    Ok(None)
}

/// The authorization server of revision 2025-03-26: the MCP server's origin, by its metadata or by assumption.
pub(crate) async fn same_origin(http: &dyn SendHttp, server: &Url) -> Result<AuthorizationServer, AuthError> {
    let origin = origin_of(server);
    let found = find_issuer(http, &origin, server).await?;
    Ok(found.unwrap_or_else(|| AuthorizationServer::assumed(&origin)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a literal")
    }

    fn texts(urls: Vec<Url>) -> Vec<String> {
        urls.into_iter().map(String::from).collect()
    }

    #[test]
    fn metadata_are_looked_for_in_the_order_of_the_specification() {
        assert_eq!(
            texts(resource_candidates(&url("https://a.example/public/mcp?x=1"))),
            [
                "https://a.example/.well-known/oauth-protected-resource/public/mcp",
                "https://a.example/.well-known/oauth-protected-resource"
            ]
        );
        assert_eq!(
            texts(resource_candidates(&url("https://a.example/"))),
            ["https://a.example/.well-known/oauth-protected-resource"]
        );
        assert_eq!(
            texts(issuer_candidates(&url("https://a.example/tenant1"))),
            [
                "https://a.example/.well-known/oauth-authorization-server/tenant1",
                "https://a.example/.well-known/openid-configuration/tenant1",
                "https://a.example/tenant1/.well-known/openid-configuration"
            ]
        );
        assert_eq!(
            texts(issuer_candidates(&url("https://a.example"))),
            [
                "https://a.example/.well-known/oauth-authorization-server",
                "https://a.example/.well-known/openid-configuration"
            ]
        );
    }

    #[test]
    fn metadata_of_another_resource_are_told_apart() {
        let server = url("https://a.example/public/mcp?x=1");
        for ours in ["https://a.example/public/mcp", "https://A.example:443/public/", "https://a.example"] {
            assert!(covers(ours, &server), "{ours}");
        }
        for other in [
            "https://b.example/public/mcp",
            "http://a.example/public/mcp",
            "https://a.example:8443/public/mcp",
            "https://a.example/public/mc",
            "https://a.example/public/mcp/more",
            "mcp",
        ] {
            assert!(!covers(other, &server), "{other}");
        }
    }
}
