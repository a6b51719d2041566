import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path as FilePath

import pytest

from scratchwork import (
    EXTENDED,
    PAPER,
    Cell,
    Instruction,
    OperationSet,
    Problem,
    Program,
    Word,
    execute,
    normalise,
    read_problems,
)
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.induction.choosing import assemble
from scratchwork.induction.derivation import Derivation
from scratchwork.induction.lattice import Lattice, Path, induce
from scratchwork.machine.constants import CONSTANT_VALUES
from scratchwork.machine.execution import MOST_INSTRUCTIONS
from scratchwork.machine.programs import Reference
from scratchwork.problems.tokens import is_number

SETS = (PAPER, EXTENDED)
both_sets = pytest.mark.parametrize("operations", SETS, ids=lambda operations: operations.name)

MOST_PATHS = 20
"""Of the paths to one token of a longer problem, so many are executed."""

HANDWRITTEN = [
    Problem(
        "A trader sold 1,000 pens at $2.50 each and 3/4 of them at a profit of 12%.",
        ("750", "1,750", "2,500", "75%", "0.75"),
        "He sold 1000 pens for 1000 * 2.50 = 2,500 dollars.\n3/4 = 0.75, so 0.75 * 1000 = 750.\n"
        "12% of 2500 = 300. The answer is A.",
        "A",
    ),
    Problem(
        "In how many ways can 3 of 8 runners come in?",
        ("336", "56", "6", "24"),
        "8!/5! = 40320 / 120 = 336\nor 8P3 = 336, not 8C3 = 56. Option (A)",
        "A",
    ),
    Problem(
        "A car goes 100 km in 3 h 30 min. What is its speed in m/s?",
        ("7.94 m/s", "28.57 m/s", "8 m/s"),
        "3.5 h: 100/3.5 = 28.57 km/h, and 28.57 * 5/18 = 7.94. So 8, nearly. Correct: A",
        "A",
    ),
    Problem(
        "The ratio of 45 to 30 is?",
        ("2 : 3", "3 : 2", "1 : 2"),
        "45/30 = 1.5 = 3/2, sin 30 = 0.5. Answer: B.",
        "B",
    ),
    Problem("What is 0.1 + 0.2?", rationale="0.1 + 0.2 = 0.3, or 0.30, or 3/10. 007 is odd."),
    Problem(
        "Twice a number less 31 is 95 % of 100. What is it?",
        ("63", "64"),
        "Let x be the number. 2x - 31 = 95, so x = 63. x^2 = 3969, x = 63 or -63. Answer: A",
        "A",
    ),
    Problem("Nothing?", ("all", "none"), "There is none left. Hence the answer is B", "B"),
]


def sampled(paths: Iterator[Path], most: int | None) -> list[Path]:
    found = list(paths)
    if most is None or len(found) <= most:
        return found
    return random.Random(len(found)).sample(found, most)


class Execution:
    """One program for many paths of a lattice, each with memory cells of its own.

    The output is written word by word, and what the paths would write goes to memory as well.
    """

    def __init__(self, lattice: Lattice, written: int) -> None:
        self.lattice = lattice
        self.instructions = [Instruction("Id", (Word(t),), "y") for t in lattice.output[:written]]
        self.filled = 0
        self.expected: dict[int, tuple[int, Path]] = {}

    def add(self, position: int, path: Path) -> None:
        words: list[Path | None] = [None] * (position - 1)
        shift = self.filled
        for z in assemble(self.lattice, [*words, path]).instructions[position - 1 :]:
            arguments = tuple(moved(argument, shift) for argument in z.arguments)
            self.instructions.append(Instruction(z.operation, arguments, "m"))
            self.filled += 1
        self.expected[len(self.instructions)] = (position, path)

    def write(self, token: str) -> None:
        self.instructions.append(Instruction("Id", (Word(token),), "y"))

    def check(self) -> None:
        program = Program(tuple(self.instructions))
        values = execute(program, self.lattice.problem, self.lattice.operations).values
        for end, (position, path) in self.expected.items():
            assert values[end - 1] == self.lattice.output[position - 1], (position, path)


def moved(argument: Reference, shift: int) -> Reference:
    if isinstance(argument, Cell) and argument.room == "m":
        return Cell("m", argument.k + shift)
    return argument


def check_every_path(lattice: Lattice, most: int | None = None) -> None:
    execution = Execution(lattice, 0)
    for position, token in enumerate(lattice.output, 1):
        for path in sampled(lattice.paths(position), most):
            execution.add(position, path)
            if len(execution.instructions) > MOST_INSTRUCTIONS - 1000:
                execution.check()
                execution = Execution(lattice, position - 1)
        execution.write(token)
    execution.check()


