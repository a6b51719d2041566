"""Where the solver's examples come from: real problems with formulas or rationales, and families.

Promises: `plans_for` gives the plans of a problem that reach its labelled option: the one of its
formula if that is right, that of its program or its calculations (see `plans.statements`) or else
the one behind its rationale if it uses two of the question's numbers, those annotated, and for a
generated problem the one of its gold program. A plan that the rationale tells is there a second
time with the rationale behind it; of generated problems that is so for one in some. `retold` gives
a problem's example in the words of its retellings.
Free-form problems whose answer is one number get options, made from likely mistakes, the same ones
whenever they are read; others are examples without options if a plan is known, and so are stories.
`right_number` is what is right when the options are hidden, `open_example` a problem to measure on.
`text_of` gives a question with its rationale as a mere text, to learn words from.

Does not cover: whether a plan is sensible; one in some reaches its option by luck.
"""

import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from scratchwork.families.generator import Generated
from scratchwork.induction.rationale_plan import plan_of_rationale
from scratchwork.machine.execution import execute
from scratchwork.machine.operations import EXTENDED
from scratchwork.machine.written_values import values_of
from scratchwork.plans.formulas import FORMULA_FIELD, FormulaError, translate
from scratchwork.plans.plan import Given, Plan, plan_of
from scratchwork.plans.statements import given_answer, plan_of_calculations, plan_of_statements
from scratchwork.problems.normalise import normalise
from scratchwork.problems.numerals import NumeralError, number_of, write_number
from scratchwork.problems.problem import LETTERS, Problem
from scratchwork.problems.tokens import is_number, tokenise
from scratchwork.solver.alignment import items_of, with_whole_fractions
from scratchwork.solver.annotations import annotated_plans, retellings
from scratchwork.solver.reading import Pieces, Reading, read_problem, read_texts
from scratchwork.solver.symbols import (
    END,
    LONGEST_RATIONALE,
    InexpressibleError,
    plan_to_choices,
    rationale_to_choices,
)
from scratchwork.solver.tables import Example, fits

_RATIONALE_EVERY = 4
"""Of so many generated problems one is learned with its rationale."""
_FEWEST_NUMBERS = 2
"""A plan behind a rationale must use so many of the question's numbers."""


def example_of(problem: Problem, pieces: Pieces, *, annotated: bool = True) -> Example | None:
    """A real problem with its plans, those annotated in a clone among them unless refused; none if
    it does not fit."""
    if not problem.options:
        problem = options_made(problem) or problem
    problem, plans = with_whole_fractions(problem, plans_for(problem, annotated=annotated))
    reading = read_problem(problem, pieces)
    if not fits(reading) or not (problem.options or plans):
        return None
    rows = list(_plan_rows(plans, reading))
    if problem.rationale and is_written_as_usual(problem):
        rows += _plan_with_rationale(problem, plans, reading, pieces)
    return Example(reading, problem.correct, rows)


def open_example(problem: Problem, pieces: Pieces) -> Example | None:
    """A problem as one without options, to measure on; none if its answer is not one number."""
    answer = right_number(problem)
    reading = read_problem(replace(normalise(problem), options=(), correct=None), pieces)
    return Example(reading, None, [], answer) if answer is not None and fits(reading) else None


def right_number(problem: Problem) -> float | None:
    """The number that is right when a problem has no options; none if no number is."""
    if problem.correct is None:
        return given_answer(problem)
    values = values_of(problem.options[problem.letters.index(problem.correct)])
    return values[0] if values else None


def with_rationale(example: Example) -> Example:
    """An example with that of its plans alone that a rationale follows."""
    return replace(example, plans=[row for row in example.plans if END in row])


def retold(problem: Problem, example: Example, pieces: Pieces) -> Iterator[Example]:
    """The example of a problem in other words; its numbers stand in the same order, so that what
    points at them stays right."""
    values = _values_of(example.reading)
    for question in retellings(problem.question):
        for other in (
            replace(problem, question=question),
            normalise(replace(problem, question=question)),
        ):
            reading = read_problem(other, pieces)
            if fits(reading) and _values_of(reading) == values:
                yield replace(example, reading=reading)
                break


def _values_of(reading: Reading) -> list[tuple[float, bool]]:
    return [(numeral.value, numeral.place > 0) for numeral in reading.numerals]


