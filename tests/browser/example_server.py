"""The real server for the page, with the worked example in place of a model."""

import socket
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from threading import Thread
from time import sleep

import uvicorn

from scratchwork import Problem, execute, parse_program, read_problems
from scratchwork.examples import example_path
from scratchwork.serving.app import create_app
from scratchwork.serving.solving import BatchSolver, Other, Solved, Votes

VOTES = {"C": 0.8, "B": 0.1, "A": 0.05, "E": 0.05}
OTHERS = (
    Other("B", "Two of 52 cards are kings\nP = 2/52\nAnswer is B", 0.1),
    Other("A", "Answer is A", 0.05),
)


class ExampleSolver:
    """Knows the solution of one problem, and answers any other by repeating its first words."""

    def __init__(self) -> None:
        self._kings = next(read_problems(example_path("kings.json")))

    def solve_many(self, problems: Sequence[Problem]) -> Iterator[tuple[int, Votes | Solved]]:
        for place, problem in enumerate(problems):
            yield place, {"C": 1.0}
            yield place, {"C": 0.5, "B": 0.5}
            trace = execute(parse_program(self._program(problem)), problem)
            yield place, Solved(trace, VOTES, OTHERS)

    def _program(self, problem: Problem) -> str:
        if problem.question == self._kings.question:
            return example_path("kings.program").read_text("utf-8")
        words = [f"Id(x{k}) -> y" for k in range(1, len(problem.question.split()) + 1)]
        return "\n".join([*words, 'Id("<EOR>") -> y', 'Id("<EOS>") -> y'])


@contextmanager
def serving(
    load: Callable[[], BatchSolver] | None = ExampleSolver, token: str | None = None
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
