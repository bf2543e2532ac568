// A hand that is over, step by step: the board, what happened, and keys to go through it.

import { Board } from "./board.js";
import { Cards } from "./cards.js";
import { fill, h } from "./dom.js";
import { showProposal } from "./judging.js";
import { modelOf } from "./model.js";
import { nameOf, showScores } from "./panel.js";
import { canCheck, checkSeals } from "./seal.js";
import { learnFans, sentence } from "./texts.js";

/** Milliseconds a step takes while the hand plays, by the speed chosen. */
const PACES = { slow: 1600, usual: 750, fast: 250 };
/** Events during which nothing is shown that people did not see. */
const SILENT = new Set(["wall", "opened", "call"]);
const narrow = matchMedia("(max-width: 760px)");

/** `old` with a difference put in (tablectl.game.playback). */
export function changed(old, change) {
  if (change === null || typeof change !== "object" || Array.isArray(change)) return change;
  if ("=" in change) return change["="];
  if ("+" in change) return [...old, ...change["+"]];
  const copy = Array.isArray(old) ? [...old] : { ...old };
  for (const [key, inner] of Object.entries(change)) copy[key] = changed(old[key], inner);
  return copy;
}

export class Replay {
  /** `root` gets the board and the panel; `texts` the words; `more` is shown below the panel. */
  constructor(root, played, texts) {
    this.played = played;
    learnFans(played.fans);
    this.texts = texts;
    this.pace = "usual";
    this.timer = null;
    let state = played.first;
    this.states = played.steps.map((step) => (state = changed(state, step.change)));
    this.events = played.steps.map((step) => step.event);
    /** steps at which something moves: the others are gone over */
    this.stops = this.events.map((event, n) => (SILENT.has(event.type) ? null : n)).filter((n) => n !== null);
    this.at = Math.max(0, this.stops.findIndex((n) => this.events[n].type === "dealt"));
    this.board = h("section.table");
    this.head = h("h2.replay-head");
    this.slider = h("input", { type: "range", min: "0", max: String(this.stops.length - 1), oninput: () => this.go(Number(this.slider.value)) });
    this.controls = h("div.controls", { role: "toolbar" });
    this.list = h("ol.steps", { tabindex: "0" });
    this.result = h("section.replay-result");
    this.scores = h("section");
    this.seals = h("section.seals");
    this.share = h("section.share");
    this.panel = h("aside.panel", { tabindex: "-1" }, this.head, this.controls, this.slider, this.result, this.scores, this.list, this.share, this.seals);
    root.replaceChildren(this.board, this.panel);
    this.keys = (event) => this.#key(event);
    document.addEventListener("keydown", this.keys);
    this.layout = () => {
      this.view = new (narrow.matches ? Cards : Board)(this.board);
      this.show();
    };
    narrow.addEventListener("change", this.layout);
    this.speak(texts);
    this.layout();
    this.check();
  }

  close() {
    this.pause();
    document.removeEventListener("keydown", this.keys);
    narrow.removeEventListener("change", this.layout);
  }

  /** Change the language. */
  speak(texts) {
    this.texts = texts;
    const { played } = this;
    const rules = texts.lang === "zh" ? played.rules.zh : played.rules.en;
    this.head.textContent = `${texts("hand_n", { n: played.record[0].hand })} · ${rules}`;
    this.slider.setAttribute("aria-label", texts("step"));
    const model = this.#model(this.stops.length - 1);
    const who = nameOf(model, texts);
    this.list.replaceChildren(...this.stops.map((n, stop) => {
      const said = sentence(this.events[n], texts, who);
      return h("li", { class: said?.kind, "data-stop": stop }, h("button", { type: "button", onclick: () => this.go(stop) }, said?.text ?? texts(this.events[n].type)));
    }));
    if (this.view) this.show();
    if (this.found) this.#showSeals();
    this.share.replaceChildren(...this.#sharing());
  }

  /** The wins in one line each, to copy into the calculators of the community. */
  #sharing() {
    const { texts } = this;
    const lines = this.played.lines;
    if (!lines.length) return [];
    const copied = (event, line) => {
      navigator.clipboard?.writeText(line);
      event.currentTarget.textContent = texts("copied");
    };
    return [h("h2", {}, texts("share")), ...lines.map((line) => h("p.line-to-share", {}, h("code", {}, line), h("button.quiet", { type: "button", onclick: (event) => copied(event, line) }, texts("copy"))))];
  }

  // --- going through it

  go(stop) {
    this.at = Math.max(0, Math.min(this.stops.length - 1, stop));
    this.show();
  }

