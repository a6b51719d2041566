/** Problems as people read them, and two texts side by side. */

import { make } from "./dom.js";

const MOST_WORDS = 600;
const MOST_APART = 0.5;

/** A problem's letter of the place k. */
export const letterOf = (k) => String.fromCharCode(65 + k);

/**
 * A problem's question and options, its rationale folded away.
 * @param {{question: string, options: string[], rationale: string, correct: string | null}} problem
 */
export function shownProblem(problem, isOpen = false) {
  const options = problem.options.map((text, k) => {
    const isRight = letterOf(k) === problem.correct;
    return make("li", { class: isRight ? "right" : null }, make("b", {}, `${letterOf(k)})`), ` ${text}`,
      isRight ? make("span", { class: "visually-hidden" }, " (right)") : null);
  });
  return [
    make("p", { class: "prose question" }, problem.question),
    make("ul", { class: "prose given-options" }, ...options),
    make("details", { open: isOpen }, make("summary", {}, "Rationale"),
      make("p", { class: "prose pre" }, problem.rationale)),
  ];
}

/** Two texts in columns; the words that only one has are marked, unless that are most of them. */
export function sideBySide(ours, theirs) {
  const [left, right] = marked(ours.text, theirs.text);
  const column = (title, text) =>
    make("div", {}, make("h4", {}, title), make("p", { class: "card prose pre" }, ...text));
  return make("div", { class: "beside even" }, column(ours.title, left), column(theirs.title, right));
}

/** Both texts as nodes, with `mark` around words that are not in the longest common sequence. */
function marked(one, other) {
  const words = [one, other].map((text) => text.match(/\s+|\S+/g) ?? []);
  if (words.some((list) => list.length > MOST_WORDS)) return [[one], [other]];
  const [a, b] = words;
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i][j] = a[i] === b[j]
        ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  if (lengths[0][0] < MOST_APART * Math.min(a.length, b.length)) return [[one], [other]];
  const left = [];
  const right = [];
  const differing = (word) => (word.trim() ? make("mark", {}, word) : word);
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      left.push(a[i++]);
      right.push(b[j++]);
    } else if (j >= b.length || (i < a.length && lengths[i + 1][j] >= lengths[i][j + 1])) {
      left.push(differing(a[i++]));
    } else right.push(differing(b[j++]));
  }
  return [left, right];
}
