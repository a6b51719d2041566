"""Audits for people: coloured text for the terminal, and a page where numbers can be pointed at.

Promises: colours are never the only sign, and text from problems is shown literally. The page needs
no other file, works by mouse, touch and keyboard, and says in words what it shows in colours.
"""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from scratchwork.auditing.audit import Audit, NumberAudit
from scratchwork.errors import printable
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import spaced

if TYPE_CHECKING:
    from rich.text import Text

_COLOURS = {
    "copied": "cyan",
    "computed": "bold green",
    "constant": "dim",
    "unsupported": "bold white on red",
}


def audit_text(audit: Audit) -> "Text":
    """The rationale with each number in the colour of its status; unsupported ones marked `[?]`."""
    from rich.text import Text

    text = Text()
    status = {number.position: number.status for number in audit.numbers}
    wrong = _false_tokens(audit)
    for k, (space, token) in enumerate(spaced(audit.tokens)):
        text.append(space)
        style = _COLOURS.get(status.get(k + 1, ""), "")
        text.append(printable(token), style=f"{style} underline" if k in wrong else style)
        if status.get(k + 1) == "unsupported":
            text.append("[?]", style="red")
    return text


def _false_tokens(audit: Audit) -> set[int]:
    """The tokens of equations that do not hold."""
    return {k for equation in audit.false_equations for k in range(equation.start, equation.end)}


def summary(audit: Audit) -> str:
    """How much is supported, in one line."""
    counts = dict.fromkeys(_COLOURS, 0)
    for number in audit.numbers:
        counts[number.status] += 1
    parts = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    true = sum(equation.holds for equation in audit.equations)
    equations = f"{true} of {len(audit.equations)} equations hold" if audit.equations else ""
    follows = ""
    if audit.answer is not None and audit.answer.follows:
        follows = f"{audit.answer.letter} follows"
    return "; ".join(part for part in (parts or "no numbers", equations, follows) if part)


_STYLE = """
  :root { color-scheme: light dark; --ink: #1b2530; --paper: #fff; --soft: #5b6874;
          --line: #d5dce2; --card: #f6f8fa; --copied: #0b6e99; --computed: #18794e;
          --constant: #5b6874; --unsupported: #c0262d; --mark: #ffe08a; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e6edf3; --paper: #10161c; --soft: #9aa7b3; --line: #2c3844; --card: #18212a;
            --copied: #6cc5f0; --computed: #5bd19a; --constant: #9aa7b3; --unsupported: #ff8087;
            --mark: #6b5200; } }
  body { font: 16px/1.6 system-ui, sans-serif; color: var(--ink); background: var(--paper);
         max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
  article { border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.2rem;
            margin-bottom: 1.5rem; background: var(--card); }
  h2 { font-size: 1rem; margin: 0 0 .5rem; color: var(--soft); font-weight: 600; }
  p { margin: .3rem 0; } .rationale { white-space: pre-wrap; }
  .options { display: flex; flex-wrap: wrap; gap: 0 1.4rem; list-style: none; padding: 0;
             margin: .3rem 0; }
  .n { border-bottom: 2px solid; border-radius: .2rem; padding: 0 .1rem; cursor: help; }
  .n:focus { outline: 2px solid currentColor; }
  .copied { color: var(--copied); } .computed { color: var(--computed); font-weight: 600; }
  .constant { color: var(--constant); border-bottom-style: dotted; }
  .unsupported { color: var(--unsupported); font-weight: 600; border-bottom-style: wavy; }
  .false { text-decoration: underline wavy var(--unsupported); text-underline-offset: .3em; }
  .lit { background: var(--mark); }
  .note { min-height: 1.6em; color: var(--soft); border-top: 1px solid var(--line);
          margin-top: .7rem; padding-top: .5rem; }
  .amiss { color: var(--unsupported); margin: .4rem 0 0; padding-left: 1.2rem; }
"""
_SCRIPT = """
  for (const article of document.querySelectorAll('article')) {
    const note = article.querySelector('.note'), silent = note.textContent;
    const show = number => {
      hide();
      note.textContent = number.dataset.note;
      for (const place of (number.dataset.from || '').split(' ').filter(Boolean))
        article.querySelector(`[data-at="${place}"]`)?.classList.add('lit');
    };
    const hide = () => {
      note.textContent = silent;
      article.querySelectorAll('.lit').forEach(place => place.classList.remove('lit'));
    };
    for (const number of article.querySelectorAll('.n')) {
      for (const event of ['mouseenter', 'focus', 'click'])
        number.addEventListener(event, () => show(number));
      for (const event of ['mouseleave', 'blur']) number.addEventListener(event, hide);
    }
  }
"""


