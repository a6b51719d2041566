"""The programs of an epoch, and the batches they are trained in.

Promises: what `draw_epoch` draws depends on the model, the seed, the epoch and the example, not on
how examples are divided among batches or processes. `plan_epoch` puts every example into one batch,
with programs of about the same length, in an order that depends on (seed, epoch) and the lengths
alone. All batches of a length have the same shape: missing rows are empty. `gather_batch` builds a
batch on the device of its corpus.
"""

from dataclasses import dataclass
from itertools import islice

import torch
from torch import Tensor

from scratchwork.paper.config import TrainingConfig
from scratchwork.paper.corpus import Corpus, Ragged
from scratchwork.paper.distributed import Processes
from scratchwork.paper.drawing import (
    FIRST,
    OPERATION,
    RESULT,
    SECOND,
    TO_OUTPUT,
    Drawn,
    draw_programs,
    longest_program,
)
from scratchwork.paper.noise import random_keys, uniform
from scratchwork.paper.program_model import ProgramModel
from scratchwork.paper.tensors import NOTHING, Programs, Source, ValueTensors, by_length

PADDED_LENGTHS = (32, 48, 64, 96, 128, 192, 256, 384, 512, 768)
"""Programs are padded to one of these numbers of instructions."""
_EMPTY = -1
_ROOM = {"cpu": 2**13, "cuda": 2**19}
"""Instructions drawn at once, over all examples: as many as memory holds, since a step takes a GPU
about the same time for few as for many."""
_DRAWS = 2**32
"""Keeps the random keys of draws apart from those of training steps, which count from 0."""


def starts_drawing(config: TrainingConfig, epoch: int, position: int) -> bool:
    """Whether new programs are drawn before this batch of an epoch; preferred ones never change."""
    drawn_before = epoch - config.preferred_epochs
    is_due = drawn_before >= 0 and drawn_before % config.draw_every == 0
    return position == 0 and is_due


