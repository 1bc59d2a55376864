//! How a client comes to its identifier ("Client Registration" in the specification): by arrangement, by the address of
//! a metadata document, or by registering itself (RFC 7591).

use bytes::Bytes;
use http::{Method, Request, header};
use mcp_transport_http::SendHttp;
use oauth2::url::Url;
use serde::Serialize;

use crate::{
    discovery::AuthorizationServer,
    error::AuthError,
    exchange::{is_loopback, send},
    store::ClientRegistration,
};

/// The statements of a client about itself, sent when it registers, or in the metadata document at the
/// address that is its identifier (RFC 7591 section 2, OpenID Connect Registration, OAuth Client ID Metadata
/// Document).
///
/// Spec: 2026-07-28 basic/authorization/client-registration; RFC 7591 section 2.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ClientMetadata {
    /// In a metadata document: the document's own address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Its name for people.
    pub client_name: String,
    /// Its home page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_uri: Option<String>,
    /// The addresses that users come back to.
    pub redirect_uris: Vec<String>,
    /// The grants it uses.
    pub grant_types: Vec<String>,
    /// The responses it takes; `code`.
    pub response_types: Vec<String>,
    /// How it proves itself at the token endpoint.
    pub token_endpoint_auth_method: String,
    /// `native` on a user's machine, `web` on a server.
    pub application_type: String,
    /// Whether it wants tokens that are bound to its key (RFC 9449 section 5.2).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dpop_bound_access_tokens: bool,
}

impl ClientMetadata {
    /// A client of that name, without a secret, whose users come back to `redirect_uri`.
    pub fn new(name: impl Into<String>, redirect_uri: impl Into<String>) -> Self {
        let redirect_uri = redirect_uri.into();
        let is_web = Url::parse(&redirect_uri).is_ok_and(|u| u.scheme() == "https" && !is_loopback(&u));
        Self {
            client_name: name.into(),
            redirect_uris: vec![redirect_uri],
            grant_types: ["authorization_code", "refresh_token"].map(str::to_owned).to_vec(),
            response_types: vec!["code".to_owned()],
            token_endpoint_auth_method: "none".to_owned(),
            application_type: if is_web { "web" } else { "native" }.to_owned(),
            ..Self::default()
        }
    }

    /// The first of the ways to prove itself that the authorization server knows; none at all, if it knows that.
    pub(crate) fn fit(&mut self, server: &AuthorizationServer) {
        let supported = server.token_endpoint_auth_methods_supported.as_deref();
        let known = ["none", "client_secret_basic", "client_secret_post"];
        let method = match supported {
            Some(supported) => known.into_iter().find(|m| supported.iter().any(|s| s == m)),
            // RFC 8414 section 2: silence means client_secret_basic
            None => Some("client_secret_basic"),
        };
        if let Some(method) = method {
            method.clone_into(&mut self.token_endpoint_auth_method);
        }
    }
}

/// Registers the client.
pub(crate) async fn register(
    http: &dyn SendHttp,
    server: &AuthorizationServer,
    metadata: &ClientMetadata,
    mcp_server: &Url,
) -> Result<ClientRegistration, AuthError> {
    let endpoint =
        server.endpoint(server.registration_endpoint.as_ref(), "registration endpoint", mcp_server)?;
    let body = serde_json::to_vec(metadata).expect("a struct of texts can be written");
    let request = Request::builder()
        .method(Method::POST)
        .uri(endpoint.as_str())
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json")
        .body(Bytes::from(body))
        .map_err(|e| AuthError::Http(e.into()))?;
    let response = send(http, request).await?;
    if response.status.is_success() {
        return response.json("The registration");
    }
    let said: serde_json::Value = serde_json::from_slice(&response.body).unwrap_or(serde_json::Value::Null);
    let text = |key: &str| said.get(key).and_then(serde_json::Value::as_str);
    let why = [text("error"), text("error_description")].into_iter().flatten().collect::<Vec<_>>().join(": ");
    Err(AuthError::Registration(if why.is_empty() { format!("status {}", response.status) } else { why }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_client_follows_from_its_way_back() {
        let kind = |uri: &str| ClientMetadata::new("c", uri).application_type;
        assert_eq!(kind("http://127.0.0.1:3000/callback"), "native");
        assert_eq!(kind("https://localhost/callback"), "native");
        assert_eq!(kind("com.example.app:/callback"), "native");
        assert_eq!(kind("https://app.example/callback"), "web");
    }

    #[test]
    fn a_client_registers_for_what_the_server_knows() {
        let method = |supported: Option<&[&str]>| {
            let supported = supported.map(|s| s.iter().map(|m| (*m).to_owned()).collect());
            let server = AuthorizationServer {
                token_endpoint_auth_methods_supported: supported,
                ..AuthorizationServer::default()
            };
            let mut metadata = ClientMetadata::new("c", "http://localhost/");
            metadata.fit(&server);
            metadata.token_endpoint_auth_method
        };
        assert_eq!(method(None), "client_secret_basic");
        assert_eq!(method(Some(&["client_secret_post", "client_secret_basic"])), "client_secret_basic");
        assert_eq!(method(Some(&["client_secret_post"])), "client_secret_post");
        assert_eq!(method(Some(&["private_key_jwt", "none"])), "none");
        assert_eq!(method(Some(&["tls_client_auth"])), "none");
    }
}
