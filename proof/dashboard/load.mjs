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
/** Milliseconds from an action to what it shows, as the page sees them. */
const timed = async (act) => {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
};
try {
  const page = await browser.newPage();
  await page.goto(link);
  await page.waitForURL("**/dashboard/");
  await page.locator(".call").nth(49).waitFor();
  const kinds = {
    "the page with its newest calls": async () => { await page.reload({ waitUntil: "commit" }); await page.locator(".call").nth(49).waitFor(); },
    "a search": async (round) => { await page.locator("#search").fill(`customer7${round}77`); await page.locator(".call").nth(49).waitFor({ state: "detached" }); },
    "statistics": async (round) => { await page.locator('nav a[data-view="statistics"]').click(); await page.getByRole("cell", { name: "ide_find_symbol" }).waitFor(); },
  };
  for (const [what, act] of Object.entries(kinds)) {
    const times = [];
    for (let round = 0; round < ROUNDS; round++) {
      times.push(await timed(() => act(round)));
      await page.reload();
      await page.locator('nav a[data-view="calls"]').click();
      await page.locator(".call").nth(49).waitFor();
    }
    console.log(`${what}: ${spread(times)}`);
  }
} finally {
  await browser.close();
  const ended = new Promise((resolve) => server.on("exit", resolve));
  server.kill("SIGTERM");
  await ended;
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
}
