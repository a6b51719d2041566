"""Steps: operations on numbers, and pairs of them, as induction finds them.

Promises: a `Derivation` names its operands by value; `value()` recomputes it with the machine's own
operations and gives None where the rules forbid it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from scratchwork.induction.rules import MAY_KEEP, NESTED, apply, is_new, may_nest


@dataclass(frozen=True, slots=True)
class Derivation:
    """An operation on numbers: leaves, by their value, or another step's result."""

    operation: str
    arguments: "tuple[float | Derivation, ...]"

    def value(self) -> float | None:
        """The result by the machine's own operations, or None if the rules forbid it."""
        values: list[float] = []
        nested = False
        for argument in self.arguments:
            if isinstance(argument, Derivation):
                nested = True
                inner = argument.value()
                if inner is None:
                    return None
                values.append(inner)
            else:
                values.append(argument)
        result = apply(self.operation, *values)
        if nested and result is not None and self.operation not in MAY_KEEP:
            return result if is_new(result, values) else None
        return result

    def is_fit_inside(self, outer: str) -> bool:
        """Whether the step may be the first of two, the second being `outer`.

        It must tell something its arguments do not; a common divisor of three may well be one of
        two.
        """
        if not may_nest(outer, self.operation):
            return False
        value = self.value()
        return value is not None and (outer in NESTED or is_new(value, list(self.leaves())))

    def hides_copy(self, target: float) -> bool:
        """Whether a pair of steps starts from the very number it is to derive."""
        return target in self.leaves()

    def leaves(self) -> Iterator[float]:
        """The numbers the step starts from."""
        for argument in self.arguments:
            if isinstance(argument, Derivation):
                yield from argument.leaves()
            else:
                yield argument

    def count(self) -> int:
        """How many operations there are."""
        return 1 + sum(a.count() for a in self.arguments if isinstance(a, Derivation))


class TwoSteps(NamedTuple):
    """Derivations that share their second operation and intermediate value."""

    operation: str
    inner_key: int
    """The intermediate value, by its key in the table of results."""
    leaf: int | None
    """The other argument, if the operation has one."""
    inner_first: bool
