"""Training steps and drawing programs, beside a large matrix product on the same device."""

import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import torch
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.samples import Sample, device, name_of, sample, wait_for
from benchmarks.timing import best_seconds
from scratchwork.paper.backpropagation import staged_backward
from scratchwork.paper.batching import draw_epoch, gather_batch, tight_shape
from scratchwork.paper.config import TrainingConfig, preset
from scratchwork.paper.distributed import Processes
from scratchwork.paper.drawing import draw_programs
from scratchwork.paper.models import build_model
from scratchwork.paper.noise import NO_DROPOUT
from scratchwork.paper.training import Training

COUNTED = 8
"""Problems over which multiply-adds are counted."""


def measure() -> Iterator[str]:
    """Instructions a second, and programs drawn a second: paper's size on a GPU, small on a CPU."""
    on = device()
    size, count, side = ("paper", 1024, 8192) if on.type == "cuda" else ("small", 64, 1024)
    data = sample(count)
    config = replace(preset(size), epochs=3, preferred_epochs=3, save_every=10**9)
    with tempfile.TemporaryDirectory() as folder:
        training = Training(config, data.vocabulary, data.corpus.to(on), Path(folder))
        seconds = _seconds_of_an_epoch(training)
    assert training.drawn is not None
    instructions = int(training.drawn.lengths.sum())
    each = _multiply_adds(data, config)
    rate = _product_rate(side, on)
    yield (
        f"{size} on {name_of(on)}: {instructions / seconds:,.0f} instructions a second; "
        f"{each / 1e6:.1f} million multiply-adds each, "
        f"{each * instructions / seconds / rate:.2%} of the rate of a matrix product "
        f"({rate / 1e9:,.0f} billion a second)"
    )
    drawing = _seconds_of_drawing(training)
    yield (
        f"drawing: {len(training.corpus) / drawing:,.0f} programs a second, of {config.paths} "
        f"paths to a token; {drawing / seconds:.1f} times the time of the same problems' steps"
    )


def _seconds_of_an_epoch(training: Training) -> float:
    """From the first step of the second epoch to the first step of the third."""
    times: list[float] = []

    def at_step() -> bool:
        if training.epoch > 0 and training.position == 1:
            wait_for(training.corpus.device)
            times.append(time.perf_counter())
        return len(times) == 2

    training.run(stop=at_step)
    return times[1] - times[0]


def _multiply_adds(data: Sample, config: TrainingConfig) -> float:
    """Those of all matrix products of a step, by instruction; nothing is padded, nothing done
    twice."""
    # In double precision, since layers that are fused in single precision would not be counted.
    model = build_model(config.network(len(data.vocabulary))).double()
    drawn = draw_programs(model, data.corpus, torch.arange(COUNTED), None, most_paths=1)
    with FlopCounterMode(display=False) as counter:
        for row in torch.arange(COUNTED).split(1):
            batch = gather_batch(
                data.corpus, drawn, 1, row, tight_shape(data.corpus, drawn, 1, row)
            )
            slots = batch.programs.slot_instruction.shape[1]
            scale = torch.ones((), dtype=torch.float64)
            staged_backward(model, batch, NO_DROPOUT, scale, slots)
    return counter.get_total_flops() / 2 / int(drawn.lengths.sum())


def _product_rate(side: int, on: torch.device) -> float:
    """Multiply-adds a second of a product of two square matrices."""
    matrix = torch.randn(side, side, device=on)

    def multiply() -> None:
        torch.matmul(matrix, matrix)
        wait_for(on)

    return side**3 / best_seconds(multiply)


def _seconds_of_drawing(training: Training) -> float:
    config = replace(training.config, preferred_epochs=0)

    def draw_all() -> None:
        draw_epoch(training.model, training.corpus, config, 0, Processes())
        wait_for(training.corpus.device)

    return best_seconds(draw_all, 1)
