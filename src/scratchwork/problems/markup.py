"""Markdown and LaTeX, as language models write them, to plain text.

Promises: what is said stays. `plain_text` takes out bold marks, headings, code marks, LaTeX and the
numbers of numbered steps. `without_latex` turns `\\frac{3}{4}` into `3/4`, `2\\frac{1}{2}` into
`2 1/2`, `\\times` into `×`, `\\boxed{24}` into `24`, `1{,}200` into `1,200`, `x^{2}` into `x^2`,
and an aligned column of equals signs into one chain. Delimiters of formulas go: `\\( \\)`,
`\\[ \\]`, `$$ $$`, and `$ $` around what can only be a formula, so the dollar sign of `$5` stays.
Text without markup comes back unchanged. The time taken is linear in the text.

Does not cover: macros, matrices, sums and integrals. Unknown commands stay as written; groups
nested more than eight deep are not resolved.
"""

import re

_DEEPEST = 8

_SIGNS = {
    "times": "×", "cdot": "×", "ast": "×", "div": "÷", "pm": "±", "sqrt": "√", "approx": "≈",
    "simeq": "≈", "sim": "~", "neq": "≠", "ne": "≠", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥",
    "lt": "<", "gt": ">", "implies": "⇒", "Rightarrow": "⇒", "Longrightarrow": "⇒", "iff": "⇔",
    "Leftrightarrow": "⇔", "rightarrow": "→", "longrightarrow": "→", "to": "→", "therefore": "∴",
    "pi": "π", "theta": "θ", "angle": "∠", "degree": "°", "circ": "°", "infty": "∞",
    "dots": "...", "ldots": "...", "cdots": "...", "quad": " ", "qquad": " ",
}  # fmt: skip
_NAMES = "log ln sin cos tan gcd max min".split()
_SILENT = (
    "left right big Big bigg Bigg bigl bigr Bigl Bigr displaystyle textstyle inline bf rm it limits"
).split()
_WORDS = _SIGNS | {name: name for name in _NAMES} | dict.fromkeys(_SILENT, "")
_MARKS = dict.fromkeys(",;: ", " ") | {mark: mark for mark in "%$#&_{}"} | {"!": ""}

_SHOWN = (
    "text textbf textit textrm texttt textnormal emph mbox mathrm mathbf mathit mathsf boldsymbol "
    "bm boxed fbox underline overline operatorname cancel"
)
_TEXT = re.compile(rf"\\(?:{'|'.join(_SHOWN.split())})\*?[ \t]*\{{([^{{}}]*)\}}")
_SIDE = r"[ \t]*(?:\{([^{}]*)\}|([0-9A-Za-z]))"
_FRACTION = re.compile(rf"\\[dtc]?frac(?![A-Za-z]{{2}}){_SIDE}{_SIDE}")
_BINOMIAL = re.compile(rf"\\[dt]?binom{_SIDE}{_SIDE}")
_CHOICE = re.compile(r"(?:(?:\{\})?\^\{?)?([0-9]+)\}?([CP])_\{?([0-9]+)\}?")
_DEGREES = re.compile(r"\^\{?\\circ(?![A-Za-z])\}?")
_ROOT = re.compile(r"\\sqrt[ \t]*\[([0-9]+)\][ \t]*\{([^{}]*)\}")
_SQUARE_ROOT = re.compile(r"\\sqrt[ \t]*\{([^{}]*)\}")
_SCRIPT = re.compile(r"([_^])\{([^{}]*)\}")
_BRACED = re.compile(r"\{([^{}]*)\}")
_BARE = re.compile(r"[ \t]*(?:\\?\$)?(?:[0-9.,]+|[A-Za-z])(?:\\?%)?[ \t]*")
_GROUPED = re.compile(r"(?<=[0-9])(?:\{,\}|,\\!|\\,(?=[0-9]{3}(?![0-9])))(?=[0-9])")
_SETTING = re.compile(r"\\(?:begin|end|color)[ \t]*\{[^{}]*\}[ \t]*\n?")
_CHAINED = re.compile(r"\\\\(?:\[[^\]\n]*\])?\s*&?[ \t]*(?==)")
_COLUMN = re.compile(r"(?<!\\)&")
_LINE_BREAK = re.compile(r"\\\\(?:\[[^\]\n]*\])?[ \t]*\n?")
_DISPLAYED = re.compile(r"\$\$((?:\\.|[^$\\])+)\$\$", re.DOTALL)
_FORMULA = re.compile(r"(?<![\\$])\$(?=\S)((?:\\.|[^$\\\n])+)(?<=\S)\$(?![0-9$])")
_WORD = re.compile(r"[A-Za-z]{2}")
_DELIMITER = re.compile(r"\\[()]")
_DISPLAY_DELIMITER = re.compile(r"\\\[\s*|\s{0,9}\\\]")
_COMMAND = re.compile(r"\\(?:([A-Za-z]+)|([,;: !%$#&_{}]))")
_SPACES = re.compile(r"(?<=\S)[ \t]{2,}|(?<=\n)[ \t]+")
_SPACE_BEFORE_MARK = re.compile(r"(?<=\S)[ \t]+(?=[.,;?](?:\s|\Z)|\n)")

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


