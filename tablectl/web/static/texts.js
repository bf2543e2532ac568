// Words in the language chosen; events as sentences.

import { phrase, seatsNamed } from "./phrases.js";
import { tileName } from "./tiles.js";
import { ALERTS, REASONS, RULES, SEAT_WINDS, WINDS, WORDS } from "./words.js";

const pick = (pair, lang) => pair[lang === "zh" ? 0 : 1];

export const windName = (wind, lang) => (WINDS[wind] ? pick(WINDS[wind], lang) : "·");

/** English names of fans, as the table tells them. */
let english = {};
export const learnFans = (names) => (english = { ...english, ...names });

/** The error of an answer: its message is English, `said` holds the core's words in every language. */
export const refused = (error, status) => Object.assign(new Error(error?.message ?? `HTTP ${status}`), { said: error?.data, code: error?.code });
const LINK_DOWN = -32002;

/** texts(key, values): the words for a key in the language chosen; a key without words is shown as it is. */
export function wordsIn(lang) {
  const texts = (key, values = {}) => {
    const pair = WORDS[key];
    if (!pair && REASONS[key]) return pick(REASONS[key], lang);
    if (!pair) return key.slice(key.indexOf(".") + 1).replaceAll("_", " ");
    return pick(pair, lang).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
  };
  texts.lang = lang;
  texts.alert = (code) => (ALERTS[code] ? pick(ALERTS[code], lang) : code.replaceAll("_", " "));
  texts.rules = (id) => (RULES[id] ? pick(RULES[id], lang) : id);
  texts.reason = (code) => (REASONS[code] ? pick(REASONS[code], lang) : texts(code));
  texts.fan = (name) => (lang === "zh" ? name : english[name] ?? name);
  /** What a referee did, where that is said otherwise than on the button that does it. */
  texts.did = (act) => texts(WORDS[`did.${act}`] ? `did.${act}` : `do.${act}`);
  /** 坐庄, 拉庄: what a seat chose (tianjin T203, T204). */
  texts.stake = (stake, n) => texts(WORDS[`stake.${stake}${n}`] ? `stake.${stake}${n}` : `stake.${stake}`, { n });
  texts.phrase = (text, who) => phrase(text, lang, who, texts.fan);
  /** Why something was not done: an error of `refused`. */
  texts.problem = (error, who = (seat) => texts("seat_n", { n: seat + 1 })) =>
    error.message === "offline" ? texts("offline") : error.code === LINK_DOWN ? texts("core_away") : seatsNamed(error.said?.[lang] ?? error.message, who);
  texts.seatWind = (wind) => (SEAT_WINDS[wind] ? pick(SEAT_WINDS[wind], lang) : "");
  return texts;
}

/** Points as they stand, and a change of them with its sign. */
export const whole = (points) => (points < 0 ? `−${-points}` : String(points));
export const signed = (points) => (points > 0 ? `+${points}` : whole(points));

