// Accounts, who is logged in, and who looked at standing tiles: what the role may see of it.

import { byId, h } from "./dom.js";
import { ask, page } from "./plain.js";

const ROLES = ["referee", "operator", "admin", "player", "spectator"];
let texts = null;
const tell = (error) => (byId("problem").textContent = error?.message ?? "");
const when = (seconds) => (seconds ? new Date(seconds * 1000).toLocaleString(texts.lang === "zh" ? "zh-CN" : "en-GB") : "");
const body = (method, value) => ({ method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });

/** Do something, then show everything anew. */
async function act(path, options) {
  try {
    await ask(path, texts, options);
    tell(null);
    await show(texts);
  } catch (error) {
    tell(error);
  }
}

const table = (caption, heads, rows) => h("div.scrolls", { tabindex: "0", role: "region", "aria-label": caption }, h("table.list", {}, h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, rows)));
const field = (name, attributes) => h("label", {}, h("span.label", {}, texts(name)), h("input", { name, required: true, ...attributes }));

function accounts(list) {
  const form = h("form.inline", { onsubmit: (event) => {
    event.preventDefault();
    const { name, password, role } = form.elements;
    act("accounts", body("POST", { name: name.value, role: role.value, password: password.value }));
  } }, field("name", { type: "text", autocomplete: "off" }), field("password", { type: "password", autocomplete: "new-password", minlength: "8" }),
  h("label", {}, h("span.label", {}, texts("role")), h("select", { name: "role" }, ROLES.map((role) => h("option", { value: role }, texts(role))))),
  h("button.primary", { type: "submit" }, texts("add_account")));
  return [h("h2", {}, texts("accounts")), table(texts("accounts"), [texts("name"), texts("role"), texts("created"), ""], list.map((one) => h("tr", { "data-account": one.name },
    h("th", { scope: "row" }, one.name, one.locked ? h("span.mark.bad", {}, texts("locked")) : null), h("td", {}, texts(one.role)), h("td", {}, when(one.created)),
    h("td", {}, h("div.buttons", {},
      one.locked ? h("button.quiet", { type: "button", onclick: () => act(`accounts/${encodeURIComponent(one.name)}/unlock`, body("POST", {})) }, texts("unlock")) : null,
      another(one.name),
      h("button.quiet.danger", { type: "button", onclick: () => act(`accounts/${encodeURIComponent(one.name)}`, { method: "DELETE" }) }, texts("delete"))))))), form];
}

/** Another password for somebody's account, which ends his sessions. */
const another = (name) => h("details", {}, h("summary", {}, texts("new")), h("form.inline", { onsubmit: (event) => {
  event.preventDefault();
  act(`accounts/${encodeURIComponent(name)}/password`, body("POST", { password: event.target.elements.password.value }));
} }, field("password", { type: "password", autocomplete: "new-password", minlength: "8" }), h("button", { type: "submit" }, texts("change_password"))));

const sessions = (list) => [h("h2", {}, texts("sessions")), table(texts("sessions"), [texts("name"), texts("role"), texts("address"), texts("used"), ""], list.map((one) => h("tr", {},
  h("th", { scope: "row" }, one.name ?? "—"), h("td", {}, texts(one.role)), h("td", {}, one.address), h("td", {}, when(one.used)),
  h("td", {}, one.own ? texts("this_one") : h("button.quiet", { type: "button", onclick: () => act(`sessions/${one.id}`, { method: "DELETE" }) }, texts("end_session"))))))];

const log = (list) => [h("h2", {}, texts("access_log")), h("p.soft", {}, texts("access_note")), table(texts("access_log"), [texts("time"), texts("who"), texts("role"), texts("what")], list.map((one) => h("tr", { "data-n": one.n },
  h("td", {}, when(one.at)), h("th", { scope: "row" }, one.by), h("td", {}, texts(one.role), one.seat === null || one.seat === undefined ? "" : ` · ${texts("seat_n", { n: one.seat + 1 })}`), h("td", {}, texts(`access.${one.what}`)))))];

function own(session) {
  const form = h("form.inline", { onsubmit: (event) => {
    event.preventDefault();
    act("password", body("POST", { old: form.elements.old.value, new: form.elements.new.value }));
  } }, field("old", { type: "password", autocomplete: "current-password" }), field("new", { type: "password", autocomplete: "new-password", minlength: "8" }),
  h("button", { type: "submit" }, texts("change_password")));
  const inside = session.role !== null && session.role !== "spectator";
  return [h("h2", {}, inside ? `${session.name ?? ""} ${texts(session.role)}` : texts("log_in")),
    session.name && session.role !== "player" ? form : null,
    inside ? h("div.buttons", {}, h("button", { type: "button", id: "logout", onclick: () => act("logout", body("POST", {})) }, texts("log_out"))) : h("a", { href: "/login" }, texts("log_in"))];
}

const part = (id, content) => {
  byId(id).hidden = content === null;
  byId(id).replaceChildren(...(content ?? []).filter(Boolean));
};

async function show(words) {
  texts = words;
  try {
    const session = await ask("session", texts);
    const admin = session.role === "admin";
    part("own", own(session));
    part("accounts", admin ? accounts(await ask("accounts", texts)) : null);
    part("sessions", admin ? sessions(await ask("sessions", texts)) : null);
    part("log", admin ? log(await ask("access?limit=200", texts)) : null);
  } catch (error) {
    tell(error);
  }
}

page("access", show);
