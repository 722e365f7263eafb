"""People and rights, for admins: who belongs to the hub, in which teams, and what they may do where."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from afterglow.errors import Refused
from afterglow.flows.hub import (
    add_member,
    change_team,
    end_team,
    end_token,
    give_right,
    list_grants,
    list_people,
    list_repositories,
    list_teams,
    list_tokens,
    make_admin,
    make_team,
    make_token,
    remove_member,
    take_right,
)
from afterglow.records.hub import HubPlace
from afterglow.records.hub_people import RIGHTS, SCOPES, HubToken, NewToken
from afterglow.web.desk import desk_of
from afterglow.web.hub.hub import hub_of, member_desk, member_of
from afterglow.web.hub.pages.tokens import DAYS, SCOPE_WORDS, days_of, token_number
from afterglow.web.rendering import back, page
from afterglow.web.routing import Change, Form, get, post_own

RIGHT_WORDS = {
    "read": "is told what was learned there",
    "contribute": "reads, and sends what their sessions taught",
    "review": "contributes, and decides what everybody is told",
}
Act = Callable[[HubPlace, Form], str]


def people(request: Request) -> Response:
    return _page(request, None)


def give_token(request: Request, form: Form) -> Response:
    """For somebody who has none yet, or lost theirs. Shown once."""
    token = make_token(
        _place(request),
        form.get("person", ""),
        scope=form.get("scope", ""),
        label=form.get("label", "").strip(),
        days=days_of(form),
    )
    return _page(request, token)


def _add(place: HubPlace, form: Form) -> str:
    person = add_member(place, form.get("person", ""), is_admin="admin" in form)
    return f"{person.name} is a member now: give them a token and a right."


def _remove(place: HubPlace, form: Form) -> str:
    person = remove_member(place, form.get("person", ""))
    return f"{person.name} is let in no more. What they contributed stays until it is taken back."


def _set_admin(place: HubPlace, form: Form) -> str:
    is_admin = form.get("admin", "") == "yes"
    person = make_admin(place, form.get("person", ""), is_admin=is_admin)
    return f"{person.name} is {'an admin now' if is_admin else 'no admin any more'}."


def _revoke(place: HubPlace, form: Form) -> str:
    end_token(place, token_number(form))
    return "Revoked: it lets nobody in any more."


def _add_team(place: HubPlace, form: Form) -> str:
    name = form.get("team", "").strip()
    make_team(place, name)
    return f"There is a team {name} now."


def _end_team(place: HubPlace, form: Form) -> str:
    end_team(place, form.get("team", ""))
    return "The team is gone, with the rights it gave."


def _change_team(place: HubPlace, form: Form) -> str:
    team, person = form.get("team", ""), form.get("person", "")
    belongs = form.get("belongs", "") == "yes"
    change_team(place, team, person, belongs=belongs)
    return f"{person} {'belongs' if belongs else 'no longer belongs'} to {team}."


def _give(place: HubPlace, form: Form) -> str:
    holder, pattern = form.get("holder", ""), form.get("pattern", "").strip()
    right = form.get("right", "")
    give_right(place, holder, pattern, right)
    return f"{holder} may {right} {pattern}."


def _take(place: HubPlace, form: Form) -> str:
    holder, pattern = form.get("holder", ""), form.get("pattern", "")
    take_right(place, holder, pattern)
    return f"{holder} has no right of its own for {pattern} any more."


# Address -> what it does, and says.
ACTS: dict[str, Act] = {
    "/people/add": _add,
    "/people/remove": _remove,
    "/people/admin": _set_admin,
    "/people/revoke": _revoke,
    "/people/team": _add_team,
    "/people/team/end": _end_team,
    "/people/team/member": _change_team,
    "/people/grant": _give,
    "/people/grant/take": _take,
}


def acting(act: Act) -> Change:
    def handler(request: Request, form: Form) -> Response:
        return back(request, "/people", act(_place(request), form))

    return handler


def _place(request: Request) -> HubPlace:
    return member_desk(request).place


def _page(request: Request, new_token: NewToken | None) -> Response:
    admins_only(request)
    place = _place(request)
    everybody = list_people(place)
    members = [person for person in everybody if person.left_at is None]
    teams = list_teams(place)
    return page(
        request,
        "hub/people.html",
        new_token=new_token,
        members=members,
        former=[person for person in everybody if person.left_at is not None],
        tokens=_by_person(list_tokens(place), desk_of(request).now()),
        teams=teams,
        grants=list_grants(place),
        repositories=list_repositories(place),
        holders=[*(team.name for team in teams), *(each.name for each in members)],
        rights={right: RIGHT_WORDS[right] for right in RIGHTS},
        scopes={scope: SCOPE_WORDS[scope] for scope in SCOPES},
        days=DAYS,
        address=hub_of(request).address.public,
    )


def admins_only(request: Request) -> None:
    member = member_of(request)
    if member.is_admin:
        return
    names = [
        person.name
        for person in list_people(_place(request))
        if person.is_admin and person.left_at is None
    ]
    raise Refused(f"this page is for admins: {', '.join(names)}")


def _by_person(tokens: list[HubToken], now: float) -> dict[str, list[HubToken]]:
    """Those that hold; browsers come and go."""
    listed: dict[str, list[HubToken]] = {}
    for token in tokens:
        is_over = token.expires is not None and token.expires <= now
        if token.revoked is None and not token.session and not is_over:
            listed.setdefault(token.person, []).append(token)
    return listed


ROUTES = [
    get("/people", people),
    post_own("/people/token", give_token),
    *(post_own(path, acting(act)) for path, act in ACTS.items()),
]
