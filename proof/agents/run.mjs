// Agents that others wrote, without a language model: each is installed into, finds the server by what was written, and calls
// every tool as a script says. Goldens hold what its model was given.
// node run.mjs SERVER_BINARY PROJECT CALLS GOLDENS; with UPDATE_GOLDEN=1 goldens are written.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { Play, serve } from "./model.mjs";

const [binary, source, callsFile, goldens] = process.argv.slice(2);
const only = process.env.AGENT;
const here = dirname(fileURLToPath(import.meta.url));
const calls = JSON.parse(await readFile(callsFile, "utf8"));
const tokens = (text) => encode(text).length;
const DEADLINE = 180_000;

/** One row an agent: its settings before we come, how it is run, and what its model may be given. */
const AGENTS = [
  {
    id: "codex",
    settings: ".codex/config.toml",
    before: (url) => `# mine\nmodel = "scripted"\nmodel_provider = "scripted"\ncheck_for_update_on_startup = false\n\n[model_providers.scripted]\nname = "Scripted" # a script\nbase_url = "${url}"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n`,
    program: join(here, "node_modules/@openai/codex/bin/codex.js"),
    args: (project) => ["exec", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check", "-C", project, "play"],
    env: () => ({ SCRIPTED_KEY: "x" }),
  },
  {
    id: "opencode",
    settings: ".config/opencode/opencode.json",
    before: (url) => `{\n  "$schema": "https://opencode.ai/config.json", // mine\n  "autoupdate": false,\n  "share": "disabled",\n  "model": "scripted/scripted",\n  "small_model": "scripted/scripted",\n  "provider": { "scripted": { "npm": "@ai-sdk/openai-compatible", "name": "Scripted", "options": { "baseURL": "${url}", "apiKey": "x" }, "models": { "scripted": { "name": "Scripted", "tool_call": true } } } }\n}\n`,
    binary: join(here, "node_modules/opencode-ai/bin/opencode.exe"),
    args: (project) => ["run", "--auto", "--dir", project, "play"],
    env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" }),
  },
  {
    id: "qwen-code",
    settings: ".qwen/settings.json",
    before: () => "{\n  // mine\n  \"$version\": 4,\n  \"security\": { \"auth\": { \"selectedType\": \"openai\" } },\n  \"general\": { \"enableAutoUpdate\": false },\n  \"telemetry\": { \"enabled\": false },\n  \"privacy\": { \"usageStatisticsEnabled\": false }\n}\n",
    program: join(here, "node_modules/@qwen-code/qwen-code/cli.js"),
    args: () => ["--approval-mode", "yolo", "--max-session-turns", "200", "play"],
    env: (url) => ({ OPENAI_API_KEY: "x", OPENAI_BASE_URL: url, OPENAI_MODEL: "scripted" }),
  },
];

async function tree(folder) {
  const all = new Map();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isFile()) all.set(relative(folder, path), await readFile(path, "base64"));
  }
  return all;
}

function run(program, args, { cwd, env, log = [] }) {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => log.push(String(text)));
  const ended = new Promise((resolve, reject) => {
    const late = setTimeout(() => { child.kill("SIGKILL"); reject(new Error(`${program} does not end\n${log.join("").slice(-4000)}`)); }, DEADLINE);
    child.on("error", reject);
    child.on("exit", (code) => { clearTimeout(late); resolve(code); });
  });
  return { child, log, ended };
}

async function command(args, options) {
  const done = run(binary, args, options);
  assert.equal(await done.ended, 0, `${args.join(" ")}: ${done.log.join("")}`);
  return done.log.join("");
}

