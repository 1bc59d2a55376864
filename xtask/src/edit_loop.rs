//! `cargo xtask loop`: the daily work of an agent, over MCP with the built server, in a small real project of every language and
//! of further build systems and runners: run the test that fails, break the code, see the compiler's error in the build, mend
//! it, build, see the test pass. Then a build that takes longer than its client waits.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::ci::Counts;
use crate::{debian, foreign, mcp, repo};

/// One language: a project below `proof/loop` with a mistake in it.
struct Row {
    folder: &'static str,
    /// Commands that show that everything is there, run in the project; the first one that fails is why it is skipped.
    setup: &'static [&'static [&'static str]],
    file: &'static str,
    /// The mistake and what is right.
    mistake: (&'static str, &'static str),
    /// Code that is right, and the same as no compiler takes it.
    broken: (&'static str, &'static str),
    test: &'static str,
    /// The line of the test where it fails.
    fails_at: &'static str,
}

const CHECKS: usize = 6;

const ROWS: [Row; 15] = [
    Row {
        folder: "java",
        setup: &[&["mvn", "-B", "-ntp", "-q", "test", "-Dtest=CartTest#emptyCostsNothing"]],
        file: "src/main/java/shop/Cart.java",
        mistake: ("sum -= price", "sum += price"),
        broken: ("return sum;", "return \"\" + sum;"),
        test: "src/test/java/shop/CartTest.java::CartTest::Filled::sums",
        fails_at: "assertEquals(5, cart.total());",
    },
    Row {
        folder: "kotlin",
        setup: &[&["mvn", "-B", "-ntp", "-q", "test", "-Dtest=CartTest#empty*"]],
        file: "src/main/kotlin/shop/Cart.kt",
        mistake: ("sum -= price", "sum += price"),
        broken: ("return sum", "return \"\" + sum"),
        test: "src/test/kotlin/shop/CartTest.kt::CartTest::sums",
        fails_at: "assertEquals(5, cart.total())",
    },
    Row {
        folder: "python",
        setup: &[&["python3", "-c", "import pytest"], &["mypy", "--version"]],
        file: "shop/cart.py",
        mistake: ("total -= price", "total += price"),
        broken: ("return total", "return \"\", total"),
        test: "tests/test_cart.py::TestFilled::test_sums",
        fails_at: "assert cart.total() == 5",
    },
    Row {
        folder: "typescript",
        setup: &[&["npm", "install", "--no-audit", "--no-fund"]],
        file: "src/cart.ts",
        mistake: ("sum -= price", "sum += price"),
        broken: ("return sum;", "return \"\" + sum;"),
        test: "src/cart.test.ts::Cart::filled::sums (2 + 3)",
        fails_at: "expect(cart.total()).toBe(5);",
    },
    Row {
        folder: "go",
        setup: &[&["go", "version"]],
        file: "shop/cart.go",
        mistake: ("sum -= price", "sum += price"),
        broken: ("return sum", "return \"\""),
        test: "shop/cart_test.go::TestSums",
        fails_at: "t.Errorf(\"got %d, want 5\", got)",
    },
    Row {
        folder: "php",
        setup: &[&["phpunit", "--version"]],
        file: "src/Cart.php",
        mistake: ("$sum -= $price", "$sum += $price"),
        // Types of PHP are checked when it runs: a build finds what cannot be parsed.
        broken: ("return $sum;", "return $sum +;"),
        test: "tests/CartTest.php::CartTest::testSums",
        fails_at: "self::assertSame(5, $cart->total());",
    },
    Row {
        folder: "rust",
        setup: &[&["cargo", "--version"]],
        file: "src/lib.rs",
        mistake: ("sum -= price", "sum += price"),
        broken: ("        sum\n", "        sum.to_string()\n"),
        test: "src/lib.rs::tests::sums",
        fails_at: "assert_eq!(cart.total(), 5);",
    },
    Row {
        folder: "unittest",
        setup: &[&["python3", "--version"]],
        file: "shop/cart.py",
        mistake: ("total -= price", "total += price"),
        broken: ("return total", "return total +"),
        test: "tests/test_cart.py::CartTest::test_sums",
        fails_at: "self.assertEqual(cart.total(), 5)",
    },
    Row {
        folder: "uv",
        setup: &[&["uv", "lock", "--quiet"]],
        file: "src/shop/cart.py",
        mistake: ("total -= price", "total += price"),
        broken: ("return total", "return total +"),
        test: "tests/test_cart.py::test_sums",
        fails_at: "assert cart.total() == 5",
    },
    Row {
        folder: "node-test",
        setup: &[&["npm", "install", "--no-audit", "--no-fund"]],
        file: "src/cart.ts",
        mistake: ("sum -= price", "sum += price"),
        broken: ("return sum;", "return \"\" + sum;"),
        test: "src/cart.test.ts::Cart::filled::sums (2 + 3)",
        fails_at: "assert.equal(cart.total(), 5);",
    },
    Row {
        folder: "jest",
        setup: &[&["npm", "install", "--no-audit", "--no-fund"]],
        file: "src/cart.js",
        mistake: ("sum -= price", "sum += price"),
        broken: ("return sum;", "return \"\" + sum;"),
        test: "src/cart.test.js::Cart::filled with %d::sums",
        fails_at: "expect(cart.total()).toBe(5);",
    },
    Row {
        folder: "pnpm",
        setup: &[&["pnpm", "install", "--silent"]],
        file: "packages/cart/src/cart.ts",
        mistake: ("sum -= price", "sum += price"),
        broken: ("return sum;", "return \"\" + sum;"),
        test: "packages/cart/src/cart.test.ts::Cart::filled::sums (2 + 3)",
        fails_at: "expect(cart.total()).toBe(5);",
    },
    Row {
        folder: "testng",
        setup: &[&["mvn", "-B", "-ntp", "-q", "test", "-Dtest=CartTest#emptyCostsNothing"]],
        file: "src/main/java/shop/Cart.java",
        mistake: ("sum -= price", "sum += price"),
        broken: ("return sum;", "return \"\" + sum;"),
        test: "src/test/java/shop/CartTest.java::CartTest::sums",
        fails_at: "assertEquals(cart.total(), 5);",
    },
    Row {
        folder: "gradle",
        setup: &[&["gradle", "--no-daemon", "--quiet", "testClasses"]],
        file: "shop/src/main/java/shop/Cart.java",
        mistake: ("sum -= price", "sum += price"),
        broken: ("return sum;", "return \"\" + sum;"),
        test: "shop/src/test/java/shop/CartTest.java::CartTest::sums",
        fails_at: "assertEquals(5, cart.total());",
    },
    Row {
        folder: "nextest",
        setup: &[&["cargo", "nextest", "--version"]],
        file: "src/lib.rs",
        mistake: ("sum -= price", "sum += price"),
        broken: ("        sum\n", "        sum.to_string()\n"),
        test: "src/lib.rs::tests::sums",
        fails_at: "assert_eq!(cart.total(), 5);",
    },
];

/// The search path with package managers and runners behind it that few machines have.
fn search_path() -> Result<OsString> {
    let mut path: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    // Before the machine's, which may be older.
    path.splice(0..0, debian::phpunit()?);
    if let Ok(folder) = foreign::npm_folder("proof/loop-tools/node")? {
        path.push(folder.join("node_modules/.bin"));
    }
    if let Ok(folder) = foreign::python_folder("proof/loop-tools/python")? {
        path.push(folder.join("venv/bin"));
    }
    Ok(std::env::join_paths(path)?)
}

/// A client gives up after this.
const CLIENT: Duration = Duration::from_secs(60);

/// Every language, then the long build.
pub(crate) fn run(only: &[String]) -> Result<Counts> {
    let binary = repo::server_binary(false)?;
    let mut counts = Counts::default();
    for row in ROWS.iter().filter(|row| only.is_empty() || only.iter().any(|name| name == row.folder)) {
        counts.add(match Project::set_up(row)? {
            Err(why) => Counts::skipped(row.folder, &why),
            Ok(project) => told(row.folder, CHECKS, project.walk(&binary)),
        });
    }
    if only.is_empty() || only.iter().any(|name| name == "long") {
        counts.add(told("a build that takes longer than its client waits", 4, long_build(&binary)));
    }
    Ok(counts)
}

fn told(what: &str, checks: usize, done: Result<()>) -> Counts {
    match done {
        Ok(()) => {
            println!("{what}: {checks} checks passed");
            Counts { passed: checks, ..Counts::default() }
        }
        Err(error) => Counts::failed(what, &format!("{error:#}")),
    }
}

/// A copy of a project.
struct Project {
    row: &'static Row,
    dir: PathBuf,
}

impl Project {
    /// A fresh copy with what it depends on; the reason where that is not to be had.
    fn set_up(row: &'static Row) -> Result<Result<Self, String>> {
        let dir = repo::cache("loop")?.join(row.folder);
        let source = repo::root().join("proof/loop").join(row.folder);
        for file in repo::walk(&source, |name| name == "node_modules" || name == "target")? {
            let target = dir.join(&file);
            fs::create_dir_all(target.parent().context("a file has a folder")?)?;
            fs::copy(source.join(&file), target)?;
        }
        let dir = dir.canonicalize()?;
        for command in row.setup {
            let (program, args) = command.split_first().context("a command has a name")?;
            let mut run = Command::new(program);
            run.args(args).env("PATH", search_path()?).current_dir(&dir);
            let run = run.stdin(Stdio::null()).output();
            match run {
                Err(error) => return Ok(Err(format!("{program}: {error}"))),
                Ok(run) if !run.status.success() => {
                    let said = String::from_utf8_lossy(&run.stderr).into_owned()
                        + &String::from_utf8_lossy(&run.stdout);
                    let line = said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
                    return Ok(Err(format!("`{}` failed: {line}", command.join(" "))));
                }
                Ok(_) => {}
            }
        }
        Ok(Ok(Self { row, dir }))
    }

