// The page of one hand, a single file: the hand stands in it as JSON.

import { byId } from "./dom.js";
import { Replay, recordText, save } from "./replay.js";
import { wordsIn } from "./texts.js";
import { sprite } from "./tiles.js";

const played = JSON.parse(byId("hand").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
let texts = wordsIn(document.documentElement.dataset.lang);

document.body.prepend(sprite());
const replay = new Replay(document.querySelector("main"), played, texts);

function speak() {
  document.documentElement.lang = texts.lang === "zh" ? "zh-CN" : "en";
  document.title = `${texts("replay")} · ${texts("hand_n", { n: played.record[0].hand })}`;
  byId("heading").textContent = texts("replay");
  byId("names").textContent = played.names.filter(Boolean).join(" · ");
  byId("language").textContent = texts.lang === "zh" ? "EN" : "中文";
  byId("save").textContent = texts("save_record");
  byId("lines").textContent = played.lines.join("\n");
  byId("simulated").hidden = !played.first.table.simulated;
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = texts(node.dataset.text);
  replay.speak(texts);
}
const paint = () => (document.documentElement.dataset.theme = dark.matches ? "dark" : "light");

byId("language").addEventListener("click", () => {
  texts = wordsIn(texts.lang === "zh" ? "en" : "zh");
  speak();
});
byId("save").addEventListener("click", () => save(`hand-${played.record[0].hand}.jsonl`, recordText(played)));
dark.addEventListener("change", paint);
paint();
speak();
