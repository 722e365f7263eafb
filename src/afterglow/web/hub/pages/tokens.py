"""Tokens: a member's own, for their machines and agents; one that is made is shown once."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from afterglow.errors import UsageError
from afterglow.flows.hub import end_token, list_tokens, make_token
from afterglow.records.hub_people import SCOPES, HubToken, NewToken
from afterglow.web.desk import desk_of
from afterglow.web.hub.hub import hub_of, member_desk, member_of
from afterglow.web.rendering import back, page
from afterglow.web.routing import Form, get, post_own

# What a token is for, as people choose it.
SCOPE_WORDS = {
    "sync": "a machine: to send what its sessions taught, and to get what you may read",
    "read": "looking only",
    "review": "a browser or an agent that decides in your name",
    "admin": "looking after people, rights and tokens",
}
DAYS = (30, 90, 180, 365)  # that are offered; the longest is two work contracts


def tokens(request: Request) -> Response:
    return _page(request, None)


def make(request: Request, form: Form) -> Response:
    """Shown in the answer and nowhere else: not in an address, not in a notice."""
    place = member_desk(request).place
    token = make_token(
        place,
        member_of(request).name,
        scope=form.get("scope", ""),
        label=form.get("label", "").strip(),
        days=days_of(form),
    )
    return _page(request, token)


def revoke(request: Request, form: Form) -> Response:
    place = member_desk(request).place
    end_token(place, token_number(form))
    return back(request, "/tokens", "Revoked: it lets nobody in any more.")


def days_of(form: Form) -> int:
    days = form.get("days", "")
    if not days.isascii() or not days.isdigit():
        raise UsageError("say for how many days the token is to hold")
    return int(days)


def token_number(form: Form) -> int:
    number = form.get("token", "")
    if not number.isascii() or not number.isdigit():
        raise UsageError("no such token; the list shows them")
    return int(number)


def _page(request: Request, new_token: NewToken | None) -> Response:
    desk = desk_of(request)
    member = member_of(request)
    hub = hub_of(request)
    listed = list_tokens(member_desk(request).place, member.name)
    now = desk.now()
    holding = [token for token in listed if _holds(token, now)]
    offered = SCOPES[: SCOPES.index(member.scope) + 1]
    return page(
        request,
        "hub/tokens.html",
        new_token=new_token,
        machines=[token for token in holding if not token.session],
        browsers=[token for token in holding if token.session],
        past=[token for token in listed if not _holds(token, now)],
        scopes={scope: SCOPE_WORDS[scope] for scope in SCOPE_WORDS if scope in offered},
        scope_words=SCOPE_WORDS,
        may_make=member.scope in ("review", "admin"),
        days=DAYS,
        address=hub.address.public,
    )


def _holds(token: HubToken, now: float) -> bool:
    return token.revoked is None and (token.expires is None or token.expires > now)


ROUTES = [
    get("/tokens", tokens),
    post_own("/tokens/make", make),
    post_own("/tokens/revoke", revoke),
]