    fn text(&self) -> Result<String> {
        Ok(fs::read_to_string(self.dir.join(self.row.file))?)
    }

    /// Changes the file as an agent's own tool does, behind the server's back.
    fn replace(&self, (from, to): (&str, &str)) -> Result<()> {
        let text = self.text()?;
        ensure!(text.matches(from).count() == 1, "`{from}` stands not once in {}", self.row.file);
        Ok(fs::write(self.dir.join(self.row.file), text.replace(from, to))?)
    }

    fn walk(&self, binary: &Path) -> Result<()> {
        let row = self.row;
        let mut client = server(binary, &self.dir, true)?;
        let listed = ok(&mut client, "ide_list_tests", &json!({}))?;
        let tests = listed["tests"].as_array().context("a list of tests")?;
        ensure!(tests.iter().any(|test| test["id"] == row.test), "{} is not in {listed}", row.test);

        let run = self.test(&mut client)?;
        let failed = &run["testResults"][0];
        ensure!(run["failed"] == 1 && run["passed"] == 0, "the test should fail: {run}");
        let file = row.test.split("::").next().unwrap_or_default();
        let wanted = line_of(&fs::read_to_string(self.dir.join(file))?, row.fails_at)?;
        ensure!(
            failed["file"] == file && failed["line"] == wanted,
            "it failed at {file}:{wanted}, not there: {failed}"
        );
        ensure!(
            failed["expected"] == "5" && failed["actual"] == "-5",
            "5 was expected and -5 there: {failed}"
        );

        self.replace(row.broken)?;
        let build = ended(&mut client, "ide_build_project", "buildId", json!({}))?;
        ensure!(build["success"] == false, "the build should fail: {build}");
        let wanted = line_of(&self.text()?, row.broken.1)?;
        let said = build["buildMessages"].as_array().context("messages")?;
        let is_there =
            |one: &&Value| one["category"] == "ERROR" && one["file"] == row.file && one["line"] == wanted;
        ensure!(said.iter().any(|one| is_there(&one)), "no error at {}:{wanted}: {build}", row.file);

        self.replace((row.broken.1, row.broken.0))?;
        self.replace(row.mistake)?;
        let build = ended(&mut client, "ide_build_project", "buildId", json!({}))?;
        ensure!(build["success"] == true && build["errors"] == 0, "the build should succeed: {build}");
        let run = self.test(&mut client)?;
        ensure!(run["success"] == true && run["passed"] == 1, "the test should pass: {run}");
        ensure!(run["testResults"][0]["id"] == row.test, "the one test was run: {run}");
        Ok(())
    }

