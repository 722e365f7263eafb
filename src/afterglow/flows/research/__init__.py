"""research: questions about warm sessions, answered on one's own history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.research.ask import questions, research
else:
    __getattr__ = exports(__name__, {"ask": "questions research"})
