import math
from dataclasses import fields, replace

import pytest
import torch

from scratchwork import UserError
from scratchwork.devices import chosen_device
from scratchwork.paper.config import (
    PRESETS,
    TrainingConfig,
    preset,
)
from scratchwork.paper.models import build_model
from scratchwork.training import with_settings

NAMES = [f.name for f in fields(TrainingConfig)]


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_valid_and_say_what_network_they_train(name: str) -> None:
    config = preset(name)
    assert replace(config) == config
    assert with_settings(config, {}) == config
    network = config.network(123)
    assert (network.kind, network.words) == (config.model, 123)
    assert (network.hidden, network.embedding) == (config.hidden, config.embedding)
    assert build_model(network).config == network


def test_the_preset_of_the_paper_has_its_size() -> None:
    assert preset("paper").hidden == 200
    assert preset("paper").embedding == 200
    assert preset("tiny").hidden < preset("small").hidden < 200


def test_an_unknown_preset_is_reported_with_the_known_ones() -> None:
    with pytest.raises(UserError, match=r"^there is no preset huge; there are tiny, small, paper$"):
        preset("huge")


def test_settings_are_read_from_text() -> None:
    texts = {"epochs": "7", "rate": "1e-4", "model": "copy-input", "dropout": "0", "seed": "12"}
    config = with_settings(preset("tiny"), texts)
    assert (config.epochs, config.rate, config.model) == (7, 1e-4, "copy-input")
    assert (config.dropout, config.seed) == (0.0, 12)
    assert config.hidden == preset("tiny").hidden


def test_every_setting_can_be_given_as_text() -> None:
    for name in NAMES:
        value = getattr(preset("tiny"), name)
        assert with_settings(preset("tiny"), {name: str(value)}) == preset("tiny")


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("depth", "3", r"^there is no setting depth; there are model, vocabulary, hidden"),
        ("", "3", r"^there is no setting ; there are model"),
        ("epochs", "many", r"^the setting epochs is many, but must be a whole number$"),
        ("epochs", "1.5", r"^the setting epochs is 1.5, but must be a whole number$"),
        ("epochs", "", r"^the setting epochs is , but must be a whole number$"),
        ("rate", "fast", r"^the setting rate is fast, but must be a number$"),
        ("epochs", "0", r"^the setting epochs is 0, but must be 1 to 100000$"),
        ("hidden", "-4", r"^the setting hidden is -4, but must be 1 to 4096$"),
        ("dropout", "1", r"^the setting dropout is 1.0, but must be 0 to 0.95$"),
        ("rate", "nan", r"^the setting rate is nan, but must be 0 to 10$"),
        ("rate", "inf", r"^the setting rate is inf, but must be 0 to 10$"),
        ("seed", "99999999999999999999", r"^the setting seed is 9+, but must be 0 to"),
        ("average", "1.5", r"^the setting average is 1.5, but must be 0 to 1$"),
        ("draw_every", "0", r"^the setting draw_every is 0, but must be 1 to"),
        ("model", "oracle", r"^the setting model is oracle; it can be program, seq2seq"),
        ("vocabulary", "all", r"^the setting vocabulary is all; it can be constants, plain$"),
        ("samples", "3", r"^a batch of 8 rows cannot hold 3 samples of each problem; "),
    ],
)
def test_a_bad_setting_is_reported_in_one_sentence(name: str, text: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint) as raised:
        with_settings(preset("tiny"), {name: text})
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("model", "vocabulary")])
def test_no_setting_may_be_endless_or_negative(name: str) -> None:
    for value in (-1, math.inf, math.nan):
        with pytest.raises(UserError, match=f"^the setting {name} is "):
            replace(preset("tiny"), **{name: value})


def test_devices_are_named_as_pytorch_does() -> None:
    assert chosen_device("cpu") == torch.device("cpu")
    assert chosen_device("auto").type in ("cpu", "cuda")


@pytest.mark.parametrize("name", ["abacus", "", "cuda:x"])
def test_an_unknown_device_is_reported(name: str) -> None:
    with pytest.raises(UserError, match=f"^there is no device {name}; it can be cpu, cuda or auto"):
        chosen_device(name)


def test_a_missing_gpu_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert chosen_device("auto") == torch.device("cpu")
    with pytest.raises(UserError, match=r"^there is no GPU that this PyTorch can use; "):
        chosen_device("cuda")
