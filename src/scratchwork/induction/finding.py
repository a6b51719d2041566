"""Finding derivations: which operations on available numbers give a wanted number.

Promises: `one_step(t)` and `two_steps(t)` find every derivation of `t` that the rules allow, among
those from the numbers added so far. Values are compared up to float noise; `expand` executes each
derivation again.

How: the results of single operations are kept in a table by value. For two operations the second
is inverted for each leaf, and the intermediate value it needs is looked up there: a few hundred
look-ups instead of millions of trials.

Does not cover: differences of numbers more than a million times larger, whose last digits floats
have lost.
Memory: the table grows with the square of the count of different numbers in a problem.
"""

import math
from collections.abc import Iterator
from functools import cache

import numpy as np

from scratchwork.induction.derivation import Derivation, TwoSteps
from scratchwork.induction.rounding import Rounding
from scratchwork.induction.rules import (
    COUNTING,
    MOST_THINGS,
    NESTED,
    ROUNDING,
    UNARY,
    apply,
    may_nest,
    of_set,
    same,
)
from scratchwork.induction.tables import (
    LEAF_BITS,
    MOST_LEAVES,
    NAMES,
    NEAR,
    NO_LEAF,
    Floats,
    ResultTable,
    constants_alone,
    exponents_among,
    keys_near,
    note_whole_results,
    table_key,
    table_keys,
    tabulate,
    tabulate_angles,
)
from scratchwork.machine.operations import OperationSet


class DerivationFinder:
    """The numbers available so far, and what one operation makes of them."""

    def __init__(self, operations: OperationSet) -> None:
        base = constants_alone(operations.name)
        self.operations = operations
        self.leaves: list[float] = list(base.leaves)
        self.leaf_of: dict[float, int] = {value: k for k, value in enumerate(self.leaves)}
        self._base, self._base_angles = base.table, base.angles
        self._table: ResultTable = {}
        self._angles: dict[int, list[TwoSteps]] = {}
        self.array = np.array(self.leaves)
        self._unary_names = of_set(UNARY, operations)
        self._rounding_names = of_set(ROUNDING, operations)
        self._counting_names = of_set(COUNTING, operations)
        self._nested_names = of_set(NESTED, operations)
        self._whole_results = {name: dict(base.whole_results[name]) for name in NESTED}
        self.rounding = Rounding(self)

    def add(self, value: float) -> int:
        """Make a number available, and return its leaf."""
        known = self.leaf_of.get(value)
        if known is not None:
            return known
        leaf = len(self.leaves)
        if leaf >= NO_LEAF:
            return -1
        self.leaves.append(value)
        self.leaf_of[value] = leaf
        self.array = np.append(self.array, value)
        tabulate(self._table, self.array, leaf, self.operations)
        tabulate_angles(self._angles, value)
        if self._nested_names and value.is_integer() and value > 0:
            note_whole_results(self._whole_results, self.leaves, value)
        return leaf

    def one_step(self, target: float) -> list[int]:
        """The codes of the steps whose result may be the target."""
        return [code for key in keys_near(target) for code in self.codes(key)]

    def single(self, code: int, target: float) -> Derivation | None:
        """The step of a code, if it derives the target."""
        step = self.step(code)
        value = step.value()
        return step if value is not None and same(value, target) else None

    def codes(self, key: int) -> Iterator[int]:
        """The codes of the steps whose result has this key."""
        yield from self._base.get(key, ())
        yield from self._table.get(key, ())

    def step(self, code: int) -> Derivation:
        """The step a code stands for."""
        second = code & NO_LEAF
        first = (code >> LEAF_BITS) & NO_LEAF
        name = NAMES[code >> (2 * LEAF_BITS)]
        if second == NO_LEAF:
            return Derivation(name, (self.leaves[first],))
        return Derivation(name, (self.leaves[first], self.leaves[second]))

    def leaves_of(self, code: int) -> tuple[int, ...]:
        """The leaves a code's step uses."""
        second = code & NO_LEAF
        first = (code >> LEAF_BITS) & NO_LEAF
        return (first,) if second == NO_LEAF else (first, second)

    def two_steps(self, target: float) -> list[TwoSteps]:
        """The pairs of steps that may derive the target, by their intermediate values."""
        found = self._arithmetic(target)
        found += self._unary(target)
        found += self._counting(target)
        if self._nested_names and target.is_integer() and target > 0:
            found += self._nested(target)
        return found

    def _arithmetic(self, target: float) -> list[TwoSteps]:
        names, needed, inner_first = _inverted(target, self.array, self.operations)
        columns = needed.shape[1]
        low = table_keys(needed * (1 - NEAR)).ravel().tolist()
        high = table_keys(needed * (1 + NEAR)).ravel().tolist()
        base, table = self._base, self._table
        found: list[TwoSteps] = []
        for at, (key, other) in enumerate(zip(low, high, strict=True)):
            if key in base or key in table:
                row, leaf = divmod(at, columns)
                found.append(TwoSteps(names[row], key, leaf, inner_first[row]))
            if other != key and (other in base or other in table):
                row, leaf = divmod(at, columns)
                found.append(TwoSteps(names[row], other, leaf, inner_first[row]))
        return found

    def expand(
        self,
        two: TwoSteps,
        target: float,
        available: int = MOST_LEAVES,
        only: frozenset[float] | None = None,
    ) -> Iterator[Derivation]:
        """The pairs of steps that derive the target from the first `available` leaves.

        `only` allows no other leaves than these.
        """
        other = None if two.leaf is None else self.leaves[two.leaf]
        if two.leaf is not None and two.leaf >= available:
            return
        if only is not None and other is not None and other not in only:
            return
        for code in self.codes(two.inner_key):
            leaves = self.leaves_of(code)
            if leaves[0] >= available or leaves[-1] >= available:
                continue
            if only is not None and not all(self.leaves[leaf] in only for leaf in leaves):
                continue
            if not may_nest(two.operation, NAMES[code >> (2 * LEAF_BITS)]):
                continue
            inner = self.step(code)
            if not inner.is_fit_inside(two.operation):
                continue
            arguments = (inner,) if other is None else (inner, other)
            step = Derivation(two.operation, arguments if two.inner_first else arguments[::-1])
            if step.hides_copy(target):
                continue
            value = step.value()
            if value is not None and same(value, target):
                yield step

    def _unary(self, target: float) -> list[TwoSteps]:
        found: list[TwoSteps] = []
        for name in self._unary_names:
            for inner in _unary_inverses(name, target):
                found += (TwoSteps(name, key, None, True) for key in keys_near(inner))
        for key in keys_near(target):
            found += self._base_angles.get(key, ())
            found += self._angles.get(key, ())
        if self._rounding_names and target.is_integer():
            near = self.rounding.near_results(target, 1.0)  # to be rounded down or up
            found += [
                TwoSteps(name, key, None, True) for name in self._rounding_names for key in near
            ]
        return found

    def _nested(self, target: float) -> list[TwoSteps]:
        """Common divisors and multiples of three numbers."""
        found: list[TwoSteps] = []
        whole = [(leaf, n) for leaf, n in enumerate(self.leaves) if n > 0 and n.is_integer()]
        for name in self._nested_names:
            is_divisor = name == "Gcd"
            combine = math.gcd if is_divisor else math.lcm
            others = [(leaf, int(n)) for leaf, n in whole if _divides(target, n, is_divisor)]
            for key, value in self._whole_results[name].items():
                if _divides(target, value, is_divisor):
                    for leaf, other in others:
                        if combine(int(value), other) == target:
                            found.append(TwoSteps(name, key, leaf, True))
        return found

    def _counting(self, target: float) -> list[TwoSteps]:
        found: list[TwoSteps] = []
        for name in self._counting_names:
            for n, k in _ways_to_count(name).get(target, ()):
                for inner, other, inner_first in ((n, k, True), (k, n, False)):
                    leaf = self.leaf_of.get(other)
                    if leaf is not None:
                        found.append(TwoSteps(name, table_key(inner), leaf, inner_first))
        return found


