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
  let at = 0;
  for (const token of tokens) {
    shown.append(line.slice(at, token.start - start));
    const origin = origins.get(`y${token.k + 1}`);
    const written = line.slice(token.start - start, token.end - start);
    const piece = origin ? flat(origin, written) : written;
    shown.append(wrong.has(token.k) ? make("span", { class: "false-equation" }, piece) : piece);
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

function remarks(tokens, origins, wrong) {
  const said = tokens.some((token) => wrong.has(token.k)) ? ["This equation is not true."] : [];
  for (const token of tokens) {
    const origin = origins.get(`y${token.k + 1}`);
    if (origin?.kind === "unsupported" && !wrong.has(token.k)) {
      said.push(`Nothing so far gives ${token.text}.`);
    }
  }
  return said;
}
