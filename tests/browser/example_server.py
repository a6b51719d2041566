"""The real server for the page, with the worked example in place of a model."""

import json
import math
import socket
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Semaphore, Thread
from time import sleep

import uvicorn

from scratchwork import Problem, Solution, execute, parse_program, read_problems
from scratchwork.exact.answering import solution_without_model
from scratchwork.examples import example_path
from scratchwork.serving.app import create_app
from scratchwork.serving.queueing import Solves
from scratchwork.solution import Candidate, Progress

VOTES = {"C": 0.8, "B": 0.1, "A": 0.05, "E": 0.05}
SO_FAR: tuple[Mapping[str, float], ...] = (
    {"B": 1.0},
    {"B": 0.5, "C": 0.5},
    {"C": 0.7, "B": 0.2, "A": 0.1},
)
RATIONALES = {
    "B": ["Two of 52 cards are kings", "\n", "P = 2/52", "\n", "Answer is B"],
    "A": ["Answer is A"],
}
TIED = "Which of these is it?"
"""A question whose answer is a guess, with as many votes for another option."""


class ExampleSolver:
    """Knows the solution of one problem, guesses another, and answers any other by repeating its
    first words."""

    def __init__(self) -> None:
        self._kings = next(read_problems(example_path("kings.json")))

    def steps(self, problems: Sequence[Problem]) -> Iterator[Progress]:
        for place, problem in enumerate(problems):
            for votes in SO_FAR:
                yield Progress(place, Solution(tuple(stating(problem, votes))), False)
            yield Progress(place, Solution(tuple(self._candidates(problem))), True)

    def _candidates(self, problem: Problem) -> Iterator[Candidate]:
        if problem.question == TIED:
            yield from stating(problem, {"A": 0.5, "B": 0.5}, guess=True)
        elif problem.question == self._kings.question:
            trace = execute(
                parse_program(example_path("kings.program").read_text("utf-8")), problem
            )
            yield Candidate(trace, math.log(VOTES["C"]))
            yield from stating(problem, {letter: VOTES[letter] for letter in "BAE"})
        else:
            words = range(1, len(problem.question.split()) + 1)
            yield candidate(problem, [f"Id(x{k}) -> y" for k in words], None, 1.0)


def stating(
    problem: Problem, votes: Mapping[str, float], guess: bool = False
) -> Iterator[Candidate]:
    """Programs that state their letters, with these votes."""
    for letter, share in votes.items():
        words = [
            word
            for part in ([] if guess else RATIONALES.get(letter, []))
            for word in (["\n"] if part == "\n" else part.split())
        ]
        yield candidate(problem, [f"Id({json.dumps(w)}) -> y" for w in words], letter, share, guess)


def candidate(
    problem: Problem, lines: list[str], letter: str | None, share: float, guess: bool = False
) -> Candidate:
    """A program that ends in a letter, if it is one of the problem's."""
    ending = ["<EOR>", *([letter] if letter else []), "<EOS>"]
    program = "\n".join([*lines, *(f'Id("{word}") -> y' for word in ending)])
    return Candidate(execute(parse_program(program), problem), math.log(share), guess)


class WithoutModel:
    """Computes what is mathematics, and refuses what has nothing to compute."""

    def steps(self, problems: Sequence[Problem]) -> Iterator[Progress]:
        for place, problem in enumerate(problems):
            solution = solution_without_model(problem)
            assert solution is not None
            yield Progress(place, solution, True)


class SteppedSolver(ExampleSolver):
    """Tells the next votes, and at last the solution, whenever `go` is released."""

    def __init__(self, go: Semaphore) -> None:
        super().__init__()
        self._go = go

    def steps(self, problems: Sequence[Problem]) -> Iterator[Progress]:
        for told in super().steps(problems):
            self._go.acquire()
            yield told


@contextmanager
def serving(
    load: Callable[[], Solves] | None = ExampleSolver, token: str | None = None
) -> Generator[str]:
    """The server on a port of its own; its address."""
    listening = socket.create_server(("127.0.0.1", 0))
    app = create_app(load, model="example", token=token)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2))
    thread = Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    while not server.started:
        sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
