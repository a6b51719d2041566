"""Writing programs, and how numerals are read and written in them.

Promises: `reading` names the operation that turns a numeral into a number, `writing` the one that
turns the number into exactly that numeral; both follow from its form: `3/4`, `1,000`, `0.75`. A
`ProgramWriter` counts cells as execution will fill them.
"""

from typing import Generic, NamedTuple, TypeVar

from scratchwork.machine.operations import MOST_PLACES, OperationSet
from scratchwork.machine.programs import Cell, Destination, Instruction, Program, Reference, Word
from scratchwork.problems.numerals import (
    NumeralError,
    write_decimal,
    write_fraction,
    write_number,
    write_thousands,
)

_Key = TypeVar("_Key")


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


class ProgramWriter(Generic[_Key]):
    """Writes a program, one instruction after the other.

    The caller decides what identifies a number (its value, its name, its place): `known` maps that
    key to the memory cell of each number that was read or computed.
    """

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self.known: dict[_Key, Cell] = {}
        self._filled: dict[Destination, int] = {"y": 0, "m": 0}

    def copy(self) -> "ProgramWriter[_Key]":
        """A copy of the program so far, which can be continued differently."""
        other = ProgramWriter[_Key]()
        other.instructions, other.known = list(self.instructions), dict(self.known)
        other._filled = dict(self._filled)
        return other

    def remember(self, operation: str, *arguments: Reference) -> Cell:
        """Put a value into memory."""
        return self.append(Instruction(operation, arguments, "m"))

    def write(self, operation: str, *arguments: Reference) -> Cell:
        """Write an output token."""
        return self.append(Instruction(operation, arguments, "y"))

    def append(self, instruction: Instruction) -> Cell:
        """Add an instruction, and return the cell that it fills."""
        self.instructions.append(instruction)
        self._filled[instruction.to] += 1
        return Cell(instruction.to, self._filled[instruction.to])

    def read(self, key: _Key, numeral: str, reference: Reference) -> Cell:
        """The memory cell of a number; where it is not known, it is read from the reference."""
        if key not in self.known:
            self.known[key] = self.remember(reading(numeral), reference)
        return self.known[key]

    def words(self, *words: str) -> None:
        """Write words as they are."""
        for word in words:
            self.write("Id", Word(word))

    def program(self) -> Program:
        """The program so far."""
        return Program(tuple(self.instructions))
