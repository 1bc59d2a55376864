// The native half of the plugin under load and faults. usage: soak.mjs COMMAND CALLS PROJECT TOTAL
// COMMAND is the JVM as a JSON list, CALLS the known calls of tools, PROJECT the folder that the host has open, TOTAL how many
// calls are made in all. Each check prints a line that begins with `ok` or `FAILED`; measurements begin with `measured`.
import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Host } from "./host.mjs";
import { ASKING, make, surfaceOf } from "./surface.mjs";

const [command, callsFile, project, total] = process.argv.slice(2);
const known = JSON.parse(readFileSync(callsFile, "utf8"));
const TOTAL = Number(total);
const PARALLEL = 64;
/** Nothing takes so long that it is not hung. */
const HUNG = 60_000;
/** Who answered, in the notes of an answer. */
const BY_BOTH = "by Fake 1 and the index";
const ALONE = "the index alone answers, Fake 1 did not";

function check(holds, name, detail = "") {
  console.log(`${holds ? "ok" : "FAILED"} ${name}${detail === "" ? "" : `: ${detail}`}`);
}

// Faults come in the same order in every run.
let seed = 20_262;
const random = (below) => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) % below;

// The client listens once a call for its own end.
setMaxListeners(0);
const host = new Host(JSON.parse(command));
let url;
let client;
let made = 0;
const tally = { answers: 0, errors: 0, cancelled: 0, gone: 0 };

