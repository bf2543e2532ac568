// The referee's dialogs: a seat, the table, an event that was read wrongly, a win to refuse or to amend. What is
// touched is done at once; the reason, where one is known, is filled in beforehand.

import { h } from "./dom.js";
import { post } from "./live.js";
import { answer } from "./panel.js";
import { tile } from "./tiles.js";
import { sentence } from "./texts.js";

/** What is commonly the matter, by act: keys of words. */
const USUAL = ["late", "talk", "signals", "covered", "disturbance", "slow"];
const MINUTES = [1, 2, 5, 10];
/** Where the winning tile was put. */
const PLACED = ["apart", "inserted"];
/** Acts on a seat, and on the table, that need nothing said but a reason; the latter are asked about once more. */
const ON_SEAT = ["warning", "dead_hand", "revive", "put_back", "unclear_call", "seat_taken", "seat_empty"];
const ON_TABLE = ["draw_hand", "replay_hand", "undo", "end_game"];

export class Rulings {
  /** `dialog` shows them; `context()` gives { model, texts, who, events }; `done(message)` is told of what was ruled. */
  constructor(dialog, context, done) {
    this.dialog = dialog;
    this.context = context;
    this.done = done;
    this.problem = h("p.problem", { role: "alert" });
  }

  // --- a seat

  /** Everything that can be ruled on a seat, and done for it; `given` is what an alert says: { alert, reason }. */
  seat(number, given = {}) {
    const { model, texts, who } = this.context();
    const seat = model.seats[number];
    const { rulings, keys } = model.can.seats[number];
    const can = (act) => rulings.includes(act);
    const reason = this.#reason(given.reason ?? "");
    const rule = (act, more = {}) => this.#rule(act, { seat: number, ...(given.alert ? { alert: given.alert } : {}), ...more, reason: reason.value.trim() });
    const button = (act, more) => h("button", { type: "button", "data-do": act, onclick: () => rule(act, more) }, texts(`do.${act}`));
    this.#open(who(number), [
      model.referee ? this.#reasons(reason) : null,
      ON_SEAT.some(can) ? h("div.buttons.acts", {}, ON_SEAT.filter(can).map((act) => button(act))) : null,
      can("penalty") ? this.#penalty(number, rule) : null,
      can("count") ? this.#counting(rule) : null,
      can("penalty_tile") && tilesOf(seat).length ? this.#penaltyTile(seat, rule) : null,
      can("expose") && tilesOf(seat).length ? this.#exposing(seat, rule) : null,
      keys.length ? this.#keys(number, keys) : null,
      h("div.buttons.acts", {}, can("score_query") ? h("button", { type: "button", "data-do": "score_query", onclick: () => this.#query(number) }, texts("score_query")) : null,
        model.pairing ? h("button", { type: "button", "data-do": "pairing", onclick: () => this.#send("pairing", { seat: number }) }, texts("pairing")) : null),
    ]);
  }

  #reason(value) {
    const { texts } = this.context();
    return h("input", { type: "text", name: "reason", maxlength: "200", value, autocomplete: "off", "aria-label": texts("reason"), placeholder: texts("reason_hint") });
  }

  #reasons(reason) {
    const { texts } = this.context();
    return h("fieldset", {}, h("legend", {}, texts("reason")), reason, h("div.choices.small", {}, USUAL.map((key) =>
      h("button.chip", { type: "button", onclick: () => (reason.value = texts(`why.${key}`)) }, texts(`why.${key}`)))));
  }

  #penalty(number, rule) {
    const { model, texts, who } = this.context();
    const { amounts, to, pot } = model.system.penalties;
    const nobody = texts(pot ? "to_pot" : "to_nobody");
    const receivers = [["nobody", nobody], ["each", texts("to_each")], ...model.seats.filter((seat) => seat.seat !== number).map((seat) => [String(seat.seat), who(seat.seat)])];
    const chosen = () => this.dialog.querySelector("input[name=to]:checked").value;
    return h("fieldset", {}, h("legend", {}, texts("do.penalty")),
      h("div.choices", {}, receivers.map(([value, label]) => choice("to", value, label, value === to))),
      h("div.choices", {}, amounts.map((points) => h("button.points", { type: "button", "data-points": points,
        onclick: () => rule("penalty", { points, to: /^\d$/.test(chosen()) ? Number(chosen()) : chosen() }) }, `−${points}`))));
  }

