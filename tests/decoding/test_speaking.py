from itertools import pairwise

import torch

from scratchwork.decoding.speaking import speak
from scratchwork.models.collating import collate
from scratchwork.models.pieces import Pieces
from scratchwork.models.reading import read_problem
from scratchwork.models.symbols import (
    END,
    FINISH,
    FIRST_CONSTANT,
    FIRST_FORM,
    FIRST_OPERATION,
    FIRST_PIECE,
    LONGEST_RATIONALE,
    choices_of,
)
from scratchwork.models.transformer import SolverConfig, Transformer

from ..schooling.test_tellings import CAKES, DIVIDED, pieces_for


def spoken(model: Transformer, pieces: Pieces, count: int, seed: int) -> list[list[int]]:
    reading = read_problem(CAKES, pieces)
    batch = collate([reading], torch.device("cpu"))
    with torch.no_grad():
        encoded = model.encode(batch.read)
    plan = choices_of(DIVIDED, reading)
    return speak(model, encoded, batch.in_question, plan, 1, count, seed)


def wordy() -> tuple[Transformer, Pieces]:
    """A network that knows nothing, but likes to come to an end."""
    torch.manual_seed(3)
    pieces = pieces_for([CAKES])
    model = Transformer(SolverConfig(len(pieces), 32, 2, 1, 1)).eval()
    with torch.no_grad():
        model.choose_symbol.bias[END] += 3.0
    return model, pieces


def test_what_is_spoken_comes_to_an_end_and_points_at_numbers_only_where_it_may() -> None:
    model, pieces = wordy()
    rows = spoken(model, pieces, 6, seed=1)
    assert rows
    for row in rows:
        assert row[-1] == END
        assert row.count(END) == 1
        assert len(row) <= LONGEST_RATIONALE
        assert FINISH not in row
        assert not any(FIRST_OPERATION <= choice < FIRST_CONSTANT for choice in row)
        for form, behind in pairwise(row):
            if FIRST_FORM <= form < FIRST_OPERATION:
                assert FIRST_CONSTANT <= behind < FIRST_PIECE


def test_the_first_rationale_is_without_chance_and_the_others_follow_the_seed() -> None:
    model, pieces = wordy()
    assert spoken(model, pieces, 4, seed=1) == spoken(model, pieces, 4, seed=1)
    assert spoken(model, pieces, 1, seed=1) == spoken(model, pieces, 1, seed=2)
    assert spoken(model, pieces, 6, seed=1) != spoken(model, pieces, 6, seed=2)


def test_rationales_without_an_end_are_left_out() -> None:
    model, pieces = wordy()
    with torch.no_grad():
        model.choose_symbol.bias[END] -= 1000.0
    assert spoken(model, pieces, 2, seed=1) == []
