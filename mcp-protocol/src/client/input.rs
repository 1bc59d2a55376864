//! Results that ask for input, and forms that are filled in by their defaults.

use crate::{
    envelope::members_of,
    error::RpcError,
    json::{Json, Object},
};

/// The requests of an `input_required` result.
///
/// Spec: 2026-07-28 basic/patterns/mrtr.
#[derive(Clone, Debug, PartialEq)]
pub struct InputRequiredResult {
    /// Key, method and parameters of each request.
    pub requests: Vec<(String, String, Json)>,
    /// The state to give back, exactly as it came; when there was none, none must be sent.
    state: Option<Json>,
}

impl InputRequiredResult {
    /// The input that a result needs; `None` if it is complete.
    ///
    /// # Errors
    /// When the type of the result is unknown, or it asks for nothing.
    pub fn from_result(result: &Json) -> Result<Option<Self>, RpcError> {
        let kind = result.get("resultType");
        match kind.as_ref().map(|k| k.as_text().unwrap_or_default()).as_deref() {
            None | Some("complete" | "task") => return Ok(None),
            Some("input_required") => {}
            Some(other) => {
                return Err(RpcError::internal(format!(
                    "The server answered with a result of type {other:?}"
                )));
            }
        }
        let malformed = || RpcError::internal("The server asks for input in a malformed way");
        let mut found = Vec::new();
        if let Some(requests) = result.get("inputRequests") {
            for (key, raw) in members_of(requests.as_str()).map_err(|_| malformed())? {
                let request = Json::copy(raw);
                let method = request
                    .get("method")
                    .and_then(|m| Some(m.as_text()?.into_owned()))
                    .ok_or_else(malformed)?;
                found.push((
                    key.into_owned(),
                    method,
                    request.get("params").unwrap_or_else(Json::empty_object),
                ));
            }
        }
        let state = result.get("requestState");
        if found.is_empty() && state.is_none() {
            Err(malformed())
        } else {
            Ok(Some(Self { requests: found, state }))
        }
    }

    /// The parameters of the repeated request: the original ones, the answers by key, and the state.
    #[must_use]
    pub fn repeat(&self, params: &Json, answers: &[(String, Json)]) -> Json {
        Json::object(|o| {
            o.members(params);
            o.object("inputResponses", |o: &mut Object<'_>| {
                for (key, answer) in answers {
                    o.json(key, answer);
                }
            });
            o.opt_json("requestState", self.state.as_ref());
        })
    }
}

/// A form's content with the schema's default for every field that was not filled in.
///
/// Spec: 2026-07-28 client/elicitation.
#[must_use]
pub fn with_form_defaults(schema: &Json, content: &Json) -> Json {
    let properties = schema.get("properties");
    // a schema without readable properties has no defaults
    let fields = properties.as_ref().and_then(|p| members_of(p.as_str()).ok()).unwrap_or_default();
    Json::object(|o| {
        o.members(content);
        for (name, raw) in fields {
            if content.get(&name).is_none()
                && let Some(default) = Json::copy(raw).get("default")
            {
                o.json(&name, &default);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).expect("a literal")
    }

    #[test]
    fn input_is_asked_for_and_given_back() {
        let asked = json(
            r#"{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}},"requestState":"s"}"#,
        );
        let needed = InputRequiredResult::from_result(&asked).expect("well-formed").expect("asks");
        assert_eq!(needed.requests, [("k".to_owned(), "roots/list".to_owned(), Json::empty_object())]);
        let again = needed.repeat(&json(r#"{"name":"t"}"#), &[("k".to_owned(), json("{}"))]);
        assert_eq!(again.as_str(), r#"{"name":"t","inputResponses":{"k":{}},"requestState":"s"}"#);
        assert_eq!(InputRequiredResult::from_result(&json("{}")).expect("complete"), None);
        assert!(InputRequiredResult::from_result(&json(r#"{"resultType":"other"}"#)).is_err());
        assert!(InputRequiredResult::from_result(&json(r#"{"resultType":"input_required"}"#)).is_err());
    }

    #[test]
    fn defaults_fill_only_what_is_missing() {
        let schema = json(r#"{"properties":{"a":{"default":1},"b":{"default":"x"},"c":{}}}"#);
        assert_eq!(with_form_defaults(&schema, &json(r#"{"b":"y"}"#)).as_str(), r#"{"b":"y","a":1}"#);
    }
}
