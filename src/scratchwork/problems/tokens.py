"""Text to tokens and back.

Promises: white space only separates tokens, a line break is a token itself; every other character
survives in some token; `tokenise(detokenise(t)) == t` for every token list `tokenise` can produce.
Numbers are whole tokens (`1,000,000`, `0.75`, `.5`); a closed `a/b` is one token exactly when it is
a fraction in lowest terms that a number would be written as (`3/4`), otherwise three (`6/1326`,
`48/2`, `2.5/10`, and every part of a chain such as `1/4/2012`); a minus sign is always its own
token; letters and digits part (`52C2` is `52`, `C`, `2`); an option label at the start of a word
(`A)`) is one token.

Does not cover: which spaces were there. `detokenise` writes what a person would, and falls back to
a space wherever closing up would change the tokens.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from scratchwork.problems.numerals import (
    GROUPED_BY_COMMAS,
    GROUPED_BY_DOTS,
    GROUPED_IN_LAKHS,
    is_writable_fraction,
)
from scratchwork.problems.problem import Problem

OPTION_TAG = "<O>"
END_OF_RATIONALE = "<EOR>"
END_OF_SEQUENCE = "<EOS>"

# A run of digits and commas is one number only if the whole run is: `5,24,60` is a list.
_WHOLE_RUN = r"(?<![0-9],)(?:{})(?!,?[0-9])"
_NUMBER = "|".join(
    [
        _WHOLE_RUN.format(f"{GROUPED_BY_COMMAS}|{GROUPED_IN_LAKHS}"),
        rf"{GROUPED_BY_DOTS}(?!\.?[0-9])",
        r"[0-9]+\.[0-9]+",
        r"[0-9]+",
        r"(?<![\w.)])\.[0-9]+",  # `.5`, but `Rs.500` is `Rs`, `.`, `500`
    ]
)
_SMALL_NUMBERS = "²³¹¼-¾⁰-⁹₀-₉⅐-↋①-⓿"  # letters to the regular expression, not to a reader
_TOKEN = re.compile(
    "|".join(
        [
            r"(?<!\S)[A-J]\)",  # an option's label
            rf"[^\W\d_{_SMALL_NUMBERS}]+",  # a word, of any script
            _NUMBER,
            r"(?<![^\s\w])['’](?:s|t|re|ve|ll|d|m)(?![^\W_])",  # John 's, don 't
            r"->|=>|<=|>=|!=|\.\.\.",
            r"\n",
            r"\S",
        ]
    )
)
_NUMERAL = re.compile(rf"(?:{_NUMBER})|[0-9]+/[0-9]+")
_DIGITS = re.compile(r"[0-9]+")
_CLOSED_STROKE = re.compile(r"[0-9]/[0-9]")
_LINE_BREAK = re.compile(r"\r\n|\r")


Span = tuple[str, int, int]
"""A token with the start and end of its characters in the text."""


def tokenise(text: str) -> list[str]:
    """The tokens of a text."""
    text = _LINE_BREAK.sub("\n", text)
    if _CLOSED_STROKE.search(text):
        return [token for token, _, _ in tokenise_with_spans(text)]
    return _TOKEN.findall(text)


def tokenise_with_spans(text: str) -> list[Span]:
    """The tokens of a text whose line breaks are `\\n`, each with its place in the text."""
    spans = [(match.group(), *match.span()) for match in _TOKEN.finditer(text)]
    return _close_fractions(spans) if _CLOSED_STROKE.search(text) else spans


def _close_fractions(spans: list[Span]) -> list[Span]:
    """Join `3`, `/`, `4` to one token where they touch and stand for a writable fraction."""
    closed: list[Span] = []
    done = 0
    for stroke, (token, _, _) in enumerate(spans):
        if token == "/" and stroke > done and _is_closed_fraction(spans, stroke - 1):
            (a, start, _), (b, _, end) = spans[stroke - 1], spans[stroke + 1]
            closed += spans[done : stroke - 1]
            closed.append((f"{a}/{b}", start, end))
            done = stroke + 2
    return closed + spans[done:]


def _is_closed_fraction(spans: list[Span], k: int) -> bool:
    """Whether tokens k and k + 2, a stroke between them, are `a/b` and no part of `a/b/c`."""
    if k + 2 >= len(spans):
        return False
    a, b = spans[k][0], spans[k + 2][0]
    return (
        _DIGITS.fullmatch(a) is not None
        and _DIGITS.fullmatch(b) is not None
        and spans[k][2] == spans[k + 1][1]
        and spans[k + 1][2] == spans[k + 2][1]
        and not (k > 0 and spans[k - 1][0] == "/" and spans[k - 1][2] == spans[k][1])
        and not (
            k + 3 < len(spans) and spans[k + 3][0] == "/" and spans[k + 3][1] == spans[k + 2][2]
        )
        and is_writable_fraction(a, b)
    )


def is_number(token: str) -> bool:
    """Whether a token is a numeral: it is written in digits, as `52`, `0.75`, `1,000` or `3/4`."""
    return _NUMERAL.fullmatch(token) is not None


_CLOSES_LEFT = frozenset(", . ; : ? ! ) ] } % ° ² ³ ' ’ ” … ...".split())
_CLOSES_RIGHT = frozenset("( [ { $ £ € ₹ ¥ # √ “ ‘".split())
BEFORE_A_SIGN = frozenset("= < > <= >= != + - * / × ÷ ^ ( [ { , : -> =>".split()) | {"\n"}
"""Behind these a minus belongs to the number that follows it."""
_SAID_BEFORE_A_SIGN = frozenset("≈ is about".split())
_AFTER_A_NUMBER = frozenset("st nd rd th C P x y n".split())
_UNITS_ABOVE = frozenset("km m cm mm ft kg g mg l miles meters metres Rs".split())
_UNITS_BELOW = frozenset("h hr hrs hour s sec min day week month year kg g l m km cm ft".split())
"""Between these a stroke is that of a unit: `km/h`."""
_CLITIC = re.compile(r"['’](?:s|t|re|ve|ll|d|m)")


_LONG = 64
"""A chunk of so many tokens is cut, or each further one would cost as much as all before it."""
_AFFECTED = 16
"""More tokens than those at a chunk's end that a further one can change."""


