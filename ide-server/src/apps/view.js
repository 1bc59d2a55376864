// A result of a tool as a view inside of the application that called it: its host sends the result, and runs what the person
// asks for. It speaks JSON-RPC with the window around it.
const main = document.querySelector("main");
const waiting = new Map();
let last = 0;
let given = {};

function send(message) { parent.postMessage({ jsonrpc: "2.0", ...message }, "*"); }
function request(method, params) {
  const id = ++last;
  send({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

addEventListener("message", ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return;
  if (data.method === undefined) {
    const known = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error) known?.reject(new Error(data.error.message));
    else known?.resolve(data.result);
  } else if (data.id !== undefined) {
    const known = data.method === "ping" || data.method === "ui/resource-teardown";
    send({ id: data.id, ...(known ? { result: {} } : { error: { code: -32601, message: `no method ${data.method}` } }) });
  } else if (data.method === "ui/notifications/tool-input") given = data.params?.arguments ?? {};
  else if (data.method === "ui/notifications/tool-result") show(data.params ?? {});
  else if (data.method === "ui/notifications/tool-cancelled") main.replaceChildren(h("p", { class: "soft" }, "The call was taken back."));
  else if (data.method === "ui/notifications/host-context-changed") dress(data.params);
});

function dress(context) {
  if (context?.theme) document.documentElement.dataset.theme = context.theme;
}

const place = (row) => h("span", { class: "soft" }, row.file ? ` ${row.file}${row.line ? `:${row.line}` : ""}` : "");
const named = (row) => [h("code", {}, row.name ?? row.symbolName ?? "?"), place(row), row.doubt || row.confidence ? h("span", { class: "soft" }, ` (${row.doubt ?? row.confidence})`) : null];

/** What each view makes of a result. */
const VIEWS = {
  changes(result, project) {
    const edits = result.edits ?? [];
    const isWritten = result.dryRun !== true && edits.length > 0;
    const look = isWritten && project ? h("button", { type: "button", onclick: () => review(project, edits.map((edit) => edit.file)) }, "Review by hunk") : null;
    const undo = result.editId && result.dryRun !== true && result.undone !== true
      ? h("button", { type: "button", onclick: (event) => takeBack(event.target, result.editId) }, "Undo this change") : null;
    return [h("h1", {}, result.message ?? result.summary ?? `${edits.length} files`),
      edits.map((edit) => [h("h2", {}, `${edit.change ?? "changed"} ${edit.file}`), edit.diff ? diffText(edit.diff.trimEnd()) : null]),
      (result.conflicts ?? []).map((conflict) => h("p", { class: "bad" }, conflict.message ?? String(conflict))), undo, " ", look];
  },
  calls(result) {
    return [h("h1", {}, result.element?.name ?? "Calls"), tree(result.calls ?? [], named)];
  },
  types(result) {
    return [h("h1", {}, result.element?.name ?? "Types"), h("h2", {}, "Supertypes"), tree(result.supertypes ?? [], named),
      h("h2", {}, "Subtypes"), tree(result.subtypes ?? [], named)];
  },
  references(result) {
    const files = Map.groupBy ? Map.groupBy(result.usages ?? [], (usage) => usage.file)
      : (result.usages ?? []).reduce((map, usage) => map.set(usage.file, [...(map.get(usage.file) ?? []), usage]), new Map());
    return [h("h1", {}, `${result.totalCount ?? 0} uses of ${result.resolvedSymbol?.name ?? "this"}`),
      [...files].map(([file, usages]) => [h("h2", {}, file), h("ul", { class: "tree top" }, usages.map((usage) =>
        h("li", {}, h("span", { class: "soft" }, `${usage.line}:${usage.column} `), h("code", {}, usage.context))))]),
      result.nextCursor ? h("p", { class: "soft" }, "There are more.") : null];
  },
};

/** Every undecided change of these files, whoever made it, to be kept or taken back. */
async function review(project, files, decision, word) {
  let answer;
  try {
    answer = await request("tools/call", { name: "review_changes", arguments: { project, files, decision } });
  } catch (error) {
    answer = { isError: true, content: [{ type: "text", text: error.message }] };
  }
  if (answer.isError) return main.append(h("p", { class: "bad", role: "alert" }, textOf(answer)));
  const left = answer.structuredContent.files;
  main.replaceChildren(h("h1", {}, "Review"), h("p", { class: "soft", role: "status" }, word ?? "Changes in these files that nobody has decided on."),
    ...left.flatMap((file) => [h("h2", {}, `${file.change} ${file.path}`), h("p", { class: "soft" }, `by ${file.agents.join(" or ")}`),
      ...reviewed(file, (chosen, word) => review(project, files, { id: file.id, ...chosen }, `${word}.`)).flat(9).filter(Boolean)]),
    left.length === 0 ? h("p", {}, "Nothing is left to decide.") : "");
}

async function takeBack(button, editId) {
  button.disabled = true;
  try {
    const project = given.project_path ? { project_path: given.project_path } : {};
    const done = await request("tools/call", { name: "ide_undo", arguments: { ...project, editId } });
    button.replaceWith(h("p", { class: done.isError ? "bad" : "soft" }, textOf(done) || "Undone."));
  } catch (error) {
    button.replaceWith(h("p", { class: "bad" }, error.message));
  }
}

const textOf = (result) => (result.content ?? []).filter((item) => item.type === "text").map((item) => item.text).join("\n");

/** The result as the view draws it; where its data did not come, as the model read it. */
function show(result) {
  const data = result._meta?.["ide-index/view"] ?? result.structuredContent;
  if (result.isError || !data) main.replaceChildren(h("pre", { class: result.isError ? "bad" : null }, textOf(result)));
  else main.replaceChildren(...VIEWS[main.dataset.view](data, result._meta?.["ide-index/project"]).flat(9).filter(Boolean));
}

new ResizeObserver(() => {
  const { width, height } = document.documentElement.getBoundingClientRect();
  send({ method: "ui/notifications/size-changed", params: { width: Math.ceil(width), height: Math.ceil(height) } });
}).observe(document.documentElement);

request("ui/initialize", { protocolVersion: "2026-01-26", appInfo: { name: "ide-index", version: "1" }, appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] } })
  .then((host) => { dress(host?.hostContext); send({ method: "ui/notifications/initialized" }); });
