//! Access to the dashboard. The page is for one person: a link that works once sets a cookie, and every request is
//! held against the addresses that only our own page has.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use http::header::{COOKIE, HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use ide_companion::same_secret;
use mcp_protocol::endpoint::{Body, response};
use mcp_protocol::web::Gate;
use serde_json::{Value, json};

/// Most links that were not used yet, and most browsers that are let in; the oldest go first.
const MOST: usize = 32;

/// Sent with everything: nothing is run, framed or fetched that is not ours.
const HEADERS: [(&str, &str); 6] = [
    ("x-frame-options", "DENY"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
];

/// The secrets of one server.
pub(crate) struct Access {
    port: u16,
    salt: [u8; 32],
    /// The secret that the command `dashboard` shows to get a link.
    master: String,
    /// The file in which the command finds it; gone when the server ends.
    file: Option<PathBuf>,
    secrets: Mutex<Secrets>,
}

#[derive(Default)]
struct Secrets {
    links: VecDeque<String>,
    cookies: VecDeque<String>,
}

/// A fresh secret.
pub(crate) fn secret() -> std::io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The file in which the command `dashboard` finds a server.
pub(crate) fn file_of(state_dir: &Path, port: u16) -> PathBuf {
    state_dir.join(format!("dashboard-{port}.json"))
}

impl Access {
    /// The secrets of a server at a port. `state_dir` is where its own command line finds it.
    pub(crate) fn new(port: u16, state_dir: Option<&Path>) -> std::io::Result<Self> {
        let mut salt = [0; 32];
        getrandom::fill(&mut salt).map_err(std::io::Error::other)?;
        let master = secret()?;
        let file = state_dir.map(|dir| file_of(dir, port));
        let written = file.as_deref().map(|file| {
            write_private(
                file,
                &json!({"port": port, "pid": std::process::id(), "secret": master}).to_string(),
            )
        });
        // without the file the link that is printed at the start still works
        let file = file.filter(|_| written.is_some_and(|written| written.is_ok()));
        Ok(Self { port, salt, master, file, secrets: Mutex::default() })
    }

    fn secrets(&self) -> MutexGuard<'_, Secrets> {
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A path that lets one browser in, once.
    pub(crate) fn link(&self) -> std::io::Result<String> {
        let key = secret()?;
        keep(&mut self.secrets().links, key.clone());
        Ok(format!("/dashboard/login?key={key}"))
    }

    /// Uses up a link; the cookie that its browser gets.
    pub(crate) fn log_in(&self, key: &str) -> Option<HeaderValue> {
        let mut secrets = self.secrets();
        let at = secrets.links.iter().position(|known| same_secret(known, key, &self.salt))?;
        secrets.links.remove(at);
        let cookie = secret().ok()?;
        keep(&mut secrets.cookies, cookie.clone());
        let name = self.cookie_name();
        let value = format!("{name}={cookie}; Path=/dashboard; HttpOnly; SameSite=Strict; Max-Age=2592000");
        HeaderValue::from_str(&value).ok()
    }

    /// Cookies know no port, so the name says which server's it is.
    fn cookie_name(&self) -> String {
        format!("ide-index-dashboard-{}", self.port)
    }

    /// Whether a request shows what the command line knows.
    pub(crate) fn is_command(&self, headers: &HeaderMap) -> bool {
        let shown = headers.get("authorization").and_then(|value| value.to_str().ok());
        let shown = shown.and_then(|value| value.strip_prefix("Bearer "));
        shown.is_some_and(|shown| same_secret(shown, &self.master, &self.salt))
    }

    /// Whether the browser was let in.
    pub(crate) fn knows(&self, headers: &HeaderMap) -> bool {
        let name = format!("{}=", self.cookie_name());
        let sent = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut sent =
            sent.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().strip_prefix(&*name));
        let secrets = self.secrets();
        sent.any(|cookie| secrets.cookies.iter().any(|known| same_secret(known, cookie, &self.salt)))
    }

    /// Whether a request was made by our own page or by a person who follows a link, on our own address.
    pub(crate) fn is_own(&self, parts: &Parts) -> bool {
        let text = |name: &str| parts.headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let Some(host) = text(HOST.as_str()) else { return false };
        // names that are not loopback ones are those of a page that rebinds its name to this machine
        if Gate::loopback().check(Some(host), None).is_err() || !host.ends_with(&format!(":{}", self.port)) {
            return false;
        }
        let origin_is_own = |origin: &str| origin.eq_ignore_ascii_case(&format!("http://{host}"));
        let has_origin = text(ORIGIN.as_str());
        if has_origin.is_some_and(|origin| !origin_is_own(origin)) {
            return false;
        }
        let site_is_own = text("sec-fetch-site").is_none_or(|site| site == "same-origin" || site == "none");
        match parts.method {
            // a link from elsewhere, such as a terminal in a browser, may lead here: it shows the page and does nothing
            Method::GET => site_is_own || text("sec-fetch-dest") == Some("document"),
            _ => site_is_own && has_origin.is_some(),
        }
    }
}