    fn test(&self, client: &mut mcp::Client) -> Result<Value> {
        ended(client, "ide_run_tests", "runId", json!({"tests": [self.row.test]}))
    }
}

fn line_of(text: &str, part: &str) -> Result<usize> {
    let part = part.trim();
    let line = text.lines().position(|line| line.contains(part));
    Ok(line.with_context(|| format!("`{part}` stands nowhere"))? + 1)
}

/// The server on a project, with the tools that are off.
fn server(binary: &Path, dir: &Path, is_trusted: bool) -> Result<mcp::Client> {
    const TOOLS: &str = "enabled_tools = [\"ide_build_project\", \"ide_list_tests\", \"ide_run_tests\"]\n";
    let work = repo::cache("loop")?;
    let config = work.join(if is_trusted { "trusted.toml" } else { "config.toml" });
    let trusted = if is_trusted {
        format!("trusted_projects = [{:?}]\n", dir.display().to_string())
    } else {
        String::new()
    };
    fs::write(&config, format!("{TOOLS}{trusted}"))?;
    let mut command = repo::isolated(binary)?;
    // Toolchains lie in the home that is not ours.
    if let Some(home) = std::env::var_os("HOME") {
        for (name, folder) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
            if std::env::var_os(name).is_none() {
                command.env(name, Path::new(&home).join(folder));
            }
        }
    }
    command.env("PATH", search_path()?);
    command.args(["stdio", "--config"]).arg(&config).arg("--project").arg(dir);
    command.stderr(fs::File::create(work.join("server.log"))?);
    mcp::Client::start(&mut command, CLIENT)
}

