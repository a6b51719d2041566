"""Failures of a database, as one sentence each, and whether they may pass by themselves."""

from sqlalchemy.exc import DatabaseError, DBAPIError, InternalError, OperationalError

from scratchwork.errors import UserError

_FULL = "has no room left: the disk is full; nothing of this is kept; make room, then try again"
_SQLITE_MAY_PASS = {5: "is locked by another process", 6: "is locked by another process"}
_SQLITE = {
    8: "may not be written to; check its owner and rights",
    10: "has trouble with its disk; check the disk, then try again",
    11: "is damaged; restore it from a copy",
    13: _FULL,
    14: "cannot be opened; check its folder and its rights",
    26: "is damaged or not a database; restore it from a copy",
}
_NO_ROOM_FOR_INDEX = 4874
"""SQLite's SQLITE_IOERR_SHMSIZE: the index of its log, made on opening, finds the disk full."""
_DISK_FULL = "53100"
_POSTGRES_MAY_PASS = {
    "08": "does not answer",
    "40": "is busy",
    "53300": "has no free connection",
    "55P03": "is locked by another process",
    "57P": "is starting or stopping",
}
_POSTGRES = {
    "28": "refuses the user or the password of its URL",
    "3D000": "does not exist on its server; create it there first",
    "42501": "may not be written to by the user of its URL",
    _DISK_FULL: _FULL,
}


class StoreError(UserError):
    """A database that cannot be used now.

    Nothing of the transaction was kept, unless the server went away while it committed.
    """

    def __init__(self, sentence: str, *, may_pass: bool) -> None:
        super().__init__(sentence)
        self.may_pass = may_pass


def failure_of(error: DBAPIError, name: str) -> StoreError | None:
    """The failure behind an error of the driver; None if it is a defect of this package."""
    original = error.orig
    sqlite_code = getattr(original, "sqlite_errorcode", None)
    if isinstance(sqlite_code, int):
        primary = 13 if sqlite_code == _NO_ROOM_FOR_INDEX else sqlite_code & 0xFF
        if primary in _SQLITE_MAY_PASS:
            return StoreError(f"{name} {_SQLITE_MAY_PASS[primary]}; try again", may_pass=True)
        if primary in _SQLITE:
            return StoreError(f"{name} {_SQLITE[primary]}", may_pass=False)
        return None
    state = str(getattr(original, "sqlstate", None) or "")
    if state == _DISK_FULL and _has_ended(original):
        # The server may have written the end of the transaction before it stopped.
        return StoreError(
            f"the database {name} has stopped because its disk is full; make room, start it, and "
            "see what it has kept before you try again",
            may_pass=True,
        )
    for known, may_pass in ((_POSTGRES_MAY_PASS, True), (_POSTGRES, False)):
        for prefix, what in known.items():
            if state.startswith(prefix):
                hint = "; try again" if may_pass else ""
                return StoreError(f"the database {name} {what}{hint}", may_pass=may_pass)
    if error.connection_invalidated or (not state and isinstance(error, OperationalError)):
        return _unreachable(original, name)
    if isinstance(error, OperationalError | InternalError) or type(error) is DatabaseError:
        return StoreError(f"the database {name} failed: {_first_line(original)}", may_pass=False)
    return None


def _has_ended(original: BaseException | None) -> bool:
    """Whether PostgreSQL ended the connection, or itself, with this error."""
    severity = getattr(getattr(original, "diag", None), "severity_nonlocalized", None)
    return severity in ("FATAL", "PANIC")


def _unreachable(original: BaseException | None, name: str) -> StoreError:
    said = str(original)
    # The driver gives no code for what the server says before a connection stands.
    if "password authentication failed" in said or "no password supplied" in said:
        return StoreError(f"the database {name} {_POSTGRES['28']}", may_pass=False)
    if "does not exist" in said:
        return StoreError(f"the database {name}: {_first_line(original)}", may_pass=False)
    return StoreError(f"the database {name} cannot be reached; try again", may_pass=True)


def _first_line(original: BaseException | None) -> str:
    return (str(original).strip().splitlines() or ["no reason given"])[0]
