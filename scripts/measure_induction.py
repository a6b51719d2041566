"""What induction and the audit find, in figures.

    python scripts/measure_induction.py data --sample 2000 --seed 1 --workers 2

Prints, and writes to results/induction.json, in five sections: `coverage` (numbers with a path in
the lattice), `audit` (numbers the audit supports, and how many wrong ones it supports as well),
`calculator` (whether the chosen program computes what GSM8K's calculator marks say), `planted`
(errors put into generated rationales, and whether they are caught) and `formulas` (MathQA's
formulas as programs). Every share stands beside the count it is a share of, as `n`.

Development and held-out files are measured whole, and only measured: no example is shown from them.
Of the large training files a seeded sample is taken, a quarter of it for the audit. The figures do
not depend on `--workers`.
"""

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar

from result_files import origin, share, write_result

from scratchwork import EXTENDED, Problem, detokenise, normalise, read_problems, tokenise
from scratchwork.auditing.audit import Audit, audit
from scratchwork.auditing.corpus import Tally
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.induction.choosing import choose_paths
from scratchwork.induction.derivation import Derivation
from scratchwork.induction.lattice import Lattice, induce
from scratchwork.induction.roots import EquationStep
from scratchwork.machine.operations import OPERATION_SETS
from scratchwork.machine.writing import decimals, writing
from scratchwork.parallel import Workers
from scratchwork.plans.formulas import FORMULA_FIELD, FormulaError, translate
from scratchwork.problems.normalise import MATHQA
from scratchwork.problems.numerals import number_of
from scratchwork.problems.tokens import is_number

DEV = "aqua/dev.json"
HELDOUT = "mathqa/heldout.jsonl.gz"
GSM8K = "extra/gsm8k-train.jsonl.gz"
WITH_RATIONALE = (DEV, HELDOUT, "aqua/train-rationale.jsonl.gz", GSM8K)
WITH_FORMULA = (HELDOUT, "aqua/train-rationale.jsonl.gz", "aqua/train-formula.jsonl.gz")
WHOLE = frozenset({DEV, HELDOUT})
"""The files that are measured whole, and that no example is shown from."""
MARKED = 1500
"""So many problems with calculator marks are looked at, whatever the sample."""
PLANTED = 1000
GENERATED = 1100
"""Somewhat more are generated, since not all of them state an equation."""
EXAMPLES = 3

One = TypeVar("One")
Result = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """The settings of a run."""

    folder: Path
    sample: int
    seed: int
    workers: int

    def problems(self, file: str, sample: int | None = None) -> list[Problem]:
        """The problems of a file that have a rationale, repaired; of a large file, a sample."""
        found = [problem for problem in self.all_problems(file) if problem.rationale]
        if file in WHOLE or (sample or self.sample) >= len(found):
            return found
        # The smaller of two samples is part of the larger one.
        Random(f"{self.seed}-{file}").shuffle(found)
        return found[: sample or self.sample]

    def all_problems(self, file: str) -> Iterator[Problem]:
        """All problems of a file; the held-out file does not say that it is MathQA's."""
        for problem in read_problems(self.folder / file):
            yield normalise(replace(problem, origin=MATHQA) if file == HELDOUT else problem)

    def each(self, function: Callable[[Problem], One], problems: Sequence[Problem]) -> list[One]:
        """What a function makes of each problem, on several processes."""
        return list(Workers(self.workers).map(function, problems, at_once=20))


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    run = Run(**vars(parser.parse_args()))
    files = dict.fromkeys(WITH_RATIONALE + WITH_FORMULA)
    result: Result = origin({file: run.folder / file for file in files}) | {"seed": run.seed}
    for name, measure in (
        ("coverage", _coverage),
        ("audit", _audits),
        ("calculator", _calculator),
        ("planted", _planted),
        ("formulas", _formulas),
    ):
        result[name] = measure(run)
    result["targets"] = list(_targets(result))
    write_result("induction.json", result)


