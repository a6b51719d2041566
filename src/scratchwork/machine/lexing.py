"""A question as the marks, numbers, letters and words that an expression is made of.

Promises: `lexemes_of` reads numbers as people write them: `.5`, `1,200`, `2 1/2`, `9 ½`,
`two`, `twenty-five`, `three hundred`, `a dozen`, `two thirds`; powers as `x²`; `× · ÷ − ≤` as
one sign each; currency signs and the word `the` are left out. A number written in digits keeps its
place in the source.

Does not cover: LaTeX and thousands set apart by spaces (see `problems.typed`); what the lexemes
mean together (see `grammar`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from scratchwork.machine.number_words import (
    SMALL_FRACTIONS,
    is_mixed_number,
    numeral_of,
    written_numbers,
)
from scratchwork.machine.trees import NumberNode, Tree, UnknownNode, operation
from scratchwork.problems.numerals import number_of
from scratchwork.problems.signs import CURRENCIES, SIGNS
from scratchwork.problems.tokens import Span, is_number, tokenise_with_spans

LexemeKind = Literal["number", "letter", "sign", "word"]


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A piece of a question."""

    kind: LexemeKind
    text: str
    """A sign in its plain form, a word in lower case, a letter or a numeral as it is."""
    tree: Tree | None = None
    """What a number or a letter stands for."""
    is_closed_up: bool = False
    """Whether it follows the one before it without a space."""
    is_in_words: bool = False
    """Whether it is a number in words."""
    place: int = 0
    """Its first token in the source, counted from 1; 0 if it has none of its own."""


_PLAIN_SIGNS = {sign: name for sign, name in SIGNS.items() if sign not in "²³%!√^"}
_SIGN_OF = {"Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/"}
_SAME = {"{": "(", "[": "(", "}": ")", "]": ")", "≤": "<=", "≥": ">=", "≠": "!=", "＝": "="}
_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True))
_SCALES = frozenset("hundred thousand million lakh lakhs dozen".split())
_FACTORS = frozenset("twice double doubled thrice triple tripled treble trebled".split())
"""Words that say what to do with a number."""
_HUNDRED, _THOUSAND = 100.0, 1000.0


def lexemes_of(text: str) -> list[Lexeme]:
    """The lexemes of a question, whose line breaks are `\\n`."""
    spans = tokenise_with_spans(text)
    return _Lexer(spans).lexemes()


def lexemes_of_tokens(tokens: Sequence[str]) -> list[Lexeme]:
    """The lexemes of tokens, none of which counts as closed up."""
    return _Lexer([(token, 2 * k, 2 * k + 1) for k, token in enumerate(tokens)]).lexemes()


def has_date(lexemes: Sequence[Lexeme]) -> bool:
    """Whether there is a date such as `1/2/2020` or `2020-01-15`."""
    for k in range(len(lexemes) - 4):
        first, sign, _, second_sign, last = (one.text for one in lexemes[k : k + 5])
        years = [text for text in (first, last) if len(text) == 4 and text.isdecimal()]
        are_closed_up = all(one.is_closed_up for one in lexemes[k + 1 : k + 5])
        if sign == second_sign and sign in "/-" and years and are_closed_up:
            return True
    return False


