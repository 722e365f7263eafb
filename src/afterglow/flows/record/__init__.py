"""record: a program that runs an agent itself hands its session over to be kept and learned from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.record.record_messages import RECORDED, record_messages
else:
    __getattr__ = exports(__name__, {"record_messages": "RECORDED record_messages"})
