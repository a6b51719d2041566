"""Plans in the making: their numbers, the arguments still missing, and which choice may follow.

Promises: a `PlanState` executes plans choice by choice, as the decoder makes them.
`decoder_inputs` does so for whole tables of finished plans. `plan_mask` and `rationale_mask` say
which choices the grammar allows next.
"""

from copy import copy

import torch
from torch import Tensor
from torch.nn import functional

from scratchwork.machine.constants import CONSTANT_VALUES
from scratchwork.solver.arithmetic import compute
from scratchwork.solver.network import DecoderInput
from scratchwork.solver.symbols import (
    ARITY,
    CHOICES,
    CONSTANT_NUMERALS,
    END,
    FINISH,
    FIRST_CONSTANT,
    FIRST_FORM,
    FIRST_NUMERAL,
    FIRST_OPERATION,
    FIRST_PIECE,
    FIRST_RESULT,
    LETTER,
    LONGEST_PLAN,
    MOST_STEPS,
)

_NAN = float("nan")


class PlanState:
    """Plans in the making, one in each row: their numbers, and the step that is not complete."""

    def __init__(self, numeral_values: Tensor) -> None:
        device, rows = numeral_values.device, len(numeral_values)
        constants = [CONSTANT_VALUES[numeral] for numeral in CONSTANT_NUMERALS]
        self.constants = torch.tensor(constants, dtype=torch.float64, device=device)
        self.arity = torch.tensor(ARITY, device=device)
        self.numerals = numeral_values
        self.results = torch.full((rows, MOST_STEPS), _NAN, dtype=torch.float64, device=device)
        self.count = torch.zeros(rows, dtype=torch.long, device=device)
        self.operation = torch.zeros(rows, dtype=torch.long, device=device)
        self.missing = torch.zeros(rows, dtype=torch.long, device=device)
        """How many arguments the operation still needs."""
        self.first = torch.full((rows,), _NAN, dtype=torch.float64, device=device)

    def select(self, rows: Tensor) -> "PlanState":
        """These rows, each as often as it is listed."""
        some = copy(self)
        for name in ("numerals", "results", "count", "operation", "missing", "first"):
            setattr(some, name, getattr(self, name)[rows])
        return some

    def take(self, choices: Tensor) -> tuple[Tensor, Tensor]:
        """Take one choice of each row. Gives the number chosen and the number computed, each NaN
        where there is none; a negative choice is none."""
        is_operation = (choices >= FIRST_OPERATION) & (choices < FIRST_CONSTANT)
        value = self.value(choices)
        is_argument = (choices >= FIRST_CONSTANT) & (self.missing > 0)
        completes = is_argument & (self.missing == 1)
        takes_two = self.arity[self.operation] == 2
        a = torch.where(takes_two, self.first, value)
        result = torch.where(completes, compute(self.operation, a, value), _NAN)
        at = self.count.clamp(max=MOST_STEPS - 1)[:, None]
        before = self.results.gather(1, at)
        after = torch.where(completes[:, None], result[:, None], before)
        self.results = self.results.scatter(1, at, after)
        # Rows that a search has dropped take choices that are not allowed.
        self.count = (self.count + completes.long()).clamp(max=MOST_STEPS)
        self.first = torch.where(is_argument, value, self.first)
        which = (choices - FIRST_OPERATION).clamp(0, len(self.arity) - 1)
        self.operation = torch.where(is_operation, which, self.operation)
        waits = torch.where(is_operation, self.arity[which], self.missing - is_argument.long())
        self.missing = waits.clamp(min=0)
        return value, result

    def value(self, choices: Tensor) -> Tensor:
        """The number that each choice stands for; NaN where it stands for none."""
        constant = self.constants[(choices - FIRST_CONSTANT).clamp(0, len(self.constants) - 1)]
        numeral = _at(self.numerals, choices - FIRST_NUMERAL)
        result = _at(self.results, choices - FIRST_RESULT)
        value = torch.where(choices >= FIRST_NUMERAL, numeral, constant)
        value = torch.where(choices >= FIRST_RESULT, result, value)
        is_number = (choices >= FIRST_CONSTANT) & (choices < FIRST_PIECE)
        return torch.where(is_number, value, _NAN)


def _at(table: Tensor, which: Tensor) -> Tensor:
    return table.gather(1, which.clamp(0, table.shape[1] - 1)[:, None]).squeeze(1)


def plan_mask(missing: Tensor, count: Tensor, in_question: Tensor) -> Tensor:
    """Which choices a plan may make, in a new last dimension: an argument where one is missing,
    else an operation or, once there is a result, the finish."""
    kinds = torch.arange(CHOICES, device=missing.device)
    operations = (kinds >= FIRST_OPERATION) & (kinds < FIRST_CONSTANT)
    ends = (kinds == FINISH) & (count[..., None] > 0)
    constants = (kinds >= FIRST_CONSTANT) & (kinds < FIRST_NUMERAL)
    results = (kinds >= FIRST_RESULT) & (kinds < FIRST_RESULT + count[..., None])
    numerals = functional.pad(in_question, (FIRST_NUMERAL, MOST_STEPS))
    arguments = constants | results | numerals
    return torch.where((missing > 0)[..., None], arguments, operations | ends)


def rationale_mask(count: Tensor, in_question: Tensor, pieces: int) -> Tensor:
    """Which choices a rationale may make, pieces included, in a new last dimension."""
    kinds = torch.arange(CHOICES + pieces, device=count.device)
    words = (kinds >= FIRST_PIECE) | (kinds == END) | (kinds == LETTER)
    forms = (kinds >= FIRST_FORM) & (kinds < FIRST_OPERATION)
    constants = (kinds >= FIRST_CONSTANT) & (kinds < FIRST_NUMERAL)
    results = (kinds >= FIRST_RESULT) & (kinds < FIRST_RESULT + count[..., None])
    numerals = functional.pad(in_question, (FIRST_NUMERAL, MOST_STEPS + pieces))
    return words | forms | constants | results | numerals


def decoder_inputs(choices: Tensor, numeral_values: Tensor) -> tuple[DecoderInput, Tensor]:
    """The decoder's inputs for whole rows of choices, given the values of their problems' numbers,
    and how many arguments are missing at each place. A step that cannot be computed has no
    result."""
    state = PlanState(numeral_values)
    values: list[Tensor] = []
    results: list[Tensor] = []
    counts: list[Tensor] = []
    missing: list[Tensor] = []
    nothing = torch.full_like(numeral_values[:, 0], _NAN)
    for place in range(choices.shape[1]):
        chosen = choices[:, place].long()
        # After the longest plan only a rationale can follow, which computes nothing.
        is_rationale = place >= LONGEST_PLAN
        value, result = (state.value(chosen), nothing) if is_rationale else state.take(chosen)
        values.append(value)
        results.append(result)
        counts.append(state.count)
        missing.append(state.missing)
    inputs = DecoderInput(
        choices.long().clamp(min=0),
        torch.stack(values, 1),
        torch.stack(results, 1),
        torch.stack(counts, 1),
    )
    return inputs, torch.stack(missing, 1)
