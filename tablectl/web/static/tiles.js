// The faces of the 42 kinds of tile, drawn here, as one SVG sprite; a tile on the page is a <use> of it.
// Codes are those of the notation: 1m–9m, 1p–9p, 1s–9s, E S W N, C F P, a–h; "back" is a tile's back.

const WIDTH = 60;
const HEIGHT = 82;

const NUMERALS = "一二三四五六七八九";
const RED = "tile-red";
const GREEN = "tile-green";
const BLUE = "tile-blue";
const BLACK = "tile-black";

const glyph = (char, x, y, size, colour) =>
  `<text class="glyph ${colour}" x="${x}" y="${y}" font-size="${size}" text-anchor="middle">${char}</text>`;

// --- dots: a coin of three rings

const dot = (x, y, r, colour) =>
  `<g class="${colour}"><circle cx="${x}" cy="${y}" r="${r}"/>` +
  `<circle class="tile-paper" cx="${x}" cy="${y}" r="${r * 0.68}"/><circle cx="${x}" cy="${y}" r="${r * 0.42}"/></g>`;

const bigDot = () => {
  const petals = Array.from({ length: 8 }, (_, i) => {
    const a = (i * Math.PI) / 4;
    return `<circle class="${RED}" cx="${30 + 12 * Math.cos(a)}" cy="${41 + 12 * Math.sin(a)}" r="3.4"/>`;
  }).join("");
  return (
    `<circle class="${GREEN}" cx="30" cy="41" r="23"/><circle class="tile-paper" cx="30" cy="41" r="18.5"/>` +
    `${petals}<circle class="${BLUE}" cx="30" cy="41" r="6.5"/><circle class="tile-paper" cx="30" cy="41" r="2.6"/>`
  );
};

const DOTS = {
  2: [[30, 23, GREEN], [30, 59, BLUE]],
  3: [[15, 19, BLUE], [30, 41, RED], [45, 63, GREEN]],
  4: [[18, 23, BLUE], [42, 23, GREEN], [18, 59, GREEN], [42, 59, BLUE]],
  5: [[16, 20, BLUE], [44, 20, GREEN], [30, 41, RED], [16, 62, GREEN], [44, 62, BLUE]],
  6: [[18, 18, GREEN], [42, 18, GREEN], [18, 45, RED], [42, 45, RED], [18, 65, RED], [42, 65, RED]],
  7: [
    [13, 14, GREEN], [30, 21, GREEN], [47, 28, GREEN],
    [19, 48, RED], [41, 48, RED], [19, 67, RED], [41, 67, RED],
  ],
  8: [14, 32, 50, 68].flatMap((y) => [[19, y, BLUE], [41, y, BLUE]]),
  9: [[18, GREEN], [41, RED], [64, BLUE]].flatMap(([y, c]) => [13, 30, 47].map((x) => [x, y, c])),
};
const DOT_RADIUS = { 2: 13, 3: 11.5, 4: 11.5, 5: 10.5, 6: 9.6, 7: 8.6, 8: 8.4, 9: 8.2 };

// --- bamboo: a stick with knots

const stick = (x, y, h, colour, turn = 0) => {
  const knot = (at) => `<rect x="${x - 5.2}" y="${at}" width="10.4" height="4.4" rx="2.2"/>`;
  const light = (at) => `<rect class="tile-paper" x="${x - 0.9}" y="${at}" width="1.8" height="${h / 2 - 8}" rx=".9"/>`;
  return (
    `<g class="${colour}" transform="rotate(${turn} ${x} ${y})">` +
    `<rect x="${x - 3.8}" y="${y - h / 2}" width="7.6" height="${h}" rx="3"/>` +
    knot(y - h / 2) + knot(y - 2.2) + knot(y + h / 2 - 4.4) + light(y - h / 2 + 5) + light(y + 3) + "</g>"
  );
};

const row = (xs, y, h, colours) => xs.map((x, i) => stick(x, y, h, [colours].flat()[i] ?? [colours].flat()[0])).join("");

const BIRD =
  `<g><path class="${GREEN}" d="M30 70C15 66 9 52 14 38c3-9 12-13 20-10 9 3 12 13 10 23-2 9-7 16-14 19z"/>` +
  `<path class="tile-paper" d="M22 62c-5-6-6-14-3-21 2 8 6 14 12 18-2 2-5 3-9 3z"/>` +
  `<circle class="${GREEN}" cx="38" cy="21" r="10.5"/><circle class="tile-paper" cx="40" cy="19" r="3.4"/>` +
  `<circle class="${BLACK}" cx="40.6" cy="19" r="1.9"/><path class="${RED}" d="M47.5 19l9 4-9.5 3.4z"/>` +
  `<path class="${RED}" d="M36 11c-3-5-1-7 1-8 0 3 2 3 4 1 0 3-1 5-2 7z"/>` +
  `<path class="${RED}" d="M16 60L4 77l13-7 3 9 5-14z"/><path class="${BLUE}" d="M25 34c9-3 16 3 15 12-6 5-14 3-17-3-1-3 0-7 2-9z"/>` +
  `<path class="${BLACK}" d="M31 69l-1 9h3l2-9zm7-3l1 12h3l0-14z"/></g>`;

