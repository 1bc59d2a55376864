//! Whether calls wait for delayed acknowledgements: a server of ours inside an axum application as its documentation has
//! it, without `TCP_NODELAY`, and the official TypeScript client.
//!
//! Two small writes for one answer cost about 40 ms there, each time. The figure that is judged is how many calls
//! take so much longer than a plain request to the same application; a busy machine delays some of both, a stall
//! delays them all.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use crate::ci::Counts;
use crate::e2e::{Runtime, program};
use crate::foreign::{self, Listening, Missing};
use crate::repo;

/// The least cost of a delayed acknowledgement, in milliseconds.
const STALL_MS: f64 = 35.0;
const DEADLINE: Duration = Duration::from_secs(120);

type Times = BTreeMap<String, Vec<f64>>;

pub(crate) fn run() -> Result<Counts> {
    let script = match program("proof/e2e/js-v1", Runtime::Node, "stalls")? {
        Ok(script) => script,
        Err(Missing(why)) => return Ok(Counts::skipped("stalls", &why)),
    };
    let server = repo::example("ideindex-mcp-transport-http", "hyper-server", "in-axum")?;
    let log = repo::cache("e2e/run")?.join("stalls.log");
    let listening = Listening::start(&mut Command::new(server), &log.with_extension("server.log"))?;
    let mut client = Command::new(&script[0]);
    client.args(&script[1..]).arg(listening.url());
    let printed = foreign::output_within(&mut client, DEADLINE, &log)?;
    let times: Times = serde_json::from_str(&printed).context("the client printed something else")?;
    for (name, times) in &times {
        println!("stalls: {name}: {} calls, median {:.1} ms", times.len(), median(times));
    }
    judge(&times)?;
    Ok(Counts { passed: 1, ..Counts::default() })
}

fn judge(times: &Times) -> Result<()> {
    let bare = median(times.get("bare").context("no plain requests")?);
    ensure!(times.len() > 1, "nothing to compare with plain requests");
    for (name, times) in times {
        let stalled = times.iter().filter(|ms| **ms >= bare + STALL_MS).count();
        ensure!(stalled * 2 < times.len(), "{name}: {stalled} of {} calls stall", times.len());
    }
    Ok(())
}

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_all_stall_are_told_from_a_busy_machine() {
        let verdict = |ours: &[f64]| {
            let times = [("bare".to_owned(), vec![2.0, 1.0, 90.0]), ("/mcp".to_owned(), ours.to_vec())];
            judge(&times.into()).is_ok()
        };
        assert!(verdict(&[3.0, 3.0, 41.0]));
        assert!(!verdict(&[41.0, 3.0, 41.0]));
        assert!(!verdict(&[f64::INFINITY]));
        assert!(!verdict(&[]));
        assert!(judge(&[("bare".to_owned(), vec![1.0])].into()).is_err());
    }
}