def paths_to(lattice: Lattice, token: str, nth: int = 1) -> list[Path]:
    positions = [k for k, written in enumerate(lattice.output, 1) if written == token]
    return list(lattice.paths(positions[nth - 1]))


def program_of(lattice: Lattice, position: int, path: Path) -> list[str]:
    program: Program = assemble(lattice, [*[None] * (position - 1), path])
    return [str(z) for z in program.instructions[position - 1 :]]


@both_sets
def test_every_path_of_the_worked_example_writes_its_token(
    kings: Problem, operations: OperationSet
) -> None:
    check_every_path(induce(kings, operations))


@both_sets
@pytest.mark.parametrize("problem", HANDWRITTEN, ids=lambda problem: problem.question[:20])
def test_every_path_of_a_problem_by_hand_writes_its_token(
    problem: Problem, operations: OperationSet
) -> None:
    check_every_path(induce(problem, operations), 8 * MOST_PATHS)


def test_the_paths_of_generated_problems_write_their_tokens() -> None:
    for k, generated in enumerate(generate(load_families(), 20, 3)):
        check_every_path(induce(generated.problem, SETS[k % 2]), MOST_PATHS)


def test_the_paths_of_real_problems_write_their_tokens(data_folder: FilePath) -> None:
    problems = islice(read_problems(data_folder / "aqua" / "dev.json"), 10)
    for k, problem in enumerate(problems):
        check_every_path(induce(normalise(problem), SETS[k % 2]), MOST_PATHS)


def test_words_may_be_written_plainly_and_numerals_only_if_constants(kings: Problem) -> None:
    for lattice in (induce(kings), *map(induce, HANDWRITTEN)):
        for paths in lattice.tokens:
            words = [path for path in lattice.paths(paths.position) if path.how == "word"]
            allowed = not is_number(paths.token) or paths.token in CONSTANT_VALUES
            assert bool(words) == allowed == paths.word


def test_a_numeral_from_nowhere_has_no_path() -> None:
    lattice = induce(Problem("How much is it?", rationale="It is 7919."))
    assert not lattice.is_explained(3)
    assert lattice.is_explained(2)


def test_a_token_that_stands_before_can_be_copied() -> None:
    lattice = induce(Problem("She had 431 apples", rationale="431 apples are 431 apples"))
    assert Path("copy", "431") in paths_to(lattice, "431")
    assert lattice.cells("431", 1) == [Cell("x", 3)]
    assert lattice.cells("431", 4) == [Cell("x", 3), Cell("y", 1)]
    assert lattice.cells("apples", 2) == [Cell("x", 4)]
    assert Path("copy", "are") not in paths_to(lattice, "are")


def test_what_is_written_later_is_no_source() -> None:
    lattice = induce(Problem("How many?", rationale="It is 431, since 862 / 2 = 431"))
    assert not lattice.is_explained(3)
    later = paths_to(lattice, "431", 2)
    assert Path("copy", "431") in later
    assert Derivation("Divide", (862.0, 2.0)) in [path.number for path in later]


@pytest.mark.parametrize(
    ("shown", "written", "instructions"),
    [
        ("1,500", "1500", ["Thousands_to_Float(x3) -> m", "Float_to_Str(m1) -> y"]),
        ("1500", "1,500", ["Str_to_Float(x3) -> m", "Float_to_Thousands(m1) -> y"]),
        ("7/8", "0.875", ["Fraction_to_Float(x3) -> m", "Float_to_Str(m1) -> y"]),
        ("0.875", "7/8", ["Str_to_Float(x3) -> m", "Float_to_Fraction(m1) -> y"]),
        ("1,50,000", "150,000", ["Thousands_to_Float(x3) -> m", "Float_to_Thousands(m1) -> y"]),
        (".7", "0.7", ["Str_to_Float(x3) -> m", "Float_to_Str(m1) -> y"]),
    ],
)
def test_another_spelling_is_a_conversion(
    shown: str, written: str, instructions: list[str]
) -> None:
    lattice = induce(Problem(f"She had {shown} litres", rationale=written))
    (path,) = [path for path in lattice.paths(1) if path.how == "convert"]
    assert program_of(lattice, 1, path) == instructions


def test_trailing_zeros_are_another_spelling_in_the_extended_set_only() -> None:
    problem = Problem("She had 12.5 litres", rationale="12.50")
    assert [path.how for path in induce(problem).paths(1)] == []
    (path,) = [path for path in induce(problem, EXTENDED).paths(1) if path.how == "convert"]
    assert path.writing == ("Float_to_Decimal", 2)


