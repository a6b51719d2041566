"""A task mapped over many items, by processes of this machine or a Ray cluster.

    workers = Workers(4)
    for answer in workers.map(solve_one, problems): ...

Promises:
- Results come in the order of the items, and an error in the place of its item, which it names.
- However many items there are, few are read ahead.
- `Workers.map_with` sets a task up once in every worker, as to load a model.
- Workers end with their parent, however that ends, once the C call they are in returns. Only the
  parent sees Ctrl-C. A worker that is killed is a `UserError`.
- A worker computes with one thread, so that there can be one for each processor.

How: processes are spawned and share only a pipe with the parent. A thread of each worker reads it,
and ends the process when the pipe breaks.

Does not cover: a cluster whose nodes have another version of this package; and a `local` Ray whose
parent is killed, which leaves two idle processes for a minute.
"""

import importlib.util
import os
import pickle
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from itertools import chain, islice
from multiprocessing import connection, get_context
from queue import SimpleQueue
from reprlib import Repr
from threading import Thread
from typing import Any, NamedTuple, TypeVar

from scratchwork.errors import UserError

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_AHEAD = 4
"""Chunks per worker that are computed, or done and waiting for their turn."""
_MOST_RETRIES = 10
"""How often Ray gives a chunk to another node after one has died."""
_THREADS = "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"


@dataclass(frozen=True, slots=True)
class Workers:
    """Processes of this machine, or a Ray cluster."""

    count: int | None = None
    """By default one for each processor of the machine or cluster."""
    ray: str | None = None
    """The address of a cluster: `host:port`, `ray://host:port`, `auto`, or `local` to start one."""

    def __post_init__(self) -> None:
        if self.ray is not None and importlib.util.find_spec("ray") is None:
            raise UserError("--ray needs Ray: pip install 'scratchwork[ray]'")

    def map(
        self, task: Callable[[_Item], _Result], items: Iterable[_Item], at_once: int = 1
    ) -> Generator[_Result]:
        """The result of the task for each item.

        Workers get `at_once` items at a time: enough for some tenths of a second. Task, items and
        results are pickled.
        """
        return self.map_with(partial(_itself, task), items, at_once)

    def map_with(
        self,
        set_up: Callable[[], Callable[[_Item], _Result]],
        items: Iterable[_Item],
        at_once: int = 1,
    ) -> Generator[_Result]:
        """The same with a task that every worker sets up once; it need not be pickled."""
        count = self.count or _processors()
        failures: list[Exception] = []
        chunks = _chunks(items, at_once if self.ray or count > 1 else 1, failures)
        if self.ray is not None:
            outcomes = _on_ray(self.ray, self.count, set_up, chunks)
        else:
            first = list(islice(chunks, 2 if count > 1 else 0))
            some = chain(first, chunks)
            # A single chunk is done before a process has started.
            outcomes = _on_processes(count, set_up, some) if len(first) > 1 else _here(set_up, some)
        with closing(outcomes):
            for outcome in outcomes:
                yield from outcome.results
                if outcome.error is not None:
                    raise outcome.error
        if failures:
            raise failures[0]


def blocks(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """The items in lists of `size`; the last may be shorter."""
    remaining = iter(items)
    while block := list(islice(remaining, size)):
        yield block


# Chunks and their outcomes.


class _Chunk(NamedTuple):
    first: int
    """The number of its first item, from 1."""
    items: list[Any]


class _Outcome(NamedTuple):
    results: list[Any]
    error: Exception | None
    """What the item after the results raised."""


def _chunks(items: Iterable[Any], size: int, failures: list[Exception]) -> Iterator[_Chunk]:
    """The items in chunks, up to the first error, which goes to `failures`."""
    remaining, first = iter(items), 1
    while not failures:
        chunk: list[Any] = []
        try:
            # Not list(islice(...)), which would lose the items before an error.
            for item in islice(remaining, size):
                chunk.append(item)
        except Exception as error:
            failures.append(error)
        if not chunk:
            return
        yield _Chunk(first, chunk)
        first += len(chunk)


def _outcome(task: Callable[[Any], Any], chunk: _Chunk) -> _Outcome:
    results: list[Any] = []
    for number, item in enumerate(chunk.items, chunk.first):
        try:
            results.append(task(item))
        except Exception as error:
            error.add_note(f"This was item {number:,}: {_SHORT.repr(item)}")
            return _Outcome(results, error)
    return _Outcome(results, None)


_SHORT = Repr()
_SHORT.maxother = _SHORT.maxstring = 200


def _itself(task: Callable[[_Item], _Result]) -> Callable[[_Item], _Result]:
    return task


def _here(
    set_up: Callable[[], Callable[[Any], Any]], chunks: Iterable[_Chunk]
) -> Generator[_Outcome]:
    """Run in this process."""
    task = set_up()
    for chunk in chunks:
        yield _outcome(task, chunk)


# In a worker of either kind.


@lru_cache(maxsize=1)
def _task_of(parcel: bytes) -> Callable[[Any], Any]:
    return pickle.loads(parcel)()


def _worked(parcel: bytes, chunk: bytes) -> bytes:
    """The outcome of a chunk; outcome, chunk and set-up are pickled."""
    try:
        outcome = _outcome(_task_of(parcel), pickle.loads(chunk))
    except Exception as error:
        outcome = _Outcome([], error)
    if outcome.error is not None:
        lines = traceback.format_tb(outcome.error.__traceback__)
        outcome.error.add_note("It was raised in a worker:\n" + "".join(lines).rstrip())
    try:
        content = pickle.dumps(outcome)
        if outcome.error is not None:
            pickle.loads(content)
    except Exception as error:
        # The results or the error cannot be pickled.
        other = RuntimeError("".join(traceback.format_exception(outcome.error or error)))
        return pickle.dumps(_Outcome([], other))
    return content


def _one_thread() -> None:
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)


