"""The commands: what they print, what they refuse, and what they leave behind."""

import io
import json
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import select
from typer.testing import CliRunner

from scratchwork.cli import collect
from scratchwork.collecting.inviting import InvitationError, contributor_of
from scratchwork.collecting.neighbours import Neighbours
from scratchwork.collecting.passwords import LoginError, log_in
from scratchwork.collecting.reviewing import decide
from scratchwork.collecting.schema import Reviewer, SeedProblem
from scratchwork.collecting.settings import CollectionSettings
from scratchwork.collecting.storing import Store
from scratchwork.errors import UserError, printable
from scratchwork.problems.problem import Problem
from scratchwork.problems.reading import read_problems
from scratchwork.problems.rows import write_problems
from tests.collecting.postgres import Postgres
from tests.collecting.writing import Writer, seed

PASSWORD = "seven plus five is twelve"


class Ran(NamedTuple):
    exit_code: int
    stdout: str
    stderr: str


def run(*arguments: object, typed: str | None = None) -> Ran:
    result = CliRunner().invoke(collect.app, [str(a) for a in arguments], input=typed)
    if isinstance(result.exception, UserError):
        raise result.exception
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    path = tmp_path / "seeds.jsonl"
    write_problems(path, [seed(k) for k in range(8)])
    return path


@pytest.fixture
def folder(tmp_path: Path, seeds: Path) -> Path:
    made = tmp_path / "collection"
    run("init", made, "--seeds", seeds, "--title", "Our problems")
    return made


def test_importing_the_commands_imports_no_library() -> None:
    heavy = ["sqlalchemy", "alembic", "argon2", "numpy", "rapidfuzz", "rich.progress"]
    code = f"import sys, scratchwork.cli.collect; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_every_command_has_an_example() -> None:
    for command in ("init", "invite", "revoke", "reviewer", "status", "export"):
        assert f"Example: scratchwork collect {command}" in run(command, "--help").stdout


def test_init_makes_a_collection_of_the_seeds(tmp_path: Path, seeds: Path) -> None:
    made = tmp_path / "new" / "collection"
    said = run("init", made, "--seeds", seeds, "--title", " Our problems ", "--shared")
    assert said.stdout == f"{made}: 8 seeds on 3 topics\n"
    assert stat.S_IMODE((made / "secret").stat().st_mode) == 0o600
    with Store.open(made) as store:
        assert store.settings.title == "Our problems"
        assert store.settings.shared_seeds
        assert store.read(lambda session: len(session.scalars(select(SeedProblem)).all())) == 8


def test_a_seed_without_a_topic_is_on_other(tmp_path: Path) -> None:
    path = tmp_path / "seeds.jsonl"
    problems = [Problem(f"What is {k} + {k}?", ("1", "2"), "So.", "A") for k in range(5)]
    write_problems(path, problems)
    assert "5 seeds on 1 topic" in run("init", tmp_path / "made", "--seeds", path).stdout
    with Store.open(tmp_path / "made") as store:
        assert set(store.read(lambda s: list(s.scalars(select(SeedProblem.topic))))) == {"other"}


def test_seeds_that_lack_something_are_left_out_and_counted(tmp_path: Path, seeds: Path) -> None:
    lacking = [Problem("How many?"), Problem("Which?", ("1", "2"), None, "A")]
    write_problems(seeds, [*read_problems(seeds), *lacking])
    said = run("init", tmp_path / "made", "--seeds", seeds)
    assert "8 seeds" in said.stdout
    assert "2 problems without options, letter or rationale left out" in said.stderr


def test_init_refuses_a_folder_that_is_not_empty_and_leaves_it(tmp_path: Path, seeds: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "note").write_text("mine")
    for place in (tmp_path / "mine", seeds):
        with pytest.raises(UserError, match="not an empty folder"):
            run("init", place, "--seeds", seeds)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["note"]


def test_a_collection_is_not_begun_twice(folder: Path, seeds: Path) -> None:
    secret = (folder / "secret").read_bytes()
    with pytest.raises(UserError, match="not an empty folder"):
        run("init", folder, "--seeds", seeds)
    assert (folder / "secret").read_bytes() == secret


@pytest.mark.parametrize("was_there", [False, True])
@pytest.mark.parametrize("lines", [3, 0, 8])
def test_a_failed_init_leaves_nothing(
    tmp_path: Path,
    seeds: Path,
    monkeypatch: pytest.MonkeyPatch,
    lines: int,
    was_there: bool,
) -> None:
    made = tmp_path / "a" / "b"
    if was_there:
        made.mkdir(parents=True)
    seeds.write_text("".join(seeds.read_text("utf-8").splitlines(keepends=True)[:lines]))

    def fail(*_: object, **__: object) -> None:
        raise UserError("the disk is full")

    # With seeds enough, the folder is filled before the database fails.
    monkeypatch.setattr(Store, "write", fail)
    with pytest.raises(UserError):
        run("init", made, "--seeds", seeds)
    assert made.exists() == was_there
    assert not was_there or list(made.iterdir()) == []
    assert was_there or not made.parent.exists()


