"""join: this machine becomes one of a team's. The address and who we are stand in `hub.db`, the token in a file of its
own that only its owner can read."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import msgspec

from afterglow.config import Config
from afterglow.errors import Conflict, NotFound, StoreError, Unsupported, UsageError
from afterglow.flows.harvest import queue_lock
from afterglow.flows.hub.hub_client import HubClient, checked_url
from afterglow.flows.settings import set_values
from afterglow.folders import place_file, private
from afterglow.records.settings import Sharing
from afterglow.records.team import HubMember, JoinedHub
from afterglow.store.membership import Membership, noted

LOCK = "hub.lock"


def join(
    config: Config,
    url: str,
    token: str,
    *,
    share: Sharing | None = None,
    client: HubClient | None = None,
    now: float | None = None,
) -> tuple[JoinedHub, HubMember]:
    """Asks the hub who the token speaks for, and remembers it. To join the same hub again changes the token."""
    if config.hub is not None:
        raise Unsupported("a hub joins no other hub; join from a machine of yours")
    words = token.strip()
    if not words or len(words.split()) > 1 or not words.isascii():
        raise UsageError("a token is one word, as `afterglow hub token add` prints it")
    address = checked_url(url)
    _refuse_second(config, address)
    member = membership_of(client or HubClient(address, words))
    private(config.home)
    when = time.time() if now is None else now
    with alone(config), Membership(config.membership) as membership:
        facts = {
            "url": address,
            "person": member.person,
            "org": member.org,
            "author": member.author,
            "trouble": "",
        }
        if membership.fact("author") != member.author:
            # Of somebody else the hub has nothing of this machine yet.
            facts |= {"machine": uuid4().hex, "since": repr(when), "hub": ""}
        membership.set_facts(facts)
    place_file(config.hub_token, f"{words}\n".encode(), lasting=True)
    if share is not None:
        set_values(config, {"hub.share": share})
    return joined_hub(config), member


def _refuse_second(config: Config, address: str) -> None:
    if not config.membership.exists():
        return
    with Membership(config.membership) as membership:
        before = membership.fact("url")
    if before and before != address:
        raise UsageError(
            f"this machine has joined {before}; `afterglow leave` first, or join that one again"
        )


@contextmanager
def alone(config: Config) -> Iterator[None]:
    """One at a time talks to the hub for a home."""
    with queue_lock(config, name=LOCK) as is_mine:
        if not is_mine:
            raise Conflict("a sync of this home is under way; wait for it to end")
        yield


def joined_hub(config: Config) -> JoinedHub:
    """Raises `NotFound` where none was joined."""
    if not config.membership.exists():
        raise NotFound(
            "this machine has joined no hub; `afterglow join https://hub.example --token TOKEN` does"
        )
    facts = noted(config.membership)
    names = ("url", "machine", "person", "org", "author", "trouble")
    text = {name: facts.get(name, "") for name in names}
    times = {name: float(facts.get(name) or 0.0) for name in ("since", "time")}
    return msgspec.convert({**text, **times}, JoinedHub)


def token_of(config: Config) -> str:
    try:
        return config.hub_token.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(
            f"{config.hub_token} cannot be read; `afterglow join URL --token TOKEN` writes it anew"
        ) from error


def membership_of(client: HubClient) -> HubMember:
    """Who the hub says we are."""
    return client.get("/me", HubMember)
