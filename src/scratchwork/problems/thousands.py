"""Commas and spaces between digits, as people type them.

Promises: `with_clear_thousands` writes `1 200` as `1,200`, where no other number stands beside it,
and `72,108` as `72, 108`, where the text lists numbers: after `the numbers` or `HCF of`, or beside
a number of four digits or more without a comma. Any other text stays as it is.

Does not cover: points between thousands (`1.000.000`), which every reader understands.
"""

import re

_SPACE = "[ \u00a0\u2009\u202f]"
_NO_NUMBER_BEFORE = r"(?<![\w.,/^+-])(?<!\d )(?<!\d[,:;] )"
_NO_NUMBER_BEHIND = r"(?![\w,]|\.\d|[ ,;]+[\d?])"
_APART = re.compile(
    rf"{_NO_NUMBER_BEFORE}[1-9]\d{{0,2}}(?:{_SPACE}\d{{3}}|(?:{_SPACE}\d{{3}})+{_SPACE}000)"
    + _NO_NUMBER_BEHIND
)
_GROUPED = r"[1-9]\d{0,2}(?:,\d{3})+"
_LISTED = re.compile(
    r"\b(?P<what>numbers|(?:h\.?c\.?f|l\.?c\.?m|g\.?c\.?d|g\.?c\.?f|median|mean|average|sum|product)\b"
    r"\.?(?: of)?(?: the numbers)?)"
    r"(?P<before>(?: are| is)?:?\s+)(?P<list>\d[\d,]*(?:(?:\s*,\s*|\s+and\s+|\s*&\s*)\d[\d,]*)*)",
    re.IGNORECASE,
)
_NEEDS_TWO = re.compile(r"numbers|[hg]\.?c\.?[fd]|l\.?c\.?m|median", re.IGNORECASE)
_NUMERAL = re.compile(r"\d[\d,]*\d|\d")


def with_clear_thousands(text: str) -> str:
    """The text with a comma in each number of some thousands, and in no other."""
    text = _APART.sub(lambda match: re.sub(_SPACE, ",", match.group()), text)
    return _LISTED.sub(_separated, text)


def _separated(match: re.Match[str]) -> str:
    """A list of numbers with a space behind each comma that separates two."""
    numerals = _NUMERAL.findall(match["list"])
    has_plain = any(len(numeral) > 3 and "," not in numeral for numeral in numerals)
    is_alone = len(numerals) == 1 and _NEEDS_TWO.match(match["what"]) is not None
    grouped = [numeral for numeral in numerals if re.fullmatch(_GROUPED, numeral)]
    if not grouped or not (has_plain or is_alone):
        return match.group()
    listed = re.sub(_GROUPED, lambda one: one.group().replace(",", ", "), match["list"])
    return f"{match['what']}{match['before']}{listed}"
