"""A hub is made in an empty database, brought up to date, backed up and restored."""

from __future__ import annotations

import stat
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.errors import Conflict, NotFound, StoreError, UsageError
from afterglow.flows import hub
from afterglow.flows.knowledge import approve
from afterglow.records.hub import HubPlace
from afterglow.store.hub import members
from afterglow.store.hub.dump import EVERY_TABLE
from afterglow.store.hub.migrations import MIGRATIONS, check_layout, make_hub
from afterglow.store.hub.roles import address_as, drop_roles, roles_of
from hub_database import HubDatabase
from postgres_server import new_database
from web.hub.members import bring_items

pytestmark = pytest.mark.slow


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config(home=tmp_path / "home", user_home=tmp_path)


@pytest.fixture
def empty(postgres: str):
    """An address of an empty database; roles that were made for it go with it."""
    roles = []
    with new_database(postgres) as url:
        yield url
        with psycopg.connect(url) as db:
            if db.execute("SELECT to_regnamespace('afterglow')").fetchone() != (None,):
                roles.append(roles_of(db))
    with psycopg.connect(postgres, autocommit=True) as db:
        for names in roles:
            drop_roles(db, names)


def test_a_hub_is_made_with_its_first_admin(config: Config, empty: str):
    made = hub.init_hub(config, empty, organisation="acme", admin="ada")
    file = Path(made.passwords)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert made.admin.token not in file.read_text(encoding="utf-8")
    app, merge = hub.server_urls(config, empty)
    check_layout(HubPlace(app))
    ada = hub.member(HubPlace(app, token=made.admin.token))
    assert ada.is_admin and ada.may("review", "") and ada.org_name == "acme"
    assert [place.org for place in hub.merging_places(merge)] == [ada.org]
    state = hub.hub_state(empty)
    assert (state.people, state.tokens, state.layout) == (1, 1, len(MIGRATIONS))
    with pytest.raises(StoreError, match="already"):
        hub.init_hub(config, empty, organisation="acme", admin="ada")


def test_the_roles_of_the_server_own_nothing_and_are_bound(config: Config, empty: str):
    hub.init_hub(config, empty, organisation="acme", admin="ada")
    with psycopg.connect(empty) as db:
        roles = roles_of(db)
        rows = db.execute(
            "SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication, rolcanlogin, "
            "(SELECT count(*) FROM pg_class WHERE relowner = r.oid), "
            "(SELECT count(*) FROM pg_auth_members WHERE member = r.oid) "
            "FROM pg_roles r WHERE rolname IN (%s, %s)",
            [roles.app, roles.merge],
        ).fetchall()
    assert rows == [(False, True, 0, 0)] * 2


def test_who_may_make_roles_needs_not_be_a_superuser(
    config: Config, postgres: str, monkeypatch: pytest.MonkeyPatch
):
    name = f"maker_{uuid4().hex[:8]}"
    with psycopg.connect(postgres) as db:  # only a superuser may ask where they are
        row = db.execute("SELECT setting FROM pg_config WHERE name = 'BINDIR'")
        monkeypatch.setenv("PATH", row.fetchone()[0])
    with (
        psycopg.connect(postgres, autocommit=True) as admin,
        new_database(postgres) as url,
    ):
        admin.execute(f"CREATE ROLE {name} LOGIN CREATEROLE PASSWORD 'invented'")
        admin.execute(
            f"ALTER DATABASE {url.split('/')[3].split('?')[0]} OWNER TO {name}"
        )
        made = hub.init_hub(
            config,
            address_as(url, name, "invented"),
            organisation="acme",
            admin="ada",
        )
        app, _ = hub.server_urls(config, url)
        assert hub.member(HubPlace(app, token=made.admin.token)).is_admin
        place = hub.owner_place(address_as(url, name, "invented"))
        hub.add_member(place, "ben")
        assert hub.read_audit(place)[0].by == f"database role {name}"
        file = config.home / "hub.backup"
        hub.back_up_hub(config, address_as(url, name, "invented"), file)
        with psycopg.connect(url, autocommit=True) as db:
            roles = roles_of(db)
            db.execute("DROP SCHEMA afterglow CASCADE")
            db.execute(f"DROP OWNED BY {roles.owner}, {roles.app}, {roles.merge}")
        hub.restore_hub(config, address_as(url, name, "invented"), file)
        assert [p.name for p in hub.list_people(hub.owner_place(url))] == ["ada", "ben"]
    with psycopg.connect(postgres, autocommit=True) as db:
        drop_roles(db, roles)
        db.execute(f"DROP ROLE {name}")


def test_two_organisations_know_nothing_of_each_other(config: Config, empty: str):
    hub.init_hub(config, empty, organisation="acme", admin="ada")
    eve = hub.add_organisation(empty, "rival", admin="eve")
    app, _ = hub.server_urls(config, empty)
    place = HubPlace(app, token=eve.token)
    assert [person.name for person in hub.list_people(place)] == ["eve"]
    assert {line.by for line in hub.read_audit(place)} != set()
    with pytest.raises(UsageError, match="acme, rival"):
        hub.owner_place(empty)
    assert [p.name for p in hub.list_people(hub.owner_place(empty, "acme"))] == ["ada"]
    with pytest.raises(NotFound, match="there are acme, rival"):
        hub.owner_place(empty, "else")
    with pytest.raises(Conflict):
        hub.add_organisation(empty, "rival", admin="eve")


