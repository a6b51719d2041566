/** Practice: a generated problem, working that is audited while it is typed, hints, a score. */

import { get, post } from "./api.js";
import { auditedTokens } from "./audited.js";
import { byId, debounced, make, say } from "./dom.js";
import { withoutLabel } from "./options.js";
import { Score } from "./score.js";
import { lineByLine } from "./working.js";
import { setUpWorksheet } from "./worksheet.js";

const PAUSE = 350;

export function setUpPractice() {
  const status = byId("practice-status");
  const working = byId("working");
  const score = new Score(byId("score"));
  let topics = [];
  let problem = null;
  let hinted = 0;
  let isChecked = false;
  let auditing = null;

  const wanted = (count) => ({
    topic: byId("topic").value,
    ...(byId("difficulty").value && { difficulty: fromSelect(byId("difficulty").value) }),
    seed: Math.floor(Math.random() * 2 ** 31),
    count,
  });

  async function load() {
    if (topics.length) return;
    try {
      topics = await get("topics");
      byId("topic").replaceChildren(...topics.map(({ topic }) =>
        make("option", { value: topic }, titled(topic))));
      offerDifficulties();
    } catch (error) {
      say(status, error.message, "error");
    }
  }

  function offerDifficulties() {
    const { difficulties = [] } = topics.find(({ topic }) => topic === byId("topic").value) ?? {};
    byId("difficulty").replaceChildren(make("option", { value: "" }, "Any"),
      ...difficulties.map((level) => make("option", { value: JSON.stringify(level) }, levelName(level))));
  }

  async function next() {
    say(status, "Making a problem…", "busy");
    try {
      const made = await post("generate", wanted(1));
      pose(made.problems[0]);
      say(status, "");
    } catch (error) {
      say(status, error.message, "error");
    }
  }

  function pose(row) {
    problem = { ...row, options: row.options.map(withoutLabel) };
    hinted = 0;
    isChecked = false;
    working.value = "";
    byId("exercise-question").textContent = problem.question;
    const legend = byId("exercise-options").querySelector("legend");
    byId("exercise-options").replaceChildren(legend, ...problem.options.map(choice));
    for (const id of ["working-audit", "hints", "verdict-practice"]) byId(id).replaceChildren();
    byId("hint").disabled = false;
    byId("exercise").hidden = false;
  }

  function choice(text, k) {
    const letter = String.fromCharCode(65 + k);
    return make("label", { class: "choice" },
      make("input", { type: "radio", name: "choice", value: letter }),
      make("span", { class: "letter" }, letter), make("span", {}, text));
  }

  async function auditWorking() {
    auditing?.abort();
    const rationale = working.value.replace(/\r\n?/g, "\n");
    if (!problem || !rationale.trim()) return byId("working-audit").replaceChildren();
    const mine = (auditing = new AbortController());
    const asked = { question: problem.question, options: problem.options, rationale };
    try {
      const audit = await post("audit", asked, mine.signal);
      byId("working-audit").replaceChildren(...lineByLine(audit.rationale, auditedTokens(audit)));
    } catch (error) {
      if (error.name !== "AbortError") say(status, error.message, "error");
    }
  }

  function hint() {
    const steps = hints(problem);
    if (hinted < steps.length) byId("hints").append(make("li", {}, steps[hinted++]));
    byId("hint").disabled = hinted >= steps.length;
  }

  function check() {
    const chosen = byId("exercise-form").querySelector("input[name=choice]:checked")?.value;
    if (!chosen) return tell("bad", "Choose an answer first.");
    const isRight = chosen === problem.correct;
    if (!isChecked) score.add(isRight);
    isChecked = true;
    if (!isRight) return tell("bad", `${chosen} is not right. Look at your working again, or take a hint.`);
    tell("good", `Right, it is ${chosen}.`);
    byId("verdict-practice").append(make("details", {}, make("summary", {}, "The solution"),
      make("p", { class: "prose pre" }, problem.rationale)));
  }

  function tell(tone, text) {
    byId("verdict-practice").replaceChildren(make("p", { class: `judgement ${tone}` }, text));
  }

  byId("topic").addEventListener("change", offerDifficulties);
  byId("practice-form").addEventListener("submit", (event) => { event.preventDefault(); next(); });
  byId("exercise-form").addEventListener("submit", (event) => { event.preventDefault(); check(); });
  byId("hint").addEventListener("click", hint);
  byId("score-reset").addEventListener("click", () => score.reset());
  working.addEventListener("input", debounced(auditWorking, PAUSE));
  setUpWorksheet(() => wanted(10), (text) => say(status, text, "error"));
  return { load };
}

function hints(problem) {
  return problem.steps?.length ? problem.steps : problem.rationale.split("\n");
}

function fromSelect(text) {
  return JSON.parse(text);
}

function levelName(level) {
  return typeof level === "number" ? `${level} ${level === 1 ? "step" : "steps"}` : titled(String(level));
}

function titled(name) {
  const words = name.replaceAll("-", " ");
  return words[0].toUpperCase() + words.slice(1);
}
