"""Rounding: numbers that are the wanted one only when rounded.

Promises: `written_rounded` finds results that a numeral shows rounded, their full value being kept;
`round_steps` finds what the operation `Round` makes the number. Only with the extended operations.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scratchwork.induction.derivation import Derivation
from scratchwork.induction.rules import (
    TABLE_PLACES,
    WRITTEN_ROUNDED,
    WRITTEN_WITH_DECIMALS,
    apply,
    same,
)
from scratchwork.induction.tables import Floats, exponents_among, table_keys
from scratchwork.machine.operations import MOST_PLACES
from scratchwork.machine.writing import decimals

if TYPE_CHECKING:
    from scratchwork.induction.finding import DerivationFinder


class Rounding:
    """Finds rounded numbers among the results of the numbers available."""

    def __init__(self, numbers: "DerivationFinder") -> None:
        self._numbers = numbers
        self._fits: dict[int, tuple[Derivation, float] | None] = {}
        self._firsts: dict[tuple[str, int, int, str], Derivation | None] = {}
        self._roundable_of = 0
        self._roundable_now = (np.zeros(0), np.zeros(0, np.int64))
        self._tables: dict[str, Floats] = {}

    def written_rounded(self, target: float, numeral: str) -> Iterator[Derivation]:
        """Quotients, roots and products that are the target only when rounded as it is written.

        Those of one operation; for numerals with decimals also a quotient or product of the result
        of another.
        """
        places = decimals(numeral)
        if (
            "Float_to_Decimal" not in self._numbers.operations
            or places > MOST_PLACES
            or "/" in numeral
        ):
            return
        half = 0.5 * 10.0**-places * (1 + 1e-9)
        for name in WRITTEN_WITH_DECIMALS if places else WRITTEN_ROUNDED:
            yield from self._near(name, target, half)
        if places:
            yield from self._near_by_two(target, half)

    def _near(self, name: str, target: float, half: float) -> Iterator[Derivation]:
        leaves = self._numbers.leaves
        if name == "Sqrt":
            with np.errstate(invalid="ignore"):
                near = np.abs(np.sqrt(self._numbers.array) - target) <= half
            for k in np.nonzero(near)[0].tolist():
                yield from _rounding(Derivation(name, (leaves[k],)), target)
            return
        table = self._results(name)
        for i, j in np.argwhere(np.abs(table - target) <= half).tolist():
            if name != "Multiply" or i <= j:
                yield from _rounding(Derivation(name, (leaves[i], leaves[j])), target)

    def _near_by_two(self, target: float, half: float) -> Iterator[Derivation]:
        """Products and quotients, of the result of a product or quotient, near the target."""
        leaves = self._numbers.leaves
        count = len(leaves)
        for inner_name in ("Multiply", "Divide"):
            inner = self._results(inner_name).ravel()
            with np.errstate(all="ignore"):
                for leaf in leaves:
                    for name, result in (("Multiply", inner * leaf), ("Divide", inner / leaf)):
                        for at in np.nonzero(np.abs(result - target) <= half)[0].tolist():
                            i, j = divmod(at, count)
                            if inner_name == "Multiply" and i > j:
                                continue
                            if target in (leaf, leaves[i], leaves[j]):
                                continue
                            first = self._first_of_two(inner_name, i, j, name)
                            if first is not None:
                                yield from _rounding(Derivation(name, (first, leaf)), target)

    def _first_of_two(self, name: str, i: int, j: int, outer: str) -> Derivation | None:
        """The derivation from two leaves, if it may be followed by the outer operation.

        It is asked for again with every leaf that may follow; the derivation is made once.
        """
        asked = (name, i, j, outer)
        if asked not in self._firsts:
            leaves = self._numbers.leaves
            first = Derivation(name, (leaves[i], leaves[j]))
            self._firsts[asked] = first if first.is_fit_inside(outer) else None
        return self._firsts[asked]

    def _results(self, name: str) -> Floats:
        """What an operation makes of any two leaves."""
        leaves = self._numbers.array
        table = self._tables.get(name)
        if table is None or len(table) != len(leaves):
            with np.errstate(all="ignore"):
                table = self._tables[name] = _TABLES[name](leaves[:, None], leaves[None, :])
        return table

    def near_results(self, target: float, distance: float) -> list[int]:
        """The keys of results that may be rounded and lie at most this far from the target."""
        values, keys = self._roundable()
        near = np.abs(values - target) <= distance
        return sorted(set(keys[near].tolist()))

    def _roundable(self) -> tuple[Floats, NDArray[np.int64]]:
        """The results that may be rounded, with their keys."""
        if self._roundable_of != len(self._numbers.leaves):
            a = self._numbers.array
            with np.errstate(all="ignore"):
                rows = [
                    *(self._results(name).ravel() for name in ("Divide", "Multiply", "Percent")),
                    np.sqrt(a),
                    np.log10(a),
                    (np.where(a > 0, a, np.nan)[:, None] ** a[exponents_among(a)][None, :]).ravel(),
                ]
            values = np.concatenate(rows)
            values = values[np.isfinite(values)]
            self._roundable_now = (values, table_keys(values))
            self._roundable_of = len(self._numbers.leaves)
        return self._roundable_now

    def round_steps(self, target: float, numeral: str, copied: bool) -> Iterator[Derivation]:
        """Leaves and results that an operation rounds to the target.

        They are rounded to the decimals written, or to four as tables have them. A number that is
        `copied` is not rounded to itself.
        """
        written = decimals(numeral)
        if "Round" not in self._numbers.operations or written > MOST_PLACES or "/" in numeral:
            return
        for places in dict.fromkeys((written, max(written, TABLE_PLACES))):
            half = 0.5 * 10.0**-places * (1 + 1e-9)
            for k in np.nonzero(np.abs(self._numbers.array - target) <= half)[0].tolist():
                leaf = self._numbers.leaves[k]
                step = Derivation("Round", (leaf, float(places)))
                value = step.value()
                itself = copied and leaf == target
                if value is not None and same(value, target) and not itself:
                    yield step
            for key in self.near_results(target, half):
                for code in self._numbers.codes(key):
                    fit = self._fit_to_round(code)
                    if fit is not None:
                        yield from _rounded(*fit, float(places), target)

    def _fit_to_round(self, code: int) -> tuple[Derivation, float] | None:
        """The step of a code with its result, if that may be rounded.

        A code is asked for again for every number near its result; the step is made once.
        """
        if code not in self._fits:
            step = self._numbers.step(code)
            value = step.value() if step.is_fit_inside("Round") else None
            self._fits[code] = None if value is None else (step, value)
        return self._fits[code]


_TABLES: dict[str, Callable[[Floats, Floats], Floats]] = {
    "Multiply": np.multiply,
    "Divide": np.divide,
    "Percent": lambda a, b: a * b / 100,
}


def _rounded(inner: Derivation, value: float, places: float, target: float) -> Iterator[Derivation]:
    """The rounding of a step of this value, if it gives the target, which is none of its leaves."""
    rounded = apply("Round", value, places)
    if rounded is not None and same(rounded, target) and target not in (*inner.leaves(), places):
        yield Derivation("Round", (inner, places))


def _rounding(step: Derivation, target: float) -> Iterator[Derivation]:
    """The step, if its result is not the target itself, and is not made from it."""
    value = step.value()
    if value is not None and not same(value, target) and target not in set(step.leaves()):
        yield step
