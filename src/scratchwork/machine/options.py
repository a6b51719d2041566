"""What `Check` looks up: which option is meant by a string.

Promises: `check(s)` gives the letter of the option equal to `s` as a whole, else of the one option
that has `s` as a whole token; thousands separators do not count (`1,000` is `1000`). With none, or
with more than one, it cannot be applied. `check_by_value`, of the extended operations, finds an
option by the number that it stands for as a whole (`written_values`), never by a number in it:
`0.5` finds `1/2`, `1.5` finds `3 : 2`, `150` finds `2 h 30 min`, `3.5` finds `3 1/2`, `120` finds
`5!`, and `5` finds neither `5xy/(12w)` nor `5 men and 6 women`.

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
        self._options = options
        self._tokens = [_plain_tokens(option) for option in options]

    @cached_property
    def _wholes(self) -> dict[str, str]:
        return _letters_by_key([[" ".join(tokens)] for tokens in self._tokens])

    @cached_property
    def _parts(self) -> dict[str, str]:
        return _letters_by_key(self._tokens)

    @cached_property
    def _words(self) -> dict[str, str]:
        words = [[one for one in tokens if number_of(one) is None] for tokens in self._tokens]
        return _letters_by_key(words)

    @cached_property
    def _values(self) -> dict[str, str]:
        values = [_values(option) for option in self._options]
        return _letters_by_key(values) | _letters_by_key([some[:1] for some in values])

    def check(self, text: str) -> str:
        """The letter of the option that is the text, or that alone contains it."""
        key = " ".join(_plain_tokens(text)) if len(text) <= 200 else text
        return _unambiguous(self._wholes.get(key) or self._parts.get(key), text)

    def check_by_value(self, text: str) -> str:
        """The letter of the option that is the text or stands for its number, or that alone has it
        as a word."""
        if len(text) > 200:
            return _unambiguous(self._wholes.get(text), text)
        key = " ".join(_plain_tokens(text))
        letter = self._wholes.get(key)
        for value in () if letter else _values(text)[:1]:
            letter = self._values.get(value)
        return _unambiguous(letter or self._words.get(key), text)


def option_numerals(option: str, by_value: bool) -> list[str]:
    """The numerals that find an option: those in it or, by value, those that it stands for."""
    if by_value:
        return _values(option)
    return list(dict.fromkeys(token for token in _plain_tokens(option) if is_number(token)))


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


def _values(text: str) -> list[str]:
    """The numbers that a text as a whole may stand for, in canonical spelling."""
    return [write_number(value) for value in values_of(text)]
