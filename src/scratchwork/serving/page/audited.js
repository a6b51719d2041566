/** An audit's findings, found again in the text that was audited. */

import { operationName, written } from "./provenance.js";
import { tokenise } from "./tokens.js";

/** @typedef {import("./provenance.js").Origin} Origin */

/**
 * @param {{question: string, options: string[], rationale: string}} problem
 * @param {{numbers: any[], equations: any[]}} audit
 */
export function auditedTokens(problem, audit) {
  const tokens = {
    question: tokenise(problem.question),
    options: problem.options.map((option) => tokenise(option)),
    rationale: tokenise(problem.rationale),
  };
  const places = aligned(tokens.rationale, audit.numbers);
  const shown = source(tokens);
  const cells = new Map(audit.numbers.map((number) => {
    const at = places.get(number);
    // Where markup hides a number from this page, it has a text but no place.
    const place = at === undefined ? "" : `y${at + 1}`;
    return [`y${number.position}`, { kind: "cell", place, text: number.token }];
  }));
  const origins = new Map();
  for (const [number, at] of places) {
    origins.set(`y${at + 1}`, origin(number, at, shown, cells));
  }
  return { tokens, origins, wrong: falseTokens(tokens.rationale, audit.equations) };
}

/** Each audited number with its token; where markup shifted the positions, the next equal one. */
function aligned(tokens, numbers) {
  const places = new Map();
  let after = 0;
  for (const number of numbers) {
    const expected = number.position - 1;
    let at = tokens[expected]?.text === number.token && expected >= after ? expected : -1;
    if (at < 0) at = tokens.findIndex((token, k) => k >= after && token.text === number.token);
    if (at < 0) continue;
    places.set(number, at);
    after = at + 1;
  }
  return places;
}

/** The tokens x: the question, then a tag, label and text for each option. */
function source(tokens) {
  const all = tokens.question.map((token) => token.text);
  tokens.options.forEach((option, k) => {
    all.push("<O>", `${String.fromCharCode(65 + k)})`, ...option.map((token) => token.text));
  });
  return all;
}

/** @returns {Origin} */
function origin(number, at, shown, cells) {
  const made = {
    place: `y${at + 1}`, text: number.token, kind: number.status,
    operation: "", sources: [], term: null,
  };
  if (number.status === "unsupported") {
    return { ...made, note: `Nothing in the problem or the text before gives ${number.token}` };
  }
  if (number.status === "constant") return { ...made, note: `${number.token} is a constant` };
  const term = parse(number.how, shown, cells);
  const sources = leaves(term);
  if (number.status === "copied") {
    const where = number.how[0] === "x" ? "the problem" : "earlier in the text";
    return { ...made, sources, operation: "Copied", note: `${number.token} is copied from ${where}` };
  }
  const operation = operationName(term.name ?? "");
  return { ...made, sources, operation, note: `${operation}: ${written(term)} = ${number.token}` };
}

/** `Multiply(Divide(y8, "100"), y6)` as a term. */
function parse(how, shown, cells) {
  const pieces = how.match(/"[^"]*"|[\w.]+|[(),]/g) ?? [];
  let at = 0;
  function term() {
    const piece = pieces[at++] ?? "";
    if (pieces[at] === "(") {
      at += 1;
      const parts = [];
      while (at < pieces.length && pieces[at] !== ")") {
        if (pieces[at] === ",") at += 1;
        else parts.push(term());
      }
      at += 1;
      return { kind: "operation", name: piece, parts, text: "" };
    }
    if (!/^[xy]\d+$/.test(piece)) return { kind: "constant", text: piece.replaceAll('"', "") };
    const known = { kind: "cell", place: piece, text: shown[Number(piece.slice(1)) - 1] ?? piece };
    return piece[0] === "x" ? known : (cells.get(piece) ?? { ...known, place: "", text: piece });
  }
  return term();
}

function leaves(term) {
  if (term.kind === "cell") return term.place ? [term.place] : [];
  return term.kind === "operation" ? [...new Set(term.parts.flatMap(leaves))] : [];
}

/** The positions of tokens that belong to equations which do not hold. */
function falseTokens(tokens, equations) {
  const wrong = new Set();
  let after = 0;
  for (const equation of equations) {
    const wanted = tokenise(equation.text).map((token) => token.text);
    const at = tokens.findIndex((_, k) =>
      k >= after && wanted.every((text, j) => tokens[k + j]?.text === text));
    if (at < 0) continue;
    if (!equation.holds) wanted.forEach((_, j) => wrong.add(at + j));
    // Equations of a chain `a = b = c` overlap, so the next may begin inside this one.
    after = at + 1;
  }
  return wrong;
}
