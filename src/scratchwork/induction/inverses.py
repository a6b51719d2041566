"""Inverting operations: what an argument must have been, given the result and the other one."""

import math
from functools import cache

import numpy as np

from scratchwork.induction.rules import MOST_THINGS, apply
from scratchwork.induction.tables import Floats, exponents_among
from scratchwork.machine.operations import OperationSet


def inverted(
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


def unary_inverses(name: str, target: float) -> tuple[float, ...]:
    """What an operation of one number may have been applied to."""
    match name:
        case "Sqrt":
            return (target * target,) if target > 0 else ()
        case "Log":
            return (10**target,) if abs(target) < 15 else ()
        case "Factorial":
            n = _factorials().get(target)
            return () if n is None else (n,)
        case "Degrees_to_Radians":
            return (math.degrees(target),)
        case "Radians_to_Degrees":
            return (math.radians(target),)
        case _:
            return (target, -target)


@cache
def _factorials() -> dict[float, float]:
    return {float(math.factorial(n)): float(n) for n in range(3, 18)}


@cache
def ways_to_count(name: str) -> dict[float, list[tuple[float, float]]]:
    """For each result of choosing or arranging, the numbers that give it."""
    ways: dict[float, list[tuple[float, float]]] = {}
    for n in range(2, MOST_THINGS + 1):
        for k in range(1, n + 1):
            result = apply(name, float(n), float(k))
            if result is not None:
                ways.setdefault(result, []).append((float(n), float(k)))
    return ways
