"""Worked examples that come with the package."""

from pathlib import Path


def example_path(name: str) -> Path:
    """Where a bundled example lies, such as `kings.json` or `kings.program`."""
    return Path(__file__).parent / name
