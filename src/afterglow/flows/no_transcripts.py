"""What a hub cannot do: it has what machines say came of sessions, never the sessions themselves."""

from __future__ import annotations

from afterglow.config import Config
from afterglow.errors import Unsupported


def check_transcripts(config: Config, what: str) -> None:
    """Raises `Unsupported` where `what` ("replay") would read sessions and the stores are those of a hub."""
    if config.hub is not None:
        raise Unsupported(
            f"{what} reads sessions, and a hub has none: it has what machines say came of them. "
            "Run it on a machine that has the sessions"
        )
