"""Numbers written as words: `three`, `twenty-five`, `two-thirds`, `twice`, `dozen`, `½`.

Promises: `numbers_in` gives the value of every token that is a numeral or begins a number in words,
`written_numbers` also where each ends. `is_mixed_number` says where a whole number and a fraction
are one number, as in `2 1/2` and `9 ½`.
`one` counts as a word, since it mostly is one, except in `twenty-one` and `one-third`.

Does not cover: ordinals by themselves (`third` may be a place or a part), languages other than
English.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from scratchwork.problems.numerals import number_of, write_fraction, write_number
from scratchwork.problems.tokens import is_number

_UNITS = "one two three four five six seven eight nine".split()
_TEENS = (
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split()
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()

NUMBER_WORDS = MappingProxyType(
    {word: float(n) for n, word in enumerate(_UNITS[1:], 2)}
    | {word: float(n) for n, word in enumerate(_TEENS, 10)}
    | {word: 10.0 * n for n, word in enumerate(_TENS, 2)}
    | {"half": 0.5, "quarter": 0.25, "twice": 2.0, "double": 2.0, "doubled": 2.0, "thrice": 3.0}
    | {
        "triple": 3.0,
        "tripled": 3.0,
        "treble": 3.0,
        "trebled": 3.0,
        "dozen": 12.0,
        "hundred": 100.0,
        "thousand": 1000.0,
    }
    | {"million": 1e6, "lakh": 1e5, "lakhs": 1e5}
)
"""The value of each number word."""

_UNIT_VALUES = MappingProxyType({word: float(n) for n, word in enumerate(_UNITS, 1)})
_PARTS = MappingProxyType(
    {
        word: n
        for n, word in enumerate("third fourth fifth sixth seventh eighth ninth tenth".split(), 3)
    }
    | {"half": 2, "halves": 2, "quarter": 4, "eleventh": 11, "twelfth": 12}
)
"""What the denominator of a fraction is called, and what it is."""


SMALL_FRACTIONS: Mapping[str, str] = MappingProxyType(
    dict(
        zip(
            "½ ⅓ ⅔ ¼ ¾ ⅕ ⅖ ⅗ ⅘ ⅙ ⅚ ⅐ ⅛ ⅜ ⅝ ⅞ ⅑ ⅒".split(),
            "1/2 1/3 2/3 1/4 3/4 1/5 2/5 3/5 4/5 1/6 5/6 1/7 1/8 3/8 5/8 7/8 1/9 1/10".split(),
            strict=True,
        )
    )
)
"""Fractions that are one character, and how they are written otherwise."""
_BEFORE_ONE_THING = frozenset("a an the one each every per its".split())


class WrittenNumber(NamedTuple):
    """A number in a text."""

    start: int
    end: int
    """The place behind its last token."""
    value: float


def written_numbers(tokens: Sequence[str]) -> Iterator[WrittenNumber]:
    """The numbers in a text, with their places, from 0."""
    inside = -1
    for k, token in enumerate(tokens):
        end = k + 1
        if is_number(token):
            value = number_of(token)
        elif token in SMALL_FRACTIONS:
            value = number_of(SMALL_FRACTIONS[token])
        elif k <= inside:
            continue
        elif (part := _fraction_at(tokens, k)) is not None:
            value, inside = part
            end = inside + 1
        elif (word := token.lower()) not in NUMBER_WORDS:
            continue
        else:
            value = NUMBER_WORDS[word]
            units = _units_after(tokens, k) if word in _TENS else 0.0
            if units:
                value, inside = value + units, k + 2
                end = inside + 1
        if value is not None:
            yield WrittenNumber(k, end, value)


def numbers_in(tokens: Sequence[str]) -> dict[int, float]:
    """The values of the numbers in a text, by the place of their first token, from 0."""
    return {number.start: number.value for number in written_numbers(tokens)}


def is_mixed_number(tokens: Sequence[str], k: int) -> bool:
    """Whether token k is a whole number and the token after it the fraction that belongs to it."""
    if k + 1 >= len(tokens) or not tokens[k].isdecimal():
        return False
    fraction = SMALL_FRACTIONS.get(tokens[k + 1], tokens[k + 1])
    value = number_of(fraction) if "/" in fraction else None
    if value is None or not 0 < value < 1:
        return False
    is_measure = tokens[k + 2 : k + 3] == ["-"] and "".join(tokens[k + 3 : k + 4]).isalpha()
    # `2 1/2-litre bottles` are two, `a 2 1/2-litre bottle` is one.
    return not is_measure or (k > 0 and tokens[k - 1].lower() in _BEFORE_ONE_THING)


def numeral_of(value: float) -> str:
    """How a number in words is written in digits: `12`, `0.5`, `2/3`."""
    return write_number(value) if round(value, 4) == value else write_fraction(value)


def _units_after(tokens: Sequence[str], k: int) -> float:
    """What `- five` after `twenty` adds."""
    if k + 2 < len(tokens) and tokens[k + 1] == "-":
        return _UNIT_VALUES.get(tokens[k + 2].lower(), 0.0)
    return 0.0


def _fraction_at(tokens: Sequence[str], k: int) -> tuple[float, int] | None:
    """The value of `two - thirds`, `two thirds` or `one third`, and the place of its last token."""
    count = _UNIT_VALUES.get(tokens[k].lower())
    if count is None or k + 1 >= len(tokens):
        return None
    is_joined = tokens[k + 1] == "-" and k + 2 < len(tokens)
    end = k + 2 if is_joined else k + 1
    name = tokens[end].lower()
    part = _PARTS.get(name) or (_PARTS.get(name.removesuffix("s")) if count > 1 else None)
    # "Two third graders" is not two thirds, and "two halves" is two.
    is_meant = is_joined or count == 1 or name.endswith("s") or tokens[end + 1 : end + 2] == ["of"]
    return (count / part, end) if part and part != count and is_meant else None
