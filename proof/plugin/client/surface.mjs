// The whole surface of a server as calls that can be made: every listed tool, resource and prompt.

/** Tools that ask the host about a name, so that their answers say who gave them. */
export const ASKING = [
  "ide_find_definition",
  "ide_find_references",
  "ide_find_implementations",
  "ide_find_super_methods",
  "ide_type_hierarchy",
  "ide_call_hierarchy",
];

/** Tools that would end the work of others, or start programs. */
const ALONE = ["ide_close_project", "ide_open_project", "ide_reload_project", "ide_build_project", "ide_run_tests"];

/** Arguments by the names that a schema has. */
const KNOWN = {
  file: "src/shop/Cart.java",
  line: 16,
  column: 25,
  newName: "amount",
  variableName: "amount",
  methodName: "part",
  destination: "tools",
  comment: "look here",
  filePath: "src/shop/Cart.java",
  fixId: "0-0-0",
  query: "price",
  content: "text\n",
  dryRun: true,
};

/** Arguments that a tool takes: those that it needs, a place, and that nothing is written. */
function argumentsOf(tool) {
  const { properties = {}, required = [] } = tool.inputSchema;
  const made = {};
  for (const [name, schema] of Object.entries(properties)) {
    const isPlace = ["file", "line", "column", "dryRun"].includes(name);
    if (!required.includes(name) && !isPlace) continue;
    const kind = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    made[name] = KNOWN[name] ?? schema.enum?.[0] ?? { integer: 16, boolean: false, array: [], object: {} }[kind] ?? "price";
  }
  return made;
}

/** Every call of a surface, `{ name, run }`, and those of them that may be made at any time and often. */
export async function surfaceOf(client, known) {
  const all = [];
  const page = async (ask, field) => {
    const items = [];
    for (let cursor; ; ) {
      const part = await ask({ cursor });
      items.push(...part[field]);
      if (!(cursor = part.nextCursor)) return items;
    }
  };
  const tools = await page((at) => client.listTools(at), "tools");
  for (const tool of tools) {
    const made = known.find((call) => call.tool === tool.name)?.arguments ?? argumentsOf(tool);
    const args = "dryRun" in (tool.inputSchema.properties ?? {}) ? { ...made, dryRun: true } : made;
    all.push({ kind: "tool", name: tool.name, args, alone: ALONE.includes(tool.name) });
  }
  const resources = await page((at) => client.listResources(at), "resources");
  for (const { uri } of resources) all.push({ kind: "resource", name: uri });
  const files = ["file://content/src/shop/Cart.java", "symbol://info/shop.Cart"];
  for (const uri of files) all.push({ kind: "resource", name: uri });
  const prompts = await page((at) => client.listPrompts(at), "prompts");
  for (const prompt of prompts) {
    const needed = (prompt.arguments ?? []).filter((one) => one.required);
    all.push({ kind: "prompt", name: prompt.name, args: Object.fromEntries(needed.map((one) => [one.name, "shop.Cart"])) });
  }
  return { all, tools, resources, prompts };
}

/** Makes a call; the text of what came, and whether it is an error that the server told. */
export async function make(client, call, options) {
  if (call.kind === "resource") return { text: JSON.stringify(await client.readResource({ uri: call.name }, options)), failed: false };
  if (call.kind === "prompt") {
    return { text: JSON.stringify(await client.getPrompt({ name: call.name, arguments: call.args }, options)), failed: false };
  }
  const result = await client.callTool({ name: call.name, arguments: call.args }, undefined, options);
  return { text: result.content.map((part) => part.text ?? "").join("\n"), failed: result.isError === true };
}
