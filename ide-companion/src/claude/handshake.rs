//! Admission of a client, decided by the head of its request, before a frame is read.

use std::fmt;

use hmac_sha256::HMAC;

use super::{Dialect, dialect_of_path};

/// The token that a client must know. It is never shown.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// A token made of random bytes.
    pub fn new(random: [u8; 32]) -> Self {
        Self(random.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The token itself, for the file in which clients find it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Compares two secrets so that the time taken tells neither where they differ nor how long one is. `salt` is fresh
/// randomness of the process.
pub fn same_secret(a: &str, b: &str, salt: &[u8; 32]) -> bool {
    let (a, b) = (HMAC::mac(a, salt), HMAC::mac(b, salt));
    a.iter().zip(b).fold(0, |differ, (x, y)| differ | (x ^ y)) == 0
}

/// A hash that only those can make who know the key.
pub fn keyed_hash(key: &str, message: &[u8]) -> [u8; 32] {
    HMAC::mac(message, key)
}

/// The parts of a request's head that decide whether it is served.
#[derive(Clone, Copy, Debug, Default)]
pub struct Head<'a> {
    pub path: &'a str,
    pub host: Option<&'a str>,
    pub has_origin: bool,
    /// Every value of the header `X-Claude-Code-Ide-Authorization`.
    pub tokens: &'a [&'a str],
}

/// The decision on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is upgraded, and served in this dialect.
    Serve(Dialect),
    /// It is upgraded and closed at once with 1008; no frame of it is read.
    Close,
    /// It is answered with this status.
    Refuse(u16, &'static str),
}

/// Said with the close code 1008.
pub(crate) const BAD_TOKEN: &str = "Invalid or missing authentication token";

impl Admission {
    /// The reason that is sent with the close code of [`Self::Close`].
    pub const CLOSE_REASON: &'static str = BAD_TOKEN;

    /// Decides about a request to upgrade, before the form of the upgrade itself is looked at. `now` is in milliseconds.
    pub fn decide(
        head: &Head<'_>,
        port: u16,
        secret: &Secret,
        salt: &[u8; 32],
        budget: &mut Budget,
        now: u64,
    ) -> Self {
        // a browser cannot leave this header out
        if head.has_origin {
            return Self::Refuse(403, "requests of web pages are not served");
        }
        if !head.host.is_some_and(|host| is_own_host(host, port)) {
            return Self::Refuse(403, "this Host is not served here");
        }
        let Some(dialect) = dialect_of_path(head.path.split('?').next().unwrap_or_default()) else {
            return Self::Refuse(404, "nothing is served at this path");
        };
        let knows = match head.tokens {
            [token] => same_secret(token, secret.reveal(), salt),
            _ => false,
        };
        if knows {
            return Self::Serve(dialect);
        }
        if budget.refuse(now) {
            Self::Refuse(429, "too many attempts without the token")
        } else {
            Self::Close
        }
    }
}

/// Whether a `Host` is a loopback name with our port.
fn is_own_host(host: &str, port: u16) -> bool {
    let Some((name, digits)) = host.trim().rsplit_once(':') else { return false };
    let is_loopback = name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost") || name == "[::1]";
    is_loopback && !digits.starts_with('+') && digits.parse() == Ok(port)
}

/// Attempts without the token that are still answered.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// When attempts were rejected, at most [`MOST_REJECTIONS`] of them, oldest first.
    rejected: Vec<u64>,
    /// The last attempt while nothing was answered any more.
    refused: Option<u64>,
}

/// So many rejections within [`WINDOW_MS`] are answered.
const MOST_REJECTIONS: usize = 5;
const WINDOW_MS: u64 = 10_000;

impl Budget {
    /// Seconds after which a refused client may try again.
    pub const RETRY_AFTER: u64 = WINDOW_MS / 1000;

    /// Counts an attempt without the token; true when it is one too many. It stays so until a quiet while has passed.
    fn refuse(&mut self, now: u64) -> bool {
        if let Some(last) = self.refused {
            if now.saturating_sub(last) < WINDOW_MS {
                self.refused = Some(now);
                return true;
            }
            *self = Self::default();
        }
        self.rejected.retain(|at| now.saturating_sub(*at) < WINDOW_MS);
        if self.rejected.len() >= MOST_REJECTIONS {
            self.refused = Some(now);
            return true;
        }
        self.rejected.push(now);
        false
    }
}

