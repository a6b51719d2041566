"""Solving on the page, in a real browser."""

from threading import Semaphore

import pytest

from scratchwork.problems.tokens import tokenise
from scratchwork.serving import queueing
from tests.browser.conftest import PHONE, Opener
from tests.browser.example_server import (
    SO_FAR,
    TIED,
    VOTES,
    SteppedSolver,
    WithoutModel,
    serving,
)
from tests.browser.using import Picture, has_no_sideways_scroll, linked, mark, solve_example

EVENTS = "text/event-stream"


def test_solving_the_example(open_page: Opener) -> None:
    page = open_page()
    solve_example(page)
    assert page.locator(".the-answer").inner_text().split() == "C 1/221 80 % sure".split()
    assert page.locator("#votes li").count() == 5
    assert page.locator("#votes .chosen .share").inner_text() == "80 %"
    assert "n(s) = 52C2 = 1326" in page.locator(".sheet").first.inner_text()


@pytest.fixture
def every_vote_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """However soon one comes after another."""
    monkeypatch.setattr(queueing, "VOTING_SECONDS", 0.0)


@pytest.mark.usefixtures("every_vote_told")
def test_votes_fill_in_steps_and_nothing_jumps(open_page: Opener) -> None:
    go = Semaphore(0)
    with serving(lambda: SteppedSolver(go)) as url:
        page = open_page(at=url, reduced_motion="no-preference")
        page.locator("#solve-go:enabled").wait_for()
        page.get_by_role("button", name="Try an example").click()
        page.locator("#votes li").nth(4).wait_for()
        top = page.locator("#votes").bounding_box()["y"]
        for votes in (*SO_FAR, VOTES):
            go.release()
            for letter in "ABCDE":
                item = page.locator(f"#votes [data-letter={letter}]")
                item.get_by_text(f"{100 * votes.get(letter, 0):.0f} %", exact=True).wait_for()
                share = item.locator(".bar").evaluate(
                    "(bar) => bar.style.getPropertyValue('--share')"
                )
                assert float(share) == votes.get(letter, 0)
            most = max(votes.values())
            leading = page.locator("#votes .leading").evaluate_all(
                "(items) => items.map((item) => item.dataset.letter)"
            )
            assert leading == [letter for letter in "ABCDE" if votes.get(letter) == most]
            assert page.locator("#votes").bounding_box()["y"] == pytest.approx(top, abs=1)
        page.locator("#pane-rationale .sheet").wait_for()
        assert page.locator("#votes .chosen").get_attribute("data-letter") == "C"
        assert page.get_by_text("Solving…").count() == 0


def test_a_guess_and_a_tie_are_called_so(open_page: Opener) -> None:
    page = open_page()
    solve_example(page)
    assert page.locator("#answer .guess-mark, #answer .doubt").count() == 0
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.locator("#solve-go:enabled").wait_for()
    page.get_by_role("textbox", name="Problem").fill(f"{TIED} A) 9 B) 7")
    page.get_by_role("button", name="Solve", exact=True).click()
    page.locator("#answer .guess-mark").wait_for()
    assert page.locator(".the-answer").inner_text().split() == "A 9 Guess 50 % sure".split()
    assert page.locator("#answer .doubt").all_inner_texts() == [
        "No derivation leads to this answer: it is a guess.",
        "The votes are tied: A and B have as many.",
    ]
    assert page.locator("#votes .chosen.guess").get_attribute("data-letter") == "A"
    page.get_by_role("tab", name="Others").click()
    assert page.locator("#pane-others .guess-mark").count() == 1
    page.get_by_role("button", name="Copy as Markdown").click()
    page.get_by_text("Copied as Markdown.").wait_for()
    assert "**Answer: A** (a guess)" in page.evaluate("navigator.clipboard.readText()")


