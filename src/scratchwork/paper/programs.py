"""Programs of the machine, from instructions in columns of integers."""

from collections.abc import Callable, Sequence

from scratchwork.machine.operations import Value
from scratchwork.machine.programs import Cell, Instruction, Program, Reference, Word
from scratchwork.paper.grammar import DECLARED, OUTPUT

InstructionRow = Sequence[int]
"""An instruction in the columns of `hypotheses.COLUMNS`."""


def written_out(
    rows: Sequence[InstructionRow], sources: int, value: Callable[[int], Value]
) -> tuple[Program, tuple[str, ...]]:
    """The program of some rows, and what it writes; `sources` is the number of places that lie
    before the first instruction."""
    cells: list[Cell] = []
    filled = {"y": 0, "m": 0}

    def reference(number: int, place: int) -> Reference:
        if place < 0:
            return Word(str(value(number)))
        # The style word in front of the source makes the first token's place 1.
        return Cell("x", place) if place < sources else cells[place - sources]

    instructions: list[Instruction] = []
    tokens: list[str] = []
    for k, to_output, first, first_from, second, second_from, result, _ in rows:
        operation = DECLARED[k]
        arguments = [reference(first, first_from)]
        if len(operation.takes) == 2:
            arguments.append(reference(second, second_from))
        to = "y" if to_output == OUTPUT else "m"
        instructions.append(Instruction(operation.name, tuple(arguments), to))
        filled[to] += 1
        cells.append(Cell(to, filled[to]))
        if to == "y":
            tokens.append(str(value(result)))
    return Program(tuple(instructions)), tuple(tokens)
