"""The programs of an epoch: drawn for all problems, before the first step.

Promises: `draw_epoch` gives `samples` programs for every example, in the order of the examples.
What is drawn depends on the model, the seed, the epoch and the example; not on the number of
processes that draw, nor on which examples are drawn together.
"""

import torch
from torch import Tensor

from scratchwork.paper.config import TrainingConfig
from scratchwork.paper.corpus import Corpus, Ragged
from scratchwork.paper.distributed import Processes
from scratchwork.paper.drawing import Drawn, draw, longest_program
from scratchwork.paper.interface import ProgramModel
from scratchwork.paper.noise import keys_of

_ROOM = {"cpu": 2**13, "cuda": 2**19}
"""Instructions that are drawn at once, over all examples: as many as memory holds, since a step
costs a GPU about the same for few as for many."""
_DRAWS = 2**32
"""Apart from the steps of training, which are counted from 0."""


def starts_drawing(config: TrainingConfig, epoch: int, position: int) -> bool:
    """Whether programs are drawn anew at this batch of an epoch; preferred ones never change."""
    drawn_before = epoch - config.preferred_epochs
    is_due = drawn_before >= 0 and drawn_before % config.draw_every == 0
    return position == 0 and is_due


def draw_epoch(
    model: ProgramModel, corpus: Corpus, config: TrainingConfig, epoch: int, processes: Processes
) -> Drawn:
    """Programs for all examples: `samples` for each, one after the other."""
    most_paths = 1 if epoch < config.preferred_epochs else config.paths
    mine: list[tuple[Tensor, Tensor, Tensor, Tensor]] = []
    for number, examples in enumerate(_chunks(corpus, config.samples)):
        if number % processes.count != processes.rank:
            continue
        rows = examples.unsqueeze(1) * config.samples + torch.arange(config.samples)
        rows = rows.flatten().to(corpus.device)
        keys = keys_of(config.seed, _DRAWS + epoch, rows)
        owners = rows // config.samples
        drawn = draw(model, corpus, owners, keys, most_paths)
        mine.append((rows, drawn.rows.flat, drawn.lengths, drawn.finished))
    if processes.count > 1:
        mine = [tuple(tensor.cpu() for tensor in piece) for piece in mine]  # type: ignore[misc]
    if corpus.device.type == "cuda":
        torch.cuda.empty_cache()  # for the graphs, and for whoever shares the device
    pieces = processes.share(mine)
    return _in_order(pieces, len(corpus) * config.samples, corpus.device)


def _chunks(corpus: Corpus, samples: int) -> list[Tensor]:
    """Examples of similar length together, so many that they fit."""
    room = _ROOM.get(corpus.device.type, 2**16)
    lengths = corpus.tokens.lengths.cpu()
    order = lengths.argsort(stable=True)
    chunks: list[Tensor] = []
    start = 0
    while start < len(order):
        end = start + 1
        while (
            end < len(order)
            and (end + 1 - start) * samples * longest_program(int(lengths[order[end]])) <= room
        ):
            end += 1
        chunks.append(order[start:end])
        start = end
    return chunks


def _in_order(
    pieces: list[tuple[Tensor, Tensor, Tensor, Tensor]], count: int, device: torch.device
) -> Drawn:
    """The pieces put together, by the numbers of their rows."""
    lengths = torch.zeros(count, dtype=torch.int64, device=device)
    finished = torch.zeros(count, dtype=torch.bool, device=device)
    for rows, _, piece_lengths, piece_finished in pieces:
        rows = rows.to(device)
        lengths[rows] = piece_lengths.to(device)
        finished[rows] = piece_finished.to(device)
    starts = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])
    flat = torch.zeros(int(starts[-1]), 5, dtype=torch.int16, device=device)
    for rows, piece, piece_lengths, _ in pieces:
        piece_lengths = piece_lengths.to(device)
        before = piece_lengths.cumsum(0) - piece_lengths
        within = torch.arange(len(piece), device=device) - before.repeat_interleave(piece_lengths)
        flat[starts[rows.to(device)].repeat_interleave(piece_lengths) + within] = piece.to(device)
    return Drawn(Ragged(flat, starts), finished)
