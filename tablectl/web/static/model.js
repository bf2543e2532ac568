// From the state the core publishes to what the page draws. The only module that knows the shape of the table's view
// (`tablectl.game.views`).

import { parseMelds, parseTiles } from "./notation.js";

const SEATS = [0, 1, 2, 3];
const PLACES = { dahai: "river", flower: "flowers", tsumo: "standing", chi: "melds", pon: "melds", daiminkan: "melds", ankan: "melds", kakan: "melds" };
/** Roles that may tell the machine. */
const STAFF = new Set(["referee", "operator", "admin"]);

export function modelOf(live) {
  const table = live.state.table ?? {};
  const { hand = null, match = {} } = table;
  const results = resultsOf(live.events, hand);
  const discarders = results.filter((event) => event.type === "hora" && event.target !== event.actor).map((event) => event.target);
  const seats = SEATS.map((seat) => seatOf(seat, hand, table, discarders.includes(seat), live.state.waits?.[seat] ?? []));
  const site = live.state.site ?? {};
  return {
    referee: live.role === "referee",
    staff: STAFF.has(live.role),
    ownSeat: live.role === "player" ? table.seat ?? null : null,
    simulated: Boolean(table.simulated ?? site.simulated),
    site: site.table ?? "",
    rules: table.rules ?? "",
    system: site.rules ?? NO_RULES,
    can: { ...NOTHING, ...live.state.can },
    pairing: Boolean(site.pairing),
    role: live.role,
    matchPhase: match.phase ?? "waiting",
    hasHand: hand !== null,
    playing: hand !== null && hand.phase !== "ended",
    phase: hand?.phase ?? "idle",
    toAct: hand?.to_act ?? null,
    turn: hand?.turn ?? null,
    paused: Boolean(match.paused),
    over: match.over ?? null,
    unconfirmed: Boolean(match.unconfirmed),
    pauseDue: match.pause_due ?? 0,
    game: match.game ?? 1,
    number: hand?.number ?? match.hand ?? 1,
    dealer: hand?.dealer ?? match.dealer ?? 0,
    prevalent: hand?.prevalent ?? match.prevalent ?? "E",
    streak: hand?.streak ?? match.streak ?? 0,
    factor: hand?.factor ?? 1,
    pot: hand ? hand.pot ?? 0 : match.carry?.pot ?? 0,
    stakes: hand?.stakes ?? {},
    seats,
    walls: live.state.walls ?? SEATS.map(() => []),
    wallLeft: hand?.drawable || hand?.wall_left || 0,
    dice: hand?.dice ?? [],
    indicator: hand?.indicator ?? null,
    sealed: hand?.commitments ?? {},
    wild: hand?.wild ?? [],
    perRow: 6,
    last: lastMove(live.events, seats),
    declared: (hand?.declared ?? []).map(declaredOf),
    results,
    agreed: hand?.phase === "declared" ? hand.passed ?? [] : [],
    announced: hand?.announced ?? {},
    alerts: grouped(hand?.alerts ?? []),
    requests: live.state.requests ?? [],
    answers: live.state.answers ?? [],
    faults: live.state.faults ?? [],
    machine: live.state.machine ?? null,
    since: hand?.since ?? null,
    deadline: hand?.phase === "ended" ? null : hand?.deadline ?? null,
    claimsUntil: hand?.claims_until ?? null,
    claimsOpen: (now) => Boolean(hand?.claims_until && now !== null && now < hand.claims_until),
  };
}

/** What a page knows of the rules before the core has told it. */
const NO_RULES = { fans: { values: {}, en: {} }, penalties: { amounts: [], to: "nobody", pot: false }, referee_confirms: true, dice: 2, kinds: [], correctable: {} };
/** What can be done before the core has told it, and by who may do nothing. */
const NOTHING = { match: [], rulings: [], seats: SEATS.map(() => ({ rulings: [], keys: [] })), player: [] };

