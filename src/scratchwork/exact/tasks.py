"""Whether there is anything to compute in a question.

Promises: `has_task` is false for what has no number and asks for none (`hello`, `What is the
capital of France?`), for a number, a date, a time, an address or a quantity by itself, for code,
and for what asks who, when or where. Every problem of the data sets that was looked at has a task.

Does not cover: whether the task can be solved.
"""

import re
from itertools import pairwise

from scratchwork.machine.number_words import numbers_in
from scratchwork.problems.problem import Problem
from scratchwork.problems.tokens import tokenise

_ASKING = frozenset(
    """how what which find calculate compute determine evaluate solve simplify expand factor
    factorise factorize convert estimate express many much""".split()
)
_COUNTING = frozenset("many much long far old fast often tall high wide deep heavy big".split())
_OF_NUMBERS = frozenset("sum product average mean median mode range digits primes".split())
"""What is asked of two numbers or more, even without a question mark."""
_ABOUT_OTHERS = frozenset("who whom whose when where why write tell".split())
_ADDRESS = re.compile(r"://|@\w")
_LONE_LETTER = re.compile(r"(?<![^\W\d_])[^\W\d_](?![^\W\d_])")
_INEQUALITY = re.compile(r"[<>≤≥]")
_CALCULATION = re.compile(r"\d [-+*/×÷^] \d+(?![\d.,]*\s*[^\W\d_])")
_STATEMENT = 8
"""So many words with a number tell a problem, even if they do not ask."""


def has_task(problem: Problem) -> bool:
    """Whether there is something to compute."""
    tokens = [token.lower() for token in tokenise(problem.question)]
    if any(a == "how" and b in _COUNTING for a, b in pairwise(tokens)):
        return True
    numbers = len(numbers_in(tokens))
    if problem.options:
        return numbers > 0 or any(numbers_in(tokenise(option)) for option in problem.options)
    if not numbers or _ADDRESS.search(problem.question):
        return False
    words = sum(token.isalpha() for token in tokens)
    if words >= _STATEMENT:
        return True
    if tokens[0] in _ABOUT_OTHERS:
        return False
    if numbers > 1 and any(a in _OF_NUMBERS and b == "of" for a, b in pairwise(tokens)):
        return True
    if "?" in tokens or any(token in _ASKING for token in tokens):
        # A number by itself asks nothing: "What is 7?"
        return numbers > 1 or words > 2 or "=" in tokens
    has_unknown = _LONE_LETTER.search(problem.question) is not None
    is_inequality = has_unknown and _INEQUALITY.search(problem.question) is not None
    return is_inequality or _CALCULATION.search(problem.question) is not None
