"""Loading families from TOML files, one file a topic.

Promises: `load_topic` reads one file, `load_families` a file or a folder of them. Errors read
`file:line: family: what is wrong`. docs/families.md explains the format.

Does not cover: whether the numbers come out natural; see `checking`.
"""

import gc
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, cast

from scratchwork.errors import UserError
from scratchwork.families.building import FamilyBuilder
from scratchwork.families.expressions import FamilySyntaxError
from scratchwork.families.family import Family
from scratchwork.families.words import shared_words, word_lists
from scratchwork.files import read_small

TOPICS_FOLDER = Path(__file__).parent / "topics"
LARGEST_FAMILY_FILE = 4 << 20
"""Bytes of a file of families."""


class FamilyError(UserError):
    """What is wrong with a family file, as `file:line: family: what is wrong`."""


def load_topic(path: Path) -> list[Family]:
    """The families of one file."""
    text = read_small(path, LARGEST_FAMILY_FILE)
    try:
        content = tomllib.loads(text)
    except RecursionError as error:
        raise FamilyError(f"{path}: TOML nested too deeply") from error
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = found[1] if found else "1"
        raise FamilyError(f"{path}:{line}: not TOML: {error}") from error
    except ValueError as error:
        raise FamilyError(f"{path}: a number has too many digits") from error
    rows = content.pop("family", None)
    title = content.pop("topic", None)
    words = content.pop("words", {})
    if not isinstance(title, str) or not isinstance(rows, list) or content:
        raise FamilyError(
            f'{path}:1: a family file has a topic = "...", maybe [words], and [[family]] tables'
        )
    if not _is_table_of_words(words):
        raise FamilyError(f"{path}:1: [words] holds lists of texts, under lower-case names")
    lists = {**shared_words(), **word_lists(words)}
    families: list[Family] = []
    for number, row in enumerate(cast(list[dict[str, Any]], rows)):
        builder = FamilyBuilder(row, title, lists)
        try:
            families.append(builder.build())
        except FamilySyntaxError as error:
            line = _line_of(text, number, builder.reading)
            name = row.get("name", f"family {number + 1}")
            raise FamilyError(f"{path}:{line}: {name}: {error}") from error
    return families


def _is_table_of_words(words: object) -> bool:
    if not isinstance(words, dict):
        return False
    for name, entries in cast(dict[str, Any], words).items():
        if not re.fullmatch(r"[a-z]+", name) or not isinstance(entries, list) or not entries:
            return False
        if not all(isinstance(entry, str) and entry for entry in cast(list[Any], entries)):
            return False
    return True


def _line_of(text: str, number: int, key: str) -> int:
    """The line of a key of the n-th family."""
    lines = text.split("\n")
    starts = [k for k, line in enumerate(lines) if line.strip() == "[[family]]"]
    if number >= len(starts):
        return 1
    end = starts[number + 1] if number + 1 < len(starts) else len(lines)
    for name in (key, "steps"):
        pattern = re.compile(rf"\s*{re.escape(name)}\s*=|\s*\[family\.{re.escape(name)}\]")
        for k in range(starts[number], end):
            if pattern.match(lines[k]):
                return k + 1
    return starts[number] + 1


@cache
def load_families(source: Path = TOPICS_FOLDER) -> tuple[Family, ...]:
    """All families of a file, or of a folder of topics in the order of their names."""
    paths = [source] if source.is_file() else sorted(source.glob("*.toml"))
    if not paths:
        raise FamilyError(f"{source}: there is no family file (*.toml)")
    was_on = gc.isenabled()
    gc.disable()  # it would scan a million objects that all stay
    try:
        families = [family for path in paths for family in load_topic(path)]
    finally:
        if was_on:
            gc.enable()
    seen: set[str] = set()
    for family in families:
        if family.name in seen:
            raise FamilyError(f"{source}: two families are called {family.name}")
        seen.add(family.name)
    return tuple(families)