/** An event as a sentence: { text, kind } or null where it says nothing to people. `who(seat)` names a seat. */
export function sentence(event, texts, who) {
  const zh = texts.lang === "zh";
  const tile = (code) => tileName(code, texts.lang);
  const say = (chinese, english, kind = "") => ({ text: zh ? chinese : english, kind });
  const actor = event.actor === undefined || event.actor === null ? "" : who(event.actor);
  const moved = (deltas) =>
    (deltas ?? []).map((n, seat) => (n ? `${who(seat)} ${signed(n)}` : null)).filter(Boolean).join(zh ? "，" : ", ");
  switch (event.type) {
    case "start_game": return say("比赛开始", "The match begins", "big");
    case "end_game": return say(`比赛结束：${texts.reason(event.reason)}`, `The match is over: ${texts.reason(event.reason)}`, "big");
    case "seats": return say(`入座：${event.names.join("、")}`, `Seats: ${event.names.join(", ")}`);
    case "hand_opened": return say(`第 ${event.hand} 盘开始，庄家 ${who(event.dealer)}`, `Hand ${event.hand} opens, dealer ${who(event.dealer)}`, "big");
    case "dice": return say(`${actor} 掷骰 ${event.dice.join(" + ")}`, `${actor} throws ${event.dice.join(" + ")}`);
    case "dealt": return say("抓牌完毕", "The deal is complete");
    case "indicator": return say(`指示牌 ${tile(event.pai)}`, `The indicator is ${tile(event.pai)}`);
    case "stake": return say(`${actor} ${texts.stake(event.stake, event.n)}`, `${actor} ${texts.stake(event.stake, event.n)}`);
    case "tsumo": {
      const tail = event.from === "tail";
      return event.pai ? say(`${actor} ${tail ? "补" : "抓"} ${tile(event.pai)}`, `${actor} draws ${tile(event.pai)}${tail ? " from the tail" : ""}`, "faint")
        : say(`${actor} ${tail ? "补牌" : "抓牌"}`, `${actor} draws${tail ? " from the tail" : ""}`, "faint");
    }
    case "flower": return say(`${actor} 补花 ${tile(event.pai)}`, `${actor} lays ${tile(event.pai)}`);
    case "dahai": return say(`${actor} 打 ${tile(event.pai)}${event.tsumogiri ? "（摸切）" : ""}`, `${actor} discards ${tile(event.pai)}${event.tsumogiri ? " (just drawn)" : ""}`);
    case "call": return event.claim === "dice" ? null : say(`${actor} 喊 ${texts(`claim.${event.claim}`)}`, `${actor} calls ${texts(`claim.${event.claim}`)}`, "call");
    case "chi": return say(`${actor} 吃 ${who(event.target)} 的 ${tile(event.pai)}`, `${actor} chows ${who(event.target)}'s ${tile(event.pai)}`, "claim");
    case "pon": return say(`${actor} 碰 ${who(event.target)} 的 ${tile(event.pai)}`, `${actor} pungs ${who(event.target)}'s ${tile(event.pai)}`, "claim");
    case "daiminkan": return say(`${actor} 明杠 ${who(event.target)} 的 ${tile(event.pai)}`, `${actor} kongs ${who(event.target)}'s ${tile(event.pai)}`, "claim");
    case "ankan": return say(`${actor} 暗杠${event.consumed?.[0] ? " " + tile(event.consumed[0]) : ""}`, `${actor} makes a concealed kong${event.consumed?.[0] ? " of " + tile(event.consumed[0]) : ""}`, "claim");
    case "kakan": return say(`${actor} 加杠 ${tile(event.pai)}`, `${actor} adds ${tile(event.pai)} to a pung`, "claim");
    case "show": return say(`${actor} 亮出 ${tile(event.pai)}`, `${actor} shows ${tile(event.pai)}`);
    case "incident": return say(`${actor} ${texts(event.kind)}`, `${actor}: ${texts(event.kind)}`);
    case "pay": {
      const what = texts(`meld.${event.reason}`) === event.reason.replaceAll("_", " ") ? texts(event.reason) : texts(`meld.${event.reason}`);
      return say(`${what}：${moved(event.deltas) || "0"}`, `${what}: ${moved(event.deltas) || "0"}`, "points");
    }
    case "dead_hand": return say(`${actor} 相公：${texts.alert(event.reason)}`, `${actor}'s hand is dead: ${texts.alert(event.reason)}`, "alert");
    case "time_warning": return say(`${actor} 还剩 ${Math.round(event.seconds)} 秒`, `${actor}: ${Math.round(event.seconds)} s left`, "faint");
    case "alert": {
      const seat = event.seat === null || event.seat === undefined ? "" : `${who(event.seat)} `;
      const words = texts.phrase(event.detail, who);
      const detail = words ? (zh ? `（${words}）` : ` (${words})`) : "";
      return { text: `${seat}${texts.alert(event.code)}${detail}`, kind: "alert" };
    }
    case "win_declared": return say(`${actor} 喊${event.target === event.actor ? "自摸" : "和"} ${tile(event.pai)}`, `${actor} declares a win on ${tile(event.pai)}`, "big");
    case "win_withdrawn": return say(`${actor} 的和牌不成立：${texts.reason(event.reason)}`, `${actor}'s win falls: ${texts.reason(event.reason)}`, "alert");
    case "hora": return say(`${actor} 和牌 ${event.score}：${moved(event.deltas)}`, `${actor} wins ${event.score}: ${moved(event.deltas)}`, "big");
    case "ryukyoku": return say(`流局：${texts.reason(event.reason)}`, `Drawn: ${texts.reason(event.reason)}`, "big");
    case "commitment": return say(`封${event.what === "wall" ? "墙" : "骰"} ${event.digest.slice(0, 16)}…`, `The ${event.what} is sealed: ${event.digest.slice(0, 16)}…`, "faint");
    case "opened": return say(`公开${event.what === "wall" ? "牌墙" : "骰子"}的承诺`, `The seal of the ${event.what} is opened`, "faint");
    case "end_kyoku": return say(`本盘结算：${moved(event.deltas) || "无变化"}`, `Hand settled: ${moved(event.deltas) || "no change"}`, "points");
    case "ruling": {
      const parts = [texts.did(event.do), event.seat === undefined || event.seat === null ? "" : who(event.seat),
        event.points ?? "", event.seconds ? `${event.seconds} s` : "", (event.tiles ?? [event.pai]).filter(Boolean).map(tile).join(" "), event.reason ? (zh ? `（${event.reason}）` : `(${event.reason})`) : ""].filter((part) => part !== "");
      return { text: `${zh ? "裁判" : "Referee"} ${parts.join(" ")} — ${event.by}`, kind: "ruling" };
    }
    case "correction": {
      if (event.by === "tracker" || event.by === "rules") return say(`更正第 ${event.replaces} 条`, `Event ${event.replaces} was corrected`, "faint");
      const right = event.event ? sentence(event.event, texts, who)?.text ?? event.event.type : zh ? "没有发生" : "it did not happen";
      const why = event.reason ? (zh ? `（${event.reason}）` : ` (${event.reason})`) : "";
      return say(`裁判更正第 ${event.replaces} 条：${right}${why} — ${event.by}`, `Event ${event.replaces} corrected: ${right}${why} — ${event.by}`, "ruling");
    }
    default: return null;
  }
}