def leave_as_if_killed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `init` leaves that is killed after it has made the tables."""
    with monkeypatch.context() as patched:
        patched.setattr(CollectionSettings, "as_rows", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            Store.create(folder, [seed(k) for k in range(8)])
    (folder / ".secret.0a1b2c3d").touch()


def test_an_init_that_was_killed_can_be_given_again(
    tmp_path: Path, seeds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "made"
    leave_as_if_killed(made, monkeypatch)
    assert "8 seeds" in run("init", made, "--seeds", seeds).stdout
    assert "seeds         8" in run("status", made).stdout
    assert {path.name for path in made.iterdir()} == {"collection.sqlite", "secret"}
    with pytest.raises(UserError, match="not an empty folder"):
        run("init", made, "--seeds", seeds)


def test_what_a_killed_init_left_is_neither_lost_nor_taken_to_another_database(
    tmp_path: Path, seeds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "made"
    leave_as_if_killed(made, monkeypatch)
    before = {path.name for path in made.iterdir()}
    elsewhere = "postgresql://me@127.0.0.1:1/there"
    with pytest.raises(UserError, match="was begun with another database"):
        run("init", made, "--seeds", seeds, "--database", elsewhere)
    assert {path.name for path in made.iterdir()} == before
    (made / "note").write_text("mine")
    with pytest.raises(UserError, match="not an empty folder"):
        run("init", made, "--seeds", seeds)


def test_a_database_that_is_not_there_is_told_and_leaves_nothing(
    tmp_path: Path, seeds: Path
) -> None:
    with pytest.raises(UserError, match="not supported"):
        run("init", tmp_path / "made", "--seeds", seeds, "--database", "mysql://host/name")
    assert not (tmp_path / "made").exists()


def test_a_collection_can_be_in_postgres(tmp_path: Path, seeds: Path, postgres: Postgres) -> None:
    url = postgres.new_database()
    made = tmp_path / "made"
    run("init", made, "--seeds", seeds, "--database", url)
    assert not (made / "collection.sqlite").exists()
    assert json.loads(run("status", made, "--json").stdout)["seeds"] == 8
    with pytest.raises(UserError, match="holds a collection already"):
        run("init", tmp_path / "again", "--seeds", seeds, "--database", url)
    assert not (tmp_path / "again").exists()


def test_links_are_good_until_they_are_revoked(folder: Path) -> None:
    said = run("invite", folder, "--name", "Ada", "--count", 2, "--url", "https://example.org/")
    rows = [line.split("\t") for line in said.stdout.splitlines()]
    assert [row[:2] for row in rows] == [["1", "Ada 1"], ["2", "Ada 2"]]
    tokens = [row[2].removeprefix("https://example.org/join/") for row in rows]
    assert "revoked" in run("revoke", folder, 1).stdout
    with Store.open(folder) as store:
        assert contributor_of(store, tokens[1]).name == "Ada 2"
        with pytest.raises(InvitationError, match="revoked"):
            contributor_of(store, tokens[0])
    run("revoke", folder, 1, "--undo")
    with Store.open(folder) as store:
        assert contributor_of(store, tokens[0]).name == "Ada 1"


def test_one_invitation_has_the_name_as_it_is(folder: Path) -> None:
    line = run("invite", folder, "--name", "Ada").stdout
    assert line.startswith("1\tAda\thttp://127.0.0.1:8000/join/1.")


def test_a_link_can_be_shown_again_until_it_is_revoked(folder: Path) -> None:
    line = run("invite", folder, "--name", "Ada").stdout
    assert run("link", folder, 1).stdout == line
    elsewhere = run("link", folder, 1, "--url", "https://example.org/").stdout
    assert elsewhere.startswith("1\tAda\thttps://example.org/join/1.")
    run("revoke", folder, 1)
    with pytest.raises(UserError, match="was revoked"):
        run("link", folder, 1)


def test_a_contributor_who_is_not_there_is_told(folder: Path) -> None:
    for command in ("revoke", "link"):
        with pytest.raises(UserError, match="there is no contributor 7"):
            run(command, folder, 7)


def test_a_reviewer_logs_in_with_the_line_of_standard_input(folder: Path) -> None:
    run("reviewer", folder, "--name", "Emmy", typed=f"{PASSWORD}\n")
    with Store.open(folder) as store:
        assert log_in(store, "Emmy", PASSWORD)
    with pytest.raises(UserError, match='there is a reviewer named "Emmy" already'):
        run("reviewer", folder, "--name", "Emmy", typed=f"{PASSWORD}\n")
    with pytest.raises(UserError, match="at least 8 characters"):
        run("reviewer", folder, "--name", "Kurt", typed="short\n")
    with pytest.raises(UserError, match="no password on standard input"):
        run("reviewer", folder, "--name", "Kurt", typed="")


def test_a_reviewer_is_changed_and_shut_out(folder: Path) -> None:
    run("reviewer", folder, "--name", "Emmy", typed=f"{PASSWORD}\n")
    run("reviewer", folder, "--name", "Emmy", "--change-password", typed="another password\n")
    with Store.open(folder) as store:
        with pytest.raises(LoginError):
            log_in(store, "Emmy", PASSWORD)
        assert log_in(store, "Emmy", "another password")
        run("reviewer", folder, "--name", "Emmy", "--disable")
        with pytest.raises(LoginError):
            log_in(store, "Emmy", "another password")
        run("reviewer", folder, "--name", "Emmy", "--enable")
        assert log_in(store, "Emmy", "another password")
    with pytest.raises(UserError, match="not both"):
        run("reviewer", folder, "--name", "Emmy", "--disable", "--change-password")


def test_on_a_terminal_the_password_is_asked_for_twice(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    asked: list[dict[str, object]] = []

    def prompt(text: str, **how: object) -> str:
        asked.append(how)
        return PASSWORD

    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(collect.typer, "prompt", prompt)
    collect.reviewer(folder, "Emmy")
    assert [(how["hide_input"], how["confirmation_prompt"]) for how in asked] == [(True, True)]


def test_status_is_told_in_lines_and_as_json(folder: Path) -> None:
    with Store.open(folder) as store:
        Writer(store, Neighbours()).submit(10)
    said = run("status", folder).stdout
    assert said.startswith("Our problems (since ")
    assert "handed in     1: 0 accepted, 0 corrected, 0 rejected, 1 waiting" in said
    assert "  money: " in said
    content = json.loads(run("status", folder, "--json").stdout)
    assert (content["handed_in"], content["to_review"]) == (1, 1)


def test_nothing_that_people_typed_steers_the_terminal(tmp_path: Path) -> None:
    path, made = tmp_path / "seeds.jsonl", tmp_path / "made"
    topic = "\x1b]0;speed\x07 \x9b2J\u202e\n  money: 9 problems, 0 seeds"
    problems = [seed(k) for k in range(5)]
    write_problems(path, [replace(p, extra={"topic": topic}) for p in problems] + problems)
    said = [
        run("init", made, "--seeds", path, "--title", "Ours \u202esruO"),
        run("invite", made, "--name", "Ada \u2066adA", "--url", "http://\x1b[2J"),
        run("link", made, 1),
        run("reviewer", made, "--name", "Emmy \u202a", typed=f"{PASSWORD}\n"),
        run("status", made),
        run("status", made, "--json"),
    ]
    for text in (told for one in said for told in (one.stdout, one.stderr)):
        assert printable(text) == text
    assert r"Ours \u202esruO" in said[4].stdout
    assert r"\x1b]0;speed\x07 \x9b2J\u202e money: 9 problems, 0 seeds: 0 problems" in said[4].stdout
    content = json.loads(said[5].stdout)
    assert content["title"] == "Ours \u202esruO"
    assert topic in {row["topic"] for row in content["topics"]}


def test_export_writes_a_data_set_and_tells_what_is_left_out(folder: Path, tmp_path: Path) -> None:
    with Store.open(folder) as store:
        writer = Writer(store, Neighbours())
        numbers = [writer.submit(k) for k in range(10, 15)]
        store.write(lambda s: s.add(Reviewer(id=1, name="Emmy", password_hash="none")))
        for number in numbers[:4]:
            decide(store, 1, number, "accept")
        decide(store, 1, numbers[4], "reject", "wrong")
    out = tmp_path / "out"
    said = run("export", folder, "--to", out, "--dev", 1, "--test", 1).stdout
    assert f"{out}: 2 train, 1 dev, 1 test" in said
    assert "left out: 1 rejected, 0 marked" in said
    assert len(list(read_problems(out / "train.jsonl"))) == 2
    assert (out / "README.md").read_text("utf-8").count("# Our problems") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("status",),
        ("invite", "--name", "Ada"),
        ("link", "1"),
        ("revoke", "1"),
        ("serve",),
        ("export", "--to", "out"),
    ],
)
def test_a_folder_without_a_collection_is_told(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    command, *rest = arguments
    with pytest.raises(UserError, match="holds no collection; make one with"):
        run(command, tmp_path, *rest)


def test_a_missing_library_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("scratchwork.collecting")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(UserError, match=r"needs sqlalchemy: pip install 'scratchwork\[collect\]'"):
        run("status", folder)
