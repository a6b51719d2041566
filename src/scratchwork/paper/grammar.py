"""The instructions that a program may have next, and the arguments that each may take.

Promises: `Grammar.rules` gives for every phase, operation and destination the rule that the
arguments must meet, or forbids the instruction. A value has a bit for each rule that it meets.
What the rules allow can be executed, but for operations on two numbers, which may fail; a program
of allowed instructions ends in `<EOR>`, a letter of the problem (if it has options) and `<EOS>`.
"""

from enum import IntEnum
from typing import NamedTuple

import torch
from torch import Tensor

from scratchwork.paper.tensors import CHECK, DECLARED, IDENTITY

MEMORY, OUTPUT = 0, 1
"""Destinations, as models number them."""

FORBIDDEN = -1


class ArgumentRule(IntEnum):
    """What an argument must be. Before these, rule k is: operation k can be applied to it."""

    IS_WRITABLE = len(DECLARED)
    """A string that a rationale may contain, or `<EOR>`."""
    IS_KEPT = IS_WRITABLE + 1
    """A value that `Id` may put into memory."""
    IS_END_OF_RATIONALE = IS_KEPT + 1
    IS_LETTER = IS_END_OF_RATIONALE + 1
    """The letter of an option."""
    IS_END = IS_LETTER + 1
    IS_NUMBER = IS_END + 1


RULE_COUNT = max(ArgumentRule) + 1


class Phase(IntEnum):
    """How far a program has come."""

    RATIONALE = 0
    CUT = 1
    """The rationale is too long: `<EOR>` must follow."""
    ANSWER = 2
    """After `<EOR>`, before the letter."""
    END = 3
    """Only `<EOS>` is missing."""
    FINISHED = 4


class InstructionKind(NamedTuple):
    """Instructions that compete with each other."""

    destination: int
    takes_numbers: bool
    """Numbers can be copied from earlier instructions only."""
    is_pair: bool = False
    """Whether it takes two arguments."""


WRITING_KINDS = (
    InstructionKind(OUTPUT, takes_numbers=False),
    InstructionKind(OUTPUT, takes_numbers=True),
)
KEEPING_KINDS = (
    InstructionKind(MEMORY, takes_numbers=False),
    InstructionKind(MEMORY, takes_numbers=True),
    InstructionKind(MEMORY, takes_numbers=True, is_pair=True),
)


class Grammar:
    """The rules as tensors."""

    def __init__(self, end_of_rationale: int, device: torch.device) -> None:
        self.end_of_rationale = end_of_rationale
        """The number of the word `<EOR>`."""
        rules = [
            [[_rule(phase, k, to) for to in (MEMORY, OUTPUT)] for k in range(len(DECLARED))]
            for phase in Phase
        ]
        self.rules = torch.tensor(rules, device=device)
        """(phase, operation, destination)."""
        self.takes_numbers = torch.tensor(
            [operation.takes[0] == "number" for operation in DECLARED], device=device
        )
        self.is_pair = torch.tensor([len(o.takes) == 2 for o in DECLARED], device=device)

    def of_kind(self, kind: InstructionKind) -> Tensor:
        """Which operations are of a kind."""
        return (self.takes_numbers == kind.takes_numbers) & (self.is_pair == kind.is_pair)


def _rule(phase: Phase, k: int, destination: int) -> int:
    """The rule for operation k, or `FORBIDDEN`."""
    writes = destination == OUTPUT
    if phase in (Phase.CUT, Phase.END):
        if k != IDENTITY or not writes:
            return FORBIDDEN
        return ArgumentRule.IS_END if phase == Phase.END else ArgumentRule.IS_END_OF_RATIONALE
    if phase == Phase.FINISHED:
        return FORBIDDEN
    if k == IDENTITY:
        written = ArgumentRule.IS_LETTER if phase == Phase.ANSWER else ArgumentRule.IS_WRITABLE
        return written if writes else ArgumentRule.IS_KEPT
    operation = DECLARED[k]
    if writes and (operation.gives == "number" or (phase == Phase.ANSWER and k != CHECK)):
        return FORBIDDEN
    return ArgumentRule.IS_NUMBER if len(operation.takes) == 2 else k


def meets(bits: Tensor, rule: Tensor | int) -> Tensor:
    """Whether values of these bits meet a rule."""
    return (bits >> rule & 1).bool()


def phase_after(
    phase: Tensor, writes: Tensor, ends_rationale: Tensor, has_options: Tensor
) -> Tensor:
    """The phase after an instruction. `FINISHED` stays, since empty places of a stack, which may
    hold anything, must keep a valid phase."""
    answers = torch.where(has_options, int(Phase.ANSWER), int(Phase.END))
    in_rationale = torch.where(ends_rationale, answers, int(Phase.RATIONALE))
    next_phase = (phase + 1).clamp_max(int(Phase.FINISHED))
    after = torch.where(phase <= Phase.CUT, in_rationale, next_phase)
    return torch.where(writes, after, phase)
