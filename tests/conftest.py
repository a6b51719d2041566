"""What all tests share: where the data is, and the worked example."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from scratchwork import Problem, Program, Trace, execute, parse_program, read_problems
from scratchwork.examples import example_path

settings.register_profile("here", deadline=None, print_blob=True)
settings.load_profile("here")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real problems, if there is one."""
    folder = os.environ.get("SCRATCHWORK_DATA")
    if not folder:
        pytest.skip("set SCRATCHWORK_DATA to the folder of real problems to run this test")
    return Path(folder)


@pytest.fixture(scope="session")
def kings() -> Problem:
    """Problem 2 of the paper."""
    return next(read_problems(example_path("kings.json")))


@pytest.fixture(scope="session")
def kings_program() -> Program:
    """A program that writes the rationale of Problem 2."""
    return parse_program(example_path("kings.program").read_text("utf-8"))


@pytest.fixture(scope="session")
def kings_trace(kings: Problem, kings_program: Program) -> Trace:
    """The execution of that program."""
    return execute(kings_program, kings)
