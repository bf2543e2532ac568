// The seals of a hand, checked in this browser: digests with WebCrypto, and the tiles that players got against the
// sealed wall (docs/fairness.md). Nothing here trusts what the table says of itself but the record.

const FACES = 6;
const FAIR_BELOW = 252;

const bytes = (text) => new TextEncoder().encode(text);
const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const unhex = (text) => new Uint8Array((text.match(/../g) ?? []).map((pair) => parseInt(pair, 16)));
const sha256 = async (data) => hex(await crypto.subtle.digest("SHA-256", data));

/** Browsers give WebCrypto to pages that came over HTTPS, from this machine, or out of a file. */
export const canCheck = () => Boolean(globalThis.crypto?.subtle);

/** The text of which a wall's digest is made. */
export const written = (built, salt) => `${salt}|${built.map((side) => side.map((code) => code ?? "-").join(" ")).join("/")}`;

/** The faces of a throw: HMAC-SHA256 with the secret over "presses:counter:cursor"; bytes of 252 and more are left out. */
async function thrown(secret, message, counter, count) {
  const key = await crypto.subtle.importKey("raw", unhex(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const faces = [];
  for (let cursor = 0; faces.length < count; cursor += 1) {
    const digest = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes(`${message}:${counter}:${cursor}`)));
    faces.push(...[...digest].filter((byte) => byte < FAIR_BELOW).map((byte) => (byte % FACES) + 1));
  }
  return faces.slice(0, count);
}

/** The seals of a playback: [{ what, digest, opened, ok, unknown, agreeing, compared }]. */
export async function checkSeals(played) {
  const start = played.record[0];
  const opened = new Map((start.opened ?? []).map((one) => [one.digest, one]));
  const found = [];
  for (const promise of start.commitments ?? []) {
    const shown = opened.get(promise.digest);
    const seal = { what: promise.what, digest: promise.digest, unknown: promise.unknown ?? 0, opened: Boolean(shown), ok: false };
    if (shown && promise.what === "wall") {
      seal.ok = (await sha256(bytes(written(shown.built, shown.secret)))) === promise.digest;
      Object.assign(seal, agreement(shown.built, played));
    } else if (shown) {
      seal.ok = (await sha256(unhex(shown.secret))) === promise.digest && (await diceAgree(shown, start.dice));
    }
    found.push(seal);
  }
  return found;
}

async function diceAgree(shown, counted) {
  const all = [];
  for (const throw_ of shown.throws ?? []) {
    const faces = await thrown(shown.secret, throw_.message, throw_.counter, throw_.dice.length);
    if (faces.join() !== throw_.dice.join()) return false;
    all.push(...faces);
  }
  let at = 0;
  for (const face of all) if (face === counted[at]) at += 1;
  return at === counted.length;
}

/** How many of the tiles dealt and drawn lay where the sealed wall and the dice say. */
export function agreement(built, { record, deck }) {
  if (!deck) return { agreeing: 0, compared: 0 };
  const wall = deck.places.map(([side, index]) => built[side]?.[index] ?? null);
  const start = record[0];
  const draws = record.filter((event) => event.type === "tsumo");
  const first = draws[0]?.actor === start.dealer ? draws.shift() : null;
  let agreeing = 0;
  let compared = 0;
  start.tehais.forEach((tiles, seat) => {
    const got = [...tiles, ...(first && seat === start.dealer ? [first.pai] : [])].filter(Boolean);
    const due = deck.dealt[seat].map((position) => wall[position - 1]).filter(Boolean);
    compared += Math.min(got.length, due.length);
    for (const code of due) {
      const at = got.indexOf(code);
      if (at >= 0) {
        got.splice(at, 1);
        agreeing += 1;
      }
    }
  });
  for (const [end, order] of [["live", deck.live], ["tail", deck.tail]]) {
    draws.filter((event) => (event.from ?? "live") === end).forEach((event, n) => {
      const code = wall[order[n] - 1] ?? null;
      if (code === null || !event.pai) return;
      compared += 1;
      agreeing += code === event.pai ? 1 : 0;
    });
  }
  return { agreeing, compared };
}
