//! A client that is refused and comes back with a token.

use std::{
    error::Error as _,
    sync::atomic::{AtomicU64, Ordering},
};

use mcp_auth::{AuthError, ClientRegistration, Es256, OAuth, Signer as _};
use mcp_protocol::client::{ClientError, ClientExt as _};
use mcp_protocol::{Json, UnixMillis};
use mcp_transport_http::HttpClient;
use serde_json::json;

use crate::authority::World;

async fn call(client: &HttpClient, tool: &str) -> Result<String, ClientError> {
    let result = client.call_tool(tool, &Json::empty_object()).await?;
    Ok(result.into_result()?.content[0].as_text().expect("text").to_owned())
}

/// The reason that lies below a failed call.
fn reason(error: &ClientError) -> &AuthError {
    let ClientError::Transport(e) = error else { panic!("not of the transport: {error}") };
    e.downcast_ref().expect("an authorization's")
}

#[tokio::test]
async fn a_client_finds_registers_asks_and_is_let_in() {
    let world = World::start().await;
    let oauth = OAuth::with_user(&world.mcp, world.user()).expect("valid").name("Agent");
    let client = world.connect(oauth).await.expect("let in");
    assert_eq!(call(&client, "whoami").await.expect("an answer"), "ann");
    assert_eq!(world.asked(), ["register", "authorize", "token"]);
    assert_eq!(world.parameters("register", "client_name"), ["Agent"]);
    assert_eq!(world.parameters("register", "application_type"), ["native"]);
    assert_eq!(world.parameters("authorize", "scope"), ["basic"]);
    for kind in ["authorize", "token"] {
        assert_eq!(world.parameters(kind, "resource"), std::slice::from_ref(&world.mcp));
    }
}

#[tokio::test]
async fn more_scopes_are_asked_for_beside_those_that_were_there() {
    let world = World::start().await;
    let client =
        world.connect(OAuth::with_user(&world.mcp, world.user()).expect("valid")).await.expect("let in");
    assert_eq!(call(&client, "admin").await.expect("an answer"), "done");
    assert_eq!(call(&client, "whoami").await.expect("an answer"), "ann");
    assert_eq!(world.parameters("authorize", "scope"), ["basic", "basic admin"]);
    assert_eq!(world.asked().iter().filter(|k| **k == "register").count(), 1);
}

