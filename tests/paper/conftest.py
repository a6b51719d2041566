"""What the tests of decoding share: problems, and their vocabulary."""

import pytest
import torch

from scratchwork import Problem
from scratchwork.families.generator import generate
from scratchwork.families.loading import load_families
from scratchwork.paper.vocabulary import Vocabulary, build_vocabulary


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Tests run beside each other."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def problems() -> list[Problem]:
    """Generated problems with rationales."""
    return [made.problem for made in generate(load_families(), 50, seed=1)]


@pytest.fixture(scope="session")
def vocabulary(problems: list[Problem]) -> Vocabulary:
    """Their words."""
    return build_vocabulary(problems)
