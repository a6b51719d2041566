"""A contributor over HTTP: joining, writing, handing in, one's standing."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from scratchwork.collecting.inviting import invite, revoke_invitation
from scratchwork.collecting.reviewing import decide
from scratchwork.collecting.schema import Reviewer
from scratchwork.collecting.storing import Store
from tests.collecting.clients import Browser, ContributorClient, serving
from tests.collecting.conftest import MakeStore
from tests.collecting.test_handing_in import refusals_of, submissions_of
from tests.collecting.writing import row


@pytest.fixture
def url(store: Store) -> Iterator[str]:
    with serving(store) as url:
        yield url


@pytest.fixture
def mira(url: str, store: Store) -> ContributorClient:
    return ContributorClient.invited(url, store)


def test_a_link_gives_a_session_and_an_address_without_the_token(mira: ContributorClient) -> None:
    assert mira.joined.status_code == 303
    assert mira.joined.headers["location"] == "../work"
    assert mira.joined.headers["cache-control"] == "no-store"
    assert mira.http.get("/work").status_code == 200
    assert mira.task()["title"] == "A collection of word problems"


def test_a_bad_link_is_told_on_a_page(url: str, store: Store) -> None:
    token = invite(store, "Mira").token
    for bad in ("", "1", "1.x", token + "x", token[:-1], "<b>1</b>.x", "../../secret", "a/b/c"):
        response = httpx.get(f"{url}/join/{bad}")
        assert response.status_code in (403, 404), bad
        assert "<b>" not in response.text
    revoke_invitation(store, 1)
    response = httpx.get(f"{url}/join/{token}")
    assert response.status_code == 403
    assert "This link was revoked; ask those who sent it." in response.text
    assert "set-cookie" not in response.headers


def test_a_task_shows_five_seeds_and_stays_until_it_is_done_or_skipped(
    mira: ContributorClient,
) -> None:
    task = mira.task()
    assert len({seed["id"] for seed in task["seeds"]}) == 5
    assert set(task["seeds"][0]["problem"]) == {"question", "options", "rationale", "correct"}
    assert not task["seeds"][0]["problem"]["options"][0].startswith("A)")
    assert mira.task()["task"] == task["task"]
    assert mira.post("/api/skip", {"task": task["task"]}).status_code == 200
    assert mira.task()["task"] != task["task"]
    assert mira.submit(20) == 1
    assert mira.task()["task"] != task["task"]


def test_names_are_the_organisers_alone(url: str, store: Store) -> None:
    contributor = ContributorClient.invited(url, store, "Leopold")
    contributor.submit(20)
    assert "Leopold" not in contributor.get("/api/task").text
    assert "Leopold" not in contributor.get("/api/mine").text


def test_the_audit_speaks_of_a_form_that_is_half_filled_in(mira: ContributorClient) -> None:
    mira.task()

    def remarks(**form: object) -> httpx.Response:
        empty = {"question": "", "options": [""] * 5, "rationale": "", "correct": None}
        return mira.post("/api/remarks", empty | form)

    assert remarks().json() == {"audit": None, "sentences": []}
    assert remarks(options=["7", " 7.0 ", "", "", "8"]).json()["sentences"] == [
        "Options A and B are the same."
    ]
    half = remarks(question="What is 15% of 80?", rationale="15% of 80 = 13").json()
    assert half["audit"]["complaints"] == ["15% of 80 is 12, not 13."]
    whole = remarks(
        question="What is 15% of 80?",
        options=["10", "11", "12", "13", "14"],
        rationale="15 * 80 / 100 = 12. The answer is C.",
        correct="B",
    ).json()
    assert whole["audit"]["complaints"] == []
    assert whole["sentences"] == ["The rationale states C, but B is chosen."]
    unstated = remarks(
        question="What is 15% of 80?",
        options=["10", "11", "12", "13", "14"],
        rationale="15 * 80 / 100 = 12.",
        correct="B",
    ).json()
    assert unstated["sentences"] == ["The working comes to 12, which is option C, not B."]
    many = remarks(question="How many?", rationale="7 + 1 = 8. " * 200).json()
    assert many["audit"] is None
    assert many["sentences"] == ["There are 600 numbers in all, more than 150."]


def test_what_is_sent_back_comes_with_its_neighbour_and_is_kept(
    mira: ContributorClient, store: Store
) -> None:
    task = mira.task()
    seed = task["seeds"][0]["problem"]
    copied = mira.hand_in(row(20) | {"question": seed["question"]})
    assert copied["code"] == "copy"
    assert copied["neighbour"]["question"] == seed["question"]
    same = mira.hand_in(row(20) | {"rationale": seed["rationale"].upper()})
    assert same["code"] == "rationale"
    assert mira.hand_in(row(20) | {"options": ["1"] * 5})["code"] == "form"
    assert mira.hand_in({"question": "How many?"})["code"] == "form"
    assert len(refusals_of(store)) == 4
    assert mira.hand_in(row(20))["taken"]


def test_replicas_are_labelled(mira: ContributorClient) -> None:
    assert mira.hand_in(row(20), "one")["relation"] == "original"
    other = row(20)["question"].replace("43", "51").replace("360", "408")
    assert mira.hand_in(row(20, question=other), "two")["relation"] == "replica"


def test_the_same_hand_in_many_times_at_once_is_taken_once(
    mira: ContributorClient, store: Store
) -> None:
    handed = mira.prepare(row(20))
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda _: mira.post("/api/hand-in", handed).json(), range(8)))
    assert {outcome["submission"] for outcome in outcomes} == {1}
    assert sum(not outcome["again"] for outcome in outcomes) == 1
    assert len(submissions_of(store)) == 1
    assert refusals_of(store) == []


def test_two_browsers_hand_in_one_task_once_and_the_other_text_is_kept(
    url: str, store: Store
) -> None:
    token = invite(store, "Mira").token
    browsers = [ContributorClient(url, token) for _ in range(2)]
    handed = [b.prepare(row(20 + k), f"key {k}") for k, b in enumerate(browsers)]
    assert handed[0]["task"] == handed[1]["task"]
    with ThreadPoolExecutor(2) as pool:
        sent = pool.map(lambda k: browsers[k].post("/api/hand-in", handed[k]).json(), range(2))
        outcomes = sorted(sent, key=lambda outcome: not outcome["taken"])
    assert outcomes[0]["taken"]
    assert outcomes[1]["code"] == "handed-in"
    kept = [s.problem["question"] for s in submissions_of(store)]
    kept += [r.problem["question"] for r in refusals_of(store)]
    assert sorted(kept) == sorted(row(20 + k)["question"] for k in range(2))


def test_another_contributors_task_is_not_to_be_had(url: str, store: Store) -> None:
    one, other = (ContributorClient.invited(url, store) for _ in range(2))
    handed = one.prepare(row(20))
    other.task()
    assert other.post("/api/hand-in", handed).json()["code"] == "no-task"
    response = other.post("/api/skip", {"task": handed["task"]})
    assert (response.status_code, submissions_of(store)) == (422, [])


def test_ones_standing_tells_counts_and_reasons(mira: ContributorClient, store: Store) -> None:
    store.write(lambda s: s.add(Reviewer(id=1, name="Emmy", password_hash="none")))
    first, second = mira.submit(20), mira.submit(21)
    decide(store, 1, first, "reject", "there is no question")
    decide(store, 1, second, "accept")
    mine = mira.get("/api/mine").json()
    assert mine["counts"] == {"waiting": 0, "accepted": 1, "corrected": 0, "rejected": 1}
    assert mine["review_rate"] == 0.5
    assert [o["status"] for o in mine["outcomes"]] == ["accepted", "rejected"]
    assert mine["outcomes"][1]["reasons"] == ["there is no question"]


def test_a_revoked_contributor_is_told_so_everywhere(mira: ContributorClient, store: Store) -> None:
    handed = mira.prepare(row(20))
    revoke_invitation(store, 1)
    answers = [
        mira.get("/api/task"),
        mira.get("/api/mine"),
        mira.post("/api/hand-in", handed),
        mira.post("/api/skip", {"task": handed["task"]}),
    ]
    for answer in answers:
        assert answer.status_code == 403
        assert answer.json() == {"error": "this link was revoked; ask those who sent it"}
    assert submissions_of(store) == []


def test_a_collection_that_has_no_tasks_left_says_so(make_store: MakeStore) -> None:
    store = make_store(seeds=5)
    with serving(store) as url:
        mira = ContributorClient.invited(url, store)
        mira.post("/api/skip", {"task": mira.task()["task"]})
        response = mira.get("/api/task")
    assert response.status_code == 409
    assert "all sets of five seeds are given out" in response.json()["error"]


def test_without_a_session_nothing_is_shown(url: str, store: Store) -> None:
    stranger = Browser(url)
    bodies = {
        "/api/hand-in": {"task": 1, "seed": 1, "key": "k", "problem": row(20)},
        "/api/skip": {"task": 1},
        "/api/remarks": {"question": "", "options": [], "rationale": ""},
    }
    answers = [stranger.get("/api/task"), stranger.get("/api/mine")]
    answers += [stranger.post(path, body) for path, body in bodies.items()]
    for answer in answers:
        assert answer.status_code == 401
        assert "open the link of your invitation again" in answer.json()["error"]
    assert submissions_of(store) == []
    for page in ("/", "/work", "/mine", "/review"):
        assert "csrf" not in stranger.http.get(page).text
