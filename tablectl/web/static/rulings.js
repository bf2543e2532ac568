// The referee's dialogs: a seat, the table, an event that was read wrongly, a win to refuse or to amend. What is
// touched is done at once; the reason, where one is known, is filled in beforehand.

import { h } from "./dom.js";
import { post } from "./live.js";
import { answer } from "./panel.js";
import { CODES, tile } from "./tiles.js";
import { sentence } from "./texts.js";

/** What is commonly the matter, by act: keys of words. */
const USUAL = ["late", "talk", "signals", "covered", "disturbance", "slow"];
/** Keys of a pad that may be pressed for a seat whose own are broken. */
const KEYS = ["dice", "chow", "pung", "kong", "win", "flower", "pass"];
const NUMBERED = { sit: [0, 1], pull: [0, 1, 2] };
const MINUTES = [1, 2, 5, 10];
/** Events of a hand that can be corrected, and what of them is a tile. */
const CORRECTABLE = new Set(["tsumo", "flower", "dahai", "chi", "pon", "daiminkan", "ankan", "kakan", "show", "pay", "dead_hand", "ready"]);
const SEATED = new Set(["tsumo", "flower", "dahai"]);
/** Melds of equal tiles: one that was read wrongly was read wrongly as a whole. */
const EQUAL = new Set(["pon", "daiminkan", "ankan", "kakan"]);

/** Phases in which the indicator may still be unknown to the table: it is due, or the power failed. */
const MOVING = new Set(["flowers", "indicator", "turn", "replacing", "claimed", "discarded", "robbing", "last_round"]);

export const correctable = (event) => CORRECTABLE.has(event.type);

export class Rulings {
  /** `dialog` shows them; `context()` gives { model, texts, who, events }; `done(message)` is told of what was ruled. */
  constructor(dialog, context, done) {
    this.dialog = dialog;
    this.context = context;
    this.done = done;
    this.problem = h("p.problem", { role: "alert" });
  }

  // --- a seat

