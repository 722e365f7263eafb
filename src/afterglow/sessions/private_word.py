"""The word by which a person makes a session private: `#private` on a line of its own in the first request."""

from __future__ import annotations

import re

_WORD = re.compile(r"^[^\S\n]*#private[^\S\n]*$", re.MULTILINE | re.IGNORECASE)


def asks_for_privacy(request: str) -> bool:
    return bool(_WORD.search(request))
