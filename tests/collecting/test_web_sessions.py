"""Sessions, forged requests, logins, and how often anyone may ask."""

import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from scratchwork.collecting.inviting import invite
from scratchwork.collecting.passwords import add_reviewer, change_password, log_in, set_disabled
from scratchwork.collecting.schema import Review
from scratchwork.collecting.signing import signed
from scratchwork.collecting.storing import Store
from scratchwork.collecting.web import sessions
from scratchwork.collecting.web.limits import Limits, Rate
from scratchwork.collecting.web.rates import Rates
from scratchwork.serving.refusals import RefusalError
from tests.collecting.clients import (
    PASSWORD,
    QUICK,
    Browser,
    ContributorClient,
    ReviewerClient,
    serving,
)
from tests.collecting.test_handing_in import submissions_of
from tests.collecting.writing import row

pytestmark = pytest.mark.usefixtures("cheap_hashes")


@pytest.fixture
def url(store: Store) -> Iterator[str]:
    with serving(store) as url:
        yield url


def reviews_of(store: Store) -> int:
    return store.read(lambda s: s.query(Review).count())


def cookie_of(response: httpx.Response) -> str:
    (cookie,) = response.headers.get_list("set-cookie")
    return cookie


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(url: str, store: Store) -> None:
    add_reviewer(store, "Emmy", PASSWORD)
    reviewer = ReviewerClient(url)
    joined = ContributorClient.invited(url, store).joined
    for cookie in (cookie_of(joined), cookie_of(reviewer.log_in())):
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert "Max-Age=" in cookie
        assert "Secure" not in cookie
    token = invite(store, "Mira").token
    proxied = httpx.get(f"{url}/join/{token}", headers={"X-Forwarded-Proto": "https"})
    assert "Secure" in cookie_of(proxied)


