"""The real server for the page, with the worked example in place of a model."""

import socket
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from threading import Semaphore, Thread
from time import sleep

import uvicorn
from scratchwork.serving.solving import BatchSolver, Other, Solved, Votes

from scratchwork import Problem, execute, parse_program, read_problems
from scratchwork.examples import example_path
from scratchwork.serving.app import create_app

VOTES = {"C": 0.8, "B": 0.1, "A": 0.05, "E": 0.05}
SO_FAR: tuple[Votes, ...] = ({"B": 1.0}, {"B": 0.5, "C": 0.5}, {"C": 0.7, "B": 0.2, "A": 0.1})
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
            for votes in SO_FAR:
                yield place, votes
            trace = execute(parse_program(self._program(problem)), problem)
            yield place, Solved(trace, VOTES, OTHERS)

    def _program(self, problem: Problem) -> str:
        if problem.question == self._kings.question:
            return example_path("kings.program").read_text("utf-8")
        words = [f"Id(x{k}) -> y" for k in range(1, len(problem.question.split()) + 1)]
        return "\n".join([*words, 'Id("<EOR>") -> y', 'Id("<EOS>") -> y'])


class SteppedSolver(ExampleSolver):
    """Tells the next votes, and at last the solution, whenever `go` is released."""

    def __init__(self, go: Semaphore) -> None:
        super().__init__()
        self._go = go

    def solve_many(self, problems: Sequence[Problem]) -> Iterator[tuple[int, Votes | Solved]]:
        for told in super().solve_many(problems):
            self._go.acquire()
            yield told


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