/// Finds out that the machine slept, from a timer that fired late.
#[derive(Clone, Debug)]
pub struct SleepWatch {
    every_ms: u64,
    last: u64,
}

impl SleepWatch {
    /// For a timer that fires every so many milliseconds, from `now` on. The clock must go on while the machine sleeps.
    pub fn new(every_ms: u64, now: u64) -> Self {
        Self { every_ms, last: now }
    }

    /// The timer fired. True when more than half an interval is missing: the machine slept, and silence of peers says
    /// nothing.
    pub fn fired(&mut self, now: u64) -> bool {
        let passed = now.saturating_sub(self.last);
        self.last = now;
        passed > self.every_ms + self.every_ms / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SALT: [u8; 32] = [7; 32];

    fn decide(head: Head<'_>, secret: &Secret) -> Admission {
        Admission::decide(&head, 4711, secret, &SALT, &mut Budget::default(), 0)
    }

    #[test]
    fn every_row_of_the_handshake_table() {
        let secret = Secret::new([1; 32]);
        let tokens = [secret.reveal()];
        let good = Head { path: "/", host: Some("127.0.0.1:4711"), has_origin: false, tokens: &tokens };
        assert_eq!(decide(good, &secret), Admission::Serve(Dialect::Claude));
        assert_eq!(decide(Head { path: "/mcp", ..good }, &secret), Admission::Serve(Dialect::Described));
        for path in ["/mcp/", "/x", "", "//"] {
            assert!(matches!(decide(Head { path, ..good }, &secret), Admission::Refuse(404, _)), "{path}");
        }
        for host in ["localhost:4711", "[::1]:4711", "LOCALHOST:4711"] {
            let head = Head { host: Some(host), ..good };
            assert_eq!(decide(head, &secret), Admission::Serve(Dialect::Claude), "{host}");
        }
        let strange = [
            None,
            Some("127.0.0.1"),
            Some("127.0.0.1:4712"),
            Some("evil.example:4711"),
            Some("127.0.0.2:4711"),
            Some("localhost.evil.example:4711"),
            Some("127.0.0.1:+4711"),
            Some("[::2]:4711"),
            Some(""),
        ];
        for host in strange {
            assert!(matches!(decide(Head { host, ..good }, &secret), Admission::Refuse(403, _)), "{host:?}");
        }
        assert!(matches!(decide(Head { has_origin: true, ..good }, &secret), Admission::Refuse(403, _)));
        let wrong: [&[&str]; 5] =
            [&[], &[""], &["x"], &[&secret.reveal()[1..]], &[secret.reveal(), secret.reveal()]];
        for tokens in wrong {
            assert_eq!(decide(Head { tokens, ..good }, &secret), Admission::Close, "{tokens:?}");
        }
        assert_eq!(format!("{secret:?}"), "Secret");
        assert_eq!(secret.reveal().len(), 64);
    }

    #[test]
    fn attempts_without_the_token_run_out_and_come_back() {
        let secret = Secret::new([1; 32]);
        let mut budget = Budget::default();
        let mut decide = |tokens: &[&str], now| {
            let head = Head { path: "/", host: Some("localhost:1"), has_origin: false, tokens };
            Admission::decide(&head, 1, &secret, &SALT, &mut budget, now)
        };
        for n in 0..5 {
            assert_eq!(decide(&[], n * 1000), Admission::Close);
        }
        assert!(matches!(decide(&[], 5000), Admission::Refuse(429, _)));
        // a client that knows the token is not delayed
        assert_eq!(decide(&[secret.reveal()], 5000), Admission::Serve(Dialect::Claude));
        // and whoever keeps trying never gets there
        for n in 6..40 {
            assert!(matches!(decide(&[], n * 1000), Admission::Refuse(429, _)), "{n}");
        }
        assert_eq!(decide(&[], 39_000 + 10_000), Admission::Close);
    }

    #[test]
    fn a_late_timer_means_sleep() {
        let mut watch = SleepWatch::new(30_000, 0);
        assert!(!watch.fired(30_000));
        assert!(!watch.fired(74_000));
        assert!(watch.fired(74_000 + 3_600_000));
        assert!(!watch.fired(74_000 + 3_630_000));
    }
}
