"""`scratchwork generate`: problems from the families, as JSON lines or as a worksheet."""

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scratchwork.cli.options import RayOption, WorkersOption
from scratchwork.cli.reporting import count_of, progress
from scratchwork.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scratchwork.families.family import Family
    from scratchwork.parallel import Workers
    from scratchwork.problems.problem import Problem


def generate(
    count: Annotated[int, typer.Option("-n", "--count", min=1, help="How many problems.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives other problems.")] = 0,
    topic: Annotated[str | None, typer.Option(help="Only problems of this topic.")] = None,
    family: Annotated[str | None, typer.Option(help="Only problems of this family.")] = None,
    style: Annotated[
        str | None, typer.Option(help="Only solutions in this style: spelled, equation, ...")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The file to write; by default, standard output."),
    ] = None,
    format: Annotated[
        str, typer.Option(help="jsonl, or md or html for a worksheet with an answer key.")
    ] = "jsonl",
    workers: WorkersOption = None,
    ray: RayOption = None,
    families: Annotated[
        Path | None, typer.Option(help="Your own family file, or a folder of them.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Check the families instead, with -n problems each.")
    ] = False,
    topics: Annotated[bool, typer.Option("--topics", help="List the topics instead.")] = False,
    stories: Annotated[
        bool,
        typer.Option("--stories", help="Elementary stories without options instead of families."),
    ] = False,
) -> None:
    """Generate problems with their rationales, programs and options, or stories with their plans.

    The same seed gives the same problems on every machine.

    Example: scratchwork generate -n 1000 --seed 7 --topic percent -o percent.jsonl
    """
    from scratchwork.families.generator import generated_lines
    from scratchwork.families.loading import TOPICS_FOLDER
    from scratchwork.parallel import Workers

    if stories:
        if topic or family or style or families or check or topics:
            raise UserError(
                "--stories takes none of --topic, --family, --style, --families, --check, --topics"
            )
        _generate_stories(count, seed, format, output, Workers(workers, ray))
        return
    chosen = _chosen(families or TOPICS_FOLDER, topic, family, style)
    if topics:
        _list_topics(chosen)
    elif check:
        _check(chosen, count, seed)
    elif format == "jsonl":
        names = [family.name for family in chosen]
        lines = generated_lines(families, names, count, seed, style, Workers(workers, ray))
        _write_lines(lines, count, output)
    else:
        from scratchwork.families.generator import generate as problems

        made = (generated.problem for generated in problems(chosen, count, seed, style))
        _write_worksheet(made, seed, format, output)


def _generate_stories(
    count: int, seed: int, format: str, output: Path | None, workers: "Workers"
) -> None:
    from scratchwork.stories.story import story, story_lines

    if format == "jsonl":
        _write_lines(story_lines(count, seed, workers), count, output)
    else:
        made = (story(seed, number).problem for number in range(count))
        _write_worksheet(made, seed, format, output)


def _chosen(source: Path, topic: str | None, name: str | None, style: str | None) -> "list[Family]":
    from scratchwork.families.building import SOLUTION_STYLES
    from scratchwork.families.loading import load_families

    bank = load_families(source)
    if topic is not None and topic not in {family.topic for family in bank}:
        raise UserError(f"there is no topic {topic}; scratchwork generate --topics lists them")
    if name is not None and name not in {family.name for family in bank}:
        raise UserError(f"there is no family {name}; the families are in docs/topics.md")
    if style is not None and style not in SOLUTION_STYLES:
        raise UserError(f"there is no style {style}; there are {', '.join(SOLUTION_STYLES)}")
    chosen = [
        family
        for family in bank
        if topic in (None, family.topic)
        and name in (None, family.name)
        and (style is None or style in family.styles)
    ]
    if not chosen:
        raise UserError(
            "no family has all that was asked for: leave out --topic, --family or --style"
        )
    return chosen


def _list_topics(families: "list[Family]") -> None:
    for topic, count in Counter(family.topic for family in families).items():
        typer.echo(f"{topic}: {count_of(count, 'family', 'families')}")


def _check(families: "list[Family]", samples: int, seed: int) -> None:
    from scratchwork.families.checking import check_family, find_disguises

    complaints = 0
    with progress() as show:
        for done, family in enumerate(families):
            show("checking families", done, len(families))
            for complaint in check_family(family, samples, seed):
                typer.echo(str(complaint))
                complaints += 1
    for complaint in find_disguises(families):
        typer.echo(str(complaint))
        complaints += 1
    checked = count_of(len(families), "family", "families")
    if complaints:
        raise UserError(f"{count_of(complaints, 'complaint')} about {checked}")
    typer.echo(f"{checked} in order, checked with {count_of(samples, 'problem')} each")


def _write_lines(lines: "Iterator[bytes]", count: int, output: Path | None) -> None:
    from scratchwork.files import json_lines_file

    if output is None:
        for line in lines:
            sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        return
    with json_lines_file(output) as file, progress() as show:
        for done, line in enumerate(lines, 1):
            file.write(line)
            show("generating", done, count)


def _write_worksheet(
    problems: "Iterable[Problem]", seed: int, format: str, output: Path | None
) -> None:
    from scratchwork.files import write_text
    from scratchwork.render.worksheet import worksheet_html, worksheet_markdown

    writers = {"md": worksheet_markdown, "html": worksheet_html}
    if format not in writers:
        raise UserError(f"--format is jsonl, md or html, not {format}")
    sheet = writers[format](list(problems), seed)
    if output is None:
        typer.echo(sheet, nl=False)
    else:
        write_text(output, sheet)
