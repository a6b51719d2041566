/**
 * What is being written for a task, kept in the browser against a lost tab or connection, with the
 * key of its hand-in: the same text again has the same key, so that it is taken once however often
 * it is sent, and a text that was changed has another, so that it is never taken for the first.
 */

/** @typedef {{seed: number | null, problem: object, key: string, sent: string}} Kept */

export class Draft {
  /** @param {string} owner whose draft it is @param {number} task */
  constructor(owner, task) {
    this.name = `scratchwork-draft ${owner} ${task}`;
  }

  /** @returns {Kept | null} */
  read() {
    try {
      return JSON.parse(localStorage.getItem(this.name));
    } catch {
      return null;
    }
  }

  /** Keep this; whether the browser could. */
  write(seed, problem) {
    const { key = "", sent = "" } = this.read() ?? {};
    return this.#keep({ seed, problem, key, sent });
  }

  /** The key to hand this in with. */
  keyFor(seed, problem) {
    const content = JSON.stringify([seed, problem]);
    const kept = this.read();
    if (kept?.key && kept.sent === content) return kept.key;
    const key = newKey();
    this.#keep({ seed, problem, key, sent: content });
    return key;
  }

  remove() {
    localStorage.removeItem(this.name);
  }

  #keep(content) {
    try {
      localStorage.setItem(this.name, JSON.stringify(content));
      return true;
    } catch {
      return false;
    }
  }
}

/** A key that nobody else makes; `randomUUID` would need https. */
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
