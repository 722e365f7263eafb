"""record: a program that runs an agent itself hands its session over to be kept and learned from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.record.keep_session import (
        RECORDED,
        EndedCall,
        record_messages,
        record_trajectory,
    )
else:
    __getattr__ = exports(
        __name__,
        {"keep_session": "RECORDED EndedCall record_messages record_trajectory"},
    )
