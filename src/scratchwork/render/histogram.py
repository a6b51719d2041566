"""The distribution of examples per length, the paper's figure 2, as PNG or SVG.

Promises: the same lengths give the same bytes. The scale is linear; the longest hundredth of the
examples share a last bar, so that a long tail neither squeezes the rest nor is hidden. Needs
matplotlib, which comes with the extra `plot`.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

from scratchwork.errors import UserError
from scratchwork.files import atomic_file

_FORMATS = {".png": "png", ".svg": "svg"}
_BARS = 45
_TAIL = 0.01
_INK, _SOFT, _FILL, _REST = "#22313f", "#8795a1", "#3a7ca5", "#d98e47"


class Bars(NamedTuple):
    """A histogram: bar k counts the lengths from k * width to (k + 1) * width - 1."""

    width: int
    counts: list[int]
    longer: int
    """The number of longer examples."""


def bars_of(lengths: Mapping[int, int]) -> Bars:
    """The histogram, from the number of examples of each length."""
    reach = _quantile(lengths, 1 - _TAIL) + 1
    width = next(
        step * 10**power
        for power in range(10)
        for step in (1, 2, 5)
        if step * 10**power * _BARS >= reach
    )
    counts = [0] * -(-reach // width)
    longer = 0
    for length, examples in lengths.items():
        if length < len(counts) * width:
            counts[length // width] += examples
        else:
            longer += examples
    return Bars(width, counts, longer)


def _quantile(lengths: Mapping[int, int], share: float) -> int:
    """The least length that this share of the examples does not exceed."""
    needed = share * sum(lengths.values())
    reached = 0
    for length in sorted(lengths):
        reached += lengths[length]
        if reached >= needed:
            return length
    return 0


def check_drawable(path: Path) -> None:
    """Raise UserError if a histogram cannot be written there."""
    if path.suffix not in _FORMATS:
        raise UserError(f"{path}: a histogram is written as .png or .svg")
    try:
        import matplotlib.figure  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError as error:
        raise UserError(
            f"{path}: drawing a histogram needs matplotlib: pip install 'scratchwork[plot]'"
        ) from error


def draw_histogram(lengths: Mapping[int, int], path: Path) -> None:
    """Draw the histogram, from the number of examples of each length."""
    check_drawable(path)
    if not lengths:
        raise UserError(f"{path}: there are no problems to draw a histogram of")
    import matplotlib
    from matplotlib.figure import Figure

    # matplotlib's types are incomplete.
    library, new_figure = cast(Any, matplotlib), cast(Any, Figure)
    format = _FORMATS[path.suffix]
    with library.rc_context({"svg.hashsalt": "scratchwork", "font.size": 11}):
        figure = new_figure(figsize=(8, 4.5), dpi=160, layout="constrained")
        _draw(figure.add_subplot(), lengths)
        metadata = {"Date": None} if format == "svg" else None
        with atomic_file(path) as file:
            figure.savefig(file, format=format, metadata=metadata)


def _draw(plot: Any, lengths: Mapping[int, int]) -> None:
    width, counts, longer = bars_of(lengths)
    reach = len(counts) * width
    left = [k * width for k in range(len(counts))]
    plot.bar(left, counts, width=width * 0.9, align="edge", color=_FILL)
    note = partial(plot.annotate, textcoords="offset points", color=_INK, fontsize=9)
    if longer:
        # After a gap and twice as wide, since it covers more than one width.
        plot.bar(reach + width, longer, width=width * 2, align="edge", color=_REST)
        text = f"{longer:,} longer\n(up to {max(lengths):,})"
        note(text, (reach + 2 * width, longer), xytext=(0, 6), ha="center")
    middle = _quantile(lengths, 0.5)
    plot.axvline(middle, color=_INK, linewidth=1, linestyle=(0, (4, 3)))
    top = ("data", "axes fraction")
    note(f"median {middle:,}", (middle, 1), xycoords=top, xytext=(5, -12))
    examples = sum(lengths.values())
    plot.set_title("Distribution of examples per length", loc="left", color=_INK, weight="bold")
    plot.set_title(f"{examples:,} examples", loc="right", color=_SOFT, fontsize=10)
    plot.set_xlabel("tokens in question, options and rationale", color=_INK)
    plot.set_ylabel(f"examples per {width} tokens" if width > 1 else "examples", color=_INK)
    plot.set_xticks([tick for tick in plot.get_xticks() if 0 <= tick <= reach])
    plot.set_xlim(0, reach + (4 * width if longer else 0))
    plot.set_ylim(0, max(counts) * 1.12)
    plot.yaxis.set_major_formatter("{x:,.0f}")
    plot.yaxis.get_major_locator().set_params(integer=True)
    plot.grid(axis="y", color=_SOFT, alpha=0.25)
    plot.set_axisbelow(True)
    plot.tick_params(colors=_INK, length=0)
    for side in ("top", "right", "left"):
        plot.spines[side].set_visible(False)
    plot.spines["bottom"].set_color(_SOFT)