def detokenise(tokens: Sequence[str]) -> str:
    """A text a person would write, with exactly these tokens."""
    pieces: list[str] = []
    start = 0  # tokens[start:k] are written without a space between them, as `chunk`
    chunk = ""
    done = ""  # and this right before them, cut off since nothing more can change it
    for k, token in enumerate(tokens):
        closed = chunk + token
        if (
            start < k
            and token != "\n"
            and wants_to_close(tokens, k)
            and tokenise(closed) == list(tokens[start : k + 1])
        ):
            chunk = closed
            if k - start >= _LONG:
                cut = _cut(tokens[start : k + 1])
                length = sum(map(len, tokens[start : start + cut]))
                done, chunk, start = done + chunk[:length], chunk[length:], start + cut
            continue
        if done or chunk:
            pieces.append(done + chunk)
        start, chunk, done = k, token, ""
        if token == "\n":
            pieces.append(token)
            start, chunk = k + 1, ""
    if done or chunk:
        pieces.append(done + chunk)
    return _with_spaces(pieces)


def _cut(tokens: Sequence[str]) -> int:
    """Where tokens without spaces can be cut: what comes behind is read the same by itself.

    A further token changes only the last few: the word or number that it goes on with, or a
    fraction of these. 0 if there is no such place.
    """
    for cut in range(len(tokens) - _AFFECTED, len(tokens) - 2 * _AFFECTED, -1):
        if tokenise("".join(tokens[cut:])) == list(tokens[cut:]):
            return cut
    return 0


def spaced(tokens: Sequence[str]) -> list[tuple[str, str]]:
    """Each token with the white space that `detokenise` writes before it."""
    text = detokenise(tokens)
    at = 0
    pieces: list[tuple[str, str]] = []
    for token in tokens:
        start = text.index(token, at)
        pieces.append((text[at:start], token))
        at = start + len(token)
    return pieces


def _with_spaces(pieces: list[str]) -> str:
    parts: list[str] = []
    for before, piece in pairwise(["\n", *pieces]):
        if before != "\n" and piece != "\n":
            parts.append(" ")
        parts.append(piece)
    return "".join(parts)


def wants_to_close(tokens: Sequence[str], k: int) -> bool:
    """Whether a person would write token k right behind the one before it."""
    last, token = tokens[k - 1], tokens[k]
    before_last = tokens[k - 2] if k > 1 else "\n"
    if token in _CLOSES_LEFT or last in _CLOSES_RIGHT or _CLITIC.fullmatch(token):
        return True
    if token == "/" and last in _UNITS_ABOVE and {*tokens[k + 1 : k + 2]} & _UNITS_BELOW:
        return True
    if last == "/" and before_last in _UNITS_ABOVE and token in _UNITS_BELOW:
        return True
    if token == "-" and k + 1 < len(tokens):
        return _is_plain_word(last) and _is_plain_word(tokens[k + 1])
    if last == "-":
        joins_words = _is_plain_word(before_last) and _is_plain_word(token)
        return joins_words or before_last in BEFORE_A_SIGN | _SAID_BEFORE_A_SIGN
    if is_number(last):
        if token == "/" and k + 1 < len(tokens) and is_number(tokens[k + 1]):
            return tokenise(f"{last}/{tokens[k + 1]}") == [last, "/", tokens[k + 1]]
        return token in _AFTER_A_NUMBER
    if token == "(":
        return len(last) == 1 and last.isalpha()  # f(x), n(s)
    if last in {"/", ":", "C", "P"} and is_number(before_last) and is_number(token):
        return wants_to_close(tokens, k - 1)
    return False


def _is_plain_word(token: str) -> bool:
    return len(token) > 1 and token.isalpha()


def source_tokens(problem: Problem) -> list[str]:
    """What a model reads, the paper's x: the question, then a tag, label and text per option."""
    tokens = tokenise(problem.question)
    for letter, option in zip(problem.letters, problem.options, strict=True):
        tokens += [OPTION_TAG, f"{letter})", *tokenise(option)]
    return tokens


def output_tokens(problem: Problem) -> list[str]:
    """What a program writes, the paper's y: rationale, `<EOR>`, the letter if any, `<EOS>`."""
    letter = [problem.correct] if problem.correct else []
    return [*tokenise(problem.rationale or ""), END_OF_RATIONALE, *letter, END_OF_SEQUENCE]
