// Drives the dashboard of a live server through its controls, in a real browser.
// node run.mjs SERVER_BINARY BROWSER [FOLDER_FOR_SCREENSHOTS]
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { mkdtemp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import WebSocket from "ws";

const [binary, browserPath, shots] = process.argv.slice(2);
const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const home = await mkdtemp(join(tmpdir(), "dashboard-"));
const project = join(home, "sample");
await mkdir(project);
const MAIN = "from greeter import Greeter, hello\n\n\ndef main() -> None:\n    greeter = Greeter()\n    greeter.greet(\"you\")\n    hello(\"you\")\n";
await writeFile(join(project, "greeter.py"), "class Greeter:\n    \"\"\"Says <b>hello</b>.\"\"\"\n\n    def greet(self, name: str) -> str:\n        return hello(name)\n\n\nclass Loud(Greeter):\n    pass\n\n\ndef hello(name: str) -> str:\n    return \"hello \" + name\n");
await writeFile(join(project, "main.py"), MAIN);
await writeFile(join(project, "<img src=x onerror=alert(1)>.py"), "x = '<script>alert(1)</script>'\n");
const other_project = join(home, "other");
await mkdir(other_project);
await writeFile(join(other_project, "main.py"), "x = 1\n");
await writeFile(join(other_project, "pyproject.toml"), "[project]\nname = \"other\"\n");
const PRICE = "def price(items):\n    total = 0\n    for item in items:\n        total += item.price\n    return total\n\n\ndef label(items):\n    return \", \".join(item.name for item in items)\n\n\ndef tax(total):\n    return total * 0.19\n";
await writeFile(join(project, "shown.py"), PRICE);
await writeFile(join(project, "win.txt"), "\ufeffone\r\ntwo\r\nthree\r\nfour\r\n");
await mkdir(join(home, "tmp"));
const env = { ...process.env, HOME: home, TMPDIR: join(home, "tmp"), XDG_CONFIG_HOME: join(home, "config"), XDG_CACHE_HOME: join(home, "cache"), XDG_STATE_HOME: join(home, "state"), CLAUDE_CONFIG_DIR: "" };
delete env.CLAUDE_CONFIG_DIR;

const server = spawn(binary, ["serve", "--port", "0", "--project", project], { env, stdio: ["ignore", "ignore", "pipe"] });
let log = "";
server.stderr.on("data", (text) => { log += text; });
const until = async (what, check, millis = 20000) => {
  const end = Date.now() + millis;
  for (;;) {
    const value = await check();
    if (value) return value;
    assert.ok(Date.now() < end, `${what}\n${log}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
const url = await until("the server listens", () => /listening on (\S+)/.exec(log)?.[1]);
const port = new URL(url).port;

const link = () => new Promise((resolve, reject) => {
  const command = spawn(binary, ["dashboard", "--print", "--port", port], { env, stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  command.stdout.on("data", (text) => { out += text; });
  command.on("exit", (code) => (code === 0 ? resolve(out.trim()) : reject(new Error(`dashboard: ${code} ${out}`))));
});

let last = 0;
const names = new Map();
const post = (body, id) => fetch(url, { method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18", ...(id ? { "Mcp-Session-Id": id } : {}) }, body: JSON.stringify({ jsonrpc: "2.0", ...body }) });
async function mcp(name, args, client = "some-agent") {
  if (!names.has(client)) {
    const hello = await post({ id: ++last, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: client, version: "1" } } });
    names.set(client, hello.headers.get("mcp-session-id"));
    await hello.text();
  }
  const answer = await (await post({ id: ++last, method: "tools/call", params: { name, arguments: args } }, names.get(client))).text();
  return JSON.parse(answer.replace(/^[\s\S]*?data: /, "").trim()).result;
}

/** The editor's protocol over a WebSocket, as the official client speaks it. */
class Transport {
  constructor(address, token) { this.address = address; this.token = token; }
  start() {
    this.socket = new WebSocket(this.address, ["mcp"], { headers: { "X-Claude-Code-Ide-Authorization": this.token } });
    this.socket.on("message", (data) => this.onmessage?.(JSONRPCMessageSchema.parse(JSON.parse(data.toString()))));
    this.socket.on("close", () => this.onclose?.());
    return new Promise((resolve, reject) => { this.socket.on("open", resolve); this.socket.on("error", reject); });
  }
  async send(message) { this.socket.send(JSON.stringify(message)); }
  async close() { this.socket.close(); }
}

/** Runs in a page of somebody else; what each attack saw. */
async function attack({ port, ide, gemini }) {
  const target = `http://127.0.0.1:${port}`;
  const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const json = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const read = (url, options) => fetch(url, { credentials: "include", ...options }).then(async (r) => (r.type === "opaque" ? "opaque" : `${r.status} ${await r.text()}`), (error) => `refused: ${error.message}`);
  const load = (tag, attributes) => new Promise((resolve) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.onload = () => resolve("loaded");
    element.onerror = () => resolve("refused");
    document.head.append(element);
  });
  const socket = (url) => new Promise((resolve) => {
    const one = new WebSocket(url, "mcp");
    one.onopen = () => resolve("open");
    one.onerror = () => resolve("refused");
  });
  const events = (url) => new Promise((resolve) => {
    const one = new EventSource(url, { withCredentials: true });
    one.onopen = () => resolve("open");
    one.onerror = () => { one.close(); resolve("refused"); };
  });
  const frame = (fill) => new Promise((resolve) => {
    const element = document.createElement("iframe");
    element.name = `frame${Math.random()}`;
    element.onload = () => {
      try {
        const text = element.contentDocument.body.innerText;
        if (element.contentDocument.URL !== "about:blank") resolve(`seen: ${text}`);
      } catch {
        resolve("unseen");
      }
    };
    document.body.append(element);
    fill(element);
  });
  const form = (path, enctype) => frame((into) => {
    const sent = Object.assign(document.createElement("form"), { method: "POST", action: `${target}${path}`, enctype, target: into.name });
    sent.append(Object.assign(document.createElement("input"), { name: '{"project":null,"a":"', value: '"}' }));
    document.body.append(sent);
    sent.submit();
  });
  const opened = async () => {
    const other = open(`${target}/dashboard/`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    try {
      return !other || other.closed ? "severed" : `seen: ${other.document.title}`;
    } catch {
      return "unseen";
    }
  };
  const ways = {
    "reads the page": () => read(`${target}/dashboard/`),
    "asks the page's interface": () => read(`${target}/dashboard/api/overview`, { method: "POST", headers: json, body: "{}" }),
    "clears without seeing the answer": () => read(`${target}/dashboard/api/clear`, { method: "POST", mode: "no-cors", body: "{}" }),
    "accepts a diff without seeing the answer": () => read(`${target}/dashboard/api/accept`, { method: "POST", mode: "no-cors", body: '{"id":1,"nonce":"","text":"evil"}' }),
    "asks for a link": () => read(`${target}/dashboard/link`),
    "sends a form": () => form("/dashboard/api/clear", "text/plain"),
    "sends a form to the server": () => form("/index-mcp/streamable-http", "application/x-www-form-urlencoded"),
    "listens to events": () => events(`${target}/dashboard/events`),
    "listens to the older transport": () => events(`${target}/index-mcp/sse`),
    "loads a script": () => load("script", { src: `${target}/dashboard/app.js` }),
    "loads a style": () => load("link", { rel: "stylesheet", href: `${target}/dashboard/app.css` }),
    "loads an image": () => load("img", { src: `${target}/dashboard/icon.svg` }),
    "frames the page": () => frame((into) => { into.src = `${target}/dashboard/`; }),
    "opens the page": opened,
    "calls tools": () => read(`${target}/index-mcp/streamable-http`, { method: "POST", headers: json, body: list }),
    "calls tools without seeing the answer": () => read(`${target}/index-mcp/streamable-http`, { method: "POST", mode: "no-cors", body: list }),
    "opens a socket": () => socket(`ws://127.0.0.1:${port}/index-mcp/ws`),
    "opens a socket of the editor": () => socket(`ws://127.0.0.1:${ide}/`),
    "opens the other socket of the editor": () => socket(`ws://127.0.0.1:${ide}/mcp`),
    "asks the editor of Gemini CLI": () => read(`http://127.0.0.1:${gemini}/mcp`, { method: "POST", headers: json, body: list }),
  };
  const seen = {};
  for (const [way, run] of Object.entries(ways)) seen[way] = await run();
  return seen;
}

const browser = await chromium.launch({ executablePath: browserPath, headless: true, args: ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP evil.test 127.0.0.1", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
let failed = false;
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: `http://127.0.0.1:${port}` });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) complaints.push(`${message.text()} ${message.location().url}`); });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => { complaints.push(`dialog ${dialog.message()}`); dialog.dismiss(); });

  // without a link there is nothing to see, and a link works once
  const stranger = await context.newPage();
  assert.equal((await stranger.goto(`http://127.0.0.1:${port}/dashboard/`)).status(), 401);
  const first = await link();
  await page.goto(first);
  await page.waitForURL(`http://127.0.0.1:${port}/dashboard/`);
  const other = await (await browser.newContext()).newPage();
  assert.equal((await other.goto(first)).status(), 403);
  await other.context().close();
  await stranger.close();
  assert.equal(await page.title(), "MCP Server");
  await page.getByText("Running with sample").waitFor();
  assert.equal(await page.locator("#url").textContent(), url);
  await page.locator("#copy-url").click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), url);

  // calls appear by themselves, newest first
  const view = async (name) => { await page.locator(`nav a[data-view="${name}"]`).click(); };
  await mcp("ide_find_class", { query: "Greeter" });
  await mcp("ide_find_references", { file: "main.py", line: 99, column: 1 });
  await mcp("ide_refactor_rename", { file: "greeter.py", line: 12, column: 5, newName: "welcome" });
  await page.locator(".call").nth(2).waitFor();
  assert.deepEqual(await page.locator(".call .tool").allTextContents(), ["ide_refactor_rename", "ide_find_references", "ide_find_class"]);
  assert.match(await page.locator(".call").nth(1).textContent(), /error/);
  assert.match(await readFile(join(project, "main.py"), "utf8"), /welcome/);
  await page.locator(".call > button").nth(2).click();
  await page.getByText("What the model saw").waitFor();
  assert.match(await page.locator(".detail pre").first().textContent(), /^\{\n  "query": "Greeter"\n\}$/);
  await page.locator(".detail .again").click();
  await page.locator("dialog textarea").fill('{"query": "Loud"}');
  await page.locator("dialog .main").click();
  await page.locator(".call .tool").nth(3).waitFor();
  const rename = page.locator(".call", { hasText: "ide_refactor_rename" });
  await rename.locator("> button").click();
  await rename.locator(".changes pre .add", { hasText: "def welcome" }).waitFor();
  await rename.locator(".undo").click();
  await page.locator("dialog pre .del", { hasText: "def welcome" }).waitFor();
  await page.locator("dialog .danger").click();
  await until("the rename is undone", async () => (await readFile(join(project, "main.py"), "utf8")) === MAIN);
  await page.locator("#search").fill('"query":"Loud"');
  await until("the search finds one call", async () => (await page.locator(".call").count()) === 1);
  await page.locator("#search").fill("");
  await page.locator("#filter-status").selectOption("ERROR");
  await until("the filter shows errors", async () => (await page.locator(".call").count()) === 1);
  await page.locator("#filter-status").selectOption("");
  await page.locator("#filter-tool").selectOption("ide_refactor_rename");
  await until("the filter shows a tool", async () => (await page.locator(".call").count()) === 1);
  await page.locator("#filter-tool").selectOption("");
  await page.locator("#filter-client").selectOption("dashboard");
  await until("the filter shows a client", async () => (await page.locator(".call").count()) === 3);
  await page.locator("#filter-client").selectOption("");
  for (const kind of ["JSON", "CSV"]) {
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: `Export ${kind}` }).click()]);
    assert.match(file.suggestedFilename(), /^mcp-history/);
    assert.match(await readFile(await file.path(), "utf8"), kind === "JSON" ? /"toolName"/ : /ID,Timestamp,Tool/);
  }

  await view("projects");
  await page.locator("mcp-projects").getByText("Python").waitFor();
  await view("statistics");
  await page.locator("mcp-statistics").getByRole("cell", { name: "ide_refactor_rename" }).waitFor();
  await view("tools");
  const tokens = await page.locator("#tokens").textContent();
  await page.getByRole("checkbox", { name: "ide_find_class" }).uncheck();
  await until("the costs go down", async () => (await page.locator("#tokens").textContent()) !== tokens);
  assert.match(JSON.stringify(await mcp("ide_find_class", { query: "x" })), /tool_disabled/);
  const file = join(home, "config/ide-index-mcp/config.toml");
  assert.match(await readFile(file, "utf8"), /disabled_tools = \["ide_find_class"\]/);
  await page.reload();
  await until("switches are kept", async () => !(await page.getByRole("checkbox", { name: "ide_find_class" }).isChecked()));
  await page.getByRole("button", { name: "Profile: default" }).click();
  await until("the costs are back", async () => (await page.locator("#tokens").textContent()) === tokens);
  await view("settings");
  await page.locator("#set-max_response_chars").fill("5000");
  await page.locator("#set-max_response_chars").press("Enter");
  await until("a setting is written", async () => /max_response_chars = 5000/.test(await readFile(file, "utf8")));
  await page.locator("#set-call_timeout_seconds").fill("0");
  await page.locator("#set-call_timeout_seconds").press("Enter");
  await page.locator(".toast.bad", { hasText: "at least 1" }).waitFor();
  await until("what does not do is not kept", async () => (await page.locator("#set-call_timeout_seconds").inputValue()) === "55");
  await until("the browser notes the refusal", () => complaints.length === 1 && /400/.test(complaints.pop()));
  await page.locator("#set-excludes").fill("build\n/out");
  await page.locator("#set-excludes").blur();
  await until("a list is written", async () => /excludes = \["build", "\/out"\]/.test(await readFile(file, "utf8")));
  await page.locator("#set-companion").uncheck();
  await until("a switch is written", async () => /companion = false/.test(await readFile(file, "utf8")));
  for (const key of ["max_response_chars", "excludes", "companion"]) {
    await page.getByRole("button", { name: `Reset ${key}` }).click();
    await until(`${key} is reset`, async () => !(await readFile(file, "utf8")).includes(key));
  }

  // an agent's settings: shown, written, and given back
  await view("agents");
  const codex = join(home, ".codex/config.toml");
  await mkdir(join(home, ".codex"));
  const settings = "# mine\nmodel = \"x\"\n";
  await writeFile(codex, settings);
  await page.getByRole("button", { name: "Install on Codex" }).click();
  await page.locator("dialog pre .add", { hasText: "index-mcp/streamable-http" }).waitFor();
  assert.equal(await readFile(codex, "utf8"), settings, "nothing is written before it is confirmed");
  await page.locator("dialog .main").click();
  await until("the settings are written", async () => (await readFile(codex, "utf8")).includes(url));
  await page.getByRole("button", { name: "Remove from Codex" }).click();
  await page.locator("dialog .danger").click();
  await until("the settings are as they were", async () => (await readFile(codex, "utf8")) === settings);

  // what an agent writes by itself is reviewed: by hunk, by file, and not when the file moved on
  await mcp("ide_refactor_rename", { file: "greeter.py", line: 12, column: 5, newName: "welcome" }, "other-agent");
  await mcp("ide_undo", {}, "other-agent");
  await view("review");
  const own = join(project, "own.txt");
  const lines = "a\nb\nc\nd\ne\nf\ng\nh\n";
  await writeFile(own, lines);
  const touched = (path) => page.locator(`.touched[data-path="${path}"]`);
  await touched("own.txt").waitFor();
  await touched("own.txt").locator("> button").click();
  await touched("own.txt").locator(".keep-file").click();
  await until("what is kept is not shown", async () => (await touched("own.txt").count()) === 0);
  await writeFile(own, "A\nb\nc\nd\ne\nf\ng\nH\n");
  await touched("own.txt").locator(".undo-hunk").nth(1).waitFor();
  await touched("own.txt").locator(".undo-hunk").nth(1).click();
  await until("one hunk is taken back", async () => (await readFile(own, "utf8")) === "A\nb\nc\nd\ne\nf\ng\nh\n");
  await until("one hunk is left", async () => (await touched("own.txt").locator(".place").count()) === 1);
  await touched("own.txt").locator(".undo-file").click();
  await until("the file is as it was", async () => (await readFile(own, "utf8")) === lines);
  await until("nothing is left to decide", async () => (await touched("own.txt").count()) === 0);

  // the editor
  await view("code");
  await page.locator("#query").fill("Greeter");
  await page.locator("#query").press("Enter");
  await page.locator("#results .hit", { hasText: "Greeter" }).first().click();
  await page.locator(".cm-content", { hasText: "class Greeter" }).waitFor();
  assert.equal(await page.locator(".cm-content b").count(), 0, "what files hold never becomes markup");
  assert.ok(await page.locator(".tok-keyword").count(), "code has colours");
  const greeter = await readFile(join(project, "greeter.py"), "utf8");
  await writeFile(join(project, "greeter.py"), greeter.replace("Says", "Tells"));
  await page.locator(".cm-content", { hasText: "Tells" }).waitFor();
  await writeFile(join(project, "greeter.py"), greeter);
  await page.locator(".cm-content", { hasText: "Says" }).waitFor();
  await mcp("ide_set_selection", { file: "greeter.py", startLine: 1, startColumn: 7, endLine: 1, endColumn: 14 });
  const seen = await until("the selection arrives", async () => { const found = await mcp("ide_get_active_file", {}); return JSON.stringify(found).includes("Greeter") && found; });
  assert.match(JSON.stringify(seen), /greeter\.py/);
  await until("the page shows it", () => page.evaluate(() => document.querySelector("mcp-code").view.state.selection.main.to === 13));
  for (const [button, text] of [["References", "main.py"], ["Type hierarchy", "Loud"]]) {
    await page.getByRole("button", { name: button }).click();
    await page.locator("#results", { hasText: text }).waitFor();
  }
  await mcp("ide_set_selection", { file: "greeter.py", startLine: 12, startColumn: 5 });
  await until("the caret is there", () => page.evaluate(() => { const { state } = document.querySelector("mcp-code").view; return state.doc.lineAt(state.selection.main.head).number === 12; }));
  await page.getByRole("button", { name: "Callers" }).click();
  await page.locator("#results", { hasText: "Callers of hello" }).waitFor();
  await page.locator("#results .tree", { hasText: "greet" }).waitFor();
  await page.getByRole("button", { name: "Callees" }).click();
  await page.locator("#results", { hasText: "Callees of hello" }).waitFor();
  await mcp("add_inline_comment", { filePath: "greeter.py", line: 4, comment: "**Why** `self`? <img src=x onerror=alert(1)>" });
  await page.locator(".note strong", { hasText: "Why" }).waitFor();
  assert.equal(await page.locator(".note img").count(), 0);
  await page.getByRole("button", { name: "Remove comment" }).click();
  await until("the comment is gone", async () => (await page.locator(".note").count()) === 0);
  await page.locator(".cm-content").press("ArrowDown");
  await until("the keyboard moves the caret for agents too", async () => JSON.stringify(await mcp("ide_get_active_file", {})).includes("13"));

  // an agent that uses the page as its editor
  const folder = join(home, ".claude/ide");
  const [name] = (await readdir(folder)).filter((file) => file.endsWith(".lock"));
  const lock = JSON.parse(await readFile(join(folder, name), "utf8"));
  const agent = new Client({ name: "claude-code", version: "2.0.0" }, { capabilities: {} });
  const heard = [];
  agent.fallbackNotificationHandler = async (notification) => { heard.push(notification); };
  await agent.connect(new Transport(`ws://127.0.0.1:${name.replace(".lock", "")}/`, lock.authToken));
  await agent.notification({ method: "ide_connected", params: { pid: process.pid } });
  await until("the agent hears the selection", () => heard.some((one) => one.method === "selection_changed"));
  const at = heard.length;
  await page.getByRole("button", { name: "Send to agent" }).click();
  await until("the agent is sent the file", () => heard.slice(at).some((one) => one.method === "at_mentioned"));
  assert.ok((await agent.listTools()).tools.some((tool) => tool.name === "openDiff"));
  const propose = (path, contents, tab) => {
    const pending = agent.callTool({ name: "openDiff", arguments: { old_file_path: path, new_file_path: path, new_file_contents: contents, tab_name: tab } }, undefined, { timeout: 600000 });
    // a failure elsewhere ends the server, and is to be seen
    pending.catch(() => {});
    return pending;
  };
  await view("diffs");
  const windows = join(project, "win.txt");
  const proposal = "\ufeffONE\r\ntwo\r\nthree\r\nFOUR\r\n";
  const verdict = async (pending, act) => { await page.locator(".diff").waitFor(); await act(); const answer = await pending; await until("the diff leaves", async () => (await page.locator(".diff").count()) === 0); return answer.content.map((item) => item.text); };
  const accept = () => page.locator(".diff .accept").click();
  assert.deepEqual(await verdict(propose(windows, proposal, "1"), accept), ["FILE_SAVED", proposal]);
  assert.deepEqual(await verdict(propose(windows, proposal, "2"), () => page.locator(".diff .reject").click()), ["DIFF_REJECTED", "2"]);
  assert.deepEqual(await verdict(propose(windows, proposal, "3"), async () => {
    assert.equal(await page.locator(".hunk").count(), 2);
    await page.locator(".hunk .back").first().click();
    await until("one hunk is left", async () => (await page.locator(".hunk").count()) === 1);
    await page.locator(".hunk .keep").first().click();
    await until("no hunk is left", async () => (await page.locator(".hunk").count()) === 0);
    await accept();
  }), ["FILE_SAVED", "\ufeffone\r\ntwo\r\nthree\r\nFOUR\r\n"]);
  assert.deepEqual(await verdict(propose(windows, proposal, "4"), async () => {
    await page.locator(".cm-merge-b .cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("five");
    await accept();
  }), ["FILE_SAVED", `${proposal}five`]);
  const closed = propose(windows, proposal, "5");
  await page.locator(".diff").waitFor();
  assert.equal((await agent.callTool({ name: "closeAllDiffTabs", arguments: {} })).content[0].text, "CLOSED_1_DIFF_TABS");
  assert.equal((await closed).content[0].text, "DIFF_REJECTED");
  assert.equal(await readFile(windows, "utf8"), "\ufeffone\r\ntwo\r\nthree\r\nfour\r\n", "the agent writes the file, not the page");

  // every view, light and dark, wide and narrow, and large
  await mcp("ide_refactor_rename", { file: "greeter.py", line: 12, column: 5, newName: "welcome", dryRun: true, includeDiff: true });
  await writeFile(join(project, "shown.py"), PRICE.replace("    total = 0\n    for item in items:\n        total += item.price\n    return total\n", "    return sum(item.price for item in items)\n").replace("tax(total)", "tax(total, rate=0.19)").replace("* 0.19", "* rate"));
  const waiting = propose(join(project, "main.py"), MAIN.replace("you", "everybody"), "6");
  await page.locator(".diff").waitFor();
  if (shots) await mkdir(shots, { recursive: true });
  const parts = ["calls", "projects", "statistics", "code", "diffs", "review", "tools", "agents", "settings"];
  const fits = async (part, size) => {
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${part} ${size}: wider than the window`);
    const over = await page.evaluate(() => [...document.querySelectorAll("main td, main th, main button")].filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent));
    assert.deepEqual(over, [], `${part} ${size}: text over other text`);
  };
  await until("nothing is said", async () => (await page.locator(".toast").textContent()) === "");
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    for (const [width, size] of [[1280, "wide"], [420, "narrow"]]) {
      await page.setViewportSize({ width, height: 900 });
      for (const part of parts) {
        await view(part);
        await page.locator(`main mcp-${part} h2`).waitFor();
        if (part === "calls") {
          await page.locator('#filter-tool option[value="ide_refactor_rename"]').waitFor({ state: "attached" });
          await page.locator("#filter-tool").selectOption("ide_refactor_rename");
          await until("only renames are left", async () => (await page.locator(".call").count()) === 3);
          if (!(await page.locator(".detail").count())) await page.locator(".call > button").first().click();
          await page.locator(".changes pre .add").first().waitFor();
        }
        if (part === "code") await page.locator(".cm-content").waitFor();
        if (part === "review") {
          await touched("shown.py").waitFor();
          if ((await touched("shown.py").locator("> button").getAttribute("aria-expanded")) === "false") await touched("shown.py").locator("> button").click();
          await touched("shown.py").locator("pre").first().waitFor();
        }
        if (part === "diffs") assert.ok((await page.locator(".cm-merge-b").boundingBox()).height > 60, "both sides of a change are seen");
        if (part === "statistics") await page.locator("table").first().waitFor();
        await fits(part, size);
        if (shots) await page.screenshot({ path: join(shots, `${part}-${theme}-${size}.png`), fullPage: false });
        if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
        const found = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
        for (const violation of found.violations) {
          failed = true;
          console.error(`${part} ${theme} ${size}: ${violation.id}: ${violation.help}: ${violation.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
        }
      }
    }
  }
  await page.setViewportSize({ width: 640, height: 450 });
  for (const part of parts) {
    await view(part);
    await page.locator(`main mcp-${part} h2`).waitFor();
    await fits(part, "at 200 percent");
  }
  await view("diffs");
  await page.locator(".diff .reject").click();
  await waiting;
  await page.setViewportSize({ width: 1280, height: 900 });

  // by keyboard alone: the skip link, a view, a call
  await view("calls");
  await page.reload();
  await page.locator(".call > button").first().waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.locator(".call > button").first().focus();
  await page.keyboard.press("Enter");
  await page.locator(".call").first().locator(".detail").waitFor();
  await page.locator("#clear").click();
  await page.locator("dialog .danger").click();
  await until("the history is empty", async () => (await page.locator(".call").count()) === 0);
  assert.deepEqual(complaints, [], "nothing is complained of");

  // views inside of another application: it sends the result, draws what the view says, and runs what the person asks for
  const hosted = async (method, name, params) => {
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": { name: "host", version: "1" }, "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } } };
    const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name };
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: ++last, method, params: { ...params, _meta } }) });
    return JSON.parse((await answer.text()).replace(/^[\s\S]*?data: /, "").trim()).result;
  };
  const show = async (name, tool, args) => {
    const result = await hosted("tools/call", tool, { name: tool, arguments: args });
    const uri = `ui://ide-index/${name}`;
    const read = await hosted("resources/read", uri, { uri });
    const host = await context.newPage();
    await host.exposeFunction("call", (params) => hosted("tools/call", params.name, params));
    await host.setContent("<!doctype html><title>host</title><iframe id=v sandbox=allow-scripts width=600 height=400></iframe>");
    await host.evaluate(({ html, input, output }) => {
      const view = document.getElementById("v");
      window.heard = [];
      addEventListener("message", ({ source, data }) => {
        if (source !== view.contentWindow) return;
        window.heard.push(data);
        const say = (message) => source.postMessage({ jsonrpc: "2.0", ...message }, "*");
        if (data.method === "ui/initialize") say({ id: data.id, result: { protocolVersion: "2026-01-26", hostInfo: { name: "host", version: "1" }, hostCapabilities: { serverTools: {} }, hostContext: { theme: "dark" } } });
        if (data.method === "ui/notifications/initialized") {
          say({ method: "ui/notifications/tool-input", params: { arguments: input } });
          say({ method: "ui/notifications/tool-result", params: output });
        }
        if (data.method === "tools/call" && data.params.name === "ide_undo") say({ id: data.id, result: { content: [{ type: "text", text: "it is undone" }] } });
        else if (data.method === "tools/call") window.call(data.params).then((result) => say({ id: data.id, result }));
      });
      view.srcdoc = html;
    }, { html: read.contents[0].text, input: args, output: result });
    return { host, frame: host.frameLocator("#v") };
  };
  const changes = await show("changes", "ide_refactor_rename", { file: "greeter.py", line: 12, column: 5, newName: "welcome" });
  await changes.frame.locator("h2", { hasText: "main.py" }).waitFor();
  await changes.frame.locator("pre .add", { hasText: "welcome" }).first().waitFor();
  assert.equal(await changes.frame.locator("html").getAttribute("data-theme"), "dark");
  await changes.frame.getByRole("button", { name: "Undo this change" }).click();
  await changes.frame.getByText("it is undone").waitFor();
  assert.equal((await changes.host.evaluate(() => window.heard.find((one) => one.method === "tools/call"))).params.name, "ide_undo");
  assert.ok(await changes.host.evaluate(() => window.heard.some((one) => one.method === "ui/notifications/size-changed")));
  await changes.frame.getByRole("button", { name: "Review by hunk" }).click();
  await changes.frame.locator("pre .add", { hasText: "welcome" }).first().waitFor();
  const undecided = changes.frame.getByRole("button", { name: "Take back file" });
  await undecided.first().waitFor();
  for (let left = await undecided.count(); left > 0; left--) {
    await undecided.first().click();
    await until("a file is taken back", async () => (await undecided.count()) === left - 1);
  }
  await changes.frame.getByText("Nothing is left to decide.").waitFor();
  const kept = await show("changes", "ide_refactor_rename", { file: "greeter.py", line: 12, column: 5, newName: "welcome" });
  await kept.frame.getByRole("button", { name: "Review by hunk" }).click();
  const keeps = kept.frame.getByRole("button", { name: "Keep file" });
  await keeps.first().waitFor();
  for (let left = await keeps.count(); left > 0; left--) {
    await keeps.first().click();
    await until("a file is kept", async () => (await keeps.count()) === left - 1);
  }
  await kept.frame.getByText("Nothing is left to decide.").waitFor();
  await mcp("ide_undo", {});
  const calls = await show("calls", "ide_call_hierarchy", { language: "Python", symbol: "greeter.hello", direction: "callers" });
  await calls.frame.locator(".tree", { hasText: "greet" }).first().waitFor();
  const types = await show("types", "ide_type_hierarchy", { className: "greeter.Greeter" });
  await types.frame.locator(".tree", { hasText: "Loud" }).first().waitFor();
  const uses = await show("references", "ide_find_references", { language: "Python", symbol: "greeter.hello" });
  await uses.frame.locator("h2", { hasText: "main.py" }).waitFor();
  for (const { host } of [changes, kept, calls, types, uses]) await host.close();

  // a page of somebody else in the same browser reaches nothing: not the dashboard, nor the server, nor the editor's listeners
  const evil = createServer((_, response) => { response.setHeader("Content-Type", "text/html"); response.end("<!doctype html><title>evil</title>"); });
  await new Promise((resolve) => evil.listen(0, "127.0.0.1", resolve));
  const hostile = await context.newPage();
  const [file_of_gemini] = await readdir(join(home, "tmp/gemini/ide"));
  const ports = { port, ide: name.replace(".lock", ""), gemini: JSON.parse(await readFile(join(home, "tmp/gemini/ide", file_of_gemini), "utf8")).port };
  await mcp("ide_find_class", { query: "kept" });
  const waits = propose(windows, proposal, "7");
  await view("diffs");
  await page.locator(".diff").waitFor();
  // a host of its own, and other ports of this machine, to which the browser sends the cookie
  for (const host of ["evil.test", "localhost", "127.0.0.1"]) {
    await hostile.goto(`http://${host}:${evil.address().port}/`);
    const got = await hostile.evaluate(attack, ports);
    for (const [way, what] of Object.entries(got)) assert.match(String(what), /^(refused|opaque|severed|unseen)/, `${host} ${way}: ${what}`);
    for (const frame of hostile.frames().filter((frame) => frame !== hostile.mainFrame())) {
      assert.equal(await frame.locator("mcp-header").count().catch(() => 0), 0, "it is not framed");
    }
    for (const other of context.pages().filter((one) => ![page, hostile].includes(one))) await other.close();
  }
  assert.equal(await page.locator(".diff").count(), 1, "nobody decided");
  await page.locator(".diff .reject").click();
  await waits;
  await view("calls");
  await page.locator("#search").fill("kept");
  await until("nobody cleared the history", async () => (await page.locator(".call").count()) === 1);
  await page.locator("#search").fill("");
  // a name of somebody else that leads here is no name of ours, for the page, the server and the editor's sockets
  for (const path of ["/dashboard/", "/dashboard/app.js", "/dashboard/login?key=x", "/dashboard/events"]) {
    assert.equal((await hostile.goto(`http://evil.test:${port}${path}`)).status(), 403, path);
  }
  const rebound = await hostile.evaluate(async () => {
    const post = (path, body) => fetch(path, { method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" }, body: JSON.stringify(body) }).then((r) => r.status, (error) => error.message);
    const socket = (path) => new Promise((resolve) => { const one = new WebSocket(`ws://${location.host}${path}`, "mcp"); one.onopen = () => resolve("open"); one.onerror = () => resolve("refused"); });
    return [await post("/dashboard/api/overview", {}), await post("/index-mcp/streamable-http", { jsonrpc: "2.0", id: 1, method: "tools/list" }), await socket("/index-mcp/ws")];
  });
  assert.deepEqual(rebound, [403, 403, "refused"]);
  await mcp("ide_find_class", { query: "Loud" });
  await page.locator(".call").first().waitFor();
  await new Promise((resolve) => evil.close(resolve));

  // a second project is opened, and its calls are told apart
  await mcp("ide_find_class", { query: "elsewhere", project_path: other_project });
  await until("another project is known", async () => (await page.locator(`#filter-project option[value="${other_project}"]`).count()) === 1);
  await page.locator("#filter-project").selectOption(other_project);
  await until("the filter shows a project", async () => (await page.locator(".call").count()) === 1);
  await agent.close();
  await context.close();
} finally {
  await browser.close();
  const ended = new Promise((resolve) => server.on("exit", resolve));
  server.kill("SIGTERM");
  await ended;
}
assert.deepEqual((await readdir(join(home, ".claude/ide"))).filter((file) => file.endsWith(".lock")), [], "the lock file is gone");
await rm(home, { recursive: true, force: true });
if (failed) process.exit(1);
console.log("dashboard: every control, no violations, no complaints");
