"""A mark of the code that runs here: workers elsewhere must run the same, or results would depend on who did what."""

from __future__ import annotations

import sys
from functools import cache
from hashlib import blake2b
from pathlib import Path

import afterglow


@cache
def code_mark() -> str:
    """Changes with every module of the package, whatever its version says."""
    package = Path(afterglow.__file__).parent
    digest = blake2b(digest_size=6)
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0")
        digest.update(path.read_bytes())
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return f"afterglow {afterglow.__version__} ({digest.hexdigest()}), Python {python}"
