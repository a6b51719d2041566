"""What tests of commands share."""

import pytest

from scratchwork.solver import rationale


@pytest.fixture
def few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tiny solver has not learnt to speak, which takes it long."""
    monkeypatch.setattr(rationale, "LONGEST_RATIONALE", 2)
