"""A reviewer over HTTP: what is shown, verdicts, agreement."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from scratchwork.collecting.schema import Review
from scratchwork.collecting.settings import CollectionSettings, SamplingRule
from scratchwork.collecting.storing import Store
from tests.collecting.clients import ContributorClient, ReviewerClient, serving
from tests.collecting.conftest import MakeStore
from tests.collecting.test_handing_in import submissions_of
from tests.collecting.writing import row

pytestmark = pytest.mark.usefixtures("cheap_hashes")


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    """A collection where all work goes to two reviewers."""
    return make_store(settings=CollectionSettings(randomness=7, sampling=SamplingRule(twice=1.0)))


@pytest.fixture
def url(store: Store) -> Iterator[str]:
    with serving(store) as url:
        yield url


@pytest.fixture
def emmy(url: str, store: Store) -> ReviewerClient:
    return ReviewerClient.added(url, store)


def test_a_submission_comes_with_seed_neighbour_and_audit(
    url: str, store: Store, emmy: ReviewerClient
) -> None:
    contributor = ContributorClient.invited(url, store, "Leopold")
    handed = contributor.prepare(row(20, rationale="2 + 2 = 5, so A."))
    contributor.post("/api/hand-in", handed)
    item = emmy.next()
    assert item is not None
    assert item["problem"]["question"] == row(20)["question"]
    assert item["seed"]["id"] == handed["seed"]
    assert item["nearest"]["problem"]["question"]
    assert item["remarks"]["audit"]["complaints"] == ["2 + 2 is 4, not 5."]
    assert item["contributor"] == 1
    assert "Leopold" not in emmy.get("/api/review").text
    assert "status" not in item  # which would tell what another reviewer decided


def test_verdicts_are_stored_and_the_next_is_given(
    url: str, store: Store, emmy: ReviewerClient
) -> None:
    contributor = ContributorClient.invited(url, store)
    numbers = [contributor.submit(k) for k in (20, 21, 22)]
    mended = row(21, rationale="It comes to 1147, and so A.")
    decided = [
        emmy.decide(numbers[0], "accept"),
        emmy.decide(numbers[1], "correct", corrected=mended, reason="unclear"),
        emmy.decide(numbers[2], "reject", reason="copied from a book"),
    ]
    assert [d.json()["status"] for d in decided] == ["accepted", "corrected", "rejected"]
    assert emmy.next() is None
    assert [s.status for s in submissions_of(store)] == ["accepted", "corrected", "rejected"]
    assert contributor.get("/api/mine").json()["review_rate"] == 0.5


REFUSED: list[tuple[dict[str, object], str]] = [
    ({"verdict": "reject"}, "a rejection needs a reason"),
    ({"verdict": "reject", "reason": " \n"}, "a rejection needs a reason"),
    ({"verdict": "correct"}, "a correction needs the corrected problem"),
    ({"verdict": "correct", "corrected": {}}, "there is no question"),
    ({"verdict": "correct", "corrected": [1]}, "a problem must be an object"),
    ({"verdict": "correct", "corrected": row(20)}, "nothing is corrected"),
    ({"verdict": "accept", "corrected": row(21)}, "other verdicts have none"),
    ({"verdict": "maybe"}, "verdict: input should be"),
    ({"verdict": "accept", "submission": 99}, "there is no submission 99"),
    ({"verdict": "accept", "submission": 2**40}, "there is no submission"),
    ({"verdict": "accept", "submission": -1}, "submission: input should be"),
]


def test_verdicts_that_cannot_be_are_refused(url: str, store: Store, emmy: ReviewerClient) -> None:
    number = ContributorClient.invited(url, store).submit(20)
    for verdict, sentence in REFUSED:
        response = emmy.post("/api/decide", {"submission": number} | verdict)
        assert response.status_code == 422
        assert sentence in response.json()["error"]
    assert emmy.next() is not None


def test_the_same_verdict_many_times_at_once_counts_once(
    url: str, store: Store, emmy: ReviewerClient
) -> None:
    number = ContributorClient.invited(url, store).submit(20)
    with ThreadPoolExecutor(6) as pool:
        answers = list(
            pool.map(lambda _: emmy.decide(number, "reject", reason="no").json(), range(6))
        )
    assert {answer["review"] for answer in answers} == {answers[0]["review"]}
    assert store.read(lambda s: s.query(Review).count()) == 1
    other = emmy.decide(number, "accept")
    assert other.status_code == 422
    assert "you have reviewed submission 1 already: reject" in other.json()["error"]


def test_the_agreement_of_two_reviewers_is_told(
    url: str, store: Store, emmy: ReviewerClient
) -> None:
    kurt = ReviewerClient.added(url, store, "Kurt")
    contributor = ContributorClient.invited(url, store)
    numbers = [contributor.submit(k) for k in (20, 21, 22)]
    for number in numbers:
        emmy.decide(number, "accept")
    for number in numbers[:2]:
        kurt.decide(number, "accept")
    kurt.decide(numbers[2], "reject", reason="no")
    agreement = emmy.get("/api/figures").json()["agreement"]
    assert agreement["pairs"] == 3
    assert agreement["raw"] == pytest.approx(2 / 3)
    assert agreement["kappa"] == 0


def test_both_near_copies_are_marked_and_can_be_looked_at(
    url: str, store: Store, emmy: ReviewerClient
) -> None:
    one, other = (ContributorClient.invited(url, store) for _ in range(2))
    first, second = one.submit(20), other.submit(20)
    for number, twin in ((first, second), (second, first)):
        item = emmy.get(f"/api/review/{number}").json()
        assert item["mark_reason"] == f"near copy of submission {twin}, by another contributor"
    assert emmy.get("/api/review/99").status_code == 422
    assert emmy.get("/api/review/x").status_code == 422
