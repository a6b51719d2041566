"""What a command costs before it does anything, beside an empty Python process."""

import subprocess
import sys
from collections.abc import Iterator

from benchmarks.timing import best_seconds

HELP = "import sys; sys.argv[1:] = ['--help']; from scratchwork.cli.main import main; main()"


def measure() -> Iterator[str]:
    """Seconds for an import and for `--help`."""
    empty = _seconds("pass")
    for name, program in (
        ("import scratchwork", "import scratchwork"),
        ("scratchwork --help", HELP),
    ):
        seconds = _seconds(program)
        yield f"{name}: {seconds:.3f} s; an empty process {empty:.3f} s"


def _seconds(program: str) -> float:
    def run() -> None:
        subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    return best_seconds(run)
