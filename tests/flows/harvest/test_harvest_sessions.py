"""harvest, end to end: sessions in, knowledge out; twice is once; nothing secret stays; nothing committed is lost."""

from __future__ import annotations

import multiprocessing
import random
import subprocess
import sys

import msgspec
import pytest

from afterglow.config import Config
from afterglow.errors import NotFound
from afterglow.flows.harvest import harvest
from afterglow.flows.read import scan
from afterglow.records.selection import below
from afterglow.store.knowledge import Knowledge
from afterglow_demo import write_fleet
from writing import Transcript, ordinary

STAT = "unknown flag: --stat"


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def lesson(number: int, **options) -> Transcript:
    """A session that learns that `gh pr diff` has no --stat."""
    return (
        Transcript(number, **options)
        .user("what changed in the pull request?")
        .run("gh pr diff 41 --stat", f"Exit code 1\n{STAT}", error=True)
        .run("gh pr diff 41 --name-only", "dock/agent.go")
        .reply("One file changed.")
    )


def items(config, **options):
    with Knowledge(config.knowledge) as knowledge:
        return knowledge.items(evidence=True, **options)


def state(config):
    """Everything the store holds, in one value."""
    with Knowledge(config.knowledge) as knowledge:
        found = knowledge.items(evidence=True)
        return found, [knowledge.history(item.id) for item in found]


def test_a_finished_session_becomes_knowledge_with_its_place(config, tmp_path):
    lesson(1).save(tmp_path / "s")
    report = harvest(config, below(tmp_path / "s"))
    (item,) = [item for item in items(config) if item.miner == "recoveries"]
    assert "--name-only" in item.fact
    assert item.repo == "harbor"
    assert {one.session for one in item.evidence} == {lesson(1).id}
    assert report.created >= 1
    assert report.mined == 1


def test_harvesting_twice_changes_nothing(config, tmp_path):
    lesson(1).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    before = state(config)
    second = harvest(config)
    third = harvest(config, again=True)
    assert (second.mined, third.mined) == (0, 1)
    assert (second.changed, third.changed, third.created) == (0, 0, 0)
    assert state(config) == before


def test_a_second_session_adds_evidence_to_the_same_item(config, tmp_path):
    lesson(1).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    lesson(2, start=3000).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    (item,) = [item for item in items(config) if item.miner == "recoveries"]
    assert item.source_count == 2
    assert {one.session for one in item.evidence} == {lesson(1).id, lesson(2).id}


def test_the_order_of_harvests_does_not_matter(tmp_path):
    found = []
    for order in ((1, 2, 3), (3, 1, 2)):
        config = Config(home=tmp_path / f"kept{order}", user_home=tmp_path / "home")
        for number in order:
            path = lesson(number, start=2000 * number).save(tmp_path / f"s{number}")
            harvest(config, below(path))
        found.append(items(config))
    assert found[0] == found[1]


def test_a_deleted_item_does_not_come_back(config, tmp_path):
    lesson(1).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    with Knowledge(config.knowledge) as knowledge:
        knowledge.bury(
            [item.id for item in knowledge.items()],
            by="person",
            why="not needed",
            now=1.0,
        )
    lesson(2, start=3000).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    assert [item for item in items(config) if item.miner == "recoveries"] == []


def test_a_lost_catalogue_costs_nothing(config, tmp_path):
    lesson(1).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    before = state(config)
    for file in config.home.glob("catalog.db*"):
        file.unlink()
    harvest(config, below(tmp_path / "s"))
    assert state(config) == before


def test_a_lost_knowledge_store_is_made_again_from_the_findings(config, tmp_path):
    lesson(1).save(tmp_path / "s")
    harvest(config, below(tmp_path / "s"))
    before = items(config)
    for file in config.home.glob("knowledge.db*"):
        file.unlink()
    assert harvest(config).mined == 0
    assert items(config) == before


def test_a_dry_run_tells_and_writes_nothing(config, tmp_path):
    lesson(1).user("my token is " + "gh" + "p_" + "x1Y2" * 9).save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    report = harvest(config, dry=True)
    assert report.dry
    assert report.created >= 1
    assert not config.knowledge.exists()


def test_a_checkout_that_got_a_remote_did_not_lose_what_was_known_under_its_old_name(
    config, tmp_path
):
    checkout = tmp_path / "src/harbor"
    (checkout / ".git").mkdir(parents=True)
    first = ordinary(1, cwd=str(checkout)).save(tmp_path / "s")
    second = ordinary(2, cwd=str(checkout)).save(tmp_path / "s")
    harvest(config, below(first, second))
    assert {item.repo for item in items(config)} == {"harbor"}
    (checkout / ".git/config").write_text(
        '[remote "origin"]\n\turl = https://example.com/ana/harbor.git\n'
    )
    report = harvest(
        config, below(ordinary(3, cwd=str(checkout / "dock")).save(tmp_path / "s"))
    )
    assert (report.sessions, report.active) == (3, 0)
    kept = items(config, status=("active", "candidate"))
    assert {item.repo for item in kept} == {"ana/harbor"}
    assert {one.session for item in kept for one in item.evidence} == {
        ordinary(number).id for number in (1, 2, 3)
    }


