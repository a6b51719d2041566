"""Handing in: once, wholly, and nothing lost, whatever is sent."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from scratchwork.collecting import auditing
from scratchwork.collecting.assigning import skip, task_for
from scratchwork.collecting.auditing import audit_figures
from scratchwork.collecting.forms import answer_key, numbers_of, written_problem
from scratchwork.collecting.handing_in import HandedIn, HandIn, SentBack, hand_in
from scratchwork.collecting.inviting import revoke_invitation
from scratchwork.collecting.nearness import NearnessRule
from scratchwork.collecting.neighbours import Near, Neighbours
from scratchwork.collecting.schema import Refusal, SeedProblem, Submission, Task
from scratchwork.collecting.settings import CollectionSettings
from scratchwork.collecting.storing import Store
from scratchwork.errors import UserError
from scratchwork.problems.problem import Problem, ProblemError
from scratchwork.problems.rows import problem_from_row, row_from_problem
from tests.collecting.test_storing import HOSTILE
from tests.collecting.writing import Writer, row


def submissions_of(store: Store) -> list[Submission]:
    return store.read(lambda s: list(s.scalars(select(Submission).order_by(Submission.id))))


def refusals_of(store: Store) -> list[Refusal]:
    return store.read(lambda s: list(s.scalars(select(Refusal).order_by(Refusal.id))))


def seed_of(writer: Writer) -> SeedProblem:
    """The seed that the writer's next hand-in starts from."""
    task = task_for(writer.store, writer.id)
    return writer.store.read(lambda s: s.get_one(SeedProblem, task.seeds[0].id))


def test_what_is_handed_in_is_stored_with_all_that_is_known_of_it(writer: Writer) -> None:
    seed = seed_of(writer)
    result = writer.send(row(20))
    assert result == HandedIn(1, "original", again=False)
    (stored,) = submissions_of(writer.store)
    assert problem_from_row(stored.problem) == problem_from_row(row(20))
    assert (stored.seed_id, stored.topic, stored.status) == (seed.id, seed.topic, "waiting")
    assert (stored.in_sample, stored.marked, stored.mark_reason) == (True, False, None)
    assert stored.nearest is not None
    assert set(stored.nearest) == {"seed_id", "ratio", "digit_free"}
    assert stored.audit == audit_figures(problem_from_row(row(20)))
    task = writer.store.read(lambda s: s.get_one(Task, stored.task_id))
    assert task.state == "done"
    assert task.done_at is not None


def test_a_double_click_hands_in_once(writer: Writer) -> None:
    handed = writer.prepare(row(20))
    with ThreadPoolExecutor(4) as pool:
        sent = [
            pool.submit(hand_in, writer.store, writer.neighbours, writer.id, handed)
            for _ in range(8)
        ]
        results = [future.result() for future in sent]
    assert {type(result) for result in results} == {HandedIn}
    assert {result.submission_id for result in results if isinstance(result, HandedIn)} == {1}
    assert sum(isinstance(result, HandedIn) and not result.again for result in results) == 1
    assert len(submissions_of(writer.store)) == 1
    assert not refusals_of(writer.store)


def test_of_two_browsers_the_second_is_told_and_its_text_is_kept(writer: Writer) -> None:
    one, other = writer.prepare(row(20), "one"), writer.prepare(row(21), "other")
    assert isinstance(hand_in(writer.store, writer.neighbours, writer.id, one), HandedIn)
    result = hand_in(writer.store, writer.neighbours, writer.id, other)
    assert isinstance(result, SentBack)
    assert result.code == "handed-in"
    (kept,) = refusals_of(writer.store)
    assert kept.id == result.refusal_id
    assert kept.problem == row(21)
    assert "handed in already" in result.sentence
    assert len(submissions_of(writer.store)) == 1


def test_a_retry_gives_the_submission_of_before_even_if_its_text_changed(writer: Writer) -> None:
    handed = writer.prepare(row(20))
    hand_in(writer.store, writer.neighbours, writer.id, handed)
    changed = HandIn(handed.task_id, handed.seed_id, handed.client_key, row(21))
    again = hand_in(writer.store, Neighbours(), writer.id, changed)
    assert again == HandedIn(1, "original", again=True)
    assert submissions_of(writer.store)[0].problem["question"] == row(20)["question"]


