// Beside the table: whose turn it is, alerts, the declared win, scores, events, machine, displays.

import { fill, h } from "./dom.js";
import { meld } from "./pieces.js";
import { tile } from "./tiles.js";
import { sentence, signed, windName } from "./texts.js";

/** Names a seat: its wind and who sits there. */
export const nameOf = (model, texts) => (seat) => {
  const one = model.seats[seat];
  if (!one) return "";
  const wind = windName(one.wind, texts.lang);
  return one.name ? `${wind} ${one.name}` : texts.seatWind(one.wind) || texts("seat_n", { n: seat + 1 });
};

// --- whose turn

export function showNow(node, model, texts) {
  const claims = model.claimsUntil !== null;
  fill(node, [model.phase, model.toAct, claims, model.paused, model.over, model.hasHand, model.seats.map((s) => [s.name, s.wind]), texts.lang], () => {
    if (model.paused) return h("div.banner.paused", {}, h("strong", {}, texts("paused")));
    if (model.over) return h("div.banner", {}, h("strong", {}, texts("match_over")), h("span", {}, texts.reason(model.over)));
    if (!model.hasHand) return h("div.banner", {}, h("strong", {}, texts("no_hand")));
    const seat = model.toAct === null ? null : model.seats[model.toAct];
    const what = model.phase === "discarded" ? "phase.waiting_draw" : `phase.${model.phase}`;
    if (!seat) return h("div.banner", { class: model.phase === "declared" ? "attention" : null }, h("strong", {}, texts(what)));
    return h("div.banner.active", {},
      h("b.wind", { class: seat.dealer ? "dealer" : null }, windName(seat.wind, texts.lang)),
      h("strong", {}, seat.name || texts.seatWind(seat.wind)),
      h("span.what", {}, texts(what), claims ? h("em.claims", {}, texts("claims_open")) : null),
      h("span.time", { "aria-hidden": "true" }));
  });
}

export function tickNow(node, countdown) {
  const time = node.querySelector(".time");
  if (!time) return;
  time.textContent = countdown === null ? "" : `${Math.max(0, Math.ceil(countdown.seconds))}`;
  time.classList.toggle("late", countdown !== null && countdown.seconds <= 3);
}

// --- alerts

export function showAlerts(node, model, texts, act) {
  const who = nameOf(model, texts);
  fill(node, [model.alerts, model.referee, texts.lang], () => model.alerts.map((alert) =>
    h("div.alert-card", {},
      h("div", {}, h("strong", {}, texts.alert(alert.code)),
        h("p", {}, [alert.seat === null || alert.seat === undefined ? "" : who(alert.seat), alert.detail].filter(Boolean).join(" · "))),
      model.referee ? h("div.buttons", {},
        h("button", { type: "button", onclick: () => act.rule({ seat: alert.seat, alert: alert.seq, reason: texts.alert(alert.code) }) }, texts("rule_on")),
        h("button", { type: "button", onclick: () => act.send("referee/dismiss", { alert: alert.seq }) }, texts("dismiss"))) : null)));
}

// --- the declared win

export function showProposal(node, model, texts, act) {
  const who = nameOf(model, texts);
  fill(node, [model.declared, model.results, model.referee, model.seats.map((s) => s.name), texts.lang], () => {
    if (model.results.length) return h("div.proposal.settled", {}, h("h2", {}, texts("result")), model.results.map((event) => result(event, who, texts)));
    if (!model.declared.length) return [];
    return h("div.proposal", {}, h("h2", {}, texts("proposal")),
      model.declared.map((win) => declared(win, who, texts)),
      model.referee ? h("div.buttons", {},
        h("button.danger", { type: "button", id: "refuse", onclick: () => act.send("referee/refuse") }, texts("refuse")),
        h("button.primary", { type: "button", id: "confirm", onclick: () => act.send("referee/confirm") }, texts("confirm")))
        : h("p.soft", {}, texts("waits_for_referee")));
  });
}

const fanTable = (fans, score, texts) =>
  h("table.fans", {}, h("tbody", {},
    Object.entries(fans).map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, String(value)))),
    h("tr.total", {}, h("th", { scope: "row" }, texts("total")), h("td", {}, String(score)))));

