"""Making lessons on several processes.

Promises: `lessons_of_files` and `generated_lessons` give the same tables whatever the number of
workers. A generated problem depends on its seed and number alone; those numbered in `left_out`,
for being near to a held-out problem, are not made.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

from scratchwork.families.family import Family
from scratchwork.families.generator import generate_one
from scratchwork.families.loading import TOPICS_FOLDER, load_families
from scratchwork.parallel import Workers, blocks
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import read_problems
from scratchwork.problems.tokens import is_number, tokenise
from scratchwork.solver.examples import generated_lesson, lesson_of, retold
from scratchwork.solver.reading import Pieces
from scratchwork.solver.tables import (
    Lesson,
    PlanTable,
    ProblemTable,
    joined_lessons,
    tables_of,
)

_AT_ONCE = 250

Tables = tuple[ProblemTable, PlanTable]
Maker = Callable[[Problem, Pieces], Lesson | None]


def words_of_files(files: Sequence[Path]) -> Counter[str]:
    """How often each word, numbers left out, occurs in all problems."""
    words = Counter[str]()
    for file in files:
        for problem in read_problems(file):
            for text in (problem.question, *problem.options, problem.rationale or ""):
                words.update(word.lower() for word in tokenise(text) if not is_number(word))
    return words


def lessons_of_files(
    files: Sequence[Path],
    pieces: Pieces,
    workers: int,
    make: Maker = lesson_of,
    in_other_words: bool = False,
) -> Tables:
    """Tables of what is made of the problems of all files, and of their retellings if wanted."""
    problems = (problem for file in files for problem in read_problems(file))
    task = partial(_lessons, pieces.pieces, make, in_other_words)
    made = Workers(workers).map(task, blocks(problems, _AT_ONCE))
    return joined_lessons([tables_of(lessons) for lessons in made])


def _lessons(
    pieces: list[str], make: Maker, in_other_words: bool, problems: Sequence[Problem]
) -> list[Lesson]:
    known = _known(pieces)
    lessons: list[Lesson] = []
    for problem in problems:
        lesson = make(problem, known)
        if lesson is not None:
            lessons.append(lesson)
            lessons += retold(problem, lesson, known) if in_other_words else ()
    return lessons


_pieces: list[Pieces] = []
_families: list[Family] = []


def _known(pieces: list[str]) -> Pieces:
    if not _pieces or _pieces[0].pieces != pieces:
        _pieces[:] = [Pieces(pieces)]
    return _pieces[0]


def generated_lessons(
    pieces: list[str], seed: int, numbers: Sequence[int], left_out: Collection[int]
) -> Tables:
    """Tables of the generated problems of these numbers, made in this process."""
    if not _families:
        _families.extend(load_families(TOPICS_FOLDER))
    known = _known(pieces)
    made = (
        generated_lesson(generate_one(_families, seed, number), known)
        for number in numbers
        if number not in left_out
    )
    return tables_of(lesson for lesson in made if lesson is not None and lesson.plans)
