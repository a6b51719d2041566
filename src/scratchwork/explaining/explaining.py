"""Plans explained in either style.

Promises: `explain` gives the executed program of a plan with its explanation as the rationale, or
raises `ExecutionError` where a step cannot be applied or the answer matches no option.
"""

from scratchwork.explaining.sentences import explain_in_sentences
from scratchwork.explaining.styles import Style
from scratchwork.explaining.terse import explain_plan
from scratchwork.machine.traces import Trace
from scratchwork.plans.plan import Plan
from scratchwork.problems.problem import Problem


def explain(plan: Plan, problem: Problem, style: Style) -> Trace:
    """The executed program of a plan with its explanation in a style as the rationale."""
    if style == "terse":
        return explain_plan(plan, problem)
    return explain_in_sentences(plan, problem)
