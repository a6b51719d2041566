/** The audit that speaks while a problem is written. */

import { auditedTokens } from "./audited.js";
import { byId, debounced, make, say } from "./dom.js";
import { send } from "./visit.js";
import { lineByLine } from "./working.js";

const PAUSE = 500;

/**
 * @param {() => object} values what is written
 * @returns {{ask: () => void, clear: () => void}} `ask` may be called at every change
 */
export function setUpRemarks(values) {
  const status = byId("audit-status");
  let asking = null;

  async function audit() {
    asking?.abort();
    const mine = (asking = new AbortController());
    const problem = values();
    if (![problem.rationale, ...problem.options].some((text) => text.trim())) return clear();
    try {
      show(await send("api/remarks", problem, mine.signal));
    } catch (error) {
      if (error.name !== "AbortError") say(status, `No audit now: ${error.message}`);
    }
  }

  function show({ audit: found, sentences }) {
    const lines = found ? lineByLine(found.rationale, auditedTokens(found)) : [];
    byId("audit-lines").replaceChildren(...lines);
    byId("audit-sentences").replaceChildren(...sentences.map((text) => make("li", {}, text)));
    const amiss = lines.filter((line) => line.classList.contains("amiss")).length + sentences.length;
    say(status, amiss ? amissText(amiss) : found ? "The audit finds nothing amiss." : "");
  }

  function clear() {
    asking?.abort();
    show({ audit: null, sentences: [] });
  }

  return { ask: debounced(audit, PAUSE), clear };
}

function amissText(count) {
  return count === 1 ? "The audit finds one thing amiss." : `The audit finds ${count} things amiss.`;
}
