"""Arithmetic on tensors: the solver's operations, and the option that a number matches.

Promises: `compute` agrees with the machine's operations to float precision, and gives NaN where
they raise a domain or a range error. `matching_option` finds the one option that equals the number,
or else the number rounded or cut to fewer and fewer decimals, in the order in which
`plans.compiling` tries to write an answer. What an option stands for first counts before what else
it may stand for; if more than one option matches, none does.

Does not cover: what is shown to the user, which is executed on the machine.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from scratchwork.problems.numerals import LARGEST_NUMBER, SMALLEST_NUMBER, WHOLE_TOLERANCE
from scratchwork.solver.symbols import SOLVER_OPERATIONS

_NAN = float("nan")
_LOG_OF_10 = math.log(10)


def _only(result: Tensor, allowed: Tensor) -> Tensor:
    return torch.where(allowed, result, _NAN)


def _is_count(a: Tensor) -> Tensor:
    return (a >= 0) & (a == a.floor())


def _without_noise(result: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """The result rounded to the precision of a and b, where it is small beside them."""
    larger = torch.maximum(a.abs(), b.abs())
    decimals = 14 - torch.log10(larger.clamp(min=1e-15)).floor()
    scale = 10.0 ** decimals.clamp(max=300)
    rounded = torch.round(result * scale) / scale
    return torch.where(result.abs() < 1e-3 * larger, rounded, result)


def _power(a: Tensor, b: Tensor) -> Tensor:
    size = (b * torch.log10(a.abs().clamp(min=1e-300))).abs()
    allowed = ~((a == 0) & (b < 0)) & ~((a < 0) & (b != b.floor()))
    plain = (a.abs() == 0) | (a.abs() == 1)
    result = a**b
    whole = (a == a.floor()) & (b == b.floor()) & (b >= 0)
    return _only(torch.where(whole, result.round(), result), allowed & (plain | (size <= 16)))


def _log_factorial(a: Tensor) -> Tensor:
    return torch.lgamma(a + 1)


def _factorial(a: Tensor, _: Tensor) -> Tensor:
    return _only(torch.exp(_log_factorial(a)).round(), _is_count(a) & (a <= 17))


def _choose(a: Tensor, b: Tensor) -> Tensor:
    logarithm = _log_factorial(a) - _log_factorial(b) - _log_factorial(a - b)
    allowed = _is_count(a) & _is_count(b) & (b <= a) & (logarithm < 15 * _LOG_OF_10)
    return _only(torch.exp(logarithm).round(), allowed)


def _permutations(a: Tensor, b: Tensor) -> Tensor:
    logarithm = _log_factorial(a) - _log_factorial(a - b)
    allowed = _is_count(a) & _is_count(b) & (b <= a) & (b <= 17) & (logarithm < 15 * _LOG_OF_10)
    return _only(torch.exp(logarithm).round(), allowed)


def _round_half_up(values: Tensor, places: Tensor | int) -> Tensor:
    """As `numerals.round_half_up`."""
    scale = 10.0**places
    return torch.copysign(torch.floor(values.abs() * scale + 0.5 + WHOLE_TOLERANCE) / scale, values)


def _round(a: Tensor, b: Tensor) -> Tensor:
    return _only(_round_half_up(a, b.clamp(0, 6)), _is_count(b) & (b <= 6))


def _gcd(a: Tensor, b: Tensor) -> Tensor:
    allowed = _is_count(a) & _is_count(b) & (a < LARGEST_NUMBER) & (b < LARGEST_NUMBER)
    p, q = (torch.where(allowed, x, 0).long() for x in (a, b))
    return _only(torch.gcd(p, q).to(a.dtype), allowed)


def _lcm(a: Tensor, b: Tensor) -> Tensor:
    divisor = _gcd(a, b)
    return torch.where(divisor == 0, 0.0, a / divisor * b)


def _remainder(a: Tensor, b: Tensor) -> Tensor:
    return _only(torch.remainder(a, b), _is_count(a) & _is_count(b) & (b > 0))


_FUNCTIONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "Add": lambda a, b: _without_noise(a + b, a, b),
    "Subtract": lambda a, b: _without_noise(a - b, a, b),
    "Multiply": lambda a, b: a * b,
    "Divide": lambda a, b: _only(a / b, b != 0),
    "Power": _power,
    "Log": lambda a, _: _only(torch.log10(a), a > 0),
    "Sqrt": lambda a, _: torch.sqrt(a),
    "Sine": lambda a, _: _only(_near_zero(torch.sin(a)), a.abs() <= 1e6),
    "Cosine": lambda a, _: _only(_near_zero(torch.cos(a)), a.abs() <= 1e6),
    "Tangent": lambda a, _: _only(
        _near_zero(torch.tan(a)), (a.abs() <= 1e6) & (torch.cos(a).abs() >= 1e-13)
    ),
    "Factorial": _factorial,
    "Choose": _choose,
    "Radians_to_Degrees": lambda a, _: torch.rad2deg(a),
    "Degrees_to_Radians": lambda a, _: torch.deg2rad(a),
    "Round": _round,
    "Floor": lambda a, _: torch.floor(a + WHOLE_TOLERANCE),
    "Ceiling": lambda a, _: torch.ceil(a - WHOLE_TOLERANCE),
    "Absolute": lambda a, _: a.abs(),
    "Remainder": _remainder,
    "Gcd": _gcd,
    "Lcm": _lcm,
    "Permutations": _permutations,
    "Percent": lambda a, b: a * b / 100,
    "Min": torch.minimum,
    "Max": torch.maximum,
}


def _near_zero(a: Tensor) -> Tensor:
    return torch.where(a.abs() < 1e-13, 0.0, a)


def compute(operations: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """The results of operations (indices into `SOLVER_OPERATIONS`) on float64 numbers; NaN where
    one cannot be applied. Functions of one argument ignore the second."""
    result = torch.full_like(a, _NAN)
    for k, name in enumerate(SOLVER_OPERATIONS):
        result = torch.where(operations == k, _FUNCTIONS[name](a, b), result)
    size = result.abs()
    return _only(result, ((size >= SMALLEST_NUMBER) & (size < LARGEST_NUMBER)) | (result == 0))


_NEAR = 1e-9
OPTION_VALUES = 2
"""How many numbers an option may stand for at most."""


def matching_option(values: Tensor, options: Tensor) -> Tensor:
    """The option that each number matches, from 0, or -1. `options` is [row, option, value], the
    plainest value first, with NaN for none."""
    reached = torch.full(values.shape, -1, dtype=torch.long, device=values.device)
    four, three, two, one, none = (_round_half_up(values, places) for places in (4, 3, 2, 1, 0))
    cut_two, cut_one = (torch.floor(values * n + _NEAR) / n for n in (100, 10))
    for written in (values, four, three, two, cut_two, one, cut_one, none):
        near = (options - written[:, None, None]).abs() <= _NEAR * options.abs().clamp(min=1)
        for kind in (near[..., :1], near):
            hits = kind.any(-1)
            only = (hits.sum(-1) == 1) & torch.isfinite(values) & (reached < 0)
            reached = torch.where(only, hits.long().argmax(-1), reached)
    return reached
