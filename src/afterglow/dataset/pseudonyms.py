"""Names that say nothing: the same for the same id as long as the salt is the same, and worth nothing without it.

Written in letters only, so that no pseudonym looks like a phone or a card number.
"""

from __future__ import annotations

from hashlib import blake2b

KEY = 32  # bytes
_LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")


class Pseudonyms:
    """`of("repo", "acme/cli")`. Kinds are kept apart: a repo and a user of one name share nothing."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def of(self, kind: str, id: str) -> str:
        """Empty for nothing."""
        if not id:
            return ""
        text = id.encode("utf-8", "surrogatepass")
        return (
            blake2b(text, key=self._key, person=kind.encode(), digest_size=8)
            .hexdigest()
            .translate(_LETTERS)
        )
