// The history of calls, and what it adds up to.
import { api, ask, attempt, clock, copy, diffText, download, fileName, h, number, pretty, say, tidy } from "./lib.js";

const STATUS = { SUCCESS: ["good", "success"], ERROR: ["bad", "error"], PENDING: ["wait", "pending"] };

class Calls extends HTMLElement {
  async connectedCallback() {
    this.open = new Set();
    this.rows = new Map();
    const field = (label, input) => h("label", { class: "field" }, label, input);
    const change = () => this.load();
    let typing;
    this.text = h("input", { type: "search", id: "search", oninput: () => { clearTimeout(typing); typing = setTimeout(change, 150); } });
    this.tool = h("select", { onchange: change, id: "filter-tool" }, h("option", { value: "" }, "all"));
    this.client = h("select", { onchange: change, id: "filter-client" }, h("option", { value: "" }, "all"));
    this.project = h("select", { onchange: change, id: "filter-project" }, h("option", { value: "" }, "all"));
    this.status = h("select", { onchange: change, id: "filter-status" }, h("option", { value: "" }, "all"),
      ["SUCCESS", "ERROR", "PENDING"].map((status) => h("option", { value: status }, STATUS[status][1])));
    this.list = h("ul", { class: "plain", id: "calls" });
    this.more = h("button", { type: "button", hidden: true, onclick: () => this.load(true) }, "Older calls");
    this.append(h("h2", {}, "Calls"), h("section", { class: "card" },
      h("div", { class: "row" }, field("Search", this.text), field("Tool", this.tool), field("Client", this.client), field("Project", this.project), field("Status", this.status),
        h("span", { class: "row end" }, h("button", { type: "button", onclick: () => this.export("json") }, "Export JSON"),
          h("button", { type: "button", onclick: () => this.export("csv") }, "Export CSV"),
          h("button", { type: "button", class: "danger", id: "clear", onclick: () => this.clear() }, "Clear"))),
      this.list, this.more));
    // the calls first: figures of all calls may take longer
    await this.load();
    this.names();
  }

  get filter() {
    return { text: this.text.value, tool: this.tool.value, client: this.client.value, project: this.project.value, status: this.status.value };
  }

  async names() {
    const statistics = await attempt(() => api("statistics"));
    if (!statistics) return;
    const names = (rows) => rows.map((row) => row.name).sort((a, b) => a.localeCompare(b));
    for (const [select, all] of [[this.tool, names(statistics.tools)], [this.client, names(statistics.clients)], [this.project, statistics.projects]]) {
      const known = new Set([...select.options].map((option) => option.value));
      for (const name of all) if (name && !known.has(name)) select.append(h("option", { value: name, title: name }, select === this.project ? fileName(name) : name));
    }
  }

  async load(older = false) {
    const ticket = this.ticket = {};
    const before = older ? this.last : undefined;
    const page = await attempt(() => api("history", { ...this.filter, before, limit: older ? 50 : Math.max(50, Math.min(this.rows.size, 200)) }));
    if (!page || ticket !== this.ticket) return;
    if (!older) {
      const seen = new Set(page.entries.map((entry) => entry.id));
      for (const [id, row] of this.rows) if (!seen.has(id)) { row.remove(); this.rows.delete(id); }
    }
    let place = older ? null : this.list.firstChild;
    for (const entry of page.entries) {
      let row = this.rows.get(entry.id);
      if (!row) {
        row = h("li", { class: "call", "data-id": entry.id });
        this.rows.set(entry.id, row);
      }
      if (row === place) place = place.nextSibling;
      else this.list.insertBefore(row, place);
      if (row.state !== entry.status) this.fill(row, entry);
      this.last = entry.id;
    }
    this.more.hidden = !page.more;
    this.list.querySelector(".none")?.remove();
    if (!this.rows.size) this.list.append(h("li", { class: "none soft" }, "No call matches. Calls of agents appear here as they come."));
  }

  fill(row, entry) {
    row.state = entry.status;
    const [kind, word] = STATUS[entry.status];
    const isOpen = this.open.has(entry.id);
    const head = h("button", { type: "button", "aria-expanded": String(isOpen), onclick: () => this.toggle(row, entry) },
      h("time", { class: "mono", datetime: entry.timestamp }, clock(entry.timestamp)), h("span", { class: "tool mono" }, entry.toolName),
      h("span", { class: kind }, word), h("span", { class: "soft" }, entry.client?.name ?? ""),
      h("span", { class: "soft end" }, entry.durationMs === undefined ? "" : `${number(entry.durationMs)} ms, ${number(entry.tokens)} tokens`));
    row.replaceChildren(head);
    if (isOpen) this.detail(row, entry);
  }

