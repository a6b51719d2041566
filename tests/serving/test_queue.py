"""Requests that arrive together are solved together, and none is lost."""

import re
import signal
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from scratchwork import UserError
from scratchwork.serving import queueing
from scratchwork.serving.queueing import Solves
from tests.serving.conftest import fake_process, serving, wait_until
from tests.serving.fake_server import FakeSolver

PROBLEM = {"question": "What is 2 + 2?", "options": ["3", "4"]}


def waiting(client: httpx.Client) -> int:
    return client.get("/health").json()["waiting"]


def ask(client: httpx.Client, streamed: bool = False) -> httpx.Response:
    headers = {"Accept": "text/event-stream"} if streamed else {}
    return client.post("/solve", json=PROBLEM, headers=headers)


def test_requests_that_arrive_together_are_solved_in_few_batches() -> None:
    solver = FakeSolver(0.2)
    with serving(lambda: solver) as client, ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda k: ask(client, k % 2 == 0), range(20)))
    assert [answer.status_code for answer in answers] == [200] * 20
    assert sum(solver.batches) == 20
    assert len(solver.batches) <= 6


def test_a_full_queue_refuses_and_says_when_to_come_again() -> None:
    with serving(lambda: FakeSolver(1.0), longest=2) as client, ThreadPoolExecutor(3) as pool:
        first = pool.submit(ask, client)
        wait_until(lambda: waiting(client) == 0 and "count 1" in batches(client))
        others: list[Future[httpx.Response]] = [pool.submit(ask, client) for _ in range(2)]
        wait_until(lambda: waiting(client) == 2)
        refused = ask(client)
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 0
        assert refused.json()["error"]
        assert [f.result().status_code for f in (first, *others)] == [200] * 3


def test_who_could_not_be_answered_in_time_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(queueing, "EXPECTED_SECONDS", 0.5)
    solver = FakeSolver(1.0)
    with serving(lambda: solver) as client, ThreadPoolExecutor(33) as pool:
        assert ask(client).status_code == 200
        first = pool.submit(ask, client)
        wait_until(lambda: len(solver.batches) == 2)
        others = [pool.submit(ask, client) for _ in range(32)]
        wait_until(lambda: waiting(client) == 32)
        assert ask(client).status_code == 429
        assert [f.result().status_code for f in (first, *others)] == [200] * 33
    assert solver.batches == [1, 1, 32]


def batches(client: httpx.Client) -> str:
    found = re.search(r"scratchwork_batch_size_(count \d+)", client.get("/metrics").text)
    assert found
    return found[1]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_client_that_leaves_frees_its_place(streamed: bool) -> None:
    solver = FakeSolver(1.5)
    with serving(lambda: solver) as client, ThreadPoolExecutor(2) as pool:
        first = pool.submit(ask, client)
        wait_until(lambda: solver.batches)
        with httpx.Client(base_url=client.base_url, timeout=0.6) as leaving:
            second = pool.submit(ask, leaving, streamed)
            wait_until(lambda: waiting(client) == 1)
            with pytest.raises(httpx.ReadTimeout):
                second.result()
        wait_until(lambda: waiting(client) == 0)
        assert not first.done()
        assert first.result().status_code == 200
    assert solver.batches == [1]


def test_the_page_is_served_while_the_model_loads() -> None:
    go = threading.Event()

    def load() -> Solves:
        go.wait()
        return FakeSolver()

    with serving(load, waits=False) as client:
        assert client.get("/").status_code == 200
        assert client.get("/health").json()["status"] == "loading"
        refused = ask(client)
        assert refused.status_code == 503
        assert "loading" in refused.json()["error"]
        assert refused.headers["retry-after"]
        go.set()
        wait_until(lambda: client.get("/health").json()["status"] == "ready")
        assert ask(client).status_code == 200


def test_a_model_that_cannot_be_loaded_says_why() -> None:
    def load() -> Solves:
        raise UserError("there is no such model")

    with serving(load, waits=False) as client:
        wait_until(lambda: client.get("/health").json()["status"] == "no model")
        refused = ask(client)
        assert refused.status_code == 503
        assert refused.json()["error"] == "there is no such model"


def accepted(client: httpx.Client) -> int:
    found = re.search(r"scratchwork_batch_size_sum (\d+)", client.get("/metrics").text)
    assert found
    return int(found[1]) + waiting(client)


def test_what_was_accepted_is_answered_after_sigterm() -> None:
    with fake_process(1.0) as (server, client):
        with ThreadPoolExecutor(40) as pool:
            answers = [pool.submit(ask, client, k % 2 == 0) for k in range(40)]
            wait_until(lambda: accepted(client) == 40)
            assert waiting(client) > 0
            server.send_signal(signal.SIGTERM)
        assert [answer.result().status_code for answer in answers] == [200] * 40
        assert all("solution" in answer.result().text for answer in answers[::2])
        assert server.wait(60) in (0, -signal.SIGTERM)


def test_a_killed_server_starts_again_on_its_port_and_leaves_nothing_on_the_disk(
    tmp_path: Path,
) -> None:
    folders = [tmp_path / name for name in ("here", "home", "temporary")]
    for folder in folders:
        folder.mkdir()
    here, home, temporary = folders
    env = {"HOME": str(home), "TMPDIR": str(temporary)}
    with fake_process(1.0, 0, here, env) as (server, client):
        port = client.base_url.port
        assert port
        with ThreadPoolExecutor(40) as pool:
            answers = [pool.submit(ask, client, k % 2 == 0) for k in range(40)]
            wait_until(lambda: accepted(client) == 40)
            server.kill()
        assert sum(isinstance(a.exception(), httpx.TransportError) for a in answers) > 0
    with fake_process(0.0, port, here, env) as (_, client):
        assert client.base_url.port == port
        assert ask(client).status_code == 200
    assert [list(folder.iterdir()) for folder in folders] == [[], [], []]
