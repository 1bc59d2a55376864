//! Tokens that are bound to a key of the client (RFC 9449): the proofs, and the nonces that servers want in them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use http::HeaderMap;
use oauth2::url::Url;

use crate::{
    discovery::{AuthorizationServer, origin_of},
    error::AuthError,
    jwt::{Signer, proof},
};

pub(crate) const NONCE: &str = "dpop-nonce";

/// The key, and the last nonce of each origin.
pub(crate) struct Dpop {
    key: Arc<dyn Signer>,
    nonces: Mutex<HashMap<String, String>>,
}

impl Dpop {
    pub(crate) fn new(key: Arc<dyn Signer>) -> Self {
        Self { key, nonces: Mutex::default() }
    }

    pub(crate) fn is_known_to(&self, server: &AuthorizationServer) -> bool {
        let known = server.dpop_signing_alg_values_supported.iter().flatten();
        known.into_iter().any(|algorithm| algorithm == self.key.algorithm())
    }

    pub(crate) fn proof(
        &self,
        method: &str,
        url: &Url,
        now: u64,
        token: Option<&str>,
    ) -> Result<String, AuthError> {
        let nonces = self.nonces.lock().unwrap_or_else(PoisonError::into_inner);
        let nonce = nonces.get(&origin_of(url)).map(String::as_str);
        proof(self.key.as_ref(), method, url, now, token, nonce)
    }

    /// Keeps the nonce that an answer brought; whether it is another one than before.
    pub(crate) fn learn(&self, url: &Url, headers: &HeaderMap) -> bool {
        let Some(nonce) = headers.get(NONCE).and_then(|v| v.to_str().ok()) else { return false };
        let mut nonces = self.nonces.lock().unwrap_or_else(PoisonError::into_inner);
        nonces.insert(origin_of(url), nonce.to_owned()).as_deref() != Some(nonce)
    }
}