def audit_page(audits: Sequence[Audit]) -> str:
    """A page with an article for each audit."""
    articles = "\n".join(_article(audit) for audit in audits)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Audit</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>Audit</h1>
<p>Point at a number, tap it or reach it with the Tab key to see where it came from.
<span class="copied">Copied</span>, <span class="computed">computed</span>,
<span class="constant">constant</span>, <span class="unsupported">unsupported</span>.</p>
{articles}
<script>{_SCRIPT}</script>
</body>
</html>
"""


def _article(audit: Audit) -> str:
    problem = audit.problem
    amiss = "".join(f"<li>{escape(sentence)}</li>" for sentence in audit.complaints)
    listed = f'<ul class="amiss">{amiss}</ul>' if amiss else ""
    return f"""<article>
<h2>{escape(problem.id or "problem")}</h2>
<p>{_question(audit)}</p>
{_options(problem, audit)}
<p class="rationale">{_rationale(audit)}</p>
{listed}
<p class="note" aria-live="polite">{escape(summary(audit))}</p>
</article>"""


def _cells(tokens: Sequence[str], first: int) -> str:
    """Source tokens, each marked with its cell."""
    return "".join(
        f'{escape(space)}<span data-at="x{k}">{escape(token)}</span>'
        for k, (space, token) in enumerate(spaced(tokens), first)
    )


def _question(audit: Audit) -> str:
    source = audit.source
    end = source.index("<O>") if "<O>" in source else len(source)
    return _cells(source[:end], 1)


def _options(problem: Problem, audit: Audit) -> str:
    if not problem.options:
        return ""
    starts = [k for k, token in enumerate(audit.source) if token == "<O>"]
    ends = [*starts[1:], len(audit.source)]
    items = "".join(
        f"<li>{_cells(audit.source[start + 1 : end], start + 2)}</li>"
        for start, end in zip(starts, ends, strict=True)
    )
    return f'<ul class="options">{items}</ul>'


def _rationale(audit: Audit) -> str:
    numbers = {number.position: number for number in audit.numbers}
    wrong = _false_tokens(audit)
    pieces: list[str] = []
    for k, (space, token) in enumerate(spaced(audit.tokens)):
        number = numbers.get(k + 1)
        shown = escape(token) if number is None else _number(number, audit)
        if k in wrong:
            shown = f'<span class="false">{shown}</span>'
        pieces.append(escape(space) + shown)
    return "".join(pieces)


def _number(number: NumberAudit, audit: Audit) -> str:
    note = _note(number, audit)
    return (
        f'<span class="n {number.status}" tabindex="0" data-at="y{number.position}" '
        f'data-from="{escape(" ".join(number.sources))}" data-note="{escape(note)}" '
        f'aria-label="{escape(number.token)}: {escape(note)}">{escape(number.token)}</span>'
    )


def _note(number: NumberAudit, audit: Audit) -> str:
    """Where a number came from, in words."""
    if number.status == "unsupported":
        return number.why
    if number.status == "constant":
        return f"{number.token}: a constant"
    shown = number.how
    for place in sorted(number.sources, key=len, reverse=True):
        shown = shown.replace(place, _shown(place, audit))
    if number.status == "copied":
        where = "the problem" if number.how.startswith("x") else "earlier in the text"
        return f"{number.token}: copied from {where}"
    return f"{number.token} = {shown}"


def _shown(place: str, audit: Audit) -> str:
    """What a cell holds."""
    if place[:1] == "x":
        return audit.source[int(place[1:]) - 1]
    if place[:1] == "y":
        return audit.tokens[int(place[1:]) - 1]
    return place.strip('"')
