/** The options of a problem as fields that can be edited, added and taken away. */

import { make } from "./dom.js";
import { splitProblem } from "./options.js";

const MOST = 10;

/**
 * @param {HTMLFieldSetElement} fieldset
 * @param {HTMLTextAreaElement} question from which pasted options are taken
 * @param {(text: string) => void} tell
 */
export function optionFields(fieldset, question, tell) {
  const list = make("ol", { class: "option-list" });
  const add = make("button", { type: "button", class: "quiet", onclick: addOne }, "Add an option");
  fieldset.append(list, add);

  const inputs = () => [...list.querySelectorAll("input")];
  const values = () => inputs().map((input) => input.value.trim()).filter((text) => text !== "");

  function addOne() {
    set([...inputs().map((input) => input.value), ""]);
    inputs().at(-1).focus();
  }

  function set(texts) {
    list.replaceChildren(...texts.map(field));
    list.classList.toggle("long", texts.some((text) => text.length > 12));
    add.hidden = texts.length >= MOST;
  }

  function field(text, k) {
    const letter = String.fromCharCode(65 + k);
    const input = make("input", { type: "text", "aria-label": `Option ${letter}`, maxlength: 500 });
    input.value = text;
    const remove = () => {
      set(inputs().map((other) => other.value).filter((_, other) => other !== k));
      (inputs()[Math.max(0, k - 1)] ?? add).focus();
    };
    const button = make("button", {
      type: "button", class: "remove", "aria-label": `Remove option ${letter}`, onclick: remove,
    }, "×");
    return make("li", {}, make("span", { class: "letter", "aria-hidden": "true" }, letter), input, button);
  }

  /** Move options that stand in the question's text into the fields; typed ones are kept. */
  function recognise(isPasted = false) {
    const found = splitProblem(question.value);
    if (!found.options.length || (values().length && !isPasted)) return;
    question.value = found.question;
    set(found.options);
    tell(`${found.options.length} options recognised.`);
  }

  question.addEventListener("change", () => {
    // A button that is being pressed must not move away; what it starts recognises options itself.
    if (!question.form.querySelector("button:active")) recognise();
  });
  question.addEventListener("paste", () => setTimeout(recognise, 0, true));
  set([]);
  return { set, values, recognise };
}
