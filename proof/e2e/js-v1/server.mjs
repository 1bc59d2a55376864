// A server with the official TypeScript SDK, first line. usage: server.mjs stdio|http|sse (see ../README.md)
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const text = (text) => ({ content: [{ type: "text", text }] });

function server() {
  const mcp = new McpServer({ name: "e2e-js-v1", version: "1.0.0" }, { capabilities: { logging: {} } });
  mcp.registerTool("add", { inputSchema: { a: z.number(), b: z.number() } }, async ({ a, b }) => text(`${a + b}`));
  mcp.registerTool("chatty", {}, async (extra) => {
    const progress = (progress) =>
      extra.sendNotification({
        method: "notifications/progress",
        params: { progressToken: extra._meta.progressToken, progress, total: 2 },
      });
    await progress(1);
    await mcp.server.sendLoggingMessage({ level: "info", data: "working" }, extra.sessionId);
    await progress(2);
    return text("done");
  });
  const ask = (method, params, extra) =>
    extra.sendRequest({ method, params }, z.object({}).passthrough());
  mcp.registerTool("ask", {}, async (extra) => {
    const requestedSchema = { type: "object", properties: { name: { type: "string", default: "Ann" } } };
    const answer = await ask("elicitation/create", { message: "Who?", requestedSchema }, extra);
    return text(`Hello, ${answer.content.name}`);
  });
  mcp.registerTool("sample", {}, async (extra) => {
    const messages = [{ role: "user", content: { type: "text", text: "?" } }];
    return text((await ask("sampling/createMessage", { messages, maxTokens: 10 }, extra)).content.text);
  });
  mcp.registerTool("roots", {}, async (extra) => text((await ask("roots/list", {}, extra)).roots[0].uri));
  const contents = (uri, text) => ({ contents: [{ uri: uri.href, text }] });
  mcp.registerResource("a", "test://a", {}, async (uri) => contents(uri, "A"));
  const template = new ResourceTemplate("test://{id}/data", { list: undefined });
  mcp.registerResource("data", template, {}, async (uri, { id }) => contents(uri, `data ${id}`));
  const argsSchema = { name: completable(z.string(), () => ["Ann", "Anna"]) };
  mcp.registerPrompt("greet", { argsSchema }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Hello, ${name}` } }],
  }));
  return mcp;
}

const sessions = new Map();

async function streamable(request, response) {
  let transport = sessions.get(request.headers["mcp-session-id"]);
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await server().connect(transport);
  }
  await transport.handleRequest(request, response);
}

async function sse(request, response) {
  const url = new URL(request.url, "http://localhost");
  if (request.method === "GET") {
    const transport = new SSEServerTransport("/messages", response);
    sessions.set(transport.sessionId, transport);
    await server().connect(transport);
  } else if (url.pathname === "/messages") {
    await sessions.get(url.searchParams.get("sessionId")).handlePostMessage(request, response);
  } else {
    response.writeHead(405).end();
  }
}

const wire = process.argv[2];
if (wire === "stdio") {
  await server().connect(new StdioServerTransport());
} else {
  const listener = createServer(wire === "sse" ? sse : streamable).listen(0, "127.0.0.1", () => {
    console.error(`http://127.0.0.1:${listener.address().port}${wire === "sse" ? "/sse" : "/mcp"}`);
  });
}
