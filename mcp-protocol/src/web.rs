//! The checks that HTTP transports make before they read a body, as rules over header texts: DNS rebinding (origins
//! and hosts), and which of our two answer forms the client takes.

/// Which `Host` and `Origin` a server answers to.
///
/// A page on another site can make a browser send requests to a local server; it cannot choose the `Origin` header, and
/// when it rebinds a name of its own to the local address, the `Host` header still has that name.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    hosts: Vec<String>,
    origins: Vec<String>,
    any: bool,
}

impl Gate {
    /// Loopback names only, on any port: right for a server bound to a loopback address.
    #[must_use]
    pub fn loopback() -> Self {
        Self::default()
    }

    /// Every host and origin. Only behind something that does the checking.
    #[must_use]
    pub fn dangerously_open() -> Self {
        Self { any: true, ..Self::default() }
    }

    /// Also the host of that name: `example.org` (any port) or `example.org:8443`.
    #[must_use]
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into().to_ascii_lowercase());
        self
    }

    /// Also the origin of that form: `https://example.org`, with a port unless it is the scheme's default.
    #[must_use]
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(without_default_port(&origin.into().to_ascii_lowercase()).to_owned());
        self
    }

    /// Whether a request may be answered. `host` is the `Host` header or the `:authority`; absent headers are `None`.
    ///
    /// # Errors
    /// A sentence for the body of the 403.
    pub fn check(&self, host: Option<&str>, origin: Option<&str>) -> Result<(), &'static str> {
        if self.any {
            return Ok(());
        }
        // HTTP/1.0 clients send no Host; rebinding needs a browser, and those do
        if host.is_some_and(|host| !self.host_allowed(host.trim())) {
            return Err("Forbidden: this Host is not served here");
        }
        if origin.is_some_and(|origin| !self.origin_allowed(origin.trim())) {
            return Err("Forbidden: requests of this Origin are not allowed");
        }
        Ok(())
    }

    fn host_allowed(&self, host: &str) -> bool {
        let name = host_name(host);
        let is = |known: &String| known.eq_ignore_ascii_case(host) || known.eq_ignore_ascii_case(name);
        is_loopback(name) || self.hosts.iter().any(is)
    }

    fn origin_allowed(&self, origin: &str) -> bool {
        // only requests from browsers have one
        let origin = origin.to_ascii_lowercase();
        let origin = without_default_port(&origin);
        if self.origins.iter().any(|o| o == origin) {
            return true;
        }
        match origin.split_once("://") {
            Some(("http" | "https", authority)) => is_loopback(host_name(authority)),
            _ => false,
        }
    }
}

/// The name of an authority, without its port; empty when the rest is not a port.
fn host_name(authority: &str) -> &str {
    let end = if authority.starts_with('[') {
        authority.find(']').map_or(0, |n| n + 1)
    } else {
        authority.find(':').unwrap_or(authority.len())
    };
    let (name, port) = authority.split_at(end);
    match port.strip_prefix(':') {
        None if port.is_empty() => name,
        Some(digits) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => "",
    }
}

fn is_loopback(name: &str) -> bool {
    let suffix = name.len().checked_sub(".localhost".len()).and_then(|at| name.get(at..));
    name.eq_ignore_ascii_case("localhost")
        || suffix.is_some_and(|suffix| suffix.eq_ignore_ascii_case(".localhost"))
        || name == "[::1]"
        || name.parse::<std::net::Ipv4Addr>().is_ok_and(|ip| ip.is_loopback())
}

fn without_default_port(origin: &str) -> &str {
    origin
        .strip_suffix(":443")
        .filter(|o| o.starts_with("https://"))
        .or_else(|| origin.strip_suffix(":80").filter(|o| o.starts_with("http://")))
        .unwrap_or(origin)
}

/// A request that is turned away for what it says about its sender.
///
/// Spec: 2026-07-28 basic/authorization; RFC 6750 section 3.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Denied {
    /// 401: no token, or one that is not valid. `challenge` is the `WWW-Authenticate` header, such as
    /// `Bearer resource_metadata="https://example.org/.well-known/oauth-protected-resource"`.
    Unauthorized {
        /// The header's value.
        challenge: String,
    },
    /// 403: a valid token that does not reach.
    Forbidden {
        /// The header's value.
        challenge: String,
    },
    /// 400: the credentials are malformed.
    Malformed,
}

impl Denied {
    /// The status, and the `WWW-Authenticate` header if there is one.
    #[must_use]
    pub fn response(&self) -> (u16, Option<&str>) {
        match self {
            Self::Unauthorized { challenge } => (401, Some(challenge)),
            Self::Forbidden { challenge } => (403, Some(challenge)),
            Self::Malformed => (400, None),
        }
    }
}

