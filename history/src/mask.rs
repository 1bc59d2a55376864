//! Secrets are masked before anything is stored: by the name that they stand under, in parameters and in texts, and by
//! the shape of the value wherever it stands.

use std::ops::Range;

use serde_json::Value;

/// The text that replaces a secret.
const MASK: &str = "***";

/// Parts of names, without separators and case, whose values are secret.
const SECRET_NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "apikey",
    "accesskey",
    "accountkey",
    "privatekey",
    "authorization",
    "credential",
    "bearer",
    "cookie",
];

/// Well-known beginnings of tokens and the least number of characters that must follow.
const SECRET_PREFIXES: &[(&str, usize)] = &[
    ("sk-", 16),
    ("sk_live_", 10),
    ("sk_test_", 10),
    ("rk_live_", 10),
    ("rk_test_", 10),
    ("whsec_", 16),
    ("shpat_", 20),
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
    ("xoxs-", 10),
    ("xapp-", 10),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ya29.", 20),
    ("SG.", 20),
    ("hvs.", 20),
    ("npm_", 30),
    ("hf_", 20),
    ("pypi-", 30),
    ("dop_v1_", 20),
    ("dckr_pat_", 20),
    ("AGE-SECRET-KEY-1", 20),
];

/// Addresses that whoever knows them may post to; the rest of the address is the secret.
const SECRET_ADDRESSES: &[&str] = &["hooks.slack.com/services/", "discord.com/api/webhooks/"];

/// Words before the secret in a header `Authorization`.
const SCHEMES: &[&str] = &["bearer", "basic"];

