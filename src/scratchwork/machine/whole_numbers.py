"""Digits, divisors and primes of whole numbers.

Promises: every function takes any numbers and gives a number, or raises `NumeralError`: digits are
those of whole numbers from 0 on; divisors and prime factors are found up to 10^12, by trial
division; primes are known up to a million, where there are 78,498 of them. A table of these primes
is made once, in a few milliseconds.

Does not cover: digits after the decimal point, other bases than ten.
"""

from bisect import bisect_left, bisect_right
from functools import cache
from itertools import compress, islice
from math import isqrt

from scratchwork.problems.numerals import NumeralError

LARGEST_FACTORED = 10**12
"""Numbers above this are not taken apart."""
LARGEST_PRIME = 10**6
"""Primes are known up to here, which is the root of `LARGEST_FACTORED`."""


def whole(a: float, what: str) -> int:
    """A number as a whole number from 0 on, for what needs one."""
    if a < 0 or not a.is_integer():
        raise NumeralError("domain", f"{what} needs whole numbers from 0 on")
    return int(a)


def digit(a: float, b: float) -> float:
    """The b-th digit of a, counted from the ones."""
    digits, place = _digits(a), whole(b, "the place of a digit")
    if not 1 <= place <= len(digits):
        raise NumeralError("domain", f"{digits} has {len(digits)} digits, and none at {place}")
    return float(digits[-place])


def digit_sum(a: float) -> float:
    """The sum of the digits of a."""
    return float(sum(map(int, _digits(a))))


def digit_count(a: float) -> float:
    """How many digits a has."""
    return float(len(_digits(a)))


def digits_reversed(a: float) -> float:
    """The number with the digits of a from the last to the first."""
    return float(_digits(a)[::-1])


def write_digits(a: float, b: float) -> str:
    """A whole number with zeros before it, so that it has at least b digits: `05`."""
    digits, count = _digits(a), whole(b, "the number of digits")
    if count > 15:
        raise NumeralError("domain", "more than 15 digits")
    return digits.zfill(count)


def smallest_prime_factor(a: float) -> float:
    """The smallest prime that divides a, which is a itself if a is prime."""
    n = _factored(a, "a prime factor")
    if n < 2:
        raise NumeralError("domain", f"{n} has no prime factors")
    return float(_smallest_factor(n))


def divisor_count(a: float) -> float:
    """How many whole numbers from 1 on divide a."""
    count = 1
    for _, power in _prime_powers(a):
        count *= power + 1
    return float(count)


def divisor_sum(a: float) -> float:
    """The sum of the whole numbers from 1 on that divide a."""
    total = 1
    for prime, power in _prime_powers(a):
        total *= sum(prime**k for k in range(power + 1))
    return float(total)


def prime(a: float) -> float:
    """The a-th prime; 2 is the first."""
    n = whole(a, "the place of a prime")
    if n == 0:
        raise NumeralError("domain", "the first prime is number 1")
    if n > len(_primes()):
        raise NumeralError("range", f"the prime number {n} is above a million")
    return float(_primes()[n - 1])


def prime_count(a: float) -> float:
    """How many primes there are up to a."""
    n = whole(a, "counting primes")
    if n > LARGEST_PRIME:
        raise NumeralError("range", f"primes are counted up to a million, and not up to {n}")
    return float(bisect_right(_primes(), n))


def _digits(a: float) -> str:
    return str(whole(a, "taking digits"))


def _factored(a: float, what: str) -> int:
    n = whole(a, what)
    if n > LARGEST_FACTORED:
        raise NumeralError("range", f"numbers are taken apart up to 10^12, and not {n}")
    return n


def _prime_powers(a: float) -> list[tuple[int, int]]:
    """The primes that divide a, each with how often it does."""
    n = _factored(a, "a divisor")
    if n == 0:
        raise NumeralError("domain", "every number divides 0")
    powers: dict[int, int] = {}
    factor = 2
    while n > 1:
        factor = _smallest_factor(n, factor)
        powers[factor] = powers.get(factor, 0) + 1
        n //= factor
    return list(powers.items())


def _smallest_factor(n: int, least: int = 2) -> int:
    """The smallest prime factor of a number that has none below `least`."""
    primes = _primes()
    for candidate in islice(primes, bisect_left(primes, least), bisect_right(primes, isqrt(n))):
        if n % candidate == 0:
            return candidate
    return n


@cache
def _primes() -> list[int]:
    """The primes up to a million, by a sieve of the odd numbers from 3 on."""
    is_prime = bytearray([1]) * (LARGEST_PRIME // 2 - 1)
    for k in range(isqrt(LARGEST_PRIME) // 2 - 1):
        if is_prime[k]:
            step = 2 * k + 3
            first = (step * step - 3) // 2
            is_prime[first::step] = bytes((len(is_prime) - 1 - first) // step + 1)
    # Past 3 they are next to a multiple of 6; sorting is quick where two lists only interlock.
    below = compress(range(5, LARGEST_PRIME, 6), is_prime[1::3])
    above = compress(range(7, LARGEST_PRIME, 6), is_prime[2::3])
    return sorted([2, 3, *below, *above])
