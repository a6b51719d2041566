"""Generating problems: numbers, wording, options, rationale and the gold program.

Promises: problem i of a seed is the same in every process and order of generation; the
rationale and the program follow from the same steps, token by token, so they cannot disagree; every
number that is drawn meets the family's conditions, and every number that is written is natural (not
negative, with few decimals). The style `equation` is written only where it is asked for. A family
whose conditions are hardly ever met raises `UserError`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from scratchwork.errors import UserError
from scratchwork.families.drawing import Draw, NumberList, NumberRange
from scratchwork.families.expressions import (
    Apply,
    Expression,
    Name,
    NumberLiteral,
    UnknownLetter,
    is_root,
    parts_of,
)
from scratchwork.families.family import Family
from scratchwork.families.loading import TOPICS_FOLDER, load_families
from scratchwork.families.options import AnswerOptions, make_options
from scratchwork.families.programs import GoldWriter
from scratchwork.families.templates import WEEKDAY, Rendering, computed
from scratchwork.induction.derivation import Derivation
from scratchwork.induction.rules import may_nest
from scratchwork.machine.operations import EXTENDED
from scratchwork.machine.programs import Program
from scratchwork.parallel import Workers
from scratchwork.problems.numerals import LARGEST_NUMBER, NumeralError
from scratchwork.problems.problem import Problem
from scratchwork.problems.rows import problem_line
from scratchwork.problems.tokens import END_OF_RATIONALE, END_OF_SEQUENCE

ORIGIN = "generated"
MOST_TRIES = 2000
_AT_ONCE = 5000  # about as much work as loading the bank

_LARGEST_WRITTEN = LARGEST_NUMBER / 1000
_CLOSINGS = (
    "Answer: {}",
    "Answer is {}",
    "The answer is {}.",
    "Hence, the answer is {}.",
    "So the correct option is {}.",
    "Correct answer: {}",
    "ANSWER:{}",
    "Answer - {}",
    "Option {}",
)
_CHANCE_OF_NO_CLOSING = 0.1
_NEUTRAL = {"Add": 0.0, "Subtract": 0.0, "Multiply": 1.0, "Divide": 1.0, "Power": 1.0}
"""What changes nothing by these operations."""
_ALWAYS_ADMISSIBLE = frozenset({"Add", "Subtract", "Multiply", "Divide", "Percent"})


@dataclass(frozen=True, slots=True)
class Generated:
    """A problem with the program that solves it."""

    problem: Problem
    program: Program
    """The gold program, whose text is also among the problem's extra fields."""


class _UnnaturalError(Exception):
    """These numbers are not natural; draw others."""


def generate_one(
    families: Sequence[Family], seed: int, index: int, style: str | None = None
) -> Generated:
    """Problem `index` of a seed."""
    draw = Draw(seed, index)
    family = draw.pick(families)
    reasons: Counter[str] = Counter()
    for _ in range(MOST_TRIES):
        try:
            return _attempt(family, draw, seed, index, style)
        except _UnnaturalError:
            continue
        except NumeralError as error:
            reasons[str(error)] += 1
    why = "".join(f"; often, {reason}" for reason, _ in reasons.most_common(1))
    raise UserError(f"{family.name}: its conditions were not met in {MOST_TRIES} tries{why}")


def generate(
    families: Sequence[Family], count: int, seed: int, style: str | None = None, first: int = 0
) -> Iterator[Generated]:
    """The problems `first` to `first + count - 1` of a seed."""
    return (generate_one(families, seed, first + k, style) for k in range(count))


def generated_lines(
    source: Path | None,
    names: Sequence[str],
    count: int,
    seed: int,
    style: str | None,
    workers: Workers,
) -> Iterator[bytes]:
    """Problems of the named families of a file or folder, or else of the bank, as lines of JSON."""
    # A family cannot be sent to a worker, so each loads them.
    return workers.map_with(
        partial(_line_maker, source, names, seed, style), range(count), _AT_ONCE
    )


def _line_maker(
    source: Path | None, names: Sequence[str], seed: int, style: str | None
) -> Callable[[int], bytes]:
    by_name = {family.name: family for family in load_families(source or TOPICS_FOLDER)}
    families = [by_name[name] for name in names]
    return lambda index: problem_line(generate_one(families, seed, index, style).problem)


def draw_values(family: Family, draw: Draw) -> dict[str, float] | None:
    """Numbers that meet the family's conditions, with those of its reference steps, or None."""
    try:
        values = _draw_numbers(family, draw)
        _compute(family, family.reference, values)
        if not all(condition(values) for condition in family.step_conditions):
            return None
        _check_nontrivial(family, family.reference, values)
    except (_UnnaturalError, NumeralError):
        return None
    return values


def _attempt(family: Family, draw: Draw, seed: int, index: int, style: str | None) -> Generated:
    values = draw_values(family, draw)
    if values is None:
        raise _UnnaturalError
    chosen = style or draw.pick(family.drawn_styles)
    if chosen not in family.styles:
        raise UserError(f"{family.name} has no steps in the style {chosen}")
    if chosen != family.reference:
        _compute(family, chosen, values)
        _check_nontrivial(family, chosen, values)
    question = Rendering(draw, values)
    question.render(draw.pick(family.ask))
    options = make_options(family, question, draw)
    if options is None:
        raise _UnnaturalError
    program, rationale = _write_rationale(family, chosen, question, options)
    problem = Problem(
        question=question.text,
        options=options.texts,
        rationale=rationale,
        correct=options.letter,
        id=f"{family.name}-{seed}-{index}",
        origin=ORIGIN,
        extra={
            "family": family.name,
            "topic": family.topic,
            "style": chosen,
            "seed": seed,
            "index": index,
            "operations": family.operations,
            "program": str(program),
        },
    )
    return Generated(problem, program)


