"""Reviewers' passwords and sessions."""

import time

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select

from scratchwork.collecting import passwords
from scratchwork.collecting.passwords import (
    LoginError,
    add_reviewer,
    change_password,
    log_in,
    reviewer_of,
    set_disabled,
)
from scratchwork.collecting.schema import Reviewer
from scratchwork.collecting.signing import signed
from scratchwork.collecting.storing import Store
from scratchwork.errors import UserError
from tests.collecting.test_storing import HOSTILE

PASSWORD = "correct horse"


@pytest.fixture(autouse=True)
def _cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "_HASHER", hasher)


def test_the_hashes_are_as_costly_as_the_standard_asks() -> None:
    hasher = PasswordHasher()
    assert (hasher.time_cost, hasher.memory_cost) >= (3, 65536)
    assert hasher.hash("x").startswith("$argon2id$")


def test_who_knows_the_password_gets_a_session(store: Store) -> None:
    number = add_reviewer(store, "Ann", PASSWORD)
    assert reviewer_of(store, log_in(store, "Ann", PASSWORD)).id == number


def test_no_password_is_stored(store: Store) -> None:
    add_reviewer(store, "Ann", PASSWORD)
    stored = store.read(lambda s: s.scalars(select(Reviewer.password_hash)).one())
    assert stored.startswith("$argon2id$")
    assert PASSWORD not in stored


def test_a_wrong_name_and_a_wrong_password_are_told_alike(store: Store) -> None:
    add_reviewer(store, "Ann", PASSWORD)
    wrong = [("Ann", "wrong horse"), ("Bob", PASSWORD), ("", ""), ("Ann", ""), ("ann", PASSWORD)]
    wrong += [("Ann' --", PASSWORD), ("Ann\0", PASSWORD), ("Ann", PASSWORD + "\0"), ("\ud800", "x")]
    wrong += [("Ann", "\ud800"), ("Ann", "x" * 100_000)]
    for name, password in wrong:
        with pytest.raises(LoginError, match="the name or the password is wrong"):
            log_in(store, name, password)


def test_forged_altered_and_expired_sessions_are_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_reviewer(store, "Ann", PASSWORD)
    add_reviewer(store, "Bob", PASSWORD)
    token = log_in(store, "Ann", PASSWORD, seconds=60)
    number, expires, signature = token.split(".")
    forged = ["", "..", f"2.{expires}.{signature}", f"{number}.{int(expires) + 1}.{signature}"]
    forged += [token[:-1], token + "A", f"99.{expires}.{signature}", f"²..{signature}", "9" * 999]
    forged += [
        signed(store.secret, "invitation", "1"),
        signed(b"x" * 32, "session", "1.9999999999"),
    ]
    for text in forged:
        with pytest.raises(LoginError, match="session has ended"):
            reviewer_of(store, text)
    assert reviewer_of(store, token).name == "Ann"
    later = time.time() + 61
    monkeypatch.setattr(passwords.time, "time", lambda: later)
    with pytest.raises(LoginError, match="session has ended"):
        reviewer_of(store, token)


def test_a_changed_password_and_a_disabled_reviewer_end_the_sessions(store: Store) -> None:
    add_reviewer(store, "Ann", PASSWORD)
    token = log_in(store, "Ann", PASSWORD)
    set_disabled(store, "Ann", True)
    for act in (lambda: reviewer_of(store, token), lambda: log_in(store, "Ann", PASSWORD)):
        with pytest.raises(LoginError):
            act()
    set_disabled(store, "Ann", False)
    assert reviewer_of(store, token).name == "Ann"
    change_password(store, "Ann", "another horse")
    for act in (lambda: reviewer_of(store, token), lambda: log_in(store, "Ann", PASSWORD)):
        with pytest.raises(LoginError):
            act()
    assert reviewer_of(store, log_in(store, "Ann", "another horse")).name == "Ann"


def test_what_cannot_be_a_reviewer_is_told_in_a_sentence(store: Store) -> None:
    add_reviewer(store, "Ann", PASSWORD)
    for name, password, sentence in (
        ("Ann", PASSWORD, "already"),
        ("", PASSWORD, "empty"),
        ("Bob", "short", "at least 8"),
        ("Bob", "x" * 1001, "at most 1000"),
        ("Bob", "\ud800" * 9, "a text"),
    ):
        with pytest.raises(UserError, match=sentence):
            add_reviewer(store, name, password)
    with pytest.raises(UserError, match='no reviewer named "Bob"'):
        change_password(store, "Bob", PASSWORD)
    with pytest.raises(UserError, match='no reviewer named "Bob"'):
        set_disabled(store, "Bob", True)


def test_whatever_a_name_or_a_password_holds_works(store: Store) -> None:
    for text in HOSTILE:
        add_reviewer(store, text, text + PASSWORD)
        assert reviewer_of(store, log_in(store, text, text + PASSWORD)).name == text
