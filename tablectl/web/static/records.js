// The hands that are over: list, filter, replay; and the statistics of the table's journal. The address says what is
// open: #3 is hand 3, #stats the statistics.

import { byId, h } from "./dom.js";
import { Replay } from "./replay.js";
import { learnFans, refused, signed, windName, wordsIn } from "./texts.js";
import { sprite, tileName } from "./tiles.js";

const REFRESH_MS = 15000;
const dark = matchMedia("(prefers-color-scheme: dark)");

let texts = wordsIn(localStorage.getItem("lang") ?? "zh");
let hands = [];
let names = ["", "", "", ""];
let replay = null;
let played = null;

document.body.prepend(sprite());

async function get(path) {
  const response = await fetch(`/api/${path}`).catch(() => null);
  if (response === null) throw new Error(texts("offline"));
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(texts.problem(refused(answer.error, response.status)));
  return answer.result ?? answer;
}

const tell = (error) => (byId("problem").textContent = error?.message ?? "");
const nameOf = (seat) => names[seat] || texts("seat_n", { n: seat + 1 });

// --- the list

function matching(hand) {
  const ending = byId("ending").value;
  const seat = byId("seat").value;
  const words = byId("words").value.trim().toLowerCase();
  if (ending === "won" && !hand.wins.length) return false;
  if (ending === "drawn" && hand.wins.length) return false;
  if (seat !== "" && !hand.wins.some((win) => win.actor === Number(seat))) return false;
  return !words || textOf(hand).toLowerCase().includes(words);
}

const textOf = (hand) => hand.wins.length
  ? hand.wins.map((win) => [nameOf(win.actor), ...Object.keys(win.fans).flatMap((fan) => [fan, texts.fan(fan)]), tileName(win.pai, texts.lang)].join(" ")).join(" ")
  : texts.reason(hand.drawn ?? "");

function showList() {
  const open = Number(location.hash.slice(1));
  const shown = hands.filter(matching);
  byId("list").replaceChildren(...shown.map((hand) => h("li", {}, h("button", {
    type: "button", "data-hand": hand.hand, "aria-current": hand.hand === open ? "true" : null, onclick: () => (location.hash = `#${hand.hand}`),
  },
  h("b", {}, `${windName(hand.bakaze, texts.lang)} ${hand.hand}`),
  h("span.won", {}, hand.wins.length ? hand.wins.map((win) => `${nameOf(win.actor)} ${Object.keys(win.fans).map(texts.fan).join(" · ")}`).join(" / ") : texts.reason(hand.drawn ?? "")),
  h("span", {}, hand.wins.map((win) => String(win.score)).join(" / ")),
  h("span.change", {}, hand.deltas.map((points, seat) => `${nameOf(seat)} ${signed(points)}`).join("  "))))));
  if (!hands.length) byId("list").append(h("li.soft", {}, texts("no_hands")));
}

async function refresh() {
  try {
    const [list, state] = await Promise.all([get("hands"), get("state")]);
    hands = list;
    names = state.state.table?.names ?? names;
    learnFans(state.state.site?.rules?.fans?.en);
    tell(null);
  } catch (error) {
    tell(error);
  }
  showList();
  byId("names").textContent = names.filter(Boolean).join(" · ");
}

// --- what is open

async function open() {
  const target = location.hash.slice(1);
  replay?.close();
  replay = played = null;
  byId("exports").hidden = true;
  showList();
  try {
    if (target === "stats") showStats(await get("stats"));
    else if (/^\d+$/.test(target)) await openHand(Number(target));
    else byId("viewer").replaceChildren(h("p.soft", {}, texts(hands.length ? "choose_hand" : "no_hands")));
    tell(null);
  } catch (error) {
    byId("viewer").replaceChildren();
    tell(error);
  }
}

async function openHand(number) {
  const found = await get(`hands/${number}/playback`);
  if (location.hash !== `#${number}`) return; // another one was chosen meanwhile
  played = found;
  replay = new Replay(byId("viewer"), played, texts);
  byId("save-page").href = `/api/hands/${number}/page?lang=${texts.lang}`;
  for (const link of byId("exports").querySelectorAll("[data-form]")) {
    link.href = `/api/hands/${number}/export?form=${link.dataset.form}`;
    link.hidden = link.dataset.form !== "jsonl" && played.rules.id !== "mcr"; // those formats know 国标麻将 alone
  }
  byId("exports").hidden = false;
}

function showStats(report) {
  const number = (value, digits) => (value === null ? "" : value.toFixed(digits));
  const threshold = report.tests[0]?.threshold ?? 0;
  byId("viewer").replaceChildren(h("section.stats", {},
    h("h2", {}, texts("statistics")),
    h("p", {}, texts("stat_note", { walls: report.walls, dice: report.throws, alpha: threshold.toFixed(5) })),
    h("table", {},
      h("thead", {}, h("tr", {}, ["test", "n", "value", "p", "verdict"].map((key) => h("th", {}, texts(`stat.${key}`))))),
      h("tbody", {}, report.tests.map((test) => h("tr", { "data-test": test.name },
        h("th", { scope: "row" }, texts(`stat.${test.name}`)),
        h("td.number", {}, String(test.n)),
        h("td.number", {}, test.statistic === null ? "" : test.df === null ? `z ${number(test.statistic, 2)}` : `χ² ${number(test.statistic, 1)} (${test.df})`),
        h("td.number", {}, number(test.p, 4)),
        h("td", { class: test.verdict }, texts(`verdict.${test.verdict}`))))))));
}

// --- language, theme

function speak() {
  document.documentElement.lang = texts.lang === "zh" ? "zh-CN" : "en";
  document.title = `${texts("records")} · tablectl`;
  byId("language").textContent = texts.lang === "zh" ? "EN" : "中文";
  byId("sheet-link").href = `/sheet?lang=${texts.lang}`;
  byId("words").placeholder = texts("filter_fan");
  byId("words").setAttribute("aria-label", texts("filter_fan"));
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = texts(node.dataset.text);
  const options = (node, pairs) => {
    const chosen = node.value;
    node.replaceChildren(...pairs.map(([value, text]) => h("option", { value }, text)));
    node.value = chosen || pairs[0][0];
  };
  byId("ending").setAttribute("aria-label", texts("filter_ending"));
  byId("seat").setAttribute("aria-label", texts("filter_seat"));
  options(byId("ending"), [["all", texts("filter_all")], ["won", texts("filter_won")], ["drawn", texts("filter_drawn")]]);
  options(byId("seat"), [["", texts("filter_any_seat")], ...names.map((_, seat) => [String(seat), nameOf(seat)])]);
  showList();
  replay?.speak(texts);
}

function paint() {
  document.documentElement.dataset.theme = localStorage.getItem("theme") ?? (dark.matches ? "dark" : "light");
}

byId("language").addEventListener("click", () => {
  texts = wordsIn(texts.lang === "zh" ? "en" : "zh");
  localStorage.setItem("lang", texts.lang);
  speak();
  if (location.hash === "#stats") open();
});
byId("filter").addEventListener("input", showList);
byId("filter").addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", open);
dark.addEventListener("change", paint);

paint();
await refresh();
speak();
await open();
setInterval(refresh, REFRESH_MS);
