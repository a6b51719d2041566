/** Making elements. Text is only ever set as text, so nothing a problem holds becomes markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element with attributes, listeners (`onclick: f`) and children (nodes or texts).
 * @param {string} tag
 * @param {Record<string, any>} [attributes] false and null leave an attribute out
 * @param {...(Node | string | null)} children
 */
export function make(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function makeSvg(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** @param {string} id */
export function byId(id) {
  return document.getElementById(id);
}

/** Call `action` once nothing has happened for a while. */
export function debounced(action, milliseconds) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
}

/** A share as a whole percentage. */
export function percent(share) {
  return `${Math.round(100 * share)} %`;
}

/** Say something in a place that screen readers announce. */
export function say(element, text, tone = "") {
  element.textContent = text;
  element.dataset.tone = tone;
}
