"""A real server in a thread of the tests, and clients of it."""

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager

import httpx
import pytest
import uvicorn

from scratchwork.serving.app import create_app
from scratchwork.serving.solving import BatchSolver
from tests.serving.fake_server import FakeSolver


def wait_until(holds: Callable[[], object], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


@contextmanager
def serving(
    load: Callable[[], BatchSolver] | None,
    *,
    token: str | None = None,
    longest: int = 64,
    waits: bool = True,
) -> Generator[httpx.Client]:
    """A client of a server that is ready, unless it should not be waited for."""
    app = create_app(load, model="fake", token=token, longest=longest)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="on"))
    thread = threading.Thread(target=server.run)
    thread.start()
    wait_until(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
        if load is not None and waits:
            wait_until(lambda: client.get("/health").json()["status"] == "ready")
        yield client
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="session")
def client() -> Iterator[httpx.Client]:
    """A client of a server whose solver is quick."""
    with serving(FakeSolver) as client:
        yield client