def test_a_path_that_is_not_there_is_an_error(config, tmp_path):
    with pytest.raises(NotFound, match="is not there"):
        harvest(config, below(tmp_path / "nothing"))


def test_a_source_that_vanished_is_reported_and_the_rest_is_mined(config, tmp_path):
    gone = lesson(1).save(tmp_path / "s")
    lesson(2).save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    gone.unlink()
    report = harvest(config)
    assert [path for path, _ in report.troubles] == [str(gone)]
    assert report.mined == 1


def test_subagents_are_not_experience(config, tmp_path):
    text = lesson(1).text.replace('"isSidechain": false', '"isSidechain": true')
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "agent-1.jsonl").write_text(text)
    assert harvest(config, below(tmp_path / "s")).sessions == 0


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    """A small simulated fleet, harvested."""
    root = tmp_path_factory.mktemp("fleet")
    truth = write_fleet(root / "fleet", seed=11, sessions=120, scale=0.3)
    config = Config(
        home=root / "kept", user_home=root / "fleet", paths=(root / "fleet" / "openai",)
    )
    scan(config)
    return config, truth, harvest(config)


def test_no_planted_secret_is_in_any_byte_of_the_home_folder(fleet):
    config, truth, _ = fleet
    with Knowledge(config.knowledge) as knowledge:
        knowledge.items()
    kept = b"".join(
        path.read_bytes() for path in config.home.rglob("*") if path.is_file()
    )
    leaked = [
        secret
        for secret in truth.secrets
        if secret.value.splitlines()[-1].encode() in kept
    ]
    assert truth.secrets
    assert [(secret.kind, secret.where) for secret in leaked] == []


def test_no_planted_poison_is_active(fleet):
    config, truth, _ = fleet
    active = msgspec.json.encode(items(config, status=("active",))).decode()
    assert truth.poison
    assert [poison for poison in truth.poison if poison.text[:40] in active] == []


def _harvest(config):
    harvest(config)


def test_two_harvests_at_once_end_with_the_same_items(tmp_path, fleet):
    config, _, _ = fleet
    kept = msgspec.structs.replace(config, home=tmp_path / "kept")
    scan(kept)
    context = multiprocessing.get_context("spawn")
    both = [context.Process(target=_harvest, args=(kept,)) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join(300)
        assert process.exitcode == 0
    harvest(kept)
    one = {
        item.id: (item.fact, item.source_count, item.status) for item in items(config)
    }
    two = {item.id: (item.fact, item.source_count, item.status) for item in items(kept)}
    assert two == one


def test_a_harvest_killed_at_any_moment_loses_nothing_committed(tmp_path, fleet):
    """Kill -9 again and again while it harvests; the store stays sound, what was committed stays, and the last run
    ends where an undisturbed one ends."""
    config, _, _ = fleet
    kept = msgspec.structs.replace(config, home=tmp_path / "kept")
    scan(kept)
    rng = random.Random(5)
    code = (
        "import sys; from pathlib import Path\n"
        "from afterglow.config import Config; from afterglow.flows import harvest as h\n"
        "h.CHUNK, h.TOPICS = 200_000, 10\n"
        "def tell(done, total): print(done, flush=True)\n"
        "merge = h.Merging.merge\n"
        "def merge_and_tell(self, topics, now): merge(self, topics, now); print('merged', flush=True)\n"
        "h.Merging.merge = merge_and_tell\n"
        "print('started', flush=True)\n"
        "h.harvest(Config(home=Path(sys.argv[1]), user_home=Path(sys.argv[2])), progress=tell)\n"
        "print('finished', flush=True)\n"
    )
    committed: dict[str, str] = {}
    for _ in range(12):
        words = [sys.executable, "-c", code, str(kept.home), str(kept.user_home)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(rng.randint(1, 20)):  # some signs of life, then the end
                if "finished" in process.stdout.readline():
                    break
            process.kill()
        if kept.knowledge.exists():
            with Knowledge(kept.knowledge) as knowledge:
                assert knowledge.check() == []
                now = {item.id: item.fact for item in knowledge.items()}
            assert committed.keys() <= now.keys()
            committed = now
    harvest(kept)
    assert {item.id for item in items(kept)} == {item.id for item in items(config)}
