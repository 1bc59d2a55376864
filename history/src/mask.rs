//! Secrets are masked before anything is stored: by the name of the parameter, and by the shape
//! of the value wherever it stands.

use serde_json::Value;

/// The text that replaces a secret.
const MASK: &str = "***";

/// Parts of parameter names, without separators and case, whose values are secret.
const SECRET_NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "apikey",
    "accesskey",
    "privatekey",
    "authorization",
    "credential",
    "bearer",
];

/// Well-known beginnings of tokens and the least number of characters that must follow.
const SECRET_PREFIXES: &[(&str, usize)] = &[
    ("sk-", 16),
    ("sk_live_", 10),
    ("rk_live_", 10),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxa-", 10),
    ("xapp-", 10),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("npm_", 30),
    ("hf_", 20),
    ("pypi-", 30),
    ("dop_v1_", 20),
];

/// Masks secrets in a parameter object, in depth.
pub(crate) fn mask_value(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (name, value) in map.iter_mut() {
                if value.is_string() && secret_name(name) {
                    *value = MASK.into();
                } else {
                    mask_value(value);
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(mask_value),
        Value::String(text) => {
            if let Some(masked) = mask_text(text) {
                *text = masked;
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn secret_name(name: &str) -> bool {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    plain.ends_with("token") || SECRET_NAMES.iter().any(|secret| plain.contains(secret))
}

/// The text with every word masked that looks like a secret; `None` when there is none.
pub(crate) fn mask_text(text: &str) -> Option<String> {
    let mut masked = String::new();
    let mut copied = 0;
    let mut hide = |from: usize, to: usize| {
        if from >= copied {
            masked.push_str(&text[copied..from]);
            masked.push_str(MASK);
            copied = to;
        }
    };
    let mut at = 0;
    let mut after_bearer = false;
    while at < text.len() {
        let rest = &text[at..];
        if let Some(end) = private_key(rest) {
            hide(at, at + end);
            at += end;
            continue;
        }
        let word = rest.find(is_break).unwrap_or(rest.len());
        if word == 0 {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let candidate = &rest[..word];
        if secret_word(candidate)
            || (after_bearer && candidate.len() >= 8 && candidate.contains(|c: char| c.is_ascii_digit()))
        {
            hide(at, at + word);
        } else if let Some((from, to)) = url_password(text, at, word) {
            hide(from, to);
        }
        after_bearer = candidate.eq_ignore_ascii_case("bearer");
        at += word;
    }
    (copied > 0).then(|| {
        masked.push_str(&text[copied..]);
        masked
    })
}

fn is_break(c: char) -> bool {
    !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '/' | '%' | '~'))
}

fn secret_word(word: &str) -> bool {
    let body = |rest: &str| {
        rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')).count()
    };
    let known = SECRET_PREFIXES.iter().any(|(prefix, least)| {
        // a path may end in a token as well: `x/ghp_…`
        word.match_indices(prefix).any(|(at, _)| {
            let starts = at == 0 || !word.as_bytes()[at - 1].is_ascii_alphanumeric();
            starts && body(&word[at + prefix.len()..]) >= *least
        })
    });
    // a JSON web token: three parts, the first two of which are base64 of `{"`
    let web_token = || {
        let parts: Vec<&str> = word.split('.').collect();
        matches!(parts.as_slice(), [head, body, _] if head.starts_with("eyJ") && body.starts_with("eyJ") && head.len() > 8)
    };
    known || web_token()
}

/// The end of a private key block at the start of the text; an unfinished one reaches to the end.
fn private_key(rest: &str) -> Option<usize> {
    let head = rest.strip_prefix("-----BEGIN ")?;
    let label = &head[..head.find("-----")?];
    if !label.ends_with("PRIVATE KEY") || label.len() > 40 {
        return None;
    }
    let closing = format!("-----END {label}-----");
    Some(rest.find(&closing).map_or(rest.len(), |at| at + closing.len()))
}

/// The password in `scheme://user:password@host`, seen from the word `user` (with its slashes).
fn url_password(text: &str, at: usize, word: usize) -> Option<(usize, usize)> {
    if !text[at..at + word].starts_with("//") || !text[..at].ends_with(':') {
        return None;
    }
    let from = at + word + 1;
    let rest = text[at + word..].strip_prefix(':')?;
    let end = rest.find(|c: char| c == '@' || c == '/' || c.is_whitespace())?;
    (end > 0 && rest[end..].starts_with('@')).then_some((from, from + end))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_and_shapes() {
        let mut value = json!({
            "apiToken": "x",
            "API-Key": "y",
            "nested": [{"db_password": "z"}, "ghp_0123456789abcdefghijABCDEFGHIJ"],
            "cursor": "MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA6MTA6MTA",
            "maxTokens": 5,
            "token": 7,
            "query": "secretary tokenizer",
        });
        mask_value(&mut value);
        assert_eq!(
            value,
            json!({
                "apiToken": "***",
                "API-Key": "***",
                "nested": [{"db_password": "***"}, "***"],
                "cursor": "MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA6MTA6MTA",
                "maxTokens": 5,
                "token": 7,
                "query": "secretary tokenizer",
            })
        );
    }

    #[test]
    fn words_in_text() {
        for (text, masked) in [
            ("key = \"sk-abcdefghijklmnopqrstuv\";", "key = \"***\";"),
            ("Authorization: Bearer abcdef012345", "Authorization: Bearer ***"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln and on", "*** and on"),
            ("postgres://app:s3cr3t@db/x", "postgres://app:***@db/x"),
            ("a\n-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nb", "a\n***\nb"),
            ("-----BEGIN PRIVATE KEY-----\nMII", "***"),
            ("AKIAABCDEFGHIJKLMNOP,ü,AKIAABCDEFGHIJKLMNOP", "***,ü,***"),
        ] {
            assert_eq!(mask_text(text).as_deref(), Some(masked), "{text}");
        }
        for harmless in [
            "risk-assessment-of-everything-here",
            "a bearer authentication header",
            "https://host:8080/path",
            "src/sk-ui/main.rs",
            "-----BEGIN CERTIFICATE-----",
            "ünïcödé ∑ 🦀",
            "",
        ] {
            assert_eq!(mask_text(harmless), None, "{harmless}");
        }
    }
}
