// The editor of the person: files, symbols and what they are connected to, and changes that wait for a verdict.
import * as cm from "./viewer.min.js";
import { Superseded, api, attempt, fileName, h, markdown, say, tree, world } from "./lib.js";

const nonce = document.querySelector('meta[name="style-nonce"]').content;
const { tags } = cm;
const COLOURS = cm.HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.self, tags.bool, tags.null], class: "tok-keyword" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.character], class: "tok-string" },
  { tag: [tags.number], class: "tok-number" }, { tag: [tags.comment], class: "tok-comment" },
  { tag: [tags.typeName, tags.className, tags.namespace], class: "tok-type" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.definition(tags.function(tags.variableName))], class: "tok-function" },
]);

/** What every editor of the page has. */
const common = (path, label) => [
  cm.EditorView.cspNonce.of(nonce), cm.lineNumbers(), cm.drawSelection(), cm.bracketMatching(), cm.highlightSelectionMatches(),
  cm.search({ top: true }), cm.syntaxHighlighting(COLOURS), cm.languageOf(path), cm.EditorView.lineWrapping,
  cm.keymap.of([...cm.searchKeymap, ...cm.defaultKeymap]), cm.EditorView.contentAttributes.of({ "aria-label": label }),
  cm.EditorState.tabSize.of(4),
];

class NoteWidget extends cm.WidgetType {
  constructor(comment) { super(); this.comment = comment; }
  eq(other) { return other.comment.id === this.comment.id; }
  toDOM() {
    return h("div", { class: "note", role: "note" }, markdown(this.comment.text),
      h("button", { type: "button", onclick: () => attempt(() => api("uncomment", { id: this.comment.id })) }, "Remove comment"));
  }
  ignoreEvent() { return true; }
}
const setNotes = cm.StateEffect.define();
const notes = cm.StateField.define({
  create: () => cm.Decoration.none,
  update: (value, transaction) => transaction.effects.reduce((found, effect) => (effect.is(setNotes) ? effect.value : found), value),
  provide: (field) => cm.EditorView.decorations.from(field),
});

const offset = (doc, { line, column }) => {
  const of = doc.line(Math.max(1, Math.min(line, doc.lines)));
  return Math.min(of.to, of.from + column - 1);
};
const place = (doc, at) => {
  const line = doc.lineAt(at);
  return { line: line.number, column: at - line.from + 1 };
};

class Code extends HTMLElement {
  connectedCallback() {
    const field = (label, input) => h("label", { class: "field grow" }, label, input);
    this.project = h("select", { id: "project" });
    this.kind = h("select", { id: "kind" }, [["symbol", "Symbols"], ["file", "Files"], ["text", "Text"]].map(([value, title]) => h("option", { value }, title)));
    this.query = h("input", { type: "search", id: "query" });
    this.results = h("div", { class: "hits", id: "results", role: "region", "aria-label": "Results", tabindex: "0" });
    this.tabs = h("div", { class: "tabs", role: "group", "aria-label": "Open files" });
    this.holder = h("div", { class: "editor", id: "editor" });
    this.where = h("p", { class: "soft mono", id: "where" }, "No file is open. Search one on the left, or let an agent open it.");
    const about = (title, run) => h("button", { type: "button", onclick: () => attempt(run) }, title);
    this.append(h("h2", {}, "Code"), h("div", { class: "split" },
      h("section", { class: "card", "aria-label": "Search" }, h("form", { onsubmit: (event) => { event.preventDefault(); attempt(() => this.search()); } },
        h("div", { class: "row" }, field("Project", this.project)), h("div", { class: "row" }, field("For", this.query), field("Among", this.kind)),
        h("button", { class: "main", type: "submit" }, "Search")), this.results),
      h("section", { class: "card", "aria-label": "File" }, this.tabs, this.where,
        h("div", { class: "row" }, about("References", () => this.references()), about("Callers", () => this.calls("callers")), about("Callees", () => this.calls("callees")),
          about("Type hierarchy", () => this.types()), about("Send to agent", () => this.mention())), this.holder)));
    this.update("overview");
    this.update("surface");
  }

  disconnectedCallback() { this.view?.destroy(); }

