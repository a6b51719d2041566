"""Plausible options for a generated problem.

Promises: options are distinct, in the format and unit of the answer, and exactly one is right; the
wrong ones come from the family's named mistakes first, then from near misses. Sometimes the last is
"None of these", and sometimes that is right.

Does not cover: families with fewer than five possible answers; their problems get fewer options.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scratchwork.families.drawing import Draw
from scratchwork.families.expressions import is_whole
from scratchwork.families.family import Family
from scratchwork.families.templates import NumberSlot, Rendering, Template
from scratchwork.problems.numerals import NumeralError, write_fraction
from scratchwork.problems.problem import LETTERS

_MOST_OPTIONS = 5
_FEWEST_OPTIONS = 4
NONE_OF_THESE = ("None of these", "none of these", "None of the above")

_CHANCE_OF_NONE = 0.06
_CHANCE_THAT_NONE_IS_RIGHT = 0.15


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """The options of a problem, and which one is right."""

    texts: tuple[str, ...]
    letter: str
    stated: bool
    """Whether the right option states the answer, rather than being none of these."""


def make_options(family: Family, story: Rendering, draw: Draw) -> AnswerOptions | None:
    """Options for the answer of a story; None if there are not enough different ones."""
    right = _rendered(family.answer, story, story.values)
    if right is None:
        return None
    wrong: list[str] = []
    for text in _wrong_texts(family, story, draw):
        if text is not None and text != right and text not in wrong:
            wrong.append(text)
            if len(wrong) == _MOST_OPTIONS - 1:
                break
    if len(wrong) < _FEWEST_OPTIONS - 1:
        return None
    if not family.only_wrong and len(wrong) == _MOST_OPTIONS - 1 and draw.chance(_CHANCE_OF_NONE):
        none = draw.pick(NONE_OF_THESE)
        if draw.chance(_CHANCE_THAT_NONE_IS_RIGHT):
            texts = (*draw.shuffled(wrong), none)
            return AnswerOptions(texts, LETTERS[len(texts) - 1], stated=False)
        texts = (*draw.shuffled([right, *wrong[:-1]]), none)
    else:
        texts = tuple(draw.shuffled([right, *wrong]))
    return AnswerOptions(texts, LETTERS[texts.index(right)], stated=True)


def _wrong_texts(family: Family, story: Rendering, draw: Draw) -> Iterator[str | None]:
    slots = family.answer.numbers
    for mistake in draw.shuffled(family.wrong):
        if isinstance(mistake, Template):
            yield _rendered(mistake, story, story.values)
            continue
        try:
            value = mistake(story.values)
        except NumeralError:
            continue
        if _fits(value, slots[0], story.values[slots[0].name], family.decimals):
            yield _rendered(family.answer, story, {**story.values, slots[0].name: value})
    if family.only_wrong or not slots:
        return
    for _ in range(40):
        slot = draw.pick(slots)
        answer = story.values[slot.name]
        value = _near_miss(answer, slot.form, draw)
        if _fits(value, slot, answer, family.decimals):
            yield _rendered(family.answer, story, {**story.values, slot.name: value})


def _rendered(template: Template, story: Rendering, values: Mapping[str, float]) -> str | None:
    option = Rendering(story.draw, values, story.words)
    try:
        option.render(template)
    except NumeralError:
        return None
    return option.text


def _fits(value: float, slot: NumberSlot, answer: float, decimals: int) -> bool:
    """Whether a wrong value could pass for an answer: positive, as round, of similar size."""
    if value <= 0 and slot.form != "weekday":
        return False
    if slot.form == "fraction":
        return value < 1 or answer >= 1
    if answer and not answer / 100 <= value <= answer * 100:
        return False
    if slot.form[:1] == ".":
        return True
    scale = 10**decimals if not is_whole(answer) else 1
    return abs(value * scale - round(value * scale)) < 1e-6


def _near_miss(answer: float, form: str, draw: Draw) -> float:
    """A number near the answer, as round as the answer is."""
    if form == "weekday":
        return float(draw.below(7))
    if form == "fraction" and not is_whole(answer):
        numerator, denominator = _fraction(answer)
        numerator = max(1, numerator + draw.below(5) - 2)
        return numerator / max(2, denominator + draw.below(7) - 3)
    unit = 1.0
    if not is_whole(answer):
        unit = 0.1 if abs(answer * 10 - round(answer * 10)) < 1e-9 else 0.01
    elif answer >= 20:
        for rounder in (1000.0, 100.0, 50.0, 10.0, 5.0, 2.0):
            if round(answer) % rounder == 0 and answer >= 4 * rounder:
                unit = rounder
                break
    away = unit * (1 + draw.below(6 if answer < 60 * unit else 20))
    return round(answer + (away if draw.chance(0.5) else -away), 6)


def _fraction(value: float) -> tuple[int, int]:
    try:
        numerator, _, denominator = write_fraction(value).partition("/")
    except NumeralError:
        return 1, 2
    return int(numerator), int(denominator)
