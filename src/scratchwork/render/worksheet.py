"""Problems as a worksheet with an answer key, in Markdown or as a page to print.

Promises: the key, with letter and rationale of each problem, is on a page of its own; nothing in a
problem is read as markup; the page needs no other file.
"""

from collections.abc import Sequence
from html import escape

from scratchwork.problems.problem import Problem
from scratchwork.render.table import markdown_escape

_STYLE = """
  :root { color-scheme: light; }
  body { font: 12pt/1.45 Georgia, 'Times New Roman', serif; color: #1b2530; background: #fff;
         max-width: 46rem; margin: 2rem auto; padding: 0 1.5rem; }
  header { display: flex; justify-content: space-between; align-items: baseline;
           border-bottom: 2px solid #1b2530; margin-bottom: 1.2rem; }
  h1 { font-size: 1.35rem; margin: 0 0 .3rem; }
  header p { margin: 0; color: #4a5763; }
  ol { padding-left: 2rem; }
  ol > li { margin-bottom: 1.1rem; padding-left: .3rem; break-inside: avoid; }
  .options { display: flex; flex-wrap: wrap; gap: .2rem 1.8rem; list-style: none;
             padding: 0; margin: .35rem 0 0; }
  .work { height: 4.5rem; border-bottom: 1px dotted #b8c1c9; }
  .key { break-before: page; }
  .key p { margin: .1rem 0 0; color: #2c3844; white-space: pre-line; }
"""


def worksheet_markdown(problems: Sequence[Problem], seed: int) -> str:
    """A worksheet in Markdown."""
    lines = ["# Worksheet", "", f"{_count(problems)}, sheet {seed}", ""]
    for number, problem in enumerate(problems, 1):
        lines += [f"**{number}.** {markdown_escape(problem.question)}", ""]
        if problem.options:
            lines += ["   ".join(markdown_escape(option) for option in _labelled(problem)), ""]
    lines += ["---", "", "# Answer key", ""]
    for number, problem in enumerate(problems, 1):
        lines += [f"**{number}. {markdown_escape(_answer(problem))}**", ""]
        lines += [
            f"> {markdown_escape(line)}  " for line in (problem.rationale or "").split("\n")
        ] + [""]
    return "\n".join(lines)


def worksheet_html(problems: Sequence[Problem], seed: int) -> str:
    """A worksheet as a page of HTML, ready to print."""
    questions = "\n".join(map(_question, problems))
    key = "\n".join(map(_solution, problems))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Worksheet {seed}</title>
<style>{_STYLE}</style>
</head>
<body>
<header><h1>Worksheet</h1><p>Name: ______________________ &nbsp; sheet {seed}</p></header>
<main>
<ol>
{questions}
</ol>
<section class="key" aria-labelledby="key">
<header><h1 id="key">Answer key</h1><p>{_count(problems)}, sheet {seed}</p></header>
<ol>
{key}
</ol>
</section>
</main>
</body>
</html>
"""


def _count(problems: Sequence[Problem]) -> str:
    return f"{len(problems)} problem{'' if len(problems) == 1 else 's'}"


def _labelled(problem: Problem) -> list[str]:
    return [
        f"{letter}) {option}"
        for letter, option in zip(problem.letters, problem.options, strict=True)
    ]


def _question(problem: Problem) -> str:
    options = "".join(f"<li>{escape(option)}</li>" for option in _labelled(problem))
    listed = f'<ul class="options">{options}</ul>' if options else ""
    return f'<li>{escape(problem.question)}{listed}<div class="work"></div></li>'


def _solution(problem: Problem) -> str:
    return f"<li><b>{escape(_answer(problem))}</b><p>{escape(problem.rationale or '')}</p></li>"


def _answer(problem: Problem) -> str:
    """The right letter, or the answer of a problem without options."""
    return problem.correct or str(problem.extra.get("answer", ""))
