// What every plain page does: language, theme, asking the server.

import { byId } from "./dom.js";
import { refused, wordsIn } from "./texts.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

/** The answer to a request. Rejects with an Error whose message is for people. */
export async function ask(path, texts, options = {}) {
  const response = await fetch(`/api/${path}`, options).catch(() => null);
  if (response === null) throw new Error(texts("offline"));
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(texts.problem(refused(answer.error, response.status))), { status: response.status });
  return answer.result ?? answer;
}

/** Run a page: `show(texts)` draws it, at first and in another language; `title` is the key of its title. */
export function page(title, show) {
  let texts = wordsIn(localStorage.getItem("lang") ?? "zh");
  const speak = () => {
    document.documentElement.lang = texts.lang === "zh" ? "zh-CN" : "en";
    document.title = `${texts(title)} · tablectl`;
    byId("language").textContent = texts.lang === "zh" ? "EN" : "中文";
    for (const node of document.querySelectorAll("[data-text]")) node.textContent = texts(node.dataset.text);
    show(texts);
  };
  const paint = () => (document.documentElement.dataset.theme = localStorage.getItem("theme") ?? (dark.matches ? "dark" : "light"));
  byId("language").addEventListener("click", () => {
    texts = wordsIn(texts.lang === "zh" ? "en" : "zh");
    localStorage.setItem("lang", texts.lang);
    speak();
  });
  dark.addEventListener("change", paint);
  paint();
  speak();
}
