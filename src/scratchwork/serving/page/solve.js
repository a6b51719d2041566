/** Solve: a problem in, an answer out, with every number accounted for. */

import { postForEvents } from "./api.js";
import { byId, make, percent, say } from "./dom.js";
import { drawGraph, graphNodes } from "./graph.js";
import { markedWork } from "./marked.js";
import { optionFields } from "./option_fields.js";
import { origins } from "./provenance.js";
import { asFragment, asMarkdown, copy, fromFragment } from "./sharing.js";
import { setUpTabs } from "./tabs.js";
import { locate, withPlainBreaks } from "./tokens.js";
import { guessMark, programTable, rivalPrograms, tied, Votes } from "./views.js";

const EXAMPLE = `From a pack of 52 cards, two cards are drawn together at random. What is the probability of both the cards being kings?
A) 2/1223  B) 1/122  C) 1/221  D) 3/1253  E) 2/153`;
const END = "<EOR>";
const TAG = "<O>";

/** @returns {{setReady: (isReady: boolean) => void, openLink: () => void}} */
export function setUpSolve() {
  const question = byId("solve-question");
  const status = byId("solve-status");
  const fields = optionFields(byId("solve-options"), question, (text) => say(status, text));
  const votes = new Votes(byId("votes"));
  const chooseView = setUpTabs(byId("solution-body").querySelector('[role="tablist"]'));
  let shown = null;
  let running = null;
  let isWaiting = false; // a problem is there, and is solved as soon as the model is ready

  function fill(problem) {
    question.value = problem.question;
    fields.set(problem.options);
    if (!problem.options.length) fields.recognise();
  }

  async function solve() {
    fields.recognise();
    const problem = { question: withPlainBreaks(question.value).trim(), options: fields.values() };
    running?.abort();
    const mine = (running = new AbortController());
    say(status, "");
    byId("solution").hidden = false;
    byId("solution-body").hidden = true;
    byId("answer").replaceChildren(pending());
    votes.start(problem.options);
    history.replaceState(null, "", asFragment(problem));
    try {
      await postForEvents("solve", problem, (event, data) => {
        if (running !== mine) return;
        if (event === "votes") votes.show(data.votes);
        if (event === "solution") show(problem, data);
      }, mine.signal);
    } catch (error) {
      if (running !== mine || error.name === "AbortError") return;
      byId("solution").hidden = true;
      say(status, error.message, "error");
    }
  }

  function solveWhenReady() {
    if (byId("solve-go").disabled) isWaiting = true;
    else solve();
  }

  function show(asked, solution) {
    // Lines and marks belong to the problem as it was read: without LaTeX, and without its options.
    const problem = { question: solution.question, options: solution.options };
    shown = { problem, solution };
    votes.show(solution.votes);
    votes.choose(solution.answer, solution.guess);
    byId("answer").replaceChildren(...answer(problem, solution));
    byId("share").href = asFragment(asked);
    const { trace } = solution;
    byId("solution-body").hidden = hasNoAnswer(solution);
    chooseView("view-rationale");
    const found = origins(trace);
    byId("pane-rationale").replaceChildren(markedWork(
      { ...problem, rationale: trace.rationale }, tokensOf(problem, trace), withoutEnd(found, trace)));
    byId("pane-program").replaceChildren(programTable(trace));
    byId("pane-graph").replaceChildren(
      make("div", { class: "scroll" }, drawGraph(graphNodes(withoutEnd(found, trace), trace.source))));
    byId("pane-others").replaceChildren(rivalPrograms(solution.rivals));
  }

  async function take(text, what) {
    say(byId("copied"), (await copy(text)) ? `Copied as ${what}.` : "The browser did not allow it.");
  }

  byId("solve-form").addEventListener("submit", (event) => {
    event.preventDefault();
    solve();
  });
  byId("solve-example").addEventListener("click", () => {
    fill({ question: EXAMPLE, options: [] });
    solveWhenReady();
  });
  byId("copy-markdown").addEventListener("click", () =>
    take(asMarkdown(shown.problem, shown.solution), "Markdown"));
  byId("copy-json").addEventListener("click", () =>
    take(JSON.stringify({ ...shown.problem, ...shown.solution }, null, 2), "JSON"));
  byId("share").addEventListener("click", (event) => {
    event.preventDefault();
    take(event.currentTarget.href, "a link");
  });

  return {
    setReady(isReady) {
      byId("solve-go").disabled = !isReady;
      if (!isReady || !isWaiting) return;
      isWaiting = false;
      solve();
    },
    openLink() {
      const problem = fromFragment(location.hash);
      if (!problem) return;
      fill(problem);
      solveWhenReady();
    },
  };
}

