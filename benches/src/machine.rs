//! Time and memory as the operating system reports them, and programs of others.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::Failure;

/// CPU time of this process, all threads.
pub(crate) fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// A line of `/proc/self/status`, in bytes.
pub(crate) fn memory(field: &str) -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with(field)).ok_or("no such field")?;
    Ok(line.split_whitespace().nth(1).ok_or("no value")?.parse::<u64>()? * 1024)
}

/// Times in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Took {
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
}

/// Runs a closure; returns its value with the time that it took.
pub(crate) fn took<T>(run: impl FnOnce() -> Result<T, Failure>) -> Result<(T, Took), Failure> {
    let (wall, before) = (Instant::now(), cpu());
    let value = run()?;
    Ok((value, Took { wall: wall.elapsed().as_secs_f64(), cpu: cpu().saturating_sub(before).as_secs_f64() }))
}

/// The values that one of our own processes prints, one `name value` a line, beside what it took as a whole.
pub(crate) type Values = BTreeMap<String, f64>;

/// Runs this program with other arguments.
pub(crate) fn own(arguments: &[&str]) -> Result<Values, Failure> {
    let output = Command::new(std::env::current_exe()?).args(arguments).output()?;
    if !output.status.success() {
        return Err(format!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let text = String::from_utf8(output.stdout)?;
    text.lines()
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').ok_or_else(|| format!("not a value: {line}"))?;
            Ok((name.to_owned(), value.parse()?))
        })
        .collect()
}

/// Runs a program that may be missing, its output thrown away; returns the time that it took. `fine` are the exit
/// codes that are no failure.
pub(crate) fn foreign(
    program: &str,
    arguments: &[&str],
    directory: &Path,
    fine: &[i32],
) -> Result<Option<Took>, Failure> {
    let script = r#"TIMEFORMAT='%3R %3U %3S'; time "$@" >/dev/null 2>&1"#;
    let output = Command::new("bash")
        .arg("-c")
        .arg(script)
        .arg("_")
        .arg(program)
        .args(arguments)
        .current_dir(directory)
        .output()?;
    match output.status.code() {
        Some(code) if fine.contains(&code) => {}
        Some(127) => return Ok(None),
        other => return Err(format!("{program} ended with {other:?}").into()),
    }
    let text = String::from_utf8(output.stderr)?;
    let last = text.lines().last().ok_or("bash measured nothing")?;
    let times: Vec<f64> = last.split(' ').map(str::parse).collect::<Result<_, _>>()?;
    match times[..] {
        [wall, user, system] => Ok(Some(Took { wall, cpu: user + system })),
        _ => Err(format!("not times: {last}").into()),
    }
}

/// The middle of some values.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Runs a question many times and prints half and 99 of 100 of what it took, in milliseconds.
pub(crate) fn print_spread(
    name: &str,
    times: usize,
    mut run: impl FnMut(usize) -> Result<Took, Failure>,
) -> Result<(), Failure> {
    let all: Vec<Took> = (0..times).map(&mut run).collect::<Result<_, _>>()?;
    if all.is_empty() {
        return Err(format!("{name}: nothing to ask").into());
    }
    for (kind, of) in [("wall", (|took| took.wall) as fn(&Took) -> f64), ("cpu", |took| took.cpu)] {
        let mut values: Vec<f64> = all.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        let at = |share: usize| values[(values.len() - 1) * share / 100] * 1e3;
        println!("{name} {kind} p50 {}", at(50));
        println!("{name} {kind} p99 {}", at(99));
    }
    Ok(())
}
