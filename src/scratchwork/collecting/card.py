"""The dataset card of an export: what is in it, how it was collected, and what to beware of.

Promises: every figure is counted from what is exported or read from the collection, in the same
transaction; the same export gives the same card. Names of contributors and reviewers are not in it.
The card is GitHub's Markdown with the header that Hugging Face reads; titles and topics are shown
literally. The chart of lengths is drawn if matplotlib is installed.

Does not cover: judging the figures; every card explains them in the same words.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from scratchwork.collecting.settings import CollectionSettings
from scratchwork.collecting.status import CollectionStatus
from scratchwork.files import write_text
from scratchwork.problems.reading import read_problems
from scratchwork.problems.statistics import Statistics
from scratchwork.render.table import markdown_escape

CARD = "README.md"
LENGTHS_CHART = "lengths.svg"

_SPLITS = {"train": "train", "dev": "validation", "test": "test"}


@dataclass(slots=True)
class Contents:
    """What an export holds, and what of the collection it leaves out."""

    problems: int = 0
    reviewed: int = 0
    corrected: int = 0
    replicas: int = 0
    contributors: int = 0
    rejected: int = 0
    """Left out, as the next two."""
    marked: int = 0
    """Marked for review, and not yet reviewed."""
    unproven: int = 0
    """Not reviewed, of contributors whose reviewed work was not fine or is not there."""
    topics: Counter[str] = field(default_factory=Counter[str])
    parts: dict[str, int] = field(default_factory=dict[str, int])
    """How many problems each file has: train, and dev and test if there are any."""
    seed: int = 0
    """What dev and test were drawn with."""

    @property
    def unreviewed(self) -> int:
        """How many of the problems no reviewer has seen."""
        return self.problems - self.reviewed


def write_card(
    folder: Path,
    settings: CollectionSettings,
    status: CollectionStatus,
    contents: Contents,
    parts: Mapping[str, Path],
) -> list[Path]:
    """Write the card, and the picture it shows; the files are returned, the card as the last."""
    statistics = Statistics()
    for path in parts.values():
        for problem in read_problems(path):
            statistics.add(problem)
    files: list[Path] = []
    if find_spec("matplotlib") is not None:
        from scratchwork.render.histogram import draw_histogram

        files.append(folder / LENGTHS_CHART)
        draw_histogram(statistics.lengths, files[0])
    sections = [
        _head(settings, contents),
        _size(statistics, has_picture=bool(files)),
        _topics(status, contents),
        _collecting(settings, status),
        _reviewing(settings, status, contents),
        _audit(status),
        _fields(),
        _limits(contents),
    ]
    files.append(folder / CARD)
    write_text(files[-1], "\n\n".join(sections) + "\n")
    return files


def _head(settings: CollectionSettings, contents: Contents) -> str:
    header = {
        "pretty_name": settings.title,
        "configs": [
            {
                "config_name": "default",
                "data_files": [
                    {"split": _SPLITS[part], "path": f"{part}.jsonl"} for part in contents.parts
                ],
            }
        ],
    }
    # JSON is YAML, and quotes whatever a title may hold.
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in header.items()]
    files = _table(
        ("file", "problems"),
        ((f"`{part}.jsonl`", f"{count:,}") for part, count in contents.parts.items()),
    )
    divided = (
        ""
        if len(contents.parts) == 1
        else "\n\nDevelopment and test problems were drawn in whole replica clusters (seed "
        f"{contents.seed}): near copies, near copies of these, and so on, are in the same file, "
        "also where only a seed connects them."
    )
    return "\n".join(
        [
            "---",
            *lines,
            "---",
            "",
            f"# {_literal(settings.title)}",
            "",
            f"{contents.problems:,} word problems with five options, a rationale and the letter of "
            f"the right option, written by {_of(contents.contributors, 'contributor')}.",
            "",
            files + divided,
        ]
    )


def _size(statistics: Statistics, *, has_picture: bool) -> str:
    text = (
        "## Size\n\n"
        + _table(("", "question", "rationale"), statistics.rows())
        + "\n\nLengths are in tokens. The question column covers the question and its options."
    )
    if has_picture:
        text += f"\n\n![How many problems have how many tokens]({LENGTHS_CHART})"
    return text


def _topics(status: CollectionStatus, contents: Contents) -> str:
    seeds = {topic.topic: topic.seeds for topic in status.topics}
    names = sorted(contents.topics, key=lambda topic: (-contents.topics[topic], topic))
    rows = ((_literal(t), f"{contents.topics[t]:,}", f"{seeds.get(t, 0):,}") for t in names)
    return (
        "## Topics\n\n"
        + _table(("topic", "problems", "seeds"), rows)
        + "\n\nA problem has the topic of the seed it was written from."
    )


def _collecting(settings: CollectionSettings, status: CollectionStatus) -> str:
    near = settings.thresholds
    shared = (
        "may be given to several contributors" if settings.shared_seeds else "are given out once"
    )
    refused = "".join(
        f"\n- {_literal(reason)}: {count:,}" for reason, count in status.refusals.items()
    )
    return (
        "## How it was collected\n\n"
        f"Contributors invited since {settings.created[:10]}: {status.contributors:,}, of whom "
        f"{status.writing:,} handed in {_of(status.handed_in, 'problem')}. Each task shows five of "
        f"{status.seeds:,} seeds, drawn towards topics that lack problems, and the contributor "
        f"writes a new problem from one of them. The same five seeds {shared}.\n\n"
        "A problem is sent back if its form is not right, if its answer or its rationale is the "
        "seed's, or if its question is a copy: letters and digits alone are compared, and a ratio "
        f"of {settings.copy:g} with the same numbers, or of 100, is a copy. A problem whose ratio "
        f"without digits reaches {near.digit_free:g} is accepted and labelled a replica. One whose "
        f"ratio reaches {near.text:g} with the same numbers, and a copy of what another "
        "contributor handed in, is accepted and marked for review."
        + (f"\n\nSent back, by reason:\n{refused}" if refused else "")
    )


def _reviewing(settings: CollectionSettings, status: CollectionStatus, contents: Contents) -> str:
    rule = settings.sampling
    rows = [
        ("reviewed and accepted", contents.reviewed - contents.corrected),
        ("reviewed and corrected", contents.corrected),
        ("not reviewed, of contributors whose reviewed work was fine", contents.unreviewed),
        ("left out: rejected", contents.rejected),
        ("left out: marked for review, not yet reviewed", contents.marked),
        ("left out: not reviewed, of other contributors", contents.unproven),
    ]
    return (
        "## Review\n\n"
        f"{_of(status.reviewers, 'reviewer')} gave {_of(status.reviews, 'verdict')}. The first "
        f"{rule.first} problems of a contributor are reviewed, then a share that starts at "
        f"{rule.start:.0%}: after a rejection it doubles, to {rule.after_rejection:.0%} at least; "
        f"after {rule.streak} accepted in a row it falls by half, to {rule.least:.0%} at least. "
        "Problems marked for review are reviewed in any case.\n\n"
        + _table(("", "problems"), ((name, f"{count:,}") for name, count in rows))
        + "\n\n"
        + _agreement(status)
    )


def _agreement(status: CollectionStatus) -> str:
    agreement = status.agreement
    if agreement.raw is None:
        return "No problem has the verdicts of two reviewers yet, so their agreement is unknown."
    kappa = "not defined" if agreement.kappa is None else f"{agreement.kappa:.2f}"
    return (
        f"{agreement.pairs:,} problems have the verdicts of two reviewers, who agreed on "
        f"{agreement.raw:.0%}; Cohen's kappa is {kappa}."
    )


def _audit(status: CollectionStatus) -> str:
    audited = status.audited
    rows = [
        ("rationales audited", audited.rationales),
        ("with a number that nothing supports", audited.unsupported),
        ("with a false equation", audited.false_equations),
        ("from which another option follows", audited.not_following),
    ]
    return (
        "## Audit\n\n"
        + _table(("", "problems"), ((name, f"{count:,}") for name, count in rows))
        + "\n\nEvery rationale is audited by program when it is handed in: each number should be "
        "copied, computed or a known constant, each equation hold, and the letter follow. The "
        "audit refuses nothing. The figures are of all work that was not rejected, as it was "
        "handed in. A number without support is weak evidence of a mistake; a false equation, or "
        "another letter that follows, is strong evidence."
    )


def _fields() -> str:
    rows = [
        ("`id`", "the submission's number"),
        ("`question`", "the question"),
        ("`options`", "five texts, `A)` to `E)`"),
        ("`rationale`", "the way to the answer"),
        ("`correct`", "the letter of the right option"),
        ("`origin`", "`collected`"),
        ("`topic`", "the topic of the seed"),
        ("`provenance.submission`", "the submission's number"),
        ("`provenance.contributor`", "the contributor's number"),
        ("`provenance.seed`", "the number of the seed that the contributor chose"),
        ("`provenance.relation`", "`original`, or `replica`: an earlier story with other numbers"),
        ("`provenance.reviewed`", "by how many it was reviewed; 0 if by nobody yet"),
        ("`provenance.verdict`", "`accepted`, `corrected`, or `waiting` where nobody reviewed it"),
    ]
    return "## Fields\n\n" + "\n".join(f"- {name}: {meaning}" for name, meaning in rows)


def _limits(contents: Contents) -> str:
    return (
        "## Limits\n\n"
        f"- {contents.unreviewed:,} of {contents.problems:,} problems were seen by no reviewer; "
        "they are here because the reviewed work of the same contributors was fine.\n"
        f"- {contents.replicas:,} problems are replicas: they add numbers rather than stories.\n"
        "- Copies are found by the letters of the question. A problem that was reworded, "
        "translated or taken from elsewhere is not detected.\n"
        "- Near copies are found by Latin letters and digits alone; questions in other scripts are "
        "not compared.\n"
        "- The topics are those of the seeds; a contributor may have written on something else.\n"
        "- Contributors are numbered, not named. Their texts are as they wrote them, and may hold "
        "personal details."
    )


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    first, *others = (f"| {' | '.join(row)} |" for row in (head, *rows))
    return "\n".join([first, "|:--" + "|--:" * (len(head) - 1) + "|", *others])


def _literal(text: str) -> str:
    """The text on one line, with its Markdown escaped."""
    return markdown_escape(" ".join(text.split()))


def _of(count: int, what: str) -> str:
    return f"{count:,} {what}" + "s" * (count != 1)
