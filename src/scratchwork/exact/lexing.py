"""A question as the marks, numbers, letters and words that an expression is made of.

Promises: `lexemes_of` reads numbers as people write them: `.5`, `1,200`, `1 200`, `2 1/2`, `9 ½`,
`two`, `twenty-five`, `three hundred`, `a dozen`, `two thirds`; powers as `x²`; `× · ÷ − ≤` as
one sign each; currency signs and the word `the` are left out. A number written in digits keeps its
place in the source.

Does not cover: LaTeX (see `problems.typed`); what the lexemes mean together (see `parsing`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scratchwork.exact.trees import NumberNode, Tree, UnknownNode, operation
from scratchwork.machine.number_words import numeral_of, written_numbers
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
    place: int = 0
    """Its first token in the source, counted from 1; 0 if it has none of its own."""


_PLAIN_SIGNS = {sign: name for sign, name in SIGNS.items() if sign not in "²³%!√^"}
_SIGN_OF = {"Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/"}
_SAME = {"{": "(", "[": "(", "}": ")", "]": ")", "≤": "<=", "≥": ">=", "≠": "!=", "＝": "="}
_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True))
_VULGAR = dict(
    zip(
        "½ ⅓ ⅔ ¼ ¾ ⅕ ⅖ ⅗ ⅘ ⅙ ⅚ ⅐ ⅛ ⅜ ⅝ ⅞ ⅑ ⅒".split(),
        "1/2 1/3 2/3 1/4 3/4 1/5 2/5 3/5 4/5 1/6 5/6 1/7 1/8 3/8 5/8 7/8 1/9 1/10".split(),
        strict=True,
    )
)
_SCALES = frozenset("hundred thousand million lakh lakhs dozen".split())
_FACTORS = frozenset("twice double doubled thrice triple tripled".split())
"""Words that say what to do with a number."""
_HUNDRED, _THOUSAND = 100.0, 1000.0
_HUNDREDS = re.compile(r"[0-9]{3}")
_FEW_DIGITS = re.compile(r"[1-9][0-9]{0,2}")


def lexemes_of(text: str) -> list[Lexeme]:
    """The lexemes of a question, whose line breaks are `\\n`."""
    spans = tokenise_with_spans(text)
    return _Lexer(spans).lexemes()


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
        self.found.append(Lexeme(kind, text, tree, touches, self.at + 1))
        self.at += tokens

    def lexeme(self) -> None:
        token = self.tokens[self.at]
        if token in CURRENCIES:
            self.at += 1
        elif is_number(token):
            self.number(token)
        elif token in _VULGAR:
            self.part(NumberNode(_VULGAR[token]), 1)
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
        grouped = self.grouped()
        if grouped > 1:
            numeral = "".join(self.tokens[self.at : self.at + grouped])
            self.add("number", numeral, NumberNode(numeral), grouped)
        elif "/" in token and self.is_split():
            for numeral, sign in zip(token.split("/"), ("/", ""), strict=True):
                self.add("number", numeral, NumberNode(numeral), tokens=0)
                if sign:
                    self.add("sign", sign, tokens=0)
            self.at += 1
        elif "/" in token and self.is_rest_of_mixed():
            self.part(NumberNode(token, self.at + 1), 1)
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

    def grouped(self) -> int:
        """How many tokens make a number grouped by spaces, as `1 200 000`."""
        end = self.at + 1
        if not _FEW_DIGITS.fullmatch(self.tokens[self.at]):
            return 1
        while (
            end < len(self.tokens)
            and _HUNDREDS.fullmatch(self.tokens[end])
            and self.spans[end][1] - self.spans[end - 1][2] == 1
        ):
            end += 1
        return end - self.at

    def is_rest_of_mixed(self) -> bool:
        """Whether a whole number stands right before."""
        last = self.found[-1] if self.found else None
        return last is not None and last.kind == "number" and last.text.isdecimal()

    def part(self, fraction: NumberNode, tokens: int) -> None:
        """A fraction, which is added to a whole number before it."""
        if not self.is_rest_of_mixed():
            self.add("number", fraction.numeral, fraction, tokens)
            return
        whole = self.found.pop()
        assert whole.tree is not None
        mixed = operation("Add", whole.tree, fraction)
        self.found.append(
            Lexeme("number", f"{whole.text} {fraction.numeral}", mixed, whole.is_closed_up)
        )
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
