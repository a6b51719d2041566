"""What stands in front of every route: the token, the size of bodies, safe headers, counting.

Promises: a body reaches the routes only whole, in time and of at most the largest size; with a
token, POST routes and `/metrics` answer only to those who have it; every answer carries the headers
that keep a browser from running or loading anything that is not ours, and is counted if there are
metrics.
"""

import asyncio
import hmac
from time import monotonic

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scratchwork.serving.limits import BODY_SECONDS, LARGEST_BODY
from scratchwork.serving.metrics import Metrics
from scratchwork.serving.refusals import RefusalError, refusal_response

SAFE_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


class ClientLeftError(Exception):
    """The client went away before its request was whole."""


class Guard:
    """Wraps the app; `largest` is the size of a body in bytes."""

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics | None = None,
        token: str | None = None,
        largest: int = LARGEST_BODY,
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._token = None if token is None else token.encode()
        self._largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = monotonic()
        status = 500

        async def send_safely(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, content in SAFE_HEADERS.items():
                    headers.setdefault(name, content)
            await send(message)

        try:
            self._check_token(scope)
            body = await _whole_body(scope, receive, self._largest)
            await self._app(scope, _replayed(body, receive), send_safely)
        except RefusalError as refusal:
            await refusal_response(refusal)(scope, receive, send_safely)
        except ClientLeftError:
            status = 499
        finally:
            if self._metrics is not None:
                path = getattr(scope.get("route"), "path", "other")
                self._metrics.add_request(path, status, monotonic() - began)

    def _check_token(self, scope: Scope) -> None:
        if self._token is None or (scope["method"] != "POST" and scope["path"] != "/metrics"):
            return
        given = Headers(scope=scope).get("authorization", "")
        kind, _, token = given.partition(" ")
        same = hmac.compare_digest(token.strip().encode("utf-8", "replace"), self._token)
        if kind.lower() != "bearer" or not same:
            refusal = RefusalError(401, "this needs the server's token as Authorization: Bearer")
            refusal.headers = {"WWW-Authenticate": "Bearer"}
            raise refusal


async def _whole_body(scope: Scope, receive: Receive, largest: int) -> bytes:
    too_large = RefusalError(413, f"the body has more than {largest} bytes")
    length = Headers(scope=scope).get("content-length", "")
    if length.isdecimal() and (len(length) > 9 or int(length) > largest):
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientLeftError
                body += message.get("body", b"")
                if len(body) > largest:
                    raise too_large
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        raise RefusalError(408, f"the body did not come within {BODY_SECONDS:g} seconds") from None


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body in one piece, then whatever comes after it."""
    given = False

    async def receive_again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again
