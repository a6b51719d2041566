"""What a rationale states: the expression a number is the result of, and the chosen option.

Promises: `stated_before` finds the numbers and operators between the last connective (`=`, `is`,
`≈`, ...) and the one before it, on the same line or, where the line starts with the connective, on
the line before; None where nothing is stated, or something of an unknown. `unknown_before` finds
the unknown that a number is said to be (see `roots` for its equation). `letter_positions` finds
the letter after `<EOR>` and, in the rationale, the correct letter where it follows a word for an
answer ("Answer: C", "the correct option is (C)") or closes the text. A capital A that opens a
sentence does not count.

Does not cover: grammar; `machine.arithmetic` parses expressions to evaluate them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scratchwork.problems.numerals import number_of
from scratchwork.problems.signs import (
    CLOSING,
    CURRENCIES,
    EQUALS,
    EXPONENTS,
    LETTER_SIGNS,
    SIGNS,
    WORD_SIGNS,
    signs_of,
)
from scratchwork.problems.tokens import END_OF_RATIONALE, is_number

CONNECTIVES = EQUALS | frozenset("is are equals => -> → ⇒ ⟹ gives makes".split())
_SKIPPED = CURRENCIES | frozenset("Rs rs Rs. . ( [ + - about approximately approx only".split())
_BOUNDARIES = frozenset("\n ; => -> → ⇒ ∴ ? ! so So therefore Therefore hence Hence".split(" "))
_OPERATION_OF = SIGNS | LETTER_SIGNS | WORD_SIGNS | {")": "Multiply", ":": "Divide", "c": "Choose"}
"""The operations that tokens before a result may name."""
_BINARY = signs_of("Add", "Subtract", "Multiply", "Divide", "Power") - EXPONENTS.keys()
_BEFORE_AN_UNKNOWN = frozenset("+ - − – * / × ÷ (".split())
_GOING_ON = (_BINARY | {"C", "P"}) - {"⁄"}  # which writes a fraction, one number
_FARTHEST = 40
_IMPLIED = EXPONENTS | {"%": 100.0}

_ANSWER_WORDS = frozenset("answer ans option choice correct".split())
_BETWEEN = frozenset("is : = - ( . the option answer choice correct be ) ‘ ' \" * # ,".split())
_CLOSING = frozenset(". ) ! ; ' \" * ] } \n".split(" "))
_FARTHEST_WORD = 5


@dataclass(frozen=True, slots=True)
class Statement:
    """The numbers and operations that the text names before a result."""

    numbers: Counter[float]
    parts: Mapping[float, float]
    """Of the numerators and denominators of fractions, the fraction each belongs to."""
    operations: frozenset[str]

    def allowed(self) -> frozenset[float]:
        """All numbers that what is stated may be computed from."""
        return frozenset((*self.numbers, *self.parts))


def follows_connective(output: Sequence[str], k: int) -> bool:
    """Whether output token k (counted from 0) is said to be a result."""
    return _connective_before(output, k) is not None


def is_calculated_on(output: Sequence[str], k: int) -> bool:
    """Whether an operator follows token k, so that it is an operand rather than a result."""
    return k + 1 < len(output) and output[k + 1] in _GOING_ON


def _connective_before(output: Sequence[str], k: int) -> int | None:
    at = k - 1
    while at >= 0 and k - at <= 4 and output[at] in _SKIPPED:
        at -= 1
    return at if at >= 0 and output[at] in CONNECTIVES else None


def unknown_before(output: Sequence[str], k: int) -> tuple[str, int] | None:
    """The unknown that output token k (counted from 0) is said to be, as in `x = 6`, and where the
    statement starts; None where the letter is part of a longer expression, as in `2x = 6`."""
    at = _connective_before(output, k)
    if at is None or at == 0 or len(output[at - 1]) > 1 or not output[at - 1].isalpha():
        return None
    before = output[at - 2] if at > 1 else ""
    if is_number(before) or before in _BEFORE_AN_UNKNOWN or before in CLOSING:
        return None
    return output[at - 1], at - 1


def stated_before(output: Sequence[str], k: int) -> Statement | None:
    """What is stated before output token k (counted from 0)."""
    at = _connective_before(output, k)
    if at is None:
        return None
    end = at
    if at > 0 and output[at - 1] == "\n":
        at -= 1
    begin = at
    while begin > 0 and end - begin < _FARTHEST and not _ends_segment(output, begin - 1):
        begin -= 1
    return _statement(output[begin:end])


def _ends_segment(output: Sequence[str], k: int) -> bool:
    token = output[k]
    if token == "=" or token in _BOUNDARIES:
        return True
    # A full stop ends a sentence, unless it is that of `Rs.` or the like before a number.
    return token == "." and k + 1 < len(output) and not is_number(output[k + 1])


def _is_unknown(segment: Sequence[str], k: int) -> bool:
    """Whether a token is a variable: a letter after a number or sign that is not itself a sign."""
    token = segment[k]
    if len(token) > 1 or not token.isalpha() or k == 0:
        return False
    if not is_number(segment[k - 1]) and segment[k - 1] not in _BEFORE_AN_UNKNOWN:
        return False
    following = segment[k + 1] if k + 1 < len(segment) else ""
    return token not in _OPERATION_OF or not (is_number(following) or following in ("(", "$"))


def _statement(segment: Sequence[str]) -> Statement | None:
    numbers: Counter[float] = Counter()
    parts: dict[float, float] = {}
    operations: set[str] = set()
    for k, token in enumerate(segment):
        if _is_unknown(segment, k):
            return None
        if is_number(token):
            value = number_of(token)
            if value is not None:
                numbers[value] += 1
            if "/" in token and value is not None:
                operations.add("Divide")
                top, _, bottom = token.partition("/")
                parts |= {float(top): value, float(bottom): value}
        elif token in _OPERATION_OF:
            operations.add(_OPERATION_OF[token])
            if token in _IMPLIED:
                numbers[_IMPLIED[token]] += 1
    if not numbers or not operations:
        return None
    if "Percent" in operations:
        operations.update(("Multiply", "Divide"))
    return Statement(numbers, parts, frozenset(operations))


def letter_positions(output: Sequence[str], letter: str | None) -> frozenset[int]:
    """The positions, counted from 1, of the tokens that state the letter."""
    if letter is None:
        return frozenset()
    end = output.index(END_OF_RATIONALE) if END_OF_RATIONALE in output else len(output)
    found = {
        k + 1
        for k in range(end)
        if output[k] == letter and (_follows_answer(output, k) or _closes(output, k, end))
    }
    if end + 1 < len(output) and output[end + 1] == letter:
        found.add(end + 2)
    return frozenset(found)


def _follows_answer(output: Sequence[str], k: int) -> bool:
    for back in range(k - 1, max(k - 1 - _FARTHEST_WORD, -1), -1):
        word = output[back].lower()
        if word in _ANSWER_WORDS:
            return True
        if word not in _BETWEEN:
            return False
    return False


def _closes(output: Sequence[str], k: int, end: int) -> bool:
    return all(token in _CLOSING for token in output[k + 1 : end])
