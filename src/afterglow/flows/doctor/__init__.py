"""doctor: what is found, connected and delivered; what is silently doing nothing; what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.doctor.agent_moments import MOMENTS, AgentMoments, last_moments
    from afterglow.flows.doctor.checkup import doctor, mend
    from afterglow.flows.doctor.status_line import (
        HubStatus,
        Status,
        WritingStatus,
        status,
    )
    from afterglow.flows.doctor.store_checks import read_only_rows
else:
    __getattr__ = exports(
        __name__,
        {
            "checkup": "doctor mend",
            "agent_moments": "AgentMoments MOMENTS last_moments",
            "store_checks": "read_only_rows",
            "status_line": "HubStatus Status WritingStatus status",
        },
    )
