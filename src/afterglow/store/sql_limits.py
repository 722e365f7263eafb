"""What one SQL statement can take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


def pieces(values: Sequence[Any], size: int = 500) -> Iterator[Sequence[Any]]:
    """As many as a statement may have variables."""
    for start in range(0, len(values), size):
        yield values[start : start + size]
