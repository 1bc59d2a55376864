//! The `WWW-Authenticate` header (RFC 9110 section 11.6.1, RFC 6750 section 3, RFC 9728 section 5.1): read and written.

use http::{HeaderMap, header};

/// The demands of a server in its refusal of a request.
///
/// Spec: 2026-07-28 basic/authorization; RFC 6750 section 3; RFC 9728 section 5.1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Challenge {
    /// The scheme in lower case: `bearer` or `dpop`.
    pub scheme: String,
    /// The address of the server's metadata.
    pub resource_metadata: Option<String>,
    /// The scopes that the request needs.
    pub scopes: Vec<String>,
    /// The reason why the sent token is not accepted, such as `insufficient_scope`.
    pub error: Option<String>,
    /// The same for people.
    pub error_description: Option<String>,
}

impl Challenge {
    /// The first challenge of a response that a client of ours can meet: `Bearer` or `DPoP`.
    #[must_use]
    pub fn find(headers: &HeaderMap) -> Option<Self> {
        let values = headers.get_all(header::WWW_AUTHENTICATE);
        let mut all = values.iter().filter_map(|v| v.to_str().ok()).flat_map(parse);
        all.find(|c| matches!(c.scheme.as_str(), "bearer" | "dpop"))
    }

    /// The header's value, for the scheme `DPoP` if it is that, or else `Bearer`.
    #[must_use]
    pub fn header_value(&self) -> String {
        let scopes = self.scopes.join(" ");
        let parameters = [
            ("error", self.error.as_deref()),
            ("error_description", self.error_description.as_deref()),
            ("scope", Some(scopes.as_str()).filter(|s| !s.is_empty())),
            ("resource_metadata", self.resource_metadata.as_deref()),
        ];
        let written: Vec<String> = parameters
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name}=\"{}\"", quoted(value?))))
            .collect();
        let scheme = if self.scheme == "dpop" { "DPoP" } else { "Bearer" };
        if written.is_empty() { scheme.to_owned() } else { format!("{scheme} {}", written.join(", ")) }
    }

    fn set(&mut self, name: &str, value: String) {
        match name.to_ascii_lowercase().as_str() {
            "resource_metadata" => self.resource_metadata = Some(value),
            "scope" => self.scopes = value.split_ascii_whitespace().map(str::to_owned).collect(),
            "error" => self.error = Some(value),
            "error_description" => self.error_description = Some(value),
            _ => {}
        }
    }
}

/// A text for between quotes; what has no place in a header is left out.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().filter(|c| *c == ' ' || c.is_ascii_graphic()) {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Every challenge of a header. A scheme is a token that no `=` follows; the rest belongs to the last scheme.
fn parse(value: &str) -> Vec<Challenge> {
    let mut found: Vec<Challenge> = Vec::new();
    let mut rest = value;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let token = rest.split(|c: char| !is_token(c)).next().unwrap_or_default();
        if token.is_empty() {
            return found;
        }
        rest = &rest[token.len()..];
        let after = rest.trim_start();
        match after.strip_prefix('=') {
            // the padding of a token68 is no value
            Some(after) if !after.starts_with('=') => {
                let value;
                (value, rest) = parameter_value(after.trim_start());
                if let Some(challenge) = found.last_mut() {
                    challenge.set(token, value);
                }
            }
            Some(after) => rest = after.trim_start_matches('='),
            None => found.push(Challenge { scheme: token.to_ascii_lowercase(), ..Challenge::default() }),
        }
    }
}

fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~/".contains(c)
}

/// A quoted string or a token, and what follows it.
fn parameter_value(text: &str) -> (String, &str) {
    let Some(inner) = text.strip_prefix('"') else {
        let end = text.find([' ', '\t', ',']).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (value, &inner[at + 1..]),
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            c => value.push(c),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(values: &[&str]) -> Option<Challenge> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::WWW_AUTHENTICATE, value.parse().expect("a header"));
        }
        Challenge::find(&headers)
    }

    #[test]
    fn the_bearer_challenge_is_found_among_others() {
        let expected = Challenge {
            scheme: "bearer".into(),
            resource_metadata: Some("https://a.example/m?x=1,2".into()),
            scopes: vec!["a".into(), "b:c".into()],
            error: Some("invalid_token".into()),
            error_description: Some("say \"please\", then".into()),
        };
        let text = r#"Basic realm="x, y", Negotiate abc==, BEARER realm=z , Scope="a  b:c",error=invalid_token, resource_metadata = "https://a.example/m?x=1,2", error_description="say \"please\", then""#;
        assert_eq!(found(&[text]), Some(expected.clone()));
        assert_eq!(found(&["Digest a=b", &text.replace("BEARER", "Bearer")]), Some(expected));
        assert_eq!(found(&["Basic realm=x", "Negotiate"]), None);
        assert_eq!(found(&["Bearer"]).map(|c| c.scheme), Some("bearer".to_owned()));
        assert_eq!(found(&["DPoP algs=\"ES256\""]).map(|c| c.scheme), Some("dpop".to_owned()));
        assert_eq!(found(&[]), None);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let challenge = Challenge {
            scheme: "bearer".into(),
            resource_metadata: Some("https://a.example/m".into()),
            scopes: vec!["a".into(), "b".into()],
            error: Some("insufficient_scope".into()),
            error_description: Some("a \"b\" \\c".into()),
        };
        assert_eq!(found(&[&challenge.header_value()]), Some(challenge));
        assert_eq!(Challenge::default().header_value(), "Bearer");
    }

    #[test]
    fn nonsense_holds_no_parameters_and_ends() {
        for text in ["=", "\"", "a=\"", "a=\"\\", ",,,", "Bearer =", "Bearer a==b", "é", "Bearer foo=\"a"] {
            let empty = |c: &Challenge| Challenge { scheme: c.scheme.clone(), ..Challenge::default() } == *c;
            assert!(parse(text).iter().all(empty), "{text}");
        }
    }
}
