//! Why there is no token.

use std::fmt;

use mcp_protocol::client::BoxError;

/// Why a client could not authorize itself.
///
/// Spec: 2026-07-28 basic/authorization.
#[derive(Debug)]
#[non_exhaustive]
pub enum AuthError {
    /// A request could not be sent, or its answer not be read.
    Http(BoxError),
    /// Neither the server nor its authorization server say where to go; the sentence says what was looked for.
    Discovery(String),
    /// The metadata are about another resource than the server they were asked for (RFC 9728 section 3.3).
    ResourceMismatch {
        /// The server's address.
        server: String,
        /// The resource that the metadata name.
        resource: String,
    },
    /// The authorization server's metadata, or its answer, name another issuer (RFC 8414 section 3.3, RFC 9207).
    IssuerMismatch {
        /// The issuer that was asked.
        expected: String,
        /// The issuer that the answer names; `None` when it names none although it should.
        got: Option<String>,
    },
    /// The authorization server does not say that it takes PKCE with S256.
    NoPkce {
        /// Which one.
        issuer: String,
    },
    /// An address that must be `https:` is not. Loopback addresses are exempt while the server itself is on one.
    Insecure(String),
    /// The authorization server did not register the client.
    Registration(String),
    /// There is no client identifier for this authorization server and no way to get one: ask the user.
    NoClient {
        /// Which one.
        issuer: String,
    },
    /// The authorization server refused, in its own words.
    Refused {
        /// The code, such as `access_denied` or `invalid_grant`.
        error: String,
        /// Its explanation.
        description: Option<String>,
    },
    /// The browser came back with an answer to another question.
    State,
    /// The user agent failed, or the user gave up.
    UserAgent(BoxError),
    /// An answer that is not what its standard says.
    Malformed(String),
}

impl fmt::Display for AuthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http(e) => write!(f, "A request of the authorization failed: {e}"),
            Self::Discovery(what) => write!(f, "The server does not say how to authorize: {what}"),
            Self::ResourceMismatch { server, resource } => {
                write!(f, "The metadata found for {server} are about {resource}")
            }
            Self::IssuerMismatch { expected, got: Some(got) } => {
                write!(f, "The authorization server {expected} was asked, and {got} answered")
            }
            Self::IssuerMismatch { expected, got: None } => {
                write!(f, "The answer does not say that it comes from {expected}, as was announced")
            }
            Self::NoPkce { issuer } => {
                write!(f, "The authorization server {issuer} does not announce PKCE with S256")
            }
            Self::Insecure(url) => write!(f, "The address must be https: {url}"),
            Self::Registration(why) => {
                write!(f, "The authorization server did not register the client: {why}")
            }
            Self::NoClient { issuer } => write!(f, "There is no client identifier for {issuer}"),
            Self::Refused { error, description: Some(why) } => {
                write!(f, "The authorization server refused: {error}: {why}")
            }
            Self::Refused { error, description: None } => {
                write!(f, "The authorization server refused: {error}")
            }
            Self::State => f.write_str("The browser came back with an answer to another question"),
            Self::UserAgent(e) => write!(f, "The user was not asked: {e}"),
            Self::Malformed(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for AuthError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Http(e) | Self::UserAgent(e) => Some(e.as_ref()),
            _ => None,
        }
    }
}
