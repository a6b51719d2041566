"""File systems of the tests' own, so small that they can be full."""

import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def disk_of(size: int, folder: Path) -> Generator[Path]:
    """A file system of so many bytes in a new folder; the test is skipped if there can be none."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    try:
        subprocess.run(mount, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a small file system cannot be mounted here; that takes root on Linux")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def leave_room(folder: Path, size: int) -> None:
    """Make such a file system larger or smaller, so that this many bytes are free."""
    now = os.statvfs(folder)
    used = (now.f_blocks - now.f_bfree) * now.f_frsize
    remount = ["mount", "-o", f"remount,size={used + size}", str(folder)]
    subprocess.run(remount, check=True)