#[tokio::test]
async fn what_is_not_given_is_not_asked_for_again() {
    let world = World::start().await;
    let client =
        world.connect(OAuth::with_user(&world.mcp, world.user()).expect("valid")).await.expect("let in");
    // the authorization server gives less than it is asked for
    for scopes in world.state().tokens.values_mut() {
        scopes.clear();
    }
    let refused = call(&client, "whoami").await.expect_err("refused");
    assert!(matches!(refused, ClientError::Status { status: 403, .. }), "{refused}");
    assert_eq!(world.consents.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn an_old_token_is_renewed_and_a_withdrawn_one_replaced() {
    static NOW: AtomicU64 = AtomicU64::new(1_000_000);
    let world = World::start().await;
    let oauth = OAuth::with_user(&world.mcp, world.user()).expect("valid");
    let oauth = oauth.clock(|| UnixMillis(NOW.load(Ordering::Relaxed)));
    let client = world.connect(oauth).await.expect("let in");
    NOW.fetch_add(3_600_000, Ordering::Relaxed);
    assert_eq!(call(&client, "whoami").await.expect("an answer"), "ann");
    assert_eq!(world.parameters("token", "grant_type"), ["authorization_code", "refresh_token"]);
    // the server takes it no more, although it is not old
    world.state().tokens.clear();
    assert_eq!(call(&client, "whoami").await.expect("an answer"), "ann");
    world.state().tokens.clear();
    world.state().refresh_tokens.clear();
    assert_eq!(call(&client, "whoami").await.expect("an answer"), "ann");
    let grants =
        ["authorization_code", "refresh_token", "refresh_token", "refresh_token", "authorization_code"];
    assert_eq!(world.parameters("token", "grant_type"), grants);
    assert_eq!(world.consents.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn the_user_is_asked_once_however_many_requests_wait() {
    let world = World::start().await;
    let client =
        world.connect(OAuth::with_user(&world.mcp, world.user()).expect("valid")).await.expect("let in");
    world.state().tokens.clear();
    world.state().refresh_tokens.clear();
    let (a, b, c) = tokio::join!(call(&client, "whoami"), call(&client, "whoami"), call(&client, "whoami"));
    for answer in [a, b, c] {
        assert_eq!(answer.expect("an answer"), "ann");
    }
    assert_eq!(world.consents.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn metadata_that_cannot_be_trusted_are_not_used() {
    let world = World::start().await;
    for (metadata, is_right) in [
        (
            json!({"issuer": "https://evil.example"}),
            (|e| matches!(e, AuthError::IssuerMismatch { .. })) as fn(&AuthError) -> bool,
        ),
        (json!({"code_challenge_methods_supported": null}), |e| matches!(e, AuthError::NoPkce { .. })),
        (json!({"code_challenge_methods_supported": ["plain"]}), |e| matches!(e, AuthError::NoPkce { .. })),
        (json!({"authorization_endpoint": null}), |e| matches!(e, AuthError::Discovery(_))),
        (json!({"registration_endpoint": null}), |e| matches!(e, AuthError::NoClient { .. })),
        (json!({"token_endpoint": "http://as.example/token"}), |e| matches!(e, AuthError::Insecure(_))),
    ] {
        world.state().metadata = metadata.clone();
        let oauth = OAuth::with_user(&world.mcp, world.user()).expect("valid");
        let error = world.connect(oauth).await.err().expect("refused");
        assert!(is_right(reason(&error)), "{metadata}: {error}");
        assert!(error.source().is_none() && !error.to_string().is_empty());
    }
    assert!(!world.asked().contains(&"token"));
}

#[tokio::test]
async fn a_client_without_a_user_proves_itself_with_its_key() {
    let world = World::start().await;
    let key = Es256::generate().expect("a key");
    let jwk = key.public_jwk();
    let coordinate = |name: &str| {
        use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
        URL_SAFE_NO_PAD.decode(jwk[name].as_str().expect("text")).expect("base64")
    };
    let point = [vec![4], coordinate("x"), coordinate("y")].concat();
    world.state().key = Some(p256::ecdsa::VerifyingKey::from_sec1_bytes(&point).expect("a point"));
    let oauth = OAuth::with_client_credentials(&world.mcp).expect("valid");
    let client = world
        .connect(oauth.registration(Some(&world.issuer), ClientRegistration::public("robot")).client_key(key))
        .await;
    assert_eq!(call(&client.expect("let in"), "whoami").await.expect("an answer"), "ann");
    assert_eq!(world.parameters("token", "grant_type"), ["client_credentials"]);
    let other = OAuth::with_client_credentials(&world.mcp).expect("valid");
    let other = other
        .registration(None, ClientRegistration::public("robot"))
        .client_key(Es256::generate().expect("a key"));
    let error = world.connect(other).await.err().expect("refused");
    let is_right = matches!(reason(&error), AuthError::Refused { error, .. } if error == "invalid_client");
    assert!(is_right, "{error}");
}

#[tokio::test]
async fn an_arranged_client_is_shown_to_its_issuer_only() {
    let world = World::start().await;
    let oauth = OAuth::with_client_credentials(&world.mcp).expect("valid");
    let oauth = oauth
        .registration(Some("https://elsewhere.example"), ClientRegistration::confidential("robot", "secret"));
    let error = world.connect(oauth).await.err().expect("refused");
    assert!(matches!(reason(&error), AuthError::NoClient { .. }), "{error}");
    assert_eq!(world.asked(), [""; 0]);
}
