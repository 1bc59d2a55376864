// The frame of the page: header, views by the part of the address behind `#`, and the events that keep them current.
import { api, attempt, copy, h, number, pretty, say, world } from "./lib.js";
import "./agents.js";
import "./calls.js";
import "./review.js";

const VIEWS = [
  ["calls", "Calls", "mcp-calls"], ["projects", "Projects", "mcp-projects"], ["statistics", "Statistics", "mcp-statistics"],
  ["code", "Code", "mcp-code"], ["diffs", "Changes to decide", "mcp-diffs"], ["review", "Review", "mcp-review"], ["tools", "Tools", "mcp-tools"], ["agents", "Agents", "mcp-agents"],
  ["settings", "Settings", "mcp-settings"],
];

const frame = { header: document.querySelector("mcp-header"), main: document.querySelector("main") };

function route() {
  const [name, ...rest] = location.hash.slice(1).split("/");
  return { name: VIEWS.some(([view]) => view === name) ? name : "calls", rest };
}

class Header extends HTMLElement {
  connectedCallback() {
    this.setAttribute("role", "banner");
    this.light = h("span", { class: "light wait", "aria-hidden": "true" });
    this.reason = h("span", { role: "status", id: "state" }, "Connecting");
    this.url = h("code", { id: "url" });
    this.diffs = h("span", { class: "badge", hidden: true });
    this.theme = h("button", { type: "button", id: "theme", onclick: () => this.turn() }, "Theme");
    this.links = VIEWS.map(([name, title]) =>
      h("a", { href: `#${name}`, "data-view": name }, title, name === "diffs" ? this.diffs : null));
    this.append(
      h("div", { class: "bar" }, h("h1", {}, "MCP Server"), h("span", {}, this.light, this.reason),
        h("span", { class: "row grow" }, this.url,
          h("button", { type: "button", id: "copy-url", onclick: () => copy(this.url.textContent) }, "Copy address")),
        this.theme),
      h("nav", { "aria-label": "Views" }, this.links));
    this.turn(localStorage.getItem("theme") ?? "");
  }

  turn(to) {
    const order = ["", "light", "dark"];
    const next = to ?? order[(order.indexOf(document.documentElement.dataset.theme ?? "") + 1) % 3];
    if (next) document.documentElement.dataset.theme = next;
    else delete document.documentElement.dataset.theme;
    localStorage.setItem("theme", next);
    this.theme.textContent = `Theme: ${next || "system"}`;
  }

  update() {
    const projects = world.overview?.projects ?? [];
    const indexing = projects.filter((project) => project.indexing);
    const broken = projects.filter((project) => project.languages.some((of) => of.state === "unavailable"));
    const [light, reason] = !world.online ? ["bad", "Stopped: the server does not answer"]
      : indexing.length ? ["wait", `Indexing ${indexing.map((project) => project.name).join(", ")}`]
      : broken.length ? ["wait", `Running; parts of ${broken[0].name} cannot be read`]
      : projects.length ? ["good", `Running with ${projects.length === 1 ? projects[0].name : `${projects.length} projects`}`]
      : ["good", "Running; no project is open yet"];
    this.light.className = `light ${light}`;
    this.reason.textContent = reason;
    this.url.textContent = world.overview?.url ?? "";
    const waiting = world.surface?.diffs.length ?? 0;
    this.diffs.textContent = waiting || "";
    this.diffs.hidden = !waiting;
  }
}
customElements.define("mcp-header", Header);

/** How long an index will still take, from how far it was before. */
const pace = new Map();
function secondsLeft(project) {
  const now = performance.now();
  const seen = pace.get(project.path);
  if (!project.indexing) {
    pace.delete(project.path);
    return null;
  }
  if (!seen || seen.done > project.filesIndexed) {
    pace.set(project.path, { at: now, done: project.filesIndexed });
    return null;
  }
  const speed = (project.filesIndexed - seen.done) / (now - seen.at);
  return speed > 0 ? Math.ceil((project.filesTotal - project.filesIndexed) / speed / 1000) : null;
}

