"""What the server counts, as Prometheus reads it.

Promises: `Metrics` may be told things from any thread; `text` is in the Prometheus text format,
version 0.0.4. Paths are those of the routes, so that no client can make up new ones.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from threading import Lock

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_SECONDS = (0.005, 0.02, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
_SIZES = (1, 2, 4, 8, 16, 32)


class Histogram:
    """How many observations were at most each bound."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str) -> Iterator[str]:
        yield f"# TYPE {name} histogram"
        below = 0
        for bound, count in zip((*self.bounds, "+Inf"), self.counts, strict=True):
            below += count
            yield f'{name}_bucket{{le="{bound}"}} {below}'
        yield f"{name}_sum {self.total:.6f}"
        yield f"{name}_count {below}"


class Metrics:
    """Everything that is counted."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds = Histogram(_SECONDS)
        self._batches = Histogram(_SIZES)

    def add_request(self, path: str, status: int, seconds: float) -> None:
        with self._lock:
            self._requests[path, status] += 1
            self._seconds.add(seconds)

    def add_batch(self, size: int) -> None:
        with self._lock:
            self._batches.add(size)

    def text(self, waiting: int) -> str:
        """All of it, and how many requests wait for the model."""
        with self._lock:
            return "".join(f"{line}\n" for line in self._lines(waiting))

    def _lines(self, waiting: int) -> Iterator[str]:
        yield "# TYPE scratchwork_requests_total counter"
        for (path, status), count in sorted(self._requests.items()):
            yield f'scratchwork_requests_total{{path="{path}",status="{status}"}} {count}'
        yield "# TYPE scratchwork_queue_length gauge"
        yield f"scratchwork_queue_length {waiting}"
        yield from self._batches.lines("scratchwork_batch_size")
        yield from self._seconds.lines("scratchwork_request_seconds")
