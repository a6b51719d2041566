"""Working through a file of problems, on the processes of a machine or on a Ray cluster.

Promises: `write_corpus` writes one line a problem, in the order of the input: the same bytes
wherever the work is done, and however often it was stopped in between. It works chunk by chunk on
`OUT.partial`, where for `.gz` each chunk is a gzip member of its own; `OUT.partial.json` is the
journal: what the run was asked for, then the length and checksum of each chunk. A run that finds
both goes on behind the last chunk that is there whole; one that was asked for something else
refuses. At the end the partial file becomes the output. Whatever dies, a process of this machine
or a node of the cluster, nothing is lost but the chunks it worked on.

Memory: a bounded number of chunks, however long the file.
Does not cover: nodes that have another version of this package or of zlib than the rest, and a
partial file that another version has begun.
"""

import os
import signal
import sys
import zlib
from array import array
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import asdict
from functools import partial
from importlib import import_module
from itertools import islice, zip_longest
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any

from scratchwork.errors import UserError
from scratchwork.files import resumable_file, sha256_of
from scratchwork.induction.corpus import (
    FORMAT_VERSION,
    Chunk,
    Counts,
    Settings,
    Written,
    chunk_lines,
)
from scratchwork.ordered import in_order
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import OnBad, read_problems
from scratchwork.problems.rows import problem_line

PROBLEMS_IN_A_CHUNK = 50
_AHEAD = 4  # chunks under way for each worker
_MOST_RETRIES = 10

Task = Callable[[Chunk], Written]
Runner = Callable[[Task, Iterable[Chunk]], Generator[Written]]
"""Does a task for all chunks, and gives the results in their order."""
OnProgress = Callable[[int, int], None]
"""Told how many problems are done, of how many."""


def write_corpus(
    file: Path,
    output: Path,
    settings: Settings,
    run: Runner,
    on_bad: OnBad | None = None,
    on_progress: OnProgress = lambda done, total: None,
) -> Counts:
    """Write a line for each problem of the file, and say what was counted."""
    # All rows are read first: a bad one should not come to light hours later.
    checksums = array("L", (zlib.crc32(problem_line(p)) for p in read_problems(file, on_bad)))
    if not checksums:
        raise UserError(f"{file}: there is no problem in the file")
    facts = {
        "version": FORMAT_VERSION,
        "data": sha256_of(file),
        "chunk": PROBLEMS_IN_A_CHUNK,
        **asdict(settings),
    }
    task = partial(chunk_lines, settings=settings, compressed=output.suffix == ".gz")
    with resumable_file(output, facts) as part:
        done = part.counts["problems"]
        on_progress(done, len(checksums))
        problems = islice(_unchanged(file, checksums), done, None)
        with closing(run(task, _chunks(problems))) as results:
            for written in results:
                part.append(*written)
                on_progress(part.counts["problems"], len(checksums))
    return dict(part.counts)


def _unchanged(file: Path, checksums: Sequence[int]) -> Iterator[Problem]:
    """The problems of a file that has been read before, as long as they are the same."""
    problems = read_problems(file, on_bad=lambda error: None)
    for number, (problem, checksum) in enumerate(zip_longest(problems, checksums), 1):
        if problem is None or checksum != zlib.crc32(problem_line(problem)):
            raise UserError(
                f"{file}: problem {number:,} has changed since this run began; restore the file "
                "and give the same command again"
            )
        yield problem


def _chunks(problems: Iterator[Problem]) -> Iterator[Chunk]:
    while chunk := tuple(islice(problems, PROBLEMS_IN_A_CHUNK)):
        yield chunk


def on_processes(workers: int) -> Runner:
    """Work on so many processes of this machine."""

    def run(task: Task, chunks: Iterable[Chunk]) -> Generator[Written]:
        if workers == 1:
            yield from map(task, chunks)
            return
        pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_end_with_parent)

        def submit(chunk: Chunk) -> Future[Written]:
            with _interrupts_held_back():
                return pool.submit(task, chunk)

        try:
            yield from in_order(chunks, submit, Future[Written].result, _AHEAD * workers)
        except BrokenProcessPool as error:
            raise UserError(
                "a worker process was ended from outside, perhaps for want of memory; "
                "the same command goes on where this one stopped, with fewer --workers if need be"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)

    return run


def _end_with_parent() -> None:
    """Let a worker process end when the process that started it is killed."""
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    Thread(target=wait, daemon=True).start()


@contextmanager
def _interrupts_held_back() -> Generator[None]:
    """Hold Ctrl-C back for a moment: processes that are started now will never see one."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def on_ray(address: str, workers: int | None = None) -> Runner:
    """Work on a Ray cluster: `local`, `auto`, `host:port` or `ray://host:port`.

    By default there are chunks under way for all its processors. Chunks of a node that dies are
    given to others.
    """
    try:
        ray: Any = import_module("ray")
    except ImportError as error:
        raise UserError("--ray needs Ray: pip install 'scratchwork[ray]'") from error

    def run(task: Task, chunks: Iterable[Chunk]) -> Generator[Written]:
        _connect(ray, address, workers)
        try:
            processors = workers or int(ray.cluster_resources().get("CPU", 1))
            remote = ray.remote(num_cpus=1, max_retries=_MOST_RETRIES)(_call)
            yield from in_order(
                chunks, partial(remote.remote, task), ray.get, _AHEAD * max(1, processors)
            )
        except ray.exceptions.RayTaskError:
            raise  # what the task itself raised
        except ray.exceptions.RayError as error:
            raise UserError(
                f"the Ray cluster {address} failed ({type(error).__name__}); "
                "the same command goes on where this one stopped"
            ) from error
        finally:
            ray.shutdown()

    return run


def _call(task: Task, chunk: Chunk) -> Written:
    return task(chunk)


def _connect(ray: Any, address: str, workers: int | None) -> None:
    quiet = {"log_to_driver": False, "logging_level": "error"}
    try:
        if address == "local":
            ray.init(address="local", num_cpus=workers, include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise UserError(
            f"there is no Ray cluster at {address}; give host:port, auto for the one that this "
            "machine is part of, or local for one that lasts as long as this command"
        ) from error
