"""`scratchwork collect`: a collection of new problems, from seeds to a data set."""

import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scratchwork.cli.options import JsonOption, SkipBadOption
from scratchwork.cli.reporting import bad_rows, count_of, print_json, progress
from scratchwork.errors import UserError, printable

if TYPE_CHECKING:
    from scratchwork.collecting.inviting import Invitation
    from scratchwork.collecting.status import CollectionStatus
    from scratchwork.collecting.storing import Store
    from scratchwork.problems.problem import Problem

app = typer.Typer(
    help="Collect new problems: people write them from seeds, others review them.",
    no_args_is_help=True,
)

_LIBRARIES = ("sqlalchemy", "alembic", "argon2", "fastapi", "uvicorn", "pydantic", "starlette")

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The collection's folder.")]
ContributorNumber = Annotated[
    int, typer.Argument(metavar="NUMBER", min=1, help="The contributor's number.")
]
Address = Annotated[
    str, typer.Option(metavar="URL", help="The address the collection is served at.")
]


@app.command()
def init(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder to make; it must be new or empty.")
    ],
    seeds: Annotated[
        Path, typer.Option(metavar="FILE", help="Problems that contributors start from.")
    ],
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="SCRATCHWORK_DATABASE",
            help="An empty PostgreSQL database; by default, a file in the folder.",
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option(help="What the collection is called, on its pages and card.")
    ] = None,
    shared: Annotated[
        bool, typer.Option("--shared", help="The same five seeds may go to several contributors.")
    ] = False,
    skip_bad: SkipBadOption = False,
) -> None:
    """Begin a collection.

    Seeds need options, a letter and a rationale; others are left out and counted. A seed's topic is
    its field "topic". The folder holds the secret that signs the links: keep it safe.

    Example: scratchwork collect init workshop --seeds train.json --title "Our problems"
    """
    from scratchwork.problems.reading import read_problems

    with _extra_told():
        from scratchwork.collecting.forms import checked_name
        from scratchwork.collecting.settings import CollectionSettings
        from scratchwork.collecting.storing import NO_TOPIC, Store

        settings = CollectionSettings(shared_seeds=shared)
        if title is not None:
            settings = replace(settings, title=checked_name(title, "the title"))
        with bad_rows(skip_bad) as on_bad:
            read = list(read_problems(seeds, on_bad))
        complete = [problem for problem in read if _is_complete(problem)]
        if read and not complete:
            raise UserError(f"{seeds}: no problem has options, a letter and a rationale")
        with _made_whole(folder):
            Store.create(folder, complete, settings, database=database).close()
    topics = {str(problem.extra.get("topic") or NO_TOPIC).strip() for problem in complete}
    _say(f"{folder}: {count_of(len(complete), 'seed')} on {count_of(len(topics), 'topic')}")
    if len(complete) < len(read):
        left_out = count_of(len(read) - len(complete), "problem")
        _say(f"{left_out} without options, letter or rationale left out", err=True)


@app.command()
def invite(
    folder: Folder,
    name: Annotated[str, typer.Option(help="Who is invited; only you see it.")],
    count: Annotated[
        int, typer.Option(min=1, max=10_000, help="How many to invite, as NAME 1, NAME 2, ...")
    ] = 1,
    url: Address = "http://127.0.0.1:8000",
) -> None:
    """Invite contributors.

    Invites all of them or nobody, and prints each one's number, name and link, separated by tabs.
    Whoever has the link is the contributor; `revoke` and `link` take the number.

    Example: scratchwork collect invite workshop --name Ada --url https://problems.example.org
    """
    with _opened(folder) as store:
        from scratchwork.collecting import inviting

        names = [name] if count == 1 else [f"{name.strip()} {k}" for k in range(1, count + 1)]
        for invited in inviting.invite_all(store, names):
            _say(_invitation_line(invited, url))


@app.command()
def link(
    folder: Folder, contributor: ContributorNumber, url: Address = "http://127.0.0.1:8000"
) -> None:
    """Show a contributor's link again.

    Example: scratchwork collect link workshop 3 --url https://problems.example.org
    """
    with _opened(folder) as store:
        from scratchwork.collecting.inviting import invitation_of

        _say(_invitation_line(invitation_of(store, contributor), url))


