/** A submission as a reviewer sees it: audited, beside its seed and its nearest neighbour. */

import { get } from "./api.js";
import { auditedTokens } from "./audited.js";
import { byId, make } from "./dom.js";
import { markedWork } from "./marked.js";
import { letterOf, shownProblem, sideBySide } from "./shown.js";

/** A neighbour that is less alike is there to be opened. */
const WORTH_A_LOOK = 60;

export function showItem(item) {
  const { problem, seed, remarks } = item;
  byId("item-title").textContent = `Submission ${item.submission}`;
  byId("item-facts").textContent = [
    item.topic.replaceAll("-", " "), item.relation, `by contributor ${item.contributor}`,
    new Date(item.created).toLocaleDateString(undefined, { dateStyle: "medium" }),
  ].join(" · ");
  byId("item-mark").hidden = !item.mark_reason;
  byId("item-mark").textContent = `Marked for review: ${item.mark_reason}.`;
  byId("item-verdict").replaceChildren(...verdict(remarks));
  byId("item-work").replaceChildren(...work(problem, remarks.audit));
  byId("seed-title").textContent = `Written from seed ${seed.id}`;
  byId("item-seed").replaceChildren(...shownProblem(seed.problem, true));
  byId("item-nearest").replaceChildren(...nearest(item), ...others(item));
}

/** The problem with every number marked, or plainly where it could not be audited. */
function work(problem, audit) {
  const right = make("p", { class: "the-letter" }, "Letter ", make("b", { class: "letter" }, problem.correct),
    ` ${problem.options[problem.correct.charCodeAt(0) - letterOf(0).charCodeAt(0)]}`);
  if (!audit) return [...shownProblem(problem, true), right];
  const { tokens, origins, wrong } = auditedTokens(audit);
  return [markedWork(audit, tokens, origins, wrong), right];
}

function verdict({ audit, sentences }) {
  const said = [...new Set([...(audit?.complaints ?? []), ...sentences])];
  if (!said.length) return [make("p", { class: "audit-line good" }, "The audit finds nothing amiss.")];
  return [make("ul", { class: "complaints" }, ...said.map((text) => make("li", {}, text)))];
}

function nearest({ nearest: near, problem, seed }) {
  if (!near) return [];
  const isSeed = near.seed_id !== undefined;
  if (isSeed && near.seed_id === seed.id) {
    return [make("p", { class: "help" }, `The seed is the nearest of all problems: ${alike(near)}.`)];
  }
  const name = isSeed ? `seed ${near.seed_id}` : `submission ${near.submission_id}`;
  const isNear = Math.max(near.ratio, near.digit_free) >= WORTH_A_LOOK;
  return [make("details", { open: isNear },
    make("summary", {}, `Nearest other problem: ${name}, ${alike(near)}`),
    sideBySide({ title: "This one", text: problem.question }, { title: name, text: near.problem.question }))];
}

/** The other submissions that the mark names, each fetched when it is opened. */
function others({ mark_reason: reason, nearest: near, problem }) {
  const named = [...(reason ?? "").matchAll(/submission (\d+)/g)].map((match) => Number(match[1]));
  return [...new Set(named)].filter((number) => number !== near?.submission_id).map((number) => {
    const shown = make("div", {});
    const show = async () => {
      if (shown.childElementCount) return;
      try {
        const other = await get(`api/review/${number}`);
        shown.replaceChildren(sideBySide({ title: "This one", text: problem.question },
          { title: `submission ${number}`, text: other.problem.question }));
      } catch (error) {
        shown.textContent = error.message;
      }
    };
    return make("details", { ontoggle: show }, make("summary", {}, `Submission ${number}`), shown);
  });
}

function alike({ ratio, digit_free: digitFree }) {
  return `${Math.floor(ratio)} of 100 alike, ${Math.floor(digitFree)} without the digits`;
}
