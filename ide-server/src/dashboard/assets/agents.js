// Agents on this machine that can use the server: their settings are changed as they were shown.
import { api, ask, attempt, diffText, h, say, world } from "./lib.js";

class Agents extends HTMLElement {
  async connectedCallback() {
    const agents = await attempt(() => api("agents"));
    if (!agents) return;
    this.rules = h("input", { type: "checkbox", id: "rules" });
    this.skill = h("input", { type: "checkbox", id: "skill" });
    this.replaceChildren(h("h2", {}, "Install on coding agents"), h("section", { class: "card" },
      h("p", {}, "What would change in an agent's settings is shown before it is written. Removing gives the file its bytes back."),
      h("div", { class: "row" }, h("label", { class: "row" }, this.rules, "Also rules for the first open project"), h("label", { class: "row" }, this.skill, "Also the skill, where the agent has skills")),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Agents" }, h("table", {},
        h("thead", {}, h("tr", {}, ["Agent", "Settings", "Change"].map((title) => h("th", { scope: "col" }, title)))),
        h("tbody", {}, agents.map((agent) => h("tr", { "data-agent": agent.id }, h("td", { class: "name" }, agent.title, agent.found ? h("span", { class: "good" }, " found") : null),
          h("td", { class: "mono" }, agent.file),
          h("td", {}, h("div", { class: "row" }, h("button", { type: "button", "aria-label": `Install on ${agent.title}`, onclick: () => this.change(agent, false) }, "Install"),
            h("button", { type: "button", "aria-label": `Remove from ${agent.title}`, onclick: () => this.change(agent, true) }, "Remove"))))))))));
  }

  async change(agent, remove) {
    const args = { id: agent.id, remove };
    if (!remove && this.rules.checked) args.rules = world.overview?.projects[0]?.path;
    if (!remove && this.skill.checked) args.skill = true;
    const plan = await attempt(() => api("agent", args));
    if (!plan) return;
    if (plan.nothing) return say(`Nothing to change: ${agent.title} ${remove ? "does not have it" : "has it already"}`);
    const title = remove ? `Remove from ${agent.title}?` : `Install on ${agent.title}?`;
    if (!(await ask(title, [diffText(plan.diff)], remove ? "Remove" : "Write", () => true, remove))) return;
    const done = await attempt(() => api("agent", { ...args, apply: true, shown: plan.diff }));
    if (done) say(`Written. Start ${agent.title} again to use it.`);
  }
  update() {}
}
customElements.define("mcp-agents", Agents);
