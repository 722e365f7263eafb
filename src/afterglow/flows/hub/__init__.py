"""hub: what a team's server does, and what a machine does with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.hub.logins import (
        close_session,
        member,
        open_session,
        readable_repos,
    )
else:
    __getattr__ = exports(
        __name__,
        {
            "logins": "close_session member open_session readable_repos",
        },
    )
