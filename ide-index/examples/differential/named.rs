//! The named differences of each language, from `named/LANGUAGE.txt`, and the report that counts them.
//!
//! ```text
//! # comment
//! [regex of classes, as `compare` calls them]
//! WHO REGEX -- what the difference is
//! ```
//!
//! A list that says `= javascript` is that of another language. The word WHO says which one is right: `ours`, `oracle`, or `both` where either reading is allowed. The regular expression is looked for in the
//! text around the place, which it sees as `¦`. The first line that fits names a difference.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use ide_index::Differences;
use ide_model::{Language, LineIndex};
use regex::Regex;

/// Bytes of text that a pattern sees on either side of the place.
const SEEN: usize = 200;
const SAMPLES: usize = 6;
/// One in this many facts may differ without a name, or because the front end is wrong.
const ALLOWED: usize = 1000;

struct Named {
    class: Regex,
    who: String,
    around: Regex,
    what: String,
}

#[derive(Default)]
struct Count {
    facts: usize,
    samples: Vec<String>,
}

/// The outcome of a comparison: its amount, and the differences.
pub(crate) struct Report {
    named: Vec<Named>,
    pub(crate) unreadable: usize,
    pub(crate) beyond_limits: usize,
    pub(crate) slow: Duration,
    pub(crate) fast: Duration,
    files: usize,
    lines: usize,
    facts: usize,
    equal: usize,
    /// By who is right, what it is, and class; `nobody` where it has no name.
    counts: BTreeMap<(String, String, String), Count>,
}

