"""An audit for the terminal: the coloured rationale, and a line of figures.

Promises: colours are never the only sign: an unsupported number is also marked `[?]`. Text from
problems is shown literally.
"""

from typing import TYPE_CHECKING

from scratchwork.auditing.audit import Audit
from scratchwork.problems.tokens import spaced

if TYPE_CHECKING:
    from rich.text import Text

_STYLES = {
    "copied": "cyan",
    "computed": "bold green",
    "constant": "dim",
    "unsupported": "bold white on red",
}


def audit_text(audit: Audit) -> "Text":
    """The rationale with each number in the colour of its status."""
    from rich.text import Text

    text = Text()
    status = {number.position: number.status for number in audit.numbers}
    wrong = {k for equation in audit.false_equations for k in range(equation.start, equation.end)}
    for k, (space, token) in enumerate(spaced(audit.tokens)):
        text.append(space)
        style = _STYLES.get(status.get(k + 1, ""), "")
        text.append(token, style=f"{style} underline" if k in wrong else style)
        if status.get(k + 1) == "unsupported":
            text.append("[?]", style="red")
    return text


def summary(audit: Audit) -> str:
    """One line on how much is supported."""
    counts = dict.fromkeys(_STYLES, 0)
    for number in audit.numbers:
        counts[number.status] += 1
    parts = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    true = sum(equation.holds for equation in audit.equations)
    equations = f"{true} of {len(audit.equations)} equations hold" if audit.equations else ""
    follows = ""
    if audit.answer is not None and audit.answer.follows:
        follows = f"{audit.answer.letter} follows"
    return "; ".join(part for part in (parts or "no numbers", equations, follows) if part)
