"""The form of what people write: problems, names and reasons.

Promises: `written_problem` gives a problem with a question, exactly five options that differ, a
rationale and the letter of an option, all within their bounds, or raises `ProblemError` with one
sentence. Texts stay as written, except that line breaks become `\\n` and the white
space around an option goes, as the readers drop it. Control characters other than line
breaks and tabs are refused.

Does not cover: markup. It is text like any other here; pages must escape it.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from scratchwork.collecting.schema import MOST_IN_NAME, MOST_IN_OPTION, MOST_IN_TEXT, JsonObject
from scratchwork.errors import UserError
from scratchwork.problems.numerals import NumeralError, read_number, read_thousands, write_number
from scratchwork.problems.problem import LETTERS, Problem, ProblemError
from scratchwork.problems.rows import problem_from_row
from scratchwork.problems.tokens import is_number, tokenise

OPTION_COUNT = 5
_FIELDS = ("question", "options", "rationale", "correct")
_MOST_KEPT = 100_000


def written_problem(row: object) -> Problem:
    """The problem of a row that a person wrote; fields other than the four are ignored."""
    if not isinstance(row, Mapping):
        raise ProblemError("a problem must be an object with a question")
    fields = cast(Mapping[str, Any], row)
    problem = problem_from_row({name: fields.get(name) for name in _FIELDS})
    rationale = problem.rationale or ""
    if not rationale.strip():
        raise ProblemError("the rationale is empty")
    if len(problem.options) != OPTION_COUNT:
        raise ProblemError(f"there must be five options, not {len(problem.options)}")
    if problem.correct is None:
        raise ProblemError("the letter of the right option is missing")
    options = tuple(
        checked_text(option, f"option {letter}", MOST_IN_OPTION).strip()
        for letter, option in zip(problem.letters, problem.options, strict=True)
    )
    for one, other in repeated_options(options):
        raise ProblemError(f"options {one} and {other} are the same")
    return replace(
        problem,
        question=checked_text(problem.question, "the question", MOST_IN_TEXT),
        options=options,
        rationale=checked_text(rationale, "the rationale", MOST_IN_TEXT),
    )


def repeated_options(options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The letters of options that say the same, each with the first that says it."""
    keys: dict[str, str] = {}
    for letter, option in zip(LETTERS, options, strict=False):
        if option.strip():
            first = keys.setdefault(answer_key(option), letter)
            if first != letter:
                yield first, letter


def checked_text(text: str, what: str, most: int) -> str:
    """The text with its line breaks as `\\n`; ProblemError if it is too long or not plain text."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > most:
        raise ProblemError(f"{what} has {len(text)} characters, more than {most}")
    for character in text:
        if unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\t":
            raise ProblemError(
                f"{what} holds a control character (U+{ord(character):04X}); remove it"
            )
    return text


def checked_name(name: str, what: str = "the name") -> str:
    """A name, on one line, without white space around it."""
    name = checked_text(name, what, MOST_IN_NAME).strip()
    if not name:
        raise UserError(f"{what} is empty")
    if "\n" in name or "\t" in name:
        raise UserError(f"{what} must be on one line")
    return name


def kept_row(row: object) -> JsonObject:
    """What of a row that was sent back is kept: its four fields, texts beyond all bounds cut."""
    if not isinstance(row, Mapping):
        return {"sent": repr(row)[:_MOST_KEPT]}
    fields = cast(Mapping[str, Any], row)
    return {name: _cut(fields[name]) for name in _FIELDS if name in fields}


def _cut(content: object) -> object:
    if isinstance(content, str):
        return content[:_MOST_KEPT]
    if isinstance(content, list | tuple):
        listed = list(cast(list[object], content))[:20]
        return [c[:_MOST_KEPT] if isinstance(c, str) else repr(c)[:_MOST_KEPT] for c in listed]
    return None if content is None else repr(content)[:_MOST_KEPT]


def answer_key(option: str) -> str:
    """What distinguishes options: their words and the values of their numbers."""
    return " ".join(_number_key(token) for token in tokenise(option.casefold()) if token != "\n")


def numbers_of(question: str) -> Counter[str]:
    """The numbers of a question by value, with how often each occurs."""
    return Counter(_number_key(token) for token in tokenise(question) if is_number(token))


def _number_key(token: str) -> str:
    if not is_number(token):
        return token
    for read in (read_number, read_thousands):
        try:
            return write_number(read(token))
        except NumeralError:
            continue
    return token