  /** Everything that can be ruled on a seat; `given` is what an alert says: { alert, reason }. */
  seat(number, given = {}) {
    const { model, texts, who } = this.context();
    const seat = model.seats[number];
    const can = (act) => model.can.rulings.includes(act);
    const reason = this.#reason(given.reason ?? "");
    const rule = (act, more = {}) => this.#rule(act, { seat: number, ...(given.alert ? { alert: given.alert } : {}), ...more, reason: reason.value.trim() });
    const button = (act, more) => h("button", { type: "button", "data-do": act, onclick: () => rule(act, more) }, texts(`do.${act}`));
    this.#open(who(number), [
      this.#reasons(reason),
      h("div.buttons.acts", {}, can("warning") ? button("warning") : null,
        seat.dead ? button("revive") : button("dead_hand"),
        can("put_back") ? button("put_back") : null,
        can("unclear_call") ? button("unclear_call") : null,
        seat.empty ? button("seat_taken") : button("seat_empty")),
      this.#penalty(number, rule),
      can("count") ? this.#counting(rule) : null,
      seat.standing.length ? this.#penaltyTile(seat, rule) : null,
      can("expose") && seat.standing.length ? this.#exposing(seat, rule) : null,
      this.#keys(number),
      h("div.buttons.acts", {}, model.can.score_queries ? h("button", { type: "button", "data-do": "score_query", onclick: () => this.#query(number) }, texts("score_query")) : null,
        h("button", { type: "button", "data-do": "pairing", onclick: () => this.#send("pairing", { seat: number }) }, texts("pairing"))),
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
    const { amounts, to, pot } = model.can.penalties;
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
    const tiles = [...seat.standing, ...(seat.drawn === undefined ? [] : [seat.drawn])].filter(Boolean);
    return h("div.choices.tile-choices", {}, [...new Set(tiles)].map((code) =>
      h("button.tile-choice", { type: "button", "data-pai": code, onclick: () => chosen(code) }, tile(code, texts.lang))));
  }

  /** 曝光牌: tiles that were seen together (beijing T17). */
  #exposing(seat, rule) {
    const { texts } = this.context();
    const tiles = [...seat.standing, ...(seat.drawn === undefined ? [] : [seat.drawn])].filter(Boolean);
    const box = h("div.choices.tile-choices", {}, tiles.map((code) => h("label", {}, h("input", { type: "checkbox", name: "tiles", value: code }), h("span.tile-choice", {}, tile(code, texts.lang)))));
    const picked = () => [...box.querySelectorAll(":checked")].map((input) => input.value);
    return h("fieldset", {}, h("legend", {}, texts("do.expose")), box,
      h("button", { type: "button", "data-do": "expose", onclick: () => rule("expose", { tiles: picked() }) }, texts("do.expose")));
  }

  /** Keys of a pad that is broken; of `sit` and `pull` one for each number it may carry (tianjin T203, T204). */
  #keys(seat) {
    const { model, texts } = this.context();
    const keys = [...KEYS, ...model.can.extra_keys].flatMap((key) => NUMBERED[key]?.map((n) => ({ key, n })) ?? [{ key }]);
    return h("fieldset", {}, h("legend", {}, texts("press_for")), h("div.choices.small", {}, keys.map((press) =>
      h("button.chip", { type: "button", "data-key": [press.key, press.n].join(""), onclick: () => this.#send("match/key", { seat, ...press }) },
        texts(`claim.${press.key}`), press.n === undefined ? "" : ` ${press.n}`))));
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
      h("fieldset", {}, h("legend", {}, texts("reason")), reason),
      h("div.buttons.acts", {},
        model.paused ? button("resume", () => rule("resume")) : button("pause", () => rule("pause")),
        model.playing ? button("draw_hand", () => sure("draw_hand")) : null,
        can("replay_hand") && model.playing ? button("replay_hand", () => sure("replay_hand")) : null,
        model.canUndo ? button("undo", () => sure("undo")) : null,
        button("end_game", () => sure("end_game"))),
      can("extra_time") ? h("fieldset", {}, h("legend", {}, texts("do.extra_time")), h("div.choices", {}, MINUTES.map((minutes) =>
        h("button", { type: "button", "data-minutes": minutes, onclick: () => rule("extra_time", { seconds: 60 * minutes }) }, texts("minutes", { n: minutes }))))) : null,
      model.phase === "dice" ? this.#dice() : null,
      model.can.indicator && !model.indicator && MOVING.has(model.phase) ? h("fieldset", {}, h("legend", {}, texts("enter_indicator")), this.#indicator())
        : model.playing && model.indicator ? h("details", {}, h("summary", {}, texts("other_indicator")), this.#indicator()) : null,
    ]);
  }

  /** The tile that lies as the indicator. */
  #indicator() {
    const { texts } = this.context();
    return h("div.choices.tile-choices", {}, CODES.map((code) =>
      h("button.tile-choice", { type: "button", "data-pai": code, onclick: () => this.#send("match/indicator", { tile: code }) }, tile(code, texts.lang))));
  }

  /** Who sits where; and a match begun or ended, which staff may do. */
  players() {
    const { model, texts } = this.context();
    const inputs = model.seats.map((seat) => h("input", { type: "text", name: `name-${seat.seat}`, maxlength: "40", value: seat.name, autocomplete: "off" }));
    const names = () => inputs.map((input) => input.value.trim());
    const button = (act, onclick) => h("button", { type: "button", "data-do": act, onclick }, texts(`do.${act}`));
    this.#open(texts("players"), [
      h("div.names", {}, model.seats.map((seat, n) => h("label", {}, h("span", {}, texts.seatWind(seat.wind) || texts("seat_n", { n: n + 1 })), inputs[n]))),
      h("div.buttons.acts", {}, button("seats", () => this.#send("match/seats", { names: names() })),
        model.playing ? null : button("start", () => this.#sure(texts("do.start"), texts("sure.start", { names: names().join(" · ") }), () => this.#send("match/start", { names: names() }))),
        button("end_game", () => this.#sure(texts("do.end_game"), texts("sure.end_game"), () => this.#send("match/end", {})))),
    ]);
  }

  /** What the dice show, where the table cannot read them: the last die touched enters the throw. */
  #dice() {
    const { model, texts } = this.context();
    const faces = Array(model.can.dice).fill(null);
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
    const can = (act) => model.can.rulings.includes(act);
    const reason = this.#reason("");
    const parts = model.declared.map((win) => {
      const rule = (act, body = {}) => this.#rule(act, { seat: win.actor, reason: reason.value.trim(), ...body });
      return h("fieldset", {}, h("legend", {}, who(win.actor)), can("amend") && win.legal ? this.#fans(win, rule) : null,
        can("inserted") ? h("div.choices", {}, h("span.label", {}, texts("winning_tile")), ["apart", "inserted"].map((act) =>
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
      if (more.value) add(more.value, model.can.fans.values[more.value]);
      more.value = "";
    } }, h("option", { value: "" }, texts("add_fan")), Object.keys(model.can.fans.values).map((name) => h("option", { value: name }, texts.fan(name))));
    const fans = () => Object.fromEntries([...rows.querySelectorAll("input")].map((input) => [input.dataset.fan, Number(input.value)]));
    return [h("table.fans", {}, rows), more, h("div.buttons", {}, h("button.primary", { type: "button", "data-do": "amend", onclick: () => rule("amend", { fans: fans() }) }, texts("amend_fans")))];
  }

  // --- an event

  correct(event) {
    const { texts, who } = this.context();
    const equal = EQUAL.has(event.type);
    const all = [...(event.pai ? [["pai", null, event.pai]] : []), ...(event.consumed ?? []).map((code, n) => ["consumed", n, code])];
    const slots = equal ? all.slice(0, 1) : all;
    const fixed = structuredClone(event);
    delete fixed.seq;
    const reason = this.#reason("");
    const put = (right) => this.#rule("correct", { seq: event.seq, reason: reason.value.trim(), ...(right ? { event: right } : {}) });
    const grid = h("div.choices.tile-choices.all-tiles");
    const offer = ([key, n]) => grid.replaceChildren(...CODES.map((code) => h("button.tile-choice", { type: "button", "data-pai": code, onclick: () => {
      if (equal) for (const [name, place] of all) place === null ? (fixed[name] = code) : (fixed[name][place] = code);
      else if (n === null) fixed[key] = code;
      else fixed[key][n] = code;
      put(fixed);
    } }, tile(code, texts.lang))));
    if (slots.length === 1) offer(slots[0]);
    this.#open(texts("correct"), [
      h("p", {}, sentence(event, texts, who)?.text ?? texts(event.type)),
      h("fieldset", {}, h("legend", {}, texts("reason")), reason),
      h("div.buttons", {}, h("button.danger", { type: "button", "data-do": "take_out", onclick: () => put(null) }, texts("never_happened"))),
      SEATED.has(event.type) ? h("fieldset", {}, h("legend", {}, texts("it_was_seat")), h("div.choices", {}, [0, 1, 2, 3].filter((seat) => seat !== event.actor).map((seat) =>
        h("button", { type: "button", "data-actor": seat, onclick: () => put({ ...fixed, actor: seat }) }, who(seat))))) : null,
      slots.length ? h("fieldset", {}, h("legend", {}, texts("it_was_tile")),
        slots.length > 1 ? h("div.choices.tile-choices", {}, slots.map((slot) => h("button.tile-choice", { type: "button", onclick: () => offer(slot) }, tile(slot[2], texts.lang)))) : null, grid) : null,
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
    const { texts } = this.context();
    this.problem.textContent = error.message === "offline" ? texts("offline") : error.message;
    this.problem.scrollIntoView({ block: "nearest" });
  }
}

const choice = (name, value, label, checked) =>
  h("label", {}, h("input", { type: "radio", name, value, checked }), h("span", {}, label));
