//! Tokens that are bound to a key, on the server's side (RFC 9449 section 4.3): whether a request comes from who holds the
//! key, now, and for the first time.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Mutex, PoisonError},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac_sha256::{HMAC, Hash};
use http::{HeaderMap, Method};
use oauth2::url::Url;
use serde::Deserialize;

use crate::dpop::NONCE;

/// How old a proof may be, and how far ahead its maker's clock, in seconds.
const WINDOW_S: u64 = 60;
/// How many proofs are remembered; then the oldest is forgotten before its time.
const MOST_SEEN: usize = 1 << 16;
/// How long a nonce is handed out, in seconds. It is taken for twice as long.
const NONCE_S: u64 = 300;
/// No identifier of a proof is longer than this, in bytes.
const LONGEST_ID: usize = 256;

/// Whether a key, given as a JWK, made this signature of this text.
type Verify = fn(&PublicKey, &[u8], &[u8]) -> bool;

/// How a [`ResourceServer`](crate::ResourceServer) checks proofs of possession.
///
/// Spec: RFC 9449 section 4.3; RFC 9449 section 9.
pub struct DpopPolicy {
    verify: Verify,
    required: bool,
    nonces: Option<[u8; 32]>,
    seen: Mutex<UsedProofs>,
}

#[derive(Default)]
struct UsedProofs {
    in_order: VecDeque<(u64, [u8; 32])>,
    all: HashSet<[u8; 32]>,
}

/// A defect of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProofDefect {
    /// There is none, or it proves nothing.
    Invalid,
    /// It lacks the nonce that the server wants.
    Nonce,
}

/// The request that a proof must cover.
pub(crate) struct Claimed<'r> {
    pub(crate) method: &'r Method,
    pub(crate) path: &'r str,
    pub(crate) headers: &'r HeaderMap,
    pub(crate) resource: &'r Url,
    pub(crate) token: &'r str,
    /// In seconds.
    pub(crate) now: u64,
}

#[derive(Deserialize)]
struct Head {
    typ: String,
    alg: String,
    jwk: PublicKey,
}

#[derive(Deserialize)]
struct PublicKey {
    kty: String,
    crv: String,
    x: String,
    y: String,
    /// A private key has no place in a proof.
    d: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Claims {
    jti: String,
    htm: String,
    htu: String,
    iat: u64,
    ath: String,
    nonce: Option<String>,
}

#[cfg(feature = "es256")]
fn es256(key: &PublicKey, message: &[u8], signature: &[u8]) -> bool {
    use p256::ecdsa::{Signature, VerifyingKey, signature::Verifier as _};
    let coordinate = |text: &str| URL_SAFE_NO_PAD.decode(text).ok().filter(|bytes| bytes.len() == 32);
    let (Some(x), Some(y)) = (coordinate(&key.x), coordinate(&key.y)) else { return false };
    let point = [vec![4], x, y].concat();
    let Ok(key) = VerifyingKey::from_sec1_bytes(&point) else { return false };
    Signature::from_slice(signature).is_ok_and(|signature| key.verify(message, &signature).is_ok())
}

impl DpopPolicy {
    /// DpopPolicy by keys on the curve P-256, the algorithm that every implementation has. Bearer tokens are taken too, unless
    /// they are bound to a key.
    #[cfg(feature = "es256")]
    #[must_use]
    pub fn es256() -> Self {
        Self { verify: es256, required: false, nonces: None, seen: Mutex::default() }
    }

    /// Takes bound tokens only.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Wants a nonce of its own in every proof, so that none can be made in advance. `secret` is the same on every
    /// instance of the server.
    #[must_use]
    pub fn nonces(mut self, secret: [u8; 32]) -> Self {
        self.nonces = Some(secret);
        self
    }

    pub(crate) fn are_required(&self) -> bool {
        self.required
    }

    /// The nonce that clients are told now.
    pub(crate) fn nonce(&self, now: u64) -> Option<String> {
        Some(nonce(&self.nonces?, now / NONCE_S))
    }

