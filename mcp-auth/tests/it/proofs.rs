//! Tokens that are bound to a key: what a server takes for a proof.

use std::sync::atomic::{AtomicU64, Ordering};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;
use hmac_sha256::Hash;
use http::{Request, Response, header};
use http_body_util::{BodyExt as _, Empty, Full};
use mcp_auth::{Challenge, DpopPolicy, Es256, ProtectedResource, ResourceServer, Signer as _, VerifiedToken};
use mcp_protocol::{UnixMillis, server::BoxFuture};
use serde_json::{Value, json};

const RESOURCE: &str = "https://mcp.example/mcp";
const NOW: u64 = 1_000_000;

fn now() -> UnixMillis {
    UnixMillis(NOW * 1000)
}

fn encoded(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

fn thumbprint(key: &Es256) -> String {
    let jwk = key.public_jwk();
    let made = format!(r#"{{"crv":"P-256","kty":"EC","x":{},"y":{}}}"#, jwk["x"], jwk["y"]);
    URL_SAFE_NO_PAD.encode(Hash::hash(made.as_bytes()))
}

/// A proof for a POST with the token `bound`, changed before it is signed.
fn proof(key: &Es256, id: &str, change: impl FnOnce(&mut Value, &mut Value)) -> String {
    let mut head = json!({"typ": "dpop+jwt", "alg": "ES256", "jwk": key.public_jwk()});
    let ath = URL_SAFE_NO_PAD.encode(Hash::hash(b"bound"));
    let mut claims = json!({"jti": id, "htm": "POST", "htu": RESOURCE, "iat": NOW, "ath": ath});
    change(&mut head, &mut claims);
    let message = format!("{}.{}", encoded(&head), encoded(&claims));
    let signature = key.sign(message.as_bytes()).expect("signed");
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
}

/// A server whose token `bound` belongs to the key, and `free` to nobody.
fn guard(key: &Es256, proofs: DpopPolicy, clock: fn() -> UnixMillis) -> ResourceServer {
    let metadata = ProtectedResource::new(RESOURCE, vec!["https://as.example".to_owned()]);
    let thumbprint = thumbprint(key);
    let verify = move |token: &str| -> BoxFuture<_> {
        let verified = VerifiedToken::new("ann", vec![RESOURCE.to_owned()])
            .with_key((token == "bound").then(|| thumbprint.clone()));
        Box::pin(std::future::ready(Ok(Some(verified))))
    };
    ResourceServer::builder(metadata, verify).dpop(proofs).clock(clock).build().expect("valid")
}

async fn ask(guard: &ResourceServer, authorization: &str, proofs: &[String]) -> Response<Bytes> {
    let mut request = Request::post("/mcp?x=1").header(header::AUTHORIZATION, authorization);
    for proof in proofs {
        request = request.header("dpop", proof);
    }
    let request = request.body(Full::<Bytes>::default()).expect("valid");
    let response = guard.handle(request, async |_| Response::new(Empty::<Bytes>::new())).await;
    let (parts, body) = response.into_parts();
    Response::from_parts(parts, body.collect().await.expect("a body").to_bytes())
}

#[tokio::test]
async fn a_bound_token_needs_a_proof_by_its_key_for_this_request() {
    let (key, other) = (Es256::generate().expect("a key"), Es256::generate().expect("a key"));
    let guard = guard(&key, DpopPolicy::es256(), now);
    let same = |_: &mut Value, _: &mut Value| {};
    let good = proof(&key, "1", same);
    assert_eq!(ask(&guard, "DPoP bound", std::slice::from_ref(&good)).await.status(), 200);
    assert_eq!(ask(&guard, "DPoP bound", &[good]).await.status(), 401, "a proof is good for one request");
    assert_eq!(ask(&guard, "Bearer free", &[]).await.status(), 200);
    let twice = [proof(&key, "2", same), proof(&key, "3", same)];
    let forged = proof(&key, "4", same).replace(&encoded(&key.public_jwk())[..8], "AAAAAAAA") + "A";
    let set = |part: usize, name: &'static str, value: Value| {
        move |head: &mut Value, claims: &mut Value| [head, claims][part][name] = value
    };
    for (authorization, proofs) in [
        ("Bearer bound", vec![]),
        ("DPoP bound", vec![]),
        ("DPoP free", vec![proof(&key, "5", same)]),
        ("DPoP bound", twice.to_vec()),
        ("DPoP bound", vec![forged]),
        ("DPoP bound", vec!["a.b.c".to_owned()]),
        ("DPoP bound", vec![proof(&other, "6", same)]),
        ("DPoP bound", vec![proof(&key, "7", set(0, "jwk", other.public_jwk()))]),
        ("DPoP bound", vec![proof(&key, "8", set(0, "typ", json!("JWT")))]),
        ("DPoP bound", vec![proof(&key, "9", set(0, "alg", json!("none")))]),
        ("DPoP bound", vec![proof(&key, "", same)]),
        ("DPoP bound", vec![proof(&key, "10", set(1, "htm", json!("GET")))]),
        ("DPoP bound", vec![proof(&key, "11", set(1, "htu", json!("https://other.example/mcp")))]),
        ("DPoP bound", vec![proof(&key, "12", set(1, "htu", json!("https://mcp.example/other")))]),
        ("DPoP bound", vec![proof(&key, "13", set(1, "iat", json!(NOW - 61)))]),
        ("DPoP bound", vec![proof(&key, "14", set(1, "iat", json!(NOW + 61)))]),
        ("DPoP bound", vec![proof(&key, "15", set(1, "ath", json!("AAAA")))]),
        ("DPoP bound", vec![proof(&key, "16", |head, _| head["jwk"]["d"] = json!("AAAA"))]),
    ] {
        let response = ask(&guard, authorization, &proofs).await;
        assert_eq!(response.status(), 401, "{authorization} {proofs:?}");
        assert!(response.headers().contains_key(header::WWW_AUTHENTICATE));
    }
    // a proof whose address has a query, or that was made a little earlier, is as good
    let earlier = proof(&key, "17", |_, claims| {
        claims["htu"] = json!("https://mcp.example/mcp?x=2#y");
        claims["iat"] = json!(NOW - 60);
    });
    assert_eq!(ask(&guard, "dpop bound", &[earlier]).await.status(), 200);
}

#[tokio::test]
async fn a_server_that_wants_bound_tokens_only_says_so() {
    let key = Es256::generate().expect("a key");
    let guard = guard(&key, DpopPolicy::es256().required(), now);
    let response = ask(&guard, "Bearer free", &[]).await;
    assert_eq!(response.status(), 401);
    let values: Vec<&str> = response
        .headers()
        .get_all(header::WWW_AUTHENTICATE)
        .iter()
        .map(|v| v.to_str().expect("text"))
        .collect();
    assert_eq!(
        values,
        [
            r#"DPoP resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp", algs="ES256""#
        ]
    );
}

#[tokio::test]
async fn a_nonce_is_told_wanted_and_grows_old() {
    let key = Es256::generate().expect("a key");
    static LATER: AtomicU64 = AtomicU64::new(0);
    let clock = || UnixMillis((NOW + LATER.load(Ordering::Relaxed)) * 1000);
    let guard = guard(&key, DpopPolicy::es256().nonces([7; 32]), clock);
    let with = |id: &str, nonce: &str| {
        let iat = NOW + LATER.load(Ordering::Relaxed);
        proof(&key, id, |_, claims| {
            claims["nonce"] = json!(nonce);
            claims["iat"] = json!(iat);
        })
    };
    let told = |response: &Response<Bytes>| {
        let challenge = Challenge::find(response.headers()).expect("a challenge");
        assert_eq!((challenge.scheme.as_str(), challenge.error.as_deref()), ("dpop", Some("use_dpop_nonce")));
        response.headers()["dpop-nonce"].to_str().expect("text").to_owned()
    };
    let refused = ask(&guard, "DPoP bound", &[with("1", "guessed")]).await;
    assert_eq!(refused.status(), 401);
    let nonce = told(&refused);
    assert_eq!(ask(&guard, "DPoP bound", &[with("2", &nonce)]).await.status(), 200);
    LATER.store(900, Ordering::Relaxed);
    let refused = ask(&guard, "DPoP bound", &[with("3", &nonce)]).await;
    let next = told(&refused);
    assert_ne!(next, nonce);
    assert_eq!(ask(&guard, "DPoP bound", &[with("4", &next)]).await.status(), 200);
}
