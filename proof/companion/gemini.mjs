// The editor's client of Gemini CLI against a live server, with a scripted person at the dashboard.
// node gemini.mjs SERVER_BINARY BROWSER
import { spawn } from "node:child_process"
import { mkdtemp, mkdir, writeFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import { tmpdir } from "node:os"
import { chromium } from "playwright-core";
const home = await mkdtemp(join(tmpdir(), "gem-")); const project = join(home, "sample"); await mkdir(project); await mkdir(join(home, "tmp"));
await writeFile(join(project, "main.py"), "def main():\n    pass\n");
const env = { ...process.env, HOME: home, TMPDIR: join(home, "tmp"), XDG_CONFIG_HOME: join(home, "config"), XDG_CACHE_HOME: join(home, "cache"), XDG_STATE_HOME: join(home, "state") };
const server = spawn(process.argv[2], ["serve", "--port", "0", "--project", project], { env, stdio: ["ignore", "ignore", "pipe"] });
let log = ""; server.stderr.on("data", (t) => { log += t; });
const until = async (f, ms = 20000) => { const e = Date.now() + ms; for (;;) { const v = await f(); if (v) return v; if (Date.now() > e) throw new Error("late\n" + log); await new Promise((r) => setTimeout(r, 50)); } };
const link = await until(() => /for one browser: (\S+)/.exec(log)?.[1]); await until(() => /listening/.test(log));
const browser = await chromium.launch({ executablePath: process.argv[3], args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage(); await page.goto(link); await page.getByText("Running with sample").waitFor();
process.env.TMPDIR = env.TMPDIR; process.env.GEMINI_CLI_IDE_PID = String(server.pid); process.env.REMOTE_CONTAINERS = "1"; process.env.HOME = home; process.env.TERM_PROGRAM = "vscode"; process.chdir(project);
const { IdeClient, ideContextStore } = await import("@google/gemini-cli-core");
const client = await IdeClient.getInstance(); await client.connect();
console.log("status", JSON.stringify(client.getConnectionStatus()));
await page.locator('nav a[data-view="code"]').click(); await page.locator("#query").fill("main"); await page.locator("#kind").selectOption("file"); await page.locator("#query").press("Enter"); await page.locator("#results .hit").first().click(); await page.locator(".cm-line").first().dblclick();
console.log("context", JSON.stringify(await until(() => { const c = ideContextStore.get(); return c?.workspaceState?.openFiles?.[0]?.selectedText && c; })));
await page.locator('nav a[data-view="diffs"]').click();
let pending = client.openDiff(join(project, "main.py"), "x = 1\n"); await page.locator(".diff .accept").click(); console.log("accepted", JSON.stringify(await pending));
pending = client.openDiff(join(project, "main.py"), "x = 2\n"); await page.locator(".diff .reject").click(); console.log("rejected", JSON.stringify(await pending));
pending = client.openDiff(join(project, "main.py"), "x = 3\n"); await page.locator(".diff").waitFor(); await client.resolveDiffFromCli(join(project, "main.py"), "rejected"); console.log("closed");
await until(async () => (await page.locator(".diff").count()) === 0);
await client.disconnect(); await browser.close(); server.kill("SIGTERM"); await new Promise((r) => server.on("exit", r)); console.log("left", await readdir(join(home, "tmp/gemini/ide"))); process.exit(0);
