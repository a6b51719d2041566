"""The page as people use it, in a real browser."""

import re
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from scratchwork.problems.tokens import tokenise
from tests.browser.conftest import PHONE, Opener
from tests.browser.example_server import ExampleSolver, serving

Picture = Callable[..., None]

HOSTILE = (
    '<img src=x onerror="alert(1)"><script>alert(2)</script> costs 5 \u202e dollars. How many?'
)


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


def test_solving_the_example(open_page: Opener, picture: Picture) -> None:
    page = open_page()
    solve_example(page)
    assert page.locator(".the-answer").inner_text().split() == "C 1/221 80 % of the votes".split()
    assert page.locator("#votes li").count() == 5
    assert page.locator("#votes .chosen .share").inner_text() == "80 %"
    assert "n(s) = 52C2 = 1326" in page.locator(".sheet").first.inner_text()
    page.evaluate("document.activeElement.blur()")
    picture(page, "solve")


@pytest.mark.parametrize(
    ("token", "kind", "sources", "note"),
    [
        ("1326", "computed", ["52", "2"], "Choose: 52 choose 2 = 1326"),
        ("1/221", "computed", ["6", "1326"], "Divide: 6 ÷ 1326 = 1/221"),
        ("52", "copied", ["52"], "52 is copied from the problem"),
        ("4", "constant", [], "4 is a constant"),
        ("C", "computed", ["1/221", "C)"], "Check: 1/221 is option C"),
    ],
)
def test_pointing_at_a_number_shows_its_sources(
    open_page: Opener, picture: Picture, token: str, kind: str, sources: list[str], note: str
) -> None:
    page = open_page()
    solve_example(page)
    mark(page, token, kind).hover()
    assert linked(page) == sources
    assert page.locator("#panel-solve .operation").inner_text() == note
    assert page.locator("#panel-solve .note").inner_text() == f"{note}."
    if token == "1326":
        picture(page, "point", "#solution-body")
    page.mouse.move(0, 0)
    assert linked(page) == []


def test_a_tap_shows_the_sources_too(open_page: Opener, picture: Picture) -> None:
    page = open_page(viewport=PHONE, has_touch=True, is_mobile=True)
    page.get_by_role("button", name="Try an example").tap()
    mark(page, "1/221", "computed").tap()
    assert linked(page) == ["6", "1326"]
    picture(page, "phone")
    assert has_no_sideways_scroll(page)


def test_the_views_of_a_solution(open_page: Opener, picture: Picture) -> None:
    page = open_page()
    solve_example(page)
    page.get_by_role("tab", name="Program").click()
    assert page.get_by_text("Choose(m1, m2)").is_visible()
    picture(page, "program", "#solution-body", 700)
    page.get_by_role("tab", name="Graph").click()
    described = page.locator("svg.graph").get_attribute("aria-label")
    assert "1326 from 52 and 2" in described
    assert "C from 1/221" in described
    picture(page, "graph", "#solution-body")
    page.get_by_role("tab", name="Others").click()
    page.get_by_text("Two of 52 cards are kings").first.click()
    assert page.get_by_text("P = 2/52").is_visible()


def test_copying_a_solution_and_linking_to_it(open_page: Opener) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    solve_example(page)
    page.get_by_role("button", name="Copy as Markdown").click()
    page.get_by_text("Copied as Markdown.").wait_for()
    assert "**Answer: C**" in page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("button", name="Copy as JSON").click()
    page.get_by_text("Copied as JSON.").wait_for()
    assert '"answer": "C"' in page.evaluate("navigator.clipboard.readText()")
    fragment = page.evaluate("location.hash")
    again = open_page(fragment)
    assert "pack of 52 cards" in again.locator("#solve-question").input_value()
    assert again.get_by_label("Option C", exact=True).input_value() == "1/221"
    again.locator("#pane-rationale .sheet").wait_for()


