"""Write docs/topics.md: every topic of the bank with one generated example.

    python scripts/write_topics_page.py [--check]

With --check nothing is written; the exit code is 1 if the page is not what would be written.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from scratchwork import Problem
from scratchwork.families.family import Family
from scratchwork.families.generator import generate_one
from scratchwork.families.loading import load_families

PAGE = Path(__file__).parent.parent / "docs" / "topics.md"
SEED = 2017


def page() -> str:
    """The text of the page."""
    return "\n".join(_lines(load_families())) + "\n"


def _lines(families: tuple[Family, ...]) -> Iterator[str]:
    topics: dict[str, list[Family]] = {}
    for family in families:
        topics.setdefault(family.topic, []).append(family)
    yield "# Topics"
    yield ""
    yield (
        f"The bank has {len(families)} families in {len(topics)} topics. This page is generated: "
        f"one problem of each topic, with seed {SEED} (`python scripts/write_topics_page.py`). "
        "[families.md](families.md) tells how to write your own."
    )
    for topic, members in topics.items():
        yield ""
        yield f"## {topic}"
        yield ""
        yield f"{len(members)} families: {', '.join(f'`{family.name}`' for family in members)}."
        yield ""
        yield from _example(generate_one(members, SEED, len(members)).problem)


def _example(problem: Problem) -> Iterator[str]:
    options = zip(problem.letters, problem.options, strict=True)
    yield "```text"
    yield problem.question
    yield "   ".join(f"{letter}) {option}" for letter, option in options)
    yield ""
    yield problem.rationale or ""
    yield "```"


def main() -> int:
    """Write or check the page."""
    text = page()
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.exists() and PAGE.read_text("utf-8") == text else 1
    PAGE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
