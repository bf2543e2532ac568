// The notation of tiles and melds (docs/rules/README.md): "123m55pEE", "[123m,1][777s,2][EEEE]".

/** The tiles of a line: "123m5pE" -> ["1m", "2m", "3m", "5p", "E"]. */
export function parseTiles(text) {
  const tiles = [];
  let ranks = "";
  for (const char of text ?? "") {
    if (/\d/.test(char)) ranks += char;
    else if ("mps".includes(char)) {
      for (const rank of ranks) tiles.push(rank + char);
      ranks = "";
    } else if (/[ESWNCFPa-h]/.test(char)) tiles.push(char);
  }
  return tiles;
}

/** The melds of a line, as { kind, tiles, source, taken }. */
export function parseMelds(text) {
  return [...(text ?? "").matchAll(/\[([^\],]+),?(\d)?\]/g)].map(([, inner, mark]) => {
    const tiles = parseTiles(inner);
    const number = mark === undefined ? 0 : Number(mark);
    if (tiles.length === 4) {
      if (!number) return { kind: "concealed_kong", tiles, source: 0, taken: null };
      return { kind: number > 4 ? "added_kong" : "exposed_kong", tiles, source: number > 4 ? number - 4 : number, taken: tiles[0] };
    }
    if (tiles[0] === tiles[1]) return { kind: "pung", tiles, source: number, taken: tiles[0] };
    return { kind: "chow", tiles, source: 1, taken: tiles[Math.max(0, number - 1)] };
  });
}
