"""The one class of errors that are meant for the user's eyes."""

from collections.abc import Generator
from contextlib import contextmanager


class UserError(Exception):
    """Something the user can mend; its text is one sentence: what, where, and what to do.

    The command line prints the text and exits with 2; a library caller may catch it. Errors of
    other classes are defects of this package.
    """


@contextmanager
def missing_torch_told() -> Generator[None]:
    """Say what to install where a module needs PyTorch and it is not there."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "safetensors"):
            raise
        raise UserError(f"models need {error.name}: pip install 'scratchwork[models]'") from error
