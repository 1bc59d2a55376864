// A language model that plays a script: it speaks the Responses API and chat completions over loopback, calls the tools that
// the script names, one after the other, and keeps what it is given of each.
import { createServer } from "node:http";

/** The tools of a request, flat: `{name, call}`, where `call` is what a call of it carries besides its arguments. */
function toolsOf(body) {
  const flat = (tool) => {
    if (tool.type === "namespace") return tool.tools.map((one) => ({ name: one.name, call: { name: one.name, namespace: tool.name }, about: one }));
    const about = tool.function ?? tool;
    return about.name ? [{ name: about.name, call: { name: about.name }, about }] : [];
  };
  return (body.tools ?? []).flatMap(flat);
}

/** What a client sends back for a call, as the model reads it. */
const textOf = (output) => Array.isArray(output) ? output.map((part) => part.text ?? `[${part.type}]`).join("\n") : String(output ?? "");

function outputOf(body, id) {
  const item = (body.input ?? []).find((one) => one.type === "function_call_output" && one.call_id === id);
  const message = (body.messages ?? []).find((one) => one.role === "tool" && one.tool_call_id === id);
  return item ? textOf(item.output) : message ? textOf(message.content) : undefined;
}

const isOf = (name, tool) => name === tool || name.endsWith(`_${tool}`);

/** How often a tool is searched for: a client may connect to its servers while the model works. */
const SEARCHES = 50;

/** One play: the steps `{tool, arguments}`, and what came back. */
export class Play {
  received = [];
  /** What was listed to the model at first, and what a search brought it later. */
  listed = new Map();
  requests = [];
  asked = null;
  number = 0;
  trouble = null;
  searches = 0;
  constructor(steps) { this.steps = [...steps]; }

  /** What the model does next: `{call}` or `{say}`. */
  next(body) {
    const tools = toolsOf(body);
    if (!tools.length) return { say: "A title" };
    this.requests.push(body);
    for (const { name, about } of tools) this.listed.set(name, about);
    if (this.asked) {
      const output = outputOf(body, this.asked.id);
      if (output === undefined) return { call: this.asked };
      this.received.push({ ...this.asked.step, searched: this.asked.searched, text: output });
      if (this.asked.searched) {
        for (const [, json] of output.matchAll(/<function>(.*?)<\/function>/gs)) this.listed.set(JSON.parse(json).name, JSON.parse(json));
      } else this.steps.shift();
      this.asked = null;
    }
    if (!this.steps.length) return { say: "The script is played." };
    const step = this.steps[0];
    const tool = tools.find((one) => isOf(one.name, step.tool));
    const id = `call_${++this.number}`;
    if (tool) {
      this.asked = { id, step, call: tool.call, arguments: JSON.stringify(step.arguments) };
      return { call: this.asked };
    }
    // a client may hide tools until they are searched for, and say only their names
    const hidden = [...this.listed.keys()].find((name) => isOf(name, step.tool));
    if (hidden && tools.some((one) => one.name === "tool_call")) {
      this.asked = { id, step, call: { name: "tool_call" }, arguments: JSON.stringify({ name: hidden, arguments: step.arguments }) };
      return { call: this.asked };
    }
    if (++this.searches > SEARCHES || !tools.some((one) => one.name === "tool_search")) {
      this.trouble = `no tool ${step.tool} among ${tools.map((one) => one.name).join(" ")}`;
      return { say: this.trouble };
    }
    const name = JSON.stringify(body.messages ?? body.input).match(/\bmcp__[\w-]+/g)?.find((one) => isOf(one, step.tool));
    const query = name ? `select:${name}` : `${step.tool} ${this.searches}`;
    this.asked = { id, step, searched: true, call: { name: "tool_search" }, arguments: JSON.stringify({ query }) };
    return { call: this.asked };
  }
}

const event = (data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/** A turn as the Responses API streams it. */
function* responses({ call, say }) {
  const id = "resp_1";
  const usage = { input_tokens: 1, input_tokens_details: { cached_tokens: 0 }, output_tokens: 1, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 2 };
  const item = call
    ? { type: "function_call", id: `fc_${call.id}`, call_id: call.id, ...call.call, arguments: call.arguments, status: "completed" }
    : { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [{ type: "output_text", text: say, annotations: [] }] };
  yield event({ type: "response.created", response: { id, object: "response", status: "in_progress", output: [] } });
  yield event({ type: "response.output_item.added", output_index: 0, item });
  if (say) yield event({ type: "response.output_text.delta", item_id: item.id, output_index: 0, content_index: 0, delta: say });
  yield event({ type: "response.output_item.done", output_index: 0, item });
  yield event({ type: "response.completed", response: { id, object: "response", status: "completed", output: [item], usage } });
}

/** A turn as chat completions stream it: the arguments in two pieces. */
function* completions({ call, say }) {
  const chunk = (delta, end = null) => `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "scripted", choices: [{ index: 0, delta, finish_reason: end }] })}\n\n`;
  if (call) {
    const half = call.arguments.length >> 1;
    const piece = (text, more) => ({ tool_calls: [{ index: 0, ...more, function: { ...(more ? { name: call.call.name } : {}), arguments: text } }] });
    yield chunk({ role: "assistant", content: null, ...piece(call.arguments.slice(0, half), { id: call.id, type: "function" }) });
    yield chunk(piece(call.arguments.slice(half)));
  } else {
    yield chunk({ role: "assistant", content: say });
  }
  yield chunk({}, call ? "tool_calls" : "stop");
  yield `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "scripted", choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } })}\n\n`;
  yield "data: [DONE]\n\n";
}

/** Serves a play: `{url, close}`. */
export async function serve(play) {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    const path = new URL(request.url, "http://x").pathname;
    const wire = path.endsWith("/responses") ? responses : path.endsWith("/chat/completions") ? completions : null;
    if (request.method !== "POST" || !wire) {
      response.writeHead(path.endsWith("/models") ? 200 : 404, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ object: "list", data: [{ id: "scripted", object: "model" }], models: [] }));
      return;
    }
    const body = JSON.parse(text);
    const turn = play.next(body);
    if (play.asked?.searched) await new Promise((resolve) => setTimeout(resolve, 300));
    if (wire === completions && !body.stream) {
      response.writeHead(200, { "Content-Type": "application/json" });
      const message = turn.call
        ? { role: "assistant", content: null, tool_calls: [{ id: turn.call.id, type: "function", function: { ...turn.call.call, arguments: turn.call.arguments } }] }
        : { role: "assistant", content: turn.say };
      response.end(JSON.stringify({ id: "c", object: "chat.completion", created: 0, model: "scripted", choices: [{ index: 0, message, finish_reason: turn.call ? "tool_calls" : "stop" }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }));
      return;
    }
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    for (const part of wire(turn)) response.write(part);
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close: () => { server.closeAllConnections(); server.close(); } };
}
