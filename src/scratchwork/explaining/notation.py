"""How the numbers of one derivation are written: all as decimals, or all as fractions.

Promises: a `Notation` writes every number of a derivation in one way, which follows from the
numbers of the question and from how the answer is written. What would take more than four
significant decimals is a fraction where fractions are used, and rounded elsewhere.

Does not cover: the answer, which is written as its option is.
"""

import math
from collections.abc import Sequence

from scratchwork.machine.constants import CONSTANT_VALUES
from scratchwork.machine.number_words import numbers_in
from scratchwork.machine.operations import MOST_PLACES, Value
from scratchwork.machine.writing import Writing, decimals
from scratchwork.plans.compiling import PLAIN
from scratchwork.plans.plan import Argument, Given, Plan, PlanConstant
from scratchwork.problems.numerals import (
    NumeralError,
    number_of,
    round_half_up,
    write_fraction,
    write_number,
)
from scratchwork.problems.tokens import is_number

MOST_DECIMALS = 4
"""Significant decimals of a number that is written in full."""
_LARGEST_DENOMINATOR = 1000
_EASY_DENOMINATOR = 400
"""Where the question has no fractions, larger ones are not used."""
FRACTION = Writing("Float_to_Fraction")
_FACTORS = frozenset(("22/7", "5/18", "18/5"))
_FRACTIONS_OF = {CONSTANT_VALUES[numeral]: numeral for numeral in ("1/2", "1/4", "3/4")}


class Notation:
    """Writes the numbers of one derivation."""

    def __init__(self, uses_fractions: bool, groups_thousands: bool) -> None:
        self.uses_fractions = uses_fractions
        self.groups_thousands = groups_thousands

    def of_value(self, value: float) -> Writing:
        """How a result is written."""
        if self.uses_fractions and not value.is_integer() and denominator_of(value):
            return FRACTION
        if is_short(value):
            is_grouped = self.groups_thousands and abs(value) >= 1000
            return Writing("Float_to_Thousands") if is_grouped else PLAIN
        places = places_of(value)
        return PLAIN if places is None else Writing("Float_to_Decimal", places)

    def of_money(self, value: float) -> Writing:
        """How an amount is written: with cents, if there are any."""
        writing = self.of_value(value)
        has_cents = not value.is_integer() and (100 * value).is_integer()
        return Writing("Float_to_Decimal", 2) if writing == PLAIN and has_cents else writing

    def is_exact(self, value: float) -> bool:
        """Whether a result is written without being rounded."""
        return self.of_value(value) == FRACTION or is_short(value)

    def is_fraction(self, value: float) -> bool:
        """Whether a result is written as a fraction."""
        return self.of_value(value) == FRACTION

    def of_constant(self, numeral: str) -> str:
        """How a constant is written: without commas, and one half as all other numbers."""
        if self.uses_fractions:
            return _FRACTIONS_OF.get(CONSTANT_VALUES.get(numeral, 0.0), numeral)
        if numeral == "1/2":
            return "0.5"
        plain = numeral.replace(",", "")
        return plain if plain in CONSTANT_VALUES and not self.groups_thousands else numeral


def notation_for(
    plan: Plan,
    source: Sequence[str],
    between: Sequence[Value],
    answer: float,
    written: str | None,
    *,
    prefers_decimals: bool,
    has_parts: bool = False,
) -> Notation:
    """The notation for the results that are shown: those `between`, and the answer, which is
    `written` so in its option. Money and percentages prefer decimals; where
    constants make parts of a whole, fractions are used."""
    given = [argument for step in plan.steps for argument in step.arguments]
    numerals = [numeral for one in given if (numeral := numeral_given(one, source)) is not None]
    uses_fractions = (
        False
        if _has_decimals(given, numerals)
        else any("/" in numeral for numeral in (*numerals, *_parts(given)))
        or has_parts
        or _has_part_in_words(given, source)
        or _needs_fractions(between, answer, written, prefers_decimals=prefers_decimals)
    )
    return Notation(uses_fractions, _groups(numerals))


def numeral_given(argument: Argument, source: Sequence[str]) -> str | None:
    """The numeral of a number of the question; None where it is a word, or no such number."""
    if not isinstance(argument, Given):
        return None
    token = source[argument.place - 1]
    return token if is_number(token) else None


def _has_decimals(given: Sequence[Argument], numerals: Sequence[str]) -> bool:
    constants = [one.numeral for one in given if isinstance(one, PlanConstant)]
    return any("." in numeral for numeral in (*numerals, *constants))


def _parts(given: Sequence[Argument]) -> list[str]:
    """The constants that are parts of a whole, such as 2/3, rather than factors."""
    constants = [one.numeral for one in given if isinstance(one, PlanConstant)]
    return [numeral for numeral in constants if numeral not in _FACTORS]


def _needs_fractions(
    between: Sequence[Value], answer: float, written: str | None, *, prefers_decimals: bool
) -> bool:
    """Whether decimals would be long, and fractions are easy."""
    if written is not None and "/" in written:
        return True
    is_rounded = written is not None and "." in written and not is_short(answer)
    if prefers_decimals or is_rounded:
        return False
    broken = [value for value in between if isinstance(value, float) and not is_short(value)]
    if not broken:
        return written is None and not is_short(answer) and _is_easy(answer)
    return all(map(_is_easy, broken)) and (is_short(answer) or _is_easy(answer))


def _is_easy(value: float) -> bool:
    return (denominator_of(value) or math.inf) <= _EASY_DENOMINATOR


def _has_part_in_words(given: Sequence[Argument], source: Sequence[str]) -> bool:
    """Whether a number is a part in words that decimals do not show: `two-thirds`."""
    in_words = numbers_in(source)
    return any(
        isinstance(one, Given)
        and one.place - 1 in in_words
        and not is_number(source[one.place - 1])
        and not is_short(in_words[one.place - 1])
        for one in given
    )


def _groups(numerals: Sequence[str]) -> bool:
    """Whether the question puts commas into its thousands."""
    large = [numeral for numeral in numerals if (number_of(numeral) or 0) >= 1000]
    return bool(large) and all("," in numeral for numeral in large)


def is_short(value: float) -> bool:
    """Whether a number is written in full with few decimals."""
    try:
        numeral = write_number(value)
    except NumeralError:
        return False
    significant = numeral.partition(".")[2].lstrip("0") if abs(value) < 1 else decimals(numeral)
    length = len(significant) if isinstance(significant, str) else significant
    return length <= MOST_DECIMALS and decimals(numeral) <= MOST_PLACES


def denominator_of(value: float) -> int | None:
    """The denominator of the fraction that a number is, if it is not too large."""
    try:
        denominator = int(write_fraction(value).partition("/")[2])
    except NumeralError:
        return None
    return denominator if denominator <= _LARGEST_DENOMINATOR else None


def places_of(value: float) -> int | None:
    """To how many decimals a long number is rounded: to four that are significant, without zeros at
    the end; None where it is too small for that."""
    size = abs(value)
    zeros = 0 if size >= 0.1 or size == 0 else -math.floor(math.log10(size)) - 1
    places = min(MOST_DECIMALS + zeros, MOST_PLACES)
    rounded = write_number(round_half_up(value, places)) if size >= 10.0**-places else ""
    return decimals(rounded) if rounded and number_of(rounded) else None
