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

/// Calls of one name that ended alike and took equally long.
pub(crate) struct Alike {
    pub(crate) name: String,
    pub(crate) status: Status,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) calls: usize,
    pub(crate) tokens: u64,
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
        let call = |entry: &&Entry| Alike {
            name: match group {
                Group::Tool => entry.tool_name.clone(),
                Group::Client => entry.client.as_ref().map_or_else(String::new, |client| client.name.clone()),
            },
            status: entry.status,
            duration_ms: entry.duration_ms,
            calls: 1,
            tokens: entry.tokens.unwrap_or_default(),
        };
        Statistics::of(entries.iter().map(call).collect())
    }

    pub(crate) fn of(calls: Vec<Alike>) -> Vec<Statistics> {
        let mut groups: BTreeMap<String, Vec<Alike>> = BTreeMap::new();
        for mut alike in calls {
            groups.entry(std::mem::take(&mut alike.name)).or_default().push(alike);
        }
        let figures = |(name, mut calls): (String, Vec<Alike>)| {
            calls.sort_unstable_by_key(|alike| alike.duration_ms);
            let timed: Vec<(u64, usize)> =
                calls.iter().filter_map(|alike| Some((alike.duration_ms?, alike.calls))).collect();
            let of_timed: usize = timed.iter().map(|(_, calls)| calls).sum();
            // The smallest value that so many of a hundred do not exceed.
            let percentile = |percent: usize| {
                let rank = (of_timed * percent).div_ceil(100);
                let mut seen = 0;
                let reaches = |(_, calls): &&(u64, usize)| {
                    seen += calls;
                    seen >= rank
                };
                timed.iter().find(reaches).map(|(duration, _)| *duration)
            };
            Statistics {
                name,
                calls: calls.iter().map(|alike| alike.calls).sum(),
                errors: calls
                    .iter()
                    .filter(|alike| alike.status == Status::Error)
                    .map(|alike| alike.calls)
                    .sum(),
                p50_ms: percentile(50),
                p95_ms: percentile(95),
                tokens: calls.iter().map(|alike| alike.tokens).sum(),
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
        let call = |duration_ms| Alike {
            name: "t".to_owned(),
            status: Status::Success,
            duration_ms: Some(duration_ms),
            calls: 1,
            tokens: 2,
        };
        let of = |calls: Vec<Alike>| Statistics::of(calls).remove(0);
        let hundred = of((1..=100).rev().map(call).collect());
        assert_eq!((hundred.p50_ms, hundred.p95_ms, hundred.tokens), (Some(50), Some(95), 200));
        let one = of(vec![call(7)]);
        assert_eq!((one.p50_ms, one.p95_ms), (Some(7), Some(7)));
        let waits = Alike { duration_ms: None, status: Status::Pending, ..call(0) };
        let many = of(vec![Alike { calls: 90, ..call(9) }, waits, Alike { calls: 10, ..call(3) }, call(50)]);
        assert_eq!((many.calls, many.p50_ms, many.p95_ms), (102, Some(9), Some(9)));
        assert_eq!(of(vec![Alike { duration_ms: None, ..call(0) }]).p50_ms, None);
    }
}
