// Logging in: with an account, with the code that the table's display shows a player, or with a token.

import { h } from "./dom.js";
import { post } from "./live.js";

const WAYS = {
  account: [["name", { type: "text", autocomplete: "username" }], ["password", { type: "password", autocomplete: "current-password" }]],
  code: [["code", { type: "text", inputmode: "numeric", pattern: "[0-9]{6}", maxlength: "6", autocomplete: "one-time-code" }]],
  token: [["token", { type: "password", autocomplete: "off" }]],
};

/** The form; `done()` is called when it opened a role. `cancel`: what its second button does, if it has one. */
export function loginForm(texts, done, message = "", cancel = null) {
  let way = "account";
  const problem = h("p.problem", { role: "alert" }, message);
  const fields = h("div.fields");
  const show = () => fields.replaceChildren(...WAYS[way].map(([name, attributes]) =>
    h("label", {}, h("span.label", {}, texts(name)), h("input", { name, required: true, ...attributes }))));
  const form = h("form", {},
    h("h2", {}, texts("login_title")),
    h("div.choices", { role: "radiogroup", "aria-label": texts("login_title") }, Object.keys(WAYS).map((each) => h("label", {},
      h("input", { type: "radio", name: "way", value: each, checked: each === way, onchange: () => {
        way = each;
        show();
      } }), h("span", {}, texts(`login.${each}`))))),
    fields, problem,
    h("div.buttons", {}, cancel ? h("button", { type: "button", onclick: cancel }, texts("cancel")) : null,
      h("button.primary", { type: "submit" }, texts("log_in"))));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await post("login", Object.fromEntries(WAYS[way].map(([name]) => [name, form.elements[name].value])));
      done();
    } catch (error) {
      problem.textContent = texts.problem(error);
    }
  });
  show();
  return form;
}

/** The form in a dialog. */
export function openLogin(dialog, texts, done, message = "") {
  dialog.replaceChildren(loginForm(texts, () => {
    dialog.close();
    done();
  }, message, () => dialog.close()));
  if (!dialog.open) dialog.showModal();
}
