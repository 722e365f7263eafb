"""measure: is it working? Readings of the present, and the past replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.measure.history import (
        History,
        Past,
        Shelf,
        history_of,
        redacted_lived,
    )
    from afterglow.flows.measure.replay_past import REPLAY_BUDGET, replay
    from afterglow.flows.measure.take_readings import measure, outline, save
else:
    __getattr__ = exports(
        __name__,
        {
            "history": "History Past Shelf history_of redacted_lived",
            "replay_past": "REPLAY_BUDGET replay",
            "take_readings": "measure outline save",
        },
    )
