"""Tables of results: what one operation makes of the numbers available.

Promises: results are entered under a key, the leading bits of the float, so that equal numbers meet
whatever their last bits; a value may have to be looked up under two neighbouring keys. Steps are
entered as codes: operation and leaves in one whole number. What the constants give among themselves
is computed once.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cache
from struct import Struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scratchwork.induction.derivation import TwoSteps
from scratchwork.induction.rules import (
    ANGULAR,
    COUNTING,
    LARGEST_EXPONENT,
    MOST_THINGS,
    NESTED,
    OPERAND_VALUES,
    ROUNDING,
    SMALLEST_ROOT,
    UNARY,
    WHOLE_NUMBERS,
    apply,
    is_exponent,
    of_set,
)
from scratchwork.machine.operations import EXTENDED, OPERATION_SETS, OperationSet

Floats = NDArray[np.float64]
ResultTable = dict[int, list[int]]
"""Codes of steps, by the key of their result."""

NAMES = tuple(EXTENDED.operations)
ID_OF = {name: k for k, name in enumerate(NAMES)}
LEAF_BITS = 12
MOST_LEAVES = 1 << LEAF_BITS
NO_LEAF = MOST_LEAVES - 1
NEAR = 1e-11
_KEY_SHIFT = 20
_KEY_HALF = 1 << (_KEY_SHIFT - 1)
_AS_FLOAT, _AS_INT = Struct("d"), Struct("q")


def table_keys(values: Floats) -> NDArray[np.int64]:
    """The leading bits of each value; 0.0 and -0.0 alike."""
    return (np.ascontiguousarray(values + 0.0).view(np.int64) + _KEY_HALF) >> _KEY_SHIFT


def table_key(value: float) -> int:
    """The key of one value, the same as `table_keys` gives."""
    return (_AS_INT.unpack(_AS_FLOAT.pack(value + 0.0))[0] + _KEY_HALF) >> _KEY_SHIFT


def keys_near(value: float) -> tuple[int, ...]:
    """The one or two keys under which a value may be found."""
    low, high = table_key(value * (1 - NEAR)), table_key(value * (1 + NEAR))
    return (low,) if low == high else (low, high)


def exponents_among(leaves: Floats) -> NDArray[np.bool_]:
    """Which leaves may be exponents."""
    whole: NDArray[np.bool_] = (
        (leaves >= 2) & (leaves <= LARGEST_EXPONENT) & (leaves == np.floor(leaves))
    )
    for k in range(2, SMALLEST_ROOT + 1):
        whole |= leaves == 1 / k
    return whole


class Constants(NamedTuple):
    leaves: tuple[float, ...]
    table: ResultTable
    angles: dict[int, list[TwoSteps]]
    whole_results: dict[str, dict[int, float]]


@cache
def constants_alone(set_name: str) -> Constants:
    """The table of the constants among themselves, which all problems share."""
    table: ResultTable = {}
    angles: dict[int, list[TwoSteps]] = {}
    whole: dict[str, dict[int, float]] = {name: {} for name in NESTED}
    for k, value in enumerate(OPERAND_VALUES):
        tabulate(table, np.array(OPERAND_VALUES[: k + 1]), k, OPERATION_SETS[set_name])
        tabulate_angles(angles, value)
        note_whole_results(whole, OPERAND_VALUES[: k + 1], value)
    return Constants(OPERAND_VALUES, table, angles, whole)


def tabulate(table: ResultTable, leaves: Floats, new: int, operations: OperationSet) -> None:
    """Enter what the newest leaf gives with itself and all leaves before it."""
    value = float(leaves[-1])
    before = leaves[:-1]
    with np.errstate(all="ignore"):
        rows: list[tuple[str, Floats, bool]] = [
            ("Add", _noiseless(leaves + value, leaves, value), False),
            ("Subtract", _noiseless(leaves - value, leaves, value), False),
            ("Subtract", _noiseless(value - before, before, value), True),
            ("Multiply", leaves * value, False),
            ("Divide", leaves / value, False),
            ("Divide", value / before, True),
        ]
        if is_exponent(value):
            rows.append(("Power", np.where(leaves > 0, leaves, np.nan) ** value, False))
        if value > 0:
            exponents = np.where(exponents_among(before), before, np.nan)
            rows.append(("Power", value**exponents, True))
        if "Percent" in operations:
            rows.append(("Percent", leaves * value / 100, False))
            rows.append(("Percent", before * value / 100, True))
        results = np.concatenate([row for _, row, _ in rows])
        size = np.abs(results)
        good = ((size < 1e15) & (size >= 1e-15)) | (size == 0)
    others = np.arange(new + 1)
    pairs = (others << LEAF_BITS) | new
    swapped_pairs = (new << LEAF_BITS) | others
    codes = np.concatenate(
        [
            (ID_OF[name] << 2 * LEAF_BITS) | (swapped_pairs if swapped else pairs)[: len(row)]
            for name, row, swapped in rows
        ]
    )
    _enter(table, codes[good].tolist(), results[good])
    steps = list(_other_steps(leaves, new, operations))
    _enter(table, [code for code, _ in steps], np.array([result for _, result in steps]))


def _enter(table: ResultTable, codes: list[int], results: Floats) -> None:
    for key, code in zip(table_keys(results).tolist(), codes, strict=True):
        bucket = table.get(key)
        if bucket is None:
            table[key] = [code]
        else:
            bucket.append(code)


def _noiseless(results: Floats, leaves: Floats, value: float) -> Floats:
    """Small differences of large numbers, as the machine has them."""
    larger = np.maximum(np.abs(leaves), abs(value))
    for k in np.nonzero((np.abs(results) < 1e-3 * larger) & (results != 0))[0].tolist():
        decimals = 14 - math.floor(math.log10(larger[k]))
        results[k] = round(float(results[k]), decimals)
    return results


def _other_steps(leaves: Floats, new: int, operations: OperationSet) -> Iterator[tuple[int, float]]:
    """The operations that are applied one by one: of one number, or of whole numbers."""
    value = float(leaves[-1])
    for name in of_set((*UNARY, *ANGULAR, *ROUNDING), operations):
        yield from _step(name, value, None, new, NO_LEAF)
    if not value.is_integer() or value < 0:
        return
    counting, whole = of_set(COUNTING, operations), of_set(WHOLE_NUMBERS, operations)
    for other in np.nonzero((leaves == np.floor(leaves)) & (leaves >= 0))[0].tolist():
        number = float(leaves[other])
        few = value <= MOST_THINGS and number <= MOST_THINGS
        for name in (*counting, *whole) if few else whole:
            yield from _step(name, number, value, other, new)
            if other != new and not EXTENDED[name].commutes:
                yield from _step(name, value, number, new, other)


def _step(
    name: str, a: float, b: float | None, first: int, second: int
) -> Iterator[tuple[int, float]]:
    """The code and result of a step, if it can be taken."""
    result = apply(name, a, b)
    if result is not None:
        yield (ID_OF[name] << 2 * LEAF_BITS) | (first << LEAF_BITS) | second, result


def note_whole_results(
    results: dict[str, dict[int, float]], leaves: Sequence[float], value: float
) -> None:
    """Keep the common divisors and multiples of a number and the others."""
    for other in leaves:
        if other.is_integer() and other > 0:
            for name in NESTED:
                result = apply(name, other, value)
                if result is not None:
                    results[name].setdefault(table_key(result), result)


def tabulate_angles(table: dict[int, list[TwoSteps]], value: float) -> None:
    """Enter the sine, cosine and tangent of a leaf in degrees."""
    if not 0 < value <= 360:
        return
    radians = math.radians(value)
    for name in ANGULAR:
        result = apply(name, radians)
        if result is not None:
            pair = TwoSteps(name, table_key(radians), None, True)
            table.setdefault(table_key(result), []).append(pair)
