"""A hub is made, brought up to date, looked at; organisations come in. All by the owner of the database."""

from __future__ import annotations

from afterglow.config import Config
from afterglow.errors import Conflict
from afterglow.flows.hub.administration import checked_name
from afterglow.flows.hub.server_addresses import (
    checked_address,
    keep_addresses,
    owner_place,
    owner_url,
    server_urls,
)
from afterglow.records.hub import HubPlace
from afterglow.records.hub_people import (
    HubMade,
    HubState,
    HubUpgraded,
    NewToken,
    Organisation,
)
from afterglow.store.hub import grants, members, tokens
from afterglow.store.postgres.connection import connected

FIRST_TOKEN_DAYS = 90  # the admin's, made with the organisation


def init_hub(config: Config, url: str, *, organisation: str, admin: str) -> HubMade:
    """A hub in an empty database, with its first organisation and that one's first admin, who reviews everything."""
    organisation, admin = checked_name(organisation), checked_name(admin)
    with connected(checked_address(url)) as db:
        from afterglow.store.hub.migrations import MIGRATIONS, make_hub

        file = keep_addresses(config, url, make_hub(db))
    return HubMade(
        database=HubPlace(url).name,
        passwords=str(file),
        layout=len(MIGRATIONS),
        organisation=organisation,
        admin=add_organisation(url, organisation, admin=admin),
    )


def add_organisation(url: str, name: str, *, admin: str) -> NewToken:
    """With its first admin, who reviews everything, and their token."""
    name, admin = checked_name(name), checked_name(admin)
    acting = owner_url(url)
    with members.opened(HubPlace(acting)) as db:
        if name in {each.name for each in members.organisations(db)}:
            raise Conflict(f"there is an organisation {name} already")
        org = members.add_organisation(db, name)
    with members.opened(HubPlace(acting, org=org)) as db:
        person = members.add_person(db, admin, is_admin=True)
        grants.add_grant(db, team=None, person=person.id, pattern="*", allows="review")
        return tokens.add_token(
            db, person, scope="admin", label="first", days=FIRST_TOKEN_DAYS
        )


def list_organisations(url: str) -> list[Organisation]:
    with members.opened(HubPlace(owner_url(url))) as db:
        return members.organisations(db)


def upgrade_hub(config: Config, url: str, *, new_passwords: bool) -> HubUpgraded:
    """To the newest layout; with new passwords for the server if wished."""
    with connected(checked_address(url)) as db:
        from afterglow.store.hub import migrations, roles

        before, file = migrations.upgrade_hub(db), ""
        if new_passwords:
            passwords = roles.give_passwords(db, roles.roles_of(db))
            file = str(keep_addresses(config, url, passwords))
    return HubUpgraded(
        database=HubPlace(url).name,
        before=before,
        layout=len(migrations.MIGRATIONS),
        passwords=file,
    )


def hub_state(url: str) -> HubState:
    with connected(checked_address(url)) as db:
        from afterglow.store.hub.migrations import MIGRATIONS, layout_of

        layout = layout_of(db)
        server = db.info.parameter_status("server_version") or ""
    with members.opened(HubPlace(owner_url(url))) as stores:
        size, people, valid_tokens, repositories = members.numbers(stores)
        organisations = members.organisations(stores)
    return HubState(
        database=HubPlace(url).name,
        layout=layout,
        newest_layout=len(MIGRATIONS),
        server=server.split()[0],
        bytes=size,
        organisations=tuple(organisations),
        people=people,
        tokens=valid_tokens,
        repositories=repositories,
    )


def admin_place(config: Config, url: str, token: str, organisation: str) -> HubPlace:
    """By an admin's token if there is one, else as the owner of the database."""
    if token:
        app, _ = server_urls(config, url)
        return HubPlace(app, token=token)
    return owner_place(url, organisation)
