"""The options of a problem that was typed or pasted whole.

Promises: `without_options` takes a list of options from the end of a text: labelled (`A) 9 B) 7`),
after a heading (`Options: 9, 7`), on lines of their own after the question, or with commas behind
it. What does not look like such a list stays in the question: a single label, an equation on a line
of its own, lines with words of courtesy, labels within a story.

Does not cover: more than ten options, or options in several lines each.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from scratchwork.problems.problem import MOST_OPTIONS

_LONGEST = 120
_LABEL = re.compile(
    r"(^|[\s,;:?.])(?:\(([A-Ja-j])\)|\[([A-Ja-j])\]|([A-Ja-j])\s?\)|([A-J])[.:](?=\s))\s*"
)
_LINE_LABEL = re.compile(r"^\s*(?:[-*•](?=\s)|\(?[a-jA-J1-9][).:])\s+")
_HEADING = re.compile(r"(?:^|\s)(?:answer\s+)?(?:options|choices)\s*(?:are)?\s*:\s*", re.IGNORECASE)
_BEHIND_QUESTION = re.compile(r"(.*\?)\s*([^?]+)", re.DOTALL)
_BETWEEN = re.compile(r";|,(?!\d{3}(?!\d))|,(?=\s)")
_VALUE = re.compile(r"[-−+$£€₹]*\s?[\d.,/½¼¾π√%]+(?:\s?[^\W\d_]+)?")
"""A number with its sign, its currency and a unit."""


class Separated(NamedTuple):
    """A question and its options."""

    question: str
    options: list[str]


def without_options(text: str) -> Separated:
    """The question without its options, and their texts."""
    plain = text.replace("\r\n", "\n").strip()
    attempts: tuple[Callable[[str], Separated | None], ...] = (
        _by_labels, _by_heading, _by_lines, _by_commas,
    )  # fmt: skip
    for attempt in attempts:
        found = attempt(plain)
        if found is not None and _is_plausible(found):
            return found
    return Separated(text, [])


def _is_plausible(found: Separated) -> bool:
    is_list = 2 <= len(found.options) <= MOST_OPTIONS
    return bool(found.question) and is_list and all(0 < len(o) <= _LONGEST for o in found.options)


def _by_labels(text: str) -> Separated | None:
    """The last run of labels that begins with A, if nothing is asked behind it."""
    labels = [
        (str(next(filter(None, m.groups()[1:]))).upper(), m.end(1), m.end())
        for m in _LABEL.finditer(text)
    ]
    for first in reversed([k for k, label in enumerate(labels) if label[0] == "A"]):
        run: list[tuple[str, int, int]] = []
        for label in labels[first:]:
            if label[0] == chr(ord("A") + len(run)):
                run.append(label)
        if len(run) < 2:
            continue
        ends = [*(start for _, start, _ in run[1:]), len(text)]
        options = [_tidy(text[end:stop]) for (_, _, end), stop in zip(run, ends, strict=True)]
        question = _HEADING.sub("", text[: run[0][1]]).strip()
        return None if "?" in options[-1] else Separated(question, options)
    return None


def _by_heading(text: str) -> Separated | None:
    """`Options: 9, 7, 12`, or a line for each."""
    headings = list(_HEADING.finditer(text))
    if not headings:
        return None
    rest = text[headings[-1].end() :]
    options = _lines(rest) if "\n" in rest else _at_commas(rest)
    return Separated(text[: headings[-1].start()].strip(), options)


def _by_lines(text: str) -> Separated | None:
    """Lines that are values, behind the line with the question."""
    lines = [line.strip() for line in text.split("\n")]
    asked = [k for k, line in enumerate(lines) if line.endswith("?")]
    if not asked:
        return None
    options = _lines("\n".join(lines[asked[-1] + 1 :]))
    if not all(_VALUE.fullmatch(option) for option in options):
        return None
    return Separated("\n".join(lines[: asked[-1] + 1]).strip(), options)


def _by_commas(text: str) -> Separated | None:
    """A last line such as `9, 7, 12, 14`."""
    match = _BEHIND_QUESTION.fullmatch(text)
    options = _at_commas(match[2]) if match else []
    is_list = len(options) > 2 and all(_VALUE.fullmatch(option) for option in options)
    return Separated(match[1].strip(), options) if match and is_list else None


def _lines(text: str) -> list[str]:
    return [tidy for line in text.split("\n") if (tidy := _tidy(_LINE_LABEL.sub("", line)))]


def _at_commas(text: str) -> list[str]:
    """Parts between commas or semicolons; the comma of `1,000` joins."""
    return [tidy for part in _BETWEEN.split(text) if (tidy := _tidy(part))]


def _tidy(text: str) -> str:
    return re.sub(r"[\s,;]+$", "", re.sub(r"\s+", " ", text)).strip()
