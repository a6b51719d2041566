"""A search that needs no model, and a server with it: `python fake_server.py SECONDS PORT`."""

import math
import sys
import time
from collections.abc import Iterator, Sequence

from scratchwork import Problem, Solution, execute, parse_program
from scratchwork.serving.app import create_app
from scratchwork.serving.running import run
from scratchwork.solution import Candidate, Progress

ENDING = 'Id("<EOR>") -> y\n{}Id("<EOS>") -> y\n'


def candidate(
    problem: Problem, program: str, letter: str, share: float, guess: bool = False
) -> Candidate:
    """A program that ends in a letter, if the problem has options."""
    ending = ENDING.format(f'Id("{letter}") -> y\n' if problem.options else "")
    trace = execute(parse_program(program + ending), problem)
    return Candidate(trace, math.log(share), guess)


class FakeSolver:
    """Answers B with the question's first token, after a while; A is a guess."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.batches: list[int] = []

    def steps(self, problems: Sequence[Problem]) -> Iterator[Progress]:
        self.batches.append(len(problems))
        if any("defect" in problem.question for problem in problems):
            raise ZeroDivisionError
        guesses = [candidate(problem, "", "A", 0.25, guess=True) for problem in problems]
        for place, guess in enumerate(guesses):
            yield Progress(place, Solution((guess,)), False)
        time.sleep(self.seconds)
        for place, problem in enumerate(problems):
            best = candidate(problem, "Id(x1) -> y\n", "B", 0.75)
            yield Progress(place, Solution((best, guesses[place])), True)


if __name__ == "__main__":
    seconds, port = float(sys.argv[1]), int(sys.argv[2])
    run(create_app(lambda: FakeSolver(seconds), model="fake"), "127.0.0.1", port)
