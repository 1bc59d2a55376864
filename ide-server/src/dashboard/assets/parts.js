// Parts that the dashboard and the views inside of other applications share. Texts become text, never markup.

/** An element. Children that are no nodes become text. */
export function h(tag, props = {}, ...children) {
  const element = tag === "svg" || tag === "rect" || tag === "title:svg"
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.replace(":svg", ""))
    : document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "open") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child)))));
  return element;
}

/** A unified diff with its lines in colour. */
export function diffText(text) {
  const kind = (line) => line.startsWith("@@") ? "at" : line.startsWith("+") && !line.startsWith("+++") ? "add"
    : line.startsWith("-") && !line.startsWith("---") ? "del" : null;
  return h("pre", { tabindex: "0", "aria-label": "Changes" }, text.split("\n").map((line) => {
    const of = kind(line);
    return of ? h("span", { class: of }, line) : line + "\n";
  }));
}

/** A file of a review: why parts of it cannot be decided, its differences, and buttons that call `decide`. */
export function reviewed(file, decide) {
  const at = { path: file.path, shown: file.shown };
  const button = (keep, part, of, hunk) => h("button", { type: "button", class: keep ? `keep-${part}` : `danger undo-${part}`, "aria-label": of,
    onclick: () => decide({ ...at, hunk, keep }, keep ? "Kept" : "Taken back") }, keep ? "Keep" : "Take back", part === "file" ? " file" : "");
  const notes = [file.movedOn ? "This file was changed since: nothing of it can be taken back here." : null,
    file.knowsBefore ? null : "Its old text is not known: it was not read before it changed, and git does not hold it.",
    file.isText ? null : "No text: it is kept or taken back as a whole."];
  const hunks = file.hunks ?? [];
  return [notes.filter(Boolean).map((note) => h("p", { class: "wait" }, note)),
    h("div", { class: "row" }, button(true, "file"), file.knowsBefore && !file.movedOn ? button(false, "file") : null),
    hunks.map((hunk, i) => h("div", { class: "place" }, diffText(hunk.diff.trimEnd()), hunks.length > 1 ? h("div", { class: "row" },
      button(true, "hunk", `Keep hunk ${i + 1} of ${file.path}`, i), button(false, "hunk", `Take back hunk ${i + 1} of ${file.path}`, i)) : null)),
    file.diff ? diffText(file.diff.trimEnd()) : null];
}

/** Nodes as a tree of what `show` makes of each; a node knows its children or the number of its parent. */
export function tree(nodes, show, most = 12) {
  if (!nodes.length) return h("p", { class: "soft" }, "None.");
  const known = new Map(nodes.filter((node) => node.id !== undefined).map((node) => [node.id, node]));
  const below = (node) => [...(node.children ?? node.calls ?? node.supertypes ?? node.subtypes ?? []),
    ...nodes.filter((other) => other.parentId !== undefined && node.id !== undefined && other.parentId === node.id && other !== node)];
  const item = (node, depth) => h("li", {}, show(node),
    depth < most && below(node).length ? h("ul", { class: "tree" }, below(node).map((child) => item(child, depth + 1))) : null);
  return h("ul", { class: "tree top" }, nodes.filter((node) => node.parentId === undefined || !known.has(node.parentId)).map((node) => item(node, 0)));
}
