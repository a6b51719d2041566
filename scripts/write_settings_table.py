"""Write the tables of settings in docs/ from the fields of the settings of both trainings.

    python scripts/write_settings_table.py [--check]

With --check nothing is written; the exit code is 1 if a table is not what would be written.
"""

import ast
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from scratchwork.paper.config import PRESETS
from scratchwork.solver.config import SOLVER_PRESETS

DOCS = Path(__file__).parent.parent / "docs"
PAGES: dict[str, Mapping[str, Any]] = {
    "training.md": dict(reversed(PRESETS.items())),
    "solver.md": SOLVER_PRESETS,
}
"""The pages with the presets in their tables."""
TABLE = re.compile(r"^\| setting .*?\n(?=\n)", re.MULTILINE | re.DOTALL)


def meanings(settings: type) -> dict[str, str]:
    """The settings with the text below each of them."""
    (declared,) = ast.parse(inspect.getsource(settings)).body
    assert isinstance(declared, ast.ClassDef)
    found: dict[str, str] = {}
    for field, text in pairwise(declared.body):
        match field, text:
            case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(meaning))):
                found[name] = " ".join(meaning.split())
            case _:
                pass
    return found


def table(presets: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a table."""
    yield f"| setting | meaning | {' | '.join(f'`{name}`' for name in presets)} |"
    yield "|" + "---|" * (2 + len(presets))
    for name, meaning in meanings(type(next(iter(presets.values())))).items():
        values = " | ".join(str(getattr(settings, name)) for settings in presets.values())
        yield f"| `{name}` | {meaning} | {values} |"


def main() -> int:
    """Write or check the tables."""
    for name, presets in PAGES.items():
        before = (DOCS / name).read_text("utf-8")
        lines = "".join(f"{line}\n" for line in table(presets))
        after, count = TABLE.subn(lambda _, lines=lines: lines, before)
        if "--check" in sys.argv[1:] and (count != 1 or after != before):
            return 1
        (DOCS / name).write_text(after, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
