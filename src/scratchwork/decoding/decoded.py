"""What a search finds: programs, what they write, and how probable they are.

Promises: a `Hypothesis` is a program of the machine: `execute(program, problem).output` is its
tokens. Its arguments are references to the places that the model most likely read them from.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scratchwork.decoding.grammar import DECLARED, OUTPUT
from scratchwork.machine.operations import Value
from scratchwork.machine.programs import Cell, Instruction, Program, Reference, Word
from scratchwork.problems.problem import Problem


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A program that a model holds for probable."""

    program: Program
    tokens: tuple[str, ...]
    """What it writes, the paper's y."""
    letter: str | None
    """The answer; none only where the problem has no options."""
    log_probability: float


@dataclass(frozen=True, slots=True)
class Decoded:
    """The most probable programs that were found for a problem, the best first."""

    problem: Problem
    hypotheses: tuple[Hypothesis, ...]
    """One at least."""
    forced: bool
    """Whether the best one has as long a rationale as allowed, where it is cut."""

    @property
    def best(self) -> Hypothesis:
        """The best program."""
        return self.hypotheses[0]

    def vote(self) -> str | None:
        """The letter that has the largest probability, added up over the programs found."""
        highest = max(hypothesis.log_probability for hypothesis in self.hypotheses)
        votes: dict[str | None, float] = {}
        for hypothesis in self.hypotheses:
            share = math.exp(hypothesis.log_probability - highest)
            votes[hypothesis.letter] = votes.get(hypothesis.letter, 0.0) + share
        return max(votes, key=lambda letter: votes[letter])


Row = Sequence[int]
"""An instruction in the columns of `hypotheses.Instructions`."""


def written_out(
    rows: Sequence[Row], sources: int, value: Callable[[int], Value]
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
