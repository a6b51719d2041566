"""Why a question has no value, in one sentence.

Promises: every error of the machine becomes a sentence about the question.
"""

from scratchwork.machine.execution import ExecutionError


class NoValueError(Exception):
    """There is no value; the message is the sentence that says why."""


class BeyondError(Exception):
    """The question asks for something that is not covered here."""


def sentence_for(error: ExecutionError) -> str:
    """An error of the machine as a sentence about the question."""
    reason = error.reason
    if error.kind == "range":
        return f"The number is too large, or too near to zero, to be computed exactly: {reason}."
    if "division by zero" in reason or reason.startswith("zero to"):
        return "There is no value: nothing can be divided by zero."
    if "square root of" in reason:
        return f"There is no value: {reason} is not real."
    if reason.startswith("no number makes"):
        return f"There is no solution: {reason}."
    if reason.startswith("every number"):
        return f"There is not one solution: {reason}."
    if "power" in reason and "unknown" in reason:
        return f"Equations of degree 1 and 2 are solved, and here {reason}."
    return f"There is no value: {reason}."
