"""What is said to the user: the one class of errors meant for their eyes, and how texts are shown.

Promises: `quoted` keeps a message short whatever it quotes, and nothing that `printable` or
`printable_json` gives can steer a terminal.
"""

import re

MOST_QUOTED = 200
"""A message quotes at most so many characters."""

_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but for tab and line break, changes of direction, and halves of characters."""


class UserError(Exception):
    """Something the user can mend; its text is one sentence: what, where, and what to do.

    The command line prints the text and exits with 2; a library caller may catch it. Errors of
    other classes are defects of this package.
    """


def printable(text: str) -> str:
    """The text with what a terminal would obey, or could not show, written out as `\\x1b`."""
    return _STEERING.sub(lambda found: ascii(found[0])[1:-1], text)


def printable_json(json: str) -> str:
    """JSON that reads back the same, with such characters as `\\u001b`."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", json)


def quoted(text: object) -> str:
    """What was given, in quotes for a message, on one line and shortened if long."""
    given = str(text)
    short = given if len(given) <= MOST_QUOTED else f"{given[: MOST_QUOTED - 3]}..."
    return f'"{printable(short)}"'.replace("\n", "\\n")
