"""How many shapes the plans of the stories have, how many steps, and how fast stories are made.

    python scripts/measure_stories.py --seed 1

Prints, and writes to results/stories.json, the number of distinct shapes among the first 10,000 and
100,000 stories of a seed, the shares of plans with one step, two steps and so on, the share of
stories with a number that is not needed, and the stories that one core makes in a second.
"""

import argparse
import time
from collections import Counter
from pathlib import Path

from result_files import origin, share, write_result

from scratchwork import stories
from scratchwork.machine.number_words import numbers_in
from scratchwork.plans.plan import Given, Plan
from scratchwork.problems.tokens import tokenise
from scratchwork.stories.plan_shapes import plan_shape
from scratchwork.stories.story import story

FEW, MANY = 10_000, 100_000
STORIES = Path(stories.__file__).parent


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    seed = parser.parse_args().seed
    story(seed, 0)
    start = time.process_time()
    made = [story(seed, number) for number in range(FEW)]
    seconds = time.process_time() - start
    distracted = sum(
        len(numbers_in(tokenise(one.problem.question))) > len(numbers_used_in(one.plan))
        for one in made
    )
    steps = Counter(len(one.plan.steps) for one in made)
    shapes = Counter(plan_shape(one.plan) for one in made)
    few = len(shapes)
    for number in range(FEW, MANY):
        shapes[plan_shape(story(seed, number).plan)] += 1
    result = {
        **origin({path.name: path for path in sorted(STORIES.rglob("*.toml"))}),
        "seed": seed,
        "shapes": {str(FEW): few, str(MANY): len(shapes)},
        "seen_ten_times": sum(count >= 10 for count in shapes.values()),
        "steps": {str(count): share(steps[count], FEW) for count in sorted(steps)},
        "with_a_number_not_needed": share(distracted, FEW),
        "stories_a_second": round(FEW / seconds),
    }
    write_result("stories.json", result)


def numbers_used_in(plan: Plan) -> set[int]:
    """The places of the numbers that a plan uses."""
    arguments = (argument for step in plan.steps for argument in step.arguments)
    return {argument.place for argument in arguments if isinstance(argument, Given)}


if __name__ == "__main__":
    main()
