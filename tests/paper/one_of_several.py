"""One of several processes that train together: `python one_of_several.py DATA CACHE FOLDER`.

The environment says which one it is, as `torchrun` would. The last one asks to stop in the middle;
then all go on to the end.
"""

import sys
from pathlib import Path

import torch

from scratchwork.paper import batching, training
from scratchwork.paper.config import TrainingConfig
from scratchwork.paper.corpus import prepare
from scratchwork.paper.distributed import join

SETTINGS = TrainingConfig(
    hidden=8, embedding=9, dropout=0.2, epochs=3, rows=4, rate=0.01, warm_up=3,
    preferred_epochs=1, draw_every=1, average=0.9, stage=64, samples=2,
)  # fmt: skip
STOP_AT = 5
ROOM = {"cpu": 1200}
"""So little that every process has something to draw."""


def main(data: Path, cache: Path, folder: Path) -> tuple[int, list[float]]:
    """How many steps were taken, and the losses that were told."""
    torch.set_num_threads(1)
    training.LOOK_EVERY = STOP_AT
    batching._ROOM = ROOM  # pyright: ignore
    prepared = prepare([data], cache=cache)
    processes = join(torch.device("cpu"))

    def new_run() -> training.Training:
        words, corpus = prepared.vocabulary, prepared.corpus
        return training.Training(SETTINGS, words, corpus, folder, processes, torch.float64)

    losses: list[float] = []
    is_last = processes.rank == processes.count - 1
    first = new_run()
    finished = first.run(
        lambda report: losses.append(report["loss"]), stop=lambda: is_last and first.step >= STOP_AT
    )
    assert not finished
    assert first.step == STOP_AT
    run = new_run()
    assert run.resume()
    assert run.run(lambda report: losses.append(report["loss"]))
    processes.leave()
    return run.step, losses


if __name__ == "__main__":
    steps, told = main(*map(Path, sys.argv[1:]))
    print(steps, *told)
