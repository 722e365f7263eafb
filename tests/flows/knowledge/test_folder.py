"""The folder view end to end: what is written, what people may change there, what happens when both sides change."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from afterglow.config import Config
from afterglow.errors import NotFound, StoreError, UnreadableSource, UsageError
from afterglow.flows import knowledge as flow
from afterglow.records.knowledge import Evidence
from afterglow.store.folder.entries import schema
from afterglow.store.knowledge import Knowledge
from keeping import NOW, item, keep, kept

PAGE = "repos/harbor.md"
FACT = "`make ship` in harbor fails until pier {} is built"


def clean(text):
    """A stand-in for the redactor: one kind of secret."""
    return text.replace("hunter-two", "<hidden>"), {
        "password": 1
    } if "hunter-two" in text else {}


def danger(text, trust):
    return "gives orders" if "dear agents" in text else ""


class Team:
    """One store and one folder, and the words to use them."""

    def __init__(self, home, folder):
        self.config = Config(home=home, user_home=home)
        self.folder = folder

    def keep(self, *items):
        keep(self.config, *items)

    def kept(self, id):
        return kept(self.config, id)

    def export(self, **options):
        return flow.export(self.config, self.folder, **options)

    def sync(self, *, mine=True, **options):
        return flow.sync(
            self.config,
            self.folder,
            mine=mine,
            clean=clean,
            danger=danger,
            now=NOW,
            **options,
        )

    def take(self, source, **options):
        return flow.import_(
            self.config, source, clean=clean, danger=danger, now=NOW, **options
        )

    def lint(self, folder=None):
        found = flow.lint(
            self.config,
            folder,
            clean=clean,
            vague=lambda fact: "" if "`" in fact else "no name",
            now=NOW,
        )
        return {
            (flaw.level, flaw.rule, flaw.where.rpartition(":")[0] or flaw.where)
            for flaw in found.flaws
        }

    def bury(self, id):
        with Knowledge(self.config.knowledge) as knowledge:
            knowledge.bury([id], by="person", why="wrong", now=NOW)

    def read(self, path=PAGE):
        return (self.folder / path).read_text()

    def edit(self, old, new, path=PAGE):
        assert old in self.read(path)
        (self.folder / path).write_text(self.read(path).replace(old, new))

    def files(self):
        return {
            p.relative_to(self.folder).as_posix(): p.read_bytes()
            for p in self.folder.rglob("*")
            if p.is_file()
        }


@pytest.fixture
def team(tmp_path):
    made = Team(tmp_path / "kept", tmp_path / "knowledge")
    made.keep(item(1, situation="no pier", remedy="build it", tags=("go",)), item(2))
    made.export()
    return made


@pytest.fixture
def other(tmp_path, team):
    """Somebody else with a store of their own and a clone of the folder."""
    shutil.copytree(team.folder, tmp_path / "clone")
    return Team(tmp_path / "other", tmp_path / "clone")


def settled(team):
    """A second sync does nothing, and the folder is what an export would write."""
    before = team.files()
    again = team.sync()
    assert not again.open and not (
        again.created or again.edited or again.retired or again.written or again.removed
    )
    assert not team.export().written
    assert team.files() == before
    return True


# export


def test_items_stand_where_they_hold(team):
    team.keep(
        item(3, repo="", category="fact"),
        item(4, repo="", agent="codex"),
        item(5, repo="acme/pier"),
    )
    done = team.export()
    assert done.items == 5
    assert set(team.files()) == {
        "agents/codex.md",
        "global/facts.md",
        "index.json",
        "repos/acme/pier.md",
        PAGE,
    }
    assert "[k0000003]" in team.read("global/facts.md") and "## Pitfalls" in team.read(
        "agents/codex.md"
    )


def test_the_same_store_gives_the_same_bytes(team, tmp_path):
    again = Team(team.config.home, tmp_path / "again")
    again.export()
    assert again.files() == team.files()
    assert team.export().written == ()


def test_the_index_is_valid_and_says_what_it_shows(team):
    index = json.loads(team.read("index.json"))
    assert list(Draft202012Validator(schema()).iter_errors(index)) == []
    assert [fact["id"] for fact in index["facts"]] == [
        "k0000001",
        "k0000002",
    ] and index["statuses"] == ["active"]


def test_only_active_items_are_shown_unless_asked(team):
    team.keep(item(3, status="candidate"), item(4, status="quarantined"))
    assert team.export().items == 2
    assert team.export(statuses=("active", "candidate")).items == 3
    assert "candidate · 0.80" in team.read()
    assert not team.sync().written and json.loads(team.read("index.json"))[
        "statuses"
    ] == ["active", "candidate"]


def test_files_of_others_are_left_alone(team):
    (team.folder / "README.md").write_text("ours")
    (team.folder / "repos/notes.md").write_text("# Notes\n\nprose\n")
    team.keep(item(3))
    done = team.sync()
    assert (
        not done.open
        and team.read("README.md") == "ours"
        and "prose" in team.read("repos/notes.md")
    )


def test_a_file_of_others_that_is_in_the_way_is_not_overwritten(team):
    (team.folder / "repos/notes.md").write_text("# Notes\n\nprose\n")
    team.keep(item(3, repo="notes"))
    assert [trouble.where for trouble in team.sync().troubles] == ["repos/notes.md:3"]
    assert "prose" in team.read("repos/notes.md")


def test_a_repo_without_items_loses_its_file(team):
    team.keep(item(3, repo="acme/pier"))
    team.sync()
    team.keep(item(3, repo="acme/pier", status="retired"))
    assert team.sync().removed == ("repos/acme/pier.md",)
    assert not (team.folder / "repos/acme").exists() and settled(team)


def test_an_export_does_not_overwrite_edits(team):
    team.edit("fails until pier 1", "breaks until pier 1")
    with pytest.raises(UsageError, match="1 edits the store does not have"):
        team.export()
    team.export(force=True)
    assert "breaks" not in team.read() and settled(team)


def test_a_link_out_of_the_folder_is_not_followed(team, tmp_path):
    (tmp_path / "outside").mkdir()
    (team.folder / "agents").symlink_to(tmp_path / "outside")
    team.keep(item(3, repo="", agent="codex"))
    with pytest.raises(StoreError, match="leads out of"):
        team.sync()
    assert not list((tmp_path / "outside").iterdir())


# sync: one side


def test_words_a_person_changed_go_into_the_store(team):
    team.edit("fails until pier 1", "*breaks* until pier 1")
    assert team.sync().edited == ("k0000001",)
    now = team.kept("k0000001")
    assert (
        now.fact == "`make ship` in harbor *breaks* until pier 1 is built"
        and now.edited
    )
    assert (now.situation, now.remedy, now.status) == ("", "", "active")
    with Knowledge(team.config.knowledge) as knowledge:
        assert {change.by for change in knowledge.history("k0000001")} == {
            "harvest",
            "person",
        }
    assert settled(team)


def test_tags_and_the_heading_a_bullet_stands_under_are_a_persons_to_change(team):
    team.edit("tags: go", "tags: go, sea")
    team.edit("## Pitfalls", "## Tool quirks")
    team.sync()
    now = team.kept("k0000001")
    assert (now.tags, now.category, now.situation) == (
        ("go", "sea"),
        "tool-quirk",
        "no pier",
    ) and settled(team)


def test_a_bullet_moved_to_another_file_holds_there(team):
    lines = team.read().split("\n")
    at = next(n for n, line in enumerate(lines) if "k0000001" in line)
    moved = lines[at : at + 2]
    (team.folder / PAGE).write_text("\n".join(lines[:at] + lines[at + 2 :]))
    (team.folder / "global").mkdir()
    (team.folder / "global/facts.md").write_text("\n".join(moved) + "\n")
    team.sync()
    now = team.kept("k0000001")
    assert (now.repo, now.category, now.edited) == ("", "fact", True) and settled(team)


def test_a_new_bullet_is_a_new_item(team):
    team.edit(
        "## Pitfalls\n", "## Pitfalls\n\n- `make ship` needs\n  the tide\n  tags: sea\n"
    )
    (id,) = team.sync().created
    now = team.kept(id)
    assert (now.fact, now.repo, now.category, now.tags) == (
        "`make ship` needs the tide",
        "harbor",
        "pitfall",
        ("sea",),
    )
    assert (now.status, now.trust, now.decided, now.edited, now.evidence) == (
        "active",
        "user",
        True,
        True,
        (),
    )
    assert f"needs the tide [{id}]\n  0.90 · by hand" in team.read() and settled(team)


def test_the_same_new_bullet_twice_is_one_item(team):
    team.edit("## Pitfalls\n", "## Pitfalls\n\n- `a` is new\n\n- `a` is new\n")
    assert len(team.sync().created) == 1 and settled(team)


def test_a_bullet_that_says_what_is_known_is_that_item(team):
    team.keep(item(3, status="retired", decided=True))
    team.edit(
        "## Pitfalls\n", f"## Pitfalls\n\n- {FACT.format(3)}\n\n- {FACT.format(1)}\n"
    )
    done = team.sync()
    assert (done.created, done.edited) == ((), ("k0000003",))
    assert team.kept("k0000003").status == "active" and settled(team)


def test_a_bullet_does_not_free_what_is_quarantined(team):
    team.keep(item(3, status="quarantined", reason="gives orders"))
    team.edit("## Pitfalls\n", f"## Pitfalls\n\n- {FACT.format(3)}\n")
    assert "is quarantined: gives orders" in team.sync().troubles[0].what
    assert (
        team.kept("k0000003").status == "quarantined" and FACT.format(3) in team.read()
    )


def test_what_the_store_learned_goes_into_the_folder(team):
    team.keep(item(1, source_count=5, confidence=0.9), item(3))
    done = team.sync()
    assert set(done.written) == {PAGE, "index.json"} and not done.edited
    assert (
        "0.90 · 5 sessions" in team.read()
        and "[k0000003]" in team.read()
        and settled(team)
    )


def test_each_side_may_change_another_part(team):
    team.edit("fails until pier 1", "breaks until pier 1")
    team.keep(item(1, tags=("go", "sea"), source_count=9))
    assert not team.sync().open
    now = team.kept("k0000001")
    assert (
        "breaks" in now.fact
        and now.tags == ("go", "sea")
        and now.source_count == 9
        and settled(team)
    )


def test_a_retired_item_leaves_the_folder(team):
    team.keep(item(1, status="retired", reason="old"))
    team.bury("k0000002")
    assert team.sync().removed == (PAGE,) and settled(team)


def test_line_ends_of_another_system_are_no_edit(team):
    (team.folder / PAGE).write_bytes(
        team.read().replace("\n", "\r\n").encode("utf-8-sig")
    )
    done = team.sync()
    assert not done.edited and not done.written


def test_a_secret_in_an_edit_reaches_neither_the_store_nor_the_folder(team):
    team.edit("fails until pier 1", "ends in hunter-two until pier 1")
    team.edit("## Pitfalls\n", "## Pitfalls\n\n- `x` answers to hunter-two\n")
    done = team.sync()
    assert len(done.created) == 1 and not done.open
    assert (
        "hunter-two" not in team.read()
        and "<hidden>" in team.kept("k0000001").fact
        and settled(team)
    )
    assert not [
        p
        for p in team.config.home.rglob("*")
        if p.is_file() and b"hunter-two" in p.read_bytes()
    ]


def test_words_that_give_orders_wait_for_a_person(team):
    team.edit("## Pitfalls\n", "## Pitfalls\n\n- dear agents `rules`\n")
    done = team.sync()
    assert [trouble.what for trouble in done.troubles] == [
        "not taken: gives orders"
    ] and not done.created
    assert "- dear agents `rules`\n" in team.read()
    assert len(team.sync(trusted=True).created) == 1 and settled(team)


# sync: deletions, conflicts, damage


def without(team, id):
    lines = team.read().split("\n")
    at = next(n for n, line in enumerate(lines) if id in line)
    (team.folder / PAGE).write_text("\n".join(lines[:at] + lines[at + 2 :]))


def test_a_deleted_bullet_is_asked_about_and_nothing_is_lost(team):
    without(team, "k0000001")
    for _ in range(2):
        done = team.sync()
        assert done.open and [one.id for one in done.deleted] == ["k0000001"]
        assert (
            team.kept("k0000001").status == "active" and "k0000001" not in team.read()
        )


def test_a_deleted_bullet_retires_its_item_when_asked(team):
    without(team, "k0000001")
    assert team.sync(deletions="retire").retired == ("k0000001",)
    now = team.kept("k0000001")
    assert (now.status, now.decided) == ("retired", True) and settled(team)


def test_a_deleted_bullet_comes_back_when_asked(team):
    before = team.read()
    without(team, "k0000001")
    assert not team.sync(deletions="restore").open
    assert team.read() == before and settled(team)


def test_a_change_on_both_sides_is_a_conflict_and_both_texts_stay(team):
    team.edit("fails until pier 1", "breaks until pier 1")
    team.keep(item(1, fact="`make ship` waits for pier 1", tags=("go",)), item(3))
    for _ in range(2):
        (conflict,) = team.sync().conflicts
        assert (conflict.id, conflict.what, conflict.store) == (
            "k0000001",
            "fact",
            "`make ship` waits for pier 1",
        )
        assert (
            "breaks until pier 1" in conflict.folder
            and "breaks until pier 1" in team.read()
        )
        assert team.kept("k0000001").fact == "`make ship` waits for pier 1"
    assert "[k0000003]" in team.read()  # the others went on


@pytest.mark.parametrize(("side", "word"), [("folder", "breaks"), ("store", "waits")])
def test_a_conflict_ends_when_a_person_takes_a_side(team, side, word):
    team.edit("fails until pier 1", "breaks until pier 1")
    team.keep(item(1, fact="`make ship` waits for pier 1"))
    team.sync()
    assert not team.sync(take=side).open
    assert word in team.kept("k0000001").fact and word in team.read() and settled(team)


@pytest.mark.parametrize(
    ("side", "status"), [("folder", "active"), ("store", "retired")]
)
def test_an_edit_of_a_retired_item_is_a_conflict(team, side, status):
    team.edit("fails until pier 1", "breaks until pier 1")
    team.keep(item(1, status="retired", reason="old"))
    assert [(one.what, one.store) for one in team.sync().conflicts] == [
        ("status", "retired: old")
    ]
    assert "breaks" in team.read()
    assert not team.sync(take=side).open
    assert (
        team.kept("k0000001").status == status
        and ("breaks" in team.read()) == (side == "folder")
        and settled(team)
    )


def test_both_sides_may_change_to_the_same(team):
    team.edit("fails until pier 1", "breaks until pier 1")
    team.keep(item(1, fact=FACT.format(1).replace("fails", "breaks"), tags=("go",)))
    done = team.sync()
    assert not done.open and not done.edited and settled(team)


def test_a_file_that_cannot_be_read_is_named_and_left_alone(team):
    team.edit("## Pitfalls\n", "## Pitfalls\n\nhello\n")
    broken = team.read()
    team.keep(item(1, source_count=9), item(3), item(4, repo="", category="fact"))
    done = team.sync()
    assert [(trouble.where) for trouble in done.troubles] == [
        f"{PAGE}:7"
    ] and not done.deleted
    assert team.read() == broken and "[k0000004]" in team.read("global/facts.md")
    team.edit("hello\n", "")
    assert not team.sync().open and "9 sessions" in team.read() and settled(team)


def test_an_id_in_two_places_is_named_and_both_stay(team):
    team.edit("## Pitfalls\n", "## Pitfalls\n\n- a copy [k0000001]\n")
    assert "stands also at" in team.sync().troubles[0].what
    assert "a copy" in team.read() and team.kept("k0000001").fact == FACT.format(1)


def test_a_broken_index_stops_the_sync_before_anything_is_written(team):
    team.edit('"version": 1', '"version": 9', "index.json")
    before = team.files()
    with pytest.raises(UnreadableSource, match="has version 9"):
        team.sync()
    assert team.files() == before


def test_what_a_person_wrote_where_nothing_is_taken_from_is_said(team):
    team.edit(FACT.format(1), "other words", "index.json")
    team.edit("0.80 · 2 sessions", "0.99 · 2 sessions")
    notes = "\n".join(team.sync().notes)
    assert "other words" in notes and "0.99 · 2 sessions" in notes and settled(team)


def test_a_lost_index_is_written_again(team):
    (team.folder / "index.json").unlink()
    team.edit("fails until pier 1", "breaks until pier 1")
    assert [one.id for one in team.sync().conflicts] == [
        "k0000001"
    ]  # nobody knows what it was
    assert (
        not team.sync(take="folder").open
        and "breaks" in team.kept("k0000001").fact
        and settled(team)
    )


def test_a_dry_run_changes_nothing(team):
    team.edit("fails until pier 1", "breaks until pier 1")
    before = team.files()
    assert team.sync(dry_run=True).edited == ("k0000001",)
    assert team.files() == before and "breaks" not in team.kept("k0000001").fact


def test_a_folder_that_is_not_there_is_said_to_be(team, tmp_path):
    with pytest.raises(NotFound, match="holds no knowledge"):
        flow.sync(team.config, tmp_path / "nowhere", clean=clean)


@pytest.mark.parametrize("lost", [[PAGE], ["index.json"], [PAGE, "index.json"]])
def test_a_sync_cut_short_is_finished_by_the_next(team, lost):
    """The store is written first: whichever files were not reached are as before."""
    team.edit("fails until pier 1", "breaks until pier 1")
    team.edit("## Pitfalls\n", "## Pitfalls\n\n- `a` is new\n")
    before = team.files()
    memory = {p: p.read_bytes() for p in (team.config.home / "folders").iterdir()}
    (id,) = team.sync().created
    after = team.files()
    for path in lost:
        (team.folder / path).write_bytes(before[path])
    for path, data in memory.items():
        path.write_bytes(data)
    done = team.sync()
    assert not done.open and not done.created and team.files() == after
    assert team.kept(id).fact == "`a` is new" and settled(team)


def test_syncs_at_the_same_time_take_turns(team):
    team.keep(*(item(n) for n in range(10, 60)))
    team.sync()
    team.edit("fails until pier 1 ", "breaks until pier 1 ")
    team.edit("## Pitfalls\n", "## Pitfalls\n\n- `a` is new\n")
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: team.sync(), range(4)))
    assert sum(len(one.created) for one in done) == 1 and not any(
        one.open for one in done
    )
    assert "breaks" in team.kept("k0000001").fact and settled(team)


# more than one person


def test_a_clone_brings_edits_into_the_same_store(team, tmp_path):
    shutil.copytree(team.folder, tmp_path / "clone")
    clone = Team(team.config.home, tmp_path / "clone")
    clone.edit("fails until pier 1", "breaks until pier 1")
    assert clone.sync().edited == ("k0000001",)
    assert "breaks" in team.kept("k0000001").fact and settled(clone)


def test_a_clone_with_a_store_of_its_own_loses_nothing(other):
    before = other.files()
    done = other.sync()
    assert done.unknown == ("k0000001", "k0000002") and not done.open
    assert other.files() == before


def test_imported_items_stay_in_the_folder_while_nobody_approved_them(other):
    before = other.files()
    other.take(other.folder)
    assert other.sync().waiting == ("k0000001", "k0000002") and other.files() == before


def test_words_somebody_else_synced_are_not_taken_back(team, other):
    """Their index.json and page come by git; only what this store and the folder agreed on tells who changed."""
    other.take(other.folder, trusted=True)
    other.edit("fails until pier 1", "breaks until pier 1")
    other.sync()
    for path, data in other.files().items():
        (team.folder / path).write_bytes(data)
    assert team.sync().edited == ("k0000001",)
    assert "breaks" in team.kept("k0000001").fact and "breaks" in team.read()


# import


def test_items_of_others_come_in_as_candidates_of_the_lowest_trust(team, other):
    assert other.take(other.folder).created == ("k0000001", "k0000002")
    now = other.kept("k0000001")
    assert (now.status, now.trust, now.decided, now.topics) == (
        "candidate",
        "external",
        False,
        (),
    )
    assert {one.why for one in other.take(other.folder).skipped} == {
        "known here; --trust joins its evidence"
    }


def test_a_trusted_import_is_lossless(team, other):
    span = Evidence("s", "codex", 1, "text", 0, 3, "ab", "abc", "user", time=NOW)
    team.keep(
        item(
            3,
            evidence=(span,),
            tags=("a",),
            expires=NOW,
            decided=True,
            key="k",
            value="v",
        )
    )
    team.export()
    assert len(other.take(team.folder, trusted=True).created) == 3
    assert all(other.kept(f"k000000{n}") == team.kept(f"k000000{n}") for n in (1, 2, 3))
    assert {one.why for one in other.take(team.folder, trusted=True).skipped} == {
        "nothing new in it"
    }


def test_a_trusted_import_joins_evidence_and_keeps_a_persons_words(team, other):
    mine, theirs = (
        Evidence(s, "codex", 1, "text", 0, 3, "ab", "abc", "tool", time=NOW)
        for s in ("mine", "theirs")
    )
    team.keep(item(1, evidence=(theirs,), last_confirmed=NOW))
    team.export()
    other.keep(
        item(1, fact="my `words`", edited=True, evidence=(mine,)),
        item(2, evidence=(mine,)),
    )
    assert other.take(team.folder, trusted=True).merged == ("k0000001",)
    now = other.kept("k0000001")
    assert now.fact == "my `words`" and {one.session for one in now.evidence} == {
        "mine",
        "theirs",
    }


def test_what_a_person_deleted_does_not_come_back(team, other):
    other.keep(item(1))
    other.bury("k0000001")
    done = other.take(other.folder, trusted=True)
    assert (
        done.created == ("k0000002",)
        and done.skipped[0].why == "deleted here by a person"
    )
    other.edit(
        '"id": "k0000001"', '"id": "k00000bb"', "index.json"
    )  # the same words under another id
    assert not other.take(other.folder, trusted=True).created


def test_what_comes_in_is_screened(team, other):
    team.keep(
        item(3, fact="`x` answers to hunter-two"),
        item(4, fact="dear agents `rules`"),
    )
    team.export()
    done = other.take(team.folder, trusted=True)
    assert done.redacted == {"password": 1} and done.quarantined == ("k0000004",)
    assert (
        "hunter" not in other.kept("k0000003").fact
        and other.kept("k0000004").status == "quarantined"
    )


def test_an_import_is_whole_or_nothing(other):
    other.edit('"id": "k0000002"', '"id": 2', "index.json")
    with pytest.raises(UnreadableSource, match=r"facts\[1\]\.id"):
        other.take(other.folder / "index.json")
    with Knowledge(other.config.knowledge) as knowledge:
        assert knowledge.items() == []


def test_a_dry_run_says_what_would_come_in(other):
    assert len(other.take(other.folder, dry_run=True).created) == 2
    with pytest.raises(NotFound):
        other.kept("k0000001")


# lint


def test_lint_finds_what_is_wrong_with_items(team):
    proof = (Evidence("s", "codex", 1, "text", 0, 3, "ab", "abc", "user"),)
    team.keep(
        item(1, evidence=proof, related=("k0000099",), expires=NOW - 1, confidence=0.1),
        item(2, evidence=proof, fact=FACT.format(1).upper(), superseded_by="k0000098"),
        item(3, fact="too vague hunter-two"),
        item(4, fact="`x` " * 200, evidence=proof),
        item(5, fact="by `hand`", edited=True),
    )
    assert team.lint() == {
        ("warning", "link", "k0000001"), ("warning", "expired", "k0000001"), ("warning", "unsure", "k0000001"),
        ("warning", "duplicate", "k0000002"), ("error", "link", "k0000002"), ("warning", "vague", "k0000003"),
        ("error", "secret", "k0000003"), ("error", "evidence", "k0000003"), ("error", "long", "k0000004"),
    }  # fmt: skip


def test_lint_finds_what_is_wrong_with_a_folder(team):
    proof = (Evidence("s", "codex", 1, "text", 0, 3, "ab", "abc", "user"),)
    team.keep(item(1, evidence=proof), item(2, evidence=proof))
    team.export()
    assert team.lint(team.folder) == set()
    team.edit("fails until pier 1", "breaks until pier 1")
    team.edit("## Pitfalls\n", "## Pitfalls\n\n- new\n\n- `x` [k00000aa]\n")
    team.edit('"total_facts": 2', '"total_facts": 3', "index.json")
    assert team.lint(team.folder) == {
        ("warning", "unsynced", PAGE), ("error", "index", PAGE), ("error", "index", "index.json"),
    }  # fmt: skip
    team.edit("## Pitfalls\n", "## Pitfalls\n\nprose\n")
    assert ("error", "format", PAGE) in team.lint(team.folder)


@given(st.text(min_size=1, max_size=60), st.text(min_size=1, max_size=60))
@settings(max_examples=25, deadline=None)
def test_any_words_survive_the_way_out_and_back(tmp_path_factory, fact, repo):
    team = Team(tmp_path_factory.mktemp("kept"), tmp_path_factory.mktemp("folder"))
    team.keep(item(1, fact=fact, repo=repo))
    team.export()
    done = team.sync()
    assert not done.open and not done.edited and not done.written
