"""Which rationales tell a plan, and how.

Promises: `items_of` reads a rationale as the telling of a plan: every number in it is one of the
question's, a result of the plan or a documented constant, and the stated letter is the label. A
rationale with any other number tells something else, and gives None.
"""

from collections.abc import Sequence

from scratchwork.induction.letters import letter_positions
from scratchwork.machine.constants import CONSTANT_VALUES
from scratchwork.machine.execution import ExecutionError
from scratchwork.machine.operations import EXTENDED
from scratchwork.machine.writing import writing
from scratchwork.plans.plan import Constant, Given, Plan, Result
from scratchwork.plans.rationale import Item, Letter, Written, results_of
from scratchwork.problems.numerals import number_of
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import is_number, tokenise
from scratchwork.solver.symbols import CONSTANTS

_RESULT_SIGNS = frozenset("= is are -> => → : ≈ ~ get gives equals".split())


def items_of(problem: Problem, plan: Plan) -> list[Item] | None:
    """The items of a problem's rationale, if it tells the plan."""
    tokens = tokenise(problem.rationale or "")
    question = tokenise(problem.question)
    try:
        results = results_of(plan, problem)
    except ExecutionError:
        return None
    letters = letter_positions(tokens, problem.correct)
    items: list[Item] = []
    for k, token in enumerate(tokens):
        if k + 1 in letters:
            items.append(Letter())
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
    token: str, question: Sequence[str], results: Sequence[float], is_result: bool
) -> Item | None:
    """What a number of the rationale is: behind a sign of equality rather a result."""
    computed = _result(token, results)
    if computed is not None and is_result:
        return computed
    if token in question:
        return Given(question.index(token) + 1)
    if computed is not None:
        return computed
    return Constant(token) if token in CONSTANTS and token in CONSTANT_VALUES else None


def _result(token: str, results: Sequence[float]) -> Written | None:
    """The last result that is written as the token."""
    value = number_of(token)
    for k in reversed(range(len(results))):
        if value is None or abs(results[k] - value) > 0.5:
            continue
        how = writing(results[k], token, EXTENDED)
        if how is not None and (how.places is None or how.places <= 3):
            return Written(Result(k), how)
    return None
