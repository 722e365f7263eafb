"""What people refused or put right, page by page, so that a reader sees what comes back in other words each time.

"wait, let's discuss" and "can we talk about this first?" share no word. Who reads both side by side needs none. A page
holds so many sentences, oldest first; it stays as it is while later sentences fill the next one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from afterglow.harvest.families import REMARKS, SPOKEN, Family, kind_of, when
from afterglow.harvest.user_speech import content, plain, remarks
from afterglow.records.problems import Event
from afterglow.records.tools import tool_kind

PAGE = 10  # sentences: what fits on one dossier
# On a page with fewer of either, hardly anything can come back.
MIN_SENTENCES, MIN_SESSIONS = 5, 3
# Kinds of tools by which an agent shows what it is about to write or do; any other call is a deed.
_PROPOSALS = frozenset({"edit", "write", "approve", "ask"})


# Who asks what is so, or says what they did, wants nothing of the next session.
_OF_THE_MOMENT = re.compile(
    r"(?:q(?:uestion)?: ?)?(?:(?:what|why|how|do|does|did|where|when|who|which)\b.*\?\s*$"
    r"|i(?:'ll|'ve|'m| did| just| actually| tried)\b)",
    re.DOTALL,
)


def pages_of(events: Iterable[Event], families: Iterable[Family]) -> list[Family]:
    """The pages of a repository's sentences, but for those that are in a theme of their own among its families."""
    themes = (family for family in families if kind_of(family.key) in SPOKEN)
    calls_in_themes = {event.call for family in themes for event in family.events}
    sentences: dict[tuple[str, str], Event] = {}
    for event in sorted(events, key=when):
        if event.call not in calls_in_themes and _is_remark(event):
            sentences.setdefault((event.session, event.person), event)
    groups: dict[str, list[Event]] = {}
    for event in sentences.values():
        groups.setdefault(_matter(event), []).append(event)
    return [
        Family(f"{REMARKS} {matter} {start // PAGE + 1}", tuple(page))
        for matter, group in sorted(groups.items())
        for start in range(0, len(group), PAGE)
        if _is_worth_reading(page := group[start : start + PAGE])
    ]


def _is_remark(event: Event) -> bool:
    """A person refused a call with words, had it done over, or laid something down."""
    if event.kind not in {"refused", "person"} or not content(event.person):
        return False
    if _OF_THE_MOMENT.match(plain(event.person)):
        return False
    is_against = event.kind == "refused" or event.remedy is not None
    return is_against or any(
        remark.manner != "wish" for remark in remarks(event.person)
    )


def _matter(event: Event) -> str:
    """Whether they spoke up at what was shown to them, or at what was done."""
    return "proposals" if tool_kind(event.tool) in _PROPOSALS else "deeds"


def _is_worth_reading(page: Sequence[Event]) -> bool:
    sessions = {event.session for event in page}
    return len(page) >= MIN_SENTENCES and len(sessions) >= MIN_SESSIONS
