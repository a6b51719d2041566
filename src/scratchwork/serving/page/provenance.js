/**
 * Where each number of a trace came from.
 *
 * Memory cells are resolved back to the source tokens (x) and output tokens (y) they were read from
 * or already written to, so that what is left of an instruction speaks of things one can see.
 */

import { isNumber } from "./tokens.js";

const CONVERSIONS = new Set(
  ("Id Str_to_Float Float_to_Str Fraction_to_Float Float_to_Fraction Thousands_to_Float " +
    "Float_to_Thousands Float_to_Decimal").split(" "),
);
const INFIX = { Add: "+", Subtract: "−", Multiply: "×", Divide: "÷", Power: "^", Choose: "choose" };
const PHRASES = {
  Sqrt: (a) => `√${a}`,
  Factorial: (a) => `${a}!`,
  Percent: (a, b) => `${a} % of ${b}`,
  Absolute: (a) => `|${a}|`,
  Remainder: (a, b) => `${a} mod ${b}`,
  Unknown: (a) => a,
};
/** Operations on the two sides of an equation. */
const EQUATIONS = new Set("Solve Larger_Root Smaller_Root Express".split(" "));

/**
 * @typedef {{kind: "cell", place: string, text: string}
 *   | {kind: "constant", text: string}
 *   | {kind: "operation", name: string, parts: Term[], text: string}} Term
 * @typedef {{place: string, text: string, kind: "copied" | "computed" | "constant" | "unsupported",
 *   operation: string, sources: string[], note: string, term: Term | null}} Origin
 */

/** Instructions such as `Divide(m1, "2") -> m`. */
export function parseInstruction(text) {
  const match = /^(\w+)\(([\s\S]*)\) -> ([my])$/.exec(text);
  if (!match) return { operation: text, parts: [], to: "y" };
  const parts = match[2].match(/"(?:[^"\\]|\\.)*"|[xym]\d+/g) ?? [];
  return { operation: match[1], parts, to: match[3] };
}

/** Operations in words that a person reads. */
export function operationName(name) {
  return name.replaceAll("_", " ").toLowerCase().replace(/^./, (c) => c.toUpperCase());
}

/** @param {Term} term */
export function written(term, isInner = false) {
  if (term.kind !== "operation") return term.text;
  if (EQUATIONS.has(term.name)) return term.parts.map((part) => written(part)).join(" = ");
  const parts = term.parts.map((part) => written(part, true));
  if (PHRASES[term.name]) return PHRASES[term.name](...parts);
  const sign = INFIX[term.name];
  if (!sign) return `${operationName(term.name)}(${parts.join(", ")})`;
  const joined = parts.join(` ${sign} `);
  return isInner ? `(${joined})` : joined;
}

/**
 * The origin of every number that the trace wrote, and of the letter that `Check` found.
 * @param {{source: string[], steps: {instruction: string, value: string | number, place: string}[]}} trace
 * @returns {Map<string, Origin>} by place, `y19`
 */
export function origins(trace) {
  const terms = new Map(trace.source.map((text, k) => [`x${k + 1}`, cell(`x${k + 1}`, text)]));
  const found = new Map();
  for (const step of trace.steps) {
    const { operation, parts } = parseInstruction(step.instruction);
    const value = shownValue(step.value);
    const arguments_ = parts.map((part) => (part[0] === '"' ? constant(part) : terms.get(part)));
    const term = applied(operation, arguments_.filter(Boolean), value);
    if (!step.place.startsWith("y")) {
      terms.set(step.place, term);
      continue;
    }
    if (isNumber(value) || operation === "Check") {
      found.set(step.place, origin(step.place, value, term, trace));
    }
    terms.set(step.place, cell(step.place, value));
    // From here on the number stands in the text: memory cells that hold it are read from there.
    if (CONVERSIONS.has(operation) && parts[0]?.[0] === "m" && term.kind === "operation") {
      terms.set(parts[0], cell(step.place, value));
    }
  }
  return found;
}

function applied(operation, parts, value) {
  if (CONVERSIONS.has(operation) && parts.length) return parts[0];
  return { kind: "operation", name: operation, parts, text: value };
}

function cell(place, text) {
  return { kind: "cell", place, text };
}

function constant(literal) {
  return { kind: "constant", text: JSON.parse(literal) };
}

function origin(place, text, term, trace) {
  const made = { place, text, term, operation: "", sources: [] };
  if (term.kind === "constant") {
    return { ...made, kind: "constant", note: `${text} is a constant` };
  }
  if (term.kind === "cell") {
    const where = term.place[0] === "x" ? "the problem" : "earlier in the rationale";
    return {
      ...made, kind: "copied", operation: "Copied", sources: [term.place],
      note: `${text} is copied from ${where}`,
    };
  }
  if (term.name === "Check") return lookedUp(made, term, trace);
  const name = operationName(term.name);
  return {
    ...made, kind: "computed", operation: name, sources: [...new Set(leaves(term))],
    note: `${name}: ${written(term)} ${EQUATIONS.has(term.name) ? "gives" : "="} ${text}`,
  };
}

/** The letter of the option that a number is. */
function lookedUp(made, term, trace) {
  const label = trace.source.lastIndexOf(`${made.text})`);
  const option = label < 0 ? [] : [`x${label + 1}`];
  const looked = term.parts[0];
  const said = looked && (EQUATIONS.has(looked.name) ? looked.text : written(looked));
  return {
    ...made, kind: "computed", operation: "Check", sources: [...leaves(term), ...option],
    note: `Check: ${said ?? "this"} is option ${made.text}`,
  };
}

function leaves(term) {
  if (term.kind === "cell") return [term.place];
  return term.kind === "operation" ? term.parts.flatMap(leaves) : [];
}

/** A number as people write it: no `0.30000000000000004`. */
export function shownValue(value) {
  return typeof value === "string" ? value : String(Number(value.toPrecision(12)));
}
