"""Where a hub's database is for whom: its owner, and the two roles of the server, whose passwords nobody has to know.

`hub init` writes their addresses into a file that only its user can read; `serve --hub` looks there.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import msgspec

from afterglow.config import Config
from afterglow.errors import NotFound, UsageError
from afterglow.folders import place_file, private
from afterglow.records.hub import HubPlace
from afterglow.store.hub.members import opened, organisation_numbers, organisations
from afterglow.store.postgres.connection import connected

FILE = "hub-server.json"


def checked_address(url: str) -> str:
    """Of a database. What it says otherwise is not repeated: it could hold the password."""
    if not url:
        raise UsageError(
            "say where the hub's database is: --database postgresql://admin@db.example/hub, "
            "[hub] database in config.toml, or AFTERGLOW_HUB_DATABASE"
        )
    parts = urlsplit(url)
    if parts.scheme not in ("postgresql", "postgres") or len(parts.path) < 2:
        raise UsageError(
            "that is no address of a database; postgresql://admin@db.example/hub would work"
        )
    return url


def owner_url(url: str) -> str:
    """The same login, which acts as the owner of the tables."""
    with connected(checked_address(url)) as db:
        from afterglow.store.hub.roles import address_acting_as, roles_of

        return address_acting_as(url, roles_of(db).owner)


def owner_place(url: str, organisation: str = "") -> HubPlace:
    """As the owner, for one of the organisations; the only one need not be named."""
    acting = owner_url(url)
    with opened(HubPlace(acting)) as db:
        every = organisations(db)
    fitting = [each.id for each in every if organisation in ("", each.name)]
    if len(fitting) == 1:
        return HubPlace(acting, org=fitting[0])
    names = ", ".join(each.name for each in every)
    if not organisation:
        raise UsageError(f"say which organisation with --org: {names}")
    raise NotFound(f"there is no organisation {organisation}; there are {names}")


def merging_places(url: str) -> list[HubPlace]:
    """One for each organisation, by the address for merging."""
    with opened(HubPlace(url)) as db:
        return [HubPlace(url, org=number) for number in organisation_numbers(db)]


def server_urls(config: Config, url: str) -> tuple[str, str]:
    """For requests and for merging: the addresses that `hub init` wrote down for this database."""
    addresses = _read(config).get(_name(checked_address(url)))
    if addresses is None:
        raise NotFound(
            f"{_file(config)} knows no passwords for {HubPlace(url)}; run `afterglow hub init` or, where there is a "
            "hub already, `afterglow hub upgrade --new-passwords` on this machine"
        )
    return addresses["app"], addresses["merge"]


def keep_addresses(config: Config, url: str, passwords: Mapping[str, str]) -> Path:
    """In a file, which is given back."""
    from afterglow.store.hub.roles import address_as

    addresses = {
        role.rpartition("_")[2]: address_as(url, role, password)
        for role, password in passwords.items()
    }
    every = _read(config) | {_name(url): addresses}
    private(config.home)
    place_file(_file(config), msgspec.json.encode(every), lasting=True)
    return _file(config)


def _file(config: Config) -> Path:
    return config.home / FILE


def _read(config: Config) -> dict[str, dict[str, str]]:
    if not _file(config).exists():
        return {}
    try:
        return msgspec.json.decode(
            _file(config).read_bytes(), type=dict[str, dict[str, str]]
        )
    except msgspec.DecodeError as error:
        raise UsageError(
            f"{_file(config)} is damaged; move it away and run `afterglow hub upgrade --new-passwords`"
        ) from error


def _name(url: str) -> str:
    """The same for every user of that database."""
    parts = urlsplit(url)
    host = parts.hostname or parse_qs(parts.query).get("host", ["localhost"])[0]
    return f"{host}:{parts.port or 5432}{parts.path}"
