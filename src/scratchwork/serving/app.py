"""The server as one ASGI application.

Promises: it answers at once, while the model loads in a thread of its own; when it is shut down,
every problem that was accepted is solved first.

Does not cover: listening on a port; see `running`.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from scratchwork.families.loading import load_families
from scratchwork.serving.guards import Guard
from scratchwork.serving.limits import MOST_WAITING
from scratchwork.serving.metrics import Metrics
from scratchwork.serving.queueing import SolveQueue, Solves
from scratchwork.serving.refusals import add_refusals
from scratchwork.serving.routes import make_routes

_DESCRIPTION = (
    "Solves algebra word problems and shows where every number comes from; audits derivations; "
    'makes up problems to practise. Refusals are `{"error": "one sentence"}`.'
)


def create_app(
    load: Callable[[], Solves] | None = None,
    *,
    model: str | None = None,
    token: str | None = None,
    longest: int = MOST_WAITING,
) -> FastAPI:
    """The application; `load` makes its search, in a thread; `longest` is its queue's."""
    metrics = Metrics()
    queue = SolveQueue(load, metrics, longest=longest)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        queue.start()
        # The first who asks for topics should not have to wait for the families.
        warming = asyncio.create_task(asyncio.to_thread(load_families))
        yield
        await asyncio.to_thread(queue.close)
        await warming

    app = FastAPI(
        title="Scratchwork",
        version=version("scratchwork"),
        description=_DESCRIPTION,
        lifespan=lifespan,
        # The framework's own pages load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
    )
    app.include_router(make_routes(queue, metrics, model))
    add_refusals(app)
    app.add_middleware(Guard, metrics=metrics, token=token)
    return app