const payments = (deltas, who, texts) =>
  h("div.payments", { "aria-label": texts("pays") }, deltas.map((points, seat) =>
    h("span", { class: points > 0 ? "up" : points < 0 ? "down" : "zero" }, h("small", {}, who(seat)), signed(points))));

const winner = (win, who, texts) =>
  h("h3", {}, who(win.actor), h("span", {}, win.target === win.actor ? texts("self_draw") : texts("from", { who: who(win.target) })));

const shownHand = (win, lang) => win.hand === undefined ? null : h("div.win-hand", {},
  h("span.tiles", {}, win.hand.map((code) => tile(code, lang))),
  tile(win.pai, lang, "last"),
  win.melds.map((data) => meld(data, lang)),
  win.flowers.length ? h("span.tiles.flowers", {}, win.flowers.map((code) => tile(code, lang))) : null);

/** A declared win. Where the referee has to confirm, others see the hand but not yet what it is worth. */
function declared(win, who, texts) {
  const judged = !win.legal || win.score > 0 || Object.keys(win.fans).length > 0;
  return h("article.win", { class: win.legal ? null : "illegal" },
    winner(win, who, texts),
    shownHand(win, texts.lang),
    win.legal ? null : h("p.problem", {}, texts("refused_because", { reason: texts.reason(win.reason ?? "") })),
    judged ? fanTable(win.fans, win.score, texts) : null,
    judged ? payments(win.payments, who, texts) : null,
    win.proof.length ? h("details", {}, h("summary", {}, texts("proof")), h("ul", {}, win.proof.map((fan) => proof(fan, texts)))) : null);
}

const proof = (fan, texts) =>
  h("li", { class: fan.refused ? "soft" : null }, h("b", {}, fan.name),
    ` ${fan.refused ? `${texts("not_counted")}: ${fan.refused}` : fan.value} ${(fan.sets ?? []).join(" ")} `,
    fan.paragraph ? h("small", {}, fan.paragraph) : null);

const result = (event, who, texts) => event.type === "ryukyoku"
  ? h("article.win", {}, h("h3", {}, texts("drawn"), h("span", {}, texts.reason(event.reason))))
  : h("article.win", {}, winner(event, who, texts), shownHand(event, texts.lang), fanTable(event.fans, event.score, texts), payments(event.deltas, who, texts));

// --- scores

export function showScores(node, model, texts) {
  fill(node, [model.seats.map((s) => [s.name, s.wind, s.points, s.change, s.inTurn, s.dealer, s.dead, s.offBoard]), model.sealed, texts.lang], () => [
    h("table.scores", {}, h("caption", {}, texts("scores")), h("tbody", {}, model.seats.map((seat) =>
      h("tr", { class: seat.inTurn ? "turn" : null },
        h("th", { scope: "row" }, h("div", {}, h("b.wind", { class: seat.dealer ? "dealer" : null, title: seat.dealer ? texts("dealer") : null }, windName(seat.wind, texts.lang)),
          h("span", {}, seat.name || texts("seat_n", { n: seat.seat + 1 })), seat.dead ? h("span.mark.bad", {}, texts("dead_hand")) : null)),
        h("td.change", { class: seat.change > 0 ? "up" : seat.change < 0 ? "down" : null }, seat.change ? signed(seat.change) : "",
          seat.offBoard ? h("small", {}, ` ${texts("off_board")} ${signed(seat.offBoard)}`) : null),
        h("td.points", {}, String(seat.points)))))),
    Object.entries(model.sealed).map(([what, digest]) => h("p.sealed", {}, `${texts(`sealed.${what}`)} `, h("code.digest", {}, digest))),
  ]);
}

// --- the referee's tools

export function showReferee(node, model, texts, act) {
  fill(node, [model.referee, model.paused, model.canUndo, texts.lang], () => !model.referee ? [] :
    h("div.tools", { role: "toolbar", "aria-label": texts("referee_tools") },
      model.paused
        ? h("button.primary", { type: "button", onclick: () => act.send("referee/resume") }, texts("resume"))
        : h("button", { type: "button", onclick: () => act.send("referee/pause") }, texts("pause")),
      h("button", { type: "button", id: "rule", onclick: () => act.rule({}) }, texts("ruling")),
      h("button", { type: "button", disabled: !model.canUndo, onclick: () => confirm(texts("undo_sure")) && act.send("referee/undo") }, texts("undo"))));
}

