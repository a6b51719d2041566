"""The report of an evaluation: every figure with what it depends on.

Promises: a `Report` says which model, which file (with its checksum), how many problems, which
seed, settings and commit. `to_json` is stable and documented in docs/formats.md, and
`report_from_json` reads it back to the same report. `as_text` shows all of it in plain text, with
95 % intervals, what guessing scores, and how often a letter was forced. `paper_table` puts reports
beside the published results.

Does not cover: measuring; see `perplexity`, `bleu` and `accuracy`.
"""

import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from scratchwork.errors import UserError
from scratchwork.scoring.accuracy import Accuracy, Part, accuracy_from_json
from scratchwork.scoring.bleu import Bleu, bleu_from_json
from scratchwork.scoring.intervals import CONFIDENCE, Interval
from scratchwork.scoring.perplexity import Perplexity, perplexity_from_json

REPORT_VERSION = 2


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured of one model on one file; a figure that was not measured is None."""

    model: str
    file: str
    """The name of the file of problems."""
    data: str
    """The SHA-256 of that file."""
    problems: int
    seed: int
    """Of the bootstrap, and of random rivals."""
    commit: str | None
    """The commit of this package, if it is known."""
    settings: Mapping[str, Any]
    """How it was decoded, such as the width of the beam; values that JSON can hold."""
    perplexity: Perplexity | None = None
    bleu: Bleu | None = None
    accuracy: Accuracy | None = None
    """Of the letters of the best programs."""
    vote: Accuracy | None = None
    """Of the letters that all programs found vote for."""
    confident: Mapping[str, Part] | None = None
    """The answers of at least a level of confidence, by level, and how many are right."""

    def to_json(self) -> dict[str, Any]:
        """The report as an object of stable form."""
        return {
            "version": REPORT_VERSION,
            "model": self.model,
            "file": self.file,
            "data": self.data,
            "problems": self.problems,
            "seed": self.seed,
            "commit": self.commit,
            "settings": dict(self.settings),
            "perplexity": self.perplexity and self.perplexity.to_json(),
            "bleu": self.bleu and self.bleu.to_json(),
            "accuracy": self.accuracy and round(self.accuracy.share, 4),
            "letters": self.accuracy and self.accuracy.to_json(),
            "vote": self.vote and self.vote.to_json(),
            "confident": self.confident
            and {level: asdict(part) for level, part in self.confident.items()},
        }

    def as_text(self) -> str:
        """The report as a person reads it."""
        return "\n".join(_lines(self)) + "\n"


def report_from_json(form: Mapping[str, Any]) -> Report:
    """A report from its JSON form."""
    if form.get("version") != REPORT_VERSION:
        raise UserError(
            f"the report's version is {form.get('version')!r}, this reads {REPORT_VERSION}"
        )
    try:
        return Report(
            model=form["model"],
            file=form["file"],
            data=form["data"],
            problems=form["problems"],
            seed=form["seed"],
            commit=form["commit"],
            settings=form["settings"],
            perplexity=form["perplexity"] and perplexity_from_json(form["perplexity"]),
            bleu=form["bleu"] and bleu_from_json(form["bleu"]),
            accuracy=form["letters"] and accuracy_from_json(form["letters"]),
            vote=form["vote"] and accuracy_from_json(form["vote"]),
            confident=form.get("confident")
            and {level: Part(**part) for level, part in form["confident"].items()},
        )
    except (KeyError, TypeError) as error:
        raise UserError(f"a field of the report is missing or of another form: {error}") from error


def _lines(report: Report) -> Iterator[str]:
    yield f"{report.model} on {report.file}"
    yield _row("problems", f"{report.problems:,}")
    yield _row("seed", str(report.seed))
    yield _row("data", f"sha256 {report.data}")
    yield _row("commit", report.commit or "unknown")
    for name, value in report.settings.items():
        yield _row(name, str(value))
    if report.perplexity is not None:
        yield from _perplexity_lines(report.perplexity)
    if report.bleu is not None:
        yield from _bleu_lines(report.bleu)
    if report.accuracy is not None:
        yield from _accuracy_lines(report.accuracy, report.vote)
        for level, part in (report.confident or {}).items():
            yield _part_row(f"at least {100 * float(level):.0f} % sure", part, report.accuracy)


def _row(name: str, figure: str, remark: str = "") -> str:
    return f"  {name:<27}{figure:<9}{remark}".rstrip()


def _perplexity_lines(perplexity: Perplexity) -> Iterator[str]:
    yield ""
    yield f"perplexity (n = {perplexity.problems:,})"
    yield _row(
        "average of sentences",
        f"{perplexity.sentence_average:.2f}",
        _between(perplexity.sentence_average_interval, 2),
    )
    yield _row(
        "over all tokens",
        f"{perplexity.all_tokens:.2f}",
        _between(perplexity.all_tokens_interval, 2),
    )
    yield _row("geometric, of sentences", f"{perplexity.sentence_geometric:.2f}")
    yield _row("unknown", _percent(perplexity.unknown_share), f"of {perplexity.tokens:,} tokens")


def _bleu_lines(bleu: Bleu) -> Iterator[str]:
    yield ""
    yield f"BLEU-4 (n = {bleu.problems:,})"
    for name, score in (("cased", bleu.cased), ("lower-cased", bleu.lower_cased)):
        lengths = f"brevity penalty {score.brevity_penalty:.3f}, ratio {score.length_ratio:.3f}"
        yield _row(name, f"{score.score:.2f}", f"{lengths}; {score.signature}")


def _accuracy_lines(accuracy: Accuracy, vote: Accuracy | None) -> Iterator[str]:
    yield ""
    yield f"accuracy (n = {accuracy.problems:,})"
    yield _right_row("right", accuracy)
    if vote is not None:
        yield _right_row("right by vote", vote)
    yield _row("always A", _percent(accuracy.always_a))
    yield _row(
        "always the most frequent",
        _percent(accuracy.always_most_frequent),
        f"{accuracy.most_frequent} is most often correct",
    )
    yield _part_row("answered by a program", accuracy.answered, accuracy)
    for how, part in accuracy.by_how.items():
        yield _part_row(f"letter: {how}", part, accuracy)
    for name, part in accuracy.by_operations.items():
        yield _part_row(f"operations in gold: {name}", part, accuracy)
    yield _row("predicted letters", _histogram(accuracy.predicted))
    yield _row("correct letters", _histogram(accuracy.correct))


def _right_row(name: str, accuracy: Accuracy) -> str:
    low, high = accuracy.interval
    between = _between(Interval(100 * low, 100 * high), 1)
    error = _percent(accuracy.standard_error)
    return _row(name, _percent(accuracy.share), f"{between}; standard error {error}")


def _part_row(name: str, part: Part, accuracy: Accuracy) -> str:
    right = "" if part.share is None else f", {_percent(part.share)} of them right"
    return _row(name, _percent(part.problems / accuracy.problems), f"n = {part.problems:,}{right}")


def _between(interval: Interval, decimals: int) -> str:
    low, high = interval
    return f"{100 * CONFIDENCE:.0f} % interval {low:.{decimals}f} to {high:.{decimals}f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _histogram(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


class Published(NamedTuple):
    """A row of the paper's table of results, on its test set; no intervals were published."""

    model: str
    perplexity: float
    bleu: float
    accuracy: float


