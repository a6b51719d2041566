"""How far and how wide to search."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The settings of a search."""

    beam: int = 4
    """How many hypotheses survive each contest. The paper's is 200; with these models a wide beam
    finds short rationales, which are probable and say little."""
    heads: int | None = None
    """How many (hypothesis, operation, destination) of each kind of instruction get arguments; as
    many as the beam if not said."""
    longest: int = 200
    """How many tokens a rationale may have: behind so many, `<EOR>` and a letter are forced."""
    most_kept: int = 6
    """How many instructions may write to memory between two tokens."""
    length_penalty: float = 0.0
    """Finished programs are ranked by log-probability / tokens ** this; 0 is the paper's."""
    enough: int | None = None
    """The search ends when so many programs are finished; as many as the beam if not said."""
    certain: int = 1
    """It also ends when so many finished programs are better than any that is still open could
    become. With 1, the others given back are those that happened to be finished before."""
    returned: int = 20
    """How many finished programs are given back at most, the best ones."""
    may_be_unknown: bool = False
    """Whether the unknown word may be written as such."""
    most_numbers: int | None = None
    """How many numbers the largest tensor may hold, about: problems are decoded in groups of such
    a size. Allow for some four such tensors, of 4 bytes a number. If not said, half a GiB in all
    on a CPU, and what is free on a GPU, up to 16 GiB."""

    def __post_init__(self) -> None:
        fewest = {"beam": 1, "heads": 1, "longest": 0, "most_kept": 0, "enough": 1, "certain": 1}
        for name, least in {**fewest, "length_penalty": 0, "returned": 1}.items():
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} must be {least} or more, not {value}")
