"""The sentence that states the answer: `So the answer is 40, which is option B.`

Promises: the answer is written as its option writes it, with the words beside it there. Where it
was rounded to match the option, or has to be rounded to be written, the sentence says so.

Does not cover: how the answer is found.
"""

from collections.abc import Sequence

from scratchwork.explaining.calculations import Calculations, written_with_sign
from scratchwork.explaining.labels import Labels
from scratchwork.explaining.notation import FRACTION, is_short, places_of
from scratchwork.machine.operations import MOST_PLACES
from scratchwork.machine.writing import Writing, decimals
from scratchwork.plans.compiling import (
    PLAIN,
    RationaleItem,
    StatedAnswer,
    StatedLetter,
    WrittenResult,
)
from scratchwork.plans.plan import Plan, PlanConstant, Result
from scratchwork.problems.numerals import (
    NumeralError,
    number_of,
    round_half_up,
    write_fraction,
    write_number,
)
from scratchwork.problems.tokens import is_number, tokenise
from scratchwork.quantities.nouns import STOP_WORDS, is_plural

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
_LONGEST_SUBJECT = 9
_NO_END = STOP_WORDS | frozenset(("number", "following"))
_VERBS = frozenset(
    """is are was were be been can could will would shall should may might must do does did has have
    had if when than who which that""".split()
)
_CURRENCIES = frozenset("rs re inr usd".split())
"""A subject with one of these is cut off before an amount of money."""
_NUMBER_OF = ("number", "of")
_HEADS = frozenset(
    """answer value number probability average mean ratio sum difference product remainder quotient
    percentage speed distance length width breadth height depth area volume perimeter radius
    diameter circumference time age price cost amount profit loss gain interest rate salary income
    weight total median principal discount angle side hcf lcm""".split()
)
"""What a question may ask for by name."""


def writing_of_answer(value: float, answer: str | None, option: str | None) -> Writing | None:
    """How the last calculation writes the answer where it is not written as every other result: as
    its option rounds it, to the last of its decimals, or as a fraction where that has a ratio."""
    if answer is None or option is None:
        return None
    is_in_option = answer in tokenise(option)
    has_ratio = any(":" in token or "/" in token for token in tokenise(option)) and not is_in_option
    if "/" in answer or (has_ratio and not is_rounded(value, answer)):
        return FRACTION if _is_fraction(value) else None
    if not is_rounded(value, answer):
        return PLAIN if is_in_option and "." in answer and not is_short(value) else None
    places = decimals(answer)
    is_shown = places >= _SHOWN_ROUNDED and not is_cut(value, answer)
    return Writing("Float_to_Decimal", places) if is_shown else None


def _is_fraction(value: float) -> bool:
    """Whether a number can be written as a fraction."""
    try:
        return bool(write_fraction(value))
    except NumeralError:
        return False


def is_rounded(value: float, answer: str) -> bool:
    """Whether an answer is written with another value than it has."""
    written = number_of(answer)
    return written is None or abs(written - value) > _NOISE * max(abs(value), 1)


def is_cut(value: float, answer: str) -> bool:
    """Whether the answer is rounded down where it would be rounded up at school."""
    return round_half_up(value, decimals(answer)) != number_of(answer)


def closing_sentence(
    plan: Plan,
    answer: str | None,
    option: str | None,
    calculations: Calculations,
    labels: Labels,
    *,
    follows: bool,
) -> list[RationaleItem]:
    """The last sentence of a derivation, without its full stop; `answer` is how the answer is
    written where there are options, and `option` the one that it is; `follows` says whether there
    are sentences before."""
    value = calculations.value(plan.answer)
    shown = calculations.side(plan.answer)
    subject = subject_asked(labels)
    start = [*(["so"] if follows else []), *subject, "is"]
    if answer is None or option is None:
        before, after = _unit_beside(plan, value, labels)
        return [*start, *_alone(plan, value, calculations, before, after)]
    writing = writing_of_answer(value, answer, option)
    if isinstance(plan.answer, Result) and writing == FRACTION and "/" not in answer:
        return [*start, *written_with_sign(plan.answer, value, FRACTION), *_LETTER]
    if answer not in tokenise(option) and not calculations.notation.is_exact(value):
        return [*start, "about", *shown.items, *_LETTER]
    before, after = words_beside(option, answer) or _unit_beside(plan, value, labels)
    if subject[1:3] == _NUMBER_OF:
        before, after = (), ()
    said: list[RationaleItem] = [*before, *_stated(plan, answer, value), *after]
    is_cut_off = is_rounded(value, answer) and is_cut(value, answer)
    is_fraction = isinstance(plan.answer, Result) and calculations.notation.is_fraction(value)
    if not is_rounded(value, answer):
        is_other = shown.is_exact and is_fraction != ("/" in answer)
        if isinstance(plan.answer, Result) and is_other:
            said = [*shown.items, "=", *said]
        return [*start, *said, *_LETTER]
    if is_fraction and not is_cut_off:
        return [*start, *shown.items, "≈", *said, *_LETTER]
    if writing is not None:
        return [*start, "about", *said, *_LETTER]
    how = "rounded down" if is_cut_off else "rounded"
    to = _ROUNDED_TO[min(decimals(answer), len(_ROUNDED_TO) - 1)]
    return [*tokenise(f"{how} to {to},"), *subject, "is", *said, *_LETTER]


