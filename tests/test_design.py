"""What the design promises of the whole package, and that docs/design.md tells it as it is."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import scratchwork

PACKAGE = Path(scratchwork.__file__).parent
PAGE = (PACKAGE.parent.parent / "docs" / "design.md").read_text("utf-8")
ROOMS = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
"""The rooms in the page's order: a room imports only from itself and from rooms before it."""
OUTSIDE = {"__init__", "__main__", "examples"}
"""The table of contents, the door to the command line, and the files of examples."""
SOURCES = sorted(PACKAGE.rglob("*.py"))
STEP = re.compile(r"^\d+\. `([\w/]+\.py)` `([\w.]+)`: ", re.MULTILINE)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports_of(path: Path) -> set[tuple[str, str]]:
    """The modules that a file imports from and the names it takes, wherever the import stands."""
    found: set[tuple[str, str]] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.update((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            found.update((alias.name, "") for alias in node.names)
    return found


def imported_rooms(path: Path) -> set[str]:
    names = [f"{module}.{name}".split(".") for module, name in imports_of(path)]
    return {name[1] for name in names if name[0] == "scratchwork"} & set(ROOMS)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_data_flows_one_way_through_the_rooms(path: Path) -> None:
    room = room_of(path)
    if room in OUTSIDE:
        return
    # A module that is no room lies below all of them.
    allowed = set(ROOMS[: ROOMS.index(room) + 1]) if room in ROOMS else set[str]()
    assert imported_rooms(path) <= allowed


@pytest.mark.parametrize(("room", "other"), [("paper", "solver"), ("solver", "paper")])
def test_the_two_models_do_not_know_each_other(room: str, other: str) -> None:
    assert [
        path for path in SOURCES if room_of(path) == room and other in imported_rooms(path)
    ] == []


def matrix() -> str:
    """Which room imports which: a row for each room, its own number on the diagonal."""
    lines: list[str] = []
    for number, room in enumerate(ROOMS, 1):
        used = {name for path in SOURCES if room_of(path) == room for name in imported_rooms(path)}
        marks = ["x" if name in used else "." for name in ROOMS[: number - 1]]
        cells = [f"{cell:>3}" for cell in (*marks, number)]
        lines.append(f"{number:>2} {room:<11}" + "".join(cells))
    return "\n".join(lines)


def test_every_room_is_there() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders - OUTSIDE <= set(ROOMS)
    for room in ROOMS:
        assert room in folders or (PACKAGE / f"{room}.py").is_file()


def test_the_page_shows_who_imports_whom() -> None:
    if f"```text\n{matrix()}\n```" not in PAGE:
        pytest.fail(f"paste this matrix into docs/design.md:\n{matrix()}", pytrace=False)


def defines(path: Path, name: str) -> bool:
    body: list[ast.stmt] = tree_of(path).body
    for part in name.split("."):
        found = [
            node
            for node in body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == part
        ]
        if not found:
            return False
        body = found[0].body
    return True


def calls(path: Path, callee: Path, name: str) -> bool:
    """Whether a file calls a function of another that it imports, or a method of that name."""
    called = {node.func for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)}
    if "." in name:
        method = name.rpartition(".")[2]
        return any(isinstance(func, ast.Attribute) and func.attr == method for func in called)
    module = ".".join(("scratchwork", *callee.relative_to(PACKAGE).with_suffix("").parts))
    is_known = path == callee or (module, name) in imports_of(path)
    return is_known and any(isinstance(func, ast.Name) and func.id == name for func in called)


STEPS = STEP.findall(PAGE)


@pytest.mark.parametrize("number", range(len(STEPS)), ids=[f"{f}-{name}" for f, name in STEPS])
def test_each_step_of_solving_is_called_by_an_earlier_one(number: int) -> None:
    file, name = STEPS[number]
    assert (PACKAGE / file).is_file(), f"there is no {file}"
    assert defines(PACKAGE / file, name), f"{file} has no {name}"
    if number == 0:
        main = PACKAGE / "cli" / "main.py"
        assert ("scratchwork.cli", Path(file).stem) in imports_of(main)
        return
    earlier = [PACKAGE / one for one, _ in STEPS[:number]]
    assert any(calls(one, PACKAGE / file, name) for one in earlier), f"no step before calls {name}"


def test_solving_is_followed_to_the_printed_answer() -> None:
    assert STEPS[0] == ("cli/solve.py", "solve")
    assert STEPS[-1][0] == "cli/solve.py"


def public_names(path: Path) -> Iterator[str]:
    """The classes, functions and constants that a module defines at its top level."""
    for node in tree_of(path).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
        else:
            continue
        yield from (name for name in names if not name.startswith("_"))


def test_no_two_modules_define_the_same_public_name() -> None:
    homes: defaultdict[str, set[str]] = defaultdict(set)
    for path in SOURCES:
        # A command is named after the function it calls; Alembic names what migrations define.
        if room_of(path) == "cli" or "migrations" in path.parts:
            continue
        for name in public_names(path):
            homes[name].add(str(path.relative_to(PACKAGE)))
    shared = {name: sorted(files) for name, files in homes.items() if len(files) > 1}
    assert shared == {}


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


def test_an_exact_answer_takes_no_torch() -> None:
    loaded = modules_after(
        "from scratchwork.solving import solve_without_model; "
        "assert solve_without_model('15% of 80').value == '12'"
    )
    assert "torch" not in loaded


def test_the_machine_runs_without_torch() -> None:
    assert "torch" not in modules_after("import scratchwork.machine.execution")
