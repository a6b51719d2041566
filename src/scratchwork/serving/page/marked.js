/**
 * A problem and its derivation with every number marked by kind. Pointing at, tapping or focusing a
 * number draws lines to the numbers it was made of.
 */

import { make } from "./dom.js";
import { Lines } from "./lines.js";

/** @typedef {import("./tokens.js").Token} Token */
/** @typedef {import("./provenance.js").Origin} Origin */

const KINDS = [
  ["copied", "copied"], ["computed", "computed"], ["constant", "constant"],
  ["unsupported", "from nowhere"],
];

/**
 * @param {{question: string, options: string[], rationale: string}} problem
 * @param {{question: Token[], options: Token[][], rationale: Token[]}} tokens x and y in order;
 *   each option's tokens begin with its label, which is not in its text
 * @param {Map<string, Origin>} origins by place, such as `y19`
 * @param {Map<number, string>} wrong positions in the rationale, from 0, that belong to false
 *   equations, each with the reason
 */
export function markedWork(problem, tokens, origins, wrong = new Map()) {
  const question = make("p", { class: "prose question" });
  let x = writeSource(question, problem.question, tokens.question, 1);
  const options = make("ul", { class: "prose given-options" });
  tokens.options.forEach((option, k) => {
    x += 1; // the tag before each option
    const label = make("b", { "data-at": `x${x}` }, `${String.fromCharCode(65 + k)})`);
    const item = make("li", {}, label, " ");
    x = writeSource(item, problem.options[k], option, x + 1);
    options.append(item);
  });
  const rationale = make("div", { class: "sheet prose", "aria-label": "Derivation", role: "group" });
  writeRationale(rationale, problem.rationale, tokens.rationale, origins, wrong);
  const note = make("p", { class: "note", "aria-hidden": "true" });
  const work = make("div", { class: "work" }, question, options, rationale, legend(origins), note);
  pointable(work, note, origins);
  return work;
}

/** Write source tokens, numbers with their places; the place after the last is returned. */
function writeSource(into, text, tokens, first) {
  let at = 0;
  tokens.forEach((token, k) => {
    into.append(text.slice(at, token.start));
    const shown = text.slice(token.start, token.end);
    into.append(make("span", { "data-at": `x${first + k}` }, shown));
    at = token.end;
  });
  into.append(text.slice(at));
  return first + tokens.length;
}

function writeRationale(into, text, tokens, origins, wrong) {
  let at = 0;
  let target = into;
  tokens.forEach((token, k) => {
    if (wrong.has(k) && target === into) {
      into.append(text.slice(at, token.start));
      target = make("span", { class: "false-equation", title: wrong.get(k) });
      into.append(target);
    } else if (!wrong.has(k) && target !== into) {
      target = into;
      into.append(text.slice(at, token.start));
    } else target.append(text.slice(at, token.start));
    const origin = origins.get(`y${k + 1}`);
    const shown = text.slice(token.start, token.end);
    target.append(origin && shown ? numberMark(origin, shown) : shown);
    at = token.end;
  });
  into.append(text.slice(at));
}

/** One number, to be pointed at. */
export function numberMark(origin, shown) {
  return make("span", {
    class: `number ${origin.kind}`, tabindex: 0, role: "button", "data-at": origin.place,
    "aria-label": `${shown}: ${origin.note}`,
  }, shown);
}

function legend(origins) {
  const present = new Set([...origins.values()].map((origin) => origin.kind));
  const shown = KINDS.filter(([kind]) => present.has(kind));
  const items = shown.map(([kind, name]) => make("li", {}, make("span", { class: `number ${kind}` }, name)));
  return make("ul", { class: "legend", "aria-label": "Kinds of numbers" }, ...items);
}

function pointable(work, note, origins) {
  const lines = new Lines(work);
  const silent = "Point at a number, tap it, or reach it with the Tab key.";
  let kept = null;
  note.textContent = silent;

  function show(mark) {
    const origin = origins.get(mark.dataset.at);
    note.textContent = `${origin.note}.`;
    lines.draw(mark, origin);
  }
  function hide() {
    if (kept) return show(kept);
    note.textContent = silent;
    lines.clear();
  }
  for (const mark of work.querySelectorAll(".number[data-at]")) {
    mark.addEventListener("pointerenter", () => show(mark));
    mark.addEventListener("pointerleave", hide);
    mark.addEventListener("focus", () => { kept = mark; show(mark); });
    mark.addEventListener("blur", () => { kept = null; hide(); });
    mark.addEventListener("click", () => { mark.focus(); });
    mark.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { kept = null; hide(); }
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); show(mark); }
    });
  }
  new ResizeObserver(() => kept && show(kept)).observe(work);
}
