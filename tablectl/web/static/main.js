// Puts the page together.

import { Board } from "./board.js";
import { Cards } from "./cards.js";
import { byId, fill, h, mark, say } from "./dom.js";
import { showProposal } from "./judging.js";
import { Live, post } from "./live.js";
import { openLogin } from "./login.js";
import { countdown, modelOf } from "./model.js";
import * as panel from "./panel.js";
import { Rulings } from "./rulings.js";
import { learnFans, windName, wordsIn } from "./texts.js";
import { sprite } from "./tiles.js";

const TICK_MS = 200;
/** How the table is, in the title of the browser's tab. */
const SIGNS = { fine: "●", busy: "◐", bad: "▲", lost: "✕" };
const LATE_SECONDS = 5;
const narrow = matchMedia("(max-width: 760px)");
const dark = matchMedia("(prefers-color-scheme: dark)");

let texts = wordsIn(localStorage.getItem("lang") ?? "zh");
let theme = localStorage.getItem("theme");
let tab = "events";
let layout = null;
let model = null;

document.body.prepend(sprite());
const live = new Live(changed);

// --- what people do

let toastTimer = null;
function toast(message, bad = false) {
  const node = byId("toast");
  node.textContent = message;
  node.className = bad ? "toast bad" : "toast";
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (node.textContent = ""), bad ? 8000 : 2500);
}

const rulings = new Rulings(byId("ruling"), () => ({ model, texts, who: panel.nameOf(model, texts) }), toast);
const act = {
  async send(path, body = {}) {
    try {
      await post(path, body);
      toast(texts("done"));
    } catch (error) {
      toast(texts.problem(error, panel.nameOf(model, texts)), true);
    }
  },
  async dismiss(alerts) {
    for (const alert of alerts) await act.send("referee/dismiss", { alert });
  },
  seat: (seat, given) => rulings.seat(seat, given),
  table: () => rulings.table(),
  players: () => rulings.players(),
  refuse: () => rulings.refuse(),
  amend: () => rulings.amend(),
  correct: (event) => rulings.correct(event),
};

// --- what is shown

function changed() {
  const { state } = live;
  mark(document.documentElement, "data-link", link());
  if (live.phase === "needs_token" && !byId("login").open) openLogin(byId("login"), texts, () => live.again(), refused());
  if (live.role === null) return;
  learnFans(state.site?.rules?.fans?.en);
  model = modelOf(live);
  if (!layout) chooseLayout();
  const simulated = model.simulated;
  byId("simulated").hidden = !simulated;
  layout.show(model, texts);
  panel.showNow(byId("now"), model, texts);
  panel.showAlerts(byId("alerts"), model, texts, act);
  showProposal(byId("proposal"), model, texts, panel.nameOf(model, texts), act);
  panel.showScores(byId("scores"), model, texts, act);
  panel.showTools(byId("tools"), model, texts, act);
  byId("heading").textContent = model.site || texts("title");
  fill(byId("hand-line"), [model.hasHand, model.game, model.prevalent, model.number, model.streak, model.factor, model.rules, texts.lang], handLine);
  const role = byId("role");
  role.className = `role ${live.role}`;
  fill(role, [live.role, texts.lang], () => texts(live.role));
  role.title = texts(live.role === "spectator" ? "log_in" : "log_out");
  byId("access-link").hidden = live.role === "spectator";
  showTabs(state);
  tick();
}

function handLine() {
  if (!model.hasHand) return texts("no_hand");
  return [
    h("b", {}, texts("hand_line", { game: model.game, wind: windName(model.prevalent, texts.lang), hand: model.number })),
    model.streak ? ` · ${texts("streak", { n: model.streak })}` : "",
    model.factor > 1 ? h("span.double", {}, `${texts("double")} ×${model.factor}`) : null,
    model.rules ? ` · ${texts.rules(model.rules)}` : "",
  ].filter(Boolean);
}

