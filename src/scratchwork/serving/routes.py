"""The addresses of the server.

Promises: every answer and every refusal is described in `/openapi.json`; nothing is served from
the disk but the files of the page.
"""

import secrets
from functools import partial
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from fastapi import Path as FromPath
from fastapi.responses import FileResponse, StreamingResponse

from scratchwork.serving import events, metrics
from scratchwork.serving.files import CONTENT_TYPES, PAGE, file_response
from scratchwork.serving.limits import LARGEST_SEED
from scratchwork.serving.practice import practice_problems, topics
from scratchwork.serving.queueing import SolveQueue
from scratchwork.serving.refusals import json_response
from scratchwork.serving.shapes import (
    AuditShape,
    Health,
    Practice,
    Refused,
    SolutionShape,
    ToAudit,
    ToExecute,
    ToGenerate,
    Topic,
    ToSolve,
    TraceShape,
)
from scratchwork.serving.working import Workbench, audited, executed, problem_to_solve

_REASONS = {
    400: "The body cannot be read.",
    401: "The server's token is missing.",
    404: "There is no such file.",
    408: "The body came too slowly.",
    413: "The body is too large.",
    422: "The body is not what is asked for, or cannot be worked on.",
    429: "Too many wait already; `Retry-After` says when to come again.",
    503: "There is no model, it is still loading, or it took too long.",
}

_Responses = dict[int | str, dict[str, Any]]


def _refusals(*statuses: int) -> _Responses:
    return {s: {"model": Refused, "description": _REASONS[s]} for s in statuses}


_POSTED = _refusals(400, 401, 408, 413, 422, 429)


def make_routes(queue: SolveQueue, counted: metrics.Metrics, model: str | None) -> APIRouter:
    """The routes of a server with this queue."""
    router = APIRouter()
    bench = Workbench()

    @router.get("/", response_class=FileResponse, responses={200: {"content": {"text/html": {}}}})
    async def page() -> Response:  # pyright: ignore[reportUnusedFunction]
        """The page."""
        return file_response("index.html", PAGE)

    @router.get("/static/{file}", response_class=FileResponse, responses=_files())
    async def static(  # pyright: ignore[reportUnusedFunction]
        file: Annotated[str, FromPath(examples=["style.css"])],
    ) -> Response:
        """A file of the page."""
        return file_response(file, PAGE)

    @router.get("/health", response_model=Health)
    async def health() -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction]
        """Whether problems can be solved yet."""
        return {
            "status": queue.status,
            "version": version("scratchwork"),
            "model": model,
            "waiting": queue.length,
        }

    @router.get(
        "/metrics",
        response_class=Response,
        responses={200: {"content": {"text/plain": {}}}, **_refusals(401)},
    )
    async def numbers() -> Response:  # pyright: ignore[reportUnusedFunction]
        """What was counted, for Prometheus."""
        return Response(counted.text(queue.length), media_type=metrics.METRICS_TYPE)

    @router.get("/topics", response_model=list[Topic], responses=_refusals(429))
    async def all_topics() -> Response:  # pyright: ignore[reportUnusedFunction]
        """What problems can be generated about."""
        return json_response(await bench.run(topics))

    @router.post("/generate", responses={200: {"model": Practice}, **_POSTED})
    async def generate(asked: ToGenerate) -> Response:  # pyright: ignore[reportUnusedFunction]
        """Make up problems with their solutions."""
        seed = secrets.randbelow(LARGEST_SEED) if asked.seed is None else asked.seed
        work = partial(practice_problems, asked.topic, asked.difficulty, seed, asked.count)
        return json_response({"problems": await bench.run(work)})

    @router.post("/audit", responses={200: {"model": AuditShape}, **_POSTED})
    async def audit(asked: ToAudit) -> Response:  # pyright: ignore[reportUnusedFunction]
        """Say of every number of a derivation where it came from, and what is not true."""
        return json_response(await bench.run(partial(audited, asked)))

    @router.post("/execute", responses={200: {"model": TraceShape}, **_POSTED})
    async def execute(asked: ToExecute) -> Response:  # pyright: ignore[reportUnusedFunction]
        """Execute a program."""
        return json_response(await bench.run(partial(executed, asked)))

    @router.post("/solve", responses=_solving())
    async def solve(  # pyright: ignore[reportUnusedFunction]
        asked: ToSolve, request: Request
    ) -> Response:
        """Solve a problem; as a stream of events if `Accept` says `text/event-stream`."""
        job = queue.submit(problem_to_solve(asked))
        found = events.told(queue, job, request)
        if events.EVENTS_TYPE in request.headers.get("accept", ""):
            return StreamingResponse(events.as_stream(found), media_type=events.EVENTS_TYPE)
        return json_response((await events.solution(found)).to_json())

    return router


def _files() -> _Responses:
    kinds = {content_type.partition(";")[0]: {} for content_type in CONTENT_TYPES.values()}
    return {200: {"content": kinds}, **_refusals(404, 422)}


def _solving() -> _Responses:
    stream = {"schema": {"type": "string"}, "example": 'event: votes\ndata: {"votes": {"B": 1}}'}
    return {
        200: {"model": SolutionShape, "content": {events.EVENTS_TYPE: stream}},
        **_POSTED,
        **_refusals(503),
    }