def _targets(result: Result) -> Iterator[Result]:
    """What was wanted, and what was measured."""
    numbers = {name: result["coverage"][DEV][name]["numbers_with_path"] for name in OPERATION_SETS}
    for name, wanted, measured, at_least in (
        ("numbers of dev with a path, extended", 0.98, numbers["extended"], True),
        ("numbers of dev with a path, paper", 0.96, numbers["paper"], True),
        (
            "calculator marks of one or two operations",
            0.95,
            result["calculator"]["one_or_two"]["from_the_same_numbers"],
            True,
        ),
        ("unchanged rationales accused", 0.01, result["planted"]["unchanged_accused"], False),
    ):
        reached = measured["share"]
        met = reached >= wanted if at_least else reached <= wanted
        limit = "at_least" if at_least else "at_most"
        yield {"what": name, limit: wanted, **measured, "met": met}


# Coverage: has every number a path?


class Unexplained(NamedTuple):
    """A number without a path, by its shape, with the text before it."""

    shape: str
    text: str


@dataclass
class Covered:
    """What the lattice of one rationale explains."""

    counts: Counter[str] = field(default_factory=Counter[str])
    unexplained: list[Unexplained] = field(default_factory=list[Unexplained])


def _coverage(run: Run) -> Result:
    result: Result = {}
    for file in WITH_RATIONALE:
        problems = run.problems(file)
        result[file] = {"rationales": len(problems), "whole_file": file in WHOLE}
        for name in OPERATION_SETS:
            found = run.each(partial(_cover, operations=name), problems)
            result[file][name] = _covered(found, file not in WHOLE)
    return result


def _covered(found: list[Covered], show: bool) -> Result:
    counts = sum((one.counts for one in found), Counter[str]())
    numbers, rationales = counts["numbers"], counts["with_numbers"]
    result: Result = {
        "numbers_with_path": share(numbers - counts["without_path"], numbers),
        "rationales_explained": share(rationales - counts["incomplete"], rationales),
        "letters_by_check": share(counts["letters_by_check"], counts["letters"]),
        "without_path": dict(Counter(u.shape for one in found for u in one.unexplained)),
    }
    if show:
        pairs = ((u.shape, u.text) for one in found for u in one.unexplained)
        result["examples"] = _first_of_each(pairs)
    return result


def _cover(problem: Problem, operations: str) -> Covered:
    lattice = induce(problem, OPERATION_SETS[operations])
    covered = Covered()
    for token in lattice.tokens:
        if is_number(token.token):
            covered.counts["numbers"] += 1
            if not lattice.is_explained(token.position):
                shape = _shape(lattice, token.position)
                covered.unexplained.append(Unexplained(shape, _before(lattice, token.position)))
    covered.counts["without_path"] = len(covered.unexplained)
    covered.counts["with_numbers"] = covered.counts["numbers"] > 0
    covered.counts["incomplete"] = bool(covered.unexplained)
    if problem.correct is not None:
        covered.counts["letters"] = 1
        last = len(lattice.output) - 1  # the letter stands between <EOR> and <EOS>
        covered.counts["letters_by_check"] = any(path.checked for path in lattice.paths(last))
    return covered


def _shape(lattice: Lattice, position: int) -> str:
    """How a number without a path looks, which often tells why it has none."""
    token = lattice.output[position - 1]
    value = number_of(token)
    if value is None:
        return "out of range"
    if token.startswith("."):
        return "no digit before the point"
    if re.match(r"0[0-9]", token):
        return "leading zeros"
    if writing(value, token, lattice.operations) is None:
        return "spelling no operation writes"
    if "/" in token:
        return "fraction"
    if decimals(token):
        return "decimals"
    return "whole, 5 digits or more" if value >= 10_000 else "whole, up to 4 digits"


def _before(lattice: Lattice, position: int, tokens: int = 12) -> str:
    """A number with the text before it."""
    text = detokenise(lattice.output[max(0, position - tokens) : position])
    return text.replace("\n", " ").strip()


def _first_of_each(pairs: Iterable[tuple[str, Any]]) -> dict[str, list[Any]]:
    examples: dict[str, list[Any]] = {}
    for kind, example in pairs:
        if len(examples.setdefault(kind, [])) < EXAMPLES:
            examples[kind].append(example)
    return examples


# Audit: what is supported, and would a wrong number be?


