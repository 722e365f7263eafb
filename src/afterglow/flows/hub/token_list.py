"""Tokens of a hub: one's own, and for an admin everybody's."""

from __future__ import annotations

from afterglow.errors import NotFound, Refused, UsageError
from afterglow.records.hub import HubPlace, Member
from afterglow.records.hub_people import SCOPES, HubToken, NewToken
from afterglow.store.databases import Database
from afterglow.store.hub.askers import asking_member
from afterglow.store.hub.members import opened, person_named
from afterglow.store.hub.tokens import add_token, revoke_token, tokens

# Longer than this a token is not made by who does not say so: a lost machine is then let in no more by the new year.
TOKEN_DAYS = 180
MAX_TOKEN_DAYS = 3650
LABEL_CHARACTERS = 100


def list_tokens(place: HubPlace, person: str = "") -> list[HubToken]:
    """One's own, for an admin everybody's; of one person if named."""
    with opened(place) as db:
        return tokens(db, person=_person(db, person) if person else None)


def make_token(
    place: HubPlace,
    person: str,
    *,
    scope: str = "sync",
    label: str = "",
    days: int | None = TOKEN_DAYS,
) -> NewToken:
    """For a member; by an admin, or by that member with a token that is for as much."""
    if scope not in SCOPES:
        raise UsageError(f"no scope {scope!r}; there are {', '.join(SCOPES)}")
    if days is not None and not 0 < days <= MAX_TOKEN_DAYS:
        raise UsageError(f"days must be from 1 to {MAX_TOKEN_DAYS}")
    with opened(place) as db:
        if place.token:
            _may_make(asking_member(db), person, scope)
        holder = person_named(db, person)
        if holder is None or holder.left_at is not None:
            raise NotFound(f"there is no member {person}")
        return add_token(
            db, holder, scope=scope, label=label[:LABEL_CHARACTERS], days=days
        )


def _may_make(asker: Member, person: str, scope: str) -> None:
    if asker.is_admin:
        return
    if person != asker.name:
        raise Refused("only an admin makes tokens for others")
    if asker.scope not in ("review", "admin"):
        raise Refused(
            f"a token with the scope {asker.scope} makes no others; ask an admin"
        )
    if SCOPES.index(scope) > SCOPES.index(asker.scope):
        raise Refused(
            f"a token with the scope {asker.scope} makes none with the scope {scope}"
        )


def end_token(place: HubPlace, id: int) -> None:
    """And those that were made with it."""
    with opened(place) as db:
        if not revoke_token(db, id):
            raise NotFound(
                f"there is no token {id} that could be revoked; `afterglow hub token list` shows them"
            )


def _person(db: Database, name: str) -> int:
    person = person_named(db, name)
    if person is None:
        raise NotFound(f"there is no member {name}")
    return person.id
