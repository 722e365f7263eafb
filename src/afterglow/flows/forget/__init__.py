"""forget: sessions with all that came of them; what is private, excluded, or has been kept for long enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.forget.choose_sessions import Choice
    from afterglow.flows.forget.forget_sessions import (
        finish_forgetting,
        forget,
        forget_items,
        forget_marked,
        outline,
        remember_again,
    )
else:
    __getattr__ = exports(
        __name__,
        {
            "choose_sessions": "Choice",
            "forget_sessions": (
                "finish_forgetting forget forget_items forget_marked outline remember_again"
            ),
        },
    )
