"""The code blocks of the README and the docs run, and print what they say they print."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for number, match in enumerate(BLOCK.finditer(page.read_text("utf-8")), 1):
            found.append((f"{page.name}-{number}", match[1], match[2]))
    return found


def run_console(block: str, folder: Path) -> None:
    """Run lines that start with `$ `; the lines below each are its output, `...` for any text."""
    for part in block.split("$ ")[1:]:
        line, _, expected = part.partition("\n")
        command = shlex.split(line)
        assert command[0] == "scratchwork", "only scratchwork's own commands are run"
        run = subprocess.run(
            [sys.executable, "-c", "from scratchwork.cli.main import main; main()", *command[1:]],
            cwd=folder,
            capture_output=True,
            text=True,
        )
        output = (run.stdout + run.stderr).strip()
        pattern = re.escape(expected.strip()).replace(r"\.\.\.", ".*")
        assert re.fullmatch(pattern, output, re.DOTALL), output


@pytest.mark.parametrize(
    ("language", "block"), [b[1:] for b in blocks()], ids=[b[0] for b in blocks()]
)
def test_code_blocks_of_the_pages_run(language: str, block: str, tmp_path: Path) -> None:
    for example in (ROOT / "src" / "scratchwork" / "examples").glob("kings.*"):
        shutil.copy(example, tmp_path)
    if language == "python":
        subprocess.run([sys.executable, "-W", "error", "-c", block], cwd=tmp_path, check=True)
    else:
        run_console(block, tmp_path)
