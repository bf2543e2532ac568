// Beside the table: whose turn it is, what waits for somebody, scores and waits, events, machine, displays.

import { fill, h, mark, say } from "./dom.js";
import { tile } from "./tiles.js";
import { sentence, signed, whole, windName } from "./texts.js";

/** Alerts shown at once; the rest is a touch away. */
const SHOWN_ALERTS = 3;
const SHOWN_EVENTS = 150;

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
  fill(node, [model.phase, model.toAct, claims, model.paused, model.over, model.unconfirmed, model.hasHand, model.seats.map((s) => [s.name, s.wind]), texts.lang], () => {
    if (model.paused) return h("div.banner.paused", {}, h("strong", {}, texts("paused")));
    if (model.over) return h("div.banner", {}, h("strong", {}, texts("match_over")), h("span", {}, texts.reason(model.over)), model.unconfirmed ? h("span", {}, texts("unconfirmed")) : null);
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
  say(time, countdown === null ? "" : `${Math.max(0, Math.ceil(countdown.seconds))}`);
  time.classList.toggle("late", countdown !== null && countdown.seconds <= 3);
}

// --- is all well?

/** One look: the table is fine, so many things wait for somebody, or it cannot be seen. */
export function showHealth(node, model, link, texts) {
  const waiting = model.alerts.length + model.requests.length + model.faults.length + (model.declared.length ? 1 : 0);
  const mood = link === "down" ? "lost" : model.faults.length || model.alerts.length ? "bad" : waiting || model.paused || link === "late" ? "busy" : "fine";
  const said = mood === "lost" ? texts("health.lost") : waiting ? texts("health.waiting", { n: waiting }) : model.paused ? texts("paused") : texts(`health.${mood}`);
  const machine = model.machine ? texts(`state.${model.machine.state}`) : "";
  fill(node, [mood, said, machine, texts.lang], () => [h("b.lamp"), h("strong", {}, said), machine ? h("small", {}, machine) : null]);
  mark(node, "class", `health ${mood}`);
  return mood;
}

// --- what waits for somebody: faults, calls, alerts

export function showAlerts(node, model, texts, act) {
  const who = nameOf(model, texts);
  fill(node, [model.faults, model.alerts, model.requests, model.answers, model.referee, model.role, model.can, model.seats.map((s) => [s.name, s.wind]), texts.lang], () => [
    ...model.faults.map((fault) => faultCard(fault, model, texts, act)),
    ...model.requests.map((request) => requestCard(request, model, who, texts, act)),
    ...model.answers.map((told) => h("div.alert-card.calm", {}, h("div", {}, h("strong", {}, `${texts("score_query")} · ${who(told.seat)}`), answer(told, texts)))),
    ...model.alerts.slice(0, SHOWN_ALERTS).map((alert) => alertCard(alert, model, who, texts, act)),
    model.alerts.length > SHOWN_ALERTS ? h("details.more-alerts", {}, h("summary", {}, texts("more_alerts", { n: model.alerts.length - SHOWN_ALERTS })),
      model.alerts.slice(SHOWN_ALERTS).map((alert) => alertCard(alert, model, who, texts, act))) : null,
  ]);
}

function alertCard(alert, model, who, texts, act) {
  const seated = alert.seat !== null && alert.seat !== undefined;
  const reason = texts.alert(alert.code);
  const proposed = alert.proposal ?? (seated ? { do: "warning" } : null);
  const rule = (ruling) => act.send(`referee/${ruling.do}`, { seat: alert.seat, alert: alert.seq, reason, ...(ruling.points ? { points: ruling.points, to: model.system.penalties.to } : {}) });
  const known = proposed && model.can.seats[alert.seat]?.rulings.includes(proposed.do);
  const times = Math.max(alert.count ?? 1, alert.all.length);
  return h("div.alert-card", { "data-code": alert.code },
    h("div", {}, h("strong", {}, reason, times > 1 ? h("i.badge", {}, `×${times}`) : null),
      h("p", {}, [seated ? who(alert.seat) : "", texts.phrase(alert.detail, who)].filter(Boolean).join(" · "))),
    model.referee ? h("div.buttons", {},
      known ? h("button", { type: "button", "data-do": proposed.do, onclick: () => rule(proposed) }, texts(`do.${proposed.do}`), proposed.points ? ` −${proposed.points}` : "") : null,
      seated ? h("button", { type: "button", "data-do": "more", onclick: () => act.seat(alert.seat, { alert: alert.seq, reason }) }, texts("rule_on")) : null,
      h("button.quiet", { type: "button", "data-do": "dismiss", onclick: () => act.dismiss(alert.all) }, texts("dismiss"))) : null);
}

const requestCard = (request, model, who, texts, act) => h("div.alert-card.calm", { "data-request": request.what },
  h("div", {}, h("strong", {}, request.what === "call" ? texts("claim.call") : texts("score_query")), h("p", {}, who(request.seat))),
  model.referee ? h("div.buttons", {},
    h("button.primary", { type: "button", "data-do": "answer", onclick: () => act.send("referee/answer", { id: request.id }) }, texts(request.what === "call" ? "dismiss" : "answer")),
    request.what === "call" ? null : h("button.quiet", { type: "button", "data-do": "decline", onclick: () => act.send("referee/decline", { id: request.id }) }, texts("decline"))) : null);

/** The scores that a player asked for (问分, competition J102). */
export const answer = (told, texts) => h("table.fans.answer", {}, told.left === undefined ? null : h("caption", {}, texts("queries_left", { n: told.left })),
  h("tbody", {}, told.points.map((points, seat) => h("tr", {}, h("th", { scope: "row" }, told.names?.[seat] || texts("seat_n", { n: seat + 1 })), h("td", {}, whole(points)),
    told.totals ? h("td", {}, texts("sum_of_games", { n: told.totals[seat] })) : null))));

// --- scores, and who waits for what

export function showScores(node, model, texts, act = {}) {
  const data = model.seats.map((s) => [s.name, s.wind, s.points, s.change, s.inTurn, s.dealer, s.dead, s.offBoard, s.waits, s.penaltyTile, s.barred, s.mustDiscard, s.ready, s.empty]);
  fill(node, [data, model.sealed, model.pot, model.stakes, model.staff, texts.lang], () => [
    h("table.scores", {}, h("caption", {}, texts("scores")), h("tbody", {}, model.seats.map((seat) => [
      h("tr", { class: seat.inTurn ? "turn" : null, "data-seat": seat.seat },
        h("th", { scope: "row" }, seatHead(seat, model, texts, act)),
        h("td.change", { class: seat.change > 0 ? "up" : seat.change < 0 ? "down" : null }, seat.change ? signed(seat.change) : "",
          seat.offBoard ? h("small", {}, ` ${texts("off_board")} ${signed(seat.offBoard)}`) : null),
        h("td.points", {}, whole(seat.points))),
      remarks(seat, texts)]))),
    model.pot ? h("p.pot", {}, `${texts("pot")} `, h("b", {}, String(model.pot))) : null,
    stakesLine(model, texts),
    Object.entries(model.sealed).map(([what, digest]) => h("details.sealed", {}, h("summary", {}, texts(`sealed.${what}`), h("code", {}, digest.slice(0, 8))), h("code.digest", {}, digest))),
  ]);
}

function seatHead(seat, model, texts, act) {
  const parts = [h("b.wind", { class: seat.dealer ? "dealer" : null, title: seat.dealer ? texts("dealer") : null }, windName(seat.wind, texts.lang)),
    h("span", {}, seat.name || texts("seat_n", { n: seat.seat + 1 })),
    seat.dead ? h("span.mark.bad", { title: texts.reason(seat.dead) }, texts("dead_hand")) : null,
    seat.empty ? h("span.mark.bad", {}, texts("mechanical")) : null,
    seat.waits.length || seat.ready ? h("span.mark.ready", {}, texts("ready")) : null];
  if (!model.staff || !act.seat) return h("div", {}, parts);
  return h("button.seat-button", { type: "button", "data-rule-seat": seat.seat, title: texts(model.referee ? "rule_on_seat" : "help_seat"), onclick: () => act.seat(seat.seat) }, parts);
}

/** Under a seat: its waits and what each would score, tiles it must or must not discard. For who may know them. */
function remarks(seat, texts) {
  const worth = (one) => [one.discard, one.self_draw].map((value) => (value === null ? null : typeof value === "number" ? String(value) : texts.reason(value)));
  const waits = seat.waits.map((one) => {
    const [discard, own] = worth(one);
    const value = discard === own || own === null ? discard : discard === null ? `${texts("self_draw")} ${own}` : `${discard} / ${texts("self_draw")} ${own}`;
    return h("span.wait", { class: one.left ? null : "gone", "data-wait": one.tile }, tile(one.tile, texts.lang), h("b", {}, value), h("small", {}, texts("tiles_left", { n: one.left })));
  });
  const lines = [waits.length ? h("div.waits", { role: "group", "aria-label": texts("waits_for") }, waits) : null,
    marked(texts("do.penalty_tile"), seat.penaltyTile ? [seat.penaltyTile] : [], texts), marked(texts("must_discard"), seat.mustDiscard, texts), marked(texts("barred_kinds"), seat.barred, texts)].filter(Boolean);
  return lines.length ? h("tr.remarks", {}, h("td", { colspan: "3" }, lines)) : null;
}

const marked = (label, tiles, texts) => tiles.length ? h("div.waits", {}, h("small", {}, label), tiles.map((code) => tile(code, texts.lang))) : null;

/** 坐庄, 拉庄 (tianjin). */
function stakesLine(model, texts) {
  const { sit, pull = {} } = model.stakes;
  const pulls = Object.entries(pull).filter(([, n]) => n).map(([seat, n]) => `${nameOf(model, texts)(Number(seat))} ${texts.stake("pull", n)}`);
  const said = [sit ? texts.stake("sit", 1) : null, ...pulls].filter(Boolean);
  return said.length ? h("p.pot", {}, said.join(" · ")) : null;
}

// --- the tools of the referee, and of a player

export function showTools(node, model, texts, act) {
  fill(node, [model.referee, model.staff, model.ownSeat, model.can, model.pauseDue, model.unconfirmed, texts.lang], () => {
    if (model.ownSeat !== null) return h("div.tools", { role: "toolbar", "aria-label": texts("player") },
      model.can.player.includes("score_query") ? h("button", { type: "button", id: "score-query", onclick: () => act.send("player/score_query") }, texts("score_query")) : null,
      model.can.player.includes("call") ? h("button", { type: "button", id: "call-referee", onclick: () => act.send("player/call") }, texts("claim.call")) : null);
    if (!model.staff) return [];
    const table = h("button", { type: "button", id: "table-rulings", onclick: () => act.table() }, texts("table_rulings"));
    const entered = ["dice", "indicator"].some((what) => model.can.match.includes(what));
    const players = h("button", { type: "button", id: "players", onclick: () => act.players() }, texts("players"));
    if (!model.referee) return h("div.tools", { role: "toolbar", "aria-label": texts("players") }, entered ? table : null, players);
    return h("div.tools", { role: "toolbar", "aria-label": texts("referee_tools") },
      model.unconfirmed && model.can.rulings.includes("confirm") ? h("button.primary", { type: "button", id: "confirm-result", onclick: () => act.send("referee/confirm") }, texts("confirm_result")) : null,
      ["pause", "resume"].filter((act) => model.can.rulings.includes(act)).map((what) => h("button", { type: "button", id: "pause", class: what === "resume" || model.pauseDue ? "primary" : null,
        onclick: () => act.send(`referee/${what}`) }, texts(what), what === "pause" && model.pauseDue ? ` · ${texts("pause_due", { n: model.pauseDue })}` : "")),
      table, players);
  });
}

// --- tabs

/** The latest event first. What is new is put on top; the list is made anew only where its words change. */
export function showEvents(node, model, live, texts, act) {
  const who = nameOf(model, texts);
  const first = live.events.findLast((event) => event.type === "hand_opened")?.seq ?? 0;
  const corrections = live.events.filter((event) => event.type === "correction");
  const corrected = new Map(corrections.map((event) => [event.replaces, event.event ?? null]));
  fill(node, [first, model.referee, model.seats.map((s) => [s.name, s.wind]), texts.lang, live.journal, live.events.length > 0, corrections.length, "events"], () =>
    live.events.length ? h("ol.events", { reversed: true }) : h("p.soft", {}, texts("no_events")));
  const list = node.querySelector(".events");
  if (!list) return;
  const told = Number(list.dataset.seq ?? 0);
  const item = (event) => {
    const said = sentence(event, texts, who);
    if (!said) return null;
    const other = corrected.has(event.seq);
    const stands = other ? corrected.get(event.seq) : event;
    const fix = model.can.rulings.includes("correct") && act && event.seq >= first && stands && model.system.correctable[stands.type];
    return h("li", { class: [said.kind, other ? "corrected" : ""].filter(Boolean).join(" "), "data-seq": event.seq }, other ? h("s", {}, said.text) : said.text,
      fix ? h("button.fix", { type: "button", title: texts("correct"), "aria-label": `${texts("correct")}: ${said.text}`, onclick: () => act.correct({ ...stands, seq: event.seq }) }, "✎") : null);
  };
  const fresh = live.events.filter((event) => event.seq > told).slice(-SHOWN_EVENTS);
  list.prepend(...fresh.map(item).filter(Boolean).reverse());
  if (fresh.length) list.dataset.seq = fresh.at(-1).seq;
  while (list.children.length > SHOWN_EVENTS) list.lastElementChild.remove();
}

export function showMachine(node, model, live, texts, act) {
  const machine = live.state.machine ?? null;
  const faults = live.state.faults ?? [];
  fill(node, [machine, faults, model.role, texts.lang, "machine"], () => [
    machine ? h("div.machine", {},
      h("p.machine-state", { class: machine.state === "fault" ? "bad" : machine.ready ? "good" : null }, texts(`state.${machine.state}`)),
      (machine.sides ?? []).length ? h("div.sides", {}, machine.sides.map((side, seat) => h("label", {},
        h("span", {}, nameOf(model, texts)(seat)), h("progress", { max: String(side.target || 1), value: String(Math.min(side.tiles, side.target)) }), h("small", {}, `${side.tiles}/${side.target}`)))) : null,
      model.staff ? h("div.buttons", {}, ["lift", "pause", "resume", "shuffle"].map((name) =>
        h("button", { type: "button", "data-do": name, disabled: !machine.commands.includes(name), onclick: () => act.send(`machine/${name}`) }, texts(`machine.${name}`))),
        h("button.danger.solid", { type: "button", "data-do": "stop", onclick: () => act.send("machine/stop") }, texts("machine.stop"))) : null,
      model.staff && machine.programmes.length > 1 ? programmes(machine, texts, act) : null)
      : h("p.soft", {}, texts("no_machine")),
    h("h2", {}, texts("faults")),
    faults.length ? faults.map((fault) => faultCard(fault, model, texts, act)) : h("p.soft", {}, texts("no_faults")),
  ]);
}

/** 挡位: how many tiles a set has from the next shuffle on. */
const programmes = (machine, texts, act) => h("fieldset.programmes", {}, h("legend", {}, texts("machine.programme")),
  h("div.choices", {}, machine.programmes.map((tiles) => h("button", { type: "button", "data-programme": tiles, "aria-pressed": String(tiles === machine.next_programme),
    onclick: () => act.send("machine/programme", { tiles }) }, texts("tiles_n", { n: tiles })))),
  machine.programme === machine.next_programme ? null : h("p.soft", {}, texts("programme_next", { now: machine.programme, next: machine.next_programme })));

const faultCard = (fault, model, texts, act) => {
  const words = fault[texts.lang] ?? fault;
  return h("div.alert-card.fault", {},
    h("div", {}, h("strong", {}, [fault.code, words.title].filter(Boolean).join(" · ")),
      fault.where || fault.detail ? h("p", {}, [fault.where, fault.detail].filter(Boolean).join(": ")) : null,
      words.usual?.length ? h("p", {}, `${texts("usual_cause")}：${words.usual.join("; ")}`) : null,
      words.next ? h("p", {}, `${texts("next_step")}：${words.next}`) : null),
    (fault.clear_by ?? []).includes(model.role) ? h("div.buttons", {}, h("button", { type: "button", onclick: () => act.send("faults/clear", { id: fault.id }) }, texts("clear"))) : null);
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
