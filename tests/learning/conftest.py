"""What all tests of learning need."""

import pytest
import torch


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Tests run beside each other, and bytes depend on the number of threads."""
    torch.set_num_threads(1)
