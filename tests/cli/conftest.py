"""What tests of commands share."""

import pytest

from scratchwork.decoding import speaking


@pytest.fixture
def few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tiny solver has not learnt to speak, which takes it long."""
    monkeypatch.setattr(speaking, "LONGEST_RATIONALE", 2)