/// The body of a refusal by the transport itself: the status says it, a JSON-RPC error without id repeats it.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
#[must_use]
pub fn refusal_body(why: &str) -> Vec<u8> {
    let mut out = br#"{"jsonrpc":"2.0","error":"#.to_vec();
    let error = crate::RpcError::new(crate::RpcError::INVALID_REQUEST, why);
    error.encode(error.code, &mut out);
    out.push(b'}');
    out
}

/// Which answers a client takes.
///
/// Spec: 2026-07-28 basic/transports/streamable-http; RFC 9110 section 12.5.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Accepts {
    /// `application/json`.
    pub json: bool,
    /// `text/event-stream`.
    pub events: bool,
}

impl Accepts {
    /// Reads the `Accept` headers; none at all means anything.
    pub fn parse<'h>(headers: impl IntoIterator<Item = &'h str>) -> Self {
        let mut is_empty = true;
        // the most specific range that matches decides
        let (mut json, mut events) = (Best::default(), Best::default());
        let ranges = headers.into_iter().flat_map(|h| h.split(',')).map(str::trim).filter(|r| !r.is_empty());
        for text in ranges {
            is_empty = false;
            let (range, accepted) = range(text);
            json.consider(range, ("application", "json"), accepted);
            events.consider(range, ("text", "event-stream"), accepted);
        }
        Self { json: is_empty || json.accepted, events: is_empty || events.accepted }
    }
}

/// A media range, and whether its quality is above zero.
fn range(text: &str) -> (&str, bool) {
    let Some((kind, parameters)) = text.split_once(';') else { return (text, true) };
    let refused = parameters.split(';').any(|p| {
        let p = p.trim();
        let q = p.strip_prefix("q=").or_else(|| p.strip_prefix("Q="));
        q.is_some_and(|q| q.trim().parse::<f32>().is_ok_and(|q| q <= 0.0))
    });
    (kind.trim(), !refused)
}

/// The preference for a media type by the best match so far; of equally good matches the first counts.
#[derive(Default)]
struct Best {
    specificity: u8,
    accepted: bool,
}

impl Best {
    fn consider(&mut self, range: &str, (kind, subtype): (&str, &str), accepted: bool) {
        let Some((k, s)) = range.split_once('/') else { return };
        let specificity = match (k.eq_ignore_ascii_case(kind), s) {
            (true, s) if s.eq_ignore_ascii_case(subtype) => 3,
            (true, "*") => 2,
            (false, "*") if k == "*" => 1,
            _ => return,
        };
        if specificity > self.specificity {
            *self = Self { specificity, accepted };
        }
    }
}

/// Whether a `Content-Type` is JSON, whatever its parameters.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
#[must_use]
pub fn is_json(content_type: &str) -> bool {
    content_type.split(';').next().is_some_and(|t| t.trim().eq_ignore_ascii_case("application/json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_passes_by_default() {
        let gate = Gate::loopback();
        for host in ["localhost", "localhost:1", "127.0.0.1:8080", "127.9.9.9", "[::1]:5", "a.localhost"] {
            assert_eq!(gate.check(Some(host), None), Ok(()), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost:1@evil",
            "[::2]",
            "0.0.0.0",
            "",
        ] {
            assert!(gate.check(Some(host), None).is_err(), "{host}");
        }
        for origin in ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:1"] {
            assert_eq!(gate.check(None, Some(origin)), Ok(()), "{origin}");
        }
        for origin in
            ["null", "http://evil.example", "file://localhost", "http://localhost.evil.example", "localhost"]
        {
            assert!(gate.check(None, Some(origin)).is_err(), "{origin}");
        }
    }

    #[test]
    fn allowed_origins_ignore_their_default_port() {
        let gate = Gate::loopback().allow_origin("https://App.example:443").allow_host("app.example");
        assert_eq!(gate.check(Some("app.example:7"), Some("https://app.example")), Ok(()));
        assert_eq!(gate.check(None, Some("https://app.example:443")), Ok(()));
        assert!(gate.check(None, Some("http://app.example")).is_err());
        assert!(gate.check(None, Some("https://app.example:444")).is_err());
    }

    #[test]
    fn accept_is_read_with_ranges_and_qualities() {
        let both = Accepts { json: true, events: true };
        assert_eq!(Accepts::parse([]), both);
        assert_eq!(Accepts::parse(["*/*"]), both);
        assert_eq!(Accepts::parse(["application/json", "text/event-stream"]), both);
        assert_eq!(Accepts::parse(["application/*;q=0.5"]), Accepts { json: true, events: false });
        assert_eq!(Accepts::parse(["*/*, text/event-stream;q=0"]), Accepts { json: true, events: false });
        assert_eq!(Accepts::parse(["text/html"]), Accepts { json: false, events: false });
    }
}
