"""With a small published encoder of its own making."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional

from scratchwork import Problem, UserError
from scratchwork.solver.collating import collate
from scratchwork.solver.network import SolverConfig, Transformer
from scratchwork.solver.pretrained import PublishedEncoder, choose_pieces, take_over
from scratchwork.solver.reading import (
    NUMBER_PIECE,
    SPECIAL_PIECES,
    UNKNOWN_PIECE,
    Pieces,
    read_problem,
)

WIDTH, HEADS, LAYERS = 12, 3, 2
MARKS = ["[PAD]", "[unused0]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LETTERS = [mark + letter for mark in ("", "##") for letter in "acegiklmnprst?.#"]
LISTED = [*MARKS, *LETTERS, "number", "the", "cake", "men", "king", "##ing", "女"]


def published_weights() -> dict[str, Tensor]:
    draw = torch.Generator().manual_seed(5)

    def of(*shape: int) -> Tensor:
        return torch.randn(shape, generator=draw) * 0.3

    weights = {
        "embeddings.word_embeddings.weight": of(len(LISTED), WIDTH),
        "embeddings.position_embeddings.weight": of(512, WIDTH),
        "embeddings.token_type_embeddings.weight": of(2, WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    for k in range(LAYERS):
        layer = f"encoder.layer.{k}"
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
        for part, (wide, narrow) in {
            "attention.self.query": (WIDTH, WIDTH),
            "attention.self.key": (WIDTH, WIDTH),
            "attention.self.value": (WIDTH, WIDTH),
            "attention.output.dense": (WIDTH, WIDTH),
            "intermediate.dense": (4 * WIDTH, WIDTH),
            "output.dense": (WIDTH, 4 * WIDTH),
        }.items():
            weights[f"{layer}.{part}.weight"] = of(wide, narrow)
            weights[f"{layer}.{part}.bias"] = of(wide)
    for norm in norms:
        weights[f"{norm}.weight"], weights[f"{norm}.bias"] = 1 + of(WIDTH), of(WIDTH)
    return weights


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "vocab.txt").write_text("\n".join(LISTED) + "\n", "utf-8")
    save_file(published_weights(), tmp_path / "model.safetensors")
    return tmp_path


def as_bert_does(weights: dict[str, Tensor], rows: list[int]) -> Tensor:
    """What BERT makes of a text, as its paper says: one sum, one normalisation after the other."""

    def put(name: str, x: Tensor) -> Tensor:
        return functional.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])

    def norm(name: str, x: Tensor) -> Tensor:
        given = (weights[f"{name}.weight"], weights[f"{name}.bias"])
        return functional.layer_norm(x, (WIDTH,), *given, eps=1e-12)

    x = weights["embeddings.word_embeddings.weight"][rows]
    x = x + weights["embeddings.position_embeddings.weight"][: len(rows)]
    x = norm("embeddings.LayerNorm", x + weights["embeddings.token_type_embeddings.weight"][0])
    for k in range(LAYERS):
        layer, size = f"encoder.layer.{k}", WIDTH // HEADS
        asked, keys, values = (
            put(f"{layer}.attention.self.{part}", x) for part in ("query", "key", "value")
        )
        heads = []
        for head in range(HEADS):
            at = slice(head * size, (head + 1) * size)
            shares = torch.softmax(asked[:, at] @ keys[:, at].T / size**0.5, -1)
            heads.append(shares @ values[:, at])
        mixed = put(f"{layer}.attention.output.dense", torch.cat(heads, -1))
        x = norm(f"{layer}.attention.output.LayerNorm", x + mixed)
        hidden = functional.gelu(put(f"{layer}.intermediate.dense", x))
        x = norm(f"{layer}.output.LayerNorm", x + put(f"{layer}.output.dense", hidden))
    return x


def network(pieces: int, layers: int = LAYERS) -> Transformer:
    return Transformer(SolverConfig(pieces, WIDTH, HEADS, layers, 1)).eval()


def test_the_network_reads_a_text_as_the_published_encoder_does(folder: Path) -> None:
    published = PublishedEncoder.read(folder)
    listed = choose_pieces(published.vocabulary, {"the": 4, "cakes": 4}, 999)
    pieces, model = Pieces(listed), network(len(listed))
    take_over(model, published, listed)
    problem = Problem("The king makes cakes?")
    with torch.no_grad():
        states = model.encode(collate([read_problem(problem, pieces)], torch.device("cpu")).read)
    told = ["[CLS]", "the", "king", "m", "##a", "##k", "##e", "##s", "cake", "##s", "?"]
    wanted = as_bert_does(published.weights, [LISTED.index(piece) for piece in told])
    torch.testing.assert_close(states.states[0], wanted, rtol=1e-4, atol=1e-5)


def test_frequent_pieces_come_first_and_published_ones_fill_up() -> None:
    vocabulary = {piece: row for row, piece in enumerate(LISTED)}
    words = {"cakes": 9, "kings": 5, "men": 3, "é": 4, "√": 3}
    everything = choose_pieces(vocabulary, words, 999)
    assert tuple(everything[: len(SPECIAL_PIECES)]) == SPECIAL_PIECES
    places = {piece: everything.index(piece) for piece in ("cake", "king", "é", "the", "men")}
    assert sorted(places, key=places.__getitem__) == ["cake", "king", "é", "the", "men"]
    assert "√" not in everything
    assert "女" not in everything
    assert choose_pieces(vocabulary, words, 100) == everything[:100]


def test_pieces_begin_as_what_they_are_nearest_to(folder: Path) -> None:
    published = PublishedEncoder.read(folder)
    listed = choose_pieces(published.vocabulary, {"\n": 7}, 999)
    model = network(len(listed))
    take_over(model, published, listed)
    words = published.weights["embeddings.word_embeddings.weight"]
    for piece, nearest in {
        SPECIAL_PIECES[NUMBER_PIECE]: "number",
        SPECIAL_PIECES[UNKNOWN_PIECE]: "[MASK]",
        "\n": "[UNK]",
        "men": "men",
    }.items():
        begun = model.pieces.weight[listed.index(piece)]
        assert torch.equal(begun, words[published.vocabulary[nearest]])


def test_a_folder_without_a_published_encoder_is_told(folder: Path) -> None:
    with pytest.raises(UserError, match="no published encoder"):
        PublishedEncoder.read(folder / "nowhere")
    (folder / "vocab.txt").write_text("\n".join(LISTED[1:]), "utf-8")
    with pytest.raises(UserError, match=r"lacks \[PAD\]"):
        PublishedEncoder.read(folder)


def test_an_encoder_of_another_shape_is_refused(folder: Path) -> None:
    published = PublishedEncoder.read(folder)
    listed = choose_pieces(published.vocabulary, {}, 20)
    with pytest.raises(UserError, match=r"pieces\.weight does not fit"):
        take_over(network(21), published, listed)
    with pytest.raises(UserError, match=r"encoder\.1\..* does not fit"):
        take_over(network(20, layers=1), published, listed)
    save_file(
        {"embeddings.word_embeddings.weight": torch.zeros(60, 12)}, folder / "model.safetensors"
    )
    with pytest.raises(UserError, match=r"lacks embeddings\.position_embeddings\.weight"):
        take_over(network(20), PublishedEncoder.read(folder), listed)
