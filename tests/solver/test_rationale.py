from itertools import pairwise

import torch

from scratchwork.solver.collating import collate
from scratchwork.solver.network import SolverConfig, Transformer
from scratchwork.solver.rationale import write_rationale
from scratchwork.solver.reading import Pieces, read_problem
from scratchwork.solver.symbols import (
    END,
    FINISH,
    FIRST_CONSTANT,
    FIRST_FORM,
    FIRST_OPERATION,
    FIRST_PIECE,
    LONGEST_RATIONALE,
    plan_to_choices,
)
from tests.solver.test_alignment import CAKES, DIVIDED, pieces_for


def written(model: Transformer, pieces: Pieces) -> list[int] | None:
    reading = read_problem(CAKES, pieces)
    batch = collate([reading], torch.device("cpu"))
    with torch.no_grad():
        encoded = model.encode(batch.read)
    plan = plan_to_choices(DIVIDED, reading)
    return write_rationale(model, encoded, batch.in_question[0], plan, 1)


def untrained(seed: int) -> tuple[Transformer, Pieces]:
    """An untrained network that tends to come to an end."""
    torch.manual_seed(seed)
    pieces = pieces_for([CAKES])
    model = Transformer(SolverConfig(len(pieces), 32, 2, 1, 1)).eval()
    with torch.no_grad():
        model.pieces.weight *= 3.0
        model.choose_symbol.bias[END] += 1.5
    return model, pieces


def test_a_rationale_comes_to_an_end_and_points_at_numbers_only_where_it_may() -> None:
    rows = [written(*untrained(seed)) for seed in range(40)]
    ended = [row for row in rows if row is not None]
    assert len({tuple(row) for row in ended}) > 5
    assert max(map(len, ended)) > 2
    for row in ended:
        assert row[-1] == END
        assert row.count(END) == 1
        assert len(row) <= LONGEST_RATIONALE
        assert FINISH not in row
        assert not any(FIRST_OPERATION <= choice < FIRST_CONSTANT for choice in row)
        for form, following in pairwise(row):
            if FIRST_FORM <= form < FIRST_OPERATION:
                assert FIRST_CONSTANT <= following < FIRST_PIECE


def test_the_same_network_writes_the_same() -> None:
    model, pieces = untrained(3)
    assert written(model, pieces) == written(model, pieces)


def test_a_rationale_without_an_end_is_none() -> None:
    model, pieces = untrained(3)
    with torch.no_grad():
        model.choose_symbol.bias[END] -= 1000.0
    assert written(model, pieces) is None