def test_every_older_layout_is_brought_up_to_date(config: Config, empty: str):
    with psycopg.connect(empty, autocommit=True) as db:
        passwords = make_hub(db, MIGRATIONS[:1])
        app = address_as(empty, roles_of(db).app, passwords[roles_of(db).app])
    with pytest.raises(StoreError, match="hub upgrade"):
        check_layout(HubPlace(app))
    report = hub.upgrade_hub(config, empty, new_passwords=True)
    assert (report.before, report.layout) == (1, len(MIGRATIONS))
    check_layout(HubPlace(hub.server_urls(config, empty)[0]))
    with pytest.raises(StoreError, match="newer afterglow"):
        check_layout(HubPlace(app), newest=0)


def test_a_backup_is_restored_into_an_empty_database(
    config: Config, empty: str, postgres: str
):
    made = hub.init_hub(config, empty, organisation="acme", admin="ada")
    place = HubPlace(hub.server_urls(config, empty)[0], token=made.admin.token)
    hub.add_member(place, "ben")
    hub.give_right(place, "ben", "acme/*", "review")
    lines = hub.read_audit(place)
    file = config.home / "hub.backup"
    report = hub.back_up_hub(config, empty, file)
    assert report.bytes == file.stat().st_size
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with new_database(postgres) as url:
        hub.restore_hub(config, url, file)
        again = HubPlace(hub.server_urls(config, url)[0], token=made.admin.token)
        assert hub.list_people(again) == hub.list_people(place)
        assert hub.list_grants(again) == hub.list_grants(place)
        assert hub.read_audit(again) == lines
        assert hub.greet_machine(again).hub != hub.greet_machine(place).hub
        hub.add_member(again, "cyd")  # numbers go on where they were
        with psycopg.connect(url) as db:
            roles = roles_of(db)
            open_tables = db.execute(
                "SELECT count(*) FROM pg_class WHERE relnamespace = 'afterglow'::regnamespace "
                "AND relkind = 'r' AND NOT relforcerowsecurity"
            ).fetchone()
        assert open_tables == (0,)
        with pytest.raises(StoreError, match="already"):
            hub.restore_hub(config, url, file)
    with psycopg.connect(postgres, autocommit=True) as db:
        drop_roles(db, roles)


def test_what_is_no_backup_is_left_alone_and_not_restored(config: Config, empty: str):
    hub.init_hub(config, empty, organisation="acme", admin="ada")
    letter = config.home / "letter"
    letter.write_text("dear", encoding="utf-8")
    with pytest.raises(UsageError, match="something else"):
        hub.back_up_hub(config, empty, letter)
    with pytest.raises(StoreError, match="no backup"):
        hub.restore_hub(config, empty, letter)


@pytest.mark.parametrize("url", ["", "mysql://db/x", "postgresql://db"])
def test_what_is_no_address_is_refused_without_repeating_it(config: Config, url: str):
    with pytest.raises(UsageError, match=r"would work|say where"):
        hub.server_urls(config, url)


def test_a_restored_hub_has_every_row_of_every_table(
    config: Config, hub_database: HubDatabase, postgres: str
):
    """Items with words, evidence and a decision, and who brought and approved them."""
    bring_items(hub_database)
    contributed = "INSERT INTO contributions (machine, kind, key, repo, seq) VALUES ('m', 'session', 's', ?, 1)"
    with members.opened(hub_database.cyd) as db:
        db.execute(contributed, ["acme/harbor"])
    config.home.mkdir()
    file = config.home / "hub.backup"
    hub.back_up_hub(config, hub_database.superuser, file)
    with new_database(postgres) as url:
        hub.restore_hub(config, url, file)
        assert every_row(url) == every_row(hub_database.superuser)
        app, _ = hub.server_urls(config, url)
        ben = replace(hub_database.ben, url=app)
        deciding = Config(home=config.home, user_home=config.home, hub=ben)
        approve(deciding, ["k0000002"])  # numbers and changes go on
        assert every_row(url) != every_row(hub_database.superuser)
        with psycopg.connect(url) as db:
            roles = roles_of(db)
    with psycopg.connect(postgres, autocommit=True) as db:
        drop_roles(db, roles)


def every_row(url: str) -> dict[str, list[str]]:
    """But for the identity, by which machines know that what they pulled has to be asked for again."""
    rows: dict[str, list[str]] = {}
    with psycopg.connect(url) as db:
        db.execute("SET search_path = afterglow")
        for (table,) in db.execute(EVERY_TABLE).fetchall():
            texts = [text for (text,) in db.execute(f"SELECT t::text FROM {table} t")]
            rows[table] = sorted(text for text in texts if ",identity," not in text)
    return rows