  update(what) {
    if (what === "overview") {
      const projects = world.overview?.projects ?? [];
      const known = [...this.project.options].map((option) => option.value).join("\n");
      if (known === projects.map((project) => project.path).join("\n")) return;
      this.project.replaceChildren(...projects.map((project) => h("option", { value: project.path }, project.name)));
    }
    if (what === "surface" && world.surface) this.follow(world.surface);
  }

  async follow(surface) {
    const active = surface.editors.find((editor) => editor.isActive);
    this.tabs.replaceChildren(...surface.editors.map((editor) => h("span", {},
      h("button", { type: "button", title: editor.path, "aria-pressed": String(editor.isActive), onclick: () => attempt(() => api("open", { path: editor.path })) }, fileName(editor.path)),
      h("button", { type: "button", "aria-label": `Close ${fileName(editor.path)}`, onclick: () => attempt(() => api("close", { path: editor.path })) }, "×"))));
    if (!active) {
      this.view?.destroy();
      this.view = this.path = null;
      this.where.textContent = "No file is open. Search one on the left, or let an agent open it.";
      return;
    }
    if (active.path !== this.path) await this.show(active);
    else if (active.stamp !== this.stamp) await this.reload(active);
    if (!this.view || active.path !== this.path) return;
    const doc = this.view.state.doc;
    const { selection } = active;
    if (selection && JSON.stringify(selection) !== this.sent) {
      const range = cm.EditorSelection.range(offset(doc, selection.start), offset(doc, selection.end));
      this.sent = JSON.stringify(selection);
      this.quiet = true;
      this.view.dispatch({ selection: cm.EditorSelection.create([range]), effects: cm.EditorView.scrollIntoView(range, { y: "center" }) });
      this.quiet = false;
    }
    const here = surface.comments.filter((comment) => comment.path === this.path && comment.line <= doc.lines);
    this.view.dispatch({ effects: setNotes.of(cm.Decoration.set(here.map((comment) =>
      cm.Decoration.widget({ widget: new NoteWidget(comment), block: true, side: -1 }).range(doc.line(comment.line).from)), true)) });
  }

  async read(path) {
    const ticket = this.ticket = {};
    const file = await attempt(() => api("file", { path }));
    return ticket === this.ticket && this.isConnected ? file : undefined;
  }

  async show({ path, stamp }) {
    const file = await this.read(path);
    if (!file) return;
    this.view?.destroy();
    this.path = path;
    this.stamp = stamp;
    this.sent = null;
    this.where.textContent = path;
    this.view = new cm.EditorView({ parent: this.holder, state: cm.EditorState.create({ doc: file.text, extensions: [
      ...common(path, `Text of ${fileName(path)}`), cm.EditorState.readOnly.of(true), notes, cm.lintGutter(),
      cm.EditorView.updateListener.of((update) => { if (update.selectionSet && !this.quiet) this.moved(false); }),
      cm.EditorView.domEventHandlers({ mouseup: () => { setTimeout(() => this.moved(true)); }, keyup: () => this.moved(true) }),
    ] }) });
    this.mark(file.findings);
  }

  /** The file is another on disk: the caret and what is in view stay where they are. */
  async reload({ path, stamp }) {
    this.stamp = stamp;
    const file = await this.read(path);
    if (!file || !this.view || path !== this.path) return;
    const [old, now] = [this.view.state.doc.toString(), file.text.replace(/\r\n?/g, "\n")];
    let [from, end] = [0, 0];
    while (from < Math.min(old.length, now.length) && old[from] === now[from]) from++;
    while (end < Math.min(old.length, now.length) - from && old.at(-1 - end) === now.at(-1 - end)) end++;
    this.quiet = true;
    if (old !== now) this.view.dispatch({ changes: { from, to: old.length - end, insert: now.slice(from, now.length - end) } });
    this.quiet = false;
    this.mark(file.findings);
  }

  mark(findings) {
    const { doc } = this.view.state;
    this.view.dispatch(cm.setDiagnostics(this.view.state, findings.map((finding) => ({
      from: offset(doc, finding.start), to: offset(doc, finding.end), severity: finding.severity, message: finding.message }))));
  }

  /** The person moved the caret. */
  moved(settled) {
    if (!this.view) return;
    const { doc, selection } = this.view.state;
    const range = { start: place(doc, selection.main.from), end: place(doc, selection.main.to) };
    const sent = JSON.stringify(range);
    if (sent === this.sent && (!settled || this.settled === sent)) return;
    this.sent = sent;
    if (settled) this.settled = sent;
    clearTimeout(this.soon);
    this.soon = setTimeout(() => attempt(() => api("select", { path: this.path, ...range, settled })), settled ? 0 : 40);
  }

