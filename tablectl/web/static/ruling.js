// The dialogs: a ruling, and the token.

import { h } from "./dom.js";
import { post } from "./live.js";
import { nameOf } from "./panel.js";

const ACTS = ["warning", "penalty", "dead_hand", "revive", "penalty_tile", "draw_hand", "end_game"];
const NEEDS = {
  warning: ["seat"], penalty: ["seat", "points", "to"], dead_hand: ["seat"], revive: ["seat"], penalty_tile: ["seat", "pai"], draw_hand: [], end_game: [],
};
const POINTS = [10, 20, 30, 40, 50];

const choice = (name, value, label, checked) =>
  h("label", {}, h("input", { type: "radio", name, value: String(value), checked }), h("span", {}, label));

const choices = (legend, name, options, chosen, field = name) =>
  h("fieldset", { "data-field": field }, h("legend", {}, legend),
    h("div.choices", {}, options.map(([value, label]) => choice(name, value, label, value === chosen))));

/** Let the referee rule; `given` fills in what an alert already says (seat, alert, reason). */
export function openRuling(dialog, given, model, texts, send) {
  const who = nameOf(model, texts);
  const seats = model.seats.map((seat) => [seat.seat, who(seat.seat)]);
  const problem = h("p.problem", { role: "alert" });
  const form = h("form", { method: "dialog" },
    h("h2", {}, texts("ruling_title")),
    choices(texts("act"), "do", ACTS.map((act) => [act, texts(`do.${act}`)]), "warning"),
    choices(texts("seat"), "seat", seats, given.seat ?? null),
    choices(texts("penalty_points"), "points", POINTS.map((n) => [n, String(n)]), 10),
    choices(texts("beneficiary"), "to", [["nobody", texts("to_nobody")], ["each", texts("to_each")], ...seats], "nobody"),
    h("label", { "data-field": "pai" }, h("span.label", {}, "1m–9m 1p–9p 1s–9s E S W N C F P"), h("input", { type: "text", name: "pai", maxlength: "2", autocomplete: "off" })),
    h("label", {}, h("span.label", {}, `${texts("reason")} · ${texts("reason_hint")}`), h("input", { type: "text", name: "reason", maxlength: "200", value: given.reason ?? "", autocomplete: "off" })),
    problem,
    h("div.buttons", {},
      h("button", { type: "button", onclick: () => dialog.close() }, texts("cancel")),
      h("button.primary", { type: "submit" }, texts("rule"))));
  const chosen = (name) => form.querySelector(`input[name="${name}"]:checked`)?.value ?? null;
  const fields = () => {
    for (const node of form.querySelectorAll("[data-field]")) {
      const name = node.dataset.field;
      node.hidden = name !== "do" && !NEEDS[chosen("do")].includes(name);
    }
  };
  form.addEventListener("change", fields);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const needs = NEEDS[chosen("do")];
    const body = { reason: form.elements.reason.value.trim() };
    if (given.alert !== undefined) body.alert = given.alert;
    if (needs.includes("seat")) {
      if (chosen("seat") === null) {
        problem.textContent = texts("missing_seat");
        return;
      }
      body.seat = Number(chosen("seat"));
    }
    if (needs.includes("points")) body.points = Number(chosen("points"));
    if (needs.includes("to")) body.to = /^\d$/.test(chosen("to")) ? Number(chosen("to")) : chosen("to");
    if (needs.includes("pai")) body.pai = form.elements.pai.value.trim();
    try {
      await post(`referee/${chosen("do")}`, body);
      dialog.close();
      send(texts("done"));
    } catch (error) {
      problem.textContent = error.message === "offline" ? texts("offline") : error.message;
    }
  });
  dialog.replaceChildren(form);
  fields();
  dialog.showModal();
}

/** Ask for a token; `done` is called when one opened a role. */
export function openLogin(dialog, texts, done, message = "") {
  const problem = h("p.problem", { role: "alert" }, message);
  const form = h("form", { method: "dialog" },
    h("h2", {}, texts("login_title")),
    h("label", {}, h("span.label", {}, texts("token")), h("input", { type: "password", name: "token", required: true, autocomplete: "current-password" })),
    problem,
    h("div.buttons", {},
      h("button", { type: "button", onclick: () => dialog.close() }, texts("cancel")),
      h("button.primary", { type: "submit" }, texts("log_in"))));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await post("login", { token: form.elements.token.value });
      dialog.close();
      done();
    } catch (error) {
      problem.textContent = error.message === "offline" ? texts("offline") : error.message;
    }
  });
  dialog.replaceChildren(form);
  if (!dialog.open) dialog.showModal();
}
