"""A real Ray of two nodes on this machine, one of which dies in the middle of the work."""

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from scratchwork.auditing.corpus import audit_all
from scratchwork.errors import UserError
from scratchwork.families.generator import generated_lines
from scratchwork.families.loading import load_families
from scratchwork.induction.corpus import InductionSettings
from scratchwork.induction.corpus_file import write_corpus
from scratchwork.parallel import Workers
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import read_problems
from scratchwork.problems.rows import write_problems
from scratchwork.solution import SolutionRow
from scratchwork.solving import search_of, solve_rows

ray: Any = pytest.importorskip("ray")
SETTINGS = InductionSettings(lattices=True)
PROBLEMS = 1000


def apples(k: int) -> Problem:
    each = 3 + k % 40
    return Problem(
        question=f"An apple costs {each} cents. How much do 4 apples cost?",
        options=(str(4 * each), str(5 * each)),
        rationale=f"They cost 4 * {each} = {4 * each} cents. So the answer is A.",
        correct="A",
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("apples") / "apples.jsonl"
    write_problems(path, map(apples, range(PROBLEMS)))
    return path


@pytest.fixture(scope="module")
def written_here(file: Path) -> bytes:
    output = file.with_name("here.jsonl.gz")
    write_corpus(file, output, SETTINGS, Workers(2))
    return output.read_bytes()


@pytest.fixture
def cluster() -> Iterator[Any]:
    utilities: Any = import_module("ray.cluster_utils")
    nodes = utilities.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    yield nodes
    nodes.shutdown()


def test_a_node_that_dies_takes_nothing_with_it(
    cluster: Any, file: Path, tmp_path: Path, written_here: bytes
) -> None:
    doomed = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    killed_at: list[int] = []

    def kill_a_node(done: int, total: int) -> None:
        if done >= PROBLEMS // 5 and not killed_at:
            assert ray.cluster_resources()["CPU"] == 2
            cluster.remove_node(doomed, allow_graceful=False)
            killed_at.append(done)

    output = tmp_path / "out.jsonl.gz"
    counts = write_corpus(file, output, SETTINGS, Workers(ray=cluster.address), None, kill_a_node)
    assert counts["problems"] == PROBLEMS
    assert killed_at[0] < PROBLEMS
    assert output.read_bytes() == written_here


def test_a_local_ray_writes_the_same(file: Path, tmp_path: Path, written_here: bytes) -> None:
    output = tmp_path / "out.jsonl.gz"
    write_corpus(file, output, SETTINGS, Workers(2, "local"))
    assert output.read_bytes() == written_here
    assert not ray.is_initialized()


def test_other_work_gives_the_same_on_ray(file: Path) -> None:
    problems = list(read_problems(file))[:100]
    here, there = (
        [one.to_json() for one in audit_all(problems, workers)]
        for workers in (Workers(1), Workers(2, "local"))
    )
    assert there == here
    families = Path(__file__).parent.parent / "solver" / "trial.toml"
    names = [family.name for family in load_families(families)]
    here, there = (
        list(generated_lines(families, names, 6000, 7, None, workers))
        for workers in (Workers(1), Workers(2, "local"))
    )
    assert there == here


def test_problems_are_solved_alike_on_ray(adding_model: Path, additions: list[Problem]) -> None:
    search = search_of(adding_model, "cpu", 3)
    some = [replace(one, id=f"{k} {one.id}") for k in range(12) for one in additions]
    here, there = (
        solve_rows(search, some, SolutionRow.of, workers)
        for workers in (Workers(1), Workers(2, "local"))
    )
    assert there == here


def answer_or_refuse(item: int) -> int:
    if item == 7:
        raise UserError(f"{item} cannot be worked on")
    return item


def test_an_error_comes_in_its_turn_from_a_node_too() -> None:
    results: list[int] = []
    with pytest.raises(UserError) as caught:
        results.extend(Workers(2, "local").map(answer_or_refuse, range(20), 3))
    assert str(caught.value) == "7 cannot be worked on"
    assert caught.value.__notes__[0] == "This was item 8: 7"
    assert results == list(range(7))
    assert not ray.is_initialized()


def test_where_no_cluster_is_there_is_a_sentence(file: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no Ray cluster at auto"):
        write_corpus(file, tmp_path / "out.jsonl", SETTINGS, Workers(ray="auto"))
