"""The audit of a problem: in sentences while it is written, in figures when it is stored.

Promises: `remarks_on` takes a form that may be incomplete, and says what it can: where every number
comes from, which equations are false, whether the letter follows, which options repeat, whether
the rationale states another letter than the chosen one. No text makes it fail; what cannot be
audited is said in a sentence.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from scratchwork.auditing.audit import Audit, audit, numbers_to_audit, stated_letter
from scratchwork.collecting.forms import repeated_options
from scratchwork.collecting.schema import JsonObject
from scratchwork.problems.problem import Problem, ProblemError
from scratchwork.problems.rows import problem_from_row
from scratchwork.serving.limits import MOST_NUMBERS

_LOG = logging.getLogger("scratchwork.collecting")
_FAILED = "the audit failed"


@dataclass(frozen=True, slots=True)
class Remarks:
    """The audit's remarks on a problem."""

    audit: JsonObject | None
    """Numbers and equations, as `Audit.to_json` has them; None if there is nothing to audit."""
    sentences: tuple[str, ...]
    """Other faults: of the letter or the options, or a text that cannot be audited."""

    def as_json(self) -> JsonObject:
        """The remarks as an object of stable form."""
        return {"audit": self.audit, "sentences": list(self.sentences)}


def remarks_on(
    question: str, options: Sequence[str], rationale: str, correct: str | None
) -> Remarks:
    """Remarks on a problem that may be incomplete; empty options are not written yet.

    Without all its options a problem is audited as if it had none.
    """
    said = [f"Options {one} and {other} are the same." for one, other in repeated_options(options)]
    if not question.strip() or not rationale.strip():
        return Remarks(None, tuple(said))
    row: JsonObject = {"question": question, "rationale": rationale}
    if all(option.strip() for option in options):
        row |= {"options": list(options), "correct": correct}
    try:
        problem = problem_from_row(row)
    except ProblemError as error:
        return Remarks(None, (*said, _sentence(str(error))))
    audited = _audited(problem)
    if isinstance(audited, str):
        return Remarks(None, (*said, _sentence(audited)))
    if other := _other_letter(audited):
        said.append(f"The rationale states {other}, but {problem.correct} is chosen.")
    if audited.answer is not None and audited.answer.why:
        said.append(audited.answer.why)
    return Remarks(audited.to_json(), tuple(said))


def audit_figures(problem: Problem) -> JsonObject:
    """The figures of a rationale's audit; a text that cannot be audited is stored all the same."""
    audited = _audited(problem)
    if isinstance(audited, str):
        return {"left_out": audited}
    follows = None if audited.answer is None else audited.answer.follows
    return {
        "numbers": len(audited.numbers),
        "unsupported": sum(number.status == "unsupported" for number in audited.numbers),
        "false_equations": len(audited.false_equations),
        "letter_follows": False if _other_letter(audited) else follows,
    }


def _audited(problem: Problem) -> Audit | str:
    """The audit, or why there is none."""
    try:
        count = numbers_to_audit(problem)
        if count > MOST_NUMBERS:
            return f"there are {count} numbers in all, more than {MOST_NUMBERS}"
        return audit(problem)
    except ProblemError as error:
        return str(error)
    except Exception:
        _LOG.exception("the audit failed on a problem that somebody wrote")
        return _FAILED


def _other_letter(audited: Audit) -> str | None:
    """The letter that the rationale states, if another one was chosen."""
    problem = audited.problem
    if problem.correct is None:
        return None
    stated = stated_letter(list(audited.tokens), problem.letters)
    return stated if stated not in (None, problem.correct) else None


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
