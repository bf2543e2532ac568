// What lies on the table, as the board and the phone's layout both show it.

import { h } from "./dom.js";
import { tile } from "./tiles.js";

const sideways = (svg, ...more) => h("span.across", {}, [svg, ...more].map((one) => h("span.sideways", {}, one)));

/**
 * A meld as it lies before its owner: the claimed tile across, at the left where it came from the previous seat, in
 * the middle from the opposite one, at the right from the next one (competition J26); an added tile beside it.
 */
export function meld(data, lang, classes = []) {
  const { kind, tiles, source, taken } = data;
  if (kind === "concealed_kong") {
    // One face up, three down (J21); where even that one is not for this role's eyes, four backs.
    const up = tiles.find(Boolean) ?? null;
    return h("span.meld", {}, [up, null, null, null].map((code) => tile(code, lang, ...classes)));
  }
  const claimed = taken ?? tiles[0];
  const rest = [...tiles];
  rest.splice(Math.max(0, rest.indexOf(claimed)), 1);
  const added = kind === "added_kong" ? [tile(rest.pop(), lang, ...classes)] : [];
  const upright = rest.map((code) => tile(code, lang, ...classes));
  const place = { 1: 0, 2: 1, 3: upright.length }[source] ?? 0;
  upright.splice(place, 0, sideways(tile(claimed, lang, ...classes), ...added));
  return h("span.meld", { "data-kind": kind }, upright);
}

const isLast = (model, seat, zone, index) => {
  const last = model.last;
  return last !== null && last.seat === seat && last.zone === zone && (last.index === null || last.index === index);
};

/** The melds of a seat, first one first. */
export const melds = (model, seat, lang) =>
  model.seats[seat.seat].melds.map((data, index) =>
    meld(data, lang, isLast(model, seat.seat, "melds", index) ? ["last"] : []));

/** What lies open beside the melds: a hung or shown tile (挂牌, 亮搭), then the flowers. */
export const flowers = (model, seat, lang) => [
  ...[seat.hung, ...seat.shown].filter(Boolean).map((code) => tile(code, lang, "hung")),
  ...seat.flowers.map((code, index) => tile(code, lang, isLast(model, seat.seat, "flowers", index) && "last")),
];

/** The river in rows of six; a claimed tile leaves its mark where it lay. */
export function river(model, seat, lang) {
  const tiles = seat.river.map(({ tile: code, claimed, won }, index) => {
    const last = isLast(model, seat.seat, "river", index);
    return tile(code, lang, last && "last", claimed && "claimed", won && "won");
  });
  const rows = [];
  for (let i = 0; i < tiles.length; i += model.perRow) rows.push(h("div.tiles", {}, tiles.slice(i, i + model.perRow)));
  return rows;
}

/** The standing tiles, the drawn one apart at the right. */
export function standing(model, seat, lang) {
  const tiles = seat.standing.map((code) => {
    const wild = code && model.wild.includes(code);
    return tile(code, lang, wild && "wild");
  });
  if (seat.drawn !== undefined)
    tiles.push(tile(seat.drawn, lang, "drawn", isLast(model, seat.seat, "standing", null) && "last"));
  return tiles;
}

/** What the tiles of a seat are, in words, for who cannot see them. */
export const standingLabel = (seat, lang) => {
  const count = seat.standing.length + (seat.drawn === undefined ? 0 : 1);
  return lang === "zh" ? `手牌 ${count} 张` : `${count} standing tiles`;
};