@app.command()
def revoke(
    folder: Folder,
    contributor: ContributorNumber,
    undo: Annotated[bool, typer.Option("--undo", help="Make the link valid again.")] = False,
) -> None:
    """Make a contributor's link invalid.

    What they handed in is kept.

    Example: scratchwork collect revoke workshop 3
    """
    with _opened(folder) as store:
        from scratchwork.collecting import inviting

        (inviting.restore_invitation if undo else inviting.revoke_invitation)(store, contributor)
    _say(f"contributor {contributor}: the link is {'valid again' if undo else 'revoked'}")


@app.command()
def reviewer(
    folder: Folder,
    name: Annotated[str, typer.Option(help="The name to log in with.")],
    change_password: Annotated[
        bool, typer.Option("--change-password", help="Change a reviewer's password.")
    ] = False,
    disable: Annotated[
        bool | None,
        typer.Option("--disable/--enable", help="Shut a reviewer out, or let them in again."),
    ] = None,
) -> None:
    """Add a reviewer, or change one.

    The password is asked for twice; without a terminal it is one line of standard input.

    Example: scratchwork collect reviewer workshop --name Emmy
    """
    if change_password and disable is not None:
        raise UserError("give either --change-password or --disable/--enable, not both")
    with _opened(folder) as store:
        from scratchwork.collecting import passwords

        if disable is not None:
            passwords.set_disabled(store, name.strip(), disable)
            done = "shut out" if disable else "let in"
        elif change_password:
            passwords.change_password(store, name.strip(), _asked_password())
            done = "password changed"
        else:
            passwords.add_reviewer(store, name, _asked_password())
            done = "added"
    _say(f"reviewer {name.strip()}: {done}")


@app.command()
def serve(
    folder: Folder,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 takes one that is free.")
    ] = 8000,
) -> None:
    """Serve the pages of contributors and reviewers.

    Contributors use their links, reviewers log in at /review. The server speaks plain HTTP: put a
    proxy with TLS in front of it before others use it.

    Example: scratchwork collect serve workshop --port 8000
    """
    with _opened(folder) as store:
        from scratchwork.collecting.web.app import create_workshop_app
        from scratchwork.serving.running import run

        run(create_workshop_app(store), host, port)


@app.command()
def status(folder: Folder, json: JsonOption = False) -> None:
    """Show how far a collection is.

    Example: scratchwork collect status workshop
    """
    with _opened(folder) as store:
        from scratchwork.collecting.status import status_of

        found = status_of(store)
    if json:
        print_json(found.as_json())
        return
    for line in _status_lines(found):
        _say(line)


@app.command()
def export(
    folder: Folder,
    to: Annotated[
        Path, typer.Option(metavar="OUT", help="The folder to write to; it must be new or empty.")
    ],
    dev: Annotated[int, typer.Option(min=0, help="How many development problems.")] = 0,
    test: Annotated[int, typer.Option(min=0, help="How many test problems.")] = 0,
    seed: Annotated[int, typer.Option(help="Another seed draws other problems.")] = 0,
) -> None:
    """Write a collection's problems as a data set.

    Writes train.jsonl, dev.jsonl and test.jsonl if asked for, and README.md, which describes them.
    Rejected problems are left out, and so are marked ones that nobody has reviewed yet. Near copies
    of development and test problems never go to train.

    Example: scratchwork collect export workshop --to data --dev 250 --test 250
    """
    with _opened(folder) as store, progress() as show:
        from scratchwork.collecting.exporting import export as export_collection

        found = export_collection(store, to, dev=dev, test=test, seed=seed, on_progress=show)
    parts = ", ".join(f"{count:,} {part}" for part, count in found.parts.items())
    _say(
        f"{to}: {parts}; {found.unreviewed:,} not reviewed, of contributors whose reviewed work "
        "was fine"
    )
    _say(
        f"left out: {found.rejected:,} rejected, {found.marked:,} marked and not yet reviewed, "
        f"{found.unproven:,} not reviewed of other contributors"
    )


