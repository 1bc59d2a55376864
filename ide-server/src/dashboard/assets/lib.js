// Small things that all views share. Whatever comes from the server becomes text, never markup.
import { diffText, h, reviewed, tree } from "./parts.js";
export { diffText, h, reviewed, tree };

/** What the server said last, for all views. */
export const world = { overview: null, surface: null, tools: null, online: false };

/** Asks the server. Failures are sentences for the person. */
export async function api(name, args = {}) {
  let response;
  try {
    response = await fetch(`/dashboard/api/${name}`, {
      method: "POST", credentials: "same-origin", headers: { "Content-Type": "application/json" },
      body: JSON.stringify(args),
    });
  } catch {
    throw new Error("the server does not answer");
  }
  const value = await response.json().catch(() => ({ error: `the server answers ${response.status}` }));
  if (!response.ok) throw new Error(value.error ?? `the server answers ${response.status}`);
  return value;
}

const toast = h("div", { class: "toast", role: "status", "aria-live": "polite" });
document.body.append(toast);
let hide;
/** Says something for a moment. */
export function say(text, isBad = false) {
  toast.textContent = text;
  toast.classList.toggle("bad", isBad);
  clearTimeout(hide);
  hide = setTimeout(() => { toast.textContent = ""; }, isBad ? 9000 : 4000);
}

/** An answer that nobody waits for any more. */
export class Superseded extends Error {}

/** Runs something of which a failure is told to the person. */
export async function attempt(run) {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Superseded)) say(error.message, true);
    return undefined;
  }
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied");
  } catch {
    say("The browser does not let this page copy", true);
  }
}

/** Asks the person; resolves to what `value` gives, or nothing. */
export function ask(title, body, action, value = () => true, isDanger = false) {
  return new Promise((resolve) => {
    let answer;
    const dialog = h("dialog", { "aria-label": title });
    const yes = h("button", { class: isDanger ? "danger" : "main", type: "button", onclick: () => {
      try {
        answer = value();
        dialog.close();
      } catch (error) {
        say(error.message, true);
      }
    } }, action);
    dialog.append(h("h2", {}, title), ...body, h("div", { class: "row" }, yes,
      h("button", { type: "button", onclick: () => dialog.close() }, "Cancel")));
    dialog.addEventListener("close", () => { dialog.remove(); resolve(answer); });
    document.body.append(dialog);
    dialog.showModal();
  });
}

export function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

export const pretty = (value) => JSON.stringify(value, null, 2);
export const tidy = (text) => {
  try {
    return pretty(JSON.parse(text));
  } catch {
    return text;
  }
};
export const number = (value) => (value === undefined || value === null ? "–" : value.toLocaleString("en"));
export const fileName = (path) => path.slice(path.lastIndexOf("/") + 1);

/** A time of day, with the day when that is not today. */
export const clock = (time) => {
  const [at, now] = [new Date(time), new Date()];
  const day = at.toDateString() === now.toDateString() ? "" : `${at.toLocaleDateString("sv-SE")} `;
  return `${day}${at.toLocaleTimeString("en-GB")}`;
};

/** The part of Markdown that comments use, as nodes. */
export function markdown(text) {
  const inline = (line) => {
    const nodes = [];
    const pattern = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/g;
    let last = 0;
    for (const match of line.matchAll(pattern)) {
      nodes.push(line.slice(last, match.index));
      if (match[1]) nodes.push(h("code", {}, match[1]));
      else if (match[2]) nodes.push(h("strong", {}, match[2]));
      else if (match[3]) nodes.push(h("em", {}, match[3]));
      else nodes.push(h("a", { href: match[5], rel: "noopener noreferrer", target: "_blank" }, match[4]));
      last = match.index + match[0].length;
    }
    nodes.push(line.slice(last));
    return nodes;
  };
  const blocks = [];
  for (const [i, part] of text.split("```").entries()) {
    if (i % 2) {
      blocks.push(h("pre", {}, part.replace(/^[a-z]*\n/, "")));
      continue;
    }
    for (const block of part.split(/\n\s*\n/).filter((block) => block.trim())) {
      const lines = block.trim().split("\n");
      if (lines.every((line) => /^[-*] /.test(line))) {
        blocks.push(h("ul", {}, lines.map((line) => h("li", {}, inline(line.slice(2))))));
      } else {
        blocks.push(h("p", {}, inline(lines.join(" ").replace(/^#+ /, ""))));
      }
    }
  }
  return blocks;
}
