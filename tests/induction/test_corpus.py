import gzip
import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from scratchwork.errors import UserError
from scratchwork.induction import corpus_file
from scratchwork.induction.corpus import InductionSettings, chunk_lines, lattice_to_json
from scratchwork.induction.corpus_file import write_corpus
from scratchwork.induction.derivation import Derivation
from scratchwork.induction.lattice import Lattice, induce
from scratchwork.induction.lattice import Path as TokenPath
from scratchwork.induction.roots import EquationStep
from scratchwork.machine.execution import execute
from scratchwork.machine.operations import EXTENDED, OPERATION_SETS, PAPER, OperationSet
from scratchwork.machine.programs import parse_program
from scratchwork.parallel import Workers
from scratchwork.problems.normalise import normalise
from scratchwork.problems.problem import Problem, ProblemError
from scratchwork.problems.reading import read_problems
from scratchwork.problems.rows import write_problems
from scratchwork.problems.tokens import output_tokens

FORMULA_ROWS = [
    ("multiply(n0,n1)", "A"),
    ("multiply(n0,n1)", "B"),
    ("divide(n0,const_7)", "A"),
    ("multiply(n0,n9)", "A"),
    ("", "A"),
]
"""A formula for `12 boxes hold 4 pens each`, and the labelled letter of the options 48 and 16."""


def pens(k: int) -> Problem:
    boxes, each = 3 + k % 17, 2 + k % 5
    return Problem(
        question=f"There are {boxes} boxes with {each} pens each. How many pens are there?",
        options=(str(boxes * each), str(boxes * each + 100)),
        rationale=f"{boxes} * {each} = {boxes * each}. The answer is A.",
        correct="A",
        id=f"pens-{k}",
    )


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_file, "PROBLEMS_IN_A_CHUNK", 3)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "pens.jsonl"
    write_problems(path, map(pens, range(20)))
    return path


def rows_of(path: Path) -> list[dict[str, Any]]:
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    return [json.loads(line) for line in text.splitlines()]


def row_of(problem: Problem, settings: InductionSettings) -> dict[str, Any]:
    return json.loads(chunk_lines((problem,), settings, compressed=False).content)


def expand(lattice: dict[str, Any], position: int) -> set[Any]:
    """All paths to a token, from the form in JSON."""
    token = lattice["tokens"][position - 1]
    form: dict[str, Any] = {"word": True, "copies": token} if isinstance(token, int) else token
    found = {(*path, False) for path in ways(lattice, form, position, lattice["output"])}
    for check in form.get("checks", []):
        checked = ways(lattice, check, position, [])
        found |= {(*path, True) for path in checked if is_grounded(lattice, path[2], position)}
    return found


def is_grounded(lattice: dict[str, Any], number: Any, position: int) -> bool:
    """Whether a number comes from the question or the text: not from options or constants alone."""
    if number is None:
        return True
    places = {leaf[0]: leaf[1:] for leaf in lattice["leaves"]}
    end = lattice["source"].index("<O>")

    def given(value: float) -> list[str]:
        return [
            cell
            for cell in places[value][0]
            if (int(cell[1:]) <= end if cell[0] == "x" else int(cell[1:]) < position)
        ]

    def values(made: Any) -> Iterator[float]:
        if isinstance(made, float):
            yield made
        else:
            for part in made[1:]:
                yield from values(part)

    leaves = list(values(number))
    return all(given(v) or len(places[v]) > 1 for v in leaves) and any(map(given, leaves))


def ways(
    lattice: dict[str, Any], form: dict[str, Any], position: int, output: list[str]
) -> Iterator[tuple[Any, ...]]:
    text = form["text"] if "text" in form else output[position - 1]
    leaves, intermediates = lattice["leaves"], lattice["intermediates"]

    def usable(leaf: int) -> bool:
        value, cells, *constant = leaves[leaf]
        early = (cell[0] == "x" or int(cell[1:]) < position for cell in cells)
        return value != form["value"] and (bool(constant) or any(early))

    def number(argument: int | str) -> float:
        return float(argument) if isinstance(argument, str) else leaves[argument][0]

    def step(operation: str, *arguments: int | str) -> tuple[Any, ...]:
        return (operation, *map(number, arguments))

    def equation(part: Any) -> Any:
        if isinstance(part, list):
            operation, *arguments = cast(list[Any], part)
            return (operation, *map(equation, arguments))
        return part if isinstance(part, str) else leaves[part][0]

    if form.get("word"):
        yield "word", text, None, None
    if form.get("copies"):
        yield "copy", text, None, None
    for group in form.get("written", []):
        by = (group["by"], group.get("places"))
        if "read" in group:
            yield "convert", text, leaves[group["read"]][0], by
        if "root" in group:
            yield "compute", text, equation(group["root"]), by
        for one in group.get("one", []):
            yield "compute", text, step(*one), by
        for operation, *arguments in group.get("two", []):
            name = next(a for a in arguments if str(a).startswith("v"))
            for inner in intermediates[int(name[1:])]:
                if all(usable(leaf) for leaf in inner[1:] if isinstance(leaf, int)):
                    second = (step(*inner) if a == name else number(a) for a in arguments)
                    yield "compute", text, (operation, *second), by


