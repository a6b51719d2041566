"""Which steps of a plan share a calculation.

Promises: a `Joining` says which steps are written inside the step that uses them: products and sums
of several numbers, factors of a change of units such as 5/18, percentages of something, and what
would have to be rounded in between. Steps that change nothing are the number they started from. No
calculation has more than `MOST_JOINED` numbers, a sum or product twice as many; every other step is
written at least once, in its own calculation or another.

Does not cover: how it is written; see `calculations`.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scratchwork.machine.constants import CONSTANT_VALUES
from scratchwork.machine.operations import Value
from scratchwork.plans.plan import Argument, Plan, PlanConstant, PlanStep, Result

MOST_JOINED = 4
"""Numbers in a calculation of several steps, at most."""

_PRODUCTS = frozenset(("Multiply", "Divide"))
_ARITHMETIC = _PRODUCTS | {"Add", "Subtract"}
_TAKES_CALCULATIONS = _ARITHMETIC | {"Percent", "Sqrt"}
_OF_ANGLES = frozenset(("Sine", "Cosine", "Tangent"))
_NEUTRAL = {"Add": 0.0, "Subtract": 0.0, "Multiply": 1.0, "Divide": 1.0, "Power": 1.0}
_LEAVE_SOME = frozenset(("Round", "Floor", "Ceiling", "Absolute"))
"""Operations that leave some numbers as they are."""
_EITHER_SIDE = frozenset(("Add", "Multiply"))


@dataclass(frozen=True, slots=True)
class Joining:
    """What is written inside what."""

    joined: frozenset[int]
    """Steps whose calculation stands inside that of the step that uses them."""
    factors: frozenset[int]
    """Quotients of constants, written as fractions."""
    same: Mapping[int, Argument]
    """For steps that change nothing, the number they start from."""
    shares: Mapping[int, tuple[Argument, Argument]]
    """For steps that take a percentage of a number, both of these."""
    stated: tuple[int, ...]
    """The steps that have a calculation of their own."""


def joining_of(
    plan: Plan,
    results: Sequence[Value],
    is_percentage: Callable[[Argument], bool],
    is_rounded: Callable[[float], bool] = lambda _: False,
) -> Joining:
    """How a plan's steps are joined; what would be rounded is joined with what uses it."""
    steps = plan.steps
    same = {k: kept for k in range(len(steps)) if (kept := _kept(steps, k, results)) is not None}
    last = resolved(plan.answer, same)
    factors = frozenset(
        k
        for k, step in enumerate(steps)
        if _is_factor(step) and k not in same and Result(k) != last
    )
    users = _users(plan, same)
    shares, hundredths = _shares(plan, same, users, is_percentage)
    pis = (k for k, step in enumerate(steps) if is_pi(step))
    silent = {*same, *factors, *hundredths, *pis}
    sizes = [0] * len(steps)
    alike = [True] * len(steps)
    joined: set[int] = set()
    for k, step in enumerate(steps):
        used = [resolved(part, same) for part in shares.get(k, step.arguments)]
        inside = [
            one.step
            for one in used
            if isinstance(one, Result)
            and one.step not in silent
            and users[one.step] == 1
            and isinstance(results[k], float)
            and k not in shares
            and one.step not in shares
            and _joins(steps, one.step, k, results, is_rounded)
        ]
        sizes[k] = len(used)
        for one in inside:
            is_alike = alike[one] and steps[one].operation == step.operation in _EITHER_SIDE
            most = 2 * MOST_JOINED if is_alike else MOST_JOINED
            if sizes[k] + sizes[one] - 1 <= most and k not in silent:
                sizes[k] += sizes[one] - 1
                alike[k] = alike[k] and is_alike
                joined.add(one)
    stated = (
        k
        for k, result in enumerate(results)
        if isinstance(result, float) and k not in joined and k not in silent
    )
    return Joining(frozenset(joined), factors, same, shares, tuple(stated))


def _shares(
    plan: Plan,
    same: Mapping[int, Argument],
    users: Counter[int],
    is_percentage: Callable[[Argument], bool],
) -> tuple[dict[int, tuple[Argument, Argument]], set[int]]:
    """The steps that take a percentage of a number, and those that only prepare for it."""
    steps = plan.steps
    shares = {
        k: (step.arguments[0], step.arguments[1])
        for k, step in enumerate(steps)
        if step.operation == "Percent"
    }
    prepared = Counter[int]()
    for k, step in enumerate(steps):
        arguments = [resolved(argument, same) for argument in step.arguments]
        for j, one in enumerate(arguments):
            if k in shares or not isinstance(one, Result):
                continue
            first, second = (resolved(part, same) for part in (*steps[one.step].arguments, one)[:2])
            inner = steps[one.step].operation
            if step.operation == "Multiply" and inner == "Divide" and is_percentage(first):
                if _constant(second) == 100:
                    shares[k] = first, arguments[1 - j]
                    prepared[one.step] += 1
            elif step.operation == "Divide" and inner == "Multiply" and users[one.step] == 1:
                if j == 0 and _constant(arguments[1]) == 100 and is_percentage(first):
                    shares[k] = first, second
                    prepared[one.step] += 1
                elif j == 0 and _constant(arguments[1]) == 100 and is_percentage(second):
                    shares[k] = second, first
                    prepared[one.step] += 1
    return shares, {j for j, count in prepared.items() if count == users[j]}


