"""A published encoder to begin with: its pieces and its weights, as far as problems need them.

Promises: `PublishedEncoder.read` reads a folder with the `vocab.txt` and `model.safetensors` of a
BERT, such as all-MiniLM-L6-v2. `choose_pieces` keeps, of its pieces, those that words are made of,
the most frequent first, then others in the published order. `take_over` gives the published weights
for these to a network of the same shape, whose encoder then computes what the published one does.

Does not cover: training it further (see `training`).
"""

import string
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from scratchwork.errors import UserError
from scratchwork.files import sha256_of
from scratchwork.solver.reading import CONTINUATION, SPECIAL_PIECES, longest_parts

_VOCABULARY, _WEIGHTS = "vocab.txt", "model.safetensors"
_MEANT = {
    "<pad>": "[PAD]",
    "<unknown>": "[MASK]",
    "<number>": "number",
    "<option>": "[SEP]",
    "<start>": "[CLS]",
    "<capital>": "[unused0]",
    "<capitals>": "[unused1]",
}
"""The published piece that each special piece begins as."""
_NOT_KNOWN = "[UNK]"
FREQUENT = 4
"""A piece that occurs so often comes before those that are merely published."""
_LETTERS = string.ascii_lowercase + string.digits + string.punctuation
_LAYER_PARTS = {
    "from_self": "attention.output.dense",
    "after_self": "attention.output.LayerNorm",
    "widen": "intermediate.dense",
    "narrow": "output.dense",
    "after_forward": "output.LayerNorm",
}


@dataclass(frozen=True)
class PublishedEncoder:
    """A published encoder."""

    vocabulary: dict[str, int]
    """The row of each piece."""
    weights: dict[str, Tensor]
    digest: str
    """Of the weights."""

    @classmethod
    def read(cls, folder: Path) -> "PublishedEncoder":
        """Read a folder."""
        try:
            listed = (folder / _VOCABULARY).read_text("utf-8").splitlines()
            weights = load_file(folder / _WEIGHTS)
        except (OSError, UnicodeError, SafetensorError) as error:
            raise UserError(
                f"{folder} has no published encoder ({error}): give a folder with vocab.txt and "
                "model.safetensors of all-MiniLM-L6-v2"
            ) from error
        vocabulary = {piece: row for row, piece in enumerate(listed)}
        wanted = [*_MEANT.values(), _NOT_KNOWN]
        missing = [piece for piece in wanted if piece not in vocabulary]
        if missing:
            raise UserError(f"{folder / _VOCABULARY} lacks {missing[0]}: it is of another encoder")
        return cls(vocabulary, weights, sha256_of(folder / _WEIGHTS))


def choose_pieces(known: Collection[str], words: Mapping[str, int], count: int) -> list[str]:
    """At most so many pieces, of those known and for words that occur so often.

    Characters that are not known are pieces if they are as frequent.
    """
    used = Counter[str]()
    for word, times in words.items():
        for part in longest_parts(word, known):
            used[part] += times
    letters = (mark + letter for letter in _LETTERS for mark in ("", CONTINUATION))
    frequent = (part for part in used if used[part] >= FREQUENT)
    by_use = sorted(frequent, key=lambda part: (-used[part], part))
    others = (piece for piece in known if piece.isascii() and not piece.startswith("["))
    return list(islice(dict.fromkeys(chain(SPECIAL_PIECES, letters, by_use, others)), count))


def take_over(model: nn.Module, published: PublishedEncoder, pieces: Sequence[str]) -> None:
    """Begin with the published weights for these pieces; all must be there and fit."""
    own = model.state_dict()
    try:
        weights = _reading_weights(published, pieces)
    except KeyError as error:
        raise UserError(f"the published encoder lacks {error.args[0]}: it is another") from error
    for name, weight in weights.items():
        if name not in own or own[name].shape != weight.shape:
            raise UserError(
                f"the published encoder's {name} does not fit the network: choose width and layers "
                "as it has them"
            )
    model.load_state_dict({**own, **weights})


def _reading_weights(published: PublishedEncoder, pieces: Sequence[str]) -> dict[str, Tensor]:
    """The weights of a network's reading parts."""
    given, rows = published.weights, published.vocabulary
    wanted = [rows.get(_MEANT.get(piece, piece), rows[_NOT_KNOWN]) for piece in pieces]
    words = given["embeddings.word_embeddings.weight"]
    taken = {
        "pieces.weight": words[wanted],
        "places.weight": given["embeddings.position_embeddings.weight"],
        "parts.vectors": given["embeddings.token_type_embeddings.weight"],
        "before_encoder.weight": given["embeddings.LayerNorm.weight"],
        "before_encoder.bias": given["embeddings.LayerNorm.bias"],
    }
    layers = len({name.split(".")[2] for name in given if name.startswith("encoder.layer.")})
    for k in range(layers):
        old, new = f"encoder.layer.{k}", f"encoder.{k}"
        for kind in ("weight", "bias"):
            own = [
                given[f"{old}.attention.self.{part}.{kind}"] for part in ("query", "key", "value")
            ]
            taken[f"{new}.to_self.{kind}"] = torch.cat(own)
            for ours, theirs in _LAYER_PARTS.items():
                taken[f"{new}.{ours}.{kind}"] = given[f"{old}.{theirs}.{kind}"]
    return taken
