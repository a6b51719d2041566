/** An audit's findings, found again in the text that was audited. */

import { operationName, written } from "./provenance.js";
import { tokenise } from "./tokens.js";

/** @typedef {import("./provenance.js").Origin} Origin */

/**
 * The tokens are those of the problem as the server read it, without markup; its places count them.
 * @param {{question: string, options: string[], rationale: string, numbers: any[], equations: any[]}} audit
 */
export function auditedTokens(audit) {
  const tokens = {
    question: tokenise(audit.question),
    options: audit.options.map((option) => tokenise(option)),
    rationale: tokenise(audit.rationale),
  };
  const shown = { x: source(tokens), y: tokens.rationale.map((token) => token.text) };
  const here = audit.numbers.filter(({ position, token }) => shown.y[position - 1] === token);
  const origins = new Map(here.map((number) => [`y${number.position}`, origin(number, shown)]));
  return { tokens, origins, wrong: falseTokens(tokens.rationale, audit.equations) };
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
function origin(number, shown) {
  const made = {
    place: `y${number.position}`, text: number.token, kind: number.status,
    operation: "", sources: [], term: null, why: number.why,
  };
  if (number.status === "unsupported") return { ...made, note: number.why.replace(/\.$/, "") };
  if (number.status === "constant") return { ...made, note: `${number.token} is a constant` };
  const term = parse(number.how, shown);
  const sources = leaves(term);
  if (number.status === "copied") {
    const where = number.how[0] === "x" ? "the problem" : "earlier in the text";
    return { ...made, sources, operation: "Copied", note: `${number.token} is copied from ${where}` };
  }
  const operation = operationName(term.name ?? "");
  return { ...made, sources, operation, note: `${operation}: ${written(term)} = ${number.token}` };
}

/** `Multiply(Divide(y8, "100"), y6)` as a term. */
function parse(how, shown) {
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
    return { kind: "cell", place: piece, text: shown[piece[0]][Number(piece.slice(1)) - 1] ?? piece };
  }
  return term();
}

function leaves(term) {
  if (term.kind === "cell") return [term.place];
  return term.kind === "operation" ? [...new Set(term.parts.flatMap(leaves))] : [];
}

/** The positions of tokens that belong to equations which do not hold, each with the reason. */
function falseTokens(tokens, equations) {
  const wrong = new Map();
  let after = 0;
  for (const equation of equations) {
    const wanted = tokenise(equation.text).map((token) => token.text);
    const at = tokens.findIndex((_, k) =>
      k >= after && wanted.every((text, j) => tokens[k + j]?.text === text));
    if (at < 0) continue;
    if (!equation.holds) wanted.forEach((_, j) => wrong.set(at + j, equation.why));
    // Equations of a chain `a = b = c` overlap, so the next may begin inside this one.
    after = at + 1;
  }
  return wrong;
}
