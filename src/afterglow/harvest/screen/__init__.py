"""Screens a finding before it is kept: orders to agents are held back, copied words get the trust of their source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

__all__ = ["LESSON", "danger", "screen", "screen_all", "told_slots", "vague"]

if TYPE_CHECKING:
    from afterglow.harvest.screen.copied_spans import LESSON, told_slots
    from afterglow.harvest.screen.injection import danger
    from afterglow.harvest.screen.screening import screen, screen_all
    from afterglow.harvest.screen.vagueness import vague
else:
    __getattr__ = exports(
        __name__,
        {
            "copied_spans": "LESSON told_slots",
            "injection": "danger",
            "screening": "screen screen_all",
            "vagueness": "vague",
        },
    )
