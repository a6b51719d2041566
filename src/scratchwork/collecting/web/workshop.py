"""What all routes of a collection's server share: the store, the index, the sessions, the limits.

Promises: work that uses the database or takes time runs in a bounded number of threads; further
requests wait, and beyond a bound are refused with 429. An audit is waited for only a few seconds;
it then continues in its thread, and keeps its place there until it ends.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from fastapi import Response
from starlette.requests import Request

from scratchwork.collecting.inviting import invited_contributor
from scratchwork.collecting.neighbours import Neighbours
from scratchwork.collecting.storing import Store
from scratchwork.collecting.web.limits import AT_WORK, AUDIT_SECONDS, MOST_REQUESTS_WAITING, Limits
from scratchwork.collecting.web.rates import Rates, address_of
from scratchwork.collecting.web.sessions import CONTRIBUTOR, Sessions
from scratchwork.serving.refusals import RefusalError, json_response
from scratchwork.serving.working import Workbench

OWN_PAGE = Path(__file__).parent / "page"
"""The files that only the workshop's pages have; the others are `serving.files.PAGE`."""

_T = TypeVar("_T")

_TOO_SLOW = "the audit of this text takes too long; it can be handed in without it"
_TOO_OFTEN = "too many requests; wait a little"


class Workshop:
    """A collection that is served."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self.store = store
        self.limits = limits
        self.neighbours = Neighbours()
        self.sessions = Sessions(store)
        self._bench = Workbench(AT_WORK, MOST_REQUESTS_WAITING)
        self._audits = Workbench()
        self._addresses = Rates(
            limits.address, "too many requests from your address; wait a little"
        )
        self.audit_rates = Rates(limits.audits, _TOO_OFTEN)
        self.hand_in_rates = Rates(
            limits.hand_ins, "too many problems at once; wait a little, your text is kept"
        )
        self.asking_rates = Rates(limits.asking, _TOO_OFTEN)

    async def limit_address(self, request: Request) -> None:
        """RefusalError (429) if an address asks too often."""
        self._addresses.take(address_of(request))

    def contributor_id(self, request: Request, rates: Rates) -> int:
        """Whose session it is, if they do not ask too often; a POST must be of our own pages."""
        number = self.sessions.contributor_id(request)
        if request.method == "POST":
            self.sessions.check_csrf(request, CONTRIBUTOR)
        rates.take(number)
        return number

    async def run(self, function: Callable[[], _T]) -> _T:
        """The result of a function that uses the database."""
        return await self._bench.run(function)

    async def run_as(self, contributor_id: int, function: Callable[[], _T]) -> _T:
        """The same for a contributor, who is looked up first; InvitationError if revoked."""

        def work() -> _T:
            invited_contributor(self.store, contributor_id)
            return function()

        return await self.run(work)

    async def run_audit(self, function: Callable[[], _T]) -> _T:
        """The result of an audit; RefusalError if it takes too long."""
        work = asyncio.ensure_future(self._audits.run(function))
        # Once nobody waits for it, nobody reads its error either.
        work.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            return await asyncio.wait_for(asyncio.shield(work), AUDIT_SECONDS)
        except TimeoutError:
            raise RefusalError(503, _TOO_SLOW) from None


def private(content: object) -> Response:
    """An answer that no cache keeps."""
    return json_response(content, headers={"Cache-Control": "no-store"})
