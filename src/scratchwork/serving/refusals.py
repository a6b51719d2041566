"""What the server says no with: a status, and one sentence as JSON.

Promises: every refusal's body is `{"error": "one sentence"}`, whoever refuses: the routes, the
checks in front of them, or the framework.
"""

import json
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from scratchwork.errors import UserError
from scratchwork.serving.limits import RETRY_SECONDS

_SENTENCES = {
    400: "the body is not JSON, or holds a number too long to read",
    404: "there is nothing at this address",
    405: "this address does not take that method",
}


class RefusalError(Exception):
    """A request that is turned away."""

    def __init__(self, status: int, sentence: str, *, retry: bool = False) -> None:
        super().__init__(sentence)
        self.status = status
        self.headers = {"Retry-After": str(RETRY_SECONDS)} if retry else {}


def json_response(
    content: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """An answer as JSON; UserError if it holds what no UTF-8 text can."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    try:
        body = text.encode("utf-8")
    except UnicodeEncodeError:
        raise UserError("the text holds half a character (a lone surrogate)") from None
    return Response(body, status, headers, "application/json")


def refusal_response(refusal: RefusalError) -> Response:
    """A refusal as JSON, whatever characters it quotes."""
    sentence = str(refusal).encode("utf-8", "replace").decode("utf-8")
    return json_response({"error": sentence}, refusal.status, refusal.headers)


def add_refusals(app: FastAPI) -> None:
    """Let the app answer all errors in this way."""

    def refused(_: Request, error: Exception) -> Response:
        assert isinstance(error, RefusalError)
        return refusal_response(error)

    def told(_: Request, error: Exception) -> Response:
        return refusal_response(RefusalError(422, str(error)))

    def invalid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return refusal_response(RefusalError(422, _first_fault(error)))

    def missing(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        response = refusal_response(
            RefusalError(error.status_code, _SENTENCES.get(error.status_code, error.detail))
        )
        response.headers.update(error.headers or {})
        return response

    app.add_exception_handler(RefusalError, refused)
    app.add_exception_handler(UserError, told)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, missing)


def _first_fault(error: RequestValidationError) -> str:
    fault: dict[str, Any] = error.errors()[0]
    if fault["type"] == "json_invalid":
        return "the body is not JSON"
    place = ".".join(str(part) for part in fault["loc"][1:])
    message = str(fault["msg"])
    return f"{place or 'the body'}: {message[:1].lower()}{message[1:]}"
