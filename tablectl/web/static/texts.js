// Every word of the page, in Chinese and English; events as sentences.

import { tileName } from "./tiles.js";

const WORDS = {
  skip: ["跳到状态", "Skip to status"],
  title: ["麻将桌", "Mahjong table"],
  simulated: ["模拟", "SIMULATED"],
  simulated_long: ["SIMULATED · 没有真实的牌和机器", "模拟 · no real tiles, no real machine"],
  theme: ["明暗", "Light or dark"],
  referee: ["裁判", "Referee"],
  spectator: ["观众", "Spectator"],
  log_in: ["登录", "Log in"],
  log_out: ["退出", "Log out"],
  token: ["口令", "Token"],
  login_title: ["输入口令", "Enter your token"],
  login_refused: ["口令无效", "This token opens nothing"],
  cancel: ["取消", "Cancel"],
  done: ["已完成", "Done"],

  live: ["实时", "Live"],
  connecting: ["连接中…", "Connecting…"],
  data_age: ["数据 {s} 秒前", "data {s} s old"],
  core_away: ["主控无应答", "The table's core does not answer"],
  offline: ["连接中断，正在重连", "Connection lost, trying again"],
  needs_token: ["需要口令", "Needs a token"],
  frozen: ["画面停在 {s} 秒前", "What you see is {s} s old"],

  hand_line: ["第 {game} 局 · {wind}圈 · 第 {hand} 盘", "game {game} · {wind} circle · hand {hand}"],
  double: ["倍打", "double"],
  streak: ["连庄 {n}", "dealer streak {n}"],
  no_hand: ["等待开始", "Waiting to begin"],
  seat_n: ["座位 {n}", "seat {n}"],
  left: ["余", "left"],
  wall_left: ["牌墙余牌", "tiles left in the wall"],
  dice: ["骰子", "dice"],
  indicator: ["指示牌", "indicator"],
  wild: ["百搭", "wild"],
  dead_hand: ["相公", "dead hand"],
  mechanical: ["陪打", "mechanical"],
  ready: ["听", "ready"],
  dealer: ["庄", "dealer"],
  scores: ["得分", "Scores"],
  points: ["分", "points"],
  off_board: ["盘外", "off-board"],

  "phase.idle": ["等待升牌", "Waiting for the walls"],
  "phase.stakes": ["坐庄 · 拉庄", "Stakes"],
  "phase.dice": ["掷骰", "to throw the dice"],
  "phase.dealing": ["抓牌", "Dealing"],
  "phase.indicator": ["翻指示牌", "to turn the indicator"],
  "phase.flowers": ["补花", "Replacing flowers"],
  "phase.turn": ["出牌", "to discard"],
  "phase.replacing": ["补牌", "to take a replacement"],
  "phase.claimed": ["出牌", "to discard"],
  "phase.discarded": ["已出牌 · 可吃碰杠和", "discarded · claims open"],
  "phase.waiting_draw": ["抓牌", "to draw"],
  "phase.robbing": ["加杠 · 可抢杠", "added a kong · may be robbed"],
  "phase.last_round": ["最后一轮", "Last round"],
  "phase.declared": ["等待裁判确认", "Waiting for the referee"],
  "phase.ended": ["本盘结束", "Hand over"],
  claims_open: ["可吃碰杠和", "claims open"],
  result: ["本盘结果", "Result"],
  drawn: ["流局", "Drawn"],
  operator: ["管理员", "Operator"],
  paused: ["比赛暂停", "Paused"],
  match_over: ["比赛结束", "Match over"],

  "claim.chow": ["吃", "chow"], "claim.pung": ["碰", "pung"], "claim.kong": ["杠", "kong"], "claim.win": ["和", "win"],
  "claim.flower": ["补花", "flower"], "claim.pass": ["过", "pass"], "claim.call": ["请裁判", "calls the referee"],
  "claim.ready": ["听牌", "ready"], "claim.show": ["亮牌", "show"], "claim.sit": ["坐庄", "sit"], "claim.pull": ["拉庄", "pull"],
  "meld.chow": ["吃", "chow"], "meld.pung": ["碰", "pung"], "meld.exposed_kong": ["明杠", "exposed kong"],
  "meld.added_kong": ["加杠", "added kong"], "meld.concealed_kong": ["暗杠", "concealed kong"], "meld.flower_kong": ["花杠", "flower kong"],
  chase: ["追牌", "chase"], penalty: ["罚分", "penalty"],

  proposal: ["待确认的和牌", "Declared win"],
  self_draw: ["自摸", "self-draw"],
  from: ["{who} 放和", "on {who}'s discard"],
  total: ["合计", "total"],
  pays: ["支付", "Payments"],
  proof: ["依据", "Why"],
  not_counted: ["不计", "not counted"],
  refused_because: ["不成立：{reason}", "Not valid: {reason}"],
  confirm: ["确认", "Confirm"],
  refuse: ["驳回", "Refuse"],
  waits_for_referee: ["等待裁判确认", "Waits for the referee to confirm"],

  "reason.wrong_tile_count": ["张数不对", "wrong number of tiles"], "reason.dead_hand": ["相公", "dead hand"],
  "reason.not_a_hand": ["不成和牌", "not a complete hand"], "reason.no_fan": ["无番", "no fan"],
  "reason.discarder_no_points": ["放和者无分", "the discarder has no points"], "reason.losing_finish": ["非胜式局结", "losing finish"],
  "reason.not_first": ["已有人先和", "another seat wins first"], "reason.too_few_points": ["起和不足", "below the minimum"],
  "reason.exhausted": ["荒牌", "wall exhausted"], "reason.broken_off": ["中止", "broken off"],
  "reason.circles": ["圈数已满", "circles complete"], "reason.time": ["时间到", "time over"],
  "reason.poverty": ["两家无分", "two seats without points"], "reason.referee": ["裁判决定", "the referee's decision"],

  alerts: ["需要处理", "Needs attention"],
  rule_on: ["处理", "Rule"],
  dismiss: ["知道了", "Dismiss"],

  referee_tools: ["裁判", "Referee"],
  pause: ["暂停", "Pause"],
  resume: ["继续", "Resume"],
  ruling: ["判罚…", "Ruling…"],
  undo: ["撤销上一盘", "Undo last hand"],
  undo_sure: ["确定撤销上一盘的结算？", "Really undo the last hand's result?"],
  ruling_title: ["裁判判罚", "Ruling"],
  act: ["判罚", "Act"],
  seat: ["座位", "Seat"],
  penalty_points: ["罚分", "Points"],
  beneficiary: ["归", "Goes to"],
  to_nobody: ["盘外（无人）", "nobody (off-board)"],
  to_each: ["其余各家", "each other seat"],
  reason: ["理由", "Reason"],
  reason_hint: ["写入记录", "goes into the record"],
  rule: ["执行", "Rule"],
  missing_seat: ["请选择座位", "Choose a seat"],
  "do.warning": ["警告", "warning"], "do.penalty": ["罚分", "penalty"], "do.dead_hand": ["相公", "dead hand"],
  "do.revive": ["恢复", "lift dead hand"], "do.draw_hand": ["荒牌终止", "draw the hand"], "do.end_game": ["结束本局", "end the game"],
  "do.confirm": ["确认和牌", "confirmed the win"], "do.refuse": ["驳回和牌", "refused the win"], "do.undo": ["撤销上一盘", "undid the last hand"],
  "do.pause": ["暂停", "paused"], "do.resume": ["继续", "resumed"], "do.dismiss": ["提示已处理", "dismissed an alert"],
  "do.penalty_tile": ["罚张", "penalty tile"], "do.seat_empty": ["缺席陪打", "seat empty"], "do.seat_taken": ["入座", "seat taken"],
  "do.correct": ["更正", "corrected"],

  tab_events: ["事件", "Events"], tab_machine: ["机器", "Machine"], tab_display: ["显示屏", "Display"], tab_sim: ["模拟故障", "Faults to try"],
  no_events: ["还没有事件", "Nothing has happened yet"],
  no_display: ["没有显示画面", "No picture of a display"],
  no_machine: ["没有机器状态", "The machine does not tell its state"],
  no_faults: ["没有故障", "No fault"],
  faults: ["故障", "Faults"],
  usual_cause: ["常见原因", "Usual cause"],
  next_step: ["下一步", "Next step"],
  clear: ["已排除，清除", "Seen to: clear"],
  replay: ["牌谱回放", "Replay of a hand"], records: ["牌谱", "Records"], sheet: ["成绩表", "Result sheet"], statistics: ["公正统计", "Fairness statistics"],
  back_to_table: ["回到牌桌", "Back to the table"], hand_n: ["第 {n} 盘", "hand {n}"], step: ["步", "Step"], save_record: ["存牌谱", "Save record"], save_page: ["存回放页", "Save as a page"],
  "replay.first": ["开头 (Home)", "Beginning (Home)"], "replay.last": ["结尾 (End)", "End (End)"], "replay.before": ["上一步 (←)", "Step back (←)"], "replay.next": ["下一步 (→)", "Step (→)"],
  "replay.turn_before": ["上一张出牌 (↑)", "Previous discard (↑)"], "replay.turn_next": ["下一张出牌 (↓)", "Next discard (↓)"], "replay.play": ["播放 (空格)", "Play (space)"], "replay.pause": ["停 (空格)", "Pause (space)"],
  "replay.pace": ["速度", "Speed"], "pace.slow": ["慢", "slow"], "pace.usual": ["正常", "usual"], "pace.fast": ["快", "fast"],
  seals: ["公正承诺", "Seals"], no_seals: ["本盘没有承诺", "This hand was not sealed"], "seal.wall": ["牌墙", "Wall"], "seal.dice": ["骰子", "Dice"],
  "seal.kept": ["核对无误：与掷骰前公布的一致", "Kept: it is what was published before the dice"], "seal.broken": ["核对不符", "Broken: it is not what was published"],
  "seal.unopened": ["没有公开（程序曾重新启动）", "Never opened (the program was started again)"], "seal.agreement": ["所抓 {of} 张牌中 {n} 张与之相符", "{n} of the {of} tiles dealt and drawn lay where it says"],
  "seal.unknown": ["牌道漏读 {n} 张，不在承诺之内", "the lanes missed {n} tiles, which are not in it"],
  cannot_check: ["此浏览器只在 HTTPS 下或在存下的回放页里核对", "This browser checks only over HTTPS, or in the page when it is saved"],
  no_hands: ["还没有打完的盘", "No hand is over yet"], choose_hand: ["选择一盘", "Choose a hand"], filter_fan: ["番种或选手", "Fan or player"],
  filter_all: ["全部", "all"], filter_won: ["和牌", "won"], filter_drawn: ["流局", "drawn"], filter_any_seat: ["任一家", "any seat"],
  "stat.test": ["检验", "Test"], "stat.n": ["样本", "Sample"], "stat.value": ["统计量", "Statistic"], "stat.p": ["p 值", "p value"], "stat.verdict": ["判断", "Verdict"],
  "verdict.fine": ["正常", "fine"], "verdict.suspicious": ["可疑", "suspicious"], "verdict.too_few": ["样本不足", "too few"],
  stat_note: ["共 {walls} 副牌墙、{dice} 次掷骰。p 值低于 {alpha} 才算可疑。", "Over {walls} walls and {dice} throws. Suspicious is a p value below {alpha}."],
  "stat.dice_faces": ["骰子点数", "faces of the dice"], "stat.dice_sums": ["两骰之和", "sums of a throw"], "stat.dice_runs": ["大小点的游程", "runs of high and low faces"],
  "stat.wall_sides": ["牌在四面牌墙", "kinds on the four sides"], "stat.wall_levels": ["牌在上下两层", "kinds on upper and lower tiles"],
  "stat.wall_thirds": ["牌在墙的前中后", "kinds along a side"], "stat.wall_quarters": ["牌在抓牌次序", "kinds in the order of drawing"],
  "stat.beside_same_kind": ["相同的牌相邻", "neighbours of one kind"], "stat.beside_same_suit": ["同花色相邻", "neighbours of one suit"],
  "stat.beside_last_hand": ["上一盘桌面相邻者", "neighbours on the last hand's table"], "stat.beside_hand_before_last": ["再上一盘桌面相邻者", "neighbours on the table before that"],
  "sealed.wall": ["封墙", "wall sealed"], "sealed.dice": ["封骰", "dice sealed"],
  ready_lamp: ["牌墙已备好", "walls ready"],
  "machine.lift": ["升降", "Lift"], "machine.pause": ["暂停", "Pause"], "machine.resume": ["继续", "Resume"],
  "machine.shuffle": ["洗牌", "Shuffle"], "machine.stop": ["停止", "Stop"],
  "state.idle": ["停止", "Off"], "state.homing": ["归位", "Homing"], "state.shuffling": ["洗牌码牌", "Shuffling"],
  "state.ready": ["牌已备好", "Ready"], "state.opening": ["中央升起", "Dome rising"], "state.collecting": ["推牌入口", "Collecting tiles"],
  "state.closing": ["中央下降", "Dome closing"], "state.raising": ["升牌", "Raising walls"], "state.pausing": ["暂停中", "Pausing"],
  "state.paused": ["已暂停", "Paused"], "state.resuming": ["继续中", "Resuming"], "state.fault": ["故障", "Fault"],
  cause_it: ["触发", "Cause it"],
};

