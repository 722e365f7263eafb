"""overview: what a person wants to know first. Is it connected, does it help, what waits for me?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.overview.does_it_help import Headline, headline
    from afterglow.flows.overview.first_look import AgentState, Overview, overview
else:
    __getattr__ = exports(
        __name__,
        {
            "first_look": "AgentState Overview overview",
            "does_it_help": "Headline headline",
        },
    )
