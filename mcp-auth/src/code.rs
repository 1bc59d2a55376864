//! The user's consent: authorization codes with PKCE (OAuth 2.1 section 4.1), and the check of the answer's origin
//! ("Authorization Response Validation" in the specification, RFC 9207).

use mcp_protocol::client::BoxError;
use mcp_protocol::server::BoxFuture;
use oauth2::{
    AuthUrl, ClientId, CsrfToken, PkceCodeChallenge, RedirectUrl, Scope, basic::BasicClient,
    basic::BasicTokenResponse, url::Url,
};

use crate::{discovery::AuthorizationServer, error::AuthError, token::TokenEndpoint};

/// A program that can show an address to the user, mostly a browser.
///
/// Spec: 2026-07-28 basic/authorization; RFC 7636.
pub trait UserAgent: Send + Sync + 'static {
    /// The address that users come back to: a loopback address, an `https:` address, or a scheme of the
    /// application's own.
    fn redirect_uri(&self) -> String;
    /// Shows `url` to the user, and gives the whole address to which they came back.
    ///
    /// The client checks that address; an agent just hands it over.
    fn authorize(&self, url: String) -> BoxFuture<Result<String, BoxError>>;
}

/// Gets a token by the user's consent.
pub(crate) async fn by_consent(
    endpoint: &TokenEndpoint<'_>,
    agent: &dyn UserAgent,
    scopes: &[String],
    resource: &str,
) -> Result<BasicTokenResponse, AuthError> {
    let server = endpoint.server;
    let has_s256 = server.code_challenge_methods_supported.iter().flatten().any(|m| m == "S256");
    if !has_s256 {
        return Err(AuthError::NoPkce { issuer: server.issuer.clone() });
    }
    let redirect = agent.redirect_uri();
    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let url = server.endpoint(
        server.authorization_endpoint.as_ref(),
        "authorization endpoint",
        endpoint.mcp_server,
    )?;
    let (url, state) = {
        let redirect = RedirectUrl::new(redirect.clone()).map_err(|e| {
            AuthError::Malformed(format!("The redirect address {redirect:?} is malformed: {e}"))
        })?;
        BasicClient::new(ClientId::new(endpoint.client.client_id.clone()))
            .set_auth_uri(AuthUrl::from_url(url))
            .set_redirect_uri(redirect)
            .authorize_url(CsrfToken::new_random)
            .add_scopes(scopes.iter().cloned().map(Scope::new))
            .set_pkce_challenge(challenge)
            .add_extra_param("resource", resource)
            .url()
    };
    let back = agent.authorize(url.into()).await.map_err(AuthError::UserAgent)?;
    let code = code_of(&back, state.secret(), server)?;
    endpoint
        .request(&[
            ("grant_type", "authorization_code"),
            ("code", &code),
            ("redirect_uri", &redirect),
            ("code_verifier", verifier.secret()),
            ("resource", resource),
        ])
        .await
}

/// The code in an authorization response; before anything in it is used, it must be the answer to our question and from
/// whom we asked.
fn code_of(back: &str, state: &str, server: &AuthorizationServer) -> Result<String, AuthError> {
    let url = Url::parse(back)
        .map_err(|e| AuthError::Malformed(format!("The authorization response is no address: {e}")))?;
    let parameter = |name: &str| {
        let mut all = url.query_pairs().filter(|(n, _)| n == name).map(|(_, v)| v.into_owned());
        match (all.next(), all.next()) {
            (value, None) => Ok(value),
            (_, Some(_)) => {
                Err(AuthError::Malformed(format!("The authorization response has more than one {name}")))
            }
        }
    };
    if parameter("state")?.as_deref() != Some(state) {
        return Err(AuthError::State);
    }
    let promised = server.authorization_response_iss_parameter_supported == Some(true);
    match parameter("iss")? {
        Some(iss) if iss == server.issuer => {}
        None if !promised => {}
        got => return Err(AuthError::IssuerMismatch { expected: server.issuer.clone(), got }),
    }
    if let Some(error) = parameter("error")? {
        return Err(AuthError::Refused { error, description: parameter("error_description")? });
    }
    parameter("code")?
        .ok_or_else(|| AuthError::Malformed("The authorization response has no code".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_authorization_response_is_believed_only_from_whom_was_asked() {
        let server = |promised| AuthorizationServer {
            issuer: "https://as.example".to_owned(),
            authorization_response_iss_parameter_supported: promised,
            ..AuthorizationServer::default()
        };
        let read = |query: &str, promised| {
            code_of(&format!("http://127.0.0.1:1/cb?{query}"), "s", &server(promised)).map_err(|e| match e {
                AuthError::State => "state".to_owned(),
                AuthError::IssuerMismatch { .. } => "issuer".to_owned(),
                AuthError::Refused { error, .. } => error,
                _ => "malformed".to_owned(),
            })
        };
        let good = "code=c&state=s&iss=https%3A%2F%2Fas.example";
        for (query, promised, expected) in [
            (good, Some(true), Ok("c")),
            (good, None, Ok("c")),
            ("code=c&state=s", None, Ok("c")),
            ("code=c&state=s", Some(false), Ok("c")),
            ("code=c&state=s", Some(true), Err("issuer")),
            ("code=c&state=s&iss=https://as.example/", Some(true), Err("issuer")),
            ("code=c&state=s&iss=HTTPS://as.example", None, Err("issuer")),
            ("error=access_denied&state=s&iss=https://evil.example", None, Err("issuer")),
            ("error=access_denied&state=s", None, Err("access_denied")),
            ("code=c&state=t", None, Err("state")),
            ("code=c", None, Err("state")),
            ("code=c&code=d&state=s", None, Err("malformed")),
            ("state=s", None, Err("malformed")),
        ] {
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(read(query, promised), expected, "{query} {promised:?}");
        }
    }
}