def _divides(target: float, number: float, is_divisor: bool) -> bool:
    """Whether the target may be a common divisor, or else multiple, of a number and another."""
    return number % target == 0 if is_divisor else target % number == 0


def _inverted(
    target: float, leaves: Floats, operations: OperationSet
) -> tuple[list[str], Floats, list[bool]]:
    """What the intermediate value would have to be, by operation (rows) and leaf (columns)."""
    names = ["Add", "Subtract", "Subtract", "Multiply", "Divide", "Divide", "Power", "Power"]
    inner_first = [True, True, False, True, True, False, True, False]
    with np.errstate(all="ignore"):
        exponents = np.where(exponents_among(leaves), leaves, np.nan)
        rows = [
            target - leaves,
            target + leaves,
            leaves - target,
            target / leaves,
            target * leaves,
            leaves / target,
            np.float64(target) ** (1 / exponents),
            np.log(target) / np.log(np.where(leaves > 0, leaves, np.nan)),
        ]
        if "Percent" in operations:
            names += ["Percent", "Percent"]
            inner_first += [True, False]
            rows += [100 * target / leaves] * 2
    return names, np.stack(rows), inner_first


def _unary_inverses(name: str, target: float) -> tuple[float, ...]:
    """What an operation of one number may have been applied to."""
    match name:
        case "Sqrt":
            return (target * target,) if target > 0 else ()
        case "Log":
            return (10**target,) if abs(target) < 15 else ()
        case "Factorial":
            n = _FACTORIALS.get(target)
            return () if n is None else (n,)
        case "Degrees_to_Radians":
            return (math.degrees(target),)
        case "Radians_to_Degrees":
            return (math.radians(target),)
        case _:
            return (target, -target)


_FACTORIALS = {float(math.factorial(n)): float(n) for n in range(3, 18)}


@cache
def _ways_to_count(name: str) -> dict[float, list[tuple[float, float]]]:
    """For each result of choosing or arranging, the numbers that give it."""
    ways: dict[float, list[tuple[float, float]]] = {}
    for n in range(2, MOST_THINGS + 1):
        for k in range(1, n + 1):
            result = apply(name, float(n), float(k))
            if result is not None:
                ways.setdefault(result, []).append((float(n), float(k)))
    return ways
