"""Repairing MathQA's text: lower-cased, pre-split, and in places decoded wrongly.

Promises: `normalise` changes only problems or parts of `origin` "mathqa"; the rest comes back as
it is. It closes fractions (`1 / 30` becomes `1/30`) in question, options and rationale; repairs
characters that were UTF-8 read as Windows-1252, lower-cased and split (`â € ”` becomes `—`, also
when that happened twice); and upper-cases the letter a rationale closes with (`answer : b`). The
origin stays. Normalising twice changes nothing more.

Does not cover: lost exponents (`x 2`), lost letters, capital letters in general.
"""

import re
from dataclasses import replace
from functools import cache

from scratchwork.problems.problem import Problem

MATHQA = "mathqa"

_REPAIRED = "–—‘’“”„…•×÷±°²³¹·½¼¾√∞≈≠≤≥≡∴∵∠∆∩∪∈∑∏∫→←↑↓⇒⇔−∗⋅⁄π€£¥₹‹›«»¢µ⁰⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉"
_SPACED_FRACTION = re.compile(r"(?<![\w./])(?<!/ )([0-9]+) / ([0-9]+)(?![\w./]|\.[0-9]| /)")
_ANSWER_WORD = (
    r"(?:^|\s)(?:answer|ans|option|choice|correct)(?: is| :| =| -|:)*(?: option)?(?: \()? ?"
)
_NAMED_LETTER = re.compile(
    rf"(?P<before>{_ANSWER_WORD})(?P<letter>[a-j])(?P<after>(?: \)[^A-Za-z]{{0,40}})?(?: \.)*\s*)$"
)
_BARE_LETTER = re.compile(r"(?P<before> )(?P<letter>[a-j])(?P<after>(?: \))?(?: \.)*\s*)$")


def normalise(problem: Problem) -> Problem:
    """The problem with MathQA's text repaired."""
    text_is_mathqa = problem.origin == MATHQA
    rationale_is_mathqa = text_is_mathqa or problem.extra.get("rationale_origin") == MATHQA
    if not rationale_is_mathqa:
        return problem
    rationale = problem.rationale
    if rationale is not None:
        rationale = _raise_closing_letter(repair_text(rationale), problem.correct)
    if not text_is_mathqa:
        return replace(problem, rationale=rationale)
    return replace(
        problem,
        question=repair_text(problem.question),
        options=tuple(repair_text(option) for option in problem.options),
        rationale=rationale,
    )


def repair_text(text: str) -> str:
    """A text with its characters repaired and its fractions closed."""
    if not text.isascii():
        pattern, repairs = _mojibake()
        text = pattern.sub(lambda match: repairs[match.group().replace(" ", "")], text)
    return _SPACED_FRACTION.sub(r"\1/\2", text)


def _raise_closing_letter(rationale: str, correct: str | None) -> str:
    """Upper-case the last letter where an answer is named, or where it is the correct one."""
    match = _NAMED_LETTER.search(rationale)
    if match is None:
        match = _BARE_LETTER.search(rationale)
        if match is None or match["letter"].upper() != correct:
            return rationale
    at = match.start("letter")
    return rationale[:at] + match["letter"].upper() + rationale[at + 1 :]


@cache
def _mojibake() -> tuple[re.Pattern[str], dict[str, str]]:
    """What every character of `_REPAIRED` turns into, with spaces allowed between its pieces."""
    repairs: dict[str, str] = {}
    for character in _REPAIRED:
        once = _misread(character)
        twice = _misread(once)
        # The longer forms win below; a form of one piece would be an ordinary letter.
        repairs[once.lower()] = character
        repairs[twice.lower()] = character
    forms = sorted(repairs, key=len, reverse=True)
    pattern = "|".join(" ?".join(map(re.escape, form)) for form in forms)
    return re.compile(pattern), repairs


def _misread(text: str) -> str:
    """UTF-8 read as Windows-1252; its five unused bytes are read as control characters."""
    return "".join(
        bytes([byte]).decode("cp1252", errors="ignore") or chr(byte)
        for byte in text.encode("utf-8")
    )
