"""Workers: order, bounds, what goes wrong, and that none outlives its parent."""

import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from scratchwork.errors import UserError
from scratchwork.parallel import Workers, blocks
from scratchwork.problems.problem import Problem
from scratchwork.problems.rows import write_problems
from tests.processes import COMMAND_LINE, are_alive, descendants, started

TWO = Workers(2)
EVERYONE = pytest.mark.parametrize("workers", [Workers(1), TWO], ids=["here", "processes"])


def slow_if_even(item: int) -> int:
    time.sleep(0.02 if item % 2 == 0 else 0)
    return item * item


def inverse(item: int) -> float:
    return 1 / item


def refuse(item: int) -> int:
    raise UserError(f"{item} cannot be worked on")


def killed_at_five(item: int) -> int:
    if item == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


class OwnError(Exception):
    """An exception that cannot be unpickled."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}, since {why}")


def raise_own(item: int) -> int:
    raise OwnError("no", "not now")


def not_to_be_sent(item: int) -> object:
    return lambda: item


def setting_up(note: Path) -> Callable[[int], int]:
    with note.open("a") as file:
        print(os.getpid(), file=file)
    return lambda item: item + 1


def no_set_up() -> Callable[[int], int]:
    raise UserError("there is no such model")


def threads(item: int) -> int:
    import torch

    return torch.get_num_threads()


def numbers(at_most: list[int], count: int = 100) -> Iterator[int]:
    for number in range(count):
        at_most[0] = number + 1
        yield number


@EVERYONE
@pytest.mark.parametrize("at_once", [1, 7])
def test_results_come_in_the_order_of_the_items(workers: Workers, at_once: int) -> None:
    found = list(workers.map(slow_if_even, range(30), at_once))
    assert found == [item * item for item in range(30)]


@EVERYONE
def test_no_items_give_no_results(workers: Workers) -> None:
    assert list(workers.map(inverse, [])) == []


def test_only_so_many_items_are_taken_at_a_time() -> None:
    taken = [0]
    with closing(TWO.map(slow_if_even, numbers(taken), 3)) as results:
        for told, _ in enumerate(results):
            assert taken[0] <= told + 2 * 4 * 3
    assert taken == [100]
    here = [0]
    for told, _ in enumerate(Workers(1).map(slow_if_even, numbers(here, 10), 3), 1):
        assert here == [told]


@EVERYONE
def test_an_error_comes_in_its_turn_and_names_its_item(workers: Workers) -> None:
    results: list[float] = []
    with pytest.raises(ZeroDivisionError) as caught:
        results.extend(workers.map(inverse, [1, 2, 4, 5, 0, 8], 2))
    assert results == [1, 0.5, 0.25, 0.2]
    assert caught.value.__notes__[0] == "This was item 5: 0"
    assert "in inverse" in "".join(traceback.format_exception(caught.value))


@EVERYONE
def test_an_error_among_the_items_comes_behind_the_results_of_those_before(
    workers: Workers,
) -> None:
    def broken() -> Iterator[int]:
        yield from (1, 2, 4)
        raise UserError("the file ends here")

    results: list[float] = []
    with pytest.raises(UserError, match="the file ends here"):
        results.extend(workers.map(inverse, broken(), 2))
    assert results == [1, 0.5, 0.25]


@EVERYONE
def test_what_a_user_can_mend_stays_one_sentence(workers: Workers) -> None:
    with pytest.raises(UserError) as caught:
        list(workers.map(refuse, [1, 2, 3]))
    assert str(caught.value) == "1 cannot be worked on"


def test_what_cannot_be_sent_is_told_all_the_same() -> None:
    with pytest.raises(RuntimeError, match="OwnError: no, since not now"):
        list(TWO.map(raise_own, [1, 2]))
    with pytest.raises(RuntimeError, match="not_to_be_sent"):
        list(TWO.map(not_to_be_sent, [1, 2]))


def test_a_worker_that_is_killed_gets_one_sentence() -> None:
    results: list[int] = []
    with pytest.raises(UserError) as caught:
        results.extend(TWO.map(killed_at_five, range(100)))
    assert results == [0, 1, 2, 3, 4]
    assert str(caught.value) == (
        "a worker process ended too early (signal 9), perhaps for want of memory; "
        "give the same command again, with fewer --workers if need be"
    )


def test_too_many_workers_get_a_sentence() -> None:
    code = """
import resource
from scratchwork.errors import UserError
from scratchwork.parallel import Workers
from tests.test_parallel import asleep
resource.setrlimit(resource.RLIMIT_NOFILE, (30, 30))
try:
    list(Workers(1000).map(asleep, range(2, 1000)))
except UserError as error:
    print(error)
"""
    told, complaint = started(code).communicate(timeout=20)
    assert told == (
        "a worker process cannot be started (too many open files); ask for fewer --workers\n"
    )
    assert complaint == ""


def test_ray_is_asked_for_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UserError, match=r"pip install 'scratchwork\[ray\]'"):
        Workers(ray="auto")


def test_a_task_is_set_up_once_in_each_worker(tmp_path: Path) -> None:
    note = tmp_path / "set-up"
    assert list(TWO.map_with(partial(setting_up, note), range(40), 2)) == list(range(1, 41))
    processes = note.read_text().split()
    assert 1 <= len(processes) <= 2
    assert len(set(processes)) == len(processes)
    assert str(os.getpid()) not in processes


@EVERYONE
def test_what_goes_wrong_in_setting_up_is_told(workers: Workers) -> None:
    with pytest.raises(UserError) as caught:
        list(workers.map_with(no_set_up, range(10)))
    assert str(caught.value) == "there is no such model"


def test_a_worker_computes_with_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert list(TWO.map(threads, range(2))) == [1, 1]


def test_blocks_lose_nothing() -> None:
    assert list(blocks(range(7), 3)) == [[0, 1, 2], [3, 4, 5], [6]]


# The end of the parent.


POOL = """
import sys, time
from scratchwork.parallel import Workers
from tests import test_parallel
for _ in Workers(2).map(getattr(test_parallel, sys.argv[1]), range(1000)):
    print("one", flush=True)
    {then}
