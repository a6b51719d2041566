"""What `Check` looks up: which option is meant by a string.

Promises: `check(s)` gives the letter of the option equal to `s` as a whole, else of the one option
that has `s` as a whole token; thousands separators do not count (`1,000` is `1000`). With none, or
with more than one, it cannot be applied. `check_by_value`, of the extended operations, takes what
an option stands for as a whole (`written_values`) before its tokens: `0.5` finds `1/2`, `1.5` finds
`3 : 2`, `150` finds `2 h 30 min`, `3.5` finds `3 1/2`, `120` finds `5!`, and `2` finds `2 : 1`
rather than `3 : 2`.

A minus sign at the start of an option or after an operator belongs to its number here, so that `5`
does not find `-5`. Does not cover: units (`2 km` and `2000 m` are different), or words.
"""

from collections.abc import Sequence
from functools import cached_property

from scratchwork.machine.written_values import values_of
from scratchwork.problems.numerals import NumeralError, number_of, shown, write_number
from scratchwork.problems.problem import LETTERS
from scratchwork.problems.tokens import BEFORE_A_SIGN, is_number, tokenise

_AMBIGUOUS = "?"


class OptionIndex:
    """The options of one problem, prepared for look-up."""

    def __init__(self, options: Sequence[str]) -> None:
        self._tokens = [_plain_tokens(option) for option in options]

    @cached_property
    def _wholes(self) -> dict[str, str]:
        return _letters_by_key([[" ".join(tokens)] for tokens in self._tokens])

    @cached_property
    def _parts(self) -> dict[str, str]:
        return _letters_by_key(self._tokens)

    @cached_property
    def _values(self) -> dict[str, str]:
        return _letters_by_key([_values(tokens) for tokens in self._tokens])

    def check(self, text: str) -> str:
        """The letter of the option that is the text, or that alone contains it."""
        key = " ".join(_plain_tokens(text)) if len(text) <= 200 else text
        return _unambiguous(self._wholes.get(key) or self._parts.get(key), text)

    def check_by_value(self, text: str) -> str:
        """As `check`, but what an option stands for as a whole comes before its tokens."""
        key = " ".join(_plain_tokens(text)) if len(text) <= 200 else text
        letter = self._wholes.get(key)
        for value in () if letter else _values(key.split(" "))[:1]:
            letter = self._values.get(value)
        return _unambiguous(letter or self._parts.get(key), text)


def option_numerals(option: str, by_value: bool) -> list[str]:
    """The numerals of an option and, by value, what the option as a whole stands for."""
    tokens = _plain_tokens(option)
    numerals = [token for token in tokens if is_number(token)]
    return list(dict.fromkeys(numerals + (_values(tokens) if by_value else [])))


def option_values(option: str) -> tuple[list[float], list[float]]:
    """The numbers that an option may stand for as a whole, and those that are in it."""
    tokens = _plain_tokens(option)
    inside = [number for token in tokens if (number := number_of(token)) is not None]
    return values_of(tokens), list(dict.fromkeys(inside))


def _unambiguous(letter: str | None, text: str) -> str:
    if letter is None:
        raise NumeralError("domain", f"no option is or contains {shown(text)}")
    if letter == _AMBIGUOUS:
        raise NumeralError("domain", f"more than one option matches {shown(text)}")
    return letter


def _letters_by_key(keys_by_option: Sequence[Sequence[str]]) -> dict[str, str]:
    letters: dict[str, str] = {}
    for letter, keys in zip(LETTERS, keys_by_option, strict=False):
        for key in set(keys):
            letters[key] = _AMBIGUOUS if key in letters else letter
    return letters


def _plain_tokens(text: str) -> list[str]:
    """Tokens with thousands separators taken out and signs put to their numbers."""
    tokens: list[str] = []
    for token in tokenise(text):
        if "," in token and is_number(token):
            token = token.replace(",", "")
        if is_number(token) and _ends_in_sign(tokens):
            tokens[-1] = f"-{token}"
        else:
            tokens.append(token)
    return tokens


def _ends_in_sign(tokens: list[str]) -> bool:
    if not tokens or tokens[-1] not in {"-", "−"}:
        return False
    return len(tokens) == 1 or tokens[-2] in BEFORE_A_SIGN


def _values(tokens: Sequence[str]) -> list[str]:
    """The numeric values that the tokens as a whole may stand for, in canonical spelling."""
    return [write_number(value) for value in values_of(tokens)]
