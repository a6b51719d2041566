"""Markdown and LaTeX, as language models write them, to plain text.

Promises: what is said stays: `\\frac{a}{b}` becomes `(a)/(b)`, `\\times` becomes `×`, bold marks,
headings, code marks and formula delimiters go, numbered steps lose their numbers. A dollar sign
before an amount stays a dollar sign. Text without such marks comes back as it is.
"""

import re

_COMMANDS = {
    r"\times": "×",
    r"\cdot": "×",
    r"\div": "÷",
    r"\approx": "≈",
    r"\implies": "⇒",
    r"\Rightarrow": "⇒",
    r"\rightarrow": "→",
    r"\to": "→",
    r"\therefore": "∴",
    r"\leq": "≤",
    r"\geq": "≥",
    r"\le": "≤",
    r"\ge": "≥",
    r"\neq": "≠",
    r"\pi": "π",
    r"\sqrt": "√",
    r"\%": "%",
    r"\$": "$",
    r"\left": "",
    r"\right": "",
    r"\quad": " ",
    r"\,": " ",
    r"\;": " ",
    r"\!": "",
    r"\ ": " ",
    r"\\": "\n",
}
_COMMAND = re.compile("|".join(map(re.escape, sorted(_COMMANDS, key=len, reverse=True))))
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_BINOMIAL = re.compile(r"\\[dt]?binom\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_TEXT = re.compile(r"\\(?:text|mathrm|mathbf|boxed|operatorname)\s*\{([^{}]*)\}")
_DELIMITERS = re.compile(r"\\[()\[\]]|\$\$")
_FORMULA = re.compile(r"\$(?=\S)([^$\n]*[=\\^_+*/×÷][^$\n]*)(?<=\S)\$(?!\d)")
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_LINE_MARKS = re.compile(r"(?m)^[ \t]*(?:#{1,6}[ \t]+|>[ \t]+|[-*•][ \t]+|\d{1,2}[.)][ \t]+(?=\D))")
_STEP_NUMBER = re.compile(
    r"(?i)\b(step|part|case|method|equation|eq\.?)[ \t]+\(?\d{1,2}(?:\)|[ \t]*[:.)-](?!\d))"
)
_BRACED = re.compile(r"\{([^{}]*)\}")


def plain_text(text: str) -> str:
    """The text without markup."""
    if "\\" in text:
        text = _without_latex(text)
    text = _FORMULA.sub(r"\1", text)
    text = _BOLD.sub(r"\2", text).replace("`", "")
    text = _LINE_MARKS.sub("", text)
    return _STEP_NUMBER.sub(r"\1", text)


def _without_latex(text: str) -> str:
    for _ in range(3):  # nested as deep as anyone writes
        text = _TEXT.sub(r"\1", text)
        text = _FRACTION.sub(_fraction, text)
        text = _BINOMIAL.sub(r"\1C\2", text)
    text = _DELIMITERS.sub(" ", text)
    text = _COMMAND.sub(lambda match: _COMMANDS[match.group()], text)
    text = _BRACED.sub(r"(\1)", text)
    return text


def _fraction(match: re.Match[str]) -> str:
    sides = [side.strip() for side in match.groups()]
    written = [side if re.fullmatch(r"[0-9.,]+", side) else f"({side})" for side in sides]
    return "/".join(written)
