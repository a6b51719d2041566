import pytest
import torch
from torch import Tensor

from scratchwork.paper.backpropagation import Gradients, log_probs, staged_backward
from scratchwork.paper.batching import ProgramBatch, gather_batch, plan_epoch, tight_shape
from scratchwork.paper.drawing import Drawn
from scratchwork.paper.noise import Dropout, random_keys
from scratchwork.paper.program_model import ModelKind, ProgramModel
from tests.paper.samples import batch_of, drawn_for, part_of, rows_of, tiny_model

SOME = range(6)
SCALE = torch.tensor(0.03, dtype=torch.float64)
WEIGHTS = torch.tensor([0.2, 1.0, 0.0, 2.5, 0.7, 0.1], dtype=torch.float64)
UNUSED: dict[ModelKind, set[str]] = {
    "program": set(),
    "seq2seq": {"predictor.choice", "predictor.to_source", "predictor.to_history"},
    "copy-output": set(),
}
"""The parameters that a kind of model does not use."""


def dropout(batch: ProgramBatch) -> Dropout:
    return Dropout(0.3, random_keys(1, 2, batch.examples))


def whole_log_probs(model: ProgramModel, batch: ProgramBatch, left_out: Dropout) -> Tensor:
    """The log-probability of each program, in one piece."""
    encoded = model.encode(batch.source, left_out)
    states = model.unroll(encoded, batch.values, batch.programs, left_out)
    scores, _ = model.slot_log_probs(
        encoded, batch.values, batch.programs, states, dropout=left_out
    )
    return scores.sum(1)


def gradients(model: ProgramModel) -> dict[str, Tensor]:
    """The gradients, which are then reset."""
    found = {
        name: torch.zeros_like(p) if p.grad is None else p.grad.clone()
        for name, p in model.named_parameters()
    }
    model.zero_grad()
    return found


def assert_same(found: dict[str, Tensor], expected: dict[str, Tensor]) -> None:
    for name, gradient in expected.items():
        largest = max(1.0, float(gradient.abs().max()))
        assert torch.allclose(found[name], gradient, rtol=0, atol=1e-9 * largest), name


def expected_gradients(
    model: ProgramModel, batch: ProgramBatch, weights: Tensor | None
) -> tuple[float, dict[str, Tensor]]:
    scores = whole_log_probs(model, batch, dropout(batch))
    loss = -(scores if weights is None else scores * weights).sum() * SCALE
    loss.backward()
    return float(loss.detach()), gradients(model)


@pytest.mark.parametrize("kind", ["program", "copy-output", "seq2seq"])
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
def test_the_gradient_is_that_of_the_whole_for_any_length_of_stages(
    kind: ModelKind, weights: Tensor | None
) -> None:
    model = tiny_model(kind, hidden=6)
    batch = batch_of(SOME, drawn_for(model, SOME))
    loss, expected = expected_gradients(model, batch, weights)
    for name, gradient in expected.items():
        is_unused = any(name.startswith(part) for part in UNUSED[kind])
        assert bool((gradient != 0).any()) != is_unused, name
    for stage in (1, 3, 7, 1000):
        found = staged_backward(model, batch, dropout(batch), SCALE, stage, weights)
        assert float(found) == pytest.approx(loss, abs=1e-9)
        assert_same(gradients(model), expected)


def test_gradients_are_added_to_those_that_are_there() -> None:
    model = tiny_model(hidden=6)
    batch = batch_of(SOME, drawn_for(model, SOME))
    _, expected = expected_gradients(model, batch, None)
    for _ in range(2):
        staged_backward(model, batch, dropout(batch), SCALE, 5)
    assert_same(gradients(model), {name: 2 * gradient for name, gradient in expected.items()})


def test_empty_rows_have_no_gradient() -> None:
    model = tiny_model(hidden=6)
    drawn = drawn_for(model, SOME)
    part = part_of(SOME)
    rows = torch.tensor([-1, 2, -1])
    batch = gather_batch(part, drawn, 1, rows, tight_shape(part, drawn, 1, torch.arange(6)))
    staged_backward(model, batch, dropout(batch), SCALE, 9)
    together = gradients(model)
    alone = gather_batch(part, drawn, 1, rows[1:2], tight_shape(part, drawn, 1, rows[1:2]))
    staged_backward(model, alone, dropout(alone), SCALE, 9)
    assert_same(together, gradients(model))


