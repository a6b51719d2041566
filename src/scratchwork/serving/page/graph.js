/** A trace's numbers as a graph: what came in on the left, what was made of it to the right. */

import { make, makeSvg } from "./dom.js";
import { written } from "./provenance.js";

const COLUMN = 190;
const ROW = 84;
const WIDTH = 132;
const HEIGHT = 54;
const MARGIN = 12;

/** @typedef {import("./provenance.js").Origin} Origin */

/**
 * Copies are folded away: a number and its copies are one node.
 * @param {Map<string, Origin>} origins @param {string[]} source
 */
export function graphNodes(origins, source) {
  const nodes = new Map();

  function root(place) {
    const origin = origins.get(place);
    return origin?.kind === "copied" && origin.sources.length ? root(origin.sources[0]) : place;
  }
  function node(place) {
    const known = nodes.get(place);
    if (known) return known;
    const origin = origins.get(place);
    const made = {
      place, from: [], depth: 0, kind: origin?.kind ?? "given",
      text: origin?.text ?? source[Number(place.slice(1)) - 1] ?? place,
      how: "", isAnswer: origin?.operation === "Check",
    };
    nodes.set(place, made);
    if (origin?.kind === "computed") {
      // Of a letter's sources the option itself is left out: it is what the letter names.
      const sources = made.isAnswer ? origin.sources.slice(0, -1) : origin.sources;
      made.from = [...new Set(sources.map(root))].map(node);
      made.depth = 1 + Math.max(0, ...made.from.map((other) => other.depth));
      made.how = made.isAnswer ? "Check" : written(origin.term);
    } else made.how = made.kind === "constant" ? "constant" : "given";
    return made;
  }
  for (const [place, origin] of origins) if (origin.kind === "computed") node(place);
  return [...nodes.values()];
}

/** @param {ReturnType<typeof graphNodes>} nodes */
export function drawGraph(nodes) {
  if (!nodes.length) return make("p", { class: "help inside" }, "Nothing was computed here.");
  const columns = [];
  for (const node of nodes) (columns[node.depth] ??= []).push(node);
  const tallest = Math.max(1, ...columns.map((column) => column.length));
  columns.forEach((column, depth) => {
    if (depth) column.sort((a, b) => middle(a) - middle(b));
    column.forEach((node, k) => {
      node.x = MARGIN + depth * COLUMN;
      node.y = MARGIN + (k + (tallest - column.length) / 2) * ROW;
    });
  });
  const width = 2 * MARGIN + (columns.length - 1) * COLUMN + WIDTH;
  const height = 2 * MARGIN + (tallest - 1) * ROW + HEIGHT;
  const edges = nodes.flatMap((node) => node.from.map((from) => edge(from, node)));
  return makeSvg("svg", {
    class: "graph", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": described(nodes),
  }, ...edges, ...nodes.map(box));
}

function middle(node) {
  return node.from.reduce((sum, from) => sum + from.y, 0) / (node.from.length || 1);
}

function edge(from, to) {
  const [x1, y1] = [from.x + WIDTH, from.y + HEIGHT / 2];
  const [x2, y2] = [to.x, to.y + HEIGHT / 2];
  const bend = (x1 + x2) / 2;
  return makeSvg("path", { class: "edge", d: `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}` });
}

function box(node) {
  const centre = node.x + WIDTH / 2;
  const kind = node.isAnswer ? "answer" : node.kind;
  return makeSvg("g", { class: `node ${kind}` },
    makeSvg("title", {}, `${node.text}: ${node.how}`),
    makeSvg("rect", { x: node.x, y: node.y, width: WIDTH, height: HEIGHT, rx: 10 }),
    makeSvg("text", { class: "value", x: centre, y: node.y + 24 }, shortened(node.text, 14)),
    makeSvg("text", { class: "how", x: centre, y: node.y + 42 }, shortened(node.how, 20)));
}

function shortened(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function described(nodes) {
  const made = nodes.filter((node) => node.from.length);
  return made.map((node) => `${node.text} from ${node.from.map((f) => f.text).join(" and ")}`).join("; ");
}
