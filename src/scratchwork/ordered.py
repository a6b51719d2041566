"""Long rows of things: cut into blocks, and worked on by others with the results in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")
Ticket = TypeVar("Ticket")
Result = TypeVar("Result")


def in_order(
    items: Iterable[Item],
    submit: Callable[[Item], Ticket],
    result: Callable[[Ticket], Result],
    most: int,
) -> Iterator[Result]:
    """The results of what is submitted, in order, with only so many items under way."""
    under_way: deque[Ticket] = deque()
    for item in items:
        under_way.append(submit(item))
        if len(under_way) >= most:
            yield result(under_way.popleft())
    while under_way:
        yield result(under_way.popleft())


def blocks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items in lists of `size`, the last one maybe shorter."""
    remaining = iter(items)
    while block := list(islice(remaining, size)):
        yield block