# Processes of this machine.


def _processors() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Worker:
    """A process that computes chunks."""

    def __init__(self, parcel: bytes) -> None:
        context = get_context("spawn")
        try:
            self.channel, theirs = context.Pipe()
            self._process = context.Process(target=_work, args=(theirs, parcel), daemon=True)
            with _interrupts_held_back():
                self._process.start()
        except OSError as error:
            reason = (error.strerror or "the system refuses").lower()
            message = f"a worker process cannot be started ({reason}); ask for fewer --workers"
            raise UserError(message) from error
        theirs.close()

    def give(self, chunk: _Chunk) -> None:
        content = pickle.dumps(chunk)
        with suppress(OSError):  # it is dead, as its outcome will say
            self.channel.send_bytes(content)

    def outcome(self) -> _Outcome:
        try:
            return pickle.loads(self.channel.recv_bytes())
        except (EOFError, OSError):
            self._process.join()
            code = self._process.exitcode or 0
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            message = (
                f"a worker process ended too early ({how}), perhaps for want of memory; "
                "give the same command again, with fewer --workers if need be"
            )
            return _Outcome([], UserError(message))

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self.channel.close()


def _on_processes(
    most: int, set_up: Callable[[], Any], chunks: Iterator[_Chunk]
) -> Generator[_Outcome]:
    parcel = pickle.dumps(set_up)
    started: list[_Worker] = []
    idle: list[_Worker] = []
    at_work: dict[Any, tuple[int, _Worker]] = {}
    """The place of the chunk and the worker, by channel."""
    done: dict[int, _Outcome] = {}
    given = yielded = 0
    try:
        while True:
            while given < yielded + _AHEAD * most and (idle or len(started) < most):
                chunk = next(chunks, None)
                if chunk is None:
                    break
                if not idle:
                    idle.append(_Worker(parcel))
                    started.append(idle[0])
                worker = idle.pop()
                worker.give(chunk)
                at_work[worker.channel] = given, worker
                given += 1
            if yielded in done:
                yield done.pop(yielded)
                yielded += 1
            elif at_work:
                for channel in connection.wait(list(at_work)):
                    place, worker = at_work.pop(channel)
                    done[place] = worker.outcome()
                    idle.append(worker)
            else:
                return
    finally:
        with _interrupts_held_back():
            for worker in started:
                worker.end()


@contextmanager
def _interrupts_held_back() -> Generator[None]:
    """Block Ctrl-C: processes that are started now never see it."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(channel: Any, parcel: bytes) -> None:
    """What a worker process does until its parent ends it or has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    inbox: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_receive, args=(channel, inbox), daemon=True).start()
    _one_thread()
    while True:
        content = _worked(parcel, inbox.get())
        with suppress(OSError):  # the parent is gone
            channel.send_bytes(content)


def _receive(channel: Any, inbox: "SimpleQueue[bytes]") -> None:
    try:
        while True:
            inbox.put(channel.recv_bytes())
    finally:
        os._exit(1)


# A Ray cluster.


def _on_ray(
    address: str, count: int | None, set_up: Callable[[], Any], chunks: Iterator[_Chunk]
) -> Generator[_Outcome]:
    ray: Any = import_module("ray")
    _connect(ray, address, count)
    try:
        processors = count or int(ray.cluster_resources().get("CPU", 1))
        remote = ray.remote(num_cpus=1, max_retries=_MOST_RETRIES)(_work_on_node)
        pack: Callable[[Any], bytes] = (
            ray.cloudpickle.dumps
        )  # pickles functions of a script by value
        parcel = ray.put(pack(set_up))
        pending: deque[Any] = deque()
        for chunk in chunks:
            pending.append(remote.remote(parcel, pack(chunk)))
            if len(pending) >= _AHEAD * max(1, processors):
                yield pickle.loads(ray.get(pending.popleft()))
        while pending:
            yield pickle.loads(ray.get(pending.popleft()))
    except ray.exceptions.RayError as error:
        raise UserError(
            f"the Ray cluster {address} failed ({type(error).__name__}); "
            "give the same command again"
        ) from error
    finally:
        ray.shutdown()


def _work_on_node(parcel: bytes, chunk: bytes) -> bytes:
    _one_thread()
    return _worked(parcel, chunk)


def _connect(ray: Any, address: str, count: int | None) -> None:
    quiet = {"log_to_driver": False, "logging_level": "error"}
    try:
        if address == "local":
            ray.init(address="local", num_cpus=count, include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise UserError(
            f"there is no Ray cluster at {address}; give host:port, auto for the one that this "
            "machine is part of, or local for one that lasts as long as this command"
        ) from error
