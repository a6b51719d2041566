"""The wordings of a story's sentences, from the files in the folder `wordings`.

Promises: a wording has slots (`{who}`), choices that are made when it is read (`[now|today]`), and
both tenses (`<has|had>`); `wordings_of` gives those of a move in a tense.
"""

import itertools
import re
import tomllib
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "wordings"
_CHOICE = re.compile(r"\[([^\]]*)\]")
_SPACES = re.compile(r" (?=[ ,.?])")
_NAMING = re.compile(r"\{(?:who|whose|whom|name|owner|his)\}")
_TENSES = re.compile(r"<([^|>]*)\|([^>]*)>")

Wordings = dict[str, tuple[tuple[str, ...], tuple[str, ...]]]


@cache
def all_wordings() -> Wordings:
    """The wordings of every move, `scene.move`, in the present and in the past."""
    found: Wordings = {}
    for path in sorted(_FOLDER.glob("*.toml")):
        moves: dict[str, list[str]] = tomllib.loads(path.read_text("utf-8"))
        for move, texts in moves.items():
            spread = [wording for text in texts for wording in _spread(text)]
            found[f"{path.stem}.{move}"] = (
                tuple(_TENSES.sub(r"\1", wording) for wording in spread),
                tuple(_TENSES.sub(r"\2", wording) for wording in spread),
            )
    return found


def _spread(text: str) -> list[str]:
    """The text with every combination of its choices."""
    pieces = _CHOICE.split(text)
    ways = [piece.split("|") if k % 2 else [piece] for k, piece in enumerate(pieces)]
    return [_SPACES.sub("", "".join(way)).strip() for way in itertools.product(*ways)]


@cache
def wordings_of(move: str, *, past: bool, naming: bool = False) -> tuple[str, ...]:
    """The wordings of a move in a tense; if `naming`, those that say who, or else all."""
    wordings = all_wordings()[move][past]
    named = tuple(wording for wording in wordings if _NAMING.search(wording))
    return named if naming and named else wordings
