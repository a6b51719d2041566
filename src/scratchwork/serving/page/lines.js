/** Lines from a number to those it was made of, drawn over the text. */

import { make, makeSvg } from "./dom.js";

const GAP = 3;
const CLOSE = 16;

export class Lines {
  /** @param {HTMLElement} work the positioned element that holds all the numbers */
  constructor(work) {
    this.work = work;
    this.svg = makeSvg("svg", { class: "lines", "aria-hidden": "true" });
    this.label = make("span", { class: "operation", "aria-hidden": "true", hidden: true });
    work.append(this.svg, this.label);
  }

  /** @param {HTMLElement} mark @param {import("./provenance.js").Origin} origin */
  draw(mark, origin) {
    this.clear();
    mark.classList.add("lit");
    const to = this.box(mark);
    for (const place of origin.sources) {
      const source = this.work.querySelector(`[data-at="${CSS.escape(place)}"]`);
      if (!source) continue;
      source.classList.add("lit");
      const from = this.box(source);
      const { path, end } = curve(from, to);
      this.svg.append(
        makeSvg("path", { d: path, class: "line", "data-from": place }),
        makeSvg("circle", { cx: end.x, cy: end.y, r: 3.5 }),
      );
    }
    this.name(mark, to, origin);
  }

  clear() {
    this.svg.replaceChildren();
    this.label.hidden = true;
    for (const lit of this.work.querySelectorAll(".lit")) lit.classList.remove("lit");
  }

  /** Write the operation beside the line of the number, or below it where there is no room. */
  name(mark, to, origin) {
    this.label.textContent = origin.note;
    this.label.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = this.label;
    const room = this.work.clientWidth - width;
    const beside = to.left + endOfLine(mark) + CLOSE;
    const isBeside = beside + CLOSE <= room;
    const left = isBeside ? beside : Math.max(0, Math.min(room, to.x - width / 2));
    this.label.style.left = `${left}px`;
    this.label.style.top = `${isBeside ? (to.top + to.bottom - height) / 2 : to.bottom + 6}px`;
  }

  box(element) {
    const outer = this.work.getBoundingClientRect();
    const rect = element.getClientRects()[0] ?? element.getBoundingClientRect();
    return {
      x: rect.left - outer.left + rect.width / 2,
      left: rect.left - outer.left,
      right: rect.right - outer.left,
      top: rect.top - outer.top,
      bottom: rect.bottom - outer.top,
    };
  }
}

/** Where the writing ends on the line of a number, as a distance from the number's left. */
function endOfLine(mark) {
  const at = mark.getBoundingClientRect();
  const middle = (at.top + at.bottom) / 2;
  const range = document.createRange();
  range.setStartBefore(mark);
  range.setEndAfter(mark.closest(".sheet").lastChild);
  const here = [...range.getClientRects()].filter((r) => r.top <= middle && r.bottom >= middle);
  return Math.max(at.right, ...here.map((rect) => rect.right)) - at.left;
}

/** From a number to the one it helped to make: down, up, or in an arc within one line. */
function curve(from, to) {
  const isAbove = from.bottom <= to.top;
  const isBelow = from.top >= to.bottom;
  if (!isAbove && !isBelow) {
    const top = Math.min(from.top, to.top) - GAP;
    const height = Math.min(34, 12 + Math.abs(from.x - to.x) / 6);
    const end = { x: from.x, y: top };
    return { end, path: `M${from.x} ${top}C${from.x} ${top - height} ${to.x} ${top - height} ${to.x} ${top}` };
  }
  const goal = { x: to.x, y: isAbove ? to.top - GAP : to.bottom + GAP };
  const isNextLine = Math.abs(goal.y - (isAbove ? from.bottom : from.top)) < CLOSE;
  if (isNextLine && (goal.x > from.right + CLOSE || goal.x < from.left - CLOSE)) {
    // Lines of text next to each other leave no height for a curve: go out sideways, then turn.
    const side = goal.x > from.x ? from.right + GAP : from.left - GAP;
    const end = { x: side, y: (from.top + from.bottom) / 2 };
    return { end, path: `M${end.x} ${end.y}Q${goal.x} ${end.y} ${goal.x} ${goal.y}` };
  }
  const end = { x: from.x, y: isAbove ? from.bottom + GAP : from.top - GAP };
  const middle = (end.y + goal.y) / 2;
  return { end, path: `M${end.x} ${end.y}C${end.x} ${middle} ${goal.x} ${middle} ${goal.x} ${goal.y}` };
}