/** Alerts of one kind and seat together, the latest first: the latest one with the numbers of all of them. */
function grouped(alerts) {
  const groups = new Map();
  for (const alert of alerts) {
    const key = `${alert.code} ${alert.seat ?? ""}`;
    const before = groups.get(key);
    groups.delete(key);
    groups.set(key, { ...alert, all: [...(before?.all ?? []), alert.seq] });
  }
  return [...groups.values()].reverse();
}

function seatOf(seat, hand, table, gaveWin, waits) {
  const view = hand?.seats?.[seat] ?? {};
  const match = table.match ?? {};
  const dealer = hand?.dealer ?? match.dealer ?? 0;
  const points = view.points ?? match.points?.[seat] ?? 0;
  const standing = view.standing ?? Array.from({ length: view.count ?? 0 }, () => null);
  // The drawn tile is the last one and lies apart; whoever holds 3n + 2 tiles has one to discard.
  const holdsDrawn = Boolean(view.drawn) || standing.length % 3 === 2;
  return {
    seat,
    name: view.name || table.names?.[seat] || "",
    wind: view.wind ?? "ESWN"[(seat - dealer + 4) % 4],
    dealer: seat === dealer,
    inTurn: hand?.to_act === seat,
    points,
    change: hand?.start_points ? points - hand.start_points[seat] : 0,
    offBoard: hand?.off_board?.[seat] || match.off_board?.[seat] || 0,
    standing: holdsDrawn ? standing.slice(0, -1) : standing,
    drawn: holdsDrawn ? standing.at(-1) : undefined,
    known: standing.some(Boolean),
    melds: view.melds ?? [],
    flowers: view.flowers ?? [],
    river: (view.river ?? []).map((one, n, all) => ({
      tile: one.tile,
      claimed: one.claimed_by !== null && one.claimed_by !== undefined,
      won: gaveWin && n === all.length - 1 && Boolean(hand.winners?.includes(one.claimed_by)),
    })),
    dead: view.dead ?? null,
    ready: Boolean(view.ready),
    waits,
    penaltyTile: view.penalty_tile ?? null,
    barred: view.barred ?? [],
    mustDiscard: view.must_discard ?? [],
    empty: (match.empty_seats ?? []).includes(seat),
    hung: view.hung ?? null,
    shown: view.shown ?? [],
    call: hand?.calls?.[seat] ?? null,
  };
}

/** The tile moved last: { seat, zone, index } or null. */
function lastMove(events, seats) {
  const event = events.findLast((one) => PLACES[one.type] || one.type === "hand_opened");
  if (!event || event.type === "hand_opened") return null;
  const zone = PLACES[event.type];
  const count = { river: "river", flowers: "flowers", melds: "melds" }[zone];
  return { seat: event.actor, zone, index: count ? seats[event.actor][count].length - 1 : null };
}

/** Who won the hand that has just ended, with what hand; or the reason why nobody did. */
function resultsOf(events, hand) {
  if (hand?.phase !== "ended") return [];
  const opened = events.findLastIndex((event) => event.type === "hand_opened");
  const played = events.slice(opened + 1);
  return played.filter((event) => event.type === "hora" || event.type === "ryukyoku").map((event) => {
    const shown = played.findLast((one) => one.type === "win_declared" && one.actor === event.actor);
    return shown && event.type === "hora" ? { ...declaredOf(shown), ...event } : event;
  });
}

function declaredOf(win) {
  return {
    ...win,
    hand: parseTiles(win.hand),
    melds: parseMelds(win.melds),
    flowers: parseTiles(win.flowers),
    proof: win.proof ?? [],
    fans: win.fans ?? {},
  };
}

/** What is left of the limit that runs: { seconds, share }, or null. */
export function countdown(model, now) {
  const until = model.claimsOpen(now) ? model.claimsUntil : model.deadline;
  if (until === null || now === null) return null;
  const seconds = until - now;
  const whole = model.since !== null && until > model.since ? until - model.since : Math.max(1, seconds);
  return { seconds, share: Math.max(0, Math.min(1, seconds / whole)) };
}
