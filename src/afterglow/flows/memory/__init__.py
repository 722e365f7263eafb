"""memory: a person's preferences, in the backend these settings ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.memory.preferences import (
        delete,
        evaluate,
        info,
        list_keys,
        query,
        retrieve,
        store,
    )
else:
    __getattr__ = exports(
        __name__,
        {
            "preferences": "delete evaluate info list_keys query retrieve store",
        },
    )