def draw_epoch(
    model: ProgramModel, corpus: Corpus, config: TrainingConfig, epoch: int, processes: Processes
) -> Drawn:
    """Programs for all examples, in their order, `samples` for each."""
    most_paths = 1 if epoch < config.preferred_epochs else config.paths
    room = _ROOM.get(corpus.device.type, 2**16) // config.samples
    chunks = by_length(corpus.tokens.lengths.tolist(), lambda n: room // longest_program(n))
    mine: list[tuple[Tensor, Tensor, Tensor, Tensor]] = []
    for chunk in islice(chunks, processes.rank, None, processes.count):
        examples = torch.tensor(chunk, device=corpus.device).unsqueeze(1)
        rows = examples * config.samples + torch.arange(config.samples, device=corpus.device)
        rows = rows.flatten()
        keys = random_keys(config.seed, _DRAWS + epoch, rows)
        owners = rows // config.samples
        drawn = draw_programs(model, corpus, owners, keys, most_paths)
        mine.append((rows, drawn.rows.flat, drawn.lengths, drawn.finished))
    if processes.count > 1:
        mine = [tuple(tensor.cpu() for tensor in piece) for piece in mine]  # type: ignore[misc]
    if corpus.device.type == "cuda":
        torch.cuda.empty_cache()  # for the CUDA graphs, and for others on the device
    pieces = processes.share(mine)
    return _in_order(pieces, corpus.device)


def _in_order(pieces: list[tuple[Tensor, Tensor, Tensor, Tensor]], device: torch.device) -> Drawn:
    """The pieces joined, in the order of their rows."""
    columns = zip(*pieces, strict=True)
    rows, flat, lengths, finished = (torch.cat(column).to(device) for column in columns)
    order = rows.argsort()
    before = (lengths.cumsum(0) - lengths)[order]
    lengths = lengths[order]
    index = torch.arange(len(flat), device=device)
    index += (before - (lengths.cumsum(0) - lengths)).repeat_interleave(lengths)
    return Drawn(Ragged.of(flat[index], lengths), finished[order])


@dataclass(frozen=True)
class Shape:
    """The size of a batch, per example."""

    source: int
    values: int
    instructions: int
    slots: int


@dataclass(frozen=True)
class BatchPlan:
    """The drawn programs of a batch; `-1` is an empty row."""

    rows: tuple[int, ...]
    instructions: int


@dataclass(frozen=True, slots=True)
class ProgramBatch:
    """The input of a training step."""

    source: Source
    values: ValueTensors
    programs: Programs
    examples: Tensor
    """The example of each row, for its random key; -1 for an empty row."""
    tokens: Tensor
    """The number of output tokens of each row; 0 for an empty row."""


def padded_length(instructions: int, slots: int) -> int:
    """The number of instructions that a program is padded to, with room for its slots."""
    needed = max(instructions, -(-slots * 4 // 5))
    return next((size for size in PADDED_LENGTHS if needed <= size), needed)


def slots_of(instructions: int) -> int:
    """The number of slots for programs padded to this length."""
    return instructions * 5 // 4


def plan_epoch(drawn: Drawn, samples: int, rows: int, seed: int, epoch: int) -> list[BatchPlan]:
    """The batches of an epoch. The samples of an example stay together; a repeated or unfinished
    program leaves an empty row."""
    sizes = _sizes(drawn, samples)
    kept = _without_repeats(drawn, samples)
    order = uniform(random_keys(seed, epoch, torch.arange(len(sizes))), 0, 1).squeeze(1).argsort()
    by_size: dict[int, list[int]] = {}
    for k in order.tolist():
        if sizes[k] > 0:
            by_size.setdefault(sizes[k], []).append(k)
    plans: list[BatchPlan] = []
    for size, members in sorted(by_size.items()):
        for start in range(0, len(members), rows // samples):
            chunk = [row for k in members[start : start + rows // samples] for row in kept[k]]
            chunk += [_EMPTY] * (rows - len(chunk))
            plans.append(BatchPlan(tuple(chunk), size))
    shuffled = (
        uniform(random_keys(seed, epoch, torch.arange(len(plans))), 1, 1).squeeze(1).argsort()
    )
    return [plans[k] for k in shuffled.tolist()]


def _sizes(drawn: Drawn, samples: int) -> list[int]:
    """The length that each example's programs are padded to; 0 if it has none."""
    lengths = drawn.lengths.cpu()
    takes_two = (drawn.rows.flat[:, SECOND] >= 0).long().cpu()
    before = torch.cat([takes_two.new_zeros(1), takes_two.cumsum(0)])
    starts = drawn.rows.starts.cpu()
    slots = lengths + before[starts[1:]] - before[starts[:-1]]
    most = torch.stack([lengths, slots]).view(2, -1, samples).amax(2).tolist()
    return [padded_length(n, m) if n else 0 for n, m in zip(*most, strict=True)]


def _without_repeats(drawn: Drawn, samples: int) -> list[list[int]]:
    """For each example its rows in `drawn`, with `-1` for repeated and unfinished programs."""
    finished = drawn.finished.tolist()
    if samples == 1:
        return [[k] if there else [_EMPTY] for k, there in enumerate(finished)]
    flat = drawn.rows.flat.cpu().numpy()
    starts = drawn.rows.starts.tolist()
    kept: list[list[int]] = []
    for first in range(0, len(finished), samples):
        seen: set[bytes] = set()
        rows: list[int] = []
        for k in range(first, first + samples):
            program = flat[starts[k] : starts[k + 1]].tobytes()
            rows.append(_EMPTY if not finished[k] or program in seen else k)
            seen.add(program)
        kept.append(rows)
    return kept


def without_empty(rows: Tensor, samples: int) -> Tensor:
    """The rows without examples whose rows are all empty; one example stays, to give a shape."""
    groups = rows.view(-1, samples)
    there = (groups >= 0).any(1)
    return groups[there].flatten() if bool(there.any()) else groups[0]


def tight_shape(corpus: Corpus, drawn: Drawn, samples: int, rows: Tensor) -> Shape:
    """The smallest shape that holds some programs."""
    picked = rows.clamp_min(0)
    examples = picked // samples
    instructions = max(1, int(drawn.lengths[picked].max()))
    second = drawn.rows.padded(picked, instructions, NOTHING)[..., SECOND]
    return Shape(
        int(corpus.source_words.lengths[examples].max()),
        int(corpus.value_words.lengths[examples].max()),
        instructions,
        instructions + int((second >= 0).sum(1).max()),
    )


def gather_batch(
    corpus: Corpus, drawn: Drawn, samples: int, rows: Tensor, shape: Shape
) -> ProgramBatch:
    """The batch of some drawn programs; each example has `samples` consecutive ones."""
    there = rows >= 0
    picked = rows.clamp_min(0)
    examples = picked // samples
    source = corpus.source(examples, shape.source)
    values = corpus.values(examples, shape.values)
    table = drawn.rows.padded(picked, shape.instructions, NOTHING).long()
    table = torch.where(there[:, None, None], table, NOTHING)
    exists = table[..., OPERATION] >= 0
    to_output = table[..., TO_OUTPUT] > 0
    second = table[..., SECOND]
    slot_exists = torch.stack([exists, exists & (second >= 0)], -1).flatten(1)
    order = torch.argsort(~slot_exists, dim=1, stable=True)[:, : shape.slots]
    instruction = order // 2
    is_second = (order % 2).bool()
    programs = Programs(
        table[..., OPERATION].clamp_min(0),
        to_output,
        table[..., FIRST : SECOND + 1].clamp_min(0),
        table[..., RESULT].clamp_min(0),
        instruction,
        is_second,
        slot_exists.gather(1, order),
    )
    tokens = to_output.sum(1)
    return ProgramBatch(source, values, programs, torch.where(there, examples, _EMPTY), tokens)
