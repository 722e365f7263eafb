"""A spoofed `.git/config` neither teaches nor is told, end to end: sessions, harvest, start."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from afterglow.cli.repo import repo
from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.flows.harvest import harvest
from afterglow.flows.read import distrust_repo, repo_folders, scan, trust_repo
from afterglow.flows.session import bootstrap, repo_of
from afterglow.records.selection import below
from afterglow.sessions.checkouts import MIN_DAYS, claimed_name
from keeping import NOW, item, keep
from writing import Transcript

DAY = 1440  # the transcripts' clock counts minutes
CONFIG = '[remote "origin"]\n\turl = https://host.example/acme/harbor.git\n'


def checkout(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text(CONFIG)
    return folder


@pytest.fixture
def own(tmp_path):
    return checkout(tmp_path / "src" / "harbor")


@pytest.fixture
def archive(tmp_path):
    return checkout(tmp_path / "downloads" / "harbor")


@pytest.fixture
def config(tmp_path, own, archive):
    """A week in the own folder, then a day in the archive."""
    for number, folder in enumerate([own] * MIN_DAYS + [archive]):
        work = Transcript(number, start=number * DAY, cwd=str(folder)).user("ship it")
        work.run("make ship", "shipped").reply("Shipped.").save(tmp_path / "s")
    config = Config(home=tmp_path / "kept", user_home=tmp_path / "home")
    scan(config, [tmp_path / "s"])
    return config


def told(config, folder) -> list[str]:
    return [one.id for one in bootstrap(config, cwd=folder, now=NOW)[2]]


def test_an_archive_is_told_nothing_of_the_repository_it_claims(config, own, archive):
    keep(config, item(1, repo="acme/harbor"))
    assert told(config, own) == [item(1).id]
    assert told(config, archive) == []
    context, _, _ = bootstrap(config, cwd=archive, now=NOW)
    assert "afterglow repo trust" in context.reason


def test_what_an_archive_teaches_stays_there(config, own, archive, tmp_path):
    name = repo_of(archive, config)
    assert claimed_name(name) == "acme/harbor" == repo_of(own, config)
    rule = "never ship on a Sunday, the piers are closed"
    for number in (11, 12):
        said = Transcript(number, start=number * DAY, cwd=str(archive)).user("hello")
        said.reply("Hello.").user(rule).reply("Noted.").save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    assert told(config, own) == []


def test_a_folder_that_no_session_has_worked_in_is_not_believed_either(
    config, tmp_path
):
    fresh = checkout(tmp_path / "fresh")
    assert claimed_name(repo_of(fresh, config)) == "acme/harbor"


def test_a_persons_word_makes_it_the_repository_at_once(config, own, archive):
    keep(config, item(1, repo="acme/harbor"))
    claims = [folder for folder in repo_folders(config).folders if folder.claims]
    assert [folder.folder for folder in claims] == [str(archive)]
    after = trust_repo(config, archive)
    assert not any(folder.claims for folder in after.folders)
    assert told(config, archive) == [item(1).id]
    distrust_repo(config, archive)
    assert told(config, archive) == []
    with pytest.raises(NotFound, match="is not trusted"):
        distrust_repo(config, archive)


def test_the_command_names_what_waits_and_how_to_trust_it(
    config, archive, monkeypatch, tmp_path
):
    monkeypatch.setenv("AFTERGLOW_HOME", str(config.home))
    shown = CliRunner().invoke(repo, ["list"]).output
    assert f"{archive}  says it is acme/harbor" in shown.splitlines()[0]
    trusted = CliRunner().invoke(repo, ["trust", str(archive), "--json"])
    assert f'"{archive}"' in trusted.output and '"claims": "acme' not in trusted.output
    missing = CliRunner().invoke(repo, ["trust", str(tmp_path / "none")])
    assert isinstance(missing.exception, NotFound)