"""
ENDED = 5
"""Seconds after which nothing may be left."""


def busy(item: int) -> int:
    """Work without a pause, but for the first items."""
    end = time.monotonic() + (60 if item > 1 else 0)
    while time.monotonic() < end:
        sum(range(1000))
    return item


def asleep(item: int) -> int:
    time.sleep(60 if item > 1 else 0)
    return item


def at_once(item: int) -> int:
    return item


def wait_for(condition: Callable[[], Any], process: "subprocess.Popen[str]") -> None:
    while not condition():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def assert_nothing_is_left_after(number: int, process: "subprocess.Popen[str]") -> str:
    """End the parent with a signal; what it and its workers told is returned."""
    below = descendants(process.pid)
    assert len(below) >= 2 + 1  # one counts what processes share
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # as a terminal does
    else:
        process.send_signal(number)
    end = time.monotonic() + ENDED
    # The pipe ends when all who could write to it have ended.
    told = process.communicate(timeout=ENDED)[1]
    while are_alive(below):
        assert time.monotonic() < end
        time.sleep(0.01)
    return told


needs_proc = pytest.mark.skipif(not Path("/proc").exists(), reason="descendants are read in /proc")


@needs_proc
@pytest.mark.parametrize(
    ("task", "then"),
    [("busy", "pass"), ("asleep", "pass"), ("at_once", "time.sleep(60)")],
    ids=["at work", "asleep", "idle"],
)
def test_workers_end_with_a_parent_that_is_killed(task: str, then: str) -> None:
    process = started(POOL.format(then=then), task)
    assert process.stdout is not None
    assert process.stdout.readline() == "one\n"
    assert assert_nothing_is_left_after(signal.SIGKILL, process) == ""


@needs_proc
def test_workers_do_not_see_an_interrupt_but_end() -> None:
    process = started(POOL.format(then="pass"), "busy")
    assert process.stdout is not None
    assert process.stdout.readline() == "one\n"
    told = assert_nothing_is_left_after(signal.SIGINT, process)
    assert told.count("Traceback") == 1
    assert "in busy" not in told


def apples(k: int) -> Problem:
    each = 3 + k % 40
    return Problem(
        question=f"An apple costs {each} cents. How much do 11 apples cost?",
        options=(str(11 * each), str(12 * each)),
        rationale=f"They cost 11 * {each} = {11 * each} cents. So the answer is A.",
        correct="A",
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many") / "apples.jsonl"
    write_problems(path, map(apples, range(5000)))
    return path


FAMILIES = Path(__file__).parent / "solver" / "trial.toml"


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["kill -9", "Ctrl-C"])
@pytest.mark.parametrize("command", ["generate", "induce", "audit"])
def test_no_worker_of_a_command_is_left(
    command: str, number: int, file: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out.jsonl"
    arguments = {
        "generate": ("-n", 1_000_000, "--families", FAMILIES, "-o", output),
        "induce": (file, "-o", output),
        "audit": (file, "--keep", output),
    }
    process = started(COMMAND_LINE, command, *arguments[command], "--workers", 2)
    partial = tmp_path / "out.jsonl.partial"
    wait_for(lambda: partial.exists() and partial.stat().st_size, process)
    told = assert_nothing_is_left_after(number, process)
    assert "Traceback" not in told
    assert not output.exists()
    if number == signal.SIGINT and command != "induce":
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["generate", "induce", "audit"])
def test_two_writers_of_one_output_get_a_sentence(command: str, file: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    arguments = {
        "generate": ("-n", 1_000_000, "--families", FAMILIES, "-o", output),
        "induce": (file, "-o", output),
        "audit": (file, "--keep", output),
    }
    first = started(COMMAND_LINE, command, *arguments[command], "--workers", 1)
    partial = tmp_path / "out.jsonl.partial"
    wait_for(lambda: partial.exists() and partial.stat().st_size, first)
    second = started(COMMAND_LINE, command, *arguments[command], "--workers", 1)
    _, told = second.communicate(timeout=60)
    first.kill()
    first.communicate()
    assert second.returncode == 2
    assert told.startswith("scratchwork: ")
    assert told.endswith("another run is writing this file; wait for it to end\n")


@pytest.mark.parametrize("command", ["induce", "audit"])
def test_commands_write_the_same_whoever_works(command: str, tmp_path: Path) -> None:
    problems = tmp_path / "problems.jsonl"
    write_problems(problems, map(apples, range(120)))
    written: list[bytes] = []
    for workers in (1, 2):
        output = tmp_path / f"out{workers}.jsonl.gz"
        arguments = {
            "induce": (problems, "--lattices", "-o", output),
            "audit": (problems, "--keep", output),
        }
        process = started(COMMAND_LINE, command, *arguments[command], "--workers", workers)
        process.communicate(timeout=60)
        assert process.returncode == 0
        written.append(output.read_bytes())
    assert written[0] == written[1]
