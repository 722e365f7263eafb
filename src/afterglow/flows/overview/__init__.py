"""overview: what a person wants to know first. Is it connected, does it help, what waits for me?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.overview.does_it_help import Headline, headline
    from afterglow.flows.overview.first_look import AgentState, Overview, overview
    from afterglow.flows.overview.history_insight import (
        BestLesson,
        FirstInsight,
        first_insight,
    )
else:
    __getattr__ = exports(
        __name__,
        {
            "history_insight": "BestLesson FirstInsight first_insight",
            "first_look": "AgentState Overview overview",
            "does_it_help": "Headline headline",
        },
    )
