//! Figures over many calls.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::entry::{Entry, Status};

/// The key by which calls are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Group {
    /// The tool.
    Tool,
    /// The name of the client.
    Client,
}

/// The figures of one call.
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) status: Status,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) tokens: Option<u64>,
}

/// Figures of the calls of one tool or client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Statistics {
    /// The tool or client.
    pub name: String,
    /// Calls.
    pub calls: usize,
    /// Calls that gave an error.
    pub errors: usize,
    /// Half of the calls were faster, in milliseconds; absent while none has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<u64>,
    /// All but five of a hundred were faster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<u64>,
    /// Tokens that models received, estimated.
    pub tokens: u64,
}

impl Statistics {
    /// The figures of some entries, the most used first.
    #[must_use]
    pub fn of_entries(entries: &[&Entry], group: Group) -> Vec<Statistics> {
        let call = |entry: &&Entry| Call {
            name: match group {
                Group::Tool => entry.tool_name.clone(),
                Group::Client => entry.client.as_ref().map_or_else(String::new, |client| client.name.clone()),
            },
            status: entry.status,
            duration_ms: entry.duration_ms,
            tokens: entry.tokens,
        };
        Statistics::of(entries.iter().map(call).collect())
    }

    pub(crate) fn of(calls: Vec<Call>) -> Vec<Statistics> {
        let mut groups: BTreeMap<String, Vec<Call>> = BTreeMap::new();
        for call in calls {
            groups.entry(call.name.clone()).or_default().push(call);
        }
        let figures = |(name, calls): (String, Vec<Call>)| {
            let mut durations: Vec<u64> = calls.iter().filter_map(|call| call.duration_ms).collect();
            durations.sort_unstable();
            // The smallest value that so many of a hundred do not exceed.
            let percentile = |percent: usize| {
                let rank = (durations.len() * percent).div_ceil(100);
                durations.get(rank.saturating_sub(1)).copied()
            };
            Statistics {
                name,
                calls: calls.len(),
                errors: calls.iter().filter(|call| call.status == Status::Error).count(),
                p50_ms: percentile(50),
                p95_ms: percentile(95),
                tokens: calls.iter().filter_map(|call| call.tokens).sum(),
            }
        };
        let mut all: Vec<Statistics> = groups.into_iter().map(figures).collect();
        all.sort_by_key(|figures| std::cmp::Reverse(figures.calls));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let call = |duration_ms| Call {
            name: "t".to_owned(),
            status: Status::Success,
            duration_ms: Some(duration_ms),
            tokens: Some(2),
        };
        let of = |calls: Vec<Call>| Statistics::of(calls).remove(0);
        let hundred = of((1..=100).rev().map(call).collect());
        assert_eq!((hundred.p50_ms, hundred.p95_ms, hundred.tokens), (Some(50), Some(95), 200));
        let one = of(vec![call(7)]);
        assert_eq!((one.p50_ms, one.p95_ms), (Some(7), Some(7)));
    }
}
