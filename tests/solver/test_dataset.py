from dataclasses import replace

import torch

from scratchwork.solver.collating import collate
from scratchwork.solver.dataset import Dataset, hide_options
from scratchwork.solver.plan_state import decoder_inputs
from scratchwork.solver.reading import read_problem
from scratchwork.solver.symbols import FIRST_PIECE, LONGEST_PLAN
from scratchwork.solver.teacher_forcing import teacher_force
from tests.solver.samples import (
    CPU,
    half_of_the_plans,
    made,
    pieces,
    tables,
    tiny_network,
    without_rationales,
)

SOME = made(30, seed=9)


def dataset_of_some() -> Dataset:
    return Dataset(*half_of_the_plans(tables(SOME)), CPU)


def test_batches_are_drawn_from_every_plan_in_a_shape_that_holds_it() -> None:
    dataset = dataset_of_some()
    rows = torch.cat(list(dataset.buckets.values()))
    assert sorted(rows.tolist()) == list(range(len(dataset)))
    for (reading, plan), bucket in dataset.buckets.items():
        assert (dataset.lengths[dataset.owners[bucket]] <= reading).all()
        assert ((dataset.choices[bucket] >= 0).sum(1) <= plan).all()
    assert set(dataset.owners.tolist()) == set(range(len(SOME)))


def test_rationales_are_drawn_in_shapes_in_which_the_network_speaks() -> None:
    dataset = Dataset(*tables(SOME), CPU)
    speaks = (dataset.choices >= FIRST_PIECE).any(1)
    assert 0 < int(speaks.sum()) < len(dataset)
    assert ((dataset.choices >= 0).sum(1)[speaks] <= LONGEST_PLAN).any()
    for (_, plan), bucket in dataset.buckets.items():
        assert (speaks[bucket] == (plan > LONGEST_PLAN)).all()


def test_the_network_reads_a_dataset_as_it_reads_a_problem_to_be_solved() -> None:
    dataset, network = dataset_of_some(), tiny_network().eval()
    readings = [read_problem(generated.problem, pieces()) for generated in SOME]
    with torch.no_grad():
        taught = network.encode(dataset.read(torch.arange(len(SOME))))
        solved = network.encode(collate(readings, CPU).read)
    torch.testing.assert_close(taught.option_states, solved.option_states, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(taught.numerals[:, :2], solved.numerals[:, :2], rtol=1e-4, atol=1e-5)
    batch = collate(readings, CPU)
    assert torch.equal(dataset.in_question, batch.in_question)
    count = batch.option_values.shape[2]
    torch.testing.assert_close(
        dataset.option_values[..., :count], batch.option_values, equal_nan=True
    )


def test_where_options_are_hidden_the_network_reads_what_it_reads_where_there_are_none() -> None:
    dataset, network = dataset_of_some(), tiny_network().eval()
    rows = torch.arange(len(SOME))
    hidden = rows % 3 > 0
    read, in_question = dataset.read(rows), dataset.in_question
    free = [replace(generated.problem, options=(), correct=None) for generated in SOME]
    bare = collate([read_problem(problem, pieces()) for problem in free], CPU)
    seen = hide_options(read, in_question, hidden)
    # The same input, not only the same states.
    for name in ("pieces", "segments", "positions", "numeral_pieces", "numeral_values"):
        mine, theirs = getattr(seen, name)[hidden], getattr(bare.read, name)[hidden]
        width = theirs.shape[1]
        torch.testing.assert_close(mine[:, :width], theirs, equal_nan=True, rtol=0, atol=0)
        assert getattr(seen, name).shape == getattr(read, name).shape
    assert (seen.option_pieces[hidden] == -1).all()
    assert (seen.segments[hidden] <= 0).all()
    with torch.no_grad():
        taught, whole = network.encode(seen), network.encode(read)
        solved = network.encode(bare.read)
    length = solved.states.shape[1]
    is_question = (bare.read.segments == 0)[..., None] & hidden[:, None, None]
    shown = torch.where(is_question, taught.states[:, :length], 0.0)
    torch.testing.assert_close(
        shown, torch.where(is_question, solved.states, 0.0), rtol=1e-4, atol=1e-5
    )
    assert torch.equal(taught.mask[hidden][..., :length], solved.mask[hidden])
    torch.testing.assert_close(taught.numerals[hidden], solved.numerals[hidden])
    # The other problems are read as they were.
    torch.testing.assert_close(taught.states[~hidden], whole.states[~hidden])
    assert not torch.allclose(taught.numerals[hidden, 0], whole.numerals[hidden, 0])


def test_a_plan_of_a_problem_whose_options_are_hidden_reaches_none() -> None:
    network = tiny_network().eval()
    problems, plans = without_rationales(tables(SOME))
    known = Dataset(problems, plans, CPU)
    unknown = Dataset(problems, replace(plans, reached=plans.reached * 0 - 1), CPU)
    rows = torch.arange(len(known))
    everything = torch.ones_like(rows, dtype=torch.bool)
    with torch.no_grad():
        encoded = network.encode(known.read_plans(rows))
        hidden = teacher_force(network, known, rows, encoded, LONGEST_PLAN, everything)
        none = teacher_force(network, unknown, rows, encoded, LONGEST_PLAN)
    torch.testing.assert_close(hidden.logits, none.logits)
    assert torch.equal(hidden.targets, none.targets)


def test_what_the_decoder_is_told_is_what_the_plans_compute() -> None:
    dataset = dataset_of_some()
    told, missing = decoder_inputs(dataset.choices, dataset.row_values)
    torch.testing.assert_close(dataset.input_results, told.results, equal_nan=True)
    torch.testing.assert_close(dataset.input_values, told.values, equal_nan=True)
    assert torch.equal(dataset.input_counts.long(), told.result_counts)
    assert torch.equal(dataset.missing.long(), missing)


def test_a_plans_numbers_may_be_changed_without_touching_its_problem() -> None:
    dataset = dataset_of_some()
    dataset.row_values[3] = 77.0
    rows = torch.tensor([3, 4])
    own, others = dataset.read_plans(rows), dataset.read(dataset.owners[rows])
    assert (own.numeral_values[0] == 77).all()
    assert not (others.numeral_values == 77).any()
    for name in ("pieces", "segments", "positions", "numeral_pieces", "option_pieces"):
        assert torch.equal(getattr(own, name), getattr(others, name))


def test_a_shorter_reading_is_the_beginning_of_the_longer() -> None:
    dataset = dataset_of_some()
    rows = torch.arange(5)
    short, whole = dataset.read(rows, 48), dataset.read(rows)
    assert torch.equal(short.pieces, whole.pieces[:, :48])
    assert (whole.segments[:, 48:] == -1).all()
