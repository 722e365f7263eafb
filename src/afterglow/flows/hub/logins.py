"""member, open_session, close_session: who asks, and a browser that logs in and out."""

from __future__ import annotations

from afterglow.records.hub import HubPlace, Member
from afterglow.store.hub import askers


def member(place: HubPlace) -> Member:
    """Whose token it is; raises `TokenRefused` where it is nobody's, or not any more."""
    with askers.hub_connection(place) as db:
        asking = askers.asking_member(db)
        askers.note_use(db)
    return asking


def open_session(place: HubPlace) -> str:
    """A token for a browser of who asks; it ends by itself, with the token it was opened with, or by logging out."""
    with askers.hub_connection(place) as db:
        return askers.open_session(db)


def close_session(place: HubPlace) -> None:
    with askers.hub_connection(place) as db:
        askers.close_session(db)


def readable_repos(place: HubPlace) -> tuple[str, ...]:
    with askers.hub_connection(place) as db:
        return askers.readable_repos(db)