  play() {
    if (this.timer !== null) return this.pause();
    if (this.at === this.stops.length - 1) this.at = 0;
    this.timer = setInterval(() => {
      this.go(this.at + 1);
      if (this.at === this.stops.length - 1) this.pause();
    }, PACES[this.pace]);
    this.show();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.show();
  }

  /** To the next stop (or the one before) whose event is a discard. */
  turn(step) {
    let stop = this.at + step;
    while (stop > 0 && stop < this.stops.length - 1 && this.events[this.stops[stop]].type !== "dahai") stop += step;
    this.go(stop);
  }

  #key(event) {
    if (event.target.matches?.("input:not([type=range]), select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = {
      ArrowRight: () => this.go(this.at + 1), ArrowLeft: () => this.go(this.at - 1), ArrowDown: () => this.turn(1), ArrowUp: () => this.turn(-1),
      Home: () => this.go(0), End: () => this.go(this.stops.length - 1), " ": () => this.play(),
    }[event.key];
    if (!act || (event.key === " " && event.target.matches?.("button"))) return;
    event.preventDefault();
    act();
  }

  // --- showing it

  #model(stop) {
    const n = this.stops[stop];
    return modelOf({ state: this.states[n], events: this.events.slice(0, n + 1), role: "spectator" });
  }

  show() {
    if (!this.view) return;
    const { texts } = this;
    const model = this.#model(this.at);
    this.view.show(model, texts);
    this.view.tick(null, false);
    this.slider.value = String(this.at);
    this.slider.setAttribute("aria-valuetext", this.list.children[this.at]?.textContent ?? "");
    const playing = this.timer !== null;
    fill(this.controls, [playing, this.pace, texts.lang], () => [
      ["first", "⏮", () => this.go(0)], ["turn_before", "⏪", () => this.turn(-1)], ["before", "◀", () => this.go(this.at - 1)],
      [playing ? "pause" : "play", playing ? "❚❚" : "▶", () => this.play()],
      ["next", "▶︎|", () => this.go(this.at + 1)], ["turn_next", "⏩", () => this.turn(1)], ["last", "⏭", () => this.go(this.stops.length - 1)],
    ].map(([name, sign, act]) => h("button", { type: "button", "data-act": name, title: texts(`replay.${name}`), "aria-label": texts(`replay.${name}`), class: name === "play" || name === "pause" ? "primary" : null, onclick: act }, sign))
      .concat(h("select", { "aria-label": texts("replay.pace"), onchange: (event) => this.#setPace(event.target.value) },
        Object.keys(PACES).map((name) => h("option", { value: name, selected: name === this.pace }, texts(`pace.${name}`))))));
    showProposal(this.result, model, texts, nameOf(model, texts), {});
    showScores(this.scores, model, texts);
    for (const item of this.list.children) {
      const here = Number(item.dataset.stop) === this.at;
      item.classList.toggle("here", here);
      if (here) {
        item.setAttribute("aria-current", "step");
        this.list.scrollTop = item.offsetTop - this.list.offsetTop - this.list.clientHeight / 2;
      } else item.removeAttribute("aria-current");
    }
  }

  #setPace(name) {
    this.pace = name;
    if (this.timer === null) return;
    this.pause();
    this.play();
  }

  // --- the seals

  async check() {
    this.found = canCheck() ? await checkSeals(this.played) : null;
    this.#showSeals();
  }

  #showSeals() {
    const { texts } = this;
    const promises = this.played.record[0].commitments ?? [];
    fill(this.seals, [this.found, promises, texts.lang], () => {
      const title = h("h2", {}, texts("seals"));
      if (!promises.length) return [title, h("p.soft", {}, texts("no_seals"))];
      if (this.found === null) return [title, h("p.soft", {}, texts("cannot_check")), promises.map((one) => h("code.digest", {}, one.digest))];
      return [title, this.found.map((seal) => h("div.seal", { class: seal.ok ? "good" : "bad", "data-what": seal.what, "data-ok": String(seal.ok) },
        h("strong", {}, texts(`seal.${seal.what}`)),
        h("span", {}, texts(!seal.opened ? "seal.unopened" : seal.ok ? "seal.kept" : "seal.broken")),
        seal.compared ? h("p", {}, texts("seal.agreement", { n: seal.agreeing, of: seal.compared })) : null,
        seal.unknown ? h("p.soft", {}, texts("seal.unknown", { n: seal.unknown })) : null,
        h("code.digest", {}, seal.digest)))];
    });
  }
}

/** Let the browser save a text. */
export function save(name, text, type = "application/x-ndjson") {
  const link = h("a", { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export const recordText = (played) => played.record.map((event) => `${JSON.stringify(event)}\n`).join("");
