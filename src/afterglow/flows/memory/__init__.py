"""memory: a person's preferences, in the backend these settings ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.memory.preferences import (
        MemoryPage,
        approve,
        delete,
        entry_mark,
        evaluate,
        info,
        list_entries,
        list_keys,
        query,
        reject,
        retrieve,
        store,
        waiting,
    )
    from afterglow.flows.memory.session_under_way import spoken_in_session
else:
    __getattr__ = exports(
        __name__,
        {
            "preferences": "MemoryPage approve delete entry_mark evaluate info list_entries list_keys query reject "
            "retrieve store waiting",
            "session_under_way": "spoken_in_session",
        },
    )