// Offences and reading troubles (docs/alerts.md).
const ALERTS = {
  dice_wrong_seat: ["掷骰座位不对", "dice pressed by a wrong seat"], wrong_break: ["开牌位置不对", "tiles taken from the wrong stack"],
  draw_out_of_turn: ["抢摸", "drew out of turn"], wrong_wall_end: ["抓错牌墙一端", "wrong end of the wall"],
  draw_from_reserve: ["抓了留牌", "drew from the reserve"], wrong_tile_count: ["张数不对", "wrong number of tiles"],
  flower_discarded: ["打出花牌", "discarded a flower"], flower_kept: ["未补花", "kept a flower"],
  false_meld: ["错吃错碰错杠", "tiles laid are no meld"], claim_not_carried_out: ["空吃空碰空杠", "a claim not carried out"],
  wrong_call: ["报牌与亮牌不符", "another meld than called"], late_claim: ["过时声明", "claimed too late"],
  kong_refused: ["此时不能杠", "no kong now"], last_round_discard: ["最后一轮出牌", "discarded in the last round"],
  false_win: ["诈和", "false win"], over_time: ["超时", "over time"], mechanical_discard: ["未打出所抓的牌", "must discard the drawn tile"],
  tile_exposed: ["亮出立牌", "a standing tile was shown"], hand_mixed_early: ["提前推牌", "mixed the tiles too early"],
  hand_shown_early: ["提前亮牌", "showed the hand too early"], winning_tile_mixed_in: ["和张未单放", "winning tile mixed in"],
  penalty_tile_kept: ["未打罚张", "kept the penalty tile"], wrong_indicator: ["指示牌不对", "wrong indicator"],
  wild_discarded: ["打出百搭", "discarded a wildcard"], stake_key_refused: ["此时不能坐拉", "no stakes now"],
  first_wildcard_kept: ["首搭未打", "first wildcard kept"], wildcard_not_shown: ["二搭未亮", "second wildcard not shown"],
  second_wildcard_hidden: ["二搭未亮", "second wildcard hidden"], tickets_mismatch: ["票数不符", "tickets do not add up"],
  seat_empty: ["座位无人", "seat empty"], seat_change: ["座位不对", "player at another seat"],
  unknown_tag: ["不认识的牌", "unknown tag"], tag_lost: ["牌读不到", "a tag is lost"], duplicate_tile: ["重复的牌", "duplicate tile"],
  wrong_set: ["另一副的牌", "tile of the other set"], wall_mismatch: ["牌墙与记录不符", "wall differs from the lane's record"],
  impossible_move: ["不可能的移动", "impossible move"], referee_called: ["请裁判", "calls the referee"], call: ["请裁判", "calls the referee"],
};

