"""Markdown and LaTeX, as language models write them, to plain text.

Promises: what is said stays; bold marks, headings, code marks and LaTeX go, numbered steps lose
their numbers. A dollar sign before an amount stays a dollar sign. Text without such marks comes
back as it is.
"""

import re

from scratchwork.auditing.latex import without_latex

_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_LINE_MARKS = re.compile(r"(?m)^[ \t]*(?:#{1,6}[ \t]+|>[ \t]+|[-*•][ \t]+|\d{1,2}[.)][ \t]+(?=\D))")
_STEP_NUMBER = re.compile(
    r"(?i)\b(step|part|case|method|equation|eq\.?)[ \t]+\(?\d{1,2}(?:\)|[ \t]*[:.)-](?!\d))"
)


def plain_text(text: str) -> str:
    """The text without markup."""
    text = without_latex(text)
    text = _BOLD.sub(r"\2", text).replace("`", "")
    text = _LINE_MARKS.sub("", text)
    return _STEP_NUMBER.sub(r"\1", text)
