//! `cargo xtask peers`: other servers that answer questions about code over MCP, and this one beside them, in one run.
//!
//! `benches/peers/peers.json` says what they are, how each is started as its own documentation says, and how it spells
//! the questions.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::foreign::{self, Missing};
use crate::{accuracy, mcp, repo};

/// How to run.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Projects of benches/peers/peers.json; none means all.
    ids: Vec<String>,
    /// Only servers whose name contains this.
    #[arg(long)]
    server: Option<String>,
    /// Starts of each server that are measured; the middle one counts.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Write docs/peers.md.
    #[arg(long, conflicts_with = "server")]
    write: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    projects: Vec<Project>,
    servers: Vec<Server>,
}

/// A tree of accuracy/projects.json.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Project {
    id: String,
    title: String,
    /// The texts that replace `{…}` in the questions.
    words: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Server {
    name: String,
    /// Folders below benches/peers that name its packages; `{folder}` is the first of them, installed, `{npm}` the second.
    python: Option<String>,
    npm: Option<String>,
    /// The command that its documentation has run before the first start; counted into that start.
    prepare: Option<Vec<String>>,
    command: Vec<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    /// A file below its home and what is in it.
    settings: Option<(String, String)>,
    /// The paths that it keeps between two starts.
    #[serde(default)]
    keeps: Vec<String>,
    /// The call that its documentation makes first.
    begin: Option<Question>,
    symbol: Question,
    references: Question,
    new: Question,
}

/// A tool and its arguments.
type Question = (String, Value);

/// For one answer, and for the first useful one.
const DEADLINE: Duration = Duration::from_secs(120);
/// How long a file that another program wrote may stay unseen.
const UNSEEN: Duration = Duration::from_secs(20);
/// For ending after its client has gone.
const GRACE: Duration = Duration::from_secs(1);
/// Calls of each question.
const CALLS: usize = 21;
/// The variable that marks a server's processes, also those that leave their parent.
const MARK: &str = "XTASK_PEER";

/// The measurements of one start; seconds, milliseconds, bytes.
#[derive(Default)]
struct Figures {
    cold: f64,
    warm: f64,
    memory: f64,
    processes: usize,
    list: usize,
    symbol: f64,
    references: f64,
    references_bytes: usize,
    /// Until a file of somebody else is seen; nothing when it is not.
    seen: Option<f64>,
    stale: usize,
    left: usize,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    ensure!(
        Path::new("/proc/self/smaps_rollup").exists(),
        "processes and their memory are read from /proc: this runs on Linux only"
    );
    let data: Data = serde_json::from_str(&fs::read_to_string(folder().join("peers.json"))?)?;
    let binary = repo::server_binary(true)?;
    let mut rows = String::new();
    for project in data.projects.iter().filter(|p| options.ids.is_empty() || options.ids.contains(&p.id)) {
        let source = accuracy::tree(&project.id)?;
        let wanted = |server: &&Server| options.server.as_ref().is_none_or(|name| server.name.contains(name));
        for server in data.servers.iter().filter(wanted) {
            let begun = Instant::now();
            let row = match Bench::new(project, server, &source, &binary)? {
                Ok(bench) => bench.row(options.runs),
                Err(Missing(why)) => Err(anyhow::anyhow!(why)),
            };
            // a server that fails is a result
            let row = row
                .unwrap_or_else(|error| format!("{error:#}").lines().next().unwrap_or_default().to_owned());
            println!("{} {}: {row}  ({:.0} s)", project.id, server.name, begun.elapsed().as_secs_f64());
            let _ = writeln!(rows, "| {} | {} | {row} |", project.title, server.name);
        }
    }
    if options.write {
        fs::write(repo::root().join("docs/peers.md"), format!("{HEAD}{rows}"))?;
    }
    Ok(())
}

const HEAD: &str = "# Beside other servers

Written by `cargo xtask peers --write`: servers that answer questions about code over MCP, one after the other in one run, each
started over stdio as its own documentation says (`benches/peers/peers.json`), the middle one of the starts. What a server
installs for itself at its first start does not count; codegraph's own indexing step does. Serena works with pyright and the
TypeScript language server, cclsp too. *References* are callers for codegraph and words for code-index-mcp.

- *Cold*, *warm*: seconds from no process to the first useful answer, without and with what an earlier start kept.
- *Memory*: all processes together, shared pages divided, after the questions.
- *Tools*: bytes of the list of tools, which every conversation carries.
- *Symbol*, *references*: half of the calls take at most this many milliseconds; the size of the answer.
- *A file is written*: seconds until a question finds what another program wrote, and how many answers before did not.

| project | server | cold, s | warm, s | memory, MiB (processes) | tools, bytes | symbol, ms | references, ms (bytes) | a file is written, s (stale answers) | processes left when the client has gone |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|
";

fn folder() -> PathBuf {
    repo::root().join("benches/peers")
}

