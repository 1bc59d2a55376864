// Times calls of the official client. usage: stalls.mjs URL (see ../README.md)
// Prints {"bare": [milliseconds, …], "/mcp": […], "/mcp-events": […]}, made in turns, so that all meet the same machine.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const base = process.argv[2];
const calls = { bare: async () => (await fetch(new URL("/", base))).text() };
const clients = [];
for (const path of ["/mcp", "/mcp-events"]) {
  const client = new Client({ name: "e2e-stalls", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(path, base)));
  calls[path] = () => client.callTool({ name: "echo", arguments: { message: "m" } });
  clients.push(client);
}
const times = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
for (let round = 0; round < 45; round++) {
  for (const [name, call] of Object.entries(calls)) {
    const begun = performance.now();
    await call();
    // the first rounds open connections
    if (round >= 5) times[name].push(performance.now() - begun);
  }
}
await Promise.all(clients.map((client) => client.close()));
console.log(JSON.stringify(times));
