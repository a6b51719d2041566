/** Audit: which numbers come from nowhere, which equations are false, which letter does not follow. */

import { post } from "./api.js";
import { auditedTokens } from "./audited.js";
import { byId, make, percent, say } from "./dom.js";
import { markedWork } from "./marked.js";
import { optionFields } from "./option_fields.js";
import { withPlainBreaks } from "./tokens.js";

const EXAMPLE = {
  question: "A shop sold 48 notebooks in April and half as many in May. Each notebook costs 3 dollars. How many dollars did it take in both months?",
  options: ["144", "216", "222", "288"],
  rationale: "In May the shop sold 48 / 2 = 24 notebooks.\nIn both months it sold 48 + 24 = 74 notebooks.\nSo it took 74 * 3 = 222 dollars.\nThe answer is C.",
};

export function setUpAudit() {
  const question = byId("audit-question");
  const rationale = byId("audit-rationale");
  const status = byId("audit-status");
  const fields = optionFields(byId("audit-options"), question, (text) => say(status, text));

  async function run() {
    fields.recognise();
    const problem = {
      question: withPlainBreaks(question.value).trim(),
      options: fields.values(),
      rationale: withPlainBreaks(rationale.value).trim(),
    };
    say(status, "Auditing…", "busy");
    try {
      const audit = await post("audit", problem);
      const { tokens, origins, wrong } = auditedTokens(audit);
      byId("verdict").replaceChildren(...verdict(audit));
      byId("audit-work").replaceChildren(markedWork(audit, tokens, origins, wrong));
      byId("audit-result").hidden = false;
      say(status, "");
    } catch (error) {
      byId("audit-result").hidden = true;
      say(status, error.message, "error");
    }
  }

  byId("audit-form").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  byId("audit-example").addEventListener("click", () => {
    question.value = EXAMPLE.question;
    rationale.value = EXAMPLE.rationale;
    fields.set(EXAMPLE.options);
    run();
  });
}

/** What speaks against the derivation, a sentence each, and a line of figures. */
function verdict(audit) {
  const { complaints, equations, answer } = audit;
  const holds = complaints.length === 0;
  const title = make("h3", { class: holds ? "good" : "bad" },
    holds ? "Nothing speaks against it." : amiss(complaints.length));
  const list = make("ul", { class: "complaints" }, ...complaints.map((text) => make("li", {}, text)));
  const facts = [`${percent(audit.supported)} of the numbers are supported`];
  if (equations.length) {
    facts.push(`${equations.filter((e) => e.holds).length} of ${equations.length} equations hold`);
  }
  if (answer?.follows) facts.push(`${answer.letter} follows`);
  return [title, ...(holds ? [] : [list]), make("p", { class: "facts" }, facts.join(" · "))];
}

function amiss(count) {
  return count === 1 ? "One thing is amiss." : `${count} things are amiss.`;
}