    /// The thumbprint (RFC 7638) of the key that the request was proven with.
    pub(crate) fn check(&self, claimed: &Claimed<'_>) -> Result<String, ProofDefect> {
        let (thumbprint, claims) = self.read(claimed).ok_or(ProofDefect::Invalid)?;
        let age_is_right = claims.iat <= claimed.now.saturating_add(WINDOW_S)
            && claims.iat.saturating_add(WINDOW_S) >= claimed.now;
        let is_about_this = claims.htm == claimed.method.as_str()
            && is_address(&claims.htu, claimed)
            && claims.ath == URL_SAFE_NO_PAD.encode(Hash::hash(claimed.token.as_bytes()));
        if !age_is_right || !is_about_this || claims.jti.is_empty() || claims.jti.len() > LONGEST_ID {
            return Err(ProofDefect::Invalid);
        }
        if let Some(secret) = &self.nonces {
            let step = claimed.now / NONCE_S;
            let is_ours =
                |given: &String| [step, step.saturating_sub(1)].iter().any(|s| nonce(secret, *s) == *given);
            if !claims.nonce.as_ref().is_some_and(is_ours) {
                return Err(ProofDefect::Nonce);
            }
        }
        let id = Hash::hash(format!("{thumbprint} {}", claims.jti).as_bytes());
        if self.is_new(id, claimed.now) { Ok(thumbprint) } else { Err(ProofDefect::Invalid) }
    }

    /// The one proof of the request, if it is signed by the key it shows.
    fn read(&self, claimed: &Claimed<'_>) -> Option<(String, Claims)> {
        let mut all = claimed.headers.get_all("dpop").iter();
        let (Some(proof), None) = (all.next(), all.next()) else { return None };
        let (message, signature) = proof.to_str().ok()?.rsplit_once('.')?;
        let (head, claims) = message.split_once('.')?;
        let part = |text: &str| URL_SAFE_NO_PAD.decode(text).ok();
        let head: Head = serde_json::from_slice(&part(head)?).ok()?;
        let claims: Claims = serde_json::from_slice(&part(claims)?).ok()?;
        let key = &head.jwk;
        let is_known = head.typ == "dpop+jwt" && head.alg == "ES256" && key.kty == "EC" && key.crv == "P-256";
        let is_proven =
            is_known && key.d.is_none() && (self.verify)(key, message.as_bytes(), &part(signature)?);
        is_proven.then(|| (thumbprint(key), claims))
    }

    /// Whether the proof was not seen before; it has been from now on.
    fn is_new(&self, id: [u8; 32], now: u64) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        // no proof that is taken is younger or older than the window
        while let Some((at, oldest)) = seen.in_order.front().copied()
            && (at.saturating_add(2 * WINDOW_S) < now || seen.in_order.len() >= MOST_SEEN)
        {
            seen.in_order.pop_front();
            seen.all.remove(&oldest);
        }
        let is_new = seen.all.insert(id);
        if is_new {
            seen.in_order.push_back((now, id));
        }
        is_new
    }
}

/// The header by which clients are told a nonce.
pub(crate) const TELL_NONCE: &str = NONCE;

fn nonce(secret: &[u8; 32], step: u64) -> String {
    URL_SAFE_NO_PAD.encode(HMAC::mac(format!("dpop-nonce {step}").as_bytes(), secret))
}

/// The members of a key that make it, in the order of their names, without white space (RFC 7638 section 3).
fn thumbprint(key: &PublicKey) -> String {
    // both coordinates are base64, which needs no escapes
    let made = format!(r#"{{"crv":"{}","kty":"{}","x":"{}","y":"{}"}}"#, key.crv, key.kty, key.x, key.y);
    URL_SAFE_NO_PAD.encode(Hash::hash(made.as_bytes()))
}

/// Whether a proof names the server's address, or the address below the same origin that was asked for.
fn is_address(named: &str, claimed: &Claimed<'_>) -> bool {
    let Ok(mut named) = Url::parse(named) else { return false };
    named.set_query(None);
    named.set_fragment(None);
    let resource = claimed.resource;
    named.origin() == resource.origin() && (named.path() == resource.path() || named.path() == claimed.path)
}
