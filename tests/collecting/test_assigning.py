"""Five seeds a task: never the same five twice, more of what is lacking."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from math import comb

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scratchwork.collecting.assigning import Assignment, skip, task_for
from scratchwork.collecting.inviting import invite, revoke_invitation
from scratchwork.collecting.schema import Submission, Task
from scratchwork.collecting.settings import CollectionSettings
from scratchwork.collecting.storing import Store
from scratchwork.errors import UserError
from tests.collecting.conftest import MakeStore


def ids(task: Assignment) -> frozenset[int]:
    return frozenset(seed.id for seed in task.seeds)


def test_an_open_task_is_given_again(store: Store) -> None:
    mira = invite(store, "Mira").contributor_id
    task = task_for(store, mira)
    assert len(ids(task)) == 5
    assert task_for(store, mira) == task
    skip(store, mira, task.task_id)
    skip(store, mira, task.task_id)
    another = task_for(store, mira)
    assert another.task_id != task.task_id
    assert ids(another) != ids(task)


def test_all_fives_are_given_out_before_it_is_told_that_none_is_left(make_store: MakeStore) -> None:
    store = make_store(seeds=7)
    given: set[frozenset[int]] = set()
    for k in range(comb(7, 5)):
        given.add(ids(task_for(store, invite(store, f"name {k}").contributor_id)))
    assert len(given) == comb(7, 5)
    with pytest.raises(UserError, match="all sets of five seeds are given out"):
        task_for(store, invite(store, "one too many").contributor_id)


def test_shared_seeds_may_be_given_out_twice(make_store: MakeStore) -> None:
    store = make_store(seeds=5, settings=CollectionSettings(shared_seeds=True))
    tasks = [task_for(store, invite(store, name).contributor_id) for name in ("Mira", "Ann")]
    assert ids(tasks[0]) == ids(tasks[1])


def test_many_who_ask_at_once_never_get_the_same_five(make_store: MakeStore) -> None:
    store = make_store(seeds=7)
    numbers = [invite(store, f"name {k}").contributor_id for k in range(18)]
    with ThreadPoolExecutor(18) as pool:
        given = list(pool.map(lambda number: task_for(store, number), numbers))
    assert len({ids(task) for task in given}) == 18


def test_one_who_asks_many_times_at_once_gets_one_task(store: Store) -> None:
    mira = invite(store, "Mira").contributor_id
    with ThreadPoolExecutor(12) as pool:
        given = list(pool.map(lambda _: task_for(store, mira), range(24)))
    assert len({task.task_id for task in given}) == 1
    assert store.read(lambda s: s.scalar(select(func.count(Task.id)))) == 1


def test_topics_that_lack_problems_come_more_often(make_store: MakeStore) -> None:
    store = make_store(seeds=30)
    mira = invite(store, "Mira").contributor_id

    def hand_in_twenty_on_speed(session: Session) -> None:
        for k in range(20):
            task = Task(contributor_id=mira, seed_ids=[1], seeds_key=f"test {k}", state="done")
            session.add(task)
            session.flush()
            session.add(
                Submission(
                    task_id=task.id,
                    contributor_id=mira,
                    seed_id=1,
                    client_key=str(k),
                    problem={"question": "?"},
                    topic="speed",
                    relation="original",
                )
            )

    def topics() -> Counter[str]:
        found: Counter[str] = Counter()
        for _ in range(20):
            asking = invite(store, "Ann").contributor_id
            found.update(seed.topic for seed in task_for(store, asking).seeds)
        return found

    before = topics()
    store.write(hand_in_twenty_on_speed)
    after = topics()
    assert before["speed"] > 15
    assert after["speed"] < before["speed"] / 2
    assert 1 not in {k for _ in range(5) for k in ids(_next(store, mira))}


def _next(store: Store, contributor_id: int) -> Assignment:
    task = task_for(store, contributor_id)
    skip(store, contributor_id, task.task_id)
    return task


def test_the_draw_is_the_same_in_both_databases(store: Store) -> None:
    mira = invite(store, "Mira").contributor_id
    assert [sorted(ids(_next(store, mira))) for _ in range(2)] == [[1, 2, 3, 5, 8], [1, 2, 3, 5, 6]]


def test_what_cannot_be_asked_for_is_told_in_a_sentence(store: Store) -> None:
    mira, ann = (invite(store, name).contributor_id for name in ("Mira", "Ann"))
    task = task_for(store, mira)
    for number in (99, -1, 10**30):
        with pytest.raises(UserError, match="is not one of yours"):
            skip(store, mira, number)
        with pytest.raises(UserError, match="invitation"):
            task_for(store, number)
    with pytest.raises(UserError, match="is not one of yours"):
        skip(store, ann, task.task_id)
    revoke_invitation(store, mira)
    with pytest.raises(UserError, match="invitation"):
        task_for(store, mira)