@pytest.mark.parametrize("stage", [1, 7, 1000])
def test_scores_in_stages_are_those_of_the_whole(stage: int) -> None:
    model = tiny_model()
    batch = batch_of(SOME, drawn_for(model, SOME))
    with torch.no_grad():
        expected = whole_log_probs(model, batch, dropout(batch))
    scores, _ = log_probs(model, batch, dropout(batch), stage)
    assert torch.allclose(scores, expected, rtol=1e-12)


def planned(drawn: Drawn, samples: int) -> ProgramBatch:
    """The programs of an epoch, without repeats, in one batch."""
    plans = plan_epoch(drawn, samples, samples, seed=0, epoch=0)
    rows = torch.tensor([row for plan in plans for row in plan.rows])
    part = part_of(SOME)
    return gather_batch(part, drawn, samples, rows, tight_shape(part, drawn, samples, rows))


def drawn_with_and_without_repeats(samples: int) -> tuple[ProgramModel, Drawn]:
    """A model that draws a program twice for one problem, and different ones for another."""
    for seed in range(100):
        model = tiny_model(hidden=6, seed=seed)
        drawn = drawn_for(model, SOME, samples, most_paths=32)
        programs = [rows.tobytes() for rows in rows_of(drawn)]
        counts = [len(set(programs[samples * k : samples * (k + 1)])) for k in SOME]
        if min(counts) < samples and max(counts) > 1:
            return model, drawn
    pytest.fail("no model draws what the test needs")


@pytest.mark.parametrize("stage", [4, 1000])
def test_with_several_samples_the_gradient_is_that_of_the_summed_probability(stage: int) -> None:
    samples = 3
    model, drawn = drawn_with_and_without_repeats(samples)
    everything = batch_of(SOME, drawn, samples)
    left_out = Dropout(0.3, random_keys(5, 8, everything.examples))
    scores = whole_log_probs(model, everything, left_out)
    distinct: list[dict[bytes, Tensor]] = [{} for _ in SOME]
    for k, rows in enumerate(rows_of(drawn)):
        distinct[k // samples][rows.tobytes()] = scores[k]
    each = [torch.logsumexp(torch.stack(list(programs.values())), 0) for programs in distinct]
    whole = -torch.stack(each).sum() * SCALE
    whole.backward()
    expected = gradients(model)
    loss = Gradients(model, 0.3, samples, stage)(planned(drawn, samples), 5, 8, float(SCALE))
    assert float(loss) == pytest.approx(float(whole.detach()), abs=1e-9)
    assert_same(gradients(model), expected)


def test_a_program_drawn_three_times_counts_once() -> None:
    model = tiny_model("copy-output", hidden=6)
    drawn = drawn_for(model, SOME, 3)
    loss = Gradients(model, 0.0, 3, 50)(planned(drawn, 3), 0, 0, 1.0)
    threefold = gradients(model)
    one = batch_of(SOME, drawn_for(model, SOME))
    expected = Gradients(model, 0.0, 1, 50)(one, 0, 0, 1.0)
    assert float(loss) == pytest.approx(float(expected), rel=1e-12)
    assert_same(threefold, gradients(model))


def test_dropout_does_not_depend_on_the_rest_of_the_batch() -> None:
    model = tiny_model(hidden=6)
    drawn = drawn_for(model, SOME)
    part = part_of(SOME)
    compute = Gradients(model, 0.5, 1, 20)

    def loss(rows: Tensor) -> float:
        batch = gather_batch(part, drawn, 1, rows, tight_shape(part, drawn, 1, rows))
        return float(compute(batch, 3, 4, 1.0))

    apart = [loss(torch.tensor([k])) for k in SOME]
    assert loss(torch.arange(6)) == pytest.approx(sum(apart), rel=1e-12)