impl Report {
    #[expect(clippy::disallowed_methods, reason = "a measuring tool reads its lists")]
    pub(crate) fn new(language: Language) -> Result<Self, Box<dyn std::error::Error>> {
        let read = |list: &str| {
            let path = format!("{}/examples/differential/named/{list}.txt", env!("CARGO_MANIFEST_DIR"));
            std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))
        };
        let mut text = read(&language.name().to_lowercase())?;
        if let Some(other) = text.strip_prefix("= ") {
            text = read(other.trim())?;
        }
        Ok(Self {
            named: named(&text)?,
            unreadable: 0,
            beyond_limits: 0,
            slow: Duration::ZERO,
            fast: Duration::ZERO,
            files: 0,
            lines: 0,
            facts: 0,
            equal: 0,
            counts: BTreeMap::new(),
        })
    }

    pub(crate) fn add(&mut self, path: &str, text: &str, found: &Differences) {
        self.files += 1;
        self.lines += text.lines().count();
        self.facts += found.facts;
        self.equal += found.equal;
        let lines = LineIndex::new(text);
        for (class, places) in &found.classes {
            for at in places {
                let around = around(text, *at as usize);
                let name = self.named.iter().find(|n| n.class.is_match(class) && n.around.is_match(&around));
                let (who, what) = name.map_or(("nobody", ""), |n| (n.who.as_str(), n.what.as_str()));
                let count = self.counts.entry((who.to_owned(), what.to_owned(), class.clone())).or_default();
                count.facts += 1;
                if count.samples.len() < SAMPLES {
                    let line = lines.line_of(*at);
                    let before = around.split('¦').next().unwrap_or("").rsplit('\n').next().unwrap_or("");
                    let shown = around.rsplit('¦').next().unwrap_or("").split('\n').next().unwrap_or("");
                    count.samples.push(format!("{path}:{}: {}¦{shown:.70}", line + 1, before.trim_start()));
                }
            }
        }
    }

    fn sum(&self, of: impl Fn(&str, &str) -> bool) -> usize {
        self.counts.iter().filter(|((who, _, class), _)| of(who, class)).map(|(_, count)| count.facts).sum()
    }

    /// Differences that count against the front end: it is wrong, or nobody said who is.
    fn against(&self) -> usize {
        self.sum(|who, _| matches!(who, "oracle" | "nobody"))
    }

    pub(crate) fn passes(&self) -> bool {
        self.against() * ALLOWED <= self.facts
    }

    fn share(&self, of: usize) -> f64 {
        100.0 * of as f64 / self.facts.max(1) as f64
    }

    /// Equal facts, and those of the oracle whose difference is explained.
    fn agreed(&self) -> usize {
        self.equal + self.sum(|who, class| matches!(who, "ours" | "both") && !class.contains("extra"))
    }

    /// Every difference with samples, those without a name last.
    pub(crate) fn listing(&self) -> String {
        let mut rows: Vec<_> = self.counts.iter().collect();
        rows.sort_by_key(|((who, ..), count)| {
            (
                ["ours", "both", "oracle", "nobody"].iter().position(|w| *w == who.as_str()),
                std::cmp::Reverse(count.facts),
            )
        });
        let mut out = String::new();
        for ((who, what, class), count) in rows {
            let _infallible = writeln!(out, "{:>8} {who}: {class}: {what}", count.facts);
            for sample in &count.samples {
                let _infallible = writeln!(out, "             {sample}");
            }
        }
        let _infallible = write!(
            out,
            "{} files, {} lines, {} facts, {:.3} % equal, {:.3} % agreed, {} against ({:.3} %); {} unreadable for the \
             oracle, {} beyond the limits; front end {:.1} x as fast",
            self.files,
            self.lines,
            self.facts,
            self.share(self.equal),
            self.share(self.agreed()),
            self.against(),
            self.share(self.against()),
            self.unreadable,
            self.beyond_limits,
            self.slow.as_secs_f64() / self.fast.as_secs_f64().max(1e-9),
        );
        out
    }

    /// A section for people: the figures, and what differs, by name.
    pub(crate) fn page(&self, language: Language) -> String {
        let mut named: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for ((who, what, _), count) in &self.counts {
            *named.entry((who.as_str(), what.as_str())).or_default() += count.facts;
        }
        let mut rows: Vec<_> = named.into_iter().collect();
        rows.sort_by_key(|(_, facts)| std::cmp::Reverse(*facts));
        let mut out = format!(
            "## {}\n\n{} files, {} lines, {} facts: {:.2} % equal, {:.2} % after the named differences; {} differences \
             ({:.3} %) count against the front end. Not compared: {} files that the oracle cannot read, {} beyond the \
             limits.\n\n| differences | right | what |\n|---:|---|---|\n",
            language.name(),
            self.files,
            self.lines,
            self.facts,
            self.share(self.equal),
            self.share(self.agreed()),
            self.against(),
            self.share(self.against()),
            self.unreadable,
            self.beyond_limits,
        );
        for ((who, what), facts) in rows {
            let (who, what) = if who == "nobody" { ("–", "without a name") } else { (who, what) };
            let _infallible = writeln!(out, "| {facts} | {who} | {what} |");
        }
        out
    }
}

fn named(text: &str) -> Result<Vec<Named>, Box<dyn std::error::Error>> {
    let mut class = None;
    let mut out = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(inner) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            class = Some(Regex::new(&format!("^(?:{inner})$"))?);
            continue;
        }
        let (head, what) = line.split_once(" -- ").ok_or_else(|| format!("no ` -- ` in: {line}"))?;
        let (who, around) = head.split_once(' ').ok_or_else(|| format!("no pattern in: {line}"))?;
        if !["ours", "oracle", "both"].contains(&who) {
            return Err(format!("who is {who}?").into());
        }
        let class = class.clone().ok_or("a name before the first class")?;
        let (who, what) = (who.to_owned(), what.to_owned());
        out.push(Named { class, who, around: Regex::new(around.trim())?, what });
    }
    Ok(out)
}

fn around(text: &str, at: usize) -> String {
    let (from, to) = (text.floor_char_boundary(at.saturating_sub(SEEN)), text.floor_char_boundary(at + SEEN));
    format!("{}¦{}", &text[from..at], &text[at..to])
}
