// How long a page of the dashboard takes to show its calls, with the history of a file.
// node load.mjs SERVER_BINARY BROWSER DATABASE, where the example `search` of the crate `history` makes the database
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [binary, browserPath, database] = process.argv.slice(2);
const ROUNDS = 9;
const home = await mkdtemp(join(tmpdir(), "load-"));
const project = join(home, "sample");
await mkdir(join(home, "state/ide-index-mcp"), { recursive: true });
await mkdir(join(home, "config/ide-index-mcp"), { recursive: true });
await mkdir(project);
await writeFile(join(project, "main.py"), "def main():\n    pass\n");
await writeFile(join(home, "config/ide-index-mcp/config.toml"), "max_history_stored = 1000000\n");
await copyFile(database, join(home, "state/ide-index-mcp/history.sqlite"));
const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_CACHE_HOME: join(home, "cache"), XDG_STATE_HOME: join(home, "state") };
const server = spawn(binary, ["serve", "--port", "0", "--project", project], { env, stdio: ["ignore", "ignore", "pipe"] });
let log = "";
server.stderr.on("data", (text) => { log += text; });
let link;
for (let waited = 0; !(link = /for one browser: (\S+)/.exec(log)?.[1]); waited += 20) {
  assert.ok(waited < 60_000, log);
  await new Promise((resolve) => setTimeout(resolve, 20));
}

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
const spread = (times) => `${times.sort((a, b) => a - b)[times.length >> 1].toFixed(0)} ms median, ${times.at(-1).toFixed(0)} ms most`;

/** Runs in the page: resolves with the time at which something holds, as the page's clock says. */
function seen(holds) {
  return new Promise((resolve) => {
    const look = () => {
      if (!holds()) return;
      observer.disconnect();
      resolve(performance.now());
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { childList: true, subtree: true });
    look();
  });
}

try {
  const page = await browser.newPage();
  await page.addInitScript(`window.seen = ${seen}; window.loaded = seen(() => document.querySelectorAll(".call").length >= 50);`);
  await page.goto(link);
  await page.waitForURL("**/dashboard/");
  const times = { "the page with its newest calls": [], "a search, with the 150 ms that the page waits for more letters": [], "statistics of all calls": [] };
  for (let round = 0; round < ROUNDS; round++) {
    await page.reload();
    const loaded = await page.evaluate(() => window.loaded);
    const search = await page.evaluate((text) => {
      const begun = performance.now();
      const field = document.querySelector("#search");
      field.value = text;
      field.dispatchEvent(new Event("input"));
      return seen(() => document.querySelectorAll(".call").length === 1).then((end) => end - begun);
    }, `customer${77_077 + 1_200 * round}`);
    const statistics = await page.evaluate(() => {
      const begun = performance.now();
      document.querySelector('nav a[data-view="statistics"]').click();
      return seen(() => document.querySelectorAll("mcp-statistics td").length > 10).then((end) => end - begun);
    });
    [loaded, search, statistics].forEach((time, at) => Object.values(times)[at].push(time));
    await page.locator('nav a[data-view="calls"]').click();
  }
  for (const [what, all] of Object.entries(times)) console.log(`${what}: ${spread(all)}`);
} finally {
  await browser.close();
  const ended = new Promise((resolve) => server.on("exit", resolve));
  server.kill("SIGTERM");
  await ended;
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
}
