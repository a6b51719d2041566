/** A worksheet of problems to print, with a key on a page of its own. */

import { post } from "./api.js";
import { byId, make } from "./dom.js";
import { withoutLabel } from "./options.js";

/** @param {() => object} wanted what to ask the server for @param {(text: string) => void} complain */
export function setUpWorksheet(wanted, complain) {
  const sheet = byId("worksheet");

  function close() {
    sheet.hidden = true;
    document.body.classList.remove("printing");
    byId("worksheet-link").focus();
  }

  byId("worksheet-link").addEventListener("click", async (event) => {
    event.preventDefault();
    const asked = wanted();
    try {
      const { problems } = await post("generate", asked);
      sheet.replaceChildren(bar(close), ...pages(problems, asked));
      sheet.hidden = false;
      document.body.classList.add("printing");
      sheet.querySelector("button").focus();
      scrollTo(0, 0);
    } catch (error) {
      complain(error.message);
    }
  });
}

function bar(close) {
  return make("div", { class: "actions no-print" },
    make("button", { type: "button", class: "primary", onclick: () => print() }, "Print"),
    make("button", { type: "button", onclick: close }, "Back to practice"));
}

function pages(problems, { topic, seed }) {
  const name = topic.replaceAll("-", " ");
  return [
    make("header", {}, make("h2", {}, `Worksheet: ${name}`), make("p", {}, "Name: ____________________")),
    make("ol", {}, ...problems.map(task)),
    make("section", { class: "key" },
      make("header", {}, make("h2", {}, "Answer key"), make("p", {}, `sheet ${seed}`)),
      make("ol", {}, ...problems.map((problem) => make("li", {}, make("b", {}, problem.correct),
        make("p", { class: "pre" }, problem.rationale))))),
  ];
}

function task(problem) {
  const options = problem.options.map((text, k) =>
    make("li", {}, `${String.fromCharCode(65 + k)}) ${withoutLabel(text)}`));
  return make("li", {}, problem.question, make("ul", { class: "given-options" }, ...options),
    make("div", { class: "room" }));
}
