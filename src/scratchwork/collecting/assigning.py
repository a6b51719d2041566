"""Five seeds for a contributor, who chooses one to write from.

Promises: an open task is given again until it is handed in or skipped. Topics that lack problems
come more often: a topic is drawn with weight 1 / (1 + its submissions that were not rejected), then
one of its seeds. No set of five is given out twice, unless the collection shares them. This holds
for any number of processes: the database refuses a second open task of a contributor and a second
task of the same five, and another draw is made. Seeds that a contributor has written from are not
shown to them again, as long as there are five others.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from sqlalchemy import func, select, true
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from scratchwork.collecting.schema import (
    Contributor,
    JsonObject,
    SeedProblem,
    Submission,
    Task,
    now,
)
from scratchwork.collecting.storing import Store, counts_of, row_with_id
from scratchwork.errors import UserError

SEEDS_SHOWN = 5
_WEIGHTED_DRAWS = 10
_MOST_ATTEMPTS = 1_000


@dataclass(frozen=True, slots=True)
class SeedShown:
    """A seed as a contributor sees it."""

    id: int
    topic: str
    problem: JsonObject


@dataclass(frozen=True, slots=True)
class Assignment:
    """An open task."""

    task_id: int
    seeds: tuple[SeedShown, ...]


def task_for(store: Store, contributor_id: int) -> Assignment:
    """The contributor's open task, or a new one."""
    for attempt in range(_MOST_ATTEMPTS):
        try:
            return store.write(
                lambda session, attempt=attempt: _open_or_new(
                    store, session, contributor_id, attempt
                )
            )
        except IntegrityError:
            continue  # someone was faster: with this task, or with these five
    raise UserError("too many people are asking for tasks; try again")


def skip(store: Store, contributor_id: int, task_id: int) -> None:
    """Put a task aside; its five seeds are not given out again."""

    def put_aside(session: Session) -> None:
        task = row_with_id(session, Task, task_id, lock=True)
        if task is None or task.contributor_id != contributor_id:
            raise UserError(f"task {task_id} is not one of yours")
        if task.state == "done":
            raise UserError(f"task {task_id} is handed in already")
        if task.state == "open":
            task.state = "skipped"
            task.done_at = now()

    store.write(put_aside)


def _open_or_new(store: Store, session: Session, contributor_id: int, attempt: int) -> Assignment:
    contributor = row_with_id(session, Contributor, contributor_id)
    if contributor is None or contributor.revoked:
        raise UserError("this invitation is not, or no longer, valid")
    mine = Task.contributor_id == contributor_id
    task = session.scalars(select(Task).where(mine, Task.state == "open")).first()
    if task is None:
        earlier = session.scalar(select(func.count()).select_from(Task).where(mine))
        shared = store.settings.shared_seeds
        chance = random.Random(f"{store.settings.randomness}:{contributor_id}:{earlier}:{attempt}")
        if shared or attempt < _WEIGHTED_DRAWS:
            five = _drawn(session, contributor_id, chance)
        else:
            five = _first_free(session, chance)
        task = Task(
            contributor_id=contributor_id, seed_ids=five, seeds_key=None if shared else _key(five)
        )
        session.add(task)
        session.flush()
    return Assignment(task.id, _shown(session, task.seed_ids))


def _drawn(session: Session, contributor_id: int, chance: random.Random) -> list[int]:
    """Five different seeds, each of a topic drawn by its lack of problems."""
    written = select(Submission.seed_id).where(Submission.contributor_id == contributor_id)
    allowed = SeedProblem.id.not_in(written)
    left = counts_of(session, SeedProblem.topic, allowed)
    if sum(left.values()) < SEEDS_SHOWN:
        allowed = true()
        left = counts_of(session, SeedProblem.topic)
    done = counts_of(session, Submission.topic, Submission.status != "rejected")
    five: list[int] = []
    while len(five) < SEEDS_SHOWN:
        topics = sorted(topic for topic, count in left.items() if count)
        weights = [1 / (1 + done.get(topic, 0)) for topic in topics]
        (topic,) = chance.choices(topics, weights)
        free = select(SeedProblem.id).where(
            allowed, SeedProblem.topic == topic, SeedProblem.id.not_in(five)
        )
        place = chance.randrange(left[topic])
        five.append(session.scalars(free.order_by(SeedProblem.id).offset(place).limit(1)).one())
        left[topic] -= 1
    return five


def _first_free(session: Session, chance: random.Random) -> list[int]:
    """Five seeds not yet given out, when drawing does not find any."""
    taken = set(session.scalars(select(Task.seeds_key)))
    seeds = list(session.scalars(select(SeedProblem.id).order_by(SeedProblem.id)))
    chance.shuffle(seeds)
    for five in combinations(seeds, SEEDS_SHOWN):
        if _key(five) not in taken:
            return list(five)
    raise UserError(
        "all sets of five seeds are given out; a collection with more seeds, or one that shares "
        "them, has room for more tasks"
    )


def _key(seeds: Sequence[int]) -> str:
    return ",".join(map(str, sorted(seeds)))


def _shown(session: Session, seed_ids: Sequence[int]) -> tuple[SeedShown, ...]:
    seeds = {
        seed.id: seed
        for seed in session.scalars(select(SeedProblem).where(SeedProblem.id.in_(seed_ids)))
    }
    return tuple(SeedShown(k, seeds[k].topic, seeds[k].problem) for k in seed_ids)
