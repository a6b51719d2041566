import torch

from scratchwork import Problem
from scratchwork.solver.collating import Collated, collate
from scratchwork.solver.reading import PAD_PIECE, SPECIAL_PIECES, Pieces, Reading, read_problem
from scratchwork.solver.symbols import MOST_NUMERALS

PIECES = Pieces(SPECIAL_PIECES)
PROBLEMS = [
    Problem("12 men need 4 days. How long do 3/4 of them need?", ("5 days", "16/3 days")),
    Problem("What is 7?"),
    Problem("Which one, of ten?", tuple(f"{k} : {k + 1}" for k in range(1, 11))),
    Problem("How?", ("so", "not at all")),
]
READINGS = [read_problem(problem, PIECES) for problem in PROBLEMS]


def together(*readings: Reading) -> Collated:
    return collate(readings, torch.device("cpu"))


def row(collated: Collated, k: int) -> Reading:
    """What was read, back from the tensors."""
    read = collated.read
    there = (read.segments[k] >= 0).nonzero().flatten()
    assert there.tolist() == list(range(len(there)))
    assert set(read.pieces[k, len(there) :].tolist()) <= {PAD_PIECE}
    options = int((read.option_pieces[k] >= 0).sum())
    values = [[v for v in vs if v == v] for vs in collated.option_values[k].tolist()]
    assert not any(values[options:])
    return Reading(
        read.pieces[k, there].tolist(),
        read.segments[k, there].tolist(),
        read.positions[k, there].tolist(),
        [],
        values[:options],
    )


def test_a_batch_holds_what_was_read() -> None:
    collated = together(*READINGS)
    for k, reading in enumerate(READINGS):
        found = row(collated, k)
        assert found.pieces == reading.pieces
        assert found.segments == reading.segments
        assert found.positions == reading.positions
        assert found.options == reading.options


def test_numbers_are_at_their_pieces_and_those_of_the_question_are_marked() -> None:
    collated = together(*READINGS)
    for k, reading in enumerate(READINGS):
        count = len(reading.numerals)
        pieces = collated.read.numeral_pieces[k].tolist()
        assert pieces == [n.piece for n in reading.numerals] + [-1] * (MOST_NUMERALS - count)
        values = collated.read.numeral_values[k]
        assert values[:count].tolist() == [n.value for n in reading.numerals]
        assert values[count:].isnan().all()
        marked = collated.in_question[k].nonzero().flatten().tolist()
        assert marked == [j for j, n in enumerate(reading.numerals) if n.place]


def test_options_begin_where_the_network_looks_for_them() -> None:
    collated = together(*READINGS)
    for k, reading in enumerate(READINGS):
        begins = [j for j in collated.read.option_pieces[k].tolist() if j >= 0]
        assert len(begins) == len(PROBLEMS[k].options)
        assert [reading.segments[j] for j in begins] == list(range(1, len(begins) + 1))
        assert all(reading.segments[j - 1] != reading.segments[j] for j in begins)


def test_a_problem_is_the_same_alone_and_among_others() -> None:
    for k, reading in enumerate(READINGS):
        assert row(together(reading), 0) == row(together(*READINGS), k)
        assert together(reading).read.pieces.shape[1] == len(reading.pieces)


def test_of_very_many_numbers_the_first_are_kept() -> None:
    question = " and ".join(map(str, range(MOST_NUMERALS + 5)))
    collated = together(read_problem(Problem(question, ("7", "8")), PIECES))
    assert collated.read.numeral_values[0].tolist() == list(range(MOST_NUMERALS))
    assert collated.option_values[0, :, 0].tolist() == [7, 8]
