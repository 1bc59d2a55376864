// The MCP Inspector's command line, one process a request. usage: client.mjs WIRE TARGET CALLS ERA (see ../README.md)
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [wire, target, callsFile, era] = process.argv.slice(2);
const inspector = fileURLToPath(new URL("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", import.meta.url));

function ask(...method) {
  const options = ["--cli", "--quiet", "--format", "json", "--stored-auth-only", "--protocol-era", era, "--transport", wire];
  const server = wire === "stdio" ? [...method, "--", ...JSON.parse(target)] : ["--server-url", target, ...method];
  const out = execFileSync(process.execPath, [inspector, ...options, ...server], { encoding: "utf8", maxBuffer: 1 << 26 });
  const answer = JSON.parse(out);
  return answer.result ?? answer;
}

const listed = ask("--method", "tools/list", "--strict");
const answers = [];
for (const call of JSON.parse(readFileSync(callsFile, "utf8"))) {
  const result = ask("--method", "tools/call", "--tool-name", call.tool, "--tool-args-json", JSON.stringify(call.arguments));
  answers.push({ tool: call.tool, result });
}
console.log(JSON.stringify({ tools: listed.tools.map((tool) => tool.name), answers }));
