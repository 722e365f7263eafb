"""What a scan leaves out: excluded places, private sessions."""

from __future__ import annotations

import pytest

from afterglow.config import Config
from afterglow.flows.read import list_sessions, scan
from afterglow.records.settings import PrivacySettings
from afterglow.store.catalog import Catalog
from afterglow.store.private_folders import PrivateFolders
from writing import Transcript, ordinary

OCTOBER = 1_790_812_800.0  # 2026-10-01, when the sessions of tests begin
DAY = 86400.0


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def excluding(config: Config, *entries: str) -> Config:
    privacy = PrivacySettings(exclude=entries)
    return Config(home=config.home, user_home=config.user_home, privacy=privacy)


def ids(config: Config) -> set[str]:
    return {entry.id[-1] for entry in list_sessions(config, everything=True)}


def sources(config: Config) -> int:
    with Catalog(config.catalog) as catalog:
        return len(catalog.rows("SELECT 1 FROM sources"))


@pytest.mark.parametrize(
    "entry",
    ["/home/ana/src/vault", "/home/*/src/vault", "/home/ana/src/va*", "vault", "va*"],
)
def test_sessions_of_an_excluded_place_are_not_kept(config, tmp_path, entry):
    ordinary(1, cwd="/home/ana/src/vault/deep").save(tmp_path / "s")
    ordinary(2, cwd="/home/ana/src/harbor").save(tmp_path / "s")
    narrow = excluding(config, entry)
    if "/" not in entry:
        ordinary(1, cwd="/home/ana/src/vault").save(tmp_path / "s")
    report = scan(narrow, [tmp_path / "s"])
    assert ids(narrow) == {"2"}
    assert (sources(narrow), report.kept_out) == (1, 1)
    again = scan(narrow, [tmp_path / "s"])
    assert (again.read, again.kept_out) == (0, 1)


def test_a_file_in_an_excluded_folder_is_not_opened(config, tmp_path):
    ordinary(1).save(tmp_path / "s/secret")
    narrow = excluding(config, str(tmp_path / "s/secret"))
    report = scan(narrow, [tmp_path / "s"])
    assert (report.read, report.kept_out, ids(narrow)) == (0, 1, set())


def test_what_is_no_longer_excluded_is_read(config, tmp_path):
    ordinary(1).save(tmp_path / "s")
    scan(excluding(config, "harbor"), [tmp_path / "s"])
    assert ids(config) == set()
    scan(config, [tmp_path / "s"])
    assert ids(config) == {"1"}


@pytest.mark.parametrize(
    ("words", "is_private"),
    [
        ("#private\nlook at my taxes", True),
        ("look at my taxes\n  #PRIVATE  \n", True),
        ("what does #private mean in a class?", False),
        ("the line `#private`", False),
    ],
)
def test_a_line_of_the_first_request_makes_a_session_private(
    config, tmp_path, words, is_private
):
    made = Transcript(1).user(words).run("ls", "taxes").reply("Done.")
    made.save(tmp_path / "s")
    ordinary(2).save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    scan(config, [tmp_path / "s"])
    assert ids(config) == ({"2"} if is_private else {"1", "2"})
    if is_private:
        assert sources(config) == 1


def test_a_later_request_does_not(config, tmp_path):
    ordinary(1).user("#private").reply("Well.").save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    assert ids(config) == {"1"}


def test_sub_agents_of_a_private_session_are_left_out_whatever_is_read_first(
    config, tmp_path
):
    parent = Transcript(1).user("#private").run("ls").reply("Done.")
    path = parent.save(tmp_path / "s")
    child = Transcript(1).user("look " * 5000).run("ls").reply("Done.")
    lines = [
        line.replace('"isSidechain": false', '"isSidechain": true, "agentId": "a1"')
        for line in child.lines
    ]
    folder = path.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-a1.jsonl").write_text("".join(f"{line}\n" for line in lines))
    scan(config, [tmp_path / "s"])
    assert ids(config) == set()


def test_a_folder_is_private_for_a_time(config, tmp_path):
    folders = PrivateFolders(config.home)
    folders.begin("/home/ana/src", OCTOBER + DAY)
    folders.end("/home/ana/src", OCTOBER + 2 * DAY)
    for number, start in ((1, 0), (2, 1440), (3, 2 * 1440)):
        ordinary(number, start=start).save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    assert ids(config) == {"1", "3"}
