"""How a problem's plan lies in its texts: in the rationale, and in a question that is repaired.

Promises: `items_of` reads a rationale as the wording of a plan: every number in it is one of the
question's, a result of the plan or a documented constant, and the stated letter is the label. A
rationale with any other number is not one of this plan, and gives None.

`with_whole_fractions` repairs a question that writes fractions in three pieces (`1 / 2`, as MathQA
does; see problems.normalise), which is how the solver will read others, and gives plans for it:
where a plan divides one piece by the other, it has the fraction; where it has the 1 of `1 / 2` by
itself, it has the constant. If every plan uses a piece otherwise, problem and plans come back as
they were.
"""

from collections.abc import Collection, Mapping, Sequence

from scratchwork.induction.statements import letter_positions
from scratchwork.machine.constants import CONSTANT_VALUES
from scratchwork.machine.execution import ExecutionError
from scratchwork.machine.operations import EXTENDED, Value
from scratchwork.machine.writing import writing
from scratchwork.plans.compiling import RationaleItem, StatedLetter, WrittenResult, results_of
from scratchwork.plans.plan import (
    Argument,
    Given,
    Plan,
    PlanConstant,
    PlanStep,
    PlanWord,
    Result,
    prune,
)
from scratchwork.problems.normalise import normalise
from scratchwork.problems.numerals import number_of
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import is_number, tokenise
from scratchwork.solver.symbols import CONSTANT_NUMERALS

_RESULT_SIGNS = frozenset("= is are -> => → : ≈ ~ get gives equals".split())


def items_of(problem: Problem, plan: Plan) -> list[RationaleItem] | None:
    """The items of a problem's rationale, if it tells the plan."""
    tokens = tokenise(problem.rationale or "")
    question = tokenise(problem.question)
    try:
        results = results_of(plan.steps, problem)
    except ExecutionError:
        return None
    letters = letter_positions(tokens, problem.correct)
    items: list[RationaleItem] = []
    for k, token in enumerate(tokens):
        if k + 1 in letters:
            items.append(StatedLetter())
        elif is_number(token):
            before = tokens[k - 1].lower() if k else ""
            item = _number(token, question, results, before in _RESULT_SIGNS)
            if item is None:
                return None
            items.append(item)
        else:
            items.append(token)
    return items


def _number(
    token: str, question: Sequence[str], results: Sequence[Value], is_result: bool
) -> RationaleItem | None:
    """What a number of the rationale is: behind a sign of equality rather a result."""
    computed = _result(token, results)
    if computed is not None and is_result:
        return computed
    if token in question:
        return Given(question.index(token) + 1)
    if computed is not None:
        return computed
    return PlanConstant(token) if token in CONSTANT_NUMERALS and token in CONSTANT_VALUES else None


def _result(token: str, results: Sequence[Value]) -> WrittenResult | None:
    """The last result that is written as the token."""
    value = number_of(token)
    for k, result in reversed(list(enumerate(results))):
        if value is None or not isinstance(result, float) or abs(result - value) > 0.5:
            continue
        how = writing(result, token, EXTENDED)
        if how is not None and (how.places is None or how.places <= 3):
            return WrittenResult(Result(k), how)
    return None


def with_whole_fractions(problem: Problem, plans: Sequence[Plan]) -> tuple[Problem, list[Plan]]:
    """The problem with its fractions as single numbers, and its plans."""
    repaired = normalise(problem)
    tokens = tokenise(problem.question)
    moved = _moved(tokens, tokenise(repaired.question))
    if moved is None:
        return problem, list(plans)
    ones = {k for k, token in enumerate(tokens, 1) if token == "1"}
    translated = [new for plan in plans if (new := _translated(plan, ones, *moved)) is not None]
    return (repaired, translated) if translated or not plans else (problem, list(plans))


def _moved(
    old: Sequence[str], new: Sequence[str]
) -> tuple[dict[int, int], dict[tuple[int, int], int]] | None:
    """The new place of every token, and of every pair of pieces of a fraction; places are counted
    from 1. None if more than fractions has changed."""
    places: dict[int, int] = {}
    pairs: dict[tuple[int, int], int] = {}
    at = 0
    for k, token in enumerate(new, 1):
        if old[at : at + 1] == [token]:
            at += 1
            places[at] = k
        elif "/" in token and tuple(old[at : at + 3]) == token.partition("/"):
            pairs[at + 1, at + 3] = k
            at += 3
        else:
            return None
    return (places, pairs) if at == len(old) else None


def _translated(
    plan: Plan,
    ones: Collection[int],
    places: Mapping[int, int],
    pairs: Mapping[tuple[int, int], int],
) -> Plan | None:
    """The plan with new places; none if it uses a piece of a fraction otherwise than in it."""

    def moved(argument: Argument) -> Argument | None:
        match argument:
            case Result(step):
                return meanings[step]
            case Given(place) if place in places:
                return Given(places[place])
            case Given(place):
                return PlanConstant("1") if place in ones else None
            case PlanWord(text, place):
                return PlanWord(text, places.get(place, 0))
            case _:
                return argument

    steps: list[PlanStep] = []
    meanings: list[Argument] = []
    for step in plan.steps:
        match step:
            case PlanStep("Divide", (Given(a), Given(b))) if (a, b) in pairs:
                meanings.append(Given(pairs[a, b]))
                continue
            case _:
                arguments = [moved(argument) for argument in step.arguments]
        known = [argument for argument in arguments if argument is not None]
        if len(known) < len(arguments):
            return None
        meanings.append(Result(len(steps)))
        steps.append(PlanStep(step.operation, tuple(known)))
    answer = moved(plan.answer)
    return prune(steps, answer) if isinstance(answer, Result) else None
