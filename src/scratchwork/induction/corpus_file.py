"""The corpus of a file of problems, written chunk by chunk.

Promises: `write_corpus` writes one line a problem, in the order of the input: the same bytes
whoever does the work, and however often it was stopped in between. It works on `OUT.partial`,
where for `.gz` each chunk is a gzip member of its own; `OUT.partial.json` is the journal: what the
run was asked for, then the length and checksum of each chunk. A run that finds both goes on behind
the last chunk that is there whole; one that was asked for something else refuses. At the end the
partial file becomes the output. Whatever dies, a process of this machine or a node of a cluster,
nothing is lost but the chunks it worked on. An input that changes meanwhile is refused.

Memory: a bounded number of chunks, however long the file.
Does not cover: nodes of a cluster that have another version of this package or of zlib than the
rest, and a partial file that another version has begun.
"""

import zlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from functools import partial
from itertools import islice, zip_longest
from pathlib import Path

from scratchwork.errors import UserError
from scratchwork.files import resumable_file, sha256_of
from scratchwork.induction.corpus import CORPUS_VERSION, Counts, InductionSettings, chunk_lines
from scratchwork.parallel import Workers, blocks
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import OnBad, read_problems
from scratchwork.problems.rows import problem_line

PROBLEMS_IN_A_CHUNK = 50

OnProblemsDone = Callable[[int, int], None]
"""Told how many problems are done, of how many."""


def write_corpus(
    file: Path,
    output: Path,
    settings: InductionSettings,
    workers: Workers,
    on_bad: OnBad | None = None,
    on_progress: OnProblemsDone = lambda done, total: None,
) -> Counts:
    """Write a line for each problem of the file, and say what was counted."""
    if file.exists() and not file.is_file():
        raise UserError(f"{file}: problems are read twice, which needs a plain file")
    # All rows are read first: a bad one should not come to light hours later.
    checksums = array("L", (zlib.crc32(problem_line(p)) for p in read_problems(file, on_bad)))
    if not checksums:
        raise UserError(f"{file}: there is no problem in the file")
    facts = {
        "version": CORPUS_VERSION,
        "data": sha256_of(file),
        "chunk": PROBLEMS_IN_A_CHUNK,
        **asdict(settings),
    }
    task = partial(chunk_lines, settings=settings, compressed=output.suffix == ".gz")
    with resumable_file(output, facts) as part:
        done = part.counts["problems"]
        on_progress(done, len(checksums))
        problems = islice(_unchanged(file, checksums), done, None)
        with closing(workers.map(task, blocks(problems, PROBLEMS_IN_A_CHUNK))) as results:
            for written in results:
                part.append(*written)
                on_progress(part.counts["problems"], len(checksums))
    return dict(part.counts)


def _unchanged(file: Path, checksums: Sequence[int]) -> Iterator[Problem]:
    """The problems of a file that has been read before, as long as they are the same."""
    problems = read_problems(file, on_bad=lambda error: None)
    for number, (problem, checksum) in enumerate(zip_longest(problems, checksums), 1):
        if problem is None or checksum != zlib.crc32(problem_line(problem)):
            raise UserError(
                f"{file}: problem {number:,} has changed since this run began; restore the file "
                "and give the same command again"
            )
        yield problem
