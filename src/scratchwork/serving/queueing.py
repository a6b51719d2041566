"""The queue in front of the model: requests that arrive together are solved together.

Promises: one thread loads the model and solves; who comes first is solved first, in batches of
at most `together`. At most `longest` requests wait, or as many as can expect their solution in
time, going by the last batch, but one batch always may; the next is refused with 429. One that
leaves frees its place at once. If a batch fails, its problems are tried one by one, so that a
problem spoils no other's solution. `close` returns when everything accepted is solved.

Does not cover: how long a client waits for its solution; see `routes`.
"""

import asyncio
import logging
import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from threading import Condition, Thread
from time import monotonic
from typing import Literal, Protocol

from scratchwork.errors import UserError
from scratchwork.problems.problem import Problem
from scratchwork.serving.limits import (
    EXPECTED_SECONDS,
    GATHERING_SECONDS,
    MOST_TOGETHER,
    MOST_WAITING,
    VOTING_SECONDS,
)
from scratchwork.serving.metrics import Metrics
from scratchwork.serving.refusals import RefusalError
from scratchwork.solution import Progress

Status = Literal["ready", "loading", "no model"]

_LOG = logging.getLogger("scratchwork.serving")
_FAILED = "the solver failed on this problem; the server's log says why"


class Solves(Protocol):
    """What the queue needs of a search."""

    def steps(self, problems: Sequence[Problem]) -> Iterator[Progress]:
        """What is found for the problems, whenever there is more."""
        ...


class Job:
    """A problem that waits for its solution; made in the event loop that awaits the events."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.events: asyncio.Queue[Progress | RefusalError] = asyncio.Queue()
        self.is_done = False
        self._told = -math.inf
        self._loop = asyncio.get_running_loop()

    def tell(self, event: Progress | RefusalError) -> None:
        """Called by the thread that solves; what comes too soon after the last is left out."""
        now = monotonic()
        self.is_done = isinstance(event, RefusalError) or event.is_last
        if not self.is_done and now - self._told < VOTING_SECONDS:
            return
        self._told = now
        self._loop.call_soon_threadsafe(self.events.put_nowait, event)


class SolveQueue:
    """Problems that wait for one model."""

    def __init__(
        self,
        load: Callable[[], Solves] | None,
        metrics: Metrics,
        *,
        longest: int = MOST_WAITING,
        together: int = MOST_TOGETHER,
        gathering: float = GATHERING_SECONDS,
    ) -> None:
        self._load = load
        self._metrics = metrics
        self._longest = longest
        self._together = together
        self._gathering = gathering
        self._waiting: deque[Job] = deque()
        self._changed = Condition()
        self._closed = False
        self._seconds = 0.0
        """What the last batch took."""
        self._thread: Thread | None = None
        self.status: Status = "no model" if load is None else "loading"
        self._why_none = "this server has no model; start it with --model"

    @property
    def length(self) -> int:
        """How many wait; those that are being solved do not count."""
        return len(self._waiting)

    def start(self) -> None:
        """Begin to load the model, without waiting for it."""
        if self._load is not None:
            self._thread = Thread(target=self._work, args=(self._load,), daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Take no more problems, and return when those accepted are solved."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None and self.status == "ready":
            self._thread.join()

    def submit(self, problem: Problem) -> Job:
        """A place in the queue, or RefusalError."""
        job = Job(problem)
        with self._changed:
            if self.status == "loading":
                raise RefusalError(503, "the model is still loading; try again soon", retry=True)
            if self.status == "no model":
                raise RefusalError(503, self._why_none)
            if self._closed:
                raise RefusalError(503, "the server is shutting down")
            if self._is_full():
                raise RefusalError(
                    429, "too many problems wait already; try again soon", retry=True
                )
            self._waiting.append(job)
            self._changed.notify_all()
        return job

    def _is_full(self) -> bool:
        count = len(self._waiting)
        before = count // self._together
        # The batch that is being solved, those before, and its own.
        is_late = (1 + before + 1) * self._seconds > EXPECTED_SECONDS
        return count >= self._longest or (before > 0 and is_late)

    def leave(self, job: Job) -> None:
        """Give the place up; a problem that is being solved already is solved for nothing."""
        with self._changed:
            if job in self._waiting:
                self._waiting.remove(job)

    def _work(self, load: Callable[[], Solves]) -> None:
        try:
            solver = load()
        except Exception as error:
            _LOG.exception("the model could not be loaded")
            self._why_none = "the model could not be loaded; the server's log says why"
            if isinstance(error, UserError):
                self._why_none = str(error)
            self.status = "no model"
            return
        self.status = "ready"
        while not self._closed or self._waiting:
            batch = self._next_batch()
            if batch:
                self._metrics.add_batch(len(batch))
                began = monotonic()
                self._solve(solver, batch)
                self._seconds = monotonic() - began

    def _next_batch(self) -> list[Job]:
        """The next problems; none if they left, or the queue was closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            self._changed.wait_for(
                lambda: len(self._waiting) >= self._together or self._closed, self._gathering
            )
            count = min(len(self._waiting), self._together)
            return [self._waiting.popleft() for _ in range(count)]

    def _solve(self, solver: Solves, batch: Sequence[Job]) -> None:
        try:
            for progress in solver.steps([job.problem for job in batch]):
                batch[progress.place].tell(progress)
            return
        except Exception as error:
            left = [job for job in batch if not job.is_done]
            if len(batch) == 1:
                for job in left:
                    job.tell(_refusal_of(error))
                return
        for job in left:
            self._solve(solver, [job])


def _refusal_of(error: Exception) -> RefusalError:
    if isinstance(error, UserError):
        return RefusalError(422, str(error))
    _LOG.error("the solver failed", exc_info=error)
    return RefusalError(500, _FAILED)
