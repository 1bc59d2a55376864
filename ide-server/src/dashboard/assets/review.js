// What agents changed, whoever wrote it: kept or taken back by file and by place.
import { api, ask, attempt, clock, diffText, h, say } from "./lib.js";

const WORD = { created: "new file", deleted: "deleted", changed: "changed" };

class Review extends HTMLElement {
  connectedCallback() {
    this.open = new Set();
    this.list = h("div", { id: "reviews" });
    this.append(h("h2", {}, "Review"), this.list);
    this.load();
  }

  async load() {
    const ticket = this.ticket = {};
    const reviews = await attempt(() => api("reviews"));
    if (!reviews || ticket !== this.ticket) return;
    const cards = await Promise.all(reviews.map((review) => this.card(review)));
    if (ticket !== this.ticket) return;
    this.list.replaceChildren(...(cards.length ? cards : [h("p", { class: "card" },
      "Nothing to review. What changes in a project while an agent works in it appears here, through our tools or by the agent's own.")]));
  }

  async card(review) {
    const decide = (args, word) => this.decide({ id: review.id, project: review.project, ...args }, word);
    const all = h("div", { class: "row" },
      h("button", { type: "button", class: "main", onclick: () => decide({ keep: true }, "Kept") }, "Keep all"),
      h("button", { type: "button", class: "danger", onclick: async () => {
        if (await ask("Take back everything?", [h("p", {}, `${review.files.length} files get the text that they had before ${review.agents.join(" or ")} changed them.`)], "Take back", () => true, true)) decide({ keep: false }, "Taken back");
      } }, "Take back all"));
    const rows = await Promise.all(review.files.map((file) => this.file(review, file, decide)));
    return h("section", { class: "card review", "aria-label": `Changes by ${review.agents.join(" or ")}` },
      h("h3", {}, review.agents.join(" or ")),
      h("p", { class: "soft" }, h("span", { class: "mono" }, review.project), `, since ${clock(review.startedMs)}`), all,
      h("ul", { class: "plain" }, rows));
  }

  async file(review, { path, change }, decide) {
    const key = `${review.id} ${path}`;
    const isOpen = this.open.has(key);
    const toggle = () => {
      if (!this.open.delete(key)) this.open.add(key);
      this.load();
    };
    const head = h("button", { type: "button", "aria-expanded": String(isOpen), onclick: toggle }, h("span", { class: "mono" }, path), " ", h("span", { class: "soft" }, WORD[change]));
    if (!isOpen) return h("li", { class: "call touched", "data-path": path }, head);
    const file = await attempt(() => api("review", { id: review.id, project: review.project, path }));
    if (!file) return h("li", { class: "call touched", "data-path": path }, head);
    const at = { path, shown: file.shown };
    const canUndo = file.knowsBefore && !file.movedOn;
    const notes = [file.movedOn ? "This file was changed since: nothing of it can be taken back here." : null,
      file.knowsBefore ? null : "Its old text is not known: it was not read before it changed, and git does not hold it.",
      file.isText ? null : "No text: it is kept or taken back as a whole."];
    return h("li", { class: "call touched", "data-path": path }, head, h("div", { class: "detail" },
      notes.filter(Boolean).map((note) => h("p", { class: "wait" }, note)),
      h("div", { class: "row" }, h("button", { type: "button", class: "keep-file", onclick: () => decide({ ...at, keep: true }, "Kept") }, "Keep file"),
        canUndo ? h("button", { type: "button", class: "danger undo-file", onclick: () => decide({ ...at, keep: false }, "Taken back") }, "Take back file") : null),
      (file.hunks ?? []).map((hunk, i) => h("div", { class: "place" }, diffText(hunk.diff.trimEnd()),
        file.hunks.length > 1 ? h("div", { class: "row" },
          h("button", { type: "button", class: "keep-hunk", "aria-label": `Keep hunk ${i + 1} of ${path}`, onclick: () => decide({ ...at, hunk: i, keep: true }, "Kept") }, "Keep"),
          h("button", { type: "button", class: "danger undo-hunk", "aria-label": `Take back hunk ${i + 1} of ${path}`, onclick: () => decide({ ...at, hunk: i, keep: false }, "Taken back") }, "Take back")) : null)),
      file.diff ? diffText(file.diff.trimEnd()) : null));
  }

  async decide(args, word) {
    const done = await attempt(() => api("decide", args));
    if (done) say(word);
    this.load();
  }

  update(what) {
    if (what !== "calls") return;
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.load(), 100);
  }
}
customElements.define("mcp-review", Review);
