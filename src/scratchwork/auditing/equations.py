"""Written equations: what a text claims to be equal, and whether it is.

Promises: `equations_in` finds, line by line, the expressions on both sides of an equals sign that
hold nothing but numbers and their units, and says whether they are equal: exactly, or as precisely
as the result is written. `25% of 80 = 20`, `52C2 = 1326`, `3 1/2 * 4 = 14`, `2 x 10 = 20`,
`72 km/h × 2 h = 144 km` and chains `a = b = c` are understood; a percent sign may or may not divide
by 100, whichever makes the equation true. A number that was written behind `≈` or *about* may be a
little off wherever it stands again.

Does not cover: equations with unknowns, functions other than roots, words inside an expression.
Anything else is not judged.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product

from scratchwork.auditing.arithmetic import (
    LONGEST_EXPRESSION,
    OPERATORS,
    NotArithmeticError,
    PossibleValues,
    values_of_expression,
)
from scratchwork.auditing.reasons import why_false
from scratchwork.auditing.units import with_units_marked
from scratchwork.machine.writing import decimals
from scratchwork.problems.numerals import number_of
from scratchwork.problems.signs import CLOSING, CURRENCIES, EQUALS, OPENING, signs_of
from scratchwork.problems.tokens import detokenise, is_number

_LINE_ENDS = frozenset({"\n", "=>", "->", "→", "⇒", "⟹", "∴", ";", "⇔", "↔"})
_ABOUT = EQUALS - {"="}
_BEFORE_ROUNDED = _ABOUT | {"about", "approximately"}
_MOST_ROUNDED = 5
_MINUS = signs_of("Subtract")
_SUMS = _MINUS | {"+"}
_FUNCTIONS = frozenset("log ln sin cos tan floor ceiling round gcd lcm hcf mod max min abs".split())
_BEFORE_BRACKETS = frozenset("then so is are have gives that thus hence and or".split())
"""Words that no function is called, although a bracket follows them."""


@dataclass(frozen=True, slots=True)
class Equation:
    """Two neighbouring sides of a chain of equals signs."""

    text: str
    start: int
    end: int
    """The tokens from `start` up to `end`, counted from 0."""
    result: int | None
    """The token that is the whole right side, if it is one number."""
    holds: bool
    why: str = ""
    """A sentence that says what is wrong, if it does not hold."""


def equations_in(tokens: Sequence[str]) -> list[Equation]:
    """The equations of a text, in order."""
    found: list[Equation] = []
    rounded: set[str] = set()
    for begin, end in _lines(tokens):
        line = _Line(tokens, with_units_marked(tokens[begin:end]), begin, frozenset(rounded))
        found += line.equations()
        for k in range(begin, end - 1):
            if tokens[k] in _BEFORE_ROUNDED:
                is_negative = tokens[k + 1] in _MINUS and k + 2 < end
                rounded.add(tokens[k + 1 + is_negative])
    return found


def _lines(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    begin = 0
    for k, token in enumerate(tokens):
        if token in _LINE_ENDS or (token == "." and _ends_sentence(tokens, k)):
            yield begin, k
            begin = k + 1
    yield begin, len(tokens)


def _ends_sentence(tokens: Sequence[str], k: int) -> bool:
    """Whether a full stop ends a sentence: not that of `Rs. 500`, but that of `is 8. 5 more`."""
    if k + 1 == len(tokens) or not is_number(tokens[k + 1]):
        return True
    return k > 0 and is_number(tokens[k - 1])


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a text, in which equations are looked for."""

    text: Sequence[str]
    tokens: Sequence[str]
    """Those of the line, with marks for units."""
    begin: int
    """Where the line begins in the text."""
    rounded: frozenset[str]
    """The numerals that were written behind `≈` before."""

    def equations(self) -> Iterator[Equation]:
        """The equations of the line, in order."""
        tokens = self.tokens
        signs = [k for k, token in enumerate(tokens) if token in EQUALS]
        bounds = [-1, *signs, len(tokens)]
        for k, sign in enumerate(signs):
            left = _left_side(tokens, bounds[k] + 1, sign, inside=k > 0)
            if left is None:
                continue
            start, left_values = left
            about = tokens[sign] != "="
            rights = list(_right_sides(tokens, sign + 1, bounds[k + 2]))
            agreeing = [
                stop
                for stop, values in rights
                if self._agree((start, sign), left_values, (sign + 1, stop), values, about)
            ]
            # `70 + 50 = 120 * 5/18` claims 120 and continues from there.
            stop = max(agreeing, default=rights[0][0] if rights else sign)
            left_side, right_side = tokens[start:sign], tokens[sign + 1 : stop]
            is_rounding = about and _is_rounding(left_side, right_side, inside=k > 0)
            if stop == sign or not (is_rounding or _is_claim(left_side, right_side)):
                continue
            why = ""
            if not agreeing:
                why = why_false(
                    self._written(start, sign),
                    self._written(sign + 1, stop),
                    left_values,
                    dict(rights)[stop],
                )
            result = _single_number(tokens, sign + 1, stop)
            yield Equation(
                detokenise(self._written(start, stop)),
                self.begin + start,
                self.begin + stop,
                None if result is None else self.begin + result,
                bool(agreeing),
                why,
            )

    def _written(self, start: int, stop: int) -> Sequence[str]:
        """Tokens of the line as the text has them."""
        return self.text[self.begin + start : self.begin + stop]

    def _agree(
        self,
        left: tuple[int, int],
        left_values: PossibleValues,
        right: tuple[int, int],
        right_values: PossibleValues,
        about: bool,
    ) -> bool:
        """Whether two sides may be equal, what is rounded in them being a little off."""
        sides = self.tokens[slice(*left)], self.tokens[slice(*right)]
        if any(_agree(a, b, *sides, about) for a, b in product(left_values, right_values)):
            return True
        if not about:
            return False
        return any(
            min(values) - half <= b <= max(values) + half
            for values in self._ranges(sides[0], left_values)
            for b in right_values
            for half in [0.5 * 10.0 ** -_places(sides[1], b) * (1 + 1e-9)]
        )

    def _ranges(self, side: Sequence[str], values: PossibleValues) -> Iterator[list[float]]:
        """The values of a side with every number that was rounded at both ends of its range."""
        places = [k for k, token in enumerate(side) if token in self.rounded]
        if not 0 < len(places) <= _MOST_ROUNDED:
            return
        for value in values:
            found = [value]
            for ends in product((-1, 1), repeat=len(places)):
                moved = list(side)
                for k, end in zip(places, ends, strict=True):
                    number = number_of(side[k]) or 0.0
                    half = 0.5 * 10.0 ** -decimals(side[k])
                    moved[k] = f"{max(number + end * half, 0):.12f}"
                with suppress(NotArithmeticError):
                    found += values_of_expression(moved)
            yield found


