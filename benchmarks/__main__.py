"""Run all benchmarks, or those named: `python -m benchmarks [execution reading startup ...]`.

Every benchmark prints lines of what was measured, beside something else measured in the same run,
since seconds alone say more about the machine than about the code.
"""

import sys
from collections.abc import Callable, Iterator

from benchmarks import (
    collecting,
    decoding,
    duplicates,
    execution,
    generating,
    induction,
    reading,
    serving,
    solving,
    staged,
    startup,
    training,
)

BENCHMARKS: dict[str, Callable[[], Iterator[str]]] = {
    "startup": startup.measure,
    "reading": reading.measure,
    "execution": execution.measure,
    "duplicates": duplicates.measure,
    "generating": generating.measure,
    "induction": induction.measure,
    "training": training.measure,
    "staged": staged.measure,
    "decoding": decoding.measure,
    "solving": solving.measure,
    "serving": serving.measure,
    "collecting": collecting.measure,
}


def main(names: list[str]) -> int:
    """Run the benchmarks of these names, all without names."""
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"no benchmark is called {unknown[0]}; there are {', '.join(BENCHMARKS)}")
        return 2
    for name in names or BENCHMARKS:
        print(name, flush=True)
        for line in BENCHMARKS[name]():
            print(f"  {line}", flush=True)
    return 0


sys.exit(main(sys.argv[1:]))