def text_of(problem: Problem, pieces: Pieces) -> Example | None:
    """A question followed by its rationale, as far as it fits; none without a rationale."""
    if not problem.rationale:
        return None
    tokens = [*tokenise(problem.question), *tokenise(problem.rationale)]
    reading = read_texts(tokens, (), pieces)
    while not fits(reading):
        tokens = tokens[: len(tokens) * 9 // 10]
        reading = read_texts(tokens, (), pieces)
    return Example(reading, None, [])


def is_written_as_usual(problem: Problem) -> bool:
    """Whether a rationale is written with capitals and line breaks; MathQA's are not."""
    return "mathqa" not in (problem.origin, problem.extra.get("rationale_origin"))


def generated_example(generated: Generated, pieces: Pieces) -> Example | None:
    """A generated problem with its plan; none if it does not fit or has no plan."""
    problem = generated.problem
    reading = read_problem(problem, pieces)
    if not fits(reading):
        return None
    trace = execute(generated.program, problem, EXTENDED)
    plan = plan_of(trace)
    plans = [] if plan is None else [plan]
    rows = list(_plan_rows(plans, reading))
    if zlib.crc32(problem.id.encode()) % _RATIONALE_EVERY == 0:
        rows += _plan_with_rationale(problem, plans, reading, pieces)
    return Example(reading, problem.correct, rows)


def story_example(problem: Problem, plan: Plan, pieces: Pieces) -> Example | None:
    """A free-form problem with its plan, without options; none if it does not fit."""
    reading = read_problem(problem, pieces)
    if not fits(reading):
        return None
    return Example(reading, None, list(_plan_rows([plan], reading)), given_answer(problem))


def _plan_with_rationale(
    problem: Problem, plans: Sequence[Plan], reading: Reading, pieces: Pieces
) -> Iterator[list[int]]:
    """A plan that the rationale tells, with the rationale behind it."""
    for plan in plans:
        items = items_of(problem, plan)
        if items is None:
            continue
        try:
            row = plan_to_choices(plan, reading)
            words = rationale_to_choices(items, reading, pieces)
        except InexpressibleError:
            continue
        if len(words) <= LONGEST_RATIONALE:
            yield [*row, *words]
            return


def _plan_rows(plans: Sequence[Plan], reading: Reading) -> Iterator[list[int]]:
    for plan in plans:
        try:
            yield plan_to_choices(plan, reading)
        except InexpressibleError:
            continue


def plans_for(problem: Problem, *, annotated: bool = True) -> list[Plan]:
    """The plans known for a problem, those annotated among them unless refused; of a problem
    without options, those that its answer can be checked for."""
    found: list[Plan] = []
    if problem.extra.get(FORMULA_FIELD):
        try:
            translated = translate(problem)
            found += [translated.plan] if translated.yields_label(problem) else []
        except FormulaError:
            pass
    worked = plan_of_statements(problem) or plan_of_calculations(problem)
    found += [worked] if worked is not None else []
    if problem.rationale and worked is None:
        plan = plan_of_rationale(problem)
        if plan is not None and plan not in found and numbers_used(plan) >= _FEWEST_NUMBERS:
            found.append(plan)
    more = annotated_plans(problem) if annotated and problem.options else []
    return found + [plan for plan in more if plan not in found]


def numbers_used(plan: Plan) -> int:
    """How many numbers of the question a plan uses."""
    arguments = (argument for step in plan.steps for argument in step.arguments)
    return len({argument for argument in arguments if isinstance(argument, Given)})


def options_made(problem: Problem) -> Problem | None:
    """A free-form problem with its answer among five options, the others being what comes of
    likely mistakes: a number on the way, one of the question, a slip of ten percent or of one."""
    value = given_answer(problem)
    if value is None:
        return None
    draw = random.Random(problem.question)
    numerals = filter(is_number, tokenise(f"{problem.rationale or ''} {problem.question}"))
    wrong = {number for numeral in numerals if (number := number_of(numeral)) is not None}
    wrong |= {value + 1, value - 1, value * 2, value / 2, float(round(value * 1.1))}
    wrong |= {float(round(value * 0.9)), value + 10, value * 10}
    candidates = sorted(number for number in wrong if number > 0 and number != value)
    draw.shuffle(candidates)
    try:
        options = [write_number(number) for number in [value, *candidates[:4]]]
    except NumeralError:
        return None
    draw.shuffle(options)
    correct = LETTERS[options.index(write_number(value))]
    return replace(problem, options=tuple(options), correct=correct)
