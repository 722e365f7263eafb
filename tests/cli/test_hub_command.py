"""`afterglow hub`, as who runs a hub uses it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result

from afterglow.cli.hub import hub
from afterglow.errors import AfterglowError, Refused
from afterglow.store.hub.roles import drop_roles, roles_of
from postgres_server import new_database

Run = Callable[..., Result]


@pytest.fixture
def run(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Run]:
    """Commands for the hub of an empty database, which the environment names."""
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    with new_database(postgres) as url:
        monkeypatch.setenv("AFTERGLOW_HUB_DATABASE", url)

        def invoke(*words: str) -> Result:
            result = CliRunner().invoke(hub, words)
            if isinstance(result.exception, AfterglowError):
                raise result.exception
            assert result.exit_code == 0, result.output
            return result

        yield invoke
        with psycopg.connect(url) as db:
            roles = roles_of(db)
    with psycopg.connect(postgres, autocommit=True) as db:
        drop_roles(db, roles)


def test_a_hub_from_nothing_to_a_member_who_may_review(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    made = run("init", "--name", "acme", "--admin", "ada")
    assert "shown only now" in made.stdout
    token = next(line for line in made.stdout.splitlines() if line.startswith("agl_"))

    monkeypatch.setenv("AFTERGLOW_HUB_TOKEN", token)
    assert "ben is a member" in run("user", "add", "ben").stdout
    run("team", "add", "crew")
    run("team", "member", "crew", "ben")
    assert run("grant", "crew", "acme/*", "review").stdout == "crew: review in acme/*\n"
    bens = run("token", "add", "ben", "--scope", "review", "--label", "laptop")
    assert bens.stdout.startswith("agl_")
    listed = run("token", "list").stdout
    assert "laptop" in listed and bens.stdout.strip() not in listed
    assert "crew" in run("grants").stdout and "ben" in run("team", "list").stdout
    assert "acme" in run("org", "list").stdout
    assert "2 people, 2 tokens in force" in run("status").stdout
    audit = run("audit").stdout
    assert "ada" in audit and token not in audit

    monkeypatch.setenv("AFTERGLOW_HUB_TOKEN", bens.stdout.strip())
    with pytest.raises(Refused, match="admins are ada"):
        run("user", "add", "cyd")

    monkeypatch.delenv("AFTERGLOW_HUB_TOKEN")  # as the owner of the database
    run("revoke", "crew", "acme/*")
    people = json.loads(run("user", "list", "--json").stdout)
    assert [person["name"] for person in people] == ["ada", "ben"]
    last = max(row["id"] for row in json.loads(run("token", "list", "--json").stdout))
    run("token", "revoke", str(last))
    assert "revoked" in run("token", "list", "ben").stdout
    run("user", "remove", "ben")
    run("team", "remove", "crew")
    assert "up to date" in run("upgrade").stdout
    assert "read again and whole" in run("backup", str(tmp_path / "hub.backup")).stdout
    with pytest.raises(AfterglowError, match="say --yes"):
        run("restore", str(tmp_path / "hub.backup"))
    with pytest.raises(AfterglowError, match="a hub in this database already"):
        run("restore", str(tmp_path / "hub.backup"), "--yes")


def test_without_an_address_it_is_said_where_one_may_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("AFTERGLOW_HOME", str(tmp_path))
    monkeypatch.delenv("AFTERGLOW_HUB_DATABASE", raising=False)
    result = CliRunner().invoke(hub, ["status"])
    assert "AFTERGLOW_HUB_DATABASE" in str(result.exception)
