"""A hub's home: what waits for whom, what is known, which machines sent something last, how the merger is."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from afterglow.flows.hub import contribution_counts, hub_numbers, machines_of
from afterglow.flows.knowledge import review_queue
from afterglow.web.hub.hub import hub_of, member_desk
from afterglow.web.rendering import page
from afterglow.web.routing import get

MACHINES = 12  # the latest: what an admin may still remember
REPOS = 12  # with most that waits


def home(request: Request) -> Response:
    desk, hub = member_desk(request), hub_of(request)
    member, place = desk.member, desk.place
    queue = review_queue(desk.config, limit=1, now=desk.now())
    repos = [
        (repo, times, member.may("review", repo)) for repo, times in queue.repos.items()
    ]
    counts = contribution_counts(place)
    machines = machines_of(counts)
    return page(
        request,
        "hub/home.html",
        numbers=hub_numbers(place),
        active=desk.item_counts.get("active", 0),
        queue=queue,
        mine=sum(times for _, times, is_mine in repos if is_mine),
        repos=repos[:REPOS],
        machines=machines[:MACHINES],
        machine_count=len(machines),
        own_machines=[each for each in machines if each.person == member.name],
        merger=hub.merger,
        address=hub.address.public,
    )


ROUTES = [get("/", home)]
