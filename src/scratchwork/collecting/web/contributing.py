"""The addresses for contributors: joining, writing, handing in, one's standing.

Promises: a valid link gives a session and an address without the link's token. What is handed in is
stored, or kept as sent back, before the answer is given; the same key again gives the same answer.
A revoked contributor is told so, and can do nothing else.
"""

# pyright: reportUnusedFunction=false
from dataclasses import asdict
from html import escape
from typing import Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from scratchwork.collecting.assigning import skip, task_for
from scratchwork.collecting.auditing import remarks_on
from scratchwork.collecting.failures import StoreError
from scratchwork.collecting.handing_in import HandedIn, HandIn, SentBack, hand_in
from scratchwork.collecting.inviting import InvitationError, contributor_of
from scratchwork.collecting.reviewing import standing
from scratchwork.collecting.web.sessions import CONTRIBUTOR, CONTRIBUTOR_SECONDS, set_cookie
from scratchwork.collecting.web.shapes import ToHandIn, ToRemarkOn, ToSkip, shown_problem
from scratchwork.collecting.web.workshop import OWN_PAGE, Workshop, private
from scratchwork.errors import UserError
from scratchwork.serving.files import file_response
from scratchwork.serving.refusals import RefusalError

_AWAY = "the collection cannot be reached now; try this link again in a little while"


def contributor_routes(workshop: Workshop) -> APIRouter:
    """The routes of contributors."""
    router = APIRouter()
    limited = [Depends(workshop.limit_address)]
    store, sessions = workshop.store, workshop.sessions

    @router.get("/join/{token:path}", dependencies=limited)
    async def join(token: str, request: Request) -> Response:
        try:
            contributor = await workshop.run(lambda: contributor_of(store, token))
        except InvitationError as error:
            return _notice(403, "This link does not work.", str(error))
        except StoreError:
            return _notice(503, "Not now.", _AWAY)
        # Relative, so that it holds behind a proxy that serves the workshop below a path.
        response = RedirectResponse("../work", 303, {"Cache-Control": "no-store"})
        token = sessions.begin(contributor.id)
        set_cookie(request, response, CONTRIBUTOR, token, CONTRIBUTOR_SECONDS)
        return response

    @router.get("/work")
    async def work() -> Response:
        return file_response("work.html", OWN_PAGE)

    @router.get("/mine")
    async def mine() -> Response:
        return file_response("mine.html", OWN_PAGE)

    @router.get("/api/task", dependencies=limited)
    async def task(request: Request) -> Response:
        number = workshop.contributor_id(request, workshop.asking_rates)

        def find() -> dict[str, Any]:
            try:
                assigned = task_for(store, number)
            except StoreError:
                raise
            except UserError as error:
                raise RefusalError(409, str(error)) from error
            return _visit(workshop, request) | {
                "draft": f"{store.settings.created} {number}",
                "task": assigned.task_id,
                "seeds": [
                    {"id": seed.id, "topic": seed.topic, "problem": shown_problem(seed.problem)}
                    for seed in assigned.seeds
                ],
            }

        return private(await workshop.run_as(number, find))

    @router.post("/api/remarks", dependencies=limited)
    async def remarks(asked: ToRemarkOn, request: Request) -> Response:
        # Not looked up in the database: an audit gives nothing away, and is asked for often.
        workshop.contributor_id(request, workshop.audit_rates)
        found = await workshop.run_audit(
            lambda: remarks_on(asked.question, asked.options, asked.rationale, asked.correct)
        )
        return private(found.as_json())

    @router.post("/api/hand-in", dependencies=limited)
    async def take(asked: ToHandIn, request: Request) -> Response:
        number = workshop.contributor_id(request, workshop.hand_in_rates)
        handed = HandIn(asked.task, asked.seed, asked.key, asked.problem)
        result = await workshop.run_as(
            number, lambda: hand_in(store, workshop.neighbours, number, handed)
        )
        return private(_outcome(result))

    @router.post("/api/skip", dependencies=limited)
    async def put_aside(asked: ToSkip, request: Request) -> Response:
        number = workshop.contributor_id(request, workshop.asking_rates)
        await workshop.run_as(number, lambda: skip(store, number, asked.task))
        return private({"skipped": asked.task})

    @router.get("/api/mine", dependencies=limited)
    async def own_standing(request: Request) -> Response:
        number = workshop.contributor_id(request, workshop.asking_rates)
        found = await workshop.run_as(number, lambda: standing(store, number))
        outcomes = [asdict(o) | {"created": o.created.isoformat()} for o in found.outcomes]
        return private(
            _visit(workshop, request)
            | {"review_rate": found.review_rate, "counts": found.counts, "outcomes": outcomes}
        )

    return router


def _visit(workshop: Workshop, request: Request) -> dict[str, Any]:
    """What every page needs to know."""
    return {
        "title": workshop.store.settings.title,
        "csrf": workshop.sessions.csrf_token(request.cookies[CONTRIBUTOR]),
    }


def _outcome(result: HandedIn | SentBack) -> dict[str, Any]:
    if isinstance(result, HandedIn):
        return {
            "taken": True,
            "submission": result.submission_id,
            "relation": result.relation,
            "again": result.again,
        }
    near = result.neighbour
    return {
        "taken": False,
        "code": result.code,
        "sentence": result.sentence,
        "neighbour": None
        if near is None
        else {"kind": near.kind, "question": near.question, "ratio": near.ratio},
    }


def _notice(status: int, heading: str, sentence: str) -> Response:
    """A page that says one thing."""
    page = (OWN_PAGE / "told.html").read_text("utf-8")
    said = escape(f"{sentence[:1].upper()}{sentence[1:]}.")
    content = page.replace("{heading}", heading).replace("{sentence}", said)
    return HTMLResponse(content, status, {"Cache-Control": "no-store"})