def without_latex(text: str) -> str:
    """The text with its formulas written plainly."""
    if "\\" not in text and "$" not in text and "{," not in text:
        return text
    bare = _DISPLAYED.sub(lambda match: f" {match[1].strip()} ", text)
    bare = _GROUPED.sub(",", _FORMULA.sub(_opened, bare))
    if "\\" not in bare and bare == text:
        return text
    bare = _DEGREES.sub("°", bare)
    if "\\begin" in bare:
        bare = _COLUMN.sub("", _CHAINED.sub(" ", bare))
    bare = _SETTING.sub("", bare)
    bare = _DISPLAY_DELIMITER.sub(" ", _LINE_BREAK.sub("\n", bare))
    bare = _DELIMITER.sub(_closed_up, bare)
    bare = _flattened(bare)
    bare = _COMMAND.sub(_spelled, bare)
    bare = _BRACED.sub(_group, bare)
    return _SPACE_BEFORE_MARK.sub("", _SPACES.sub(_one_space, bare)).strip()


def _one_space(match: re.Match[str]) -> str:
    return "" if match.string[match.start() - 1] == "\n" else " "


def _opened(match: re.Match[str]) -> str:
    """What stands between two dollar signs if it is a formula: it has its signs, or no words."""
    is_formula = any(sign in match[1] for sign in "=\\^_") or not _WORD.search(match[1])
    return match[1] if is_formula else match[0]


def _closed_up(match: re.Match[str]) -> str:
    """A delimiter goes, but does not join two words."""
    text, start, end = match.string, match.start(), match.end()
    before, after = text[max(start - 1, 0) : start], text[end : end + 1]
    return " " if before.isalnum() and after.isalnum() else ""


def _flattened(text: str) -> str:
    """The text with commands that take groups resolved, from the inside out."""
    for _ in range(_DEEPEST):
        before = text
        text = _TEXT.sub(r"\1", text)
        text = _CHOICE.sub(r"\1\2\3", text)
        text = _ROOT.sub(r"(\2)^(1/\1)", text)
        text = _SQUARE_ROOT.sub(r"√(\1)", text)
        text = _SCRIPT.sub(_script, text)
        text = _FRACTION.sub(_fraction, text)
        text = _BINOMIAL.sub(lambda match: "C".join(_sides(match)), text)
        if text == before:
            break
    return text


def _sides(match: re.Match[str]) -> list[str]:
    """Two arguments, in brackets unless they are a number or a letter alone."""
    sides = [match[1] or match[2] or "", match[3] or match[4] or ""]
    return [side.strip() if _BARE.fullmatch(side) else f"({side.strip()})" for side in sides]


def _fraction(match: re.Match[str]) -> str:
    written = "/".join(_sides(match))
    before = match.string[max(match.start() - 8, 0) : match.start()].rstrip()
    if before.endswith(("\\div", "÷", "/")):
        return f"({written})"
    # Behind a number it is the rest of a mixed one.
    return f" {written}" if match.string[match.start() - 1 : match.start()].isdigit() else written


def _script(match: re.Match[str]) -> str:
    is_bare = re.fullmatch(r"\w+", match[2]) is not None
    return match[1] + (match[2] if is_bare else f"({match[2]})")


def _spelled(match: re.Match[str]) -> str:
    name, mark = match.groups()
    return _MARKS[mark] if name is None else _WORDS.get(name, match[0])


def _group(match: re.Match[str]) -> str:
    return match[1] if _BARE.fullmatch(match[1]) else f"({match[1].strip()})"