def test_a_forged_altered_or_expired_session_is_none(
    url: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = ContributorClient.invited(url, store).http.cookies[sessions.CONTRIBUTOR]
    number, expires, signature = token.split(".")
    later = int(expires) + 1
    bad = [
        "",
        ".",
        "1",
        f"1.{later}.{signature}",
        f"2.{expires}.{signature}",
        f"{number}.{expires}.{signature[:-1]}",
        invite(store, "Ann").token,
        signed(b"k" * 32, "contributor's session", f"1.{later}"),
        signed(store.secret, "contributor's session", f"1.{int(time.time()) - 1}"),
        "1." * 400 + signature,
    ]
    for content in bad:
        browser = Browser(url)
        browser.http.cookies.set(sessions.CONTRIBUTOR, content)
        assert browser.get("/api/task").status_code == 401, content
    good = Browser(url)
    good.http.cookies.set(sessions.CONTRIBUTOR, token)
    assert good.get("/api/task").status_code == 200
    monkeypatch.setattr(time, "time", lambda: int(expires) + 1.0)
    assert good.get("/api/task").status_code == 401


def test_a_request_without_the_pages_token_changes_nothing(url: str, store: Store) -> None:
    contributor = ContributorClient.invited(url, store)
    other = ContributorClient.invited(url, store)
    other.task()
    handed = contributor.prepare(row(20))
    good = contributor.csrf
    for token in ("", "x", good[:-1], good.upper(), other.csrf, "é", "\x7f" * 500):
        sent = {b"X-CSRF-Token": token.encode()}
        for path, body in (("/api/hand-in", handed), ("/api/skip", {"task": handed["task"]})):
            response = contributor.http.post(path, json=body, headers=sent)
            assert response.status_code == 403, token
            assert response.json()["error"] == "this page is out of date; load it again"
    assert submissions_of(store) == []
    assert contributor.task()["task"] == handed["task"]
    assert contributor.post("/api/hand-in", handed).json()["taken"]


def test_a_verdict_a_login_and_a_logout_need_the_pages_token_too(url: str, store: Store) -> None:
    reviewer = ReviewerClient.added(url, store)
    contributor = ContributorClient.invited(url, store)
    number = contributor.submit(20)
    for token in ("", contributor.csrf):
        sent = {"X-CSRF-Token": token}
        decided = {"submission": number, "verdict": "accept"}
        for path, body in (("/api/decide", decided), ("/api/logout", {})):
            response = reviewer.http.post(path, json=body, headers=sent)
            assert response.status_code == 403
    login = {"name": "Emmy", "password": PASSWORD}
    assert Browser(url).post("/api/login", login).status_code == 403
    visitor = ReviewerClient(url)
    visitor.csrf = ReviewerClient(url).csrf  # of another visitor
    assert visitor.post("/api/login", login).status_code == 403
    assert reviews_of(store) == 0
    assert reviewer.decide(number, "accept").status_code == 200


def test_nothing_of_reviewing_is_shown_without_a_login(url: str, store: Store) -> None:
    contributor = ContributorClient.invited(url, store)
    number = contributor.submit(20)
    visit = contributor.http.get("/api/review").json()
    assert set(visit) == {"title", "csrf", "name"}
    assert visit["name"] is None
    for path in ("/api/figures", f"/api/review/{number}"):
        assert contributor.http.get(path).status_code == 401
    decided = {"submission": number, "verdict": "accept"}
    assert contributor.post("/api/decide", decided).status_code == 403


@pytest.mark.parametrize("ending", ["disabled", "password", "logout"])
def test_a_reviewers_session_ends_at_once(url: str, store: Store, ending: str) -> None:
    number = ContributorClient.invited(url, store).submit(20)
    reviewer = ReviewerClient.added(url, store)
    stolen = Browser(url)
    stolen.http.cookies.set(sessions.REVIEWER, reviewer.http.cookies[sessions.REVIEWER])
    stolen.csrf = reviewer.csrf
    assert stolen.get("/api/figures").status_code == 200
    if ending == "disabled":
        set_disabled(store, "Emmy", True)
    elif ending == "password":
        change_password(store, "Emmy", "another password")
    else:
        assert reviewer.post("/api/logout", {}).status_code == 200
        assert sessions.REVIEWER not in reviewer.http.cookies
    assert stolen.get("/api/figures").status_code == 401
    decided = {"submission": number, "verdict": "accept"}
    assert stolen.post("/api/decide", decided).status_code == 401
    assert reviews_of(store) == 0
    if ending == "disabled":
        assert ReviewerClient(url).log_in().status_code == 401


def test_a_reviewers_session_expires(url: str, store: Store) -> None:
    add_reviewer(store, "Emmy", PASSWORD)
    browser = Browser(url)
    browser.http.cookies.set(sessions.REVIEWER, log_in(store, "Emmy", PASSWORD, seconds=0))
    assert browser.get("/api/figures").status_code == 401


def test_wrong_names_and_passwords_get_the_same_answer(url: str, store: Store) -> None:
    add_reviewer(store, "Emmy", PASSWORD)
    reviewer = ReviewerClient(url)
    answers = [
        reviewer.log_in("Emmy", "wrong"),
        reviewer.log_in("Nobody", PASSWORD),
        reviewer.log_in("Emmy' OR '1'='1", "' OR '1'='1"),
        reviewer.log_in("", ""),
    ]
    assert {(a.status_code, a.text) for a in answers} == {
        (401, '{"error": "the name or the password is wrong"}')
    }
    assert reviewer.log_in(" Emmy ").status_code == 200


def test_guessing_is_slowed_down_and_limited_for_a_name(store: Store) -> None:
    add_reviewer(store, "Emmy", PASSWORD)
    limits = Limits(logins_for_name=Rate(3, 1 / 1000), login_pause=0.05)
    with serving(store, limits) as url:
        seconds: list[float] = []
        for attempt in range(3):
            began = time.monotonic()
            name = "emmy" if attempt else "Emmy"
            assert ReviewerClient(url).log_in(name, "wrong").status_code == 401
            seconds.append(time.monotonic() - began)
        assert seconds[2] > 0.15
        refused = ReviewerClient(url).log_in()
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 900
        assert ReviewerClient(url).log_in("Kurt", "wrong").status_code == 401


def test_guessing_is_limited_for_an_address_and_success_is_not_counted(store: Store) -> None:
    add_reviewer(store, "Emmy", PASSWORD)
    limits = Limits(logins_from_address=Rate(3, 1 / 1000), login_pause=0)
    with serving(store, limits) as url:
        for _ in range(6):
            assert ReviewerClient(url).log_in().status_code == 200
        for k in range(3):
            assert ReviewerClient(url).log_in(f"name {k}", "wrong").status_code == 401
        assert ReviewerClient(url).log_in("name 4", "wrong").status_code == 429
        elsewhere = ReviewerClient(url)
        elsewhere.http.headers["X-Forwarded-For"] = "203.0.113.7"
        assert elsewhere.log_in().status_code == 200


@pytest.mark.parametrize("kind", ["audits", "hand_ins", "asking"])
def test_a_contributor_may_ask_so_often_only(store: Store, kind: str) -> None:
    limits: Any = QUICK._replace(**{kind: Rate(2, 1 / 1000)})
    with serving(store, limits) as url:
        for _ in range(2):  # one does not use up what is another's
            contributor = ContributorClient.invited(url, store)
            paths: dict[str, tuple[str, object]] = {
                "audits": ("/api/remarks", {"question": "", "options": [], "rationale": ""}),
                "hand_ins": ("/api/hand-in", contributor.prepare({"question": "?"})),
                "asking": ("/api/skip", {"task": contributor.task()["task"]}),
            }
            statuses = [contributor.post(*paths[kind]).status_code for _ in range(3)]
            assert statuses == ([429] * 3 if kind == "asking" else [200, 200, 429])


def test_an_address_may_ask_so_often_only(store: Store) -> None:
    with serving(store, QUICK._replace(address=Rate(5, 1 / 1000))) as url:
        answers = [httpx.get(f"{url}/api/task") for _ in range(6)]
        assert [a.status_code for a in answers] == [401] * 5 + [429]
        assert "from your address" in answers[5].json()["error"]
        assert httpx.get(f"{url}/static/style.css").status_code == 200
        other = httpx.get(f"{url}/api/task", headers={"X-Forwarded-For": "203.0.113.7"})
        assert other.status_code == 401
        network = [f"2001:db8::{k:x}" for k in range(1, 7)]
        answers = [httpx.get(f"{url}/api/task", headers={"X-Forwarded-For": a}) for a in network]
        assert [a.status_code for a in answers] == [401] * 5 + [429]


def test_buckets_run_dry_fill_up_again_and_are_forgotten() -> None:
    now = 0.0
    rates = Rates(Rate(2, 0.5), "wait", clock=lambda: now, most=2)
    assert [rates.take("a"), rates.take("a")] == [1, 2]
    with pytest.raises(RefusalError) as refused:
        rates.take("a")
    assert refused.value.headers == {"Retry-After": "2"}
    now = 2.0
    assert rates.take("a") == 2
    rates.give_back("a")
    assert rates.take("a") == 2
    rates.take("b")
    rates.take("c")  # a is forgotten
    assert rates.take("a") == 1
