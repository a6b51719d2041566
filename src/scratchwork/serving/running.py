"""Listening on a port until told to stop.

Promises: SIGTERM and Ctrl-C stop listening at once and end the process when every accepted request
is answered. A port that cannot be used is told in one sentence.
"""

import socket
import sys
import webbrowser

import uvicorn
from starlette.types import ASGIApp

from scratchwork.errors import UserError


class _Server(uvicorn.Server):
    """Says where it is as soon as it can be reached."""

    def __init__(self, config: uvicorn.Config, url: str, opens: bool) -> None:
        super().__init__(config)
        self._url = url
        self._opens = opens

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        print(f"Scratchwork is at {self._url}", file=sys.stderr, flush=True)
        if self._opens:
            webbrowser.open(self._url)


def run(app: ASGIApp, host: str, port: int, *, opens: bool = False) -> None:
    """Serve the app; port 0 is any that is free."""
    listening = _listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{listening.getsockname()[1]}/"
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, lifespan="on"
    )
    _Server(config, url, opens).run([listening])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        # Python adds the address, which is told already.
        reason = (error.strerror or "it cannot be used").partition(" (while")[0].lower()
        raise UserError(f"port {port} of {host} cannot be listened on: {reason}") from error