@contextmanager
def _extra_told() -> Generator[None]:
    """Say what to install where a library of the extra is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in _LIBRARIES:
            raise
        raise UserError(
            f"collecting needs {library}: pip install 'scratchwork[collect]'"
        ) from error


@contextmanager
def _opened(folder: Path) -> "Generator[Store]":
    """The open collection of a folder."""
    with _extra_told():
        from scratchwork.collecting.storing import Store

        with Store.open(folder) as store:
            yield store


@contextmanager
def _made_whole(folder: Path) -> Generator[None]:
    """A folder that is new or empty before the block, and as it was if the block fails.

    What an `init` that was killed has left may be in it too, and stays for the next one.
    """
    from scratchwork.collecting.storing import is_unfinished

    if folder.exists() and not (folder.is_dir() and is_unfinished(folder)):
        raise UserError(f"{folder} is not an empty folder: begin a collection in a new one")
    was_empty = not (folder.exists() and any(folder.iterdir()))
    new = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        yield
    except BaseException:
        if was_empty and folder.exists():
            for path in folder.iterdir():
                path.unlink()
        for place in new:
            if place.exists():
                place.rmdir()
        raise


def _say(line: str, *, err: bool = False) -> None:
    """Print a line, which may hold what others have typed."""
    typer.echo(printable(line), err=err)


def _is_complete(problem: "Problem") -> bool:
    return problem.correct is not None and bool((problem.rationale or "").strip())


def _invitation_line(invited: "Invitation", url: str) -> str:
    link = f"{url.rstrip('/')}/join/{invited.token}"
    return f"{invited.contributor_id}\t{invited.name}\t{link}"


def _asked_password() -> str:
    if sys.stdin.isatty():
        return typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    password = sys.stdin.readline().rstrip("\r\n")
    if not password:
        raise UserError("no password on standard input: give it as one line")
    return password


def _status_lines(found: "CollectionStatus") -> Iterator[str]:
    work, tasks, audited = found.submissions, found.tasks, found.audited
    yield f"{found.title} (since {found.created[:10]})"
    yield f"seeds         {found.seeds:,} on {count_of(len(found.topics), 'topic')}"
    yield (
        f"contributors  {found.contributors:,} invited, {found.writing:,} have handed in, "
        f"{found.revoked:,} revoked"
    )
    yield (
        f"tasks         {tasks['open']:,} open, {tasks['done']:,} done, "
        f"{tasks['skipped']:,} skipped"
    )
    yield (
        f"handed in     {found.handed_in:,}: {work['accepted']:,} accepted, "
        f"{work['corrected']:,} corrected, {work['rejected']:,} rejected, "
        f"{work['waiting']:,} waiting"
    )
    yield (
        f"relation      {found.relations['original']:,} originals, "
        f"{found.relations['replica']:,} replicas"
    )
    yield (
        f"to review     {found.to_review:,}: {found.marked_waiting:,} marked, "
        f"{found.sampled_waiting:,} in the sample"
    )
    agreed = found.agreement
    kappa = "" if agreed.kappa is None else f", kappa {agreed.kappa:.2f}"
    twice = "" if agreed.raw is None else f"; agreement {agreed.raw:.0%} of {agreed.pairs:,}{kappa}"
    yield f"reviews       {found.reviews:,} by {count_of(found.reviewers, 'reviewer')}{twice}"
    if found.refusals:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in found.refusals.items())
        yield f"sent back     {sum(found.refusals.values()):,}: {reasons}"
    if audited.rationales:
        yield (
            f"audit         of {audited.rationales:,} rationales {audited.unsupported:,} have "
            f"unsupported numbers, {audited.false_equations:,} false equations, "
            f"{audited.not_following:,} another letter"
        )
    if len(found.topics) > 1:
        yield "topics"
        for topic in found.topics:
            name = " ".join(topic.topic.split())
            written, seeds = count_of(topic.submissions, "problem"), count_of(topic.seeds, "seed")
            yield f"  {name}: {written}, {seeds}"
