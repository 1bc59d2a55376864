//! The token endpoint (RFC 6749 section 3.2): one request for every grant, with the client's proof of itself.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{Method, Request, header};
use mcp_transport_http::SendHttp;
use oauth2::{
    basic::{BasicErrorResponse, BasicTokenResponse},
    url::{Url, form_urlencoded},
};

use crate::{
    discovery::AuthorizationServer,
    dpop::Dpop,
    error::AuthError,
    exchange::{FullResponse, send},
    jwt::{Signer, client_assertion},
    store::ClientRegistration,
};

/// How a client proves itself at the token endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClientAuthentication {
    Nothing,
    Basic,
    Post,
    PrivateKey,
}

impl ClientAuthentication {
    /// The method agreed on at the registration; else one that both sides support.
    fn choose(client: &ClientRegistration, server: &AuthorizationServer, has_key: bool) -> Self {
        let named = |name: &str| match name {
            "none" => Some(Self::Nothing),
            "client_secret_basic" => Some(Self::Basic),
            "client_secret_post" => Some(Self::Post),
            "private_key_jwt" => Some(Self::PrivateKey),
            _ => None,
        };
        if let Some(agreed) = client.token_endpoint_auth_method.as_deref().and_then(named) {
            return agreed;
        }
        let supported: Vec<Self> = match &server.token_endpoint_auth_methods_supported {
            Some(names) => names.iter().filter_map(|n| named(n)).collect(),
            None => vec![Self::Basic],
        };
        let able = |proves: &Self| match proves {
            Self::PrivateKey => has_key,
            Self::Basic | Self::Post => client.client_secret.is_some(),
            Self::Nothing => true,
        };
        let usable = [Self::PrivateKey, Self::Basic, Self::Post, Self::Nothing];
        let both = usable.into_iter().find(|p| supported.contains(p) && able(p));
        both.unwrap_or(if client.client_secret.is_some() { Self::Basic } else { Self::Nothing })
    }
}

/// The context of a request at a token endpoint, beside its grant.
pub(crate) struct TokenEndpoint<'a> {
    pub(crate) http: &'a dyn SendHttp,
    pub(crate) server: &'a AuthorizationServer,
    pub(crate) client: &'a ClientRegistration,
    pub(crate) key: Option<&'a dyn Signer>,
    pub(crate) dpop: Option<&'a Dpop>,
    /// The MCP server that the token is for.
    pub(crate) mcp_server: &'a Url,
    /// Seconds since 1970.
    pub(crate) now: u64,
}

impl TokenEndpoint<'_> {
    /// Asks for a token. `grant` are the parameters of the grant, its type included.
    pub(crate) async fn request(&self, grant: &[(&str, &str)]) -> Result<BasicTokenResponse, AuthError> {
        self.request_raw(grant).await?.json("The token response")
    }

    /// The same, for answers of another form.
    pub(crate) async fn request_raw(&self, grant: &[(&str, &str)]) -> Result<FullResponse, AuthError> {
        let url =
            self.server.endpoint(self.server.token_endpoint.as_ref(), "token endpoint", self.mcp_server)?;
        let mut response = send(self.http, self.build(&url, grant)?).await?;
        // RFC 9449 section 8: the same once more, with the nonce
        let is_new = self.dpop.is_some_and(|dpop| dpop.learn(&url, &response.headers));
        if is_new && refusal(&response).is_some_and(|e| e == "use_dpop_nonce") {
            response = send(self.http, self.build(&url, grant)?).await?;
        }
        if response.status.is_success() {
            return Ok(response);
        }
        let refused: BasicErrorResponse = response.json("The token endpoint's error")?;
        Err(AuthError::Refused {
            error: refused.error().as_ref().to_owned(),
            description: refused.error_description().cloned(),
        })
    }

    fn build(&self, url: &Url, grant: &[(&str, &str)]) -> Result<Request<Bytes>, AuthError> {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(grant);
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(url.as_str())
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::ACCEPT, "application/json");
        let ClientRegistration { client_id, client_secret, .. } = self.client;
        let secret = client_secret.as_deref().unwrap_or_default();
        match ClientAuthentication::choose(self.client, self.server, self.key.is_some()) {
            ClientAuthentication::Basic => {
                // RFC 6749 section 2.3.1: both are encoded as in a form first
                let encoded =
                    |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
                let both = STANDARD.encode(format!("{}:{}", encoded(client_id), encoded(secret)));
                request = request.header(header::AUTHORIZATION, format!("Basic {both}"));
            }
            ClientAuthentication::Post => {
                form.append_pair("client_id", client_id).append_pair("client_secret", secret);
            }
            ClientAuthentication::Nothing => {
                form.append_pair("client_id", client_id);
            }
            ClientAuthentication::PrivateKey => {
                let key = self.key.ok_or_else(|| {
                    AuthError::Malformed("The client is registered with a key that is not here".to_owned())
                })?;
                let assertion = client_assertion(key, client_id, &self.server.issuer, self.now)?;
                form.append_pair("client_id", client_id)
                    .append_pair(
                        "client_assertion_type",
                        "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                    )
                    .append_pair("client_assertion", &assertion);
            }
        }
        if let Some(dpop) = self.dpop {
            request = request.header("dpop", dpop.proof("POST", url, self.now, None)?);
        }
        request.body(Bytes::from(form.finish())).map_err(|e| AuthError::Http(e.into()))
    }
}

/// The code of a refusal.
fn refusal(response: &FullResponse) -> Option<String> {
    if response.status.is_success() {
        return None;
    }
    let refused: BasicErrorResponse = serde_json::from_slice(&response.body).ok()?;
    Some(refused.error().as_ref().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_proves_itself_as_agreed_or_as_both_can() {
        let server = |methods: Option<&[&str]>| AuthorizationServer {
            token_endpoint_auth_methods_supported: methods
                .map(|m| m.iter().map(|m| (*m).to_owned()).collect()),
            ..AuthorizationServer::default()
        };
        let public = ClientRegistration::public("c");
        let secret = ClientRegistration::confidential("c", "s");
        let agreed = |method: &str| ClientRegistration {
            token_endpoint_auth_method: Some(method.to_owned()),
            ..ClientRegistration::confidential("c", "s")
        };
        for (client, methods, has_key, expected) in [
            (&public, None, false, ClientAuthentication::Nothing),
            (&secret, None, false, ClientAuthentication::Basic),
            (&secret, Some(&["client_secret_post"][..]), false, ClientAuthentication::Post),
            (&secret, Some(&["none"][..]), false, ClientAuthentication::Nothing),
            (
                &secret,
                Some(&["client_secret_post", "client_secret_basic"][..]),
                false,
                ClientAuthentication::Basic,
            ),
            (&public, Some(&["private_key_jwt"][..]), true, ClientAuthentication::PrivateKey),
            (&agreed("client_secret_post"), None, true, ClientAuthentication::Post),
            (&agreed("tls_client_auth"), None, false, ClientAuthentication::Basic),
        ] {
            assert_eq!(
                ClientAuthentication::choose(client, &server(methods), has_key),
                expected,
                "{client:?} {methods:?}"
            );
        }
    }
}
