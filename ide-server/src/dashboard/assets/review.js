// What agents changed, whoever wrote it: kept or taken back by file and by place.
import { api, ask, attempt, clock, h, reviewed, say } from "./lib.js";

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
    return h("li", { class: "call touched", "data-path": path }, head, h("div", { class: "detail" }, reviewed(file, decide)));
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
