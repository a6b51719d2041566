"""Memory of a training step by the length of programs: in stages, and all at once."""

import weakref
from collections import Counter
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks

from benchmarks.samples import device, name_of, sample
from scratchwork.paper.backpropagation import staged_backward
from scratchwork.paper.batching import ProgramBatch, gather_batch, tight_shape
from scratchwork.paper.config import preset
from scratchwork.paper.corpus import Corpus, Ragged
from scratchwork.paper.drawing import Drawn, draw_programs
from scratchwork.paper.models import build_model
from scratchwork.paper.noise import NO_DROPOUT
from scratchwork.paper.program_model import ProgramModel

LENGTHS = (50, 100, 200, 400)
STAGE, ROWS, WORDS = 32, 8, 10_000


def measure() -> Iterator[str]:
    """The most that back-propagation holds at a time, for longer and longer programs."""
    on = device()
    corpus = sample(1).corpus.to(on)
    size = "paper" if on.type == "cuda" else "small"
    model = build_model(preset(size).network(WORDS)).to(on)
    what = "allocated" if on.type == "cuda" else "kept for going back"
    yield f"{size} on {name_of(on)}, {ROWS} programs of |z| instructions; MiB {what}:"
    yield f"{'|z|':>4}{'at once':>10}{f'stages of {STAGE}':>15}{'ratio':>8}"
    for length in LENGTHS:
        batch = _batch(model, corpus, length)
        slots = batch.programs.slot_instruction.shape[1]
        whole, staged = (_most_bytes(model, batch, stage) for stage in (slots, STAGE))
        yield (f"{length:>4}{whole / 2**20:>10,.0f}{staged / 2**20:>15,.0f}{whole / staged:>8.1f}")


def _batch(model: ProgramModel, corpus: Corpus, length: int) -> ProgramBatch:
    """The program of a problem, over and over until it has so many instructions."""
    program = draw_programs(
        model, corpus, torch.tensor([0], device=corpus.device), None, 1
    ).rows.flat
    long = program.repeat(-(-length // len(program)), 1)[:length]
    starts = torch.arange(ROWS + 1, device=corpus.device) * length
    drawn = Drawn(Ragged(long.repeat(ROWS, 1), starts), starts[1:] > 0)
    rows = torch.arange(ROWS, device=corpus.device)
    return gather_batch(corpus, drawn, ROWS, rows, tight_shape(corpus, drawn, ROWS, rows))


def _most_bytes(model: ProgramModel, batch: ProgramBatch, stage: int) -> int:
    """What a step holds at most, beside the weights and their gradients; on a CPU only what is kept
    for going back, which is some half of it."""
    scale = torch.ones((), device=batch.tokens.device)

    def step() -> None:
        staged_backward(model, batch, NO_DROPOUT, scale, stage)

    if scale.device.type == "cpu":
        kept = _Kept(model)
        with saved_tensors_hooks(kept.pack, kept.unpack):
            step()
        return kept.most
    step()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    step()
    return torch.cuda.max_memory_allocated() - before


class _Held:
    """A tensor that is kept for going back."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor


class _Kept:
    """Counts the bytes kept for going back, each storage once and weights not at all."""

    def __init__(self, model: ProgramModel) -> None:
        self.most = self._now = 0
        self._weights = {p.untyped_storage().data_ptr() for p in model.parameters()}
        self._holders: Counter[int] = Counter()

    def pack(self, tensor: Tensor) -> _Held:
        held = _Held(tensor)
        storage = tensor.untyped_storage()
        place, size = storage.data_ptr(), storage.nbytes()
        if place not in self._weights:
            self._now += size * (self._holders[place] == 0)
            self._holders[place] += 1
            self.most = max(self.most, self._now)
            weakref.finalize(held, self._release, place, size)
        return held

    def unpack(self, held: _Held) -> Tensor:
        return held.tensor

    def _release(self, place: int, size: int) -> None:
        self._holders[place] -= 1
        self._now -= size * (self._holders[place] == 0)