  get spot() {
    if (!this.view) throw new Error("Open a file and put the caret on a name first");
    const { doc, selection } = this.view.state;
    return { project_path: this.project.value || undefined, file: this.path, ...place(doc, selection.main.head) };
  }

  /** Asks a tool that only looks. Only the last answer that was asked for is shown. */
  async answer(call) {
    const ticket = this.asking = {};
    const found = await api("ask", call);
    if (ticket !== this.asking) throw new Superseded();
    return found;
  }

  absolute(file) { return file.startsWith("/") || file.includes(":") ? file : `${this.project.value}/${file}`; }

  async jump({ file, line, column }) {
    const start = { line: line ?? 1, column: column ?? 1 };
    await attempt(() => api("open", { path: this.absolute(file), start, end: start }));
  }

  hit(title, row, text) {
    return h("button", { type: "button", class: "hit", onclick: () => this.jump(row) }, h("strong", {}, title), " ",
      h("span", { class: "soft mono" }, row.file ? `${row.file}${row.line ? `:${row.line}` : ""}` : ""), text ? h("span", { class: "mono" }, ` ${text}`) : null);
  }

  list(title, rows, more) {
    this.results.replaceChildren(h("h3", {}, title), rows.length ? h("ul", { class: "plain" }, rows.map((row) => h("li", {}, row))) : h("p", { class: "soft" }, "Nothing."), more ? h("p", { class: "soft" }, "There is more; narrow the search.") : "");
  }

  async search() {
    const query = this.query.value.trim();
    if (!query) return;
    const base = { query, project_path: this.project.value || undefined, pageSize: 50 };
    if (this.kind.value === "symbol") {
      const found = await this.answer({ tool: "ide_find_symbol", arguments: base });
      this.list("Symbols", found.symbols.map((row) => this.hit(row.qualifiedName ?? row.name, row, row.kind)), found.hasMore);
    } else if (this.kind.value === "file") {
      const found = await this.answer({ tool: "ide_find_file", arguments: base });
      this.list("Files", found.files.map((row) => this.hit(row.name, { file: row.path })), found.hasMore);
    } else {
      const found = await this.answer({ tool: "ide_search_text", arguments: base });
      this.list("Text", found.matches.map((row) => this.hit(fileName(row.file), row, row.context)), found.hasMore);
    }
  }

  async references() {
    const found = await this.answer({ tool: "ide_find_references", arguments: { ...this.spot, pageSize: 100 } });
    this.list(`References of ${found.resolvedSymbol?.name ?? "this"}: ${found.totalCount ?? found.usages.length}`,
      found.usages.map((row) => this.hit(fileName(row.file), row, `${row.context}${row.confidence ? ` (${row.confidence})` : ""}`)), found.hasMore);
  }

  async calls(direction) {
    const found = await this.answer({ tool: "ide_call_hierarchy", arguments: { ...this.spot, direction, depth: 3 } });
    this.tree(`${direction === "callers" ? "Callers" : "Callees"} of ${found.element.name}`, found.calls ?? []);
  }

  async types() {
    const found = await this.answer({ tool: "ide_type_hierarchy", arguments: this.spot });
    this.results.replaceChildren(h("h3", {}, `Supertypes of ${found.element.name}`), this.branch(found.supertypes ?? []), h("h3", {}, "Subtypes"), this.branch(found.subtypes ?? []));
  }

  tree(title, nodes) { this.results.replaceChildren(h("h3", {}, title), this.branch(nodes)); }

  branch(nodes) {
    return tree(nodes, (node) => this.hit(node.name ?? node.symbolName ?? "?", node, node.kind));
  }

  async mention() {
    if (!this.view) throw new Error("Open a file first");
    const { doc, selection } = this.view.state;
    const lines = selection.main.empty ? {} : { first: doc.lineAt(selection.main.from).number, last: doc.lineAt(selection.main.to).number };
    await api("mention", { path: this.path, ...lines });
    say(lines.first ? `Sent lines ${lines.first} to ${lines.last}` : `Sent ${fileName(this.path)}`);
  }
}
customElements.define("mcp-code", Code);