def _is_rounding(left: Sequence[str], right: Sequence[str], inside: bool) -> bool:
    """Whether a number is only rounded: `56/9 ≈ $6.2`, and the second time in `7 ÷ 3 ≈ 2.3333 ≈
    2.3`."""
    may_be = _calculates(left) or (inside and _single_number(left, 0, len(left)) is not None)
    return may_be and _single_number(right, 0, len(right)) is not None


def _is_claim(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether anything is calculated: `240 sec = 4 min` is a change of units."""
    if _has_operator(left) or _has_operator(right):
        return True
    # Of a fraction alone only `2/3 = 0.67` is a claim; `1/6 = 6 days` is shorthand.
    number = _single_number(right, 0, len(right))
    is_bare = all(token in CURRENCIES or token == "%" or is_number(token) for token in right)
    return _calculates(left) and number is not None and is_bare and "/" not in right[number]


def _calculates(side: Sequence[str]) -> bool:
    """Whether a side has an operator, or is a fraction, which is a division."""
    return _has_operator(side) or (len(side) == 1 and "/" in side[0])


def _has_operator(tokens: Sequence[str]) -> bool:
    return any(token in OPERATORS and token != "%" for token in tokens)


def _single_number(tokens: Sequence[str], start: int, stop: int) -> int | None:
    start += stop - start > 1 and tokens[start] in _MINUS
    numbers = [k for k in range(start, stop) if is_number(tokens[k])]
    return numbers[0] if len(numbers) == 1 and not _has_operator(tokens[start:stop]) else None


def _left_side(
    tokens: Sequence[str], begin: int, end: int, inside: bool
) -> tuple[int, PossibleValues] | None:
    """The longest expression that ends at an equals sign, and what it may mean.

    A number alone counts only as the whole of a side inside a chain: in `the cost of 5 pens = 20`
    nothing is claimed of 5.
    """
    for start in range(max(begin, end - LONGEST_EXPRESSION), end):
        if start > begin and not _may_begin(tokens, start):
            continue
        side = tokens[start:end]
        is_whole = inside and start == begin
        is_number_alone = len(side) == 1 or (
            tokens[end] != "=" and _single_number(side, 0, len(side)) is not None
        )
        if not _calculates(side) and not (is_whole and is_number_alone):
            continue
        if start > begin and tokens[start] in _SUMS:
            continue
        try:
            return start, values_of_expression(tokens[start:end])
        except NotArithmeticError:
            continue
    return None


def _right_sides(
    tokens: Sequence[str], begin: int, end: int
) -> Iterator[tuple[int, PossibleValues]]:
    """The expressions that start after an equals sign, the longest first."""
    for stop in range(min(end, begin + LONGEST_EXPRESSION), begin, -1):
        if stop < end and not _may_end(tokens, begin, stop):
            continue
        try:
            yield stop, values_of_expression(tokens[begin:stop])
        except NotArithmeticError:
            continue


def _may_begin(tokens: Sequence[str], k: int) -> bool:
    """Whether a left side may begin at token k: not inside a ratio or after a function's name."""
    before = tokens[k - 1]
    if before == ":" and k > 1 and (is_number(tokens[k - 2]) or tokens[k - 2] in CLOSING):
        return False
    is_named = tokens[k] in OPENING and before.lower() not in _BEFORE_BRACKETS
    is_function = before.isalpha() and (is_named or before.lower() in _FUNCTIONS)
    return _may_border(before) and not is_function and before != "_" and not before.isnumeric()


def _may_border(token: str) -> bool:
    """Whether an expression may end at this token: at words and marks, not at operators."""
    if token in OPERATORS or is_number(token):
        return False
    return len(token) > 1 or not token.isalpha()


def _may_end(tokens: Sequence[str], begin: int, k: int) -> bool:
    """Whether a right side may end before token k; after a single number the text may go on."""
    if _may_border(tokens[k]):
        goes_on = k + 1 < len(tokens) and is_number(tokens[k + 1])
        return not (goes_on and tokens[k] in (".", ":"))
    goes_on_with_sign = tokens[k] in OPERATORS and not tokens[k].isalpha()
    following = tokens[k + 1] if k + 1 < len(tokens) else ""
    # A side that continues with an unknown, as in 11 / 44 = 30 / x, claims nothing of the number.
    goes_on_with_number = is_number(following) or following in CURRENCIES
    return (
        goes_on_with_sign and goes_on_with_number and _single_number(tokens, begin, k) is not None
    )


def _agree(a: float, b: float, left: Sequence[str], right: Sequence[str], about: bool) -> bool:
    """Whether two sides are equal, or as near as the coarser one is written."""
    if abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1):
        return True
    places = min(_places(left, a), _places(right, b))
    half = 0.5 * 10.0**-places * (1 + 1e-9)
    if "%" in left and not _SUMS.isdisjoint(left):
        half = 0.0  # or `11% + 6%` might mean 11.06
    if abs(a - b) <= half and not (a.is_integer() and b.is_integer()):
        return True
    # `999 * 5 ≈ 5000` is rounded further than to a whole number.
    rounded = 0.5 * 10.0 ** _zeros(right)
    return about and abs(a - b) <= min(rounded, 0.01 * max(abs(a), abs(b)))


def _zeros(side: Sequence[str]) -> int:
    """The zeros at the end of a whole number that is the whole of a side."""
    number = _single_number(side, 0, len(side))
    digits = "" if number is None else side[number].replace(",", "")
    return len(digits) - len(digits.rstrip("0")) or -9 if digits.isdecimal() else -9


def _places(side: Sequence[str], value: float) -> int:
    """The decimals of a side that is one number, read as this value; any other side is exact."""
    k = _single_number(side, 0, len(side))
    if k is None or "/" in side[k]:
        return 9
    number = number_of(side[k]) or 0.0
    is_hundredth = "%" in side and abs(value) < abs(number)
    return decimals(side[k]) + 2 * is_hundredth