def test_keys_are_a_contributors_own(writer: Writer) -> None:
    ann = Writer(writer.store, writer.neighbours, "Ann")
    assert writer.send(row(20), "the same key").submission_id == 1
    assert ann.send(row(21), "the same key").submission_id == 2


def test_a_problem_of_bad_form_is_sent_back_with_a_sentence_and_kept(writer: Writer) -> None:
    bad: list[tuple[object, str]] = [
        (row(20, question=" \n"), "the question is empty"),
        (row(20, question=None), "there is no question"),
        (row(20, question=7), "question is not a text"),
        (row(20, question="a" * 10_001), "10001 characters, more than 10000"),
        (row(20, question="a\0b"), "U+0000"),
        (row(20, rationale="a\x1b[2Jb"), "U+001B"),
        (row(20, rationale=""), "the rationale is empty"),
        (row(20, rationale="\ud800"), "half a character"),
        (row(20, options=list("1234")), "five options, not 4"),
        (row(20, options=[*"123456"]), "five options, not 6"),
        (row(20, options=[]), "the correct letter"),
        (row(20, options="12345"), "options is a text"),
        (row(20, options=["1", "2", "3", "4", " 1.0 "]), "options A and E are the same"),
        (row(20, options=["1,000", "2", "1000", "4", "5"]), "options A and C are the same"),
        (row(20, options=["x KM", "2", "3", "x  km", "5"]), "options A and D are the same"),
        (row(20, options=["1", "2", "3", "4", "o" * 1001]), "option E has 1001 characters"),
        (row(20, options=["1", "2", "3", "4", "\x7f"]), "U+007F"),
        (row(20, options=["1", "2", "3", "4", {"a": 1}]), "not a text"),
        (row(20, correct="F"), "the correct letter"),
        (row(20, correct="\0" * 1000), "the correct letter"),
        (row(20, correct=None), "letter of the right option is missing"),
        ("a text", "must be an object"),
        (None, "must be an object"),
        ([1], "must be an object"),
    ]
    for sent, sentence in bad:
        result = writer.send(sent)
        assert isinstance(result, SentBack), sent
        assert result.code == "form"
        assert sentence in result.sentence
        assert result.sentence.isprintable()
        kept = refusals_of(writer.store)[-1]
        assert kept.sentence == result.sentence
        if isinstance(sent, dict):
            assert kept.problem["rationale"] == sent["rationale"]
    kept = [refusal.problem for refusal in refusals_of(writer.store)]
    for k in (0, 3, 4, 7, 13, 19):
        assert kept[k] == bad[k][0]
    assert kept[17]["options"][4] == "{'a': 1}"
    assert kept[-1] == {"sent": "[1]"}
    assert writer.send(row(20)) == HandedIn(1, "original", again=False)


def test_whatever_the_fields_hold_comes_back_as_it_was(writer: Writer) -> None:
    for k, text in enumerate(HOSTILE):
        sent = row(20 + k)
        sent["question"] += f"\n\t{text}"
        sent["rationale"] += f"\r\n{text} "
        sent["options"][4] = f"{text}."
        assert isinstance(writer.send(sent, f"{k} {'x' * 90}"), HandedIn)
        stored = submissions_of(writer.store)[-1].problem
        assert stored["question"] == sent["question"]
        assert stored["rationale"] == sent["rationale"].replace("\r\n", "\n")
        assert stored["options"][4] == f"E){text}."


def test_a_client_without_a_proper_key_is_told_so(writer: Writer) -> None:
    for key in ("", "x" * 101, "a\0b", "é", "\n"):
        with pytest.raises(UserError, match="the key of a hand-in"):
            writer.send(row(20), key)
    with pytest.raises(UserError, match="no contributor"):
        hand_in(writer.store, writer.neighbours, 99, writer.prepare(row(20)))


