"""What all tests share: where the data is, the worked example, and small trained models."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from scratchwork import Problem, Program, Trace, execute, parse_program, read_problems
from scratchwork.examples import example_path
from tests.disks import disk_of

# Several workers test at once: a thread each is all there is room for, in child processes too.
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("here", deadline=None, print_blob=True)
settings.load_profile("here")


def pytest_collection_finish() -> None:
    """Look for garbage less often, and not in what was loaded by now, the bank above all.

    Otherwise that would take a third of the time of the tests that make most objects.
    """
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real problems, if there is one."""
    folder = os.environ.get("SCRATCHWORK_DATA")
    if not folder:
        pytest.skip("set SCRATCHWORK_DATA to the folder of real problems to run this test")
    return Path(folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with room for 64 KiB, which a test may fill."""
    with disk_of(1 << 16, tmp_path / "disk") as folder:
        yield folder


@pytest.fixture(scope="session")
def kings() -> Problem:
    """Problem 2 of the paper."""
    return next(read_problems(example_path("kings.json")))


@pytest.fixture(scope="session")
def kings_program() -> Program:
    """A program that writes the rationale of Problem 2."""
    return parse_program(example_path("kings.program").read_text("utf-8"))


@pytest.fixture(scope="session")
def kings_trace(kings: Problem, kings_program: Program) -> Trace:
    """The execution of that program."""
    return execute(kings_program, kings)


def _addition(k: int) -> Problem:
    options = (str(k + 3), str(k + 2)) if k % 2 == 0 else (str(k + 2), str(k + 3))
    return Problem(f"Add 2 to {k}.", options, f"{k} + 2 = {k + 2}", "BA"[k % 2], id=str(k))


@pytest.fixture(scope="session")
def additions() -> list[Problem]:
    """Problems that the small model has not seen, and solves."""
    return [_addition(k) for k in range(30, 36)]


@pytest.fixture(scope="session")
def adding_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model that has learnt to add 2."""
    import torch

    from scratchwork.paper.config import TrainingConfig
    from scratchwork.paper.corpus import build_tables, corpus_of
    from scratchwork.paper.training import Training
    from scratchwork.paper.vocabulary import build_vocabulary

    torch.set_num_threads(1)
    problems = [_addition(k) for k in range(4, 20)]
    vocabulary = build_vocabulary(problems)
    config = TrainingConfig(
        hidden=32, embedding=32, dropout=0, epochs=30, rows=4, rate=1e-2, warm_up=10,
        preferred_epochs=30, average=0.5, seed=7,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("models") / "adding"
    Training(config, vocabulary, corpus_of(build_tables(problems, vocabulary)), folder).run()
    return folder


@pytest.fixture(scope="session")
def tiny_solver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A solver that has learnt three simple families (see tests/solver/samples.py)."""
    import torch

    from tests.solver.samples import train_tiny

    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("models") / "tiny"
    train_tiny(folder)
    return folder
