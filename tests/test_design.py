"""What the design promises of the whole package."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import scratchwork

_NAMES = (
    "problems machine plans induction auditing families paper solver scoring render serving "
    "collecting cli"
)
ROOMS = _NAMES.split()
"""A room imports only from rooms before it."""

PACKAGE = Path(scratchwork.__file__).parent


def imported_rooms(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
    parts = [name.split(".") for name in names if name.startswith("scratchwork.")]
    return {part[1] for part in parts if part[1] in ROOMS}


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_data_flows_one_way_through_the_rooms(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0]
    if room not in ROOMS:
        return
    allowed = set(ROOMS[: ROOMS.index(room) + 1])
    assert imported_rooms(path) <= allowed


def test_every_public_name_is_there() -> None:
    for name in scratchwork.__all__:
        assert getattr(scratchwork, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = scratchwork.no_such_name


def modules_after(statement: str) -> set[str]:
    program = f"import sys; {statement}; print('\\n'.join(sys.modules))"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return {line.split(".")[0] for line in run.stdout.splitlines()}


@pytest.mark.parametrize("statement", ["import scratchwork", "import scratchwork.cli.main"])
def test_nothing_heavy_is_loaded_at_start_up(statement: str) -> None:
    heavy = {"torch", "numpy", "matplotlib", "pyarrow", "rapidfuzz", "ray", "fastapi", "sqlalchemy"}
    assert not modules_after(statement) & heavy


def test_the_machine_runs_without_torch() -> None:
    assert "torch" not in modules_after("import scratchwork.machine.execution")
