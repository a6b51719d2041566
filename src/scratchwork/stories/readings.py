"""Whether the plan of a story is its only sensible reading.

Promises: `has_other_reading` finds numbers of the text that equal the answer, one-step computations
with any two of them that give it, and for two steps with three numbers every other computation in
two steps that gives it, unless it gives the same for all numbers.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from math import inf

from scratchwork.machine.operations import EXTENDED, OperationError
from scratchwork.stories.amounts import Amount, Computed, Constant, Known, steps_in

_NEAR = 1e-9
_OTHERWISE = (3, 17, 7)
"""So much is added to numbers, to tell whether two computations are always the same."""


def has_other_reading(answer: Amount, knowns: Sequence[Known]) -> bool:
    """Whether the numbers of the text give the answer in another simple way."""
    wanted = float(answer.value)
    values = [float(known.value) for known in knowns]
    if _constants(answer) & set(values):
        return True
    if any(abs(value - wanted) < _NEAR for value in values):
        return True
    steps = steps_in(answer)
    used = list(_used(answer))
    if steps <= 2 and len({known.value for known in used}) < len(used):
        return True
    own = _own_pair(answer) if steps == 1 else None
    for i, a in enumerate(values):
        for j, b in enumerate(values[:i]):
            if own != {knowns[i].mark, knowns[j].mark} and _gives(a, b, wanted):
                return True
    if own is not None:
        return len(own) == 2 and _ways(answer, wanted) > 1
    return steps == 2 and len(used) == 3 and _has_other_in_two_steps(answer, used)


def _gives(a: float, b: float, wanted: float) -> bool:
    """Whether one step with two numbers gives what is wanted."""
    near = _NEAR * max(1.0, wanted)
    return (
        abs(a + b - wanted) < near
        or abs(abs(a - b) - wanted) < near
        or abs(a * b - wanted) < near
        or abs(a - wanted * b) < near
        or abs(b - wanted * a) < near
    )


def _ways(answer: Amount, wanted: float) -> int:
    """In how many ways one step with the plan's two numbers gives the answer."""
    assert isinstance(answer, Computed)
    a, b = (float(argument.value) for argument in answer.arguments)
    results = (a + b, abs(a - b), a * b, a / b, b / a)
    return sum(abs(result - wanted) < _NEAR for result in results)


def _own_pair(answer: Amount) -> set[str]:
    if not isinstance(answer, Computed):
        return set()
    return {one.mark for one in answer.arguments if isinstance(one, Known)}


def _used(amount: Amount) -> dict[Known, None]:
    """The numbers of the text that an amount is computed from."""
    if isinstance(amount, Known):
        return {amount: None}
    if isinstance(amount, Constant):
        return {}
    return {known: None for one in amount.arguments for known in _used(one)}


def _constants(amount: Amount) -> set[float]:
    if isinstance(amount, Constant):
        return {float(amount.value)}
    if isinstance(amount, Known):
        return set()
    return set[float]().union(*map(_constants, amount.arguments))


def _has_other_in_two_steps(answer: Amount, used: Sequence[Known]) -> bool:
    values = [float(known.value) for known in used]
    changed = [value + more for value, more in zip(values, _OTHERWISE, strict=True)]
    wanted = float(answer.value)
    by_mark = {known.mark: value for known, value in zip(used, changed, strict=True)}
    try:
        otherwise = _evaluated(answer, by_mark)
    except OperationError:
        # No remainder of these numbers: then every computation with the same result is another.
        otherwise = inf
    results = _in_two_steps(values)
    others = _in_two_steps(changed)
    return any(
        abs(result - wanted) < _NEAR and abs(other - otherwise) > _NEAR
        for result, other in zip(results, others, strict=True)
    )


def _in_two_steps(values: Sequence[float]) -> Iterator[float]:
    """The results of all computations with three numbers, each once."""
    for a, b, c in permutations(values):
        for first in (a + b, a - b, a * b, a / b):
            yield from (first + c, first - c, c - first, first * c, first / c)
            yield c / first if abs(first) > _NEAR else -1.0


def _evaluated(amount: Amount, values: Mapping[str, float]) -> float:
    """The amount's value if the text had other numbers."""
    if isinstance(amount, Known):
        return values[amount.mark]
    if isinstance(amount, Constant):
        return float(amount.value)
    arguments = [_evaluated(one, values) for one in amount.arguments]
    result = EXTENDED[amount.operation].function(*arguments)
    assert isinstance(result, float)
    return result
