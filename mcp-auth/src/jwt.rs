//! Signed statements of the client: that it is who it says (RFC 7523), and that a request is its own (RFC 9449).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac_sha256::Hash;
use mcp_protocol::client::BoxError;
use oauth2::url::Url;
use serde_json::{Value, json};

use crate::error::AuthError;

/// A private key, here or in a device.
///
/// Spec: RFC 7515.
pub trait Signer: Send + Sync + 'static {
    /// The JWS algorithm, such as `ES256` (RFC 7518 section 3.1).
    fn algorithm(&self) -> &str;
    /// The public key as a JWK (RFC 7517).
    fn public_jwk(&self) -> Value;
    /// The signature in the form that JWS gives it (RFC 7515).
    ///
    /// # Errors
    /// When the key cannot be used.
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, BoxError>;
    /// The name of the key in the client's key set, if it has one.
    fn key_id(&self) -> Option<&str> {
        None
    }
}

/// A key on the curve P-256.
///
/// Spec: RFC 7518 section 3.4.
#[cfg(feature = "es256")]
pub struct Es256 {
    key: p256::ecdsa::SigningKey,
    id: Option<String>,
}

#[cfg(feature = "es256")]
impl Es256 {
    /// A fresh key.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn generate() -> Result<Self, AuthError> {
        let mut bytes = [0; 32];
        loop {
            getrandom::fill(&mut bytes)
                .map_err(|e| AuthError::Malformed(format!("There is no randomness: {e}")))?;
            // nearly every text of 32 bytes is a key
            if let Ok(key) = p256::ecdsa::SigningKey::from_slice(&bytes) {
                return Ok(Self { key, id: None });
            }
        }
    }

    /// A key in PKCS #8, as PEM.
    ///
    /// # Errors
    /// When the text is no such key.
    pub fn from_pem(pem: &str) -> Result<Self, AuthError> {
        use p256::pkcs8::DecodePrivateKey as _;
        let key = p256::ecdsa::SigningKey::from_pkcs8_pem(pem)
            .map_err(|e| AuthError::Malformed(format!("The private key is malformed: {e}")))?;
        Ok(Self { key, id: None })
    }

    /// The same key under its name in the client's key set.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }
}

#[cfg(feature = "es256")]
impl Signer for Es256 {
    fn algorithm(&self) -> &str {
        "ES256"
    }

    fn public_jwk(&self) -> Value {
        let point = self.key.verifying_key().to_sec1_point(false);
        let coordinate = |c: Option<&_>| c.map(|bytes: &p256::FieldBytes| URL_SAFE_NO_PAD.encode(bytes));
        json!({"kty": "EC", "crv": "P-256", "x": coordinate(point.x()), "y": coordinate(point.y())})
    }

    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, BoxError> {
        use p256::ecdsa::{Signature, signature::Signer as _};
        let signature: Signature = self.key.try_sign(message)?;
        Ok(signature.to_bytes().to_vec())
    }

    fn key_id(&self) -> Option<&str> {
        self.id.as_deref()
    }
}

/// A number that nobody has seen before.
pub(crate) fn fresh_id() -> Result<String, AuthError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|e| AuthError::Malformed(format!("There is no randomness: {e}")))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

fn signed(key: &dyn Signer, mut header: Value, claims: &Value) -> Result<String, AuthError> {
    header["alg"] = key.algorithm().into();
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!("{}.{}", part(&header), part(claims));
    let signature = key.sign(message.as_bytes()).map_err(AuthError::Http)?;
    Ok(format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

/// How long an assertion is good for, in seconds: long enough for clocks that differ.
const ASSERTION_LIFETIME: u64 = 300;

/// The assertion by which a client proves itself to an issuer (`private_key_jwt`).
pub(crate) fn client_assertion(
    key: &dyn Signer,
    client_id: &str,
    issuer: &str,
    now: u64,
) -> Result<String, AuthError> {
    let mut header = json!({"typ": "JWT"});
    if let Some(id) = key.key_id() {
        header["kid"] = id.into();
    }
    let claims = json!({
        "iss": client_id, "sub": client_id, "aud": issuer, "jti": fresh_id()?,
        "iat": now, "exp": now + ASSERTION_LIFETIME,
    });
    signed(key, header, &claims)
}

/// A DPoP proof for one request (RFC 9449 section 4.2).
pub(crate) fn proof(
    key: &dyn Signer,
    method: &str,
    url: &Url,
    now: u64,
    token: Option<&str>,
    nonce: Option<&str>,
) -> Result<String, AuthError> {
    let mut target = url.clone();
    target.set_query(None);
    target.set_fragment(None);
    let header = json!({"typ": "dpop+jwt", "jwk": key.public_jwk()});
    let mut claims = json!({"jti": fresh_id()?, "htm": method, "htu": target.as_str(), "iat": now});
    if let Some(token) = token {
        claims["ath"] = URL_SAFE_NO_PAD.encode(Hash::hash(token.as_bytes())).into();
    }
    if let Some(nonce) = nonce {
        claims["nonce"] = nonce.into();
    }
    signed(key, header, &claims)
}

#[cfg(all(test, feature = "es256"))]
mod tests {
    use super::*;

    fn decoded(part: &str) -> Value {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).expect("base64")).expect("JSON")
    }

    #[test]
    fn a_proof_is_signed_by_the_key_it_shows_and_names_its_request() {
        use p256::ecdsa::{Signature, VerifyingKey, signature::Verifier as _};
        let key = Es256::generate().expect("a key");
        let url = Url::parse("https://a.example/mcp?x=1#f").expect("a literal");
        let text = proof(&key, "POST", &url, 7, Some("token"), Some("n")).expect("signed");
        let (message, signature) = text.rsplit_once('.').expect("three parts");
        let (header, claims) = message.split_once('.').expect("three parts");
        let (header, claims) = (decoded(header), decoded(claims));
        assert_eq!((&header["typ"], &header["alg"]), (&json!("dpop+jwt"), &json!("ES256")));
        let coordinate = |name: &str| {
            let text = header["jwk"][name].as_str().expect("a coordinate");
            URL_SAFE_NO_PAD.decode(text).expect("base64")
        };
        let point = [vec![4], coordinate("x"), coordinate("y")].concat();
        let shown = VerifyingKey::from_sec1_bytes(&point).expect("a point");
        let signature = URL_SAFE_NO_PAD.decode(signature).expect("base64");
        let signature = Signature::from_slice(&signature).expect("a signature");
        shown.verify(message.as_bytes(), &signature).expect("its own");
        assert_eq!(claims["htu"], "https://a.example/mcp");
        assert_eq!(claims["ath"], "PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-A");
        assert_eq!(
            (&claims["htm"], &claims["iat"], &claims["nonce"]),
            (&json!("POST"), &json!(7), &json!("n"))
        );
        let again = proof(&key, "POST", &url, 7, None, None).expect("signed");
        let again = decoded(again.split('.').nth(1).expect("three parts"));
        assert_ne!(again["jti"], claims["jti"]);
        assert_eq!((again.get("ath"), again.get("nonce")), (None, None));
    }
}
