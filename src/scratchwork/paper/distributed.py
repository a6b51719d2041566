"""Several processes that train one model together, started by `torchrun`.

Promises: with one process everything here does nothing and torch.distributed is not touched. With
several, gradients are summed over all of them, and what each has drawn is shared with all.
"""

import os
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, distributed

from scratchwork.errors import UserError


class Processes:
    """This process among those that train together."""

    def __init__(self, rank: int = 0, count: int = 1) -> None:
        self.rank = rank
        self.count = count

    @property
    def is_first(self) -> bool:
        """Whether this is the one that writes files and tells what is going on."""
        return self.rank == 0

    def part(self, rows: Tensor, together: int) -> Tensor:
        """This process's part of some rows, of which so many in a row stay together."""
        return rows.view(-1, together)[self.rank :: self.count].flatten()

    def sum_gradients(self, parameters: Iterable[torch.nn.Parameter]) -> None:
        """Let every process have the sum of all gradients."""
        if self.count == 1:
            return
        grads = [p.grad for p in parameters if p.grad is not None]
        together = torch.cat([grad.flatten() for grad in grads])
        distributed.all_reduce(together)
        for grad, part in zip(grads, together.split([g.numel() for g in grads]), strict=True):
            grad.copy_(part.view_as(grad))

    def sum(self, number: Tensor) -> Tensor:
        """The sum of a number over all processes."""
        if self.count > 1:
            number = number.clone()
            distributed.all_reduce(number)
        return number

    def share(self, mine: list[Any]) -> list[Any]:
        """What all processes have, in the order of their ranks."""
        if self.count == 1:
            return mine
        everything: list[Any] = [None] * self.count
        distributed.all_gather_object(everything, mine)
        return [thing for part in everything for thing in part]

    def wait(self) -> None:
        """Wait until all processes are here."""
        if self.count > 1:
            distributed.barrier()

    def leave(self) -> None:
        """Part from the others."""
        if self.count > 1:
            distributed.destroy_process_group()


def join(device: torch.device) -> Processes:
    """Join the processes that `torchrun` started, if it did."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        return Processes()
    if device.type == "cuda":
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    try:
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    except (RuntimeError, ValueError) as error:
        raise UserError(f"the processes of torchrun did not find each other: {error}") from error
    return Processes(distributed.get_rank(), count)