def _draw_numbers(family: Family, draw: Draw) -> dict[str, float]:
    values: dict[str, float] = {}
    for name, source in family.numbers.items():
        is_drawn = isinstance(source, NumberRange | NumberList)
        values[name] = source.draw(draw) if is_drawn else source(values)
    if not all(condition(values) for condition in family.draw_conditions):
        raise _UnnaturalError
    for name, form in family.asked:
        _check_natural(values[name], form, family.decimals)
    return values


def _compute(family: Family, style: str, values: dict[str, float]) -> None:
    """Add the numbers that the steps compute."""
    for step in family.styles[style]:
        for slot in step.numbers:
            if slot.evaluate is None:
                continue
            value = slot.evaluate(values)
            _check_natural(value, slot.form, family.decimals)
            if slot.form[:1] == "." and slot.name in family.used[style]:
                # What is computed from it must follow from what is written.
                _check_natural(value, "", int(slot.form[1]))
            values[slot.name] = value


def _check_nontrivial(family: Family, style: str, values: Mapping[str, float]) -> None:
    """Refuse numbers that make a step trivial: `7 * 1 + 3`, or `6 - 2 + 2` for a 6."""
    for slot, expression in computed(family.styles[style]):
        if is_root(expression):
            _check_equation_nontrivial(expression, values, values[slot.name])
        elif isinstance(expression, Apply) and slot.form != WEEKDAY:
            _check_step_nontrivial(expression, values, values[slot.name])


def _check_step_nontrivial(expression: Apply, values: Mapping[str, float], value: float) -> None:
    nested = any(isinstance(argument, Apply) for argument in expression.arguments)
    if not nested and expression.operation in _ALWAYS_ADMISSIBLE:
        return
    made = _as_step(expression, values)
    assert isinstance(made, Derivation)
    if made.count() > 2:
        return
    if made.value() is None or (nested and made.hides_copy(value)):
        raise _UnnaturalError
    for step in made.arguments:
        # Only terse steps hold what induction could not find again.
        if isinstance(step, Derivation) and may_nest(made.operation, step.operation):
            if step.is_fit_inside(made.operation):
                continue
            raise _UnnaturalError


def _check_equation_nontrivial(
    expression: Expression, values: Mapping[str, float], root: float
) -> None:
    """Refuse an equation in which the root stands already, or `1x` or `x + 0`."""
    for part in parts_of(expression):
        if isinstance(part, Name | NumberLiteral):
            if _value_of(part, values) == root:
                raise _UnnaturalError
        elif isinstance(part, Apply) and part.operation in _NEUTRAL:
            sides = part.arguments if EXTENDED[part.operation].commutes else part.arguments[1:]
            for side in sides:
                if (
                    isinstance(side, Name | NumberLiteral)
                    and _value_of(side, values) == (_NEUTRAL[part.operation])
                ):
                    raise _UnnaturalError


def _value_of(leaf: Name | NumberLiteral, values: Mapping[str, float]) -> float:
    return leaf.value if isinstance(leaf, NumberLiteral) else values[leaf.name]


def _as_step(expression: Expression, values: Mapping[str, float]) -> float | Derivation:
    match expression:
        case NumberLiteral() | Name():
            return _value_of(expression, values)
        case UnknownLetter():
            raise AssertionError("an unknown stands in equations alone")
        case Apply(operation, arguments):
            return Derivation(operation, tuple(_as_step(part, values) for part in arguments))


def _check_natural(value: float, form: str, decimals: int) -> None:
    """Refuse numbers no problem would have: negative, huge, or with many decimals."""
    if not 0 <= value < _LARGEST_WRITTEN:
        raise _UnnaturalError
    if form in ("", ",", "ordinal", "times"):
        places = 0 if form == "ordinal" else decimals
        scaled = value * 10**places
        if abs(scaled - round(scaled)) > 1e-6:
            raise _UnnaturalError


def _write_rationale(
    family: Family, style: str, question: Rendering, options: AnswerOptions
) -> tuple[Program, str]:
    """The rationale's text, and the program that writes it."""
    writer = GoldWriter(question.values, options)
    writer.read_question(question.text, question.marks)
    story = question.fresh()
    for k, step in enumerate(family.styles[style]):
        if k:
            story.write("\n")
        story.render(step)
    letter_at = -1
    if not question.draw.chance(_CHANCE_OF_NO_CLOSING):
        before, _, after = question.draw.pick(_CLOSINGS).partition("{}")
        story.write(f"\n{before}")
        letter_at = story.length
        story.write(options.letter + after)
    rationale = story.text
    answers = [slot.name for slot in family.answer.numbers]
    writer.write_rationale(rationale, story.marks, letter_at, answers)
    writer.write_word(END_OF_RATIONALE)
    writer.write_letter(answers)
    writer.write_word(END_OF_SEQUENCE)
    return writer.program(), rationale
