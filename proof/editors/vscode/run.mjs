// VS Code's language client in a browser: serves the page, its disk, and a socket to the server's standard input and output.
// usage: run.mjs FOLDER STEPS -- SERVER...      prints the observations of the steps as one JSON list; CHROMIUM is the browser
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, readdir, realpath, rename, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { StreamMessageReader, StreamMessageWriter } from "vscode-languageserver-protocol/node";
import { WebSocketServer } from "ws";

const [given, stepsFile, , program, ...words] = process.argv.slice(2);
const folder = await realpath(given);
const { language, steps } = JSON.parse(await readFile(stepsFile, "utf8"));
const here = import.meta.dirname;

/** The folder with page and worker as one file each, made once for what they are made from. */
async function bundle() {
  const page = join(here, "page.js");
  const hash = createHash("sha256");
  for (const file of [page, join(here, "package.json")]) hash.update(await readFile(file));
  const made = join(here, "bundled", hash.digest("hex").slice(0, 16));
  if (await stat(made).catch(() => null)) return made;
  const outdir = await mkdtemp(join(here, "bundling-"));
  const worker = join(here, "node_modules/@codingame/monaco-vscode-api/workers/editor.worker.js");
  const loader = { ".css": "text", ".html": "text", ".mp3": "empty", ".png": "dataurl", ".svg": "dataurl", ".ttf": "dataurl", ".wasm": "dataurl" };
  await build({ entryPoints: { page, worker }, bundle: true, format: "esm", minify: true, loader, external: ["node:*"], outdir, logLevel: "error" });
  await mkdir(join(here, "bundled"), { recursive: true });
  await rename(outdir, made);
  return made;
}

const made = await bundle();
const html = "<!doctype html><meta charset=utf-8><title>VS Code</title><style>html,body{height:100%;margin:0}</style><body><script type=module src=page.js></script>";
const http = createServer(async (request, response) => {
  const file = { "/page.js": "page.js", "/worker.js": "worker.js" }[request.url];
  if (file) response.setHeader("content-type", "text/javascript").end(await readFile(join(made, file)));
  else if (request.url === "/") response.setHeader("content-type", "text/html").end(html);
  else response.writeHead(404).end();
});
http.listen(0, "127.0.0.1");
await once(http, "listening");
const { port } = http.address();

/** Messages go between socket and process as they are, each framed in the way of its side. */
const ended = [];
new WebSocketServer({ server: http }).on("connection", (socket) => {
  const server = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] });
  const writer = new StreamMessageWriter(server.stdin);
  socket.on("message", (data) => writer.write(JSON.parse(data)));
  socket.on("close", () => server.stdin.end());
  new StreamMessageReader(server.stdout).listen((message) => socket.send(JSON.stringify(message)));
  ended.push(once(server, "exit"));
});

/** What the page asks of the disk; `null` where nothing is. */
async function disk(what, path, text) {
  if (path !== folder && !path.startsWith(`${folder}/`)) return null;
  try {
    if (what === "write") return await writeFile(path, text).then(() => true);
    if (what === "read") return await readFile(path, "utf8");
    if (what === "list") return (await readdir(path, { withFileTypes: true })).map((one) => ({ name: one.name, folder: one.isDirectory() }));
    const found = await stat(path);
    return { ctime: found.ctimeMs, mtime: found.mtimeMs, size: found.size, folder: found.isDirectory() };
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
const messages = [];
try {
  const page = await browser.newPage();
  page.on("console", (message) => messages.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => messages.push(`error: ${error.stack}`));
  await page.exposeFunction("disk", disk);
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.waitForFunction(() => "play" in window);
  const extension = extname(steps[0].file);
  const seen = await page.evaluate((all) => play(all), { folder, language, extension, steps, address: `ws://127.0.0.1:${port}/`, worker: `http://127.0.0.1:${port}/worker.js` });
  for (const end of ended) {
    const [code] = await end;
    if (code !== 0) throw new Error(`the server ended with ${code}`);
  }
  console.log(JSON.stringify({ seen, messages: messages.join("\n") }));
} catch (error) {
  console.error(`${error.stack}\n${messages.join("\n")}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  http.close();
}