PUBLISHED = (
    Published("Seq2Seq", 524.7, 8.57, 20.8),
    Published("+Copy Input", 46.8, 21.3, 20.4),
    Published("+Copy Output", 45.9, 20.6, 20.2),
    Published("Our Model", 28.5, 27.2, 36.4),
)

_TABLE_HEADS = (
    "model",
    "perplexity",
    "BLEU",
    "accuracy, %",
    "always A, %",
    "file",
    "n",
    "seed",
    "data",
    "commit",
)
_SHORT_CHECKSUM = 12


def paper_table(rows: Iterable[Mapping[str, Any]]) -> str:
    """Reports in their JSON form, below the published results, as a table in Markdown.

    Perplexity is the average of the sentences', BLEU is cased, and accuracy is given with its
    standard error.
    """
    cells: list[Sequence[str]] = [_TABLE_HEADS, ["---"] * len(_TABLE_HEADS)]
    for published in PUBLISHED:
        figures = (published.perplexity, published.bleu, published.accuracy)
        cells.append(
            [f"{published.model} (published)", *map(str, figures), "", "AQuA test", *[""] * 4]
        )
    cells += [_table_row(report_from_json(row)) for row in rows]
    return "".join(f"| {' | '.join(row)} |\n" for row in cells)


def _table_row(report: Report) -> list[str]:
    perplexity, bleu, accuracy = report.perplexity, report.bleu, report.accuracy
    right = ""
    if accuracy is not None:
        right = f"{100 * accuracy.share:.1f} ± {100 * accuracy.standard_error:.1f}"
    return [
        report.model.replace("|", "\\|"),
        "" if perplexity is None else f"{perplexity.sentence_average:.1f}",
        "" if bleu is None else f"{bleu.cased.score:.1f}",
        right,
        "" if accuracy is None else f"{100 * accuracy.always_a:.1f}",
        report.file.replace("|", "\\|"),
        str(report.problems),
        str(report.seed),
        report.data[:_SHORT_CHECKSUM],
        report.commit or "",
    ]


def current_commit(folder: Path = Path(__file__).parent.parent) -> str | None:
    """The commit that a folder, by default this package's, is at; `-dirty` if files have changed.

    None if it is no part of a checkout: an installed package may lie inside another project's.
    """
    commit = _git(folder, "rev-parse", "--short", "HEAD")
    if commit is None or not _git(folder, "ls-files", "--", "."):
        return None
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return f"{commit}-dirty" if changed else commit


def _git(folder: Path, *arguments: str) -> str | None:
    """What a command of git's prints; None if it fails, or there is no git."""
    command = ["git", "--no-optional-locks", *arguments]
    try:
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return run.stdout.strip()
