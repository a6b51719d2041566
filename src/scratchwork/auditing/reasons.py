"""Why an audit complains: one sentence for each fault, for students and teachers.

Promises: a sentence names what was found instead of what was written (`48 - 24 is 24, not 26.`), in
the spelling of what was written: as a fraction, in per cent, with a currency, with commas. A value
that is not exact is called so. Everything that shows audits takes its sentences from here.
"""

import math
import operator
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import Literal

from scratchwork.auditing.arithmetic import PossibleValues
from scratchwork.machine.writing import decimals
from scratchwork.problems.numerals import (
    NumeralError,
    number_of,
    round_half_up,
    write_fraction,
    write_number,
    write_thousands,
)
from scratchwork.problems.signs import CURRENCIES, SIGNS
from scratchwork.problems.tokens import detokenise, is_number

Miss = Literal["option", "spelling", "far", "everything"]
"""Why a number has no support: only an option shows it, no operation writes it this way, only
numbers far away give it, or nothing does."""

MOST_OPERANDS = 12
"""At most this many numbers are tried when looking for a result close by."""

_SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
_CALCULATING = SIGNS.keys() - {"%"} | {"("}
_EXACT = 1e-9


def why_false(
    left: Sequence[str], right: Sequence[str], lefts: PossibleValues, rights: PossibleValues
) -> str:
    """What the sides of a false equation really are, given what each may mean."""
    a, b = min(product(lefts, rights), key=lambda pair: (_apart(*pair), -abs(pair[0])))
    if _is_plain(left) and not _is_plain(right):
        left, right, a, b = right, left, b, a
    if not _is_plain(right):
        return f"{detokenise(left)} is {_spelled(a)}, but {detokenise(right)} is {_spelled(b)}."
    numeral = next(token for token in right if is_number(token))
    before = right[0] if right[0] in CURRENCIES else ""
    after = "%" if "%" in right else ""
    if after and b:
        a *= (number_of(numeral) or b) / b
    # The word after the number is left out: it may be its unit or the next word of the sentence.
    value = _spelled(a, numeral, before)
    return f"{detokenise(left)} is {value}{after}, not {before}{numeral}{after}."


def why_unsupported(token: str, miss: Miss, operands: Sequence[str]) -> str:
    """What was tried to explain a number; `operands` are those before it, nearest first."""
    if miss == "option":
        return f"{token} is an option, but nothing in the question or the working leads to it."
    found = f"{token} is neither in the problem nor in the working before it, and no"
    if miss == "spelling":
        return f"{found} operation writes a number this way."
    which = "numbers near by" if miss == "far" else "those numbers"
    near = _near(token, operands)
    return f"{found} single operation on {which} gives it." + (
        f" {near} comes near." if near else ""
    )


def why_not(letter: str, option: str, number: str, named: str, is_last: bool) -> str:
    """Which option the working leads to instead: `number`, the option `named`."""
    if is_last:
        return f"The working comes to {number}, which is option {named}, not {letter}."
    return (
        f"The working gives {number}, which is option {named}, "
        f"and nothing in it gives option {letter}, {option}."
    )


def _apart(a: float, b: float) -> float:
    return abs(a - b) / max(abs(a), abs(b), _EXACT)


def _is_plain(side: Sequence[str]) -> bool:
    """Whether a side is one number, maybe with its unit, so that nothing is calculated there."""
    numbers = [token for token in side if is_number(token)]
    return len(numbers) == 1 and _CALCULATING.isdisjoint(side)


def _spelled(value: float, like: str = "", before: str = "") -> str:
    """A value as a person writes it, after the model of a numeral."""
    try:
        if "/" in like and not value.is_integer():
            return write_fraction(value)
        places = max(decimals(like) + 1, 2)
        if 0 < abs(value) < 1:
            places = max(places, 2 - math.floor(math.log10(abs(value))))
        rounded = round_half_up(value, min(places, 12))
        about = "" if _apart(value, rounded) <= _EXACT else "about "
        is_grouped = "," in like and abs(rounded) >= 1000
        written = write_thousands(rounded) if is_grouped else write_number(rounded)
    except NumeralError:
        return f"about {value:.4g}"
    return f"{about}{before}{written}"


def _near(token: str, operands: Sequence[str]) -> str:
    """A calculation whose result is close to the number, or an empty text."""
    wanted = number_of(token)
    if wanted is None or "/" in token:
        return ""
    candidates = _candidates(token, wanted, operands)
    return min(candidates, key=lambda candidate: candidate[0], default=(0, ""))[1]


def _candidates(token: str, wanted: float, operands: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Calculations, ranked by their miss: in the last digit, in the order of digits, by tens."""
    in_order = list(dict.fromkeys(operands))[:MOST_OPERANDS][::-1]
    for (j, first), (k, second) in permutations(enumerate(in_order), 2):
        a, b = number_of(first), number_of(second)
        for sign, apply in _SIGNS.items():
            is_twin = j > k and sign in "+*"
            if a is None or b is None or is_twin or (sign == "/" and b == 0):
                continue
            value = apply(a, b)
            rank = _likeness(token, wanted, value)
            if rank is not None:
                result = _spelled(value, token)
                equals = "≈" if result.startswith("about ") else "="
                yield rank, f"{first} {sign} {second} {equals} {result.removeprefix('about ')}"


def _likeness(token: str, wanted: float, value: float) -> int | None:
    digits = token.replace(",", "").replace(".", "").strip("0")
    if len(digits) < 2 or value <= 0 or _apart(value, wanted) <= _EXACT:
        return None
    if len(digits) > 2 and abs(value - wanted) <= 1.0 * 10.0 ** -decimals(token) * (1 + _EXACT):
        return 0
    try:
        written = write_number(round_half_up(value, 6)).replace(".", "").strip("0")
    except NumeralError:
        return None
    if written == digits:
        return 2 if max(value, wanted) <= 100 * min(value, wanted) * (1 + _EXACT) else None
    return 1 if sorted(written) == sorted(digits) else None
