/** Recognising the options of a problem that was pasted whole. */

const MOST = 10;
const LONGEST = 120;
const LABEL = /(^|[\s,;:?.])(?:\(([A-Ja-j])\)|\[([A-Ja-j])\]|([A-Ja-j])\s?\)|([A-J])[.:](?=\s))\s*/g;
const LINE_LABEL = /^\s*(?:[-*•]|\(?[a-jA-J1-9][).:])\s+/;
const HEADING = /(?:^|\s)(?:answer\s+)?(?:options|choices)\s*(?:are)?\s*:\s*/i;

/**
 * The question without its options, and the options' texts.
 * @param {string} text
 * @returns {{question: string, options: string[]}}
 */
export function splitProblem(text) {
  const plain = text.replace(/\r\n?/g, "\n").trim();
  for (const attempt of [byLabels, byHeading, byLines, byCommas]) {
    const found = attempt(plain);
    if (found && isPlausible(found)) return found;
  }
  return { question: plain, options: [] };
}

/** An option's text without a label such as `A)`. */
export function withoutLabel(option) {
  return option.replace(/^\s*(?:\([A-Ja-j]\)|[A-J]\s?\))\s*/, "");
}

function isPlausible({ question, options }) {
  return (
    question !== "" &&
    options.length >= 2 &&
    options.length <= MOST &&
    options.every((option) => option !== "" && option.length <= LONGEST)
  );
}

/** `A) 9 B) 7`, `(a) 9, (b) 7`, `A. 9`: the last run of labels that begins with A. */
function byLabels(text) {
  const labels = [...text.matchAll(LABEL)].map((match) => ({
    letter: (match[2] ?? match[3] ?? match[4] ?? match[5]).toUpperCase(),
    start: match.index + match[1].length,
    end: match.index + match[0].length,
  }));
  for (let first = labels.length - 1; first >= 0; first--) {
    if (labels[first].letter !== "A") continue;
    const run = inOrder(labels.slice(first));
    if (run.length < 2) continue;
    const ends = [...run.slice(1).map((label) => label.start), text.length];
    const options = run.map((label, k) => tidy(text.slice(label.end, ends[k])));
    return { question: withoutHeading(text.slice(0, run[0].start)), options };
  }
  return null;
}

function inOrder(labels) {
  const run = [];
  for (const label of labels) {
    if (label.letter === String.fromCharCode(65 + run.length)) run.push(label);
  }
  return run;
}

/** `Options: 9, 7, 12`, or the same with a line each. */
function byHeading(text) {
  const heading = [...text.matchAll(new RegExp(HEADING, "gi"))].at(-1);
  if (!heading) return null;
  const rest = text.slice(heading.index + heading[0].length);
  const options = rest.includes("\n") ? lines(rest) : atCommas(rest);
  return { question: text.slice(0, heading.index).trim(), options };
}

/** Short lines after the line with the question. */
function byLines(text) {
  const all = text.split("\n").map((line) => line.trim());
  const asked = all.findLastIndex((line) => /[?:]$/.test(line));
  if (asked < 0) return null;
  const options = lines(all.slice(asked + 1).join("\n"));
  return { question: all.slice(0, asked + 1).join("\n").trim(), options };
}

/** A last line such as `9, 7, 12, 14`. */
function byCommas(text) {
  const [, question, last] = /^([\s\S]*\?)\s*([^?]+)$/.exec(text) ?? [];
  const options = last ? atCommas(last) : [];
  return options.length > 2 ? { question: question.trim(), options } : null;
}

function lines(text) {
  const all = text.split("\n").map((line) => tidy(line.replace(LINE_LABEL, "")));
  return all.filter((line) => line !== "");
}

/** Parts between commas or semicolons; the comma of `1,000` joins. */
function atCommas(text) {
  return text.split(/;|,(?!\d{3}(?!\d))|,(?=\s)/).map(tidy).filter((part) => part !== "");
}

function tidy(text) {
  return text.replace(/\s+/g, " ").replace(/[\s,;]+$/, "").trim();
}

function withoutHeading(text) {
  return text.replace(new RegExp(`${HEADING.source}$`, "i"), "").trim();
}