def test_only_the_contributors_open_task_and_its_seeds_count(writer: Writer) -> None:
    ann = Writer(writer.store, writer.neighbours, "Ann")
    mine, hers = writer.prepare(row(20)), ann.prepare(row(21))

    def code_of(task_id: int, seed_id: int) -> str:
        handed = HandIn(task_id, seed_id, "a key", row(20))
        result = hand_in(writer.store, writer.neighbours, writer.id, handed)
        assert isinstance(result, SentBack)
        return result.code

    for task_id in (hers.task_id, 99, 0, -1, 10**30):
        assert code_of(task_id, mine.seed_id) == "no-task"
    shown = {seed.id for seed in task_for(writer.store, writer.id).seeds}
    for seed_id in (*(set(range(1, 9)) - shown), 99, -1, 10**30):
        assert code_of(mine.task_id, seed_id) == "seed"
    skip(writer.store, writer.id, mine.task_id)
    assert code_of(mine.task_id, mine.seed_id) == "skipped"
    revoke_invitation(writer.store, writer.id)
    assert code_of(mine.task_id, mine.seed_id) == "revoked"
    assert code_of(10**30, mine.seed_id) == "revoked"
    assert all(kept.problem == row(20) for kept in refusals_of(writer.store))


def test_the_seeds_answer_and_rationale_must_be_changed(writer: Writer) -> None:
    source = problem_from_row(seed_of(writer).problem)
    right = source.options["ABCDE".index(source.correct or "")]
    sent = writer.send(row(20, options=[f" {float(right)}", "2", "3", "4", "5"]))
    assert (sent.code, sent.neighbour) == ("answer", None)
    sent = writer.send(row(20, rationale=f"\n{(source.rationale or '').upper()}  "))
    assert sent.code == "rationale"
    assert isinstance(writer.send(row(20, options=["2", right, "3", "4", "5"])), HandedIn)


def test_a_copy_of_any_seed_is_sent_back_with_the_seed_shown(writer: Writer) -> None:
    seeds = writer.store.read(lambda s: list(s.scalars(select(SeedProblem))))
    chosen = seed_of(writer).id
    for seed in (seeds[chosen - 1], seeds[chosen % 8]):
        question = seed.question_text.upper().replace("?", " please?")
        sent = writer.send(row(20, question=question))
        assert sent.code == "copy"
        assert (sent.neighbour.kind, sent.neighbour.id) == ("seed", seed.id)
        assert sent.neighbour.question == seed.question_text
        kept = refusals_of(writer.store)[-1]
        assert kept.neighbour == sent.neighbour.as_json()


def test_the_same_story_with_other_numbers_is_a_replica(writer: Writer) -> None:
    question = seed_of(writer).question_text
    numbers = list(numbers_of(question))
    for number in numbers:
        question = question.replace(number, f"{number}9")
    assert writer.send(row(20, question=question)) == HandedIn(1, "replica", again=False)
    assert not submissions_of(writer.store)[0].marked


def test_a_rewording_with_equal_numbers_is_taken_and_marked(writer: Writer) -> None:
    seed = seed_of(writer)
    question = f"{seed.question_text} Answer in words, and say how you know."
    result = writer.send(row(20, question=question))
    assert isinstance(result, HandedIn)
    (stored,) = submissions_of(writer.store)
    assert stored.marked
    assert stored.mark_reason == f"near copy of seed {seed.id}"


def test_a_copy_of_ones_own_work_is_sent_back_unless_it_was_rejected(writer: Writer) -> None:
    writer.submit(20)
    sent = writer.send(row(20), "another key")
    assert sent.code == "copy"
    assert (sent.neighbour.kind, sent.neighbour.id) == ("submission", 1)
    writer.store.write(lambda s: setattr(s.get_one(Submission, 1), "status", "rejected"))
    assert isinstance(writer.send(row(20, rationale="Mended: 1 + 1 = 2."), "third"), HandedIn)
    first, mended = submissions_of(writer.store)
    assert not first.marked
    assert mended.marked


def test_copies_by_two_contributors_are_both_taken_and_both_marked(writer: Writer) -> None:
    ann = Writer(writer.store, writer.neighbours, "Ann")
    writer.submit(20)
    ann.submit(20)
    first, second = submissions_of(writer.store)
    assert (first.marked, second.marked) == (True, True)
    assert first.mark_reason == "near copy of submission 2, by another contributor"
    assert second.mark_reason == "near copy of submission 1, by another contributor"
    assert (first.relation, second.relation) == ("original", "replica")
    assert second.nearest == {"submission_id": 1, "ratio": 100.0, "digit_free": 100.0}


