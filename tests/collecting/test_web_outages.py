"""Crashes, restarts and full disks while people work: nothing handed in is lost or doubled."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from scratchwork.collecting.storing import Store
from scratchwork.collecting.web import contributing, workshop
from scratchwork.errors import UserError
from tests.collecting.clients import Browser, ContributorClient, ReviewerClient, serving
from tests.collecting.conftest import MakeStore
from tests.collecting.postgres import Postgres
from tests.collecting.test_collect_command import run
from tests.collecting.test_handing_in import refusals_of, submissions_of
from tests.collecting.test_outages import Interrupted
from tests.collecting.test_storing import filled_up
from tests.collecting.writing import row, seed

pytestmark = pytest.mark.usefixtures("cheap_hashes")

AWAY = "the collection's database cannot be reached now; nothing is lost, try again"


@pytest.fixture
def there(postgres: Postgres, tmp_path: Path) -> Iterator[Store]:
    """A collection in PostgreSQL whose server will be restarted."""
    seeds = [seed(k) for k in range(8)]
    url = postgres.new_database()
    with Store.create(tmp_path / "there", seeds, database=url, patience=20) as store:
        yield store


def test_a_database_that_restarts_in_the_middle_of_a_hand_in_takes_it_once(
    there: Store, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted = Interrupted(postgres)
    monkeypatch.setattr(workshop, "Neighbours", lambda: interrupted)
    with serving(there) as url:
        contributor = ContributorClient.invited(url, there)
        handed = contributor.prepare(row(20))
        first = contributor.post("/api/hand-in", handed).json()
        assert interrupted.searches == 2
        assert first["taken"]
        assert not first["again"]
        postgres.restart()
        assert contributor.post("/api/hand-in", handed).json() == first | {"again": True}
        postgres.restart()
        reviewer = ReviewerClient.added(url, there)
        postgres.restart()
        assert reviewer.decide(1, "accept").status_code == 200
    assert len(submissions_of(there)) == 1
    assert not refusals_of(there)


def test_a_database_that_stays_away_is_503_and_the_hand_in_can_be_sent_again(
    there: Store, postgres: Postgres
) -> None:
    with Store.open(there.folder or "", patience=0.3) as store, serving(store) as url:
        contributor = ContributorClient.invited(url, store)
        reviewer = ReviewerClient.added(url, store)
        handed = contributor.prepare(row(20))
        token = contributor.joined.request.url.path
        postgres.stop()
        try:
            answers = [
                contributor.post("/api/hand-in", handed),
                contributor.get("/api/task"),
                contributor.get("/api/mine"),
                reviewer.get("/api/review"),
                reviewer.decide(1, "accept"),
                ReviewerClient(url).http.get("/api/figures"),
            ]
            page = contributor.http.get(token)
        finally:
            postgres.start()
        assert [(a.status_code, a.json()["error"]) for a in answers[:5]] == [(503, AWAY)] * 5
        assert answers[5].status_code == 401
        assert page.status_code == 503
        assert "The collection cannot be reached now" in page.text
        assert submissions_of(store) == []
        assert contributor.post("/api/hand-in", handed).json()["taken"]
        assert len(submissions_of(store)) == 1


def test_a_full_disk_is_told_without_telling_where_and_loses_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "full"
    with Store.create(folder, [seed(k) for k in range(8)]) as store, serving(store) as url:
        contributor = ContributorClient.invited(url, store)
        taken: list[int] = []
        with filled_up(store):
            while True:
                k = 20 + len(taken)
                long = row(k, rationale=f"All of this is the one long thought {k}. " * 200)
                handed = contributor.prepare(long, f"key {k}")
                response = contributor.post("/api/hand-in", handed)
                if response.status_code != 200:
                    break
                taken.append(response.json()["submission"])
        assert response.status_code == 503
        assert response.json()["error"] == (
            "the server cannot store anything now; nothing is lost, try again later"
        )
        assert [s.id for s in submissions_of(store)] == taken
        assert contributor.post("/api/hand-in", handed).json()["taken"]


def test_an_audit_that_takes_too_long_is_given_up_and_handing_in_goes_on(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def slow(*_: Any) -> Any:
        go_on.wait(10)
        raise UserError("nobody waits for this any more")

    monkeypatch.setattr(contributing, "remarks_on", slow)
    monkeypatch.setattr(workshop, "AUDIT_SECONDS", 0.05)
    store = make_store()
    with serving(store) as url:
        contributor = ContributorClient.invited(url, store)
        contributor.task()
        for _ in range(3):
            response = contributor.post("/api/remarks", row(20))
            assert response.status_code == 503
            assert "can be handed in without it" in response.json()["error"]
        assert contributor.submit(20) == 1
        go_on.set()


def test_a_failure_inside_is_told_in_a_sentence_without_details(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise ZeroDivisionError("the password is 1234")

    monkeypatch.setattr(contributing, "standing", fail)
    store = make_store()
    with serving(store) as url:
        contributor = ContributorClient.invited(url, store)
        response = contributor.http.get("/api/mine")
    assert response.status_code == 500
    assert response.json()["error"].startswith("the server failed, and its log says why")
    assert "nosniff" in response.headers["x-content-type-options"]


@contextmanager
def server_process(folder: Path) -> Generator[tuple[subprocess.Popen[str], str]]:
    """`scratchwork collect serve` in a process of its own."""
    code = "from scratchwork.cli.main import main; main()"
    command = [sys.executable, "-c", code, "collect", "serve", str(folder), "--port", "0"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stderr is not None
    try:
        found = re.search(r"http://\S+/", process.stderr.readline())
        assert found
        yield process, found[0]
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def test_a_server_that_is_killed_has_taken_wholly_or_not_at_all(tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    with Store.create(folder, [seed(k) for k in range(8)]) as store:
        sent: list[dict[str, Any]] = []
        session: dict[str, str] = {}
        for round_, delay in enumerate((0.0, 0.04)):
            with server_process(folder) as (process, url):
                if not session:
                    contributor = ContributorClient.invited(url, store)
                    session = dict(contributor.http.cookies)
                browser = Browser(url)
                browser.http.cookies.update(session)
                task = browser.get("/api/task").json()
                handed = {"task": task["task"], "seed": task["seeds"][0]["id"]}
                sent.append(handed | {"key": f"key {round_}", "problem": row(20 + round_)})
                dying = threading.Thread(target=lambda p=process, d=delay: kill_after(p, d))
                dying.start()
                try:
                    acknowledged = browser.post("/api/hand-in", sent[-1]).json()
                    assert acknowledged["taken"]
                except httpx.TransportError:
                    pass
                dying.join()
                browser.http.close()
            with server_process(folder) as (process, url):
                again = Browser(url)
                again.http.cookies.update(session)
                again.get("/api/mine")
                assert again.post("/api/hand-in", sent[-1]).json()["taken"]
                again.http.close()
        questions = [s.problem["question"] for s in submissions_of(store)]
        assert questions == [row(20 + k)["question"] for k in range(2)]
        assert not refusals_of(store)


def kill_after(process: subprocess.Popen[str], seconds: float) -> None:
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)


def test_the_command_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    folder = tmp_path / "collection"
    Store.create(folder, [seed(k) for k in range(8)]).close()
    link = run("invite", folder, "--name", "Mira").stdout.split("\t")[2].strip()
    with server_process(folder) as (process, url):
        path = link.removeprefix("http://127.0.0.1:8000/")
        assert httpx.get(url + path).status_code == 303
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) in (0, -signal.SIGTERM)
