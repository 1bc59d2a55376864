// The editor's clients of other programs against a live server, with a scripted person at the dashboard.
// node run.mjs SERVER_BINARY BROWSER PYTHON AGENTS, where AGENTS is proof/agents with its packages installed
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [binary, browserPath, python, agents] = process.argv.slice(2);
const { Play, serve } = await import(pathToFileURL(join(agents, "model.mjs")));
const here = dirname(fileURLToPath(import.meta.url));
const only = process.env.CLIENT;

const until = async (what, check, millis = 30_000) => {
  const end = Date.now() + millis;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > end) throw new Error(`${typeof what === "function" ? what() : what} is late`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
};

/** Ends what a client left running from below a folder: Codex starts a service that outlives it. */
async function endThose(folder) {
  for (const id of (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(join("/proc", id, "cmdline"), "utf8").catch(() => "");
    if (command.startsWith(folder)) try { process.kill(Number(id), "SIGKILL"); } catch { /* it has ended */ }
  }
}

/** A server with a project, and a person at its page. */
async function desk() {
  const home = await mkdtemp(join(tmpdir(), "companion-"));
  const project = join(home, "sample");
  await mkdir(project);
  await mkdir(join(home, "tmp"));
  await writeFile(join(project, "main.py"), "def main():\n    pass\n");
  await writeFile(join(project, "win.txt"), "one\r\ntwo\r\n");
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(XDG_|CLAUDE|GEMINI|OPENCODE|QWEN)/.test(name)));
  const env = { ...clean, HOME: home, TMPDIR: join(home, "tmp"), XDG_CONFIG_HOME: join(home, "config"), XDG_CACHE_HOME: join(home, "cache"), XDG_STATE_HOME: join(home, "state") };
  const server = spawn(binary, ["serve", "--port", "0", "--project", project], { env, stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  server.stderr.on("data", (text) => { log += text; });
  const link = await until(() => `the server: ${log}`, () => /listening/.test(log) && /for one browser: (\S+)/.exec(log)?.[1]);
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
  const page = await browser.newPage();
  await page.goto(link);
  await page.getByText("Running with sample").waitFor();
  const view = (name) => page.locator(`nav a[data-view="${name}"]`).click();
  const select = async (file) => {
    await view("code");
    await page.locator("#query").fill(file);
    await page.locator("#kind").selectOption("file");
    await page.locator("#query").press("Enter");
    await page.locator("#results .hit", { hasText: file }).first().click();
    await page.locator(".cm-line", { hasText: "main" }).first().dblclick();
  };
  const close = async () => {
    await browser.close();
    const ended = new Promise((resolve) => server.on("exit", resolve));
    server.kill("SIGTERM");
    await ended;
    await endThose(home);
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
  return { home, project, env, page, view, select, close, pid: server.pid };
}

/** Gemini CLI's own client: it finds the file, is told the selection, and proposes changes. */
async function gemini(at) {
  const child = spawn(process.execPath, [join(here, "gemini.mjs"), at.project], {
    cwd: at.project, stdio: ["ignore", "pipe", "pipe"],
    env: { ...at.env, GEMINI_CLI_IDE_PID: String(at.pid), REMOTE_CONTAINERS: "1", TERM_PROGRAM: "vscode" },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => { said += text; });
  const hear = (word) => until(() => `Gemini's ${word} in ${said}`, () => said.includes(word));
  await hear("connected");
  await at.select("main.py");
  await hear("selected ");
  await at.view("diffs");
  await at.page.locator(".diff .accept").click();
  await hear('accepted {"status":"accepted","content":"x = 1\\n"}');
  await at.page.locator(".diff .reject").click();
  await hear('rejected {"status":"rejected"');
  await hear("closed");
  await until("the diff leaves", async () => (await at.page.locator(".diff").count()) === 0);
  await until(() => `Gemini's end: ${said}`, () => child.exitCode !== null);
  assert.equal(child.exitCode, 0, said);
  assert.equal((await readFile(join(at.project, "main.py"), "utf8")).startsWith("def main"), true, "the client writes, not the page");
}

/** The protocol of Claude Code as Python's packages speak it. */
async function peer(at) {
  const child = spawn(python, [join(here, "peer.py"), at.home, at.project], { env: at.env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => { said += text; });
  await at.view("diffs");
  await at.page.locator(".diff .accept").click();
  await until(() => `the first verdict in ${said}`, () => said.includes("['FILE_SAVED', 'a\\r\\nb\\r\\n']"));
  await at.page.locator(".diff .reject").click();
  await until(() => `the second verdict in ${said}`, () => said.includes("['DIFF_REJECTED', '/mcp']"));
  await until(() => `the end of ${said}`, () => child.exitCode !== null);
  assert.equal(child.exitCode, 0, said);
  assert.match(said, /with an origin 403/);
}

/** A program in a terminal: what it shows, and its keyboard. */
function terminal(at, command, env) {
  const child = spawn("script", ["-qefc", `stty rows 40 cols 160; exec ${command}`, "/dev/null"], { cwd: at.project, env: { ...at.env, TERM: "xterm-256color", ...env }, stdio: ["pipe", "pipe", "pipe"] });
  const shown = { text: "" };
  child.stdout.on("data", (data) => {
    const text = String(data);
    shown.text += text.replace(/\x1b\[[0-9;?]*[a-zA-Z]/g, "");
    // a terminal says where its cursor is and what it is
    if (text.includes("\x1b[6n")) child.stdin.write("\x1b[1;1R");
    if (text.includes("\x1b[c")) child.stdin.write("\x1b[?62;c");
  });
  const type = async (text) => {
    for (const key of text) {
      child.stdin.write(key);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  };
  return { shown, type, end: () => child.kill("SIGKILL") };
}

/** opencode finds the lock file, and shows what is selected and sent. */
async function opencode(at) {
  const { shown, end } = terminal(at, `${join(agents, "node_modules/opencode-ai/bin/opencode.exe")} ${at.project}`, { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1" });
  try {
    await until("opencode", () => shown.text.length > 500);
    const folder = join(at.home, ".claude/ide");
    assert.equal((await readdir(folder)).filter((name) => name.endsWith(".lock")).length, 1);
    assert.doesNotMatch(shown.text, /main\.py/);
    await at.select("main.py");
    await until(() => `the selection in ${shown.text.slice(-3000)}`, () => /main\.py/.test(shown.text));
    const before = shown.text.length;
    await at.page.getByRole("button", { name: "Send to agent" }).click();
    await until(() => `what was sent in ${shown.text.slice(before)}`, () => /main\.py/.test(shown.text.slice(before)));
  } finally {
    end();
  }
}

/** Codex asks over its socket, and its model is told the open file and the selection. */
async function codex(at) {
  const play = new Play([]);
  const model = await serve(play);
  await mkdir(join(at.home, ".codex"));
  await writeFile(join(at.home, ".codex/config.toml"), `model = "scripted"\nmodel_provider = "scripted"\ncheck_for_update_on_startup = false\n[model_providers.scripted]\nname = "Scripted"\nbase_url = "${model.url}"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n[projects."${at.project}"]\ntrust_level = "trusted"\n`);
  await at.select("main.py");
  const { shown, type, end } = terminal(at, `${process.execPath} ${join(agents, "node_modules/@openai/codex/bin/codex.js")} -C ${at.project}`, { SCRIPTED_KEY: "x" });
  try {
    // Codex refuses commands while it starts. Its list of commands also says "IDE context".
    await until("Codex", () => /for shortcuts/.test(shown.text));
    await until(() => `/ide in ${shown.text.slice(-2000)}`, async () => {
      await type("\x15/ide on");
      await new Promise((resolve) => setTimeout(resolve, 500));
      await type("\r");
      await new Promise((resolve) => setTimeout(resolve, 2000));
      return /IDE\s*context\s*is\s*on/.test(shown.text);
    }, 90_000);
    // Codex waits for the context for a short time only, and asks again with the next message.
    const asked = await until(() => `the active file in ${shown.text.slice(-2000)}`, async () => {
      const before = play.requests.length;
      await type("hello");
      await new Promise((resolve) => setTimeout(resolve, 300));
      await type("\r");
      await until(() => `the request in ${shown.text.slice(-2000)}`, () => play.requests.length > before, 60_000);
      const input = JSON.stringify(play.requests.at(-1).input);
      return /Active file: main\.py/.test(input) && input;
    }, 90_000);
    assert.match(asked, /Active selection of the file:/);
  } finally {
    end();
    model.close();
  }
}

/** Qwen Code finds the file in its home, tells its model the selection, and has its model's changes decided at the page. */
async function qwen(at) {
  const file = join(at.project, "main.py");
  const write = (content) => ({ tool: "write_file", arguments: { file_path: file, content } });
  const play = new Play([{ tool: "read_file", arguments: { file_path: file } }, ...[1, 2, 3, 4, 5].map((n) => write(`x = ${n}\n`))]);
  const model = await serve(play);
  const settings = { $version: 4, ide: { enabled: true }, security: { auth: { selectedType: "openai" } }, general: { enableAutoUpdate: false }, telemetry: { enabled: false }, privacy: { usageStatisticsEnabled: false } };
  const start = async (home, env) => {
    await mkdir(join(home, ".qwen"), { recursive: true });
    await writeFile(join(home, ".qwen/settings.json"), JSON.stringify(settings));
    return terminal(at, `${process.execPath} ${join(agents, "node_modules/@qwen-code/qwen-code/cli.js")} --approval-mode default`, { HOME: home, OPENAI_API_KEY: "x", OPENAI_BASE_URL: model.url, OPENAI_MODEL: "scripted", ...env });
  };
  const say = async (type, text) => {
    await type(text);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await type("\r");
  };
  const connects = async ({ shown, type }) => {
    await until(() => `Qwen Code in ${shown.text.slice(-3000)}`, () => /Type your message/.test(shown.text));
    await until(() => `the editor in ${shown.text.slice(-3000)}`, async () => {
      await say(type, "/ide status");
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return /Connected to IDE index/.test(shown.text);
    });
  };
  // a home without our file, and the port as an editor's terminal tells it
  const port = (await readdir(join(at.home, ".qwen/ide")))[0].replace(".lock", "");
  const other = await start(join(at.home, "other"), { QWEN_CODE_IDE_SERVER_PORT: port });
  await connects(other).finally(other.end);
  await at.select("main.py");
  await at.view("diffs");
  const { shown, type, end } = await start(at.home, {});
  const screen = () => shown.text.slice(-3000);
  /** A change comes to the page, somebody decides, and the file is as it should be; whether the model is told that it was made. */
  let number = 0;
  const decides = async (what, act, text, made) => {
    const proposal = `x = ${++number}\n`;
    const told = () => play.received.find((one) => one.arguments.content === proposal);
    const seen = shown.text.length;
    await until(() => `the change to ${what} in ${screen()}`, async () => (await at.page.locator(".diff").count()) === 1);
    await until(() => `the question of ${what} in ${screen()}`, () => /Apply this change\?/.test(shown.text.slice(seen - 4000)));
    await act();
    await until("the diff leaves", async () => (await at.page.locator(".diff").count()) === 0);
    await until(() => `${what}: ${JSON.stringify(text)} in ${screen()}`, async () => (await readFile(file, "utf8")) === text);
    if (!made) {
      // the model's turn ends, and the next begins
      await until(() => `the end of the turn after ${what} in ${screen()}`, () => /Type your message/.test(shown.text.slice(seen)));
      await say(type, "again");
    }
    await until(() => `what the model is told of ${what} in ${screen()}`, told);
    assert.equal(/Successfully/.test(told().text), made, `${what}: ${told().text}`);
  };
  const click = (button) => () => at.page.locator(`.diff ${button}`).click();
  try {
    await connects({ shown, type });
    await say(type, "play");
    await decides("accept", click(".accept"), "x = 1\n", true);
    const asked = JSON.stringify(play.requests.find((request) => JSON.stringify(request.messages).includes("Active file:"))?.messages);
    assert.match(asked, /Active file:.{1,200}sample\/main\.py.{1,100}Selected text:/s);
    await decides("accept what was edited", async () => {
      await at.page.locator(".cm-merge-b .cm-content").click();
      await at.page.keyboard.press("Control+End");
      await at.page.keyboard.type("y = 2");
      await click(".accept")();
    }, "x = 2\ny = 2", true);
    await decides("reject", click(".reject"), "x = 2\ny = 2", false);
    await decides("refuse in the terminal", () => type("\x1b"), "x = 2\ny = 2", false);
    await decides("allow in the terminal", () => type("\r"), "x = 5\n", true);
  } finally {
    end();
    model.close();
  }
}

let failed = false;
for (const [name, check] of Object.entries({ gemini, qwen, peer, opencode, codex })) {
  if (only && only !== name) continue;
  const at = await desk();
  try {
    await check(at);
    console.log(`ok ${name}`);
  } catch (error) {
    failed = true;
    console.error(`FAILED ${name}: ${error.stack}`);
  }
  await at.close();
}
process.exit(failed ? 1 : 0);