/// One server in one project.
struct Bench<'a> {
    server: &'a Server,
    words: BTreeMap<String, String>,
    root: PathBuf,
    home: PathBuf,
    path: String,
}

impl<'a> Bench<'a> {
    /// A copy of the project, an empty home, and the server's packages.
    fn new(
        project: &Project,
        server: &'a Server,
        source: &Path,
        binary: &Path,
    ) -> Result<Result<Self, Missing>> {
        let mut installed = Vec::new();
        for (folder, install) in [
            (&server.python, foreign::python_folder as fn(&str) -> Result<Result<PathBuf, Missing>>),
            (&server.npm, foreign::npm_folder),
        ] {
            let Some(folder) = folder else { continue };
            match install(&format!("benches/peers/{folder}"))? {
                Ok(folder) => installed.push(folder),
                Err(missing) => return Ok(Err(missing)),
            }
        }
        let root = repo::cache("peers/src")?.join(&project.id);
        foreign::copy_folder(source, &root)?;
        let home = repo::cache("peers/home")?;
        fs::remove_dir_all(&home)?;
        fs::create_dir_all(home.join("tmp"))?;
        let mut words = project.words.clone();
        let (line, column) = declared(&root, &words)?;
        let path = |path: &Path| path.to_string_lossy().into_owned();
        words.extend(
            [("root", path(&root)), ("home", path(&home)), ("ours", path(binary))]
                .map(|(k, v)| (k.to_owned(), v)),
        );
        words.extend([("line", line), ("column", column)].map(|(k, v)| (k.to_owned(), v.to_string())));
        if let (Some(first), Some(last)) = (installed.first(), installed.last()) {
            words.insert("folder".to_owned(), path(first));
            words.insert("npm".to_owned(), path(last));
        }
        let programs = installed
            .iter()
            .flat_map(|f| [f.join("venv/bin"), f.join("node_modules/.bin")])
            .map(|p| path(&p));
        let path = programs.chain(std::env::var("PATH")).collect::<Vec<_>>().join(":");
        let bench = Self { server, words, root, home, path };
        if let Some((file, text)) = &server.settings {
            let file = bench.home.join(file);
            fs::create_dir_all(file.parent().expect("a file has a folder"))?;
            fs::write(file, bench.filled(text))?;
        }
        Ok(Ok(bench))
    }

    fn row(&self, runs: usize) -> Result<String> {
        self.once()?;
        let mut all = (0..runs.max(1)).map(|_| self.once()).collect::<Result<Vec<_>>>()?;
        let mut middle = |of: fn(&Figures) -> f64| {
            all.sort_by(|a, b| of(a).total_cmp(&of(b)));
            of(&all[all.len() / 2])
        };
        let [cold, warm, memory] = [middle(|f| f.cold), middle(|f| f.warm), middle(|f| f.memory)];
        let [symbol, references] = [middle(|f| f.symbol), middle(|f| f.references)];
        // The other figures are those of the start whose wait was the middle one.
        middle(|f| f.seen.unwrap_or(f64::MAX));
        let Figures { processes, list, references_bytes, seen, stale, left, .. } = all[all.len() / 2];
        let seen = seen.map_or_else(|| format!("not within {}", UNSEEN.as_secs()), |s| format!("{s:.2}"));
        Ok(format!(
            "{cold:.2} | {warm:.2} | {memory:.0} ({processes}) | {list} | {symbol:.1} | {references:.1} ({references_bytes}) | {seen} ({stale}) | {left}"
        ))
    }

    /// From nothing kept to the end of a second start.
    fn once(&self) -> Result<Figures> {
        for kept in &self.server.keeps {
            let kept = PathBuf::from(self.filled(kept));
            if kept.exists() {
                fs::remove_dir_all(&kept)?;
            }
        }
        fs::create_dir_all(self.home.join("tmp"))?;
        let scratch = self.root.join(&self.words["new_file"]);
        fs::remove_file(&scratch).ok();
        let mut figures = Figures::default();
        let begun = Instant::now();
        if let Some(prepare) = &self.server.prepare {
            repo::output(&mut self.command(prepare)).context("its own indexing step")?;
        }
        let mut client = self.first_answer(begun)?;
        figures.cold = begun.elapsed().as_secs_f64();
        figures.list = json!(client.tools()?).to_string().len();
        (figures.symbol, _) = self.half(&mut client, &self.server.symbol)?;
        (figures.references, figures.references_bytes) = self.half(&mut client, &self.server.references)?;
        let running = running(&self.home);
        figures.processes = running.len();
        figures.memory = running.iter().map(|pid| proportional_kib(*pid)).sum::<u64>() as f64 / 1024.0;
        self.somebody_writes(&mut client, &scratch, &mut figures)?;
        fs::remove_file(&scratch)?;
        drop(client);
        std::thread::sleep(GRACE);
        figures.left = self.stop_what_is_left()?;
        let begun = Instant::now();
        drop(self.first_answer(begun)?);
        figures.warm = begun.elapsed().as_secs_f64();
        self.stop_what_is_left()?;
        Ok(figures)
    }

