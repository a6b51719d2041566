"""What all tests of the solver need."""

import pytest
import torch


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Tests run beside each other."""
    torch.set_num_threads(1)