class _Lexer:
    """Goes through the tokens from left to right."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.tokens = [token for token, _, _ in spans]
        self.spans = spans
        self.in_words = _words(self.tokens)
        self.at = 0
        self.found: list[Lexeme] = []

    def lexemes(self) -> list[Lexeme]:
        while self.at < len(self.tokens):
            self.lexeme()
        return self.found

    def add(self, kind: LexemeKind, text: str, tree: Tree | None = None, tokens: int = 1) -> None:
        touches = self.at > 0 and self.spans[self.at][1] == self.spans[self.at - 1][2]
        self.found.append(Lexeme(kind, text, tree, touches, place=self.at + 1))
        self.at += tokens

    def lexeme(self) -> None:
        token = self.tokens[self.at]
        if token in CURRENCIES:
            self.at += 1
        elif is_number(token):
            self.number(token)
        elif token in SMALL_FRACTIONS:
            self.part(NumberNode(SMALL_FRACTIONS[token]), 1)
        elif token in _SUPERSCRIPTS:
            self.exponent()
        elif self.tokens[self.at : self.at + 2] == ["*", "*"]:
            self.add("sign", "^", tokens=2)
        elif token in _PLAIN_SIGNS:
            self.add("sign", _SIGN_OF[_PLAIN_SIGNS[token]])
        elif self.at in self.in_words:
            self.number_in_words()
        elif len(token) == 1 and token.isalpha():
            self.add("letter", token, UnknownNode(token, self.at + 1))
        elif token.lower() == "the":
            self.at += 1
        elif token.isalpha():
            self.add("word", token.lower())
        else:
            self.add("sign", _SAME.get(token, token))

    def number(self, token: str) -> None:
        if "/" in token and self.is_split():
            for numeral, sign in zip(token.split("/"), ("/", ""), strict=True):
                self.add("number", numeral, NumberNode(numeral), tokens=0)
                if sign:
                    self.add("sign", sign, tokens=0)
            self.at += 1
        elif "/" in token and self.is_rest_of_mixed():
            self.part(NumberNode(token, self.at + 1), 1)
        elif (fraction := self.spaced_fraction()) is not None:
            self.part(fraction, 3)
        else:
            self.add("number", token, NumberNode(token, self.at + 1))
            self.scales()

    def scales(self) -> None:
        """The words after a number that multiply it: `2 million`, `3 dozen`."""
        while self.at < len(self.tokens) and self.tokens[self.at].lower() in _SCALES:
            last = self.found.pop()
            scale = NumberNode(numeral_of(self.in_words[self.at][0]))
            assert last.tree is not None
            tree = operation("Multiply", last.tree, scale)
            self.found.append(Lexeme("number", last.text, tree, last.is_closed_up))
            self.at += 1

    def is_split(self) -> bool:
        """Whether a fraction is two numbers: a power or root is taken of one of them."""
        following = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else ""
        doubled = self.tokens[self.at + 1 : self.at + 3] == ["*", "*"]
        is_before_power = following in ("^", "!") or following in _SUPERSCRIPTS or doubled
        return is_before_power or (bool(self.found) and self.found[-1].text in ("^", "√", "sqrt"))

    def spaced_fraction(self) -> Tree | None:
        """A fraction below 1 in three tokens behind a whole number: `5 5 / 8`, `6 2⁄3`."""
        if not self.found or self.found[-1].kind != "number":
            return None
        match self.tokens[self.at - 1 : self.at + 3]:
            case whole, over, "/" | "÷" | "⁄", under if whole.isdecimal():
                a, b = (number_of(token) or 0.0 for token in (over, under))
                over, under = NumberNode(over, self.at + 1), NumberNode(under, self.at + 3)
                return operation("Divide", over, under) if 0 < a < b else None
            case _:
                return None

    def is_rest_of_mixed(self) -> bool:
        """Whether a fraction belongs to the whole number right before it."""
        follows_number = self.at > 0 and self.found and self.found[-1].kind == "number"
        return bool(follows_number) and is_mixed_number(self.tokens, self.at - 1)

    def part(self, fraction: Tree, tokens: int) -> None:
        """A fraction, which is added to a whole number before it."""
        text = "".join(self.tokens[self.at : self.at + tokens])
        numeral = fraction.numeral if isinstance(fraction, NumberNode) else text
        if tokens == 1 and not self.is_rest_of_mixed():
            self.add("number", numeral, fraction, tokens)
            return
        whole = self.found.pop()
        assert whole.tree is not None
        mixed = operation("Add", whole.tree, fraction)
        self.found.append(Lexeme("number", f"{whole.text} {numeral}", mixed, whole.is_closed_up))
        self.at += tokens

    def exponent(self) -> None:
        """Raised digits."""
        end = self.at
        while end < len(self.tokens) and self.tokens[end] in _SUPERSCRIPTS:
            end += 1
        digits = "".join(_SUPERSCRIPTS[token] for token in self.tokens[self.at : end])
        self.add("sign", "^", tokens=0)
        self.add("number", digits, NumberNode(digits), end - self.at)

    def number_in_words(self) -> None:
        """A number in words, however long: `three hundred and five thousand`."""
        begin = self.at
        whole, part, end = 0.0, *self.in_words[begin]
        while (following := self.next_words(end, part)) is not None:
            value, is_scale, end = following
            if not is_scale:
                part += value
            elif value < _THOUSAND:
                part *= value
            else:
                whole, part = whole + part * value, 0.0
        numeral = numeral_of(whole + part)
        self.add("number", numeral, NumberNode(numeral), end - begin)
        self.found[-1] = replace(self.found[-1], is_in_words=True)

    def next_words(self, at: int, part: float) -> tuple[float, bool, int] | None:
        """The value at a place if it goes on with a number in words, whether it is a factor, and
        where it ends."""
        if part >= 1 and self.tokens[at : at + 1] == ["and"]:
            at += 1
            if part < _HUNDRED and self.in_words.get(at, (1.0, 0))[0] >= 1:
                return None
        if at not in self.in_words:
            return None
        value, end = self.in_words[at]
        if 0 < value < 1 and self.tokens[at - 1] == "and" and part.is_integer():
            return value, False, end
        follows_tens = 20 <= part < _HUNDRED and self.tokens[at - 1].lower().endswith("ty")
        if follows_tens and 1 < value < 10 and self.tokens[end : end + 1] != ["-"]:
            return value, False, end  # "twenty five"
        is_scale = self.tokens[end - 1].lower() in _SCALES
        is_next = is_scale if part < _HUNDRED and part else not is_scale or value >= _THOUSAND
        return (value, is_scale, end) if is_next and value.is_integer() else None


def _words(tokens: Sequence[str]) -> dict[int, tuple[float, int]]:
    """The numbers in words by the place where they begin, with the place behind them."""
    # "A third" and "a dozen" are one of them.
    counted = ["one" if token.lower() in ("a", "an") else token for token in tokens]
    words = {
        number.start: (number.value, number.end)
        for number in written_numbers(counted)
        if not is_number(tokens[number.start]) and tokens[number.start].lower() not in _FACTORS
    }
    words |= {k: (0.0, k + 1) for k, token in enumerate(tokens) if token.lower() == "zero"}
    for k, token in enumerate(counted):
        if token.lower() == "one" and k not in words:
            following = counted[k + 1].lower() if k + 1 < len(tokens) else ""
            if following in _SCALES or following in ("half", "quarter"):
                words[k] = words[k + 1]
            elif tokens[k].lower() == "one":
                words[k] = 1.0, k + 1
    return words
