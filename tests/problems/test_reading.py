import gzip
import json
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork import (
    Problem,
    ProblemError,
    UserError,
    problems_from_rows,
    read_problems,
    write_problems,
)
from scratchwork.problems.bounds import Bounds

AQUA: dict[str, Any] = {
    "question": "What is 2 + 2?",
    "options": ["A)3", "B)4", "C)5", "D)6", "E)7"],
    "rationale": "2 + 2 = 4",
    "correct": "B",
    "source_book": "kept",
}
MATHQA = {
    "Problem": "what is 2 + 2 ?",
    "Rationale": "2 + 2 = 4 . answer : b",
    "options": "a ) 3 , b ) 4 , c ) 1,000 , d ) rs . 6 , e ) none of these",
    "correct": "b",
    "linear_formula": "add(n0,n0)|",
}


def write_lines(path: Path, *rows: object) -> Path:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    content = "".join(f"{line}\n" for line in lines).encode("utf-8")
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.json.gz", "a.jsonl.gz"])
def test_aqua_files_are_read_plain_and_compressed(tmp_path: Path, name: str) -> None:
    (problem,) = read_problems(write_lines(tmp_path / name, AQUA))
    assert problem.question == "What is 2 + 2?"
    assert problem.options == ("3", "4", "5", "6", "7")
    assert problem.correct == "B"
    assert problem.id == "1"
    assert problem.extra == {"source_book": "kept"}


def test_tokenised_aqua_is_read_as_it_is(tmp_path: Path) -> None:
    row = {"question": "x / y ?", "options": ["A ) 1 / 2", "B ) 3 km"], "correct": "B"}
    (problem,) = read_problems(write_lines(tmp_path / "dev.tok.json", row))
    assert problem.question == "x / y ?"
    assert problem.options == ("1 / 2", "3 km")


def test_mathqa_is_one_array_over_many_lines(tmp_path: Path) -> None:
    path = tmp_path / "mathqa.json"
    path.write_text(json.dumps([MATHQA, MATHQA | {"Problem": "é" * 70_000}], indent=1), "utf-8")
    first, second = read_problems(path)
    assert first.options == ("3", "4", "1,000", "rs . 6", "none of these")
    assert (first.correct, first.origin, first.id) == ("B", "mathqa", "2")
    assert first.extra["linear_formula"] == "add(n0,n0)|"
    assert second.question == "é" * 70_000
    assert second.id == "9"


def test_rows_of_a_table_are_read_without_a_file() -> None:
    (problem,) = problems_from_rows([AQUA], name="train")
    assert problem.correct == "B"


