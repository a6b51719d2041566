"""Fractions that a question writes in three pieces (`1 / 2`, as MathQA does) as one number.

Promises: `closed` gives the problem with its text repaired (problems.normalise), which is how the
solver will read others, and plans for it: where a plan divides one piece by the other, it has the
fraction; where it has the 1 of `1 / 2` by itself, it has the constant. If every plan uses a piece
otherwise, problem and plans come back as they were.
"""

from collections.abc import Collection, Mapping, Sequence

from scratchwork.plans.plan import Argument, Constant, Given, Plan, PlanStep, Result, needed
from scratchwork.problems.normalise import normalise
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import tokenise


def closed(problem: Problem, plans: Sequence[Plan]) -> tuple[Problem, list[Plan]]:
    """The problem with its fractions closed, and its plans."""
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
                return Constant("1") if place in ones else None
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
    return needed(steps, answer) if isinstance(answer, Result) else None
