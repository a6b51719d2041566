import pytest
import torch
from torch import Tensor

from scratchwork.paper.noise import NO_DROPOUT, Dropout, gumbel, random_keys, uniform

MANY = torch.arange(500)


def numbers(seed: int = 0, step: int = 0, site: int = 0) -> Tensor:
    return uniform(random_keys(seed, step, MANY), site, 100)


def test_numbers_depend_on_the_key_alone() -> None:
    whole = uniform(random_keys(1, 2, MANY), 3, 40)
    for some in (torch.tensor([7]), torch.tensor([499, 3, 3, 0]), torch.arange(0, 500, 9)):
        assert torch.equal(uniform(random_keys(1, 2, some), 3, 40), whole[some])


def test_more_numbers_begin_with_the_same_ones() -> None:
    keys = random_keys(1, 2, MANY)
    assert torch.equal(uniform(keys, 0, 100)[:, :3], uniform(keys, 0, 3))


def test_other_generators_of_random_numbers_play_no_part() -> None:
    before = torch.get_rng_state()
    first = numbers()
    assert torch.equal(torch.get_rng_state(), before)
    torch.rand(1)
    assert torch.equal(numbers(), first)


def mixed(key: int, other: int) -> int:
    """What splitmix64 makes of two whole numbers, in whole numbers."""
    z = (3 * key + (other + 1) * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


@pytest.mark.parametrize("example", [-1, 0, 1, 77, 2**40])
@pytest.mark.parametrize(("seed", "step", "site"), [(0, 0, 0), (17, 4, 5), (2**50, 2**32 + 3, 900)])
def test_the_numbers_are_the_same_on_every_machine(
    seed: int, step: int, site: int, example: int
) -> None:
    key = mixed(mixed(mixed(seed, step), example), site)
    expected = [((mixed(key, place) >> 12) + 0.5) / 2**52 for place in range(3)]
    assert (
        uniform(random_keys(seed, step, torch.tensor([example])), site, 3)[0].tolist() == expected
    )


def test_numbers_are_spread_evenly_between_0_and_1() -> None:
    x = numbers()
    assert 0 < float(x.min()) < 1e-3
    assert 1 - 1e-3 < float(x.max()) < 1
    assert float(x.mean()) == pytest.approx(1 / 2, abs=0.005)
    assert float(x.var()) == pytest.approx(1 / 12, abs=0.002)
    shares = torch.histc(x, 20, 0, 1) / x.numel()
    assert float((shares - 1 / 20).abs().max()) < 0.005


def test_no_number_is_0_or_1() -> None:
    # They are odd multiples of 2 ** -53.
    scaled = numbers() * 2.0**53
    assert torch.equal(scaled % 2, torch.ones_like(scaled))


def test_seeds_steps_sites_examples_and_places_all_differ() -> None:
    x = numbers()
    others = [numbers(seed=1), numbers(step=1), numbers(site=1), x.roll(1, 0), x.roll(1, 1)]
    others += [numbers(step=2**32), numbers(seed=1, step=1)]
    for other in others:
        assert not (x == other).any()
        together = torch.corrcoef(torch.stack([x.flatten(), other.flatten()]))
        assert abs(float(together[0, 1])) < 0.02


def test_an_empty_row_has_numbers_of_its_own() -> None:
    x = uniform(random_keys(0, 0, torch.tensor([-1, 0])), 0, 50)
    assert not (x[0] == x[1]).any()


def test_gumbel_numbers_draw_by_probability() -> None:
    shares = torch.tensor([0.5, 0.3, 0.15, 0.05], dtype=torch.float64)
    noise = gumbel(random_keys(3, 0, torch.arange(20_000)), 0, 4)
    picked = (shares.log() + noise).argmax(1)
    found = torch.bincount(picked, minlength=4) / len(picked)
    assert torch.allclose(found.double(), shares, atol=0.01)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_dropout_leaves_out_its_share_and_scales_the_rest(dtype: torch.dtype) -> None:
    x = torch.ones(500, 3, 40, dtype=dtype)
    y = Dropout(0.25, random_keys(0, 0, MANY))(x, 1)
    assert y.dtype == dtype
    kept = y > 0
    assert float(kept.double().mean()) == pytest.approx(0.75, abs=0.01)
    assert torch.allclose(y[kept], torch.tensor(1 / 0.75, dtype=dtype))
    assert float(y.mean()) == pytest.approx(1, abs=0.02)


def test_what_is_left_out_stays_out_along_a_sequence() -> None:
    y = Dropout(0.5, random_keys(0, 0, MANY))(torch.ones(500, 6, 10), 1)
    assert torch.equal(y, y[:, :1].expand(-1, 6, -1))
    assert not torch.equal(y[0], y[1])


def test_dropout_masks_do_not_depend_on_the_batch() -> None:
    x = torch.ones(500, 1, 10)
    whole = Dropout(0.5, random_keys(0, 9, MANY))(x, 2)
    some = torch.tensor([4, 400, 77])
    assert torch.equal(Dropout(0.5, random_keys(0, 9, some))(x[some], 2), whole[some])


def test_without_dropout_nothing_changes() -> None:
    x = torch.randn(4, 3, 2)
    assert torch.equal(NO_DROPOUT(x, 0), x)
    assert torch.equal(Dropout(0.0, MANY[:4])(x, 0), x)
