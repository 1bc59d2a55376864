//! The table: every corpus, every row, medians, and the goals beside them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::machine::{Took, Values, foreign, median, own};

/// A tree of `benches/corpora.json`. Several packages may make one tree: their ids share the part before the slash.
#[derive(serde::Deserialize)]
struct Package {
    id: String,
    lang: String,
    /// A name for people.
    title: Option<String>,
}

struct Corpus {
    id: String,
    language: String,
    title: String,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate lies in the repository").to_owned()
}

fn corpora() -> Result<Vec<Corpus>, Failure> {
    let text = std::fs::read_to_string(repository().join("benches/corpora.json"))?;
    let packages: Vec<Package> = serde_json::from_str(&text)?;
    let mut corpora: Vec<Corpus> = Vec::new();
    for package in packages {
        let id = package.id.split('/').next().unwrap_or(&package.id).to_owned();
        if corpora.iter().all(|corpus| corpus.id != id) {
            corpora.push(Corpus {
                title: package.title.unwrap_or_else(|| id.clone()),
                id,
                language: package.lang,
            });
        }
    }
    Ok(corpora)
}

/// The file that keeps the values of a corpus, so that corpora may be measured one after the other.
fn kept(corpus: &Corpus) -> PathBuf {
    repository().join(".cache/speed").join(format!("{}.json", corpus.id))
}

/// The file that keeps the table of many clients at once.
const MIXED: &str = ".cache/speed/mixed.md";

/// Measures the corpora that are there.
pub(crate) fn speed(ids: &[String], runs: usize, write: bool) -> Result<(), Failure> {
    let trees = repository().join(".cache/speed/src");
    for corpus in corpora()? {
        let root = trees.join(&corpus.id);
        if !ids.is_empty() && !ids.contains(&corpus.id) {
            continue;
        }
        if !root.is_dir() {
            println!("{}: not here; `cargo xtask corpora` fetches it", corpus.id);
            continue;
        }
        let mut values = measure(&root, &corpus.language, runs)?;
        values.insert("runs".to_owned(), runs as f64);
        println!("{}\n{}", corpus.title, show(&values));
        std::fs::write(kept(&corpus), serde_json::to_string_pretty(&values)?)?;
    }
    if write { write_down() } else { Ok(()) }
}

/// Keeps the table of many clients at once.
pub(crate) fn keep_mixed(table: &str, write: bool) -> Result<(), Failure> {
    std::fs::create_dir_all(repository().join(".cache/speed"))?;
    std::fs::write(repository().join(MIXED), table)?;
    if write { write_down() } else { Ok(()) }
}

fn write_down() -> Result<(), Failure> {
    let (mut measured, mut missing) = (Vec::new(), Vec::new());
    for corpus in corpora()? {
        match std::fs::read_to_string(kept(&corpus)) {
            Ok(text) => measured.push((corpus, serde_json::from_str(&text)?)),
            Err(_) => missing.push(corpus),
        }
    }
    std::fs::write(repository().join("docs/speed.md"), document(&measured, &missing)?)?;
    Ok(())
}

/// Measures one tree and prints the values.
pub(crate) fn tree(root: &Path, language: &str) -> Result<(), Failure> {
    println!("{}", show(&measure(&root.canonicalize()?, language, 3)?));
    Ok(())
}

