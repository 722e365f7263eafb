"""Who asks a hub, and their own tokens."""

from __future__ import annotations

from afterglow.errors import NotFound, Refused, TokenRefused, UsageError
from afterglow.records.hub import HubPlace, Member
from afterglow.records.hub_people import SCOPES, HubToken, NewToken
from afterglow.store.databases import Database
from afterglow.store.hub.members import asking, opened, person_named
from afterglow.store.hub.tokens import (
    add_token,
    end_asking_token,
    note_use,
    open_session,
    revoke_token,
    tokens,
)

# Longer than this a token is not made by who does not say so: a lost machine is then let in no more by the new year.
TOKEN_DAYS = 180
MAX_TOKEN_DAYS = 3650
LABEL_CHARACTERS = 100
NO_USE = (
    "this token is unknown, expired or revoked; ask an admin of the hub for a new one"
)


def member(place: HubPlace) -> Member:
    """Who asks. Raises `TokenRefused` for a token that is of no use."""
    with opened(place) as db:
        return _asking(db)


def _asking(db: Database) -> Member:
    asker = asking(db)
    if asker is None:
        raise TokenRefused(NO_USE)
    note_use(db)
    return asker


def start_session(place: HubPlace) -> str:
    """A token for a browser, of the same person and scope: for a day's work at most, and gone with the one that asks."""
    with opened(place) as db:
        token = open_session(db)
    if not token:
        raise TokenRefused(NO_USE)
    return token


def end_session(place: HubPlace) -> None:
    """The token that asks is of no use any more."""
    with opened(place) as db:
        end_asking_token(db)


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
            _may_make(_asking(db), person, scope)
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
