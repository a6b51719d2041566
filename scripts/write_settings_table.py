"""Write the table of settings in docs/training.md from the fields of `TrainingConfig`.

    python scripts/write_settings_table.py [--check]

With --check nothing is written; the exit code is 1 if the table is not what would be written.
"""

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from scratchwork.paper import config

PAGE = Path(__file__).parent.parent / "docs" / "training.md"
TABLE = re.compile(r"^\| setting .*?\n(?=\n)", re.MULTILINE | re.DOTALL)


def meanings() -> dict[str, str]:
    """The settings with the text below each of them."""
    (settings,) = ast.parse(inspect.getsource(config.TrainingConfig)).body
    assert isinstance(settings, ast.ClassDef)
    found: dict[str, str] = {}
    for field, text in pairwise(settings.body):
        match field, text:
            case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(meaning))):
                found[name] = " ".join(meaning.split())
            case _:
                pass
    return found


def table() -> Iterator[str]:
    """The lines of the table."""
    presets = list(reversed(config.PRESETS.items()))
    yield f"| setting | meaning | {' | '.join(f'`{name}`' for name, _ in presets)} |"
    yield "|" + "---|" * (2 + len(presets))
    for name, meaning in meanings().items():
        values = " | ".join(str(getattr(settings, name)) for _, settings in presets)
        yield f"| `{name}` | {meaning} | {values} |"


def main() -> int:
    """Write or check the table."""
    before = PAGE.read_text("utf-8")
    lines = "".join(f"{line}\n" for line in table())
    after, count = TABLE.subn(lambda _: lines, before)
    if "--check" in sys.argv[1:]:
        return 0 if count == 1 and after == before else 1
    PAGE.write_text(after, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
