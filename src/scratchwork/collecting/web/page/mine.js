/** A contributor's standing: how many problems came to what, and why. */

import { byId, make, percent } from "./dom.js";
import { notice, showOnly, visit } from "./visit.js";

const NAMES = {
  accepted: "accepted", corrected: "accepted with corrections", rejected: "rejected",
  waiting: "not reviewed yet",
};

begin();

async function begin() {
  let told;
  try {
    told = await visit("api/mine");
  } catch (error) {
    return notice(error.message);
  }
  const { counts, outcomes } = told;
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  byId("share").textContent = shareText(all, told.review_rate);
  byId("counts").replaceChildren(...figure("handed in", all),
    ...Object.entries(NAMES).flatMap(([status, name]) => figure(name, counts[status])));
  byId("outcomes").replaceChildren(...outcomes.map(outcome));
  showOnly("standing");
}

function shareText(all, rate) {
  if (!all) return "You have not handed anything in yet.";
  const share = percent(rate).replace(" ", "\u00a0");
  return `Reviewers read the first of your problems, and of later ones about ${share}. ` +
    "More after one was rejected, fewer after several were accepted.";
}

function figure(name, count) {
  return [make("div", {}, make("dt", {}, name), make("dd", {}, String(count)))];
}

function outcome({ submission_id: number, question, status, reasons, created }) {
  const day = new Date(created).toLocaleDateString(undefined, { dateStyle: "medium" });
  return make("li", { "data-status": status },
    make("p", { class: "outcome-top" }, make("span", { class: "badge" }, NAMES[status]),
      make("span", { class: "help" }, `No. ${number}, ${day}`)),
    make("p", { class: "prose pre" }, question),
    ...reasons.map((reason) => make("p", { class: "reason pre" }, reason)));
}
