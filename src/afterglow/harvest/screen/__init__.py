"""Screens a finding before it is kept: orders to agents are held back, copied text loses the trust of its copier."""

from __future__ import annotations

from afterglow.harvest.screen.orders import danger
from afterglow.harvest.screen.specific import vague

__all__ = ["danger", "vague"]
