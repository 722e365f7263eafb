"""session: what one session is given at its start and on its way, and the proof that it arrived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.session.build_context import (
        bootstrap,
        known_repo,
        repo_of,
        root_of,
    )
    from afterglow.flows.session.context_file import (
        Kept,
        context_block,
        keep_context,
        remove_context,
    )
    from afterglow.flows.session.deliveries import (
        DELIVERY_PATIENCE,
        record_delivery,
        record_repeat,
        topics_told,
    )
    from afterglow.flows.session.failure_again import said_on_failure
    from afterglow.flows.session.failure_line import on_failure, rehearse_failure
    from afterglow.flows.session.hints import again, beginning_again, handed, hint
    from afterglow.flows.session.known_places import PreviewPlaces, preview_places
    from afterglow.flows.session.preview_context import (
        OMISSION_WORDS,
        ExplainedContext,
        ExplainedLine,
        Omission,
        explain_context,
    )
    from afterglow.flows.session.preview_failure import (
        ConsideredItem,
        ExplainedFailure,
        ReadFailure,
        explain_failure,
    )
    from afterglow.flows.session.private_sessions import (
        PRIVATE_REASON,
        is_private,
        keep_private,
        note_request,
        refuse_if_private,
    )
    from afterglow.flows.session.prove_deliveries import settle_deliveries
    from afterglow.flows.session.session_report import Report, report_outcome
    from afterglow.flows.session.start_session import Start, start, start_subagent
else:
    __getattr__ = exports(
        __name__,
        {
            "build_context": "bootstrap known_repo repo_of root_of",
            "context_file": "Kept context_block keep_context remove_context",
            "deliveries": "DELIVERY_PATIENCE record_delivery record_repeat topics_told",
            "hints": "again beginning_again handed hint",
            "failure_line": "on_failure rehearse_failure",
            "known_places": "PreviewPlaces preview_places",
            "preview_context": "OMISSION_WORDS ExplainedContext ExplainedLine Omission explain_context",
            "preview_failure": "ConsideredItem ExplainedFailure ReadFailure explain_failure",
            "private_sessions": "PRIVATE_REASON is_private keep_private note_request refuse_if_private",
            "prove_deliveries": "settle_deliveries",
            "failure_again": "said_on_failure",
            "session_report": "Report report_outcome",
            "start_session": "Start start start_subagent",
        },
    )
