"""The shapes of plans: which operations hang together how, without the numbers.

Promises: `plan_shape` gives the same text for two plans exactly if they differ in their numbers
alone, or in the order of the arguments where that does not matter.
"""

from scratchwork.machine.operations import EXTENDED
from scratchwork.plans.plan import Argument, Given, Plan, PlanConstant, Result


def plan_shape(plan: Plan) -> str:
    """`Add(Multiply(n, n), n)`; `n` is a number of the question, `c` a constant."""

    def shape_of(argument: Argument) -> str:
        match argument:
            case Given():
                return "n"
            case PlanConstant():
                return "c"
            case Result(step):
                operation, arguments = plan.steps[step].operation, plan.steps[step].arguments
                shapes = [shape_of(one) for one in arguments]
                if EXTENDED[operation].commutes:
                    shapes.sort()
                return f"{operation}({', '.join(shapes)})"
            case _:
                return "x"

    return shape_of(plan.answer)