const RULES = {
  competition: ["竞技麻将", "Competition"], mcr: ["国标麻将", "MCR"], tianjin: ["天津麻将", "Tianjin"], fuzhou: ["福州麻将", "Fuzhou"],
  fujian: ["福建麻将", "Fujian"], zhenjiang: ["镇江麻将", "Zhenjiang"], beijing: ["北京麻将", "Beijing"],
};

const WINDS = { E: ["东", "E"], S: ["南", "S"], W: ["西", "W"], N: ["北", "N"] };
const SEAT_WINDS = { E: ["东家", "East"], S: ["南家", "South"], W: ["西家", "West"], N: ["北家", "North"] };

const pick = (pair, lang) => pair[lang === "zh" ? 0 : 1];

export const windName = (wind, lang) => (WINDS[wind] ? pick(WINDS[wind], lang) : "·");

/** texts(key, values): the words for a key in the language chosen; a key without words is shown as it is. */
export function wordsIn(lang) {
  const texts = (key, values = {}) => {
    const pair = WORDS[key];
    if (!pair) return key.slice(key.indexOf(".") + 1).replaceAll("_", " ");
    return pick(pair, lang).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
  };
  texts.lang = lang;
  texts.alert = (code) => (ALERTS[code] ? pick(ALERTS[code], lang) : code.replaceAll("_", " "));
  texts.rules = (id) => (RULES[id] ? pick(RULES[id], lang) : id);
  texts.reason = (code) => texts(WORDS[`reason.${code}`] ? `reason.${code}` : code);
  texts.seatWind = (wind) => (SEAT_WINDS[wind] ? pick(SEAT_WINDS[wind], lang) : "");
  return texts;
}

/** A change of points, with its sign. */
export const signed = (points) => (points > 0 ? `+${points}` : points < 0 ? `−${-points}` : "0");

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
    case "stake": return say(`${actor} ${texts(`claim.${event.stake}`)} ${event.n}`, `${actor}: ${event.stake} ${event.n}`);
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
      const detail = event.detail ? (zh ? `（${event.detail}）` : ` (${event.detail})`) : "";
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
      const parts = [texts(`do.${event.do}`), event.seat === undefined || event.seat === null ? "" : who(event.seat),
        event.points ?? "", event.reason ? (zh ? `（${event.reason}）` : `(${event.reason})`) : ""].filter((part) => part !== "");
      return { text: `${zh ? "裁判" : "Referee"} ${parts.join(" ")}`, kind: "ruling" };
    }
    case "correction": return say(`更正记录第 ${event.replaces} 条`, `Record ${event.replaces} was corrected`, "ruling");
    default: return null;
  }
}
