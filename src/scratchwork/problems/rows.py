"""Rows (dicts, as JSON or a table gives them) to problems and back.

Promises: a row in the columns of the AQuA release and of the Hugging Face `deepmind/aqua_rat`
dataset (question, options, rationale, correct) or of MathQA (Problem, Rationale, options as one
string, correct, linear_formula) becomes a `Problem`, fields it does not know being kept; anything
else raises `ProblemError`, and so does a field that could not be written again. Missing options
with a missing letter make a free-form problem. `row_from_problem` gives AQuA's form, which reads
back to an equal problem; `write_problems` writes it as JSON lines, the same bytes for the same
problems.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from scratchwork.errors import quoted
from scratchwork.files import json_lines_file
from scratchwork.problems.problem import LETTERS, Problem, ProblemError

_LABEL = re.compile(r"\s*([A-Ja-j])\s*\)\s*")
_MATHQA_LABEL = re.compile(r"(?:^|,)\s*([a-j])\s*\)")
_MOST_LEVELS = 50
"""Of lists and objects inside each other in a field that is only kept."""
_ENCODER = json.JSONEncoder(ensure_ascii=False)
_LARGEST_ID = 10**40
_AQUA_FIELDS = frozenset({"id", "question", "options", "rationale", "correct", "origin"})
_MATHQA_FIELDS = frozenset({"id", "Problem", "Rationale", "options", "correct", "origin"})


def problem_from_row(row: object, default_id: str = "") -> Problem:
    """The problem of one row, whose columns tell which form it has."""
    if not isinstance(row, Mapping):
        raise ProblemError("a row must be an object with a question")
    fields = cast(Mapping[str, Any], row)
    mathqa = "Problem" in fields and "question" not in fields
    question = _text(fields, "Problem" if mathqa else "question")
    if question is None:
        raise ProblemError("there is no question")
    options = _options(fields.get("options"))
    known = _MATHQA_FIELDS if mathqa else _AQUA_FIELDS
    extra = {name: content for name, content in fields.items() if name not in known}
    _check_extra(extra)
    return Problem(
        question=question,
        options=options,
        rationale=_text(fields, "Rationale" if mathqa else "rationale"),
        correct=_letter(fields),
        id=_id(fields, default_id),
        origin=_text(fields, "origin") or ("mathqa" if mathqa else None),
        extra=extra,
    )


def row_from_problem(problem: Problem) -> dict[str, Any]:
    """The problem as a row of AQuA's form."""
    row: dict[str, Any] = {"id": problem.id} if problem.id else {}
    row["question"] = problem.question
    if problem.options:
        row["options"] = [
            f"{letter}){option}"
            for letter, option in zip(problem.letters, problem.options, strict=True)
        ]
    for name in ("rationale", "correct", "origin"):
        content = getattr(problem, name)
        if content is not None:
            row[name] = content
    return row | dict(problem.extra)


def problem_line(problem: Problem) -> bytes:
    """A problem as one line of JSON."""
    return json.dumps(row_from_problem(problem), ensure_ascii=False).encode("utf-8") + b"\n"


def write_problems(path: Path, problems: Iterable[Problem]) -> int:
    """Write the problems, compressed if the name ends in `.gz`, and say how many there were."""
    count = 0
    with json_lines_file(path) as file:
        for problem in problems:
            file.write(problem_line(problem))
            count += 1
    return count


def _check_extra(extra: Mapping[str, Any]) -> None:
    """Refuse what could be read, but not be written again."""
    for name, content in extra.items():
        try:
            if _is_too_deep(content, _MOST_LEVELS):
                raise ProblemError(f"the field {quoted(name)} is nested too deeply")
            _ENCODER.encode({name: content}).encode("utf-8")
        except UnicodeEncodeError:
            fault = "holds half a character (a lone surrogate)"
            raise ProblemError(f"the field {quoted(name)} {fault}") from None
        except (TypeError, ValueError):
            raise ProblemError(f"the field {quoted(name)} cannot be written as JSON") from None


def _is_too_deep(content: object, levels: int) -> bool:
    if isinstance(content, Mapping):
        content = list(cast(Mapping[Any, Any], content).values())
    if not isinstance(content, list | tuple):
        return False
    inner = cast(Sequence[object], content)
    return levels == 0 or any(_is_too_deep(item, levels - 1) for item in inner)


def _text(fields: Mapping[str, Any], name: str) -> str | None:
    content = fields.get(name)
    if content is None:
        return None
    if not isinstance(content, str):
        raise ProblemError(f"{name} is not a text")
    if not content.isascii():
        try:
            content.encode("utf-8")
        except UnicodeEncodeError:
            raise ProblemError(f"{name} holds half a character (a lone surrogate)") from None
    return content


def _id(fields: Mapping[str, Any], default: str) -> str:
    content = fields.get("id")
    if isinstance(content, int) and not isinstance(content, bool):
        if abs(content) >= _LARGEST_ID:
            raise ProblemError("the id is a number of more than 40 digits")
        return str(content)
    return _text(fields, "id") or default


def states_id(row: object) -> bool:
    """Whether the row has an id of its own."""
    return isinstance(row, Mapping) and cast(Mapping[str, Any], row).get("id") not in (None, "")


def _letter(fields: Mapping[str, Any]) -> str | None:
    letter = _text(fields, "correct")
    return letter.strip().upper() or None if letter is not None else None


def _options(content: object) -> tuple[str, ...]:
    if content is None:
        return ()
    if isinstance(content, str):
        return _mathqa_options(content)
    if not isinstance(content, Sequence):
        raise ProblemError("options is not a list of texts")
    listed = list(cast(Sequence[Any], content))
    texts = [_text({"options": option}, "options") for option in listed]
    if any(text is None for text in texts):
        raise ProblemError("options is not a list of texts")
    return _without_labels(cast(list[str], texts))


def _without_labels(options: list[str]) -> tuple[str, ...]:
    """The options' texts; each has the label of its place (`A)`, `A )`), or none has a label."""
    labels = [_LABEL.match(option) for option in options]
    having = ["-" if label is None else label[1].upper() for label in labels]
    if all(label == "-" for label in having):
        return tuple(options)
    if having != list(LETTERS[: len(options)]) and len(options) <= len(LETTERS):
        raise ProblemError(f"the options are labelled {', '.join(having)}, not A, B, C, ...")
    return tuple(
        option[label.end() :] if label else option
        for option, label in zip(options, labels, strict=True)
    )


def _mathqa_options(text: str) -> tuple[str, ...]:
    """The options of `a ) 38 , b ) 27.675 , c ) 30`; also of a list printed as one string."""
    stripped = text.strip().removeprefix("[").removesuffix("]").replace("'", "")
    if not stripped:
        return ()
    labels = list(_MATHQA_LABEL.finditer(stripped))
    if not labels or stripped[: labels[0].start()].strip():
        raise ProblemError("options is a text, but not of the form a ) 38 , b ) 27 , ...")
    having = [label[1].upper() for label in labels[: len(LETTERS) + 1]]
    if having != list(LETTERS[: len(labels)]):
        raise ProblemError(f"the options are labelled {', '.join(having)}, not a, b, c, ...")
    ends = [label.start() for label in labels[1:]] + [len(stripped)]
    return tuple(
        stripped[label.end() : end].strip(" ,") for label, end in zip(labels, ends, strict=True)
    )
