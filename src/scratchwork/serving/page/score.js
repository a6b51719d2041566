/** The score, kept in this browser and nowhere else. */

const KEY = "scratchwork-score";

export class Score {
  /** @param {HTMLElement} element where it is shown */
  constructor(element) {
    this.element = element;
    this.show();
  }

  read() {
    try {
      const { right, tried, run } = JSON.parse(localStorage.getItem(KEY) ?? "{}");
      return { right: Number(right) || 0, tried: Number(tried) || 0, run: Number(run) || 0 };
    } catch {
      return { right: 0, tried: 0, run: 0 };
    }
  }

  /** The first answer to each problem counts. */
  add(isRight) {
    const { right, tried, run } = this.read();
    this.keep({ right: right + Number(isRight), tried: tried + 1, run: isRight ? run + 1 : 0 });
  }

  reset() {
    this.keep({ right: 0, tried: 0, run: 0 });
  }

  keep(score) {
    localStorage.setItem(KEY, JSON.stringify(score));
    this.show();
  }

  show() {
    const { right, tried, run } = this.read();
    const streak = run > 1 ? `, the last ${run} in a row` : "";
    this.element.textContent = tried
      ? `${right} of ${tried} right at the first try${streak}`
      : "No problem answered yet";
  }
}
