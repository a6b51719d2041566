"""Commands run as processes of their own, and what lives below them."""

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

COMMAND_LINE = "from scratchwork.cli.main import main; main()"
"""What `python -c` runs as `scratchwork`."""


def descendants(process: int) -> set[int]:
    """All processes below one, as /proc tells."""
    children: dict[int, set[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = status.read_text().rpartition(")")[2].split()[1]
            children.setdefault(int(parent), set()).add(int(status.parent.name))
    found: set[int] = set()
    new = {process}
    while new:
        new = set[int]().union(*(children.get(one, set()) for one in new)) - found
        found |= new
    return found


def are_alive(processes: set[int]) -> bool:
    """Whether any of them still runs."""
    for process in processes:
        with suppress(OSError):
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                return True
    return False


def started(code: str, *arguments: object) -> "subprocess.Popen[str]":
    """A run in a process group of its own, as a shell starts it."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parent.parent,
        start_new_session=True,
        # Tests that were started in the background inherit that Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