function showTabs(state) {
  const names = ["events", "machine", "display", ...(state.sim?.faults && model.staff ? ["sim"] : [])];
  if (!names.includes(tab)) tab = "events";
  const faults = (state.faults ?? []).length;
  fill(byId("tabs"), [names, tab, faults, texts.lang], () => names.map((name) => h("button", {
    type: "button", role: "tab", id: `tab-${name}`, "aria-selected": String(name === tab), tabindex: name === tab ? "0" : "-1",
    onclick: () => choose(name), onkeydown: (event) => arrow(event, names),
  }, texts(`tab_${name}`), name === "machine" && faults ? h("i.badge", {}, String(faults)) : null)));
  const body = byId("tab-body");
  body.setAttribute("aria-labelledby", `tab-${tab}`);
  if (tab === "events") panel.showEvents(body, model, live, texts, act);
  if (tab === "machine") panel.showMachine(body, model, live, texts, act);
  if (tab === "display") panel.showDisplay(body, live, texts);
  if (tab === "sim") panel.showSim(body, live, texts, act);
}

function choose(name) {
  tab = name;
  changed();
  byId(`tab-${name}`).focus();
}

function arrow(event, names) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step) choose(names[(names.indexOf(tab) + step + names.length) % names.length]);
}

function chooseLayout() {
  layout = new (narrow.matches ? Cards : Board)(byId("table"));
}

function link() {
  if (live.phase === "live") return live.dataAge > LATE_SECONDS ? "late" : "live";
  return live.phase === "connecting" || live.phase === "held" ? "late" : "down";
}

// --- time goes by

function tick() {
  const { phase, dataAge } = live;
  mark(document.documentElement, "data-link", link());
  const age = dataAge === null ? "" : String(Math.floor(dataAge));
  const words = phase !== "live" ? texts(phase, { s: Math.ceil(live.held) }) : live.delay ? texts("delayed", { s: live.delay }) : texts("live");
  const old = age === "" || phase === "held" ? "" : ` · ${texts(phase === "live" ? "data_age" : "frozen", { s: age })}`;
  say(byId("connection-text"), words + old);
  mark(byId("connection-text"), "title", live.trouble);
  if (!model) return;
  const mood = panel.showHealth(byId("health"), model, link(), texts);
  const title = `${SIGNS[mood]} ${byId("heading").textContent} · tablectl`;
  if (document.title !== title) document.title = title;
  const left = link() === "down" || phase === "held" || model.paused ? null : countdown(model, live.now);
  layout.tick(left, model.claimsOpen(live.now));
  panel.tickNow(byId("now"), left);
}

// --- language, theme, session

function speak() {
  document.documentElement.lang = texts.lang === "zh" ? "zh-CN" : "en";
  byId("heading").textContent = model?.site || texts("title");
  byId("language").textContent = texts.lang === "zh" ? "EN" : "中文";
  byId("sheet-link").href = `/sheet?lang=${texts.lang}`;
  byId("theme").title = texts("theme");
  byId("theme").setAttribute("aria-label", texts("theme"));
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = texts(node.dataset.text);
  changed();
}

function paint() {
  const chosen = theme ?? (dark.matches ? "dark" : "light");
  document.documentElement.dataset.theme = chosen;
  byId("theme").setAttribute("aria-pressed", String(chosen === "dark"));
}

const refused = () => (new URLSearchParams(location.search).has("refused") ? texts("login_refused") : "");

byId("language").addEventListener("click", () => {
  texts = wordsIn(texts.lang === "zh" ? "en" : "zh");
  localStorage.setItem("lang", texts.lang);
  speak();
});
byId("theme").addEventListener("click", () => {
  theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  localStorage.setItem("theme", theme);
  paint();
});
byId("role").addEventListener("click", async () => {
  if (live.role === null || live.role === "spectator") openLogin(byId("login"), texts, () => live.again());
  else {
    await act.send("logout");
    live.again();
  }
});
byId("health").addEventListener("click", () => byId(model?.faults.length ? "alerts" : "panel").scrollIntoView({ behavior: "smooth" }));
byId("table").addEventListener("click", (event) => {
  const seat = event.target.closest(".plate, .card-head")?.closest("[data-seat]")?.dataset.seat;
  if (seat !== undefined && model.staff) act.seat(Number(seat));
});
dark.addEventListener("change", paint);
narrow.addEventListener("change", () => {
  chooseLayout();
  changed();
});

paint();
speak();
if (refused()) openLogin(byId("login"), texts, () => live.again(), refused());
live.connect();
setInterval(tick, TICK_MS);
