"""Conclusions that name an option: `So the speed is 36 km/h, which is option B.`

Promises: `contradiction` finds such a sentence whose number is not the option that it names, and
says so in a sentence. `is_rounded_to` finds one that says the option's number rounded (`about
0.6667` for 2 : 3), or a number of the text rounded down to it.

Does not cover: whether the number itself is right.
"""

from collections.abc import Sequence

from scratchwork.machine.operations import OperationError
from scratchwork.machine.options import OptionIndex
from scratchwork.machine.writing import decimals
from scratchwork.machine.written_values import values_of
from scratchwork.problems.numerals import number_of
from scratchwork.problems.tokens import is_number

_ABOUT = ("about", "approximately")
_NAMING = ("which", "is", "option")
_FARTHEST = 8
"""So many words may stand between the number and the option."""


def is_rounded_to(tokens: Sequence[str], letter: str, option: str) -> bool:
    """Whether a conclusion is about the number that the option of this letter is, or rounds a
    number of the text down to it."""
    for k in range(len(tokens) - 3):
        if tuple(tokens[k : k + 3]) == _NAMING and tokens[k + 3] == letter:
            numbers = [j for j in range(k) if is_number(tokens[j])]
            if numbers and tokens[numbers[-1] - 1] in _ABOUT:
                return _is_value(option, tokens[numbers[-1]])
            start = max((j + 1 for j in range(k) if tokens[j] == "\n"), default=0)
            line = [token.lower() for token in tokens[start:k]]
            if numbers and line[:3] == ["rounded", "down", "to"]:
                before = [tokens[j] for j in numbers[:-1]]
                return any(_is_cut(numeral, tokens[numbers[-1]]) for numeral in before)
    return False


def _is_value(option: str, numeral: str) -> bool:
    """Whether an option's value is a number as precisely as that is written."""
    number, half = number_of(numeral) or 0.0, 0.5 * 10.0 ** -decimals(numeral)
    return any(abs(value - number) <= half for value in values_of(option))


def _is_cut(numeral: str, shorter: str) -> bool:
    """Whether a number is another one without its last decimals."""
    return "." in numeral and numeral != shorter and numeral.startswith(shorter)


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
        if tokens[at - 1 - (not tokens[at - 1].isalnum())] in _ABOUT:
            continue
        try:
            named = index.check_by_value(numeral)
        except OperationError:
            return f"{numeral} is not option {letter}."
        if named != letter:
            return f"{numeral} is option {named}, not {letter}."
    return ""
