"""Units as products of base units and nouns: `km·h^-1`, `$·kg^-1`, `hat`.

Promises: `Unit` multiplies, divides and takes powers and roots exactly; `dimension` is what it
measures, nouns left out, since people count things beside measuring them; `converted` gives the
units that a number may have after multiplying it by a constant. Units never grow beyond a bound:
what would is None.

Does not cover: sums (see `combining`), and how a unit is written (see `wording`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import isclose

from scratchwork.quantities.unit_table import BASES, Dimension, ratios_between

_MOST_FACTORS = 5
_LARGEST_EXPONENT = 6
_CACHED = 1 << 14
_CUBES_AND_SQUARES: Mapping[str, tuple[tuple[str, int, float], ...]] = {
    "l": (("m", 3, 1e-3), ("cm", 3, 1e3)),
    "ml": (("cm", 3, 1.0),),
    "hectare": (("m", 2, 1e4),),
    "acre": (("yard", 2, 4840.0),),
}
"""Units that are also told by an edge, its power, and how many of that make one."""
_EDGES: Mapping[str, tuple[tuple[str, float], ...]] = {
    "m": (("l", 1e3),),
    "cm": (("l", 1e-3), ("ml", 1.0)),
}
"""Edges of cubes that hold so many of a unit."""
_NEAR = 2e-3
"""How far a conversion constant may be off, relatively: 0.2778 is meant as 5/18."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A product of powers of base units and of nouns, in alphabetical order."""

    factors: tuple[tuple[str, int], ...] = ()
    """Symbols of base units or singular nouns, with their exponents."""

    @property
    def dimension(self) -> Dimension:
        """What it measures; nothing for a number, a percentage or a count."""
        return _dimension(self)

    @property
    def nouns(self) -> tuple[str, ...]:
        """What it counts, or counts by."""
        return tuple(name for name, _ in self.factors if name not in BASES)

    @property
    def is_count(self) -> bool:
        """Whether it is one noun and nothing else."""
        return len(self.factors) == 1 and self.factors[0][1] == 1 and bool(self.nouns)

    @property
    def measured(self) -> "Unit":
        """The unit without its nouns."""
        return _measured(self)

    def times(self, other: "Unit", sign: int = 1) -> "Unit | None":
        """The product with another unit, or with sign -1 the quotient."""
        return _product(self, other, sign)

    def to_power(self, exponent: int) -> "Unit | None":
        """The unit to a whole power."""
        return _bounded({name: n * exponent for name, n in self.factors})

    @property
    def root(self) -> "Unit | None":
        """The unit whose square it is."""
        if any(n % 2 for _, n in self.factors):
            return None
        return Unit(tuple((name, n // 2) for name, n in self.factors))

    def converted(self, constant: float) -> tuple["Unit", ...]:
        """The units that a number in this unit gets when multiplied by a conversion constant."""
        return _converted(self, constant)


NUMBER = Unit()
"""The unit of a number that measures nothing."""
PERCENT = Unit((("%", 1),))
THINGS = "thing"
"""The noun for what is counted where different things are counted together."""


def unit_of(name: str, exponent: int = 1) -> Unit:
    """The unit of a base unit's symbol or of a noun."""
    return Unit(((name, exponent),))


def _bounded(exponents: dict[str, int]) -> Unit | None:
    factors = tuple(sorted((name, n) for name, n in exponents.items() if n))
    if len(factors) > _MOST_FACTORS or any(abs(n) > _LARGEST_EXPONENT for _, n in factors):
        return None
    return Unit(factors)


@lru_cache(_CACHED)
def _product(one: Unit, other: Unit, sign: int) -> Unit | None:
    exponents = dict(one.factors)
    for name, n in other.factors:
        exponents[name] = exponents.get(name, 0) + sign * n
    return _bounded(exponents)


@lru_cache(_CACHED)
def _dimension(unit: Unit) -> Dimension:
    exponents: dict[str, int] = {}
    for name, n in unit.factors:
        for dimension, power in BASES[name].dimension if name in BASES else ():
            exponents[dimension] = exponents.get(dimension, 0) + n * power
    return tuple(sorted((name, n) for name, n in exponents.items() if n))


@lru_cache(_CACHED)
def _measured(unit: Unit) -> Unit:
    return Unit(tuple(factor for factor in unit.factors if factor[0] in BASES))


@lru_cache(_CACHED)
def _converted(unit: Unit, constant: float) -> tuple[Unit, ...]:
    if constant <= 0 or isclose(constant, 1) or len(unit.factors) > 3:
        return ()
    swaps = [list(_swaps(name, n)) for name, n in unit.factors]
    found: list[Unit] = []
    for choice in product(*swaps):
        factor = 1.0
        exponents: dict[str, int] = {}
        for name, n, part in choice:
            factor *= part
            exponents[name] = exponents.get(name, 0) + n
        other = _bounded(exponents)
        is_meant = isclose(factor, constant, rel_tol=_NEAR)
        if is_meant and other is not None and other != unit and other not in found:
            found.append(other)
    return tuple(found[:2])


def _swaps(name: str, n: int) -> Iterator[tuple[str, int, float]]:
    """What may stand for a factor, with what a number must then be multiplied by."""
    yield name, n, 1.0
    if name not in BASES or abs(n) > 3:
        return
    for other, power, factor in _CUBES_AND_SQUARES.get(name, ()):
        yield other, power * n, factor**n
    if n % 3 == 0 and name in _EDGES:
        for other, factor in _EDGES[name]:
            yield other, n // 3, factor ** (n // 3)
    for other in _family(BASES[name].family):
        if other == name:
            continue
        larger = BASES[name].factor > BASES[other].factor
        ratios = ratios_between(name, other) if larger else ratios_between(other, name)
        for ratio in ratios:
            yield other, n, ratio ** (n if larger else -n)


@lru_cache
def _family(family: str) -> tuple[str, ...]:
    return tuple(symbol for symbol, base in BASES.items() if base.family == family)


def scale_of(unit: Unit) -> Fraction:
    """The exact factor from a unit to the base of its dimension."""
    scale = Fraction(1)
    for name, n in unit.factors:
        scale *= BASES[name].factor ** n if name in BASES else 1
    return scale
