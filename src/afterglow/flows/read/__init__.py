"""read: find sessions and catalogue them, profile them, rank them, open one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.read.catalogued_sessions import list_sessions, open_session
    from afterglow.flows.read.check_selection import check_names
    from afterglow.flows.read.given_met_taught import cited_lines, session_story
    from afterglow.flows.read.look_through import (
        PAGE_SIZE,
        latest_sessions,
        session_list,
    )
    from afterglow.flows.read.name_places import (
        RepoFolders,
        distrust_repo,
        repo_folders,
        trust_repo,
    )
    from afterglow.flows.read.profile_sessions import profile, why_left_out
    from afterglow.flows.read.rank_sessions import sample
    from afterglow.flows.read.scan_sources import ScanProgress, scan
    from afterglow.flows.read.shown_as_it_stands import (
        note_unredacted,
        unredacted_views,
    )
    from afterglow.flows.read.transcript_windows import (
        PAGE_CHARACTERS,
        transcript_window,
        whole_text,
    )
    from afterglow.flows.read.without_secrets import redacted_head, redacted_turns
else:
    __getattr__ = exports(
        __name__,
        {
            "check_selection": "check_names",
            "catalogued_sessions": "list_sessions open_session",
            "look_through": "latest_sessions PAGE_SIZE session_list",
            "name_places": "RepoFolders distrust_repo repo_folders trust_repo",
            "profile_sessions": "profile why_left_out",
            "rank_sessions": "sample",
            "given_met_taught": "cited_lines session_story",
            "transcript_windows": "PAGE_CHARACTERS transcript_window whole_text",
            "shown_as_it_stands": "note_unredacted unredacted_views",
            "without_secrets": "redacted_head redacted_turns",
            "scan_sources": "ScanProgress scan",
        },
    )