fn show(values: &Values) -> String {
    let line = |(name, value): (&String, &f64)| format!("  {name:<24} {value:.4}");
    values.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The languages that ctags and the index both read, under ctags' names.
const READ_BY_BOTH: &str = "C,C++,C#,CSS,Go,HTML,Java,JavaScript,JSON,Markdown,PHP,\
    Python,Ruby,Rust,SCSS,SQL,SVG,Sh,TypeScript,XML,XSLT,YAML";

/// All rows of a tree. Compared programs take turns.
fn measure(root: &Path, language: &str, runs: usize) -> Result<Values, Failure> {
    let scratch = tempfile::tempdir()?;
    let cache = scratch.path().join("cache");
    let tags = scratch.path().join("tags").to_string_lossy().into_owned();
    let phase = |name: &str| {
        let (root, cache) = (root.to_string_lossy(), cache.to_string_lossy());
        own(&["phase", name, &root, language, &cache])
    };
    // Otherwise reading files into the system's cache would count for the first row alone.
    phase("walk")?;
    phase("read")?;
    let mut all: Vec<Values> = Vec::new();
    for _ in 0..runs {
        let mut values = phase("read")?;
        for name in ["parse", "facts", "cold"] {
            values.extend(phase(name)?);
        }
        // Its reader of Kotlin takes minutes for a tree of this size: nothing to be compared with.
        if language != "kotlin" {
            for (name, languages) in [("ctags", language), ("ctags all", READ_BY_BOTH)] {
                let languages = format!("--languages={languages}");
                let took = foreign("ctags", &["-R", &languages, "-f", &tags, "."], root, &[0])?;
                let Took { cpu, .. } = took.ok_or("ctags is not installed (Debian: universal-ctags)")?;
                values.insert(format!("{name} cpu"), cpu);
            }
        }
        all.push(values);
        // Shorter rows are taken more often.
        for _ in 0..3 {
            let mut values = phase("walk")?;
            values.extend(phase("warm")?);
            all.push(values);
        }
    }
    all.push(phase("questions")?);
    let mut medians = Values::new();
    for name in all.iter().flat_map(Values::keys) {
        if !medians.contains_key(name) {
            let values = all.iter().filter_map(|values| values.get(name)).copied().collect();
            medians.insert(name.clone(), median(values));
        }
    }
    Ok(medians)
}

/// A column of the table: its head, and its cell of one corpus.
type Column = (&'static str, fn(&dyn Fn(&str) -> f64) -> String);

/// The columns for the sums of several corpora.
const TOGETHER: &[Column] = &[
    ("M lines", |v| format!("{:.1}", v("lines") / 1e6)),
    ("index : ctags", |v| optional(v("compared cpu") / v("ctags all cpu"), 2)),
    ("parse : index", |v| format!("{:.1}", v("parse all cpu") / v("cold cpu"))),
    ("index : read", |v| format!("{:.1}", v("cold cpu") / v("read cpu"))),
    ("wall s per M lines", |v| format!("{:.2}", v("cold wall") / v("lines") * 1e6)),
    ("warm : walk, CPU", |v| format!("{:.2}", v("warm cpu") / v("walk cpu"))),
    ("peak, MB per M lines", |v| format!("{:.0}", v("peak") / v("lines"))),
    ("disk, MB per M lines", |v| format!("{:.1}", v("disk") / v("lines"))),
    ("resolve everything, CPU s per M lines", |v| format!("{:.2}", v("resolve cpu") / v("lines") * 1e6)),
];

const COLD: &[Column] = &[
    ("runs", |v| format!("{}", v("runs"))),
    ("files", |v| format!("{}", v("files"))),
    ("k lines", |v| format!("{:.0}", v("lines") / 1e3)),
    ("MB", |v| format!("{:.1}", v("bytes") / 1e6)),
    ("read, CPU s", |v| format!("{:.2}", v("read cpu"))),
    ("tree-sitter parse alone, CPU s", |v| both(v, "parse", 2)),
    ("ctags, CPU s", |v| both(v, "ctags", 2)),
    ("sketches alone, CPU s", |v| format!("{:.2}", v("sketches cpu"))),
    ("**whole index, CPU s**", |v| format!("**{:.2}**", v("cold cpu"))),
    ("wall s per M lines", |v| format!("{:.2}", v("cold wall") / v("lines") * 1e6)),
    ("index : ctags", |v| {
        let ratio = |of| optional(v("cold cpu") / v(of), 2);
        format!("{} ({})", ratio("ctags all cpu"), ratio("ctags cpu"))
    }),
    ("parse : index", |v| {
        let ratio = |of| optional(v(of) / v("cold cpu"), 1);
        format!("{} ({})", ratio("parse all cpu"), ratio("parse cpu"))
    }),
    ("facts kept later, CPU s", |v| format!("{:.2}", v("fill cpu"))),
];

const SIZE: &[Column] = &[
    ("symbols", |v| format!("{}", v("symbols"))),
    ("peak while indexing, MB per M lines", |v| format!("{:.0}", v("peak") / v("lines"))),
    ("until all facts are kept", |v| format!("{:.0}", v("later peak") / v("lines"))),
    ("idle, MB", |v| format!("{:.0}", v("idle") / 1e6)),
    ("after all questions, MB", |v| format!("{:.0}", v("busy") / 1e6)),
    ("on disk, MB per M lines", |v| format!("{:.1}", v("disk") / v("lines"))),
    ("lists of text search, MB per M lines", |v| optional(v("lists") / v("lines"), 1)),
    ("walk + stat, CPU s", |v| format!("{:.3}", v("walk cpu"))),
    ("warm start, CPU s", |v| format!("{:.3}", v("warm cpu"))),
    ("warm : walk, CPU", |v| format!("{:.2}", v("warm cpu") / v("walk cpu"))),
    ("warm : walk, wall", |v| format!("{:.2}", v("warm wall") / v("walk wall"))),
];

const QUESTIONS: &[Column] = &[
    ("definition", |v| spread(v, "definition")),
    ("references, first page", |v| spread(v, "first references")),
    ("references, all of them", |v| spread(v, "references")),
    ("symbol search", |v| spread(v, "symbols")),
    ("a file saved, then asked", |v| spread(v, "save")),
    ("nothing changed", |v| spread(v, "unchanged")),
    ("resolve everything, CPU s per M lines", |v| format!("{:.2}", v("resolve cpu") / v("lines") * 1e6)),
    ("M references / s", |v| format!("{:.1}", v("resolved") / v("resolve cpu") / 1e6)),
];

const TEXT: &[Column] = &[
    ("rare literal, read through", |v| ratio(v, "text rare")),
    ("rare literal, lists", |v| ratio(v, "lists rare")),
    ("common literal, read through", |v| ratio(v, "text common")),
    ("common literal, lists", |v| ratio(v, "lists common")),
    ("expression, read through", |v| ratio(v, "text regex")),
    ("expression, lists", |v| ratio(v, "lists regex")),
    ("ripgrep, rare literal, wall ms", |v| format!("{:.0}", v("text rare rg wall") * 1e3)),
];

/// The sums of some corpora.
fn together<'v>(all: impl Iterator<Item = &'v Values>) -> Values {
    let mut sums = Values::new();
    for values in all {
        // Without a time of ctags ours is not compared with it.
        let compared = values.get("cold cpu").filter(|_| values.contains_key("ctags all cpu"));
        let compared = compared.map(|cpu| ("compared cpu", *cpu));
        for (name, value) in values.iter().map(|(name, value)| (&**name, *value)).chain(compared) {
            *sums.entry(name.to_owned()).or_default() += value;
        }
    }
    sums
}

fn row(out: &mut String, head: &str, values: &Values, columns: &[Column]) -> std::fmt::Result {
    write!(out, "\n| {head} |")?;
    let value = |name: &str| values.get(name).copied().unwrap_or(f64::NAN);
    columns.iter().try_for_each(|(_, cell)| write!(out, " {} |", cell(&value)))
}

fn heads(out: &mut String, first: &str, columns: &[Column]) -> std::fmt::Result {
    write!(out, "| {first} |")?;
    columns.iter().try_for_each(|(head, _)| write!(out, " {head} |"))?;
    write!(out, "\n|---|{}", "---:|".repeat(columns.len()))
}

fn optional(value: f64, digits: usize) -> String {
    if value.is_nan() { "–".to_owned() } else { format!("{value:.digits$}") }
}

/// Of all languages, in parentheses of the main one.
fn both(value: &dyn Fn(&str) -> f64, name: &str, digits: usize) -> String {
    let of = |kind: &str| optional(value(&format!("{name}{kind} cpu")), digits);
    format!("{} ({})", of(" all"), of(""))
}

fn spread(value: &dyn Fn(&str) -> f64, name: &str) -> String {
    let at = |share: &str| value(&format!("{name} cpu {share}"));
    format!("{:.3} / {:.2}", at("p50"), at("p99"))
}

fn ratio(value: &dyn Fn(&str) -> f64, name: &str) -> String {
    let of = |kind: &str| value(&format!("{name} {kind}")) / value(&format!("{name} rg {kind}"));
    if of("wall").is_nan() { "–".to_owned() } else { format!("{:.2} ({:.2})", of("wall"), of("cpu")) }
}

fn document(measured: &[(Corpus, Values)], missing: &[Corpus]) -> Result<String, Failure> {
    let mut out = format!(
        "# Speed\n\n\
        Written by `cargo run --profile dist -p benches -- speed --write`; `cargo xtask corpora` fetches the trees. Each corpus in \
        one go, on a machine of {} cores of which nothing tells what else they did: CPU seconds and ratios count, wall times \
        only beside one another. Peaks and sizes are those of processes that do nothing else. Corpora marked \\* are read by \
        grammar tables (tree-sitter) because their language had no front end written for it yet.\n",
        std::thread::available_parallelism()?
    );
    if !missing.is_empty() {
        let titles: Vec<_> = missing.iter().map(|c| format!("{} ({})", c.title, c.language)).collect();
        writeln!(out, "\nNot measured: {}.", titles.join("; "))?;
    }
    out.push_str(
        "\n## Each language, and all together\n\nThe sums of all corpora of a language; what the columns mean is said below.\n\n",
    );
    heads(&mut out, "language", TOGETHER)?;
    let languages: BTreeSet<&str> = measured.iter().map(|(corpus, _)| &*corpus.language).collect();
    for language in languages {
        let all = measured.iter().filter(|(corpus, _)| corpus.language == language);
        row(&mut out, language, &together(all.map(|(_, values)| values)), TOGETHER)?;
    }
    row(&mut out, "**all**", &together(measured.iter().map(|(_, values)| values)), TOGETHER)?;
    out.push('\n');
    let parts: [(&str, &str, &[Column]); 4] = [
        (
            "Nothing indexed yet",
            "*Whole index* is everything from nothing until the index is durable and answers every question: walking, reading, \
            the declarations and names of all languages in the tree, writing; the system holds the files in memory from an earlier \
            reading, for all rows alike. Facts of function bodies are read when a question needs them; a process that has nothing \
            to do reads and keeps them all (*facts kept later*). tree-sitter parses what the index reads (but SQL, and components \
            of Vue and Svelte) and does nothing with the trees; ctags reads the same languages and writes its file of \
            definitions. In parentheses both of the main language alone, beside the same whole index. *Runs*: medians of so many. \
            Goals: index : ctags ≤ 0.5, parse : index ≥ 8, wall ≤ 0.25.",
            COLD,
        ),
        (
            "Memory, disk, and the next start",
            "*Idle* is the heap of a process that has answered once; mapped pages are the system's to take back. *Warm start* \
            is until the first answer, which describes what is on disk then. Goals: peak ≤ 60, disk ≤ 25, warm : walk ≤ 1.3.",
            SIZE,
        ),
        (
            "Questions",
            "CPU milliseconds, half of all / 99 of 100, in process, places spread over the whole tree, caches as they come. \
            Goals: definition 0.1 / 2, references 2 / 60, symbols 5 / 25, save – / 2, resolve everything ≤ 1.2.",
            QUESTIONS,
        ),
        (
            "Text search beside ripgrep",
            "Ours ÷ ripgrep, wall (CPU): every match found, in process, against the program started in the same tree. \
            *Lists* of files by trigram exist above 30 MB of files. Goals: rare ≤ 0.1, anything ≤ 0.8.",
            TEXT,
        ),
    ];
    for (title, text, columns) in parts {
        write!(out, "\n## {title}\n\n{text}\n\n")?;
        heads(&mut out, "corpus", columns)?;
        for (corpus, values) in measured {
            let mark = if values.get("hand-written") == Some(&1.0) { "" } else { " \\*" };
            row(&mut out, &format!("{} ({}){mark}", corpus.title, corpus.language), values, columns)?;
        }
        out.push('\n');
    }
    if let Ok(mixed) = std::fs::read_to_string(repository().join(MIXED)) {
        write!(
            out,
            "\n## Sixty-four clients at once\n\nOne server over stdio, as many calls in flight as there are clients, three \
            reads to a write; one client renames a symbol there and back. Written by `benches mixed`.\n\n{mixed}"
        )?;
    }
    Ok(out)
}
