/** Why a problem was sent back, with the text that it is too near to. */

import { make } from "./dom.js";
import { letterOf, sideBySide } from "./shown.js";

/** Reasons for which the task can no longer be handed in. */
const IS_OVER = ["handed-in", "skipped", "no-task"];

/**
 * @param {HTMLElement} into
 * @param {{code: string, sentence: string, neighbour: any}} outcome
 * @param {object} problem what was written
 * @param {object} seed what it was written from
 * @param {() => void} goOn to the next task
 */
export function showSentBack(into, outcome, problem, seed, goOn) {
  const isOver = IS_OVER.includes(outcome.code);
  const parts = [
    make("h3", { id: "sent-back-title", class: "bad" }, "Sent back."),
    make("p", {}, sentence(outcome.sentence)),
    compared(outcome, problem, seed),
    make("p", { class: "help" },
      isOver ? "Copy what you want to keep before you go on." : "Change it above and hand it in again."),
    isOver ? make("div", { class: "actions" },
      make("button", { type: "button", onclick: goOn }, "Go on to the next task")) : null,
  ];
  into.replaceChildren(...parts.filter((part) => part !== null));
  into.hidden = false;
  into.focus();
}

function compared({ code, neighbour }, problem, seed) {
  if (neighbour) {
    const title = neighbour.kind === "seed" ? "One of the seeds" : "Handed in by you before";
    return sideBySide({ title: "Yours", text: problem.question }, { title, text: neighbour.question });
  }
  const both = (ours, theirs) =>
    sideBySide({ title: "Yours", text: ours }, { title: "The problem you chose", text: theirs });
  if (code === "rationale") return both(problem.rationale, seed.rationale);
  if (code === "answer") return both(answer(problem), answer(seed));
  return null;
}

function answer({ options, correct }) {
  return options.find((_, k) => letterOf(k) === correct) ?? "";
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}
