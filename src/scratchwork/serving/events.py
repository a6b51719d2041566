"""Waiting for a solution, and telling it as server-sent events.

Promises: a client that goes away, or for whom it takes too long, loses its place in the queue. A
stream has at least one `votes` event, then `solution`, or `error` with a sentence.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from time import monotonic

from fastapi import Request

from scratchwork.serving.limits import SOLVING_SECONDS
from scratchwork.serving.queueing import Job, SolveQueue
from scratchwork.serving.refusals import RefusalError
from scratchwork.solution import Progress, Solution, votes_to_json

EVENTS_TYPE = "text/event-stream"

_LOOK_EVERY = 0.1
_LEFT = 499


async def told(
    queue: SolveQueue, job: Job, request: Request, seconds: float = SOLVING_SECONDS
) -> AsyncGenerator[Progress]:
    """The events of a job up to its solution; RefusalError instead of a solution."""
    end = monotonic() + seconds
    try:
        while True:
            try:
                event = await asyncio.wait_for(job.events.get(), _LOOK_EVERY)
            except TimeoutError:
                if await request.is_disconnected():
                    raise RefusalError(_LEFT, "the client went away") from None
                if monotonic() > end:
                    sentence = f"there was no solution within {seconds:g} seconds"
                    raise RefusalError(503, sentence, retry=True) from None
                continue
            if isinstance(event, RefusalError):
                raise event
            yield event
            if event.is_last:
                return
    finally:
        queue.leave(job)


async def solution(events: AsyncIterator[Progress]) -> Solution:
    """The solution alone."""
    async for event in events:
        if event.is_last:
            return event.solution
    raise AssertionError("a job ends in a solution or a refusal")


async def as_stream(events: AsyncIterator[Progress]) -> AsyncIterator[bytes]:
    """The events as server-sent events."""
    has_votes = False
    try:
        async for event in events:
            if not (event.is_last and has_votes):
                has_votes = True
                yield _event("votes", {"votes": votes_to_json(event.solution.votes)})
            if event.is_last:
                yield _event("solution", event.solution.to_json())
    except RefusalError as refusal:
        yield _event("error", {"error": str(refusal)})


def _event(name: str, content: object) -> bytes:
    # ASCII, so that half a character of a hostile problem cannot break the stream.
    return f"event: {name}\ndata: {json.dumps(content)}\n\n".encode()