class Projects extends HTMLElement {
  connectedCallback() { this.update("overview"); }
  update(what) {
    if (what !== "overview") return;
    const projects = world.overview?.projects ?? [];
    this.replaceChildren(h("h2", {}, "Projects"), ...(projects.length ? projects.map((project) => this.card(project))
      : [h("p", { class: "card" }, "No project is open. One opens when an agent first names it, or with --project.")]));
  }
  card(project) {
    const left = secondsLeft(project);
    return h("section", { class: "card", "aria-label": project.name },
      h("h3", {}, project.name), h("p", { class: "soft mono" }, project.path),
      project.indexing ? h("div", {},
        h("progress", { max: Math.max(project.filesTotal, 1), value: project.filesIndexed, "aria-label": `Index of ${project.name}` }),
        h("p", { class: "wait" }, `${number(project.filesIndexed)} of ${number(project.filesTotal)} files, ${project.phase}`,
          left === null ? "" : `, about ${left} s left`))
        : h("p", { class: "good" }, `Ready: ${number(project.filesIndexed)} files, ${number(project.symbols)} symbols`),
      project.incomplete ? h("p", { class: "wait" }, `Answers may be lower bounds: ${project.incomplete}`) : null,
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Languages of ${project.name}` }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Language"), h("th", { class: "num", scope: "col" }, "Files"), h("th", { scope: "col" }, "State"))),
        h("tbody", {}, project.languages.map((of) => h("tr", {}, h("td", {}, of.language), h("td", { class: "num" }, number(of.files)),
          h("td", { class: of.state === "ready" ? "good" : "wait" }, of.state, of.reason ? `: ${of.reason}` : "")))))));
  }
}
customElements.define("mcp-projects", Projects);

/** Sets of tools, by what they hold. */
const PROFILES = [["default", (tool) => tool.default], ["all", () => true], ["reading only", (tool) => tool.readOnly && tool.default], ["lean", (tool) => LEAN.has(tool.name)]];
const LEAN = new Set(["ide_find_symbol", "ide_find_definition", "ide_find_references", "ide_file_structure", "ide_call_hierarchy", "ide_refactor_rename", "ide_undo"]);
const cost = (tools) => tools.reduce((sum, tool) => sum + tool.tokens, 0);

class Tools extends HTMLElement {
  async connectedCallback() {
    const tools = await attempt(() => api("tools"));
    if (!tools) return;
    world.tools = tools;
    this.total = h("strong", { id: "tokens" });
    this.replaceChildren(h("h2", {}, "Tools"),
      h("section", { class: "card" }, h("p", {}, "What a model reads of every tool that is on: ", this.total,
        " tokens. Switches hold at once, agents are told, and the settings file keeps them."),
      h("div", { class: "row" }, PROFILES.map(([profile, holds]) => h("button", { type: "button", "aria-label": `Profile: ${profile}`, onclick: () => this.profile(profile, holds) },
        `Profile: ${profile} (${number(cost(tools.filter(holds)))} tokens)`))),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Tools" }, h("table", {},
        h("thead", {}, h("tr", {}, ["On", "Tool", "What it does", "Tokens"].map((title, i) => h("th", { scope: "col", class: i === 3 ? "num" : null }, title)))),
        h("tbody", {}, tools.map((tool) => this.row(tool)))))));
    this.count();
  }
  row(tool) {
    tool.box = h("input", { type: "checkbox", checked: tool.isSwitchedOn, "aria-label": tool.name, onchange: () => this.set(tool, tool.box.checked) });
    return h("tr", {}, h("td", {}, tool.box), h("td", { class: "mono name" }, tool.name.split(/(?<=_)/).flatMap((part) => [part, h("wbr")])),
      h("td", { class: "about" }, tool.about, tool.needsEditor ? h("span", { class: "soft" }, " Listed while this page is open.") : null,
        tool.readOnly ? null : h("span", { class: "soft" }, " Changes something.")), h("td", { class: "num" }, number(tool.tokens)));
  }
  async set(tool, on) {
    await this.switch({ [tool.name]: on });
  }
  async profile(name, holds) {
    const wanted = world.tools.filter((tool) => holds(tool) !== tool.isSwitchedOn).map((tool) => [tool.name, holds(tool)]);
    if (!wanted.length || await this.switch(Object.fromEntries(wanted))) say(`Profile: ${name}`);
  }
  async switch(tools) {
    const now = await attempt(() => api("switch", { tools }));
    for (const tool of world.tools) {
      tool.isSwitchedOn = now?.find((one) => one.name === tool.name)?.isSwitchedOn ?? tool.isSwitchedOn;
      tool.box.checked = tool.isSwitchedOn;
    }
    this.count();
    return now;
  }
  count() {
    this.total.textContent = number(cost(world.tools.filter((tool) => tool.isSwitchedOn)));
  }
  update() {}
}
customElements.define("mcp-tools", Tools);

class Settings extends HTMLElement {
  /** What each row shows. */
  shown = new Map();
  async connectedCallback() { this.show(await attempt(() => api("settings"))); }
  show(found) {
    if (!found) return;
    const { version, lostCalls } = world.overview ?? {};
    this.replaceChildren(h("h2", {}, "Settings"), h("section", { class: "card" },
      h("p", {}, `Version ${version ?? ""}. What is changed here is written to `, h("code", {}, found.file ?? "no file"), "; everything else in it stays."),
      lostCalls ? h("p", { class: "wait" }, `${number(lostCalls)} calls are not in the history because too many came at once.`) : null,
      h("ul", { class: "plain settings" }, found.settings.map((row) => this.row(row)))));
  }
  row(row) {
    const { key, value, kind, about, isSet, isLive } = row;
    this.shown.set(key, pretty(row));
    const label = { id: `set-${key}`, "aria-label": key, "aria-describedby": `about-${key}` };
    const text = kind === "list" ? (value ?? []).join("\n") : value === null ? "" : String(value);
    const input = kind === "table" ? h("code", {}, pretty(value))
      : kind === "switch" ? h("input", { type: "checkbox", checked: value, ...label, onchange: () => this.set(row, input.checked) })
      : kind === "list" ? h("textarea", { rows: Math.min(6, Math.max(1, (value ?? []).length)), value: text, spellcheck: "false", ...label, onchange: () => this.set(row, input.value.split("\n").map((line) => line.trim()).filter(Boolean)) })
      : h("input", { type: kind === "number" ? "number" : "text", min: kind === "number" ? 0 : null, value: text, ...label, onchange: () => this.set(row, kind === "number" ? Number(input.value) : input.value) });
    return h("li", { class: "setting", "data-key": key }, h("div", { class: "row" }, h("span", { class: "mono name" }, key), input,
      h("span", { class: "soft" }, isLive ? "holds at once" : "holds when the server starts again"),
      isSet ? h("button", { type: "button", "aria-label": `Reset ${key}`, onclick: () => this.set(row, null) }, "Reset") : null),
      h("p", { class: "soft", id: `about-${key}` }, about));
  }
  async set({ key }, value) {
    const found = await attempt(() => api("set", { key, value: Array.isArray(value) && !value.length || value === "" ? null : value }));
    if (found) say(`${key} is written`);
    const { settings = [] } = found ?? await attempt(() => api("settings")) ?? {};
    // only rows that are others now: the person may type in the next one already
    for (const now of settings.filter((one) => one.key === key || this.shown.get(one.key) !== pretty(one))) {
      const old = this.querySelector(`[data-key="${now.key}"]`);
      const hasFocus = old?.contains(document.activeElement);
      if (!old || (hasFocus && now.key !== key)) continue;
      old.replaceWith(this.row(now));
      if (hasFocus) document.getElementById(`set-${key}`)?.focus();
    }
  }
  update() {}
}
customElements.define("mcp-settings", Settings);

function show() {
  const { name } = route();
  const [, title, tag] = VIEWS.find(([view]) => view === name);
  document.title = name === "calls" ? "MCP Server" : `${title} – MCP Server`;
  for (const link of frame.header.links) {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (frame.main.firstElementChild?.localName !== tag) frame.main.replaceChildren(document.createElement(tag));
  frame.main.firstElementChild.go?.(route().rest);
}

async function refresh(what) {
  if (what === "overview" || what === "surface") {
    try {
      world[what] = await api(what);
    } catch {
      return;
    }
  }
  frame.header.update();
  frame.main.firstElementChild?.update?.(what);
}

function listen() {
  const events = new EventSource("/dashboard/events");
  events.onopen = () => {
    world.online = true;
    for (const what of ["overview", "surface", "calls"]) refresh(what);
  };
  events.onerror = () => {
    world.online = false;
    frame.header.update();
  };
  for (const what of ["overview", "surface", "calls"]) events.addEventListener(what, () => refresh(what));
  addEventListener("pagehide", () => events.close());
}

addEventListener("hashchange", show);
show();
listen();
// Most of the page's code is the viewer of files, and most views do without it.
(globalThis.requestIdleCallback ?? setTimeout)(() => import("./editor.js").then(show));
