import math
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from scratchwork import Problem
from scratchwork.paper.batching import ProgramBatch
from scratchwork.paper.corpus import Corpus, corpus_of
from scratchwork.paper.drawing import Drawn, draw_programs
from scratchwork.paper.layers import COPY_INPUT, COPY_OUTPUT, SOFTMAX, ArgumentScores
from scratchwork.paper.paths import path_table
from scratchwork.paper.program_model import ModelKind, ProgramModel, Recurrent
from scratchwork.paper.tensors import NOTHING
from scratchwork.paper.vocabulary import UNKNOWN_ID
from tests.paper.samples import (
    KINDS,
    batch_of,
    drawn_for,
    part_of,
    rows_of,
    scored,
    tiny_model,
    vocabulary,
)

SOME = range(8)
TWICE = Problem(
    "7 pens cost 63 cents and 7 pads cost 91 cents. What do 7 pens and 7 pads cost?",
    ("154", "144"),
    "7 pens and 7 pads cost 63 + 91 = 154 cents, that is 154 / 7 = 22 a pair.",
    "A",
)


@dataclass
class Step:
    """The distributions of the next instruction of one program."""

    operations: Tensor
    destination: Tensor
    arguments: list[ArgumentScores]
    chosen: tuple[int, int, list[int]]
    history: Tensor
    """The values of the instructions before it."""


class StepByStep:
    """One program, scored step by step."""

    def __init__(
        self, model: ProgramModel, corpus: Corpus, example: int, rows: list[list[int]]
    ) -> None:
        index = torch.tensor([example])
        self.model = model
        self.rows = rows
        self.source = corpus.source(index, int(corpus.source_words.lengths[example]))
        self.values = corpus.values(index, int(corpus.value_words.lengths[example]))
        self.encoded = model.encode(self.source)

    def steps(self) -> list[Step]:
        model, vectors = self.model, self.model.embedding.values(self.values)
        state: Recurrent = model.start(self.encoded)
        states = state.h.new_zeros(1, len(self.rows), model.config.hidden)
        keys = model.attention_keys(self.encoded, states)
        history = torch.full((1, len(self.rows)), NOTHING)
        steps: list[Step] = []
        for k, (operation, first, second, result, to_output) in enumerate(self.rows):
            attended = model.attend(self.encoded, keys.attention, state.h.unsqueeze(1))
            operations = model.operations(attended.squeeze(1))
            r, destination = model.destination(state, torch.tensor([operation]))
            q = model.first_slot(state, r, torch.tensor([bool(to_output)]))
            arguments = [value for value in (first, second) if value != NOTHING]
            scores: list[ArgumentScores] = []
            earlier = (history >= 0).unsqueeze(1)
            for _ in arguments:
                if scores:
                    q = model.second_slot(q, vectors[:, first])
                scores.append(
                    model.argument(
                        q[0].unsqueeze(1), attended, self.encoded.values >= 0, keys, earlier
                    )
                )
            chosen = (operation, to_output, arguments)
            steps.append(Step(operations, destination, scores, chosen, history.clone()))
            state = model.advance(state, q[0], vectors[:, result])
            keys.history[:, k] = model.predictor.to_history.of_place(state.h)
            history[:, k] = result
        return steps

    def argument(self, scores: ArgumentScores, value: int, history: Tensor) -> float:
        word = self.values.writing[:, [value]]
        found, _ = scores.of(torch.tensor([[value]]), word, self.encoded.values, history)
        return float(found)

    def log_prob(self) -> float:
        total = 0.0
        for step in self.steps():
            operation, to_output, arguments = step.chosen
            total += float(step.operations[0, operation] + step.destination[0, to_output])
            for scores, value in zip(step.arguments, arguments, strict=True):
                total += self.argument(scores, value, step.history)
        return total


def step_by_step(model: ProgramModel, drawn: Drawn) -> list[StepByStep]:
    part = part_of(SOME)
    return [StepByStep(model, part, k, rows.tolist()) for k, rows in enumerate(rows_of(drawn))]


