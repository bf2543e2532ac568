// The connection to the table: the whole state first, then what changes. It comes back by itself.

import { refused } from "./texts.js";

const FIRST_RETRY_MS = 400;
const LONGEST_RETRY_MS = 8000;
const SILENCE_MS = 7000; // the server sends at least a tick every two seconds
const MAX_EVENTS = 400;
/** Log in: a session is needed, it ended, or another player sits here now. */
const NEEDS_LOGIN = new Set([4401, 4409]);

export class Live {
  constructor(changed) {
    this.changed = changed;
    this.state = {};
    this.events = [];
    this.journal = 0; // how often the events began anew
    this.seq = null;
    this.role = null;
    this.phase = "connecting"; // connecting, live, held, core_away, offline, needs_token
    this.trouble = "";
    this.clock = null; // the table's clock: { t, at }
    this.heardAt = null;
    this.age = 0;
    this.delay = 0; // seconds by which this role is behind on purpose
    this.held = 0; // seconds until a page that was started again has something so old to show
    this.retry = FIRST_RETRY_MS;
    this.timer = null;
    setInterval(() => this.#watch(), 1000);
    addEventListener("online", () => this.again());
    document.addEventListener("visibilitychange", () => document.hidden || this.phase === "live" || this.again());
  }

  /** Seconds since the table was last heard. */
  get dataAge() {
    return this.heardAt === null ? null : this.age + (performance.now() - this.heardAt) / 1000;
  }

  /** The table's clock now, in seconds; null before the first word. */
  get now() {
    return this.clock === null ? null : this.clock.t + (performance.now() - this.clock.at) / 1000;
  }

  connect() {
    clearTimeout(this.timer);
    const url = new URL("/ws", location.href);
    url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    if (this.seq !== null) url.searchParams.set("since", this.seq);
    const socket = new WebSocket(url);
    this.socket = socket;
    this.openedAt = performance.now();
    socket.onmessage = (event) => socket === this.socket && this.#take(JSON.parse(event.data));
    socket.onclose = (event) => socket === this.socket && this.#closed(event);
  }

  /** Drop the connection, if any, and connect now. */
  again() {
    const old = this.socket;
    this.socket = null;
    old?.close();
    this.retry = FIRST_RETRY_MS;
    this.connect();
  }

  #closed(event) {
    this.socket = null;
    if (NEEDS_LOGIN.has(event.code)) {
      this.#set("needs_token");
      return;
    }
    this.trouble = event.reason || "";
    this.#set("offline");
    this.timer = setTimeout(() => this.connect(), this.retry * (0.75 + Math.random() / 2));
    this.retry = Math.min(LONGEST_RETRY_MS, this.retry * 1.7);
  }

  #watch() {
    const last = Math.max(this.socketHeardAt ?? 0, this.openedAt ?? 0);
    if (this.socket && performance.now() - last > SILENCE_MS) {
      const old = this.socket;
      this.#closed({ code: 1006, reason: "" });
      old.close();
    }
  }

  #take(message) {
    this.socketHeardAt = performance.now();
    this.retry = FIRST_RETRY_MS;
    if (message.age !== null && message.age !== undefined) {
      this.age = message.age;
      this.heardAt = performance.now();
    }
    this.delay = message.delay ?? this.delay;
    if (message.type === "tick") {
      this.trouble = message.trouble ?? "";
      this.held = message.held ?? 0;
      // The core may be back before its state is: what stands here is old until then.
      const behind = this.seq === null || (!this.delay && this.phase !== "live");
      const waits = message.held !== undefined ? "held" : behind ? "connecting" : "live";
      this.#set(message.connected ? waits : "core_away");
      return;
    }
    const whole = message.type === "state";
    if (whole) {
      // Another role sees other events; a gap or an older number means another journal.
      if (this.role !== message.role || message.gap || message.seq < this.seq) {
        this.events = [];
        this.journal += 1;
      }
      this.role = message.role;
    }
    const last = this.events.at(-1)?.seq ?? 0;
    const fresh = message.events.filter((event) => event.seq > last);
    this.events = [...this.events, ...fresh].slice(-MAX_EVENTS);
    this.state = whole ? message.state : { ...this.state, ...message.state };
    this.seq = message.seq;
    this.clock = { t: message.t, at: performance.now() };
    this.phase = "live";
    this.changed(this, whole ? [] : fresh);
  }

  #set(phase) {
    this.phase = phase;
    this.changed(this, []);
  }
}

/** Ask the table to do something. Resolves to the answer; rejects with an Error for `texts.problem`. */
export async function post(path, body = {}) {
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(`/api/${path}`, options);
  } catch {
    throw new Error("offline");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw refused(answer.error, response.status);
  return answer.result ?? answer;
}