def test_a_pasted_problem_takes_the_place_of_the_last(open_page: Opener) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    for text in ("How many? A) 9 B) 7", "How many?\n(a) 1,200 (b) 15 (c) 16"):
        page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
        page.locator("#solve-question").focus()
        page.keyboard.press("Control+A")
        page.keyboard.press("Control+V")
        page.get_by_text("options recognised.").wait_for()
    page.get_by_text("3 options recognised.").wait_for()
    assert page.locator("#solve-question").input_value() == "How many?"
    assert page.get_by_label("Option A", exact=True).input_value() == "1,200"


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("How many? A) 9 B) 7 C) 1,200", ["9", "7", "1,200"]),
        ("How many?\n(a) 9\n(b) 7 (c) Rs. 12", ["9", "7", "Rs. 12"]),
        ("How many?\nA. 9\nB. 7", ["9", "7"]),
        ("How many?\n9\n7 cakes\n12", ["9", "7 cakes", "12"]),
        ("How many are there? Options: 9, 7, 1,200", ["9", "7", "1,200"]),
        ("How many? 9, 7, 12, 14", ["9", "7", "12", "14"]),
        ("How many?\nAnswer choices: [A] 3/4 [B] 1/2", ["3/4", "1/2"]),
        ("Plan A) and plan B cost 5, 6 and 7 dollars. How many?", []),
        ("How many?", []),
    ],
)
def test_options_are_recognised(open_page: Opener, text: str, options: list[str]) -> None:
    page = open_page()
    found = page.evaluate(
        "async (text) => (await import('/static/options.js')).splitProblem(text)", text
    )
    assert found["options"] == options
    assert found["question"].endswith("?")


@pytest.mark.parametrize(
    "text",
    [
        "P(A) = 6/1326 = 1/221, 52C2 and 3/4; 1/4/2012",
        "Rs.500 is $.50 and 1,00,000 or 5,24,60 at 17th. John's don't",
        "x -> y => z <= 3 != 4...\nA)3/7 €5,20 ½ of 1.000.000",
    ],
)
def test_the_page_counts_tokens_as_the_package_does(open_page: Opener, text: str) -> None:
    page = open_page()
    found = page.evaluate(
        "async (text) => (await import('/static/tokens.js')).tokenise(text).map((t) => t.text)",
        text,
    )
    assert found == tokenise(text)


def test_auditing_a_planted_error(open_page: Opener, picture: Picture) -> None:
    page = open_page()
    page.get_by_role("tab", name="Audit").click()
    page.get_by_role("button", name="Try one with an error").click()
    page.get_by_text("This is not true: 48 + 24 = 74").wait_for()
    assert page.locator("#audit-work .false-equation").inner_text() == "48 + 24 = 74 notebooks"
    assert page.locator("#audit-work .unsupported[data-at]").first.inner_text() == "74"
    page.locator("#audit-work .computed[data-at]").first.hover()
    assert "Divide: 48 ÷ 2 = 24" in page.locator("#audit-work .note").inner_text()
    picture(page, "audit")


def test_a_sound_derivation_is_let_pass(open_page: Opener) -> None:
    page = open_page("#audit")
    page.get_by_label("Question").fill("What is 15% of 80? A) 10 B) 12")
    page.get_by_role("textbox", name="Derivation").fill(
        "15% of 80 = 15 * 80 / 100 = 12. The answer is B."
    )
    page.get_by_role("button", name="Audit", exact=True).click()
    page.get_by_text("Nothing speaks against it.").wait_for()


def test_a_derivation_in_latex_is_marked_too(open_page: Opener) -> None:
    page = open_page("#audit")
    page.get_by_label("Question").fill(
        "A tank of 1,200 litres is 3/4 full. How many litres are in it?"
    )
    derivation = "**Step 1:** $\\frac{3}{4} \\times 1,200 = 900$, or 950 with the pipe."
    page.get_by_role("textbox", name="Derivation").fill(derivation)
    page.get_by_role("button", name="Audit", exact=True).click()
    page.get_by_text("Nothing supports 950.").wait_for()
    page.locator("#audit-work .computed[data-at]").first.hover()
    note = page.locator("#audit-work .note").inner_text()
    assert "900" in note
    assert "1,200" in note
    assert "3/4" in note


