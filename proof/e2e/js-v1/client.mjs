// The official TypeScript SDK, first line. usage: client.mjs WIRE TARGET CALLS (see ../README.md)
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";

const [wire, target, callsFile] = process.argv.slice(2);
const transports = {
  stdio: () => {
    const [command, ...args] = JSON.parse(target);
    return new StdioClientTransport({ command, args, stderr: "inherit" });
  },
  http: () => new StreamableHTTPClientTransport(new URL(target)),
  sse: () => new SSEClientTransport(new URL(target)),
  ws: () => new WebSocketClientTransport(new URL(target)),
};
const client = new Client({ name: "e2e-js-v1", version: "1.0.0" });
await client.connect(transports[wire]());
const tools = [];
for (let cursor; ; ) {
  const page = await client.listTools({ cursor });
  tools.push(...page.tools.map((tool) => tool.name));
  if (!(cursor = page.nextCursor)) break;
}
const answers = [];
for (const call of JSON.parse(readFileSync(callsFile, "utf8"))) {
  // the SDK checks structured content against the output schema here
  const result = await client.callTool({ name: call.tool, arguments: call.arguments });
  answers.push({ tool: call.tool, result });
}
await client.close();
console.log(JSON.stringify({ tools, answers }));
