"""Limiting the rate of requests of persons and addresses.

Promises: a key gets no more than its rate; a refusal says when to try again. Memory is bounded by
forgetting the least recently seen. Counts are of this process, and start anew with it.

Used in the event loop alone, so there are no locks.
"""

import ipaddress
import math
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from time import monotonic

from starlette.requests import Request

from scratchwork.collecting.web.limits import MOST_BUCKETS, Rate
from scratchwork.serving.refusals import RefusalError

_NETWORK_OF_ONE = 64
"""One person has all addresses of such an IPv6 network."""


@dataclass(slots=True)
class _Bucket:
    used: float
    seen: float


class Rates:
    """The buckets of one rate."""

    def __init__(
        self,
        rate: Rate,
        sentence: str,
        clock: Callable[[], float] = monotonic,
        most: int = MOST_BUCKETS,
    ) -> None:
        self._rate = rate
        self._sentence = sentence
        self._clock = clock
        self._most = most
        self._buckets: OrderedDict[Hashable, _Bucket] = OrderedDict()

    def take(self, key: Hashable) -> float:
        """Count one more and return the count; RefusalError if it is too high."""
        bucket = self._bucket(key)
        if bucket.used + 1 > self._rate.at_once:
            seconds = (bucket.used + 1 - self._rate.at_once) / self._rate.per_second
            refusal = RefusalError(429, self._sentence)
            refusal.headers = {"Retry-After": str(max(1, math.ceil(seconds)))}
            raise refusal
        bucket.used += 1
        return bucket.used

    def give_back(self, key: Hashable) -> None:
        """Take one count back."""
        bucket = self._bucket(key)
        bucket.used = max(0.0, bucket.used - 1)

    def _bucket(self, key: Hashable) -> _Bucket:
        now = self._clock()
        bucket = self._buckets.pop(key, None) or _Bucket(0.0, now)
        bucket.used = max(0.0, bucket.used - (now - bucket.seen) * self._rate.per_second)
        bucket.seen = now
        self._buckets[key] = bucket
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return bucket


def address_of(request: Request) -> str:
    """Where a request comes from; behind a proxy on this machine, where the proxy says."""
    host = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.version == 6:
        return str(ipaddress.ip_network((address, _NETWORK_OF_ONE), strict=False))
    return host
