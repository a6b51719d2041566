"""The figures of a collection."""

import json

from sqlalchemy.orm import Session

from scratchwork.collecting.inviting import invite, revoke_invitation
from scratchwork.collecting.neighbours import Neighbours
from scratchwork.collecting.reviewing import decide
from scratchwork.collecting.schema import Reviewer, Submission
from scratchwork.collecting.status import Audited, TopicCount, status_of
from scratchwork.collecting.storing import Store
from tests.collecting.writing import Writer, row


def add_reviewers(store: Store) -> None:
    def add(session: Session) -> None:
        session.add(Reviewer(id=1, name="Emmy", password_hash="none"))
        session.add(Reviewer(id=2, name="Kurt", password_hash="none"))
        session.add(Reviewer(id=3, name="Carl", password_hash="none", disabled=True))

    store.write(add)


def test_a_new_collection_counts_its_seeds_and_nothing_else(store: Store) -> None:
    status = status_of(store)
    assert status.seeds == 8
    assert status.topics == (
        TopicCount("money", 3, 0),
        TopicCount("sets", 2, 0),
        TopicCount("speed", 3, 0),
    )
    assert (status.handed_in, status.to_review, status.contributors) == (0, 0, 0)
    assert status.submissions == {"waiting": 0, "accepted": 0, "rejected": 0, "corrected": 0}
    assert status.agreement.raw is None
    assert status.refusals == {}


def test_work_is_counted_once_by_its_status(store: Store, writer: Writer) -> None:
    add_reviewers(store)
    accepted, rejected, corrected, _ = (writer.submit(k) for k in (10, 11, 12, 13))
    decide(store, 1, accepted, "accept")
    decide(store, 2, accepted, "accept")
    decide(store, 1, rejected, "reject", "wrong")
    decide(store, 1, corrected, "correct", None, row(12, rationale="1 + 1 = 2"))
    status = status_of(store)
    assert status.submissions == {"waiting": 1, "accepted": 1, "rejected": 1, "corrected": 1}
    assert status.handed_in == sum(status.tasks[state] for state in ("done",)) == 4
    assert status.relations == {"original": 3, "replica": 0}
    assert sum(topic.submissions for topic in status.topics) == 3
    assert (status.reviews, status.reviewers) == (4, 2)
    assert (status.agreement.pairs, status.agreement.raw) == (1, 1.0)


def test_contributors_are_those_invited_revoked_and_writing(
    store: Store, neighbours: Neighbours
) -> None:
    Writer(store, neighbours).submit(10)
    revoke_invitation(store, invite(store, "Bo").contributor_id)
    status = status_of(store)
    assert (status.contributors, status.revoked, status.writing) == (2, 1, 1)


def test_what_waits_for_a_reviewer_is_marked_or_in_the_sample_and_counted_once(
    store: Store, writer: Writer
) -> None:
    numbers = [writer.submit(k) for k in range(10, 14)]

    def mark(session: Session) -> None:
        for number, in_sample, marked in zip(
            numbers, (True, True, False, False), (True, False, True, False), strict=True
        ):
            work = session.get_one(Submission, number)
            work.in_sample, work.marked = in_sample, marked

    store.write(mark)
    status = status_of(store)
    assert (status.marked_waiting, status.sampled_waiting, status.to_review) == (2, 1, 3)


def test_what_was_sent_back_is_counted_by_reason(store: Store, writer: Writer) -> None:
    writer.send(row(10, options=["1"]), "one")
    writer.send(row(10, rationale=""), "two")
    status = status_of(store)
    assert status.refusals == {"form": 2}
    assert status.handed_in == 0


def test_the_audit_counts_rationales_by_what_is_wrong_with_them(
    store: Store, writer: Writer
) -> None:
    numbers = [writer.submit(k) for k in range(10, 14)]
    figures = [
        {"numbers": 3, "unsupported": 0, "false_equations": 0, "letter_follows": True},
        {"numbers": 3, "unsupported": 2, "false_equations": 1, "letter_follows": None},
        {"numbers": 3, "unsupported": 1, "false_equations": 0, "letter_follows": False},
        {"left_out": "the audit failed"},
    ]

    def store_figures(session: Session) -> None:
        for number, figure in zip(numbers, figures, strict=True):
            session.get_one(Submission, number).audit = figure

    store.write(store_figures)
    assert status_of(store).audited == Audited(3, 2, 1, 1)


def test_the_figures_are_json_without_names(store: Store, writer: Writer) -> None:
    writer.submit(10)
    content = json.dumps(status_of(store).as_json())
    assert json.loads(content)["handed_in"] == 1
    assert "Mira" not in content
