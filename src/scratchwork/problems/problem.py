"""A word problem: question, options, rationale, letter.

Promises: a `Problem` that exists is well formed (a question, no option or 2 to 10 of them, a
correct letter only if it names an option). Anything else raises `ProblemError` with one sentence.

Does not cover: whether the rationale is true, or the letter right.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scratchwork.errors import UserError, quoted

LETTERS = "ABCDEFGHIJ"
FEWEST_OPTIONS = 2
MOST_OPTIONS = len(LETTERS)


class ProblemError(UserError):
    """What is wrong with a problem, in one sentence."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A word problem; without options it is free-form."""

    question: str
    options: tuple[str, ...] = ()
    """The options' texts without their labels; the first is A."""
    rationale: str | None = None
    correct: str | None = None
    """The letter of the right option, if known."""
    id: str = ""
    origin: str | None = None
    """Where the text comes from (`aqua`, `mathqa`, `gsm8k`, ...), which tells how it is written."""
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    """Fields of the row that this class does not name, kept as they were."""

    def __post_init__(self) -> None:
        if not self.question.strip():
            raise ProblemError("the question is empty")
        if self.options and len(self.options) < FEWEST_OPTIONS:
            raise ProblemError("there is one option only; give 2 to 10, or none at all")
        if len(self.options) > MOST_OPTIONS:
            raise ProblemError(f"there are {len(self.options)} options, more than {MOST_OPTIONS}")
        for letter, option in zip(self.letters, self.options, strict=True):
            if not option.strip():
                raise ProblemError(f"option {letter} is empty")
        if self.correct is not None and self.correct not in tuple(self.letters):
            having = f"A to {self.letters[-1]}" if self.options else "none"
            raise ProblemError(
                f"the correct letter {quoted(self.correct)} has no option ({having})"
            )

    @property
    def letters(self) -> str:
        """The letters of the options, `ABCDE` for five."""
        return LETTERS[: len(self.options)]
