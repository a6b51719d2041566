"""Every route answers as described, and refuses in one sentence."""

import json

import httpx
import pytest

from scratchwork import Problem, audit
from scratchwork.examples import example_path
from scratchwork.serving.files import PAGE
from tests.serving.conftest import serving

KINGS = json.loads(example_path("kings.json").read_text("utf-8"))
PROBLEM = {"question": KINGS["question"], "options": KINGS["options"]}


def events_of(text: str) -> list[tuple[str, dict[str, object]]]:
    found: list[tuple[str, dict[str, object]]] = []
    for block in text.strip().split("\n\n"):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def test_the_page_and_its_files_are_served_with_safe_headers(client: httpx.Client) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    policy = page.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["referrer-policy"] == "no-referrer"
    kinds = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
    for path in PAGE.iterdir():
        if path.suffix in kinds:
            response = client.get(f"/static/{path.name}")
            assert response.content == path.read_bytes()
            assert response.headers["content-type"].startswith(kinds[path.suffix])


@pytest.mark.parametrize(
    "path",
    ["/static/nothing.js", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static/", "/nowhere"],
)
def test_nothing_else_is_served(client: httpx.Client, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert response.json()["error"]
    assert "x-content-type-options" in response.headers


def test_health_tells_the_state_of_the_model(client: httpx.Client) -> None:
    health = client.get("/health").json()
    assert health["status"] == "ready"
    assert health["model"] == "fake"
    assert health["waiting"] == 0


def test_metrics_count_requests_and_batches(client: httpx.Client) -> None:
    client.get("/health")
    client.get("/nowhere/at/all")
    client.post("/solve", json=PROBLEM)
    text = client.get("/metrics").text
    assert 'scratchwork_requests_total{path="/health",status="200"}' in text
    assert 'scratchwork_requests_total{path="other",status="404"}' in text
    assert 'scratchwork_batch_size_bucket{le="+Inf"}' in text
    assert "scratchwork_queue_length 0" in text
    assert "nowhere" not in text


def test_generated_problems_have_their_steps_and_repeat_by_seed(client: httpx.Client) -> None:
    topics = client.get("/topics").json()
    assert len(topics) > 50
    for topic in topics[:5]:
        for difficulty in topic["difficulties"]:
            asked = {"topic": topic["topic"], "difficulty": difficulty, "seed": 7, "count": 3}
            problems = client.post("/generate", json=asked).json()["problems"]
            assert len(problems) == 3
            for problem in problems:
                assert problem["topic"] == topic["topic"]
                assert problem["steps"]
                assert problem["rationale"].startswith("\n".join(problem["steps"]))
            assert client.post("/generate", json=asked).json()["problems"] == problems
    first, second = (client.post("/generate", json={}).json() for _ in range(2))
    assert first != second


@pytest.mark.parametrize(
    "asked",
    [
        {"topic": "astrology"},
        {"difficulty": "impossible"},
        {"count": 0},
        {"count": 51},
        {"seed": -1},
        {"seed": 2**60},
        {"count": "3"},
        {"unknown": 1},
        [],
    ],
)
def test_generate_refuses_what_it_cannot_do(client: httpx.Client, asked: object) -> None:
    response = client.post("/generate", json=asked)
    assert response.status_code == 422
    assert list(response.json()) == ["error"]


def test_an_audit_is_that_of_the_command(client: httpx.Client) -> None:
    row = {"question": "Ann had 48 clips and sold half. How many are left?", "options": []}
    rationale = "She sold 48 / 2 = 24. So 48 - 24 = 26 are left."
    found = client.post("/audit", json=row | {"rationale": rationale}).json()
    assert found["complaints"] == ["48 - 24 is 24, not 26."]
    assert found == audit(Problem(row["question"], (), rationale)).to_json()  # pyright: ignore


def test_an_audit_reads_latex_and_tells_what_it_read(client: httpx.Client) -> None:
    row = {"question": r"What is \(\frac{3}{4}\) of $1{,}200$?", "options": ["900", r"\(950\)"]}
    rationale = r"It is \(\frac{3}{4} \times 1{,}200 = \boxed{900}\). The answer is B."
    found = client.post("/audit", json=row | {"rationale": rationale}).json()
    assert found["question"] == "What is 3/4 of 1,200?"
    assert found["options"] == ["900", "950"]
    assert found["rationale"] == "It is 3/4 × 1,200 = 900. The answer is B."
    assert found["complaints"] == ["The working comes to 900, which is option A, not B."]


def test_execute_gives_the_trace(client: httpx.Client) -> None:
    program = example_path("kings.program").read_text("utf-8")
    trace = client.post("/execute", json=PROBLEM | {"program": program}).json()
    assert trace["answer"] == "C"
    assert trace["steps"][0]["place"] == "y1"


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("Id(x999) -> y", "there is no x999"),
        ("nonsense", "line 1: an instruction looks like"),
        ('Id("\\ud800") -> y', "half a character"),
    ],
)
def test_a_program_that_fails_says_why(client: httpx.Client, program: str, sentence: str) -> None:
    response = client.post("/execute", json=PROBLEM | {"program": program})
    assert response.status_code == 422
    assert sentence in response.json()["error"]


