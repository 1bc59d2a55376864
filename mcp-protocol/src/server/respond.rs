//! Writes responses, each in the words of the revision it is sent in.

use std::time::Duration;

use super::{
    reply::{Answer, InputRequired},
    request::{Outgoing, Running},
    seal,
};
use crate::{
    error::RpcError,
    json::{Json, Object, write_str},
    model::{CallToolResult, Encode as _, GetPromptResult, ResourceContents},
    time::millis,
    version::{Rules, Version},
};

/// How long a client may take to come back with its input.
const STATE_LIFETIME: Duration = Duration::from_hours(1);

/// A result that knows its members.
pub(crate) trait ResultMembers: Send + 'static {
    /// Whether clients of 2026-07-28 may cache it.
    const CACHED: bool = false;
    fn write(&self, rules: &Rules, o: &mut Object<'_>);
    fn meta(&self) -> Option<&Json> {
        None
    }
}

impl ResultMembers for CallToolResult {
    fn write(&self, rules: &Rules, o: &mut Object<'_>) {
        self.members(rules, o);
    }
    fn meta(&self) -> Option<&Json> {
        self.meta.as_ref()
    }
}

impl ResultMembers for GetPromptResult {
    fn write(&self, rules: &Rules, o: &mut Object<'_>) {
        self.members(rules, o);
    }
}

impl ResultMembers for Vec<ResourceContents> {
    const CACHED: bool = true;
    fn write(&self, rules: &Rules, o: &mut Object<'_>) {
        o.array("contents", self, |c, out| c.encode(rules, out));
    }
}

/// Whether a result may be cached, in its revision's terms.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Caching {
    No,
    Hinted,
}

/// A complete result.
pub(crate) fn result(
    running: &Running,
    caching: Caching,
    meta: Option<&Json>,
    fill: impl FnOnce(&mut Object<'_>),
) -> Outgoing {
    result_of_type(running, "complete", caching, meta, fill)
}

pub(crate) fn result_of_type(
    running: &Running,
    result_type: &str,
    caching: Caching,
    meta: Option<&Json>,
    fill: impl FnOnce(&mut Object<'_>),
) -> Outgoing {
    let modern = running.version.is_stateless();
    let mut out = Vec::with_capacity(512);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(running.id.as_bytes());
    out.extend_from_slice(br#","result":"#);
    let mut o = Object::open(&mut out);
    if modern {
        o.str("resultType", result_type);
    }
    fill(&mut o);
    if modern && caching == Caching::Hinted {
        let (ttl, scope) = running.server.cache_hint();
        o.u64("ttlMs", millis(ttl));
        o.str("cacheScope", scope.as_str());
    }
    if modern {
        o.object("_meta", |o| {
            o.json("io.modelcontextprotocol/serverInfo", running.server.encoded_info());
            if let Some(meta) = meta {
                o.members(meta);
            }
        });
    } else {
        o.opt_json("_meta", meta);
    }
    o.close();
    out.push(b'}');
    Outgoing::Answer { bytes: out, status: 200 }
}

/// The answer to a request that may have asked for input.
pub(crate) fn answer<T: ResultMembers>(
    running: &Running,
    method: &'static str,
    settled: Result<Answer<T>, RpcError>,
) -> Outgoing {
    match settled {
        Ok(Answer::Complete(value)) => {
            let rules = running.version.rules();
            let caching = if T::CACHED { Caching::Hinted } else { Caching::No };
            result(running, caching, value.meta(), |o| value.write(rules, o))
        }
        Ok(Answer::InputRequired(needed)) => input_required(running, method, &needed),
        Err(e) => error(running, &e),
    }
}

fn input_required(running: &Running, method: &'static str, needed: &InputRequired) -> Outgoing {
    let declared = running.declared();
    if let Some(missing) = needed.requests.iter().find_map(|(_, r)| r.missing(&declared)) {
        return error(running, &RpcError::missing_client_capability(&missing));
    }
    let name = running.bound_name(method);
    let binding = seal::Binding { principal: running.principal.as_deref(), method, name: &name };
    let state = match (&needed.state, running.server.state_key()) {
        (None, _) => None,
        (Some(state), Some(key)) => Some(seal::seal(key, &binding, running.now.plus(STATE_LIFETIME), state)),
        (Some(_), None) => {
            return error(running, &RpcError::internal("The server has no key to seal request state with"));
        }
    };
    if state.is_none() && needed.requests.is_empty() {
        return error(running, &RpcError::internal("The handler asked for input without saying which"));
    }
    result_of_type(running, "input_required", Caching::No, None, |o| {
        if !needed.requests.is_empty() {
            o.object("inputRequests", |o| {
                for (key, request) in &needed.requests {
                    request.encode(o.key(key));
                }
            });
        }
        if let Some(state) = &state {
            write_str(o.key("requestState"), state);
        }
    })
}

/// An error answer to a running request.
pub(crate) fn error(running: &Running, error: &RpcError) -> Outgoing {
    error_to(Some(running.id.as_str()), running.version, error)
}

/// An error answer; without an id the older revisions get `null`.
pub(crate) fn error_to(id: Option<&str>, version: Version, error: &RpcError) -> Outgoing {
    let rules = version.rules();
    let code = match error.code {
        RpcError::RESOURCE_NOT_FOUND => rules.resource_not_found,
        RpcError::URL_ELICITATION_REQUIRED if version != Version::V2025_11_25 => RpcError::INVALID_PARAMS,
        RpcError::HEADER_MISMATCH | RpcError::MISSING_CLIENT_CAPABILITY | RpcError::UNSUPPORTED_VERSION
            if !rules.stateless =>
        {
            RpcError::INVALID_PARAMS
        }
        code => code,
    };
    let status = match (error.status, code) {
        (400, RpcError::INVALID_PARAMS) if !rules.stateless => 200,
        (200, RpcError::METHOD_NOT_FOUND) if rules.stateless => 404,
        (status, _) => status,
    };
    let mut out = Vec::with_capacity(128);
    out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
    if let Some(id) = id {
        out.extend_from_slice(br#","id":"#);
        out.extend_from_slice(id.as_bytes());
    } else if !rules.error_without_id {
        out.extend_from_slice(br#","id":null"#);
    }
    out.extend_from_slice(br#","error":"#);
    error.encode(code, &mut out);
    out.push(b'}');
    Outgoing::Answer { bytes: out, status }
}
