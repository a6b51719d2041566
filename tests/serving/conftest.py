"""A real server in a thread of the tests or in a process of its own, and clients of it."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn

from scratchwork.serving.app import create_app
from scratchwork.serving.queueing import Solves
from tests.serving.fake_server import FakeSolver


def wait_until(holds: Callable[[], object], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


@contextmanager
def serving(
    load: Callable[[], Solves] | None,
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


ROOT = Path(__file__).parents[2]


@contextmanager
def fake_process(
    seconds: float, port: int = 0, folder: Path = ROOT, env: Mapping[str, str] | None = None
) -> Generator[tuple[subprocess.Popen[str], httpx.Client]]:
    """A process with the fake server, started in a folder, and a client of it when it is ready."""
    command = [sys.executable, "-m", "tests.serving.fake_server", str(seconds), str(port)]
    server = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}", **(env or {})},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr is not None
    try:
        found = re.search(r"http://\S+/", server.stderr.readline())
        assert found
        limits = httpx.Limits(max_connections=50)
        with httpx.Client(base_url=found[0], limits=limits, timeout=30) as client:
            wait_until(lambda: client.get("/health").json()["status"] == "ready")
            yield server, client
    finally:
        server.kill()
        server.wait()
        server.stderr.close()


@pytest.fixture(scope="session")
def client() -> Iterator[httpx.Client]:
    """A client of a server whose solver is quick."""
    with serving(FakeSolver) as client:
        yield client
