"""Checking families by generating from them.

Promises: for every family, in all its styles and wordings: the program executes to exactly the
rationale and the letter; the numbers of the steps are right by an evaluation that shares nothing
with the machine (exact fractions); all styles reach the same answer; what is solved is an equation
that the text states; options are distinct and exactly one is right; no number is negative or has
more decimals than meant; the conditions are met often enough; problems differ. Across families: no
two are the same problem in disguise.

Does not cover: whether a text reads well, or asks what the steps answer.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction

from scratchwork.errors import UserError
from scratchwork.families.drawing import Draw
from scratchwork.families.exact_values import exact_value
from scratchwork.families.expressions import operations_in
from scratchwork.families.family import EQUATION, Family
from scratchwork.families.generator import Generated, draw_values, generate_one
from scratchwork.families.options import NONE_OF_THESE, AnswerOptions
from scratchwork.families.programs import GoldWriter
from scratchwork.families.solved_equations import equations_solved, equations_stated
from scratchwork.families.templates import SPOKEN, Rendering, computed
from scratchwork.machine.execution import ExecutionError, execute
from scratchwork.machine.operations import EXTENDED
from scratchwork.machine.options import OptionIndex
from scratchwork.machine.written_values import values_of
from scratchwork.problems.duplicates import HeldOut, Thresholds
from scratchwork.problems.numerals import NumeralError
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import is_number, output_tokens, tokenise

FEWEST_MET = 0.02
"""The share of draws that must meet a family's conditions."""
FEWEST_DIFFERENT = 25
"""At least this many problems must have different numbers, or a quarter of all if that is fewer."""
FEWEST_CHECKED = 0.8
"""The share of letters that must come from `Check`, of those that can."""
_TRIES_FOR_A_WORDING = 400
_DECIMALS = re.compile(r"\.[0-9]")
_SPACE_BEFORE_A_SIGN = re.compile(r" [,;](?:\s|$)| \.(?![.0-9])")
_NO_OPTIONS = AnswerOptions((), "", stated=False)
DISGUISE = Thresholds(text=92.0, digit_free=92.0)
"""Questions at least this near, solved by the same operations, are one problem in disguise."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """What is wrong with a family, and an example of it."""

    family: str
    what: str

    def __str__(self) -> str:
        return f"{self.family}: {self.what}"


def check_family(family: Family, samples: int, seed: int = 0) -> Iterator[Complaint]:
    """What is wrong with a family; one complaint of a kind is enough."""
    told: set[str] = set()
    different: set[tuple[str, ...]] = set()
    styles: set[str] = set()
    decimals = max(family.decimals, _meant(family))
    checked = stated = 0
    for index in range(samples):
        try:
            generated = generate_one([family], seed, index)
        except UserError as error:
            yield Complaint(family.name, str(error))
            return
        different.add(_numbers_of(generated.problem))
        styles.add(generated.problem.extra["style"])
        if any(z.operation == "Check" for z in generated.program):
            checked += 1
        problem = generated.problem
        right = problem.options[problem.letters.index(problem.correct or "A")]
        if problem.options[-1] not in NONE_OF_THESE and values_of(right):
            stated += 1
        for kind, example in _faults(generated, decimals):
            if kind not in told:
                told.add(kind)
                yield Complaint(family.name, f"{kind}: {example}")
    if len(different) < min(FEWEST_DIFFERENT, samples // 4):
        yield Complaint(family.name, f"only {len(different)} of {samples} problems are different")
    has_number = any(slot.form not in SPOKEN for slot in family.answer.numbers)
    if checked < FEWEST_CHECKED * stated and has_number:
        yield Complaint(family.name, f"Check finds the letter in only {checked} of {stated} cases")
    yield from _check_styles(family, samples, seed, styles, decimals)
    yield from _check_wordings(family, seed)
    yield from _check_values(family, samples, seed)


def _check_styles(
    family: Family, samples: int, seed: int, seen: Set[str], decimals: int
) -> Iterator[Complaint]:
    """Every style must be able to come up, without faults; those seen did."""
    for style in family.styles:
        if style in seen:
            continue
        told: set[str] = set()
        for index in range(max(1, samples // 4) if style == EQUATION else 1):
            try:
                generated = generate_one([family], seed, index, style)
            except UserError as error:
                yield Complaint(family.name, f"the style {style} never comes up: {error}")
                break
            for kind, example in _faults(generated, decimals):
                if kind not in told:
                    told.add(kind)
                    yield Complaint(family.name, f"{style}: {kind}: {example}")


def _check_wordings(family: Family, seed: int) -> Iterator[Complaint]:
    """Every wording must be able to come up."""
    left = dict(enumerate(family.ask, 1))
    reasons = dict.fromkeys(left, "no numbers fit")
    for k in range(_TRIES_FOR_A_WORDING):
        values = draw_values(family, Draw(seed, k)) if left else None
        if values is None:
            continue
        for number, template in list(left.items()):
            story = Rendering(Draw(seed, k), values)
            try:
                story.render(template)
                GoldWriter(values, _NO_OPTIONS).read_question(story.text, story.marks)
                del left[number]
            except NumeralError as error:
                reasons[number] = str(error)
    for number in left:
        yield Complaint(family.name, f"wording {number} never comes up: {reasons[number]}")


def _numbers_of(problem: Problem) -> tuple[str, ...]:
    """What tells problems of a family apart: the answer, and the question's numerals and days."""
    answer = problem.options[problem.letters.index(problem.correct or "A")]
    tokens = tokenise(f"{problem.question} {answer}")
    return tuple(token for token in tokens if is_number(token) or token.endswith("day"))