impl Drop for Access {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            drop(std::fs::remove_file(file));
        }
    }
}

fn keep(secrets: &mut VecDeque<String>, secret: String) {
    if secrets.len() >= MOST {
        secrets.pop_front();
    }
    secrets.push_back(secret);
}

fn write_private(file: &Path, content: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    drop(std::fs::remove_file(file));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(content.as_bytes())
}

/// A response with the headers that everything has. `nonce` is that of the styles of the page.
pub(crate) fn sealed(mut response: Response<Body>, nonce: Option<&str>) -> Response<Body> {
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let styles = nonce.map_or_else(String::new, |nonce| format!(" 'nonce-{nonce}'"));
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'{styles}; img-src 'self'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert("content-security-policy", policy);
    }
    response
}

/// A refusal as JSON.
pub(crate) fn refused(status: StatusCode, why: &str) -> Response<Body> {
    answer(status, &json!({"error": why}))
}

pub(crate) fn answer(status: StatusCode, value: &Value) -> Response<Body> {
    sealed(response(status, "application/json", Body::whole(value.to_string())), None)
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn parts(method: Method, headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::builder().method(method);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn only_our_own_page_is_listened_to() {
        let access = Access::new(29190, None).unwrap();
        let own = ("host", "127.0.0.1:29190");
        let origin = ("origin", "http://127.0.0.1:29190");
        assert!(access.is_own(&parts(Method::GET, &[own])));
        assert!(access.is_own(&parts(Method::POST, &[own, origin])));
        assert!(access.is_own(&parts(Method::POST, &[own, origin, ("sec-fetch-site", "same-origin")])));
        for hostile in [
            &[][..],
            &[own],
            &[("host", "evil.example:29190"), ("origin", "http://evil.example:29190")],
            &[("host", "127.0.0.1:1"), ("origin", "http://127.0.0.1:1")],
            &[own, ("origin", "http://evil.example")],
            &[own, ("origin", "null")],
            &[own, ("origin", "http://127.0.0.1:8080")],
            &[own, ("origin", "http://localhost:29190")],
            &[own, origin, ("sec-fetch-site", "cross-site")],
            &[own, origin, ("sec-fetch-site", "same-site")],
        ] {
            assert!(!access.is_own(&parts(Method::POST, hostile)), "{hostile:?}");
        }
        // an image, a script or a frame of another page
        for dest in ["image", "script", "iframe", "empty"] {
            let headers = [own, ("sec-fetch-site", "cross-site"), ("sec-fetch-dest", dest)];
            assert!(!access.is_own(&parts(Method::GET, &headers)), "{dest}");
        }
    }

    #[test]
    fn a_link_works_once_and_for_one_browser() {
        let access = Access::new(1, None).unwrap();
        let link = access.link().unwrap();
        let key = link.split_once('=').unwrap().1;
        assert!(access.log_in("guess").is_none() && access.log_in("").is_none());
        let cookie = access.log_in(key).unwrap().to_str().unwrap().to_owned();
        assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
        assert!(access.log_in(key).is_none(), "once");
        let sent = cookie.split(';').next().unwrap();
        let knows = |cookie: &str| access.knows(&parts(Method::GET, &[("cookie", cookie)]).headers);
        assert!(knows(sent) && knows(&format!("a=b; {sent}")));
        assert!(!knows("ide-index-dashboard-1=") && !knows("ide-index-dashboard-1=x") && !knows(""));
        assert!(!knows(&sent.replace("-1=", "-2=")));
    }
}
