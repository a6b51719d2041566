"""Generated problems, tiny networks, and programs that were drawn for them."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from scratchwork import Problem, Program, generate, load_families
from scratchwork.machine.programs import Cell, Instruction, Reference, Word
from scratchwork.paper.backpropagation import log_probs
from scratchwork.paper.batching import ProgramBatch, Shape, gather_batch, tight_shape
from scratchwork.paper.config import TrainingConfig
from scratchwork.paper.corpus import Corpus, build_tables, corpus_of
from scratchwork.paper.drawing import FIRST, SECOND, Drawn, draw_programs
from scratchwork.paper.models import build_model
from scratchwork.paper.noise import NO_DROPOUT, random_keys
from scratchwork.paper.paths import PathTable
from scratchwork.paper.program_model import ModelConfig, ModelKind, ProgramModel
from scratchwork.paper.tensors import DECLARED, NOTHING
from scratchwork.paper.vocabulary import Vocabulary, build_vocabulary
from scratchwork.problems.tokens import output_tokens

KINDS: tuple[ModelKind, ...] = ("program", "seq2seq", "copy-input", "copy-output")
_LONGEST = 34
"""Output tokens: short rationales show as much, and sooner."""


@cache
def problems() -> tuple[Problem, ...]:
    """Generated problems with short rationales."""
    made = (one.problem for one in generate(load_families(), 90, seed=3))
    return tuple(problem for problem in made if len(output_tokens(problem)) <= _LONGEST)[:24]


@cache
def vocabulary() -> Vocabulary:
    """Their words."""
    return build_vocabulary(problems())


@cache
def tables() -> tuple[PathTable, ...]:
    """Their paths."""
    return tuple(build_tables(problems(), vocabulary()))


@cache
def corpus() -> Corpus:
    """The same as tensors."""
    return corpus_of(tables())


def tiny_model(
    kind: ModelKind = "program",
    words: int = 0,
    hidden: int = 8,
    seed: int = 0,
    dtype: torch.dtype = torch.float64,
) -> ProgramModel:
    """A small network with random weights and clear preferences."""
    model = build_model(ModelConfig(kind, words or len(vocabulary()), hidden, hidden + 1))
    noise = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, hidden**-0.5, generator=noise)
    return model.to(dtype)


def settings(**changes: Any) -> TrainingConfig:
    """A run of a few seconds."""
    usual: dict[str, Any] = {
        "hidden": 8, "embedding": 9, "dropout": 0.1, "epochs": 2, "rows": 4, "rate": 0.01,
        "warm_up": 3, "preferred_epochs": 1, "average": 0.9, "stage": 16,
    }  # fmt: skip
    return TrainingConfig(**{**usual, **changes})


def drawn_for(
    model: ProgramModel, some: Sequence[int], samples: int = 1, seed: int = 0, most_paths: int = 1
) -> Drawn:
    """Programs for some of the problems, `samples` for each: of the preferred
    paths, or drawn from `most_paths`."""
    examples = torch.tensor(some).repeat_interleave(samples)
    keys = random_keys(seed, 0, torch.arange(len(examples)))
    return draw_programs(model, corpus(), examples, keys, most_paths)


def part_of(some: Sequence[int]) -> Corpus:
    """The corpus of some of the problems alone."""
    return corpus_of([tables()[k] for k in some])


def batch_of(some: Sequence[int], drawn: Drawn, samples: int = 1, spare: int = 0) -> ProgramBatch:
    """The batch of programs drawn for some of the problems, with some padding to spare."""
    part = part_of(some)
    rows = torch.arange(len(some) * samples)
    tight = tight_shape(part, drawn, samples, rows)
    shape = Shape(
        tight.source + spare, tight.values + spare, tight.instructions + spare, tight.slots + spare
    )
    return gather_batch(part, drawn, samples, rows, shape)


def scored(model: ProgramModel, batch: ProgramBatch) -> torch.Tensor:
    """The log-probability of each program of a batch."""
    return log_probs(model, batch, NO_DROPOUT, batch.programs.slot_mask.shape[1])[0]


def rows_of(drawn: Drawn) -> list[NDArray[np.int16]]:
    """The instructions of each program drawn."""
    flat, starts = drawn.rows.flat.numpy(), drawn.rows.starts.tolist()
    return [flat[start:end] for start, end in pairwise(starts)]


def program_of(table: PathTable, rows: NDArray[np.int16]) -> Program:
    """Rows of (operation, first, second, result, whether to the output) as a program: strings are
    written out, numbers must lie in memory."""
    cells: dict[int, Cell] = {}
    filled = 0
    instructions: list[Instruction] = []

    def reference(value: int) -> Reference:
        known = table.values[value]
        return Word(known) if isinstance(known, str) else cells[value]

    for row in rows.tolist():
        operation, first, second, result, to_output = row
        assert (first, second) == (row[FIRST], row[SECOND])
        arguments = tuple(reference(value) for value in (first, second) if value != NOTHING)
        to = "y" if to_output else "m"
        instructions.append(Instruction(DECLARED[operation].name, arguments, to))
        if not to_output:
            filled += 1
            cells[result] = Cell("m", filled)
    return Program(tuple(instructions))
