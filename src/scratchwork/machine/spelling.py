"""Which operation reads a numeral, and which one writes a number as a given numeral.

Promises: what `reading` names turns the numeral into a number; what `writing` names turns the
number into exactly that numeral. Both follow from how the numeral looks: `3/4`, `1,000`, `0.75`.
"""

from typing import NamedTuple

from scratchwork.machine.operations import MOST_PLACES, OperationSet
from scratchwork.problems.numerals import (
    NumeralError,
    write_decimal,
    write_fraction,
    write_number,
    write_thousands,
)


class Writing(NamedTuple):
    """An operation that writes a number, and the number of decimals if it asks for one."""

    operation: str
    places: int | None = None


def reading(numeral: str) -> str:
    """The operation that reads a numeral."""
    if "/" in numeral:
        return "Fraction_to_Float"
    is_grouped = "," in numeral or numeral.count(".") > 1
    return "Thousands_to_Float" if is_grouped else "Str_to_Float"


def decimals(numeral: str) -> int:
    """How many decimals a plain numeral has."""
    return len(numeral.partition(".")[2])


def writing(number: float, numeral: str, operations: OperationSet) -> Writing | None:
    """The operation of the set that writes the number as exactly this numeral, if there is one."""
    try:
        if "/" in numeral:
            return Writing("Float_to_Fraction") if write_fraction(number) == numeral else None
        if "," in numeral:
            return Writing("Float_to_Thousands") if write_thousands(number) == numeral else None
        if write_number(number) == numeral:
            return Writing("Float_to_Str")
        places = decimals(numeral)
        if "Float_to_Decimal" not in operations or places > MOST_PLACES:
            return None
        matches = write_decimal(number, places) == numeral
        return Writing("Float_to_Decimal", places) if matches else None
    except NumeralError:
        return None