def _stated(plan: Plan, answer: str, value: float) -> tuple[RationaleItem, ...]:
    """The answer as its option has it, a minus sign apart."""
    is_plain = "/" not in answer and "," not in answer
    if value >= 0 or not isinstance(plan.answer, Result) or not is_plain:
        return (StatedAnswer(),)
    is_written_plainly = not is_rounded(value, answer) and write_number(value) == answer
    places = min(decimals(answer), MOST_PLACES)
    writing = PLAIN if is_written_plainly else Writing("Float_to_Decimal", places)
    return written_with_sign(plan.answer, value, writing)


def _alone(
    plan: Plan,
    value: float,
    calculations: Calculations,
    before: Sequence[str],
    after: Sequence[str],
) -> list[RationaleItem]:
    """The answer to a question without options, a fraction also as a decimal."""
    shown = calculations.side(plan.answer).items
    said: list[RationaleItem] = [*before, *shown, *after]
    if not isinstance(plan.answer, Result):
        return said
    if not calculations.notation.is_exact(value):
        return ["about", *said]
    places = places_of(value)
    if not calculations.notation.is_fraction(value) or value < 0 or places is None:
        return said
    if is_short(value):
        return [*shown, "=", *before, WrittenResult(plan.answer), *after]
    rounded = WrittenResult(plan.answer, Writing("Float_to_Decimal", places))
    return [*shown, "≈", *before, rounded, *after]


def subject_asked(labels: Labels) -> tuple[str, ...]:
    """What the question asks for, in words that can begin a sentence."""
    asked = labels.asked
    words = () if asked is None else asked.subject
    lower = [word.lower() for word in words]
    is_plain = all(word.isalpha() and word not in _VERBS | _CURRENCIES for word in lower)
    is_plain = is_plain and not labels.goes_on_behind(words)
    if not 2 <= len(words) <= _LONGEST_SUBJECT or lower[0] != "the" or not is_plain:
        return "the", "answer"
    heads = [k for k, word in enumerate(lower) if word in _HEADS]
    is_named = tuple(lower[1:3]) == _NUMBER_OF or (
        bool(heads) and STOP_WORDS.isdisjoint(lower[1 : heads[0]])
    )
    end = min((k for k, word in enumerate(lower) if k and word in STOP_WORDS), default=len(lower))
    is_one = not is_plural(lower[end - 1])
    is_fit = is_named and is_one and lower[-1] not in _NO_END and labels.is_consistent
    return ("the", *words[1:]) if is_fit else ("the", "answer")


def _unit_beside(plan: Plan, value: float, labels: Labels) -> tuple[Sequence[str], Sequence[str]]:
    """The words around the answer that its unit asks for, if the question asks for that unit."""
    unit, asked = labels.unit(plan.answer), labels.asked
    if unit is None or asked is None or isinstance(plan.answer, PlanConstant):
        return (), ()
    is_asked = unit == asked.unit or (asked.unit is None and unit.dimension == asked.dimension)
    return (labels.around(unit, value) or ((), ())) if is_asked and unit.dimension else ((), ())


def words_beside(option: str, answer: str) -> tuple[Sequence[str], Sequence[str]] | None:
    """The words before and behind the answer in its option; None if it is a mere number."""
    tokens = tokenise(option)
    numbers = [k for k, token in enumerate(tokens) if is_number(token)]
    if tokens == [answer]:
        return None
    if len(numbers) != 1 or tokens[numbers[0]] != answer:
        return (), ()
    before, after = tokens[: numbers[0]], tokens[numbers[0] + 1 :]
    after = after[:-1] if after[-1:] == ["."] else after
    is_plain = all(token.isalpha() or token in _BESIDE for token in after) and (
        " ".join(before).lower() in _BEFORE
    )
    return (before, after) if is_plain and len(before) + len(after) <= _MOST_WORDS else ((), ())
