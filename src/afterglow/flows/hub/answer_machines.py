"""What a hub answers the machines of its members: who they are, and what the team knows that they may see."""

from __future__ import annotations

import msgspec

from afterglow import __version__
from afterglow.flows.hub.logins import member
from afterglow.records.contributions import person_mark
from afterglow.records.hub import HubPlace
from afterglow.records.team import (
    MAX_PAGE_ITEMS,
    HubLimits,
    HubMember,
    TeamPage,
)
from afterglow.store.hub.pulled_items import pulled_items
from afterglow.store.knowledge import Knowledge


def greet_machine(place: HubPlace) -> HubMember:
    asking = member(place)
    with Knowledge(place) as knowledge:
        identity = knowledge.identity
    return HubMember(
        person=asking.name,
        org=asking.org_name,
        author=person_mark(asking.org, asking.person),
        rights=tuple(
            (pattern, right)
            for right, patterns in sorted(asking.patterns.items())
            for pattern in patterns
        ),
        limits=HubLimits(requests_a_minute=asking.requests_a_minute),
        hub=identity,
        afterglow=__version__,
    )


def team_page(
    place: HubPlace, after: int, last: str = "", limit: int = MAX_PAGE_ITEMS
) -> TeamPage:
    """A page of what whoever asks may see. Session ids in it are marks, and names are none."""
    with Knowledge(place) as knowledge:
        view = f"{knowledge.identity} {knowledge.view()}"
        pulled = pulled_items(
            knowledge, after, last, max(1, min(limit, MAX_PAGE_ITEMS))
        )
    return TeamPage(
        items=tuple(msgspec.Raw(msgspec.json.encode(item)) for item in pulled.items),
        gone_ids=pulled.gone_ids,
        change=pulled.change,
        last=pulled.last,
        view=view,
        more=pulled.more,
    )