def resolved(argument: Argument, same: Mapping[int, Argument]) -> Argument:
    """The number that an argument is, if steps that change nothing are passed over."""
    while isinstance(argument, Result) and argument.step in same:
        argument = same[argument.step]
    return argument


def is_pi(step: PlanStep) -> bool:
    """Whether a step makes the number π: a straight angle in radians."""
    return step.operation == "Degrees_to_Radians" and step.arguments == (PlanConstant("180"),)


def has_parts(plan: Plan, joining: Joining) -> bool:
    """Whether a quotient of constants is a part of a whole, such as 3/4, not a change of units."""
    factors = (plan.steps[k].arguments for k in joining.factors)
    return any({_constant(one) for one in arguments} != {5.0, 18.0} for arguments in factors)


def _kept(steps: Sequence[PlanStep], k: int, results: Sequence[Value]) -> Argument | None:
    """The number that a step leaves as it is; None if it changes it."""
    operation, arguments = steps[k].operation, steps[k].arguments
    if operation in _LEAVE_SOME:
        is_left = isinstance(arguments[0], Result) and results[arguments[0].step] == results[k]
        return arguments[0] if is_left else None
    if operation in _PRODUCTS and (undone := _undone(steps, k)) is not None:
        return undone
    neutral = _NEUTRAL.get(operation)
    if neutral is None:
        return None
    first, second = arguments
    if _constant(second) == neutral:
        return first
    return second if _constant(first) == neutral and operation in _EITHER_SIDE else None


def _undone(steps: Sequence[PlanStep], k: int) -> Argument | None:
    """The number of which a step only takes back what was done with a constant."""
    first, second = steps[k].arguments
    if not isinstance(first, Result) or not isinstance(second, PlanConstant):
        return None
    before = steps[first.step]
    is_opposite = {before.operation, steps[k].operation} == {"Multiply", "Divide"}
    return before.arguments[0] if is_opposite and before.arguments[1] == second else None


def _constant(argument: Argument) -> float | None:
    return CONSTANT_VALUES.get(argument.numeral) if isinstance(argument, PlanConstant) else None


def _is_factor(step: PlanStep) -> bool:
    """Whether a step divides constants into a proper part, as in 5/18."""
    if step.operation != "Divide":
        return False
    values = [_constant(argument) for argument in step.arguments]
    first, second = values
    if first is None or second is None or not (first.is_integer() and second.is_integer()):
        return False
    return first % second != 0 and first * second <= 1000


def _users(plan: Plan, same: Mapping[int, Argument]) -> Counter[int]:
    """How often each step's result is used, the answer being one use."""
    used = [
        resolved(argument, same)
        for k, step in enumerate(plan.steps)
        if k not in same
        for argument in step.arguments
    ]
    # The answer is never written inside anything.
    used += [resolved(plan.answer, same)] * 2
    return Counter(one.step for one in used if isinstance(one, Result))


def _joins(
    steps: Sequence[PlanStep],
    inner: int,
    outer: int,
    results: Sequence[Value],
    is_rounded: Callable[[float], bool],
) -> bool:
    """Whether a step is written inside the step that uses it."""
    first, then = steps[inner], steps[outer]
    value = results[inner]
    if first.operation == "Degrees_to_Radians" and then.operation in _OF_ANGLES:
        return True
    if not isinstance(value, float) or first.operation not in _ARITHMETIC:
        return False
    if then.operation in _TAKES_CALCULATIONS and is_rounded(value):
        return True
    if any(isinstance(one, Result) and _is_factor(steps[one.step]) for one in first.arguments):
        return False
    if first.operation == then.operation and first.operation in _EITHER_SIDE:
        # A number that a constant made is rather a step of its own, as 4 m × 100 is.
        with_pi = any(isinstance(one, Result) and is_pi(steps[one.step]) for one in then.arguments)
        return (
            first.operation == "Add" or not _has_constant(first) or with_pi or _has_constant(then)
        )
    if not {first.operation, then.operation} <= _PRODUCTS:
        return False
    is_by_constant = isinstance(then.arguments[1], PlanConstant) and then.operation == "Divide"
    is_product_divided = is_by_constant and first.operation == "Multiply"
    return is_product_divided or (_has_constant(first) and _has_constant(then))


def _has_constant(step: PlanStep) -> bool:
    return any(isinstance(argument, PlanConstant) for argument in step.arguments)
