/**
 * Text to tokens, by the rules of the Python package (docs/formats.md), each with its place in the
 * text, so that places such as x5 and y19 can be found in what a person typed.
 */

const BY_COMMAS = "[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\\.[0-9]+)?";
const IN_LAKHS = "[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}(?:\\.[0-9]+)?";
const BY_DOTS = "[1-9][0-9]{0,2}(?:\\.[0-9]{3}){2,}";
const NUMBER = [
  `(?<![0-9],)(?:${BY_COMMAS}|${IN_LAKHS})(?!,?[0-9])`,
  `${BY_DOTS}(?!\\.?[0-9])`,
  "[0-9]+\\.[0-9]+",
  "[0-9]+",
  "(?<![\\p{L}\\p{N}_.)])\\.[0-9]+",
].join("|");
const TOKEN = new RegExp(
  [
    NUMBER,
    "(?<!\\S)[A-J]\\)",
    "(?<![^\\s\\p{L}\\p{N}_])['’](?:s|t|re|ve|ll|d|m)(?![\\p{L}\\p{N}])",
    "\\p{L}+",
    "->|=>|<=|>=|!=|\\.\\.\\.",
    "\\n",
    "\\S",
  ].join("|"),
  "gu",
);
const NUMERAL = new RegExp(`^(?:(?:${NUMBER})|[0-9]+/[0-9]+)$`, "u");
const DIGITS = /^[0-9]+$/;
const LARGEST_FRACTION = 1e12;

/** @typedef {{text: string, start: number, end: number}} Token */

/** @param {string} text with `\n` for line breaks @returns {Token[]} */
export function tokenise(text) {
  const spans = [...text.matchAll(TOKEN)].map((match) => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));
  const tokens = [];
  for (let k = 0; k < spans.length; k++) {
    if (isClosedFraction(spans, k)) {
      const { start } = spans[k];
      const { end } = spans[k + 2];
      tokens.push({ text: text.slice(start, end), start, end });
      k += 2;
    } else tokens.push(spans[k]);
  }
  return tokens;
}

/** Whether a token is written in digits: `52`, `0.75`, `1,000`, `3/4`. */
export function isNumber(token) {
  return NUMERAL.test(token);
}

/** Line breaks of any system as `\n`. */
export function withPlainBreaks(text) {
  return text.replace(/\r\n?/g, "\n");
}

/**
 * Where known tokens stand in a text, in order. A token that is not found has no place.
 * @param {string[]} tokens @param {string} text @returns {Token[]}
 */
export function locate(tokens, text) {
  let at = 0;
  return tokens.map((token) => {
    const start = text.indexOf(token, at);
    if (start < 0) return { text: token, start: at, end: at };
    at = start + token.length;
    return { text: token, start, end: at };
  });
}

/** Whether tokens k to k + 2 are `a/b` in lowest terms, by themselves. */
function isClosedFraction(spans, k) {
  const [a, sign, b] = spans.slice(k, k + 3);
  if (!b || sign.text !== "/" || !DIGITS.test(a.text) || !DIGITS.test(b.text)) return false;
  if (a.end !== sign.start || sign.end !== b.start) return false;
  const before = spans[k - 1];
  const after = spans[k + 3];
  if (before?.text === "/" && before.end === a.start) return false;
  if (after?.text === "/" && after.start === b.end) return false;
  return isInLowestTerms(a.text, b.text);
}

function isInLowestTerms(a, b) {
  if (a.length > 13 || b.length > 13 || a[0] === "0" || b[0] === "0" || b === "1") return false;
  let [larger, smaller] = [Number(a), Number(b)];
  if (larger * smaller > LARGEST_FRACTION) return false;
  while (smaller) [larger, smaller] = [smaller, larger % smaller];
  return larger === 1;
}
