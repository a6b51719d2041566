/** A reviewer's verdict: accept, reject with a reason, or correct. */

import { byId, say } from "./dom.js";
import { problemForm } from "./problem_form.js";
import { send } from "./visit.js";

/** @param {{onDone: () => void, onLogin: (why: string) => void}} then */
export function setUpDecision({ onDone, onLogin }) {
  const form = byId("decision");
  const reason = byId("reason");
  const button = byId("decide");
  const corrected = problemForm(byId("correction"), "corrected");
  let item = null;

  const verdict = () => form.querySelector("input[name=verdict]:checked")?.value ?? null;

  function show() {
    const now = verdict();
    byId("correction").hidden = now !== "correct";
    byId("reason-field").hidden = now === null || now === "accept";
    byId("reason-label").textContent = now === "reject" ? "Reason" : "What was wrong (may stay empty)";
    reason.required = now === "reject";
    button.disabled = now === null;
    // Fields that are not shown must not keep the form from being sent.
    for (const field of byId("correction").querySelectorAll("input, textarea")) {
      field.disabled = now !== "correct";
    }
  }

  function begin(next) {
    item = next;
    form.reset();
    corrected.set(item.problem);
    say(byId("decision-status"), "");
    show();
  }

  function clear() {
    item = null;
    form.reset();
    corrected.set(null);
    show();
  }

  async function decide() {
    const now = verdict();
    const status = byId("decision-status");
    button.disabled = true;
    say(status, "Storing the verdict…", "busy");
    try {
      await send("api/decide", {
        submission: item.submission, verdict: now,
        reason: now === "accept" ? null : reason.value.trim() || null,
        corrected: now === "correct" ? corrected.values() : null,
      });
      item = null;
      onDone();
    } catch (error) {
      say(status, error.message, "error");
      button.disabled = false;
      if (error.status === 401) onLogin("Your session has ended. Log in again; nothing is lost.");
    }
  }

  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    decide();
  });
  return { begin, clear, isBegun: () => item !== null && verdict() !== null };
}
