// Small helpers to build the page.

/** An element: h("button.primary", { onclick, title }, "text", child …). Properties set to null or false are left out. */
export function h(spec, props = {}, ...children) {
  const [tag, ...classes] = spec.split(".");
  const node = document.createElement(tag || "div");
  if (classes.length) node.className = classes.join(" ");
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") node.className = [node.className, value].filter(Boolean).join(" ");
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    else if (name in node && typeof value !== "string") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const shown = new WeakMap();
/** What is pressed just now, and what waits until it is let go: a button that is replaced under a finger is not clicked. */
let pressed = null;
const waiting = new Map();

function letGo() {
  pressed = null;
  const held = [...waiting];
  waiting.clear();
  for (const [node, [data, build]] of held) fill(node, data, build);
}

addEventListener("pointerdown", (event) => { pressed = event.target; }, true);
// the click comes after it
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(letGo), true);

/** Fill `node` with what `build` returns, but only when `data` has changed: focus and motion stay undisturbed. */
export function fill(node, data, build) {
  if (pressed && node.contains(pressed)) {
    waiting.set(node, [data, build]);
    return;
  }
  const key = JSON.stringify(data);
  if (shown.get(node) === key) return;
  shown.set(node, key);
  node.replaceChildren(...[build()].flat(3).filter(Boolean));
}

/** Put a text or an attribute where it is another one: what is set again is laid out and painted again. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function mark(node, name, value) {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

export const byId = (id) => document.getElementById(id);