def _faults(generated: Generated, decimals: int) -> Iterator[tuple[str, str]]:
    problem = generated.problem
    try:
        trace = execute(generated.program, problem, EXTENDED)
    except ExecutionError as error:
        yield "the program fails", f"{error} ({problem.id})"
        return
    if list(trace.output) != output_tokens(problem):
        yield "the program does not write the rationale", problem.id
    if problem.extra["style"] == EQUATION:
        stated = list(equations_stated(trace.output))
        for solved in equations_solved(trace):
            if not any(map(solved.is_same, stated)):
                yield "the text does not state the equation that is solved", str(solved)
    if len(set(problem.options)) < len(problem.options):
        yield "two options are the same", f"{problem.options}"
    index = OptionIndex(problem.options)
    correct = problem.options[problem.letters.index(problem.correct or "A")]
    try:
        if correct not in NONE_OF_THESE and index.check_by_value(correct) != problem.correct:
            yield "the right option is not the one found", f"{problem.options}"
    except NumeralError:
        yield "two options have the same value", f"{problem.options}"
    for text in (problem.question, problem.rationale or "", *problem.options):
        if "{" in text or "}" in text:
            yield "a brace is left in the text", text
        if "  " in text or _SPACE_BEFORE_A_SIGN.search(text):
            yield "a space stands before a sign, or twice", text
        if _DECIMALS.search(text):
            for token in tokenise(text):
                if is_number(token) and len(token.partition(".")[2]) > decimals:
                    yield "more decimals than meant", f"{token} in {text}"


def _meant(family: Family) -> int:
    """The most decimals that some slot of the family asks for."""
    forms = [
        slot.form
        for templates in (*family.styles.values(), family.ask, (family.answer,))
        for template in templates
        for slot in template.numbers
    ]
    return max((int(form[1]) for form in forms if form[:1] == "."), default=0)


def _check_values(family: Family, samples: int, seed: int) -> Iterator[Complaint]:
    """Compare the machine's numbers with exact ones, and the styles with one another."""
    met = 0
    tries = 0
    while met < max(samples // 4, 20) and tries < 200 * samples:
        tries += 1
        values = draw_values(family, Draw(seed + 1, tries))
        if values is None:
            continue
        met += 1
        answers: dict[str, tuple[float, ...]] = {}
        drawn = {name: _as_fraction(values[name]) for name in family.numbers}
        for style, steps in family.styles.items():
            exact, machine = dict(drawn), dict(values)
            try:
                for slot, expression in computed(steps):
                    exact[slot.name] = exact_value(expression, exact)
                    if style == EQUATION and slot.evaluate is not None:
                        machine[slot.name] = slot.evaluate(machine)
            except (ValueError, ZeroDivisionError) as error:
                yield Complaint(family.name, f"{style}: {error}")
                return
            for name, value in exact.items():
                if style in (family.reference, EQUATION) and not math.isclose(
                    value, machine[name], rel_tol=1e-9, abs_tol=1e-9
                ):
                    yield Complaint(family.name, f"{name} is {float(value)}, not {machine[name]}")
                    return
            names = [slot.name for slot in family.answer.numbers]
            answers[style] = tuple(round(float(exact[name]), 6) for name in names if name in exact)
        if len(set(answers.values())) > 1:
            yield Complaint(family.name, f"the styles reach different answers: {answers}")
            return
    if met < FEWEST_MET * tries:
        share = f"{met} of {tries}"
        yield Complaint(family.name, f"the conditions are met in {share} draws; narrow the ranges")


def _as_fraction(value: float) -> Fraction:
    return Fraction(int(value)) if value.is_integer() else Fraction(value).limit_denominator(10**6)


def find_disguises(families: Sequence[Family]) -> Iterator[Complaint]:
    """Families that ask nearly the same and compute it the same way."""
    questions: list[str] = []
    owners: list[Family] = []
    solved_by: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    """The places of the questions that are solved by the same operations."""
    for family in families:
        values = next(filter(None, (draw_values(family, Draw(0, k)) for k in range(5000))), None)
        for template in family.ask if values is not None else ():
            rendering = Rendering(Draw(0, 0), values or {})
            rendering.render(template)
            solved_by[_recipe(family)].append(len(questions))
            questions.append(rendering.text)
            owners.append(family)
    near: list[tuple[int, int]] = []
    for places in solved_by.values():
        some = [questions[place] for place in places]
        pairs = HeldOut(some, DISGUISE).pairs(some)
        near += ((places[one], places[other]) for one, other in pairs)
    told: set[tuple[str, str]] = set()
    for one, other in sorted(near):
        first, second = owners[one], owners[other]
        pair = (first.name, second.name)
        if one < other and first is not second and pair not in told:
            told.add(pair)
            yield Complaint(first.name, f"is {second.name} in disguise: {questions[one]}")


def _recipe(family: Family) -> tuple[str, ...]:
    """The operations of the reference steps, in order."""
    steps = computed(family.styles[family.reference])
    return tuple(name for _, expression in steps for name in operations_in(expression))
