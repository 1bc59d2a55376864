// The official TypeScript SDK, second line. usage: client.mjs WIRE TARGET CALLS ERA (see ../README.md)
import { readFileSync } from "node:fs";
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [wire, target, callsFile, era] = process.argv.slice(2);
const transports = {
  stdio: () => {
    const [command, ...args] = JSON.parse(target);
    return new StdioClientTransport({ command, args, stderr: "inherit" });
  },
  http: () => new StreamableHTTPClientTransport(new URL(target)),
  sse: () => new SSEClientTransport(new URL(target)),
};
const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
const client = new Client({ name: "e2e-js-v2", version: "1.0.0" }, { versionNegotiation: { mode } });
await client.connect(transports[wire]());
const tools = [];
for (let cursor; ; ) {
  const page = await client.listTools(cursor ? { cursor } : undefined);
  tools.push(...page.tools.map((tool) => tool.name));
  if (!(cursor = page.nextCursor)) break;
}
const answers = [];
for (const call of JSON.parse(readFileSync(callsFile, "utf8"))) {
  const result = await client.callTool({ name: call.tool, arguments: call.arguments });
  answers.push({ tool: call.tool, result });
}
await client.close();
console.log(JSON.stringify({ tools, answers }));
