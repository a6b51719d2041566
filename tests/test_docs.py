"""What README and the pages of docs/ show is so: their code runs, their links lead somewhere, and
the commands and options that they name are there.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
import typer

from scratchwork.cli.main import app
from tests.test_design import PACKAGE

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted(PACKAGE.glob("weights/*/README.md")),
]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
ANY_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
LINK = re.compile(r"\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")


def blocks() -> Iterator[tuple[str, str, str]]:
    for page in PAGES:
        for number, match in enumerate(BLOCK.finditer(page.read_text("utf-8")), 1):
            yield f"{page.relative_to(ROOT)}-{number}", match[1], match[2]


def run_console(block: str, clone: Path) -> None:
    """Run lines that start with `$ `; the lines below each are its output, `...` for any text."""
    commands = clone / "commands"
    commands.mkdir()
    command = commands / "scratchwork"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m scratchwork "$@"\n', "utf-8")
    command.chmod(0o755)
    environment = os.environ | {"PATH": f"{commands}:{os.environ['PATH']}", "COLUMNS": "100"}
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, expected = part.partition("\n")
        run = subprocess.run(
            line, shell=True, cwd=clone, env=environment, capture_output=True, text=True
        )
        output = (run.stdout + run.stderr).strip()
        pattern = re.escape(expected.strip()).replace(r"\.\.\.", ".*")
        assert re.fullmatch(pattern, output, re.DOTALL), output


@pytest.mark.parametrize(
    ("language", "block"), [b[1:] for b in blocks()], ids=[b[0] for b in blocks()]
)
def test_code_blocks_of_the_pages_run(language: str, block: str, tmp_path: Path) -> None:
    (tmp_path / "src").symlink_to(ROOT / "src")
    if language == "python":
        subprocess.run([sys.executable, "-W", "error", "-c", block], cwd=tmp_path, check=True)
    else:
        run_console(block, tmp_path)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and MkDocs make them."""
    text = FENCED.sub("", page.read_text("utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_the_pages_lead_somewhere(page: Path) -> None:
    text = FENCED.sub("", page.read_text("utf-8"))
    for link, picture in LINK.findall(text):
        target, _, anchor = (link or picture).partition("#")
        if target.startswith(("http://", "https://")):
            continue
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), f"{page.name} links to {target}, which does not exist"
        if anchor:
            assert anchor in anchors(file), f"{target} has no heading for #{anchor}"


COMMANDS: Any = typer.main.get_command(app)
"""A tree of click's commands, whichever click typer brings."""


def options_of(command: Any) -> set[str]:
    own = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
    return own.union(*map(options_of, getattr(command, "commands", {}).values()))


def shell_lines() -> Iterator[tuple[str, list[str]]]:
    for page in PAGES:
        for language, block in ANY_BLOCK.findall(page.read_text("utf-8")):
            for line in block.replace("\\\n", " ").split("\n"):
                words = line.removeprefix("$ ")
                if language in ("", "console") and words.startswith("scratchwork "):
                    yield page.name, shlex.split(words, comments=True)[1:]


@pytest.mark.parametrize("words", [w for _, w in shell_lines()], ids=[n for n, _ in shell_lines()])
def test_commands_shown_can_be_given(words: list[str]) -> None:
    command = COMMANDS
    while hasattr(command, "commands"):
        command = command.commands[words[0]]
        words = words[1:]
    command.make_context(None, words)


def test_options_named_are_there() -> None:
    options = options_of(COMMANDS)
    sources = [*(ROOT / "scripts").glob("*.py"), *(ROOT / "benchmarks").glob("*.py")]
    options |= {"--help", *OPTION.findall("".join(path.read_text("utf-8") for path in sources))}
    for page in PAGES:
        for code in CODE.findall(FENCED.sub("", page.read_text("utf-8"))):
            named = set(OPTION.findall(code))
            assert named <= options, f"{page.name} names {', '.join(named - options)}"


def test_targets_files_and_names_are_there() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for page in PAGES:
        text = page.read_text("utf-8")
        assert set(re.findall(r"`(?:\w+=\w+ )?make ([a-z-]+)`", text)) <= set(targets)
        for file in re.findall(r"(?:`|\bpython )([\w/-]+\.py|results/[\w-]+\.json)\b", text):
            is_there = (ROOT / file).is_file() or (PACKAGE / file).is_file()
            assert is_there, f"{page.name} names {file}, which does not exist"
        for name in re.findall(r"`(scratchwork(?:\.\w+)+)", text):
            assert resolve_name(name) is not None
        for name in re.findall(r"python -m benchmarks\s(\w+)", text):
            assert (ROOT / "benchmarks" / f"{name}.py").is_file()
