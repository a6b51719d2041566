"""Auditing and practising on the page, in a real browser."""

import re

from tests.browser.conftest import Opener
from tests.browser.using import Picture


def test_auditing_a_planted_error(open_page: Opener, picture: Picture) -> None:
    page = open_page()
    page.get_by_role("tab", name="Audit").click()
    page.get_by_role("button", name="Try one with an error").click()
    why = "48 + 24 is 72, not 74."
    page.locator("#verdict li").wait_for()
    assert page.locator("#verdict li").all_inner_texts() == [why]
    false = page.locator("#audit-work .false-equation")
    assert false.inner_text() == "48 + 24 = 74 notebooks"
    assert false.get_attribute("title") == why
    page.locator("#audit-work .computed[data-at]").first.hover()
    assert "Divide: 48 ÷ 2 = 24" in page.locator("#audit-work .note").inner_text()
    wrong = page.locator("#audit-work .unsupported[data-at]").first
    assert wrong.inner_text() == "74"
    wrong.hover()
    assert page.locator("#audit-work .note").inner_text() == why
    picture(page, "audit", "#verdict", "#audit-work")


def test_a_letter_that_does_not_follow_is_explained(open_page: Opener) -> None:
    page = open_page("#audit")
    page.get_by_label("Question").fill("What is 15% of 80? A) 10 B) 12")
    page.get_by_role("textbox", name="Derivation").fill("15% of 80 = 12. The answer is A.")
    page.get_by_role("button", name="Audit", exact=True).click()
    page.get_by_text("The working comes to 12, which is option B, not A.").wait_for()


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
        "A tank of $1{,}200$ litres is \\(\\frac{3}{4}\\) full. How many litres are in it?"
    )
    derivation = "**Step 1:** $\\frac{3}{4} \\times 1{,}200 = \\boxed{900}$, or 957 with the pipe."
    page.get_by_role("textbox", name="Derivation").fill(derivation)
    page.get_by_role("button", name="Audit", exact=True).click()
    page.get_by_text("957 is neither in the problem nor in the working before it").wait_for()
    question = page.locator("#audit-work .question").inner_text()
    assert question == "A tank of 1,200 litres is 3/4 full. How many litres are in it?"
    shown = page.locator("#audit-work .sheet").inner_text()
    assert shown == "Step 3/4 × 1,200 = 900, or 957 with the pipe."
    assert page.locator("#audit-work .unsupported[data-at]").inner_text() == "957"
    page.locator("#audit-work .computed[data-at]").first.hover()
    assert page.locator("#audit-work .note").inner_text() == "Multiply: 1,200 × 3/4 = 900."


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
    given = [int(n) for n in re.findall(r"(?<![\d.,/])\d+(?![\d.,/])", problem["question"])]
    a, b = (given * 2)[:2]
    right, wrong_step = problem["steps"][0], f"Then {a} + {b} = {a + b + 1}."
    page.get_by_role("textbox", name="Your working").fill(f"{right}\n{wrong_step}")
    page.locator("#working-audit .amiss").wait_for()
    assert page.locator("#working-audit li.fine").count() == 1
    remark = page.locator("#working-audit .amiss .remark").inner_text()
    assert remark == f"{a} + {b} is {a + b}, not {a + b + 1}."
    equation = page.locator("#working-audit .false-equation").inner_text()
    assert equation == f"{a} + {b} = {a + b + 1}"
    page.mouse.move(0, 0)
    picture(page, "practice", "#exercise-question", "#verdict-practice")
    page.locator(f"input[value={problem['correct']}]").check()
    page.get_by_role("button", name="Check answer").click()
    page.get_by_text(f"Right, it is {problem['correct']}.").wait_for()
    assert page.locator("#score").inner_text() == "0 of 1 right at the first try"
    page.reload()
    assert page.locator("#score").inner_text() == "0 of 1 right at the first try"
    assert not any("tried" in body for body in sent)


def test_a_worksheet_to_print(open_page: Opener) -> None:
    page = open_page("#practice")
    page.evaluate("Math.random = () => 0.5")
    page.get_by_label("Topic").select_option("trains")
    page.get_by_text("Print a worksheet of 10").click()
    page.get_by_role("heading", name="Worksheet: trains").wait_for()
    assert page.locator("#worksheet > ol > li").count() == 10
    page.emulate_media(media="print")
    assert not page.get_by_role("button", name="Print").is_visible()
    page.emulate_media(media="screen")
    page.get_by_role("button", name="Back to practice").click()
    assert page.get_by_role("button", name="New problem").is_visible()