// --- tabs

export function showEvents(node, model, live, texts) {
  const who = nameOf(model, texts);
  const recent = live.events.slice(-150);
  fill(node, [recent.at(-1)?.seq, recent.length, model.seats.map((s) => [s.name, s.wind]), texts.lang, "events"], () => {
    const items = recent.map((event) => ({ event, said: sentence(event, texts, who) })).filter(({ said }) => said).reverse();
    if (!items.length) return h("p.soft", {}, texts("no_events"));
    return h("ol.events", { reversed: true }, items.map(({ event, said }) =>
      h("li", { class: said.kind, "data-seq": event.seq }, said.text)));
  });
}

export function showMachine(node, model, live, texts, act) {
  const machine = live.state.machine ?? null;
  const faults = live.state.faults ?? [];
  fill(node, [machine, faults, model.staff, texts.lang, "machine"], () => [
    machine ? h("div.machine", {},
      h("p.machine-state", { class: machine.state === "fault" ? "bad" : machine.ready ? "good" : null }, texts(`state.${machine.state}`)),
      (machine.sides ?? []).length ? h("div.sides", {}, machine.sides.map((side, seat) => h("label", {},
        h("span", {}, nameOf(model, texts)(seat)), h("progress", { max: String(side.target || 1), value: String(Math.min(side.tiles, side.target)) }), h("small", {}, `${side.tiles}/${side.target}`)))) : null,
      model.staff ? h("div.buttons", {}, ["lift", "pause", "resume", "shuffle"].map((name) =>
        h("button", { type: "button", onclick: () => act.send(`machine/${name}`) }, texts(`machine.${name}`))),
        h("button.danger.solid", { type: "button", onclick: () => act.send("machine/stop") }, texts("machine.stop"))) : null)
      : h("p.soft", {}, texts("no_machine")),
    h("h2", {}, texts("faults")),
    faults.length ? faults.map((fault) => faultCard(fault, model, texts, act)) : h("p.soft", {}, texts("no_faults")),
  ]);
}

export const faultCard = (fault, model, texts, act) => {
  const words = fault[texts.lang] ?? fault;
  return h("div.alert-card.fault", {},
    h("div", {}, h("strong", {}, [fault.code, words.title].filter(Boolean).join(" · ")),
      fault.where || fault.detail ? h("p", {}, [fault.where, fault.detail].filter(Boolean).join(": ")) : null,
      words.usual?.length ? h("p", {}, `${texts("usual_cause")}：${words.usual.join("; ")}`) : null,
      words.next ? h("p", {}, `${texts("next_step")}：${words.next}`) : null),
    model.staff ? h("div.buttons", {}, h("button", { type: "button", onclick: () => act.send("faults/clear", { id: fault.id }) }, texts("clear"))) : null);
};

export function showDisplay(node, live, texts) {
  const screens = live.state.display?.screens ?? [];
  fill(node, [screens, texts.lang, "display"], () => screens.length ? screens.map((screen) => h("figure.screen", {},
    screen.png ? h("img", { src: `data:image/png;base64,${screen.png}`, alt: (screen.lines ?? []).join(" · ") }) : null,
    h("figcaption", {}, h("b", {}, screen.name ?? ""), (screen.lines ?? []).map((line) => h("span", {}, line))))) : h("p.soft", {}, texts("no_display")));
}

export function showSim(node, live, texts, act) {
  const faults = live.state.sim?.faults ?? [];
  fill(node, [faults, texts.lang, "sim"], () => h("div.sim", {}, faults.map((fault) => h("button", { type: "button", title: fault.help ?? "",
    onclick: () => act.send("sim/fault", { fault: fault.name, ...(fault.params ?? {}) }) }, h("b", {}, fault.name), fault.help ? h("small", {}, fault.help) : null))));
}