def test_parquet_is_read_by_row(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "aqua.parquet"
    parquet.write_table(arrow.Table.from_pylist([AQUA, AQUA | {"correct": "Z"}]), path)
    problems = read_problems(path)
    assert next(problems).options[1] == "4"
    with pytest.raises(ProblemError, match=r"aqua.parquet:2: the correct letter"):
        next(problems)
    path.write_bytes(b"no parquet")
    with pytest.raises(UserError, match="not a parquet file"):
        list(read_problems(path))


@pytest.mark.parametrize("row", [{"options": [], "correct": ""}, {}, {"options": None}])
def test_without_options_and_letter_a_problem_is_free_form(row: dict[str, Any]) -> None:
    (problem,) = problems_from_rows([{"question": "How many?"} | row])
    assert (problem.options, problem.correct) == ((), None)


@pytest.mark.parametrize("count", range(2, 11))
def test_two_to_ten_options_are_fine(count: int) -> None:
    (problem,) = problems_from_rows([{"question": "?", "options": [str(k) for k in range(count)]}])
    assert len(problem.letters) == count


BAD_ROWS: list[tuple[object, str]] = [
    ("{not json", "not JSON: Expecting property name"),
    ("[" * 100_000, "not JSON|nested too deeply"),
    ("3", "a row must be an object"),
    ({"options": []}, "there is no question"),
    ({"question": "  "}, "the question is empty"),
    ({"question": 5}, "question is not a text"),
    ({"question": "\ud800"}, "half a character"),
    ({"question": "?", "note": ["\ud800"]}, 'the field "note" holds half a character'),
    ({"question": "?", "\ud800": 1}, r'the field "\\ud800" holds half a character'),
    ({"question": "?", "id": 10**40}, "the id is a number of more than 40 digits"),
    ('{"question": "?", "note": ' + 5000 * "9" + "}", "a number has too many digits"),
    ('{"question": "?", "note": ' + 60 * "[" + 60 * "]" + "}", '"note" is nested too deeply'),
    ({"question": "?", "correct": 300 * "C"}, f'letter "{197 * "C"}\\.\\.\\." has no option'),
    ({"question": "?", "options": ["A)1"]}, "one option only"),
    ({"question": "?", "options": [str(k) for k in range(11)]}, "11 options, more than 10"),
    ({"question": "?", "options": ["A)1", "B) "]}, "option B is empty"),
    ({"question": "?", "options": ["A)1", "C)2"]}, "labelled A, C"),
    ({"question": "?", "options": [1, 2]}, "options is not a text"),
    ({"question": "?", "options": "1, 2"}, "options is a text"),
    ({"question": "?", "options": ["A)1", "B)2"], "correct": "C"}, 'letter "C" has no option'),
    ({"question": "?", "correct": "A"}, 'letter "A" has no option'),
    ({"question": "?", "id": "same"}, 'the id "same" was there before'),
    ({"question": "?", "id": "1"}, 'the id "1" was there before'),
]


@pytest.mark.parametrize(("row", "complaint"), BAD_ROWS)
def test_a_bad_row_is_told_with_file_and_line(tmp_path: Path, row: object, complaint: str) -> None:
    path = write_lines(tmp_path / "bad.jsonl", AQUA, AQUA | {"id": "same"}, row)
    with pytest.raises(ProblemError, match=rf"bad.jsonl:3: .*({complaint})"):
        list(read_problems(path))


def test_bad_rows_can_be_passed_over_and_counted(tmp_path: Path) -> None:
    rows = [row for row, _ in BAD_ROWS[3:]]
    path = write_lines(tmp_path / "bad.jsonl", AQUA, AQUA | {"id": "same"}, *rows, AQUA)
    told: list[ProblemError] = []
    assert len(list(read_problems(path, told.append))) == 3
    assert len(told) == len(rows)


def test_rows_that_json_cannot_write_are_refused() -> None:
    circle: list[Any] = []
    circle.append(circle)
    for content in ({1, 2}, object(), circle, 10**5000):
        with pytest.raises(ProblemError, match='rows:1: the field "note" '):
            list(problems_from_rows([{"question": "?", "note": content}]))


SHORT = Bounds(row=1000)


def long_question(length: int) -> str:
    return json.dumps({"question": "x" * length})


def test_a_long_line_is_passed_over_and_one_without_end_is_not(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    lines = [long_question(200), long_question(2_000), long_question(300)]
    path.write_text("\n".join(lines))
    told: list[ProblemError] = []
    read = list(read_problems(path, told.append, SHORT))
    assert [(problem.id, len(problem.question)) for problem in read] == [("1", 200), ("3", 300)]
    assert [str(error) for error in told] == [
        f"{path}:2: the line is longer than the 1,000 bytes allowed"
    ]
    with gzip.open(tmp_path / "long.jsonl.gz", "wb") as file:
        file.write((long_question(200) + "\n" + long_question(1_000_000)).encode())
    problems = read_problems(tmp_path / "long.jsonl.gz", told.append, SHORT)
    assert next(problems).id == "1"
    with pytest.raises(ProblemError, match=r"long.jsonl.gz:2: .* its end was not looked for$"):
        next(problems)


def test_an_array_is_read_up_to_an_element_that_is_too_long(tmp_path: Path) -> None:
    path = tmp_path / "array.json"
    for length, count in ((2_000, 2), (1_000_000, 1)):
        path.write_text(f"[{long_question(200)},\n{long_question(length)}, {long_question(300)}]")
        told: list[ProblemError] = []
        assert len(list(read_problems(path, told.append, SHORT))) == count
        assert str(told[0]).startswith(f"{path}:2: the element is longer than the 1,000 bytes")


@pytest.mark.parametrize("content", [5000 * "9", 100_000 * "["])
def test_an_array_that_cannot_be_read_on_says_so(content: str, tmp_path: Path) -> None:
    path = tmp_path / "array.json"
    path.write_text(f'[{long_question(5)},{{"question": "?", "note": {content}}}]')
    problems = read_problems(path)
    assert next(problems).id == "1"
    with pytest.raises(ProblemError, match=r"array.json:1: .*; what follows it was not read"):
        next(problems)


def test_blank_lines_are_counted_wherever_blocks_end(tmp_path: Path) -> None:
    path = tmp_path / "blank.jsonl"
    path.write_text("\n" * 70_000 + long_question(66_000) + " \n" * 50_000 + long_question(3))
    assert [problem.id for problem in read_problems(path)] == ["70001", "120001"]


def test_a_line_without_end_is_read_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "endless.json.gz"
    for begin, filler in ((b"x", b"x"), (b"[", b","), (b'["', b"x"), (b"[[", b"1,"), (b" ", b"\n")):
        with gzip.open(path, "wb", compresslevel=1) as file:
            file.write(begin)
            for _ in range(10):
                file.write(filler * 500_000)
        tracemalloc.start()
        told: list[ProblemError] = []
        with suppress(ProblemError):
            assert not list(read_problems(path, told.append, Bounds(row=100_000)))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 5_000_000


def test_a_line_number_that_another_row_states_as_id_is_told(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "ids.jsonl", AQUA | {"id": "2"}, AQUA)
    with pytest.raises(ProblemError, match="its line number"):
        list(read_problems(path))


def test_wrong_encoding_is_told_with_its_line(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "latin.jsonl", AQUA)
    path.write_bytes(path.read_bytes() + '{"question": "£5?"}\n'.encode("latin-1"))
    with pytest.raises(ProblemError, match=r"latin.jsonl:2: byte 15 of the line is not UTF-8"):
        list(read_problems(path))


def test_a_cut_off_gzip_file_is_told(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "cut.jsonl.gz", AQUA)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(ProblemError, match="gzip data is damaged or cut off"):
        list(read_problems(path))


@pytest.mark.parametrize("ending", ["", "]", ",{"])
def test_a_broken_array_is_told(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "array.json"
    path.write_text("[" + json.dumps(MATHQA) + ending)
    if ending == "]":
        assert len(list(read_problems(path))) == 1
    else:
        with pytest.raises(ProblemError, match=r"array.json:1: not JSON"):
            list(read_problems(path))


texts = st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda t: bool(t.strip()))


@given(
    st.builds(
        Problem,
        texts,
        st.lists(texts, min_size=2, max_size=10).map(tuple),
        st.none() | texts,
        st.none() | st.just("A"),
        id=texts,
        origin=st.none() | st.just("mathqa"),
    )
)
def test_what_is_written_reads_back_equal(
    tmp_path_factory: pytest.TempPathFactory, problem: Problem
) -> None:
    path = tmp_path_factory.mktemp("round") / "problems.jsonl.gz"
    assert write_problems(path, [problem]) == 1
    (back,) = read_problems(path)
    options = tuple(option.lstrip() for option in problem.options)
    assert tuple(option.lstrip() for option in back.options) == options
    assert (back.question, back.rationale, back.correct) == (
        problem.question,
        problem.rationale,
        problem.correct,
    )


def test_reading_a_long_file_keeps_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_text((json.dumps(AQUA) + "\n") * 20_000)
    tracemalloc.start()
    for _ in read_problems(path):
        pass
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < path.stat().st_size / 5


def test_every_file_of_the_data_folder_is_read_whole(data_folder: Path) -> None:
    expected = {
        "aqua/dev.json": 254,
        "aqua/dev.tok.json": 254,
        "mathqa/heldout.jsonl.gz": 255,
        "extra/gsm8k-train.jsonl.gz": 7473,
    }
    for name, count in expected.items():
        assert sum(1 for _ in read_problems(data_folder / name)) == count
