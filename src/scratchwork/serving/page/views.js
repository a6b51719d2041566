/** The views of a solution beside its rationale: the program's table, its rivals, the votes. */

import { make, percent } from "./dom.js";
import { shownValue } from "./provenance.js";

/** The paper's table 2: source tokens beside instructions, their values and places. */
export function programTable(trace) {
  const heads = [["i", "Row"], ["x", "Source token"], ["z", "Instruction"], ["v", "Value"], ["r", "Place"]];
  const head = make("tr", {}, ...heads.map(([name, title]) => make("th", { scope: "col", title }, name)));
  const count = Math.max(trace.source.length, trace.steps.length);
  const rows = Array.from({ length: count }, (_, k) => row(k, trace.source[k], trace.steps[k]));
  const table = make("table", { class: "program" },
    make("caption", {}, `${trace.steps.length} instructions, operations: ${trace.operations}`),
    make("thead", {}, head), make("tbody", {}, ...rows));
  // Its own stop for the Tab key, so that the arrow keys scroll it.
  return make("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Program" }, table);
}

function row(k, token, step) {
  const cells = [make("td", { class: "index" }, String(k + 1)), make("td", {}, visible(token ?? ""))];
  if (!step) return make("tr", {}, ...cells, make("td"), make("td"), make("td"));
  const isNumber = typeof step.value === "number";
  return make("tr", { class: step.place.startsWith("m") && "memory" }, ...cells,
    make("td", { class: "code" }, visible(step.instruction.replace(/ -> [my]$/, ""))),
    make("td", { class: isNumber ? "numeric" : "string" }, visible(shownValue(step.value))),
    make("td", { class: "code" }, step.place));
}

function visible(text) {
  return text.replaceAll("\n", "\\n");
}

/** Programs that were considered and not chosen. */
export function rivalPrograms(rivals) {
  if (!rivals.length) return make("p", { class: "help" }, "No other program was considered.");
  return make("ul", { class: "others" }, ...rivals.map((rival) => make("li", {},
    make("details", {},
      make("summary", {},
        make("span", { class: "letter" }, rival.answer ?? "–"),
        make("span", { class: "first-line" }, rival.rationale.split("\n")[0] || "no derivation"),
        rival.guess ? guessMark() : null,
        make("span", { class: "share" }, percent(rival.share))),
      make("p", { class: "prose pre" }, rival.rationale)))));
}

/** The mark of an answer that is a guess. */
export function guessMark() {
  return make("span", { class: "guess-mark" }, "Guess");
}

/** The other letters that have as many votes as the answer, if none has more. */
export function tied(answer, votes) {
  const most = Math.max(0, ...Object.values(votes));
  if (!answer || votes[answer] !== most) return [];
  return Object.keys(votes).filter((letter) => letter !== answer && votes[letter] === most).sort();
}

/** Bars of votes that fill while they come; the option that leads so far stands out. */
export class Votes {
  /** @param {HTMLElement} list */
  constructor(list) {
    this.list = list;
  }

  start(options) {
    this.bars = new Map();
    this.list.replaceChildren(...options.map((text, k) => {
      const letter = String.fromCharCode(65 + k);
      const bar = make("span", { class: "bar" });
      const share = make("span", { class: "share" }, "");
      const item = make("li", { "data-letter": letter },
        make("span", { class: "letter" }, letter), make("span", { class: "text" }, text),
        make("span", { class: "track", "aria-hidden": "true" }, bar), share);
      this.bars.set(letter, { item, bar, share });
      return item;
    }));
  }

  show(votes) {
    const most = Math.max(0, ...Object.values(votes));
    for (const [letter, { item, bar, share }] of this.bars) {
      bar.style.setProperty("--share", votes[letter] ?? 0);
      share.textContent = percent(votes[letter] ?? 0);
      item.classList.toggle("leading", most > 0 && votes[letter] === most);
    }
  }

  choose(answer, isGuess) {
    for (const [letter, { item }] of this.bars) {
      item.classList.toggle("chosen", letter === answer);
      item.classList.toggle("guess", letter === answer && isGuess);
    }
  }
}
