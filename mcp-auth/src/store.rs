//! The state that a client keeps: its registrations, each bound to the issuer that made it, and its tokens.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};

/// The client's registration at one authorization server.
///
/// Spec: 2026-07-28 basic/authorization/client-registration.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClientRegistration {
    /// Its identifier there; with client id metadata documents an `https:` address.
    pub client_id: String,
    /// Its secret, if it has one.
    #[serde(default)]
    pub client_secret: Option<String>,
    /// When the secret expires, in seconds since 1970; 0 is never (RFC 7591 section 3.2.1).
    #[serde(default)]
    pub client_secret_expires_at: u64,
    /// How it proves itself at the token endpoint, if that was agreed on: `none`, `client_secret_basic`,
    /// `client_secret_post` or `private_key_jwt`.
    #[serde(default)]
    pub token_endpoint_auth_method: Option<String>,
    /// The ways back that were registered; empty when nobody said.
    #[serde(default)]
    pub redirect_uris: Vec<String>,
}

impl ClientRegistration {
    /// A client without a secret.
    pub fn public(id: impl Into<String>) -> Self {
        Self {
            client_id: id.into(),
            client_secret: None,
            client_secret_expires_at: 0,
            token_endpoint_auth_method: None,
            redirect_uris: Vec::new(),
        }
    }

    /// A client with a secret.
    pub fn confidential(id: impl Into<String>, secret: impl Into<String>) -> Self {
        Self { client_secret: Some(secret.into()), ..Self::public(id) }
    }
}

impl fmt::Debug for ClientRegistration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let secret = self.client_secret.as_ref().map(|_| "…");
        f.debug_struct("ClientRegistration")
            .field("client_id", &self.client_id)
            .field("client_secret", &secret)
            .finish()
    }
}

/// The tokens that an authorization server issued for one resource.
///
/// Spec: 2026-07-28 basic/authorization.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tokens {
    /// The issuer.
    pub issuer: String,
    /// The token for the resource.
    pub access_token: String,
    /// Whether it is bound to the client's key (RFC 9449) instead of a bearer token.
    #[serde(default)]
    pub is_bound: bool,
    /// The token that gets the next access token.
    #[serde(default)]
    pub refresh_token: Option<String>,
    /// When it expires, in milliseconds since 1970, if that was said.
    #[serde(default)]
    pub expires_at: Option<u64>,
    /// The scopes that were asked for or given.
    #[serde(default)]
    pub scopes: Vec<String>,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens")
            .field("issuer", &self.issuer)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

/// A store for the data that a client must not lose. The values are secrets: a store on disk belongs into the key
/// ring of the system, or at least into a file that only its user reads.
///
/// Spec: 2026-07-28 basic/authorization/security-considerations.
pub trait CredentialStore: Send + Sync + 'static {
    /// The registration at an issuer.
    fn client(&self, issuer: &str) -> Option<ClientRegistration>;
    /// Keeps the registration at an issuer, or forgets it.
    fn keep_client(&self, issuer: &str, client: Option<&ClientRegistration>);
    /// The tokens for a server, by its address.
    fn tokens(&self, server: &str) -> Option<Tokens>;
    /// Keeps the tokens for a server, or forgets them.
    fn keep_tokens(&self, server: &str, tokens: Option<&Tokens>);
}

/// Keeps everything as long as the process lives.
///
/// Spec: 2026-07-28 basic/authorization/security-considerations.
#[derive(Default)]
pub struct MemoryStore(Mutex<StoredCredentials>);

#[derive(Default)]
struct StoredCredentials {
    clients: HashMap<String, ClientRegistration>,
    tokens: HashMap<String, Tokens>,
}

impl MemoryStore {
    fn kept(&self) -> MutexGuard<'_, StoredCredentials> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn keep<T: Clone>(map: &mut HashMap<String, T>, key: &str, value: Option<&T>) {
    match value {
        Some(value) => drop(map.insert(key.to_owned(), value.clone())),
        None => drop(map.remove(key)),
    }
}

impl CredentialStore for MemoryStore {
    fn client(&self, issuer: &str) -> Option<ClientRegistration> {
        self.kept().clients.get(issuer).cloned()
    }
    fn keep_client(&self, issuer: &str, client: Option<&ClientRegistration>) {
        keep(&mut self.kept().clients, issuer, client);
    }
    fn tokens(&self, server: &str) -> Option<Tokens> {
        self.kept().tokens.get(server).cloned()
    }
    fn keep_tokens(&self, server: &str, tokens: Option<&Tokens>) {
        keep(&mut self.kept().tokens, server, tokens);
    }
}