def test_copies_handed_in_at_the_same_moment_find_each_other(store: Store) -> None:
    # Each has an index of its own, as in servers of several processes.
    writers = [Writer(store, Neighbours(), f"name {k}") for k in range(5)]
    with ThreadPoolExecutor(5) as pool:
        results = list(pool.map(lambda w: w.send(row(20)), writers))
    assert {type(result) for result in results} == {HandedIn}
    assert [s.marked for s in submissions_of(store)] == [True] * 5


def test_the_first_three_of_a_contributor_are_in_the_sample(writer: Writer) -> None:
    for k in range(20, 30):
        writer.submit(k)
    sampled = [s.in_sample for s in submissions_of(writer.store)]
    assert sampled[:3] == [True] * 3
    assert not all(sampled)


def test_the_audit_is_stored_in_short() -> None:
    sent = row(20, options=[*"12345"], rationale="2 + 1 = 4. And 77 too. The answer is D.")
    assert audit_figures(problem_from_row(sent)) == {
        "numbers": 4,
        "unsupported": 2,
        "false_equations": 1,
        "letter_follows": False,
    }


def test_an_audit_that_cannot_be_made_refuses_nothing(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = row(20, rationale="7 + 1 = 8. " * 200)
    assert "numbers in all" in audit_figures(problem_from_row(long))["left_out"]
    many = row(20, rationale=" ".join(str(k) for k in range(100)))
    assert "different numbers" in audit_figures(problem_from_row(many))["left_out"]

    def fail(_: Problem) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(auditing, "audit", fail)
    assert isinstance(writer.send(row(20)), HandedIn)
    assert submissions_of(writer.store)[0].audit == {"left_out": "the audit failed"}


def test_questions_in_another_script_are_copies_by_their_letters_not_by_their_digits(
    writer: Writer,
) -> None:
    apples = "Мария купила 12 яблок по 7 рублей за каждое яблоко. Сколько она заплатила всего?"
    train = "Поезд проходит 12 километров за 7 минут без остановок. Какова его скорость в пути?"
    assert writer.send(row(20, question=apples), "one").relation == "original"
    assert writer.send(row(21, question=train), "two").relation == "original"
    again = writer.send(row(22, question=apples.replace("Мария", "Марина")), "three")
    assert isinstance(again, SentBack)
    assert again.code == "copy"
    assert again.neighbour is not None
    assert again.neighbour.question == apples


texts = st.text(st.characters() | st.sampled_from("\n\t\r\0 A)B)1,5.0-"), max_size=12)


@given(texts, st.lists(texts, min_size=4, max_size=6), texts, st.sampled_from(["A", "e ", "F", ""]))
def test_any_text_is_refused_or_survives_being_stored(
    question: str, options: list[str], rationale: str, correct: str
) -> None:
    sent = {
        "question": question, "options": options, "rationale": rationale, "correct": correct,
    }  # fmt: skip
    try:
        problem = written_problem(sent)
    except ProblemError as error:
        assert str(error)
        return
    stored = json.loads(json.dumps(row_from_problem(problem)))
    assert problem_from_row(stored) == problem
    assert len({answer_key(option) for option in problem.options}) == 5
    assert problem.question == question.replace("\r\n", "\n").replace("\r", "\n")


ratios = st.floats(0, 100)


@given(ratios, ratios, st.booleans())
def test_copies_are_copies_whatever_the_other_ratio(
    ratio: float, digit_free: float, equal: bool
) -> None:
    rule = NearnessRule(CollectionSettings())
    near = Near(("seed", 1), ratio, digit_free)
    nearness = rule.nearness("Add 1,000 and 2.", "Add 2.0 to 1000." if equal else "Add 2.", near)
    assert (nearness == "copy") == (ratio == 100 or (ratio >= 92 and equal))
    assert (nearness == "suspect") == (75 <= ratio < 92 and equal)
    if nearness == "replica":
        assert digit_free >= 80
    if nearness == "far":
        assert digit_free < 80
