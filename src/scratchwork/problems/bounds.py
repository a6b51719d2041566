"""How large a problem may be: one record for the library, the commands, training and the server.

Promises: within the default bounds a problem is read, induced and audited within seconds and 300
MB (see docs/reliability.md for what was measured); beyond them `check` raises `ProblemError`.

Does not cover: what a model takes to solve a problem; the server has smaller bounds for that.
"""

import re
from dataclasses import dataclass

from scratchwork.problems.problem import Problem, ProblemError
from scratchwork.problems.tokens import is_number, tokenise

_DIGITS = re.compile(r"[0-9]+")


@dataclass(frozen=True, slots=True)
class Bounds:
    """The most that is taken on."""

    row: int = 4 << 20
    """Bytes of a line or of an array's element, unknown fields included."""
    characters: int = 100_000
    """Characters of question, options and rationale together."""
    tokens: int = 10_000
    """Tokens of question, options and rationale together."""
    numbers: int = 250
    """Numbers among these tokens, however often each stands there."""
    different_numbers: int = 80
    """Different ones among them: the ways to combine these grow with their square."""

    def check(self, problem: Problem) -> None:
        """Refuse a problem that is too large."""
        texts = (problem.question, *problem.options, problem.rationale or "")
        characters = sum(map(len, texts))
        _check("characters", characters, self.characters)
        # A token has a character at least, and a number a run of digits.
        numerals = sum(map(_runs_of_digits, texts))
        if characters <= self.tokens and numerals <= min(self.numbers, self.different_numbers):
            return
        tokens = [token for part in texts for token in tokenise(part)]
        _check("tokens", len(tokens), self.tokens)
        numbers = [token for token in tokens if is_number(token)]
        _check("numbers", len(numbers), self.numbers)
        _check("different numbers", len(set(numbers)), self.different_numbers)


def _runs_of_digits(text: str) -> int:
    return len(_DIGITS.findall(text))


def _check(what: str, count: int, most: int) -> None:
    if count > most:
        raise ProblemError(f"the problem has {count:,} {what}, more than the {most:,} allowed")


BOUNDS = Bounds()
"""The bounds where no others are given."""