def test_mathematics_is_exact_and_nothing_to_compute_is_said(open_page: Opener) -> None:
    with serving(WithoutModel) as url:
        page = open_page(at=url)
        page.locator("#solve-go:enabled").wait_for()
        problem = page.get_by_role("textbox", name="Problem")
        problem.fill(r"If $\frac{3x}{2} + 7 = 22$, what is x + 2?")
        page.get_by_role("button", name="Solve", exact=True).click()
        page.locator("#pane-rationale .sheet").wait_for()
        assert page.locator(".the-answer").inner_text().split() == ["12", "exact"]
        sheet = page.locator("#pane-rationale .sheet").first
        assert "10 + 2 = 12" in sheet.inner_text()
        assert "(3x)/2 + 7 = 22" in page.locator("#pane-rationale").inner_text()
        mark(page, "12", "computed").hover()
        assert {"3", "7", "22"} <= set(linked(page))
        problem.fill("What is the capital of France?")
        page.get_by_role("button", name="Solve", exact=True).click()
        page.locator(".the-answer.note").wait_for()
        assert "nothing to compute" in page.locator(".the-answer").inner_text()
        assert page.locator("#answer .confidence").count() == 0
        assert page.locator("#solution-body").is_hidden()


def test_a_server_that_breaks_off_is_told(open_page: Opener) -> None:
    page = open_page()
    broken = 'event: votes\ndata: {"votes": {"B": 1}}\n\n'
    page.route("**/solve", lambda route: route.fulfill(body=broken, content_type=EVENTS))
    page.get_by_role("button", name="Try an example").click()
    page.get_by_text("The server broke off before the solution came.").wait_for()
    assert not page.locator("#solution").is_visible()


@pytest.mark.usefixtures("every_vote_told")
def test_a_problem_asked_anew_shows_no_votes_of_the_last(open_page: Opener) -> None:
    go = Semaphore(0)
    with serving(lambda: SteppedSolver(go)) as url:
        page = open_page(at=url)
        page.locator("#solve-go:enabled").wait_for()
        page.get_by_role("button", name="Try an example").click()
        go.release()
        page.locator("#votes .leading").wait_for()
        page.get_by_role("button", name="Solve", exact=True).click()
        assert page.locator("#votes .leading").count() == 0
        for _ in range(2 * (len(SO_FAR) + 1)):
            go.release()
        page.locator("#pane-rationale .sheet").wait_for()
        assert page.locator("#votes .chosen .share").inner_text() == "80 %"


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
        picture(page, "solve", "#answer", "#pane-rationale")
    page.mouse.move(0, 0)
    assert linked(page) == []


def test_a_tap_shows_the_sources_too(open_page: Opener, picture: Picture) -> None:
    page = open_page(viewport=PHONE, has_touch=True, is_mobile=True)
    page.get_by_role("button", name="Try an example").tap()
    mark(page, "1/221", "computed").tap()
    assert linked(page) == ["6", "1326"]
    mark(page, "C", "computed").tap()
    assert linked(page) == ["1/221", "C)"]
    picture(page, "phone", "#answer", "#pane-rationale")
    assert has_no_sideways_scroll(page)


def test_the_views_of_a_solution(open_page: Opener, picture: Picture) -> None:
    page = open_page()
    solve_example(page)
    page.get_by_role("tab", name="Program").click()
    assert page.get_by_text("Choose(m1, m2)").is_visible()
    page.locator("#pane-program tr", has_text="Str_to_Float(x5)").evaluate(
        "(row) => row.closest('.scroll').scrollTo(0,"
        " row.offsetTop - row.closest('table').tHead.offsetHeight + 2)"
    )
    picture(page, "program", "#solution-body .tabs", "#pane-program")
    page.get_by_role("tab", name="Graph").click()
    described = page.locator("svg.graph").get_attribute("aria-label")
    assert "1326 from 52 and 2" in described
    assert "C from 1/221" in described
    picture(page, "graph", "#solution-body .tabs", "#pane-graph")
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


def test_a_typed_problem_is_solved_by_the_first_click(open_page: Opener) -> None:
    page = open_page()
    page.locator("#solve-go:enabled").wait_for()
    page.locator("#solve-question").focus()
    page.keyboard.type("How many cakes are there? A) 9 B) 7")
    page.locator("#solve-go").click(delay=50)
    page.locator("#pane-rationale .sheet").wait_for()
    assert page.locator("#votes li").count() == 2
    assert page.locator("#solve-question").input_value() == "How many cakes are there?"


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
