"""Whatever is sent, the answer is right or a clear refusal, and nothing that was there is lost."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import inspect, text

from scratchwork.collecting.auditing import remarks_on
from scratchwork.collecting.schema import Base
from scratchwork.collecting.storing import Store
from scratchwork.collecting.web.limits import LARGEST_HAND_IN, Limits, Rate
from scratchwork.collecting.web.workshop import OWN_PAGE
from scratchwork.serving.files import PAGE
from tests.collecting.clients import PASSWORD, ContributorClient, ReviewerClient, serving
from tests.collecting.test_handing_in import refusals_of, submissions_of
from tests.collecting.test_storing import HOSTILE
from tests.collecting.writing import row, seed

pytestmark = pytest.mark.usefixtures("cheap_hashes")

MANY = Rate(100_000, 1000)
BOUNDLESS = Limits(MANY, MANY, MANY, MANY, MANY, MANY, login_pause=0)
UNSTORABLE = ("\x00\x01\x1b[31m", "\ud800", "\udfff\ud800", "a\x7fb")
"""Texts that are refused, in every field."""


@pytest.fixture
def url(store: Store) -> Iterator[str]:
    with serving(store, BOUNDLESS) as url:
        yield url


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, str]]:
    """A collection and its server, for what no database has a part in."""
    folder = tmp_path_factory.mktemp("plain") / "collection"
    seeds = [seed(k) for k in range(8)]
    with Store.create(folder, seeds) as store, serving(store, BOUNDLESS) as url:
        yield store, url


@pytest.fixture
def people(url: str, store: Store) -> tuple[ContributorClient, ReviewerClient]:
    """A contributor with a task, and someone at the login."""
    contributor = ContributorClient.invited(url, store)
    contributor.task()
    return contributor, ReviewerClient(url)


def send(browser: Any, path: str, body: object) -> httpx.Response:
    """Post what no well-behaved client can write."""
    headers = {"Content-Type": "application/json", "X-CSRF-Token": browser.csrf}
    return browser.http.post(path, content=json.dumps(body), headers=headers)


def check(response: httpx.Response) -> None:
    assert response.status_code < 500, response.text
    if response.status_code != 200:
        (sentence,) = response.json().values()
        assert sentence
        assert "\n" not in sentence
        assert "Traceback" not in sentence


def unharmed(store: Store) -> bool:
    """Whether all tables are there, and the seeds in theirs."""
    with store.engine.connect() as connection:
        tables = set(inspect(connection).get_table_names())
        seeds = connection.execute(text("SELECT count(*) FROM seeds")).scalar_one()
    return tables >= set(Base.metadata.tables) and seeds == 8


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_and_sql_in_every_field_come_back_as_they_were(
    url: str, store: Store, hostile: str
) -> None:
    contributor = ContributorClient.invited(url, store)
    sent = row(20, question=f"{row(20)['question']} {hostile}")
    sent["options"] = [f"{hostile} {k}" for k in range(5)]
    sent["rationale"] = hostile
    handed = contributor.prepare(sent, key="k' OR 1=1 --")
    assert send(contributor, "/api/hand-in", handed).json()["taken"]
    assert contributor.get("/api/mine").json()["outcomes"][0]["question"] == sent["question"]
    check(send(contributor, "/api/remarks", sent | {"correct": None}))
    check(send(contributor, "/api/remarks", sent | {"correct": hostile}))
    check(send(contributor, "/api/skip", {"task": hostile}))
    check(send(contributor, "/api/hand-in", handed | {"task": hostile, "seed": hostile}))

    reviewer = ReviewerClient(url)
    check(reviewer.log_in(hostile, hostile))
    reviewer = ReviewerClient.added(url, store, f"Emmy {hostile}"[:200])
    item = reviewer.next()
    assert item is not None
    shown = item["problem"]
    assert (shown["question"], shown["rationale"]) == (sent["question"], hostile)
    assert shown["options"] == sent["options"]
    check(send(reviewer, "/api/decide", {"submission": hostile, "verdict": hostile}))
    decided = reviewer.decide(item["submission"], "reject", reason=hostile)
    assert decided.json()["status"] == "rejected"
    assert contributor.get("/api/mine").json()["outcomes"][0]["reasons"] == [hostile]
    assert unharmed(store)


@pytest.mark.parametrize("field", ["question", "option", "rationale", "correct"])
def test_what_cannot_be_stored_is_refused_in_a_sentence_in_every_field(
    url: str, store: Store, field: str
) -> None:
    contributor = ContributorClient.invited(url, store)
    for k, bad in enumerate(UNSTORABLE):
        sent = row(20) | ({"options": ["1", "2", "3", "4", bad]} if field == "option" else {})
        sent |= {} if field == "option" else {field: bad}
        response = send(contributor, "/api/hand-in", contributor.prepare(sent, f"key {k}"))
        check(response)
        assert response.json()["code"] == "form"
        check(send(contributor, "/api/remarks", sent))
    assert len(refusals_of(store)) == len(UNSTORABLE)
    reviewer = ReviewerClient.added(url, store)
    for bad in UNSTORABLE:
        check(send(reviewer, "/api/login", {"name": bad, "password": bad}))
        check(send(reviewer, "/api/decide", {"submission": 1, "verdict": "reject", "reason": bad}))
    assert contributor.submit(21) == 1


odd: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.sampled_from((*HOSTILE, *UNSTORABLE, "A", "9" * 9_000, "\\frac{" * 1_600, "1/0 = 0/0")),
    st.text(max_size=40),
)
anything = st.recursive(
    odd,
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(st.sampled_from(["question", "options", "rationale", "x"]), inner)
    ),
    max_leaves=8,
)
problems = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("question", "options", "rationale", "correct"), anything)
)
bodies = st.one_of(
    anything,
    problems,
    st.fixed_dictionaries(
        {},
        optional={
            "task": st.just(1) | odd,
            "seed": st.integers(1, 8) | odd,
            "key": odd,
            "problem": problems | anything,
            "submission": st.just(1) | odd,
            "verdict": st.sampled_from(["accept", "reject", "correct"]) | odd,
            "reason": odd,
            "corrected": problems | anything,
            "name": odd,
            "password": odd,
        },
    ),
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_body_is_answered_or_refused(
    people: tuple[ContributorClient, ReviewerClient], data: st.DataObject
) -> None:
    contributor, visitor = people
    body = data.draw(bodies)
    for path in ("/api/remarks", "/api/hand-in", "/api/skip"):
        check(send(contributor, path, body))
    for path in ("/api/login", "/api/decide", "/api/logout"):
        check(send(visitor, path, body))


@given(
    question=st.text(max_size=60),
    options=st.lists(st.text(max_size=12) | st.sampled_from(["A)", "b ) 2", "1"]), max_size=5),
    rationale=st.text("0123456789.,/-+*=()%^! \nABCxy", max_size=60),
    correct=st.none() | st.sampled_from("ABCDE"),
)
def test_remarks_can_be_made_on_anything(
    question: str, options: list[str], rationale: str, correct: str | None
) -> None:
    remarks = remarks_on(question, options, rationale, correct)
    assert all(s.endswith(".") for s in remarks.sentences)
    json.dumps(remarks.as_json())


@pytest.mark.parametrize("content", ["", "{", "[1,", '"' * 999, "9" * 100_000, "[" * 100_000])
def test_what_is_no_json_is_refused(plain: tuple[Store, str], content: str) -> None:
    store, url = plain
    contributor = ContributorClient.invited(url, store)
    contributor.task()
    headers = {"Content-Type": "application/json", "X-CSRF-Token": contributor.csrf}
    response = contributor.http.post("/api/hand-in", content=content, headers=headers)
    assert response.status_code in (400, 422)
    check(response)


def test_bodies_are_bounded_and_a_problem_at_its_bounds_fits(url: str, store: Store) -> None:
    contributor = ContributorClient.invited(url, store)
    handed = contributor.prepare(row(20) | {"rationale": "x" * LARGEST_HAND_IN})
    response = contributor.post("/api/hand-in", handed)
    assert response.status_code == 413
    assert f"more than {LARGEST_HAND_IN} bytes" in response.json()["error"]
    largest = {
        "question": "算" * 10_000,
        "options": [f"{k}" + "𝟙" * 999 for k in range(5)],
        "rationale": "数" * 10_000,
        "correct": "A",
    }
    assert contributor.hand_in(largest)["taken"]
    assert submissions_of(store)[0].problem["rationale"] == largest["rationale"]


@pytest.mark.parametrize(
    "path",
    ["/static/nothing.js", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static/", "/secret",
     "/collection.sqlite", "/openapi.json", "/docs", "/api/nothing", "/review/../secret"],
)  # fmt: skip
def test_nothing_else_is_served(plain: tuple[Store, str], path: str) -> None:
    response = httpx.get(plain[1] + path)
    assert response.status_code == 404
    assert response.json()["error"]


def test_every_answer_has_safe_headers_and_pages_hold_nothing_inline(
    plain: tuple[Store, str],
) -> None:
    paths = ["/", "/work", "/mine", "/review", "/join/1.x", "/api/task", "/api/review", "/nowhere"]
    for path in paths:
        headers = httpx.get(plain[1] + path).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-frame-options"] == "DENY"
    for page in OWN_PAGE.glob("*.html"):
        content = page.read_text("utf-8")
        assert "style=" not in content
        assert "<style" not in content
        assert content.count("<script") == content.count('<script type="module" src="static/')
        assert "//" not in content.replace("<!doctype", "")


def test_the_style_and_the_modules_are_those_of_the_other_pages(plain: tuple[Store, str]) -> None:
    with httpx.Client(base_url=plain[1]) as client:
        for path in [*PAGE.iterdir(), *OWN_PAGE.iterdir()]:
            assert client.get(f"/static/{path.name}").content == path.read_bytes()
    assert not {path.name for path in PAGE.iterdir()} & {path.name for path in OWN_PAGE.iterdir()}


def test_a_login_of_any_length_is_refused_before_it_is_hashed(plain: tuple[Store, str]) -> None:
    reviewer = ReviewerClient(plain[1])
    assert reviewer.log_in("Emmy", "x" * 1_001).status_code == 422
    assert reviewer.log_in("x" * 201, PASSWORD).status_code == 422