async function connect() {
  client = new Client({ name: "soak", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
}

async function start() {
  url = (await host.start()).url;
  await connect();
}

/** One call with its outcome; `taken back` ones are cancelled by this client. */
async function one(call, { cancelAfter, mayGo = false } = {}) {
  made++;
  const stop = new AbortController();
  const timer = cancelAfter === undefined ? undefined : setTimeout(() => stop.abort(), cancelAfter);
  try {
    const got = await make(client, call, { signal: stop.signal, timeout: HUNG });
    tally[got.failed ? "errors" : "answers"]++;
    if (got.failed && !/\w/.test(got.text)) check(false, "an error says something", call.name);
    return got;
  } catch (error) {
    if (stop.signal.aborted) tally.cancelled++;
    else if (mayGo && /\w/.test(String(error))) tally.gone++;
    else if (call.kind !== "tool" && error.code < 0 && error.code !== -32_001) tally.errors++;
    else check(false, `${call.name} is answered`, error);
    return { text: String(error), failed: true, gone: true };
  } finally {
    clearTimeout(timer);
  }
}

/** Makes calls, so many at a time. */
async function many(count, pick, options = () => ({})) {
  const outcomes = [];
  let next = 0;
  const work = async () => {
    while (next < count) {
      const number = next++;
      const call = pick(number);
      outcomes.push([call, await one(call, options(number))]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, count) }, work));
  return outcomes;
}

await start();
await host.tell('request {"op":"settings.set","key":"enabled_tools","value":["*"]}');
// Only with sessions the cancellation of a client of these revisions finds its call.
await host.tell('request {"op":"settings.set","key":"sessions","value":true}');
await client.close();
await host.tell("stop 20000");
await start();

const surface = await surfaceOf(client, known);
const asking = surface.all.filter((call) => ASKING.includes(call.name));
const often = surface.all.filter((call) => !call.alone);
check(
  asking.length === ASKING.length && surface.resources.length > 0 && surface.prompts.length > 0,
  "the surface",
  `${surface.tools.length} tools, ${surface.resources.length} resources, ${surface.prompts.length} prompts`,
);
for (const call of surface.all) {
  const { text, failed: isError } = await one(call);
  const wanted = known.find((one) => one.tool === call.name)?.expect ?? [];
  // A move that was only tried leaves nothing to be undone.
  const missing = call.name === "ide_undo" ? [] : wanted.filter((part) => !text.includes(part));
  if (missing.length > 0 || (isError && wanted.length > 0 && call.name !== "ide_undo")) {
    check(false, call.name, `lacks ${missing}: ${text.slice(0, 300)}`);
  }
}
await host.tell(`event {"event":"projectOpened","path":${JSON.stringify(project)}}`);
for (const call of asking) {
  const { text } = await one(call);
  check(text.includes(BY_BOTH), `${call.name} says that both answered`, text.includes(BY_BOTH) ? "" : text.slice(0, 300));
}

const mixed = () => (random(2) === 0 ? asking[random(asking.length)] : often[random(often.length)]);

// Warm: what is kept is kept from now on.
await many(Math.floor(TOTAL * 0.15), mixed);
await host.tell("behave * mixed");
await many(Math.floor(TOTAL * 0.1), mixed);
await host.tell("behave *");
const before = await settled();

const FAULTS = ["throw runtime", "throw overflow", "throw broken", "throw error", "throw process", "throw internal", "null", "answer [",
  'answer {"places":7}', "answer null", "bytes", "throw index_not_ready", "throw modal_dialog"];
for (const fault of FAULTS) {
  for (const op of ["places", "calls"]) await host.tell(`behave ${op} ${fault}`);
  const outcomes = await many(Math.floor(TOTAL * 0.008), (n) => asking[n % asking.length]);
  const wrong = outcomes.filter(([, { text, failed: isError }]) => isError || !text.includes(ALONE) || text.includes(BY_BOTH));
  check(wrong.length === 0, `under \`${fault}\` the index answers and says so`, wrong.length === 0 ? `${outcomes.length} calls` : `${wrong[0][0].name}: ${wrong[0][1].text.slice(0, 400)}`);
}
for (const op of ["places", "calls"]) await host.tell(`behave ${op}`);

// A host that builds its index.
await host.tell(`event {"event":"dumb","project":${JSON.stringify(project)}}`);
await host.tell("behave * throw index_not_ready");
const dumb = await many(Math.floor(TOTAL * 0.02), (n) => asking[n % asking.length]);
const unsaid = dumb.filter(([, { text }]) => !text.includes(ALONE));
check(unsaid.length === 0, "while the IDE builds its index the answers say so", unsaid[0]?.[1].text.slice(0, 300) ?? `${dumb.length} calls`);
await host.tell("behave *");
await host.tell(`event {"event":"smart","project":${JSON.stringify(project)}}`);
await until("the IDE answers again when it is smart", async () => (await one(asking[0])).text.includes(BY_BOTH));

// Everything at once, and clients that take calls back.
await host.tell("behave * mixed");
const third = Math.floor(TOTAL * 0.3);
const outcomes = await many(third, mixed, (n) => (n % 9 === 0 ? { cancelAfter: random(25) } : {}));
await host.tell("behave *");
check(outcomes.length === third, "mixed faults and cancellations", `${third} calls, all ended`);
const slow = await many(PARALLEL, (n) => asking[n % asking.length]);
check(slow.every(([, { failed: isError }]) => !isError), "after faults every tool answers");

// Calls that wait for a host which answers only when it is told to stop.
await host.tell("behave * sleep");
const begun = performance.now();
await many(PARALLEL * 2, (n) => asking[n % asking.length], () => ({ cancelAfter: 20 + random(60) }));
await until("cancellations reach the host", async () => (await host.figures()).running === 0);
console.log(`measured ${PARALLEL * 2} calls taken back in ${Math.round(performance.now() - begun)} ms`);
await host.tell("behave *");

// The server goes while calls run, and comes again.
for (let round = 0; round < 5; round++) {
  await host.tell(round % 2 === 0 ? "behave * sleep" : "behave * late 400");
  const calls = many(PARALLEL, (n) => asking[n % asking.length], () => ({ mayGo: true }));
  await until("calls are with the host", async () => Number(await host.tell("figure running")) > 0);
  const millis = Number(await host.tell("stop 20000"));
  await calls;
  await host.tell("behave *");
  await client.close().catch(() => {});
  check(millis < 5_000, "stop during calls", `${millis} ms`);
  await start();
  const { text } = await one(asking[1]);
  check(text.includes(BY_BOTH), "it answers after the start", text.includes(BY_BOTH) ? "" : text.slice(0, 300));
}

const middle = await settled();
await many(Math.max(0, TOTAL - made), mixed);
const after = await settled();
check(made >= TOTAL, "calls in all", `${made}: ${JSON.stringify(tally)}, ${after.calls} of the host, ${after.most} at once`);
check(after.most > 1 && tally.cancelled > 0, "calls of the host ran side by side");
check(after.files <= before.files + 3, "descriptors", `${before.files} before, ${after.files} after`);
check(after.sockets <= before.sockets + PARALLEL / 8, "sockets", `${before.sockets} before, ${after.sockets} after`);
check(after.threads <= before.threads + 6, "threads", `${before.threads} before, ${after.threads} after`);
// Code that the JVM compiles late comes once; starts and calls leave nothing.
check(
  after.memory - before.memory < 48 * 1024,
  "memory",
  `${before.memory >> 10} MiB before, ${middle.memory >> 10} MiB after the restarts, ${after.memory >> 10} MiB at the end`,
);

await cost();
await client.close();
await host.tell("stop 20000");
const left = await host.figures();
check(left.ours === 0 && left.running === 0, "nothing is left behind", JSON.stringify(left));
check((await host.end()) === 0, "the JVM ends well");
const complaints = host.printed.filter((line) => /WARNING|FATAL|JNI/.test(line));
check(complaints.length === 0, "-Xcheck:jni is silent", complaints.slice(0, 3).join("\n"));
console.log("done");
process.exit(0);

/** Figures when nothing runs any more: threads that waited have ended, connections that the client keeps for its next call, four
 * seconds at most, are closed, and the memory that the compilers of the JVM have freed is back with the system. */
async function settled() {
  await client.close();
  await connect();
  let last = await host.figures();
  const end = performance.now() + 30_000;
  for (let same = 0; same < 20 && performance.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    const now = await host.figures();
    same = now.threads === last.threads && now.sockets === last.sockets && now.running === 0 ? same + 1 : 0;
    last = now;
  }
  host.trim();
  return host.figures();
}

async function until(what, holds) {
  const end = performance.now() + 30_000;
  while (!(await holds())) {
    if (performance.now() > end) return check(false, what);
  }
  check(true, what);
}

/** How much the IDE costs a call: the same calls with a host that answers at once, and without one. */
async function cost() {
  const CALLS = 300;
  const take = async () => {
    for (let n = 0; n < 60; n++) await one(asking[n % asking.length]);
    const times = asking.map(() => []);
    for (let n = 0; n < CALLS; n++) {
      const at = performance.now();
      await one(asking[n % asking.length]);
      times[n % asking.length].push(performance.now() - at);
    }
    const begun = performance.now();
    await many(CALLS, (n) => asking[n % asking.length]);
    const rate = (CALLS * 1000) / (performance.now() - begun);
    const all = times.flat().sort((a, b) => a - b);
    return { median: all[all.length >> 1], slow: all[Math.floor(all.length * 0.95)], rate };
  };
  await host.tell('behave places answer {"places":[],"cut":false}');
  await host.tell('behave calls answer {"calls":[],"cut":false}');
  const bridge = await take();
  const trips = JSON.parse(await host.tell('request {"op":"roundTrips","count":2000}'));
  await client.close();
  await host.tell("stop 20000");
  await host.tell('behave capabilities answer {"languages":[],"ops":[]}');
  await start();
  const index = await take();
  for (const op of ["capabilities", "places", "calls"]) await host.tell(`behave ${op}`);
  console.log(`measured round trips: ${trips.perSecond} a second, ${trips.medianMicros} us in the middle`);
  const shown = ({ median, slow, rate }) => `${median.toFixed(2)} ms in the middle, ${slow.toFixed(2)} ms at 95 of 100, ${Math.round(rate)} calls a second at ${PARALLEL} in parallel`;
  console.log(`measured with the IDE: ${shown(bridge)}`);
  console.log(`measured with the index alone: ${shown(index)}`);
  console.log(`measured ratios: ${(bridge.median / index.median).toFixed(2)} times the time, ${(bridge.rate / index.rate).toFixed(2)} times the calls; ${(bridge.median - index.median).toFixed(2)} ms more a call`);
  check(bridge.median < index.median * 3 + 5, "the bridge costs little", `${bridge.median.toFixed(2)} ms beside ${index.median.toFixed(2)} ms`);
}
