"""Reading a gold program as paths: what each output token was made from."""

from scratchwork import EXTENDED, Program, execute
from scratchwork.induction.derivation import Derivation
from scratchwork.induction.lattice import Lattice
from scratchwork.induction.rules import may_nest
from scratchwork.machine.operations import Value
from scratchwork.machine.programs import Cell, Word
from scratchwork.problems.numerals import number_of

Made = float | Derivation


def gold_numbers(program: Program, lattice: Lattice) -> dict[int, Made]:
    """By position, the number each computed output token was made from.

    A number that was written once is a leaf from then on.
    """
    trace = execute(program, lattice.problem, EXTENDED)
    memory: list[Made | None] = []
    made: dict[int, Made] = {}
    position = 0
    for step in trace.steps:
        z = step.instruction
        if z.to == "m":
            memory.append(_remembered(step.value, z.operation, z.arguments, memory))
            continue
        position += 1
        cell = z.arguments[0]
        if z.operation.startswith("Float_to") and isinstance(cell, Cell):
            number = memory[cell.k - 1]
            assert number is not None
            made[position] = number
            written = number_of(str(step.value))
            if written is not None:
                memory[cell.k - 1] = written
    return made


def _remembered(
    value: Value,
    operation: str,
    arguments: tuple[Cell | Word, ...],
    memory: list[Made | None],
) -> Made | None:
    if not isinstance(value, float):
        return None
    if EXTENDED[operation].converts:
        return value
    numbers: list[Made] = []
    for argument in arguments:
        assert isinstance(argument, Cell)
        number = memory[argument.k - 1]
        assert number is not None
        numbers.append(number)
    return Derivation(operation, tuple(numbers))


def canonical(step: Made) -> Made:
    """The step with the operands of commutative operations in a fixed order."""
    if not isinstance(step, Derivation):
        return step
    arguments = tuple(canonical(argument) for argument in step.arguments)
    if EXTENDED[step.operation].commutes:
        arguments = tuple(sorted(arguments, key=repr))
    return Derivation(step.operation, arguments)


def is_in_lattice(lattice: Lattice, position: int, number: Made) -> bool:
    """Whether the lattice has the path by which a token was made."""
    if not isinstance(number, Derivation):
        return True  # a copy or another spelling
    wanted = canonical(number)
    paths = lattice.tokens[position - 1]
    for path in lattice.short_paths(paths):
        if isinstance(path.number, Derivation) and canonical(path.number) == wanted:
            return True
    leaves = frozenset(number.leaves())
    return any(canonical(step) == wanted for step in lattice.long_steps(paths, leaves))


def is_hidden(number: Made) -> bool:
    """Whether a terse step hides what induction would need to see."""
    if not isinstance(number, Derivation):
        return False
    inner = [argument for argument in number.arguments if isinstance(argument, Derivation)]
    nestable = all(may_nest(number.operation, step.operation) for step in inner)
    return number.count() > 2 or not nestable
