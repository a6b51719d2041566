from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from scratchwork import Problem, execute
from scratchwork.paper import drawing
from scratchwork.paper.batching import (
    draw_epoch,
    gather_batch,
    padded_length,
    plan_epoch,
    slots_of,
    tight_shape,
    without_empty,
)
from scratchwork.paper.corpus import corpus_of, ragged
from scratchwork.paper.distributed import Processes
from scratchwork.paper.drawing import OPERATION, RESULT, SECOND, TO_OUTPUT, Drawn, draw_programs
from scratchwork.paper.noise import random_keys
from scratchwork.paper.paths import READS, PathTable, path_table
from scratchwork.paper.program_model import ModelKind
from scratchwork.paper.tensors import IDENTITY, NOTHING
from scratchwork.problems.tokens import output_tokens
from tests.paper.samples import (
    batch_of,
    corpus,
    drawn_for,
    part_of,
    problems,
    program_of,
    rows_of,
    scored,
    settings,
    tables,
    tiny_model,
    vocabulary,
)

ALL = range(14)
Rows = NDArray[np.int16]


def same(one: Drawn, other: Drawn) -> bool:
    return all(
        np.array_equal(a, b) for a, b in zip(rows_of(one), rows_of(other), strict=True)
    ) and torch.equal(one.finished, other.finished)


def by_token(rows: Rows) -> list[Rows]:
    """The instructions of each output token."""
    ends = [0, *(np.flatnonzero(rows[:, TO_OUTPUT]) + 1)]
    return [rows[start:end] for start, end in pairwise(ends)]


@pytest.mark.parametrize("kind", ["program", "copy-output"])
@pytest.mark.parametrize("seed", [0, 1])
def test_every_program_writes_exactly_the_output(kind: ModelKind, seed: int) -> None:
    drawn = drawn_for(tiny_model(kind, seed=seed), ALL, seed=seed, most_paths=32)
    assert bool(drawn.finished.all())
    for problem, table, rows in zip(problems(), tables(), rows_of(drawn), strict=False):
        trace = execute(program_of(table, rows), problem)
        assert list(trace.output) == output_tokens(problem)
        assert list(trace.values) == [table.values[value] for value in rows[:, RESULT]]


def test_a_model_that_computes_nothing_writes_token_by_token() -> None:
    for table, rows in zip(tables(), rows_of(drawn_for(tiny_model("seq2seq"), ALL)), strict=False):
        assert set(rows[:, OPERATION]) == {IDENTITY}
        assert np.array_equal(rows[:, RESULT], table.tokens)


def test_what_is_drawn_does_not_depend_on_the_rest_of_the_batch() -> None:
    model = tiny_model(seed=2)
    keys = random_keys(5, 0, torch.arange(14))
    together = draw_programs(model, corpus(), torch.arange(14), keys)
    for some in ([0], [13, 3, 11]):
        index = torch.tensor(some)
        apart = rows_of(draw_programs(model, corpus(), index, keys[index]))
        for k, rows in zip(some, apart, strict=True):
            assert np.array_equal(rows, rows_of(together)[k])


def test_other_keys_draw_other_programs() -> None:
    model = tiny_model(seed=2)
    one, other = (drawn_for(model, ALL, seed=seed, most_paths=32) for seed in (0, 1))
    assert not same(one, other)
    assert same(one, drawn_for(model, ALL, seed=0, most_paths=32))


def test_without_keys_the_likeliest_program_is_taken_every_time() -> None:
    model = tiny_model(seed=3)
    greedy = draw_programs(model, corpus(), torch.arange(14), None)
    assert same(greedy, draw_programs(model, corpus(), torch.arange(14), None))
    others = [drawn_for(model, ALL, seed=seed, most_paths=32) for seed in range(2)]
    scores = [float(scored(model, batch_of(ALL, found)).sum()) for found in (greedy, *others)]
    assert scores[0] == max(scores)


def test_a_path_is_drawn_as_often_as_the_model_finds_it_likely() -> None:
    problem = Problem("Tom has 12 pens, 7 pads and 5 cups.", (), "35")
    table = path_table(problem, vocabulary())
    alone = corpus_of([table])
    model = tiny_model(seed=7)
    paths = [whole(path) for path in paths_of(table, 0)]
    every = Drawn(ragged(paths), torch.ones(len(paths), dtype=torch.bool))
    rows = torch.arange(len(paths))
    batch = gather_batch(
        alone, every, len(paths), rows, tight_shape(alone, every, len(paths), rows)
    )
    shares = torch.softmax(scored(model, batch), 0)
    assert float(shares.max()) < 0.98
    many = torch.zeros(1500, dtype=torch.int64)
    found = Counter(
        by_token(rows)[0].tobytes()
        for rows in rows_of(
            draw_programs(model, alone, many, random_keys(0, 0, torch.arange(1500)))
        )
    )
    for path, share in zip(paths, shares.tolist(), strict=True):
        assert found[path.tobytes()] / 1500 == pytest.approx(share, abs=0.05)
    likeliest = by_token(rows_of(draw_programs(model, alone, many[:1], None))[0])[0]
    assert np.array_equal(likeliest, paths[int(shares.argmax())])


def whole(path: Rows) -> Rows:
    """A path with its destinations, without padding."""
    rows = path[path[:, OPERATION] != NOTHING]
    to_output = np.arange(len(rows)) == len(rows) - 1
    return np.concatenate([rows, to_output[:, None]], 1).astype(np.int16)


