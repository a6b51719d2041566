"""The slow reference: every derivation within the rules, by trying all of them.

It shares nothing with `derivations` but the rules and the machine's operations, and is what that is
tested and measured against. For a handful of numbers only.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from scratchwork.induction.derivation import Derivation
from scratchwork.induction.rules import (
    ANGULAR,
    ARITHMETIC,
    COUNTING,
    NESTED,
    ROUNDING,
    UNARY,
    WHOLE_NUMBERS,
    of_set,
    same,
)
from scratchwork.machine.operations import EXTENDED, OperationSet


def all_derivations(
    target: float, leaves: Sequence[float], operations: OperationSet, depth: int
) -> set[Derivation]:
    """Every step, or pair of steps at depth 2, whose result is the target."""
    singles = list(_singles(leaves, operations))
    found = {step for step in singles if _gives(step, target)}
    if depth > 1:
        pairs = _doubles([step for step in singles if step.value() is not None], leaves, operations)
        found |= {pair for pair in pairs if _gives(pair, target) and not pair.hides_copy(target)}
    return found


def _gives(step: Derivation, target: float) -> bool:
    value = step.value()
    return value is not None and same(value, target)


def _singles(leaves: Sequence[float], operations: OperationSet) -> Iterator[Derivation]:
    unary = (
        *of_set(UNARY, operations),
        *of_set(ANGULAR, operations),
        *of_set(ROUNDING, operations),
    )
    binary = of_set((*ARITHMETIC, *COUNTING, *WHOLE_NUMBERS), operations)
    for name, a in product(unary, leaves):
        yield Derivation(name, (a,))
    for name, (i, a), (j, b) in product(binary, enumerate(leaves), enumerate(leaves)):
        if not EXTENDED[name].commutes or i <= j:
            yield Derivation(name, (a, b))


def _doubles(
    inner: Sequence[Derivation], leaves: Sequence[float], operations: OperationSet
) -> Iterator[Derivation]:
    unary = (
        *of_set(UNARY, operations),
        *of_set(ANGULAR, operations),
        *of_set(ROUNDING, operations),
    )
    binary = of_set((*ARITHMETIC, *COUNTING, *NESTED), operations)
    for step in inner:
        for name in unary:
            if step.is_fit_inside(name):
                yield Derivation(name, (step,))
        for name in binary:
            if step.is_fit_inside(name):
                for leaf in leaves:
                    yield Derivation(name, (step, leaf))
                    if not EXTENDED[name].commutes:
                        yield Derivation(name, (leaf, step))