  toggle(row, entry) {
    if (this.open.delete(entry.id)) {
      row.querySelector(".detail")?.remove();
      row.firstChild.setAttribute("aria-expanded", "false");
    } else {
      this.open.add(entry.id);
      row.firstChild.setAttribute("aria-expanded", "true");
      this.detail(row, entry);
    }
  }

  async detail(row, { id }) {
    const entry = await attempt(() => api("entry", { id }));
    if (!entry || !this.open.has(id)) return;
    row.querySelector(".detail")?.remove();
    const block = (title, text) => [h("h3", {}, title, " ", h("button", { type: "button", "aria-label": `Copy: ${title}`, onclick: () => copy(text) }, "Copy")), h("pre", { tabindex: "0", role: "region", "aria-label": title }, text)];
    const response = entry.structured ?? entry.result ?? entry.error ?? "";
    const facts = [["Client", entry.client ? `${entry.client.name} ${entry.client.version}` : "unknown"], ["Project", entry.projectPath ?? "none"],
      ["Duration", entry.durationMs === undefined ? "still running" : `${number(entry.durationMs)} ms`], ["Tokens", number(entry.tokens)],
      ["Repeats", entry.replayOf], ["Affected files", entry.affectedFiles?.join(", ")]];
    const edit = this.edit(entry);
    row.append(h("div", { class: "detail" },
      h("table", {}, h("tbody", {}, facts.filter(([, value]) => value).map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value))))),
      block("Request", pretty(entry.parameters)), block("Response", tidy(response)),
      entry.received === null || entry.received === undefined ? null : block(`What the model saw (${entry.modelReceives === "structured" ? "structured content" : "text"})`, entry.received),
      entry.resultTruncated ? h("p", { class: "wait" }, "The response was longer; its end is not kept.") : null,
      h("div", { class: "row" }, h("button", { type: "button", class: "again", onclick: () => this.again(entry) }, "Run again"),
        edit && entry.toolName !== "ide_undo" ? h("button", { type: "button", class: "danger undo", onclick: () => this.undo(entry, edit) }, "Undo this change") : null)));
    const changes = this.diffs(entry) ?? (edit && entry.projectPath && await this.kept(entry, edit));
    if (changes) row.querySelector(".detail > table")?.after(changes);
  }

  /** The name of the change that a call made, which undo wants. */
  edit(entry) {
    for (const text of [entry.structured, entry.result]) {
      const match = text?.match(/"editId":\s*"([^"]+)"/) ?? text?.match(/\beditId (\w+): ide_/);
      if (match && !entry.parameters.dryRun) return match[1];
    }
    return null;
  }

  /** The differences that a result tells; nothing when it tells none. */
  diffs(entry) {
    const text = entry.structured ?? entry.result ?? "";
    try {
      return this.edits(JSON.parse(text).edits);
    } catch {
      return /^@@/m.test(text) ? h("div", {}, h("h3", {}, "Changes"), diffText(text)) : null;
    }
  }

  /** The differences of a change that the server has kept. */
  async kept(entry, editId) {
    const found = await attempt(() => api("changes", { project: entry.projectPath, editId, tool: entry.toolName }));
    return found && this.edits(found.edits);
  }

  edits(all) {
    const edits = all.filter((edit) => edit.diff);
    if (!edits.length) return null;
    return h("div", { class: "changes" }, h("h3", {}, "Changes"), edits.map((edit) => [h("p", { class: "mono" }, `${edit.change} ${edit.file}`), diffText(edit.diff)]));
  }

  async undo(entry, editId) {
    const args = { project_path: entry.projectPath, editId };
    const plan = await attempt(() => api("run", { tool: "ide_undo", arguments: { ...args, dryRun: true, includeDiff: true } }));
    if (!plan) return;
    if (plan.isError) return say(plan.json.message, true);
    const shown = (plan.json.edits ?? []).filter((edit) => edit.diff).map((edit) => diffText(edit.diff));
    if (!(await ask("Undo this change?", shown.length ? shown : [h("p", {}, plan.text ?? "")], "Undo", () => true, true))) return;
    const done = await attempt(() => api("run", { tool: "ide_undo", arguments: args, confirmed: true }));
    if (done) say(done.json.message ?? "Undone", done.isError);
  }

  async again(entry) {
    const input = h("textarea", { value: pretty(entry.parameters), spellcheck: "false", "aria-label": "Parameters" });
    const call = { tool: entry.toolName, replayOf: entry.id };
    const args = await ask(`Run ${entry.toolName} again`, [h("p", {}, "Parameters, as JSON:"), input], "Run", () => JSON.parse(input.value));
    if (!args) return;
    call.arguments = args;
    let done;
    try {
      done = await api("run", call);
    } catch (error) {
      if (!error.message.includes("not confirmed")) return say(error.message, true);
      if (!(await ask("This changes files", [h("p", {}, `${entry.toolName} writes to the project. Run it?`)], "Run", () => true, true))) return;
      done = await attempt(() => api("run", { ...call, confirmed: true }));
    }
    if (done) say(done.isError ? `Error: ${done.json.message}` : "It ran; the newest call shows the result", done.isError);
  }

  async export(format) {
    const file = await attempt(() => api("export", { ...this.filter, format }));
    if (file) download(file.name, file.text, format === "csv" ? "text/csv" : "application/json");
  }

  async clear() {
    if (await ask("Clear the history?", [h("p", {}, "All calls are removed, also from the file.")], "Clear", () => true, true)) {
      await attempt(() => api("clear"));
      this.load();
    }
  }

  update(what) {
    if (what !== "calls") return;
    clearTimeout(this.soon);
    this.soon = setTimeout(() => { this.load(); this.names(); }, 60);
  }
}
customElements.define("mcp-calls", Calls);