def follows(rows: Rows, path: Rows) -> bool:
    """Whether instructions are those of a path, with some readings of numbers left out."""
    wanted = [row for row in path.tolist() if row[0] != NOTHING]
    found = [row[:4] for row in rows.tolist()]
    left = iter(wanted)
    for row in found:
        for step in left:
            if step == row:
                break
            if step[0] not in READS:
                return False
        else:
            return False
    return not list(left)


def paths_of(table: PathTable, position: int) -> Rows:
    first, end = table.first_path[position : position + 2]
    return table.paths[first:end]


def test_every_program_follows_a_path_of_each_token() -> None:
    drawn = drawn_for(tiny_model(seed=4), ALL, most_paths=32)
    for table, rows in zip(tables(), rows_of(drawn), strict=False):
        for position, some in enumerate(by_token(rows)):
            assert any(follows(some, path) for path in paths_of(table, position))


def test_with_one_path_a_token_the_preferred_one_is_followed() -> None:
    drawn = drawn_for(tiny_model(seed=4), ALL)
    for table, rows in zip(tables(), rows_of(drawn), strict=False):
        for position, some in enumerate(by_token(rows)):
            assert follows(some, paths_of(table, position)[0])


def test_with_more_paths_other_ones_are_taken_too() -> None:
    drawn = drawn_for(tiny_model(seed=4), ALL, most_paths=32)
    assert not all(
        follows(some, paths_of(table, position)[0])
        for table, rows in zip(tables(), rows_of(drawn), strict=False)
        for position, some in enumerate(by_token(rows))
    )


def test_a_number_in_memory_is_used_again_and_never_read_again() -> None:
    reused = 0
    drawn = drawn_for(tiny_model(seed=1), ALL, most_paths=32)
    for table, rows in zip(tables(), rows_of(drawn), strict=False):
        there: set[int] = set()
        for some in by_token(rows):
            fresh = {row[RESULT] for row in some.tolist()}
            taken = {value for row in some.tolist() for value in row[1:3]} - {NOTHING}
            numbers = {value for value in taken if not isinstance(table.values[value], str)}
            assert numbers <= fresh | there
            reused += len(numbers - fresh)
            read = {row[RESULT] for row in some.tolist() if row[OPERATION] in READS}
            assert not read & there
            there |= {row[RESULT] for row in some.tolist() if not row[TO_OUTPUT]}
    assert reused > 0


def test_a_program_that_grows_too_long_is_unfinished_whatever_else_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = tiny_model(seed=5)
    keys = random_keys(0, 0, torch.arange(14))
    tokens = [len(table.tokens) for table in tables()]

    def drawn() -> Drawn:
        return draw_programs(model, corpus(), torch.arange(14), keys)

    spare = sorted(len(rows) - count for rows, count in zip(rows_of(drawn()), tokens, strict=False))
    room = spare[7]
    assert spare[0] <= room < spare[-1]
    monkeypatch.setattr(drawing, "longest_program", lambda count: count + room)  # pyright: ignore
    together = drawn()
    finished = together.finished.tolist()
    assert set(finished) == {True, False}
    for k, rows in enumerate(rows_of(together)):
        alone = draw_programs(model, corpus(), torch.tensor([k]), keys[k : k + 1])
        assert alone.finished.tolist() == [finished[k]]
        assert np.array_equal(rows_of(alone)[0], rows)
        assert len(rows) <= tokens[k] + room
        assert (len(rows) > 0) == finished[k]


@pytest.mark.parametrize(("samples", "count"), [(1, 14), (3, 6)])
def test_an_epoch_has_programs_for_all_problems_in_their_order(samples: int, count: int) -> None:
    model = tiny_model(seed=6)
    config = settings(samples=samples, rows=6, preferred_epochs=0)
    part = part_of(range(count))
    epoch = draw_epoch(model, part, config, 4, Processes())
    assert len(epoch.lengths) == count * samples
    for k, rows in enumerate(rows_of(epoch)):
        assert np.array_equal(rows[rows[:, TO_OUTPUT] > 0, RESULT], tables()[k // samples].tokens)
    assert same(epoch, draw_epoch(model, part, config, 4, Processes()))
    assert not same(epoch, draw_epoch(model, part, config, 5, Processes()))


def test_every_program_is_in_one_batch_of_an_epoch() -> None:
    model = tiny_model(seed=6)
    drawn = drawn_for(model, ALL)
    plans = plan_epoch(drawn, 1, 4, seed=1, epoch=0)
    rows = [row for plan in plans for row in plan.rows]
    assert sorted(row for row in rows if row >= 0) == list(ALL)
    assert {len(plan.rows) for plan in plans} == {4}
    for plan in plans:
        for row in plan.rows:
            if row >= 0:
                program = rows_of(drawn)[row]
                slots = len(program) + int((program[:, SECOND] >= 0).sum())
                assert padded_length(len(program), slots) == plan.instructions
                assert slots <= slots_of(plan.instructions)
    assert plan_epoch(drawn, 1, 4, seed=1, epoch=0) == plans
    assert plan_epoch(drawn, 1, 4, seed=1, epoch=1) != plans
    assert plan_epoch(drawn, 1, 4, seed=2, epoch=0) != plans


def test_repeated_programs_and_unfinished_ones_leave_empty_rows() -> None:
    model = tiny_model("copy-output")
    drawn = drawn_for(model, ALL, samples=3)
    drawn.finished[:3] = False
    plans = plan_epoch(drawn, 3, 6, seed=0, epoch=0)
    kept = sorted(row for plan in plans for row in plan.rows if row >= 0)
    assert kept == [3 * k for k in range(1, 14)]
    for plan in plans:
        rows = torch.tensor(plan.rows)
        assert without_empty(rows, 3).tolist().count(-1) <= 4
