"""Contributions: what a member's machines sent, and taking it back; for admins also how much each member contributes."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from afterglow.errors import UsageError
from afterglow.flows.hub import contribution_counts, machines_of, take_back
from afterglow.text.numbers import count
from afterglow.web.hub.hub import hub_of, member_desk, member_of
from afterglow.web.rendering import back, page
from afterglow.web.routing import Form, get, post_own

# What machines send, as people say it.
KIND_WORDS = {
    "session": "what a session taught",
    "lesson": "lessons",
    "decision": "decisions",
    "delivery": "what sessions were given",
    "plan": "plans of experiments",
    "assignment": "sessions in experiments",
    "trial": "outcomes of experiments",
}
EVERY_MACHINE = "*"


def contributions(request: Request) -> Response:
    member = member_of(request)
    counts = contribution_counts(member_desk(request).place)
    mine = [row for row in counts if row.person == member.name]
    return page(
        request,
        "hub/contributions.html",
        rows=[row for row in mine if row.rows],
        machines=machines_of(mine),
        withdrawn=sum(row.withdrawn for row in mine),
        others=machines_of(row for row in counts if row.person != member.name),
        kind_words=KIND_WORDS,
        every_machine=EVERY_MACHINE,
    )


def withdraw(request: Request, form: Form) -> Response:
    """Items are made again without it; those that rest on nothing else go."""
    machine = form.get("machine", "")
    if not machine or "sure" not in form:
        raise UsageError("choose a machine, and say that you are sure")
    place = member_desk(request).place
    taken = take_back(place, "" if machine == EVERY_MACHINE else machine)
    hub_of(request).wake()
    verb = "was" if taken == 1 else "were"
    words = f"{count(taken, 'contribution')} {verb} taken back; what rested on that alone goes with the next merge."
    return back(request, "/contributions", words)


ROUTES = [
    get("/contributions", contributions),
    post_own("/contributions/withdraw", withdraw),
]
