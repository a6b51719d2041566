"""The most probable program that writes a given rationale.

Promises: `force` finds, for each path table, the program drawn greedily and, if asked for, some
drawn at random, scores them all and keeps the best; the same tables give the same programs, however
they are divided among batches. A rationale whose program would grow too long is copied out, token
by token.

Does not cover: the best program for certain. Tokens of more than `LONGEST_WORD` characters that
nothing else holds: the model can be scored on them, the machine will not write them.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from scratchwork.machine.programs import Program
from scratchwork.paper.backpropagation import log_probs
from scratchwork.paper.batching import gather_batch, tight_shape
from scratchwork.paper.corpus import Corpus, corpus_of
from scratchwork.paper.drawing import Drawn, copied_out, draw_programs, longest_program
from scratchwork.paper.grammar import OUTPUT
from scratchwork.paper.noise import NO_DROPOUT, random_keys
from scratchwork.paper.paths import PathTable
from scratchwork.paper.program_model import ProgramModel
from scratchwork.paper.programs import InstructionRow, written_out
from scratchwork.paper.tensors import NOTHING, by_length
from scratchwork.problems.tokens import OPTION_TAG

INSTRUCTIONS_AT_ONCE = {"cpu": 1 << 13, "cuda": 1 << 15}
"""A step costs a GPU about the same for few programs as for many."""

_SLOTS_AT_ONCE = 64
"""The output layers need most of the memory: they run over so many slots at a time."""


class ForcedProgram(NamedTuple):
    """A program that writes a rationale, and what a model says of it."""

    tokens: int
    """How many tokens the output has."""
    log_probability: float
    unknown: int
    """How many tokens only the unknown word could write."""
    rows: NDArray[np.int16]
    """The columns of `drawing`: operation, first and second argument, result, whether to
    the output."""


@torch.no_grad()
def force(
    model: ProgramModel,
    tables: Sequence[PathTable],
    device: torch.device,
    samples: int = 0,
    seed: int = 0,
    on_progress: Callable[[int], None] = lambda done: None,
) -> list[ForcedProgram]:
    """The best program found for each table: the greedy one and `samples` random ones compete."""
    at_once = INSTRUCTIONS_AT_ONCE.get(device.type, 1 << 13)
    found: dict[int, ForcedProgram] = {}
    lengths = [len(table.tokens) for table in tables]
    for chunk in by_length(lengths, lambda tokens: at_once // longest_program(tokens)):
        corpus = corpus_of([tables[k] for k in chunk]).to(device)
        best = _best_programs(model, corpus, torch.tensor(chunk, device=device), samples, seed)
        found.update(zip(chunk, best, strict=True))
        on_progress(len(found))
    return [found[k] for k in range(len(tables))]


def _best_programs(
    model: ProgramModel, corpus: Corpus, numbers: Tensor, samples: int, seed: int
) -> list[ForcedProgram]:
    """The best program of each example; the draws depend on the examples' numbers alone."""
    examples = torch.arange(len(corpus), device=corpus.device)
    found: list[list[ForcedProgram]] = [[] for _ in range(len(corpus))]
    _enter(model, corpus, draw_programs(model, corpus, examples, None), found)
    for sample in range(samples if model.computes else 0):
        keys = random_keys(seed, sample, numbers)
        _enter(model, corpus, draw_programs(model, corpus, examples, keys), found)
    if not all(found):
        _enter(model, corpus, copied_out(corpus, examples), found)
    return [max(programs, key=lambda one: one.log_probability) for programs in found]


def _enter(
    model: ProgramModel, corpus: Corpus, drawn: Drawn, found: Sequence[list[ForcedProgram]]
) -> None:
    """Score the programs drawn for the examples, and enter those that are finished."""
    examples = torch.arange(len(corpus), device=corpus.device)
    rows = torch.where(drawn.finished, examples, NOTHING)
    batch = gather_batch(corpus, drawn, 1, rows, tight_shape(corpus, drawn, 1, rows))
    scores, unknown = log_probs(model, batch, NO_DROPOUT, _SLOTS_AT_ONCE)
    flat = drawn.rows.flat.cpu().numpy().astype(np.int16)
    starts = drawn.rows.starts.cpu().numpy()
    told = zip(*(x.tolist() for x in (drawn.finished, batch.tokens, scores, unknown)), strict=True)
    for k, (is_finished, tokens, log_prob, unknown_words) in enumerate(told):
        if is_finished:
            program = flat[starts[k] : starts[k + 1]]
            found[k].append(ForcedProgram(tokens, log_prob, unknown_words, program))


def program_of(table: PathTable, rows: NDArray[np.int16]) -> Program:
    """The program that was drawn, with references to where its arguments lie.

    A string is read from memory if the last instruction put it there; else from the question, from
    the output where it was written last, from the options; or it is a word. A number lies in
    memory.
    """
    sources = len(table.source_values)
    held = [int(value) for value in table.source_values]
    is_tag = [value >= 0 and table.values[value] == OPTION_TAG for value in held]
    question = is_tag.index(True) if True in is_tag else sources
    in_question = {held[k]: k for k in reversed(range(1, question))}
    in_options = {held[k]: k for k in reversed(range(question, sources))}
    in_output: dict[int, int] = {}
    in_memory: dict[int, int] = {}
    referring: list[InstructionRow] = []

    def place(value: int) -> int:
        kept = in_memory.get(value, NOTHING)
        if not isinstance(table.values[value], str) or kept == sources + len(referring) - 1:
            return kept
        places = (
            places[value] for places in (in_question, in_output, in_options) if value in places
        )
        return next(places, NOTHING)

    for operation, first, second, result, to_output in rows.astype(np.int64):
        second_from = place(int(second)) if second >= 0 else NOTHING
        arguments = (int(first), place(int(first)), int(second), second_from)
        where = sources + len(referring)
        referring.append((int(operation), int(to_output), *arguments, int(result), where))
        (in_output if to_output == OUTPUT else in_memory)[int(result)] = where
    return written_out(referring, sources, table.values.__getitem__)[0]
