from itertools import islice
from pathlib import Path as FilePath

import pytest

from scratchwork import (
    EXTENDED,
    PAPER,
    OperationSet,
    Problem,
    execute,
    normalise,
    output_tokens,
    read_problems,
)
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.induction.choosing import choose, choose_paths, unexplained
from scratchwork.induction.derivation import Derivation
from scratchwork.induction.lattice import Lattice, Path, induce

TRAINS = Problem(
    "Two trains running in opposite directions cross a man standing on the platform in 27 seconds "
    "and 17 seconds respectively and they cross each other in 23 seconds. The ratio of their "
    "speeds is:",
    ("3/7", "3/2", "3/88", "3/8", "2/2"),
    "Let the speeds of the two trains be x m/sec and y m/sec respectively. Then, length of the "
    "first train = 27x meters, and length of the second train = 17 y meters. (27x + 17y) / "
    "(x + y) = 23 → 27x + 17y = 23x + 23y → 4x = 6y → x/y = 3/2.",
    "B",
)
"""Problem 1 of the paper."""


def chosen(problem: Problem, token: str, operations: OperationSet = PAPER, nth: int = 1) -> Path:
    """The path chosen for the nth of the tokens that look like this."""
    lattice = induce(problem, operations)
    positions = [k for k, written in enumerate(lattice.output) if written == token]
    path = choose_paths(lattice)[positions[nth - 1]]
    assert path is not None
    return path


def calculations(problem: Problem, operations: OperationSet = PAPER) -> list[str]:
    """The chosen instructions but for words and copies."""
    program = choose(induce(problem, operations))
    return [str(z) for z in program if z.operation != "Id"]


def check_program(problem: Problem, operations: OperationSet) -> None:
    lattice = induce(problem, operations)
    program = choose(lattice)
    trace = execute(program, problem, operations)
    assert list(trace.output) == output_tokens(problem), problem.id
    assert trace.answer == problem.correct


def test_the_papers_second_problem_is_explained_as_in_the_paper(kings: Problem) -> None:
    assert chosen(kings, "1326").number == Derivation("Choose", (52.0, 2.0))
    assert chosen(kings, "6").number == Derivation("Choose", (4.0, 2.0))
    assert chosen(kings, "1/221").number == Derivation("Divide", (6.0, 1326.0))
    assert calculations(kings) == [
        "Str_to_Float(y15) -> m",
        "Str_to_Float(y17) -> m",
        "Choose(m1, m2) -> m",
        "Float_to_Str(m3) -> y",
        "Str_to_Float(y37) -> m",
        "Choose(m4, m2) -> m",
        "Float_to_Str(m5) -> y",
        "Divide(m5, m3) -> m",
        "Float_to_Fraction(m6) -> y",
        "Check(y52) -> y",
        "Check(y52) -> y",
    ]


def test_the_papers_first_problem_is_explained_as_in_the_paper() -> None:
    path = chosen(TRAINS, "3/2")
    assert path.number == Derivation("Divide", (6.0, 4.0))
    assert chosen(TRAINS, "4").number == Derivation("Subtract", (27.0, 23.0))
    assert chosen(TRAINS, "6").number == Derivation("Subtract", (23.0, 17.0))
    check_program(TRAINS, PAPER)


def test_choosing_is_deterministic(kings: Problem) -> None:
    for problem in (kings, TRAINS):
        for operations in (PAPER, EXTENDED):
            first, second = (choose(induce(problem, operations)) for _ in range(2))
            assert str(first) == str(second)


def test_the_program_of_a_generated_problem_writes_its_output() -> None:
    for k, generated in enumerate(generate(load_families(), 40, 21)):
        check_program(generated.problem, (PAPER, EXTENDED)[k % 2])


def test_the_program_of_a_real_problem_writes_its_output(data_folder: FilePath) -> None:
    problems = islice(read_problems(data_folder / "aqua" / "dev.json"), 40)
    for k, problem in enumerate(problems):
        check_program(normalise(problem), (PAPER, EXTENDED)[k % 2])


BIRDS = Problem(
    "Of 30 birds 15 flew away.",
    ("15", "45"),
    "30 - 15 = 15 are left. There are 15. The answer is A.",
    "A",
)


def test_what_the_text_says_wins_over_a_copy() -> None:
    assert chosen(BIRDS, "15", nth=2).number == Derivation("Subtract", (30.0, 15.0))


def test_where_nothing_is_said_a_number_is_copied() -> None:
    assert chosen(BIRDS, "30") == Path("copy", "30")
    assert chosen(BIRDS, "15") == Path("copy", "15")
    assert chosen(BIRDS, "15", nth=3) == Path("copy", "15")


