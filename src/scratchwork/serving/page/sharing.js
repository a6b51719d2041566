/** A solution to take along: as Markdown, as JSON, as a link that reproduces the problem. */

const SIGNS = /[\\`*_[\]<>|~$#&]/g;

/** @param {{question: string, options: string[]}} problem */
export function asMarkdown(problem, solution) {
  const options = problem.options.map((text, k) => `${String.fromCharCode(65 + k)}) ${plain(text)}`);
  const rationale = solution.rationale.split("\n").map((line) => `> ${plain(line)}  `);
  return [
    `**Problem.** ${plain(problem.question)}`, "",
    ...(options.length ? [options.join("  \n"), ""] : []),
    ...rationale, "",
    `**Answer: ${solution.answer ?? solution.value ?? "none"}**${solution.guess ? " (a guess)" : ""}`, "",
  ].join("\n");
}

function plain(text) {
  return text.replace(SIGNS, "\\$&");
}

/** @param {{question: string, options: string[]}} problem */
export function asFragment({ question, options }) {
  return `#solve=${encodeURIComponent(JSON.stringify({ question, options }))}`;
}

/** The problem that a fragment holds, or null; whatever else it holds is ignored. */
export function fromFragment(fragment) {
  if (!fragment.startsWith("#solve=")) return null;
  try {
    const { question, options } = JSON.parse(decodeURIComponent(fragment.slice(7)));
    const texts = Array.isArray(options) ? options.slice(0, 10).map(String) : [];
    return typeof question === "string" ? { question, options: texts } : null;
  } catch {
    return null;
  }
}

/** Copy, also where the page has no permission for the clipboard. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
