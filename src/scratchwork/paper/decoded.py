"""What a search finds: programs, what they write, and how probable they are.

Promises: a `Hypothesis` is a program of the machine: `execute(program, problem).output` is its
tokens. Its arguments are references to the places that the model most likely read them from.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scratchwork.machine.operations import PAPER, OperationSet, Value
from scratchwork.machine.programs import Cell, Instruction, Program, Reference, Word
from scratchwork.paper.grammar import OUTPUT
from scratchwork.paper.tensors import DECLARED
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
    forced: bool = False
    """Whether its rationale has as many tokens as allowed, behind which it is cut."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The most probable programs that were found for a problem, the best first."""

    problem: Problem
    hypotheses: tuple[Hypothesis, ...]
    """One at least."""
    operations: OperationSet = PAPER
    """What the programs are executed with."""

    @property
    def best(self) -> Hypothesis:
        """The best program."""
        return self.hypotheses[0]

    def votes(self) -> dict[str, float]:
        """Each letter's share of the probability of all programs found, the largest first."""
        highest = max(hypothesis.log_probability for hypothesis in self.hypotheses)
        votes: dict[str, float] = {}
        for hypothesis in self.hypotheses:
            if hypothesis.letter is not None:
                weight = math.exp(hypothesis.log_probability - highest)
                votes[hypothesis.letter] = votes.get(hypothesis.letter, 0.0) + weight
        total = sum(votes.values())
        return {letter: votes[letter] / total for letter in sorted(votes, key=lambda a: -votes[a])}

    def vote(self) -> str | None:
        """The letter that has the largest share; none where the problem has no options."""
        return next(iter(self.votes()), None)


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
