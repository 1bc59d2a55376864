//! OAuth 2.1 for the Model Context Protocol: a client that authorizes itself, and a server that checks tokens. HTTP is
//! passed in, as [`SendHttp`](mcp_transport_http::SendHttp); there is no runtime in here.
//!
//! # A client
//!
//! [`OAuth`] says how, [`OAuth::wrap`] gives an [`Authorized`] that sends an
//! [`HttpClient`](mcp_transport_http::HttpClient)'s requests. It does nothing until the server demands a token (401) or
//! more scopes (403); then it finds the authorization server, comes to a client identifier, asks the user, and sends the
//! request again.
//!
//! ```
//! use mcp_auth::{OAuth, UserAgent};
//! use mcp_protocol::{client::ClientBuilder, model::Implementation};
//! use mcp_transport_http::{HttpClient, HttpTransport, Hyper, Tokio};
//!
//! async fn connect(browser: impl UserAgent) -> Result<HttpClient, Box<dyn std::error::Error>> {
//!     let server = "https://mcp.example.com/mcp";
//!     let http = OAuth::with_user(server, browser)?.name("My agent").wrap(Hyper::default());
//!     let transport = HttpTransport::new(http, server.parse()?, Tokio::current());
//!     Ok(ClientBuilder::new(Implementation::new("my-agent", "1.0")).connect(transport).await?)
//! }
//! ```
//!
//! | what | where it follows |
//! |---|---|
//! | challenges, metadata, fallbacks down to 2025-03-26 | "Authorization Server Discovery"; RFC 9728, RFC 8414, OpenID Connect Discovery |
//! | identifiers: arranged, by metadata document, by registration; each bound to its issuer | "Client Registration"; RFC 7591 |
//! | consent: PKCE with S256, resource indicators, check of state and issuer | "Authorization Flow Steps"; RFC 7636, RFC 8707, RFC 9207 |
//! | scopes: from the challenge, the metadata, and those that were there before; step-up with a limit | "Scope Selection Strategy", "Step-Up Authorization Flow" |
//! | proof of the client: none, `client_secret_basic`, `client_secret_post`, `private_key_jwt` | RFC 6749, RFC 7523 |
//! | renewal, and `offline_access` where it exists | "Refresh Tokens" |
//! | without a user: client credentials, workload identity, enterprise-managed | the extensions of `ext-auth`; RFC 7523, RFC 8693 |
//! | tokens bound to a key, on both sides ([`DpopPolicy`]) | RFC 9449 |
//!
//! # A server
//!
//! [`ResourceServer`] stands before the service: it serves the metadata, checks tokens by a [`VerifyToken`] (audience,
//! expiry, key, scopes of the operation), and answers with challenges that a client can follow.
//!
//! ```
//! use mcp_auth::{ProtectedResource, ResourceServer, VerifiedToken, principal};
//! use mcp_protocol::{Server, endpoint::Admission, model::Implementation};
//! use mcp_transport_http::{Config, StreamableHttp};
//!
//! let issuers = vec!["https://auth.example.com".into()];
//! let metadata = ProtectedResource::new("https://mcp.example.com/mcp", issuers);
//! let guard = ResourceServer::builder(metadata, |token: &str| {
//!     let known = (token == "good").then(|| {
//!         VerifiedToken::new("ann", vec!["https://mcp.example.com/mcp".into()])
//!             .with_scopes(vec!["files:read".into()])
//!     });
//!     Box::pin(async move { Ok(known) }) as mcp_protocol::server::BoxFuture<_>
//! })
//! .scopes_for(|method, _| if method == "tools/call" { vec!["files:read".into()] } else { vec![] })
//! .build()?;
//! let server = Server::builder(Implementation::new("s", "1")).build()?;
//! let service = StreamableHttp::new(server, Config::default().admission(Admission::default().authorize(principal)));
//! let handle = move |request: http::Request<http_body_util::Full<bytes::Bytes>>| {
//!     let service = service.clone();
//!     guard.handle(request, move |request| async move { service.handle(request).await })
//! };
//! # drop(handle);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

mod assertion;
mod challenge;
mod client;
mod code;
mod discovery;
mod dpop;
mod error;
mod exchange;
mod jwt;
#[cfg(feature = "loopback")]
mod loopback;
mod proof;
mod registration;
mod server;
mod store;
mod token;

pub use assertion::{AssertionRequest, Assertions, IdentityProvider};
pub use challenge::Challenge;
pub use client::{Authorized, OAuth};
pub use code::UserAgent;
pub use discovery::{AuthorizationServer, ProtectedResource};
pub use error::AuthError;
#[cfg(feature = "es256")]
pub use jwt::Es256;
pub use jwt::Signer;
#[cfg(feature = "loopback")]
pub use loopback::Loopback;
pub use proof::DpopPolicy;
pub use registration::ClientMetadata;
pub use server::{GuardedBody, ResourceServer, ResourceServerBuilder, VerifiedToken, VerifyToken, principal};
pub use store::{ClientRegistration, CredentialStore, MemoryStore, Tokens};
