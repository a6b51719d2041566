"""The sessions of contributors and reviewers, and their protection against forged requests.

Promises: a session is a signed token that expires, in a cookie that scripts cannot read and that
other sites cannot make a browser send. Revoking a contributor, disabling a reviewer and logging out
end it at once. A request that changes something must carry, in the header `X-CSRF-Token`, a token
derived from the session's that only our own pages know; for a login, which has no session yet, it
is derived from a cookie that every visitor of the page gets.

Does not cover: a session that was logged out is refused only until the server restarts; a copy of
its cookie then works again until it expires.
"""

import hmac
import secrets
import time

from starlette.requests import Request
from starlette.responses import Response

from scratchwork.collecting.passwords import SESSION_SECONDS, LoginError, reviewer_of
from scratchwork.collecting.schema import Reviewer
from scratchwork.collecting.signing import content_of, is_genuine, signed
from scratchwork.collecting.storing import Store
from scratchwork.serving.refusals import RefusalError

CONTRIBUTOR = "scratchwork_contributor"
REVIEWER = "scratchwork_reviewer"
VISITOR = "scratchwork_visitor"
CSRF_HEADER = "x-csrf-token"
CONTRIBUTOR_SECONDS = 30 * 24 * 3600

_PURPOSE = "contributor's session"
_NO_SESSION = "open the link of your invitation again to go on; what you wrote is kept on this page"
_NO_LOGIN = "log in to review"
_FORGED = "this page is out of date; load it again"


class Sessions:
    """The sessions of a collection's server."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._secret = store.secret
        self._ended: dict[str, float] = {}
        """Tokens that were logged out, with a time by which they have expired."""

    def begin(self, contributor_id: int) -> str:
        """The token of a contributor's new session."""
        expires = int(time.time()) + CONTRIBUTOR_SECONDS
        return signed(self._secret, _PURPOSE, f"{contributor_id}.{expires}")

    def contributor_id(self, request: Request) -> int:
        """The contributor of a session; RefusalError (401) if there is none.

        Says nothing on whether they are still invited, which only the database knows.
        """
        token = request.cookies.get(CONTRIBUTOR, "")
        if not is_genuine(self._secret, _PURPOSE, token):
            raise RefusalError(401, _NO_SESSION)
        number, _, expires = content_of(token).partition(".")
        if int(expires) <= time.time():
            raise RefusalError(401, _NO_SESSION)
        return int(number)

    def reviewer(self, request: Request) -> Reviewer:
        """The reviewer of a session, looked up in the database; LoginError if there is none."""
        token = request.cookies.get(REVIEWER, "")
        if not token or token in self._ended:
            raise LoginError(_NO_LOGIN)
        return reviewer_of(self._store, token)

    def end(self, token: str) -> None:
        """End the session of a reviewer's token."""
        now = time.time()
        self._ended = {t: expires for t, expires in self._ended.items() if expires > now}
        self._ended[token] = now + SESSION_SECONDS

    def csrf_token(self, token: str) -> str:
        """The token of a session that only our own pages know."""
        return signed(self._secret, "csrf", token).rpartition(".")[2]

    def check_csrf(self, request: Request, cookie: str) -> None:
        """RefusalError (403) unless one of our own pages asks, in the session of this cookie."""
        given = request.headers.get(CSRF_HEADER, "").encode("utf-8", "replace")
        wanted = self.csrf_token(request.cookies.get(cookie, ""))
        if not request.cookies.get(cookie) or not hmac.compare_digest(given, wanted.encode()):
            raise RefusalError(403, _FORGED)


def new_visitor() -> str:
    """The content of a visitor's cookie."""
    return secrets.token_urlsafe(16)


def set_cookie(
    request: Request, response: Response, name: str, content: str, seconds: int | None
) -> None:
    """Set a cookie in the browser, for some time or until it is closed."""
    response.set_cookie(
        name,
        content,
        max_age=seconds,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
