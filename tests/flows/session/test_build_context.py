"""bootstrap, end to end: from harvested sessions to the context of the next one."""

from __future__ import annotations

import pytest

from afterglow.config import Config
from afterglow.connect.block import block, put
from afterglow.context.render import MARK
from afterglow.flows.harvest import harvest
from afterglow.flows.session import bootstrap, repo_of
from afterglow.records.selection import below
from afterglow.store.knowledge import Knowledge
from afterglow.text.basis import heading
from writing import Transcript


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def lesson(number: int, **options) -> Transcript:
    return (
        Transcript(number, **options)
        .user("what changed in the pull request?")
        .run("gh pr diff 41 --stat", "Exit code 1\nunknown flag: --stat", error=True)
        .run("gh pr diff 41 --name-only", "dock/agent.go")
        .reply("One file changed.")
    )


@pytest.fixture
def taught(config, tmp_path):
    """A home that knows one lesson from two days."""
    for number, start in ((1, 0), (2, 3000)):
        lesson(number, start=start).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    return config


LATER = 1_793_000_000.0  # some days after the sessions


def test_a_new_session_starts_with_the_lesson(taught, tmp_path):
    context, need, items = bootstrap(
        taught, cwd=tmp_path, repo="harbor", task="look at the diff", now=LATER
    )
    assert "--name-only" in context.text
    assert MARK.search(context.text)[0] == context.id
    assert need.sessions == 2
    assert [item.id for item in items] == [one.item for one in context.shown]


def test_every_context_has_an_id_of_its_own(taught, tmp_path):
    first, _, _ = bootstrap(taught, cwd=tmp_path, repo="harbor", now=LATER)
    second, _, _ = bootstrap(taught, cwd=tmp_path, repo="harbor", now=LATER)
    assert first.id != second.id


def test_another_repository_gets_nothing_of_it_and_hears_why(taught, tmp_path):
    context, _, _ = bootstrap(taught, cwd=tmp_path, repo="tidewatch", now=LATER)
    assert context.text == ""
    assert context.reason


def test_without_knowledge_the_reason_says_what_to_do_and_nothing_is_made(
    config, tmp_path
):
    context, _, _ = bootstrap(config, cwd=tmp_path)
    assert "afterglow harvest" in context.reason
    assert not config.knowledge.exists()


def test_the_repository_is_that_of_the_folder(config, tmp_path):
    (tmp_path / "harbor" / ".git").mkdir(parents=True)
    (tmp_path / "harbor" / ".git" / "config").write_text(
        '[remote "origin"]\n\turl = git@host:quay/harbor.git\n'
    )
    (tmp_path / "harbor" / "dock").mkdir()
    assert repo_of(tmp_path / "harbor" / "dock", config) == "quay/harbor"
    assert (
        repo_of(
            tmp_path / "harbor",
            Config(home=tmp_path, user_home=tmp_path, aliases={"quay/harbor": "port"}),
        )
        == "port"
    )


def test_an_owner_is_not_needed_where_there_is_one_of_that_name(taught, tmp_path):
    context, need, _ = bootstrap(taught, cwd=tmp_path, repo="quay/harbor", now=LATER)
    assert need.repo == "harbor"
    assert context.shown


def place(number: int) -> Transcript:
    looked = Transcript(number, start=2000 * number).user("where are the moorings?")
    looked = looked.ask(
        "Read", file_path="/home/ana/src/harbor/cmd/moorings.go"
    ).answer("File does not exist.", error=True)
    return (
        looked.ask("Read", file_path="/home/ana/src/harbor/internal/moorings.go")
        .answer("package internal")
        .reply("Here.")
    )


def test_a_place_that_is_gone_is_left_out_and_doubted(config, tmp_path):
    for number in (1, 2):
        place(number).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    checkout = tmp_path / "harbor"
    (checkout / ".git").mkdir(parents=True)
    with Knowledge(config.knowledge) as knowledge:
        (known,) = knowledge.items(miner="places", status=("active",))
    context, _, _ = bootstrap(config, cwd=checkout, now=LATER)
    assert known.id in [one.item for one in context.left_out if one.why == "check"]
    with Knowledge(config.knowledge) as knowledge:
        doubted = knowledge.get(known.id)
        assert doubted.confidence < known.confidence
        assert knowledge.history(known.id)[-1].by == "check"
    (checkout / "internal").mkdir()
    (checkout / "internal" / "moorings.go").write_text("package internal")
    context, _, _ = bootstrap(config, cwd=checkout, now=LATER)
    assert known.id in [one.item for one in context.shown]


