"""afterglow reads finished agent sessions, keeps what they taught, and proves whether that helped.

For programs: `from afterglow import Afterglow` (docs/api.md).
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterglow.api import Afterglow

__all__ = ["Afterglow", "__version__"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """On use: hooks and commands start without it."""
    if name != "Afterglow":
        raise AttributeError(f"module 'afterglow' has no attribute {name!r}")
    from afterglow.api import Afterglow

    return Afterglow
