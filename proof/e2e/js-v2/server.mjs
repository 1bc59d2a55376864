// A server with the official TypeScript SDK, second line: both eras. usage: server.mjs stdio|http (see ../README.md)
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  McpServer,
  ResourceTemplate,
  completable,
  createMcpHandler,
  inputRequired,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const text = (text) => ({ content: [{ type: "text", text }] });

/** Asks once; in the older era the SDK sends the question itself. */
const asking = (question, answer) => async (ctx) => {
  const response = ctx.mcpReq.inputResponses?.it;
  return response ? text(answer(response)) : inputRequired({ inputRequests: { it: question() } });
};

function server() {
  const mcp = new McpServer({ name: "e2e-js-v2", version: "1.0.0" }, { capabilities: { logging: {} } });
  const inputSchema = z.object({ a: z.number(), b: z.number() });
  mcp.registerTool("add", { inputSchema }, async ({ a, b }) => text(`${a + b}`));
  mcp.registerTool("chatty", {}, async (ctx) => {
    const progressToken = ctx.mcpReq._meta.progressToken;
    const progress = (progress) =>
      ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 2 } });
    await progress(1);
    await ctx.mcpReq.log("info", "working");
    await progress(2);
    return text("done");
  });
  const requestedSchema = { type: "object", properties: { name: { type: "string", default: "Ann" } } };
  const messages = [{ role: "user", content: { type: "text", text: "?" } }];
  mcp.registerTool("ask", {}, asking(() => inputRequired.elicit({ message: "Who?", requestedSchema }), (r) => `Hello, ${r.content.name}`));
  mcp.registerTool("sample", {}, asking(() => inputRequired.createMessage({ messages, maxTokens: 10 }), (r) => r.content.text));
  mcp.registerTool("roots", {}, asking(() => inputRequired.listRoots(), (r) => r.roots[0].uri));
  const contents = (uri, text) => ({ contents: [{ uri: uri.href, text }] });
  mcp.registerResource("a", "test://a", {}, async (uri) => contents(uri, "A"));
  const template = new ResourceTemplate("test://{id}/data", { list: undefined });
  mcp.registerResource("data", template, {}, async (uri, { id }) => contents(uri, `data ${id}`));
  const argsSchema = z.object({ name: completable(z.string(), () => ["Ann", "Anna"]) });
  mcp.registerPrompt("greet", { argsSchema }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Hello, ${name}` } }],
  }));
  return mcp;
}

if (process.argv[2] === "stdio") {
  serveStdio(server);
} else {
  const listener = createServer(toNodeHandler(createMcpHandler(server))).listen(0, "127.0.0.1", () => {
    console.error(`http://127.0.0.1:${listener.address().port}/mcp`);
  });
}