@pytest.mark.parametrize("kind", KINDS)
def test_padding_changes_nothing(kind: ModelKind) -> None:
    model = tiny_model(kind)
    drawn = drawn_for(model, SOME)
    tight, roomy = (scored(model, batch_of(SOME, drawn, spare=spare)) for spare in (0, 9))
    assert torch.allclose(tight, roomy, rtol=1e-12, atol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_other_rows_of_a_batch_change_nothing(kind: ModelKind) -> None:
    model = tiny_model(kind)
    batch = batch_of(SOME, drawn_for(model, SOME))
    together = scored(model, batch)
    for k in SOME:
        index = torch.tensor([k])
        alone = ProgramBatch(
            batch.source.rows(index),
            batch.values.rows(index),
            batch.programs.rows(index),
            batch.examples[index],
            batch.tokens[index],
        )
        assert float(scored(model, alone)) == pytest.approx(float(together[k]), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_going_step_by_step_gives_the_same_numbers(kind: ModelKind) -> None:
    model = tiny_model(kind, seed=1)
    drawn = drawn_for(model, SOME)
    whole = scored(model, batch_of(SOME, drawn)).tolist()
    with torch.no_grad():
        assert [one.log_prob() for one in step_by_step(model, drawn)] == pytest.approx(
            whole, abs=1e-9
        )


def test_the_programs_scored_here_compute_with_two_numbers() -> None:
    rows = [row for rows in rows_of(drawn_for(tiny_model(), SOME)) for row in rows.tolist()]
    assert any(row[2] != NOTHING for row in rows)
    assert any(row[4] == 0 for row in rows)


@pytest.mark.parametrize("kind", KINDS)
def test_the_probabilities_of_all_that_can_come_next_add_up_to_1(kind: ModelKind) -> None:
    model = tiny_model(kind, seed=2)
    drawn = drawn_for(model, SOME)
    with torch.no_grad():
        for one in step_by_step(model, drawn)[:3]:
            for step in one.steps():
                assert float(step.operations.exp().sum()) == pytest.approx(1, abs=1e-12)
                assert float(step.destination.exp().sum()) == pytest.approx(1, abs=1e-12)
                for scores in step.arguments:
                    assert whole_of(one, scores, step.history) == pytest.approx(1, abs=1e-12)


def whole_of(one: StepByStep, scores: ArgumentScores, history: Tensor) -> float:
    """The probability of all values of an example, and of the words that are none of them."""
    writing = one.values.writing
    values = scores.of_all(writing, one.encoded.values, history).exp().sum()
    words = (scores.choice[0, 0, SOFTMAX] + scores.words[0, 0]).exp()
    used = writing[writing > 0]
    assert len(used) == len(set(used.tolist()))
    return float(values + words.sum() - words[used].sum())


@pytest.mark.parametrize("kind", ["program", "copy-output", "copy-input", "seq2seq"])
def test_the_probability_of_a_value_is_the_sum_over_its_places(kind: ModelKind) -> None:
    model = tiny_model(kind, seed=3)
    table = path_table(TWICE, vocabulary())
    corpus = corpus_of([table])
    rows = rows_of(draw_programs(model, corpus, torch.tensor([0]), None))[0].tolist()
    one = StepByStep(model, corpus, 0, rows)
    seven = table.values.index("7")
    assert table.source_values.tolist().count(seven) == 4
    with torch.no_grad():
        step = one.steps()[-1]
    history = step.history[0].tolist()
    assert history.count(seven) > 1
    scores = step.arguments[0]
    spelled, pointed, recalled = scores.choice[0, 0].exp().tolist()
    expected = spelled * float(scores.words[0, 0, vocabulary().writing("7")].exp())
    for place, value in enumerate(table.source_values.tolist()):
        expected += pointed * float(scores.source[0, 0, place].exp()) * (value == seven)
    for place, value in enumerate(history):
        expected += recalled * float(scores.history[0, 0, place].exp()) * (value == seven)
    found = one.argument(scores, seven, step.history)
    assert found == pytest.approx(math.log(expected), rel=1e-12)
    every = scores.of_all(one.values.writing, one.encoded.values, step.history)
    assert float(every[0, seven]) == pytest.approx(found, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_copies_only_from_where_it_can(kind: ModelKind) -> None:
    model = tiny_model(kind)
    with torch.no_grad():
        step = step_by_step(model, drawn_for(model, SOME))[0].steps()[-1]
    shares = step.arguments[0].choice[0, 0].exp()
    assert (float(shares[COPY_INPUT]) > 0) == (kind != "seq2seq")
    assert (float(shares[COPY_OUTPUT]) > 0) == (kind in ("program", "copy-output"))


def test_nothing_can_be_recalled_before_the_first_instruction() -> None:
    model = tiny_model()
    with torch.no_grad():
        step = step_by_step(model, drawn_for(model, SOME))[0].steps()[0]
    assert float(step.arguments[0].choice[0, 0, COPY_OUTPUT].exp()) == 0


def test_what_nothing_can_write_counts_as_the_unknown_word() -> None:
    model = tiny_model("seq2seq")
    problem = Problem("Which animal?", ("quokka", "numbat"), "It is a quokka.", "A")
    corpus = corpus_of([path_table(problem, vocabulary())])
    drawn = draw_programs(model, corpus, torch.tensor([0]), None)
    one = StepByStep(model, corpus, 0, rows_of(drawn)[0].tolist())
    with torch.no_grad():
        step = one.steps()[3]
    found = one.argument(step.arguments[0], step.chosen[2][0], step.history)
    scores = step.arguments[0]
    assert found == float(scores.choice[0, 0, SOFTMAX] + scores.words[0, 0, UNKNOWN_ID])


@pytest.mark.parametrize("kind", KINDS)
def test_attention_does_not_enter_the_recurrence(kind: ModelKind) -> None:
    model = tiny_model(kind)
    batch = batch_of(SOME, drawn_for(model, SOME))

    def states() -> Tensor:
        with torch.no_grad():
            return model.unroll(model.encode(batch.source), batch.values, batch.programs).h

    h, scores = states(), scored(model, batch)
    with torch.no_grad():
        for parameter in model.attention.parameters():
            parameter.mul_(-3)
    assert torch.equal(states(), h)
    assert not torch.allclose(scored(model, batch), scores)
