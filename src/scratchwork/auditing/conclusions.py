"""Conclusions that name an option: `So the speed is 36 km/h, which is option B.`

Promises: `contradiction` finds such a sentence whose number is not the option that it names, and
says so in a sentence. What is said to be *about* a number, or to be another kind of thing, is left
alone.

Does not cover: whether the number itself is right.
"""

from collections.abc import Sequence

from scratchwork.machine.operations import OperationError
from scratchwork.machine.options import OptionIndex
from scratchwork.problems.tokens import is_number

_NAMING = ("which", "is", "option")
_FARTHEST = 8
"""So many words may stand between the number and the option."""


def contradiction(tokens: Sequence[str], letter: str, index: OptionIndex) -> str:
    """Why the number of a conclusion is not the option of this letter; empty if none is found."""
    for k in range(len(tokens) - 3):
        if tuple(tokens[k : k + 3]) != _NAMING or tokens[k + 3] != letter:
            continue
        at = k - 1
        while at >= max(k - _FARTHEST, 0) and not is_number(tokens[at]) and tokens[at] != "\n":
            at -= 1
        if at < 1 or not is_number(tokens[at]):
            continue
        numeral = f"-{tokens[at]}" if tokens[at - 1] == "-" else tokens[at]
        before = tokens[at - 1 - (tokens[at - 1] == "-" or not tokens[at - 1].isalnum())]
        if before in ("about", "approximately"):
            continue
        try:
            named = index.check_by_value(numeral)
        except OperationError:
            return f"{numeral} is not option {letter}."
        if named != letter:
            return f"{numeral} is option {named}, not {letter}."
    return ""