/** Holds the answer's place while votes come in, so that nothing jumps when it is there. */
function pending() {
  return make("p", { class: "the-answer pending" },
    make("span", { class: "big-letter", "aria-hidden": "true" }, "?"),
    make("span", { class: "confidence", "data-tone": "busy" }, "Solving…"));
}

/** Whether a note says why there is no answer. */
function hasNoAnswer({ answer: letter, value, note }) {
  return Boolean(note) && !letter && !value;
}

function answer(problem, solution) {
  const heading = make("h3", { class: "visually-hidden" }, "Answer");
  const { answer: letter, value, guess, note, exact } = solution;
  if (hasNoAnswer(solution)) return [heading, make("p", { class: "the-answer note" }, note)];
  const text = letter ? problem.options[letter.charCodeAt(0) - 65] : value;
  const sure = exact ? "exact" : `${percent(solution.confidence)} sure`;
  return [heading, make("p", { class: guess ? "the-answer guess" : "the-answer" },
    letter && make("strong", { class: "big-letter" }, letter),
    make("span", { class: "big-value" }, text ?? "No number was computed."),
    guess ? guessMark() : null,
    make("span", { class: "confidence" }, sure)),
  ...doubts(solution).map((doubt) => make("p", { class: "doubt" }, doubt))];
}

/** What speaks against relying on the answer, in sentences. */
function doubts({ answer: letter, guess, derived, votes, unread, note }) {
  const found = [];
  if (note) found.push(note);
  if (guess && !derived) found.push("No derivation leads to this answer: it is a guess.");
  else if (guess) found.push("This answer is more likely wrong than right: it is a guess.");
  if (unread) found.push(`The problem is too long for the model: ${unread} of its words and signs were not read.`);
  const others = tied(letter, votes);
  if (others.length) found.push(`The votes are tied: ${[letter, ...others].join(" and ")} have as many.`);
  return found;
}

/** The trace's tokens, found again in what was typed. */
function tokensOf(problem, trace) {
  const parts = [[]];
  for (const token of trace.source) {
    if (token === TAG) parts.push([]);
    else parts.at(-1).push(token);
  }
  const [question, ...options] = parts;
  return {
    question: locate(question, problem.question),
    options: problem.options.map((text, k) => locate((options[k] ?? []).slice(1), text)),
    rationale: locate(written(trace), trace.rationale),
  };
}

/** The tokens before the end of the rationale. */
function written(trace) {
  const tokens = trace.steps.filter((step) => step.place[0] === "y").map((step) => String(step.value));
  const end = tokens.indexOf(END);
  return end < 0 ? tokens : tokens.slice(0, end);
}

function withoutEnd(found, trace) {
  const last = written(trace).length;
  const kept = [...found].filter(([place]) => Number(place.slice(1)) <= last);
  const hasLetter = kept.some(([, origin]) => origin.operation === "Check");
  // A letter after the end is not in the text, but the graph should still lead to it.
  return new Map(hasLetter ? kept : [...kept, ...[...found].filter(([, o]) => o.operation === "Check")]);
}
