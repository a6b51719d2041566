"""How many requests one person or one address may make.

A rate is a token bucket: a number of requests at once, and a number a second in the long run.
"""

from typing import NamedTuple

LARGEST_HAND_IN = 128 * 1024
"""Bytes of a request's body: a problem at all its bounds, in any script."""
AUDIT_SECONDS = 5.0
"""How long an audit may be waited for."""
AT_WORK = 8
"""Requests that use the database at the same time."""
MOST_REQUESTS_WAITING = 200
"""Requests that may wait for it."""
MOST_BUCKETS = 20_000
"""Persons or addresses that are remembered; beyond it the least recently seen are forgotten."""


class Rate(NamedTuple):
    """How often something may be done."""

    at_once: int
    per_second: float


class Limits(NamedTuple):
    """The rates of a server."""

    address: Rate = Rate(400, 40)
    """All requests of an address but those for the pages' files: a class may share one."""
    audits: Rate = Rate(60, 2)
    """Of a contributor, as the three below."""
    hand_ins: Rate = Rate(30, 1 / 10)
    asking: Rate = Rate(60, 1)
    """Asking for tasks and for one's standing, and putting tasks aside."""
    logins_for_name: Rate = Rate(10, 1 / 30)
    """Failed attempts for one name, from any address."""
    logins_from_address: Rate = Rate(20, 1 / 10)
    """Failed attempts from one address, for any name."""
    login_pause: float = 0.25
    """Seconds by which each failed attempt takes longer than the one before."""
