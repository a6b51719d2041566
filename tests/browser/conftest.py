"""A headless Chromium with the page in it."""

import os
import shutil
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.browser.example_server import serving

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-background-networking --no-first-run "
    "--force-color-profile=srgb --font-render-hinting=none"
).split()
WIDE = {"width": 920, "height": 900}
PHONE = {"width": 360, "height": 740}
IS_PICTURED = bool(os.environ.get("SCRATCHWORK_SCREENSHOTS"))
PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
MOST_BYTES = 100_000
COLOURS = 200
SCALE = 2 if IS_PICTURED else 1
MARGIN = 20

Opener = Callable[..., Any]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser; without one these tests are skipped."""
    executable = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        pytest.skip("no Chromium was found; install one, or name it with CHROMIUM=...")
    if find_spec("playwright") is None:
        pytest.skip("playwright is not installed: pip install 'scratchwork[browser]'")
    sync_api: Any = import_module("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of the server that most tests share."""
    with serving() as url:
        yield url


@pytest.fixture
def open_page(chromium: Any, server: str) -> Iterator[Opener]:
    """Open the page; whatever the browser complains about fails the test, unless expected."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def opened(
        path: str = "", at: str = server, expected: tuple[str, ...] = (), **settings: Any
    ) -> Any:
        common = {"viewport": WIDE, "reduced_motion": "reduce", "device_scale_factor": SCALE}
        context = chromium.new_context(**{**common, **settings})
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: is_amiss(m, expected) and complaints.append(m.text))
        page.on("dialog", lambda dialog: complaints.append(f"a dialog: {dialog.message}"))
        page.on("request", lambda r: r.url.startswith(at) or complaints.append(f"loaded {r.url}"))
        page.goto(at + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def is_amiss(message: Any, expected: tuple[str, ...] = ()) -> bool:
    """Whether the browser reports a fault of the page; refusals of the server are none."""
    known = ("responded with a status of 4", *expected)
    return message.type == "error" and not any(text in message.text for text in known)


@pytest.fixture
def picture() -> Callable[..., None]:
    """Keep a picture for the docs, from one part of a page to another, if they are asked for."""

    def take(page: Any, name: str, first: str, last: str | None = None) -> None:
        if not IS_PICTURED:
            return
        boxes = [page.locator(part).bounding_box() for part in (first, last or first)]
        scrolled = page.evaluate("scrollY")
        top = boxes[0]["y"] + scrolled - MARGIN
        bottom = boxes[1]["y"] + boxes[1]["height"] + scrolled + MARGIN
        width = page.viewport_size["width"]
        clip = {"x": 0, "y": top, "width": width, "height": bottom - top}
        PICTURES.mkdir(parents=True, exist_ok=True)
        path = PICTURES / f"{name}.png"
        page.screenshot(path=str(path), full_page=True, clip=clip)
        with_few_colours(path)
        assert path.stat().st_size < MOST_BYTES

    return take


def with_few_colours(path: Path) -> None:
    """Make a picture small: flat colours and grey edges of letters need no more."""
    from PIL import Image

    with Image.open(path) as image:
        few = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