def test_practising_a_problem_to_the_end(open_page: Opener, picture: Picture) -> None:
    page = open_page()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.post_data or ""))
    page.evaluate("Math.random = () => 0.25")
    page.get_by_role("tab", name="Practice").click()
    page.get_by_label("Topic").select_option("percent")
    with page.expect_response("**/generate") as response:
        page.get_by_role("button", name="New problem").click()
    problem = response.value.json()["problems"][0]
    page.locator("#exercise-question").wait_for()
    assert page.locator("#exercise-question").inner_text() == problem["question"]
    wrong = next(letter for letter in "ABCDE" if letter != problem["correct"])
    page.locator(f"input[value={wrong}]").check()
    page.get_by_role("button", name="Check answer").click()
    page.get_by_text(f"{wrong} is not right.").wait_for()
    page.get_by_role("button", name="Hint").click()
    assert page.locator("#hints li").inner_text() == problem["steps"][0]
    page.get_by_role("textbox", name="Your working").fill(f"{problem['steps'][0]}\n7 + 8 = 16")
    page.locator("#working-audit .amiss").wait_for()
    assert page.locator("#working-audit li.fine").count() == 1
    assert "This equation is not true." in page.locator("#working-audit .amiss").inner_text()
    page.locator(f"input[value={problem['correct']}]").check()
    page.get_by_role("button", name="Check answer").click()
    page.get_by_text(f"Right, it is {problem['correct']}.").wait_for()
    assert page.locator("#score").inner_text() == "0 of 1 right at the first try"
    picture(page, "practice")
    page.reload()
    assert page.locator("#score").inner_text() == "0 of 1 right at the first try"
    assert not any("tried" in body for body in sent)


def test_a_worksheet_to_print(open_page: Opener, picture: Picture) -> None:
    page = open_page("#practice")
    page.evaluate("Math.random = () => 0.5")
    page.get_by_label("Topic").select_option("trains")
    page.get_by_text("Print a worksheet of 10").click()
    page.get_by_role("heading", name="Worksheet: trains").wait_for()
    assert page.locator("#worksheet > ol > li").count() == 10
    page.emulate_media(media="print")
    assert not page.get_by_role("button", name="Print").is_visible()
    page.emulate_media(media="screen")
    picture(page, "worksheet", "#worksheet", 800)
    page.get_by_role("button", name="Back to practice").click()
    assert page.get_by_role("button", name="New problem").is_visible()


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
    picture(page, "keyboard", "#solution-body")
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
    page.get_by_text("This is not true: 48 + 24 = 74").wait_for()
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
def test_a_phone_needs_no_sideways_scroll(
    open_page: Opener, picture: Picture, tab: str, scheme: str
) -> None:
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
    if scheme == "dark":
        picture(page, f"phone-{tab.lower()}-dark")


def test_dark_colours_follow_the_system_and_the_toggle(open_page: Opener, picture: Picture) -> None:
    page = open_page(color_scheme="dark")

    def background() -> str:
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    dark = background()
    solve_example(page)
    mark(page, "1/221", "computed").hover()
    picture(page, "dark")
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


def test_a_model_that_loads_is_waited_for(open_page: Opener, picture: Picture) -> None:
    loaded = Event()

    def load() -> ExampleSolver:
        loaded.wait()
        return ExampleSolver()

    with serving(load) as url:
        page = open_page(at=url)
        page.get_by_text("The model is still loading.").wait_for()
        assert page.get_by_role("button", name="Solve", exact=True).is_disabled()
        picture(page, "loading")
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
        page.get_by_text("This is not true: 48 + 24 = 74").wait_for()


def test_a_refusal_is_told_in_a_sentence(open_page: Opener) -> None:
    page = open_page("#audit")
    page.get_by_label("Question").fill("x" * 200_000)
    page.get_by_role("textbox", name="Derivation").fill("2 + 2 = 5")
    page.get_by_role("button", name="Audit", exact=True).click()
    page.locator("#audit-status[data-tone=error]").wait_for()
    assert page.locator("#audit-status").inner_text().endswith(".")
