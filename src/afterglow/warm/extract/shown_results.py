"""What of a result an example shows: that the call worked, and how that looks. Never what somebody else wrote.

Text of files, pages and services is not shown at all: it is read anew, and may say anything. Of what a local program
printed, lines that give orders, or tell to do something risky, are left out.
"""

from __future__ import annotations

from afterglow.harvest.screen import danger
from afterglow.records.knowledge import Trust
from afterglow.warm.extract.clipping import bare, clipped_result, result_shape
from afterglow.warm.extract.risky import is_risky

# Whose words a new session shall not get from an example.
FOREIGN: frozenset[Trust] = frozenset({"file", "external"})
MAX_SCREENED = 20_000  # characters of an output that are looked at line by line: more is never shown


def shown_result(result: str, trust: Trust, *, more: int = 0) -> str:
    """`more` characters of it were never looked at."""
    if trust in FOREIGN:
        return result_shape(result, more=more)
    text = bare(result)
    screened = text[:MAX_SCREENED]
    unread = more + len(text) - len(screened)
    lines = [line for line in screened.splitlines() if _is_plain(line)]
    return clipped_result("\n".join(lines), more=unread)


def _is_plain(line: str) -> bool:
    return not danger(line, "external") and not is_risky(line)
