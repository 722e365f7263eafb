"""Which session pages a static copy holds: the first pages of the list, and the places that items point to."""

from __future__ import annotations

from urllib.parse import quote

from afterglow.config import Config
from afterglow.flows.read import cited_lines, session_list

MAX_LIST_PAGES = 5  # of fifty sessions each
MAX_PLACES = 400  # places in transcripts: some 20 MB of pages


def exported(config: Config) -> list[str]:
    pages = min(session_list(config).pages, MAX_LIST_PAGES)
    paths = ["/sessions", *(f"/sessions?page={page}" for page in range(2, pages + 1))]
    for session, line in cited_lines(config, limit=MAX_PLACES):
        address = f"/sessions/{quote(session, safe='')}"
        paths += [address, f"{address}?line={line}"]
    return paths
