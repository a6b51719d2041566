"""The addresses for reviewers: logging in, the next submission, verdicts, figures.

Promises: nothing is shown without a login. Failed logins are slowed down, one after another,
and limited for each name and each address; successful ones are not counted. A verdict is stored
before the answer is given.

What another reviewer decided on a submission is not shown, so that two of them stay independent.
"""

# pyright: reportUnusedFunction=false
import asyncio
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from scratchwork.collecting.auditing import remarks_on
from scratchwork.collecting.passwords import SESSION_SECONDS, LoginError, log_in
from scratchwork.collecting.reviewing import ToReview, decide, next_for, to_review
from scratchwork.collecting.schema import JsonObject, Reviewer
from scratchwork.collecting.status import status_of
from scratchwork.collecting.web.rates import Rates, address_of
from scratchwork.collecting.web.sessions import REVIEWER, VISITOR, new_visitor, set_cookie
from scratchwork.collecting.web.shapes import ToDecide, ToLogIn, shown_problem
from scratchwork.collecting.web.workshop import OWN_PAGE, Workshop, private
from scratchwork.serving.files import file_response
from scratchwork.serving.working import Workbench

_TOO_MANY = "too many attempts to log in; wait a little"


def reviewer_routes(workshop: Workshop) -> APIRouter:
    """The routes of reviewers."""
    router = APIRouter()
    limited = [Depends(workshop.limit_address)]
    store, sessions = workshop.store, workshop.sessions
    for_name = Rates(workshop.limits.logins_for_name, _TOO_MANY)
    from_address = Rates(workshop.limits.logins_from_address, _TOO_MANY)
    # Hashing takes much memory and a core, so logins run one at a time.
    logins = Workbench(1, 20)

    async def told(request: Request, find: Callable[[Reviewer], dict[str, Any]]) -> Response:
        """What is found for the reviewer of the session; LoginError if there is none."""
        return private(await workshop.run(lambda: find(sessions.reviewer(request))))

    @router.get("/review")
    async def page() -> Response:
        return file_response("review.html", OWN_PAGE)

    @router.get("/api/review", dependencies=limited)
    async def next_item(request: Request) -> Response:
        def find(reviewer: Reviewer) -> dict[str, Any]:
            item = next_for(store, reviewer.id)
            return {
                "title": store.settings.title,
                "csrf": sessions.csrf_token(request.cookies[REVIEWER]),
                "name": reviewer.name,
                "item": None if item is None else _shown(item),
            }

        try:
            return await told(request, find)
        except LoginError:
            return _login_wanted(workshop, request)

    @router.get("/api/figures", dependencies=limited)
    async def figures(request: Request) -> Response:
        return await told(request, lambda _: status_of(store).as_json())

    @router.get("/api/review/{submission_id}", dependencies=limited)
    async def one(submission_id: int, request: Request) -> Response:
        return await told(request, lambda _: _shown(to_review(store, submission_id)))

    @router.post("/api/login", dependencies=limited)
    async def enter(asked: ToLogIn, request: Request) -> Response:
        sessions.check_csrf(request, VISITOR)
        name, address = asked.name.strip().casefold(), address_of(request)
        # Counted before it is tried, so that parallel attempts do not slip through.
        count = max(from_address.take(address), for_name.take(name))
        try:
            token = await logins.run(lambda: log_in(store, asked.name, asked.password))
        except LoginError:
            await asyncio.sleep(workshop.limits.login_pause * count)
            raise
        from_address.give_back(address)
        for_name.give_back(name)
        response = private({"csrf": sessions.csrf_token(token)})
        set_cookie(request, response, REVIEWER, token, SESSION_SECONDS)
        return response

    @router.post("/api/logout", dependencies=limited)
    async def leave(request: Request) -> Response:
        sessions.check_csrf(request, REVIEWER)
        sessions.end(request.cookies[REVIEWER])
        response = private({"left": True})
        response.delete_cookie(REVIEWER)
        return response

    @router.post("/api/decide", dependencies=limited)
    async def verdict(asked: ToDecide, request: Request) -> Response:
        sessions.check_csrf(request, REVIEWER)

        def work(reviewer: Reviewer) -> dict[str, Any]:
            decision = decide(
                store, reviewer.id, asked.submission, asked.verdict, asked.reason, asked.corrected
            )
            return {"review": decision.review_id, "status": decision.status}

        return await told(request, work)

    return router


def _login_wanted(workshop: Workshop, request: Request) -> Response:
    """What the page needs to log in, given to every visitor."""
    visitor = request.cookies.get(VISITOR) or new_visitor()
    csrf = workshop.sessions.csrf_token(visitor)
    response = private({"title": workshop.store.settings.title, "csrf": csrf, "name": None})
    set_cookie(request, response, VISITOR, visitor, None)
    return response


def _shown(item: ToReview) -> JsonObject:
    problem = shown_problem(item.problem)
    near = item.nearest
    return {
        "submission": item.submission_id,
        "contributor": item.contributor_id,
        "created": item.created.isoformat(),
        "topic": item.topic,
        "relation": item.relation,
        "mark_reason": item.mark_reason,
        "problem": problem,
        "seed": {"id": item.seed_id, "problem": shown_problem(item.seed_problem)},
        "nearest": None
        if near is None or item.nearest_problem is None
        else near | {"problem": shown_problem(item.nearest_problem)},
        "remarks": remarks_on(**problem).as_json(),
    }
