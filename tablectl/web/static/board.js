// The table from above, as it lies: seat 0 at the bottom, then anticlockwise. Each side is drawn once, for the seat at
// the bottom, and turned to its place.

import { fill, h, mark, say } from "./dom.js";
import { flowers, melds, river, standing, standingLabel } from "./pieces.js";
import { tile } from "./tiles.js";
import { signed, whole, windName } from "./texts.js";

const SIDES = [0, 1, 2, 3];
const RING = 2 * Math.PI * 44;

export class Board {
  constructor(root) {
    this.sides = SIDES.map((seat) => {
      const parts = Object.fromEntries(["zone", "standing", "outer", "wall", "river"].map((name) => [name, h(`div.${name}`)]));
      return { parts, node: h("section.side", { "data-seat": seat }, Object.values(parts)) };
    });
    this.plates = SIDES.map((seat) => h("div.plate", { "data-seat": seat }));
    this.centre = h("div.centre");
    this.mark = h("div.board-mark");
    this.felt = h("div.felt", {}, this.mark, this.sides.map((side) => side.node), this.plates, this.centre);
    root.replaceChildren(h("div.rim", {}, this.felt));
  }

  show(model, texts) {
    const { lang } = texts;
    this.mark.textContent = model.simulated ? texts("simulated") : "";
    for (const seat of model.seats) {
      const { node, parts } = this.sides[seat.seat];
      // A player's own side lies before him; for everybody else that is seat 0.
      const place = (seat.seat - (model.ownSeat ?? 0) + 4) % 4;
      node.style.setProperty("--turns", String(-place));
      this.plates[seat.seat].dataset.place = place;
      node.classList.toggle("turn", seat.inTurn);
      node.classList.toggle("open", seat.known);
      const lastHere = model.last?.seat === seat.seat ? model.last : null;
      const { standing: tiles, drawn } = seat;
      parts.standing.setAttribute("aria-label", standingLabel(seat, lang));
      fill(parts.standing, [tiles, drawn, lastHere, model.wild, lang], () => standing(model, seat, lang));
      fill(parts.outer, [seat.melds, seat.flowers, seat.hung, seat.shown, lastHere, lang], () => [
        h("div.tiles.flowers", {}, flowers(model, seat, lang)),
        h("div.tiles.melds", {}, melds(model, seat, lang).reverse()),
      ]);
      fill(parts.river, [seat.river, lastHere, lang], () => river(model, seat, lang));
      fill(parts.wall, model.walls[seat.seat], () => model.walls[seat.seat].map(stack).reverse());
      fill(this.plates[seat.seat], [seat, model.dealer, lang], () => plate(seat, texts));
      this.plates[seat.seat].classList.toggle("turn", seat.inTurn);
    }
    fill(this.centre, [model.seats.map((s) => [s.wind, s.points, s.inTurn]), model.dealer, model.wallLeft, model.dice,
      model.indicator, model.wild, model.phase, model.claimsUntil !== null, lang], () => centre(model, texts));
  }

  /** The countdown: seconds left of the limit, and the share of it that is left; null where no limit runs. */
  tick(countdown, claims) {
    const text = this.centre.querySelector(".seconds");
    const ring = this.centre.querySelector(".ring-left");
    if (!text || !ring) return;
    say(text, countdown === null ? "" : String(Math.max(0, Math.ceil(countdown.seconds))));
    mark(ring, "stroke-dashoffset", (RING * (1 - (countdown === null ? 0 : countdown.share))).toFixed(1));
    const clock = this.centre.querySelector(".clock");
    clock.classList.toggle("late", countdown !== null && countdown.seconds <= 3);
    clock.classList.toggle("claims", claims);
    clock.classList.toggle("idle", countdown === null);
  }
}

const stack = (tiles) => h(`i.stack.n${tiles}`);

function plate(seat, texts) {
  const marks = [
    seat.dead && h("span.mark.bad", { title: seat.dead }, texts("dead_hand")),
    (seat.ready || seat.waits.length > 0) && h("span.mark.ready", {}, texts("ready")),
    seat.empty && h("span.mark.bad", {}, texts("mechanical")),
    seat.call && h("span.mark.call", {}, texts(`claim.${seat.call}`)),
  ];
  return [
    h("div.who", {}, h("b.wind", { class: seat.dealer ? "dealer" : null }, windName(seat.wind, texts.lang)),
      h("span.name", {}, seat.name || texts("seat_n", { n: seat.seat + 1 }))),
    h("div.points", {}, whole(seat.points), seat.change ? h("small", { class: seat.change > 0 ? "up" : "down" }, signed(seat.change)) : null),
    h("div.marks", {}, marks),
  ];
}

function centre(model, texts) {
  const svg = `<svg viewBox="0 0 100 100" aria-hidden="true"><circle class="ring-track" cx="50" cy="50" r="44"/>
    <circle class="ring-left" cx="50" cy="50" r="44" stroke-dasharray="${RING}" stroke-dashoffset="${RING}" transform="rotate(-90 50 50)"/></svg>`;
  const clock = h("div.clock.idle", { role: "timer" });
  clock.innerHTML = svg;
  clock.append(
    h("span.seconds"),
    h("span.left", { title: texts("wall_left") }, h("small", {}, texts("left")), String(model.wallLeft)),
  );
  const seats = model.seats.map((seat) =>
    h("div.edge", { "data-place": (seat.seat - (model.ownSeat ?? 0) + 4) % 4, class: seat.inTurn ? "turn" : null },
      h("b.wind", { class: seat.dealer ? "dealer" : null }, windName(seat.wind, texts.lang)), h("span", {}, whole(seat.points))));
  const dice = model.dice.length ? h("div.dice", { role: "img", "aria-label": `${texts("dice")} ${model.dice.flat().join(" ")}` },
    model.dice.flat().map((value) => h("i.die", { "data-value": value }, Array.from({ length: value }, () => h("u"))))) : null;
  const special = model.indicator || model.wild.length ? h("div.special", {},
    model.indicator ? h("span", { title: texts("indicator") }, tile(model.indicator, texts.lang)) : null,
    model.wild.filter((code) => code !== model.indicator).map((code) => h("span", { title: texts("wild") }, tile(code, texts.lang, "wild")))) : null;
  return [...seats, clock, dice, special];
}