/// Masks secrets in a parameter object, in depth.
pub(crate) fn mask_value(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (name, value) in map.iter_mut() {
                if is_secret_name(name) { mask_strings(value) } else { mask_value(value) }
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

/// Masks everything that stands under a secret name.
fn mask_strings(value: &mut Value) {
    match value {
        Value::Object(map) => map.values_mut().for_each(mask_strings),
        Value::Array(list) => list.iter_mut().for_each(mask_strings),
        Value::String(text) => MASK.clone_into(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_secret_name(name: &str) -> bool {
    let plain = plain(name);
    plain.ends_with("token") || is_strong(&plain)
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether nothing but a secret has such a name; a token may also be one of a grammar.
fn is_strong(plain: &str) -> bool {
    // alone it is the working directory
    (plain.ends_with("pwd") && plain != "pwd") || SECRET_NAMES.iter().any(|secret| plain.contains(secret))
}

/// The text with every secret masked; `None` when there is none.
pub(crate) fn mask_text(text: &str) -> Option<String> {
    let mut masked = String::new();
    let mut copied = 0;
    let mut at = 0;
    let mut has_scheme = false;
    while at < text.len() {
        let rest = &text[at..];
        let length = rest.find(is_break).unwrap_or(rest.len());
        let hidden = match private_key(rest) {
            Some(end) => Some(at..at + end),
            None if length > 0 => secret_at(text, at..at + length, has_scheme),
            None => None,
        };
        if length > 0 {
            has_scheme = SCHEMES.iter().any(|scheme| rest[..length].eq_ignore_ascii_case(scheme));
        }
        match hidden {
            Some(hidden) => {
                masked.push_str(&text[copied..hidden.start]);
                masked.push_str(MASK);
                copied = hidden.end;
                at = hidden.end;
            }
            None => at += if length > 0 { length } else { rest.chars().next().map_or(1, char::len_utf8) },
        }
    }
    (copied > 0).then(|| {
        masked.push_str(&text[copied..]);
        masked
    })
}

fn is_break(c: char) -> bool {
    !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '/' | '%' | '~'))
}

/// The secret that a word is, or that stands under it as a name.
fn secret_at(text: &str, word: Range<usize>, has_scheme: bool) -> Option<Range<usize>> {
    let whole = &text[word.clone()];
    // in a string of JSON the letter of an escape stands before the word: `\npassword`
    let is_escaped = text[..word.start].ends_with('\\') && whole.starts_with(['n', 'r', 't', 'b', 'f']);
    let own = if is_escaped { &whole[1..] } else { whole };
    let start = word.end - own.len();
    let is_credential = has_scheme && own.len() >= 8 && own.contains(|c: char| c.is_ascii_digit());
    if is_credential || is_token(own) {
        let padding = text[word.end..].bytes().take_while(|byte| is_credential && *byte == b'=').count();
        return Some(start..word.end + padding);
    }
    if is_token(whole) {
        return Some(word);
    }
    let address = SECRET_ADDRESSES.iter().find_map(|known| Some(own.find(known)? + known.len()));
    if let Some(from) = address.filter(|from| *from < own.len()) {
        return Some(start + from..word.end);
    }
    url_password(text, word.start, whole.len()).or_else(|| value_of(text, start..word.end))
}

fn is_token(word: &str) -> bool {
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
fn url_password(text: &str, at: usize, word: usize) -> Option<Range<usize>> {
    if !text[at..at + word].starts_with("//") || !text[..at].ends_with(':') {
        return None;
    }
    let from = at + word + 1;
    let rest = text[at + word..].strip_prefix(':')?;
    let end = rest.find(|c: char| c == '@' || c == '/' || c.is_whitespace())?;
    (end > 0 && rest[end..].starts_with('@')).then_some(from..from + end)
}

/// The value that a text gives to a secret name: `"password": "…"`, `X-Api-Key: …`, `?token=…`, `DB_PASSWORD=…`. Code that
/// only speaks of secrets (`password = read()`, `token: String`) has none.
fn value_of(text: &str, word: Range<usize>) -> Option<Range<usize>> {
    let name = text[word.clone()].rsplit(['/', '.']).next()?;
    let plain = plain(name);
    let is_cookie = plain.ends_with("cookie");
    let is_strong = is_strong(&plain);
    if !is_strong && !plain.ends_with("token") {
        return None;
    }
    let mut rest = &text[word.end..];
    let quote = opening_quote(rest);
    rest = rest[quote.map_or(0, str::len)..].trim_start_matches(']');
    let tight = rest.len();
    rest = rest.trim_start_matches(' ');
    let separator = ["=>", ":=", "=", ":"].into_iter().find(|sign| rest.starts_with(sign))?;
    rest = &rest[separator.len()..];
    if rest.starts_with(['=', ':']) {
        return None;
    }
    let has_spaces = rest.starts_with(' ') || tight != rest.len() + separator.len();
    rest = rest.trim_start_matches(' ');
    let has_digit = |value: &str| value.contains(|c: char| c.is_ascii_digit());
    if let Some(quote) = opening_quote(rest) {
        let start = text.len() - rest.len() + quote.len();
        let value = &rest[quote.len()..][..rest[quote.len()..].find(quote)?];
        let is_one = value.len() >= 4 && !value.contains(char::is_whitespace) && !is_placeholder(value);
        let is_secret = is_one && (is_strong || (value.len() >= 8 && has_digit(value)));
        return (is_secret || (is_cookie && value.contains('='))).then_some(start..start + value.len());
    }
    let start = text.len() - rest.len();
    if is_cookie && separator == ":" {
        let end = rest.find(['\n', '\r', '"', '\'', '\\']).unwrap_or(rest.len());
        return rest[..end].contains('=').then_some(start..start + end);
    }
    let ends = |c: char| c.is_whitespace() || "&\"'`;,()[]{}<>#\\|".contains(c);
    let value = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let is_variable = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let is_called =
        rest[value.len()..].starts_with(['(', '[', '<', '{']) || value.contains(['.', ':', '$', '*']);
    let is_secret = if separator == "=" && !has_spaces && text[..word.start].ends_with(['?', '&', ';']) {
        !value.is_empty()
    } else if separator == "=" && !has_spaces && name.chars().all(is_variable) {
        value.len() >= 4 && !is_placeholder(value)
    } else {
        let least = if separator == "=" && has_spaces { 16 } else { 8 };
        value.len() >= least && has_digit(value) && !is_called
    };
    is_secret.then_some(start..start + value.len())
}

/// A quote at the start of a text, with the backslashes that it has within other strings.
fn opening_quote(text: &str) -> Option<&str> {
    let slashes = text.len() - text.trim_start_matches('\\').len();
    text[slashes..].starts_with(['"', '\'']).then(|| &text[..=slashes])
}

/// Whether a value stands for another: `${PASSWORD}`, `<password>`, `{{ password }}`, `%s`.
fn is_placeholder(value: &str) -> bool {
    value.starts_with(['$', '<', '{', '%', '*'])
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
            "headers": {"Authorization": ["Basic a", "b"], "Accept": "c"},
            "credentials": {"user": "u", "value": {"deep": "d", "n": 1}},
            "db_pwd": "x",
            "pwd": "/work",
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
                "headers": {"Authorization": ["***", "***"], "Accept": "c"},
                "credentials": {"user": "***", "value": {"deep": "***", "n": 1}},
                "db_pwd": "***",
                "pwd": "/work",
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
            ("-H \"Authorization: Basic dXNlcjpwYXNzd29yZDEyMw==\" x", "-H \"Authorization: Basic ***\" x"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln and on", "*** and on"),
            ("postgres://app:s3cr3t@db/x", "postgres://app:***@db/x"),
            ("a\n-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nb", "a\n***\nb"),
            ("-----BEGIN PRIVATE KEY-----\nMII", "***"),
            ("AKIAABCDEFGHIJKLMNOP,ü,AKIAABCDEFGHIJKLMNOP", "***,ü,***"),
            (
                "at https://hooks.slack.com/services/T0/B0/Xy end",
                "at https://hooks.slack.com/services/*** end",
            ),
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

    #[test]
    fn values_under_secret_names() {
        for (text, masked) in [
            ("{\"client_secret\": \"abcd\", \"a\": \"b\"}", "{\"client_secret\": \"***\", \"a\": \"b\"}"),
            ("password: 'a-b-c-d'", "password: '***'"),
            ("password: yamlsecret99\nnext: 1", "password: ***\nnext: 1"),
            ("X-Api-Key: abcdef0123456789\r\nAccept: x", "X-Api-Key: ***\r\nAccept: x"),
            ("Cookie: a=b; session=c\nHost: x", "Cookie: ***\nHost: x"),
            ("headers[\"X-Api-Key\"] = \"abcdef\"", "headers[\"X-Api-Key\"] = \"***\""),
            ("/x?access_token=abc&y=1#z", "/x?access_token=***&y=1#z"),
            ("Server=db;Password=abc;Port=1", "Server=db;Password=***;Port=1"),
            ("export DB_PASSWORD=hunter\nA=b", "export DB_PASSWORD=***\nA=b"),
            ("--api-key=abcd1234efgh run", "--api-key=*** run"),
            ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG1", "aws_secret_access_key = ***"),
            ("refresh_token: \"1//0abcdef\"", "refresh_token: \"***\""),
        ] {
            assert_eq!(mask_text(text).as_deref(), Some(masked), "{text}");
            // the same as a string of JSON, and as one in one
            let (mut text, mut masked) = (json!(text).to_string(), json!(masked).to_string());
            assert_eq!(mask_text(&text).as_deref(), Some(&*masked), "{text}");
            (text, masked) = (json!(text).to_string(), json!(masked).to_string());
            assert_eq!(mask_text(&text).as_deref(), Some(&*masked), "{text}");
        }
        for token in
            ["ghp_0123456789abcdefghij", "npm_0123456789abcdefghijABCDEFGHIJ", "SG.abcdefghijklmnopqrstuv.x"]
        {
            for before in ["", "\n", "\t", "(", "\\", "x/"] {
                let (text, masked) = (format!("{before}{token}"), format!("{before}***"));
                let json = json!({"content": text}).to_string();
                let hidden = mask_text(&json).unwrap();
                assert!(!hidden.contains(&token[4..]), "{json}: {hidden}");
                assert!(
                    *hidden == *json!({"content": masked}).to_string() || before == "x/",
                    "{json}: {hidden}"
                );
            }
        }
    }

    #[test]
    fn code_about_secrets_stays() {
        for harmless in [
            "def login(password: str, token: str) -> bool:",
            "password = get_password2()",
            "check(password=password, token=token)",
            "let secret: [u8; 32] = random()?;",
            "fn token(&self) -> &Token2<'_> {",
            "token = request.headers[\"Authorization\"]",
            "if password == \"\" { return }",
            "Secret::new(secret)",
            "{ \"token\": \"comment\", \"foreground\": \"#123456\" }",
            "password: ${DB_PASSWORD}",
            "\"password\": \"<your password>\"",
            "the password: it must be long",
            "src/password/reset.py:12:5: in def reset",
            "const TOKEN_KIND: u32 = 17;",
            "cookie = jar.get(name)",
        ] {
            assert_eq!(mask_text(harmless), None, "{harmless}");
        }
    }
}