def test_solve_answers_with_the_trace_and_the_votes(client: httpx.Client) -> None:
    solved = client.post("/solve", json=PROBLEM).json()
    assert solved["answer"] == "B"
    assert solved["confidence"] == 0.75
    assert solved["votes"] == {"B": 0.75, "A": 0.25}
    assert solved["rationale"] == solved["trace"]["rationale"]
    assert solved["guess"] is False
    assert solved["rivals"] == [{"answer": "A", "rationale": "", "share": 0.25, "guess": True}]
    free = client.post("/solve", json={"question": "What is 2 + 2?"}).json()
    assert free["answer"] is None
    assert free["confidence"] == 0.75
    assert client.post("/solve", json=PROBLEM | {"seed": 3}).status_code == 422


def test_solve_streams_votes_and_then_the_solution(client: httpx.Client) -> None:
    response = client.post("/solve", json=PROBLEM, headers={"Accept": "text/event-stream"})
    assert response.headers["content-type"].startswith("text/event-stream")
    events = events_of(response.text)
    assert [name for name, _ in events] == ["votes", "solution"]
    assert events[0][1] == {"votes": {"A": 1.0}}
    assert events[1][1] == client.post("/solve", json=PROBLEM).json()


def test_a_defect_of_the_solver_is_told_and_stays_with_its_problem(client: httpx.Client) -> None:
    bad = {"question": "a defect"}
    assert client.post("/solve", json=bad).status_code == 500
    stream = client.post("/solve", json=bad, headers={"Accept": "text/event-stream"})
    assert [name for name, _ in events_of(stream.text)] == ["error"]
    assert client.post("/solve", json=PROBLEM).status_code == 200


def test_without_a_model_everything_but_solving_works() -> None:
    with serving(None) as client:
        refused = client.post("/solve", json=PROBLEM)
        assert refused.status_code == 503
        assert "no model" in refused.json()["error"]
        assert client.get("/health").json()["status"] == "no model"
        assert client.get("/").status_code == 200
        assert client.post("/generate", json={"seed": 1}).status_code == 200


def test_a_token_is_asked_for_where_it_matters() -> None:
    with serving(None, token="open sesame") as client:
        for path in ("/", "/health", "/topics", "/openapi.json"):
            assert client.get(path).status_code == 200
        for wrong in ({}, {"Authorization": "Bearer no"}, {"Authorization": "open sesame"}):
            response = client.post("/generate", json={}, headers=wrong)
            assert response.status_code == 401
            assert response.headers["www-authenticate"] == "Bearer"
            assert client.get("/metrics", headers=wrong).status_code == 401
        right = {"Authorization": "Bearer open sesame"}
        assert client.post("/generate", json={}, headers=right).status_code == 200
        assert client.get("/metrics", headers=right).status_code == 200