def test_the_derivation_of_the_paper_is_there(kings: Problem) -> None:
    lattice = induce(kings)
    numbers = [path.number for path in paths_to(lattice, "1326")]
    assert Derivation("Choose", (52.0, 2.0)) in numbers
    numbers = [path.number for path in paths_to(lattice, "1/221")]
    assert Derivation("Divide", (6.0, 1326.0)) in numbers


@both_sets
def test_deeper_lattices_hold_the_shallower_ones(kings: Problem, operations: OperationSet) -> None:
    for problem in (kings, HANDWRITTEN[3]):
        lattices = [induce(problem, operations, depth) for depth in (0, 1, 2)]
        for position in range(1, len(lattices[0].output) + 1):
            none, one, two = (set(lattice.paths(position)) for lattice in lattices)
            assert none <= one <= two
            assert all(path.count() == 0 for path in none)
            assert one == {path for path in two if path.count() <= 1}
            assert all(path.count() <= 2 for path in two)


def test_the_letter_is_found_by_check_where_it_is_stated_and_at_the_end(kings: Problem) -> None:
    lattice = induce(kings)
    stated = [k for k, paths in enumerate(lattice.tokens, 1) if paths.checks]
    assert [lattice.output[k - 1] for k in stated] == ["C", "C"]
    assert stated == [len(lattice.output) - 3, len(lattice.output) - 1]
    for position in stated:
        paths = list(lattice.paths(position))
        assert Path("copy", "1/221", checked=True) in paths
        assert Path("word", "C") in paths
    assert not [p for k in range(1, 55) for p in lattice.paths(k) if p.checked]


def test_check_copies_no_token_of_the_options() -> None:
    problem = Problem(
        "Of 12 apples and 8 pears, how many are there?",
        ("24", "20", "96"),
        "There are twenty. The answer is B",
        "B",
    )
    lattice = induce(problem)
    first_option = lattice.question_length + 1
    checked = [path for path in paths_to(lattice, "B") if path.checked]
    assert Path("copy", "20", checked=True) not in checked
    assert any(path.number == Derivation("Add", (12.0, 8.0)) for path in checked)
    for path in checked:
        assert path.how == "compute"
    copies = [Cell("x", k) for k, token in enumerate(lattice.source, 1) if token == "20"]
    assert all(cell.k > first_option for cell in copies)
    assert lattice.cells("20", 5) == copies
    assert lattice.cells("20", 5, of_options=False) == []


def test_words_of_an_option_can_be_checked_where_the_text_says_them() -> None:
    lattice = induce(HANDWRITTEN[-1])
    assert Path("copy", "none", checked=True) in paths_to(lattice, "B")


def test_without_a_letter_nothing_is_checked() -> None:
    lattice = induce(Problem("2 + 3?", ("5", "6"), "2 + 3 = 5. The answer is A"))
    assert not any(paths.checks for paths in lattice.tokens)


def test_what_is_written_rounded_is_explained_and_kept_in_full() -> None:
    problem = Problem("7 men share 250 dollars.", rationale="250 / 7 = 35.71")
    assert not induce(problem).is_explained(5)
    lattice = induce(problem, EXTENDED)
    wanted = Derivation("Divide", (250.0, 7.0))
    (path,) = [path for path in lattice.paths(5) if path.number == wanted]
    assert lattice.is_rounded(path, 5)
    program = assemble(lattice, [None] * 4 + [path])
    trace = execute(program, problem, EXTENDED)
    assert trace.output[-1] == "35.71"
    assert 250 / 7 in trace.values


def test_rounding_may_be_an_operation_too() -> None:
    problem = Problem("What is 100 / 3?", rationale="About 33")
    numbers = [path.number for path in induce(problem, EXTENDED).paths(2)]
    assert Derivation("Round", (Derivation("Divide", (100.0, 3.0)), 0.0)) in numbers
    assert Derivation("Floor", (Derivation("Divide", (100.0, 3.0)),)) in numbers


def test_a_number_can_be_read_from_every_place_that_shows_it() -> None:
    problem = Problem("1,000 and 1000 and 3", rationale="1000 is 3")
    lattice = induce(problem)
    assert lattice.references(1000.0, 2) == [
        (Cell("y", 1), "1000"),
        (Cell("x", 1), "1,000"),
        (Cell("x", 3), "1000"),
        (Word("1000"), "1000"),
    ]
    assert [str(place.cell) for place in lattice.places(1000.0, 1)] == ["x1", "x3"]


@pytest.mark.parametrize("numeral", ["99999999999999999999", "1,00,00,00,00,00,00,000"])
def test_a_numeral_out_of_range_can_only_be_copied(numeral: str) -> None:
    lattice = induce(Problem(f"It is {numeral}", rationale=numeral))
    assert [path.how for path in lattice.paths(1)] == ["copy"]
    check_every_path(lattice)
