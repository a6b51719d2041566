"""Scratchwork solves algebra word problems and shows its work.

This is the table of contents: every public name, with the module it lives in. Names are loaded
when first used, so that `import scratchwork` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scratchwork.auditing.audit import Audit, audit
    from scratchwork.errors import UserError
    from scratchwork.families.family import Family
    from scratchwork.families.generator import Generated, generate
    from scratchwork.families.loading import load_families
    from scratchwork.induction.choosing import choose
    from scratchwork.induction.lattice import Lattice, induce
    from scratchwork.machine.execution import ExecutionError, check, execute
    from scratchwork.machine.operations import EXTENDED, PAPER, Operation, OperationSet
    from scratchwork.machine.programs import (
        Cell,
        Instruction,
        Program,
        Word,
        parse_program,
        program_from_json,
    )
    from scratchwork.machine.traces import Trace
    from scratchwork.problems.normalise import normalise
    from scratchwork.problems.problem import Problem, ProblemError
    from scratchwork.problems.reading import problems_from_rows, read_problems
    from scratchwork.problems.rows import write_problems
    from scratchwork.problems.tokens import detokenise, output_tokens, source_tokens, tokenise
    from scratchwork.solution import Solution
    from scratchwork.solving import Solver, load

_HOMES = {
    "errors": ["UserError"],
    "problems.problem": ["Problem", "ProblemError"],
    "problems.reading": ["problems_from_rows", "read_problems"],
    "problems.rows": ["write_problems"],
    "problems.normalise": ["normalise"],
    "problems.tokens": ["detokenise", "output_tokens", "source_tokens", "tokenise"],
    "machine.operations": ["EXTENDED", "PAPER", "Operation", "OperationSet"],
    "machine.programs": [
        "Cell",
        "Instruction",
        "Program",
        "Word",
        "parse_program",
        "program_from_json",
    ],
    "machine.execution": ["ExecutionError", "check", "execute"],
    "machine.traces": ["Trace"],
    "induction.lattice": ["Lattice", "induce"],
    "induction.choosing": ["choose"],
    "auditing.audit": ["Audit", "audit"],
    "families.family": ["Family"],
    "families.loading": ["load_families"],
    "families.generator": ["Generated", "generate"],
    "solution": ["Solution"],
    "solving": ["Solver", "load"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "EXTENDED",
    "PAPER",
    "Audit",
    "Cell",
    "ExecutionError",
    "Family",
    "Generated",
    "Instruction",
    "Lattice",
    "Operation",
    "OperationSet",
    "Problem",
    "ProblemError",
    "Program",
    "Solution",
    "Solver",
    "Trace",
    "UserError",
    "Word",
    "audit",
    "check",
    "choose",
    "detokenise",
    "execute",
    "generate",
    "induce",
    "load",
    "load_families",
    "normalise",
    "output_tokens",
    "parse_program",
    "problems_from_rows",
    "program_from_json",
    "read_problems",
    "source_tokens",
    "tokenise",
    "write_problems",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'scratchwork' has no attribute {name!r}")
    return getattr(import_module(f"scratchwork.{_HOME_OF[name]}"), name)
