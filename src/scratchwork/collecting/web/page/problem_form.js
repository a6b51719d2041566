/** The fields of a problem: question, five options of which one is right, rationale. */

import { make } from "./dom.js";
import { letterOf } from "./shown.js";
import { withPlainBreaks } from "./tokens.js";

const OPTIONS = 5;
const LONGEST_TEXT = 10_000;
const LONGEST_OPTION = 1_000;

/**
 * @param {HTMLElement} into where the fields go
 * @param {string} prefix of their ids
 * @param {() => void} onChange told of every change that a person makes
 */
export function problemForm(into, prefix, onChange = () => {}) {
  const text = (name, rows) => make("textarea", {
    id: `${prefix}-${name}`, rows, required: true, maxlength: LONGEST_TEXT,
  });
  const question = text("question", 3);
  const rationale = text("rationale", 5);
  const options = Array.from({ length: OPTIONS }, (_, k) => make("input", {
    type: "text", "aria-label": `Option ${letterOf(k)}`, required: true, maxlength: LONGEST_OPTION,
  }));
  const letters = options.map((_, k) => make("input", {
    type: "radio", name: `${prefix}-correct`, value: letterOf(k), required: true,
    "aria-label": `${letterOf(k)} is right`,
  }));
  into.replaceChildren(
    make("label", { for: question.id }, "Question"), question,
    make("fieldset", { class: "five-options" },
      make("legend", {}, "Options", make("span", { class: "aside" }, "mark the right one")),
      ...options.map((option, k) => make("div", { class: "option-row" },
        make("label", { class: "pick" }, letters[k], make("span", { "aria-hidden": "true" }, letterOf(k))),
        option))),
    make("label", { for: rationale.id }, "Rationale",
      make("span", { class: "aside" }, "one step a line; end with the letter")), rationale,
  );
  into.addEventListener("input", onChange);

  /** What is written, as the server takes it. */
  function values() {
    return {
      question: withPlainBreaks(question.value),
      options: options.map((option) => option.value),
      rationale: withPlainBreaks(rationale.value),
      correct: letters.find((letter) => letter.checked)?.value ?? null,
    };
  }

  function set(problem) {
    question.value = problem?.question ?? "";
    rationale.value = problem?.rationale ?? "";
    options.forEach((option, k) => { option.value = problem?.options?.[k] ?? ""; });
    letters.forEach((letter) => { letter.checked = letter.value === problem?.correct; });
  }

  /** Whether nothing is written yet. */
  function isEmpty() {
    const now = values();
    return ![now.question, now.rationale, ...now.options].some((content) => content.trim());
  }

  return { values, set, isEmpty, focus: () => question.focus() };
}
