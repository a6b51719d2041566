"""Small random models, and programs scored by them in the plainest way."""

from collections.abc import Sequence

import numpy as np
import torch

from scratchwork import Problem, Program, execute
from scratchwork.machine.operations import Value
from scratchwork.machine.programs import Cell, Word
from scratchwork.paper.batching import gather_batch, tight_shape
from scratchwork.paper.corpus import corpus_of, ragged
from scratchwork.paper.drawing import Drawn
from scratchwork.paper.models import build_model
from scratchwork.paper.network import InstructionModel
from scratchwork.paper.paths import (
    LONGEST_PATH,
    NumberedValues,
    PathTable,
    features,
    source_arrays,
)
from scratchwork.paper.program_model import ModelConfig, ModelKind, ProgramModel
from scratchwork.paper.tensors import IDENTITY, NOTHING, OPERATION_IDS
from scratchwork.paper.vocabulary import Vocabulary
from scratchwork.problems.tokens import source_tokens
from tests.paper.samples import scored

Named = tuple[str, str, tuple[Value, ...], Value]
"""An instruction by its values: operation, destination, arguments, result."""


def random_model(
    kind: ModelKind, vocabulary: Vocabulary, seed: int = 1, hidden: int = 16
) -> ProgramModel:
    """A model with preferences; one that computes would rather not write what it did not."""
    model = build_model(ModelConfig(kind, len(vocabulary), hidden, hidden))
    noise = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, 1.5 * hidden**-0.5, generator=noise)
        if isinstance(model, InstructionModel):
            model.operation_head.bias[IDENTITY] -= 12
    return model


def named(program: Program, problem: Problem) -> tuple[Named, ...]:
    """A program by its values, which is all that a model knows of it."""
    trace = execute(program, problem)
    held: dict[Cell, Value] = {Cell("x", k): x for k, x in enumerate(trace.source, 1)}
    instructions: list[Named] = []
    for step in trace.steps:
        z = step.instruction
        arguments = tuple(a.text if isinstance(a, Word) else held[a] for a in z.arguments)
        instructions.append((z.operation, z.to, arguments, step.value))
        held[step.place] = step.value
    return tuple(instructions)


def teacher_forced(
    model: ProgramModel,
    vocabulary: Vocabulary,
    problem: Problem,
    programs: Sequence[Sequence[Named]],
) -> list[float]:
    """The log-probabilities of programs for a problem, as training computes them."""
    values = NumberedValues()
    words, places = source_arrays(source_tokens(problem), problem.origin, vocabulary, values)
    tables = [_rows(program, values) for program in programs]
    table = PathTable(
        words,
        places,
        tuple(values),
        features(tuple(values), vocabulary),
        np.zeros(0, np.int16),
        np.zeros(1, np.int32),
        np.zeros((0, LONGEST_PATH, 4), np.int16),
    )
    corpus = corpus_of([table])
    drawn = Drawn(ragged(tables), torch.ones(len(programs), dtype=torch.bool))
    rows = torch.arange(len(programs))
    shape = tight_shape(corpus, drawn, len(programs), rows)
    batch = gather_batch(corpus, drawn, len(programs), rows, shape)
    return [float(score) for score in scored(model, batch).numpy()]


def _rows(
    program: Sequence[Named], values: NumberedValues
) -> np.ndarray[tuple[int, int], np.dtype[np.int16]]:
    rows = [
        (
            OPERATION_IDS[operation],
            values[arguments[0]],
            values[arguments[1]] if len(arguments) > 1 else NOTHING,
            values[result],
            int(to == "y"),
        )
        for operation, to, arguments, result in program
    ]
    return np.array(rows, np.int16)
