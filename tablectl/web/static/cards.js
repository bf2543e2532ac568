// The table on a narrow screen: a card for each seat, the one in turn marked.

import { fill, h } from "./dom.js";
import { flowers, melds, river, standing, standingLabel } from "./pieces.js";
import { tile } from "./tiles.js";
import { signed, whole, windName } from "./texts.js";

export class Cards {
  constructor(root) {
    this.strip = h("div.table-strip");
    this.cards = [0, 1, 2, 3].map((seat) => h("section.card", { "data-seat": seat }));
    root.replaceChildren(h("div.cards", {}, this.strip, this.cards));
  }

  show(model, texts) {
    fill(this.strip, [model.walls, model.wallLeft, model.indicator, model.wild, texts.lang], () => [
      h("span.number", {}, `${texts("left")} ${model.wallLeft}`),
      h("span.walls", { "aria-hidden": "true" }, model.walls.map((stacks) => {
        const full = stacks.length * 2 || 1;
        return h("i", {}, h("b", { style: { "--part": stacks.reduce((sum, n) => sum + n, 0) / full } }));
      })),
      h("span.special", {}, model.indicator ? tile(model.indicator, texts.lang) : null,
        model.wild.filter((code) => code !== model.indicator).map((code) => tile(code, texts.lang, "wild"))),
    ]);
    for (const seat of model.seats) {
      const card = this.cards[seat.seat];
      card.classList.toggle("turn", seat.inTurn);
      const last = model.last?.seat === seat.seat ? model.last : null;
      // The longest row of standing tiles, with the drawn one apart, fits the width.
      card.style.setProperty("--across", String(Math.max(15, seat.standing.length + 2)));
      fill(card, [seat, last, model.wild, texts.lang], () => this.#card(model, seat, texts));
    }
  }

  tick() {}

  #card(model, seat, texts) {
    const { lang } = texts;
    return [
      h("div.card-head", {},
        h("b.wind", { class: seat.dealer ? "dealer" : null }, windName(seat.wind, lang)),
        h("span.name", {}, seat.name || texts("seat_n", { n: seat.seat + 1 })),
        seat.dead && h("span.mark.bad", {}, texts("dead_hand")),
        (seat.ready || seat.waits.length > 0) && h("span.mark.ready", {}, texts("ready")),
        seat.call && h("span.mark.call", {}, texts(`claim.${seat.call}`)),
        h("span.points", {}, seat.change ? h("small", {}, signed(seat.change)) : null, whole(seat.points))),
      h("div.standing", { class: seat.known ? null : "hidden-tiles", "aria-label": standingLabel(seat, lang) }, standing(model, seat, lang)),
      h("div.card-lower", {},
        h("div.river", {}, river(model, seat, lang)),
        h("div.right", {},
          h("div.tiles.melds", {}, melds(model, seat, lang)),
          h("div.tiles.flowers", {}, flowers(model, seat, lang)))),
    ];
  }
}