@pytest.mark.parametrize(
    ("said", "step"),
    [
        ("18 + 9 = 27", Derivation("Add", (18.0, 9.0))),
        ("18 - 9 = 9", Derivation("Subtract", (18.0, 9.0))),
        ("18 * 9 = 162", Derivation("Multiply", (18.0, 9.0))),
        ("18 × 9 is 162", Derivation("Multiply", (18.0, 9.0))),
        ("18 / 9 = 2", Derivation("Divide", (18.0, 9.0))),
        ("18 C 2 = 153", Derivation("Choose", (18.0, 2.0))),
        ("(18 + 9) * 4 = 108", Derivation("Multiply", (Derivation("Add", (18.0, 9.0)), 4.0))),
        ("9 * 4 + 18 = 54", Derivation("Add", (Derivation("Multiply", (9.0, 4.0)), 18.0))),
        ("√81 = 9", Derivation("Sqrt", (81.0,))),
        ("4! = 24", Derivation("Factorial", (4.0,))),
    ],
)
def test_the_operation_that_the_text_names_is_taken(said: str, step: Derivation) -> None:
    result = said.split()[-1]
    problem = Problem("There are 18, 9, 4 and 81 of them.", rationale=said)
    lattice = induce(problem)
    path = choose_paths(lattice)[-3]
    assert path is not None
    assert (path.text, path.how) == (result, "compute")
    assert isinstance(path.number, Derivation)
    assert path.number.operation == step.operation
    assert sorted(path.number.leaves()) == sorted(step.leaves())


def test_a_percentage_that_is_named_is_computed_from_what_is_named() -> None:
    problem = Problem("A coat of 300 dollars.", rationale="20% of 300 = 60")
    for operations in (PAPER, EXTENDED):
        step = chosen(problem, "60", operations).number
        assert isinstance(step, Derivation)
        assert {20.0, 300.0} <= set(step.leaves()) <= {20.0, 100.0, 300.0}


def test_the_line_before_is_what_an_equals_sign_at_the_start_speaks_of() -> None:
    problem = Problem("There are 18 and 9, and 20 and 7.", rationale="20 + 7 make\n18 + 9\n= 27")
    step = chosen(problem, "27").number
    assert isinstance(step, Derivation)
    assert set(step.leaves()) == {18.0, 9.0}


def test_the_letter_is_checked_rather_than_written_or_copied(kings: Problem) -> None:
    for problem in (kings, TRAINS, BIRDS):
        lattice = induce(problem)
        paths = choose_paths(lattice)
        for token, path in zip(lattice.tokens, paths, strict=True):
            if token.checks:
                assert path is not None
                assert path.checked


def test_a_letter_without_anything_to_check_is_written() -> None:
    problem = Problem("Who?", ("Ann", "Bob"), "It is her. The answer is A", "A")
    assert chosen(problem, "A", nth=2) in (Path("word", "A"), Path("copy", "A"))
    check_program(problem, PAPER)


def test_the_number_written_last_is_checked() -> None:
    problem = Problem(
        "12 + 8?", ("20", "22"), "The option 22 is wrong: 12 + 8 = 20. The answer is A", "A"
    )
    assert chosen(problem, "A") == Path("copy", "20", checked=True)


def test_a_numeral_without_a_path_is_written_as_a_word_and_told() -> None:
    problem = Problem("How many?", rationale="There are 7919.")
    lattice = induce(problem)
    assert unexplained(choose_paths(lattice)) == [3]
    assert list(execute(choose(lattice), problem).output) == output_tokens(problem)


def test_numbers_of_the_same_line_come_before_others() -> None:
    problem = Problem(
        "How many more?",
        rationale="There are 1 + 39 chairs and 1 + 6 tables.\nOf 68 and 21 guests came 47 more",
    )
    assert chosen(problem, "47").number == Derivation("Subtract", (68.0, 21.0))


def test_a_scorer_decides(kings: Problem) -> None:
    lattice = induce(kings)

    def likes_plain_words(lattice: Lattice, position: int, path: Path) -> float:
        return path.how == "word"

    def likes_long_ways(lattice: Lattice, position: int, path: Path) -> float:
        return path.count()

    words = choose_paths(lattice, likes_plain_words)
    for token, path in zip(lattice.tokens, words, strict=True):
        assert path is not None
        assert (path.how == "word") == token.word
    longest = choose_paths(lattice, likes_long_ways)
    for position, path in enumerate(longest, 1):
        assert path is not None
        assert path.count() == max(other.count() for other in lattice.paths(position))
    for scorer in (likes_plain_words, likes_long_ways):
        trace = execute(choose(lattice, scorer), kings)
        assert list(trace.output) == output_tokens(kings)


def test_a_number_that_lies_in_memory_is_not_read_again() -> None:
    problem = Problem("7 men share 250 dollars.", rationale="250 / 7 = 35.71; 250 - 7 = 243")
    remembered = [z for z in choose(induce(problem, EXTENDED)) if z.to == "m"]
    assert len(remembered) == len(set(remembered))
    assert sum(z.operation == "Str_to_Float" for z in remembered) == 3  # 250, 7 and two places
    check_program(problem, EXTENDED)
