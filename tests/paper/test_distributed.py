import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from scratchwork import UserError
from scratchwork.paper import batching, training
from scratchwork.paper.distributed import Processes, join
from scratchwork.problems.rows import write_problems
from scratchwork.problems.tokens import output_tokens
from scratchwork.training import TrainingState, latest_state
from tests.paper import one_of_several
from tests.paper.samples import problems


def free_port() -> int:
    with socket.socket() as here:
        here.bind(("127.0.0.1", 0))
        return here.getsockname()[1]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """As if `torchrun` had not started this process; what a script sets is taken back."""
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    monkeypatch.setattr(training, "LOOK_EVERY", one_of_several.STOP_AT)
    monkeypatch.setattr(batching, "_ROOM", one_of_several.ROOM)
    return monkeypatch


def two_processes(*paths: Path) -> list[tuple[int, list[float]]]:
    """The steps and losses that each of two processes told."""
    port = str(free_port())
    started = [
        subprocess.Popen(
            [sys.executable, one_of_several.__file__, *map(str, paths)],
            env={
                **os.environ,
                "OMP_NUM_THREADS": "1",
                "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": port,
                "RANK": str(rank),
                "LOCAL_RANK": str(rank),
                "WORLD_SIZE": "2",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        told = [process.communicate(timeout=120) for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait()
    assert [process.returncode for process in started] == [0, 0], told
    words = [out.split() for out, _ in told]
    return [(int(steps), [float(loss) for loss in losses]) for steps, *losses in words]


def state_of(folder: Path) -> TrainingState:
    state = latest_state(folder)
    assert state is not None
    return state


def test_two_processes_learn_what_one_does(tmp_path: Path, alone: pytest.MonkeyPatch) -> None:
    data = tmp_path / "problems.jsonl"
    by_length = sorted(problems(), key=lambda problem: len(output_tokens(problem)))
    write_problems(data, by_length[:13])
    steps, losses = one_of_several.main(data, tmp_path / "cache", tmp_path / "one")
    told = two_processes(data, tmp_path / "cache", tmp_path / "two")
    # Either of them knows the loss of the whole batch, for each of its output tokens.
    assert told[0] == told[1] == (steps, pytest.approx(losses, rel=1e-9))
    assert steps >= 20
    one, two = state_of(tmp_path / "one"), state_of(tmp_path / "two")
    assert one.facts == two.facts
    assert one.tensors.keys() == two.tensors.keys()
    for name, tensor in one.tensors.items():
        assert torch.allclose(two.tensors[name], tensor, rtol=1e-9, atol=1e-9), name
    for name in ("model.safetensors", "config.json", "vocabulary.json"):
        assert (tmp_path / "two" / name).exists()


def test_the_rows_of_a_batch_are_divided_with_samples_together() -> None:
    rows = torch.arange(12)
    parts = [Processes(rank, 2).part(rows, 3) for rank in range(2)]
    assert [part.tolist() for part in parts] == [[0, 1, 2, 6, 7, 8], [3, 4, 5, 9, 10, 11]]
    assert torch.equal(Processes().part(rows, 3), rows)


def test_one_process_needs_no_others(alone: pytest.MonkeyPatch) -> None:
    single = join(torch.device("cpu"))
    assert (single.rank, single.count, single.is_first) == (0, 1, True)
    assert not torch.distributed.is_initialized()
    assert float(single.sum(torch.tensor(3.0))) == 3
    assert single.share([1, 2]) == [1, 2]
    single.wait()
    single.leave()


@pytest.mark.parametrize("variable", ["MASTER_ADDR", "RANK"])
def test_processes_that_do_not_find_each_other_are_told(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    for name in ("MASTER_ADDR", "MASTER_PORT", "RANK"):
        monkeypatch.setenv(name, "0")
    monkeypatch.delenv(variable)
    with pytest.raises(UserError, match="the processes of torchrun did not find each other"):
        join(torch.device("cpu"))
