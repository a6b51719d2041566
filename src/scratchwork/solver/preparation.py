"""From files of problems to a folder of tables that a solver is trained on.

Promises: `make_tables` writes the same tables whatever the number of workers, keeps what a stopped
run had made, and refuses a folder that was begun with other files. A generated problem depends on
its number alone, and so does a story; those near to a held-out problem, by the rule of
`problems.duplicates`, are left out. `far_problems` are those that no training question resembles
much, as held-out ones often are: how a solver does on them tells more about held-out problems than
how it does on all.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from scratchwork.errors import UserError
from scratchwork.families.family import Family
from scratchwork.families.generator import generate_one
from scratchwork.families.loading import TOPICS_FOLDER, load_families
from scratchwork.files import only_run, sha256_of, write_text
from scratchwork.parallel import Workers, blocks
from scratchwork.problems.duplicates import BLOCK, HeldOut, Thresholds, nearest_ratios
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import OnProgress, read_problems, silent
from scratchwork.problems.tokens import is_number, tokenise
from scratchwork.solver.examples import (
    example_of,
    generated_example,
    open_example,
    retold,
    story_example,
    text_of,
)
from scratchwork.solver.pretrained import FREQUENT, PublishedEncoder, choose_pieces
from scratchwork.solver.reading import Pieces
from scratchwork.solver.tables import (
    GENERATED,
    PIECES,
    REAL,
    STORIES,
    TEXTS,
    TUNE,
    TUNE_FAR,
    Example,
    Tables,
    joined_tables,
    save_tables,
    tables_of,
)
from scratchwork.stories.story import story

FAR = 60.0
"""Of a far problem the nearest training question has a smaller ratio, digits left out."""
COPIES = Thresholds(text=90, digit_free=100)
"""From these ratios on a question is a copy, and not merely of the same kind."""
GENERATOR_SEED = 2027
_MOST_PIECES = 13_000
_SHARD = 20_000
_AT_ONCE = 250
_SOURCES = "sources.json"

Maker = Callable[[Problem, Pieces], Example | None]


@dataclass(frozen=True)
class TableSources:
    """What tables are made of."""

    data: Sequence[Path]
    """Files of problems to learn from."""
    tune: Path | None = None
    """Problems to measure on, and to fit the votes to."""
    without_options: Sequence[Path] = ()
    """Further ones, read without options, whose answer is a number."""
    held_out: Sequence[Path] = ()
    """Problems of which no generated one may be a near copy."""
    held_out_copies: Sequence[Path] = ()
    """The same, but generated ones of the same kind may be there."""
    generated: int = 1_200_000
    """How many problems are generated."""
    stories: int = 0
    """How many stories are told."""
    reader: Path | None = None
    """The folder of the published encoder whose pieces are used; else words are the pieces."""

    def facts(self) -> dict[str, Any]:
        """What must be the same where a stopped run goes on."""
        files = {
            "data": self.data,
            "tune": [] if self.tune is None else [self.tune],
            "without_options": self.without_options,
            "held_out": self.held_out,
            "held_out_copies": self.held_out_copies,
        }
        return {
            **{use: {file.name: sha256_of(file) for file in some} for use, some in files.items()},
            "generated": self.generated,
            "stories": self.stories,
            "reader": None if self.reader is None else PublishedEncoder.read(self.reader).digest,
        }


def make_tables(
    sources: TableSources, to: Path, workers: int | None = None, show: OnProgress = silent
) -> None:
    """Write the folder of tables."""
    _check_names(_stem(file) for file in sources.data)
    _check_names([TUNE, TUNE_FAR, *(_stem(file) for file in sources.without_options)])
    facts = sources.facts()
    with only_run(to):
        _check_sources(to, facts)
        known = Pieces(_pieces(sources, to))
        make = partial(_make_table, to, known, Workers(workers))
        for file in sources.data:
            show(file.name, 0, None)
            make(f"{REAL}/{_stem(file)}", example_of, partial(read_problems, file), True)
            make(f"{TEXTS}/{_stem(file)}", text_of, partial(read_problems, file))
        for file in sources.without_options:
            make(f"{TUNE}/{_stem(file)}", open_example, partial(read_problems, file))
        if sources.tune is not None:
            show(sources.tune.name, 0, None)
            make(f"{TUNE}/{TUNE}", _labelled, partial(read_problems, sources.tune))
            make(f"{TUNE}/{TUNE_FAR}", _labelled, partial(_far, sources.tune, sources.data))
        held_out = [(file, Thresholds()) for file in sources.held_out]
        held_out += [(file, COPIES) for file in sources.held_out_copies]
        asked = [
            ([problem.question for problem in read_problems(file)], rule) for file, rule in held_out
        ]
        shards = [(GENERATED, numbers) for numbers in _shards(sources.generated)]
        shards += [(STORIES, numbers) for numbers in _shards(sources.stories)]
        made = 0
        for count in Workers(workers).map(partial(_make_shard, to, known.pieces, asked), shards):
            made += count
            show("generating", made, sources.generated + sources.stories)


def _check_names(stems: Iterable[str]) -> None:
    if twice := [stem for stem, count in Counter(stems).items() if count > 1]:
        raise UserError(f"two files of problems have the name {twice[0]}; rename one of them")


def _shards(count: int) -> list[range]:
    """So many numbers, divided."""
    starts = range(0, count, _SHARD)
    return [range(start, min(start + _SHARD, count)) for start in starts]


def _stem(file: Path) -> str:
    return file.name.split(".")[0]


def _check_sources(to: Path, facts: dict[str, Any]) -> None:
    path = to / _SOURCES
    if not path.exists():
        write_text(path, json.dumps(facts, indent=1) + "\n")
    elif json.loads(path.read_text("utf-8")) != facts:
        raise UserError(
            f"{to} holds tables of other problems; give the same again to go on, or another folder"
        )


def _pieces(sources: TableSources, to: Path) -> list[str]:
    """The pieces of a folder, chosen if they are not there yet."""
    path = to / PIECES
    if not path.exists():
        words = words_of_files(sources.data)
        frequent = [word for word, times in words.items() if times >= FREQUENT]
        known = (
            frequent if sources.reader is None else PublishedEncoder.read(sources.reader).vocabulary
        )
        chosen = choose_pieces(known, words, _MOST_PIECES)
        write_text(path, json.dumps(chosen, ensure_ascii=False) + "\n")
    return json.loads(path.read_text("utf-8"))


def words_of_files(files: Sequence[Path]) -> Counter[str]:
    """How often each word, numbers left out, occurs in all problems."""
    words = Counter[str]()
    for file in files:
        for problem in read_problems(file):
            for text in (problem.question, *problem.options, problem.rationale or ""):
                words.update(word.lower() for word in tokenise(text) if not is_number(word))
    return words


def _labelled(problem: Problem, pieces: Pieces) -> Example | None:
    """A problem to measure on."""
    example = example_of(problem, pieces)
    return None if example is None or example.label is None else example


def _make_table(
    to: Path,
    pieces: Pieces,
    workers: Workers,
    name: str,
    make: Maker,
    problems: Callable[[], Iterable[Problem]],
    in_other_words: bool = False,
) -> None:
    """Write a table of some problems, unless it is there."""
    path = to / f"{name}.npz"
    if not path.exists():
        save_tables(path, tables_of_problems(problems(), pieces, workers, make, in_other_words))


def tables_of_problems(
    problems: Iterable[Problem],
    pieces: Pieces,
    workers: Workers,
    make: Maker = example_of,
    in_other_words: bool = False,
) -> Tables:
    """Tables of what is made of problems, and of their retellings if wanted."""
    task = partial(_examples, pieces.pieces, make, in_other_words)
    made = workers.map(task, blocks(problems, _AT_ONCE))
    return joined_tables([tables_of([]), *(tables_of(examples) for examples in made)])


def _examples(
    pieces: list[str], make: Maker, in_other_words: bool, problems: Sequence[Problem]
) -> list[Example]:
    known = _known(pieces)
    examples: list[Example] = []
    for problem in problems:
        example = make(problem, known)
        if example is not None:
            examples.append(example)
            examples += retold(problem, example, known) if in_other_words else ()
    return examples


_last_pieces: list[Pieces] = []
_families: list[Family] = []


def _known(pieces: list[str]) -> Pieces:
    """The pieces with the words that were cut before."""
    if not _last_pieces or _last_pieces[0].pieces != pieces:
        _last_pieces[:] = [Pieces(pieces)]
    return _last_pieces[0]


def _far(tune: Path, data: Sequence[Path]) -> list[Problem]:
    return far_problems(
        list(read_problems(tune)), (p for file in data for p in read_problems(file))
    )


def far_problems(problems: Sequence[Problem], training: Iterable[Problem]) -> list[Problem]:
    """Those problems that are far from all of the training problems."""
    questions = (problem.question for problem in training)
    ratios = nearest_ratios([p.question for p in problems], questions, digit_free=True)
    return [problem for problem, ratio in zip(problems, ratios, strict=True) if ratio < FAR]


def _make_shard(
    to: Path,
    pieces: list[str],
    held_out: Sequence[tuple[list[str], Thresholds]],
    shard: tuple[str, range],
) -> int:
    """Write a table of generated problems or of stories, unless it is there; how many numbers were
    tried for it."""
    kind, numbers = shard
    path = to / kind / f"{numbers.start:09}.npz"
    if not path.exists():
        strict = [HeldOut(questions, thresholds) for questions, thresholds in held_out]
        tables = story_tables if kind == STORIES else generated_tables
        save_tables(path, tables(pieces, numbers, strict))
    return len(numbers)


def generated_tables(
    pieces: list[str], numbers: Sequence[int], held_out: Sequence[HeldOut] = ()
) -> Tables:
    """Tables of the generated problems of these numbers, but for those without a plan or near to a
    held-out one."""
    if not _families:
        _families.extend(load_families(TOPICS_FOLDER))
    known = _known(pieces)

    def made(number: int) -> _Made:
        generated = generate_one(_families, GENERATOR_SEED, number)
        return generated.problem.question, partial(generated_example, generated, known)

    return _tables_of_numbers(made, numbers, held_out)


def story_tables(
    pieces: list[str], numbers: Sequence[int], held_out: Sequence[HeldOut] = ()
) -> Tables:
    """The same for the stories of these numbers."""
    known = _known(pieces)

    def made(number: int) -> _Made:
        told = story(GENERATOR_SEED, number)
        return told.problem.question, partial(story_example, told.problem, told.plan, known)

    return _tables_of_numbers(made, numbers, held_out)


_Made = tuple[str, Callable[[], Example | None]]
"""A question, and what makes an example of it."""


def _tables_of_numbers(
    make: Callable[[int], _Made], numbers: Sequence[int], held_out: Sequence[HeldOut]
) -> Tables:
    """Tables of what is made of numbers, but for what has no plan or is near to what is held
    out."""
    examples: list[Example] = []
    for some in blocks(numbers, BLOCK):
        made = [make(number) for number in some]
        questions = [question for question, _ in made]
        near = {other for one in held_out for _, other in one.pairs(questions)}
        for place, (_, example_made) in enumerate(made):
            example = None if place in near else example_made()
            if example is not None and example.plans:
                examples.append(example)
    return tables_of(examples)