def flat(path: TokenPath) -> tuple[Any, ...]:
    def numbers(number: float | str | Derivation | EquationStep | None) -> Any:
        if not isinstance(number, Derivation | EquationStep):
            return number
        return (number.operation, *map(numbers, number.arguments))

    by = None if path.writing is None else tuple(path.writing)
    return path.how, path.text, numbers(path.number), by, path.checked


def check_form(lattice: Lattice) -> None:
    form = json.loads(json.dumps(lattice_to_json(lattice)))
    for position in range(1, len(lattice.output) + 1):
        assert expand(form, position) == {flat(path) for path in lattice.paths(position)}


@pytest.mark.parametrize("operations", [PAPER, EXTENDED], ids=lambda operations: operations.name)
def test_a_lattice_keeps_all_its_paths_in_json(kings: Problem, operations: OperationSet) -> None:
    check_form(induce(kings, operations))
    rounded = Problem(
        "A rope of 7.5 m and one of 1,000 cm are cut in 3. What is 22/7 of sin 30?",
        ("3.33", "2.50"),
        "7.5 / 3 = 2.50. 10 / 3 = 3.33, about 3. 1000 * 22/7 = 3142.86. 10 - 7.5 = 2.5. It is A.",
        "A",
    )
    check_form(induce(rounded, operations))
    equation = Problem("Find it.", rationale="2x + 31 = 157, so x = 63. x² = 3969, so x = 63.")
    check_form(induce(equation, operations))


def test_lattices_of_real_problems_keep_all_their_paths(data_folder: Path) -> None:
    for problem in list(read_problems(data_folder / "aqua" / "dev.json"))[:6]:
        for operations in OPERATION_SETS.values():
            check_form(induce(problem, operations))


def test_a_line_has_the_program_and_what_it_leaves_unexplained(kings: Problem) -> None:
    row = row_of(kings, InductionSettings(lattices=True))
    assert row["version"] == 1
    assert (row["operations"], row["depth"]) == ("paper", 2)
    assert row["explained"] == 1
    assert row["unexplained"] == []
    assert len(row["lattice"]["tokens"]) == len(output_tokens(kings))
    assert execute(parse_program(row["program"]), kings).output == tuple(output_tokens(kings))


def test_a_number_from_nowhere_is_told() -> None:
    row = row_of(Problem("How many?", rationale="It is 7919.5."), InductionSettings())
    assert row["explained"] == 0
    assert row["unexplained"] == [3]
    assert '"7919.5"' in row["program"]


def test_without_a_rationale_there_is_no_program() -> None:
    row = row_of(Problem("What is 2 + 2?", ("3", "4"), correct="B", id="q"), InductionSettings())
    assert (row["program"], row["explained"], row["unexplained"]) == (None, None, [])
    assert "lattice" not in row


def test_without_numerals_there_is_no_share() -> None:
    assert row_of(Problem("Why?", rationale="Because."), InductionSettings())["explained"] is None


def test_formulas_are_translated_and_counted() -> None:
    chunk = tuple(
        Problem(
            "12 boxes hold 4 pens each", ("48", "16"), None, letter, extra={"linear_formula": text}
        )
        for text, letter in FORMULA_ROWS
    )
    written = chunk_lines(chunk, InductionSettings("extended", from_formula=True), compressed=False)
    assert written.counts == {
        "problems": 5,
        "translated": 3,
        "label": 1,
        "other_letter": 1,
        "no_letter": 1,
        "failed": 2,
    }
    rows = [json.loads(line) for line in written.content.splitlines()]
    assert [row["letter"] for row in rows] == ["A", "A", None, None, None]
    assert [row["yields_label"] for row in rows] == [True, False, False, False, False]
    assert rows[3]["program"] is None
    assert rows[3]["problem"] == "the question has no number 9"


