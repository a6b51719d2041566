"""Handing in among 10,000 collected problems, and the index of questions beside comparing all."""

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from rapidfuzz import fuzz, process
from sqlalchemy.orm import Session

from benchmarks.timing import best_seconds
from scratchwork import Problem, generate, load_families
from scratchwork.collecting.assigning import task_for
from scratchwork.collecting.handing_in import HandIn, hand_in
from scratchwork.collecting.inviting import invite
from scratchwork.collecting.neighbours import CANDIDATES, Neighbours
from scratchwork.collecting.schema import Submission, Task
from scratchwork.collecting.storing import Store
from scratchwork.problems.duplicates import HeldOut, compared_text, without_digits
from scratchwork.problems.rows import row_from_problem

COLLECTED = 10_000
HANDED_IN = 200
SEEDS = 100
WRITERS = 20
MOST_MS = 300


def measure() -> Iterator[str]:
    """Milliseconds of a hand-in at p95; the index against all pairs: its speed and its recall."""
    seeds, collected, new = _problems()
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.create(Path(folder) / "collection", seeds) as store,
    ):
        _collect(store, collected)
        neighbours = Neighbours()
        start = time.perf_counter()
        store.read(neighbours.catch_up)
        built = time.perf_counter() - start
        seconds = _hand_in(store, neighbours, new)
    p50, p95 = (1000 * float(np.quantile(seconds, share)) for share in (0.5, 0.95))
    yield (
        f"a hand-in among {COLLECTED:,} problems: {p50:.0f} ms, p95 {p95:.0f} ms of {MOST_MS}; "
        f"the index is built in {built:.1f} s"
    )
    yield _index([problem.question for problem in collected], [p.question for p in new])


def _problems() -> tuple[list[Problem], list[Problem], list[Problem]]:
    """Seeds, collected problems and new ones: stories, replicas of them, and near copies."""
    order = random.Random(1)
    stories = SEEDS + int(0.7 * (COLLECTED + HANDED_IN))
    # There are fewer families than stories: most of them are replicas of others.
    made = [made.problem for made in generate(load_families(), stories, seed=1)]
    seeds, made = made[:SEEDS], made[SEEDS:]
    copies = [
        _near_copy(order.choice(made), order) for _ in range(COLLECTED + HANDED_IN - len(made))
    ]
    mixed = made + copies
    order.shuffle(mixed)
    return seeds, mixed[:COLLECTED], mixed[COLLECTED:]


def _near_copy(problem: Problem, order: random.Random) -> Problem:
    """The problem with other numbers, or without some of its words."""
    words = problem.question.split()
    if order.random() < 0.5:
        words = [str(order.randint(2, 999)) if word.isdigit() else word for word in words]
    else:
        share = order.uniform(0.05, 0.3)
        words = [word for word in words if order.random() > share] or words
    return replace(problem, question=" ".join(words))


def _collect(store: Store, problems: Sequence[Problem]) -> None:
    """Store the problems as if they had been handed in, all at once."""
    contributor = invite(store, "many").contributor_id

    def add(session: Session) -> None:
        for k in range(1, len(problems) + 1):
            session.add(Task(id=k, contributor_id=contributor, seed_ids=[1] * 5, state="done"))
        session.flush()
        for k, problem in enumerate(problems, 1):
            session.add(
                Submission(
                    id=k,
                    task_id=k,
                    contributor_id=contributor,
                    seed_id=1,
                    client_key=str(k),
                    problem=row_from_problem(problem),
                    topic="other",
                    relation="original",
                )
            )

    store.write(add)


def _hand_in(store: Store, neighbours: Neighbours, problems: Sequence[Problem]) -> list[float]:
    """The seconds each hand-in takes, with its checks, its search, its audit and its storing."""
    writers = [invite(store, f"writer {k}").contributor_id for k in range(WRITERS)]
    seconds: list[float] = []
    for k, problem in enumerate(problems):
        writer = writers[k % WRITERS]
        task = task_for(store, writer)
        handed = HandIn(task.task_id, task.seeds[0].id, f"key {k}", row_from_problem(problem))
        start = time.perf_counter()
        hand_in(store, neighbours, writer, handed)
        seconds.append(time.perf_counter() - start)
    return seconds


def _index(collected: Sequence[str], asked: Sequence[str]) -> str:
    neighbours = Neighbours()
    for k, question in enumerate(collected):
        neighbours.add(("submission", k), question)
    texts = [compared_text(question) for question in collected]
    letters = [without_digits(text) for text in texts]

    def compare_with_all(question: str) -> None:
        text = compared_text(question)
        for one, others in ((text, texts), (without_digits(text), letters)):
            process.cdist([one], others, scorer=fuzz.ratio, dtype=np.float64, workers=1)

    ours, exhaustive = (
        best_seconds(lambda search=search: [search(question) for question in asked], 3) / len(asked)
        for search in (neighbours.nearest, compare_with_all)
    )
    found = {
        (k, near.key[1])
        for k, question in enumerate(asked)
        for near in neighbours.nearest(question, CANDIDATES)
    }
    pairs = HeldOut(asked).pairs(collected)
    return (
        f"a search: {1000 * ours:.1f} ms with the index, "
        f"{1000 * exhaustive:.1f} ms comparing all; "
        f"ratio {exhaustive / ours:.1f}; recall {len(pairs & found) / len(pairs):.4f} of "
        f"{len(pairs):,} pairs above the thresholds"
    )
