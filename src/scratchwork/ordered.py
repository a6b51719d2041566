"""Work done by others, its results in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
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