class Statistics extends HTMLElement {
  connectedCallback() { this.update("calls"); }
  async update(what) {
    if (what !== "calls") return;
    const statistics = await attempt(() => api("statistics"));
    if (!statistics) return;
    this.replaceChildren(h("h2", {}, "Statistics"), this.table("Tools", statistics.tools), this.table("Clients", statistics.clients));
  }
  table(title, rows) {
    const slowest = Math.max(1, ...rows.map((row) => row.p95Ms ?? 0));
    const most = Math.max(1, ...rows.map((row) => row.tokens));
    const bar = (share) => Math.max(1, Math.round(share * 120));
    const times = (row) => h("svg", { class: "plot", width: 122, height: 16, role: "img", "aria-label": `p50 ${row.p50Ms ?? 0} ms, p95 ${row.p95Ms ?? 0} ms` },
      h("rect", { class: "p95", x: 0.5, y: 2.5, height: 11, width: bar((row.p95Ms ?? 0) / slowest) }), h("rect", { class: "p50", x: 0, y: 5, height: 6, width: bar((row.p50Ms ?? 0) / slowest) }));
    const tokens = (row) => h("svg", { class: "plot", width: 122, height: 16, role: "img", "aria-label": `${row.tokens} tokens` }, h("rect", { class: "p50", x: 0, y: 4, height: 8, width: bar(row.tokens / most) }));
    const titles = [title.slice(0, -1), "Calls", "Errors", "p50", "p95", "Time", "Tokens", "Share"];
    return h("section", { class: "card" }, h("h3", {}, title), rows.length === 0 ? h("p", { class: "soft" }, "No call yet.") : h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, h("table", {},
      h("thead", {}, h("tr", {}, titles.map((name, i) => h("th", { scope: "col", class: [1, 2, 3, 4, 6].includes(i) ? "num" : null }, name)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, h("td", { class: "mono name" }, row.name || "unknown"), h("td", { class: "num" }, number(row.calls)),
        h("td", { class: `num${row.errors ? " bad" : ""}` }, `${number(row.errors)} (${Math.round(100 * row.errors / Math.max(1, row.calls))}%)`), h("td", { class: "num" }, `${number(row.p50Ms)} ms`),
        h("td", { class: "num" }, `${number(row.p95Ms)} ms`), h("td", {}, times(row)), h("td", { class: "num" }, number(row.tokens)), h("td", {}, tokens(row))))))));
  }
}
customElements.define("mcp-statistics", Statistics);
