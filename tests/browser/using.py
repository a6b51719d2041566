"""What a person does on the page, and sees there, in the tests' words."""

import re
from collections.abc import Callable
from typing import Any

Picture = Callable[..., None]
"""Keeps a picture of a page under a name, from one part to another."""


def mark(page: Any, token: str, kind: str) -> Any:
    """The first number with this text and kind."""
    numbers = page.locator(f"#panel-solve .sheet .number.{kind}")
    return numbers.filter(has_text=re.compile(f"^{re.escape(token)}$")).first


def solve_example(page: Any) -> None:
    page.get_by_role("button", name="Try an example").click()
    page.locator("#pane-rationale .sheet").wait_for()


def linked(page: Any) -> list[str]:
    """What the lines lead to."""
    return page.evaluate(
        """() => [...document.querySelectorAll("#panel-solve .lines path")].map((line) =>
        document.querySelector(`#panel-solve [data-at="${line.dataset.from}"]`).textContent)"""
    )


def has_no_sideways_scroll(page: Any) -> bool:
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")
