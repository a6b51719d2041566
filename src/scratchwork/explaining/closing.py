"""The sentence that states the answer: `So the answer is 40, which is option B.`

Promises: the answer is written as its option writes it, with the words beside it there. Where it
was rounded to match the option, or has to be rounded to be written, the sentence says so.

Does not cover: how the answer is found.
"""

from collections.abc import Sequence

from scratchwork.explaining.calculations import Calculations
from scratchwork.explaining.notation import is_short, places_of
from scratchwork.machine.writing import Writing, decimals
from scratchwork.plans.compiling import (
    RationaleItem,
    StatedAnswer,
    StatedLetter,
    WrittenResult,
)
from scratchwork.plans.plan import Plan, Result
from scratchwork.problems.numerals import number_of, round_half_up
from scratchwork.problems.tokens import is_number, tokenise

_ROUNDED_TO = ("a whole number", "one decimal", "two decimals", "three decimals", "four decimals")
_MOST_WORDS = 4
"""An option with more words beside its number is not repeated."""
_SHOWN_ROUNDED = 2
"""Answers rounded to so many decimals are so in their calculation already."""
_BESIDE = frozenset("% / ° ² ³".split())
_BEFORE = frozenset(("", "$", "£", "€", "₹", "¥", "rs", "rs ."))
"""What may stand before the number of an option."""
_LETTER: tuple[RationaleItem, ...] = (",", "which", "is", "option", StatedLetter())
_NOISE = 1e-9


def writing_of_answer(value: float, answer: str | None) -> Writing | None:
    """How the last calculation writes the answer where it is rounded in its option; None where it
    is written as every other result."""
    if answer is None or not is_rounded(value, answer):
        return None
    places = decimals(answer)
    is_shown = places >= _SHOWN_ROUNDED and not is_cut(value, answer)
    return Writing("Float_to_Decimal", places) if is_shown else None


def is_rounded(value: float, answer: str) -> bool:
    """Whether an answer is written with another value than it has."""
    written = number_of(answer)
    return written is None or abs(written - value) > _NOISE * max(abs(value), 1)


def is_cut(value: float, answer: str) -> bool:
    """Whether the answer is rounded down where it would be rounded up at school."""
    return round_half_up(value, decimals(answer)) != number_of(answer)


def closing_sentence(
    plan: Plan, answer: str | None, option: str | None, calculations: Calculations
) -> list[RationaleItem]:
    """The last sentence of a derivation, without its full stop; `answer` is how the answer is
    written where there are options, and `option` the one that it is."""
    value = calculations.value(plan.answer)
    shown = calculations.side(plan.answer)
    start = tokenise("so the answer is" if plan.steps else "the answer is")
    if answer is None or option is None:
        return [*start, *_alone(plan, value, calculations)]
    if answer not in tokenise(option) and not calculations.notation.is_exact(value):
        return [*start, "about", *shown.items, *_LETTER]
    before, after = words_beside(option, answer)
    said: list[RationaleItem] = [*before, StatedAnswer(), *after]
    is_fraction = isinstance(plan.answer, Result) and calculations.notation.is_fraction(value)
    if not is_rounded(value, answer):
        if isinstance(plan.answer, Result) and shown.is_exact and is_fraction != ("/" in answer):
            said = [*shown.items, "=", *said]
        return [*start, *said, *_LETTER]
    if is_fraction:
        return [*start, *shown.items, "≈", *said, *_LETTER]
    if writing_of_answer(value, answer) is not None:
        return [*start, "about", *said, *_LETTER]
    how = "rounded down" if is_cut(value, answer) else "rounded"
    to = _ROUNDED_TO[min(decimals(answer), len(_ROUNDED_TO) - 1)]
    return [*tokenise(f"{how} to {to}, the answer is"), *said, *_LETTER]


def _alone(plan: Plan, value: float, calculations: Calculations) -> list[RationaleItem]:
    """The answer to a question without options, a fraction also as a decimal."""
    shown = list(calculations.side(plan.answer).items)
    if not isinstance(plan.answer, Result) or not calculations.notation.is_exact(value):
        is_about = isinstance(plan.answer, Result)
        return ["about", *shown] if is_about else shown
    places = places_of(value)
    if not calculations.notation.is_fraction(value) or value < 0 or places is None:
        return shown
    if is_short(value):
        return [*shown, "=", WrittenResult(plan.answer)]
    return [*shown, "≈", WrittenResult(plan.answer, Writing("Float_to_Decimal", places))]


def words_beside(option: str, answer: str) -> tuple[Sequence[str], Sequence[str]]:
    """The words before and behind the answer in its option, if there are few."""
    tokens = tokenise(option)
    numbers = [k for k, token in enumerate(tokens) if is_number(token)]
    if len(numbers) != 1 or tokens[numbers[0]] != answer:
        return (), ()
    before, after = tokens[: numbers[0]], tokens[numbers[0] + 1 :]
    after = after[:-1] if after[-1:] == ["."] else after
    is_plain = all(token.isalpha() or token in _BESIDE for token in after) and (
        " ".join(before).lower() in _BEFORE
    )
    return (before, after) if is_plain and len(before) + len(after) <= _MOST_WORDS else ((), ())