@pytest.mark.parametrize(
    ("name", "agent", "is_told"),
    [
        ("harbor/CLAUDE.md", "claude-code", False),
        ("harbor/dock/CLAUDE.md", "claude-code", False),
        ("home/.claude/CLAUDE.md", "claude-code", False),
        ("harbor/CLAUDE.md", "codex", True),
        ("harbor/AGENTS.md", "", False),
        ("harbor/docs/CLAUDE.md", "claude-code", True),
    ],
)
def test_what_the_agent_reads_anyway_is_not_told_again(
    taught, tmp_path, name, agent, is_told
):
    folder = tmp_path / "harbor" / "dock"
    folder.mkdir(parents=True)
    (tmp_path / "harbor" / ".git").mkdir()
    before, _, _ = bootstrap(taught, cwd=folder, agent=agent, now=LATER)
    (told,) = before.shown
    words = told.line.partition("→ ")[2].partition(" [k")[0]
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"# Harbor\n\nBe kind.\n\n- Pull requests: {words}.\n")
    after, _, _ = bootstrap(taught, cwd=folder, agent=agent, now=LATER)
    assert [line.item for line in after.shown] == [told.item] * is_told
    assert is_told or after.left_out[0].why == "similar"


def test_what_we_wrote_into_a_file_of_instructions_is_told_again(taught, tmp_path):
    folder = tmp_path / "harbor"
    (folder / ".git").mkdir(parents=True)
    before, _, _ = bootstrap(taught, cwd=folder, agent="codex", now=LATER)
    (folder / "AGENTS.md").write_bytes(put(b"", block(before.text, "(kept)"), "x"))
    after, _, _ = bootstrap(taught, cwd=folder, agent="codex", now=LATER)
    assert [line.item for line in after.shown] == [before.shown[0].item]


def test_items_that_are_not_sure_enough_are_not_said_to_be_unknown(taught, tmp_path):
    context, _, _ = bootstrap(
        taught, cwd=tmp_path, repo="harbor", min_confidence=1.0, now=LATER
    )
    assert (
        context.text == ""
        and "surer than 1" in context.reason
        and "afterglow harvest" not in context.reason
    )


def test_the_name_of_a_repository_does_not_use_up_the_budget():
    assert len(heading("ag-0000000001", "far/" * 2000)) < 300


def test_who_only_looks_changes_no_confidence(config, tmp_path):
    for number in (1, 2):
        place(number).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    checkout = tmp_path / "harbor"
    (checkout / ".git").mkdir(parents=True)
    with Knowledge(config.knowledge) as knowledge:
        (known,) = knowledge.items(miner="places", status=("active",))
    context, _, _ = bootstrap(config, cwd=checkout, now=LATER, keep_doubts=False)
    assert known.id in [one.item for one in context.left_out if one.why == "check"]
    with Knowledge(config.knowledge) as knowledge:
        assert knowledge.get(known.id).confidence == known.confidence


def test_many_starts_in_a_folder_that_lacks_the_file_doubt_an_item_once(
    config, tmp_path
):
    for number in (1, 2):
        place(number).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    (tmp_path / "harbor" / ".git").mkdir(parents=True)
    sure = []
    for _ in range(6):
        bootstrap(config, cwd=tmp_path / "harbor", min_confidence=0.0, now=LATER)
        with Knowledge(config.knowledge) as knowledge:
            sure += [item.confidence for item in knowledge.items(miner="places")]
    assert len(set(sure)) == 1


def test_a_doubt_that_could_not_be_noted_beside_a_harvest_cost_the_session_its_context(
    config, tmp_path
):
    for number in (1, 2):
        place(number).save(tmp_path / "s")
        lesson(number + 2, start=3000 * number).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    (tmp_path / "harbor" / ".git").mkdir(parents=True)
    with Knowledge(config.knowledge) as writing, writing.transaction():
        context, _, _ = bootstrap(config, cwd=tmp_path / "harbor", now=LATER)
    assert context.shown and [one.why for one in context.left_out] == ["check"]
