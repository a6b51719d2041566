/** Working that was audited, shown line by line. */

import { make } from "./dom.js";
import { numberMark } from "./marked.js";

/**
 * @param {string} text
 * @param {ReturnType<import("./audited.js").auditedTokens>} found
 * @returns {HTMLLIElement[]} an item for each line that is not empty
 */
export function lineByLine(text, { tokens, origins, wrong }) {
  const items = [];
  let start = 0;
  for (const line of text.split("\n")) {
    const end = start + line.length;
    const here = tokens.rationale
      .map((token, k) => ({ ...token, k }))
      .filter((token) => token.start >= start && token.end <= end && token.text !== "\n");
    if (here.length) items.push(item(text.slice(start, end), start, here, origins, wrong));
    start = end + 1;
  }
  return items;
}

function item(line, start, tokens, origins, wrong) {
  const shown = make("span", { class: "line-text" });
  let target = shown;
  let at = 0;
  for (const token of tokens) {
    const isWrong = wrong.has(token.k);
    const between = line.slice(at, token.start - start);
    // An equation is one element, with the spaces inside it.
    if (isWrong && target !== shown) target.append(between);
    else shown.append(between);
    if (isWrong && target === shown) shown.append(target = make("span", { class: "false-equation" }));
    if (!isWrong) target = shown;
    const origin = origins.get(`y${token.k + 1}`);
    const written = line.slice(token.start - start, token.end - start);
    target.append(origin ? flat(origin, written) : written);
    at = token.end - start;
  }
  shown.append(line.slice(at));
  const said = remarks(tokens, origins, wrong);
  return make("li", { class: said.length ? "amiss" : "fine" }, shown,
    make("span", { class: "remark" }, said.join(" ") || praise(tokens, origins)));
}

/** Numbers here are looked at, not pointed at: they are no stops for the Tab key. */
function flat(origin, written) {
  const mark = numberMark(origin, written);
  for (const name of ["tabindex", "role", "aria-label"]) mark.removeAttribute(name);
  mark.title = origin.note;
  return mark;
}

/** What can be said for a line; of mere words nothing. */
function praise(tokens, origins) {
  if (tokens.some((token) => token.text === "=")) return "holds";
  return tokens.some((token) => origins.has(`y${token.k + 1}`)) ? "supported" : "";
}

/** Why a line is not let pass, each reason once. */
function remarks(tokens, origins, wrong) {
  const said = tokens.flatMap((token) => [wrong.get(token.k), origins.get(`y${token.k + 1}`)?.why]);
  return [...new Set(said.filter(Boolean))];
}