fn ok(client: &mut mcp::Client, tool: &str, arguments: &Value) -> Result<Value> {
    let answer = client.call(tool, arguments)?;
    ensure!(!answer.is_error, "{tool}: {}", answer.value);
    Ok(answer.value)
}

/// Calls until the operation has ended.
fn ended(client: &mut mcp::Client, tool: &str, id: &str, arguments: Value) -> Result<Value> {
    let mut arguments = arguments;
    loop {
        let answer = ok(client, tool, &arguments)?;
        if answer["status"] == "finished" {
            return Ok(answer);
        }
        arguments = json!({ id: answer[id] });
    }
}

/// A build of ten seconds through a client that waits for three; one that is taken back; one of a project that is not trusted.
fn long_build(binary: &Path) -> Result<()> {
    /// The client's limit, of which a call may wait a third.
    const LIMIT: Duration = Duration::from_secs(3);
    let dir = repo::cache("loop")?.join("long");
    fs::create_dir_all(&dir)?;
    let dir = dir.canonicalize()?;
    fs::write(dir.join("Makefile"), "all:\n\tsleep 10\n\techo 'a.c:3:5: warning: so slow'\n")?;
    fs::write(dir.join("a.c"), "int a;\n\nint b;\n")?;
    let mut client = server(binary, &dir, true)?;
    let begun = Instant::now();
    let mut arguments = json!({"waitSeconds": 1});
    let mut calls = 0;
    let answer = loop {
        let called = Instant::now();
        let answer = ok(&mut client, "ide_build_project", &arguments)?;
        ensure!(called.elapsed() < LIMIT, "a call took {:?}", called.elapsed());
        calls += 1;
        if answer["status"] == "finished" {
            break answer;
        }
        // A client that forgot the id begins the same build, and is given the one that runs.
        let id = answer["buildId"].clone();
        // Later it may have ended meanwhile.
        if begun.elapsed() < Duration::from_secs(8) {
            let again = ok(&mut client, "ide_build_project", &json!({"waitSeconds": 0}))?;
            ensure!(again["buildId"] == id, "a second build was begun: {again}");
        }
        arguments = json!({"waitSeconds": 1, "buildId": id});
    };
    ensure!(begun.elapsed() >= Duration::from_secs(10) && calls > 3, "the build was not that long: {answer}");
    ensure!(answer["success"] == true && answer["warnings"] == 1, "the build should succeed: {answer}");
    println!("a build of {:.0} s through {calls} calls of at most {LIMIT:?}", begun.elapsed().as_secs_f64());

    let seconds = format!("3141{}", std::process::id());
    fs::write(dir.join("Makefile"), format!("all:\n\tsleep {seconds} & wait\n"))?;
    let begun = ok(&mut client, "ide_build_project", &json!({"waitSeconds": 1}))?;
    ensure!(begun["status"] == "running" && sleeps(&seconds), "it should run: {begun}");
    let id = &begun["buildId"];
    let ended = ok(&mut client, "ide_build_project", &json!({"buildId": id, "cancel": true}))?;
    ensure!(ended["status"] == "finished" && ended["aborted"] == true, "it should be ended: {ended}");
    ensure!(!sleeps(&seconds), "a process of the build is still there");

    let begun = ok(&mut client, "ide_build_project", &json!({"waitSeconds": 1}))?;
    ensure!(begun["status"] == "running" && sleeps(&seconds), "it should run again: {begun}");
    drop(client);
    let until = Instant::now() + Duration::from_secs(1);
    while sleeps(&seconds) {
        ensure!(Instant::now() < until, "a build outlived its server");
        std::thread::sleep(Duration::from_millis(20));
    }

    let mut client = server(binary, &dir, false)?;
    let refused = client.call("ide_build_project", &json!({}))?;
    let hint = refused.value["hint"].as_str().unwrap_or_default();
    ensure!(
        refused.value["error"] == "not_trusted" && hint.contains("ide-index-mcp trust"),
        "{}",
        refused.value
    );
    Ok(())
}

/// Whether a process sleeps for so long.
fn sleeps(seconds: &str) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else { return false };
    processes.flatten().any(|process| {
        let command = fs::read(process.path().join("cmdline")).unwrap_or_default();
        command == format!("sleep\0{seconds}\0").into_bytes()
    })
}
