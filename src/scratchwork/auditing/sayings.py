"""Results that are told in words: `the greatest common divisor of 12 and 18 is 6`.

Promises: `sayings_in` finds the sentences in which derivations tell what an operation gives that
has no sign, as far as it gives whole numbers, and says of each whether it is so.

Does not cover: other words for the same.
"""

from collections.abc import Iterator, Sequence

from scratchwork.auditing.equations import Equation
from scratchwork.explaining.terse import LINES
from scratchwork.machine.operations import EXTENDED, OperationError
from scratchwork.problems.numerals import number_of, write_number
from scratchwork.problems.tokens import detokenise, is_number, tokenise

_JUDGED = ("Gcd", "Lcm", "Remainder", "Floor", "Ceiling", "Min", "Max")
_SLOTS = ("{a}", "{b}", "{r}")
_PATTERNS = tuple(
    (
        name,
        tuple(
            token
            for word in LINES[name].split()
            for token in ([word] if word in _SLOTS else tokenise(word))
        ),
    )
    for name in _JUDGED
)


def sayings_in(tokens: Sequence[str]) -> Iterator[Equation]:
    """The results told in words, in order; numbers that were rounded before are left alone."""
    lower = [token.lower() for token in tokens]
    rounded = {tokens[k + 1] for k in range(len(tokens) - 1) if lower[k] in ("≈", "about")}
    for start in range(len(tokens)):
        for name, pattern in _PATTERNS:
            found = _matched(lower, start, pattern)
            if found is not None and not rounded.intersection(tokens[k] for k in found.values()):
                said = _judged(tokens, start, name, found)
                if said is not None:
                    yield said


def _matched(lower: Sequence[str], start: int, pattern: Sequence[str]) -> dict[str, int] | None:
    """The places of the numbers where a sentence has this form."""
    if start + len(pattern) > len(lower):
        return None
    found: dict[str, int] = {}
    for k, wanted in enumerate(pattern, start):
        if wanted in _SLOTS and is_number(lower[k]):
            found[wanted] = k
        elif wanted != lower[k]:
            return None
    return found


def _judged(tokens: Sequence[str], start: int, name: str, found: dict[str, int]) -> Equation | None:
    values = [number_of(tokens[found[slot]]) for slot in ("{a}", "{b}") if slot in found]
    given = [value for value in values if value is not None]
    stated, place = number_of(tokens[found["{r}"]]), found["{r}"]
    try:
        result = EXTENDED[name].function(*given)
    except OperationError:
        return None
    if stated is None or not isinstance(result, float):
        return None
    text = detokenise(tokens[start : place + 1])
    holds = abs(result - stated) <= 1e-9 * max(abs(result), 1)
    about = detokenise(tokens[start : place - 1])
    why = "" if holds else f"{about} is {write_number(result)}, not {tokens[place]}."
    return Equation(text, start, place + 1, place, holds, why[:1].upper() + why[1:])
