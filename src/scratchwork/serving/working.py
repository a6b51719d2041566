"""Work that needs no model: auditing, executing, generating, in threads beside the event loop.

Promises: `Workbench.run` does a few things at a time, lets a bounded number wait, and refuses the
next with 429. What each function takes is bounded, so each ends within seconds.
"""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from scratchwork.auditing.audit import audit, numbers_to_audit
from scratchwork.errors import UserError
from scratchwork.machine.execution import execute
from scratchwork.machine.operations import EXTENDED
from scratchwork.machine.programs import parse_program
from scratchwork.problems.problem import Problem
from scratchwork.problems.rows import problem_from_row
from scratchwork.problems.tokens import source_tokens
from scratchwork.problems.typed import typed_problem
from scratchwork.serving.limits import (
    MOST_AT_WORK,
    MOST_NUMBERS,
    MOST_TOKENS,
    MOST_WAITING,
)
from scratchwork.serving.refusals import RefusalError
from scratchwork.serving.shapes import ToAudit, ToExecute, ToSolve

T = TypeVar("T")


class Workbench:
    """Runs functions in threads, a few at a time."""

    def __init__(self, at_work: int = MOST_AT_WORK, longest: int = MOST_WAITING) -> None:
        self._free = asyncio.Semaphore(at_work)
        self._most = at_work + longest
        self._count = 0

    async def run(self, function: Callable[[], T]) -> T:
        """The function's result, or RefusalError if too many wait."""
        if self._count >= self._most:
            raise RefusalError(429, "too many requests wait already; try again soon", retry=True)
        self._count += 1
        try:
            async with self._free:
                return await asyncio.to_thread(function)
        finally:
            self._count -= 1


def problem_to_solve(asked: ToSolve) -> Problem:
    """The problem, if it is well formed and not too long for a model."""
    problem = typed_problem(asked.question, asked.options)
    count = len(source_tokens(problem))
    if count > MOST_TOKENS:
        raise UserError(f"the problem has {count} tokens, more than {MOST_TOKENS}")
    return problem


def audited(asked: ToAudit) -> dict[str, Any]:
    """The audit of a derivation, with its complaints."""
    problem = problem_from_row(asked.model_dump())
    count = numbers_to_audit(problem)
    if count > MOST_NUMBERS:
        raise UserError(f"there are {count} numbers in all, more than {MOST_NUMBERS}")
    if not asked.rationale.strip():
        raise UserError("the rationale is empty")
    return audit(problem).to_json()


def executed(asked: ToExecute) -> dict[str, Any]:
    """The trace of a program."""
    problem = problem_from_row({"question": asked.question, "options": asked.options})
    return execute(parse_program(asked.program), problem, EXTENDED).to_json()
