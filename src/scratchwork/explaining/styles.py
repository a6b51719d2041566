"""The styles of a derivation: in sentences, for people, or in terse lines, for machines."""

from typing import Literal, get_args

Style = Literal["sentences", "terse"]
STYLES: tuple[Style, ...] = get_args(Style)