    /// A server that has said where the class is.
    fn first_answer(&self, begun: Instant) -> Result<mcp::Client> {
        let mut client =
            mcp::Client::start(self.command(&self.server.command).stderr(Stdio::null()), DEADLINE)?;
        if let Some(begin) = &self.server.begin {
            self.ask(&mut client, begin)?;
        }
        loop {
            let answer = self.ask(&mut client, &self.server.symbol)?;
            if answer.contains(&self.words["class_file"]) {
                return Ok(client);
            }
            ensure!(begun.elapsed() < DEADLINE, "no useful answer within {DEADLINE:?}: {answer:.100}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// The median time of a question, in milliseconds, and the size of its answer.
    fn half(&self, client: &mut mcp::Client, question: &Question) -> Result<(f64, usize)> {
        let size = self.ask(client, question)?.len();
        let mut times = Vec::new();
        for _ in 0..CALLS {
            let begun = Instant::now();
            self.ask(client, question)?;
            times.push(begun.elapsed().as_secs_f64() * 1000.0);
        }
        times.sort_by(f64::total_cmp);
        Ok((times[CALLS / 2], size))
    }

    fn somebody_writes(&self, client: &mut mcp::Client, scratch: &Path, figures: &mut Figures) -> Result<()> {
        let line = &self.words["new_line"];
        let body = if line.ends_with(':') { "\n    return 1\n" } else { "\n" };
        fs::write(scratch, format!("{line}{body}"))?;
        let name = scratch.file_name().expect("it is a file").to_string_lossy().into_owned();
        let begun = Instant::now();
        while begun.elapsed() < UNSEEN {
            let answer = self.ask(client, &self.server.new)?;
            let refused = ["not found", "No ", "no ", "rror", "needs_deep_index"]
                .iter()
                .any(|word| answer.contains(word));
            if !refused && (answer.contains(&name) || answer.contains(line)) {
                figures.seen = Some(begun.elapsed().as_secs_f64());
                return Ok(());
            }
            figures.stale += 1;
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }

    /// All text of the answer; an error of the tool is an answer.
    fn ask(&self, client: &mut mcp::Client, (tool, arguments): &Question) -> Result<String> {
        let result = client
            .request("tools/call", &json!({"name": tool, "arguments": self.filled_value(arguments)}))?;
        let blocks = result["content"].as_array().map_or(&[][..], Vec::as_slice);
        Ok(blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n"))
    }

    fn command(&self, words: &[String]) -> Command {
        let mut command = Command::new(self.filled(&words[0]));
        command.args(words[1..].iter().map(|word| self.filled(word))).current_dir(&self.root);
        command
            .env("HOME", &self.home)
            .env("TMPDIR", self.home.join("tmp"))
            .env("PATH", &self.path)
            .env(MARK, &self.home);
        for place in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
            command.env_remove(place);
        }
        command.envs(self.server.environment.iter().map(|(name, value)| (name, self.filled(value))));
        command
    }

    fn filled(&self, text: &str) -> String {
        self.words
            .iter()
            .fold(text.to_owned(), |text, (word, value)| text.replace(&format!("{{{word}}}"), value))
    }

    /// [`Self::filled`] in every text; what is a number then becomes one.
    fn filled_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => {
                let filled = self.filled(text);
                filled.parse::<u64>().map_or_else(|_| json!(filled), |number| json!(number))
            }
            Value::Object(all) => {
                all.iter().map(|(key, value)| (key.clone(), self.filled_value(value))).collect()
            }
            other => other.clone(),
        }
    }

    /// Ends what runs on without its client; how many they are.
    fn stop_what_is_left(&self) -> Result<usize> {
        let left = running(&self.home);
        for pid in &left {
            // it may have ended meanwhile
            repo::output(Command::new("kill").args(["-9", &pid.to_string()])).ok();
        }
        let begun = Instant::now();
        while !running(&self.home).is_empty() {
            ensure!(begun.elapsed() < DEADLINE, "processes that do not end");
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(left.len())
    }
}

/// Line and column of the used name, from 1.
fn declared(root: &Path, words: &BTreeMap<String, String>) -> Result<(usize, usize)> {
    let (file, declaration) = (&words["file"], &words["declaration"]);
    let text = fs::read_to_string(root.join(file))?;
    let found = text.lines().enumerate().find(|(_, line)| line.contains(&**declaration));
    let (line, text) = found.with_context(|| format!("no `{declaration}` in {file}"))?;
    Ok((line + 1, text.find(&*words["used"]).context("the declaration names it")? + 1))
}

/// The processes whose environment has the mark with this home.
fn running(home: &Path) -> Vec<u32> {
    let mark = format!("{MARK}={}", home.display());
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        // One that has ended, or is somebody else's, is none of the server's.
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    })
    .collect()
}

/// Memory of a process with its part of what it shares.
fn proportional_kib(pid: u32) -> u64 {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
