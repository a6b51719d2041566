/** Writing a problem: five seeds, one chosen, the form, handing in, and what becomes of it. */

import { byId, make, say } from "./dom.js";
import { Draft } from "./draft.js";
import { problemForm } from "./problem_form.js";
import { setUpRemarks } from "./remarks.js";
import { showSentBack } from "./sent_back.js";
import { shownProblem } from "./shown.js";
import { notice, send, showOnly, visit } from "./visit.js";

const TAKEN = {
  original: "It counts as an original.",
  replica: "It is labelled a replica: a story that is there already, told with other numbers or nearly so.",
};

let told = null;
let draft = null;
let chosen = null;
let isSending = false;

const form = problemForm(byId("fields"), "problem", changed);
const remarks = setUpRemarks(form.values);

byId("others").addEventListener("click", skip);
byId("choose-again").addEventListener("click", () => showSeeds());
byId("next").addEventListener("click", () => begin());
byId("problem").addEventListener("submit", (event) => {
  event.preventDefault();
  handIn();
});
document.addEventListener("keydown", chooseByKey);
begin();

/** Show the open task, and the draft that was written for it. */
async function begin(carried = null) {
  try {
    told = await visit("api/task");
  } catch (error) {
    return notice(error.message);
  }
  notice("");
  draft = new Draft(told.draft, told.task);
  const kept = draft.read() ?? carried;
  form.set(kept?.problem);
  byId("sent-back").hidden = true;
  say(byId("hand-in-status"), "");
  say(byId("draft-status"), "");
  const seed = told.seeds.find(({ id }) => id === kept?.seed);
  if (seed) return choose(seed, "Your draft is still there.");
  showSeeds();
}

function showSeeds() {
  const cards = told.seeds.map((seed, k) => make("li", { class: "card" },
    make("div", { class: "card-top" },
      make("span", { class: "place", "aria-hidden": "true" }, String(k + 1)),
      make("span", { class: "topic" }, topicName(seed.topic))),
    ...shownProblem(seed.problem),
    make("button", { type: "button", onclick: () => choose(seed) }, `Choose ${k + 1}`)));
  byId("seeds").replaceChildren(...cards);
  say(byId("choosing-status"), form.isEmpty() ? "" : "What you have written so far is kept.");
  showOnly("choosing");
  byId("main").focus();
  scrollTo(0, 0);
}

function chooseByKey(event) {
  const isTyping = event.target.closest("input, textarea, select, [contenteditable]");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || byId("choosing").hidden) return;
  if (!/^[1-5]$/.test(event.key)) return;
  event.preventDefault(); // the digit is not meant for the field that gets the focus
  choose(told.seeds[Number(event.key) - 1]);
}

function choose(seed, said = "") {
  chosen = seed;
  byId("chosen").replaceChildren(
    make("div", { class: "card-top" }, make("span", { class: "topic" }, topicName(seed.topic))),
    ...shownProblem(seed.problem, true));
  showOnly("writing");
  scrollTo(0, 0);
  form.focus();
  keepDraft(said);
  remarks.ask();
}

function changed() {
  keepDraft();
  remarks.ask();
}

function keepDraft(said = "") {
  if (form.isEmpty()) return;
  const isKept = draft.write(chosen.id, form.values());
  byId("draft-status").textContent = isKept ? said : "This browser cannot keep a draft.";
}

/** Put the task aside; what is written already goes on to the next five. */
async function skip() {
  const carried = form.isEmpty() ? null : { seed: null, problem: form.values() };
  say(byId("choosing-status"), "Looking for others…", "busy");
  try {
    await send("api/skip", { task: told.task });
  } catch (error) {
    return say(byId("choosing-status"), error.message, "error");
  }
  const putAside = draft;
  await begin(carried);
  if (draft !== putAside) putAside.remove();
}

async function handIn() {
  if (isSending) return;
  const problem = form.values();
  const status = byId("hand-in-status");
  isSending = true;
  byId("hand-in").disabled = true;
  say(status, "Handing in…", "busy");
  try {
    const key = draft.keyFor(chosen.id, problem);
    const outcome = await send("api/hand-in", { task: told.task, seed: chosen.id, key, problem });
    say(status, "");
    if (outcome.taken) thank(outcome);
    else showSentBack(byId("sent-back"), outcome, problem, chosen.problem, () => begin());
  } catch (error) {
    say(status, `${error.message} Your text is still here.`, "error");
  } finally {
    isSending = false;
    byId("hand-in").disabled = false;
  }
}

function thank({ relation }) {
  draft.remove();
  form.set(null);
  remarks.clear();
  byId("taken-relation").textContent = TAKEN[relation];
  showOnly("taken");
  scrollTo(0, 0);
  byId("taken-title").focus();
}

function topicName(topic) {
  return topic.replaceAll("-", " ");
}
