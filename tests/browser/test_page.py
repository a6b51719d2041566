"""The page as a whole: by keyboard, on a phone, in the dark, with hostile text, without a model."""

import re
from threading import Event

import pytest

from tests.browser.conftest import PHONE, Opener
from tests.browser.example_server import ExampleSolver, serving
from tests.browser.using import Picture, has_no_sideways_scroll, linked, mark, solve_example

HOSTILE = (
    '<img src=x onerror="alert(1)"><script>alert(2)</script> costs 5 \u202e dollars. How many?'
)


def test_everything_by_keyboard(open_page: Opener, picture: Picture) -> None:
    page = open_page()
    press = page.keyboard.press

    def focused() -> str:
        return page.evaluate("document.activeElement.id || document.activeElement.textContent")

    def tab_to(name: str) -> None:
        for _ in range(60):
            press("Tab")
            if focused() == name:
                return
        raise AssertionError(f"the Tab key does not lead to {name}")

    tab_to("tab-solve")
    tab_to("solve-question")
    page.keyboard.type("From a pack of 52 cards, two cards are drawn together at random. ")
    page.keyboard.type("What is the probability of both the cards being kings? ")
    page.keyboard.type("A) 2/1223 B) 1/122 C) 1/221 D) 3/1253 E) 2/153")
    tab_to("solve-go")
    press("Enter")
    page.locator("#pane-rationale .sheet").wait_for()
    tab_to("view-rationale")
    tab_to("1326")
    assert linked(page) == ["52", "2"]
    picture(page, "keyboard", "#pane-rationale", "#pane-rationale")
    press("Escape")
    assert linked(page) == []
    page.locator("#view-rationale").focus()
    press("ArrowRight")
    assert page.locator("#pane-program").is_visible()
    press("End")
    assert page.locator("#pane-others").is_visible()
    page.locator("#tab-solve").focus()
    press("ArrowRight")
    assert focused() == "tab-audit"
    tab_to("audit-example")
    press("Enter")
    page.get_by_text("48 + 24 is 72, not 74.").wait_for()
    page.locator("#tab-audit").focus()
    press("ArrowRight")
    page.locator("#topic option").first.wait_for(state="attached")
    tab_to("difficulty")
    press("Tab")
    press("Enter")
    page.locator("#exercise-question").wait_for()
    for _ in range(9):
        press("Tab")
        if page.evaluate("document.activeElement.type") == "radio":
            break
    press("Space")
    press("Enter")
    page.locator(".judgement").wait_for()


@pytest.mark.parametrize("tab", ["Solve", "Audit", "Practice"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_sideways_scroll(open_page: Opener, tab: str, scheme: str) -> None:
    page = open_page(viewport=PHONE, color_scheme=scheme, has_touch=True, is_mobile=True)
    page.evaluate("Math.random = () => 0.25")
    page.get_by_role("tab", name=tab).tap()
    if tab == "Practice":
        page.locator("#topic option").first.wait_for(state="attached")
        page.get_by_role("button", name="New problem").tap()
        page.locator("#exercise-question").wait_for()
    else:
        page.get_by_role("button", name=re.compile("^Try")).tap()
        page.locator(f"#panel-{tab.lower()} .sheet").wait_for()
    assert has_no_sideways_scroll(page)
    if tab == "Solve":
        for view in ("Program", "Graph", "Others", "Rationale"):
            page.get_by_role("tab", name=view).tap()
            assert has_no_sideways_scroll(page)


def test_dark_colours_follow_the_system_and_the_toggle(open_page: Opener, picture: Picture) -> None:
    page = open_page(color_scheme="dark")

    def background() -> str:
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    dark = background()
    solve_example(page)
    mark(page, "1/221", "computed").hover()
    picture(page, "dark", "#answer", "#pane-rationale")
    page.get_by_role("button", name="Dark colours").click()
    assert background() != dark
    page.reload()
    assert background() != dark


def test_hostile_text_is_shown_as_text(open_page: Opener) -> None:
    page = open_page()
    page.get_by_role("textbox", name="Problem").fill(HOSTILE)
    page.get_by_role("button", name="Add an option").click()
    page.get_by_label("Option A", exact=True).fill("<b>5</b>")
    page.get_by_role("button", name="Add an option").click()
    page.get_by_label("Option B", exact=True).fill("<svg onload=alert(3)>")
    page.get_by_role("button", name="Solve", exact=True).click()
    page.locator("#pane-rationale .sheet").wait_for()
    assert page.locator("#pane-rationale .question").text_content() == HOSTILE
    assert "<svg onload=alert(3)>" in page.locator("#votes").inner_text()
    assert page.locator("main img, main script, .given-options b b").count() == 0
    page.get_by_role("tab", name="Audit").click()
    page.get_by_label("Question").fill(HOSTILE)
    page.get_by_role("textbox", name="Derivation").fill(HOSTILE + " 2 + 2 = 5")
    page.get_by_role("button", name="Audit", exact=True).click()
    page.locator("#audit-work .sheet").wait_for()
    assert page.locator("#audit-work .sheet").text_content().startswith(HOSTILE)
    assert page.locator("main img, main script").count() == 0


def test_a_model_that_loads_is_waited_for(open_page: Opener) -> None:
    loaded = Event()

    def load() -> ExampleSolver:
        loaded.wait()
        return ExampleSolver()

    with serving(load) as url:
        page = open_page(at=url)
        page.get_by_text("The model is still loading.").wait_for()
        assert page.get_by_role("button", name="Solve", exact=True).is_disabled()
        loaded.set()
        page.locator("#solve-go:enabled").wait_for()
        assert not page.locator("#model-status").is_visible()
        solve_example(page)


def test_a_server_without_a_model_says_so(open_page: Opener) -> None:
    with serving(None) as url:
        page = open_page(at=url)
        page.get_by_text("This server runs without a model").wait_for()
        assert page.get_by_role("button", name="Solve", exact=True).is_disabled()


def test_a_token_is_asked_for_once(open_page: Opener) -> None:
    with serving(token="open sesame") as url:
        page = open_page("#audit", at=url)
        page.get_by_role("button", name="Try one with an error").click()
        page.get_by_label("This server was started with a token.").fill("open sesame")
        page.get_by_role("button", name="Go on").click()
        page.get_by_role("button", name="Try one with an error").click()
        page.get_by_text("48 + 24 is 72, not 74.").wait_for()


def test_a_refusal_is_told_in_a_sentence(open_page: Opener) -> None:
    page = open_page("#audit")
    page.get_by_label("Question").fill("x" * 200_000)
    page.get_by_role("textbox", name="Derivation").fill("2 + 2 = 5")
    page.get_by_role("button", name="Audit", exact=True).click()
    page.locator("#audit-status[data-tone=error]").wait_for()
    assert page.locator("#audit-status").inner_text().endswith(".")
