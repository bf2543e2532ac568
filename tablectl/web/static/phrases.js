// What the core says in English words: particulars of an alert, why a fan is not counted. Here they are said in the
// language chosen, with names for seats, tiles and fans. What is not known here is shown as the core wrote it.

import { tileName } from "./tiles.js";
import { REASONS } from "./words.js";

const ZH = [
  [/^stakes: limit (\S+) s$/, "坐拉限时 $1 秒"], [/^limit (\S+) s$/, "限时 $1 秒"],
  [/^no throw is due$/, "现在不该掷骰"], [/^(seat \d) throws$/, "应由$1掷骰"], [/^pressed twice$/, "按了两次"],
  [/^when the indicator was turned up$/, "翻指示牌时"],
  [/^replacement taken at the head$/, "从牌头补牌"], [/^replacement taken at the tail$/, "从牌尾补牌"], [/^turn draw taken at the tail$/, "从牌尾抓牌"],
  [/^it is the turn of (seat \d)$/, "轮到$1"], [/^before the discard$/, "上家尚未出牌"],
  [/^(-?\d+) tiles may be drawn, (\d+) lie in the wall$/, "可抓 $1 张，墙上 $2 张"],
  [/^(\S+) is no flower$/, "$1不是花牌"], [/^flower right after a claim$/, "吃碰后不可补花"],
  [/^(\d+) standing tiles, expected (.+)$/, "立牌 $1 张，应为 $2 张"],
  [/^no discard lies that could be claimed$/, "没有可吃碰杠的牌"], [/^(\S+) is not the tile that was discarded$/, "$1不是打出的那张"],
  [/^called (\S+), laid (\S+)$/, "喊$1，亮$2"], [/^the replacement of the kong before is due$/, "上一杠还没有补牌"], [/^no pung of (\S+) lies there$/, "没有$1的刻子"],
  [/^no replacement left: (.+)$/, "无牌可补（$1）"], [/^right after a claim$/, "吃碰之后"], [/^not in turn$/, "没有轮到"], [/^the last discard can only be won on$/, "最后一张只可和牌"],
  [/^there is no chow$/, "不许吃牌"], [/^a chow of another than the previous seat's tile$/, "只能吃上家的牌"], [/^the next seat may not kong$/, "下家不可杠"],
  [/^no claimed tile$/, "没有被吃碰的牌"], [/^no run: (.+)$/, "$1不成顺子"], [/^not (\d) alike: (.+)$/, "$2不是 $1 张相同"],
  [/^(.*)tag (\S+) in (\S+)$/, "$1牌签 $2 在 $3"], [/^(\S+) in (\S+) is silent$/, "$1（$2）读不到"], [/^(-?\d+) in all, expected (\d+)$/, "合计 $1，应为 $2"], [/^counted (-?\d+), expected (-?\d+)$/, "清点 $1，应为 $2"],
  [/^pung( \S+)?$/, "碰$1"], [/^chow( \S+)?$/, "吃$1"], [/^kong( \S+)?$/, "杠$1"], [/^win( \S+)?$/, "和$1"], [/^after the next draw$/, "下家已抓牌"],
  [/^(\S+) drawn before the discard$/, "上家尚未出牌，抓了$1"], [/^(\S+) taken and put back$/, "拿了$1又放回"], [/^(\S+) is not the tile due$/, "不该抓$1"],
  [/^discarded without having drawn$/, "没有抓牌就打牌"], [/^discard out of turn$/, "没有轮到就打牌"], [/^(\S+) from (\S+) in (\S+)$/, "$1从$2到了$3"],
  [/^(\S+) in (\S+) and in (\S+)$/, "$1同时在$2和$3"], [/^(.+) laid open$/, "亮出$1"], [/^(\d+) standing tiles in (\S+)$/, "$1 张立牌在$2"],
  [/^other tiles dealt than due: seats \[(.+)\]$/, "所抓不是应抓的牌：座位 $1"], [/^the deal is not what the lanes read$/, "配牌与砌牌时读到的不符"],
  [/^no play explains all that was moved; look at what was told since the start and correct it(: .+)?$/, "有牌动过，无法解释；请核对重启后的记录并更正$1"],
  [/^nobody saw in which order these were discarded; correct it where it matters: (.+)$/, "无人看见出牌先后，如有影响请更正：$1"],
  [/^implied by (.+)$/, "已含在$1内"], [/^its sets are combined already, in (.+)$/, "组成的牌组已用于$1"],
  [/^the hand waits on (.+)$/, "听$1"], [/^the hand waits for (.+)$/, "听$1"], [/^a heavenly hand never waited$/, "天和没有听牌"],
  [/^a tile of that kind stood in the hand$/, "手中还有同种牌"], [/^the last replacement was for a flower(?:: 补花和)?$/, "最后一次是补花"],
  [/^the other three tiles do not lie as a pung$/, "其余三张不是明刻"], [/^the winning tile was put among the standing tiles$/, "和张未单放"],
  [/^a meld was claimed$/, "有吃碰杠"], [/^only by self-draw.*$/, "只限自摸"], [/^by self-draw only$/, "只限自摸"], [/^paid as a flower kong$/, "已按花杠付分"],
  [/^one base item counts, the dearest: (.+)$/, "只计最大的一项：$1"], [/^only the highest form counts: (.+)$/, "只计最大的一项：$1"],
  [/^no reading that counts pairs two golds$/, "计分的读法中金不成对"], [/^the indicator is not the third$/, "指示牌不是第三张金"], [/^(.+) spoils it$/, "有$1"],
  [/^no streak at a special form.*$/, "特殊牌型不计连庄"], [/^the gold kong in the hand$/, "手中有金杠"], [/^(.+) in the hand$/, "手中有$1"],
  [/^the drawn (\S+) is not the middle of .*$/, "抓的$1不在中间"], [/^the 龙 is not in the suit of the wilds$/, "龙与混不同门"],
  [/^a drawn wild that pairs a natural tile$/, "抓到的混与普通牌成将"], [/^the set of 双混吊 is one that the 龙 needs$/, "双混吊的一组是龙所需"],
  [/^the dealt hand is a self-draw$/, "配牌即和算自摸"], [/^the hand did not wait on every tile$/, "没有听全部牌"], [/^(\d+) over: (\d+) flowers make a fan$/, "多 $1 张：$2 花一番"],
  [/^a claimed suit pung is worth nothing$/, "碰的数牌不计"],
];

const TILE = /(?<![\w+])([1-9][mps]|[ESWNCFP])(?![\w])/g;

/** `text` of the core for people. `who(seat)` names a seat, `fan(name)` a fan. */
export function phrase(text, lang, who, fan = (name) => name) {
  if (!text) return "";
  const [, said, paragraph = ""] = /^(.*?)(?: \(([A-Z]\d[\w ]*)\))?$/.exec(text);
  const [, code, rest = ""] = /^([a-z]+(?:_[a-z]+)*)(?:: (.*))?$/.exec(said) ?? [null, null, said];
  const known = code !== null && REASONS[code];
  const parts = known ? [REASONS[code][lang === "zh" ? 0 : 1], rest] : [said];
  const words = parts.filter(Boolean).map((part) => named(translated(part, lang), lang, who, fan));
  return words.join(lang === "zh" ? "：" : ": ") + (paragraph ? ` (${paragraph})` : "");
}

function translated(text, lang) {
  if (lang !== "zh") return text;
  const found = ZH.find(([form]) => form.test(text));
  return found ? text.replace(found[0], found[1]) : text;
}

const ZONES = { hand: ["手牌", "hand"], meld: ["副露", "melds"], river: ["牌河", "river"], wall: ["牌墙", "wall"] };

function zoned(part, seat, lang, who) {
  const [zh, en] = ZONES[part];
  return lang === "zh" ? `${who(Number(seat))}${zh}` : `${en} of ${who(Number(seat))}`;
}

/** Seats by their names. */
export const seatsNamed = (text, who) => text.replace(/(?:seat|座位) (\d)/g, (_, seat) => who(Number(seat)));

const named = (text, lang, who, fan) => seatsNamed(text, who)
  .replace(/\b(hand|meld|river|wall)\.(\d)\b/g, (_, part, seat) => zoned(part, seat, lang, who))
  .replace(/\bfrom apart\b|从apart/g, (said) => (lang === "zh" ? "从指示牌处" : said.replace("apart", "the indicator's place")))
  .replace(TILE, (code) => tileName(code, lang))
  .replace(/[\u4e00-\u9fff]+/g, (name) => (lang === "zh" ? name : fan(name)));