async function start(project, options) {
  const server = run(binary, ["serve", "--port", "0", "--project", project], options);
  for (let waited = 0; ; waited += 50) {
    const url = /listening on (http:\/\/\S+)/.exec(server.log.join(""))?.[1];
    if (url) return { ...server, url };
    assert.ok(waited < 60_000, `the server does not listen\n${server.log.join("")}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** One agent, one play; what its model was given. */
async function play(agent, steps, stdio) {
  const home = await mkdtemp(join(tmpdir(), `agents-${agent.id}-`));
  const project = join(home, "project");
  await cp(source, project, { recursive: true });
  const before = await tree(project);
  const script = new Play(steps);
  const model = await serve(script);
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(XDG_|CODEX_|OPENCODE|QWEN|CLAUDE|GEMINI|OPENAI)/.test(name)));
  await mkdir(join(home, "tmp"));
  const env = { ...clean, HOME: home, TMPDIR: join(home, "tmp"), ...agent.env(model.url) };
  const settings = join(home, agent.settings);
  const mine = agent.before(model.url);
  await mkdir(dirname(settings), { recursive: true });
  await writeFile(settings, mine);
  const options = { cwd: project, env };
  const server = stdio ? null : await start(project, options);
  try {
    const way = stdio ? ["--stdio"] : ["--url", server.url];
    assert.match(await command(["install", agent.id, ...way], options), /^\+/m);
    const [program, args] = agent.program ? [process.execPath, [agent.program]] : [agent.binary, []];
    const done = run(program, [...args, ...agent.args(project)], options);
    const code = await done.ended;
    const log = done.log.join("").slice(-6000);
    assert.equal(script.trouble, null, `${agent.id}: ${script.trouble}\n${log}`);
    assert.equal(script.steps.length, 0, `${agent.id} ended (${code}) before ${script.steps[0]?.tool}\n${log}\n${server?.log.join("")}`);
    await command(["uninstall", agent.id], options);
    assert.equal(await readFile(settings, "utf8"), mine, `${agent.id}: uninstall gives every byte back`);
    const after = await tree(project);
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter((file) => before.get(file) !== after.get(file) && !agent.settings.startsWith(file.split("/")[0]));
    assert.deepEqual(changed, [], "undo gives every byte back");
  } finally {
    if (server) { server.child.kill("SIGTERM"); await server.ended; }
    model.close();
    if (process.env.KEEP) console.log(home); else await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
  // what differs between two runs, by something of the same length where it has one
  const clear = (text) => text.replaceAll(project, "<project>").replaceAll(home, "<home>")
    .replace(/^Wall time: .*/m, "Wall time: <time>").replace(/"lastIndexedAt":\d+/, `"lastIndexedAt":<time>`).replace(/"symbols":\d+/, `"symbols":<count>`)
    .replace(/(cursor=|"nextCursor":")[\w+/=]+/g, "$1NGY2YzIxYzQxYTU4ZDljNDhkNjQ2NjZiMDljZDVjYWM6NjM6NjM").replace(/("symbolId":")[0-9a-f]{6}\./g, "$1<tag>.");
  return { script, clear };
}

/** What a play gave a model, as a document to compare. */
function golden({ script, clear }, listed) {
  const lines = [`# tools: ${listed.length}, in the order of their names`, ...listed.map(([name, about]) => `${name} ${tokens(JSON.stringify(about))}`)];
  for (const { tool, arguments: given, searched, text } of script.received.filter((one) => !one.searched)) {
    lines.push("", `# ${tool} ${JSON.stringify(given)}`, `# ${tokens(clear(text))} tokens, ${clear(text).length} characters`, clear(text));
  }
  return `${lines.join("\n")}\n`;
}

let failed = false;
const wanted = [...new Set(calls.map((call) => call.tool))];
for (const agent of AGENTS.filter((one) => !only || one.id === only)) {
  try {
    const begun = Date.now();
    const done = await play(agent, calls, false);
    const { script } = done;
    const listed = [...script.listed].filter(([name]) => wanted.some((tool) => name === tool || name.endsWith(`_${tool}`))).sort(([a], [b]) => a.localeCompare(b));
    for (const [at, call] of calls.entries()) {
      const { text } = script.received.filter((one) => !one.searched)[at];
      for (const word of call.expect) assert.ok(text.includes(word), `${agent.id}: ${call.tool} ${JSON.stringify(call.arguments)}: no \`${word}\` in what the model is given:\n${text.slice(0, 2000)}`);
      if (call.most) assert.ok(tokens(done.clear(text)) <= call.most, `${agent.id}: ${call.tool} is ${tokens(done.clear(text))} tokens, more than ${call.most}`);
    }
    const uncalled = [...script.listed.keys()].map((name) => /(?:^|_)(ide_[a-z_]+)$/.exec(name)?.[1]).filter((tool) => tool && !wanted.includes(tool));
    assert.deepEqual(uncalled, [], `${agent.id}: tools that the script does not call`);
    assert.equal(listed.length, wanted.length, `${agent.id} lists ${listed.map(([name]) => name)}`);
    const file = join(goldens, `${agent.id}.golden`);
    const now = golden(done, listed);
    if (process.env.UPDATE_GOLDEN) await writeFile(file, now);
    else assert.equal(now, await readFile(file, "utf8").catch(() => ""), `${file} differs (UPDATE_GOLDEN=1 writes it)`);
    await play(agent, calls.slice(0, 3), true);
    console.log(`ok ${agent.id}: ${calls.length} calls, ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  } catch (error) {
    failed = true;
    console.error(`FAILED ${agent.id}: ${error.stack}`);
  }
}
if (failed) process.exit(1);
