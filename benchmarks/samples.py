"""Generated problems as models read them, and where models compute."""

from dataclasses import dataclass

import torch

from scratchwork import Problem, generate, load_families
from scratchwork.devices import chosen_device
from scratchwork.paper.corpus import Corpus, build_tables, corpus_of, within_limits
from scratchwork.paper.vocabulary import Vocabulary, build_vocabulary


@dataclass(frozen=True)
class Sample:
    """Some problems, with their words and paths."""

    problems: list[Problem]
    vocabulary: Vocabulary
    corpus: Corpus


def sample(count: int) -> Sample:
    """So many problems of all families, or a few less: not those too long to learn from."""
    problems = [made.problem for made in generate(load_families(), count, seed=1)]
    vocabulary = build_vocabulary(problems)
    tables = [table for table in build_tables(problems, vocabulary) if within_limits(table)]
    return Sample(problems, vocabulary, corpus_of(tables))


def device() -> torch.device:
    """A GPU if there is one."""
    return chosen_device("auto")


def wait_for(device: torch.device) -> None:
    """Wait until the device has done what it was asked to."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def name_of(device: torch.device) -> str:
    """The device in words."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    threads = torch.get_num_threads()
    return f"a CPU, {threads} thread{'s' * (threads > 1)}"
