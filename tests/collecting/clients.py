"""The workshop's real server in a thread of the tests, and people who use it over HTTP."""

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn

from scratchwork.collecting.inviting import invite
from scratchwork.collecting.passwords import add_reviewer
from scratchwork.collecting.storing import Store
from scratchwork.collecting.web.app import create_workshop_app
from scratchwork.collecting.web.limits import Limits
from tests.collecting.writing import row

PASSWORD = "seven plus five is twelve"
QUICK = Limits(login_pause=0)

_open: list[httpx.Client] = []
"""Closed when the server ends."""


@contextmanager
def serving(store: Store, limits: Limits = QUICK) -> Generator[str]:
    """The address of a server of the collection."""
    config = uvicorn.Config(
        create_workshop_app(store, limits),
        port=0,
        log_level="critical",
        lifespan="on",
        access_log=False,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        while _open:
            _open.pop().close()
        server.should_exit = True
        thread.join()


class Browser:
    """Someone's browser: its cookies, and the token that its page was told."""

    def __init__(self, url: str) -> None:
        self.http = httpx.Client(base_url=url, timeout=30)
        _open.append(self.http)
        self.csrf = ""

    def get(self, path: str) -> httpx.Response:
        response = self.http.get(path)
        if response.status_code == 200 and "csrf" in response.json():
            self.csrf = response.json()["csrf"]
        return response

    def post(self, path: str, body: object) -> httpx.Response:
        return self.http.post(path, json=body, headers={"X-CSRF-Token": self.csrf})


class ContributorClient(Browser):
    """A contributor who came by a link."""

    def __init__(self, url: str, token: str) -> None:
        super().__init__(url)
        self.joined = self.http.get(f"/join/{token}")

    @classmethod
    def invited(cls, url: str, store: Store, name: str = "Mira") -> "ContributorClient":
        """A new contributor."""
        return cls(url, invite(store, name).token)

    def task(self) -> dict[str, Any]:
        """The open task."""
        response = self.get("/api/task")
        assert response.status_code == 200, response.text
        return response.json()

    def prepare(self, problem: object, key: str = "key") -> dict[str, Any]:
        """A hand-in for the open task, from its first seed."""
        task = self.task()
        return {"task": task["task"], "seed": task["seeds"][0]["id"], "key": key} | {
            "problem": problem
        }

    def hand_in(self, problem: object, key: str = "key") -> dict[str, Any]:
        """What becomes of a problem."""
        response = self.post("/api/hand-in", self.prepare(problem, key))
        assert response.status_code == 200, response.text
        return response.json()

    def submit(self, k: int) -> int:
        """The number of the submission of problem k."""
        outcome = self.hand_in(row(k), f"key {k}")
        assert outcome["taken"], outcome
        return outcome["submission"]


class ReviewerClient(Browser):
    """A reviewer at the login."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.get("/api/review")

    @classmethod
    def added(cls, url: str, store: Store, name: str = "Emmy") -> "ReviewerClient":
        """A new reviewer, logged in."""
        add_reviewer(store, name, PASSWORD)
        reviewer = cls(url)
        assert reviewer.log_in(name).status_code == 200
        return reviewer

    def log_in(self, name: str = "Emmy", password: str = PASSWORD) -> httpx.Response:
        response = self.post("/api/login", {"name": name, "password": password})
        if response.status_code == 200:
            self.csrf = response.json()["csrf"]
        return response

    def next(self) -> dict[str, Any] | None:
        """The next submission."""
        response = self.get("/api/review")
        assert response.status_code == 200, response.text
        assert response.json()["name"] is not None
        return response.json()["item"]

    def decide(self, submission: int, verdict: str, **more: object) -> httpx.Response:
        return self.post("/api/decide", {"submission": submission, "verdict": verdict} | more)
