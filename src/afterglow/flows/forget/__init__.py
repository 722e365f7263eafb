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
    from afterglow.flows.forget.journal import is_unfinished
    from afterglow.flows.forget.privacy_of_folders import Privacy, What, make_private
    from afterglow.flows.forget.retention import (
        excluded_sessions,
        keep_promises,
        overdue_sessions,
    )
else:
    __getattr__ = exports(
        __name__,
        {
            "choose_sessions": "Choice",
            "forget_sessions": (
                "finish_forgetting forget forget_items forget_marked outline remember_again"
            ),
            "journal": "is_unfinished",
            "privacy_of_folders": "Privacy What make_private",
            "retention": "excluded_sessions keep_promises overdue_sessions",
        },
    )