  /** The tickets that lie before a seat, counted by hand: the table tells a difference (zhenjiang Z605). */
  #counting(rule) {
    const { texts } = this.context();
    const input = h("input", { type: "number", min: "0", max: "10000", name: "counted", inputmode: "numeric", "aria-label": texts("do.count") });
    return h("fieldset", {}, h("legend", {}, texts("do.count")), input,
      h("button", { type: "button", "data-do": "count", onclick: () => input.value && rule("count", { points: Number(input.value) }) }, texts("do.count")));
  }

  /** 罚张: the tile that was named must be the next discard; or one that the referee drew from the mixed tiles, after
   * which the seat is dead (competition J134). */
  #penaltyTile(seat, rule) {
    const { texts } = this.context();
    const mixed = () => this.dialog.querySelector("input[name=form]:checked").value === "mixed";
    return h("fieldset", {}, h("legend", {}, texts("do.penalty_tile")),
      h("div.choices", {}, ["named", "mixed"].map((form) => choice("form", form, texts(`form.${form}`), form === "named"))),
      this.#tilesOf(seat, async (code) => {
        const told = await rule("penalty_tile", { pai: code });
        if (told && mixed()) await rule("dead_hand", {});
      }));
  }

  #tilesOf(seat, chosen) {
    const { texts } = this.context();
    return h("div.choices.tile-choices", {}, [...new Set(tilesOf(seat))].map((code) =>
      h("button.tile-choice", { type: "button", "data-pai": code, onclick: () => chosen(code) }, tile(code, texts.lang))));
  }

  /** 曝光牌: tiles that were seen together (beijing T17). */
  #exposing(seat, rule) {
    const { texts } = this.context();
    const box = h("div.choices.tile-choices", {}, tilesOf(seat).map((code) => h("label", {}, h("input", { type: "checkbox", name: "tiles", value: code }), h("span.tile-choice", {}, tile(code, texts.lang)))));
    const picked = () => [...box.querySelectorAll(":checked")].map((input) => input.value);
    return h("fieldset", {}, h("legend", {}, texts("do.expose")), box,
      h("button", { type: "button", "data-do": "expose", onclick: () => rule("expose", { tiles: picked() }) }, texts("do.expose")));
  }

  /** Keys of a pad that is broken; of `sit` and `pull` one for each number it may carry (tianjin T203, T204). */
  #keys(seat, keys) {
    const { texts } = this.context();
    return h("fieldset", {}, h("legend", {}, texts("press_for")), h("div.choices.small", {}, keys.map((press) =>
      h("button.chip", { type: "button", "data-key": [press.key, press.n].join(""), onclick: () => this.#send("match/key", { seat, ...press }) },
        press.n === undefined ? texts(`claim.${press.key}`) : texts.stake(press.key, press.n)))));
  }

  async #query(seat) {
    const { texts } = this.context();
    try {
      const told = await post("referee/score_query", { seat });
      this.#open(texts("score_query"), [answer(told, texts)]);
    } catch (error) {
      this.#tell(error);
    }
  }

  // --- the table

  table() {
    const { model, texts } = this.context();
    const can = (act) => model.can.rulings.includes(act);
    const reason = this.#reason("");
    const rule = (act, more = {}) => this.#rule(act, { ...more, reason: reason.value.trim() });
    const sure = (act) => this.#sure(texts(`do.${act}`), texts(`sure.${act}`), () => rule(act));
    const button = (act, onclick) => h("button", { type: "button", "data-do": act, onclick }, texts(`do.${act}`));
    this.#open(texts("table_rulings"), [
      model.referee ? h("fieldset", {}, h("legend", {}, texts("reason")), reason) : null,
      model.referee ? h("div.buttons.acts", {}, ["pause", "resume"].filter(can).map((act) => button(act, () => rule(act))),
        ON_TABLE.filter(can).map((act) => button(act, () => sure(act)))) : null,
      can("extra_time") ? h("fieldset", {}, h("legend", {}, texts("do.extra_time")), h("div.choices", {}, MINUTES.map((minutes) =>
        h("button", { type: "button", "data-minutes": minutes, onclick: () => rule("extra_time", { seconds: 60 * minutes }) }, texts("minutes", { n: minutes }))))) : null,
      model.can.match.includes("dice") ? this.#dice() : null,
      !model.can.match.includes("indicator") ? null
        : model.indicator ? h("details", {}, h("summary", {}, texts("other_indicator")), this.#indicator())
          : h("fieldset", {}, h("legend", {}, texts("enter_indicator")), this.#indicator()),
    ]);
  }

  /** The tile that lies as the indicator. */
  #indicator() {
    const { model, texts } = this.context();
    return h("div.choices.tile-choices", {}, model.system.kinds.map((code) =>
      h("button.tile-choice", { type: "button", "data-pai": code, onclick: () => this.#send("match/indicator", { tile: code }) }, tile(code, texts.lang))));
  }

  /** Who sits where; and a match begun or ended, which staff may do. */
  players() {
    const { model, texts } = this.context();
    const inputs = model.seats.map((seat) => h("input", { type: "text", name: `name-${seat.seat}`, maxlength: "40", value: seat.name, autocomplete: "off" }));
    const names = () => inputs.map((input) => input.value.trim());
    const can = (act) => model.can.match.includes(act);
    const button = (act, onclick) => h("button", { type: "button", "data-do": act, onclick }, texts(`do.${act}`));
    this.#open(texts("players"), [
      h("div.names", {}, model.seats.map((seat, n) => h("label", {}, h("span", {}, texts.seatWind(seat.wind) || texts("seat_n", { n: n + 1 })), inputs[n]))),
      h("div.buttons.acts", {}, button("seats", () => this.#send("match/seats", { names: names() })),
        can("start") ? button("start", () => this.#sure(texts("do.start"), texts("sure.start", { names: names().join(" · ") }), () => this.#send("match/start", { names: names() }))) : null,
        can("end") ? button("end_game", () => this.#sure(texts("do.end_game"), texts("sure.end_game"), () => this.#send("match/end", {}))) : null),
    ]);
  }

  /** What the dice show, where the table cannot read them: the last die touched enters the throw. */
  #dice() {
    const { model, texts } = this.context();
    const faces = Array(model.system.dice).fill(null);
    const touched = (die, face, node) => {
      faces[die] = face;
      for (const other of node.parentNode.children) other.setAttribute("aria-pressed", String(other === node));
      if (!faces.includes(null)) this.#send("match/dice", { dice: faces });
    };
    return h("fieldset", {}, h("legend", {}, texts("enter_dice")), faces.map((_, die) => h("div.choices.dice-row", { role: "group", "aria-label": `${texts("dice")} ${die + 1}` },
      [1, 2, 3, 4, 5, 6].map((face) => h("button", { type: "button", "data-die": `${die}-${face}`, "aria-pressed": "false", onclick: (event) => touched(die, face, event.currentTarget) }, String(face))))));
  }

  #sure(title, question, act) {
    const { texts } = this.context();
    this.#open(title, [h("p", {}, question), h("div.buttons", {},
      h("button.danger.solid", { type: "button", id: "sure", onclick: act }, title))], texts("cancel"));
  }

  // --- a win

  refuse() {
    const { model, texts, who } = this.context();
    const several = model.declared.length > 1;
    const button = (win, act, reason) => h("button", { type: "button", "data-why": reason, class: act === "false_win" ? "danger" : null,
      onclick: () => this.#rule(act, { ...(several || act === "false_win" ? { seat: win.actor } : {}), reason: texts.reason(reason) }) }, texts.reason(reason));
    this.#open(texts("refuse"), model.declared.map((win) => h("fieldset", {}, h("legend", {}, who(win.actor)),
      h("div.choices", {}, ["taken_back", "not_complete", "dead_hand"].map((reason) => button(win, "refuse", reason)), button(win, "false_win", "false_win")))));
  }

  /** Other fans, or the winning tile apart or among the others: the table counts and settles again. */
  amend() {
    const { model, texts, who } = this.context();
    const reason = this.#reason("");
    const parts = model.declared.map((win) => {
      const can = (act) => model.can.seats[win.actor].rulings.includes(act);
      const rule = (act, body = {}) => this.#rule(act, { seat: win.actor, reason: reason.value.trim(), ...body });
      return h("fieldset", {}, h("legend", {}, who(win.actor)), can("amend") ? this.#fans(win, rule) : null,
        PLACED.some(can) ? h("div.choices", {}, h("span.label", {}, texts("winning_tile")), PLACED.filter(can).map((act) =>
          h("button", { type: "button", "data-do": act, onclick: () => rule(act) }, texts(act)))) : null);
    });
    this.#open(texts("amend"), [h("fieldset", {}, h("legend", {}, texts("reason")), reason), ...parts]);
  }

  #fans(win, rule) {
    const { model, texts } = this.context();
    const rows = h("tbody");
    const add = (name, value) => rows.append(h("tr", {}, h("th", { scope: "row" }, texts.fan(name)),
      h("td", {}, h("input", { type: "number", min: "0", max: "10000", value: String(value), "data-fan": name, "aria-label": texts.fan(name) })),
      h("td", {}, h("button.quiet", { type: "button", "data-take-out": name, "aria-label": `${texts("take_out")} ${texts.fan(name)}`, onclick: (event) => event.currentTarget.closest("tr").remove() }, "✕"))));
    for (const [name, value] of Object.entries(win.fans)) add(name, value);
    const more = h("select", { "aria-label": texts("add_fan"), onchange: () => {
      if (more.value) add(more.value, model.system.fans.values[more.value]);
      more.value = "";
    } }, h("option", { value: "" }, texts("add_fan")), Object.keys(model.system.fans.values).map((name) => h("option", { value: name }, texts.fan(name))));
    const fans = () => Object.fromEntries([...rows.querySelectorAll("input")].map((input) => [input.dataset.fan, Number(input.value)]));
    return [h("table.fans", {}, rows), more, h("div.buttons", {}, h("button.primary", { type: "button", "data-do": "amend", onclick: () => rule("amend", { fans: fans() }) }, texts("amend_fans")))];
  }

  // --- an event

  /** `event` as it stands, after the corrections before. A tile of it is another one wherever the event names it. */
  correct({ seq, ...event }) {
    const { model, texts, who } = this.context();
    const may = model.system.correctable[event.type];
    const slots = may.includes("tile") ? [...new Set([event.pai, ...(event.consumed ?? [])].filter(Boolean))] : [];
    const reason = this.#reason("");
    const put = (right) => this.#rule("correct", { seq, reason: reason.value.trim(), ...(right ? { event: right } : {}) });
    const grid = h("div.choices.tile-choices.all-tiles");
    const offer = (wrong) => grid.replaceChildren(...model.system.kinds.map((code) => h("button.tile-choice", { type: "button", "data-pai": code, onclick: () => {
      const right = (one) => (one === wrong ? code : one);
      put({ ...event, ...(event.pai ? { pai: right(event.pai) } : {}), ...(event.consumed ? { consumed: event.consumed.map(right) } : {}) });
    } }, tile(code, texts.lang))));
    if (slots.length === 1) offer(slots[0]);
    this.#open(texts("correct"), [
      h("p", {}, sentence(event, texts, who)?.text ?? texts(event.type)),
      h("fieldset", {}, h("legend", {}, texts("reason")), reason),
      h("div.buttons", {}, h("button.danger", { type: "button", "data-do": "take_out", onclick: () => put(null) }, texts("never_happened"))),
      may.includes("seat") ? h("fieldset", {}, h("legend", {}, texts("it_was_seat")), h("div.choices", {}, [0, 1, 2, 3].filter((seat) => seat !== event.actor).map((seat) =>
        h("button", { type: "button", "data-actor": seat, onclick: () => put({ ...event, actor: seat }) }, who(seat))))) : null,
      slots.length ? h("fieldset", {}, h("legend", {}, texts("it_was_tile")),
        slots.length > 1 ? h("div.choices.tile-choices", {}, slots.map((code) => h("button.tile-choice", { type: "button", "data-wrong": code, onclick: () => offer(code) }, tile(code, texts.lang)))) : null, grid) : null,
    ]);
  }

  // --- what all of them do

  #open(title, content, close = null) {
    const { texts } = this.context();
    this.problem.textContent = "";
    this.dialog.replaceChildren(
      h("div.dialog-head", {}, h("h2", { id: "dialog-title" }, title), h("button.quiet", { type: "button", "aria-label": texts("cancel"), onclick: () => this.dialog.close() }, close ?? "✕")),
      ...content.filter(Boolean), this.problem);
    this.dialog.setAttribute("aria-labelledby", "dialog-title");
    if (!this.dialog.open) this.dialog.showModal();
  }

  #rule(act, body) {
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== "" && value !== undefined));
    return this.#send(`referee/${act}`, given);
  }

  /** Whether it was done. */
  async #send(path, body) {
    try {
      await post(path, body);
      this.dialog.close();
      this.done(this.context().texts("done"));
      return true;
    } catch (error) {
      this.#tell(error);
      return false;
    }
  }

  #tell(error) {
    const { texts, who } = this.context();
    this.problem.textContent = texts.problem(error, who);
    this.problem.scrollIntoView({ block: "nearest" });
  }
}

/** The tiles that a seat holds, as far as they are known. */
const tilesOf = (seat) => [...seat.standing, seat.drawn].filter(Boolean);

const choice = (name, value, label, checked) =>
  h("label", {}, h("input", { type: "radio", name, value, checked }), h("span", {}, label));
