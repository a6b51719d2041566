"""Reviewers, their passwords and their sessions.

Promises: passwords are kept as Argon2id hashes only. A wrong name and a wrong password give the
same sentence, and take the same work. A session is a signed token that expires; disabling the
reviewer or changing the password ends it at once.

Does not cover: how often someone may try a password; the server bounds that.
"""

import time
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from scratchwork.collecting.forms import checked_name
from scratchwork.collecting.schema import Reviewer
from scratchwork.collecting.signing import content_of, is_genuine, signed
from scratchwork.collecting.storing import Store, row_with_id
from scratchwork.errors import UserError

FEWEST_IN_PASSWORD = 8
MOST_IN_PASSWORD = 1_000
SESSION_SECONDS = 12 * 3600

_HASHER = PasswordHasher()
_WRONG = "the name or the password is wrong"
_ENDED = "this session has ended; log in again"


class LoginError(UserError):
    """A login or a session that is not good."""


def add_reviewer(store: Store, name: str, password: str) -> int:
    """Add a reviewer; the number is returned."""
    name = checked_name(name)
    password_hash = _hashed(password)

    def add(session: Session) -> int:
        known = _named(session, name)
        if known is not None and known.password_hash == password_hash:
            return known.id  # stored by this very call, whose connection was lost
        reviewer = Reviewer(name=name, password_hash=password_hash)
        session.add(reviewer)
        session.flush()
        return reviewer.id

    try:
        return store.write(add)
    except IntegrityError as error:
        raise UserError(f'there is a reviewer named "{name}" already') from error


def change_password(store: Store, name: str, password: str) -> None:
    """Give a reviewer another password, which ends the sessions."""
    _change(store, name, password_hash=_hashed(password))


def set_disabled(store: Store, name: str, disabled: bool) -> None:
    """Disable a reviewer, which ends the sessions, or enable them again."""
    _change(store, name, disabled=disabled)


def log_in(store: Store, name: str, password: str, seconds: int = SESSION_SECONDS) -> str:
    """The token of a new session; LoginError if name and password do not fit."""
    if "\0" in name or not _is_text(name) or not _is_text(password):
        raise LoginError(_WRONG)
    reviewer = store.read(lambda session: _named(session, name.strip()))
    stored = _hash_of_nobody() if reviewer is None else reviewer.password_hash
    try:
        _HASHER.verify(stored, password[: MOST_IN_PASSWORD + 1])
    except (VerificationError, InvalidHashError):
        raise LoginError(_WRONG) from None
    if reviewer is None or reviewer.disabled:
        raise LoginError(_WRONG)
    return signed(store.secret, _purpose(reviewer), f"{reviewer.id}.{int(time.time()) + seconds}")


def reviewer_of(store: Store, token: str) -> Reviewer:
    """Whose session this is; LoginError if it is forged, altered, expired or ended."""
    number, _, expires = content_of(token).partition(".")
    if not (number.isascii() and number.isdigit() and len(number) <= 9):
        raise LoginError(_ENDED)
    reviewer = store.read(lambda session: row_with_id(session, Reviewer, int(number)))
    if reviewer is None or reviewer.disabled:
        raise LoginError(_ENDED)
    if not is_genuine(store.secret, _purpose(reviewer), token) or int(expires) <= time.time():
        raise LoginError(_ENDED)
    return reviewer


def _purpose(reviewer: Reviewer) -> str:
    return f"session {reviewer.password_hash}"


def _named(session: Session, name: str) -> Reviewer | None:
    return session.scalars(select(Reviewer).where(Reviewer.name == name)).first()


def _change(store: Store, name: str, **columns: object) -> None:
    change = update(Reviewer).where(Reviewer.name == name).values(**columns)
    if not store.write(lambda session: session.scalar(change.returning(Reviewer.id))):
        raise UserError(f'there is no reviewer named "{name}"')


def _hashed(password: str) -> str:
    if len(password) < FEWEST_IN_PASSWORD:
        raise UserError(f"a password needs at least {FEWEST_IN_PASSWORD} characters")
    if len(password) > MOST_IN_PASSWORD or not _is_text(password):
        raise UserError(f"a password is a text of at most {MOST_IN_PASSWORD} characters")
    return _HASHER.hash(password)


def _is_text(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@cache
def _hash_of_nobody() -> str:
    return _HASHER.hash("whoever asks for a name that is not there")