const BAMBOO = {
  1: () => BIRD,
  2: () => row([30], 23, 30, BLUE) + row([30], 60, 30, GREEN),
  3: () => row([30], 22, 30, BLUE) + row([17, 43], 60, 30, GREEN),
  4: () => row([17, 43], 22, 30, [BLUE, GREEN]) + row([17, 43], 60, 30, [GREEN, BLUE]),
  5: () => row([13, 47], 22, 30, [GREEN, BLUE]) + row([30], 41, 32, RED) + row([13, 47], 60, 30, [BLUE, GREEN]),
  6: () => row([13, 30, 47], 22, 30, GREEN) + row([13, 30, 47], 60, 30, BLUE),
  7: () => row([30], 14, 21, RED) + row([13, 30, 47], 41, 22, GREEN) + row([13, 30, 47], 67, 22, BLUE),
  8: () =>
    stick(11, 23, 28, GREEN) + stick(24, 23, 26, GREEN, -30) + stick(36, 23, 26, GREEN, 30) + stick(49, 23, 28, GREEN) +
    stick(11, 60, 28, BLUE) + stick(24, 60, 26, BLUE, 30) + stick(36, 60, 26, BLUE, -30) + stick(49, 60, 28, BLUE),
  9: () => row([13, 30, 47], 15, 21, RED) + row([13, 30, 47], 41, 21, BLUE) + row([13, 30, 47], 67, 21, GREEN),
};

// --- honours and flowers

const HONOURS = { E: ["東", BLACK], S: ["南", BLACK], W: ["西", BLACK], N: ["北", BLACK], C: ["中", RED], F: ["發", GREEN] };

const FLOWERS = {
  a: ["梅", 1, RED], b: ["蘭", 2, RED], c: ["竹", 3, RED], d: ["菊", 4, RED],
  e: ["春", 1, BLUE], f: ["夏", 2, BLUE], g: ["秋", 3, BLUE], h: ["冬", 4, BLUE],
};

const blossom = (colour) =>
  `<g class="${colour}">${[0, 72, 144, 216, 288]
    .map((a) => `<circle cx="45" cy="11.5" r="4.6" transform="rotate(${a} 45 18)"/>`)
    .join("")}</g><circle class="tile-gold" cx="45" cy="18" r="3.4"/>`;

const flower = ([char, number, colour]) =>
  `<text class="${colour} tile-number" x="13" y="26" font-size="22" text-anchor="middle">${number}</text>` +
  blossom(colour) + glyph(char, 30, 70, 40, colour);

function face(code) {
  const [rank, suit] = code.length === 2 ? [Number(code[0]), code[1]] : [0, ""];
  if (suit === "m") return glyph(NUMERALS[rank - 1], 30, 36, 36, BLACK) + glyph("萬", 30, 75, 35, RED);
  if (suit === "p") return rank === 1 ? bigDot() : DOTS[rank].map(([x, y, c]) => dot(x, y, DOT_RADIUS[rank], c)).join("");
  if (suit === "s") return BAMBOO[rank]();
  if (code === "P") return `<path class="${BLUE} tile-frame" d="M12 13h36v56H12z M18 19v44h24V19z" fill-rule="evenodd"/>`;
  if (HONOURS[code]) return glyph(HONOURS[code][0], 30, 60, 50, HONOURS[code][1]);
  return flower(FLOWERS[code]);
}

const CODES = [
  ..."mps".split("").flatMap((suit) => Array.from({ length: 9 }, (_, i) => `${i + 1}${suit}`)),
  ..."ESWNCFP",
  ..."abcdefgh",
];

const shadow = `<rect class="tile-shadow" x="1" y="4" width="58" height="80" rx="7"/>`;
const body = `${shadow}<rect class="tile-body" x="1" y="1" width="58" height="80" rx="7"/>`;
const back =
  `${shadow}<rect class="tile-back" x="1" y="1" width="58" height="80" rx="7"/>` +
  `<rect class="tile-back-line" x="8" y="8" width="44" height="66" rx="4"/>`;

/** The sprite with all faces; put it into the document once. */
export function sprite() {
  const symbol = (id, inner) => `<symbol id="tile-${id}" viewBox="0 0 ${WIDTH} ${HEIGHT}">${inner}</symbol>`;
  const symbols = CODES.map((code) => symbol(code, body + face(code))).join("") + symbol("back", back);
  const holder = document.createElement("div");
  holder.innerHTML = `<svg class="sprite" width="0" height="0" aria-hidden="true">${symbols}</svg>`;
  return holder.firstElementChild;
}

const NAMES_EN = { E: "east", S: "south", W: "west", N: "north", C: "red dragon", F: "green dragon", P: "white dragon",
  a: "plum", b: "orchid", c: "bamboo flower", d: "chrysanthemum", e: "spring", f: "summer", g: "autumn", h: "winter" };
const NAMES_ZH = { E: "东风", S: "南风", W: "西风", N: "北风", C: "红中", F: "发财", P: "白板",
  a: "梅", b: "兰", c: "竹", d: "菊", e: "春", f: "夏", g: "秋", h: "冬" };
const SUITS_EN = { m: "characters", p: "dots", s: "bamboo" };
const SUITS_ZH = { m: "万", p: "饼", s: "条" };

/** A tile's name for people; null is a tile nobody here may see or no antenna has named. */
export function tileName(code, lang) {
  if (!code) return lang === "zh" ? "一张牌" : "a tile";
  if (code.length === 2)
    return lang === "zh" ? NUMERALS[code[0] - 1] + SUITS_ZH[code[1]] : `${code[0]} ${SUITS_EN[code[1]]}`;
  return (lang === "zh" ? NAMES_ZH : NAMES_EN)[code] ?? code;
}

/** A tile as an SVG element. `code` null: its back. */
export function tile(code, lang, ...classes) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", ["tile", ...classes].filter(Boolean).join(" "));
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", code ? tileName(code, lang) : lang === "zh" ? "牌背" : "face down");
  svg.dataset.tile = code ?? "back";
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#tile-${code ?? "back"}`);
  svg.append(use);
  return svg;
}
