from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from scratchwork.solver.beam_search import find_plans
from scratchwork.solver.cached_decoder import CachedDecoder
from scratchwork.solver.dataset import Dataset
from scratchwork.solver.examples import generated_example, with_rationale
from scratchwork.solver.network import Transformer
from scratchwork.solver.plan_state import rationale_mask
from scratchwork.solver.saving import load_solver
from scratchwork.solver.symbols import FINISH
from scratchwork.solver.tables import PlanTable, tables_of
from scratchwork.solver.teacher_forcing import log_probabilities
from tests.solver.samples import CPU, HELD_OUT, made, pieces, tables


@pytest.fixture(scope="module")
def network(tiny_solver: Path) -> Transformer:
    return load_solver(tiny_solver).model


def test_plans_are_as_probable_as_they_were_when_they_were_found(network: Transformer) -> None:
    problems, plans = tables(made(4, HELD_OUT))
    dataset = Dataset(problems, plans, CPU)
    with torch.no_grad():
        encoded = network.encode(dataset.read(torch.arange(4)))
        found = find_plans(network, encoded, dataset.in_question, dataset.option_values, 12)
    problem, rank = torch.isfinite(found.log_probabilities).nonzero().unbind(1)
    choices = found.choices[problem, rank].numpy().astype(np.int16)
    reached = found.reached[problem, rank].numpy()
    followed = Dataset(problems, PlanTable(problem.numpy(), choices, reached), CPU)
    assert len(followed) > 20
    torch.testing.assert_close(
        log_probabilities(network, followed),
        found.log_probabilities[problem, rank].float(),
        atol=1e-4,
        rtol=1e-4,
    )


def test_words_are_as_probable_as_when_they_are_decoded_one_by_one(network: Transformer) -> None:
    examples = [generated_example(one, pieces()) for one in made(40, HELD_OUT)]
    told = [with_rationale(example) for example in examples if example is not None]
    told = [example for example in told if example.plans]
    alone = [
        replace(one, plans=[row[: row.index(FINISH) + 1] for row in one.plans]) for one in told
    ]
    assert len(told) > 3
    dataset, plans = Dataset(*tables_of(told), CPU), Dataset(*tables_of(alone), CPU)
    words = log_probabilities(network, dataset) - log_probabilities(network, plans)
    for k in range(len(dataset)):
        step_by_step = log_step_by_step(network, dataset, k)
        assert float(words[k]) == pytest.approx(step_by_step, abs=1e-3)


@torch.no_grad()
def log_step_by_step(network: Transformer, dataset: Dataset, k: int) -> float:
    """The words of one row, with the network's states kept from place to place."""
    encoded = network.encode(dataset.read(torch.tensor([k])))
    decoder = CachedDecoder(network, encoded)
    row = [choice for choice in dataset.choices[k].tolist() if choice >= 0]
    total = 0.0
    for choice, following in pairwise(row):
        chosen = torch.tensor([choice])
        value, result = decoder.state.take(chosen)
        option = encoded.option_states[:, dataset.reached[k], None] * (choice == FINISH)
        states = decoder.advance(chosen, value, result, option)
        if decoder.place > row.index(FINISH):
            logits = torch.cat(
                [decoder.logits(states), network.piece_logits(states).squeeze(1)], -1
            )
            count = network.config.pieces
            allowed = rationale_mask(decoder.state.count, dataset.in_question[[k]], count)
            logs = torch.log_softmax(logits.masked_fill(~allowed, -torch.inf), -1)
            total += float(logs[0, following])
    return total
