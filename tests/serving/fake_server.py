"""A solver that needs no model, and a server with it: `python fake_server.py SECONDS PORT`."""

import sys
import time
from collections.abc import Iterator, Sequence

from scratchwork import Problem, execute, parse_program
from scratchwork.serving.app import create_app
from scratchwork.serving.running import run
from scratchwork.serving.solving import Other, Solved, Votes

ENDING = 'Id("<EOR>") -> y\n{}Id("<EOS>") -> y\n'


class FakeSolver:
    """Answers B with the question's first token, after a while."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.batches: list[int] = []

    def solve_many(self, problems: Sequence[Problem]) -> Iterator[tuple[int, Votes | Solved]]:
        self.batches.append(len(problems))
        if any("defect" in problem.question for problem in problems):
            raise ZeroDivisionError
        for place in range(len(problems)):
            yield place, {"A": 1.0}
        time.sleep(self.seconds)
        for place, problem in enumerate(problems):
            letter = 'Id("B") -> y\n' if problem.options else ""
            program = parse_program("Id(x1) -> y\n" + ENDING.format(letter))
            others = (Other("A", "a guess", 0.25),)
            yield place, Solved(execute(program, problem), {"B": 0.75, "A": 0.25}, others)


if __name__ == "__main__":
    seconds, port = float(sys.argv[1]), int(sys.argv[2])
    run(create_app(lambda: FakeSolver(seconds), model="fake"), "127.0.0.1", port)
