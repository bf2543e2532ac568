// A declared win: what it is worth and why, who has agreed, and what the referee makes of it.

import { fill, h } from "./dom.js";
import { parseTiles } from "./notation.js";
import { meld } from "./pieces.js";
import { tile } from "./tiles.js";
import { signed } from "./texts.js";

export function showProposal(node, model, texts, who, act) {
  const data = [model.declared, model.results, model.referee, model.ownSeat, model.agreed, model.announced, model.can, model.seats.map((s) => [s.name, s.wind]), texts.lang];
  fill(node, data, () => {
    if (model.results.length) return h("div.proposal.settled", {}, h("h2", {}, texts("result")), model.results.map((event) => result(event, who, texts)));
    if (!model.declared.length) return [];
    return h("div.proposal", {}, h("h2", {}, texts("proposal")),
      model.declared.map((win) => declared(win, model, who, texts, act)),
      steps(model, who, texts),
      model.referee ? h("div.buttons", {},
        h("button.danger", { type: "button", id: "refuse", onclick: () => act.refuse() }, texts("refuse")),
        model.declared.some((win) => ["amend", "apart", "inserted"].some((act) => model.can.seats[win.actor].rulings.includes(act))) ? h("button", { type: "button", id: "amend", onclick: () => act.amend() }, texts("amend")) : null,
        h("button.primary", { type: "button", id: "confirm", onclick: () => act.send("referee/confirm") }, texts("confirm")))
        : agreeing(model, texts, act));
  });
}

/** What a player, or who only watches, finds below the win. */
function agreeing(model, texts, act) {
  if (!model.can.player.includes("agree")) return h("p.soft", {}, texts(model.system.referee_confirms ? "waits_for_referee" : "waits_for_players"));
  return h("div.buttons", {}, h("button.primary", { type: "button", id: "agree", onclick: () => act.send("player/agree") }, texts("agree")));
}

/** 自报, 公议, 裁判核定: how far the win has come (competition J107). */
function steps(model, who, texts) {
  const winners = model.declared.map((win) => win.actor);
  const named = winners.map((seat) => (model.announced[seat] === undefined ? who(seat) : `${who(seat)} ${model.announced[seat]}`));
  const others = model.seats.filter((seat) => !winners.includes(seat.seat) && !seat.empty);
  const all = others.every((seat) => model.agreed.includes(seat.seat));
  return h("ol.steps-to-go", { "aria-label": texts("steps") },
    h("li.done", {}, h("b", {}, texts("step.declared")), named.join(" · ")),
    h("li", { class: all ? "done" : "now" }, h("b", {}, texts("step.agreed")), others.map((seat) =>
      h("span.agrees", { class: model.agreed.includes(seat.seat) ? "yes" : null }, `${model.agreed.includes(seat.seat) ? "✓" : "…"} ${who(seat.seat)}`))),
    h("li", { class: all || model.system.referee_confirms ? "now" : null }, h("b", {}, texts("step.confirmed"))));
}

/** The fans with the sets they come from and what each is worth. */
function fanTable(fans, score, proof, texts) {
  const proved = new Map(proof.filter((fan) => !fan.refused).map((fan) => [fan.name, fan]));
  return h("table.fans", {}, h("tbody", {},
    Object.entries(fans).map(([name, value]) => {
      const { sets = [], paragraph = "" } = proved.get(name) ?? {};
      return h("tr", {}, h("th", { scope: "row" }, texts.fan(name), paragraph ? h("small", {}, ` ${paragraph}`) : null),
        h("td.sets", {}, sets.map((set) => setOf(set, texts.lang))), h("td.value", {}, String(value)));
    }),
    h("tr.total", {}, h("th", { scope: "row" }, texts("total")), h("td", {}), h("td.value", {}, String(score)))));
}

const setOf = (text, lang) => h("span.tiles", {}, parseTiles(text).map((code) => tile(code, lang)));

const notCounted = (proof, who, texts) => {
  const left = proof.filter((fan) => fan.refused);
  return left.length ? h("details.left-out", { open: left.length < 4 }, h("summary", {}, texts("not_counted")),
    h("ul", {}, left.map((fan) => h("li", {}, h("b", {}, texts.fan(fan.name)), ` ${texts.phrase(fan.refused, who)}`)))) : null;
};

const payments = (deltas, who, texts) =>
  h("div.payments", { "aria-label": texts("pays"), role: "group" }, deltas.map((points, seat) =>
    h("span", { class: points > 0 ? "up" : points < 0 ? "down" : "zero" }, h("small", {}, who(seat)), signed(points))));

const winner = (win, who, texts) =>
  h("h3", {}, who(win.actor), h("span", {}, win.target === win.actor ? texts("self_draw") : texts("from", { who: who(win.target) })));

const shownHand = (win, lang) => win.hand === undefined ? null : h("div.win-hand", {},
  h("span.tiles", {}, win.hand.map((code) => tile(code, lang))),
  tile(win.pai, lang, "last"),
  win.melds.map((data) => meld(data, lang)),
  win.flowers.length ? h("span.tiles.flowers", {}, win.flowers.map((code) => tile(code, lang))) : null);

/** A declared win. Where the referee has to confirm, others see the hand but not yet what it is worth. */
function declared(win, model, who, texts, act) {
  const judged = !win.legal || win.score > 0 || Object.keys(win.fans).length > 0;
  return h("article.win", { class: win.legal ? null : "illegal" },
    winner(win, who, texts),
    shownHand(win, texts.lang),
    win.legal ? null : h("p.problem", {}, texts("refused_because", { reason: texts.reason(win.reason ?? "") })),
    judged && win.how?.length ? h("p.how", {}, win.how.map((how) => h("span.mark", {}, texts(`how.${how}`)))) : null,
    judged ? fanTable(win.fans, win.score, win.proof, texts) : null,
    judged ? notCounted(win.proof, who, texts) : null,
    judged ? payments(win.payments, who, texts) : null,
    model.can.seats[win.actor].rulings.includes("announce") ? announcing(win, model, texts, act) : null);
}

/** Where winners name their points: the referee enters what he heard (mcr T31). */
function announcing(win, model, texts, act) {
  const named = model.announced[win.actor];
  const input = h("input", { type: "number", min: "0", max: "1000", name: "points", inputmode: "numeric", value: String(named ?? win.score), "aria-label": texts("do.announce") });
  return h("form.announce", { onsubmit: (event) => {
    event.preventDefault();
    act.send("referee/announce", { seat: win.actor, points: Number(input.value) });
  } }, h("span", {}, texts(named === undefined ? "not_announced" : "announced", { n: named })),
  named !== undefined && named !== win.score ? h("span.mark.bad", {}, texts("differs", { n: win.score })) : null,
  input, h("button", { type: "submit" }, texts("do.announce")));
}

const result = (event, who, texts) => event.type === "ryukyoku"
  ? h("article.win", {}, h("h3", {}, texts("drawn"), h("span", {}, texts.reason(event.reason))))
  : h("article.win", {}, winner(event, who, texts), shownHand(event, texts.lang), fanTable(event.fans, event.score, event.proof ?? [], texts), payments(event.deltas, who, texts));
