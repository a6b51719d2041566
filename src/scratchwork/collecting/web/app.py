"""The server of a collection as one ASGI application.

Promises: every refusal is one sentence with a fitting status; an unreachable database is 503, and
nothing acknowledged is lost. Internal errors go to the log, not to the client. All answers carry
the headers of the other pages (`serving.guards`).

Does not cover: listening on a port (`serving.running`), and encryption, which a proxy does.
"""

# pyright: reportUnusedFunction=false
import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Response

from scratchwork.collecting.failures import StoreError
from scratchwork.collecting.inviting import InvitationError
from scratchwork.collecting.passwords import LoginError
from scratchwork.collecting.storing import Store
from scratchwork.collecting.web.contributing import contributor_routes
from scratchwork.collecting.web.limits import AT_WORK, LARGEST_HAND_IN, Limits
from scratchwork.collecting.web.reviewing import reviewer_routes
from scratchwork.collecting.web.workshop import OWN_PAGE, Workshop
from scratchwork.serving.files import PAGE, file_response
from scratchwork.serving.guards import SAFE_HEADERS, Guard
from scratchwork.serving.refusals import RefusalError, add_refusals, refusal_response

_LOG = logging.getLogger("scratchwork.collecting")
_AWAY = "the collection's database cannot be reached now; nothing is lost, try again"
_BROKEN = "the server cannot store anything now; nothing is lost, try again later"
_FAILED = "the server failed, and its log says why; nothing is lost, try again later"
_OTHER_THREADS = 4
"""For audits and logins, in addition to those that use the database."""


def create_workshop_app(store: Store, limits: Limits | None = None) -> FastAPI:
    """The application of an open collection."""
    workshop = Workshop(store, limits or Limits())

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(AT_WORK + _OTHER_THREADS))
        # The first hand-in should not have to wait for the index.
        warming = asyncio.create_task(asyncio.to_thread(store.read, workshop.neighbours.catch_up))
        yield
        await asyncio.gather(warming, return_exceptions=True)

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)

    @app.get("/")
    async def welcome() -> Response:
        return file_response("welcome.html", OWN_PAGE)

    @app.get("/static/{file}")
    async def static(file: str) -> Response:
        return file_response(file, OWN_PAGE, PAGE)

    app.include_router(contributor_routes(workshop))
    app.include_router(reviewer_routes(workshop))
    add_refusals(app)
    _add_failures(app)
    app.add_middleware(Guard, largest=LARGEST_HAND_IN)
    return app


def _add_failures(app: FastAPI) -> None:
    """Add the refusals that only a collection has."""

    def refused(status: int) -> Callable[[Request, Exception], Response]:
        return lambda _, error: refusal_response(RefusalError(status, str(error)))

    def away(_: Request, error: Exception) -> Response:
        assert isinstance(error, StoreError)
        _LOG.error("%s", error)
        return refusal_response(RefusalError(503, _AWAY if error.may_pass else _BROKEN))

    def failed(_: Request, error: Exception) -> Response:
        # Told outside of the guard, so the headers are put on here.
        response = refusal_response(RefusalError(500, _FAILED))
        response.headers.update(SAFE_HEADERS)
        return response

    app.add_exception_handler(InvitationError, refused(403))
    app.add_exception_handler(LoginError, refused(401))
    app.add_exception_handler(StoreError, away)
    app.add_exception_handler(Exception, failed)
