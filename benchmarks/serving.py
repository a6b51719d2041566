"""A server under load: many clients at once, beside one that asks for one problem after another.

Where other work slows the machine, the CPU time of the server says more than the clock.
"""

import asyncio
import itertools
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scratchwork import generate, load_families
from scratchwork.model_folder import shipped_models

if TYPE_CHECKING:
    import httpx

CLIENTS, SECONDS, PROBLEMS = 50, 60.0, 32
MODEL = "paper"
PATIENCE = 300.0
"""Seconds after which a request counts as lost; the server gives up long before."""

Body = dict[str, Any]


@dataclass
class Tally:
    """What became of the requests of some clients."""

    latencies: list[float] = field(default_factory=list[float])
    """Of those answered, turned away and sent again included."""
    turned_away: int = 0
    failed: int = 0
    """Answers 5xx."""
    lost: int = 0
    """No answer, or one that is no solution."""
    seconds: float = 0.0
    """From the first request to the last answer."""
    cpu: float = 0.0
    """Seconds of the server's CPU time."""

    @property
    def rate(self) -> float:
        """Solutions a second."""
        return len(self.latencies) / self.seconds

    def percentile(self, share: float) -> float:
        """The latency that so large a share of the answers did not exceed."""
        ordered = sorted(self.latencies)
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def measure(seconds: float = SECONDS) -> Iterator[str]:
    """Throughput and latency, and how much is won by solving problems together."""
    missing = [name for name in ("fastapi", "uvicorn", "httpx", "torch") if find_spec(name) is None]
    if missing:
        yield f"left out: it needs {missing[0]}"
        return
    if MODEL not in shipped_models():
        yield f"left out: the model {MODEL} is not shipped"
        return
    made = (one.problem for one in generate(load_families(), PROBLEMS, seed=1))
    bodies: list[Body] = [{"question": p.question, "options": list(p.options)} for p in made]
    with _server() as (pid, url):
        alone = asyncio.run(_asked(pid, url, 1, iter(bodies)))
        end = time.monotonic() + seconds
        endless = itertools.cycle(bodies)
        until = itertools.takewhile(lambda _: time.monotonic() < end, endless)
        crowd = asyncio.run(_asked(pid, url, CLIENTS, until))
    for count, tally in ((1, alone), (CLIENTS, crowd)):
        if not tally.latencies:
            yield f"{count} at once: nothing was answered, {tally.failed} 5xx, {tally.lost} lost"
            return
        yield (
            f"{count} at once: {len(tally.latencies)} solved in {tally.seconds:.0f} s, "
            f"{tally.rate:.2f} a second; p50 {tally.percentile(0.5):.1f} s, "
            f"p99 {tally.percentile(0.99):.1f} s; {tally.failed} 5xx, {tally.lost} lost, "
            f"{tally.turned_away} times turned away and sent again"
        )
    yield f"{crowd.rate / alone.rate:.1f} times the throughput of one at a time"
    if crowd.cpu:
        one, many = (tally.cpu / len(tally.latencies) for tally in (alone, crowd))
        yield f"CPU time for each: {one:.2f} s and {many:.2f} s, {one / many:.1f} times less"


@contextmanager
def _server() -> Generator[tuple[int, str]]:
    """The process and the address of a server, its model loaded."""
    import httpx

    command = [sys.executable, "-m", "scratchwork", "serve", "--port", "0", "--model", MODEL]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    try:
        found = re.search(r"http://\S+/", server.stderr.readline())
        assert found, "the server did not start"
        while httpx.get(f"{found[0]}health").json()["status"] != "ready":
            time.sleep(0.2)
        yield server.pid, found[0]
        server.send_signal(signal.SIGTERM)
        server.wait()
    finally:
        server.kill()
        server.wait()
        server.stderr.close()


async def _asked(pid: int, url: str, clients: int, bodies: Iterator[Body]) -> Tally:
    """Clients that take the problems from one list, each asking one after another."""
    import httpx

    tally = Tally()
    limits = httpx.Limits(max_connections=clients)

    async def one(http: httpx.AsyncClient) -> None:
        for body in bodies:
            await _ask(http, body, tally)

    began, used = time.monotonic(), _cpu_seconds(pid)
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE, limits=limits) as http:
        await asyncio.gather(*(one(http) for _ in range(clients)))
    tally.seconds, tally.cpu = time.monotonic() - began, _cpu_seconds(pid) - used
    return tally


def _cpu_seconds(pid: int) -> float:
    """What a process has used so far; 0 where only Linux could tell."""
    file = Path(f"/proc/{pid}/stat")
    if not file.exists():
        return 0.0
    user, system = file.read_text("utf-8").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


async def _ask(http: "httpx.AsyncClient", body: Body, tally: Tally) -> None:
    """One problem, sent again as often as the server asks for that."""
    import httpx

    began = time.monotonic()
    while True:
        try:
            response = await http.post("/solve", json=body)
        except httpx.HTTPError:
            tally.lost += 1
            return
        if response.status_code != 429:
            break
        tally.turned_away += 1
        await asyncio.sleep(float(response.headers["Retry-After"]))
    if response.status_code >= 500:
        tally.failed += 1
    elif response.status_code == 200 and "rationale" in response.json():
        tally.latencies.append(time.monotonic() - began)
    else:
        tally.lost += 1