def test_a_defect_names_its_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def induce_nothing(*arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("scratchwork.induction.corpus.induce", induce_nothing)
    with pytest.raises(ZeroDivisionError) as caught:
        row_of(pens(7), InductionSettings())
    assert "pens-7" in caught.value.__notes__[0]


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz"])
@pytest.mark.usefixtures("small_chunks")
def test_processes_do_not_change_the_bytes(file: Path, tmp_path: Path, suffix: str) -> None:
    written: list[bytes] = []
    for workers in (1, 2):
        output = tmp_path / f"out{workers}{suffix}"
        counts = write_corpus(file, output, InductionSettings(lattices=True), Workers(workers))
        assert counts["problems"] == 20
        written.append(output.read_bytes())
    assert written[0] == written[1]
    assert [row["id"] for row in rows_of(tmp_path / f"out1{suffix}")] == [
        f"pens-{k}" for k in range(20)
    ]
    assert not list(tmp_path.glob("*.partial*"))


class Stop(BaseException):
    """Stands for whatever ends a run early."""


def stop_at(problems: int, done: int, total: int) -> None:
    if done >= problems:
        raise Stop


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz"])
@pytest.mark.usefixtures("small_chunks")
def test_a_stopped_run_goes_on_where_it_was(file: Path, tmp_path: Path, suffix: str) -> None:
    whole, output = tmp_path / f"whole{suffix}", tmp_path / f"out{suffix}"
    counts = write_corpus(file, whole, InductionSettings(), Workers(1))
    with pytest.raises(Stop):
        write_corpus(file, output, InductionSettings(), Workers(1), None, partial(stop_at, 12))
    with Path(f"{output}.partial").open("ab") as part:
        part.write(b"cut of")
    done: list[int] = []
    resumed = write_corpus(
        file, output, InductionSettings(), Workers(1), None, lambda at, total: done.append(at)
    )
    assert (done[0], resumed) == (12, counts)
    assert output.read_bytes() == whole.read_bytes()


@pytest.mark.usefixtures("small_chunks")
def test_other_settings_or_another_input_are_refused(file: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    with pytest.raises(Stop):
        write_corpus(file, output, InductionSettings(), Workers(1), None, partial(stop_at, 3))
    with pytest.raises(UserError, match=r"begun with depth 2 \(now 1\)"):
        write_corpus(file, output, InductionSettings(depth=1), Workers(1))
    write_problems(file, map(pens, range(19)))
    with pytest.raises(UserError, match="begun with other problems"):
        write_corpus(file, output, InductionSettings(), Workers(1))


@pytest.mark.parametrize(
    ("numbers", "changed"),
    [([*range(12), 33, *range(13, 20)], 13), ([*range(14)], 15), ([*range(21)], 21)],
    ids=["another row", "rows gone", "rows added"],
)
@pytest.mark.usefixtures("small_chunks")
def test_a_file_that_changes_under_a_run_is_refused_with_the_row(
    file: Path, tmp_path: Path, numbers: list[int], changed: int
) -> None:
    def change(done: int, total: int) -> None:
        if done == 0:
            write_problems(file, map(pens, numbers))

    with pytest.raises(UserError, match=rf"pens.jsonl: problem {changed} has changed since"):
        write_corpus(file, tmp_path / "out.jsonl", InductionSettings(), Workers(1), None, change)
    assert not (tmp_path / "out.jsonl").exists()


def test_a_pipe_is_refused_before_it_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UserError, match="pipe: problems are read twice, which needs a plain file"):
        write_corpus(pipe, tmp_path / "out.jsonl", InductionSettings(), Workers(1))
    assert list(tmp_path.iterdir()) == [pipe]


def test_bad_rows_are_found_before_anything_is_written(file: Path, tmp_path: Path) -> None:
    with file.open("a") as rows:
        rows.write('{"question": ""}\n')
    output = tmp_path / "out.jsonl"
    with pytest.raises(ProblemError, match=r"pens.jsonl:21: "):
        write_corpus(file, output, InductionSettings(), Workers(1))
    assert not list(tmp_path.glob("out*"))
    bad: list[ProblemError] = []
    counts = write_corpus(file, output, InductionSettings(), Workers(1), bad.append)
    assert (counts["problems"], len(bad)) == (20, 1)


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").touch()
    with pytest.raises(UserError, match="there is no problem"):
        write_corpus(tmp_path / "none.jsonl", tmp_path / "o", InductionSettings(), Workers(1))


def test_mathqa_is_normalised_first(data_folder: Path) -> None:
    problem = next(read_problems(data_folder / "mathqa" / "heldout.jsonl.gz"))
    row = row_of(problem, InductionSettings("extended"))
    trace = execute(parse_program(row["program"]), normalise(problem), EXTENDED)
    assert trace.output == tuple(output_tokens(normalise(problem)))
