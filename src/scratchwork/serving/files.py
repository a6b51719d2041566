"""The files of web pages.

Promises: nothing is served from the disk but files of the named folders, found by their names
alone, whatever a client asks for.
"""

from pathlib import Path

from fastapi import Response
from fastapi.responses import FileResponse

from scratchwork.serving.refusals import RefusalError

PAGE = Path(__file__).parent / "page"

CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def file_response(name: str, *folders: Path) -> Response:
    """A file of the first of these folders that has it; RefusalError if none has."""
    for folder in folders:
        files = {path.name: path for path in folder.iterdir() if path.suffix in CONTENT_TYPES}
        if name in files:
            return FileResponse(files[name], media_type=CONTENT_TYPES[files[name].suffix])
    raise RefusalError(404, "the page has no such file")