class Diffs extends HTMLElement {
  connectedCallback() {
    this.open = new Map();
    this.none = h("p", { class: "card" }, "Nothing to decide. When an agent that uses this page as its editor proposes a change, it waits here for you.");
    this.append(h("h2", {}, "Changes to decide"), this.none);
    this.update("surface");
  }
  disconnectedCallback() { for (const { merge } of this.open.values()) merge.destroy(); }
  update(what) {
    if (what !== "surface" || !world.surface) return;
    const { diffs } = world.surface;
    for (const [id, { card, merge }] of this.open) {
      if (diffs.some((diff) => diff.id === id)) continue;
      merge.destroy();
      card.remove();
      this.open.delete(id);
    }
    for (const diff of diffs) if (!this.open.has(diff.id)) this.show(diff);
    this.none.hidden = diffs.length > 0;
  }
  show(diff) {
    const holder = h("div", { class: "editor" });
    const hunks = h("ul", { class: "plain", "aria-label": "Hunks" });
    const merge = new cm.MergeView({
      parent: holder, gutter: true, highlightChanges: true, collapseUnchanged: { margin: 4, minSize: 8 },
      a: { doc: diff.left, extensions: [...common(diff.path, `Before: ${fileName(diff.path)}`), cm.EditorState.readOnly.of(true)] },
      b: { doc: diff.right, extensions: [cm.history(), cm.keymap.of(cm.historyKeymap), ...common(diff.path, `Proposed: ${fileName(diff.path)}`),
        cm.EditorView.updateListener.of((update) => { if (update.docChanged) setTimeout(() => this.hunks(hunks, merge)); })] },
    });
    const decide = (name, args) => attempt(() => api(name, { id: diff.id, nonce: diff.nonce, ...args }));
    const card = h("section", { class: "card diff", "aria-label": `Change of ${fileName(diff.path)}` },
      h("h3", {}, fileName(diff.path), diff.isNew ? " (new file)" : ""), h("p", { class: "soft" }, h("span", { class: "mono" }, diff.path), `, proposed by ${diff.proposedBy}`),
      diff.isOutside ? h("p", { class: "wait" }, "This file lies outside of every open project.") : null,
      h("div", { class: "row" }, h("button", { type: "button", class: "main accept", onclick: () => decide("accept", { text: merge.b.state.doc.toString() }) }, "Accept"),
        h("button", { type: "button", class: "danger reject", onclick: () => decide("reject") }, "Reject"),
        h("span", { class: "soft" }, "The right side can be edited. The agent writes the file.")), hunks, holder);
    this.append(card);
    this.open.set(diff.id, { card, merge });
    this.hunks(hunks, merge);
  }
  /** A row of buttons for each place that differs. */
  hunks(list, merge) {
    const line = (doc, at) => doc.lineAt(Math.min(at, doc.length)).number;
    list.replaceChildren(...merge.chunks.map((chunk, i) => {
      const doc = merge.b.state.doc;
      const first = line(doc, chunk.fromB);
      const last = Math.max(first, line(doc, Math.max(chunk.fromB, chunk.endB)));
      const name = first === last ? `line ${first}` : `lines ${first} to ${last}`;
      // the chunk of one side takes the place of that of the other; its end counts the line break, also where there is none
      const take = (to, from, place, source) => {
        let insert = from.state.doc.sliceString(source.from, Math.max(source.from, source.to - 1));
        if (source.from !== source.to && place.to <= to.state.doc.length) insert += "\n";
        to.dispatch({ changes: { from: place.from, to: Math.min(to.state.doc.length, place.to), insert } });
        setTimeout(() => this.hunks(list, merge));
      };
      const left = { from: chunk.fromA, to: chunk.toA };
      const right = { from: chunk.fromB, to: chunk.toB };
      return h("li", { class: "row hunk" }, h("span", {}, `Hunk ${i + 1}: ${name}`),
        h("button", { type: "button", onclick: () => { merge.b.dispatch({ selection: { anchor: Math.min(chunk.fromB, doc.length) }, scrollIntoView: true }); merge.b.focus(); } }, "Show"),
        h("button", { type: "button", class: "keep", onclick: () => take(merge.a, merge.b, left, right) }, "Accept hunk"),
        h("button", { type: "button", class: "back", onclick: () => take(merge.b, merge.a, right, left) }, "Reject hunk"));
    }));
  }
}
customElements.define("mcp-diffs", Diffs);