def near_wrong(numeral: str, draw: Random) -> str | None:
    """Another numeral of the same form: its last place 1 to 3 off, or one digit another one.

    Of a fraction the numerator changes. None where nothing of the kind is a numeral.
    """
    top, slash, bottom = numeral.partition("/")
    digits = "".join(re.findall("[0-9]", top))
    for _ in range(50):
        if draw.random() < 0.5:
            changed = str(int(digits) + draw.choice((-3, -2, -1, 1, 2, 3))).zfill(len(digits))
        else:
            at = draw.randrange(len(digits))
            changed = digits[:at] + draw.choice("0123456789") + digits[at + 1 :]
        if len(changed) != len(digits) or (changed[0] == "0" and digits[0] != "0"):
            continue
        left = iter(changed)
        other = re.sub("[0-9]", lambda _, left=left: next(left), top) + slash + bottom
        if tokenise(other) == [other] and number_of(other) not in (None, number_of(numeral)):
            return other
    return None


def _audits(run: Run) -> Result:
    result: Result = {}
    for file in WITH_RATIONALE:
        problems = run.problems(file, run.sample // 4)
        tallies = run.each(partial(_audited, seed=run.seed), problems)
        counts = sum((counts for _, counts in tallies), Counter[str]())
        total = Counter[str]()
        for tally, _ in tallies:
            total.update(tally.to_json())
        wrong = counts["wrong"]
        result[file] = {
            "rationales": len(problems),
            "whole_file": file in WHOLE,
            "numbers_supported": share(total["numbers"] - total["unsupported"], total["numbers"]),
            "status": {s: counts[s] for s in ("copied", "computed", "constant", "unsupported")},
            "equations_true": share(
                total["equations"] - total["false_equations"], total["equations"]
            ),
            "letters_follow": share(total["letters"] - total["not_following"], total["letters"]),
            "rationales_hold": share(total["holding"], total["rationales"]),
            "wrong_numbers": {
                "with_path": share(counts["wrong_with_path"], wrong),
                "supported": share(counts["wrong_supported"], wrong),
                "supported_and_no_false_equation": share(counts["wrong_unnoticed"], wrong),
                "supported_as": {
                    s: counts[f"wrong_{s}"] for s in ("copied", "computed", "constant")
                },
                "results_of_equations": {
                    "false_equation": share(counts["wrong_false"], counts["wrong_results"])
                },
            },
        }
    return result


def _audited(problem: Problem, seed: int) -> tuple[Tally, Counter[str]]:
    """The audit of a rationale, and of the same with one computed number after another wrong."""
    tally = Tally()
    found = audit(problem)
    tally.add(found)
    counts: Counter[str] = Counter(number.status for number in found.numbers)
    draw = Random(f"{seed}-{problem.id}-{problem.question}")
    results = {equation.result for equation in found.equations}
    for number in found.numbers:
        wrong = near_wrong(number.token, draw) if number.status == "computed" else None
        if wrong is not None:
            counts.update(_with_wrong(problem, found, number.position, wrong, results))
    return tally, counts


def _with_wrong(
    problem: Problem, found: Audit, position: int, wrong: str, results: set[int | None]
) -> Counter[str]:
    """What is said of a wrong number; what comes behind it has no say."""
    text = detokenise([*found.tokens[: position - 1], wrong])
    changed = replace(problem, rationale=text)
    audited = audit(changed)
    counts: Counter[str] = Counter()
    if len(audited.tokens) != position or audited.tokens[-1] != wrong:
        return counts  # a numbered step, say, whose number the audit leaves out
    status = audited.numbers[-1].status
    is_false = any(e.end >= position and not e.holds for e in audited.equations)
    counts["wrong"] = 1
    counts[f"wrong_{status}"] += 1
    if status != "unsupported":
        counts["wrong_supported"] = 1
        counts["wrong_unnoticed"] = not is_false
    counts["wrong_with_path"] = induce(changed, EXTENDED).is_explained(position)
    if position - 1 in results:
        counts["wrong_results"] = 1
        counts["wrong_false"] = is_false
    return counts


# GSM8K's calculator marks: does the chosen program compute what its author did?


class Marked(NamedTuple):
    """What became of one calculator mark."""

    operations: str
    """How many the mark has: 0, 1, 2 or 3+."""
    outcome: str
    example: Result


AGREES = "the same numbers"


def _calculator(run: Run) -> Result:
    problems = run.problems(GSM8K, MARKED)
    marks = [mark for found in run.each(_marks, problems) for mark in found]
    result: Result = {"file": GSM8K, "problems": len(problems)}
    groups = {kind: [m for m in marks if m.operations == kind] for kind in ("0", "1", "2", "3+")}
    groups["one_or_two"] = groups["1"] + groups["2"]
    for kind, group in groups.items():
        outcomes = Counter(mark.outcome for mark in group)
        agreeing = outcomes.pop(AGREES, 0)
        result[kind] = {
            "from_the_same_numbers": share(agreeing, len(group)),
            "otherwise": dict(outcomes.most_common()),
        }
    result["unreadable"] = sum(mark.operations == "" for mark in marks)
    result["examples"] = _first_of_each(
        (mark.outcome, mark.example) for mark in groups["one_or_two"] if mark.outcome != AGREES
    )
    return result


def _marks(problem: Problem) -> list[Marked]:
    lattice = induce(problem, EXTENDED)
    paths = choose_paths(lattice)
    found: list[Marked] = []
    start = 0
    for mark in problem.extra["calculator"]:
        left, _, right = mark.rpartition("=")
        try:
            value = float(right.replace(",", ""))
        except ValueError:
            found.append(Marked("", "unreadable", {}))
            continue
        count = len(re.findall(r"[-+*/]", left.lstrip("-")))
        kind = str(count) if count < 3 else "3+"
        at = _result_at(lattice, abs(value), start)
        if at is None:
            found.append(Marked(kind, "the result is not written", {"mark": mark}))
            continue
        start = at + 1
        path = paths[at]
        chosen = path.number if path is not None else None
        if path is None:
            outcome = "no path"
        elif not isinstance(chosen, Derivation | EquationStep):
            outcome = {"copy": "copied", "convert": "copied", "word": "constant"}[path.how]
        else:
            same = same_operands(left, list(chosen.leaves()))
            outcome = AGREES if same else "other numbers"
        example = {"mark": mark, "chosen": _formula(chosen), "text": _before(lattice, at + 1)}
        found.append(Marked(kind, outcome, example))
    return found


def _result_at(lattice: Lattice, value: float, start: int) -> int | None:
    """Where a mark's result is written: behind an equals sign if possible."""
    places = [
        token.position - 1
        for token in lattice.tokens[start:]
        if token.target is not None and _close(token.target, value)
    ]
    for at in places:
        before = at - 1
        while before >= 0 and lattice.output[before] in ("$", "-"):
            before -= 1
        if before >= 0 and lattice.output[before] == "=":
            return at
    return places[0] if places else None


def same_operands(mark: str, leaves: list[float]) -> bool:
    """Whether a calculation uses the numbers of a mark; 20 %, .2 and 1/5 are the same number."""
    written = [float(n) for n in re.findall(r"[0-9]+\.?[0-9]*|\.[0-9]+", mark.replace(",", ""))]
    used: list[float] = []
    for leaf in leaves:
        if not _take(written, leaf):
            used.append(leaf)
    scaled = False
    for leaf in used.copy():
        if _take_quotient(written, leaf):
            used.remove(leaf)
        elif _take(written, leaf / 100) or _take(written, leaf * 100):
            used.remove(leaf)
            scaled = True
    for number in written.copy():
        if _take_quotient(used, number):
            written.remove(number)
    # What is left may be the 100 of a percentage, or the 1 of `1/5`.
    if scaled or re.search(r"/100(?![0-9])|\*0?\.01(?![0-9])", mark):
        written = [number for number in written if number not in (100, 0.01)]
        used = [leaf for leaf in used if leaf != 100]
    if re.search(r"(?<![0-9.])1/", mark):
        _take(written, 1)
    return not written and not used


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-6 * max(1, abs(a), abs(b))


def _take(numbers: list[float], wanted: float) -> bool:
    """Whether the wanted number is there; if so it is taken out."""
    for number in numbers:
        if _close(number, wanted):
            numbers.remove(number)
            return True
    return False


def _take_quotient(numbers: list[float], wanted: float) -> bool:
    """Whether the wanted number is the quotient of two; if so they are taken out."""
    for a, b in permutations(numbers, 2):
        if b and _close(a / b, wanted):
            numbers.remove(a)
            numbers.remove(b)
            return True
    return False


def _formula(number: float | str | Derivation | EquationStep | None) -> str | None:
    if isinstance(number, Derivation | EquationStep):
        return f"{number.operation}({', '.join(str(_formula(a)) for a in number.arguments)})"
    return number if number is None or isinstance(number, str) else f"{number:.12g}"


# Planted errors: are they caught, and is nothing else accused?

KINDS = ("result of an equation", "operand in an equation", "outside equations")


class Plant(NamedTuple):
    """What an audit says of a rationale with one number changed."""

    false_equation: bool
    unsupported_number: bool
    letter_does_not_follow: bool


class Planted(NamedTuple):
    """A generated rationale: what it is accused of, and what of the errors put into it is told."""

    accused: Plant
    plants: dict[str, Plant]


def _planted(run: Run) -> Result:
    problems = [one.problem for one in generate(load_families(), GENERATED, run.seed)]
    found = run.each(_plants, problems)
    clean = [one for one in found if not any(one.accused)]
    result: Result = {
        "generated": len(found),
        "unchanged_accused": share(len(found) - len(clean), len(found)),
        "accused_of": {
            name: sum(getattr(one.accused, name) for one in found) for name in Plant._fields
        },
    }
    for kind in KINDS:
        plants = [one.plants[kind] for one in clean if kind in one.plants][:PLANTED]
        result[kind] = {
            "caught": share(sum(any(plant) for plant in plants), len(plants)),
            **{name: sum(getattr(plant, name) for plant in plants) for name in Plant._fields},
            "unsupported_number_alone": sum(plant == (False, True, False) for plant in plants),
        }
    return result


def _plants(problem: Problem) -> Planted:
    unchanged = audit(problem)
    plants: dict[str, Plant] = {}
    draw = Random(f"{problem.id}")  # which holds the seed
    tokens = unchanged.tokens
    results = {e.result for e in unchanged.equations if e.result is not None}
    inside = {k for e in unchanged.equations for k in range(e.start, e.end) if is_number(tokens[k])}
    outside = {k for k, token in enumerate(tokens) if is_number(token)} - inside
    for kind, places in zip(KINDS, (results, inside - results, outside), strict=True):
        at = draw.choice(sorted(places)) if places else None
        wrong = near_wrong(tokens[at], draw) if at is not None else None
        if at is not None and wrong is not None:
            text = detokenise([*tokens[:at], wrong, *tokens[at + 1 :]])
            plants[kind] = _accusation(audit(replace(problem, rationale=text)))
    return Planted(_accusation(unchanged), plants)


def _accusation(found: Audit) -> Plant:
    follows = found.answer is None or found.answer.follows is not False
    return Plant(bool(found.false_equations), found.supported < 1, not follows)


# Formulas: do MathQA's translate, and give the labelled option?


def _formulas(run: Run) -> Result:
    result: Result = {}
    for file in WITH_FORMULA:
        problems = [
            problem for problem in run.all_problems(file) if problem.extra.get(FORMULA_FIELD)
        ]
        outcomes = Counter(run.each(_translation, problems))
        letters = {name: outcomes.pop(name, 0) for name in ("label", "another letter", "no letter")}
        result[file] = {
            "translated": share(sum(letters.values()), len(problems)),
            "yields_label": share(letters["label"], len(problems)),
            "translated_to": letters,
            "not_translated": dict(outcomes.most_common()),
        }
    return result


def _translation(problem: Problem) -> str:
    try:
        translated = translate(problem)
    except FormulaError as error:
        return next((why for why in _REASONS if why in str(error)), "the formula is malformed")
    if translated.letter is None:
        return "no letter"
    return "label" if translated.yields_label(problem) else "another letter"


_REASONS = (
    "half of the fraction",
    "the question has no number",
    "there is no operation",
    "there is no constant",
    "range error",
    "domain error",
)


if __name__ == "__main__":
    main()
